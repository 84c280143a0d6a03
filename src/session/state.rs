//! A session to a link and back.

use mmscope_figure::{Selection, say};
use mmscope_lab::link::{Content, Link, decode, encode};
use mmscope_lab::{Position, Scenario, Sorted, Timeline, lessons};
use mmscope_mm::{Kernel, Range};

use super::{Session, Theme};

/// Longer links are not made: no address bar takes them, and packing them at each step would be slow.
const MOST_SCENARIO_BYTES: usize = 256 << 10;

/// Words under which the view is remembered.
const LENS: &str = "lens";
const SELECTED: &str = "sel";
const THEME: &str = "theme";
const KERNELS: &str = "kernels";

/// What a link opened.
pub(crate) struct Opened {
    pub(crate) session: Session,
    pub(crate) theme: Option<Theme>,
}

/// The state as a link, without `#`; `None` if the program is too long for one.
pub(crate) fn link(session: &Session) -> Option<String> {
    let timeline = session.timeline();
    let scenario = timeline.scenario();
    let mut view = Sorted::new();
    let content = match session.lesson {
        Some(lesson) => {
            let kernels: Vec<String> = scenario.kernels.iter().map(Kernel::to_string).collect();
            let kernels = kernels.join(" ");
            if session.lesson_kernels.as_ref() != kernels {
                view.insert(KERNELS.to_owned(), kernels);
            }
            Content::Lesson(lesson.id.to_owned())
        }
        None => {
            // A step takes at least this much of the text.
            if timeline.step_count() as usize > MOST_SCENARIO_BYTES {
                return None;
            }
            let text = scenario.to_string();
            if text.len() > MOST_SCENARIO_BYTES {
                return None;
            }
            Content::Scenario(text)
        }
    };
    if let Some(Range { start, end }) = session.lens {
        view.insert(LENS.to_owned(), format!("{start:x}-{end:x}"));
    }
    if let Some(Selection { lane, addr }) = session.selected {
        view.insert(SELECTED.to_owned(), format!("{lane} {addr:x}"));
    }
    if session.theme != Theme::Auto {
        view.insert(THEME.to_owned(), session.theme.name().to_owned());
    }
    Some(encode(&Link {
        content,
        position: Some(session.shown.position),
        view,
    }))
}

/// Opens a link.
///
/// # Errors
/// The sentence that says why it can't be opened.
pub(crate) fn open(text: &str) -> Result<Opened, String> {
    let Link {
        content,
        position,
        view,
    } = decode(text).map_err(say::error::link)?;
    let mut session = match content {
        Content::Lesson(id) => {
            let lesson = lessons::find(&id).ok_or_else(|| say::ui::unknown_lesson(&id))?;
            Session::of_lesson(lesson)
        }
        Content::Scenario(text) => {
            let scenario = Scenario::parse(&text).map_err(|errors| {
                errors
                    .first()
                    .map_or_else(String::new, say::error::scenario)
            })?;
            let timeline = Timeline::new(scenario).map_err(say::error::lane)?;
            Session::of(
                timeline,
                Position {
                    step: 0,
                    micro: None,
                },
            )
        }
    };
    if let Some(kernels) = view.get(&KERNELS.to_owned()) {
        session.set_kernels(
            kernels
                .split(' ')
                .filter_map(|name| Kernel::parse(name).ok()),
        );
    }
    if let Some(position) = position {
        session.go(position);
    }
    session.lens = view.get(&LENS.to_owned()).and_then(|text| range(text));
    session.selected = view
        .get(&SELECTED.to_owned())
        .and_then(|text| selection(text));
    Ok(Opened {
        session,
        theme: view
            .get(&THEME.to_owned())
            .and_then(|name| Theme::find(name)),
    })
}

fn range(text: &str) -> Option<Range> {
    let (start, end) = text.split_once('-')?;
    let range = Range {
        start: hex(start)?,
        end: hex(end)?,
    };
    (!range.is_empty()).then_some(range)
}

fn selection(text: &str) -> Option<Selection> {
    let (lane, addr) = text.split_once(' ')?;
    Some(Selection {
        lane: lane.parse().ok()?,
        addr: hex(addr)?,
    })
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}
