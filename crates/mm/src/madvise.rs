//! Advice about memory (`do_madvise`).

use crate::call::{Access, Advice, NotModelled, Outcome};
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::PAGE_SHIFT;
use crate::pte::{Page, Pte};
use crate::seal::whole_pages;
use crate::vma::VmaId;

impl Machine {
    pub(crate) fn madvise(
        &mut self,
        addr: u64,
        len: u64,
        advice: Advice,
        observer: &mut impl Observer,
    ) -> Outcome {
        let range = match self.advised_range(addr, len, advice) {
            Ok(range) => range,
            Err(refused) => return self.refuse(refused, observer),
        };
        if let Err(refused) = self.none_sealed_for(range, advice) {
            return self.refuse(refused, observer);
        }
        if let Some(what) = self.advice_not_modelled(range, advice) {
            return Outcome::NotModelled(what);
        }
        let done = match advice {
            _ if range.is_empty() => Ok(()),
            Advice::POPULATE_READ => self.advise_populate(range, advice, Access::Read, observer),
            Advice::POPULATE_WRITE => self.advise_populate(range, advice, Access::Write, observer),
            _ => self.walk_vmas(range, observer, |machine, id, piece, observer| {
                machine.may_advise(id, advice)?;
                machine.advise(id, piece, advice, observer)
            }),
        };
        match done {
            Ok(()) => Outcome::Done,
            Err(refused) => self.refuse(refused, observer),
        }
    }

    /// What the call is about, and the errors that come before anything is done.
    fn advised_range(&self, addr: u64, len: u64, advice: Advice) -> Result<Range, Refused> {
        let known = match advice {
            Advice::COLLAPSE => self.kernel.has(Change::MadvCollapse),
            Advice::GUARD_INSTALL | Advice::GUARD_REMOVE => self.kernel.has(Change::MadvGuard),
            _ => advice.name().is_some(),
        };
        if !known {
            return Err((Errno::EINVAL, Refusal::UnknownAdvice(advice)));
        }
        let range = whole_pages(addr, len)?;
        let admin = matches!(advice, Advice::HWPOISON | Advice::SOFT_OFFLINE);
        if admin && !range.is_empty() {
            return Err((Errno::EPERM, Refusal::NotAdmin));
        }
        Ok(range)
    }

    fn advice_not_modelled(&self, range: Range, advice: Advice) -> Option<NotModelled> {
        match advice {
            Advice::COLLAPSE => self.collapse_not_modelled(range),
            Advice::PAGEOUT if self.settings.swap_total_kb > 0 => {
                let mut vmas = self.vmas(range);
                vmas.any(|(_, vma)| vma.anon_vma.is_some())
                    .then_some(NotModelled::PageOut)
            }
            _ => None,
        }
    }

    /// Visits the part of each mapping that lies in the range; holes are passed over and make the result an error
    /// (`madvise_walk_vmas`).
    pub(crate) fn walk_vmas<O: Observer>(
        &mut self,
        range: Range,
        observer: &mut O,
        visit: impl Fn(&mut Machine, VmaId, Range, &mut O) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut hole = None;
        let mut at = range.start;
        while at < range.end {
            let found = self.find_vma(at);
            let start = found.map_or(range.end, |id| self.vma(id).start);
            if at < start {
                hole.get_or_insert(at);
                let passed = Range {
                    start: at,
                    end: start.min(range.end),
                };
                observer.event(|| Event::HolePassed { range: passed });
                at = passed.end;
                continue;
            }
            let Some(id) = found else { break };
            let piece = Range {
                start: at,
                end: self.vma(id).end.min(range.end),
            };
            visit(self, id, piece, observer)?;
            // What the mapping has joined by now has been given the same already.
            at = self
                .vma_at(piece.start)
                .map_or(piece.end, |id| self.vma(id).end);
        }
        hole.map_or(Ok(()), |at| Err((Errno::ENOMEM, Refusal::Hole(at))))
    }

