//! Nodes as the kernel lays them out: the leaf, and the two inner nodes of a tree with and without
//! gap tracking.

use crate::Id;

/// The name of a node in its tree.
pub type NodeId<E> = Id<Node<E>>;

/// Slots of a leaf: `MAPLE_RANGE64_SLOTS`.
pub const LEAF64_SLOTS: usize = 16;

/// Slots of an inner node: `MAPLE_ARANGE64_SLOTS`.
pub const ARANGE64_SLOTS: usize = 10;

/// Slots of an inner node of a tree without gap tracking: `MAPLE_RANGE64_SLOTS`.
pub const RANGE64_SLOTS: usize = 16;

/// What [`Arange64::largest`] is in an inner node without any gap where the rules mark that:
/// `MAPLE_ARANGE64_META_MAX`.
pub(crate) const NO_GAP: u8 = 15;

/// The lowest `end` of a leaf that is not the root (`mt_min_slots`): one slot more than this is
/// used.
pub const LEAF64_MIN_END: usize = 6;

/// The lowest `end` of an inner node that is not the root (`mt_min_slots`).
pub const ARANGE64_MIN_END: usize = 4;

/// The lowest `end` of an inner node without gaps that is not the root (`mt_min_slots`).
pub const RANGE64_MIN_END: usize = 6;

/// Which of the node layouts: `enum maple_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `maple_leaf_64`: 16 slots of entries or NULL, 15 pivots.
    Leaf64,
    /// `maple_arange_64`: 10 slots of nodes, 9 pivots, and for each slot its largest gap.
    Arange64,
    /// `maple_range_64` above the leaves, in a tree that does not track gaps: 16 slots of nodes, 15
    /// pivots.
    Range64,
}

impl Kind {
    /// How many slots a node of this kind has: `mt_slots`.
    pub fn slots(self) -> usize {
        match self {
            Kind::Leaf64 => LEAF64_SLOTS,
            Kind::Arange64 => ARANGE64_SLOTS,
            Kind::Range64 => RANGE64_SLOTS,
        }
    }

