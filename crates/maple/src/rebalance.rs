//! A leaf gets too empty: `mas_rebalance`, and the newer family's `mas_wr_rebalance`.

use crate::accounting::Tally;
use crate::path::Side;
use crate::rebuild::Rebuild;
use crate::rules::{Family, Rebuild as HowFar};
use crate::split::{Help, no_null_end};
use crate::store_type::Walk;
use crate::{Kind, MapleTree, Observer};

impl<E: Copy> MapleTree<E> {
    /// Stores into a leaf that would hold too little, together with a sibling.
    pub(crate) fn rebalance(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) -> Tally<E> {
        let family = self.rules().family;
        let height = usize::from(self.height());
        let mut left = self.path(&wr.trail);
        let mut right = left;
        let mut rebuild = Rebuild::new(self, obs, &mut left, &mut right);
        rebuild.take_leaf(wr);
        match family {
            Family::BigNode => {
                let level = height - 1;
                let _ = rebuild.take_sibling(level, Side::Right, |_| true)
                    || rebuild.take_sibling(level, Side::Left, |_| true);
                rebuild.cut_up(height);
            }
            Family::Copy => rebuild.copy_up(Help::Sibling),
        }
        rebuild.tally
    }
}

impl<E: Copy, O: Observer<E>> Rebuild<'_, E, O> {
    /// The older family's way up for a rebalance and a spanning store, over at most `levels` levels
    /// unless more must be: `mas_spanning_rebalance`.
    pub(crate) fn cut_up(&mut self, mut levels: usize) {
        let mut level = self.leaves();
        if !self.is_whole(level) && self.is_short(level) {
            self.take_nearest(level);
        }
        loop {
            let (ends, parts) = self.big_node_ends(level);
            let row = self.remake(level, &ends[..parts]);
            let whole = self.is_whole(level);
            if level == 0 || (whole && parts == 1) {
                return self.publish_whole(level, &row);
            }
            levels -= 1;
            self.ascend(level, &row);
            level -= 1;
            if self.is_short(level) {
                if self.left[level].is_whole() {
                    return self.finish(level);
                }
                self.take_nearest(level);
                levels = levels.max(1);
            } else if self.is_done(level, levels) {
                return self.finish(level);
            }
        }
    }

    /// Whether what is gathered is too little for a node: `mast_sufficient`.
    fn is_short(&self, level: usize) -> bool {
        self.scratch.len() <= self.kind(level).min_end()
    }

    /// Whether the node to be made of what is gathered is the last.
    fn is_done(&self, level: usize, levels_left: usize) -> bool {
        match self.tree.rules().rebuild {
            HowFar::ToRoot => levels_left == 0,
            HowFar::ToCommonNode => {
                self.scratch.len() <= self.kind(level).slots()
                    && self.left[level].id == self.right[level].id
            }
        }
    }

    /// Where the older family cuts: the end of each part, and how many parts there are:
    /// `mas_mab_to_node`, `mab_calc_split`.
    fn big_node_ends(&self, level: usize) -> ([usize; 3], usize) {
        let (kind, count) = (self.kind(level), self.scratch.len());
        let (last, slots) = (count - 1, kind.slots());
        if count <= slots {
            return ([count; 3], 1);
        }
        let half = last / 2;
        let cut = |at| no_null_end(&self.scratch, kind, at) + 1;
        let null_between = kind == Kind::Leaf64 && self.scratch.is_null(half);
        if last >= 2 * slots || (last >= 2 * slots - 1 && null_between) {
            let third = last / 3;
            ([cut(third), cut(2 * third), count], 3)
        } else {
            ([cut(half), count, count], 2)
        }
    }
}
