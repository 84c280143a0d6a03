//! What each decision was, as a sentence.

use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{
    AlignMove, AlignVerdict, BreakMove, Change, Direction, Event, GapLook, GapVerdict, HintVerdict,
    Kernel, Machine, MergeForm, Nodes, PlacedBy, Pmd, Range, RemapBy, Side, TreeWrite, VmFlags,
};

use super::{advice, limit, mapping, merge, num, perms, refusal, sentence, vm_flags};

/// What became of what a decision looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Taken, done, agreed to.
    Yes,
    /// Passed over, refused.
    No,
    /// Neither: a step on the way.
    Step,
}

/// What a decision was.
pub fn event(machine: &Machine, event: &Event) -> (String, Tone) {
    match event {
        Event::HintRaised { from, to } => (
            format!("The hint {from:#x} is below the lowest allowed address: raised to {to:#x}."),
            Tone::Step,
        ),
        Event::Alignment { len, hint, verdict } => {
            alignment(machine.kernel(), *len, *hint, *verdict)
        }
        Event::Hint {
            range,
            padded,
            verdict,
        } => hint(machine, *range, *padded, *verdict),
        Event::Search {
            direction,
            need,
            padded,
            limits,
        } => (search(*direction, *need, *padded, *limits), Tone::Step),
        Event::Gap(look) => gap(*look),
        Event::GuardGap { vma, limit } => (
            format!(
                "{} grows down and keeps {} free below it: the search goes on from {limit:#x}.",
                sentence(&mapping(machine, *vma)),
                num::size(machine.settings().stack_guard_gap << 12)
            ),
            Tone::No,
        ),
        Event::Found { addr, padded } => found(*addr, *padded),
        Event::Aligned { found, addr, how } => (aligned(*found, *addr, *how), Tone::Yes),
        Event::AlignFallback => (
            "No gap leaves 2 MiB to spare: the mapping is placed without alignment.".to_owned(),
            Tone::No,
        ),
        Event::Placed { range, by } => (placed(*range, *by), Tone::Yes),
        Event::Unmap { range, vmas } => (
            format!(
                "{} in {} taken away.",
                num::count(*vmas, "mapping", "mappings"),
                num::range(*range)
            ),
            Tone::Step,
        ),
        Event::Split { vma, new, at } => (
            format!(
                "Cut at {at:#x}: {} and {}.",
                mapping(machine, *vma),
                mapping(machine, *new)
            ),
            Tone::Step,
        ),
        Event::MergeTried {
            side,
            neighbour,
            range,
            verdict,
        } => match verdict {
            Ok(()) => {
                let place = match side {
                    Side::Prev => "below",
                    Side::Next => "above",
                };
                let name =
                    neighbour.map_or_else(|| "the neighbour".to_owned(), |id| mapping(machine, id));
                (
                    format!(
                        "{} may join {name}, {place} it: attributes match and offsets continue.",
                        num::range(*range)
                    ),
                    Tone::Yes,
                )
            }
            Err(reason) => (
                format!(
                    "{}: not joined, {}.",
                    num::range(*range),
                    merge::refusal(*side, *reason)
                ),
                Tone::No,
            ),
        },
        Event::MergeBoth {
            prev,
            next,
            verdict,
        } => {
            let both = format!(
                "{} and {}",
                mapping(machine, *prev),
                mapping(machine, *next)
            );
            match verdict {
                Ok(()) => (
                    format!("{} may be joined to each other as well.", sentence(&both)),
                    Tone::Yes,
                ),
                Err(reason) => (
                    format!(
                        "{} may not be joined to each other: {}.",
                        sentence(&both),
                        merge::refusal(Side::Next, *reason)
                    ),
                    Tone::No,
                ),
            }
        }
        Event::Merged { range, form, .. } => (
            format!(
                "{}: the mapping is now {}, {}.",
                sentence(merge::form(*form)),
                num::range(*range),
                num::size(range.len())
            ),
            Tone::Yes,
        ),
        Event::ShmemObject { len, charged } => (
            format!(
                "Shared anonymous memory is an object of its own, /dev/zero: {}, {}.",
                num::size(*len),
                match charged {
                    0 => "not charged to the commit limit",
                    _ => "charged to the commit limit as a whole",
                }
            ),
            Tone::Yes,
        ),
        Event::NewVma { range, .. } => (
            format!(
                "A new mapping: {}, {}.",
                num::range(*range),
                num::size(range.len())
            ),
            Tone::Yes,
        ),
        Event::FlagsChanged {
            range, from, to, ..
        } => (
            format!(
                "{} at {}: {} becomes {} ({} changed).",
                num::size(range.len()),
                num::range(*range),
                perms(*from),
                perms(*to),
                vm_flags(*from ^ *to)
            ),
            Tone::Yes,
        ),
        Event::Unaccounted { range } => (
            format!(
                "{} was never written to and can't be now: no longer charged, VM_ACCOUNT is dropped.",
                num::range(*range)
            ),
            Tone::Step,
        ),
        Event::Unchanged { vma } => (
            format!(
                "{} has these flags already: nothing is done, no merge is tried.",
                sentence(&mapping(machine, *vma))
            ),
            Tone::Step,
        ),
        Event::Remap { from, to, by } => (remap(*from, *to, *by), Tone::Step),
        Event::AnonVmaDropped { vma } => (
            format!(
                "All pages of {} were moved away: it has no anon_vma any more, as if never written to.",
                mapping(machine, *vma)
            ),
            Tone::Step,
        ),
        Event::HolePassed { range } => (
            format!(
                "Nothing is mapped in {}: passed over, and the call will end with ENOMEM.",
                num::range(*range)
            ),
            Tone::No,
        ),
        Event::Advised { range, advice, .. } => (
            format!(
                "{} at {}: {}.",
                num::size(range.len()),
                num::range(*range),
                advice::done(machine.kernel(), *advice)
            ),
            Tone::Yes,
        ),
        Event::Collapsed { addr } => (
            format!("The block at {addr:#x} is a huge page now."),
            Tone::Yes,
        ),
        Event::ThpSwitched(to) => (advice::switched(*to).to_owned(), Tone::Yes),
        Event::Break { from, to, by } => (moved(*from, *to, *by), Tone::Yes),
        Event::AnonVma {
            vma,
            anon_vma,
            shared_with,
        } => (
            match shared_with {
                Some(other) => format!(
                    "First private page of {}: it shares anon_vma {} of {}, so that the two can merge.",
                    mapping(machine, *vma),
                    anon_vma.0,
                    mapping(machine, *other)
                ),
                None => format!(
                    "First private page of {}: it gets an anon_vma of its own, number {}.",
                    mapping(machine, *vma),
                    anon_vma.0
                ),
            },
            Tone::Step,
        ),
        Event::Fault {
            vma,
            addr,
            page,
            not_huge,
        } => {
            let mut text = format!(
                "Fault at {addr:#x} in {}: {}",
                mapping(machine, *vma),
                limit::page(*page)
            );
            if let Some(why) = not_huge {
                text.push_str("; no huge page: ");
                text.push_str(limit::not_huge(*why));
            }
            text.push('.');
            (text, Tone::Step)
        }
        Event::PmdSplit { block, pmd, why } => (
            format!(
                "The huge {}page at {block:#x} is split into 4 kB pages: {}.",
                if *pmd == Pmd::HugeZero { "zero " } else { "" },
                limit::pmd_split(*why)
            ),
            Tone::Step,
        ),
        Event::Grown { vma, start } => (
            format!(
                "{} grew down to {start:#x}.",
                sentence(&mapping(machine, *vma))
            ),
            Tone::Yes,
        ),
        Event::Signalled { signal, at, growth } => {
            let mut text = format!(
                "{} at {at:#x}: {}",
                limit::signal_name(*signal),
                limit::signal(*signal)
            );
            if let Some(growth) = growth {
                text.push_str(", and the growing mapping above stays as it is: ");
                text.push_str(&limit::growth(machine, *growth));
            }
            text.push('.');
            (text, Tone::No)
        }
        Event::Refused { errno, reason } => (
            format!("{}: {}.", errno.name(), refusal::sentence(machine, *reason)),
            Tone::No,
        ),
        Event::LimitSet => (
            "The limit holds from now on; what is mapped stays.".to_owned(),
            Tone::Yes,
        ),
        Event::Forked { child } => (
            format!(
                "The address space is copied, and the {} sleeps from now on. Both share the pages until one of them writes. Maple tree nodes of the copy are not counted.",
                if *child { "parent" } else { "child" }
            ),
            Tone::Yes,
        ),
        Event::NotCopied { range } => (
            format!(
                "{} has VM_DONTCOPY: the child does not get it.",
                num::range(*range)
            ),
            Tone::Step,
        ),
        Event::Execed => (
            "The address space is that of the start again; nodes of the maple tree are not counted.".to_owned(),
            Tone::Yes,
        ),
        Event::Exited => (
            "The process has exited: nothing is mapped any more.".to_owned(),
            Tone::Yes,
        ),
        Event::Truncated { file, len } => {
            let path = machine.files().get(file.0 as usize).map_or("the file", |file| &file.path);
            (
                format!(
                    "Its length is {} now: pages of {path} behind that are gone, private copies too.",
                    num::size(*len)
                ),
                Tone::Yes,
            )
        }
        Event::Personality { from, to } if from == to => {
            (format!("The personality stays {to:#x}."), Tone::Step)
        }
        Event::Personality { from, to } => (
            format!(
                "The personality was {from:#x} and is {to:#x} now. READ_IMPLIES_EXEC holds at once, what is about the layout from the next exec on."
            ),
            Tone::Yes,
        ),
        Event::DefFlags(to) if to.is_empty() => {
            ("Later mappings are not locked.".to_owned(), Tone::Step)
        }
        Event::DefFlags(to) => (
            format!("Later mappings and the heap get {}.", vm_flags(*to)),
            Tone::Yes,
        ),
        Event::Named { vma, range } => (
            match machine
                .get_vma(*vma)
                .and_then(|vma| vma.anon_name.as_deref())
            {
                Some(name) => format!("{} goes by the name {name} in maps.", num::range(*range)),
                None => format!("{} has no name any more.", num::range(*range)),
            },
            Tone::Yes,
        ),
        Event::Tree(step) => (super::tree::write(machine, *step), Tone::Step),
        Event::Nodes { write, nodes } => {
            (nodes_taken(machine.kernel(), *write, *nodes), Tone::Step)
        }
    }
}

