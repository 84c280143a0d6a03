//! Single pages: which page each address shows, in runs of pages that are alike.
//!
//! They stand in the tree of the page tables, by page number, behind the PMD entries. Below a huge page stand the 512 pages that
//! it is made of, so that splitting it changes the PMD entry alone.

use mmscope_maple::MaState;

use crate::event::Range;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, page_down};
use crate::page_table::Mapped;

/// Where single pages begin in the tree.
const PTES: u64 = 1 << 56;
/// Tells the word of an entry from that of a block.
const IS_PTE: u32 = 0b101;

/// Which page an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The shared zero page; below [`crate::Pmd::HugeZero`] a part of the huge one.
    Zero,
    /// A page of the process's own, or one that it shares with a child until either writes.
    Anon,
    /// A page of a file or of shared memory.
    File,
    /// None: the marker of a guard page (`PTE_MARKER_GUARD`).
    Guard,
}

/// The entry of a page that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pte {
    /// What it shows.
    pub page: Page,
    /// log2 of the pages in the folio that the page was allocated as: 9 in a huge page, split or not.
    pub order: u8,
    /// Something other than zero was written to it. In a shared mapping: through this entry.
    pub written: bool,
    /// Given up by `MADV_FREE`, and not written since.
    pub lazyfree: bool,
    /// Shared with a child: a write copies it first.
    pub forked: bool,
    /// Page number at which the folio begins, modulo its size.
    pub(crate) phase: u16,
}

impl Pte {
    /// A page alone, as it is at first.
    pub(crate) fn new(page: Page) -> Pte {
        Pte {
            page,
            order: 0,
            written: false,
            lazyfree: false,
            forked: false,
            phase: 0,
        }
    }

    /// A page of the process's own, in a folio that lies at a multiple of its size.
    pub(crate) fn anon(order: u8, written: bool) -> Pte {
        Pte {
            order,
            written,
            ..Pte::new(Page::Anon)
        }
    }

    /// Pages in its folio.
    pub(crate) fn folio_pages(self) -> u64 {
        1 << self.order
    }

    /// Whether the folio that page `number` is in begins with it.
    pub fn folio_begins(self, number: u64) -> bool {
        self.folio_start(number) == number
    }

    /// The number of the first page of the folio that page `number` is in.
    pub(crate) fn folio_start(self, number: u64) -> u64 {
        let phase = u64::from(self.phase);
        number.wrapping_sub(number.wrapping_sub(phase) & (self.folio_pages() - 1))
    }

    /// The same entry where its folio would begin at page `start`.
    pub(crate) fn at_phase(self, start: u64) -> Pte {
        Pte {
            phase: (start & (self.folio_pages() - 1)) as u16,
            ..self
        }
    }

    /// Whether two pages that lie close to each other are of one folio.
    pub(crate) fn is_beside(self, other: Pte) -> bool {
        let key = |pte: Pte| (pte.page, pte.order, pte.phase, pte.forked);
        key(self) == key(other)
    }

    /// All that it says in a word; no word of a [`crate::Pmd`] has the bits of [`IS_PTE`].
    pub(crate) fn bits(self) -> u32 {
        IS_PTE
            | (self.page as u32) << 3
            | u32::from(self.order) << 5
            | u32::from(self.written) << 9
            | u32::from(self.lazyfree) << 10
            | u32::from(self.forked) << 11
            | u32::from(self.phase) << 12
    }

    /// Reads such a word.
    pub(crate) fn from_bits(bits: u32) -> Option<Pte> {
        (bits & IS_PTE == IS_PTE).then_some(Pte {
            page: match bits >> 3 & 3 {
                0 => Page::Zero,
                1 => Page::Anon,
                2 => Page::File,
                _ => Page::Guard,
            },
            order: (bits >> 5 & 15) as u8,
            written: bits >> 9 & 1 != 0,
            lazyfree: bits >> 10 & 1 != 0,
            forked: bits >> 11 & 1 != 0,
            phase: (bits >> 12) as u16,
        })
    }
}

/// The tree's numbers of the first and the last page that a range touches.
fn numbers(range: Range) -> (u64, u64) {
    (
        PTES + (range.start >> PAGE_SHIFT),
        PTES + ((range.end - 1) >> PAGE_SHIFT),
    )
}

impl Machine {
    /// The entry of the page at an address, if one is there.
    pub fn pte(&self, addr: u64) -> Option<Pte> {
        self.pte_run(addr).1
    }

    /// The pages of a range that are there, lowest first: runs of equal ones, clipped to the range in whole pages.
    pub fn ptes(&self, range: Range) -> impl Iterator<Item = (Range, Pte)> {
        let mut at = page_down(range.start);
        std::iter::from_fn(move || {
            let found = self.next_pte(at, range.end)?;
            at = found.0.end;
            Some(found)
        })
    }

    /// The first run of equal pages from an address on, and below `end`; one function, so that it is in the page once.
    #[inline(never)]
    fn next_pte(&self, at: u64, end: u64) -> Option<(Range, Pte)> {
        if at >= end {
            return None;
        }
        let (first, last) = numbers(Range { start: at, end });
        let mut state = MaState::new(first, first);
        let pte = state.find(&self.pmds, last)?.pte()?;
        let range = Range {
            start: (state.index.max(first) - PTES) << PAGE_SHIFT,
            end: (state.last.min(last) - PTES + 1) << PAGE_SHIFT,
        };
        Some((range, pte))
    }

    /// Where the run of equal entries, or of none, ends that holds an address; and the entry.
    pub(crate) fn pte_run(&self, addr: u64) -> (u64, Option<Pte>) {
        let span = self.pmds.range_at(PTES + (addr >> PAGE_SHIFT));
        let pte = span.entry.and_then(Mapped::pte);
        let last = (span.last - PTES).min(u64::MAX >> PAGE_SHIFT);
        (((last << PAGE_SHIFT) | 0xfff).saturating_add(1), pte)
    }

    /// Puts one entry, or none, in the place of all pages that a range touches.
    pub(crate) fn set_ptes(
        &mut self,
        range: Range,
        pte: Option<Pte>,
        observer: &mut impl Observer,
    ) {
        let (first, last) = numbers(range);
        if pte.is_none() && MaState::new(first, first).find(&self.pmds, last).is_none() {
            return;
        }
        self.store_mapped(first, last, pte.map(Mapped::from), observer);
    }

    /// Gives each page that is there in a range another entry, or takes it away.
    pub(crate) fn change_ptes(
        &mut self,
        range: Range,
        to: &dyn Fn(Pte) -> Option<Pte>,
        observer: &mut impl Observer,
    ) {
        let mut at = range.start;
        while at < range.end {
            let (end, pte) = self.pte_run(at);
            let run = Range {
                start: at,
                end: end.min(range.end),
            };
            if let Some(pte) = pte {
                let new = to(pte);
                if new != Some(pte) {
                    self.set_ptes(run, new, observer);
                }
            }
            at = run.end;
        }
    }

    /// Moves all entries of a range to `to`.
    pub(crate) fn move_ptes(&mut self, from: Range, to: u64, observer: &mut impl Observer) {
        let runs: Vec<(Range, Pte)> = self.ptes(from).collect();
        self.set_ptes(from, None, observer);
        let by = to.wrapping_sub(from.start);
        for (run, pte) in runs {
            let target = Range {
                start: run.start.wrapping_add(by),
                end: run.end.wrapping_add(by),
            };
            let moved = pte.at_phase(u64::from(pte.phase).wrapping_add(by >> PAGE_SHIFT));
            self.set_ptes(target, Some(moved), observer);
        }
    }
}
