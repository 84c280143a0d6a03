//! What a stop of a lesson tells beside its text: numbers counted on the way, a question, the answer to the one before,
//! measurements of others. Each is labelled with where it comes from.

use mmscope_lab::Timeline;
use mmscope_lab::lessons::{Lesson, Question, Stop};
use mmscope_lab::published;

use crate::say::lesson as words;

/// What a stop tells beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The question, while it stands: at its stop's own step and nowhere else.
    pub question: Option<String>,
    /// What became of the answer that was given to the question before.
    pub answer: Option<String>,
    /// Facts, each with the label that says what kind of number it is.
    pub facts: Vec<(&'static str, String)>,
}

impl Told {
    /// What is to be said of it behind the step: how the answer was, and what is asked now.
    pub fn spoken(&self) -> String {
        let mut text = String::new();
        for part in [&self.answer, &self.question].into_iter().flatten() {
            text.push(' ');
            text.push_str(part);
        }
        text
    }
}

/// What stop `index` of a lesson tells where the timeline stands; `said` is the number that was answered to the question
/// of the stop before it, if one was.
pub fn told(timeline: &Timeline, lesson: &Lesson, index: usize, said: Option<u64>) -> Told {
    let mut told = Told::default();
    let Some(stop) = lesson.stops.get(index) else {
        return told;
    };
    let kernels = &timeline.scenario().kernels;
    let position = timeline.position();
    if let Some(question) = stop.question
        && position.step == stop.step
        && position.micro.is_none()
        && let Some(kernel) = kernels.get(question.lane)
        && question.count.what.exists(*kernel)
    {
        told.question = words::question(question.asks, letter(question.lane), *kernel);
    }
    let asked = index
        .checked_sub(1)
        .and_then(|before| lesson.stops[before].question);
    if let (Some(said), Some(Question { lane, count, .. })) = (said, asked)
        && let Some(counted) = count.of(timeline, lane)
    {
        told.answer = Some(words::answer(said, counted));
    }
    if let Some(published) = stop.published {
        told.facts
            .push((words::PUBLISHED, words::published(published)));
    }
    if let Some(count) = stop.count {
        let mut lanes = Vec::new();
        for (lane, kernel) in kernels.iter().enumerate() {
            lanes.push((*kernel, count.of(timeline, lane)));
        }
        told.facts
            .push((words::COUNTED, words::count(count, &lanes)));
    }
    if stop.published.is_some() {
        told.facts.extend(estimated(timeline, stop));
    }
    told
}

/// The estimated time of a growth in each lane that has one.
fn estimated(timeline: &Timeline, stop: &Stop) -> Option<(&'static str, String)> {
    let count = stop.count?;
    let mut lanes = Vec::new();
    for (lane, kernel) in timeline.scenario().kernels.iter().enumerate() {
        let nodes = count.of(timeline, lane);
        let time = nodes.and_then(|nodes| published::estimate(*kernel, nodes));
        lanes.push((*kernel, time));
    }
    Some((words::ESTIMATED, words::estimate(&lanes)))
}

fn letter(lane: usize) -> char {
    (b'A' + lane as u8) as char
}
