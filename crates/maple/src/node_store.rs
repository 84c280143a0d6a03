//! A store that changes one leaf: in place, or as a new node in its place: `mas_wr_slot_store`,
//! `mas_wr_append`, `mas_wr_node_store`.

use crate::node::{Leaf64, Shape};
use crate::path::{Path, Step};
use crate::store_type::Walk;
use crate::{LEAF64_SLOTS, MapleTree, Node, Observer, WriteEvent};

impl<E: Copy + Eq> MapleTree<E> {
    /// Writes the entry into the slot that has the store's range. The node stays.
    pub(crate) fn exact_fit(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let (path, step) = leaf_step(wr);
        if wr.content == wr.entry {
            return;
        }
        let Shape::Leaf(leaf) = &mut self.edit_node(step.id, obs).0 else {
            return;
        };
        leaf.slots[wr.offset] = wr.entry;
        self.count_entries(wr.content.is_some().into(), wr.entry.is_some().into());
        if wr.content.is_some() != wr.entry.is_some() {
            self.update_leaf_gap(path, step, obs);
        }
    }

    /// Moves boundaries, or writes all slots anew, in the node that stays.
    pub(crate) fn write_in_place(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) {
        let (path, step) = leaf_step(wr);
        let old = self.node(step.id).leaf();
        let new = stored(old, step.max, wr);
        if new == *old {
            return;
        }
        self.count_entries(old.entries(), new.entries());
        self.edit_node(step.id, obs).0 = Shape::Leaf(new);
        self.update_leaf_gap(path, step, obs);
    }

    /// Puts a new leaf in the place of the old one, which is returned.
    pub(crate) fn node_store(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) -> Step<E> {
        let (path, step) = leaf_step(wr);
        let level = path.level();
        let node = Node(Shape::Leaf(stored(self.node(step.id).leaf(), step.max, wr)));
        let gap = node.largest_gap(step.min, step.max);
        let id = self.alloc_node(node, obs);
        obs.write(WriteEvent::Filled { node: id });
        if level == 0 {
            self.publish_root(id, self.height(), obs);
        } else {
            self.publish_child(path, level, id, obs);
        }
        self.free_dead(&[*step], obs);
        self.update_gaps(path, level, gap, obs);
        *step
    }

    fn update_leaf_gap(&mut self, path: &Path<E>, step: &Step<E>, obs: &mut impl Observer<E>) {
        let gap = self.node(step.id).largest_gap(step.min, step.max);
        self.update_gaps(path, path.level(), gap, obs);
    }
}

fn leaf_step<E: Copy>(wr: &Walk<E>) -> (&Path<E>, &Step<E>) {
    (&wr.path, &wr.path[wr.path.level()])
}

/// The leaf after the store, which leaves it enough slots.
fn stored<E: Copy>(old: &Leaf64<E>, max: u64, wr: &Walk<E>) -> Leaf64<E> {
    let mut new = Leaf64::EMPTY;
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
        new.pivots[at] = max;
    }
    new.end = u8::try_from(at).unwrap_or_else(|_| unreachable!("a leaf has few slots"));
    new
}
