//! Which function of the kernel makes a decision: the names change with the releases.

use mmscope_mm::{
    Advice, BreakMove, Call, Change, Direction, Event, Kernel, MergeForm, Release, RemapBy,
    TreeWrite, WriteEvent,
};

/// Asks for nodes before a write.
pub const PREALLOCATE: &str = "mas_preallocate()";

/// Where advice about memory comes in.
pub const MADVISE: &str = "do_madvise()";

/// Whether a kernel's release is this one or a later one. For names only; rules ask for changes.
fn since(kernel: Kernel, id: &str) -> bool {
    let place = |release: &Release| Release::ALL.iter().position(|each| each.id == release.id);
    place(kernel.release()) >= Release::find(id).and_then(place)
}

/// The function that makes the decision of an event of a call, with `()`. `direction` is that of the search under
/// way.
pub fn function(
    kernel: Kernel,
    call: Option<&Call>,
    event: &Event,
    direction: Direction,
) -> &'static str {
    match event {
        Event::HintRaised { .. } => "round_hint_to_min()",
        Event::Alignment { .. } => get_unmapped_area(kernel),
        Event::Hint { .. } => arch_get_unmapped_area(direction),
        Event::Search { .. } | Event::Found { .. } => "vm_unmapped_area()",
        Event::Gap(_) => match direction {
            _ if !kernel.has(Change::MapleTree) => "vm_unmapped_area()",
            Direction::TopDown => "mas_empty_area_rev()",
            Direction::BottomUp => "mas_empty_area()",
        },
        Event::GuardGap { .. } => match direction {
            Direction::TopDown => "unmapped_area_topdown()",
            Direction::BottomUp => "unmapped_area()",
        },
        Event::Aligned { .. } => "__thp_get_unmapped_area()",
        Event::AlignFallback => "thp_get_unmapped_area()",
        Event::Placed { .. } => get_unmapped_area(kernel),
        Event::Unmap { .. }
        | Event::Nodes {
            write: TreeWrite::Clear | TreeWrite::Detach,
            ..
        } => {
            if since(kernel, "6.12.0") {
                "vms_gather_munmap_vmas()"
            } else {
                munmap(kernel)
            }
        }
        Event::Split { .. } => "__split_vma()",
        Event::MergeTried { side, .. } => match side {
            mmscope_mm::Side::Prev => "can_vma_merge_after()",
            mmscope_mm::Side::Next => "can_vma_merge_before()",
        },
        Event::MergeBoth { .. } => "is_mergeable_anon_vma()",
        Event::Merged { form, .. } => {
            let copied = matches!(call, Some(Call::Mremap(_)));
            merged(kernel, *form, copied)
        }
        Event::NewVma { .. } if matches!(call, Some(Call::Mremap(_))) => "copy_vma()",
        Event::Remap { by, .. } => match by {
            RemapBy::Move | RemapBy::MoveAndKeep | RemapBy::Duplicate => "move_vma()",
            _ if !since(kernel, "6.15") => "mremap()",
            RemapBy::SameSize => "mremap_at()",
            RemapBy::Shrink => "shrink_vma()",
            RemapBy::Grow => "expand_vma()",
        },
        Event::AnonVmaDropped { .. } if since(kernel, "6.15") => "dontunmap_complete()",
        Event::AnonVmaDropped { .. } => "move_vma()",
        Event::ShmemObject { .. } => "shmem_zero_setup()",
        Event::NewVma { .. } if matches!(call, Some(Call::Brk { .. })) => "do_brk_flags()",
        Event::NewVma { .. } => mmap_region(kernel),
        Event::FlagsChanged { .. } | Event::Unaccounted { .. } | Event::Unchanged { .. } => {
            flags(call)
        }
        Event::HolePassed { .. } => "madvise_walk_vmas()",
        Event::Advised { advice, .. } => match *advice {
            Advice::DONTNEED | Advice::DONTNEED_LOCKED | Advice::FREE => "madvise_dontneed_free()",
            Advice::REMOVE => "madvise_remove()",
            Advice::WILLNEED => "madvise_willneed()",
            Advice::COLD => "madvise_cold()",
            Advice::PAGEOUT => "madvise_pageout()",
            Advice::POPULATE_READ | Advice::POPULATE_WRITE => "madvise_populate()",
            Advice::GUARD_INSTALL => "madvise_guard_install()",
            Advice::GUARD_REMOVE => "madvise_guard_remove()",
            _ => "madvise_vma_behavior()",
        },
        Event::Collapsed { .. } => "madvise_collapse()",
        Event::ThpSwitched(_) => "prctl()",
        Event::Break { by, .. } => match by {
            BreakMove::Grow => "do_brk_flags()",
            BreakMove::Query | BreakMove::WithinPage | BreakMove::Shrink => "brk()",
        },
        Event::AnonVma { .. } => "__anon_vma_prepare()",
        Event::Fault { .. } => "handle_mm_fault()",
        Event::PmdSplit { .. } => "__split_huge_pmd()",
        Event::Grown { .. } => "expand_downwards()",
        Event::Signalled { .. } => "do_user_addr_fault()",
        Event::Refused { reason, .. } => super::refusal::function(kernel, call, *reason),
        Event::LimitSet => "do_prlimit()",
        Event::Forked { .. } | Event::NotCopied { .. } => "dup_mmap()",
        Event::Execed => "begin_new_exec()",
        Event::Exited => "exit_mmap()",
        Event::Truncated { .. } => "truncate_setsize()",
        Event::Personality { .. } => "personality()",
        Event::DefFlags(_) => "apply_mlockall_flags()",
        Event::Named { .. } => "madvise_vma_anon_name()",
        Event::Tree(step) => match step {
            WriteEvent::Decided { .. } if since(kernel, "6.12.0") => "mas_wr_store_type()",
            WriteEvent::Decided { .. } | WriteEvent::Done(_) => "mas_wr_store_entry()",
            WriteEvent::Filled { .. } => "mas_pop_node()",
            WriteEvent::Published { .. } if since(kernel, "6.6") => "mas_put_in_tree()",
            WriteEvent::Published { .. } => "mas_replace()",
            WriteEvent::Dead { .. } => "mte_set_node_dead()",
            WriteEvent::Gap { .. } => "mas_parent_gap()",
        },
        Event::Nodes { write, .. } => match write {
            TreeWrite::New if matches!(call, Some(Call::Mremap(_))) => "copy_vma()",
            TreeWrite::New => mmap_region(kernel),
            TreeWrite::Expand => "vma_expand()",
            TreeWrite::Merge if since(kernel, "6.12.0") => "vma_merge_existing_range()",
            TreeWrite::Merge => "vma_merge()",
            TreeWrite::Split => "__split_vma()",
            TreeWrite::NewHeap | TreeWrite::GrowHeap => "do_brk_flags()",
            TreeWrite::GrowStack => "expand_downwards()",
            TreeWrite::Clear | TreeWrite::Detach => "munmap()",
        },
    }
}

