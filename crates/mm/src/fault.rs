//! Accesses and the faults they raise, as far as later calls depend on them: `anon_vma`s, page tables, growth.

use crate::call::{Access, Outcome, Signal};
use crate::errno::Errno;
use crate::event::{Event, FaultPage, GrowthRefusal, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PAGE_SIZE, PMD_SIZE, page_down};
use crate::page_table::Pmd;
use crate::vma::VmaId;

/// The last fault reported, so that a run of equal ones is one event.
type LastFault = Option<(VmaId, FaultPage)>;

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
        let (touched, stopped) = self.touch_until(run, stride.max(1), access, observer);
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
        match self.touch_until(range, PAGE_SIZE, access, observer).1 {
            Some((signal, _, at)) => Err(Refusal::CannotPopulate { at, signal }),
            None => Ok(()),
        }
    }

    /// Accesses up to the first signal: how many, and what stopped them.
    fn touch_until(
        &mut self,
        Range { start: addr, end }: Range,
        stride: u64,
        access: Access,
        observer: &mut impl Observer,
    ) -> (u64, Option<(Signal, Option<GrowthRefusal>, u64)>) {
        let mut touched = 0;
        let mut last = None;
        let mut at = addr;
        while at < end {
            // A stride of at most a block leaves no block out.
            let run_end = if stride <= PMD_SIZE { end } else { at + 1 };
            let run = Range {
                start: at,
                end: run_end,
            };
            if let Err((signal, growth)) = self.access(run, access, &mut last, observer) {
                return (touched, Some((signal, growth, at)));
            }
            // In this mapping nothing changes any more before the next block that is empty.
            let same = self.same_way_until(at).clamp(at + 1, end);
            let accesses = (same - at).div_ceil(stride);
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

    /// Up to where accesses change nothing after one at `at` has succeeded: the next empty block, the end of the
    /// mapping, or that of the file's last page.
    fn same_way_until(&self, at: u64) -> u64 {
        let Some(vma) = self.vma_at(at).map(|id| self.vma(id)) else {
            return at + 1;
        };
        let end = vma.end.min(self.file_end(vma));
        if vma.special.is_some() {
            return end;
        }
        self.next_empty_block(at).min(end).min(self.next_guard(at))
    }

    fn access(
        &mut self,
        run: Range,
        access: Access,
        last: &mut LastFault,
        observer: &mut impl Observer,
    ) -> Result<(), (Signal, Option<GrowthRefusal>)> {
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
        if at >= self.file_end(vma) {
            return Err((Signal::BusAdrerr, None));
        }
        if self.next_guard(at) == at {
            return Err((Signal::SegvMaperr, None));
        }
        self.fault(id, run, access, last, observer);
        Ok(())
    }

    /// Maps something at the start of a run of accesses, and with it whatever later ones of the run would map in the same
    /// way (`handle_mm_fault`).
    fn fault(
        &mut self,
        id: VmaId,
        run: Range,
        access: Access,
        last: &mut LastFault,
        observer: &mut impl Observer,
    ) {
        let at = run.start;
        let vma = self.vma(id);
        if vma.special.is_some() {
            return;
        }
        let pmd = self.pmd(at);
        let huge = pmd.is_none() && self.may_fault_huge(id, at);
        let shared = vma.flags.contains(VmFlags::SHARED);
        let page = match (huge, access, vma.file) {
            (true, Access::Read, _) => FaultPage::HugeZero,
            (true, Access::Write, _) => FaultPage::Huge,
            (false, Access::Read, Some(_)) => FaultPage::File,
            (false, Access::Read, None) => FaultPage::Zero,
            (false, Access::Write, _) if shared => FaultPage::File,
            (false, Access::Write, _) => FaultPage::Small,
        };
        // The huge path prepares the anon_vma before it looks at the kind of access.
        if huge || access == Access::Write && !shared {
            self.anon_vma_prepare(id, observer);
        }
        if pmd.is_some() {
            return;
        }
        let entry = match page {
            FaultPage::HugeZero => Pmd::HugeZero,
            FaultPage::Huge => Pmd::Huge,
            _ => Pmd::Table,
        };
        let vma = self.vma(id);
        let alike_until = if huge {
            vma.end / PMD_SIZE * PMD_SIZE
        } else if self.thp_may_apply(vma) {
            // The edge of a mapping whose inner blocks may be huge.
            at + 1
        } else {
            vma.end.min(self.file_end(vma))
        };
        let end = run.end.min(alike_until).max(at + 1);
        self.fill_empty(Range { start: at, end }, entry, observer);
        if *last != Some((id, page)) {
            *last = Some((id, page));
            observer.event(|| Event::Fault {
                vma: id,
                addr: at,
                page,
            });
        }
    }

    /// Whether a fault here takes the huge path: policy, flags, and a whole block inside the mapping.
    fn may_fault_huge(&self, id: VmaId, at: u64) -> bool {
        let vma = self.vma(id);
        let block = at / PMD_SIZE * PMD_SIZE;
        self.thp_may_apply(vma) && block >= vma.start && block + PMD_SIZE <= vma.end
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
        if start < self.settings.mmap_min_addr {
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
