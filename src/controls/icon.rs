//! Small drawings for buttons, 16 by 16, in the colour of the text.

use yew::prelude::*;

/// A drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    First,
    Back,
    Forward,
    Last,
    MicroBack,
    MicroForward,
    MarkBack,
    MarkForward,
    Play,
    Pause,
    Closer,
    Farther,
    Fit,
    Open,
    Link,
    Auto,
    Light,
    Dark,
    Help,
    Close,
    Plus,
    Switches,
    Next,
    Left,
    Right,
}

impl Icon {
    /// Path data: outlines to be stroked, and shapes to be filled.
    fn paths(self) -> (&'static str, &'static str) {
        match self {
            Icon::First => ("M3.5 3v10", "M13 3v10L5.5 8z"),
            Icon::Back => ("", "M11.5 3v10L4 8z"),
            Icon::Forward => ("", "M4.5 3v10L12 8z"),
            Icon::Last => ("M12.5 3v10", "M3 3v10l7.5-5z"),
            Icon::MicroBack => ("M10 4 6 8l4 4", ""),
            Icon::MicroForward => ("m6 4 4 4-4 4", ""),
            Icon::MarkBack => ("M13 8H6M9 5 6 8l3 3M3 3v10", ""),
            Icon::MarkForward => ("M3 8h7M7 5l3 3-3 3M13 3v10", ""),
            Icon::Play => ("", "M5 3v10l8-5z"),
            Icon::Pause => ("M5.5 3.5v9M10.5 3.5v9", ""),
            Icon::Closer => ("M8 3.5v9M3.5 8h9", ""),
            Icon::Farther => ("M3.5 8h9", ""),
            Icon::Fit => ("M3 6V3h3M13 6V3h-3M3 10v3h3M13 10v3h-3", ""),
            Icon::Open => ("M2.5 12.5v-9h4l1.5 2h5.5v7z", ""),
            Icon::Link => (
                "M6.8 9.2a2.6 2.6 0 0 1 0-3.7l1.9-1.9a2.6 2.6 0 0 1 3.7 3.7L11 8.7M9.2 6.8a2.6 2.6 0 0 1 0 3.7l-1.9 1.9a2.6 2.6 0 0 1-3.7-3.7L5 7.3",
                "",
            ),
            Icon::Auto => (
                "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z",
                "M8 2.5a5.5 5.5 0 0 1 0 11z",
            ),
            Icon::Light => (
                "M8 5.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
                "",
            ),
            Icon::Dark => ("M13 9.6A5.4 5.4 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z", ""),
            Icon::Help => (
                "M5.8 6.2A2.3 2.3 0 0 1 8 4.2c1.3 0 2.3.8 2.3 2 0 1.6-2.3 1.7-2.3 3.3M8 11.6v.6",
                "",
            ),
            Icon::Close => ("m4 4 8 8M12 4l-8 8", ""),
            Icon::Plus => ("M8 3.5v9M3.5 8h9", ""),
            Icon::Switches => (
                "M2.5 5h5M11 5h2.5M2.5 11H5M8.5 11h5M9.2 3.2v3.6M6.8 9.2v3.6",
                "",
            ),
            Icon::Next => ("M3 8h9.5M9 4.5 12.5 8 9 11.5", ""),
            Icon::Left => ("M10 3.5 5.5 8l4.5 4.5", ""),
            Icon::Right => ("M6 3.5 10.5 8 6 12.5", ""),
        }
    }

    pub(crate) fn draw(self) -> Html {
        let (stroke, fill) = self.paths();
        html! {
            <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                if !fill.is_empty() { <path class="icon-fill" d={fill} /> }
                if !stroke.is_empty() { <path class="icon-stroke" d={stroke} /> }
            </svg>
        }
    }
}
