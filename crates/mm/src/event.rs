//! What the model decided and why, as values.
//!
//! Each event stands for one decision of one kernel function, with the operands it compared. Sentences are made from
//! them elsewhere.

use mmscope_maple::{GapLook, WriteEvent};

use crate::call::{Advice, Signal};
use crate::change::Change;
use crate::errno::Errno;
use crate::file::FileId;
use crate::flags::VmFlags;
use crate::nodes::{Nodes, TreeWrite};
use crate::page_table::Pmd;
use crate::process::ThpDisable;
use crate::thp::NotHuge;
use crate::vma::{AnonVma, VmaId};

/// `[start, end)` in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// First byte.
    pub start: u64,
    /// First byte behind it.
    pub end: u64,
}

impl Range {
    /// `[start, start + len)`, cut off at the top of the 64-bit space.
    pub fn sized(start: u64, len: u64) -> Range {
        Range {
            start,
            end: start.saturating_add(len),
        }
    }

    /// Length in bytes.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is in it.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A hint below the lowest allowed address was raised (`round_hint_to_min`).
    HintRaised {
        /// As given, rounded to a page.
        from: u64,
        /// As used.
        to: u64,
    },
    /// Whether this request is placed on a 2 MiB boundary (`__get_unmapped_area`).
    Alignment {
        /// Length, rounded to pages.
        len: u64,
        /// The hint, 0 if none.
        hint: u64,
        /// What was decided, and by which condition.
        verdict: AlignVerdict,
    },
    /// A hint was looked at (`arch_get_unmapped_area_topdown`, `arch_get_unmapped_area`).
    Hint {
        /// The range the hint asks for (with padding, if `padded`).
        range: Range,
        /// Whether the length includes 2 MiB of padding for alignment.
        padded: bool,
        /// What became of it.
        verdict: HintVerdict,
    },
    /// A search for room starts (`vm_unmapped_area`).
    Search {
        /// From which end.
        direction: Direction,
        /// Bytes needed in one gap.
        need: u64,
        /// Whether `need` includes 2 MiB of padding for alignment.
        padded: bool,
        /// Where the search may go.
        limits: Range,
    },
    /// The search looked at a gap, or at a subtree of the maple tree by its largest gap (`mas_empty_area_rev`).
    Gap(GapLook),
    /// The gap lies below a growing mapping that keeps its guard gap; the search goes on outside of it.
    GuardGap {
        /// The growing mapping.
        vma: VmaId,
        /// The new limit of the search.
        limit: u64,
    },
    /// The search ended.
    Found {
        /// The address, if there was room.
        addr: Option<u64>,
        /// Whether this was a padded search, whose result is aligned next.
        padded: bool,
    },
    /// The result of a padded search was moved to a boundary (`__thp_get_unmapped_area`).
    Aligned {
        /// What the padded search found.
        found: u64,
        /// The address used.
        addr: u64,
        /// How it got there.
        how: AlignMove,
    },
    /// The padded search failed or does not apply: the request is placed without alignment.
    AlignFallback,
    /// The place is decided.
    Placed {
        /// The range of the new mapping.
        range: Range,
        /// What decided it.
        by: PlacedBy,
    },
    /// What lies in a range is taken away first (`MAP_FIXED`, `munmap`, a shrinking break).
    Unmap {
        /// The range.
        range: Range,
        /// Mappings that lie in it, split ones included.
        vmas: u64,
    },
    /// A mapping was cut in two (`__split_vma`).
    Split {
        /// The mapping that keeps its name.
        vma: VmaId,
        /// The new one.
        new: VmaId,
        /// Where.
        at: u64,
    },
    /// A merge was considered (`can_vma_merge_before`, `can_vma_merge_after`).
    MergeTried {
        /// On which side of the range the neighbour lies.
        side: Side,
        /// The neighbour, if anything is mapped on that side at all.
        neighbour: Option<VmaId>,
        /// The range that would join.
        range: Range,
        /// Whether it may, or the first condition that refused.
        verdict: Result<(), MergeRefusal>,
    },
    /// Both neighbours match the range, and may or may not be joined to each other.
    MergeBoth {
        /// The lower neighbour.
        prev: VmaId,
        /// The upper neighbour.
        next: VmaId,
        /// Whether they may, or the condition that refused.
        verdict: Result<(), MergeRefusal>,
    },
    /// A merge was done (`vma_expand`, `commit_merge`).
    Merged {
        /// The mapping that stays and grows.
        into: VmaId,
        /// Its range now.
        range: Range,
        /// Which form.
        form: MergeForm,
    },
    /// A shared anonymous mapping got an object of its own (`shmem_zero_setup`).
    ShmemObject {
        /// Its length in bytes.
        len: u64,
        /// Pages charged to the commit limit; none with `MAP_NORESERVE`.
        charged: u64,
    },
    /// No neighbour took the range: a new mapping (`vm_area_alloc`).
    NewVma {
        /// The mapping.
        vma: VmaId,
        /// Its range.
        range: Range,
    },
    /// Flags of a mapping changed in place (`mprotect_fixup`).
    FlagsChanged {
        /// The mapping that holds the range now.
        vma: VmaId,
        /// The range whose flags changed.
        range: Range,
        /// Before.
        from: VmFlags,
        /// After.
        to: VmFlags,
    },
    /// `mprotect` dropped the charge for memory that can't be written and was never touched.
    Unaccounted {
        /// The range.
        range: Range,
    },
    /// The flags are already as asked: nothing to do, no merge is tried.
    Unchanged {
        /// The mapping.
        vma: VmaId,
    },
    /// `mremap` decided what it does.
    Remap {
        /// The old range.
        from: Range,
        /// The new one.
        to: Range,
        /// What it does.
        by: RemapBy,
    },
    /// A mapping whose pages were moved away, and that stays, is as if it had never been written to
    /// (`unlink_anon_vmas`).
    AnonVmaDropped {
        /// The mapping.
        vma: VmaId,
    },
    /// Nothing is mapped in a part of the range: it is passed over, and the call ends with an error.
    HolePassed {
        /// The part.
        range: Range,
    },
    /// Advice about pages, which leaves the mapping as it is (`madvise_vma_behavior`).
    Advised {
        /// The mapping.
        vma: VmaId,
        /// The part of it.
        range: Range,
        /// What was advised.
        advice: Advice,
    },
    /// A 2 MiB block became a huge page (`collapse_huge_page`).
    Collapsed {
        /// Where.
        addr: u64,
    },
    /// Huge pages of the process were switched (`prctl`).
    ThpSwitched(ThpDisable),
    /// The break moved (`brk`).
    Break {
        /// Before.
        from: u64,
        /// After.
        to: u64,
        /// What it did.
        by: BreakMove,
    },
    /// A page fault needed an `anon_vma` (`__anon_vma_prepare`).
    AnonVma {
        /// The mapping.
        vma: VmaId,
        /// What it got.
        anon_vma: AnonVma,
        /// The neighbour it is shared with, `None` for a fresh one.
        shared_with: Option<VmaId>,
    },
    /// A fault mapped something (`handle_mm_fault`). Sent once for each run of equal faults.
    Fault {
        /// The mapping.
        vma: VmaId,
        /// First address.
        addr: u64,
        /// What was mapped.
        page: FaultPage,
        /// Why it is no huge page, where that was decided.
        not_huge: Option<NotHuge>,
    },
    /// A huge page, or the huge zero page, became a table of its pages (`__split_huge_pmd`).
    PmdSplit {
        /// The start of the block.
        block: u64,
        /// What it was.
        pmd: Pmd,
        /// Why.
        why: PmdSplit,
    },
    /// A growing mapping was extended downwards (`expand_downwards`).
    Grown {
        /// The mapping.
        vma: VmaId,
        /// Its new start.
        start: u64,
    },
    /// An access raised a signal.
    Signalled {
        /// Which.
        signal: Signal,
        /// Where.
        at: u64,
        /// Why a growing mapping above could not be extended to it, if one was there.
        growth: Option<GrowthRefusal>,
    },
    /// The call was refused, or its `brk` left the break where it was.
    Refused {
        /// The error that would be returned (`brk` returns the old break instead).
        errno: Errno,
        /// Why.
        reason: Refusal,
    },
    /// The address space was copied (`dup_mmap`).
    Forked {
        /// Whether the child is what goes on.
        child: bool,
    },
    /// A mapping that the child does not get (`VM_DONTCOPY`).
    NotCopied {
        /// Where.
        range: Range,
    },
    /// The address space was made anew (`execve`).
    Execed,
    /// The process has exited.
    Exited,
    /// A file got another length (`ftruncate`).
    Truncated {
        /// Which.
        file: FileId,
        /// Its length in bytes.
        len: u64,
    },
    /// The personality was set, or asked for.
    Personality {
        /// Before.
        from: u32,
        /// From now on.
        to: u32,
    },
    /// `mlockall` or `munlockall` said which lock flags later mappings get (`mm->def_flags`).
    DefFlags(VmFlags),
    /// A part of a mapping got a name, or lost it (`madvise_vma_anon_name`).
    Named {
        /// The mapping that holds it now.
        vma: VmaId,
        /// The part.
        range: Range,
    },
    /// A limit was set.
    LimitSet,
    /// A write to the tree of mappings came a step further. Never told by a kernel without a maple tree.
    Tree(WriteEvent<VmaId>),
    /// A write to the tree of mappings is done, or what was asked for it was given back.
    Nodes {
        /// What was written.
        write: TreeWrite,
        /// How many.
        nodes: Nodes,
    },
}