    /// The lowest `end` of a node of this kind that is not the root: `mt_min_slots`.
    ///
    /// The kernel compares it with counts as well, and so says that this many slots are too few.
    pub fn min_end(self) -> usize {
        match self {
            Kind::Leaf64 => LEAF64_MIN_END,
            Kind::Arange64 => ARANGE64_MIN_END,
            Kind::Range64 => RANGE64_MIN_END,
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
    Arange(Arange64<E>),
    Range(Range64<E>),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range64<E> {
    pub(crate) pivots: [u64; RANGE64_SLOTS - 1],
    pub(crate) slots: [Option<NodeId<E>>; RANGE64_SLOTS],
    pub(crate) end: u8,
}

impl<E: Copy> Node<E> {
    /// The layout.
    #[inline]
    pub fn kind(&self) -> Kind {
        match self.0 {
            Shape::Leaf(_) => Kind::Leaf64,
            Shape::Arange(_) => Kind::Arange64,
            Shape::Range(_) => Kind::Range64,
        }
    }

    /// The last slot in use: `ma_data_end`.
    #[inline]
    pub fn end(&self) -> usize {
        usize::from(match &self.0 {
            Shape::Leaf(leaf) => leaf.end,
            Shape::Arange(inner) => inner.end,
            Shape::Range(inner) => inner.end,
        })
    }

    /// All pivots, also the unused ones, which are zero: `ma_pivots`.
    ///
    /// The pivot of the last slot in use is the node's own maximum, and absent if all slots are in
    /// use.
    #[inline]
    pub fn pivots(&self) -> &[u64] {
        match &self.0 {
            Shape::Leaf(leaf) => &leaf.pivots,
            Shape::Arange(inner) => &inner.pivots,
            Shape::Range(inner) => &inner.pivots,
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
    #[inline]
    pub fn slot(&self, slot: usize) -> Slot<E> {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.slots[slot].map_or(Slot::Null, Slot::Entry),
            Shape::Arange(inner) => inner.slots[slot].map_or(Slot::Null, Slot::Node),
            Shape::Range(inner) => inner.slots[slot].map_or(Slot::Null, Slot::Node),
        }
    }

    /// The indices that slot `slot` covers, first and last, in a node that covers `min..=max`.
    ///
    /// # Panics
    ///
    /// If the slot is not in use.
    #[inline]
    pub fn slot_range(&self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        range_of(self.pivots(), self.end(), slot, min, max)
    }

    /// For each slot of an inner node the size of the largest free range under it: `ma_gaps`. Empty
    /// for a leaf, and in a tree that does not track gaps.
    pub fn gaps(&self) -> &[u64] {
        match &self.0 {
            Shape::Leaf(_) | Shape::Range(_) => &[],
            Shape::Arange(inner) => &inner.gaps,
        }
    }

    /// A slot of an inner node with the node's largest gap: `ma_meta_gap`. `None` for a node without
    /// gaps, and where the rules mark that no slot has one.
    pub fn largest_gap_slot(&self) -> Option<usize> {
        match &self.0 {
            Shape::Leaf(_) | Shape::Range(_) => None,
            Shape::Arange(inner) => {
                Some(usize::from(inner.largest)).filter(|slot| *slot < ARANGE64_SLOTS)
            }
        }
    }

    /// The largest free range in or under a node that covers `min..=max`: `mas_max_gap`. 0 for an
    /// inner node that does not track gaps.
    pub fn largest_gap(&self, min: u64, max: u64) -> u64 {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.largest_gap(min, max),
            Shape::Arange(inner) => inner.largest_gap(),
            Shape::Range(_) => 0,
        }
    }

    /// The entries in the node itself, NULL not counted.
    #[inline]
    pub(crate) fn entries(&self) -> u64 {
        match &self.0 {
            Shape::Leaf(leaf) => leaf.entries(),
            Shape::Arange(_) | Shape::Range(_) => 0,
        }
    }

    const EMPTY_LEAF64: Self = Self(Shape::Leaf(Leaf64::EMPTY));

    const EMPTY_ARANGE64: Self = Self(Shape::Arange(Arange64 {
        pivots: [0; ARANGE64_SLOTS - 1],
        slots: [None; ARANGE64_SLOTS],
        gaps: [0; ARANGE64_SLOTS],
        end: 0,
        largest: 0,
    }));

    const EMPTY_RANGE64: Self = Self(Shape::Range(Range64 {
        pivots: [0; RANGE64_SLOTS - 1],
        slots: [None; RANGE64_SLOTS],
        end: 0,
    }));

    /// A node of a kind with nothing in it yet, to be copied.
    #[inline]
    pub(crate) fn empty<'a>(kind: Kind) -> &'a Self {
        match kind {
            Kind::Leaf64 => &Self::EMPTY_LEAF64,
            Kind::Arange64 => &Self::EMPTY_ARANGE64,
            Kind::Range64 => &Self::EMPTY_RANGE64,
        }
    }

    /// The node as an inner node of either kind, or the leaf that it is.
    #[inline]
    pub(crate) fn look(&self) -> Look<'_, E> {
        match &self.0 {
            Shape::Leaf(leaf) => Look::Leaf(leaf),
            Shape::Arange(inner) => Look::Inner(Inner {
                pivots: &inner.pivots[..usize::from(inner.end)],
                children: &inner.slots,
            }),
            Shape::Range(inner) => Look::Inner(Inner {
                pivots: &inner.pivots[..usize::from(inner.end)],
                children: &inner.slots,
            }),
        }
    }

    /// The child in a slot of an inner node that is in use.
    #[inline]
    pub(crate) fn child(&self, slot: usize) -> NodeId<E> {
        match self.look() {
            Look::Inner(inner) => inner.child(slot),
            Look::Leaf(_) => unreachable!("a leaf has no children"),
        }
    }

    /// Puts another child into a slot of an inner node.
    pub(crate) fn set_child(&mut self, slot: usize, child: NodeId<E>) {
        match &mut self.0 {
            Shape::Leaf(_) => unreachable!("a leaf has no children"),
            Shape::Arange(inner) => inner.slots[slot] = Some(child),
            Shape::Range(inner) => inner.slots[slot] = Some(child),
        }
    }

    /// The leaf that this node is.
    pub(crate) fn leaf(&self) -> &Leaf64<E> {
        match &self.0 {
            Shape::Leaf(leaf) => leaf,
            _ => unreachable!("an inner node stands where a leaf should"),
        }
    }
}

/// A node looked at by what it is for.
#[derive(Clone, Copy)]
pub(crate) enum Look<'a, E> {
    Leaf(&'a Leaf64<E>),
    Inner(Inner<'a, E>),
}

/// What both kinds of inner nodes have.
#[derive(Clone, Copy)]
pub(crate) struct Inner<'a, E> {
    /// The pivots before the last slot in use.
    pub(crate) pivots: &'a [u64],
    /// All slots.
    pub(crate) children: &'a [Option<NodeId<E>>],
}

impl<E: Copy> Inner<'_, E> {
    /// The slot that covers `index` and its range, in a node that covers `min..=max`; the last slot
    /// in use for an index after the node.
    #[inline]
    pub(crate) fn search(self, index: u64, min: u64, max: u64) -> (usize, u64, u64) {
        search(self.pivots, index, min, max)
    }

    /// The range of a slot that is in use.
    #[inline]
    pub(crate) fn range_of(self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        (
            first_of(self.pivots, slot, min),
            self.pivots.get(slot).copied().unwrap_or(max),
        )
    }

    /// The child in a slot that is in use.
    #[inline]
    pub(crate) fn child(self, slot: usize) -> NodeId<E> {
        match self.children[slot] {
            Some(child) => child,
            None => empty_slot(slot),
        }
    }
}

#[cold]
fn empty_slot(slot: usize) -> ! {
    unreachable!("slot {slot} of an inner node is in use and empty")
}

/// Where slot `slot` starts, given the pivots before the last slot in use.
#[inline]
pub(crate) fn first_of(pivots: &[u64], slot: usize, min: u64) -> u64 {
    match slot.checked_sub(1).and_then(|before| pivots.get(before)) {
        Some(pivot) => pivot.wrapping_add(1),
        None => min,
    }
}

/// The first slot that ends at `index` or later, given the pivots before the last slot in use.
#[inline]
pub(crate) fn position(pivots: &[u64], index: u64) -> usize {
    let mut slot = 0;
    while slot < pivots.len() && pivots[slot] < index {
        slot += 1;
    }
    slot
}

/// The same with the slot's range.
#[inline]
fn search(pivots: &[u64], index: u64, min: u64, max: u64) -> (usize, u64, u64) {
    let slot = position(pivots, index);
    let last = pivots.get(slot).copied().unwrap_or(max);
    (slot, first_of(pivots, slot, min), last)
}

impl<E: Copy> Leaf64<E> {
    pub(crate) const EMPTY: Self = Self {
        pivots: [0; LEAF64_SLOTS - 1],
        slots: [None; LEAF64_SLOTS],
        end: 0,
    };

