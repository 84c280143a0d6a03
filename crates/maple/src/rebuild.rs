//! What split, rebalance and spanning store have in common: a run of neighbouring nodes goes, new
//! ones take its place, level by level up, until one node stands for another.

use crate::accounting::{Dead, Tally};
use crate::path::{Path, Side, Step, Way, small};
use crate::scratch::{Fresh, FreshRow, Scratch};
use crate::{Kind, MapleTree, Node, Observer, WriteEvent};

/// A change under way that reaches over several nodes: `struct maple_subtree_state`.
pub(crate) struct Rebuild<'a, E, O> {
    pub(crate) tree: &'a mut MapleTree<E>,
    pub(crate) obs: &'a mut O,
    /// The ways to the first and to the last node of the run that goes, at the level at work.
    pub(crate) left: &'a mut Path<E>,
    pub(crate) right: &'a mut Path<E>,
    /// The slots that the new nodes of this level get.
    pub(crate) scratch: Scratch<E>,
    pub(crate) tally: Tally<E>,
}

impl<'a, E: Copy, O: Observer<E>> Rebuild<'a, E, O> {
    /// A change from the node that `left` leads to up to the one that `right` leads to.
    pub(crate) fn new(
        tree: &'a mut MapleTree<E>,
        obs: &'a mut O,
        left: &'a mut Path<E>,
        right: &'a mut Path<E>,
    ) -> Self {
        Self {
            tree,
            obs,
            left,
            right,
            scratch: Scratch::new(),
            tally: Tally::new(),
        }
    }

    /// The level of the leaves.
    pub(crate) fn leaves(&self) -> usize {
        usize::from(self.tree.height()) - 1
    }

    /// The kind of the nodes at a level.
    pub(crate) fn kind(&self, level: usize) -> Kind {
        if level == self.leaves() {
            Kind::Leaf64
        } else {
            self.tree.inner_kind()
        }
    }

    /// Whether the run is all there is at its level.
    pub(crate) fn is_whole(&self, level: usize) -> bool {
        self.left[level].min == 0 && self.right[level].max == u64::MAX
    }

    /// The nodes of the run will leave the tree.
    pub(crate) fn bury(&mut self, level: usize) {
        let last = self.right[level].id;
        self.tally.dead.push(self.left[level]);
        if self.left[level].id == last {
            return;
        }
        let (left, right) = (self.left[level - 1], self.right[level - 1]);
        if left.id == right.id && left.slot() + 1 == right.slot() {
            self.tally.dead.push(self.right[level]);
            return;
        }
        let mut at = *self.left;
        while self.tree.step_aside(&mut at, 0, level, Side::Right) {
            self.tally.dead.push(at[level]);
            if at[level].id == last {
                return;
            }
        }
    }

    /// Makes nodes of the parts of the scratch that end before each of `ends`:
    /// `mast_cp_to_nodes`.
    pub(crate) fn make(&mut self, kind: Kind, min: u64, ends: &[usize]) -> FreshRow<E> {
        let mut row = FreshRow::new();
        let (mut from, mut min) = (0, min);
        for to in ends {
            let rules = *self.tree.rules();
            let last = self.scratch.last_of(*to - 1);
            let (id, node) = self.tree.begin_node(Node::empty(kind), self.obs);
            self.scratch.fill(node, from, *to, &rules);
            let gap = node.largest_gap(min, last);
            self.obs.write(WriteEvent::Filled { node: id });
            self.tally.used += 1;
            row.push(Fresh { id, last, gap });
            (from, min) = (*to, last.wrapping_add(1));
        }
        row
    }

    /// [`make`](Self::make) for a level, in place of the run there, which is buried.
    pub(crate) fn remake(&mut self, level: usize, ends: &[usize]) -> FreshRow<E> {
        self.bury(level);
        self.make(self.kind(level), self.left[level].min, ends)
    }

    /// Gathers the children of the level above: those left of the run, the new ones, those right of
    /// it: `mast_combine_cp_left`, `mast_combine_cp_right`, `mast_fill_bnode`.
    pub(crate) fn ascend(&mut self, level: usize, row: &FreshRow<E>) {
        self.scratch.clear();
        let (left, right) = (self.left[level - 1], self.right[level - 1]);
        self.scratch
            .take(self.tree.node(left.id), left.max, 0, left.slot());
        self.scratch.push_fresh(row);
        let node = self.tree.node(right.id);
        self.scratch
            .take(node, right.max, right.slot() + 1, node.end() + 1);
    }

