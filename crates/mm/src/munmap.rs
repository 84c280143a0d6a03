//! Taking mappings away (`do_vmi_munmap`).

use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{TASK_SIZE, is_page_aligned, page_up};
use crate::split::NewPart;
use crate::vma::VmaId;

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
        let doomed = self.gather(range, observer)?;
        self.remove(range, &doomed, observer);
        Ok(())
    }

    /// Cuts the mappings at both ends of the range, so that it holds only whole ones, and lists them
    /// (`vms_gather_munmap_vmas`). What was cut stays cut, even if the call fails later.
    pub(crate) fn gather(
        &mut self,
        range: Range,
        observer: &mut impl Observer,
    ) -> Result<Vec<VmaId>, Refused> {
        let Some(first) = self
            .find_vma(range.start)
            .filter(|id| self.vma(*id).start < range.end)
        else {
            return Ok(Vec::new());
        };
        let vma = self.vma(first);
        if vma.start < range.start {
            if range.end < vma.end {
                self.room_for_split()?;
            }
            self.split(first, range.start, NewPart::Below, observer)?;
        }
        if let Some(last) = self
            .vma_at(range.end)
            .filter(|id| self.vma(*id).start < range.end)
        {
            self.split(last, range.end, NewPart::Above, observer)?;
        }
        let doomed: Vec<VmaId> = self.vmas(range).map(|(id, _)| id).collect();
        observer.event(|| Event::Unmap {
            range,
            vmas: doomed.len() as u64,
        });
        Ok(doomed)
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

    /// Removes gathered mappings, their pages and their page tables (`vms_complete_munmap_vmas`).
    pub(crate) fn remove(&mut self, range: Range, doomed: &[VmaId], observer: &mut impl Observer) {
        if doomed.is_empty() {
            return;
        }
        let (_, accounted) = self.count_pages(doomed);
        self.store(range, None, observer);
        for id in doomed {
            let vma = self.vmas.remove(*id, observer);
            self.edit_process(observer).map_count -= 1;
            self.stat_account(vma.flags, -vma.pages().cast_signed(), observer);
            self.free_tables(
                Range {
                    start: vma.start,
                    end: vma.end,
                },
                range,
                observer,
            );
        }
        self.uncharge(accounted, observer);
    }
}
