//! The picture as a table: what a reader who does not see it, or wants the numbers, gets instead.

use mmscope_lab::{ChangeKind, Frame, LaneFrame, Piece, PieceKind};
use mmscope_mm::{Range, VmaId};

use crate::gap;
use crate::kind::{self, Kind};
use crate::say::{self, num};
use crate::scene::Target;

/// One lane's part of the address space, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The rows, lowest address first.
    pub rows: Vec<Row>,
}

/// A mapping, a gap, or several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// First address; the kernel's way of writing it.
    pub start: String,
    /// First address behind it.
    pub end: String,
    /// Its size.
    pub size: String,
    /// The `perms` column; empty for what is no mapping.
    pub perms: String,
    /// What kind of thing it is.
    pub kind: String,
    /// Its name, or why it is there.
    pub what: String,
    /// What the call did to it; empty if nothing.
    pub changed: &'static str,
    /// The same thing in the picture.
    pub target: Target,
}

/// The heads of the columns, in the order of [`Row`]'s fields.
pub const COLUMNS: [&str; 7] = [
    "start",
    "end",
    "size",
    "perms",
    "kind",
    "what it is",
    "this call",
];

/// The rows of a lane within a range, at most `at_most` of them: what does not fit is counted, never left out. `None` if
/// there is no such lane.
pub fn lane(frame: &Frame, lane: usize, within: Range, at_most: usize) -> Option<Table> {
    let shown = frame.lanes.get(lane)?;
    let caption = say::picture::table_caption(shown, within);
    let rows = shown
        .range(within, at_most.max(1))
        .into_iter()
        .map(|piece| row(shown, lane, piece))
        .collect();
    Some(Table { caption, rows })
}

fn row(lane: &LaneFrame, index: usize, piece: Piece) -> Row {
    match piece.kind {
        PieceKind::Vma(id) => vma(lane, index, id),
        PieceKind::Gap => {
            let range = piece.range;
            Row {
                kind: say::picture::GAP.to_owned(),
                what: say::picture::gap_reasons(gap::reason(lane, range))[0].to_owned(),
                changed: changed(lane, range),
                ..blank(range, Target::Gap { lane: index, range })
            }
        }
        PieceKind::Many { vmas, gaps } => {
            let range = piece.range;
            Row {
                kind: say::picture::and_more(vmas, gaps),
                changed: changed(lane, range),
                ..blank(range, Target::Many { lane: index, range })
            }
        }
    }
}

fn vma(lane: &LaneFrame, index: usize, id: VmaId) -> Row {
    let vma = lane.machine.vma(id);
    let range = Range {
        start: vma.start,
        end: vma.end,
    };
    Row {
        perms: say::perms(vma.flags),
        kind: say::picture::kind(Kind::of(lane.machine, id)).to_owned(),
        what: kind::short_name(lane.machine, id).to_owned(),
        changed: changed(lane, range),
        ..blank(
            range,
            Target::Vma {
                lane: index,
                id,
                range,
            },
        )
    }
}

pub(crate) fn blank(range: Range, target: Target) -> Row {
    Row {
        start: num::address(range.start),
        end: num::address(range.end),
        size: num::size(range.len()),
        perms: String::new(),
        kind: String::new(),
        what: String::new(),
        changed: "",
        target,
    }
}

fn changed(lane: &LaneFrame, range: Range) -> &'static str {
    let within = lane
        .changes
        .iter()
        .filter(|change| change.range.start < range.end && change.range.end > range.start);
    let mut kinds = within.map(|change| match change.kind {
        ChangeKind::Mapped if change.range == range => say::picture::NEW,
        ChangeKind::Mapped => say::picture::GROWN,
        ChangeKind::Unmapped => say::picture::REMOVED,
        ChangeKind::Changed => say::picture::CHANGED,
    });
    kinds.next_back().unwrap_or("")
}
