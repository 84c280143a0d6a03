//! One kernel running the program.

use std::collections::VecDeque;
use std::rc::Rc;

use mmscope_mm::{
    Call, Change as KernelChange, Entry, Event, Journal, Kernel, Machine, Nodes, Outcome,
    StartError,
};

use super::StepSummary;
use super::changes::changes;
use super::rows::{Row, Rows};
use super::tally::Tally;
use crate::frame::{Change, LaneFrame, Ledger};
use crate::program::{Flat, MAP_FAILED, UNDEFINED, counted_from, target_counted_from};
use crate::scenario::Scenario;
use crate::watcher;

/// Checkpoints kept; when there are more, every second one goes and the distance doubles.
const MOST_CHECKPOINTS: usize = 64;
/// Calls between the first checkpoints.
const FIRST_DISTANCE: u32 = 16;
/// After a far jump the last calls are told again, so that a few steps back are quick.
const TOLD_AFTER_JUMP: u32 = 24;
/// Journals kept for going back.
const MOST_TOLD: usize = 64;
/// Entries that the journals may hold together; the last journal stays whatever it holds.
const MOST_ENTRIES: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Lane {
    kernel: Kernel,
    flat: Rc<Flat>,
    /// The machine at some steps, the start among them, in order.
    checkpoints: Vec<(u32, Machine)>,
    distance: u32,
    front: Front,
    start: Ledger,
    /// Calls done at the playhead.
    step: u32,
    /// The machine after them.
    machine: Machine,
    /// The machine before the last of them.
    before: Machine,
    /// What the last calls did, the last one always among them.
    told: VecDeque<Journal>,
    entries: usize,
    /// Decisions of the last call shown, if not all.
    micro: Option<u32>,
    /// The machine as it stood after them.
    half_way: Option<Machine>,
    changes: Vec<Change>,
}

/// The part of a lane that runs ahead.
#[derive(Clone, Debug)]
struct Front {
    step: u32,
    machine: Machine,
    tally: Tally,
    errors: u32,
    rows: Rows,
}

impl Lane {
    pub(super) fn new(
        scenario: &Scenario,
        flat: Rc<Flat>,
        kernel: Kernel,
    ) -> Result<Lane, StartError> {
        let machine = watcher::set_up(scenario, kernel)?;
        let tally = Tally::new(&machine);
        let start = Ledger {
            vmas: machine.process().map_count,
            mapped_bytes: tally.mapped_bytes(),
            gaps: tally.gaps(),
            gap_bytes: tally.gap_bytes(),
            errors: 0,
            nodes: nodes(&machine),
        };
        let front = Front {
            step: 0,
            machine: machine.clone(),
            tally,
            errors: 0,
            rows: Rows::default(),
        };
        Ok(Lane {
            kernel,
            flat,
            checkpoints: vec![(0, machine.clone())],
            distance: FIRST_DISTANCE,
            front,
            start,
            step: 0,
            before: machine.clone(),
            machine,
            told: VecDeque::new(),
            entries: 0,
            micro: None,
            half_way: None,
            changes: Vec::new(),
        })
    }

    /// Steps that have a summary.
    pub(super) fn front(&self) -> u32 {
        self.front.step
    }

    /// Runs the front one call on.
    pub(super) fn advance(&mut self) {
        let Some(call) = self.resolved(self.front.step) else {
            return;
        };
        let front = &mut self.front;
        let (outcome, watch) = watcher::survey(&mut front.machine, &call);
        front.tally.update(&front.machine, watch.hull);
        front.step += 1;
        front.errors += u32::from(is_error(outcome));
        front.rows.push(Row {
            outcome,
            mapped_bytes: front.tally.mapped_bytes(),
            gap_bytes: front.tally.gap_bytes(),
            vmas: small(front.machine.process().map_count),
            gaps: small(front.tally.gaps()),
            errors: front.errors,
            merges: smaller(watch.merges),
            splits: smaller(watch.splits),
            new_vmas: smaller(watch.new_vmas),
            faults: smaller(watch.faults),
            nodes: nodes(&front.machine)
                .map(|nodes| [nodes.asked, nodes.used, nodes.returned, nodes.freed].map(small)),
        });
        if front.step.is_multiple_of(self.distance) {
            self.checkpoints.push((front.step, front.machine.clone()));
            if self.checkpoints.len() > MOST_CHECKPOINTS {
                self.distance *= 2;
                let distance = self.distance;
                self.checkpoints
                    .retain(|(step, _)| step.is_multiple_of(distance));
            }
        }
    }

