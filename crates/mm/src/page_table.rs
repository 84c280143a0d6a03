//! Which 2 MiB blocks have something mapped, and as what: the level of the page table that decides about huge pages.

use std::num::NonZeroU32;

use mmscope_maple::MaState;

use crate::change::Change;
use crate::event::{Event, PmdSplit, Range};
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::PMD_SIZE;
use crate::pte::{Page, Pte};
use crate::vma::VmaId;

/// What the PMD entry of a 2 MiB block holds; an empty entry is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pmd {
    /// A table of base pages, maybe empty.
    Table,
    /// The huge zero page.
    HugeZero,
    /// A huge page.
    Huge,
}

/// An entry of the tree that stands for the page tables: PMD entries by the number of their block; single pages, and those of
/// files, behind them. One word, so that the tree copies and compares little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped(NonZeroU32);

impl Mapped {
    /// The entry of a block, if it is one.
    pub fn pmd(self) -> Option<Pmd> {
        match self.0.get() {
            1 => Some(Pmd::Table),
            2 => Some(Pmd::HugeZero),
            3 => Some(Pmd::Huge),
            _ => None,
        }
    }

    /// The entry of a page, or a page of a file, if it is one.
    pub fn pte(self) -> Option<Pte> {
        Pte::from_bits(self.0.get())
    }

    /// One number for all that it says.
    pub(crate) fn bits(self) -> u64 {
        self.0.get().into()
    }
}

impl From<Pmd> for Mapped {
    fn from(pmd: Pmd) -> Mapped {
        Mapped(NonZeroU32::MIN.saturating_add(pmd as u32))
    }
}

impl From<Pte> for Mapped {
    fn from(pte: Pte) -> Mapped {
        Mapped(NonZeroU32::MIN | pte.bits())
    }
}

impl Machine {
    /// The PMD entry for an address; `None` if it is empty.
    pub fn pmd(&self, addr: u64) -> Option<Pmd> {
        self.pmd_run(addr).1
    }

    /// Where the run of equal entries ends that holds an address, and the entry.
    pub(crate) fn pmd_run(&self, addr: u64) -> (u64, Option<Pmd>) {
        let span = self.pmds.range_at(addr / PMD_SIZE);
        let pmd = span.entry.and_then(Mapped::pmd);
        (span.last.saturating_add(1).saturating_mul(PMD_SIZE), pmd)
    }

    /// The blocks that a range touches, in runs of equal entries: the addresses of each run, in whole blocks.
    pub fn pmds(&self, range: Range) -> impl Iterator<Item = (Range, Option<Pmd>)> {
        let end = range.end.next_multiple_of(PMD_SIZE);
        let mut at = range.start / PMD_SIZE * PMD_SIZE;
        std::iter::from_fn(move || {
            let start = at;
            if start >= end {
                return None;
            }
            let (run_end, pmd) = self.pmd_run(start);
            at = run_end.min(end);
            Some((Range { start, end: at }, pmd))
        })
    }

    /// Stores an entry for a run of numbers, and joins it to equal ones beside it.
    pub(crate) fn store_mapped(
        &mut self,
        mut first: u64,
        mut last: u64,
        entry: Option<Mapped>,
        observer: &mut impl Observer,
    ) {
        if entry.is_some() {
            let below = self.pmds.range_at(first.saturating_sub(1));
            if below.entry == entry {
                first = below.first;
            }
            let above = self.pmds.range_at(last + 1);
            if above.entry == entry {
                last = above.last;
            }
        }
        MaState::new(first, last).store(&mut self.pmds, entry, observer);
    }

    /// Gives all blocks of a range this entry.
    pub(crate) fn set_pmds(
        &mut self,
        range: Range,
        pmd: Option<Pmd>,
        observer: &mut impl Observer,
    ) {
        let (first, last) = blocks(range);
        let there = self.pmds.range_at(first);
        let entry = pmd.map(Mapped::from);
        if there.entry != entry || there.last < last {
            self.store_mapped(first, last, entry, observer);
        }
    }

    /// Notes tables for all blocks of a range, as after pages were mapped there.
    pub(crate) fn note_tables(&mut self, range: Range, observer: &mut impl Observer) {
        self.set_pmds(range, Some(Pmd::Table), observer);
    }

    /// Turns a huge page, or the huge zero page, into a table of its pages (`__split_huge_pmd`).
    pub(crate) fn split_pmd(&mut self, at: u64, why: PmdSplit, observer: &mut impl Observer) {
        let Some(pmd @ (Pmd::Huge | Pmd::HugeZero)) = self.pmd(at) else {
            return;
        };
        let block = at / PMD_SIZE * PMD_SIZE;
        self.set_pmds(Range::sized(block, 1), Some(Pmd::Table), observer);
        observer.event(|| Event::PmdSplit { block, pmd, why });
    }

    /// A border moved to `at`: a huge page across it is split (`vma_adjust_trans_huge`).
    pub(crate) fn split_across(&mut self, at: u64, why: PmdSplit, observer: &mut impl Observer) {
        if !at.is_multiple_of(PMD_SIZE) {
            self.split_pmd(at, why, observer);
        }
    }

