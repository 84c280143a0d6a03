//! Nodes as the kernel lays them out: the leaf and the inner node of a tree that tracks gaps.

use crate::Id;

/// The name of a node in its tree.
pub type NodeId<E> = Id<Node<E>>;

/// Slots of a leaf: `MAPLE_RANGE64_SLOTS`.
pub const LEAF64_SLOTS: usize = 16;

/// Slots of an inner node: `MAPLE_ARANGE64_SLOTS`.
pub const ARANGE64_SLOTS: usize = 10;

/// The lowest `end` of a leaf that is not the root (`mt_min_slots`): one slot more than this is
/// used.
pub const LEAF64_MIN_END: usize = 6;

/// The lowest `end` of an inner node that is not the root (`mt_min_slots`).
pub const ARANGE64_MIN_END: usize = 4;

/// Which of the two node layouts: `enum maple_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `maple_leaf_64`: 16 slots of entries or NULL, 15 pivots.
    Leaf64,
    /// `maple_arange_64`: 10 slots of nodes, 9 pivots, and for each slot its largest gap.
    Arange64,
}

impl Kind {
    /// How many slots a node of this kind has: `mt_slots`.
    pub fn slots(self) -> usize {
        match self {
            Kind::Leaf64 => LEAF64_SLOTS,
            Kind::Arange64 => ARANGE64_SLOTS,
        }
    }

    /// How many pivots a node of this kind has, one less than slots: `mt_pivots`.
    pub fn pivots(self) -> usize {
        self.slots() - 1
    }
}

/// What one slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot<E> {
    /// Nothing is stored in the slot's range. Only in leaves.
    Null,
    /// An entry. Only in leaves.
    Entry(E),
    /// A child. Only in inner nodes.
    Node(NodeId<E>),
}

/// One node: `struct maple_node`.
///
/// Slots `0..=end` are in use. Slot `i` covers the indices after pivot `i - 1` (for slot 0: from
/// the node's own minimum) up to and with pivot `i`; the last slot in use ends where the node does.
/// A node does not know its own range, which comes from the path that led to it. Unlike the
/// kernel's, it does not know its parent either.
///
/// `end` is kept in every node. The kernel keeps it in a full leaf by other means, since its
/// metadata lies under the last slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<E>(pub(crate) Shape<E>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape<E> {
    Leaf(Leaf64<E>),
    Inner(Arange64<E>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf64<E> {
    pub(crate) pivots: [u64; LEAF64_SLOTS - 1],
    pub(crate) slots: [Option<E>; LEAF64_SLOTS],
    pub(crate) end: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arange64<E> {
    pub(crate) pivots: [u64; ARANGE64_SLOTS - 1],
    pub(crate) slots: [Option<NodeId<E>>; ARANGE64_SLOTS],
    pub(crate) gaps: [u64; ARANGE64_SLOTS],
    pub(crate) end: u8,
    pub(crate) largest: u8,
}

impl<E: Copy> Node<E> {
    /// The layout.
    pub fn kind(&self) -> Kind {
        match self.0 {
            Shape::Leaf(_) => Kind::Leaf64,
            Shape::Inner(_) => Kind::Arange64,
        }
    }

    /// The last slot in use: `ma_data_end`.
    pub fn end(&self) -> usize {
        match &self.0 {
            Shape::Leaf(leaf) => usize::from(leaf.end),
            Shape::Inner(inner) => usize::from(inner.end),
        }
    }

    /// All pivots, also the unused ones, which are zero: `ma_pivots`.
    ///
    /// The pivot of the last slot in use is the node's own maximum, and absent if all slots are in
    /// use.
    pub fn pivots(&self) -> &[u64] {
        match &self.0 {
            Shape::Leaf(leaf) => &leaf.pivots,
            Shape::Inner(inner) => &inner.pivots,
        }
    }

    /// The slots in use, in order: `ma_slots`.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Slot<E>> {
        (0..self.end() + 1).map(|slot| self.slot(slot))
    }

    /// What slot `slot` holds; NULL for a slot that is not in use.
    ///
    /// # Panics
    ///
    /// If a node of this kind has no such slot.
    pub fn slot(&self, slot: usize) -> Slot<E> {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.slots[slot].map_or(Slot::Null, Slot::Entry),
            Shape::Inner(inner) => inner.slots[slot].map_or(Slot::Null, Slot::Node),
        }
    }

    /// The indices that slot `slot` covers, first and last, in a node that covers `min..=max`.
    pub fn slot_range(&self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        range_of(self.pivots(), self.end(), slot, min, max)
    }

    /// For each slot of an inner node the size of the largest free range under it: `ma_gaps`. Empty
    /// for a leaf.
    pub fn gaps(&self) -> &[u64] {
        match &self.0 {
            Shape::Leaf(_) => &[],
            Shape::Inner(inner) => &inner.gaps,
        }
    }

    /// A slot of an inner node with the node's largest gap: `ma_meta_gap`. `None` for a leaf.
    pub fn largest_gap_slot(&self) -> Option<usize> {
        match &self.0 {
            Shape::Leaf(_) => None,
            Shape::Inner(inner) => Some(usize::from(inner.largest)),
        }
    }

    /// The largest free range in or under a node that covers `min..=max`: `mas_max_gap`.
    pub fn largest_gap(&self, min: u64, max: u64) -> u64 {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.largest_gap(min, max),
            Shape::Inner(inner) => inner.gaps[usize::from(inner.largest)],
        }
    }

    /// The entries in the node itself, NULL not counted.
    pub(crate) fn entries(&self) -> u64 {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.slots[..=usize::from(leaf.end)]
                .iter()
                .map(|slot| u64::from(slot.is_some()))
                .sum(),
            Shape::Inner(_) => 0,
        }
    }
}