    /// The slot that covers `index`, for an index within the node.
    #[inline]
    pub(crate) fn slot_at(&self, index: u64) -> usize {
        position(self.used(), index)
    }

    /// The pivots before the last slot in use.
    #[inline]
    pub(crate) fn used(&self) -> &[u64] {
        &self.pivots[..usize::from(self.end)]
    }

    /// As [`Inner::search`].
    #[inline]
    pub(crate) fn search(&self, index: u64, min: u64, max: u64) -> (usize, u64, u64) {
        search(self.used(), index, min, max)
    }

    /// As [`Inner::range_of`].
    #[inline]
    pub(crate) fn range_of(&self, slot: usize, min: u64, max: u64) -> (u64, u64) {
        let used = self.used();
        (
            first_of(used, slot, min),
            used.get(slot).copied().unwrap_or(max),
        )
    }

    /// The last index of slot `slot`, which is in use, of a node that ends with `max`.
    #[inline]
    pub(crate) fn last_of(&self, slot: usize, max: u64) -> u64 {
        self.used().get(slot).copied().unwrap_or(max)
    }

    pub(crate) fn largest_gap(&self, min: u64, max: u64) -> u64 {
        let used = self.used();
        let (mut first, mut largest) = (min, 0);
        for (entry, last) in self.slots.iter().zip(used) {
            if entry.is_none() {
                largest = largest.max(size(first, *last));
            }
            first = last.wrapping_add(1);
        }
        if self.slots[used.len()].is_none() {
            largest = largest.max(size(first, max));
        }
        largest
    }

    /// Whether the leaf holds nothing but NULL, in one slot.
    pub(crate) fn is_one_hole(&self) -> bool {
        self.end == 0 && self.slots[0].is_none()
    }

    #[inline]
    pub(crate) fn entries(&self) -> u64 {
        // What is not in use is NULL.
        let taken = self.slots.iter().map(|slot| u32::from(slot.is_some()));
        u64::from(taken.sum::<u32>())
    }
}

impl<E: Copy> Arange64<E> {
    #[inline]
    pub(crate) fn largest_gap(&self) -> u64 {
        self.gaps
            .get(usize::from(self.largest))
            .copied()
            .unwrap_or(0)
    }
}

/// How many indices `first..=last` holds; all 2^64 of them count as one less.
#[inline]
pub(crate) fn size(first: u64, last: u64) -> u64 {
    (last - first).saturating_add(1)
}

#[inline]
fn range_of(pivots: &[u64], end: usize, slot: usize, min: u64, max: u64) -> (u64, u64) {
    assert!(slot <= end, "slot {slot} is not in use");
    let first = if slot == 0 { min } else { pivots[slot - 1] + 1 };
    let last = if slot == end { max } else { pivots[slot] };
    (first, last)
}
