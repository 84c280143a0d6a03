//! What a call would have come to with one change switched: found by running it, never by guessing.

use mmscope_lab::LaneFrame;
use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{Advice, Call, Change, Machine, MapFlags, MremapFlags, Outcome, Range};

/// What a call came to, as far as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    /// Its result.
    pub(crate) outcome: Outcome,
    /// Mappings of the process after it.
    pub(crate) vmas: u64,
    /// The mapping that holds what it was about.
    pub(crate) holder: Option<Range>,
    /// Nodes of the maple tree that it asked for.
    pub(crate) asked: u64,
}

/// One change that makes a difference to this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Otherwise {
    pub(crate) change: Change,
    /// Whether the kernel has it, and it was taken away; else it was added.
    pub(crate) without: bool,
    /// What the call was about.
    pub(crate) at: u64,
    /// What it came to in this kernel.
    pub(crate) here: Came,
    /// What it came to with the change switched.
    pub(crate) there: Came,
}

impl Otherwise {
    /// Whether the result itself differs, not only which mapping holds it.
    pub(crate) fn moved(&self) -> bool {
        self.here.outcome != self.there.outcome
    }
}

/// The changes that make a difference to the call of a frame, the telling ones first: a different result before a
/// different mapping, changes of this kernel from the latest on before changes of later ones.
pub(crate) fn otherwise(lane: &LaneFrame) -> Vec<Otherwise> {
    let Some(call) = lane.done else {
        return Vec::new();
    };
    let candidates = candidates(&call);
    if candidates.is_empty() {
        return Vec::new();
    }
    let Some((outcome, machine)) = lane.under(lane.kernel) else {
        return Vec::new();
    };
    let at = about(call, outcome);
    let before = lane.before.process().nodes.asked;
    let here = came(outcome, &machine, at, before);
    let mut found: [Vec<Otherwise>; 4] = Default::default();
    for change in candidates {
        let without = lane.kernel.has(change);
        let mut kernel = lane.kernel;
        kernel.set(change, !without);
        let Some((outcome, machine)) = lane.under(kernel) else {
            continue;
        };
        let mut there = came(outcome, &machine, at, before);
        if !about_nodes(change) {
            there.asked = here.asked;
        }
        if there == here {
            continue;
        }
        let told = Otherwise {
            change,
            without,
            at,
            here,
            there,
        };
        let place = usize::from(!told.moved()) * 2 + usize::from(!without);
        if without {
            found[place].insert(0, told);
        } else {
            found[place].push(told);
        }
    }
    found.into_iter().flatten().collect()
}

fn came(outcome: Outcome, machine: &Machine, at: u64, asked_before: u64) -> Came {
    Came {
        outcome,
        asked: machine.process().nodes.asked - asked_before,
        vmas: machine.process().map_count,
        holder: machine.vma_at(at).map(|id| {
            let vma = machine.vma(id);
            Range {
                start: vma.start,
                end: vma.end,
            }
        }),
    }
}

/// An address that the call was about.
fn about(mut call: Call, outcome: Outcome) -> u64 {
    let asked = call.addr_mut().copied().unwrap_or(0);
    match call {
        Call::Mmap(_) | Call::Mremap(_) => outcome.address().unwrap_or(asked),
        Call::Brk { .. } => outcome.address().unwrap_or(asked).saturating_sub(1),
        _ => asked,
    }
}

