//! Reading: from the root down to the range that holds an index, and from range to range.

use crate::node::{Leaf64, Look, position};
use crate::{MapleTree, Root, Span};

/// A range of the tree, and the leaf that it is in.
struct Spot<'a, E> {
    span: Span<E>,
    /// The leaf, the range it covers, and the slot. `None` in a tree without nodes.
    leaf: Option<(&'a Leaf64<E>, u64, u64, usize)>,
}

impl<'a, E: Copy> Spot<'a, E> {
    /// The range behind this one, which does not end with the index space.
    fn next(&self, tree: &'a MapleTree<E>) -> Self {
        match self.leaf {
            Some((leaf, min, max, slot)) if slot < leaf.used().len() => {
                let (slot, first) = (slot + 1, self.span.last + 1);
                Self::in_leaf(leaf, min, max, slot, first, leaf.last_of(slot, max))
            }
            _ => tree.spot_at(self.span.last + 1),
        }
    }

    /// The range before this one, which does not start with the index space.
    fn prev(&self, tree: &'a MapleTree<E>) -> Self {
        match self.leaf {
            Some((leaf, min, max, slot)) if slot > 0 => {
                let (slot, last) = (slot - 1, self.span.first - 1);
                Self::in_leaf(leaf, min, max, slot, leaf.range_of(slot, min, max).0, last)
            }
            _ => tree.spot_at(self.span.first - 1),
        }
    }

    #[inline]
    fn in_leaf(
        leaf: &'a Leaf64<E>,
        min: u64,
        max: u64,
        slot: usize,
        first: u64,
        last: u64,
    ) -> Self {
        let entry = leaf.slots[slot];
        Self {
            span: Span { first, last, entry },
            leaf: Some((leaf, min, max, slot)),
        }
    }
}

impl<E: Copy> MapleTree<E> {
    /// The range that holds `index`, and its entry: `mas_walk`.
    ///
    /// For NULL the range is the whole hole.
    pub fn range_at(&self, index: u64) -> Span<E> {
        self.spot_at(index).span
    }

    /// Goes on from the range that holds `index` to the next, past NULL unless `empty`, until a range
    /// reaches `max`: `mas_next_slot`. Returns the range come to, if it is another, and whether it is
    /// what was looked for.
    pub(crate) fn range_after(&self, index: u64, max: u64, empty: bool) -> (Option<Span<E>>, bool) {
        let mut spot = self.spot_at(index);
        let mut moved = None;
        while spot.span.last < max {
            spot = spot.next(self);
            moved = Some(spot.span);
            if spot.span.entry.is_some() || empty {
                return (moved, true);
            }
        }
        (moved, false)
    }

    /// The same the other way: `mas_prev_slot`.
    pub(crate) fn range_before(
        &self,
        index: u64,
        min: u64,
        empty: bool,
    ) -> (Option<Span<E>>, bool) {
        let mut spot = self.spot_at(index);
        let mut moved = None;
        while spot.span.first > min {
            spot = spot.prev(self);
            moved = Some(spot.span);
            if spot.span.entry.is_some() || empty {
                return (moved, true);
            }
        }
        (moved, false)
    }

    /// The entry at `index`: `mtree_load`.
    pub fn get(&self, index: u64) -> Option<E> {
        let Root::Node { mut id, .. } = self.root else {
            return self.range_without_nodes(index).entry;
        };
        loop {
            match self.node(id).look() {
                Look::Leaf(leaf) => return leaf.slots[leaf.slot_at(index)],
                Look::Inner(inner) => id = inner.child(position(inner.pivots, index)),
            }
        }
    }

    /// The range that holds `index`, and where it is: `mas_state_walk`.
    #[inline]
    fn spot_at(&self, index: u64) -> Spot<'_, E> {
        let Root::Node { mut id, .. } = self.root else {
            let span = self.range_without_nodes(index);
            return Spot { span, leaf: None };
        };
        let (mut min, mut max) = (0, u64::MAX);
        loop {
            match self.node(id).look() {
                Look::Leaf(leaf) => {
                    let (slot, first, last) = leaf.search(index, min, max);
                    return Spot::in_leaf(leaf, min, max, slot, first, last);
                }
                Look::Inner(inner) => {
                    let slot;
                    (slot, min, max) = inner.search(index, min, max);
                    id = inner.child(slot);
                }
            }
        }
    }

    fn range_without_nodes(&self, index: u64) -> Span<E> {
        match self.root {
            Root::Direct(entry) if index == 0 => Span {
                first: 0,
                last: 0,
                entry: Some(entry),
            },
            Root::Direct(_) => Span {
                first: 1,
                last: u64::MAX,
                entry: None,
            },
            Root::Empty => Span {
                first: 0,
                last: u64::MAX,
                entry: None,
            },
            Root::Node { .. } => unreachable!("a tree with nodes has a leaf for every index"),
        }
    }
}

/// The ranges of a tree in index order, NULL ranges included, from either end: see
/// [`MapleTree::ranges`](crate::MapleTree::ranges).
///
/// Keeps the leaf it is in, so that a step costs O(log n) only where it enters another leaf.
pub struct Ranges<'a, E> {
    tree: &'a MapleTree<E>,
    /// What is still to come, or `None` at the end.
    rest: Option<(u64, u64)>,
    /// The range that came last from each end.
    front: Option<Spot<'a, E>>,
    back: Option<Spot<'a, E>>,
}

impl<'a, E: Copy> Ranges<'a, E> {
    pub(crate) fn new(tree: &'a MapleTree<E>, first: u64, last: u64) -> Self {
        let rest = (first <= last).then_some((first, last));
        Self {
            tree,
            rest,
            front: None,
            back: None,
        }
    }
}

impl<E: Copy> Iterator for Ranges<'_, E> {
    type Item = Span<E>;

    fn next(&mut self) -> Option<Span<E>> {
        let (first, last) = self.rest?;
        let spot = match &self.front {
            Some(spot) => spot.next(self.tree),
            None => self.tree.spot_at(first),
        };
        let span = spot.span;
        self.front = Some(spot);
        self.rest = (span.last < last).then(|| (span.last + 1, last));
        Some(span)
    }
}

impl<E: Copy> DoubleEndedIterator for Ranges<'_, E> {
    fn next_back(&mut self) -> Option<Span<E>> {
        let (first, last) = self.rest?;
        let spot = match &self.back {
            Some(spot) => spot.prev(self.tree),
            None => self.tree.spot_at(last),
        };
        let span = spot.span;
        self.back = Some(spot);
        self.rest = (span.first > first).then(|| (first, span.first - 1));
        Some(span)
    }
}
