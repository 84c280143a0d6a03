//! Rounds that repeat themselves.
//!
//! Streams that walk in step use the same pages for many rounds, until one of them comes to a page's end. A TLB is a
//! finite machine: once its state after a round is one that it had before, the rounds between follow in the same way for as long
//! as the pages stay the same, and may be counted instead of gone through. Nothing is estimated: states are compared
//! word for word, and where they never repeat (random replacement), every round is gone through.

use crate::counts::{Counts, SetCounts};
use crate::event::StructureId;
use crate::geometry::Level;
use crate::page::Key;
use crate::simulator::Tlb;

/// A shorter stretch is not worth the comparison.
const WORTH: u64 = 12;

/// A state with more words is not worth it either.
const MOST_WORDS: usize = 1 << 13;

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
        let mut touched = Vec::new();
        let mut distinct = keys.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
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

    fn state_of(&self, tlb: &Tlb, into: &mut Vec<u64>) {
        into.clear();
        for &(id, set) in &self.touched {
            tlb.structure(id).state(set, into);
        }
        tlb.behind.walk_caches.state(into);
    }

    fn remember(&mut self, tlb: &Tlb, state: &[u64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.sets.clear();
        let sets = self.touched.iter();
        self.sets
            .extend(sets.map(|&(id, set)| tlb.structure(id).counts(set)));
        self.caches = tlb.behind.walk_caches.counts();
        self.counts = tlb.behind.counts;
    }

    /// Lets all that happened since the memory happen a number of times more.
    fn again(&self, tlb: &mut Tlb, times: u64) {
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
pub(crate) fn rounds(tlb: &mut Tlb, keys: &[Key], rounds: u64) {
    let mut left = rounds;
    if left >= WORTH {
        let mut memory = Memory::new(tlb, keys);
        let mut state = Vec::new();
        memory.state_of(tlb, &mut state);
        if state.len() <= MOST_WORDS {
            left = search(tlb, keys, left, &mut memory, state);
        }
    }
    for _ in 0..left {
        tlb.round(keys);
    }
}

/// Brent's search for a cycle: remembers the state after 0, 2, 4, 8, … rounds more, and compares each later one with it.
/// Returns how many rounds are left to go through.
fn search(
    tlb: &mut Tlb,
    keys: &[Key],
    rounds: u64,
    memory: &mut Memory,
    mut state: Vec<u64>,
) -> u64 {
    let (mut left, mut power, mut since) = (rounds, 2, 0);
    memory.remember(tlb, &state);
    while left > 0 {
        tlb.round(keys);
        left -= 1;
        since += 1;
        memory.state_of(tlb, &mut state);
        if state == memory.state {
            memory.again(tlb, left / since);
            return left % since;
        }
        if since == power {
            memory.remember(tlb, &state);
            (power, since) = (2 * power, 0);
        }
        // A longer cycle than this would save little.
        if power > rounds.min(64) {
            break;
        }
    }
    left
}

/// The levels in the order that touched sets are sorted in.
const _: () = assert!((Level::First as u8) < Level::Second as u8);
