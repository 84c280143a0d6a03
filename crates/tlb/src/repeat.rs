//! Rounds that repeat themselves.
//!
//! Streams that walk in step use the same pages for many rounds, until one of them comes to a page's end. A TLB is a
//! finite machine: once its state after a round is one that it had before, the rounds between follow in the same way for as long
//! as the pages stay the same, and may be counted instead of gone through. Nothing is estimated: states are compared
//! word for word, and where they never repeat (random replacement), every round is gone through.

use crate::counts::{Counts, SetCounts};
use crate::event::StructureId;
use crate::page::Key;
use crate::shares::{Counted, Shares};
use crate::simulator::Tlb;

/// A shorter stretch is not worth the comparison.
const WORTH: u64 = 12;

/// A state with more words is not worth it either.
const MOST_WORDS: usize = 1 << 13;

/// A longer cycle than this would save little.
const LONGEST: u64 = 64;

/// What runs: the TLB alone, or with counts by stream.
pub(crate) trait Rounds {
    /// Runs the keys of a round.
    fn round(&mut self, keys: &[Key]);
    fn tlb(&mut self) -> &mut Tlb;
    /// Everything beside the TLB that its future depends on.
    fn state(&self, touched: &[(StructureId, u32)], into: &mut Vec<u64>);
    /// Everything beside the TLB that grows.
    fn remember(&mut self);
    /// Lets it grow by what came since, a number of times more.
    fn again(&mut self, times: u64);
}

/// No more than the TLB.
pub(crate) struct Alone<'a>(pub(crate) &'a mut Tlb);

impl Rounds for Alone<'_> {
    fn round(&mut self, keys: &[Key]) {
        self.0.round(keys);
    }

    fn tlb(&mut self) -> &mut Tlb {
        self.0
    }

    fn state(&self, _: &[(StructureId, u32)], _: &mut Vec<u64>) {}

    fn remember(&mut self) {}

    fn again(&mut self, _: u64) {}
}

/// Counts by stream: which stream each key of the round belongs to.
pub(crate) struct Shared<'a> {
    pub(crate) tlb: &'a mut Tlb,
    pub(crate) shares: &'a mut Shares,
    pub(crate) streams: &'a [u32],
    pub(crate) then: Option<Counted>,
}

impl Rounds for Shared<'_> {
    fn round(&mut self, keys: &[Key]) {
        self.tlb.round_shared(keys, self.streams, self.shares);
    }

    fn tlb(&mut self) -> &mut Tlb {
        self.tlb
    }

    fn state(&self, touched: &[(StructureId, u32)], into: &mut Vec<u64>) {
        self.shares.state(touched, into);
    }

    fn remember(&mut self) {
        self.then = Some(self.shares.counted());
    }

    fn again(&mut self, times: u64) {
        if let Some(then) = &self.then {
            self.shares.again(then, times);
        }
    }
}

/// What a run of the same keys can change, and how it was at one time.
struct Memory {
    touched: Vec<(StructureId, u32)>,
    state: Vec<u64>,
    sets: Vec<SetCounts>,
    caches: [SetCounts; 3],
    counts: Counts,
}

impl Memory {
    fn new(tlb: &Tlb, keys: &[Key]) -> Self {
        let mut distinct = keys.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut touched = Vec::new();
        for structures in [&tlb.first, &tlb.behind.second] {
            for key in &distinct {
                for &at in &structures.eligible[key.size().rank()] {
                    let id = StructureId {
                        level: structures.level,
                        at: u32::from(at),
                    };
                    touched.push((id, structures.list[usize::from(at)].set(*key)));
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        Self {
            touched,
            state: Vec::new(),
            sets: Vec::new(),
            caches: Default::default(),
            counts: Counts::default(),
        }
    }

    fn state_of(&self, runs: &mut impl Rounds, into: &mut Vec<u64>) {
        into.clear();
        let tlb = runs.tlb();
        for &(id, set) in &self.touched {
            tlb.structure(id).state(set, into);
        }
        tlb.behind.walk_caches.state(into);
        runs.state(&self.touched, into);
    }

    fn remember(&mut self, runs: &mut impl Rounds, state: &[u64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        runs.remember();
        let tlb = runs.tlb();
        self.sets.clear();
        let sets = self.touched.iter();
        self.sets
            .extend(sets.map(|&(id, set)| tlb.structure(id).counts(set)));
        self.caches = tlb.behind.walk_caches.counts();
        self.counts = tlb.behind.counts;
    }

    /// Lets all that happened since the memory happen a number of times more.
    fn again(&self, runs: &mut impl Rounds, times: u64) {
        runs.again(times);
        let tlb = runs.tlb();
        for (&(id, set), before) in self.touched.iter().zip(&self.sets) {
            let structure = tlb.structure_mut(id);
            let more = structure.counts(set) - *before;
            structure.again(set, more, times);
        }
        let now = tlb.behind.walk_caches.counts();
        let more = std::array::from_fn(|level| now[level] - self.caches[level]);
        tlb.behind.walk_caches.again(more, times);
        let more = tlb.behind.counts - self.counts;
        tlb.behind.counts.add(more, times);
    }
}

/// Goes through the same keys a number of rounds.
pub(crate) fn rounds(runs: &mut impl Rounds, keys: &[Key], rounds: u64) {
    let mut left = rounds;
    if left >= WORTH {
        let mut memory = Memory::new(runs.tlb(), keys);
        let mut state = Vec::new();
        memory.state_of(runs, &mut state);
        if state.len() <= MOST_WORDS {
            left = search(runs, keys, left, &mut memory, state);
        }
    }
    for _ in 0..left {
        runs.round(keys);
    }
}

/// Brent's search for a cycle: remembers the state after 0, 2, 6, 14, … rounds, and compares each later one with it.
/// Returns how many rounds are left to go through.
fn search(
    runs: &mut impl Rounds,
    keys: &[Key],
    rounds: u64,
    memory: &mut Memory,
    mut state: Vec<u64>,
) -> u64 {
    let (mut left, mut power, mut since) = (rounds, 2, 0);
    memory.remember(runs, &state);
    while left > 0 && power <= LONGEST {
        runs.round(keys);
        left -= 1;
        since += 1;
        memory.state_of(runs, &mut state);
        if state == memory.state {
            memory.again(runs, left / since);
            return left % since;
        }
        if since == power {
            memory.remember(runs, &state);
            (power, since) = (2 * power, 0);
        }
    }
    left
}