    /// Advice about a part of one mapping (`madvise_vma_behavior`).
    fn advise(
        &mut self,
        id: VmaId,
        piece: Range,
        advice: Advice,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let vma = self.vma(id);
        let flags = vma.flags;
        let anonymous = vma.is_anonymous() && !flags.contains(VmFlags::MAYSHARE);
        let not_for = |errno| Err((errno, Refusal::AdviceNotFor { vma: id, advice }));
        match advice {
            Advice::WILLNEED => {}
            Advice::REMOVE => {
                if flags.contains(VmFlags::LOCKED) || vma.file.is_none() {
                    return not_for(Errno::EINVAL);
                }
                let write = if self.kernel.has(Change::RemoveMaywrite) {
                    VmFlags::MAYWRITE
                } else {
                    VmFlags::WRITE
                };
                if !flags.contains(VmFlags::SHARED | write) {
                    return not_for(Errno::EACCES);
                }
                if let Some(file) = vma.file {
                    let first = vma.pgoff_at(piece.start);
                    let end = first + (piece.len() >> PAGE_SHIFT);
                    self.drop_pages(file, (first, end), false, observer);
                }
            }
            Advice::COLD | Advice::PAGEOUT => {
                if flags.intersects(VmFlags::LOCKED | VmFlags::PFNMAP) {
                    return not_for(Errno::EINVAL);
                }
                // Without swap a whole huge page is split too, on the way to not being written out.
                let all = advice == Advice::PAGEOUT;
                self.split_folios(id, piece, all, observer);
                if all {
                    let kept = |pte: Pte| (!pte.lazyfree || pte.forked).then_some(pte);
                    self.change_ptes(piece, &kept, observer);
                    if let Some(file) = self.vma(id).file {
                        self.page_out(id, file, piece, observer);
                    }
                }
            }
            Advice::FREE | Advice::DONTNEED | Advice::DONTNEED_LOCKED => {
                let locked = advice != Advice::DONTNEED_LOCKED && flags.contains(VmFlags::LOCKED);
                let free = advice == Advice::FREE;
                if locked || flags.contains(VmFlags::PFNMAP) || free && !anonymous {
                    return not_for(Errno::EINVAL);
                }
                if free {
                    self.split_folios(id, piece, false, observer);
                    let freed = |pte: Pte| {
                        let own = pte.page == Page::Anon && !pte.forked;
                        Some(Pte {
                            lazyfree: pte.lazyfree || own,
                            ..pte
                        })
                    };
                    self.change_ptes(piece, &freed, observer);
                } else {
                    self.zap(piece, observer);
                }
            }
            Advice::COLLAPSE => return self.collapse(id, piece, observer),
            Advice::GUARD_INSTALL | Advice::GUARD_REMOVE => {
                let install = advice == Advice::GUARD_INSTALL;
                let private = anonymous && flags.contains(VmFlags::MAYWRITE);
                let kind = private || self.kernel.has(Change::GuardFiles);
                let barred = flags.intersects(VmFlags::SPECIAL)
                    || install && flags.contains(VmFlags::LOCKED)
                    || !kind;
                if barred {
                    return not_for(Errno::EINVAL);
                }
                if install {
                    self.install_guards(id, piece, observer);
                } else {
                    self.remove_guards(piece, observer);
                }
            }
            _ => {
                let Some(to) = self.advised_flags(id, advice) else {
                    return not_for(Errno::EINVAL);
                };
                // Out of memory is EAGAIN here: ENOMEM stands for holes.
                let again = |(errno, reason)| match errno {
                    Errno::ENOMEM => (Errno::EAGAIN, reason),
                    other => (other, reason),
                };
                return self.change_flags(id, piece, to, observer).map_err(again);
            }
        }
        observer.event(|| Event::Advised {
            vma: id,
            range: piece,
            advice,
        });
        Ok(())
    }

