//! The upkeep of gaps: from a leaf or a new node up, as far as something changes.

use crate::node::{Arange64, NO_GAP, Shape};
use crate::path::{Way, small};
use crate::rules::NoGap;
use crate::{MapleTree, Observer, WriteEvent};

impl<E: Copy> MapleTree<E> {
    /// Tells the nodes above that the largest gap of the node at `level` is `gap` now:
    /// `mas_update_gap`, `mas_parent_gap`.
    pub(crate) fn update_gaps(
        &mut self,
        way: &impl Way<E>,
        level: usize,
        gap: u64,
        obs: &mut impl Observer<E>,
    ) {
        let mut new = gap;
        for up in (0..level).rev() {
            let (id, slot) = way.at(up);
            let Shape::Arange(parent) = &self.node(id).0 else {
                return;
            };
            let was = parent.gaps[slot];
            if up + 1 == level && was == new {
                return;
            }
            let (old, mark) = (parent.largest_gap(), usize::from(parent.largest));
            let now = new;
            let marked = self.no_gap();
            let Shape::Arange(parent) = &mut self.edit_node(id, obs).0 else {
                return;
            };
            parent.gaps[slot] = new;
            let goes_on = new != old && (slot == mark || new >= old);
            if goes_on && slot != mark {
                parent.largest = small(slot);
            } else if goes_on && new < old {
                new = scan(parent, marked);
            }
            obs.write(WriteEvent::Gap {
                node: id,
                slot: small(slot),
                old: was,
                new: now,
            });
            if !goes_on {
                return;
            }
        }
    }

    fn no_gap(&self) -> NoGap {
        self.rules().no_gap
    }
}

/// Marks the largest gap, among equal ones the highest slot, and returns it: `ma_max_gap`.
fn scan<E>(inner: &mut Arange64<E>, no_gap: NoGap) -> u64 {
    let (mut at, mut largest) = (inner.end, 0);
    for slot in (0..=inner.end).rev() {
        let gap = inner.gaps[usize::from(slot)];
        if gap > largest {
            (at, largest) = (slot, gap);
        }
    }
    if largest == 0 && no_gap == NoGap::Marked {
        at = NO_GAP;
    }
    inner.largest = at;
    largest
}