    /// Takes the pages of a range away, which lies in one mapping (`zap_page_range_single`). Guard markers stay. A table
    /// stays, unless this kernel frees those that it finds empty.
    pub(crate) fn zap(&mut self, range: Range, observer: &mut impl Observer) {
        for at in [range.start, range.end] {
            self.split_across(at, PmdSplit::Zapped, observer);
        }
        let keep_guards = |pte: Pte| (pte.page == Page::Guard).then_some(pte);
        self.change_ptes(range, &keep_guards, observer);
        let end = range.end / PMD_SIZE * PMD_SIZE;
        let mut at = range.start.next_multiple_of(PMD_SIZE);
        while at < end {
            let (run_end, pmd) = self.pmd_run(at);
            let run_end = run_end.min(end);
            match pmd {
                None => {}
                Some(Pmd::Table) if !self.kernel.has(Change::ReclaimTables) => {}
                Some(_) => {
                    // What has a guard marker in it stays.
                    let mut free = at;
                    while free < run_end {
                        let run = Range {
                            start: free,
                            end: run_end,
                        };
                        let (until, next) = match self.ptes(run).next() {
                            Some((marked, _)) => (
                                marked.start / PMD_SIZE * PMD_SIZE,
                                marked.end.next_multiple_of(PMD_SIZE),
                            ),
                            None => (run_end, run_end),
                        };
                        if until > free {
                            let empty = Range {
                                start: free,
                                end: until,
                            };
                            self.set_pmds(empty, None, observer);
                        }
                        free = next;
                    }
                }
            }
            at = run_end;
        }
    }

    /// Puts guard markers in the place of whatever is mapped (`madvise_guard_install`).
    pub(crate) fn install_guards(&mut self, id: VmaId, range: Range, observer: &mut impl Observer) {
        if self.kernel.has(Change::MaybeGuard) {
            let flags = self.vma(id).flags | VmFlags::MAYBE_GUARD;
            self.set_flags(id, flags, observer);
        }
        // So that a fork copies the markers; where the mapping is marked, a file's has no need of it.
        if !self.kernel.has(Change::MaybeGuard) || self.vma(id).is_anonymous() {
            self.anon_vma_prepare(id, observer);
        }
        for at in [range.start, range.end] {
            self.split_across(at, PmdSplit::Zapped, observer);
        }
        self.note_tables(range, observer);
        self.set_ptes(range, Some(Pte::new(Page::Guard)), observer);
    }

    /// Takes the guard markers of a range away.
    pub(crate) fn remove_guards(&mut self, range: Range, observer: &mut impl Observer) {
        let others = |pte: Pte| (pte.page != Page::Guard).then_some(pte);
        self.change_ptes(range, &others, observer);
    }

    /// Moves what the page tables of a range hold to `to` (`move_page_tables`): whole blocks with their table or huge page if
    /// both ends lie alike in their blocks, else page by page, which leaves the old tables empty and needs new ones.
    pub(crate) fn move_tables(&mut self, from: Range, to: u64, observer: &mut impl Observer) {
        let by = to.wrapping_sub(from.start);
        let alike = by.is_multiple_of(PMD_SIZE);
        // Old blocks that lie in the range as a whole.
        let whole = Range {
            start: from.start.next_multiple_of(PMD_SIZE),
            end: from.end / PMD_SIZE * PMD_SIZE,
        };
        let mut at = from.start;
        while at < from.end {
            let (run_end, pmd) = self.pmd_run(at);
            let inside = alike && (whole.start..whole.end).contains(&at);
            let block_end = (at / PMD_SIZE + 1) * PMD_SIZE;
            // Blocks of the run that are moved in the same way.
            let until = match (pmd, inside) {
                (None, _) => run_end,
                (_, true) => run_end.min(whole.end),
                _ if alike => block_end,
                _ => match pmd {
                    Some(Pmd::Table) => run_end,
                    _ => block_end,
                },
            };
            let old = Range {
                start: at,
                end: until.min(from.end),
            };
            let new = Range {
                start: old.start.wrapping_add(by),
                end: old.end.wrapping_add(by),
            };
            match pmd {
                None => {}
                Some(pmd) if inside => {
                    self.set_pmds(old, None, observer);
                    self.set_pmds(new, Some(pmd), observer);
                }
                Some(_) => {
                    self.split_pmd(at, PmdSplit::Moved, observer);
                    self.note_tables(new, observer);
                }
            }
            at = old.end;
        }
        self.move_ptes(from, to, observer);
    }

    /// Takes the pages of `gone` away, and frees what page tables can be freed after it was unmapped, as part of unmapping
    /// `whole`: those whose block holds no other mapping (`free_pgtables`, with its floor and ceiling).
    pub(crate) fn free_tables(&mut self, gone: Range, whole: Range, observer: &mut impl Observer) {
        self.set_ptes(gone, None, observer);
        let floor = self.prev_vma(whole.start).map_or(0, |id| self.vma(id).end);
        let ceiling = self
            .find_vma(whole.end)
            .map_or(u64::MAX, |id| self.vma(id).start);
        let (mut first, mut last) = blocks(gone);
        if first * PMD_SIZE < floor {
            first += 1;
        }
        if (last + 1) * PMD_SIZE > ceiling {
            // At block 0 there is none below: leave an empty span.
            if last == 0 {
                return;
            }
            last -= 1;
        }
        if first > last {
            return;
        }
        let used = MaState::new(first, last).find(&self.pmds, last).is_some();
        if used {
            MaState::new(first, last).store(&mut self.pmds, None, observer);
        }
    }
}

/// The numbers of the first and the last block that a range touches.
fn blocks(range: Range) -> (u64, u64) {
    (range.start / PMD_SIZE, (range.end - 1) / PMD_SIZE)
}
