//! Accesses and the faults they raise: `anon_vma`s, pages, growth.
//!
//! A run of accesses is dealt with in pieces that fare alike, so that its cost goes with how often what is mapped changes, not
//! with the number of pages.

use crate::call::{Access, Outcome, Signal};
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, FaultPage, GrowthRefusal, PmdSplit, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PAGE_SIZE, PMD_SIZE, page_down};
use crate::page_table::Pmd;
use crate::pte::{Page, Pte};
use crate::thp::{HUGE_ORDER, NotHuge};
use crate::vma::VmaId;

/// The last fault reported, so that a run of equal ones is one event.
type LastFault = Option<(VmaId, FaultPage)>;

/// What the accesses of a run are.
#[derive(Clone, Copy)]
struct How {
    access: Access,
    stride: u64,
    /// They put something into memory. Populating only asks for pages that can be written.
    stores: bool,
}

impl Machine {
    pub(crate) fn touch(
        &mut self,
        addr: u64,
        len: u64,
        stride: u64,
        access: Access,
        observer: &mut impl Observer,
    ) -> Outcome {
        let run = Range::sized(addr, len);
        let how = How {
            access,
            stride: stride.max(1),
            stores: access == Access::Write,
        };
        let (touched, stopped) = self.touch_until(run, how, observer);
        let Some((signal, growth, at)) = stopped else {
            return Outcome::Touched(touched);
        };
        observer.event(|| Event::Signalled { signal, at, growth });
        Outcome::Signal {
            touched,
            signal,
            at,
        }
    }

    /// Maps all pages of a range that lies in one mapping, up to the first that can't be (`populate_vma_page_range`).
    pub(crate) fn populate(
        &mut self,
        range: Range,
        access: Access,
        observer: &mut impl Observer,
    ) -> Result<(), Refusal> {
        let how = How {
            access,
            stride: PAGE_SIZE,
            stores: false,
        };
        match self.touch_until(range, how, observer).1 {
            Some((signal, _, at)) => Err(Refusal::CannotPopulate { at, signal }),
            None => Ok(()),
        }
    }

    /// Accesses up to the first signal: how many, and what stopped them.
    fn touch_until(
        &mut self,
        Range { start: addr, end }: Range,
        how: How,
        observer: &mut impl Observer,
    ) -> (u64, Option<(Signal, Option<GrowthRefusal>, u64)>) {
        let stride = how.stride;
        let mut touched = 0;
        let mut last = None;
        let mut at = addr;
        while at < end {
            let run = Range { start: at, end };
            let until = match self.access(run, how, &mut last, observer) {
                Ok(until) => until.min(end),
                Err((signal, growth)) => return (touched, Some((signal, growth, at))),
            };
            let accesses = (until - at).div_ceil(stride);
            touched += accesses;
            match accesses
                .checked_mul(stride)
                .and_then(|by| at.checked_add(by))
            {
                Some(next) => at = next,
                None => break,
            }
        }
        (touched, None)
    }

