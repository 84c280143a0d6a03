//! A session to a link and back.

use mmscope_figure::{Selection, say};
use mmscope_lab::link::{Content, Link, LinkError, decode, encode};
use mmscope_lab::{MAX_LANES, Position, Scenario, Sorted, Timeline, lessons};
use mmscope_mm::{Kernel, Range};

use std::rc::Rc;

use super::tlb::TlbLook;
use super::tree::{Part, TreeLook};
use super::{Session, Theme};

/// Longer links are not made: no address bar takes them, and packing them at each step would be slow.
const MOST_SCENARIO_BYTES: usize = 256 << 10;

/// Words under which the view is remembered.
const LENS: &str = "lens";
const SELECTED: &str = "sel";
const PART: &str = "part";
const TREE: &str = "tree";
const TLB: &str = "tlb";
const THEME: &str = "theme";
const KERNELS: &str = "kernels";

/// What a link opened.
pub(crate) struct Opened {
    pub(crate) session: Session,
    pub(crate) theme: Option<Theme>,
    /// A sentence for each part that could not be read.
    pub(crate) unread: Vec<String>,
}

/// The state as a link, without `#`; `None` if the program is too long for one.
pub(crate) fn link(session: &Session) -> Option<String> {
    let short = |length: usize| length <= MOST_SCENARIO_BYTES;
    // A step takes at least this much of the text.
    if session.lesson.is_none() && !short(session.timeline().step_count() as usize) {
        return None;
    }
    let link = whole(session);
    let fits = match &link.content {
        Content::Lesson(_) => true,
        Content::Scenario(text) => short(text.len()),
    };
    fits.then(|| encode(&link))
}

/// All that a link would say, of any length.
pub(super) fn whole(session: &Session) -> Link {
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
        None => Content::Scenario(scenario.to_string()),
    };
    if let Some(Range { start, end }) = session.lens {
        view.insert(LENS.to_owned(), format!("{start:x}-{end:x}"));
    }
    if let Some(Selection { lane, addr }) = session.selected {
        view.insert(SELECTED.to_owned(), format!("{lane} {addr:x}"));
    }
    if session.part != Part::default() {
        view.insert(PART.to_owned(), session.part.name().to_owned());
    }
    if *session.tree != TreeLook::default() {
        view.insert(TREE.to_owned(), session.tree.print());
    }
    if *session.tlb != TlbLook::default() {
        view.insert(TLB.to_owned(), session.tlb.print());
    }
    if session.theme != Theme::Auto {
        view.insert(THEME.to_owned(), session.theme.name().to_owned());
    }
    Link {
        content,
        position: Some(session.shown.position),
        view,
    }
}

/// Opens a link.
///
/// # Errors
/// The sentence that says why it can't be opened.
pub(crate) fn open(text: &str) -> Result<Opened, String> {
    opened(decode(text))
}

/// Opens what a link says.
///
/// # Errors
/// The sentence that says why it can't be opened.
pub(super) fn opened(link: Result<Link, LinkError>) -> Result<Opened, String> {
    let Link {
        content,
        position,
        view,
    } = link.map_err(say::error::link)?;
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
    let mut unread = Vec::new();
    if let Some(names) = view.get(&KERNELS.to_owned()) {
        unread.extend(read_kernels(&mut session, names));
    }
    if let Some(position) = position {
        session.go(position);
    }
    let mut part = |key: &str, name: &str, ok: &dyn Fn(&str) -> bool| {
        let text = view.get(&key.to_owned())?;
        if !ok(text) {
            unread.push(say::ui::link_part(name, text));
            return None;
        }
        Some(text.as_str())
    };
    let lanes = session.shown.lanes.len();
    let chosen = |text: &str| selection(text).filter(|selection| selection.lane < lanes);
    session.lens = part(LENS, say::ui::LINK_LENS, &|text| range(text).is_some()).and_then(range);
    session.selected = part(SELECTED, say::ui::LINK_SELECTED, &|text| {
        chosen(text).is_some()
    })
    .and_then(chosen);
    session.part = part(PART, say::ui::LINK_PART, &|name| Part::find(name).is_some())
        .and_then(Part::find)
        .unwrap_or_default();
    let look = |text: &str| TreeLook::parse(text, lanes);
    session.tree = part(TREE, say::ui::LINK_TREE, &|text| look(text).is_some())
        .and_then(look)
        .map_or_else(Rc::default, Rc::new);
    let look = |text: &str| TlbLook::parse(text, lanes);
    session.tlb = part(TLB, say::ui::LINK_TLB, &|text| look(text).is_some())
        .and_then(look)
        .map_or_else(Rc::default, Rc::new);
    let theme = part(THEME, say::ui::LINK_THEME, &|name| {
        Theme::find(name).is_some()
    })
    .and_then(Theme::find);
    Ok(Opened {
        session,
        theme,
        unread,
    })
}

/// Runs the kernels of a link; a sentence about those that can't be.
fn read_kernels(session: &mut Session, names: &str) -> Option<String> {
    let mut problems = Vec::new();
    let mut kernels = Vec::new();
    for name in names.split_whitespace() {
        match Kernel::parse(name) {
            Ok(kernel) => kernels.push(kernel),
            Err(error) => problems.push(say::error::kernel(&error)),
        }
    }
    if kernels.len() > MAX_LANES as usize {
        problems.push(say::ui::link_many_kernels(kernels.len(), MAX_LANES));
    }
    if names.trim().is_empty() {
        problems.push(say::ui::link_part(KERNELS, names));
    }
    session.set_kernels(kernels.into_iter());
    if problems.is_empty() {
        return None;
    }
    let shown = session.shown.lanes.iter();
    let shown: Vec<String> = shown.map(|lane| lane.kernel.to_string()).collect();
    Some(say::ui::link_kernels(&problems, &shown.join(", ")))
}

/// The program as it is kept in a tab: the shown call, then the scenario.
pub(crate) fn kept(session: &Session) -> String {
    let timeline = session.timeline();
    format!("{}\n{}", session.shown.position.step, timeline.scenario())
}

/// Opens what [`kept`] wrote.
pub(crate) fn open_kept(text: &str) -> Option<Session> {
    let (step, scenario) = text.split_once('\n')?;
    let position = Position {
        step: step.parse().ok()?,
        micro: None,
    };
    let timeline = Timeline::new(Scenario::parse(scenario).ok()?).ok()?;
    Some(Session::of(timeline, position))
}

/// Whether the program fits into a link.
pub(crate) fn fits_link(session: &Session) -> bool {
    if session.lesson.is_some() {
        return true;
    }
    let timeline = session.timeline();
    let short = |length: usize| length <= MOST_SCENARIO_BYTES;
    short(timeline.step_count() as usize) && short(timeline.scenario().to_string().len())
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
