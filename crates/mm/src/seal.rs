//! Sealed mappings (`do_mseal`, `can_modify_vma`): they can't be unmapped, moved or given another protection.

use crate::call::Advice;
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{is_page_aligned, page_up};
use crate::vma::VmaId;

impl Machine {
    /// Seals all mappings of a range that has no hole.
    pub(crate) fn mseal(
        &mut self,
        addr: u64,
        len: u64,
        flags: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        if !self.kernel.has(Change::Mseal) {
            return Err((Errno::ENOSYS, Refusal::NoSuchCall));
        }
        if flags != 0 {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        let range = whole_pages(addr, len)?;
        let mut at = range.start;
        while at < range.end {
            let id = self.vma_at(at).ok_or((Errno::ENOMEM, Refusal::Hole(at)))?;
            at = self.vma(id).end;
        }
        at = range.start;
        while at < range.end {
            let id = self.vma_at(at).ok_or((Errno::ENOMEM, Refusal::Hole(at)))?;
            let vma = self.vma(id);
            let piece = Range {
                start: at,
                end: vma.end.min(range.end),
            };
            let to = vma.flags | VmFlags::SEALED;
            self.change_flags(id, piece, to, observer)?;
            at = piece.end;
        }
        Ok(())
    }

    /// Whether a mapping may be changed (`can_modify_vma`).
    pub(crate) fn not_sealed(&self, id: VmaId) -> Result<(), Refused> {
        if self.vma(id).flags.contains(VmFlags::SEALED) {
            return Err((Errno::EPERM, Refusal::Sealed(id)));
        }
        Ok(())
    }

    /// Up to 6.11, a call looks for sealed mappings in its whole range before it changes anything (`can_modify_mm`).
    pub(crate) fn none_sealed(&self, range: Range) -> Result<(), Refused> {
        if !self.kernel.has(Change::SealsMetInTurn) {
            for (id, _) in self.vmas(range) {
                self.not_sealed(id)?;
            }
        }
        Ok(())
    }

    /// The same for advice (`can_modify_mm_madv`).
    pub(crate) fn none_sealed_for(&self, range: Range, advice: Advice) -> Result<(), Refused> {
        if !self.kernel.has(Change::SealsMetInTurn) {
            for (id, _) in self.vmas(range) {
                self.may_advise(id, advice)?;
            }
        }
        Ok(())
    }

    /// A sealed mapping keeps what it holds, where its pages could not be overwritten anyway (`can_modify_vma_madv`).
    pub(crate) fn may_advise(&self, id: VmaId, advice: Advice) -> Result<(), Refused> {
        let discards = matches!(
            advice,
            Advice::FREE
                | Advice::DONTNEED
                | Advice::DONTNEED_LOCKED
                | Advice::REMOVE
                | Advice::DONTFORK
                | Advice::WIPEONFORK
                | Advice::GUARD_INSTALL
        );
        let vma = self.vma(id);
        let writable = VmFlags::SHARED | VmFlags::WRITE;
        if discards && vma.is_anonymous() && !vma.flags.intersects(writable) {
            return self.not_sealed(id);
        }
        Ok(())
    }
}

/// A range of whole pages that begins on a page.
pub(crate) fn whole_pages(addr: u64, len: u64) -> Result<Range, Refused> {
    if !is_page_aligned(addr) {
        return Err((Errno::EINVAL, Refusal::Unaligned(addr)));
    }
    let whole = page_up(len);
    let end = addr.wrapping_add(whole);
    if len > 0 && whole == 0 || end < addr {
        return Err((Errno::EINVAL, Refusal::LengthWraps(len)));
    }
    Ok(Range { start: addr, end })
}
