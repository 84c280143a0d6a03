//! Why a call was refused.

use mmscope_mm::{Call, Change, Kernel, Machine, Overcommit, Refusal};

use super::{advice, limit, mapping, num, source, vm_flags};

fn pages(pages: u64) -> String {
    num::size(pages.saturating_mul(4096))
}

/// The reason as half a sentence.
pub fn sentence(machine: &Machine, reason: Refusal) -> String {
    match reason {
        Refusal::Unaligned(addr) => format!("the address {addr:#x} is not a multiple of 4096"),
        Refusal::UnalignedOffset(offset) => {
            format!("the offset {offset:#x} is not a multiple of 4096")
        }
        Refusal::ZeroLength => "the length is 0".to_owned(),
        Refusal::LengthWraps(len) => {
            format!("the length {len:#x} wraps to 0 when rounded up to pages")
        }
        Refusal::OffsetOverflow => "offset plus length does not fit in 64 bits of pages".to_owned(),
        Refusal::BadFd => "the descriptor is not open".to_owned(),
        Refusal::ReadOnlyFile => {
            "the file was opened for reading only, and a shared mapping would write to it"
                .to_owned()
        }
        Refusal::UnsupportedFlags(bits) => {
            format!("MAP_SHARED_VALIDATE refuses flags that this file does not support: {bits:#x}")
        }
        Refusal::BadMapType(bits) => {
            format!("MAP_TYPE is {bits:#x}: neither MAP_PRIVATE nor MAP_SHARED")
        }
        Refusal::BadFlags => "these flags can't go together here".to_owned(),
        Refusal::TooManyMappings { map_count, max } => {
            format!(
                "the process has {} mappings, more than max_map_count ({})",
                num::grouped(map_count),
                num::grouped(max)
            )
        }
        Refusal::SplitTooMany { map_count, max } => format!(
            "a split needs one mapping more, and the process has {} of max_map_count {}",
            num::grouped(map_count),
            num::grouped(max)
        ),
        Refusal::LongerThanTask(len) => {
            format!("{} is more than the whole address space", num::size(len))
        }
        Refusal::BeyondTask(range) => format!(
            "the range {} reaches past the end of user space",
            num::range(range)
        ),
        Refusal::NoGap { need } => format!("no gap of {} is left", num::size(need)),
        Refusal::BelowMinAddr { addr, min } => {
            format!("{addr:#x} is below mmap_min_addr, {min:#x}, and CAP_SYS_RAWIO is missing")
        }
        Refusal::Occupied(vma) => format!(
            "MAP_FIXED_NOREPLACE, and there is {}",
            mapping(machine, vma)
        ),
        Refusal::HugeSize(order) => format!("this machine has no huge pages of 2^{order} bytes"),
        Refusal::NoHugePages => "no huge pages are reserved for MAP_HUGETLB".to_owned(),
        Refusal::MemlockLimit => "it would pass RLIMIT_MEMLOCK".to_owned(),
        Refusal::MemlockForbidden => "RLIMIT_MEMLOCK is 0 and CAP_IPC_LOCK is missing".to_owned(),
        Refusal::AddressSpaceLimit {
            pages: would,
            limit,
        } => {
            format!(
                "{} mapped would pass RLIMIT_AS, {}",
                pages(would),
                pages(limit)
            )
        }
        Refusal::DataLimit {
            pages: would,
            limit,
        } => {
            format!(
                "{} of data would pass RLIMIT_DATA, {}",
                pages(would),
                pages(limit)
            )
        }
        Refusal::Overcommit {
            pages: asked,
            limit,
        } => match machine.settings().overcommit {
            Overcommit::Guess | Overcommit::Always => format!(
                "{} asked for in one request, and RAM and swap together have {}: overcommit_memory 0 refuses that",
                pages(asked),
                pages(limit)
            ),
            Overcommit::Never => format!(
                "{} asked for, and the commit limit leaves {}",
                pages(asked),
                pages(limit)
            ),
        },
        Refusal::CannotSplit(vma) => format!("{} may not be split", mapping(machine, vma)),
        Refusal::BadProt(bits) => {
            format!("{bits:#x} has protection bits that mprotect does not know")
        }
        Refusal::ProtNotAllowed { vma, lacks } => {
            format!(
                "{} may never have that access: {} is missing",
                mapping(machine, vma),
                vm_flags(lacks)
            )
        }
        Refusal::NotGrowsDown(vma) => format!(
            "PROT_GROWSDOWN, and {} does not grow down",
            mapping(machine, vma)
        ),
        Refusal::UnknownAdvice(what) => {
            format!("this kernel knows no advice {}", advice::name(what))
        }
        Refusal::AdviceNotFor { vma, advice: what } => format!(
            "{} does not go with {}",
            advice::name(what),
            mapping(machine, vma)
        ),
        Refusal::NotAdmin => "CAP_SYS_ADMIN is missing".to_owned(),
        Refusal::Sealed(vma) => format!("{} is sealed", mapping(machine, vma)),
        Refusal::NoSuchCall => "this kernel has no such system call".to_owned(),
        Refusal::NoNames => "this kernel was built without CONFIG_ANON_VMA_NAME".to_owned(),
        Refusal::BadName => {
            "a name has at most 79 printable characters, none of them \\ ` $ [ ]".to_owned()
        }
        Refusal::NotAnonymous(vma) => format!(
            "only anonymous memory can have a name, and there is {}",
            mapping(machine, vma)
        ),
        Refusal::CannotCollapse(why) => advice::not_collapsed(why),
        Refusal::CannotPopulate { at, signal } => {
            format!(
                "the page at {at:#x} can't be mapped: {}",
                limit::signal(signal)
            )
        }
        Refusal::Hole(addr) => format!("nothing is mapped at {addr:#x}"),
        Refusal::BelowHeap => "the break can't fall below the start of the heap".to_owned(),
        Refusal::BreakMeets { vma, highest } => format!(
            "the break would come too near to {}: a page must stay free, so {highest:#x} is the highest",
            mapping(machine, vma)
        ),
        Refusal::NoHeap => "the part of the heap that would go is not mapped".to_owned(),
        Refusal::StaysAndResizes => {
            "MREMAP_DONTUNMAP needs the same length before and after".to_owned()
        }
        Refusal::RangesOverlap { from, to } => format!(
            "the old range {} and the new one {} overlap",
            num::range(from),
            num::range(to)
        ),
        Refusal::DuplicatesPrivate(vma) => format!(
            "an old length of 0 maps a shared mapping again, and {} is private",
            mapping(machine, vma)
        ),
        Refusal::BeyondMapping { vma, range } => format!(
            "the old range {} reaches over the end of {}",
            num::range(range),
            mapping(machine, vma)
        ),
        Refusal::CannotExpand(vma) => {
            format!(
                "{} may neither grow nor be left empty",
                mapping(machine, vma)
            )
        }
        Refusal::NoRoomToGrow {
            vma,
            next: Some(next),
        } => format!(
            "{} can't grow in place, {} is in the way, and MREMAP_MAYMOVE is missing",
            mapping(machine, vma),
            mapping(machine, next)
        ),
        Refusal::NoRoomToGrow { vma, next: None } => format!(
            "the old range can't grow in place in {}, and MREMAP_MAYMOVE is missing",
            mapping(machine, vma)
        ),
        Refusal::MoveTooMany {
            map_count,
            more,
            max,
        } => format!(
            "it may need {} mappings more on its way, and the process has {} of max_map_count {}",
            more,
            num::grouped(map_count),
            num::grouped(max)
        ),
    }
}