impl<E: Copy> Leaf64<E> {
    /// The slot that covers `index`, for an index within the node.
    pub(crate) fn slot_at(&self, index: u64) -> usize {
        slot_at(&self.pivots, usize::from(self.end), index)
    }

    pub(crate) fn range_of(&self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        range_of(&self.pivots, usize::from(self.end), slot, min, max)
    }

    fn largest_gap(&self, min: u64, max: u64) -> u64 {
        let free = (0..=usize::from(self.end)).filter(|slot| self.slots[*slot].is_none());
        let sizes = free.map(|slot| {
            let (first, last) = self.range_of(slot, min, max);
            size(first, last)
        });
        sizes.max().unwrap_or(0)
    }
}

impl<E: Copy> Arange64<E> {
    /// The slot that covers `index`, for an index within the node.
    pub(crate) fn slot_at(&self, index: u64) -> usize {
        slot_at(&self.pivots, usize::from(self.end), index)
    }

    pub(crate) fn range_of(&self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        range_of(&self.pivots, usize::from(self.end), slot, min, max)
    }

    /// The child in a slot that is in use.
    pub(crate) fn child(&self, slot: usize) -> NodeId<E> {
        match self.slots[slot] {
            Some(child) => child,
            None => unreachable!("slot {slot} of an inner node is in use and empty"),
        }
    }
}

/// How many indices `first..=last` holds; all 2^64 of them count as one less.
pub(crate) fn size(first: u64, last: u64) -> u64 {
    (last - first).saturating_add(1)
}

fn slot_at(pivots: &[u64], end: usize, index: u64) -> usize {
    pivots[..end]
        .iter()
        .position(|pivot| *pivot >= index)
        .unwrap_or(end)
}

fn range_of(pivots: &[u64], end: usize, slot: usize, min: u64, max: u64) -> (u64, u64) {
    assert!(slot <= end, "slot {slot} is not in use");
    let first = if slot == 0 { min } else { pivots[slot - 1] + 1 };
    let last = if slot == end { max } else { pivots[slot] };
    (first, last)
}