/// What a write to the tree took.
fn nodes_taken(kernel: Kernel, write: TreeWrite, nodes: Nodes) -> String {
    let what = match write {
        TreeWrite::New => "a new mapping",
        TreeWrite::Expand => "a mapping that grows over the new range",
        TreeWrite::Merge => "a mapping that takes in another",
        TreeWrite::Split => "a mapping cut in two",
        TreeWrite::Clear => "the hole",
        TreeWrite::Detach => "the list of mappings to remove",
        TreeWrite::NewHeap => "a new heap mapping",
        TreeWrite::GrowHeap => "the larger heap",
        TreeWrite::GrowStack => "the larger stack",
    };
    if nodes == Nodes::default() {
        return format!("The maple tree holds {what} now; no node was asked for.");
    }
    format!(
        "The maple tree asks for {}{} for {what}: {} used, {} given back.",
        num::count(nodes.asked, "node", "nodes"),
        super::kernel::tree_assumed(kernel),
        nodes.used,
        nodes.returned
    )
}

fn alignment(kernel: Kernel, len: u64, hint: u64, verdict: AlignVerdict) -> (String, Tone) {
    let size = num::size(len);
    match verdict {
        AlignVerdict::Aligned { .. } if kernel.has(Change::AlignMultiplesOnly) => {
            (format!("{size} is a multiple of 2 MiB: a place aligned to 2 MiB is looked for."), Tone::Yes)
        }
        AlignVerdict::Aligned { .. } => {
            (format!("{size} is 2 MiB or more: a place aligned to 2 MiB is looked for."), Tone::Yes)
        }
        AlignVerdict::FileHook => {
            ("The file system asks for alignment: the address is to agree with the file's offset, modulo 2 MiB.".to_owned(), Tone::Yes)
        }
        AlignVerdict::ShmemHook => {
            ("Shared memory is aligned only if shmem_enabled says so, and it is never: no alignment.".to_owned(), Tone::No)
        }
        AlignVerdict::NoRule => ("This kernel has no alignment rule for anonymous memory.".to_owned(), Tone::No),
        AlignVerdict::FileWithoutHook => {
            ("This kernel aligns a file only if its file system asks for it, and this one does not.".to_owned(), Tone::No)
        }
        AlignVerdict::NotMultiple => {
            (format!("{size} is not a multiple of 2 MiB ({} over): no alignment.", num::size(len % PMD_SIZE)), Tone::No)
        }
        AlignVerdict::HintGiven => (format!("A hint is given ({hint:#x}): no alignment."), Tone::No),
        AlignVerdict::TooShort => (format!("{size} holds no whole block of 2 MiB: no alignment."), Tone::No),
        AlignVerdict::Fixed => ("MAP_FIXED: the address is taken as it is, nothing is searched for.".to_owned(), Tone::Step),
    }
}