    /// The first access of a run. Gives up to where the run's accesses are done with it; the access itself is to be
    /// tried again if that is where it is.
    fn access(
        &mut self,
        run: Range,
        how: How,
        last: &mut LastFault,
        observer: &mut impl Observer,
    ) -> Result<u64, (Signal, Option<GrowthRefusal>)> {
        let How {
            access,
            stride,
            stores,
        } = how;
        let at = run.start;
        let id = self.find_vma(at).ok_or((Signal::SegvMaperr, None))?;
        if self.vma(id).start > at {
            if !self.vma(id).flags.contains(VmFlags::GROWSDOWN) {
                return Err((Signal::SegvMaperr, None));
            }
            self.expand_downwards(id, page_down(at), observer)
                .map_err(|refusal| (Signal::SegvMaperr, Some(refusal)))?;
        }
        let vma = self.vma(id);
        let allowed = match access {
            Access::Read => vma.is_accessible(),
            Access::Write => vma.flags.contains(VmFlags::WRITE),
        };
        if !allowed {
            return Err((Signal::SegvAccerr, None));
        }
        let file_end = self.file_end(vma);
        let (run_end, pte) = self.pte_run(at);
        // A marker in the table is met before the file is asked.
        if pte.is_some_and(|pte| pte.page == Page::Guard) {
            return Err((Signal::SegvMaperr, None));
        }
        if at >= file_end {
            // To copy a page is prepared before the file says that there is none (`do_cow_fault`).
            if access == Access::Write && !vma.flags.contains(VmFlags::SHARED) {
                self.anon_vma_prepare(id, observer);
            }
            return Err((Signal::BusAdrerr, None));
        }
        if vma.special.is_some() {
            return Ok(vma.end);
        }
        let mut end = run.end.min(vma.end).min(file_end).min(run_end);
        let private = !vma.flags.contains(VmFlags::SHARED);
        let done = match (access, pte) {
            (Access::Read, Some(_)) => true,
            (Access::Write, Some(pte)) => {
                let own = match pte.page {
                    Page::Anon => !pte.forked,
                    Page::File => !private,
                    _ => false,
                };
                own && (pte.written || !stores) && !pte.lazyfree
            }
            (_, None) => false,
        };
        if done {
            return Ok(end);
        }
        // Blocks are looked at one by one where they may differ in what they get.
        let (pmd_end, pmd) = self.pmd_run(at);
        let block_end = (at / PMD_SIZE + 1) * PMD_SIZE;
        let one_block = match pmd {
            None => self.thp_may_apply(vma),
            Some(Pmd::Table) => {
                if pte.is_some() || self.thp_may_apply(vma) {
                    end = end.min(pmd_end);
                }
                false
            }
            Some(_) => true,
        };
        let simple_write = pte.is_some_and(|pte| pte.page == Page::Anon && !pte.forked);
        // One write to a huge page takes back all of it.
        let takes_back = pmd == Some(Pmd::Huge) && pte.is_some_and(|pte| pte.lazyfree);
        if one_block && (!simple_write || takes_back) {
            end = end.min(block_end);
        }
        // The pages that the run hits up to there, if it leaves none out; else the first one.
        let (hits, until) = if stride <= PAGE_SIZE {
            let accesses = (end - at).div_ceil(stride);
            let last = at + (accesses - 1) * stride;
            let hits = Range {
                start: page_down(at),
                end: page_down(last) + PAGE_SIZE,
            };
            (hits, end)
        } else {
            (Range::sized(page_down(at), PAGE_SIZE), at + 1)
        };
        let file = vma.file;
        match (pte, file) {
            (None, Some(file)) if private && access == Access::Write => {
                self.anon_vma_prepare(id, observer);
                self.note_tables(hits, observer);
                self.cow_file(id, file, hits, stores, observer);
                self.faulted(id, at, FaultPage::Copy, None, last, observer);
            }
            (None, Some(file)) => {
                let write = access == Access::Write;
                let end = self.fault_file(id, file, hits, (write, stores), observer);
                self.faulted(id, at, FaultPage::File, None, last, observer);
                return Ok(until.min(end));
            }
            (None, None) => {
                let accesses = match stride <= PMD_SIZE {
                    true => (run.end - at).div_ceil(stride),
                    false => 1,
                };
                let last_hit = at + (accesses - 1) * stride;
                if self.fault_anon(id, hits, last_hit, how, last, observer) {
                    return Ok(at);
                }
            }
            (Some(pte), Some(file)) if pte.page == Page::File && !private => {
                self.write_file(id, file, hits, observer);
                let written = Pte {
                    written: true,
                    ..pte
                };
                self.set_ptes(hits, Some(written), observer);
            }
            (Some(pte), _) if pte.page == Page::Anon && !pte.forked => {
                let written = Pte {
                    written: pte.written || stores,
                    lazyfree: false,
                    ..pte
                };
                self.set_ptes(hits, Some(written), observer);
                if takes_back {
                    let block = Range::sized(block_end - PMD_SIZE, PMD_SIZE);
                    let kept = |pte: Pte| {
                        Some(Pte {
                            lazyfree: false,
                            ..pte
                        })
                    };
                    self.change_ptes(block, &kept, observer);
                }
            }
            (Some(pte), _) => {
                // The zero page, a file's, or one shared with a child gives way to a page of its own.
                self.anon_vma_prepare(id, observer);
                if pmd == Some(Pmd::HugeZero)
                    && self.kernel.has(Change::HugeZeroWrite)
                    && self.can_allocate_huge(id)
                {
                    let block = Range::sized(block_end - PMD_SIZE, PMD_SIZE);
                    self.map_huge(block, Pmd::Huge, observer);
                    self.faulted(id, at, FaultPage::Huge, None, last, observer);
                    return Ok(at);
                }
                self.split_pmd(at, PmdSplit::Written, observer);
                match file {
                    Some(file) if pte.page == Page::File => {
                        self.cow_file(id, file, hits, stores, observer);
                    }
                    _ => {
                        let copy = Pte::anon(0, pte.written || stores);
                        self.set_ptes(hits, Some(copy), observer);
                    }
                }
                let page = match pte.page {
                    Page::Zero => FaultPage::Small,
                    _ => FaultPage::Copy,
                };
                self.faulted(id, at, page, None, last, observer);
            }
        }
        Ok(until)
    }