    /// Takes the sibling on one side into the run and the scratch, if there is one under the same
    /// parent whose slots `fit`.
    pub(crate) fn take_sibling(
        &mut self,
        level: usize,
        side: Side,
        fit: impl Fn(usize) -> bool,
    ) -> bool {
        let Some(up) = level.checked_sub(1) else {
            return false;
        };
        let path = match side {
            Side::Left => &*self.left,
            Side::Right => &*self.right,
        };
        if !self.tree.can_turn(path, up, side) {
            return false;
        }
        let slot = match side {
            Side::Left => path[up].slot() - 1,
            Side::Right => path[up].slot() + 1,
        };
        let sibling = self.tree.node(path[up].id).child(slot);
        if !fit(self.tree.node(sibling).end() + 1) {
            return false;
        }
        self.take_neighbour(level, up, side);
        true
    }

    /// Takes the nearest node of the level into the run and the scratch, if there is one: one level
    /// up after the other, the right side is asked first, then the left: `mast_spanning_rebalance`.
    pub(crate) fn take_nearest(&mut self, level: usize) -> bool {
        for up in (0..level).rev() {
            for side in [Side::Right, Side::Left] {
                let path = match side {
                    Side::Left => &*self.left,
                    Side::Right => &*self.right,
                };
                if self.tree.can_turn(path, up, side) {
                    self.take_neighbour(level, up, side);
                    return true;
                }
            }
        }
        false
    }

    fn take_neighbour(&mut self, level: usize, up: usize, side: Side) {
        match side {
            Side::Left => {
                self.tree.turn(self.left, up, level, side);
                let Step { id, max, .. } = self.left[level];
                self.scratch.take_in_front(self.tree.node(id), max);
            }
            Side::Right => {
                self.tree.turn(self.right, up, level, side);
                let Step { id, max, .. } = self.right[level];
                self.scratch.take_all(self.tree.node(id), max);
            }
        }
    }

    /// One new node takes the place of the only old one at its level, and all is done:
    /// `mas_wmb_replace`.
    pub(crate) fn publish(&mut self, level: usize, fresh: Fresh<E>) {
        let (tree, obs) = (&mut *self.tree, &mut *self.obs);
        if level == 0 {
            tree.publish_root(fresh.id, tree.height(), obs);
        } else {
            tree.publish_child(&*self.left, level, fresh.id, obs);
        }
        tree.free_dead(&self.tally.dead, obs);
        if level > 0 {
            tree.update_gaps(&*self.left, level, fresh.gap, obs);
        }
    }

    /// The new nodes of a level are all there is: one is the root, more get a root above.
    pub(crate) fn publish_whole(&mut self, level: usize, row: &FreshRow<E>) {
        for above in 0..level {
            self.bury(above);
        }
        let levels = self.tree.height() - u8::try_from(level).unwrap_or(0);
        let (root, height) = match row.single() {
            Some(only) => (only.id, levels),
            None => {
                self.scratch.clear();
                self.scratch.push_fresh(row);
                let count = self.scratch.len();
                let above = self.make(self.tree.inner_kind(), 0, &[count]);
                let Some(root) = above.single() else {
                    unreachable!("a root was made of all nodes below")
                };
                (root.id, levels + 1)
            }
        };
        self.tree.publish_root(root, height, self.obs);
        self.tree.free_dead(&self.tally.dead, self.obs);
    }
}

impl<E: Copy> MapleTree<E> {
    /// Puts a new node where the root was.
    pub(crate) fn publish_root(
        &mut self,
        id: crate::NodeId<E>,
        height: u8,
        obs: &mut impl Observer<E>,
    ) {
        self.set_root(crate::Root::Node { id, height }, obs);
        obs.write(WriteEvent::Published {
            node: id,
            parent: None,
        });
    }

    /// Puts a new node where the way led through at `level`.
    pub(crate) fn publish_child(
        &mut self,
        way: &impl Way<E>,
        level: usize,
        id: crate::NodeId<E>,
        obs: &mut impl Observer<E>,
    ) {
        let (parent, slot) = way.at(level - 1);
        self.edit_node(parent, obs).set_child(slot, id);
        obs.write(WriteEvent::Published {
            node: id,
            parent: Some((parent, small(slot))),
        });
    }

    /// Frees nodes that left the tree.
    pub(crate) fn free_dead(&mut self, dead: &Dead<E>, obs: &mut impl Observer<E>) {
        for step in dead.iter() {
            self.free_one(step.id, obs);
        }
    }

    /// Frees a node that left the tree.
    pub(crate) fn free_one(&mut self, id: crate::NodeId<E>, obs: &mut impl Observer<E>) {
        obs.write(WriteEvent::Dead { node: id });
        self.free_node(id, obs);
    }
}