/// Decision about alignment, by the condition that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignVerdict {
    /// Aligned: all conditions of this kernel hold.
    Aligned {
        /// The commit that aligns.
        by: Change,
    },
    /// Aligned because the file system asks for it, by the file's offset.
    FileHook,
    /// Not aligned: tmpfs decides by `shmem_enabled`, which is `never`.
    ShmemHook,
    /// This kernel has no such rule for anonymous memory.
    NoRule,
    /// This kernel has no such rule for files without a hook.
    FileWithoutHook,
    /// Length is not a multiple of 2 MiB (`d4148aeab412`).
    NotMultiple,
    /// A hint was given (`249608ee4713`).
    HintGiven,
    /// Shorter than 2 MiB, or the range holds no whole 2 MiB block of the file.
    TooShort,
    /// `MAP_FIXED`: the address is not searched for.
    Fixed,
}

/// What became of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintVerdict {
    /// Free: taken as it is.
    Taken,
    /// The next mapping (or its guard gap) begins inside.
    Occupied {
        /// The next mapping.
        vma: VmaId,
        /// The address from which it may not be used.
        from: u64,
    },
    /// Outside of what user space may use, or across the 47-bit window.
    Invalid,
}

/// Which end a search starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The highest gap that is large enough.
    TopDown,
    /// The lowest one.
    BottomUp,
}

