//! Caches that are indexed by physical addresses (§11): with huge pages the streams that collide in a TLB collide in them too.
//!
//! Physical addresses are made up: a huge page keeps its virtual address, as far as 47 bits go, and a small page lies at a
//! frame drawn from its number. Real last-level caches spread addresses over slices, so what this counts there is an upper bound.

use std::fmt;

use crate::accesses::Accesses;
use crate::geometry::{PageSizes, Problem, Replacement, StructureGeometry};
use crate::page::{Key, PageSize};
use crate::pages::{Pages, Sizer};
use crate::structure::Structure;

/// Bytes of a line: 2 to this.
const LINE_SHIFT: u32 = 6;

/// One level: sets and ways of 64-byte lines, LRU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLevel {
    /// Sets, a power of two: the index is linear.
    pub sets: u32,
    /// Ways.
    pub ways: u32,
}

/// Why caches can't be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachesError {
    /// The level, from 0.
    pub level: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

impl fmt::Display for CachesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cache level {}: {}", self.level + 1, self.problem)
    }
}

impl std::error::Error for CachesError {}

/// A row of caches with memory behind them.
#[derive(Debug, Clone)]
pub struct Caches {
    levels: Vec<Structure>,
    served: Vec<u64>,
}

impl Caches {
    /// Empty caches, the first asked first.
    ///
    /// # Errors
    /// Sets and ways that can't be.
    pub fn new(levels: &[CacheLevel]) -> Result<Self, CachesError> {
        let structure = |(level, shape): (usize, &CacheLevel)| {
            let CacheLevel { sets, ways } = *shape;
            let geometry =
                StructureGeometry::linear(PageSizes::SMALL, sets, ways, Replacement::Lru);
            match geometry.check() {
                Ok(()) => Ok(Structure::new(&geometry)),
                Err(problem) => Err(CachesError { level, problem }),
            }
        };
        Ok(Self {
            served: vec![0; levels.len() + 1],
            levels: levels
                .iter()
                .enumerate()
                .map(structure)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Runs the next accesses, at most so many, and returns how many there were.
    pub fn run(&mut self, accesses: &mut Accesses, pages: &Pages, at_most: u64) -> u64 {
        let mut sizer = Sizer::new(pages);
        let (mut addresses, mut keys) = (Vec::new(), Vec::new());
        let mut left = at_most;
        while left > 0 {
            accesses.fill(&mut addresses, left);
            if addresses.is_empty() {
                break;
            }
            left -= addresses.len() as u64;
            sizer.keys(&addresses, &mut keys);
            for (address, key) in addresses.iter().zip(&keys) {
                self.access(physical(*address, *key));
            }
        }
        at_most - left
    }

    fn access(&mut self, physical: u64) {
        // A line is a key like a page's: its number above two bits that say nothing here.
        let line = Key(physical >> LINE_SHIFT << 2);
        let found = self
            .levels
            .iter_mut()
            .position(|level| level.probe(line).1.is_some());
        let found = found.unwrap_or(self.levels.len());
        self.served[found] += 1;
        for level in self.levels.iter_mut().take(found) {
            level.fill(line);
        }
    }

    /// Accesses served by each level, and last by memory.
    #[must_use]
    pub fn served_by(&self) -> &[u64] {
        &self.served
    }
}

/// The physical address that an address is taken to have.
fn physical(address: u64, key: Key) -> u64 {
    if key.size() == PageSize::Small {
        let frame = key.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        frame << PageSize::Small.shift() | address & (PageSize::Small.bytes() - 1)
    } else {
        address & ((1 << 47) - 1)
    }
}
