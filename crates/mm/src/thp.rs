//! Who may have huge pages, and `MADV_COLLAPSE` (`thp_vma_allowable_order`, `madvise_collapse`).

use crate::call::NotModelled;
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{CollapseRefusal, Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{PAGE_SIZE, PMD_SIZE};
use crate::page_table::Pmd;
use crate::process::ThpDisable;
use crate::pte::{Page, Pte};
use crate::settings::{Defrag, Fragmentation, Thp, ThpSize};
use crate::vma::{Vma, VmaId};

/// log2 of the pages in a huge page.
pub(crate) const HUGE_ORDER: u8 = 9;
/// log2 of the pages in the smallest folio above a base page that anonymous memory may have.
const SMALLEST_ORDER: u8 = 2;

/// Why a block is no huge page, or did not get one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHuge {
    /// Nothing is mapped there.
    NotMapped,
    /// The mapping shows a file, shared memory, or is one of the kernel's own.
    NotAnonymous,
    /// `VM_NOHUGEPAGE`
    NoHugePage,
    /// `prctl(PR_SET_THP_DISABLE)`
    Disabled,
    /// `transparent_hugepage/enabled`, or that of the size, says no to this mapping.
    Policy,
    /// The mapping begins or ends inside the block.
    CutByBorder,
    /// The block has a page table already.
    HasTable,
    /// No huge page could be allocated.
    NoMemory,
    /// It was only read: it shows the huge zero page.
    NotWritten,
}

/// What a 2 MiB block holds, and what keeps it from being a huge page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HugeBlock {
    /// The block.
    pub range: Range,
    /// Its PMD entry, `None` if that is empty.
    pub pmd: Option<Pmd>,
    /// Pages that are there, out of 512; the zero page counts, guard markers do not.
    pub present: u64,
    /// What keeps a fault from mapping a huge page; `None` if nothing does, or one is there.
    pub missing: Option<NotHuge>,
}

/// `PR_THP_DISABLE_EXCEPT_ADVISED`
const EXCEPT_ADVISED: u64 = 2;

