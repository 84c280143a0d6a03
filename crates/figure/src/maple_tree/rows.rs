//! The slots of an open node, one by one: what is drawn of each, and said of it.

use mmscope_maple::{NodeId, Slot};
use mmscope_mm::VmaId;

use super::range;
use super::shown::{Lane, Shown, State, count};
use crate::say;
use crate::scene::Target;

/// A slot in use.
pub(crate) struct Row {
    pub(crate) slot: usize,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Whether its pivot is not stored: the node's own end closes it.
    pub(crate) implied: bool,
    pub(crate) what: What,
    pub(crate) gap: Option<Gap>,
    /// Whether this call stored what the slot holds.
    pub(crate) changed: bool,
    /// Its place on the path of the call's search or write.
    pub(crate) number: Option<u32>,
    /// Whether the search under way looked at it and passed it over.
    pub(crate) passed: bool,
    /// What it is, as a sentence.
    pub(crate) name: String,
    pub(crate) target: Target,
}

/// What a slot holds.
pub(crate) enum What {
    /// Nothing: a free range.
    Free,
    /// A mapping. It may be gone already while a call is half done.
    Vma(VmaId),
    /// A child.
    Child {
        id: NodeId<VmaId>,
        open: bool,
        state: State,
        /// Nodes from it down.
        nodes: u64,
        /// Mappings below it.
        vmas: u64,
    },
}

/// The size of the largest free range below a slot.
pub(crate) struct Gap {
    pub(crate) size: u64,
    /// Whether the node marks this slot as that of its largest gap.
    pub(crate) largest: bool,
    /// What it was before the call, if it changed in place.
    pub(crate) was: Option<u64>,
}

/// A slot in use of an open node.
pub(crate) fn row(lane: &Lane, shown: &Shown, slot: usize) -> Row {
    let node = shown.node;
    let (first, last) = node.slot_range(slot, shown.min, shown.max);
    let apart = shown.is_apart();
    let below = shown.levels - 1;
    let mut target = lane.target(shown);
    let (what, changed) = match node.slot(slot) {
        Slot::Null => {
            if !apart {
                target = Target::Gap {
                    lane: lane.index,
                    range: range(first, last),
                };
            }
            (What::Free, !apart && stored(lane, first, last, None))
        }
        Slot::Entry(id) => {
            if !apart && let Some(vma) = shown.machine.get_vma(id) {
                let range = mmscope_mm::Range {
                    start: vma.start,
                    end: vma.end,
                };
                let lane = lane.index;
                target = Target::Vma { lane, id, range };
            }
            (What::Vma(id), !apart && stored(lane, first, last, Some(id)))
        }
        Slot::Node(id) => {
            let child = child(lane, shown, id, (first, last));
            if !apart && let What::Child { open, .. } = child {
                target = Target::Node {
                    lane: lane.index,
                    level: shown.level + 1,
                    range: range(first, last),
                    apart,
                    open,
                };
            }
            (child, false)
        }
    };
    let gap = node.gaps().get(slot).map(|size| Gap {
        size: *size,
        largest: node.largest_gap_slot() == Some(slot),
        was: was(shown, slot, *size),
    });
    let mut row = Row {
        slot,
        first,
        last,
        implied: slot >= node.pivots().len(),
        what,
        gap,
        changed,
        number: None,
        passed: false,
        name: String::new(),
        target,
    };
    if !apart {
        row.number = lane.writes.number(lane.tree().height(), below, first, last);
    }
    let looked = lane.writes.look(below, first, last).is_some();
    row.passed = !apart && looked && row.number.is_none() && lane.writes.range().is_none();
    row.name = say::maple_tree::row(lane, shown, &row);
    row
}

fn child(lane: &Lane, shown: &Shown, id: NodeId<VmaId>, (first, last): (u64, u64)) -> What {
    let mut children = shown.children.iter();
    let open = children.any(|child| (child.min, child.max) == (first, last));
    let (nodes, vmas) = count(shown.machine.tree(), id);
    let state = match shown.state {
        State::Dead | State::Leaving => State::Same,
        parent => lane.state(id, matches!(parent, State::New | State::Waiting)),
    };
    What::Child {
        id,
        open,
        state,
        nodes,
        vmas,
    }
}

/// Whether a slot of a leaf holds what was not stored just so before the call.
fn stored(lane: &Lane, first: u64, last: u64, entry: Option<VmaId>) -> bool {
    let before = lane.frame.before.tree().range_at(first);
    (before.first, before.last, before.entry) != (first, last, entry)
}

/// The gap of a slot before the call, if it is another now and the slot is still over the same range.
fn was(shown: &Shown, slot: usize, now: u64) -> Option<u64> {
    let before = shown.before.filter(|_| shown.state == State::Changed)?;
    let same = slot <= before.end()
        && before.slot_range(slot, shown.min, shown.max)
            == shown.node.slot_range(slot, shown.min, shown.max);
    let old = *before.gaps().get(slot)?;
    (same && old != now).then_some(old)
}
