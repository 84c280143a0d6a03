//! One structure at work: its index, its cells.

use crate::cells::{Cells, Entries, each_kind};
use crate::counts::SetCounts;
use crate::geometry::StructureGeometry;
use crate::index::IndexMap;
use crate::page::{Key, Page, PageSize};

/// A structure with its entries.
#[derive(Debug, Clone)]
pub(crate) struct Structure {
    pub(crate) geometry: StructureGeometry,
    pub(crate) map: IndexMap,
    pub(crate) cells: Cells,
}

/// Where a page was found or put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) set: u32,
    pub(crate) way: u32,
}

impl Structure {
    /// An empty structure; the geometry was checked.
    pub(crate) fn new(geometry: &StructureGeometry) -> Self {
        Self {
            geometry: geometry.clone(),
            map: IndexMap::new(&geometry.index, geometry.sets),
            cells: Cells::new(geometry),
        }
    }

    pub(crate) fn has(&self, size: PageSize) -> bool {
        self.geometry.sizes.has(size)
    }

    pub(crate) fn set(&self, key: Key) -> u32 {
        self.map.set(key.number())
    }

    /// Looks a page up: its set, and its way if it is there.
    #[inline]
    pub(crate) fn probe(&mut self, key: Key) -> (u32, Option<u32>) {
        let set = self.map.set(key.number());
        (
            set,
            each_kind!(&mut self.cells, cells => cells.probe(set, key)),
        )
    }

    /// Puts a page in: where, and the tag that had to leave.
    #[inline]
    pub(crate) fn fill(&mut self, key: Key) -> (Spot, u64) {
        let set = self.map.set(key.number());
        let (way, old) = each_kind!(&mut self.cells, cells => cells.fill(set, key));
        (Spot { set, way }, old)
    }

    /// The pages of a set, by way.
    pub(crate) fn tenants(&self, set: u32) -> Vec<Option<Page>> {
        let tags = each_kind!(&self.cells, cells => cells.tags(set));
        tags.into_iter().map(Key::tagged).collect()
    }

    pub(crate) fn counts(&self, set: u32) -> SetCounts {
        each_kind!(&self.cells, cells => cells.counts(set))
    }

    pub(crate) fn again(&mut self, set: u32, more: SetCounts, times: u64) {
        each_kind!(&mut self.cells, cells => cells.again(set, more, times));
    }

    pub(crate) fn state(&self, set: u32, into: &mut Vec<u64>) {
        each_kind!(&self.cells, cells => cells.state(set, into));
    }
}
