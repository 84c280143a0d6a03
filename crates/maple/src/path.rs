//! The way down from the root: nodes do not know their parents, so a write remembers how it came.

use std::ops::{Index, IndexMut};

use crate::node::Look;
use crate::{MapleTree, NodeId};

/// Levels that a way down can have: an inner root has two children at least, other inner nodes have
/// five, and 2 * 5^14 leaves are more than the 2^32 nodes that an arena holds.
pub(crate) const MAX_HEIGHT: usize = 15;

/// One node on the way, its range, and the slot where the way goes on.
#[derive(Clone, Copy)]
pub(crate) struct Step<E> {
    pub(crate) id: NodeId<E>,
    slot: u8,
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl<E> Step<E> {
    #[inline]
    pub(crate) fn new(id: NodeId<E>, slot: usize, min: u64, max: u64) -> Self {
        let mut step = Self {
            id,
            slot: 0,
            min,
            max,
        };
        step.set_slot(slot);
        step
    }

    #[inline]
    pub(crate) fn slot(&self) -> usize {
        usize::from(self.slot)
    }

    #[inline]
    pub(crate) fn set_slot(&mut self, slot: usize) {
        self.slot = small(slot);
    }

    /// Whether the node covers the whole index space: `mas_is_root_limits`.
    pub(crate) fn is_whole(&self) -> bool {
        self.min == 0 && self.max == u64::MAX
    }
}

/// A slot's number as it is stored: a node has at most 16.
#[inline]
pub(crate) fn small(slot: usize) -> u8 {
    (slot & 0xff) as u8
}

/// Where a way led through: at each level the node, and the slot where it goes on.
pub(crate) trait Way<E> {
    fn at(&self, level: usize) -> (NodeId<E>, usize);
}

/// The way from the root, which is at level 0, down to a leaf, or less far, with no more than nodes
/// and slots.
#[derive(Clone, Copy)]
pub(crate) struct Trail<E> {
    ids: [NodeId<E>; MAX_HEIGHT],
    slots: [u8; MAX_HEIGHT],
    len: usize,
}

impl<E: Copy> Trail<E> {
    /// A way that has come to the root.
    #[inline]
    pub(crate) fn new(root: NodeId<E>) -> Self {
        Self {
            ids: [root; MAX_HEIGHT],
            slots: [0; MAX_HEIGHT],
            len: 1,
        }
    }

    /// The level of the last node.
    #[inline]
    pub(crate) fn level(&self) -> usize {
        self.len - 1
    }

    /// The last node.
    #[inline]
    pub(crate) fn end(&self) -> NodeId<E> {
        self.ids[self.len - 1]
    }

    /// Goes on through a slot to a child, which is at `level`. The way ends where it
    /// [stops](Self::stop).
    #[inline]
    pub(crate) fn go(&mut self, level: usize, slot: usize, child: NodeId<E>) {
        self.slots[level - 1] = small(slot);
        self.ids[level] = child;
    }

    /// Ends at `level`, where the way would go on through `slot`.
    #[inline]
    pub(crate) fn stop(&mut self, level: usize, slot: usize) {
        self.slots[level] = small(slot);
        self.len = level + 1;
    }
}

impl<E> Way<E> for Trail<E> {
    #[inline]
    fn at(&self, level: usize) -> (NodeId<E>, usize) {
        (self.ids[level], usize::from(self.slots[level]))
    }
}

/// The same with the range of each node.
#[derive(Clone, Copy)]
pub(crate) struct Path<E> {
    steps: [Step<E>; MAX_HEIGHT],
    len: usize,
}

impl<E: Copy> Path<E> {
    /// The level of the last step.
    pub(crate) fn level(&self) -> usize {
        self.len - 1
    }

    pub(crate) fn push(&mut self, step: Step<E>) {
        self.steps[self.len] = step;
        self.len += 1;
    }

    /// Goes back up until the last step is at `level`.
    pub(crate) fn cut(&mut self, level: usize) {
        self.len = level + 1;
    }
}

impl<E> Index<usize> for Path<E> {
    type Output = Step<E>;

    fn index(&self, level: usize) -> &Step<E> {
        &self.steps[level]
    }
}

impl<E> IndexMut<usize> for Path<E> {
    fn index_mut(&mut self, level: usize) -> &mut Step<E> {
        &mut self.steps[level]
    }
}

impl<E> Way<E> for Path<E> {
    fn at(&self, level: usize) -> (NodeId<E>, usize) {
        let step = &self.steps[level];
        (step.id, step.slot())
    }
}

/// One of the two sides of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl<E: Copy> MapleTree<E> {
    /// The way with the ranges of its nodes.
    pub(crate) fn path(&self, trail: &Trail<E>) -> Path<E> {
        let (root, slot) = trail.at(0);
        let mut step = Step::new(root, slot, 0, u64::MAX);
        let mut path = Path {
            steps: [step; MAX_HEIGHT],
            len: 1,
        };
        for level in 1..=trail.level() {
            let Look::Inner(inner) = self.node(step.id).look() else {
                return path;
            };
            let (min, max) = inner.range_of(step.slot(), step.min, step.max);
            let (id, slot) = trail.at(level);
            step = Step::new(id, slot, min, max);
            path.push(step);
        }
        path
    }

    /// Goes on from the last step, whose slot is where `index` leads to, down to the leaf and its
    /// slot for `index`. An index after the node of the last step leads to the end of its last leaf:
    /// `mas_wr_walk_index`.
    pub(crate) fn walk_down(&self, path: &mut Path<E>, index: u64) {
        loop {
            let level = path.level();
            let step = &mut path[level];
            match self.node(step.id).look() {
                Look::Leaf(leaf) => {
                    step.set_slot(leaf.slot_at(index));
                    return;
                }
                Look::Inner(inner) => {
                    let (slot, min, max) = inner.search(index, step.min, step.max);
                    step.set_slot(slot);
                    path.push(Step::new(inner.child(slot), 0, min, max));
                }
            }
        }
    }

    /// Turns the way to the neighbour on one side, no farther up than `top`, and goes down to
    /// `level` again, at the near edge. Says whether there is a neighbour; if not, the way is as it
    /// was.
    pub(crate) fn step_aside(
        &self,
        path: &mut Path<E>,
        top: usize,
        level: usize,
        side: Side,
    ) -> bool {
        for up in (top..level).rev() {
            if self.can_turn(path, up, side) {
                self.turn(path, up, level, side);
                return true;
            }
        }
        false
    }

    /// Whether the node at level `up` has a further slot on that side.
    pub(crate) fn can_turn(&self, path: &Path<E>, up: usize, side: Side) -> bool {
        match side {
            Side::Left => path[up].slot() > 0,
            Side::Right => path[up].slot() < self.node(path[up].id).end(),
        }
    }

    /// Takes the next slot on that side at level `up` and goes down to `level` at the near edge.
    pub(crate) fn turn(&self, path: &mut Path<E>, up: usize, level: usize, side: Side) {
        let turned = match side {
            Side::Left => path[up].slot() - 1,
            Side::Right => path[up].slot() + 1,
        };
        path[up].set_slot(turned);
        path.cut(up);
        while path.level() < level {
            let step = path[path.level()];
            let Look::Inner(inner) = self.node(step.id).look() else {
                return;
            };
            let (min, max) = inner.range_of(step.slot(), step.min, step.max);
            let id = inner.child(step.slot());
            let slot = match side {
                Side::Left => self.node(id).end(),
                Side::Right => 0,
            };
            path.push(Step::new(id, slot, min, max));
        }
    }
}
