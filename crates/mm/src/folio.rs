//! Folios that are split: several base pages that were allocated as one, and lie in more than one place by now.

use crate::change::Change;
use crate::event::{PmdSplit, Range};
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PMD_SIZE};
use crate::page_table::Pmd;
use crate::pte::{Page, Pte};
use crate::vma::VmaId;

impl Machine {
    /// Splits the folios of a range that the range does not hold as a whole, at its ends or because pages of them are gone; or
    /// all of them (`split_folio`). Those shared with a child stay as they are.
    pub(crate) fn split_folios(
        &mut self,
        id: VmaId,
        range: Range,
        all: bool,
        observer: &mut impl Observer,
    ) {
        let own = |pte: Option<Pte>| pte.is_some_and(|pte| pte.page == Page::Anon && !pte.forked);
        for at in [range.start, range.end] {
            if own(self.pte(at)) {
                self.split_across(at, PmdSplit::Advised, observer);
            }
        }
        let mut at = range.start.next_multiple_of(PMD_SIZE);
        while all && at < range.end {
            let (end, pmd) = self.pmd_run(at);
            if pmd == Some(Pmd::Huge) && own(self.pte(at)) {
                self.split_pmd(at, PmdSplit::Advised, observer);
                at += PMD_SIZE;
            } else {
                at = if pmd == Some(Pmd::Huge) {
                    at + PMD_SIZE
                } else {
                    end
                };
            }
        }
        let mut cut: Vec<(u64, Pte)> = Vec::new();
        for (run, pte) in self.ptes(range) {
            if pte.page != Page::Anon || pte.order == 0 || pte.forked {
                continue;
            }
            let (first, end) = (run.start >> PAGE_SHIFT, run.end >> PAGE_SHIFT);
            if all {
                let mut start = pte.folio_start(first);
                while start < end {
                    if cut.last().is_none_or(|(last, _)| *last != start) {
                        cut.push((start, pte));
                    }
                    start += pte.folio_pages();
                }
                continue;
            }
            for number in [first, end - 1] {
                let start = pte.folio_start(number);
                let inside = start >= first && start + pte.folio_pages() <= end;
                if !inside && cut.last().is_none_or(|(last, _)| *last != start) {
                    cut.push((start, pte));
                }
            }
        }
        for (start, pte) in cut {
            let folio = Range::sized(start << PAGE_SHIFT, pte.folio_pages() << PAGE_SHIFT);
            let mut there = 0;
            if !all && folio.start >= range.start && folio.end <= range.end {
                for (run, other) in self.ptes(folio) {
                    there += if other.is_beside(pte) { run.len() } else { 0 };
                }
            }
            if there < folio.len() {
                self.split_folio(id, start, pte, observer);
            }
        }
    }

    /// Makes base pages of the folio that would begin at page `start` in a mapping, wherever its pages are mapped by now:
    /// they keep the offset that they were mapped at first. Since 6.12 pages of zeros give way to the zero page.
    fn split_folio(&mut self, id: VmaId, start: u64, pte: Pte, observer: &mut impl Observer) {
        let vma = self.vma(id);
        let anon_vma = vma.anon_vma;
        let index = vma
            .pgoff
            .wrapping_add(start)
            .wrapping_sub(vma.start >> PAGE_SHIFT);
        let unmap_zeroes = self.kernel.has(Change::SplitUnmapsZeroes);
        let mut at = 0;
        while let Some(id) = self.find_vma(at) {
            let vma = self.vma(id);
            at = vma.end;
            let first = index.max(vma.pgoff);
            let end = index
                .saturating_add(pte.folio_pages())
                .min(vma.pgoff.saturating_add(vma.pages()));
            if vma.anon_vma != anon_vma || first >= end {
                continue;
            }
            let place = vma.start + ((first - vma.pgoff) << PAGE_SHIFT);
            let pte = pte.at_phase((place >> PAGE_SHIFT).wrapping_sub(first - index));
            let zeroes = unmap_zeroes && !vma.flags.contains(VmFlags::LOCKED);
            let small = |other: Pte| {
                Some(match other.is_beside(pte) {
                    true if zeroes && !other.written => Pte::new(Page::Zero),
                    true => Pte {
                        lazyfree: other.lazyfree,
                        ..Pte::anon(0, other.written)
                    },
                    false => other,
                })
            };
            let range = Range::sized(place, (end - first) << PAGE_SHIFT);
            self.change_ptes(range, &small, observer);
        }
    }
}
