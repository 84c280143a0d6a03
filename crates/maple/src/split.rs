//! A leaf gets too full: `mas_split`, and the newer family's `mas_wr_split`.

use crate::accounting::Tally;
use crate::path::Side;
use crate::rebuild::Rebuild;
use crate::rules::Family;
use crate::scratch::Scratch;
use crate::store_type::Walk;
use crate::{Kind, MapleTree, Observer};

impl<E: Copy> MapleTree<E> {
    /// Stores into a leaf that cannot hold what it would get.
    pub(crate) fn split(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) -> Tally<E> {
        let family = self.rules().family;
        let mut left = self.path(&wr.trail);
        let mut right = left;
        let mut rebuild = Rebuild::new(self, obs, &mut left, &mut right);
        rebuild.take_leaf(wr);
        match family {
            Family::BigNode => rebuild.split_big_node(),
            Family::Copy => rebuild.copy_up(Help::Sibling),
        }
        rebuild.tally
    }
}

/// Which nodes help one that is too full or too empty, in [`Family::Copy`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Help {
    /// Siblings: one that is too full asks the left first, one that is too empty the right.
    Sibling,
    /// The nearest of the level, only for one that is too empty.
    Nearest,
}

impl<E: Copy, O: Observer<E>> Rebuild<'_, E, O> {
    /// Gathers what the leaf would hold after the store.
    pub(crate) fn take_leaf(&mut self, wr: &Walk<E>) {
        let step = self.left[self.left.level()];
        self.scratch
            .take_stored(self.tree.node(step.id).leaf(), &step, wr);
    }

    /// The older family's split: level by level up, to a sibling with room or a parent with room.
    fn split_big_node(&mut self) {
        let mut level = self.leaves();
        loop {
            let count = self.scratch.len();
            if count <= self.kind(level).slots() {
                return self.finish(level);
            }
            let pushed = self
                .push(level, Side::Left)
                .or_else(|| self.push(level, Side::Right));
            let cut = pushed
                .unwrap_or_else(|| no_null_end(&self.scratch, self.kind(level), (count - 1) / 2));
            let row = self.remake(level, &[cut + 1, self.scratch.len()]);
            if level == 0 {
                return self.publish_whole(level, &row);
            }
            self.ascend(level, &row);
            level -= 1;
            if pushed.is_some() {
                return self.finish(level);
            }
        }
    }

    /// All of the scratch makes one node, and that is the last.
    pub(crate) fn finish(&mut self, level: usize) {
        let count = self.scratch.len();
        let row = self.remake(level, &[count]);
        match row.single() {
            Some(fresh) => self.publish(level, fresh),
            None => unreachable!("one part was made one node"),
        }
    }

    /// Gives what is too much to a sibling, if it has enough room, and says where to cut the two:
    /// `mas_push_data`.
    fn push(&mut self, level: usize, side: Side) -> Option<usize> {
        let kind = self.kind(level);
        let last = self.scratch.len() - 1;
        let mut space = 2 * kind.slots() - 2;
        space -= usize::from(kind == Kind::Leaf64);
        space -= usize::from(self.right[level].max == u64::MAX);
        if !self.take_sibling(level, side, |count| last + (count - 1) < space) {
            return None;
        }
        // One slot stays free on the side that is filled.
        let full = kind.slots() - 2;
        let cut = match side {
            Side::Left => full,
            Side::Right => self.scratch.len() - 2 - full,
        };
        Some(no_null_end(&self.scratch, kind, cut))
    }

    /// The newer family's way up for all that reaches over several nodes.
    pub(crate) fn copy_up(&mut self, help: Help) {
        let mut level = self.leaves();
        loop {
            let helped = self.take_help(level, help);
            let (ends, parts) = copy_ends(&self.scratch, self.kind(level));
            let row = self.remake(level, &ends[..parts]);
            if self.is_whole(level) {
                return self.publish_whole(level, &row);
            }
            let alone = self.left[level].id == self.right[level].id;
            if let Some(fresh) = row.single().filter(|_| alone && !helped) {
                return self.publish(level, fresh);
            }
            self.ascend(level, &row);
            level -= 1;
        }
    }

    /// Takes a neighbour into the run where the newer family wants one: `rebalance_data`,
    /// `spanning_data`.
    fn take_help(&mut self, level: usize, help: Help) -> bool {
        let (kind, count) = (self.kind(level), self.scratch.len());
        let room = 2 * kind.slots();
        if count > kind.slots() && help == Help::Sibling {
            return self.take_sibling(level, Side::Left, |other| other + count < room)
                || self.take_sibling(level, Side::Right, |other| other + count < room);
        }
        if count > kind.min_end() || self.is_whole(level) {
            return false;
        }
        match help {
            Help::Sibling => {
                self.take_sibling(level, Side::Right, |_| true)
                    || self.take_sibling(level, Side::Left, |_| true)
            }
            Help::Nearest => self.take_nearest(level),
        }
    }
}

/// Moves a cut so that the left part, whose last slot is `cut`, does not end with NULL, to the right
/// if both parts stay legal: `mab_no_null_split`.
pub(crate) fn no_null_end<E: Copy>(scratch: &Scratch<E>, kind: Kind, cut: usize) -> usize {
    if kind != Kind::Leaf64 || !scratch.is_null(cut) {
        cut
    } else if cut < kind.slots() - 1 && scratch.len() - 1 - cut > kind.min_end() {
        cut + 1
    } else {
        cut - 1
    }
}

/// Where the newer family cuts: the end of each part, and how many parts there are.
fn copy_ends<E: Copy>(scratch: &Scratch<E>, kind: Kind) -> ([usize; 3], usize) {
    let (count, slots) = (scratch.len(), kind.slots());
    let half = count.div_ceil(2);
    let null_between = kind == Kind::Leaf64 && count > slots && scratch.is_null(half - 1);
    let (mut ends, parts) = if count <= slots {
        ([count; 3], 1)
    } else if count < 2 * slots || (count == 2 * slots && !null_between) {
        ([half, count, count], 2)
    } else {
        let third = count.div_ceil(3) + 1;
        ([third, 2 * third, count], 3)
    };
    for end in &mut ends[..parts - 1] {
        *end -= usize::from(kind == Kind::Leaf64 && scratch.is_null(*end - 1));
    }
    (ends, parts)
}
