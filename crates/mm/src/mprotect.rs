//! Changing protection (`do_mprotect_pkey`, `mprotect_fixup`).

use std::rc::Rc;

use crate::call::Access;
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::flags::{Prot, VmFlags};
use crate::machine::{Machine, Refused};
use crate::merge::Candidate;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, is_page_aligned, page_up};
use crate::split::NewPart;
use crate::vma::VmaId;

impl Machine {
    pub(crate) fn mprotect(
        &mut self,
        addr: u64,
        len: u64,
        prot: Prot,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let grows = prot & (Prot::GROWSDOWN | Prot::GROWSUP);
        let prot = prot - grows;
        if grows == Prot::GROWSDOWN | Prot::GROWSUP {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        if !is_page_aligned(addr) {
            return Err((Errno::EINVAL, Refusal::Unaligned(addr)));
        }
        if len == 0 {
            return Ok(());
        }
        let end = addr.wrapping_add(page_up(len));
        if end <= addr {
            return Err((Errno::ENOMEM, Refusal::LengthWraps(len)));
        }
        let known = Prot::READ | Prot::WRITE | Prot::EXEC | Prot::SEM;
        if !known.contains(prot) {
            return Err((Errno::EINVAL, Refusal::BadProt((prot - known).bits())));
        }
        let mut start = addr;
        let first = self
            .find_vma(start)
            .ok_or((Errno::ENOMEM, Refusal::Hole(start)))?;
        let vma = self.vma(first);
        if grows.contains(Prot::GROWSDOWN) {
            if vma.start >= end {
                return Err((Errno::ENOMEM, Refusal::Hole(start)));
            }
            start = vma.start;
            if !vma.flags.contains(VmFlags::GROWSDOWN) {
                return Err((Errno::EINVAL, Refusal::NotGrowsDown(first)));
            }
        } else if vma.start > start {
            return Err((Errno::ENOMEM, Refusal::Hole(start)));
        } else if grows.contains(Prot::GROWSUP) {
            // No mapping of x86 grows up.
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        self.none_sealed(Range { start, end })?;
        let mut at = start;
        while at < end {
            let id = self.vma_at(at).ok_or((Errno::ENOMEM, Refusal::Hole(at)))?;
            let vma = self.vma(id);
            let mut flags = (vma.flags - VmFlags::ACCESS) | VmFlags::from_prot(prot);
            if vma.flags.contains(VmFlags::MAYEXEC) {
                flags |= self.implied_exec(prot);
            }
            let may = VmFlags::from_bits_truncate((vma.flags & VmFlags::MAY_ACCESS).bits() >> 4);
            let lacks = (flags & VmFlags::ACCESS) - may;
            if !lacks.is_empty() {
                return Err((Errno::EACCES, Refusal::ProtNotAllowed { vma: id, lacks }));
            }
            let piece = Range {
                start: at,
                end: vma.end.min(end),
            };
            self.mprotect_fixup(id, piece, flags, observer)?;
            at = piece.end;
        }
        Ok(())
    }

    /// Gives one piece of one mapping new flags.
    fn mprotect_fixup(
        &mut self,
        id: VmaId,
        piece: Range,
        mut flags: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        self.not_sealed(id)?;
        let vma = self.vma(id).clone();
        let old = vma.flags;
        if flags == old {
            observer.event(|| Event::Unchanged { vma: id });
            return Ok(());
        }
        let pages = piece.len() >> PAGE_SHIFT;
        let mut charged = 0;
        let mut uncharged = 0;
        if flags.contains(VmFlags::WRITE) {
            if let Err(refused) = self.may_expand(flags, pages)
                && self.may_expand(old, pages).is_ok()
            {
                return Err(refused);
            }
            let exempt = VmFlags::ACCOUNT | VmFlags::WRITE | VmFlags::SHARED | VmFlags::NORESERVE;
            if !old.intersects(exempt) {
                self.enough_memory(pages)?;
                charged = pages;
                flags |= VmFlags::ACCOUNT;
            }
        } else if self.kernel.has(Change::MprotectUnaccounts)
            && old.contains(VmFlags::ACCOUNT)
            && vma.is_anonymous()
            && vma.anon_vma.is_none()
        {
            uncharged = pages;
            flags -= VmFlags::ACCOUNT;
            observer.event(|| Event::Unaccounted { range: piece });
        }
        let id = self.modify(id, piece, flags, observer)?;
        self.charge(charged, observer);
        self.uncharge(uncharged, observer);
        self.set_flags(id, flags, observer);
        let lock = VmFlags::WRITE | VmFlags::SHARED | VmFlags::LOCKED;
        if old & lock == VmFlags::LOCKED && flags.contains(VmFlags::WRITE) {
            // Locked pages are copied now, not when they are written to. What can't be is left out.
            let _ = self.mm_populate(piece, observer);
        }
        self.stat_account(old, -pages.cast_signed(), observer);
        self.stat_account(flags, pages.cast_signed(), observer);
        observer.event(|| Event::FlagsChanged {
            vma: id,
            range: piece,
            from: old,
            to: flags,
        });
        // Locked memory that may be written from now on gets its copies at once.
        let was = old & (VmFlags::WRITE | VmFlags::SHARED | VmFlags::LOCKED);
        let faults_late = flags.contains(VmFlags::LOCKONFAULT);
        if was == VmFlags::LOCKED && flags.contains(VmFlags::WRITE) && !faults_late {
            let _ = self.populate(piece, Access::Write, observer);
        }
        Ok(())
    }

    /// Gives a mapping its new flags; those that stuck to it in a merge stay.
    pub(crate) fn set_flags(&mut self, id: VmaId, to: VmFlags, observer: &mut impl Observer) {
        let before = self.vma(id).flags;
        let to = to | before & VmFlags::MAYBE_GUARD;
        if before != to {
            self.edit_vma(id, observer).flags = to;
        }
    }

    /// Makes the piece a mapping of its own or part of a neighbour, so that its flags can change (`vma_modify_flags`).
    pub(crate) fn modify(
        &mut self,
        id: VmaId,
        piece: Range,
        flags: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<VmaId, Refused> {
        let name = self.vma(id).anon_name.clone();
        self.modify_named(id, piece, flags, name, observer)
    }

    /// The same, where the name may change as well (`vma_modify_flags_name`).
    pub(crate) fn modify_named(
        &mut self,
        id: VmaId,
        piece: Range,
        flags: VmFlags,
        anon_name: Option<Rc<str>>,
        observer: &mut impl Observer,
    ) -> Result<VmaId, Refused> {
        let vma = self.vma(id);
        let candidate = Candidate {
            range: piece,
            flags,
            pgoff: vma.pgoff_at(piece.start),
            anon_pgoff: vma.anon_pgoff_at(piece.start),
            file: vma.file,
            anon_vma: vma.anon_vma,
            inherited: vma.inherited,
            keeps_anon_vma: vma.inherited,
            anon_name,
        };
        if let Some(merged) = self.merge_existing(id, &candidate, observer) {
            return Ok(merged);
        }
        if self.vma(id).start < piece.start {
            self.split_checked(id, piece.start, NewPart::Below, observer)?;
        }
        if self.vma(id).end > piece.end {
            self.split_checked(id, piece.end, NewPart::Above, observer)?;
        }
        Ok(id)
    }
}