/// How a padded search result became an aligned address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignMove {
    /// Moved up to the boundary by this many bytes.
    Up(u64),
    /// It lay on a boundary: used as it is, leaving 2 MiB free above.
    AlreadyThere,
    /// It lay on a boundary: the upper one is used, so that it abuts (`96204e15310c`).
    AlreadyThereUpper,
    /// The padded search returned the hint.
    Hint,
}

/// What decided a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedBy {
    /// `MAP_FIXED`
    Fixed,
    /// The hint was free.
    Hint,
    /// A search without alignment.
    Search,
    /// A search with alignment.
    AlignedSearch,
}

/// A side of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Below.
    Prev,
    /// Above.
    Next,
}

/// The condition that kept two ranges apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRefusal {
    /// Nothing is mapped on that side.
    NoNeighbour,
    /// Free space lies between: how many bytes.
    Gap(u64),
    /// `vm_flags` differ: the bits that do.
    Flags(VmFlags),
    /// One of them is special (`VM_SPECIAL`): its bits.
    Special(VmFlags),
    /// Not the same file.
    File,
    /// Not the same name (`PR_SET_VMA_ANON_NAME`).
    Name,
    /// `vm_pgoff` does not continue: what it is, what it would have to be.
    Pgoff {
        /// The neighbour's.
        is: u64,
        /// What would continue.
        needed: u64,
    },
    /// `anon_pgoff` does not continue.
    AnonPgoff {
        /// The neighbour's.
        is: u64,
        /// What would continue.
        needed: u64,
    },
    /// Both were written to apart from each other.
    AnonVmaDiffers(AnonVma, AnonVma),
    /// The range was written to, the neighbour that would take it was not (before `879bca0a2c4f`).
    FaultedIntoUnfaulted,
    /// Its pages may still be a parent's (`vma_had_uncowed_parents`): the range's own, or those of the neighbour that would take it.
    Inherited,
    /// The range comes from this neighbour, which stays (`MREMAP_DONTUNMAP`).
    StaysBehind,
}

