//! Locking memory (`do_mlock`, `apply_mlockall_flags`, `mlock_fixup`).

use crate::call::Access;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, page_down, page_up};
use crate::vma::VmaId;

/// `MLOCK_ONFAULT`
const ONFAULT: u32 = 1;
/// `MCL_CURRENT`
const MCL_CURRENT: u32 = 1;
/// `MCL_FUTURE`
const MCL_FUTURE: u32 = 2;
/// `MCL_ONFAULT`
const MCL_ONFAULT: u32 = 4;

impl Machine {
    pub(crate) fn mlock(
        &mut self,
        addr: u64,
        len: u64,
        flags: u32,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        if flags & !ONFAULT != 0 {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        self.may_lock_at_all()?;
        let range = lock_range(addr, len);
        if let Some(limit) = self.process().rlimits.memlock
            && !self.settings.cap_ipc_lock
        {
            // A range that wraps is refused only after that.
            let (more, again) = match &range {
                Ok(range) => (range.len(), self.locked_in(*range)),
                Err(_) => (locked_len(addr, len), 0),
            };
            if self.process().locked_vm + (more >> PAGE_SHIFT) - again > limit >> PAGE_SHIFT {
                return Err((Errno::ENOMEM, Refusal::MemlockLimit));
            }
        }
        let range = range?;
        let mut lock = VmFlags::LOCKED;
        lock.set(VmFlags::LOCKONFAULT, flags & ONFAULT != 0);
        self.lock_each(range, lock, observer)?;
        self.mm_populate(range, observer)
    }

    /// Pages of a range that are locked already: they count once (`count_mm_mlocked_page_nr`).
    fn locked_in(&self, range: Range) -> u64 {
        let mut pages = 0;
        for (_, vma) in self.vmas(range) {
            if vma.flags.contains(VmFlags::LOCKED) {
                pages += (vma.end.min(range.end) - vma.start.max(range.start)) >> PAGE_SHIFT;
            }
        }
        pages
    }

    pub(crate) fn munlock(
        &mut self,
        addr: u64,
        len: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let range = lock_range(addr, len)?;
        self.lock_each(range, VmFlags::empty(), observer)
    }

    /// Gives all mappings of the range these lock flags, up to the first hole (`apply_vma_lock_flags`).
    fn lock_each(
        &mut self,
        range: Range,
        lock: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let mut at = range.start;
        while at < range.end {
            let id = self.vma_at(at).ok_or((Errno::ENOMEM, Refusal::Hole(at)))?;
            let piece = Range {
                start: at,
                end: self.vma(id).end.min(range.end),
            };
            at = piece.end;
            self.mlock_fixup(id, piece, lock, observer)?;
        }
        Ok(())
    }

    /// Gives a part of one mapping these lock flags.
    fn mlock_fixup(
        &mut self,
        id: VmaId,
        piece: Range,
        lock: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let from = self.vma(id).flags;
        if from.intersects(VmFlags::SPECIAL | VmFlags::DROPPABLE) {
            return Ok(());
        }
        let pages = (piece.len() >> PAGE_SHIFT).cast_signed();
        let to = (from - VmFlags::LOCKED_MASK) | lock;
        self.change_flags(id, piece, to, observer)?;
        self.stat_account(from, -pages, observer);
        self.stat_account(to, pages, observer);
        Ok(())
    }

    pub(crate) fn mlockall(
        &mut self,
        flags: u32,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
        if flags & !known != 0 || flags & (MCL_CURRENT | MCL_FUTURE) == 0 {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        self.may_lock_at_all()?;
        let current = flags & MCL_CURRENT != 0;
        if current
            && let Some(limit) = self.process().rlimits.memlock
            && self.process().total_vm > limit >> PAGE_SHIFT
            && !self.settings.cap_ipc_lock
        {
            return Err((Errno::ENOMEM, Refusal::MemlockLimit));
        }
        self.apply_mlockall(flags, observer);
        if current {
            // What can't be mapped is left out, mapping by mapping.
            let mut at = 0;
            while let Some(id) = self.find_vma(at) {
                let vma = self.vma(id);
                let whole = Range {
                    start: vma.start,
                    end: vma.end,
                };
                at = whole.end;
                let _ = self.mm_populate(whole, observer);
            }
        }
        Ok(())
    }

    /// Locks or unlocks all mappings, and says what later ones get (`apply_mlockall_flags`). Where a mapping can't be
    /// changed, it stays as it is and the others go on.
    pub(crate) fn apply_mlockall(&mut self, flags: u32, observer: &mut impl Observer) {
        let mut lock = VmFlags::LOCKED;
        lock.set(VmFlags::LOCKONFAULT, flags & MCL_ONFAULT != 0);
        let future = flags & MCL_FUTURE != 0;
        let to = if future { lock } else { VmFlags::empty() };
        if self.process().def_flags != to {
            self.edit_process(observer).def_flags = to;
        }
        observer.event(|| Event::DefFlags(to));
        let current = flags & MCL_CURRENT != 0;
        if future && !current {
            return;
        }
        let lock = if current { lock } else { VmFlags::empty() };
        let mut at = 0;
        while let Some(id) = self.find_vma(at) {
            let vma = self.vma(id);
            let whole = Range {
                start: vma.start,
                end: vma.end,
            };
            let _ = self.mlock_fixup(id, whole, lock, observer);
            at = whole.end;
        }
    }

    /// Maps the pages of locked memory (`__mm_populate`).
    pub(crate) fn mm_populate(
        &mut self,
        range: Range,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let mut at = range.start;
        while at < range.end {
            let Some(id) = self.vma_at(at) else { break };
            let vma = self.vma(id);
            let flags = vma.flags;
            let piece = Range {
                start: at,
                end: vma.end.min(range.end),
            };
            at = piece.end;
            if flags.intersects(VmFlags::IO | VmFlags::PFNMAP | VmFlags::LOCKONFAULT) {
                continue;
            }
            if !vma.is_accessible() {
                let lacks = VmFlags::ACCESS;
                return Err((Errno::ENOMEM, Refusal::ProtNotAllowed { vma: id, lacks }));
            }
            let access = if flags & (VmFlags::WRITE | VmFlags::SHARED) == VmFlags::WRITE {
                Access::Write
            } else {
                Access::Read
            };
            self.populate(piece, access, observer)
                .map_err(|reason| (Errno::ENOMEM, reason))?;
        }
        Ok(())
    }
}

/// The length in whole pages.
fn locked_len(addr: u64, len: u64) -> u64 {
    page_up(len.wrapping_add(addr - page_down(addr)))
}

/// Whole pages around the range.
fn lock_range(addr: u64, len: u64) -> Result<Range, Refused> {
    let start = page_down(addr);
    let end = start.wrapping_add(locked_len(addr, len));
    if end < start {
        return Err((Errno::EINVAL, Refusal::LengthWraps(len)));
    }
    Ok(Range { start, end })
}
