//! Where nodes are gathered and cut anew: the kernel's `struct maple_big_node`, and its
//! `struct maple_copy` too, which reads the same sources without storing them in between.

use crate::node::{Arange64, Leaf64, NO_GAP, Shape};
use crate::path::{Step, small};
use crate::rules::{Family, NoGap};
use crate::store_type::Walk;
use crate::{Kind, Node, NodeId, Rules};

/// The most slots that come together: an inner node without gaps on both sides and three new
/// children, or a leaf on both sides and a store that leaves a rest at both its ends.
const ROOM: usize = 40;

/// The slots of neighbouring nodes in one row, either of leaves or of inner nodes: what each holds,
/// where it ends, and the largest gap under it if it is a node.
pub(crate) struct Scratch<E> {
    last: [u64; ROOM],
    entry: [Option<E>; ROOM],
    child: [Option<NodeId<E>>; ROOM],
    gap: [u64; ROOM],
    len: usize,
}

/// A node made from a part of the scratch, and what its parent must know of it.
#[derive(Clone, Copy)]
pub(crate) struct Fresh<E> {
    pub(crate) id: NodeId<E>,
    pub(crate) last: u64,
    pub(crate) gap: u64,
}

/// One to three nodes in order, that take the place of a run of old ones.
#[derive(Clone, Copy)]
pub(crate) struct FreshRow<E> {
    nodes: [Fresh<E>; 3],
    len: usize,
}

impl<E: Copy> FreshRow<E> {
    pub(crate) fn new() -> Self {
        let none = Fresh {
            id: NodeId::filler(),
            last: 0,
            gap: 0,
        };
        Self {
            nodes: [none; 3],
            len: 0,
        }
    }

