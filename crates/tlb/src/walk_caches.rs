//! The caches of the page walk's upper levels, and what a walk reads (§5).

use crate::cells::{Entries, Wide};
use crate::counts::SetCounts;
use crate::geometry::{Replacement, WalkCacheSizes};
use crate::page::{Key, PageSize};

/// Address bits that each cache's key leaves out: PDE, PDPTE, PML4E.
const SHIFTS: [u32; 3] = [21, 30, 39];

/// The three caches, fully associative and LRU.
#[derive(Debug, Clone)]
pub(crate) struct WalkCaches {
    levels: [Option<Wide>; 3],
}

impl WalkCaches {
    pub(crate) fn new(sizes: WalkCacheSizes) -> Self {
        let level = |entries| (entries > 0).then(|| Wide::new(1, entries, Replacement::Lru));
        Self {
            levels: [level(sizes.pde), level(sizes.pdpte), level(sizes.pml4e)],
        }
    }

    /// Walks to a page: how many entries were read, and which cache (0 PDE, 1 PDPTE, 2 PML4E) the walk began at.
    #[inline]
    pub(crate) fn walk(&mut self, key: Key) -> (u32, Option<u32>) {
        let size = key.size();
        let first = size.rank();
        // Keys are shifted like those of pages: the lowest two bits are a page's size.
        let key_at = |level: usize| Key(key.number() >> (SHIFTS[level] - size.shift()) << 2);
        let mut begin = self.levels.len();
        for level in first..self.levels.len() {
            if let Some(cache) = &mut self.levels[level]
                && cache.probe(0, key_at(level)).is_some()
            {
                begin = level;
                break;
            }
        }
        for level in first..begin {
            if let Some(cache) = &mut self.levels[level] {
                cache.fill(0, key_at(level));
            }
        }
        let read = (begin - first) as u32 + 1;
        (read, (begin < self.levels.len()).then_some(begin as u32))
    }

    /// What happened in the PDE, PDPTE and PML4E caches; nothing in one that is not there.
    pub(crate) fn counts(&self) -> [SetCounts; 3] {
        std::array::from_fn(|level| {
            self.levels[level]
                .as_ref()
                .map_or_else(SetCounts::default, |cache| cache.counts(0))
        })
    }

    pub(crate) fn again(&mut self, more: [SetCounts; 3], times: u64) {
        for (level, more) in self.levels.iter_mut().zip(more) {
            if let Some(cache) = level {
                cache.again(0, more, times);
            }
        }
    }

    pub(crate) fn state(&self, into: &mut Vec<u64>) {
        for cache in self.levels.iter().flatten() {
            cache.state(0, into);
        }
    }
}

/// The sizes of pages that a walk ends at, by its first level: for the reader of [`WalkCaches::walk`].
const _: () = assert!(
    PageSize::Small as usize == 0
        && PageSize::Huge as usize == 1
        && PageSize::Gigantic as usize == 2
);