/// The comparison behind the refusal, in the kernel's terms, where there is one.
pub fn condition(reason: Refusal) -> Option<String> {
    match reason {
        Refusal::Unaligned(value) | Refusal::UnalignedOffset(value) => {
            Some(format!("{value:#x} % 0x1000 = {:#x}", value % 4096))
        }
        Refusal::ZeroLength => Some("len == 0".to_owned()),
        Refusal::LengthWraps(len) => Some(format!("PAGE_ALIGN({len:#x}) = 0")),
        Refusal::TooManyMappings { map_count, max } => {
            Some(format!("map_count {map_count} > {max} = true"))
        }
        Refusal::SplitTooMany { map_count, max } => {
            Some(format!("map_count {map_count} >= {max} = true"))
        }
        Refusal::LongerThanTask(len) => Some(format!(
            "len {len:#x} > TASK_SIZE {:#x} = true",
            mmscope_mm::page::TASK_SIZE
        )),
        Refusal::BeyondTask(range) => Some(format!(
            "end {:#x} > TASK_SIZE {:#x} = true",
            range.end,
            mmscope_mm::page::TASK_SIZE
        )),
        Refusal::NoGap { need } => Some(format!("largest gap >= {need:#x} = false")),
        Refusal::BelowMinAddr { addr, min } => Some(format!("{addr:#x} < {min:#x} = true")),
        Refusal::AddressSpaceLimit { pages, limit } => {
            Some(format!("total_vm {pages} > {limit} pages = true"))
        }
        Refusal::DataLimit { pages, limit } => {
            Some(format!("data_vm {pages} > {limit} pages = true"))
        }
        Refusal::Overcommit { pages, limit } => Some(format!("{pages} > {limit} pages = true")),
        Refusal::Sealed(_) => Some("vm_flags & VM_SEALED = true".to_owned()),
        Refusal::ProtNotAllowed { lacks, .. } => Some(format!("{} set = false", vm_flags(lacks))),
        Refusal::BreakMeets { highest, .. } => Some(format!("new break <= {highest:#x} = false")),
        Refusal::RangesOverlap { from, to } => Some(format!(
            "old end {:#x} > new start {:#x} and new end {:#x} > old start {:#x} = true",
            from.end, to.start, to.end, from.start
        )),
        Refusal::BeyondMapping { range, .. } => {
            Some(format!("{:#x} > vm_end - addr = true", range.len()))
        }
        Refusal::MoveTooMany {
            map_count,
            more,
            max,
        } => Some(format!("map_count {map_count} + {more} <= {max} = false")),
        Refusal::OffsetOverflow
        | Refusal::BadFd
        | Refusal::ReadOnlyFile
        | Refusal::UnsupportedFlags(_)
        | Refusal::BadMapType(_)
        | Refusal::BadFlags
        | Refusal::Occupied(_)
        | Refusal::HugeSize(_)
        | Refusal::NoHugePages
        | Refusal::MemlockLimit
        | Refusal::MemlockForbidden
        | Refusal::CannotSplit(_)
        | Refusal::BadProt(_)
        | Refusal::NotGrowsDown(_)
        | Refusal::UnknownAdvice(_)
        | Refusal::AdviceNotFor { .. }
        | Refusal::NotAdmin
        | Refusal::NoSuchCall
        | Refusal::NoNames
        | Refusal::BadName
        | Refusal::NotAnonymous(_)
        | Refusal::CannotCollapse(_)
        | Refusal::CannotPopulate { .. }
        | Refusal::Hole(_)
        | Refusal::BelowHeap
        | Refusal::NoHeap
        | Refusal::StaysAndResizes
        | Refusal::DuplicatesPrivate(_)
        | Refusal::CannotExpand(_)
        | Refusal::NoRoomToGrow { .. } => None,
    }
}