/// The comparison that decided about alignment, with its operands.
pub fn alignment_condition(
    kernel: Kernel,
    len: u64,
    hint: u64,
    verdict: AlignVerdict,
) -> Option<String> {
    let multiple = format!("IS_ALIGNED({len:#x}, {PMD_SIZE:#x})");
    match verdict {
        AlignVerdict::Aligned { .. } if kernel.has(Change::AlignNotWithHint) => {
            Some(format!("{multiple} && !addr = true"))
        }
        AlignVerdict::Aligned { .. } if kernel.has(Change::AlignMultiplesOnly) => {
            Some(format!("{multiple} = true"))
        }
        AlignVerdict::Aligned { .. } => {
            Some(format!("len {len:#x} >= PMD_SIZE {PMD_SIZE:#x} = true"))
        }
        AlignVerdict::NotMultiple => Some(format!(
            "{multiple} = false: {} over",
            num::size(len % PMD_SIZE)
        )),
        AlignVerdict::HintGiven => Some(format!("{multiple} && !addr = false: addr is {hint:#x}")),
        AlignVerdict::TooShort if len < PMD_SIZE && !kernel.has(Change::AlignMultiplesOnly) => {
            Some(format!("len {len:#x} >= PMD_SIZE {PMD_SIZE:#x} = false"))
        }
        AlignVerdict::NoRule if len >= PMD_SIZE => {
            Some("no condition on the length in this kernel".to_owned())
        }
        AlignVerdict::FileHook => Some("file->f_op->get_unmapped_area set = true".to_owned()),
        AlignVerdict::FileWithoutHook => {
            Some("file->f_op->get_unmapped_area set = false".to_owned())
        }
        AlignVerdict::ShmemHook
        | AlignVerdict::NoRule
        | AlignVerdict::TooShort
        | AlignVerdict::Fixed => None,
    }
}

