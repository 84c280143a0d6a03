//! A store over more than one leaf: `mas_wr_spanning_store`.

use crate::accounting::Tally;
use crate::path::Side;
use crate::rebuild::Rebuild;
use crate::rules::Family;
use crate::split::Help;
use crate::store_type::Walk;
use crate::{MapleTree, Observer};

impl<E: Copy> MapleTree<E> {
    /// Stores over the end of one leaf and, it may be, the start of another, and drops all between.
    /// The store's range is taken to its final size.
    pub(crate) fn spanning_store(
        &mut self,
        wr: &mut Walk<E>,
        obs: &mut impl Observer<E>,
    ) -> Tally<E> {
        if wr.index == 0 && wr.last == u64::MAX {
            return self.new_root(wr.entry, obs);
        }
        // The right way leads to what comes after the store, so that a NULL there is seen, but it
        // never leaves the node where the store was seen to span.
        let mut left = self.path(&wr.trail);
        let mut right = left;
        self.walk_down(&mut right, wr.last.saturating_add(1));
        self.walk_down(&mut left, wr.index);
        let level = left.level();

        let step = left[level];
        let leaf = self.node(step.id).leaf();
        wr.offset = step.slot();
        (wr.r_min, wr.r_max) = leaf.range_of(step.slot(), step.min, step.max);
        wr.content = leaf.slots[step.slot()];
        let after = right[level];
        let right_leaf = self.node(after.id).leaf();
        let mut from = after.slot();
        if wr.entry.is_none() {
            if wr.content.is_none() {
                wr.index = wr.r_min;
            }
            if wr.index == wr.r_min && wr.offset > 0 && leaf.slots[wr.offset - 1].is_none() {
                wr.offset -= 1;
                wr.index = leaf.range_of(wr.offset, step.min, step.max).0;
                wr.r_min = wr.index;
            }
            if right_leaf.slots[after.slot()].is_none() {
                wr.last = wr.last.max(right_leaf.last_of(after.slot(), after.max));
                from += 1;
            }
        }
        if wr.index == 0 && wr.last == u64::MAX {
            return self.new_root(wr.entry, obs);
        }

        let (mut before, mut at) = (leaf.entries(), left);
        while at[level].id != after.id && self.step_aside(&mut at, 0, level, Side::Right) {
            before += self.node(at[level].id).entries();
        }
        let height = usize::from(self.height());
        let family = self.rules().family;
        let mut rebuild = Rebuild::new(self, obs, &mut left, &mut right);
        rebuild
            .scratch
            .take_until_entry(rebuild.tree.node(step.id).leaf(), wr);
        if after.max > wr.last {
            let node = rebuild.tree.node(after.id);
            rebuild.scratch.take(node, after.max, from, node.end() + 1);
        }
        let entries = rebuild.scratch.entries();
        rebuild.tree.count_entries(before, entries);
        match family {
            Family::BigNode => rebuild.cut_up(height + 1),
            Family::Copy => rebuild.copy_up(Help::Nearest),
        }
        rebuild.tally
    }
}
