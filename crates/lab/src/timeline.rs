//! One to three kernels running one program, on one playhead.

mod changes;
mod lane;
mod pieces;
mod rows;
mod tally;
pub(crate) mod watch;

use std::fmt;
use std::rc::Rc;

use mmscope_mm::{Call, Kernel, Machine, MapFlags, Outcome, Range, StartError};

use crate::frame::{Frame, LaneFrame, Ledger, Position};
use crate::program::Flat;
use crate::scenario::{MAX_LANES, Scenario};
use crate::text::call_text;
use crate::watcher;
use lane::Lane;

/// A step of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line of the text it was written in, counted from 1; 0 if it was not read from a text.
    pub line: u32,
    /// The call as strace would print it, without a result.
    pub text: String,
    /// What was recorded as its result.
    pub recorded: Option<Outcome>,
    /// The call; its address is a distance if `relative_to` is set.
    pub call: Call,
    /// The name of the earlier result that its address counts from.
    pub relative_to: Option<String>,
}

/// What one step did in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSummary {
    /// Its result.
    pub outcome: Outcome,
    /// The ledger after it.
    pub ledger: Ledger,
    /// Merges it did.
    pub merges: u32,
    /// Mappings it cut in two.
    pub splits: u32,
    /// New mappings it made.
    pub new_vmas: u32,
    /// Runs of page faults it raised.
    pub faults: u32,
    /// Whether it failed.
    pub error: bool,
}

/// How far the survey is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps that all lanes have a summary of.
    pub done: u32,
    /// Steps of the program.
    pub of: u32,
}

/// Why a timeline could not be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneError {
    /// There must be one to three lanes.
    Count,
    /// There is no such lane.
    NoSuchLane,
    /// The start is not one that a process can have.
    Start {
        /// In which lane, counted from 0.
        lane: u32,
        /// Why.
        error: StartError,
    },
}

impl fmt::Display for LaneError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for LaneError {}

/// One to three lanes on one playhead.
///
/// Each lane has a front, which has seen every step up to it and wrote a summary of each, and a playhead, which goes
/// anywhere behind the front.
#[derive(Clone, Debug)]
pub struct Timeline {
    scenario: Scenario,
    flat: Rc<Flat>,
    lanes: Vec<Lane>,
    position: Position,
    /// Steps in which the lanes were compared.
    compared: u32,
    divergence: Option<u32>,
}

impl Timeline {
    /// Sets the lanes up at the start.
    ///
    /// # Errors
    /// If the scenario has no lane or too many, or its start is not one that a process can have.
    pub fn new(scenario: Scenario) -> Result<Timeline, LaneError> {
        let count = scenario.kernels.len();
        if count == 0 || count > MAX_LANES as usize {
            return Err(LaneError::Count);
        }
        let flat = Rc::new(Flat::new(&scenario.program));
        let lanes: Result<Vec<Lane>, LaneError> = (0..)
            .zip(&scenario.kernels)
            .map(|(lane, kernel)| open(&scenario, &flat, *kernel, lane))
            .collect();
        let position = Position {
            step: 0,
            micro: None,
        };
        let lanes = lanes?;
        Ok(Timeline {
            scenario,
            flat,
            lanes,
            position,
            compared: 0,
            divergence: None,
        })
    }

    /// The scenario, with the kernels as they are picked now.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Steps of the program.
    pub fn step_count(&self) -> u32 {
        self.flat.len()
    }

    /// The step that leads from `index` to `index + 1` calls done.
    pub fn step(&self, index: u32) -> Option<Step> {
        if index >= self.flat.len() {
            return None;
        }
        let line = self.flat.call(index);
        Some(Step {
            line: line.line.0,
            text: call_text(line, &self.scenario.files),
            recorded: line.recorded,
            call: line.call,
            relative_to: line.relative_to.clone(),
        })
    }

    /// The call of a step as a lane makes it, with names replaced by its own results; `None` where the lane's front
    /// has not come to what the name stands for.
    pub fn call_in_lane(&self, lane: usize, index: u32) -> Option<Call> {
        (index < self.flat.len()).then_some(())?;
        self.lanes.get(lane)?.resolved(index)
    }

