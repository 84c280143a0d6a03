//! Locking memory (`do_mlock`, `mlock_fixup`).

use crate::call::Access;
use crate::errno::Errno;
use crate::event::{Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, page_down, page_up};

/// `MLOCK_ONFAULT`
const ONFAULT: u32 = 1;

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
        let range = lock_range(addr, len)?;
        let more = range.len() >> PAGE_SHIFT;
        if let Some(limit) = self.process().rlimits.memlock
            && !self.settings.cap_ipc_lock
        {
            // What is locked already counts once.
            let again: u64 = self
                .vmas(range)
                .filter(|(_, vma)| vma.flags.contains(VmFlags::LOCKED))
                .map(|(_, vma)| (vma.end.min(range.end) - vma.start.max(range.start)) >> PAGE_SHIFT)
                .sum();
            if self.process().locked_vm + more - again > limit >> PAGE_SHIFT {
                return Err((Errno::ENOMEM, Refusal::MemlockLimit));
            }
        }
        let mut lock = VmFlags::LOCKED;
        lock.set(VmFlags::LOCKONFAULT, flags & ONFAULT != 0);
        self.lock_each(range, lock, observer)?;
        self.mm_populate(range, observer)
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
            let vma = self.vma(id);
            let (from, pages) = (vma.flags, vma.end.min(range.end) - at);
            let piece = Range::sized(at, pages);
            let pages = (pages >> PAGE_SHIFT).cast_signed();
            at = piece.end;
            if from.intersects(VmFlags::SPECIAL) {
                continue;
            }
            let to = (from - VmFlags::LOCKED_MASK) | lock;
            self.change_flags(id, piece, to, observer)?;
            self.stat_account(from, -pages, observer);
            self.stat_account(to, pages, observer);
        }
        Ok(())
    }

    /// Maps the pages of locked memory (`__mm_populate`).
    fn mm_populate(&mut self, range: Range, observer: &mut impl Observer) -> Result<(), Refused> {
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

/// Whole pages around the range.
fn lock_range(addr: u64, len: u64) -> Result<Range, Refused> {
    let start = page_down(addr);
    let end = start.wrapping_add(page_up(len.wrapping_add(addr - start)));
    if end < start {
        return Err((Errno::EINVAL, Refusal::LengthWraps(len)));
    }
    Ok(Range { start, end })
}
