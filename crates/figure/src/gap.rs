//! Free space as a thing of its own: how much, and why it is there.

use mmscope_lab::LaneFrame;
use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{AlignMove, Event, Machine, Range, VmFlags, VmaId};

/// Why there is free space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// This call placed the mapping below it on a 2 MiB boundary.
    AlignedNow,
    /// The mapping below it starts on a 2 MiB boundary, as this kernel places it, and fills less than whole blocks:
    /// read off the layout, since an earlier call made it.
    AlignedBefore,
    /// The mapping above it grows down and keeps a guard gap.
    GuardGap,
    /// Nothing is known but that it is free.
    Free,
}

/// Why `gap`, which lies between two mappings, is there.
pub(crate) fn reason(lane: &LaneFrame, gap: Range) -> GapReason {
    let machine = lane.machine;
    let below = machine
        .prev_vma(gap.start)
        .filter(|id| machine.vma(*id).end == gap.start);
    let Some(below) = below else {
        return guard(machine, gap);
    };
    let start = machine.vma(below).start;
    let now = lane.events.iter().any(|event| match event {
        Event::Aligned {
            addr,
            how: AlignMove::Up(_) | AlignMove::AlreadyThere,
            ..
        } => *addr == start,
        _ => false,
    });
    if now && gap.len() <= PMD_SIZE {
        GapReason::AlignedNow
    } else if looks_aligned(machine, below, gap) {
        GapReason::AlignedBefore
    } else {
        guard(machine, gap)
    }
}

/// Whether the search with 2 MiB to spare would have left just such a gap above this mapping.
fn looks_aligned(machine: &Machine, below: VmaId, gap: Range) -> bool {
    let vma = machine.vma(below);
    vma.is_anonymous()
        && machine.kernel().alignment().is_some()
        && vma.len() >= PMD_SIZE
        && vma.start.is_multiple_of(PMD_SIZE)
        && gap.len() <= PMD_SIZE
}

fn guard(machine: &Machine, gap: Range) -> GapReason {
    let above = machine.find_vma(gap.end).map(|id| machine.vma(id));
    let grows =
        above.is_some_and(|vma| vma.start == gap.end && vma.flags.contains(VmFlags::GROWSDOWN));
    if grows {
        GapReason::GuardGap
    } else {
        GapReason::Free
    }
}
