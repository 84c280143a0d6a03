//! Pages of files and of shared memory: which are in memory, and which were written to.
//!
//! They stand in the tree of the page tables too, behind the single pages: by object, and by offset in it. Simplified: a file's
//! pages are read around the one that is missing, 32 at once, never ahead.

use mmscope_maple::MaState;

use crate::event::Range;
use crate::file::FilePlacement;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, PAGE_SIZE};
use crate::page_table::Mapped;
use crate::pte::{Page, Pte};
use crate::vma::{VmFile, VmaId};

/// Where pages of objects begin in the tree.
const OBJECTS: u64 = 1 << 63;
/// Bits of an offset in an object, in pages. What lies behind is never in memory.
const OFFSET_BITS: u32 = 40;
/// Pages that a fault reads, half of them before the one that is missing (`ra_pages`).
const READ_AROUND: u64 = 32;
/// Pages that a read fault maps at most (`fault_around_bytes`).
const FAULT_AROUND: u64 = 16;

/// The tree's number of a page of an object.
fn number(file: VmFile, offset: u64) -> u64 {
    let object = match file {
        VmFile::File(file) => u64::from(file.0) << 1,
        VmFile::Shmem(shmem) => u64::from(shmem.index()) << 1 | 1,
    };
    OBJECTS | object << OFFSET_BITS | offset.min((1 << OFFSET_BITS) - 1)
}

impl Machine {
    /// Whether something other than zero was written to the page at an address; what is not there was not.
    pub fn is_written(&self, addr: u64) -> bool {
        match (self.pte(addr), self.vma_at(addr)) {
            (Some(pte), Some(id)) if pte.page == Page::File => {
                let vma = self.vma(id);
                let cached = vma
                    .file
                    .and_then(|file| self.pmds.get(number(file, vma.pgoff_at(addr))));
                cached
                    .and_then(Mapped::pte)
                    .is_some_and(|page| page.written)
            }
            (Some(pte), _) => pte.written,
            _ => false,
        }
    }

    /// Whether the object is shared memory: its pages come into being one by one.
    fn is_shmem(&self, file: VmFile) -> bool {
        match file {
            VmFile::File(file) => self.files[file.0 as usize].placement == FilePlacement::Shmem,
            VmFile::Shmem(_) => true,
        }
    }

    /// Brings the pages of a run of offsets into memory; `written` if the access writes to them.
    fn cache(
        &mut self,
        file: VmFile,
        (first, end): (u64, u64),
        written: bool,
        observer: &mut impl Observer,
    ) {
        let page = Pte {
            written,
            ..Pte::new(Page::File)
        };
        let (mut at, last) = (number(file, first), number(file, end - 1));
        while at <= last {
            let span = self.pmds.range_at(at);
            let until = span.last.min(last);
            let fresh = match span.entry.and_then(Mapped::pte) {
                None => true,
                Some(there) => written && !there.written,
            };
            if fresh {
                self.store_mapped(at, until, Some(page.into()), observer);
            }
            at = until + 1;
        }
    }

    /// Brings pages that an access asks for into memory, and with them what is read around those that were missing
    /// (`filemap_fault`, `shmem_fault`).
    fn read_in(
        &mut self,
        id: VmaId,
        file: VmFile,
        (first, end): (u64, u64),
        observer: &mut impl Observer,
    ) {
        if self.is_shmem(file) {
            return self.cache(file, (first, end), false, observer);
        }
        let vma = self.vma(id);
        let len = self.file_end(vma).saturating_sub(vma.start) >> PAGE_SHIFT;
        let file_pages = vma.pgoff.saturating_add(len);
        let half = READ_AROUND / 2;
        let mut at = first;
        while at < end {
            let span = self.pmds.range_at(number(file, at));
            let run_end = at + (span.last - number(file, at)).min(end - at) + 1;
            if span.entry.is_some() {
                at = run_end;
                continue;
            }
            // The next one that is missing lies half of that further on.
            let last = at + (run_end.min(end) - 1 - at) / half * half;
            let until = (last + half).min(file_pages).max(last + 1);
            self.cache(file, (at.saturating_sub(half), until), false, observer);
            at = last + half;
        }
    }

