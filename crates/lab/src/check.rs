//! A replay held against what was recorded.

use mmscope_mm::{Call, Event, Kernel, MapFlags, Outcome, Release};

use crate::frame::Position;
use crate::scenario::Scenario;
use crate::timeline::Timeline;

/// How a lane's results compare with those that were recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Addresses that were returned and recorded (`mmap`, `brk`), and how many the model returned too.
    pub addresses: Count,
    /// Of these, `MAP_32BIT` requests that began at a random place, which was taken from the record itself.
    pub random_begin: u32,
    /// Errors that were recorded.
    pub errors: Count,
    /// Other results that were recorded: calls that succeeded without an address.
    pub others: Count,
    /// Where they differ, in order.
    pub differences: Vec<Difference>,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Equal ones.
    pub equal: u32,
    /// All that were compared.
    pub compared: u32,
}

impl Count {
    fn note(&mut self, equal: bool) {
        self.compared += 1;
        self.equal += u32::from(equal);
    }
}

impl Agreement {
    /// Whether nothing differs.
    pub fn is_complete(&self) -> bool {
        self.differences.is_empty()
    }
}

/// A call whose result differs from the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Calls done with it, as in [`Position::step`].
    pub step: u32,
    /// The line it was written in, counted from 1.
    pub line: u32,
    /// The call as strace would print it.
    pub call: String,
    /// What was recorded.
    pub recorded: Outcome,
    /// What the model returned.
    pub model: Outcome,
    /// The decision that made the model's result.
    pub deciding: Option<Event>,
}

/// Runs a lane to its end and compares each result with its record.
pub fn agreement(timeline: &mut Timeline, lane: usize) -> Agreement {
    let place = timeline.position();
    while timeline.progress().done < timeline.step_count() {
        timeline.survey(u32::MAX);
    }
    let mut agreement = Agreement::default();
    for index in 0..timeline.step_count() {
        let Some(step) = timeline.step(index) else {
            break;
        };
        let (Some(recorded), Some(summary)) = (step.recorded, timeline.summary(lane, index + 1))
        else {
            continue;
        };
        let model = summary.outcome;
        let equal = recorded == model;
        match recorded {
            Outcome::Address(_) => {
                agreement.addresses.note(equal);
                agreement.random_begin += u32::from(began_at_random(&step.call));
            }
            Outcome::Error(_) => agreement.errors.note(equal),
            _ => agreement.others.note(equal),
        }
        if !equal {
            let deciding = deciding(timeline, lane, index + 1);
            let (step, line, call) = (index + 1, step.line, step.text);
            agreement.differences.push(Difference {
                step,
                line,
                call,
                recorded,
                model,
                deciding,
            });
        }
    }
    timeline.go(place);
    agreement
}

/// The kernel of the newest release that returns all addresses that were recorded, or else most of them; `None` if the
/// scenario runs on none.
pub fn recorded_on(scenario: &Scenario) -> Option<Kernel> {
    let mut best = None;
    for release in Release::ALL.iter().rev() {
        let kernel = Kernel::new(release);
        let alone = Scenario {
            kernels: vec![kernel],
            ..scenario.clone()
        };
        let Ok(mut timeline) = Timeline::new(alone) else {
            continue;
        };
        let count = agreement(&mut timeline, 0).addresses;
        if best.is_none_or(|(equal, _)| count.equal > equal) {
            best = Some((count.equal, kernel));
        }
        if count.equal == count.compared {
            break;
        }
    }
    best.map(|(_, kernel)| kernel)
}

fn began_at_random(call: &Call) -> bool {
    match call {
        Call::Mmap(mmap) => mmap.flags.contains(MapFlags::BIT32) && mmap.begin_32bit.is_some(),
        _ => false,
    }
}

/// The last decision about the place, or the refusal.
fn deciding(timeline: &mut Timeline, lane: usize, step: u32) -> Option<Event> {
    timeline.go(Position { step, micro: None });
    let frame = timeline.frame();
    let events = &frame.lanes.get(lane)?.events;
    let decides = |event: &&Event| {
        matches!(
            event,
            Event::Placed { .. }
                | Event::Aligned { .. }
                | Event::Refused { .. }
                | Event::Break { .. }
        )
    };
    events.iter().rfind(decides).or(events.last()).copied()
}
