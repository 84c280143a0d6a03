//! What an access does, step by step, for those who watch.

use crate::geometry::Level;
use crate::page::Page;

/// A structure: its level, and its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StructureId {
    /// The level.
    pub level: Level,
    /// The place in the level's list, from 0.
    pub at: u32,
}

/// One thing that happened. An access is told first, then what it did, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An address is used.
    Access {
        /// The address.
        address: u64,
        /// The page it lies in.
        page: Page,
        /// Which of the pattern's bases it belongs to; the address's place in a list.
        stream: u32,
    },
    /// A structure has the page.
    Hit {
        /// Which.
        structure: StructureId,
        /// The set.
        set: u32,
        /// The way.
        way: u32,
    },
    /// A structure was asked and does not have the page.
    Miss {
        /// Which.
        structure: StructureId,
        /// The set.
        set: u32,
    },
    /// The page table was walked.
    Walk {
        /// Page table entries read.
        refs: u32,
        /// The walk cache that shortened it: 0 for PDEs, 1 for PDPTEs, 2 for PML4Es.
        from: Option<u32>,
    },
    /// The page was put into a structure.
    Fill {
        /// Which.
        structure: StructureId,
        /// The set.
        set: u32,
        /// The way.
        way: u32,
        /// The page that had to leave.
        evicted: Option<Page>,
    },
}

/// Who is told of events. `()` is told nothing, and costs nothing.
pub(crate) trait Observer {
    /// Whether events are built at all.
    const WATCHES: bool;
    fn tell(&mut self, event: Event);
}

impl Observer for () {
    const WATCHES: bool = false;

    #[inline(always)]
    fn tell(&mut self, _: Event) {}
}

/// Tells a function.
pub(crate) struct Tell<'a>(pub(crate) &'a mut dyn FnMut(Event));

impl Observer for Tell<'_> {
    const WATCHES: bool = true;

    fn tell(&mut self, event: Event) {
        (self.0)(event);
    }
}

/// Tells two, one after the other.
pub(crate) struct Both<A, B>(pub(crate) A, pub(crate) B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    const WATCHES: bool = A::WATCHES || B::WATCHES;

    fn tell(&mut self, event: Event) {
        self.0.tell(event);
        self.1.tell(event);
    }
}
