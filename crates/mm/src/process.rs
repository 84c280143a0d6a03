//! The counters and limits of a process (`struct mm_struct` without its tree).

use mmscope_maple::Id;

use crate::file::FileId;
use crate::flags::VmFlags;
use crate::nodes::Nodes;
use crate::settings::Rlimits;
use crate::vma::AnonVma;

/// Names a process.
pub type ProcessId = Id<Process>;

/// What `prctl(PR_SET_THP_DISABLE)` took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ThpDisable {
    /// Nothing.
    #[default]
    No,
    /// Huge pages, except where `MADV_HUGEPAGE` or `MADV_COLLAPSE` asks for them.
    ExceptAdvised,
    /// Huge pages.
    Completely,
}

/// What a process's address space is, besides its mappings. Sizes are in pages, addresses in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// `mm->map_count`
    pub map_count: u64,
    /// `mm->total_vm`
    pub total_vm: u64,
    /// `mm->data_vm`
    pub data_vm: u64,
    /// `mm->locked_vm`
    pub locked_vm: u64,
    /// `mm->def_flags`: what new mappings get besides, by `mlockall(MCL_FUTURE)`
    pub def_flags: VmFlags,
    /// Pages charged to the commit limit by this process.
    pub committed: u64,
    /// `mm->start_data`
    pub start_data: u64,
    /// `mm->end_data`
    pub end_data: u64,
    /// `mm->start_brk`
    pub start_brk: u64,
    /// `mm->brk`
    pub brk: u64,
    /// An address of the initial stack (`mm->start_stack`): the mapping that holds it is `[stack]`
    pub start_stack: u64,
    /// `mm->mmap_base`: a top-down search starts below it
    pub mmap_base: u64,
    /// `mm->mmap_legacy_base`: a bottom-up search starts here
    pub mmap_legacy_base: u64,
    /// `current->personality`; 0 at the start.
    pub personality: u32,
    /// Mappings grow up from `mmap_legacy_base` (no `MMF_TOPDOWN`).
    pub legacy_layout: bool,
    /// Whether the process may have huge pages.
    pub thp_disable: ThpDisable,
    /// Limits in force.
    pub rlimits: Rlimits,
    /// Files whose length `ftruncate` changed, and their lengths in bytes.
    pub file_lens: Vec<(FileId, u64)>,
    /// It has exited: no call can follow.
    pub exited: bool,
    /// The number that the next `anon_vma` gets.
    pub next_anon_vma: AnonVma,
    /// Maple tree nodes since the start. Nothing depends on them.
    pub nodes: Nodes,
}