/// The function that refuses a call.
pub fn function(kernel: Kernel, call: Option<&Call>, reason: Refusal) -> &'static str {
    match (call, reason) {
        (
            Some(Call::Munmap { .. }),
            Refusal::Unaligned(_)
            | Refusal::BeyondTask(_)
            | Refusal::ZeroLength
            | Refusal::SplitTooMany { .. },
        ) => return source::munmap(kernel),
        // MAP_FIXED and a shrinking break take away what is there.
        (Some(Call::Mmap(_) | Call::Brk { .. }), Refusal::SplitTooMany { .. }) => {
            return source::munmap(kernel);
        }
        (
            Some(Call::Mprotect { .. }),
            Refusal::Unaligned(_)
            | Refusal::BeyondTask(_)
            | Refusal::LengthWraps(_)
            | Refusal::BadFlags,
        ) => return "do_mprotect_pkey()",
        (
            Some(Call::Madvise { .. }),
            Refusal::Unaligned(_) | Refusal::LengthWraps(_) | Refusal::Hole(_),
        ) => return source::MADVISE,
        (
            Some(Call::Mlock { .. } | Call::Munlock { .. }),
            Refusal::LengthWraps(_) | Refusal::Hole(_),
        ) => return "apply_vma_lock_flags()",
        (Some(Call::Mlock { .. }), Refusal::BadFlags) => return "mlock2()",
        (
            Some(Call::Mlock { .. }),
            Refusal::MemlockLimit | Refusal::MemlockForbidden | Refusal::ProtNotAllowed { .. },
        ) => return "do_mlock()",
        (Some(Call::Mlockall { .. }), _) => return "mlockall()",
        (
            Some(Call::Mseal { .. }),
            Refusal::BadFlags | Refusal::Unaligned(_) | Refusal::LengthWraps(_) | Refusal::Hole(_),
        ) => return "do_mseal()",
        (
            Some(Call::SetAnonName { .. }),
            Refusal::Unaligned(_) | Refusal::LengthWraps(_) | Refusal::Hole(_),
        ) => return "madvise_set_anon_name()",
        (Some(Call::SetThpDisable { .. }), Refusal::BadFlags) => return "prctl()",
        (Some(Call::Brk { .. }), Refusal::TooManyMappings { .. }) => return "do_brk_flags()",
        (Some(Call::Mremap(_)), Refusal::SplitTooMany { .. }) => return source::munmap(kernel),
        (
            Some(Call::Mremap(_)),
            Refusal::BadFlags | Refusal::ZeroLength | Refusal::Unaligned(_),
        ) => return source::mremap_params(kernel),
        (Some(Call::Mremap(_)), Refusal::BeyondTask(_)) => return source::mremap_target(kernel),
        (Some(Call::Mremap(_)), Refusal::LongerThanTask(_))
            if kernel.has(Change::MremapChecksSource) =>
        {
            return source::mremap_params(kernel);
        }
        (
            Some(Call::Mremap(_)),
            Refusal::Hole(_) | Refusal::OffsetOverflow | Refusal::MemlockLimit,
        ) => return source::mremap_source(kernel),
        (Some(Call::Mremap(_)), Refusal::CannotSplit(_)) => return source::prep_move(kernel),
        _ => {}
    }
    match reason {
        Refusal::UnalignedOffset(_) => "mmap()",
        Refusal::BadFd | Refusal::HugeSize(_) | Refusal::NoHugePages => "ksys_mmap_pgoff()",
        Refusal::ZeroLength
        | Refusal::LengthWraps(_)
        | Refusal::OffsetOverflow
        | Refusal::ReadOnlyFile
        | Refusal::UnsupportedFlags(_)
        | Refusal::BadMapType(_)
        | Refusal::BadFlags
        | Refusal::TooManyMappings { .. }
        | Refusal::Occupied(_)
        | Refusal::MemlockLimit
        | Refusal::MemlockForbidden => "do_mmap()",
        Refusal::SplitTooMany { .. } => "split_vma()",
        Refusal::Unaligned(_) | Refusal::LongerThanTask(_) | Refusal::BeyondTask(_) => {
            source::get_unmapped_area(kernel)
        }
        Refusal::BelowMinAddr { .. } => "security_mmap_addr()",
        Refusal::NoGap { .. } => "vm_unmapped_area()",
        Refusal::AddressSpaceLimit { .. } | Refusal::DataLimit { .. } => "may_expand_vm()",
        Refusal::Overcommit { .. } => "__vm_enough_memory()",
        Refusal::CannotSplit(_) => "__split_vma()",
        Refusal::BadProt(_)
        | Refusal::ProtNotAllowed { .. }
        | Refusal::NotGrowsDown(_)
        | Refusal::Hole(_) => "do_mprotect_pkey()",
        Refusal::UnknownAdvice(_) => source::MADVISE,
        Refusal::AdviceNotFor { .. } => "madvise_vma_behavior()",
        Refusal::NotAdmin => "madvise_inject_error()",
        Refusal::Sealed(_) if kernel.has(Change::SealsMetInTurn) => "can_modify_vma()",
        Refusal::Sealed(_) => "can_modify_mm()",
        Refusal::NoSuchCall => "sys_ni_syscall()",
        Refusal::NoNames => "prctl()",
        Refusal::BadName => "prctl_set_vma()",
        Refusal::NotAnonymous(_) => "madvise_vma_anon_name()",
        Refusal::CannotCollapse(_) => "madvise_collapse()",
        Refusal::CannotPopulate { .. } => "faultin_page()",
        Refusal::BelowHeap | Refusal::BreakMeets { .. } | Refusal::NoHeap => "brk()",
        Refusal::StaysAndResizes => source::mremap_params(kernel),
        Refusal::RangesOverlap { .. } => source::mremap_target(kernel),
        Refusal::DuplicatesPrivate(_)
        | Refusal::BeyondMapping { .. }
        | Refusal::CannotExpand(_) => source::mremap_source(kernel),
        Refusal::NoRoomToGrow { .. } => source::expand(kernel),
        // Six more are asked for where the new address is looked at.
        Refusal::MoveTooMany { more: 6, .. } if kernel.has(Change::MremapChecksParams) => {
            source::mremap_params(kernel)
        }
        Refusal::MoveTooMany { more: 6, .. } => "mremap_to()",
        Refusal::MoveTooMany { more: 4, .. } if kernel.has(Change::MremapCountsSplits) => {
            "do_mremap()"
        }
        Refusal::MoveTooMany { .. } => source::prep_move(kernel),
    }
}
