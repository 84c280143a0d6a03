//! The shown step, taken out of the frame once and shared by all panes.

use mmscope_figure::ledger::{self, LedgerTable};
use mmscope_figure::{Why, say, why};
use mmscope_lab::{Frame, Position};
use mmscope_mm::Kernel;

/// A step of all lanes.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) position: Position,
    /// Calls in the program.
    pub(crate) steps: u32,
    /// The call that led here.
    pub(crate) call: Option<String>,
    pub(crate) divergence: Option<u32>,
    /// What to say when this step is reached.
    pub(crate) spoken: String,
    pub(crate) lanes: Vec<ShownLane>,
    /// What the lanes have cost so far.
    pub(crate) ledger: LedgerTable,
}

/// A lane of it.
#[derive(Clone, Debug)]
pub(crate) struct ShownLane {
    pub(crate) letter: char,
    pub(crate) kernel: Kernel,
    /// What the call returned; empty before its end.
    pub(crate) result: String,
    pub(crate) why: Why,
    pub(crate) micro_steps: u32,
    pub(crate) state_hash: u64,
}

impl Shown {
    pub(crate) fn new(frame: &Frame<'_>) -> Shown {
        Shown {
            position: frame.position,
            steps: frame.steps,
            call: frame.call.clone(),
            divergence: frame.divergence,
            spoken: say::spoken(frame),
            ledger: ledger::table(frame),
            lanes: frame
                .lanes
                .iter()
                .enumerate()
                .filter_map(|(index, lane)| {
                    Some(ShownLane {
                        letter: lane.letter,
                        kernel: lane.kernel,
                        result: lane.outcome.map(say::outcome::value).unwrap_or_default(),
                        why: why(frame, index)?,
                        micro_steps: lane.micro_steps,
                        state_hash: lane.state_hash,
                    })
                })
                .collect(),
        }
    }

    /// Decisions of the call in the lane that makes most of them.
    pub(crate) fn micro_steps(&self) -> u32 {
        self.lanes
            .iter()
            .map(|lane| lane.micro_steps)
            .max()
            .unwrap_or(0)
    }
}
