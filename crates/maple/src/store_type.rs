//! What kind of write a store is: `mas_wr_store_type`, and the walk before it.

use crate::node::{LEAF64_MIN_END, Leaf64, Look};
use crate::path::{Trail, Way};
use crate::rules::{FullRange, SlotStore};
use crate::{Kind, LEAF64_SLOTS, MapleTree, NodeId, Root};

/// The ways to carry out a store: `enum store_type`.
///
/// 6.1 and 6.8 have no such value; what they do is told in its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreType {
    /// Into a tree without nodes (`wr_store_root`).
    StoreRoot,
    /// Over the whole index space: all there was goes (`wr_new_root`).
    NewRoot,
    /// Over one slot exactly, in place (`wr_exact_fit`).
    ExactFit,
    /// A boundary between slots moves, in place (`wr_slot_store`).
    SlotStore,
    /// At the end of a leaf, in place; only without RCU mode (`wr_append`).
    Append,
    /// The leaf is written anew, in RCU mode as another node (`wr_node_store`).
    NodeStore,
    /// The leaf would hold too much (`wr_split_store`).
    SplitStore,
    /// The leaf would hold too little (`wr_rebalance`).
    Rebalance,
    /// The write reaches into another leaf, or would end a leaf with NULL (`wr_spanning_store`).
    SpanningStore,
}

/// A store on its way: `struct ma_wr_state`, walked and decided.
pub(crate) struct Walk<E> {
    /// The range, for NULL grown over the NULL beside it in the leaf.
    pub(crate) index: u64,
    pub(crate) last: u64,
    pub(crate) entry: Option<E>,
    pub(crate) kind: StoreType,
    /// The way to the leaf and the slot of `index`, or to the node where the store was seen to span.
    /// Of no use without nodes.
    pub(crate) trail: Trail<E>,
    /// The leaf's range.
    pub(crate) min: u64,
    pub(crate) max: u64,
    /// The leaf's slot that holds `index`, and the range of that slot.
    pub(crate) offset: usize,
    pub(crate) r_min: u64,
    pub(crate) r_max: u64,
    /// The leaf's slot that holds `last`, and where it ends.
    pub(crate) offset_end: usize,
    pub(crate) end_piv: u64,
    /// What the slot at `offset` holds.
    pub(crate) content: Option<E>,
    /// The leaf's `end` before and after the store.
    pub(crate) end: usize,
    pub(crate) new_end: usize,
}

impl<E: Copy> Walk<E> {
    /// A store of `entry` over `index..=last` that has not been walked to.
    ///
    /// # Panics
    ///
    /// If `index > last`.
    #[inline]
    pub(crate) fn new(tree: &MapleTree<E>, index: u64, last: u64, entry: Option<E>) -> Self {
        assert!(
            index <= last,
            "a store over {index:#x}..={last:#x}, which ends before it starts"
        );
        let root = match tree.root() {
            Root::Node { id, .. } => id,
            Root::Empty | Root::Direct(_) => NodeId::filler(),
        };
        Self {
            index,
            last,
            entry,
            kind: StoreType::StoreRoot,
            trail: Trail::new(root),
            min: 0,
            max: u64::MAX,
            offset: 0,
            r_min: 0,
            r_max: u64::MAX,
            offset_end: 0,
            end_piv: u64::MAX,
            content: None,
            end: 0,
            new_end: 0,
        }
    }
}

impl<E: Copy> MapleTree<E> {
    /// Walks to where a store falls and decides what it is: `mas_wr_walk`, `mas_wr_store_type`.
    pub(crate) fn walk_to_store(&self, wr: &mut Walk<E>) {
        if let Root::Node { .. } = self.root() {
            self.walk_in_nodes(wr);
        }
    }

