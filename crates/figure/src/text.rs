//! The picture as plain text, for a terminal or a mail.

use std::fmt::Write as _;

use mmscope_lab::{ChangeKind, Frame, LaneFrame, PieceKind};
use mmscope_mm::Range;

use crate::axis::Axis;
use crate::gap;
use crate::kind::Kind;
use crate::lens;
use crate::say::{self, num};

/// Columns of a folded hole.
const FOLD: i32 = 11;
/// Pieces that get a line of their own below the strips.
const LINES: usize = 12;

/// A strip for each lane on one scale, `columns` wide, what is in it, and a legend.
pub fn print(frame: &Frame, lens: Option<Range>, columns: u16) -> String {
    let lens = lens.unwrap_or_else(|| lens::automatic(frame));
    let width = i32::from(columns.max(40)) - 2;
    let folds = lens::folds(frame, lens);
    let axis = Axis::common(lens, &folds, FOLD, 0, width, false);
    let mut out = say::picture::step_line(frame);
    out.push('\n');
    let left = num::address(lens.start);
    let right = num::address(lens.end);
    let _ = writeln!(
        out,
        "\n{left}{right:>pad$}",
        pad = usize::from(columns.max(40)).saturating_sub(left.len())
    );
    for lane in &frame.lanes {
        let _ = writeln!(out, "{}", say::outcome::lane_sentence(lane));
        let _ = writeln!(out, "|{}|", strip(lane, &axis));
        let marks = marks(lane, &axis);
        if !marks.trim().is_empty() {
            let _ = writeln!(out, " {}", marks.trim_end());
        }
        listing(&mut out, lane, lens);
        out.push('\n');
    }
    out.push_str(say::picture::TEXT_LEGEND);
    out.push('\n');
    out
}

/// The strip itself: a letter for each column, sizes written into gaps and folds.
fn strip(lane: &LaneFrame, axis: &Axis) -> String {
    let (_, end) = axis.extent();
    let mut cells: Vec<char> = vec![' '; usize::try_from(end).unwrap_or(0)];
    for part in axis.parts() {
        if part.folded {
            fill(&mut cells, part.from, part.to, '~');
            write_into(&mut cells, part.from, part.to, &num::size(part.range.len()));
            continue;
        }
        let at_most = usize::try_from(part.to - part.from).unwrap_or(1).max(1);
        for piece in lane.range(part.range, at_most) {
            let Some((from, to)) = axis.span(piece.range) else {
                continue;
            };
            match piece.kind {
                PieceKind::Vma(id) => {
                    let vma = lane.machine.vma(id);
                    let letter = Kind::of(lane.machine, id).letter();
                    let fill_with = if vma.is_accessible() {
                        letter.chars().next().unwrap_or('?')
                    } else {
                        '/'
                    };
                    fill(&mut cells, from, to, fill_with);
                    if to - from >= 4 {
                        set(&mut cells, from, '[');
                        set(&mut cells, to - 1, ']');
                    }
                    write_into(&mut cells, from, to, &num::size(vma.len()));
                }
                PieceKind::Gap => {
                    fill(&mut cells, from, to, '.');
                    if piece.range.start > axis.range().start {
                        write_into(&mut cells, from, to, &num::size(piece.range.len()));
                    }
                }
                PieceKind::Many { .. } => fill(&mut cells, from, to, '#'),
            }
        }
    }
    cells.into_iter().collect()
}

/// The line of marks below a strip: what the call changed.
fn marks(lane: &LaneFrame, axis: &Axis) -> String {
    let (_, end) = axis.extent();
    let mut cells: Vec<char> = vec![' '; usize::try_from(end).unwrap_or(0)];
    for change in &lane.changes {
        let Some((from, to)) = axis.span(change.range) else {
            continue;
        };
        let mark = match change.kind {
            ChangeKind::Mapped => '^',
            ChangeKind::Unmapped => 'x',
            ChangeKind::Changed => '~',
        };
        fill(&mut cells, from, to, mark);
    }
    cells.into_iter().collect()
}

fn listing(out: &mut String, lane: &LaneFrame, lens: Range) {
    for piece in lane.range(lens, LINES) {
        let what = match piece.kind {
            PieceKind::Vma(id) => say::picture::vma(lane, id),
            PieceKind::Gap if piece.range.start == lens.start => continue,
            PieceKind::Gap => say::picture::gap(lane, piece.range, gap::reason(lane, piece.range)),
            PieceKind::Many { vmas, gaps } => say::picture::many(lane, piece.range, vmas, gaps),
        };
        let _ = writeln!(out, "  {what}");
    }
}

fn set(cells: &mut [char], at: i32, with: char) {
    if let Some(cell) = usize::try_from(at).ok().and_then(|at| cells.get_mut(at)) {
        *cell = with;
    }
}

fn fill(cells: &mut [char], from: i32, to: i32, with: char) {
    for at in from..to {
        set(cells, at, with);
    }
}

/// Writes a text into the middle of a stretch if it leaves two columns on each side.
fn write_into(cells: &mut [char], from: i32, to: i32, text: &str) {
    let length = i32::try_from(text.chars().count()).unwrap_or(i32::MAX);
    let Some(spare) = (to - from)
        .checked_sub(length.saturating_add(2))
        .filter(|spare| *spare >= 2)
    else {
        return;
    };
    let start = from + spare / 2;
    set(cells, start, ' ');
    for (at, c) in (start + 1..).zip(text.chars()) {
        set(cells, at, c);
    }
    set(cells, start + 1 + length, ' ');
}
