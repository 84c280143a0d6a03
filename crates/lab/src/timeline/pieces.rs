//! A part of the address space in a bounded number of pieces.

use mmscope_mm::{Machine, Range};

use crate::frame::{Piece, PieceKind};

/// See [`crate::LaneFrame::range`].
pub(super) fn pieces(machine: &Machine, within: Range, at_most: usize) -> Vec<Piece> {
    if within.is_empty() || at_most == 0 {
        return Vec::new();
    }
    let all: Vec<Piece> = each(machine, within)
        .take(at_most.saturating_add(1))
        .collect();
    if all.len() <= at_most {
        return all;
    }
    drop(all);
    // Pieces of `unit` bytes and more stay apart: at most n of them, with at most n + 1 runs of smaller ones.
    let large = (at_most as u64 - 1) / 2;
    let unit = if large == 0 {
        u64::MAX
    } else {
        within.len().div_ceil(large).max(1)
    };
    let mut merged: Vec<Piece> = Vec::new();
    let mut open = false;
    for piece in each(machine, within) {
        let small = piece.range.len() < unit;
        match merged.last_mut() {
            Some(last) if small && open => join(last, piece),
            _ => merged.push(piece),
        }
        open = small;
    }
    merged
}

fn join(into: &mut Piece, piece: Piece) {
    let (vmas, gaps) = count(into.kind);
    let (more_vmas, more_gaps) = count(piece.kind);
    into.range.end = piece.range.end;
    into.kind = PieceKind::Many {
        vmas: vmas + more_vmas,
        gaps: gaps + more_gaps,
    };
}

fn count(kind: PieceKind) -> (u32, u32) {
    match kind {
        PieceKind::Vma(_) => (1, 0),
        PieceKind::Gap => (0, 1),
        PieceKind::Many { vmas, gaps } => (vmas, gaps),
    }
}

/// Every mapping and every free range, clipped.
fn each(machine: &Machine, within: Range) -> impl Iterator<Item = Piece> {
    machine
        .tree()
        .ranges(within.start..=within.end - 1)
        .map(move |span| {
            let (start, end) = (
                span.first.max(within.start),
                span.last.min(within.end - 1) + 1,
            );
            let kind = span.entry.map_or(PieceKind::Gap, PieceKind::Vma);
            Piece {
                range: Range { start, end },
                kind,
            }
        })
}
