//! Taking mappings away (`do_vmi_munmap`).

use mmscope_maple::Preallocated;

use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{TASK_SIZE, is_page_aligned, page_up};
use crate::split::NewPart;
use crate::vma::VmaId;

/// Mappings that are about to go.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Which, lowest first.
    pub(crate) vmas: Vec<VmaId>,
    /// Nodes asked for ahead, for the hole.
    pub(crate) ahead: Option<Preallocated>,
}

impl Machine {
    pub(crate) fn munmap(
        &mut self,
        addr: u64,
        len: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        if !is_page_aligned(addr) {
            return Err((Errno::EINVAL, Refusal::Unaligned(addr)));
        }
        if addr > TASK_SIZE || len > TASK_SIZE - addr {
            return Err((Errno::EINVAL, Refusal::BeyondTask(Range::sized(addr, len))));
        }
        let range = Range {
            start: addr,
            end: addr + page_up(len),
        };
        if range.is_empty() {
            return Err((Errno::EINVAL, Refusal::ZeroLength));
        }
        self.unmap(range, observer)
    }

    /// Takes away whatever lies in the range; holes are fine.
    pub(crate) fn unmap(
        &mut self,
        range: Range,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        self.none_sealed(range)?;
        let gathered = self.gather(range, observer)?;
        if !gathered.vmas.is_empty() {
            self.store_with(range, None, TreeWrite::Clear, gathered.ahead, observer);
            self.clear_tables(range, &gathered.vmas, observer);
            self.complete(&gathered.vmas, observer);
        }
        Ok(())
    }

    /// Cuts the mappings at both ends of the range, so that it holds only whole ones, and lists them
    /// (`vms_gather_munmap_vmas`). What was cut stays cut, even if the call fails later.
    pub(crate) fn gather(
        &mut self,
        range: Range,
        observer: &mut impl Observer,
    ) -> Result<Gathered, Refused> {
        let Some(first) = self
            .find_vma(range.start)
            .filter(|id| self.vma(*id).start < range.end)
        else {
            return Ok(Gathered::default());
        };
        let ahead = self.ask_ahead(range, None, TreeWrite::Clear);
        if let Err(refused) = self.cut_out(first, range, observer) {
            self.give_back(TreeWrite::Clear, ahead, observer);
            return Err(refused);
        }
        let vmas: Vec<VmaId> = self.vmas(range).map(|(id, _)| id).collect();
        observer.event(|| Event::Unmap {
            range,
            vmas: vmas.len() as u64,
        });
        self.detach(&vmas, observer);
        Ok(Gathered { vmas, ahead })
    }

    /// Cuts the mappings at both ends of the range, the first of which is given.
    fn cut_out(
        &mut self,
        first: VmaId,
        range: Range,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let vma = self.vma(first);
        if vma.start < range.start {
            if range.end < vma.end {
                self.room_for_split()?;
            }
            self.not_sealed(first)?;
            self.split(first, range.start, NewPart::Below, observer)?;
        }
        if self.kernel.has(Change::SealsMetInTurn) {
            let mut sealed = self.vmas(range);
            if let Some((id, _)) = sealed.find(|(_, vma)| vma.flags.contains(VmFlags::SEALED)) {
                return Err((Errno::EPERM, Refusal::Sealed(id)));
            }
        }
        if let Some(last) = self
            .vma_at(range.end)
            .filter(|id| self.vma(*id).start < range.end)
        {
            self.split(last, range.end, NewPart::Above, observer)?;
        }
        Ok(())
    }

    /// Pages of these mappings, and how many of them are charged.
    pub(crate) fn count_pages(&self, vmas: &[VmaId]) -> (u64, u64) {
        let mut pages = (0, 0);
        for id in vmas {
            let vma = self.vma(*id);
            pages.0 += vma.pages();
            if vma.flags.contains(VmFlags::ACCOUNT) {
                pages.1 += vma.pages();
            }
        }
        pages
    }

    /// Frees the page tables of gathered mappings (`vms_clear_ptes`).
    pub(crate) fn clear_tables(
        &mut self,
        range: Range,
        doomed: &[VmaId],
        observer: &mut impl Observer,
    ) {
        for id in doomed {
            let vma = self.vma(*id);
            let gone = Range {
                start: vma.start,
                end: vma.end,
            };
            self.free_tables(gone, range, observer);
        }
    }

    /// Removes mappings that the tree holds no more, and takes them out of the accounts (`vms_complete_munmap_vmas`).
    pub(crate) fn complete(&mut self, doomed: &[VmaId], observer: &mut impl Observer) {
        let (_, accounted) = self.count_pages(doomed);
        for id in doomed {
            let vma = self.remove_vma(*id, observer);
            self.stat_account(vma.flags, -vma.pages().cast_signed(), observer);
        }
        self.uncharge(accounted, observer);
    }
}
