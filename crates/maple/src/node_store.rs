//! A store that changes one leaf: in place, or as a new node in its place: `mas_wr_slot_store`,
//! `mas_wr_append`, `mas_wr_node_store`.

use crate::node::{Leaf64, Shape};
use crate::path::small;
use crate::store_type::Walk;
use crate::{LEAF64_SLOTS, MapleTree, Observer, WriteEvent};

impl<E: Copy + Eq> MapleTree<E> {
    /// Writes the entry into the slot that has the store's range. The node stays.
    pub(crate) fn exact_fit(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let id = wr.trail.end();
        if wr.content == wr.entry {
            return;
        }
        let Shape::Leaf(leaf) = &mut self.edit_node(id, obs).0 else {
            return;
        };
        leaf.slots[wr.offset] = wr.entry;
        if wr.content.is_some() != wr.entry.is_some() {
            self.update_leaf_gap(wr, obs);
        }
    }

    /// Moves boundaries, or writes all slots anew, in the node that stays.
    pub(crate) fn write_in_place(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let id = wr.trail.end();
        let old = self.node(id).leaf();
        let mut new = *old;
        put(&mut new, wr);
        if new == *old {
            return;
        }
        self.edit_node(id, obs).0 = Shape::Leaf(new);
        self.update_leaf_gap(wr, obs);
    }

    /// Puts a new leaf in the place of the old one.
    pub(crate) fn node_store(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let id = wr.trail.end();
        let level = wr.trail.level();
        let old = *self.node(id);
        let (new, node) = self.begin_node(&old, obs);
        let mut gap = 0;
        if let Shape::Leaf(leaf) = &mut node.0 {
            put(leaf, wr);
            gap = leaf.largest_gap(wr.min, wr.max);
        }
        obs.write(WriteEvent::Filled { node: new });
        if level == 0 {
            self.publish_root(new, self.height(), obs);
        } else {
            self.publish_child(&wr.trail, level, new, obs);
        }
        self.free_one(id, obs);
        self.update_gaps(&wr.trail, level, gap, obs);
    }

    fn update_leaf_gap(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let gap = self.node(wr.trail.end()).largest_gap(wr.min, wr.max);
        self.update_gaps(&wr.trail, wr.trail.level(), gap, obs);
    }
}

/// Makes of a leaf what it holds after the store, for which it has enough slots.
fn put<E: Copy>(leaf: &mut Leaf64<E>, wr: &Walk<E>) {
    let (end, new_end) = (wr.end, wr.new_end);
    let keeps_start = wr.r_min < wr.index;
    // What comes after the store moves, along with a rest of the slot that the store ends in.
    let to = wr.offset + usize::from(keeps_start) + 1;
    let from = wr.offset_end + usize::from(wr.last == wr.end_piv);
    if from <= end {
        leaf.slots.copy_within(from..=end, to);
        leaf.pivots.copy_within(from..end, to);
    }
    if keeps_start {
        leaf.pivots[wr.offset] = wr.index - 1;
    }
    leaf.slots[to - 1] = wr.entry;
    if to < LEAF64_SLOTS {
        leaf.pivots[to - 1] = wr.last;
    }
    if new_end < LEAF64_SLOTS - 1 {
        leaf.pivots[new_end] = wr.max;
    }
    for unused in new_end + 1..=end {
        leaf.slots[unused] = None;
        if unused < LEAF64_SLOTS - 1 {
            leaf.pivots[unused] = 0;
        }
    }
    leaf.end = small(new_end);
}