    fn walk_in_nodes(&self, wr: &mut Walk<E>) {
        let (index, last, null) = (wr.index, wr.last, wr.entry.is_none());
        let (mut min, mut max, mut level) = (0, u64::MAX, 0);
        let mut id = wr.trail.at(0).0;
        let leaf = loop {
            let inner = match self.node(id).look() {
                Look::Leaf(leaf) => break leaf,
                Look::Inner(inner) => inner,
            };
            let slot;
            (slot, min, max) = inner.search(index, min, max);
            if last >= max && (last > max || (null && max != u64::MAX)) {
                wr.trail.stop(level, slot);
                wr.kind = StoreType::SpanningStore;
                return;
            }
            level += 1;
            id = inner.child(slot);
            wr.trail.go(level, slot, id);
        };
        (wr.min, wr.max) = (min, max);
        let used = leaf.used();
        wr.end = used.len();
        (wr.offset, wr.r_min, wr.r_max) = leaf.search(wr.index, min, max);
        wr.content = leaf.slots[wr.offset];
        (wr.offset_end, wr.end_piv) = (wr.offset, wr.r_max);
        while wr.end_piv < wr.last {
            wr.offset_end += 1;
            wr.end_piv = used.get(wr.offset_end).copied().unwrap_or(max);
        }
        if null {
            grow_null(wr, leaf, min, max);
        }
        wr.trail.stop(level, wr.offset);
        wr.new_end = wr.end + 2
            - (wr.offset_end - wr.offset)
            - usize::from(wr.r_min == wr.index)
            - usize::from(wr.end_piv == wr.last);
        wr.kind = self.decide(wr, level == 0, max);
    }

    /// The decision for a leaf.
    fn decide(&self, wr: &Walk<E>, is_root: bool, max: u64) -> StoreType {
        let rules = self.rules();
        let exact = wr.r_min == wr.index && wr.r_max == wr.last;
        let whole = wr.index == 0 && wr.last == u64::MAX;
        if exact && !(whole && rules.full_range == FullRange::NewRoot) {
            return StoreType::ExactFit;
        }
        if whole {
            return StoreType::NewRoot;
        }
        let in_place = self.in_place(wr, max);
        if wr.new_end < LEAF64_MIN_END {
            if !is_root {
                return StoreType::Rebalance;
            }
            return match rules.slot_store {
                SlotStore::SameCountInFullEnoughLeaf => StoreType::NodeStore,
                SlotStore::SameCountOrAppendToSmallRoot => in_place
                    .filter(|kind| *kind == StoreType::Append)
                    .unwrap_or(StoreType::NodeStore),
                _ => in_place.unwrap_or(StoreType::NodeStore),
            };
        }
        if wr.new_end >= LEAF64_SLOTS {
            return StoreType::SplitStore;
        }
        in_place.unwrap_or(StoreType::NodeStore)
    }

    /// How the leaf can be written in place, if at all.
    fn in_place(&self, wr: &Walk<E>, max: u64) -> Option<StoreType> {
        let rcu = self.in_rcu();
        let moved = wr.offset_end - wr.offset;
        let append = !rcu && wr.offset == wr.end && wr.new_end < LEAF64_SLOTS;
        let store = match self.rules().slot_store {
            SlotStore::OneBoundary => {
                let size = wr.end + 2 - moved + usize::from(max == u64::MAX);
                let one = if wr.r_min == wr.index {
                    wr.last < wr.end_piv
                } else {
                    wr.last == wr.end_piv
                };
                size < Kind::Leaf64.slots() && moved == 1 && one
            }
            _ => wr.new_end == wr.end && (!rcu || moved == 1),
        };
        if append {
            Some(StoreType::Append)
        } else if store {
            Some(StoreType::SlotStore)
        } else {
            None
        }
    }
}

/// NULL ranges never stand side by side: NULL takes in those beside it in its leaf:
/// `mas_wr_extend_null`.
fn grow_null<E: Copy>(wr: &mut Walk<E>, leaf: &Leaf64<E>, min: u64, max: u64) {
    if leaf.slots[wr.offset_end].is_none() {
        wr.last = wr.end_piv;
    } else if wr.last == wr.end_piv
        && wr.offset_end < wr.end
        && leaf.slots[wr.offset_end + 1].is_none()
    {
        wr.offset_end += 1;
        wr.end_piv = leaf.last_of(wr.offset_end, max);
        wr.last = wr.end_piv;
    }
    if wr.content.is_none() {
        wr.index = wr.r_min;
    } else if wr.index == wr.r_min && wr.offset > 0 && leaf.slots[wr.offset - 1].is_none() {
        wr.offset -= 1;
        (wr.r_min, wr.r_max) = leaf.range_of(wr.offset, min, max);
        wr.index = wr.r_min;
        wr.content = None;
    }
}
