//! The break (`brk`, `do_brk_flags`).

use crate::change::Change;
use crate::errno::Errno;
use crate::event::{BreakMove, Event, MergeForm, Range, Refusal};
use crate::flags::{Prot, VmFlags};
use crate::machine::{Machine, Refused};
use crate::merge::{Candidate, Neighbours};
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PAGE_SIZE, TASK_SIZE, page_down, page_up};

impl Machine {
    /// Moves the break if it may, and gives back where it is then: brk returns no errors.
    pub(crate) fn brk(&mut self, addr: u64, observer: &mut impl Observer) -> u64 {
        let from = self.process().brk;
        match self.move_brk(addr, observer) {
            Ok(by) => {
                let to = if by == BreakMove::Query { from } else { addr };
                if to != from {
                    self.edit_process(observer).brk = to;
                }
                observer.event(|| Event::Break { from, to, by });
                to
            }
            Err((errno, reason)) => {
                observer.event(|| Event::Refused { errno, reason });
                from
            }
        }
    }

    fn move_brk(&mut self, addr: u64, observer: &mut impl Observer) -> Result<BreakMove, Refused> {
        let process = self.process();
        let (start_brk, brk) = (process.start_brk, process.brk);
        if addr < start_brk {
            return if addr == 0 {
                Ok(BreakMove::Query)
            } else {
                Err((Errno::ENOMEM, Refusal::BelowHeap))
            };
        }
        if let Some(limit) = process.rlimits.data {
            let data = process.end_data.saturating_sub(process.start_data);
            if (addr - start_brk).saturating_add(data) > limit {
                let (pages, limit) = ((addr - start_brk + data) >> PAGE_SHIFT, limit >> PAGE_SHIFT);
                return Err((Errno::ENOMEM, Refusal::DataLimit { pages, limit }));
            }
        }
        let (new, old) = (page_up(addr), page_up(brk));
        if new == old {
            return Ok(BreakMove::WithinPage);
        }
        if addr <= brk {
            self.shrink_heap(
                Range {
                    start: new,
                    end: old,
                },
                observer,
            )?;
            return Ok(BreakMove::Shrink);
        }
        self.grow_heap(
            Range {
                start: old,
                end: new,
            },
            observer,
        )?;
        Ok(BreakMove::Grow)
    }

    fn shrink_heap(&mut self, range: Range, observer: &mut impl Observer) -> Result<(), Refused> {
        let there = self
            .find_vma(range.start)
            .is_some_and(|id| self.vma(id).start < range.end);
        if !there && self.kernel.has(Change::BrkExpandsHeap) {
            return Err((Errno::ENOMEM, Refusal::NoHeap));
        }
        self.unmap(range, observer)
    }

    fn grow_heap(&mut self, range: Range, observer: &mut impl Observer) -> Result<(), Refused> {
        let len = range.len();
        if range.is_empty() || len > TASK_SIZE || range.start > TASK_SIZE - len {
            return Err((Errno::ENOMEM, Refusal::BeyondTask(range)));
        }
        let default = self.process().def_flags;
        if default.contains(VmFlags::LOCKED) {
            self.may_lock(len)?;
        }
        if let Some(next) = self.find_vma(range.start) {
            let limit = self.vma(next).start_gap(self.guard_gap());
            if range.end + PAGE_SIZE > limit {
                let highest = page_down(limit).saturating_sub(PAGE_SIZE);
                return Err((Errno::ENOMEM, Refusal::BreakMeets { vma: next, highest }));
            }
        }
        let pages = len >> PAGE_SHIFT;
        let data = VmFlags::READ | VmFlags::WRITE | VmFlags::MAY_ACCESS;
        let flags = data | self.implied_exec(Prot::READ) | VmFlags::ACCOUNT | default;
        self.may_expand(flags, pages)?;
        self.room_for_mapping()?;
        self.enough_memory(pages)?;
        self.charge(pages, observer);
        let candidate = Candidate {
            range,
            flags,
            pgoff: range.start >> PAGE_SHIFT,
            anon_pgoff: range.start >> PAGE_SHIFT,
            file: None,
            anon_vma: None,
            inherited: false,
            keeps_anon_vma: false,
            anon_name: None,
        };
        if !self.extend_heap(&candidate, observer) {
            self.new_vma(&candidate, TreeWrite::NewHeap, observer);
        }
        self.stat_account(flags, pages.cast_signed(), observer);
        if default.contains(VmFlags::LOCKED) {
            // What can't be mapped is left out.
            let _ = self.mm_populate(range, observer);
        }
        Ok(())
    }

    /// Grows the mapping below the old break if it is the heap. `false`: a new mapping is needed.
    fn extend_heap(&mut self, candidate: &Candidate, observer: &mut impl Observer) -> bool {
        if !self.kernel.has(Change::BrkExpandsHeap) {
            return self
                .merge_new(candidate, Neighbours::Both, observer)
                .is_some();
        }
        let start_brk = self.process().start_brk;
        let heap = self
            .prev_vma(candidate.range.start)
            .filter(|id| self.vma(*id).end > start_brk);
        let Some(heap) = heap else { return false };
        if !self.kernel.has(Change::BrkChecksEnd) && self.vma(heap).flags == candidate.flags {
            let range = Range {
                start: self.vma(heap).start,
                end: candidate.range.end,
            };
            self.resize(heap, range, TreeWrite::GrowHeap, observer);
            observer.event(|| Event::Merged {
                into: heap,
                range,
                form: MergeForm::NewIntoPrev,
            });
            return true;
        }
        self.merge_new(candidate, Neighbours::PrevOnly, observer)
            .is_some()
    }
}
