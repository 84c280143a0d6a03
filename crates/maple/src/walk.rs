//! Reading: from the root down to the range that holds an index, and from range to range.

use crate::node::{Leaf64, Look, position};
use crate::{MapleTree, Root, Span};

/// A leaf with the range it covers.
pub(crate) struct LeafAt<'a, E> {
    leaf: &'a Leaf64<E>,
    min: u64,
    max: u64,
}

impl<E: Copy> LeafAt<'_, E> {
    fn holds(&self, index: u64) -> bool {
        self.min <= index && index <= self.max
    }

    fn span(&self, index: u64) -> Span<E> {
        let (slot, first, last) = self.leaf.search(index, self.min, self.max);
        Span {
            first,
            last,
            entry: self.leaf.slots[slot],
        }
    }
}

impl<E: Copy> MapleTree<E> {
    /// The range that holds `index`, and its entry: `mas_walk`.
    ///
    /// For NULL the range is the whole hole.
    pub fn range_at(&self, index: u64) -> Span<E> {
        match self.leaf_at(index) {
            Some(leaf) => leaf.span(index),
            None => self.range_without_nodes(index),
        }
    }

    /// Goes on from the range that holds `index` to the next, past NULL unless `empty`, until a range
    /// reaches `max`: `mas_next_slot`. Returns the range come to, if it is another, and whether it is
    /// what was looked for.
    pub(crate) fn range_after(&self, index: u64, max: u64, empty: bool) -> (Option<Span<E>>, bool) {
        let mut leaf = self.leaf_at(index);
        let mut span = self.span_in(leaf.as_ref(), index);
        let mut moved = false;
        while span.last < max {
            let next = span.last + 1;
            if leaf.as_ref().is_some_and(|leaf| leaf.max < next) {
                leaf = self.leaf_at(next);
            }
            span = self.span_in(leaf.as_ref(), next);
            moved = true;
            if span.entry.is_some() || empty {
                return (Some(span), true);
            }
        }
        (Some(span).filter(|_| moved), false)
    }

    /// The same the other way: `mas_prev_slot`.
    pub(crate) fn range_before(
        &self,
        index: u64,
        min: u64,
        empty: bool,
    ) -> (Option<Span<E>>, bool) {
        let mut leaf = self.leaf_at(index);
        let mut span = self.span_in(leaf.as_ref(), index);
        let mut moved = false;
        while span.first > min {
            let next = span.first - 1;
            if leaf.as_ref().is_some_and(|leaf| leaf.min > next) {
                leaf = self.leaf_at(next);
            }
            span = self.span_in(leaf.as_ref(), next);
            moved = true;
            if span.entry.is_some() || empty {
                return (Some(span), true);
            }
        }
        (Some(span).filter(|_| moved), false)
    }

    fn span_in(&self, leaf: Option<&LeafAt<'_, E>>, index: u64) -> Span<E> {
        match leaf {
            Some(leaf) => leaf.span(index),
            None => self.range_without_nodes(index),
        }
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

    /// The leaf that covers `index`, or `None` for a tree without nodes: `mas_state_walk`.
    #[inline]
    fn leaf_at(&self, index: u64) -> Option<LeafAt<'_, E>> {
        let Root::Node { mut id, .. } = self.root else {
            return None;
        };
        let (mut min, mut max) = (0, u64::MAX);
        loop {
            match self.node(id).look() {
                Look::Leaf(leaf) => return Some(LeafAt { leaf, min, max }),
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
    front: Option<LeafAt<'a, E>>,
    back: Option<LeafAt<'a, E>>,
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

    fn look(tree: &'a MapleTree<E>, leaf: &mut Option<LeafAt<'a, E>>, index: u64) -> Span<E> {
        if !leaf.as_ref().is_some_and(|leaf| leaf.holds(index)) {
            *leaf = tree.leaf_at(index);
        }
        match leaf {
            Some(leaf) => leaf.span(index),
            None => tree.range_without_nodes(index),
        }
    }
}

impl<E: Copy> Iterator for Ranges<'_, E> {
    type Item = Span<E>;

    fn next(&mut self) -> Option<Span<E>> {
        let (first, last) = self.rest?;
        let span = Self::look(self.tree, &mut self.front, first);
        self.rest = (span.last < last).then(|| (span.last + 1, last));
        Some(span)
    }
}

impl<E: Copy> DoubleEndedIterator for Ranges<'_, E> {
    fn next_back(&mut self) -> Option<Span<E>> {
        let (first, last) = self.rest?;
        let span = Self::look(self.tree, &mut self.back, last);
        self.rest = (span.first > first).then(|| (first, span.first - 1));
        Some(span)
    }
}