/// The comparison that decided which of two boundaries is used, with its operands.
pub fn abuts_condition(found: u64, how: AlignMove) -> Option<String> {
    let there = match how {
        AlignMove::AlreadyThere | AlignMove::AlreadyThereUpper => true,
        AlignMove::Up(_) => false,
        AlignMove::Hint => return None,
    };
    Some(if !there || found.is_multiple_of(PMD_SIZE) {
        format!("found {found:#x} on a boundary = {there}")
    } else {
        format!("found {found:#x} congruent to the offset modulo 2 MiB = {there}")
    })
}

/// What mprotect did to one range, as half a sentence.
pub fn flags_changed(
    range: Range,
    from: VmFlags,
    to: VmFlags,
    joined: Option<(MergeForm, Range)>,
) -> String {
    let (was, is) = (perms(from), perms(to));
    let mut text = format!(
        "{} at {}: {was} becomes {is}",
        num::size(range.len()),
        num::range(range)
    );
    if was == is {
        text.push_str(&format!(", {} changed", vm_flags(from ^ to)));
    }
    if let Some((form, range)) = joined {
        text.push_str(&format!(
            ", and {}: {} in all",
            merge::form(form),
            num::size(range.len())
        ));
    }
    text
}

fn hint(machine: &Machine, range: Range, padded: bool, verdict: HintVerdict) -> (String, Tone) {
    let mut asks = format!("The hint asks for {}", num::range(range));
    if padded {
        asks.push_str(", 2 MiB of padding included");
    }
    match verdict {
        HintVerdict::Taken => (format!("{asks}: free, and taken as it is."), Tone::Yes),
        HintVerdict::Occupied { vma, from }
            if machine
                .get_vma(vma)
                .is_some_and(|vma| vma.flags.contains(VmFlags::GROWSDOWN)) =>
        {
            (
                format!(
                    "{asks}: not free from {from:#x} on, where the guard gap of {} begins.",
                    mapping(machine, vma)
                ),
                Tone::No,
            )
        }
        HintVerdict::Occupied { vma, from } => (
            format!(
                "{asks}: not free from {from:#x} on, there is {}.",
                mapping(machine, vma)
            ),
            Tone::No,
        ),
        HintVerdict::Invalid => (
            format!("{asks}: outside of what user space may have."),
            Tone::No,
        ),
    }
}