    pub(crate) fn push(&mut self, fresh: Fresh<E>) {
        self.nodes[self.len] = fresh;
        self.len += 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Fresh<E>> {
        self.nodes[..self.len].iter().copied()
    }

    /// The only node, if it is one.
    pub(crate) fn single(&self) -> Option<Fresh<E>> {
        Some(self.nodes[0]).filter(|_| self.len == 1)
    }
}

impl<E: Copy> Scratch<E> {
    pub(crate) fn new() -> Self {
        Self {
            last: [0; ROOM],
            entry: [None; ROOM],
            child: [None; ROOM],
            gap: [0; ROOM],
            len: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The entries of slots that are of leaves.
    pub(crate) fn entries(&self) -> u64 {
        self.entry[..self.len]
            .iter()
            .map(|slot| u64::from(slot.is_some()))
            .sum()
    }

    /// Whether slot `at` of a leaf holds NULL.
    pub(crate) fn is_null(&self, at: usize) -> bool {
        self.entry[at].is_none()
    }

    fn push(&mut self, last: u64, entry: Option<E>) {
        self.last[self.len] = last;
        self.entry[self.len] = entry;
        self.len += 1;
    }

    pub(crate) fn push_fresh(&mut self, row: &FreshRow<E>) {
        for fresh in row.iter() {
            self.last[self.len] = fresh.last;
            self.gap[self.len] = fresh.gap;
            self.child[self.len] = Some(fresh.id);
            self.len += 1;
        }
    }

    /// Appends slots `from..to` of a node that ends with `max`: `mas_mab_cp`.
    pub(crate) fn take(&mut self, node: &Node<E>, max: u64, from: usize, to: usize) {
        match &node.0 {
            Shape::Leaf(leaf) => {
                self.take_lasts(leaf.used(), max, from, to);
                self.take_entries(&leaf.slots[from..to]);
            }
            Shape::Arange(inner) => {
                self.take_lasts(&inner.pivots[..usize::from(inner.end)], max, from, to);
                let room = self.len..self.len + (to - from);
                self.gap[room].copy_from_slice(&inner.gaps[from..to]);
                self.take_children(&inner.slots[from..to]);
            }
            Shape::Range(inner) => {
                self.take_lasts(&inner.pivots[..usize::from(inner.end)], max, from, to);
                self.take_children(&inner.slots[from..to]);
            }
        }
    }

    fn take_lasts(&mut self, used: &[u64], max: u64, from: usize, to: usize) {
        let pivots = &used[from.min(used.len())..to.min(used.len())];
        let room = &mut self.last[self.len..self.len + (to - from)];
        if let Some(last) = room.last_mut() {
            // Overwritten below unless it is the node's last slot.
            *last = max;
        }
        room[..pivots.len()].copy_from_slice(pivots);
    }

    fn take_entries(&mut self, slots: &[Option<E>]) {
        self.entry[self.len..self.len + slots.len()].copy_from_slice(slots);
        self.len += slots.len();
    }

    fn take_children(&mut self, slots: &[Option<NodeId<E>>]) {
        self.child[self.len..self.len + slots.len()].copy_from_slice(slots);
        self.len += slots.len();
    }

    /// Appends all slots of a node that ends with `max`.
    pub(crate) fn take_all(&mut self, node: &Node<E>, max: u64) {
        self.take(node, max, 0, node.end() + 1);
    }

    /// Puts all slots of a node that ends with `max` in front: `mab_shift_right`.
    pub(crate) fn take_in_front(&mut self, node: &Node<E>, max: u64) {
        let (old, count) = (self.len, node.end() + 1);
        self.last.copy_within(..old, count);
        if node.kind() == Kind::Leaf64 {
            self.entry.copy_within(..old, count);
        } else {
            self.child.copy_within(..old, count);
            self.gap.copy_within(..old, count);
        }
        self.len = 0;
        self.take_all(node, max);
        self.len += old;
    }

    /// Appends the leaf at `step` as it is after the store: `mas_store_b_node`.
    pub(crate) fn take_stored(&mut self, leaf: &Leaf64<E>, step: &Step<E>, wr: &Walk<E>) {
        self.take_until_entry(leaf, wr);
        let end = usize::from(leaf.end);
        if wr.last < wr.end_piv {
            self.push(wr.end_piv, leaf.slots[wr.offset_end]);
        }
        if wr.offset_end < end {
            self.take_lasts(leaf.used(), step.max, wr.offset_end + 1, end + 1);
            self.take_entries(&leaf.slots[wr.offset_end + 1..=end]);
        }
    }

    /// Appends what a leaf holds before the range of the store, and the entry.
    pub(crate) fn take_until_entry(&mut self, leaf: &Leaf64<E>, wr: &Walk<E>) {
        self.take_lasts(&leaf.pivots, u64::MAX, 0, wr.offset);
        self.take_entries(&leaf.slots[..wr.offset]);
        if wr.r_min < wr.index {
            self.push(wr.index - 1, wr.content);
        }
        self.push(wr.last, wr.entry);
    }

    /// Fills an empty node with slots `from..to`: `mab_mas_cp`.
    pub(crate) fn fill(&self, node: &mut Node<E>, from: usize, to: usize, rules: &Rules) {
        let count = to - from;
        match &mut node.0 {
            Shape::Leaf(leaf) => {
                leaf.end = small(count - 1);
                leaf.slots[..count].copy_from_slice(&self.entry[from..to]);
                self.pivots(&mut leaf.pivots, from, to);
            }
            Shape::Arange(inner) => {
                inner.end = small(count - 1);
                inner.slots[..count].copy_from_slice(&self.child[from..to]);
                inner.gaps[..count].copy_from_slice(&self.gap[from..to]);
                self.pivots(&mut inner.pivots, from, to);
                inner.largest = largest_of_new(inner, rules);
            }
            Shape::Range(inner) => {
                inner.end = small(count - 1);
                inner.slots[..count].copy_from_slice(&self.child[from..to]);
                self.pivots(&mut inner.pivots, from, to);
            }
        }
    }

    /// The pivots of slots `from..to`; a full node has none for its last slot.
    fn pivots(&self, pivots: &mut [u64], from: usize, to: usize) {
        let count = (to - from).min(pivots.len());
        pivots[..count].copy_from_slice(&self.last[from..from + count]);
    }

    /// Where slot `at` ends.
    pub(crate) fn last_of(&self, at: usize) -> u64 {
        self.last[at]
    }
}

/// The slot that a new node is marked with as having its largest gap. Among equal ones one family
/// takes the highest, the other the lowest.
fn largest_of_new<E>(inner: &Arange64<E>, rules: &Rules) -> u8 {
    let (mut at, mut largest) = (0, 0);
    let ties = u64::from(rules.family == Family::BigNode);
    for (slot, gap) in (0..=inner.end).zip(inner.gaps) {
        // A later slot needs a larger gap, or with ties an equal one.
        if gap.wrapping_add(ties) > largest && gap > 0 {
            (at, largest) = (slot, gap);
        }
    }
    if largest == 0 && rules.no_gap == NoGap::Marked {
        return NO_GAP;
    }
    at
}
