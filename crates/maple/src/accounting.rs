//! How many nodes a write asks for, uses, gives back and frees: `mas_prealloc_calc`,
//! `mas_preallocate`, `mas_destroy`.

use crate::path::{Step, Way, small};
use crate::rules::{Discard, Requests};
use crate::store_type::Walk;
use crate::{LEAF64_MIN_END, LEAF64_SLOTS, MapleTree, StoreType};

/// What a store came to, in nodes.
///
/// In RCU mode `asked` is `used` and `returned` together, and `freed` is all that left the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// How it was carried out.
    pub kind: StoreType,
    /// Nodes taken from the allocator, before it or in it.
    pub asked: u32,
    /// New nodes that the tree has now.
    pub used: u32,
    /// Nodes given back at once: those not used, and without RCU mode also those of the tree that
    /// need not wait for a grace period.
    pub returned: u32,
    /// Nodes that left the tree through RCU.
    pub freed: u32,
}

/// What a store would need, and what was allocated for it: see
/// [`MaState::preallocate`](crate::MaState::preallocate).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Preallocated {
    /// How many nodes the kernel asks for: the most that such a store may take.
    pub nodes: u32,
    /// What the store will be.
    pub kind: StoreType,
}

/// Where the cursor stands when nodes are asked for. It makes a difference to
/// [`Requests::ByHeights`] only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// The walk goes down from the root and sees which nodes have room.
    Root,
    /// The cursor is in a leaf already; the walk sees nothing of the nodes above.
    Leaf,
}

/// Nodes that a write made, and those that it took out of the tree.
pub(crate) struct Tally<E> {
    pub(crate) used: u32,
    pub(crate) dead: Dead<E>,
}

impl<E: Copy> Tally<E> {
    pub(crate) fn new() -> Self {
        Self {
            used: 0,
            dead: Dead::new(),
        }
    }
}

/// Nodes that leave the tree. Few most of the time, so the first few need no allocation.
pub(crate) struct Dead<E> {
    few: [Option<Step<E>>; 8],
    count: usize,
    more: Vec<Step<E>>,
}

