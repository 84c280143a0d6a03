//! Text that a person gave us: what it is, and what came of it.

use std::rc::Rc;

use mmscope_figure::{imported, say};
use mmscope_lab::check::{self, Difference};
use mmscope_lab::{LaneError, Scenario, ScenarioError, Timeline, maps_file};
use mmscope_mm::{Kernel, Outcome};

/// The word that a scenario begins with.
const SCENARIO_WORD: &str = "mmscope";
/// Errors listed at most.
pub(crate) const MOST_ERRORS: usize = 50;
/// Differing calls listed at most.
const MOST_DIFFERENCES: usize = 200;

/// What a person is about to open. Nothing they typed is ever lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) maps: Option<String>,
    pub(crate) problem: Option<Problem>,
    /// What stood in the boxes before something else was put into them.
    pub(crate) previous: Option<Boxes>,
    /// Another one each time that the boxes are to be filled anew.
    pub(crate) edition: u32,
}

/// What stands in the boxes: the text and the maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Boxes {
    pub(crate) text: String,
    pub(crate) maps: String,
}

impl Boxes {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.maps.trim().is_empty()
    }
}

/// Why it could not be opened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// What was expected.
    pub(crate) expected: String,
    /// Line (0 for none) and sentence of each error.
    pub(crate) errors: Vec<(u32, String)>,
    /// Errors that are not listed.
    pub(crate) more: usize,
}

impl Problem {
    fn new(expected: &str, errors: impl ExactSizeIterator<Item = (u32, String)>) -> Problem {
        let more = errors.len().saturating_sub(MOST_ERRORS);
        Problem {
            expected: expected.to_owned(),
            errors: errors.take(MOST_ERRORS).collect(),
            more,
        }
    }

    /// A sentence that says it all.
    pub(crate) fn plain(sentence: String) -> Problem {
        Problem {
            expected: sentence,
            errors: Vec::new(),
            more: 0,
        }
    }

    /// What the importer found wrong.
    pub(crate) fn refused(expected: &str, errors: Vec<String>) -> Problem {
        Problem::new(expected, errors.into_iter().map(|sentence| (0, sentence)))
    }

    /// A scenario whose start no process can have.
    pub(crate) fn start(error: &LaneError) -> Problem {
        Problem::new(
            say::ui::EXPECTED_START,
            [(0, say::error::lane(*error))].into_iter(),
        )
    }
}

/// What came of a trace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    /// The importer's answer as it came.
    pub(crate) answer: Rc<str>,
    /// What it told.
    pub(crate) told: Rc<imported::Report>,
    /// How the replay compares, once all of it has run.
    pub(crate) compared: Option<Compared>,
}

impl Report {
    /// What the importer told in its answer.
    pub(crate) fn new(answer: &str, told: imported::Report) -> Report {
        Report {
            answer: answer.into(),
            told: Rc::new(told),
            compared: None,
        }
    }
}

/// How a replay compares with its record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Compared {
    /// Each lane's addresses, in words.
    pub(crate) lanes: Vec<(char, String)>,
    /// Calls in which lane A differs.
    pub(crate) differences: Vec<Differing>,
    /// Calls that are not listed.
    pub(crate) more: usize,
}

/// A call with another result than the trace has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Differing {
    pub(crate) step: u32,
    pub(crate) call: String,
    pub(crate) recorded: String,
    pub(crate) model: String,
    pub(crate) why: String,
}

impl Compared {
    /// Compares all lanes, which have run to their ends.
    pub(crate) fn of(timeline: &mut Timeline) -> Compared {
        let agreement = check::agreement(timeline, 0);
        let more = agreement.differences.len().saturating_sub(MOST_DIFFERENCES);
        let differences = agreement
            .differences
            .iter()
            .take(MOST_DIFFERENCES)
            .map(|difference| differing(timeline, difference));
        let differences = differences.collect();
        let lanes = ('A'..)
            .zip(0..timeline.lane_count())
            .map(|(letter, lane)| (letter, addresses(timeline, lane)));
        Compared {
            lanes: lanes.collect(),
            differences,
            more,
        }
    }
}

fn differing(timeline: &Timeline, difference: &Difference) -> Differing {
    let frame = timeline.frame();
    let why = match (&difference.deciding, frame.lanes.first()) {
        (Some(event), Some(lane)) => say::event::event(lane.machine, event).0,
        _ => String::new(),
    };
    Differing {
        step: difference.step,
        call: difference.call.clone(),
        recorded: say::outcome::value(difference.recorded),
        model: say::outcome::value(difference.model),
        why,
    }
}

