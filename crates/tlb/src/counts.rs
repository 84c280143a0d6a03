//! What is counted, exactly.

use std::ops::Sub;

use crate::page::PageSize;

/// Counts of a run (§4, §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Accesses by page size: 4 KiB, 2 MiB, 1 GiB.
    pub by_size: [u64; 3],
    /// Found in the first level.
    pub l1_hits: u64,
    /// Found in the second level.
    pub l2_hits: u64,
    /// Page walks by page size.
    pub walks_by_size: [u64; 3],
    /// Page table entries read in walks.
    pub walk_refs: u64,
}

impl Counts {
    /// All accesses.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.by_size.iter().sum()
    }

    /// All walks.
    #[must_use]
    pub fn walks(&self) -> u64 {
        self.walks_by_size.iter().sum()
    }

    /// Walks of pages of this size.
    #[must_use]
    pub fn walks_of(&self, size: PageSize) -> u64 {
        self.walks_by_size[size.rank()]
    }

    /// Accesses that the first level did not have.
    #[must_use]
    pub fn l1_misses(&self) -> u64 {
        self.l2_hits + self.walks()
    }

    /// Walks in 1000 accesses; 0 without accesses.
    #[must_use]
    pub fn walks_per_1000(&self) -> f64 {
        match self.accesses() {
            0 => 0.0,
            all => self.walks() as f64 * 1000.0 / all as f64,
        }
    }

    /// Adds other counts, a number of times.
    pub(crate) fn add(&mut self, other: Self, times: u64) {
        for (own, more) in self.by_size.iter_mut().zip(other.by_size) {
            *own += more * times;
        }
        for (own, more) in self.walks_by_size.iter_mut().zip(other.walks_by_size) {
            *own += more * times;
        }
        self.l1_hits += other.l1_hits * times;
        self.l2_hits += other.l2_hits * times;
        self.walk_refs += other.walk_refs * times;
    }
}

/// What happened between two moments of one run: the earlier taken from the later.
impl Sub for Counts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        let size = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|at| a[at] - b[at]);
        Self {
            by_size: size(self.by_size, earlier.by_size),
            l1_hits: self.l1_hits - earlier.l1_hits,
            l2_hits: self.l2_hits - earlier.l2_hits,
            walks_by_size: size(self.walks_by_size, earlier.walks_by_size),
            walk_refs: self.walk_refs - earlier.walk_refs,
        }
    }
}

/// Counts of one set of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetCounts {
    /// Pages looked for and found.
    pub hits: u64,
    /// Pages looked for and not found.
    pub misses: u64,
    /// Pages put in.
    pub fills: u64,
}

impl SetCounts {
    /// Pages that had to leave for another, in a set of so many ways.
    #[must_use]
    pub fn evictions(&self, ways: u32) -> u64 {
        self.fills.saturating_sub(u64::from(ways))
    }

    pub(crate) fn add(&mut self, other: Self, times: u64) {
        self.hits += other.hits * times;
        self.misses += other.misses * times;
        self.fills += other.fills * times;
    }
}

impl Sub for SetCounts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
            fills: self.fills - earlier.fills,
        }
    }
}
