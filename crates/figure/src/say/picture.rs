//! The words in and around the pictures.

use mmscope_lab::{ChangeKind, Frame, LaneFrame};
use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{Range, VmaId};

use super::{num, perms};
use crate::gap::GapReason;
use crate::kind::{self, Kind};
use crate::lens::Place;
use crate::scene::Role;

/// The title of a picture before the first call.
pub const START: &str = "The address space before the first call";
/// Free space that goes on below the lens.
pub const FREE_BELOW: &str = "free below";

/// Free space that goes on past the lens.
pub const FREE: &str = "free";

/// The title of a picture after a call.
pub fn title(step: u32, call: &str) -> String {
    format!("The address space after call {step}: {call}")
}

/// The line that says which step is shown.
pub fn step_line(frame: &Frame) -> String {
    match (&frame.call, frame.position.micro) {
        (None, _) => format!(
            "Start, before call 1 of {}",
            num::grouped(u64::from(frame.steps))
        ),
        (Some(call), None) => format!(
            "Call {} of {}: {call}",
            num::grouped(u64::from(frame.position.step)),
            num::grouped(u64::from(frame.steps))
        ),
        (Some(call), Some(micro)) => {
            format!(
                "Call {} of {}, decision {micro}: {call}",
                frame.position.step, frame.steps
            )
        }
    }
}

/// The name of a part of the address space.
pub(crate) fn place(place: Place) -> &'static str {
    match place {
        Place::Program => "program, heap",
        Place::MmapArea => "mmap area",
        Place::Stack => "stack",
        Place::Other => "fixed",
    }
}

/// What a kind of mapping is called.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Anon => "anonymous memory",
        Kind::File => "file",
        Kind::Heap => "heap",
        Kind::Stack => "stack",
        Kind::Special => "kernel's own",
    }
}

/// What a mark means.
pub(crate) fn legend(role: Role) -> &'static str {
    match role {
        Role::VmaAnon => kind(Kind::Anon),
        Role::VmaFile => kind(Kind::File),
        Role::VmaHeap => kind(Kind::Heap),
        Role::VmaStack => kind(Kind::Stack),
        Role::VmaSpecial => "kernel\u{2019}s own (vdso, vvar)",
        Role::Guard => "no access (PROT_NONE)",
        Role::Many => "several mappings",
        Role::Gap => "gap between mappings",
        Role::PmdFlag => "starts on a 2 MiB boundary",
        Role::Axis => "2 MiB marks",
        Role::Changed => "changed by this call",
        Role::Removed => "removed by this call",
        _ => "",
    }
}

/// A lane's mappings and gaps, counted.
pub fn sum(lane: &LaneFrame) -> String {
    let ledger = &lane.ledger;
    let mut text = num::count(ledger.vmas, "mapping", "mappings");
    if ledger.gaps > 0 {
        text.push_str(&format!(
            " \u{b7} {}, {}",
            num::count(ledger.gaps, "gap", "gaps"),
            num::size(ledger.gap_bytes)
        ));
    }
    text
}

/// A mapping.
pub fn vma(lane: &LaneFrame, id: VmaId) -> String {
    let machine = lane.machine;
    let vma = machine.vma(id);
    let range = Range {
        start: vma.start,
        end: vma.end,
    };
    let name = match (Kind::of(machine, id), kind::short_name(machine, id)) {
        (Kind::Anon, _) => "anonymous memory",
        (_, name) => name,
    };
    let mut text = format!(
        "{}: {name}, {}, {}, {}",
        lane.letter,
        num::size(range.len()),
        num::range(range),
        perms(vma.flags)
    );
    if range.start.is_multiple_of(PMD_SIZE) {
        text.push_str(", starts on a 2 MiB boundary");
    }
    text.push_str(changed(lane, range));
    text.push('.');
    text
}

/// What this call did to a mapping, to be appended.
fn changed(lane: &LaneFrame, range: Range) -> &'static str {
    let mut said = "";
    for change in &lane.changes {
        if change.range.start >= range.end || change.range.end <= range.start {
            continue;
        }
        let whole = change.range == range;
        said = match change.kind {
            ChangeKind::Mapped if whole => ", new",
            ChangeKind::Mapped => ", grown by this call",
            ChangeKind::Changed => ", changed by this call",
            ChangeKind::Unmapped => continue,
        };
    }
    said
}

/// A gap.
pub fn gap(lane: &LaneFrame, range: Range, reason: GapReason) -> String {
    let why = match reason {
        GapReason::AlignedNow => "left free by 2 MiB alignment in this call",
        GapReason::AlignedBefore => "left free above a mapping that starts on a 2 MiB boundary",
        GapReason::GuardGap => "below a mapping that grows down",
        GapReason::Free => "free",
    };
    format!(
        "{}: gap of {}, {}, {why}.",
        lane.letter,
        num::size(range.len()),
        num::range(range)
    )
}

/// Why a gap is there, the longest wording first.
pub(crate) fn gap_reasons(reason: GapReason) -> &'static [&'static str] {
    match reason {
        GapReason::AlignedNow | GapReason::AlignedBefore => &[
            "left free by 2 MiB alignment",
            "2 MiB alignment",
            "alignment",
        ],
        GapReason::GuardGap => &["above it the stack grows down", "guard gap"],
        GapReason::Free => &["free"],
    }
}

/// A block that stands for many.
pub fn many(lane: &LaneFrame, range: Range, vmas: u32, gaps: u32) -> String {
    let mut text = format!(
        "{}: {}",
        lane.letter,
        num::count(u64::from(vmas), "mapping", "mappings")
    );
    if gaps > 0 {
        text.push_str(&format!(
            " and {}",
            num::count(u64::from(gaps), "gap", "gaps")
        ));
    }
    text.push_str(&format!(
        " in {}, {}, too small to be told apart here.",
        num::range(range),
        num::size(range.len())
    ));
    text
}

/// A folded hole.
pub fn fold(range: Range) -> String {
    format!(
        "Folded: {} where nothing is mapped in any lane, {}.",
        num::size(range.len()),
        num::range(range)
    )
}

/// The window of the lens.
pub fn window(range: Range) -> String {
    format!(
        "The lens shows {}, {}.",
        num::range(range),
        num::size(range.len())
    )
}

/// A gap, in a table.
pub const GAP: &str = "gap";
/// Mapped by this call.
pub const NEW: &str = "new";
/// Part of it was mapped by this call.
pub const GROWN: &str = "grown";
/// Taken away by this call.
pub const REMOVED: &str = "removed";
/// Mapped before and after, with other attributes.
pub const CHANGED: &str = "changed";

/// What a row stands for that stands for many.
pub fn and_more(vmas: u32, gaps: u32) -> String {
    let vmas = num::count(u64::from(vmas), "mapping", "mappings");
    match gaps {
        0 => vmas,
        gaps => format!("{vmas} and {}", num::count(u64::from(gaps), "gap", "gaps")),
    }
}

/// What a table shows.
pub fn table_caption(lane: &LaneFrame, within: Range) -> String {
    format!(
        "Lane {}, Linux {}: {}, of {} in all",
        lane.letter,
        lane.kernel,
        num::range(within),
        sum(lane)
    )
}

/// What the signs of the plain-text picture mean.
pub const TEXT_LEGEND: &str = "A anonymous  F file  H heap  S stack  V kernel's own  / no access  # several  . free  ~ folded\n\
^ mapped by this call  x removed  ~ below a strip: changed";

/// Where lanes part for the first time.
pub fn divergence(step: u32) -> String {
    format!("The lanes differ for the first time after call {step}.")
}