impl<E: Copy> Dead<E> {
    pub(crate) fn new() -> Self {
        Self {
            few: [None; 8],
            count: 0,
            more: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, step: Step<E>) {
        match self.few.get_mut(self.count) {
            Some(free) => {
                *free = Some(step);
                self.count += 1;
            }
            None => self.more.push(step),
        }
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.count + self.more.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Step<E>> {
        let few = self.few[..self.count].iter().copied().flatten();
        few.chain(self.more.iter().copied())
    }
}

impl<E: Copy> MapleTree<E> {
    /// How many nodes `mas_preallocate` asks for before a store of `entry` over `index..=last`, and
    /// what the store will be.
    pub(crate) fn preallocation(
        &self,
        index: u64,
        last: u64,
        entry: Option<E>,
        start: Start,
    ) -> Preallocated {
        let mut wr = Walk::new(self, index, last, entry);
        self.walk_to_store(&mut wr);
        Preallocated {
            nodes: self.preallocation_for(&wr, (index, last), start),
            kind: wr.kind,
        }
    }

    /// The same for a store that is walked to already, called for over `wanted`.
    pub(crate) fn preallocation_for(&self, wr: &Walk<E>, wanted: (u64, u64), start: Start) -> u32 {
        match self.rules().requests {
            Requests::Worst => 1 + 3 * u32::from(self.height()),
            Requests::Estimated => self.estimate(wr, wanted),
            Requests::ByStoreType | Requests::ByHeights => self.exact_request(wr, wanted.1, start),
        }
    }

    /// How many nodes a store asks for that was not preallocated.
    pub(crate) fn request(&self, wr: &Walk<E>, wanted: (u64, u64), start: Start) -> u32 {
        let height = u32::from(self.height());
        match self.rules().requests {
            Requests::Worst | Requests::Estimated => match wr.kind {
                StoreType::StoreRoot => u32::from(self.root_expands(wr)),
                StoreType::NewRoot => u32::from(wr.entry.is_some()),
                StoreType::ExactFit | StoreType::SlotStore | StoreType::Append => 0,
                StoreType::NodeStore => u32::from(self.in_rcu()),
                StoreType::SplitStore => 1 + 2 * height,
                StoreType::Rebalance if self.rules().requests == Requests::Worst => 1 + 3 * height,
                StoreType::Rebalance => 2 * height - 1,
                StoreType::SpanningStore if wanted == (0, u64::MAX) => {
                    u32::from(wr.entry.is_some())
                }
                StoreType::SpanningStore => 1 + 3 * height,
            },
            Requests::ByStoreType | Requests::ByHeights => self.exact_request(wr, wanted.1, start),
        }
    }

    /// `mas_prealloc_calc`.
    fn exact_request(&self, wr: &Walk<E>, last: u64, start: Start) -> u32 {
        let height = u32::from(self.height());
        match wr.kind {
            StoreType::StoreRoot => u32::from(wr.last > 0 || !self.fits_root(wr.entry)),
            StoreType::NewRoot => 1,
            StoreType::ExactFit | StoreType::SlotStore | StoreType::Append => 0,
            StoreType::NodeStore => u32::from(self.in_rcu()),
            StoreType::SplitStore => 1 + 2 * (height - self.levels(wr, last, start).0),
            StoreType::Rebalance if self.rules().requests == Requests::ByStoreType => {
                2 * height - 1
            }
            StoreType::Rebalance | StoreType::SpanningStore => {
                let (vacant, sufficient) = self.levels(wr, last, start);
                let each = 2 + u32::from(wr.kind == StoreType::SpanningStore);
                1 + each * (height - sufficient.min(vacant))
            }
        }
    }

    /// How far down the lowest inner node with a free slot is on the way, and the lowest that can
    /// lose a child: 1 for the root, 0 for none, or if the walk does not look. A cursor in the leaf
    /// need not go back to the root if the store stays in that leaf: `mas_wr_prealloc_setup`.
    fn levels(&self, wr: &Walk<E>, last: u64, start: Start) -> (u32, u32) {
        let looks = self.rules().requests == Requests::ByHeights;
        let ends_leaf = wr.entry.is_none() && last == u64::MAX;
        let stays = start == Start::Leaf && wr.kind != StoreType::SpanningStore && !ends_leaf;
        let (mut vacant, mut sufficient) = (0, 0);
        if !looks || stays {
            return (vacant, sufficient);
        }
        let kind = self.inner_kind();
        let mut least = 2;
        for level in 0..wr.trail.level() {
            let end = self.node(wr.trail.at(level).0).end();
            let depth = u32::from(small(level)) + 1;
            if end < kind.slots() - 1 {
                vacant = depth;
            }
            if end > least {
                sufficient = depth;
            }
            least = kind.min_end() + 1;
        }
        (vacant, sufficient)
    }

    /// 6.8's guess, which does not grow NULL first.
    fn estimate(&self, wr: &Walk<E>, (index, last): (u64, u64)) -> u32 {
        let height = u32::from(self.height());
        if wr.kind == StoreType::StoreRoot || (index == 0 && last == u64::MAX) {
            return 1;
        }
        if wr.kind == StoreType::SpanningStore {
            return 1 + 3 * height;
        }
        let leaf = self.node(wr.trail.end()).leaf();
        let (offset, mut offset_end) = (leaf.slot_at(index), leaf.slot_at(index));
        let (min, max) = leaf.range_of(offset, wr.min, wr.max);
        if min == index && max == last {
            return 0;
        }
        let end = usize::from(leaf.end);
        while offset_end < end && leaf.pivots[offset_end] < last {
            offset_end += 1;
        }
        let end_piv = leaf.last_of(offset_end, wr.max);
        let moved = offset_end - offset;
        let new_end = end + 2 - moved - usize::from(min == index) - usize::from(end_piv == last);
        if new_end == end && (!self.in_rcu() || moved == 1) {
            0
        } else if new_end >= LEAF64_SLOTS {
            1 + 2 * height
        } else if wr.trail.level() > 0 && new_end <= LEAF64_MIN_END + 1 {
            2 * height - 1
        } else {
            1
        }
    }

    /// Whether a store into a tree without nodes makes one.
    pub(crate) fn root_expands(&self, wr: &Walk<E>) -> bool {
        wr.entry.is_some() && (wr.last > 0 || !self.fits_root(wr.entry))
    }

    /// What `tally` and the nodes asked for come to.
    pub(crate) fn settle(&self, wr: &Walk<E>, asked: u32, used: u32, dead: &Dead<E>) -> Stored {
        let all = dead.len();
        let at_once = if self.in_rcu() {
            0
        } else if self.rules().discard == Discard::Reuse {
            all
        } else {
            let covered = |step: &Step<E>| wr.index <= step.min && step.max <= wr.last;
            let covered = dead.iter().filter(covered).count();
            u32::try_from(covered).unwrap_or(u32::MAX)
        };
        let mut stored = settled(wr, asked, used, all - at_once);
        stored.returned += at_once;
        stored
    }
}

/// What comes of a store that asked for `asked` nodes, took `used` of them, or more if it had to,
/// and freed `freed` through RCU.
#[inline]
pub(crate) fn settled<E>(wr: &Walk<E>, asked: u32, used: u32, freed: u32) -> Stored {
    let asked = asked.max(used);
    Stored {
        kind: wr.kind,
        asked,
        used,
        returned: asked - used,
        freed,
    }
}