    /// What the mmaps among the first `done` calls returned in a lane, with their step, counted from 1 as in [`Position::step`], and
    /// the length that was asked for: all, or those whose results go by a name. Only as far as the lane's front has come.
    pub fn mapped_in_lane(&self, lane: usize, done: u32, name: Option<&str>) -> Vec<(u32, Range)> {
        let Some(lane) = self.lanes.get(lane) else {
            return Vec::new();
        };
        (1..=done.min(self.flat.len()))
            .filter_map(|step| {
                let line = self.flat.call(step - 1);
                let Call::Mmap(mmap) = line.call else {
                    return None;
                };
                let wanted = name.is_none_or(|name| line.name.as_deref() == Some(name));
                match lane.summary(step)?.outcome {
                    Outcome::Address(start) if wanted => Some((
                        step,
                        Range {
                            start,
                            end: start.saturating_add(mmap.len),
                        },
                    )),
                    _ => None,
                }
            })
            .collect()
    }

    /// How many lanes there are.
    pub fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// Where the playhead is.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Goes to a place; past the end means the end, and more decisions than a call has mean all of them.
    pub fn go(&mut self, to: Position) {
        let step = to.step.min(self.flat.len());
        for lane in &mut self.lanes {
            lane.go(step);
        }
        self.compare();
        let most = self.micro_steps();
        let micro = to.micro.filter(|micro| step > 0 && *micro < most);
        for lane in &mut self.lanes {
            lane.show(micro);
        }
        self.position = Position { step, micro };
    }

    /// The next call done, or the rest of the call whose decisions are shown.
    pub fn step_forward(&mut self) {
        let Position { step, micro } = self.position;
        let step = if micro.is_some() { step } else { step + 1 };
        self.go(Position { step, micro: None });
    }

    /// Before the call that is shown, all of it or some.
    pub fn step_back(&mut self) {
        let step = self.position.step.saturating_sub(1);
        self.go(Position { step, micro: None });
    }

    /// The next decision; from the end of a call the first decision of the next one.
    pub fn micro_forward(&mut self) {
        let Position { step, micro } = self.position;
        match micro {
            Some(micro) => self.go(Position {
                step,
                micro: Some(micro + 1),
            }),
            None if step < self.flat.len() => self.go(Position {
                step: step + 1,
                micro: Some(1),
            }),
            None => {}
        }
    }

    /// The decision before; from the first one the end of the call before.
    pub fn micro_back(&mut self) {
        let Position { step, micro } = self.position;
        let shown = micro.unwrap_or(self.micro_steps());
        match shown {
            0 | 1 => self.go(Position {
                step: step.saturating_sub(1),
                micro: None,
            }),
            more => self.go(Position {
                step,
                micro: Some(more - 1),
            }),
        }
    }

    /// The start.
    pub fn first(&mut self) {
        self.go(Position {
            step: 0,
            micro: None,
        });
    }

    /// The end.
    pub fn last(&mut self) {
        self.go(Position {
            step: self.flat.len(),
            micro: None,
        });
    }

    /// Decisions of the call shown, in the lane that has most.
    pub fn micro_steps(&self) -> u32 {
        self.lanes.iter().map(Lane::micro_steps).max().unwrap_or(0)
    }

    /// Runs the fronts ahead by at most so many calls, lanes counted together.
    pub fn survey(&mut self, calls: u32) -> Progress {
        let of = self.flat.len();
        for _ in 0..calls {
            let Some(slowest) = self.lanes.iter_mut().min_by_key(|lane| lane.front()) else {
                break;
            };
            if slowest.front() >= of {
                break;
            }
            slowest.advance();
        }
        self.compare();
        self.progress()
    }

    /// How far the survey is.
    pub fn progress(&self) -> Progress {
        let done = self.lanes.iter().map(Lane::front).min().unwrap_or(0);
        Progress {
            done,
            of: self.flat.len(),
        }
    }

    /// What a lane's step `step` did, counted from 1 as in [`Position::step`]; `None` where the survey has not been.
    pub fn summary(&self, lane: usize, step: u32) -> Option<StepSummary> {
        self.lanes.get(lane)?.summary(step)
    }

    /// What a lane has cost after so many calls; `None` where the survey has not been.
    pub fn ledger(&self, lane: usize, step: u32) -> Option<Ledger> {
        let lane = self.lanes.get(lane)?;
        match step {
            0 => Some(lane.at_start()),
            _ => Some(lane.summary(step)?.ledger),
        }
    }

