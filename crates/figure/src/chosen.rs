//! Which address of each lane is looked at: the chosen one, or else what the call was about.

use mmscope_lab::{ChangeKind, LaneFrame};
use mmscope_mm::{Outcome, VmaId};

use crate::address_space::Selection;

/// The address, and the mapping there if there is one; `None` if nothing is chosen and the call was about none.
pub(crate) fn address(
    lane: &LaneFrame,
    selected: Option<Selection>,
) -> Option<(u64, Option<VmaId>)> {
    let addr = match selected {
        Some(Selection { addr, .. }) => addr,
        None => of_call(lane)?,
    };
    Some((addr, lane.machine.vma_at(addr)))
}

fn of_call(lane: &LaneFrame) -> Option<u64> {
    let changed = lane.changes.iter();
    let mut changed = changed.filter(|change| change.kind != ChangeKind::Unmapped);
    if let Some(change) = changed.next() {
        return Some(change.range.start);
    }
    let there = |addr: &u64| lane.machine.vma_at(*addr).is_some();
    let returned = lane.outcome.and_then(Outcome::address).filter(there);
    returned.or_else(|| lane.done?.addr())
}