/// The changes that calls of this kind look at, oldest first.
fn candidates(call: &Call) -> Vec<Change> {
    let all: &[Change] = match call {
        Call::Mmap(_) => &[
            Change::MmapExpandsNeighbour,
            Change::MapleTree,
            Change::AlignThp61,
            Change::RevertAlignThp61,
            Change::AlignThp,
            Change::AlignAbuts,
            Change::StackNoHuge,
            Change::AlignFiles,
            Change::AlignMultiplesOnly,
            Change::PrevFirst,
            Change::FixedRestores,
            Change::AlignNotWithHint,
            Change::AlignNotFiles,
            Change::FaultedJoinsUnfaulted,
            Change::AnonPgoff,
        ],
        Call::Mremap(_) => &[
            Change::MapleTree,
            Change::AlignThp61,
            Change::RevertAlignThp61,
            Change::AlignThp,
            Change::AlignAbuts,
            Change::AlignFiles,
            Change::AlignMultiplesOnly,
            Change::AlignNotWithHint,
            Change::AlignNotFiles,
            Change::FaultedJoinsUnfaulted,
            Change::MremapChecksSource,
            Change::InheritedStayApart,
            Change::MremapCountsSplits,
            Change::AnonPgoff,
            Change::KeptSourceApart,
        ],
        Call::Mprotect { .. } => &[
            Change::MprotectUnaccounts,
            Change::SealsMetInTurn,
            Change::FaultedJoinsUnfaulted,
            Change::AnonPgoff,
        ],
        Call::Madvise { advice, .. } => match *advice {
            Advice::COLLAPSE => &[
                Change::MadvCollapse,
                Change::CollapseReadOnly,
                Change::CollapsePassesEmpty,
                Change::CollapseNothing,
            ],
            Advice::GUARD_INSTALL | Advice::GUARD_REMOVE => {
                &[Change::MadvGuard, Change::GuardFiles, Change::MaybeGuard]
            }
            Advice::REMOVE => &[Change::RemoveMaywrite],
            Advice::DONTNEED | Advice::DONTNEED_LOCKED => &[Change::ReclaimTables],
            _ => &[Change::FaultedJoinsUnfaulted, Change::AnonPgoff],
        },
        Call::Mlock { .. } | Call::Munlock { .. } => {
            &[Change::FaultedJoinsUnfaulted, Change::AnonPgoff]
        }
        Call::Mseal { .. } => &[Change::Mseal],
        Call::SetAnonName { .. } => &[Change::NamesShmem],
        Call::SetThpDisable { .. } => &[Change::ThpDisableFlag],
        Call::Brk { addr } if *addr > 0 => &[
            Change::BrkExpandsHeap,
            Change::BrkPreallocates,
            Change::BrkChecksEnd,
            Change::MunmapStoresPlainly,
            Change::PreallocFits,
            Change::DetachByIndex,
        ],
        Call::Munmap { .. } => &[Change::SealsMetInTurn],
        Call::Brk { .. }
        | Call::Touch { .. }
        | Call::Setrlimit { .. }
        | Call::Fork { .. }
        | Call::Exec
        | Call::Personality { .. }
        | Call::Exit
        | Call::Ftruncate { .. }
        | Call::Mlockall { .. }
        | Call::Munlockall => &[],
    };
    let looked_at = |change: &&Change| match call {
        Call::Mmap(mmap) => match change {
            Change::MapleTree => !mmap.flags.contains(MapFlags::FIXED),
            Change::FixedRestores => mmap.flags.contains(MapFlags::FIXED),
            Change::StackNoHuge => mmap.flags.contains(MapFlags::STACK),
            change if places(**change) => {
                !mmap.flags.contains(MapFlags::FIXED) && mmap.len > PMD_SIZE - 4096
            }
            _ => true,
        },
        Call::Mremap(remap) => {
            let fixed = remap.flags.contains(MremapFlags::FIXED);
            match change {
                Change::MapleTree => !fixed,
                Change::KeptSourceApart => remap.flags.contains(MremapFlags::DONTUNMAP),
                change if places(**change) => !fixed && remap.new_len > PMD_SIZE - 4096,
                _ => true,
            }
        }
        _ => true,
    };
    all.iter().filter(looked_at).copied().collect()
}

/// Whether a change is about the nodes that calls ask for: what it makes of them is told.
fn about_nodes(change: Change) -> bool {
    matches!(
        change,
        Change::BrkPreallocates
            | Change::MunmapStoresPlainly
            | Change::PreallocFits
            | Change::DetachByIndex
    )
}

/// Whether a change is about which requests are aligned, or how.
pub(crate) fn places(change: Change) -> bool {
    change == Change::AlignAbuts || aligns(change)
}

/// Whether a change is about which requests are aligned.
pub(crate) fn aligns(change: Change) -> bool {
    matches!(
        change,
        Change::AlignThp61
            | Change::RevertAlignThp61
            | Change::AlignThp
            | Change::AlignFiles
            | Change::AlignMultiplesOnly
            | Change::AlignNotWithHint
            | Change::AlignNotFiles
    )
}