/// What a merge joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeForm {
    /// A new range, into the mapping below.
    NewIntoPrev,
    /// A new range, into the mapping above.
    NewIntoNext,
    /// A new range, filling the hole between two.
    NewBetween,
    /// A whole mapping, into the one below.
    WholeIntoPrev,
    /// A whole mapping, into the one above.
    WholeIntoNext,
    /// A whole mapping and both neighbours.
    WholeBetween,
    /// The lower part of a mapping, into the one below.
    HeadIntoPrev,
    /// The upper part of a mapping, into the one above.
    TailIntoNext,
}

/// What a break that moved did to the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakMove {
    /// Only asked for it.
    Query,
    /// Moved within a page: no mapping changes.
    WithinPage,
    /// Grew.
    Grow,
    /// Shrank.
    Shrink,
}

/// What mremap does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemapBy {
    /// Nothing: old and new length are the same.
    SameSize,
    /// Unmaps what lies behind the new length.
    Shrink,
    /// Adds what is missing behind the old range.
    Grow,
    /// Moves.
    Move,
    /// Moves pages, and leaves the old range as an empty mapping (`MREMAP_DONTUNMAP`).
    MoveAndKeep,
    /// Maps the same a second time (an old length of 0).
    Duplicate,
}

/// What a fault maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPage {
    /// The shared zero page.
    Zero,
    /// A private base page.
    Small,
    /// A copy of a page of a file, or of one shared with a child.
    Copy,
    /// A folio of `1 << order` base pages (mTHP).
    Folio(u8),
    /// A page of the file.
    File,
    /// The huge zero page.
    HugeZero,
    /// A huge page.
    Huge,
}

/// Why a huge page was split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PmdSplit {
    /// A mapping begins or ends inside of it now (`vma_adjust_trans_huge`).
    Border,
    /// A part of it was taken away.
    Zapped,
    /// Advice was about a part of it.
    Advised,
    /// Its pages were moved apart, or to where no huge page can lie (`move_page_tables`).
    Moved,
    /// A page of it was written to that has to be copied first (`do_huge_pmd_wp_page`).
    Written,
}

/// Why a growing mapping was not extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthRefusal {
    /// The mapping below is nearer than the guard gap.
    GuardGap {
        /// The mapping below.
        below: VmaId,
        /// Bytes that would be left free.
        distance: u64,
    },
    /// It would pass `RLIMIT_STACK`.
    StackLimit,
    /// Below the lowest allowed address.
    MinAddr,
    /// A limit on the address space or on memory.
    Limit(Refusal),
}

