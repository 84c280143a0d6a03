//! Which 2 MiB blocks have something mapped: the level of the page table that decides about huge pages.
//!
//! Simplified: a block with a table of base pages is not told apart by page, and a write to the huge zero page leaves
//! the block as it is. Nothing that is modelled so far depends on single pages, only on whether an entry is empty.

use mmscope_maple::MaState;

use crate::change::Change;
use crate::event::Range;
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PMD_SIZE};
use crate::vma::VmaId;

/// Guard markers of single pages stand in the same tree, by page number, behind the last block.
const GUARDS: u64 = 1 << 56;

/// What the PMD entry of a 2 MiB block holds; an empty entry is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pmd {
    /// A table of base pages.
    Table,
    /// The huge zero page.
    HugeZero,
    /// A huge page.
    Huge,
    /// Not the entry of a block, but the marker of a guard page (`PTE_MARKER_GUARD`).
    Guard,
}

impl Machine {
    /// The PMD entry for an address; `None` if it is empty.
    pub fn pmd(&self, addr: u64) -> Option<Pmd> {
        self.pmds.get(addr / PMD_SIZE)
    }

    pub(crate) fn set_pmd(&mut self, addr: u64, pmd: Pmd, observer: &mut impl Observer) {
        let block = addr / PMD_SIZE;
        MaState::new(block, block).store(&mut self.pmds, Some(pmd), observer);
    }

    /// Fills the empty entries from the start of a range on, up to its end or the first that is not empty.
    pub(crate) fn fill_empty(&mut self, range: Range, pmd: Pmd, observer: &mut impl Observer) {
        let (first, last) = blocks(range);
        let empty = self.pmds.range_at(first);
        MaState::new(first, last.min(empty.last)).store(&mut self.pmds, Some(pmd), observer);
    }

    /// The address of the first empty entry above the one that holds `addr`.
    pub(crate) fn next_empty_block(&self, addr: u64) -> u64 {
        let above = addr / PMD_SIZE + 1;
        self.pmds
            .gaps(above..=u64::MAX)
            .next()
            .map_or(u64::MAX, |gap| gap.start().saturating_mul(PMD_SIZE))
    }

    /// Notes tables for all blocks of a range, as after pages were mapped there.
    pub(crate) fn note_tables(&mut self, range: Range, observer: &mut impl Observer) {
        let (first, last) = blocks(range);
        MaState::new(first, last).store(&mut self.pmds, Some(Pmd::Table), observer);
    }

    /// A border of a mapping moved to `at`: a huge page across it becomes a table (`vma_adjust_trans_huge`).
    pub(crate) fn split_pmd(&mut self, at: u64, observer: &mut impl Observer) {
        if !at.is_multiple_of(PMD_SIZE) && matches!(self.pmd(at), Some(Pmd::Huge | Pmd::HugeZero)) {
            self.set_pmd(at, Pmd::Table, observer);
        }
    }

    /// The same where only huge pages are split, not the huge zero page: at both ends of a range whose pages are
    /// looked at one by one.
    pub(crate) fn split_huge_edges(&mut self, range: Range, observer: &mut impl Observer) {
        for at in [range.start, range.end] {
            if self.pmd(at) == Some(Pmd::Huge) {
                self.split_pmd(at, observer);
            }
        }
    }

    /// Takes the pages of a range away, which lies in one mapping (`zap_page_range_single`). A table stays, unless this
    /// kernel frees those that it finds empty.
    pub(crate) fn zap(&mut self, range: Range, observer: &mut impl Observer) {
        self.split_pmd(range.start, observer);
        self.split_pmd(range.end, observer);
        let (mut first, end) = (range.start.div_ceil(PMD_SIZE), range.end / PMD_SIZE);
        let reclaim = self.kernel.has(Change::ReclaimTables);
        while first < end {
            let run = self.pmds.range_at(first);
            let mut last = run.last.min(end - 1);
            let gone = match self.pmd(first * PMD_SIZE) {
                None => false,
                // A guard marker keeps its table.
                Some(Pmd::Table) if reclaim && self.has_guard(first * PMD_SIZE) => {
                    last = first;
                    false
                }
                Some(Pmd::Table) if reclaim => {
                    last = last.min(self.next_guard(first * PMD_SIZE) / PMD_SIZE - 1);
                    true
                }
                Some(pmd) => pmd != Pmd::Table,
            };
            if gone {
                MaState::new(first, last).store(&mut self.pmds, None, observer);
            }
            first = last + 1;
        }
    }