/// Where mremap looks at its arguments.
pub fn mremap_params(kernel: Kernel) -> &'static str {
    if since(kernel, "6.15") {
        "check_mremap_params()"
    } else {
        "mremap()"
    }
}

/// Where mremap looks at the old range.
pub fn mremap_source(kernel: Kernel) -> &'static str {
    if since(kernel, "6.17") {
        "check_prep_vma()"
    } else if since(kernel, "6.15") {
        "resize_is_valid()"
    } else {
        "vma_to_resize()"
    }
}

/// Where mremap looks at where the range is to go.
pub fn mremap_target(kernel: Kernel) -> &'static str {
    if since(kernel, "6.17") {
        "check_mremap_params()"
    } else {
        "mremap_to()"
    }
}

/// Where a move of mremap is prepared.
pub fn prep_move(kernel: Kernel) -> &'static str {
    if since(kernel, "6.15") {
        "prep_move_vma()"
    } else {
        "move_vma()"
    }
}

/// Where mremap gives up growing.
pub fn expand(kernel: Kernel) -> &'static str {
    if since(kernel, "6.15") {
        "expand_vma()"
    } else {
        "mremap()"
    }
}

/// Where flags of a mapping change.
pub fn flags(call: Option<&Call>) -> &'static str {
    match call {
        Some(Call::Madvise { .. }) => "madvise_update_vma()",
        Some(
            Call::Mlock { .. } | Call::Munlock { .. } | Call::Mlockall { .. } | Call::Munlockall,
        ) => "mlock_fixup()",
        Some(Call::Mseal { .. }) => "mseal_fixup()",
        Some(Call::SetAnonName { .. }) => "madvise_vma_anon_name()",
        _ => "mprotect_fixup()",
    }
}

/// Where mappings are taken away.
pub fn munmap(kernel: Kernel) -> &'static str {
    if since(kernel, "6.3") {
        "do_vmi_munmap()"
    } else if kernel.has(Change::MapleTree) {
        "do_mas_munmap()"
    } else {
        "__do_munmap()"
    }
}

/// Where a hint is looked at.
pub fn arch_get_unmapped_area(direction: Direction) -> &'static str {
    match direction {
        Direction::TopDown => "arch_get_unmapped_area_topdown()",
        Direction::BottomUp => "arch_get_unmapped_area()",
    }
}

/// Where alignment is decided.
pub fn get_unmapped_area(kernel: Kernel) -> &'static str {
    if since(kernel, "6.10") {
        "__get_unmapped_area()"
    } else {
        "get_unmapped_area()"
    }
}

/// Where a new mapping is made.
pub fn mmap_region(kernel: Kernel) -> &'static str {
    if since(kernel, "6.12.0") {
        "__mmap_region()"
    } else {
        "mmap_region()"
    }
}

fn merged(kernel: Kernel, form: MergeForm, copied: bool) -> &'static str {
    let new = match form {
        MergeForm::NewIntoPrev | MergeForm::NewIntoNext | MergeForm::NewBetween => true,
        MergeForm::WholeIntoPrev
        | MergeForm::WholeIntoNext
        | MergeForm::WholeBetween
        | MergeForm::HeadIntoPrev
        | MergeForm::TailIntoNext => false,
    };
    match (new, since(kernel, "6.12.0")) {
        (true, true) => "vma_merge_new_range()",
        (true, false) if kernel.has(Change::MmapExpandsNeighbour) && !copied => "vma_expand()",
        (false, true) => "vma_merge_existing_range()",
        (_, false) => "vma_merge()",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_release() {
        let kernel = |name| Kernel::parse(name).unwrap();
        assert_eq!(get_unmapped_area(kernel("6.7")), "get_unmapped_area()");
        assert_eq!(get_unmapped_area(kernel("6.12.y")), "__get_unmapped_area()");
        assert_eq!(
            merged(kernel("6.0"), MergeForm::NewIntoNext, false),
            "vma_merge()"
        );
        assert_eq!(
            merged(kernel("6.6"), MergeForm::NewIntoNext, false),
            "vma_expand()"
        );
        assert_eq!(
            merged(kernel("6.12"), MergeForm::NewIntoNext, false),
            "vma_merge_new_range()"
        );
        assert_eq!(
            merged(kernel("6.12"), MergeForm::HeadIntoPrev, false),
            "vma_merge_existing_range()"
        );
    }
}