/// Why a block did not become a huge page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollapseRefusal {
    /// `VM_NOHUGEPAGE`
    NoHugePage,
    /// `prctl(PR_SET_THP_DISABLE)`
    Disabled,
    /// `[vdso]`, `[vvar]`.
    Special,
    /// The mapping holds no whole 2 MiB block.
    TooSmall,
    /// Nothing was written there yet.
    Untouched,
    /// The range holds no whole 2 MiB block.
    NoWholeBlock,
    /// Nothing is mapped in the page table of this block.
    Empty(u64),
    /// No page of this block may be written at the moment.
    ReadOnly(u64),
    /// A guard page lies in this block.
    Guarded(u64),
    /// No huge page could be allocated.
    NoMemory,
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The address is not a multiple of 4096.
    Unaligned(u64),
    /// The file offset is not a multiple of 4096.
    UnalignedOffset(u64),
    /// The length is 0.
    ZeroLength,
    /// The length wraps around when it is rounded up to pages.
    LengthWraps(u64),
    /// Offset plus length does not fit.
    OffsetOverflow,
    /// The descriptor is not open.
    BadFd,
    /// A shared mapping that may be written, of a file opened for reading only.
    ReadOnlyFile,
    /// `MAP_SHARED_VALIDATE`, and flags that this kernel does not know or the file does not support.
    UnsupportedFlags(u32),
    /// `MAP_TYPE` is neither private nor shared.
    BadMapType(u32),
    /// Flags that can't go together here.
    BadFlags,
    /// The process has more mappings than `max_map_count` allows.
    TooManyMappings {
        /// How many it has.
        map_count: u64,
        /// The limit.
        max: u64,
    },
    /// Splitting a mapping would pass `max_map_count`.
    SplitTooMany {
        /// How many it has.
        map_count: u64,
        /// The limit.
        max: u64,
    },
    /// Longer than the address space.
    LongerThanTask(u64),
    /// The range reaches past the end of the address space.
    BeyondTask(Range),
    /// No gap is large enough.
    NoGap {
        /// Bytes needed.
        need: u64,
    },
    /// Below `mmap_min_addr`.
    BelowMinAddr {
        /// The address.
        addr: u64,
        /// The limit.
        min: u64,
    },
    /// `MAP_FIXED_NOREPLACE`, and this mapping is there.
    Occupied(VmaId),
    /// The size of a huge page is not one of the machine's.
    HugeSize(u32),
    /// No huge pages are reserved.
    NoHugePages,
    /// `RLIMIT_MEMLOCK`
    MemlockLimit,
    /// May not lock memory at all.
    MemlockForbidden,
    /// `RLIMIT_AS`: pages it would be, pages allowed.
    AddressSpaceLimit {
        /// Pages after the call.
        pages: u64,
        /// Pages allowed.
        limit: u64,
    },
    /// `RLIMIT_DATA`: pages it would be, pages allowed.
    DataLimit {
        /// Pages after the call.
        pages: u64,
        /// Pages allowed.
        limit: u64,
    },
    /// The commit limit: pages asked for, pages allowed.
    Overcommit {
        /// Pages asked for.
        pages: u64,
        /// Pages allowed.
        limit: u64,
    },
    /// The mapping may not be split (`[vdso]`, `[vvar]`).
    CannotSplit(VmaId),
    /// Unknown protection bits.
    BadProt(u32),
    /// The protection is more than the mapping may ever have.
    ProtNotAllowed {
        /// The mapping.
        vma: VmaId,
        /// The bits it lacks (`VM_MAY*` is missing).
        lacks: VmFlags,
    },
    /// `PROT_GROWSDOWN` on a mapping that does not grow.
    NotGrowsDown(VmaId),
    /// Nothing is mapped at this address.
    Hole(u64),
    /// The kernel knows no such advice.
    UnknownAdvice(Advice),
    /// The advice does not go with a mapping of this kind.
    AdviceNotFor {
        /// The mapping.
        vma: VmaId,
        /// What was advised.
        advice: Advice,
    },
    /// Only root may do that (`CAP_SYS_ADMIN`).
    NotAdmin,
    /// The mapping is sealed (`VM_SEALED`).
    Sealed(VmaId),
    /// The kernel has no such system call.
    NoSuchCall,
    /// The kernel was built without names for memory (`CONFIG_ANON_VMA_NAME`).
    NoNames,
    /// A name of 80 bytes or more, or with characters that none may have.
    BadName,
    /// Only memory without a file can have a name.
    NotAnonymous(VmaId),
    /// `MADV_COLLAPSE` left a block as it is.
    CannotCollapse(CollapseRefusal),
    /// The page can't be mapped: an access there would raise this signal.
    CannotPopulate {
        /// Where.
        at: u64,
        /// Which.
        signal: Signal,
    },
    /// The break would fall below the start of the heap.
    BelowHeap,
    /// The break would come too near to the next mapping.
    BreakMeets {
        /// The next mapping.
        vma: VmaId,
        /// The highest break that would do.
        highest: u64,
    },
    /// The heap that would shrink is not there.
    NoHeap,
    /// `MREMAP_DONTUNMAP` with two lengths.
    StaysAndResizes,
    /// Old and new range of a move overlap.
    RangesOverlap {
        /// The old range.
        from: Range,
        /// The new range.
        to: Range,
    },
    /// An old length of 0, and the mapping is private.
    DuplicatesPrivate(VmaId),
    /// The old range reaches over the end of the mapping that it begins in.
    BeyondMapping {
        /// The mapping.
        vma: VmaId,
        /// The range.
        range: Range,
    },
    /// The mapping may not grow or be left empty (`VM_DONTEXPAND`, `VM_PFNMAP`).
    CannotExpand(VmaId),
    /// It can't grow where it is, and may not move.
    NoRoomToGrow {
        /// The mapping.
        vma: VmaId,
        /// What lies behind it; `None`: the old range does not end where the mapping does, or the address space ends.
        next: Option<VmaId>,
    },
    /// A move that might pass `max_map_count` on its way.
    MoveTooMany {
        /// How many the process has.
        map_count: u64,
        /// How many more there might be.
        more: u64,
        /// The limit.
        max: u64,
    },
}