    /// Tells of a fault, once for a run of equal ones.
    fn faulted(
        &self,
        vma: VmaId,
        addr: u64,
        page: FaultPage,
        not_huge: Option<NotHuge>,
        last: &mut LastFault,
        observer: &mut impl Observer,
    ) {
        if *last != Some((vma, page)) {
            *last = Some((vma, page));
            observer.event(|| Event::Fault {
                vma,
                addr,
                page,
                not_huge,
            });
        }
    }

    /// Maps something at the first of the pages `hits` of private anonymous memory, of which none is there, and with it
    /// whatever the later ones get in the same way (`do_anonymous_page`, `do_huge_pmd_anonymous_page`). Gives whether the
    /// access has to be tried again. Every block up to that of `last_hit` is hit.
    fn fault_anon(
        &mut self,
        id: VmaId,
        mut hits: Range,
        last_hit: u64,
        how: How,
        last: &mut LastFault,
        observer: &mut impl Observer,
    ) -> bool {
        let at = hits.start;
        let not_huge = self.not_huge(id, at);
        let read = how.access == Access::Read;
        let mut failed = None;
        if not_huge.is_none() {
            self.anon_vma_prepare(id, observer);
            let zero = read && self.settings.use_zero_page;
            if zero || self.can_allocate_huge(id) {
                let first = at / PMD_SIZE * PMD_SIZE;
                let end = self
                    .pmd_run(at)
                    .0
                    .min(self.vma(id).end / PMD_SIZE * PMD_SIZE);
                let blocks = Range {
                    start: first,
                    end: end.min((last_hit / PMD_SIZE + 1) * PMD_SIZE),
                };
                let (pmd, page) = match zero {
                    true => (Pmd::HugeZero, FaultPage::HugeZero),
                    false => (Pmd::Huge, FaultPage::Huge),
                };
                self.map_huge(blocks, pmd, observer);
                self.faulted(id, at, page, None, last, observer);
                return true;
            }
            failed = Some(NotHuge::NoMemory);
        }
        let not_huge = not_huge.or(failed);
        if read {
            self.note_tables(hits, observer);
            self.set_ptes(hits, Some(Pte::new(Page::Zero)), observer);
            self.faulted(id, at, FaultPage::Zero, not_huge, last, observer);
            return false;
        }
        self.anon_vma_prepare(id, observer);
        let order = self.folio_order(id, at);
        if order > 0 {
            let size = PAGE_SIZE << order;
            hits.start = at / size * size;
            // As many as are alike for sure: whole ones of the largest size, or one.
            let empty_end = self.pte_run(at).0.min(self.vma(id).end) / size * size;
            let hit_end = hits.end.next_multiple_of(size).min(empty_end);
            hits.end = match order == self.largest_order(id) {
                true => hit_end,
                false => hits.start + size,
            };
            self.note_tables(hits, observer);
            self.set_ptes(hits, Some(Pte::anon(order, false)), observer);
            self.faulted(id, at, FaultPage::Folio(order), not_huge, last, observer);
            return true;
        }
        // A larger folio may fit further on.
        if self.largest_order(id) > 0 {
            hits.end = at + PAGE_SIZE;
        }
        self.note_tables(hits, observer);
        self.set_ptes(hits, Some(Pte::anon(0, how.stores)), observer);
        self.faulted(id, at, FaultPage::Small, not_huge, last, observer);
        // What was left out is looked at on its own: it is there or not.
        self.largest_order(id) > 0
    }