/// How many recorded addresses a lane returns too, in words.
fn addresses(timeline: &Timeline, lane: usize) -> String {
    let (mut equal, mut compared) = (0, 0);
    for index in 0..timeline.step_count() {
        let recorded = timeline.step(index).and_then(|step| step.recorded);
        if let (Some(recorded @ Outcome::Address(_)), Some(summary)) =
            (recorded, timeline.summary(lane, index + 1))
        {
            compared += 1;
            equal += u32::from(summary.outcome == recorded);
        }
    }
    say::ui::addresses_equal(equal, compared)
}

/// What a text turned out to be.
pub(crate) enum Found {
    Link(String),
    Scenario(Box<Scenario>),
    /// A trace or a maps file: the importer is to read it.
    Trace,
}

/// Finds out what a text is.
///
/// # Errors
/// If there is none, or it is a scenario with errors.
pub(crate) fn read(text: &str) -> Result<Found, Problem> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Problem::plain(say::ui::IMPORT_EMPTY.to_owned()));
    }
    if let Some(link) = link_in(trimmed) {
        return Ok(Found::Link(link.to_owned()));
    }
    if !trimmed.starts_with(SCENARIO_WORD) {
        return Ok(Found::Trace);
    }
    match Scenario::parse(text) {
        Ok(scenario) => Ok(Found::Scenario(Box::new(scenario))),
        Err(errors) => Err(scenario_problem(&errors)),
    }
}

/// A question to the importer: what it is to read, under the kernels of the lanes.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) maps: Option<String>,
    pub(crate) kernels: Vec<Kernel>,
}

impl PartialEq for Asked {
    /// Each question is another one, though it be about the same text.
    fn eq(&self, other: &Asked) -> bool {
        std::ptr::eq(self, other)
    }
}

fn scenario_problem(errors: &[ScenarioError]) -> Problem {
    Problem::new(
        say::ui::EXPECTED_SCENARIO,
        errors
            .iter()
            .map(|error| (error.line, say::error::scenario(error))),
    )
}

/// The link in a text that is nothing but one: as it stands behind `#`, with or without the address before it.
fn link_in(text: &str) -> Option<&str> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    let link = text.rsplit_once('#').map_or(text, |(_, fragment)| fragment);
    let digits = link.strip_prefix('v')?.split('.').next()?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && link.contains('.'))
        .then_some(link)
}

/// Files that came together: the text, and the maps beside it if one of them is such. The first of the rest counts.
pub(crate) fn pair(files: Vec<(String, String)>) -> Option<(String, Option<String>)> {
    let is_maps = |name: &str, text: &str| {
        maps_file::looks_like(text) || name.ends_with("maps") && text.trim().is_empty()
    };
    let (maps, mut others): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(name, text)| is_maps(name, text));
    if others.is_empty() {
        return maps.into_iter().next().map(|(_, text)| (text, None));
    }
    let (_, text) = others.swap_remove(0);
    Some((text, maps.into_iter().next().map(|(_, text)| text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_from_other_text() {
        assert_eq!(link_in("v1.abc-_"), Some("v1.abc-_"));
        assert_eq!(link_in("http://host/a/b/#v12.abc"), Some("v12.abc"));
        assert_eq!(link_in("vmstat.txt"), None);
        assert_eq!(link_in("mmscope 1"), None);
    }

    #[test]
    fn maps_are_found_whatever_they_are_called() {
        let maps = "555555554000-555555555000 r--p 00000000 fe:00 10020671 /bin/x\n";
        let files = |names: [&str; 2], texts: [&str; 2]| {
            pair(
                names
                    .iter()
                    .zip(texts)
                    .map(|(name, text)| ((*name).to_owned(), text.to_owned()))
                    .collect(),
            )
        };
        let trace = "brk(NULL) = 0x1000\n";
        let found = Some((trace.to_owned(), Some(maps.to_owned())));
        assert_eq!(files(["a.txt", "b.txt"], [maps, trace]), found);
        assert_eq!(files(["b.txt", "a.txt"], [trace, maps]), found);
        assert_eq!(pair(Vec::new()), None);
    }
}