    /// The first guard page at an address or above.
    pub(crate) fn next_guard(&self, addr: u64) -> u64 {
        let page = addr >> PAGE_SHIFT;
        let found = self.pmds.range(GUARDS + page..=u64::MAX).next();
        found.map_or(u64::MAX, |(pages, _)| {
            addr.max((pages.start() - GUARDS) << PAGE_SHIFT)
        })
    }

    /// Whether a guard page lies in the block that begins at an address.
    pub(crate) fn has_guard(&self, block: u64) -> bool {
        self.next_guard(block) < block + PMD_SIZE
    }

    /// Puts guard markers in the place of whatever is mapped (`madvise_guard_install`).
    pub(crate) fn install_guards(&mut self, id: VmaId, range: Range, observer: &mut impl Observer) {
        if self.kernel.has(Change::MaybeGuard) {
            let flags = self.vma(id).flags | VmFlags::MAYBE_GUARD;
            self.set_flags(id, flags, observer);
        }
        // So that a fork copies the markers.
        self.anon_vma_prepare(id, observer);
        self.note_tables(range, observer);
        self.store_guards(range, Some(Pmd::Guard), observer);
    }

    /// Takes the guard markers of a range away.
    pub(crate) fn remove_guards(&mut self, range: Range, observer: &mut impl Observer) {
        if self.next_guard(range.start) < range.end {
            self.store_guards(range, None, observer);
        }
    }

    fn store_guards(&mut self, range: Range, guard: Option<Pmd>, observer: &mut impl Observer) {
        let first = GUARDS + (range.start >> PAGE_SHIFT);
        let last = GUARDS + ((range.end - 1) >> PAGE_SHIFT);
        MaState::new(first, last).store(&mut self.pmds, guard, observer);
    }

    /// Moves what the page tables of a range hold to `to` (`move_page_tables`): whole blocks with their table or huge page if
    /// both ends lie alike in their blocks, else page by page, which leaves the old tables empty and needs new ones.
    pub(crate) fn move_tables(&mut self, from: Range, to: u64, observer: &mut impl Observer) {
        let (first, last) = blocks(from);
        let by = to.wrapping_sub(from.start);
        // Old blocks that lie in the range as a whole.
        let whole = Range {
            start: from.start.div_ceil(PMD_SIZE),
            end: from.end / PMD_SIZE,
        };
        let mut runs = Vec::new();
        for (run, pmd) in self.pmds.range(first..=last) {
            runs.push(((*run.start()).max(first), (*run.end()).min(last), pmd));
        }
        for (mut block, end, pmd) in runs {
            while block <= end {
                let inside =
                    by.is_multiple_of(PMD_SIZE) && (whole.start..whole.end).contains(&block);
                // Blocks of the run that are moved in the same way.
                let until = if inside {
                    end.min(whole.end - 1)
                } else if by.is_multiple_of(PMD_SIZE) {
                    block
                } else {
                    end
                };
                let target = Range {
                    start: (block * PMD_SIZE).max(from.start).wrapping_add(by),
                    end: ((until + 1) * PMD_SIZE).min(from.end).wrapping_add(by),
                };
                if inside {
                    let (to, to_end) = blocks(target);
                    MaState::new(block, until).store(&mut self.pmds, None, observer);
                    MaState::new(to, to_end).store(&mut self.pmds, Some(pmd), observer);
                } else {
                    if pmd != Pmd::Table {
                        MaState::new(block, until).store(
                            &mut self.pmds,
                            Some(Pmd::Table),
                            observer,
                        );
                    }
                    self.note_tables(target, observer);
                }
                block = until + 1;
            }
        }
        self.move_guards(from, to, observer);
    }

    /// Guard markers go along, as single pages do.
    fn move_guards(&mut self, from: Range, to: u64, observer: &mut impl Observer) {
        let (first, last) = (from.start >> PAGE_SHIFT, (from.end - 1) >> PAGE_SHIFT);
        let by = (to >> PAGE_SHIFT).wrapping_sub(first);
        let mut runs = Vec::new();
        for (run, _) in self.pmds.range(GUARDS + first..=GUARDS + last) {
            let start = *run.start().max(&(GUARDS + first));
            runs.push((start, *run.end().min(&(GUARDS + last))));
        }
        for (start, end) in runs {
            MaState::new(start, end).store(&mut self.pmds, None, observer);
            let (start, end) = (start.wrapping_add(by), end.wrapping_add(by));
            MaState::new(start, end).store(&mut self.pmds, Some(Pmd::Guard), observer);
        }
    }

    /// Frees what page tables can be freed after `gone` was unmapped, as part of unmapping `whole`: those whose block
    /// holds no other mapping (`free_pgtables`, with its floor and ceiling).
    pub(crate) fn free_tables(&mut self, gone: Range, whole: Range, observer: &mut impl Observer) {
        self.remove_guards(gone, observer);
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