    /// Gives blocks a huge page each, or the huge zero page.
    pub(crate) fn map_huge(&mut self, blocks: Range, pmd: Pmd, observer: &mut impl Observer) {
        let pte = match pmd {
            Pmd::Huge => Pte::anon(HUGE_ORDER, false),
            _ => Pte::new(Page::Zero),
        };
        self.set_pmds(blocks, Some(pmd), observer);
        self.set_ptes(blocks, Some(pte), observer);
    }

    /// Extends a growing mapping down to `start` (`expand_downwards`, `acct_stack_growth`).
    fn expand_downwards(
        &mut self,
        id: VmaId,
        start: u64,
        observer: &mut impl Observer,
    ) -> Result<(), GrowthRefusal> {
        let vma = self.vma(id);
        let flags = vma.flags;
        if start < self.search_min_addr() {
            return Err(GrowthRefusal::MinAddr);
        }
        if let Some(below) = self.prev_vma(start) {
            let prev = self.vma(below);
            let distance = start.saturating_sub(prev.end);
            if !prev.flags.contains(VmFlags::GROWSDOWN)
                && prev.is_accessible()
                && distance < self.guard_gap()
            {
                return Err(GrowthRefusal::GuardGap { below, distance });
            }
        }
        let size = vma.end - start;
        let grow = (vma.start - start) >> PAGE_SHIFT;
        let old = Range {
            start,
            end: vma.end,
        };
        let ahead = self.ask_ahead(old, Some(id), TreeWrite::GrowStack);
        self.anon_vma_prepare(id, observer);
        if let Err(refusal) = self.acct_stack_growth(flags, size, grow) {
            self.give_back(TreeWrite::GrowStack, ahead, observer);
            return Err(refusal);
        }
        self.charge(grow, observer);
        self.stat_account(flags, grow.cast_signed(), observer);
        let vma = self.edit_vma(id, observer);
        vma.start = start;
        vma.pgoff = vma.pgoff.wrapping_sub(grow);
        vma.anon_pgoff = vma.anon_pgoff.wrapping_sub(grow);
        self.store_with(old, Some(id), TreeWrite::GrowStack, ahead, observer);
        observer.event(|| Event::Grown { vma: id, start });
        Ok(())
    }

    /// Whether a growing mapping may have `size` bytes, `grow` pages more than it has.
    fn acct_stack_growth(&self, flags: VmFlags, size: u64, grow: u64) -> Result<(), GrowthRefusal> {
        let limit = |(_, reason): (Errno, Refusal)| GrowthRefusal::Limit(reason);
        self.may_expand(flags, grow).map_err(limit)?;
        let stack = self.process().rlimits.stack;
        if stack.is_some_and(|limit| size > limit) {
            return Err(GrowthRefusal::StackLimit);
        }
        if flags.contains(VmFlags::LOCKED) {
            self.may_lock(grow << PAGE_SHIFT).map_err(limit)?;
        }
        self.enough_memory(grow).map_err(limit)
    }

    /// `stack_guard_gap` in bytes.
    pub(crate) fn guard_gap(&self) -> u64 {
        self.settings.stack_guard_gap << PAGE_SHIFT
    }
}
