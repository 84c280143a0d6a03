//! A model of what counts cost in cycles (§6, model B). Its parameters are free: see [`CAUTION`].

use crate::counts::Counts;

/// What has to be said wherever cycles of this model are shown.
pub const CAUTION: &str = "The counts are exact; the cycles are not validated. The model was chosen after seeing how one machine \
behaves, and its base, overlap and walkers are free. Three models that were tried agree on one thing only: TLBs with a linear or AMD \
index suffer far more from starts that are a multiple of 2 MiB apart than those with a XOR index. No CPU that shows the slowdown \
was at hand.";

/// The model's parameters, in cycles unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CycleModel {
    /// An access that hits everywhere. Assumed.
    pub base: f64,
    /// More for a hit of the second level, in a chain of dependent loads.
    pub l2_hit: f64,
    /// How many of those overlap: a factor.
    pub overlap: f64,
    /// A page walk.
    pub walk: f64,
    /// And each page table entry that it reads.
    pub walk_ref: f64,
    /// Walks that go on at the same time: a number.
    pub walkers: f64,
}

impl Default for CycleModel {
    /// With the values that most presets share, and one walker.
    fn default() -> Self {
        Self {
            base: 1.5,
            l2_hit: 7.0,
            overlap: 8.0,
            walk: 9.0,
            walk_ref: 12.0,
            walkers: 1.0,
        }
    }
}

impl CycleModel {
    /// All cycles of counts.
    #[must_use]
    pub fn cycles(&self, counts: &Counts) -> f64 {
        let walks = counts.walks() as f64 * self.walk + counts.walk_refs as f64 * self.walk_ref;
        counts.accesses() as f64 * self.base
            + counts.l2_hits as f64 * self.l2_hit / self.overlap
            + walks / self.walkers
    }

    /// Cycles of one access; 0 without accesses.
    #[must_use]
    pub fn per_access(&self, counts: &Counts) -> f64 {
        match counts.accesses() {
            0 => 0.0,
            all => self.cycles(counts) / all as f64,
        }
    }

    /// How much dearer a layout is than another, as a part of the other: 1.0 is twice as dear.
    #[must_use]
    pub fn slowdown(&self, layout: &Counts, other: &Counts) -> f64 {
        self.per_access(layout) / self.per_access(other) - 1.0
    }
}