    /// The call of step `index` with its name replaced by this lane's result.
    pub(super) fn resolved(&self, index: u32) -> Option<Call> {
        let line = self.flat.call(index);
        let mut call = line.call;
        if line.relative_to.is_some() {
            call = counted_from(call, self.returned(self.flat.definition(index))?);
        }
        if line.new_relative_to.is_some() {
            call = target_counted_from(call, self.returned(self.flat.target(index))?);
        }
        Some(call)
    }

    /// The address that a step returned in this lane; `None` if the front has not come to it.
    fn returned(&self, step: Option<u32>) -> Option<u64> {
        let outcome = match step.filter(|step| *step != UNDEFINED) {
            Some(step) => self.front.rows.get(step)?.outcome,
            None => Outcome::Done,
        };
        Some(outcome.address().unwrap_or(MAP_FAILED))
    }

    pub(super) fn summary(&self, step: u32) -> Option<StepSummary> {
        let row = self.front.rows.get(step.checked_sub(1)?)?;
        Some(StepSummary {
            outcome: row.outcome,
            ledger: row.ledger(),
            merges: u32::from(row.merges),
            splits: u32::from(row.splits),
            new_vmas: u32::from(row.new_vmas),
            faults: u32::from(row.faults),
            error: is_error(row.outcome),
        })
    }

    /// The ledger before the first call.
    pub(super) fn at_start(&self) -> Ledger {
        self.start
    }

    /// What lanes are compared by.
    pub(super) fn trace(&self, step: u32) -> Option<(Outcome, u32, u32, u64)> {
        let row = self.front.rows.get(step.checked_sub(1)?)?;
        Some((row.outcome, row.vmas, row.gaps, row.gap_bytes))
    }

    /// Decisions of the call shown.
    pub(super) fn micro_steps(&self) -> u32 {
        self.told
            .back()
            .map_or(0, |journal| journal.events().count() as u32)
    }

    /// Moves the playhead to so many calls done.
    pub(super) fn go(&mut self, to: u32) {
        while self.front.step < to {
            self.advance();
        }
        if to == self.step {
            return;
        }
        self.micro = None;
        self.half_way = None;
        if to < self.step && (self.step - to) < self.told.len() as u32 {
            while self.step > to {
                self.undo_last();
            }
            self.look_back();
        } else {
            self.jump(to);
        }
        self.note_changes();
    }

    /// Takes back the last call by its journal.
    fn undo_last(&mut self) {
        if let Some(journal) = self.told.pop_back() {
            self.entries -= journal.entries().len();
            undo(&mut self.machine, journal.entries());
            self.step -= 1;
        }
    }

    /// Makes the machine before the last call out of the one after it.
    fn look_back(&mut self) {
        self.before = self.machine.clone();
        if let Some(journal) = self.told.back() {
            undo(&mut self.before, journal.entries());
        }
    }

