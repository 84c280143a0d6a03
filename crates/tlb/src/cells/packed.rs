//! Sets of at most 16 ways: tags, the policy's state and counts of a set side by side.

use std::marker::PhantomData;

use super::Entries;
use crate::counts::SetCounts;
use crate::page::Key;
use crate::policy::Policy;

/// A set. Ways beyond those of the structure are there too, and never used.
#[derive(Debug, Clone)]
struct Set<const W: usize> {
    tags: [u64; W],
    state: u64,
    counts: SetCounts,
}

/// All sets of a structure with at most `W` ways.
#[derive(Debug, Clone)]
pub(crate) struct Packed<P, const W: usize> {
    sets: Vec<Set<W>>,
    ways: u32,
    random: u64,
    policy: PhantomData<P>,
}

impl<P: Policy, const W: usize> Packed<P, W> {
    pub(super) fn new(sets: u32, ways: u32, seed: u64) -> Self {
        let empty = Set {
            tags: [Key::NONE; W],
            state: P::initial(ways),
            counts: SetCounts::default(),
        };
        Self {
            sets: vec![empty; sets as usize],
            ways,
            random: seed,
            policy: PhantomData,
        }
    }
}

impl<P: Policy, const W: usize> Entries for Packed<P, W> {
    #[inline(always)]
    fn probe(&mut self, set: u32, key: Key) -> Option<u32> {
        let set = &mut self.sets[set as usize];
        // Two passes: whether it is there can be foretold mostly, at which way can't.
        if !set
            .tags
            .iter()
            .fold(false, |any, tag| any | (*tag == key.0))
        {
            set.counts.misses += 1;
            return None;
        }
        let mut found = 0_u32;
        for (way, tag) in set.tags.iter().enumerate() {
            found |= u32::from(*tag == key.0) << way;
        }
        let way = found.trailing_zeros();
        set.state = P::hit(set.state, way, self.ways);
        set.counts.hits += 1;
        Some(way)
    }

    #[inline(always)]
    fn fill(&mut self, set: u32, key: Key) -> (u32, u64) {
        let set = &mut self.sets[set as usize];
        let filled = set.counts.fills.min(16) as u32;
        let (way, state) = P::place(set.state, filled, self.ways, &mut self.random);
        set.state = state;
        set.counts.fills += 1;
        // `W` is more than any way, which the compiler can't know.
        let slot = &mut set.tags[way as usize % W];
        (way, std::mem::replace(slot, key.0))
    }

    fn tags(&self, set: u32) -> Vec<u64> {
        let ways = self.ways as usize;
        self.sets[set as usize]
            .tags
            .iter()
            .take(ways)
            .copied()
            .collect()
    }

    fn counts(&self, set: u32) -> SetCounts {
        self.sets[set as usize].counts
    }

    fn again(&mut self, set: u32, more: SetCounts, times: u64) {
        self.sets[set as usize].counts.add(more, times);
    }

    fn state(&self, set: u32, into: &mut Vec<u64>) {
        let set = &self.sets[set as usize];
        into.extend_from_slice(&set.tags);
        into.push(set.state);
        into.push(self.random);
    }
}