    /// Maps pages of the object of a mapping for accesses to `hits`, of which none is mapped yet. Gives the end of what
    /// was dealt with.
    pub(crate) fn fault_file(
        &mut self,
        id: VmaId,
        file: VmFile,
        hits: Range,
        (write, stores): (bool, bool),
        observer: &mut impl Observer,
    ) -> u64 {
        let vma = self.vma(id);
        let first = vma.pgoff_at(hits.start);
        let pages = hits.len() >> PAGE_SHIFT;
        let mut entry = Pte::new(Page::File);
        if write {
            entry.written = stores;
            self.read_in(id, file, (first, first + pages), observer);
            if stores {
                self.cache(file, (first, first + pages), true, observer);
            }
            self.note_tables(hits, observer);
            self.set_ptes(hits, Some(entry), observer);
            return hits.end;
        }
        // What is mapped around a page makes no difference within a long run, but at its ends.
        let step = FAULT_AROUND * PAGE_SIZE;
        if hits.start.is_multiple_of(step) && pages >= 4 * FAULT_AROUND {
            let most = Range::sized(hits.start, (hits.len() / step - 2) * step);
            let end = first + (most.len() >> PAGE_SHIFT);
            self.read_in(id, file, (first, end), observer);
            self.note_tables(most, observer);
            self.set_ptes(most, Some(entry), observer);
            return most.end;
        }
        let page = Range::sized(hits.start, PAGE_SIZE);
        self.note_tables(page, observer);
        self.fault_around(id, file, hits.start, observer);
        if self.pte(hits.start).is_none() {
            self.read_in(id, file, (first, first + 1), observer);
            self.set_ptes(page, Some(entry), observer);
        }
        page.end
    }

    /// Copies pages of a file into a private mapping, for accesses that write to them (`do_cow_fault`, `wp_page_copy`).
    pub(crate) fn cow_file(
        &mut self,
        id: VmaId,
        file: VmFile,
        hits: Range,
        stores: bool,
        observer: &mut impl Observer,
    ) {
        let first = self.vma(id).pgoff_at(hits.start);
        let end = first + (hits.len() >> PAGE_SHIFT);
        self.read_in(id, file, (first, end), observer);
        let mut at = first;
        while at < end {
            let span = self.pmds.range_at(number(file, at));
            let until = at + (span.last - number(file, at)).min(end - 1 - at) + 1;
            let copied = span.entry.and_then(Mapped::pte);
            let written = stores || copied.is_some_and(|page| page.written);
            let run = Range {
                start: hits.start + ((at - first) << PAGE_SHIFT),
                end: hits.start + ((until - first) << PAGE_SHIFT),
            };
            self.set_ptes(run, Some(Pte::anon(0, written)), observer);
            at = until;
        }
    }

    /// Unmaps the pages of a file in a range, of which no other mapping shows any, on the way to being written out; there is
    /// no swap that shared memory could go to, so what was written to stays in memory (`madvise_pageout`).
    pub(crate) fn page_out(
        &mut self,
        id: VmaId,
        file: VmFile,
        range: Range,
        observer: &mut impl Observer,
    ) {
        let (start, pgoff) = (self.vma(id).start, self.vma(id).pgoff);
        let mut at = range.start;
        while at < range.end {
            let (mut end, pte) = self.pte_run(at);
            end = end.min(range.end);
            if pte.is_some_and(|pte| pte.page == Page::File && !pte.forked) {
                let first = pgoff + ((at - start) >> PAGE_SHIFT);
                let (elsewhere, until) =
                    self.shown_elsewhere(id, file, first, first + ((end - at) >> PAGE_SHIFT));
                end = at + ((until - first) << PAGE_SHIFT);
                if !elsewhere {
                    self.set_ptes(Range { start: at, end }, None, observer);
                    self.uncache_clean(file, (first, until), observer);
                }
            }
            at = end;
        }
    }

    /// Takes the pages of an object out of memory that were not written to.
    fn uncache_clean(
        &mut self,
        file: VmFile,
        (first, end): (u64, u64),
        observer: &mut impl Observer,
    ) {
        let mut at = first;
        while at < end {
            let span = self.pmds.range_at(number(file, at));
            let until = at + (span.last - number(file, at)).min(end - 1 - at) + 1;
            let there = span.entry.and_then(Mapped::pte);
            if there.is_some_and(|page| !page.written) {
                self.uncache(file, (at, until), observer);
            }
            at = until;
        }
    }