    /// The first step at which the lanes' results or layouts differ, as far as the survey has come.
    pub fn divergence(&self) -> Option<u32> {
        self.divergence
    }

    /// Gives a lane another kernel. The place stays, and so does the scenario's program.
    ///
    /// # Errors
    /// If there is no such lane; nothing changes then.
    pub fn set_kernel(&mut self, lane: usize, kernel: Kernel) -> Result<(), LaneError> {
        if lane >= self.lanes.len() {
            return Err(LaneError::NoSuchLane);
        }
        self.lanes[lane] = open(&self.scenario, &self.flat, kernel, lane as u32)?;
        self.scenario.kernels[lane] = kernel;
        self.compare_again();
        Ok(())
    }

    /// Adds a lane behind the others.
    ///
    /// # Errors
    /// If there are three already; nothing changes then.
    pub fn add_lane(&mut self, kernel: Kernel) -> Result<(), LaneError> {
        let lane = self.lanes.len() as u32;
        if lane >= MAX_LANES {
            return Err(LaneError::Count);
        }
        self.lanes
            .push(open(&self.scenario, &self.flat, kernel, lane)?);
        self.scenario.kernels.push(kernel);
        self.compare_again();
        Ok(())
    }

    /// Takes a lane away.
    ///
    /// # Errors
    /// If there is no such lane, or no other; nothing changes then.
    pub fn remove_lane(&mut self, lane: usize) -> Result<(), LaneError> {
        if lane >= self.lanes.len() {
            return Err(LaneError::NoSuchLane);
        }
        if self.lanes.len() == 1 {
            return Err(LaneError::Count);
        }
        self.lanes.remove(lane);
        self.scenario.kernels.remove(lane);
        self.compare_again();
        Ok(())
    }

    /// Everything a view needs to draw this place.
    pub fn frame(&self) -> Frame<'_> {
        let step = self.position.step;
        let call = step.checked_sub(1).and_then(|index| self.step(index));
        let recorded = call.as_ref().and_then(|call| call.recorded);
        let lanes = ('A'..)
            .zip(&self.lanes)
            .map(|(letter, lane)| lane.frame(letter, recorded))
            .collect();
        Frame {
            position: self.position,
            steps: self.flat.len(),
            call: call.map(|call| call.text),
            lanes,
            divergence: self.divergence,
        }
    }

    fn compare_again(&mut self) {
        self.compared = 0;
        self.divergence = None;
        self.go(self.position);
    }

    /// Looks for the first divergence in what all fronts have passed.
    fn compare(&mut self) {
        let done = self.progress().done;
        while self.divergence.is_none() && self.compared < done {
            self.compared += 1;
            let mut traces = self.lanes.iter().map(|lane| lane.trace(self.compared));
            let first = traces.next();
            if traces.any(|trace| Some(trace) != first) {
                self.divergence = Some(self.compared);
            }
        }
    }
}

fn open(
    scenario: &Scenario,
    flat: &Rc<Flat>,
    kernel: Kernel,
    lane: u32,
) -> Result<Lane, LaneError> {
    Lane::new(scenario, Rc::clone(flat), kernel).map_err(|error| LaneError::Start { lane, error })
}

impl LaneFrame<'_> {
    /// What the call of this frame comes to under a kernel, from the state that it found here, and the machine after
    /// it. Pages that `MAP_POPULATE` would touch are left out. `None` at the start.
    pub fn under(&self, kernel: Kernel) -> Option<(Outcome, Machine)> {
        let mut call = self.done?;
        if let Call::Mmap(mmap) = &mut call {
            mmap.flags.remove(MapFlags::POPULATE);
        }
        let mut machine = self.before.clone();
        machine.set_kernel(kernel);
        let outcome = watcher::run(&mut machine, &call);
        Some((outcome, machine))
    }

    /// The pieces of a part of the address space, lowest first: at most `at_most` of them, and no byte left out.
    /// Neighbours too small to be told apart at this scale are one piece that counts them.
    pub fn range(&self, within: mmscope_mm::Range, at_most: usize) -> Vec<crate::frame::Piece> {
        pieces::pieces(self.machine, within, at_most)
    }
}