fn search(direction: Direction, need: u64, padded: bool, limits: Range) -> String {
    let which = match direction {
        Direction::TopDown => "highest",
        Direction::BottomUp => "lowest",
    };
    let padding = if padded {
        ", 2 MiB of padding included,"
    } else {
        ""
    };
    format!(
        "Search for the {which} gap of {}{padding} between {:#x} and {:#x}.",
        num::size(need),
        limits.start,
        limits.end
    )
}

fn gap(look: GapLook) -> (String, Tone) {
    let range = Range {
        start: look.first,
        end: look.last.saturating_add(1),
    };
    let (largest, size) = (num::size(look.largest), num::size(look.size));
    if look.level == 0 {
        let gap = format!("Gap {} of {largest}", num::range(range));
        match look.verdict {
            GapVerdict::Fits => (format!("{gap}: {size} fits, taken."), Tone::Yes),
            GapVerdict::TooSmall => (format!("{gap}: too small for {size}."), Tone::No),
            GapVerdict::OutsideLimits => (
                format!("{gap}: not {size} of it within the limits."),
                Tone::No,
            ),
            GapVerdict::Descend => (format!("{gap}: looked at more closely."), Tone::Step),
        }
    } else {
        let part = format!(
            "Between {:#x} and {:#x} the largest gap has {largest}",
            range.start, range.end
        );
        match look.verdict {
            GapVerdict::Descend => (
                format!("{part}: enough for {size}, looked at more closely."),
                Tone::Step,
            ),
            GapVerdict::TooSmall => (
                format!("{part}: too small for {size}, passed over."),
                Tone::No,
            ),
            GapVerdict::OutsideLimits => (
                format!("{part}, but not within the limits: passed over."),
                Tone::No,
            ),
            GapVerdict::Fits => (format!("{part}: {size} fits."), Tone::Yes),
        }
    }
}

fn found(addr: Option<u64>, padded: bool) -> (String, Tone) {
    match (addr, padded) {
        (Some(addr), false) => (
            format!("Found {addr:#x}: the block is taken from the end of the gap."),
            Tone::Yes,
        ),
        (Some(addr), true) => (
            format!("Found {addr:#x}, 2 MiB of padding included."),
            Tone::Yes,
        ),
        (None, false) => ("No gap is large enough.".to_owned(), Tone::No),
        (None, true) => (
            "No gap is large enough with 2 MiB of padding.".to_owned(),
            Tone::No,
        ),
    }
}

