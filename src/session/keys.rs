//! Which key does what: by the place of the key on the keyboard, so that every layout has them at the same spot.

use super::tree::Part;
use super::{Action, Overlay};

/// A key as it was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Press<'a> {
    /// `KeyboardEvent.code`.
    pub(crate) code: &'a str,
    pub(crate) shift: bool,
    /// Ctrl, Alt or Meta: then the key is the browser's.
    pub(crate) command: bool,
}

/// What the key means here, if anything.
pub(crate) fn action(press: Press<'_>) -> Option<Action> {
    if press.command {
        return None;
    }
    Some(match (press.code, press.shift) {
        ("ArrowRight", false) => Action::Step,
        ("ArrowLeft", false) => Action::Back,
        ("ArrowRight", true) => Action::MicroForward,
        ("ArrowLeft", true) => Action::MicroBack,
        ("Home", false) => Action::First,
        ("End", false) => Action::Last,
        ("BracketLeft", false) => Action::MarkBack,
        ("BracketRight", false) => Action::MarkForward,
        ("KeyG", false) => Action::Open(Overlay::Goto),
        ("KeyF", false) => Action::Fit,
        ("KeyO", false) => Action::Open(Overlay::Import),
        ("Space", false) => Action::PlayPause,
        ("Equal" | "NumpadAdd", _) => Action::Zoom {
            closer: true,
            at: None,
        },
        ("Minus" | "NumpadSubtract", _) => Action::Zoom {
            closer: false,
            at: None,
        },
        ("Digit0" | "Numpad0", false) => Action::Whole,
        ("Digit1" | "Numpad1", false) => Action::Part(Part::Why),
        ("Digit2" | "Numpad2", false) => Action::Part(Part::Tree),
        ("Digit3" | "Numpad3", false) => Action::Part(Part::Pages),
        ("Digit4" | "Numpad4", false) => Action::Part(Part::Maps),
        ("Digit5" | "Numpad5", false) => Action::Part(Part::Tlb),
        ("Comma", false) => Action::Pan { up: false },
        ("Period", false) => Action::Pan { up: true },
        // Where `?` is depends on the layout: the usual place, with and without Shift, and F1.
        ("Slash" | "F1", _) => Action::Open(Overlay::Help),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: &str) -> Option<Action> {
        action(Press {
            code,
            shift: false,
            command: false,
        })
    }

    #[test]
    fn keys_step_and_leave_the_browser_its_own() {
        assert!(matches!(press("ArrowRight"), Some(Action::Step)));
        assert!(matches!(
            action(Press {
                code: "ArrowRight",
                shift: true,
                command: false
            }),
            Some(Action::MicroForward)
        ));
        assert!(
            action(Press {
                code: "ArrowLeft",
                shift: false,
                command: true
            })
            .is_none()
        );
        assert!(press("Tab").is_none());
        assert!(press("Escape").is_none());
    }
}
