//! One mapping of the address space.

use std::rc::Rc;

use mmscope_maple::Id;

use crate::file::FileId;
use crate::flags::VmFlags;
use crate::page::PAGE_SHIFT;
use crate::shmem::ShmemId;

/// Names a VMA for as long as it lives.
pub type VmaId = Id<Vma>;

/// Names an `anon_vma`: VMAs that share one can merge after they were written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnonVma(pub u32);

/// What a mapping shows (`vm_file`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VmFile {
    /// An open file.
    File(FileId),
    /// The object of a shared anonymous mapping.
    Shmem(ShmemId),
}

/// Mappings that exec makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `[stack]`: an ordinary growing mapping; its name goes by an address, not by the mapping
    Stack,
    /// `[vvar]`
    Vvar,
    /// `[vvar_vclock]`
    VvarVclock,
    /// `[vdso]`
    Vdso,
}

impl Special {
    /// The name in `/proc/PID/maps`.
    pub fn name(self) -> &'static str {
        match self {
            Special::Stack => "[stack]",
            Special::Vvar => "[vvar]",
            Special::VvarVclock => "[vvar_vclock]",
            Special::Vdso => "[vdso]",
        }
    }

    /// The special mapping with this name.
    pub fn from_name(name: &str) -> Option<Special> {
        [
            Special::Stack,
            Special::Vvar,
            Special::VvarVclock,
            Special::Vdso,
        ]
        .into_iter()
        .find(|special| special.name() == name)
    }
}

/// A virtual memory area: `[start, end)` with one set of attributes (`struct vm_area_struct`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vma {
    /// First byte.
    pub start: u64,
    /// First byte behind it.
    pub end: u64,
    /// `vm_flags`
    pub flags: VmFlags,
    /// `vm_pgoff`: the file offset in pages, or the page number at creation for private anonymous memory.
    pub pgoff: u64,
    /// `anon_pgoff` of 7.3: the page number that anonymous pages of the mapping are known under.
    pub anon_pgoff: u64,
    /// `vm_file`: what it shows, if it is not private anonymous memory.
    pub file: Option<VmFile>,
    /// The `anon_vma`, once a private page was needed.
    pub anon_vma: Option<AnonVma>,
    /// It came from a parent with an `anon_vma`: its `anon_vma_chain` has more than one link (`vma_had_uncowed_parents`).
    pub inherited: bool,
    /// Set on `[vvar]`, `[vvar_vclock]` and `[vdso]`: no call may split or merge them (`special_mapping_vmops`).
    pub special: Option<Special>,
    /// The name that `PR_SET_VMA_ANON_NAME` gave it, as maps prints it: `[anon:…]` or `[anon_shmem:…]`.
    pub anon_name: Option<Rc<str>>,
}

impl Vma {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Never: a VMA holds at least a page. Here because `len` is.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Length in pages.
    pub fn pages(&self) -> u64 {
        self.len() >> PAGE_SHIFT
    }

    /// No file and not one of exec's own (`vma_is_anonymous`).
    pub fn is_anonymous(&self) -> bool {
        self.file.is_none() && self.special.is_none()
    }

    /// Whether any access is allowed (`vma_is_accessible`).
    pub fn is_accessible(&self) -> bool {
        self.flags.intersects(VmFlags::ACCESS)
    }

    /// `vm_pgoff` of the page at `addr`.
    pub fn pgoff_at(&self, addr: u64) -> u64 {
        self.pgoff
            .wrapping_add(addr.wrapping_sub(self.start) >> PAGE_SHIFT)
    }

    /// `anon_pgoff` of the page at `addr`.
    pub fn anon_pgoff_at(&self, addr: u64) -> u64 {
        self.anon_pgoff
            .wrapping_add(addr.wrapping_sub(self.start) >> PAGE_SHIFT)
    }

    /// The lowest address that must stay free below it (`vm_start_gap`).
    pub fn start_gap(&self, stack_guard_gap_bytes: u64) -> u64 {
        if self.flags.contains(VmFlags::GROWSDOWN) {
            self.start.saturating_sub(stack_guard_gap_bytes)
        } else {
            self.start
        }
    }
}