impl Machine {
    pub(crate) fn set_thp_disable(
        &mut self,
        on: u64,
        flags: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let known = if self.kernel.has(Change::ThpDisableFlag) && on != 0 {
            EXCEPT_ADVISED
        } else {
            0
        };
        if flags & !known != 0 {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        let switched = match (on, flags) {
            (0, _) => ThpDisable::No,
            (_, 0) => ThpDisable::Completely,
            _ => ThpDisable::ExceptAdvised,
        };
        self.edit_process(observer).thp_disable = switched;
        observer.event(|| Event::ThpSwitched(switched));
        Ok(())
    }

    /// Whether the mapping may have folios of `1 << order` pages, if they lie inside of it (`thp_vma_allowable_orders`):
    /// what forbids it.
    fn order_barred(&self, vma: &Vma, order: u8) -> Option<NotHuge> {
        let advised = vma.flags.contains(VmFlags::HUGEPAGE);
        if !vma.is_anonymous() {
            return Some(NotHuge::NotAnonymous);
        }
        if vma.flags.contains(VmFlags::NOHUGEPAGE) {
            return Some(NotHuge::NoHugePage);
        }
        match self.process().thp_disable {
            ThpDisable::Completely => return Some(NotHuge::Disabled),
            ThpDisable::ExceptAdvised if !advised => return Some(NotHuge::Disabled),
            _ => {}
        }
        let size = match (self.kernel.has(Change::Mthp), order) {
            (true, _) => self.settings.thp_sizes[usize::from(order - SMALLEST_ORDER)],
            (false, HUGE_ORDER) => ThpSize::Inherit,
            (false, _) => ThpSize::Never,
        };
        let allowed = match (size, self.settings.thp) {
            (ThpSize::Always, _) | (ThpSize::Inherit, Thp::Always) => true,
            (ThpSize::Madvise, _) | (ThpSize::Inherit, Thp::Madvise) => advised,
            (ThpSize::Never, _) | (ThpSize::Inherit, Thp::Never) => false,
        };
        (!allowed).then_some(NotHuge::Policy)
    }

    /// Whether faults in this mapping may be answered with huge pages, if a whole block lies in it.
    pub(crate) fn thp_may_apply(&self, vma: &Vma) -> bool {
        self.order_barred(vma, HUGE_ORDER).is_none()
    }

    /// Why a fault at an address in a mapping gets no huge page; how free memory lies is not looked at.
    pub(crate) fn not_huge(&self, id: VmaId, at: u64) -> Option<NotHuge> {
        let vma = self.vma(id);
        let block = at / PMD_SIZE * PMD_SIZE;
        if let Some(barred) = self.order_barred(vma, HUGE_ORDER) {
            Some(barred)
        } else if block < vma.start || block + PMD_SIZE > vma.end {
            Some(NotHuge::CutByBorder)
        } else {
            self.pmd(at).map(|_| NotHuge::HasTable)
        }
    }

    /// Whether a huge page for a fault in this mapping is found or made (`vma_thp_gfp_mask`).
    pub(crate) fn can_allocate_huge(&self, id: VmaId) -> bool {
        let advised = self.vma(id).flags.contains(VmFlags::HUGEPAGE);
        let makes_room = match self.settings.thp_defrag {
            Defrag::Always => true,
            Defrag::DeferMadvise | Defrag::Madvise => advised,
            Defrag::Defer | Defrag::Never => false,
        };
        match self.settings.fragmentation {
            Fragmentation::None => true,
            Fragmentation::Light => makes_room,
            Fragmentation::Heavy => false,
        }
    }

    /// The largest size below a huge page that faults in this mapping may get, 0 for base pages.
    pub(crate) fn largest_order(&self, id: VmaId) -> u8 {
        self.order_below(id, HUGE_ORDER)
    }

    fn order_below(&self, id: VmaId, below: u8) -> u8 {
        if !self.kernel.has(Change::Mthp) || self.settings.fragmentation == Fragmentation::Heavy {
            return 0;
        }
        let mut order = below - 1;
        while order >= SMALLEST_ORDER {
            if self.order_barred(self.vma(id), order).is_none() {
                return order;
            }
            order -= 1;
        }
        0
    }

    /// The size of the folio that a write to an address gets where no page is: the largest that lies in the mapping and
    /// meets no other page (`alloc_anon_folio`).
    pub(crate) fn folio_order(&self, id: VmaId, at: u64) -> u8 {
        let mut order = self.largest_order(id);
        while order > 0 {
            let size = PAGE_SIZE << order;
            let start = at / size * size;
            let vma = self.vma(id);
            let inside = start >= vma.start && start + size <= vma.end;
            if inside && self.pte(start).is_none() && self.pte_run(start).0 >= start + size {
                break;
            }
            order = self.order_below(id, order);
        }
        order
    }

    /// `THPeligible` of smaps: whether the mapping may have huge pages, and is large enough for one; since 6.8 for any size
    /// that is switched on.
    pub fn thp_eligible(&self, id: VmaId) -> bool {
        let vma = self.vma(id);
        let mut order = HUGE_ORDER + 1;
        loop {
            order -= 1;
            let size = PAGE_SIZE << order;
            // Where the mapping ends below that, the kernel's subtraction wraps, and finds it suitable.
            let block = vma.end.wrapping_sub(size) / size * size;
            let fits = block >= vma.start && block.wrapping_add(size) <= vma.end;
            if fits && self.order_barred(vma, order).is_none() {
                return true;
            }
            if order == SMALLEST_ORDER {
                return false;
            }
        }
    }

    /// The 2 MiB block around an address: what it holds, and what keeps it from being a huge page.
    pub fn huge_block(&self, addr: u64) -> HugeBlock {
        let range = Range::sized(addr / PMD_SIZE * PMD_SIZE, PMD_SIZE);
        let mut present = 0;
        for (run, pte) in self.ptes(range) {
            if pte.page != Page::Guard {
                present += run.len() / PAGE_SIZE;
            }
        }
        let pmd = self.pmd(addr);
        let missing = match pmd {
            Some(Pmd::Huge) => None,
            Some(Pmd::HugeZero) => Some(NotHuge::NotWritten),
            _ => match self.vma_at(addr) {
                None => Some(NotHuge::NotMapped),
                Some(id) if self.can_allocate_huge(id) => self.not_huge(id, addr),
                Some(id) => self.not_huge(id, addr).or(Some(NotHuge::NoMemory)),
            },
        };
        HugeBlock {
            range,
            pmd,
            present,
            missing,
        }
    }

    /// Why no block of a mapping may be collapsed. That its pages are a file's is not looked at.
    fn collapse_barred(&self, vma: &Vma) -> Option<CollapseRefusal> {
        let last = vma.end.saturating_sub(PMD_SIZE) / PMD_SIZE * PMD_SIZE;
        if vma.flags.contains(VmFlags::NOHUGEPAGE) {
            Some(CollapseRefusal::NoHugePage)
        } else if self.process().thp_disable == ThpDisable::Completely {
            Some(CollapseRefusal::Disabled)
        } else if vma
            .special
            .is_some_and(|_| vma.flags.intersects(VmFlags::SPECIAL))
        {
            Some(CollapseRefusal::Special)
        } else if last < vma.start {
            Some(CollapseRefusal::TooSmall)
        } else if vma.file.is_none() && vma.anon_vma.is_none() {
            Some(CollapseRefusal::Untouched)
        } else {
            None
        }
    }

    /// Whether a collapse of this range asks for what is not modelled, before it fails otherwise.
    pub(crate) fn collapse_not_modelled(&self, range: Range) -> Option<NotModelled> {
        for (_, vma) in self.vmas(range) {
            if self.collapse_barred(vma).is_some() {
                return None;
            }
            if vma.file.is_some() {
                return Some(NotModelled::CollapseFile);
            }
        }
        None
    }

    /// Whether a range without a whole block is done at once: unsigned numbers, so that only one that begins and ends at
    /// the same block's edge is, before that was put right.
    fn collapses_nothing(&self, blocks: Range) -> bool {
        blocks.start == blocks.end || self.kernel.has(Change::CollapseNothing)
    }

    /// Makes the whole blocks of a part of a mapping huge pages.
    pub(crate) fn collapse(
        &mut self,
        id: VmaId,
        piece: Range,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let refuse = |why| Err((Errno::EINVAL, Refusal::CannotCollapse(why)));
        if let Some(why) = self.collapse_barred(self.vma(id)) {
            return refuse(why);
        }
        let blocks = whole_blocks(piece);
        if blocks.is_empty() && !self.collapses_nothing(blocks) {
            return refuse(CollapseRefusal::NoWholeBlock);
        }
        let mut failed = None;
        let mut at = blocks.start;
        while at < blocks.end {
            match self.pmd(at) {
                None => {
                    failed = Some(CollapseRefusal::Empty(at));
                    if !self.kernel.has(Change::CollapsePassesEmpty) {
                        break;
                    }
                }
                Some(Pmd::Table) => match self.block_barred(id, at) {
                    None if self.settings.fragmentation == Fragmentation::Heavy => {
                        return Err((
                            Errno::ENOMEM,
                            Refusal::CannotCollapse(CollapseRefusal::NoMemory),
                        ));
                    }
                    None => self.collapse_block(at, observer),
                    Some(why) => {
                        failed = Some(why);
                        if matches!(why, CollapseRefusal::Guarded(_)) {
                            break;
                        }
                    }
                },
                Some(_) => {}
            }
            at += PMD_SIZE;
        }
        failed.map_or(Ok(()), refuse)
    }

    /// Why the block with a table at `at` can't be collapsed (`hpage_collapse_scan_pmd`).
    fn block_barred(&self, id: VmaId, at: u64) -> Option<CollapseRefusal> {
        let may_write = self.vma(id).flags.contains(VmFlags::WRITE);
        let mut writable = self.kernel.has(Change::CollapseReadOnly);
        let mut guarded = false;
        for (_, pte) in self.ptes(Range::sized(at, PMD_SIZE)) {
            guarded |= pte.page == Page::Guard;
            writable |= may_write && pte.page == Page::Anon && !pte.forked;
        }
        if !writable {
            Some(CollapseRefusal::ReadOnly(at))
        } else if guarded {
            Some(CollapseRefusal::Guarded(at))
        } else {
            None
        }
    }

    /// Copies the pages of a block into a huge page (`collapse_huge_page`).
    fn collapse_block(&mut self, at: u64, observer: &mut impl Observer) {
        let block = Range::sized(at, PMD_SIZE);
        let mut written = Vec::new();
        for (run, pte) in self.ptes(block) {
            if pte.written {
                written.push(run);
            }
        }
        self.map_huge(block, Pmd::Huge, observer);
        for run in written {
            self.set_ptes(run, Some(Pte::anon(HUGE_ORDER, true)), observer);
        }
        observer.event(|| Event::Collapsed { addr: at });
    }
}

/// The whole blocks of a range; a start behind the end if there is none and the range lies inside of one.
fn whole_blocks(range: Range) -> Range {
    Range {
        start: range.start.next_multiple_of(PMD_SIZE),
        end: range.end / PMD_SIZE * PMD_SIZE,
    }
}
