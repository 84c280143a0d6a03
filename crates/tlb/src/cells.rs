//! The entries of a structure, stored as its ways and its policy make it fast.

mod packed;
mod wide;

use crate::counts::SetCounts;
use crate::geometry::{Replacement, StructureGeometry};
use crate::page::Key;
use crate::policy::{Fifo, Lru, Mru3Plru4, Plru, Random};
use packed::Packed;
pub(crate) use wide::Wide;

/// What all ways of storing can do. Sets and ways are in range: the index sees to that.
pub(crate) trait Entries {
    /// Looks a key up in its set: the way, with the policy told of it, or nothing. Counts.
    fn probe(&mut self, set: u32, key: Key) -> Option<u32>;
    /// Puts a key in that is not there: the way, and the tag that was in it.
    fn fill(&mut self, set: u32, key: Key) -> (u32, u64);
    /// The tags of a set, by way.
    fn tags(&self, set: u32) -> Vec<u64>;
    /// What happened in a set so far.
    fn counts(&self, set: u32) -> SetCounts;
    /// Lets what happened in a set have happened a number of times more.
    fn again(&mut self, set: u32, more: SetCounts, times: u64);
    /// Everything that the future of a set depends on, appended.
    fn state(&self, set: u32, into: &mut Vec<u64>);
}

/// Stored one way or the other: up to 16 ways in a block for each set, more with a hash table.
#[derive(Debug, Clone)]
pub(crate) enum Cells {
    Lru4(Packed<Lru, 4>),
    Lru6(Packed<Lru, 6>),
    Lru8(Packed<Lru, 8>),
    Lru12(Packed<Lru, 12>),
    Lru16(Packed<Lru, 16>),
    Fifo4(Packed<Fifo, 4>),
    Fifo16(Packed<Fifo, 16>),
    Plru4(Packed<Plru, 4>),
    Plru8(Packed<Plru, 8>),
    Plru16(Packed<Plru, 16>),
    Mru3Plru4(Packed<Mru3Plru4, 12>),
    Random4(Packed<Random, 4>),
    Random16(Packed<Random, 16>),
    Wide(Wide),
}

/// Does the same with whatever the cells are: one choice, and what is done is compiled for each.
macro_rules! each_kind {
    ($cells:expr, $kind:ident => $done:expr) => {
        match $cells {
            $crate::cells::Cells::Lru4($kind) => $done,
            $crate::cells::Cells::Lru6($kind) => $done,
            $crate::cells::Cells::Lru8($kind) => $done,
            $crate::cells::Cells::Lru12($kind) => $done,
            $crate::cells::Cells::Lru16($kind) => $done,
            $crate::cells::Cells::Fifo4($kind) => $done,
            $crate::cells::Cells::Fifo16($kind) => $done,
            $crate::cells::Cells::Plru4($kind) => $done,
            $crate::cells::Cells::Plru8($kind) => $done,
            $crate::cells::Cells::Plru16($kind) => $done,
            $crate::cells::Cells::Mru3Plru4($kind) => $done,
            $crate::cells::Cells::Random4($kind) => $done,
            $crate::cells::Cells::Random16($kind) => $done,
            $crate::cells::Cells::Wide($kind) => $done,
        }
    };
}
pub(crate) use each_kind;

impl Cells {
    /// No sets at all: stands in while cells are in use.
    pub(crate) fn none() -> Self {
        Self::Lru4(Packed::new(0, 1, 0))
    }

    /// Empty cells for a structure that was checked.
    pub(crate) fn new(geometry: &StructureGeometry) -> Self {
        let StructureGeometry { sets, ways, .. } = *geometry;
        let seed = match geometry.replacement {
            Replacement::Random { seed } => seed,
            _ => 0,
        };
        if ways > 16 {
            return Self::Wide(Wide::new(sets, ways, geometry.replacement));
        }
        match geometry.replacement {
            Replacement::Lru => match ways {
                ..=4 => Self::Lru4(Packed::new(sets, ways, seed)),
                5..=6 => Self::Lru6(Packed::new(sets, ways, seed)),
                7..=8 => Self::Lru8(Packed::new(sets, ways, seed)),
                9..=12 => Self::Lru12(Packed::new(sets, ways, seed)),
                _ => Self::Lru16(Packed::new(sets, ways, seed)),
            },
            Replacement::Fifo if ways <= 4 => Self::Fifo4(Packed::new(sets, ways, seed)),
            Replacement::Fifo => Self::Fifo16(Packed::new(sets, ways, seed)),
            Replacement::Plru => match ways {
                ..=4 => Self::Plru4(Packed::new(sets, ways, seed)),
                5..=8 => Self::Plru8(Packed::new(sets, ways, seed)),
                _ => Self::Plru16(Packed::new(sets, ways, seed)),
            },
            Replacement::Mru3Plru4 => Self::Mru3Plru4(Packed::new(sets, ways, seed)),
            Replacement::Random { .. } if ways <= 4 => Self::Random4(Packed::new(sets, ways, seed)),
            Replacement::Random { .. } => Self::Random16(Packed::new(sets, ways, seed)),
        }
    }
}
