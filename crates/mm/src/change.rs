//! The commits in which kernels differ, each one a switch.
//!
//! A kernel is a release name plus the set of these changes that it contains. No other code asks for a version.

use std::fmt;

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $first:literal, $subject:literal;)*) => {
        /// A change of behaviour, by the commit that made it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Change {
            $($(#[$doc])* $name,)*
        }

        impl Change {
            /// All changes, oldest first.
            pub const ALL: &'static [Change] = &[$(Change::$name,)*];

            /// The commit id, twelve hex digits. Where that is not known: the Message-ID of the patch, or the name of the
            /// function or field that it changed.
            pub fn id(self) -> &'static str {
                match self { $(Change::$name => $id,)* }
            }

            /// The first release with it, as kernel.org names releases.
            pub fn first_in(self) -> &'static str {
                match self { $(Change::$name => $first,)* }
            }

            /// What it did, as a short phrase of ours.
            pub fn subject(self) -> &'static str {
                match self { $(Change::$name => $subject,)* }
            }
        }
    };
}

changes! {
    /// New mappings look at their next neighbour first (until `PrevFirst`), and grow it themselves.
    MmapExpandsNeighbour = "4dd1b84140c1", "6.1", "mmap_region() expands a neighbour itself and looks at the next one first";
    /// brk extends only the mapping that ends at the old break; it no longer joins the one above.
    BrkExpandsHeap = "2e7ce7d354f2", "6.1", "brk extends the heap below and never joins the mapping above it";
    /// madvise knows MADV_COLLAPSE.
    MadvCollapse = "MADV_COLLAPSE", "6.1-rc1", "madvise makes huge pages at once: MADV_COLLAPSE";
    /// VMAs in a maple tree: the search for room stops below a growing mapping's guard gap.
    MapleTree = "524e00b36e8c", "6.1", "VMAs live in a maple tree instead of a red-black tree";
    /// Anonymous mappings of 2 MiB or more are aligned to 2 MiB, first attempt.
    AlignThp61 = "f35b5d7d676e", "6.1-rc1", "anonymous mappings of 2 MiB and more start on a 2 MiB boundary";
    /// Takes `AlignThp61` back.
    RevertAlignThp61 = "0ba09b173387", "6.1", "takes the alignment of f35b5d7d676e back";
    /// brk asks for the nodes before it grows the heap.
    BrkPreallocates = "28c5609fb236", "6.1", "brk asks for maple tree nodes before it grows the heap";
    /// brk checks that the mapping it extends ends at the old break.
    BrkChecksEnd = "6c28ca6485dd", "6.1", "brk extends the heap only if it ends at the old break";
    /// The tree of mappings is read under RCU: nodes are replaced, not changed.
    MmTreeRcu = "3dd443254941", "6.3 (6.1.y)", "the tree of mappings is always in RCU mode: a leaf is copied, not changed in place";
    /// munmap asks for the nodes of its NULL store in the store, no longer before it.
    MunmapStoresPlainly = "vma_iter_clear_gfp", "6.3", "munmap asks for the nodes of the hole only if it needs any";
    /// Shared anonymous memory may have a name too.
    NamesShmem = "d09e8ca6cb93", "6.2", "shared anonymous memory can be given a name too";
    /// Preallocation looks where the write falls.
    PreallocFits = "e961d19ef57b", "6.6", "preallocation asks for what the store needs, no longer for the worst case";
    /// munmap lists the mappings to remove by number, no longer by address.
    DetachByIndex = "munmap_sidetree", "6.6", "munmap lists what it removes from index 0: one mapping needs no node";
    /// A leaf is written in place whenever its number of slots stays. Between 6.2 and 6.8; where is not known.
    SlotStoreSameCount = "mas_wr_slot_store", "6.6 (assumed)", "a leaf is written in place whenever the number of its slots stays";
    /// Gap searches take other limits, and an inner node without a gap marks a slot that exists. Between 6.2 and 6.8;
    /// where is not known.
    GapLimits = "mas_empty_area", "6.6 (assumed)", "gap searches in the maple tree take all limits that make sense";
    /// smaps has a line for pages that KSM joined.
    SmapsKsm = "KSM:", "6.6", "smaps has a line for same pages: KSM";
    /// smaps counts huge pages that may not be accessed. Between 6.2 and 6.12; where is not known.
    SmapsProtNone = "smaps_pmd_entry", "6.6 (assumed)", "smaps counts huge pages in memory that may not be accessed too";
    /// mprotect drops VM_ACCOUNT from an untouched mapping that loses write.
    MprotectUnaccounts = "20230626204612.106165-1-lstoakes@gmail.com", "6.7", "mprotect stops charging an untouched mapping that may no longer be written";
    /// MADV_REMOVE asks whether a shared mapping may be made writable, no longer whether it is.
    RemoveMaywrite = "vma_is_shared_maywrite", "6.7", "MADV_REMOVE works in a shared mapping that is read-only at the moment";
    /// The `[heap]` label of maps is for mappings that overlap the heap, no longer for those that touch it.
    HeapLabelOverlaps = "vma_is_initial_heap", "6.7", "maps says [heap] where a mapping overlaps the heap, no longer where it touches it";
    /// The alignment of 2 MiB and more again.
    AlignThp = "efa7df3e3bb5", "6.7", "anonymous mappings of 2 MiB and more start on a 2 MiB boundary";
    /// An aligned search result is used from its upper end, and anonymous memory has offset 0.
    AlignAbuts = "96204e15310c", "6.8", "aligned mappings abut, and anonymous ones are aligned to the address alone";
    /// MAP_STACK means VM_NOHUGEPAGE.
    StackNoHuge = "c4608d1bf7c6", "6.8", "MAP_STACK sets VM_NOHUGEPAGE";
    /// Folios of sizes between a base page and a huge page.
    Mthp = "thp_vma_allowable_orders", "6.8", "anonymous memory can have folios of 16 kB to 1 MB: hugepages-<size>kB/enabled";
    /// Files without a get_unmapped_area of their own are aligned like anonymous memory.
    AlignFiles = "ed48e87c7df3", "6.10", "files without a placement hook are aligned like anonymous memory";
    /// There is mseal.
    Mseal = "8be7258aad44", "6.10", "mseal makes mappings that can't be unmapped, moved or given another protection";
    /// There is MAP_DROPPABLE.
    Droppable = "9651fcedf7b9", "6.11", "MAP_DROPPABLE makes memory that the kernel may drop";
    /// Only multiples of 2 MiB are aligned.
    AlignMultiplesOnly = "d4148aeab412", "6.12 (6.11.7)", "only lengths that are a multiple of 2 MiB are aligned";
    /// New mappings join their previous neighbour first.
    PrevFirst = "cacded5e42b9", "6.12", "new mappings join the previous neighbour first";
    /// A MAP_FIXED that fails leaves what was there.
    FixedRestores = "f8d112a4e657", "6.12", "a failing MAP_FIXED leaves the old mappings in place";
    /// A sealed mapping is met where it is worked on, no longer looked for in the whole range before.
    SealsMetInTurn = "4a2dd02b0916", "6.12", "sealed mappings stop a call where it meets them, no longer before it begins";
    /// What a store will be is found out once, before it, and says how many nodes it needs.
    StoreTypes = "mas_wr_store_type", "6.12", "the kind of a store is found out once and says how many nodes it needs";
    /// Pages of zeros give way to the zero page when their folio is split.
    SplitUnmapsZeroes = "try_to_map_unused_to_zeropage", "6.12", "pages that hold only zeros give way to the zero page when their folio is split";
    /// A hint switches the alignment off.
    AlignNotWithHint = "249608ee4713", "6.13 (6.12.y)", "a request with an address hint is not aligned";
    /// Files are left out of the alignment of anonymous memory.
    AlignNotFiles = "34d7cf637c43", "6.13", "files without a placement hook are not aligned";
    /// madvise knows MADV_GUARD_INSTALL and MADV_GUARD_REMOVE, for anonymous memory.
    MadvGuard = "MADV_GUARD_INSTALL", "6.13", "madvise installs guard pages: MADV_GUARD_INSTALL";
    /// A write to the huge zero page gets a huge page.
    HugeZeroWrite = "do_huge_zero_wp_pmd", "6.13", "a write to the huge zero page gets a huge page, no longer a small one";
    /// MADV_DONTNEED frees the page table of a block that it empties.
    ReclaimTables = "reclaim_pt", "6.14", "MADV_DONTNEED of a whole 2 MiB block frees its page table too";
    /// Guard pages in mappings of files too.
    GuardFiles = "is_valid_guard_vma", "6.15", "guard pages may be installed in mappings of files";
    /// A faulted mapping may join an unfaulted neighbour.
    FaultedJoinsUnfaulted = "879bca0a2c4f", "6.16", "a touched mapping may join an untouched neighbour";
    /// mremap looks at its arguments, and at the number of mappings, before it looks for the source.
    MremapChecksParams = "check_mremap_params", "6.16 (6.15 not read)", "mremap checks flags, the new address and the number of mappings before it looks for the old one";
    /// A locked mapping that MREMAP_DONTUNMAP leaves behind counts on.
    MremapCountsLocked = "vrm_stat_account", "6.16 (6.15 not read)", "pages moved by MREMAP_DONTUNMAP from a locked mapping count as locked twice";
    /// The walk of a store remembers nodes with room, so that fewer nodes are asked for.
    VacantHeight = "vacant_height", "6.16 (6.15 not read)", "splits, rebalances and spanning stores ask only for the levels below a node with room";
    /// A spanning store rebuilds up to the first node that holds both ends.
    SpanningStops = "mas_spanning_rebalance", "6.16 (assumed)", "a spanning store rebuilds no further up than it has to";
    /// mremap checks the source before it unmaps the target.
    MremapChecksSource = "check_prep_vma", "6.17", "mremap checks the old range before it unmaps anything, and MREMAP_FIXED of the same size moves several mappings";
    /// Nodes come from sheaves, and go through RCU even if the tree is not in RCU mode.
    NodeSheaves = "sheaf", "6.18", "maple tree nodes come from prefilled sheaves and always go through RCU";
    /// prctl(PR_SET_THP_DISABLE) takes a flag.
    ThpDisableFlag = "PR_THP_DISABLE_EXCEPT_ADVISED", "6.18", "PR_SET_THP_DISABLE can leave advised memory its huge pages";
    /// A collapse needs no writable page.
    CollapseReadOnly = "SCAN_PAGE_RO", "6.18", "a block is collapsed even if none of its pages is writable";
    /// Guard pages are noted in the mapping, by a flag that never blocks a merge.
    MaybeGuard = "VM_MAYBE_GUARD", "6.19 (6.18.y)", "a mapping with guard pages is marked, which never blocks a merge";
    /// mremap looks where the pages that it moves came from.
    InheritedStayApart = "copied_from", "6.19 (stable too)", "pages inherited at a fork and moved by mremap never join an untouched mapping";
    /// MADV_COLLAPSE goes on behind a block without a page table.
    CollapsePassesEmpty = "SCAN_NO_PTE_TABLE", "6.19 (assumed)", "MADV_COLLAPSE goes on behind an empty block";
    /// mremap counts the mappings that it may need by another rule, and whatever it does.
    MremapCountsSplits = "check_map_count_against_split", "7.1", "mremap of any kind is refused where four mappings more would pass the limit";
    /// Nodes are cut by copying straight across.
    MapleCopies = "maple_copy", "7.2 (assumed: not in 7.1)", "nodes that are too full or too empty share evenly with a sibling";
    /// Private file mappings carry a second offset that has to match too.
    AnonPgoff = "anon_pgoff", "7.3", "private file mappings must continue in anon_pgoff too";
    /// What MREMAP_DONTUNMAP moves does not join the mapping that it leaves. Between 6.19 and 7.3; where is not known.
    KeptSourceApart = "copy_vma", "7.3 (6.12.117)", "pages moved by MREMAP_DONTUNMAP never join the mapping that they come from";
    /// MADV_COLLAPSE of a range without a whole block is nothing to do. Between 6.18 and 7.3; where is not known.
    CollapseNothing = "madvise_collapse", "7.3 (assumed)", "MADV_COLLAPSE of a range without a whole 2 MiB block succeeds";
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A set of changes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes(u64);

impl Changes {
    /// No change at all: Linux 6.0.
    pub const NONE: Changes = Changes(0);

    /// The set with one change more.
    #[must_use]
    pub const fn with(self, change: Change) -> Changes {
        Changes(self.0 | 1 << change as u8)
    }

    /// The set with one change less.
    #[must_use]
    pub const fn without(self, change: Change) -> Changes {
        Changes(self.0 & !(1 << change as u8))
    }

    /// Whether the change is in the set.
    pub const fn has(self, change: Change) -> bool {
        self.0 & 1 << change as u8 != 0
    }

    /// The changes of the set, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Change> {
        Change::ALL
            .iter()
            .copied()
            .filter(move |change| self.has(*change))
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
