//! A store that changes one leaf: in place, or as a new node in its place: `mas_wr_slot_store`,
//! `mas_wr_append`, `mas_wr_node_store`.

use crate::node::{Leaf64, Shape};
use crate::path::small;
use crate::store_type::Walk;
use crate::{Kind, LEAF64_SLOTS, MapleTree, Node, Observer, WriteEvent};

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
        self.count_entries(wr.content.is_some().into(), wr.entry.is_some().into());
        if wr.content.is_some() != wr.entry.is_some() {
            self.update_leaf_gap(wr, obs);
        }
    }

    /// Moves boundaries, or writes all slots anew, in the node that stays.
    pub(crate) fn write_in_place(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let id = wr.trail.end();
        let old = self.node(id).leaf();
        let mut new = Leaf64::EMPTY;
        fill(&mut new, old, wr);
        if new == *old {
            return;
        }
        self.count_entries(old.entries(), new.entries());
        self.edit_node(id, obs).0 = Shape::Leaf(new);
        self.update_leaf_gap(wr, obs);
    }

    /// Puts a new leaf in the place of the old one.
    pub(crate) fn node_store(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let id = wr.trail.end();
        let level = wr.trail.level();
        let mut node = Node::empty(Kind::Leaf64);
        let mut gap = 0;
        if let Shape::Leaf(new) = &mut node.0 {
            fill(new, self.node(id).leaf(), wr);
            gap = new.largest_gap(wr.min, wr.max);
        }
        let new = self.alloc_node(node, obs);
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

/// Fills an empty leaf with what the old one holds after the store, which leaves it enough slots.
fn fill<E: Copy>(new: &mut Leaf64<E>, old: &Leaf64<E>, wr: &Walk<E>) {
    let mut at = wr.offset;
    new.slots[..at].copy_from_slice(&old.slots[..at]);
    new.pivots[..at].copy_from_slice(&old.pivots[..at]);
    if wr.r_min < wr.index {
        new.slots[at] = wr.content;
        new.pivots[at] = wr.index - 1;
        at += 1;
    }
    new.slots[at] = wr.entry;
    if at < LEAF64_SLOTS - 1 {
        new.pivots[at] = wr.last;
    }
    at += 1;
    let end = usize::from(old.end);
    let from = wr.offset_end + usize::from(wr.last == wr.end_piv);
    if from <= end {
        let count = end + 1 - from;
        new.slots[at..at + count].copy_from_slice(&old.slots[from..=end]);
        new.pivots[at..at + count - 1].copy_from_slice(&old.pivots[from..end]);
        at += count;
    }
    at -= 1;
    if at < LEAF64_SLOTS - 1 {
        new.pivots[at] = wr.max;
    }
    new.end = small(at);
}