    /// Whether a mapping other than `id` shows a page of an object, and up to which before `end` that is the same.
    fn shown_elsewhere(&self, id: VmaId, file: VmFile, first: u64, mut end: u64) -> (bool, u64) {
        let mut shown = false;
        let mut at = 0;
        while let Some(other) = self.find_vma(at) {
            let vma = self.vma(other);
            at = vma.end;
            if other == id || vma.file != Some(file) {
                continue;
            }
            let behind = vma.pgoff + vma.pages();
            if first < vma.pgoff {
                end = end.min(vma.pgoff);
            } else if first < behind {
                let addr = vma.start + ((first - vma.pgoff) << PAGE_SHIFT);
                let (run_end, pte) = self.pte_run(addr);
                end = end
                    .min(behind)
                    .min(first + ((run_end - addr) >> PAGE_SHIFT));
                shown |= pte.is_some_and(|pte| pte.page == Page::File);
            }
        }
        (shown, end)
    }

    /// Maps what is in memory around a page that is read (`do_fault_around`).
    fn fault_around(&mut self, id: VmaId, file: VmFile, at: u64, observer: &mut impl Observer) {
        let vma = self.vma(id);
        let (start, pgoff) = (vma.start, vma.pgoff);
        // Not past the table, the mapping, or the object.
        let in_table = (at >> PAGE_SHIFT) & 511;
        let below = in_table - in_table / FAULT_AROUND * FAULT_AROUND;
        let below = below.min((at - start) >> PAGE_SHIFT);
        let mut addr = at - (below << PAGE_SHIFT);
        let table_end = (at / (512 * PAGE_SIZE) + 1) * (512 * PAGE_SIZE);
        let end = (addr + FAULT_AROUND * PAGE_SIZE)
            .min(table_end)
            .min(vma.end)
            .min(self.file_end(vma));
        while addr < end {
            let (run_end, pte) = self.pte_run(addr);
            let offset = pgoff + ((addr - start) >> PAGE_SHIFT);
            let span = self.pmds.range_at(number(file, offset));
            let more = (span.last - number(file, offset)).min(FAULT_AROUND) + 1;
            let until = run_end.min(end).min(addr + (more << PAGE_SHIFT));
            if pte.is_none() && span.entry.is_some() {
                let run = Range {
                    start: addr,
                    end: until,
                };
                self.set_ptes(run, Some(Pte::new(Page::File)), observer);
            }
            addr = until;
        }
    }

    /// Notes that accesses through a shared mapping wrote to pages.
    pub(crate) fn write_file(
        &mut self,
        id: VmaId,
        file: VmFile,
        hits: Range,
        observer: &mut impl Observer,
    ) {
        let first = self.vma(id).pgoff_at(hits.start);
        self.cache(
            file,
            (first, first + (hits.len() >> PAGE_SHIFT)),
            true,
            observer,
        );
    }

    /// Drops pages of an object, from one offset up to before another, and whatever shows them; private copies only
    /// if `even_cows` (`truncate_inode_pages_range`, `unmap_mapping_range`).
    pub(crate) fn drop_pages(
        &mut self,
        file: VmFile,
        (first, end): (u64, u64),
        even_cows: bool,
        observer: &mut impl Observer,
    ) {
        let kept = |pte: Pte| {
            let gone = pte.page == Page::File || even_cows && pte.page == Page::Anon;
            (!gone).then_some(pte)
        };
        let mut at = 0;
        while let Some(id) = self.find_vma(at) {
            let vma = self.vma(id);
            at = vma.end;
            let (low, high) = (first.max(vma.pgoff), end.min(vma.pgoff + vma.pages()));
            if vma.file == Some(file) && low < high {
                let shown = Range {
                    start: vma.start + ((low - vma.pgoff) << PAGE_SHIFT),
                    end: vma.start + ((high - vma.pgoff) << PAGE_SHIFT),
                };
                self.change_ptes(shown, &kept, observer);
            }
        }
        self.uncache(file, (first, end), observer);
    }

    /// Takes pages of an object out of memory.
    pub(crate) fn uncache(
        &mut self,
        file: VmFile,
        (first, end): (u64, u64),
        observer: &mut impl Observer,
    ) {
        let (first, last) = (number(file, first), number(file, end.saturating_sub(1)));
        if first <= last && MaState::new(first, first).find(&self.pmds, last).is_some() {
            self.store_mapped(first, last, None, observer);
        }
    }
}