    /// Replays from the nearest checkpoint, or from here if that is nearer.
    fn jump(&mut self, to: u32) {
        let near = to > self.step && to - self.step <= TOLD_AFTER_JUMP;
        let told_from = if near {
            self.step
        } else {
            to.saturating_sub(TOLD_AFTER_JUMP)
        };
        let before = |(step, _): &&(u32, Machine)| *step <= told_from;
        let Some((checkpoint, machine)) = self.checkpoints.iter().rfind(before) else {
            return;
        };
        let checkpoint = *checkpoint;
        if self.step > told_from || self.step < checkpoint {
            self.machine = machine.clone();
            self.step = checkpoint;
            self.told.clear();
            self.entries = 0;
        }
        while self.step < to {
            let Some(call) = self.resolved(self.step) else {
                return;
            };
            if self.step < told_from {
                watcher::run(&mut self.machine, &call);
                self.told.clear();
                self.entries = 0;
            } else {
                self.before = self.machine.clone();
                let journal = watcher::tell(&mut self.machine, &call);
                self.remember(journal);
            }
            self.step += 1;
        }
        if to == 0 {
            self.before = self.machine.clone();
        }
    }

    fn remember(&mut self, journal: Journal) {
        self.entries += journal.entries().len();
        self.told.push_back(journal);
        while self.told.len() > MOST_TOLD || self.entries > MOST_ENTRIES && self.told.len() > 1 {
            if let Some(oldest) = self.told.pop_front() {
                self.entries -= oldest.entries().len();
            }
        }
    }

    /// Shows only the first decisions of the last call, or all of them.
    pub(super) fn show(&mut self, micro: Option<u32>) {
        let micro = micro.filter(|micro| *micro < self.micro_steps());
        if self.micro == micro {
            return;
        }
        self.micro = micro;
        self.half_way = match (micro, self.told.back()) {
            (Some(micro), Some(journal)) => {
                let mut machine = self.machine.clone();
                undo(&mut machine, &journal.entries()[shown(journal, micro)..]);
                Some(machine)
            }
            _ => None,
        };
        self.note_changes();
    }

    fn note_changes(&mut self) {
        let Some(journal) = self.told.back() else {
            self.changes.clear();
            return;
        };
        let after = self.half_way.as_ref().unwrap_or(&self.machine);
        let until = self
            .micro
            .map_or(journal.entries().len(), |micro| shown(journal, micro));
        self.changes = changes(&self.before, after, &journal.entries()[..until]);
    }

    pub(super) fn frame(&self, letter: char, recorded: Option<Outcome>) -> LaneFrame<'_> {
        let machine = self.half_way.as_ref().unwrap_or(&self.machine);
        let events = self.told.back().map_or(Vec::new(), |journal| {
            let events = journal.events().map(|(_, event)| *event);
            match self.micro {
                Some(micro) => events.take(micro as usize).collect(),
                None => events.collect::<Vec<Event>>(),
            }
        });
        let done = if self.micro.is_some() {
            self.step - 1
        } else {
            self.step
        };
        let summary = self.summary(done);
        LaneFrame {
            letter,
            kernel: self.kernel,
            machine,
            before: &self.before,
            done: self
                .step
                .checked_sub(1)
                .and_then(|last| self.resolved(last)),
            outcome: summary
                .filter(|_| self.micro.is_none())
                .map(|summary| summary.outcome),
            recorded,
            events,
            micro_steps: self.micro_steps(),
            changes: self.changes.clone(),
            ledger: Ledger {
                nodes: nodes(machine),
                ..summary.map_or(self.start, |summary| summary.ledger)
            },
            ledger_at_start: self.start,
            state_hash: machine.state_hash(),
        }
    }
}

/// The nodes of the process so far.
fn nodes(machine: &Machine) -> Option<Nodes> {
    let has = machine.kernel().has(KernelChange::MapleTree);
    has.then(|| machine.process().nodes)
}

/// Entries up to and with the `micro`-th decision.
fn shown(journal: &Journal, micro: u32) -> usize {
    match micro.checked_sub(1) {
        None => 0,
        Some(last) => journal
            .events()
            .nth(last as usize)
            .map_or(journal.entries().len(), |(at, _)| at + 1),
    }
}

fn undo(machine: &mut Machine, entries: &[Entry]) {
    for entry in entries.iter().rev() {
        if let Entry::Write(write) = entry {
            machine.undo(write.clone());
        }
    }
}

fn is_error(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Error(_) | Outcome::Signal { .. })
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn smaller(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