    /// The flags that a mapping has after advice that is about flags; `None` if it does not go with the mapping.
    fn advised_flags(&self, id: VmaId, advice: Advice) -> Option<VmFlags> {
        let vma = self.vma(id);
        let flags = vma.flags;
        let reads = VmFlags::RAND_READ | VmFlags::SEQ_READ;
        Some(match advice {
            Advice::NORMAL => flags - reads,
            Advice::SEQUENTIAL => (flags - reads) | VmFlags::SEQ_READ,
            Advice::RANDOM => (flags - reads) | VmFlags::RAND_READ,
            Advice::DONTFORK => flags | VmFlags::DONTCOPY,
            Advice::DOFORK if flags.contains(VmFlags::IO) => return None,
            Advice::DOFORK => flags - VmFlags::DONTCOPY,
            Advice::WIPEONFORK if vma.file.is_some() || flags.contains(VmFlags::SHARED) => {
                return None;
            }
            Advice::WIPEONFORK => flags | VmFlags::WIPEONFORK,
            Advice::KEEPONFORK | Advice::DODUMP if flags.contains(VmFlags::DROPPABLE) => {
                return None;
            }
            Advice::KEEPONFORK => flags - VmFlags::WIPEONFORK,
            Advice::DONTDUMP => flags | VmFlags::DONTDUMP,
            Advice::DODUMP if flags.intersects(VmFlags::SPECIAL) => return None,
            Advice::DODUMP => flags - VmFlags::DONTDUMP,
            Advice::HUGEPAGE => (flags - VmFlags::NOHUGEPAGE) | VmFlags::HUGEPAGE,
            Advice::NOHUGEPAGE => (flags - VmFlags::HUGEPAGE) | VmFlags::NOHUGEPAGE,
            // Ignored where same pages can't be looked for (`vma_ksm_compatible`).
            Advice::MERGEABLE
                if flags.intersects(
                    VmFlags::SPECIAL | VmFlags::SHARED | VmFlags::MAYSHARE | VmFlags::DROPPABLE,
                ) =>
            {
                flags
            }
            Advice::MERGEABLE => flags | VmFlags::MERGEABLE,
            Advice::UNMERGEABLE => flags - VmFlags::MERGEABLE,
            _ => flags,
        })
    }

    /// Gives a part of a mapping other flags that neither accesses nor charges depend on (`madvise_update_vma`).
    pub(crate) fn change_flags(
        &mut self,
        id: VmaId,
        piece: Range,
        to: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let from = self.vma(id).flags;
        if to == from {
            observer.event(|| Event::Unchanged { vma: id });
            return Ok(());
        }
        let vma = self.modify(id, piece, to, observer)?;
        self.set_flags(vma, to, observer);
        observer.event(|| Event::FlagsChanged {
            vma,
            range: piece,
            from,
            to,
        });
        Ok(())
    }

    /// Maps all pages of the range, up to the first that can't be (`madvise_populate`).
    fn advise_populate(
        &mut self,
        range: Range,
        advice: Advice,
        access: Access,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let mut at = range.start;
        while at < range.end {
            let id = self.vma_at(at).ok_or((Errno::ENOMEM, Refusal::Hole(at)))?;
            let vma = self.vma(id);
            let needed = match access {
                Access::Read => VmFlags::READ,
                Access::Write => VmFlags::WRITE,
            };
            let barred = vma.flags.intersects(VmFlags::IO | VmFlags::PFNMAP);
            if barred || !vma.flags.contains(needed) {
                return Err((Errno::EINVAL, Refusal::AdviceNotFor { vma: id, advice }));
            }
            let piece = Range {
                start: at,
                end: vma.end.min(range.end),
            };
            self.populate(piece, access, observer)
                .map_err(|reason| (Errno::EFAULT, reason))?;
            observer.event(|| Event::Advised {
                vma: id,
                range: piece,
                advice,
            });
            at = piece.end;
        }
        Ok(())
    }
}