fn aligned(found: u64, addr: u64, how: AlignMove) -> String {
    if !addr.is_multiple_of(PMD_SIZE) {
        let congruent = "congruent to the file's offset modulo 2 MiB";
        match how {
            AlignMove::Up(by) => {
                return format!(
                    "{found:#x} is moved up by {} to {addr:#x}, {congruent}; what is above it stays free.",
                    num::size(by)
                );
            }
            AlignMove::AlreadyThere => {
                return format!(
                    "{found:#x} is {congruent} and used as it is: the 2 MiB of padding stay free above it."
                );
            }
            AlignMove::AlreadyThereUpper => {
                return format!(
                    "{found:#x} is {congruent}, so {addr:#x}, 2 MiB above, is too: the mapping ends where the gap ends."
                );
            }
            AlignMove::Hint => {}
        }
    }
    match how {
        AlignMove::Up(by) => format!(
            "{found:#x} is moved up by {} to the boundary {addr:#x}; what is above it stays free.",
            num::size(by)
        ),
        AlignMove::AlreadyThere => format!(
            "{found:#x} lies on a boundary and is used as it is: the 2 MiB of padding stay free above it."
        ),
        AlignMove::AlreadyThereUpper => {
            format!(
                "{found:#x} lies on a boundary, so the next one, {addr:#x}, does too: the mapping ends where the gap ends."
            )
        }
        AlignMove::Hint => {
            format!("The padded range at the hint is free: {addr:#x} is used, aligned or not.")
        }
    }
}

fn placed(range: Range, by: PlacedBy) -> String {
    let place = format!("Placed at {:#x}, {}", range.start, num::size(range.len()));
    match by {
        PlacedBy::Fixed => format!("{place}: as MAP_FIXED says."),
        PlacedBy::Hint => format!("{place}: at the hint."),
        PlacedBy::Search => format!("{place}: where the search found room."),
        PlacedBy::AlignedSearch => format!("{place}: where the search with alignment found room."),
    }
}

fn remap(from: Range, to: Range, by: RemapBy) -> String {
    let (old, new) = (num::size(from.len()), num::size(to.len()));
    match by {
        RemapBy::SameSize => format!("{old} before and after: nothing to do."),
        RemapBy::Shrink => format!("{old} shrink to {new}: what is behind is unmapped."),
        RemapBy::Grow => format!(
            "{old} grow to {new} in place: nothing is mapped behind the mapping, which ends where the old range does."
        ),
        RemapBy::Move if old == new => {
            format!("{old} move from {:#x} to {:#x}.", from.start, to.start)
        }
        RemapBy::Move => format!(
            "{old} move from {:#x} to {:#x} and become {new}.",
            from.start, to.start
        ),
        RemapBy::MoveAndKeep => format!(
            "The pages of {old} move from {:#x} to {:#x}; the old range stays mapped, empty, as MREMAP_DONTUNMAP says.",
            from.start, to.start
        ),
        RemapBy::Duplicate => format!(
            "An old length of 0: {new} of the shared mapping at {:#x} are mapped a second time, at {:#x}.",
            from.start, to.start
        ),
    }
}

/// What mremap did, where there is little room; `None` where it says less than the other events.
pub(super) fn remap_short(by: RemapBy) -> Option<&'static str> {
    match by {
        RemapBy::SameSize => Some("nothing to change"),
        RemapBy::Shrink => Some("shrunk"),
        RemapBy::Grow => Some("grown in place"),
        RemapBy::Move | RemapBy::MoveAndKeep | RemapBy::Duplicate => None,
    }
}

fn moved(from: u64, to: u64, by: BreakMove) -> String {
    match by {
        BreakMove::Query => format!("The break is at {to:#x}; it was only asked for."),
        BreakMove::WithinPage => format!(
            "The break moves from {from:#x} to {to:#x}, in the same page: no mapping changes."
        ),
        BreakMove::Grow => format!(
            "The break moves up from {from:#x} to {to:#x}: the heap grows by {}.",
            num::size(to.saturating_sub(from))
        ),
        BreakMove::Shrink => format!(
            "The break moves down from {from:#x} to {to:#x}: the heap shrinks by {}.",
            num::size(from.saturating_sub(to))
        ),
    }
}
