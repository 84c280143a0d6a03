//! Who may have huge pages, and `MADV_COLLAPSE` (`thp_vma_allowable_order`, `madvise_collapse`).

use crate::call::NotModelled;
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{CollapseRefusal, Event, Range, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::PMD_SIZE;
use crate::page_table::Pmd;
use crate::process::ThpDisable;
use crate::settings::Thp;
use crate::vma::{Vma, VmaId};

/// `PR_THP_DISABLE_EXCEPT_ADVISED`
const EXCEPT_ADVISED: u64 = 2;

impl Machine {
    pub(crate) fn set_thp_disable(
        &mut self,
        on: u64,
        flags: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let known = if self.kernel.has(Change::ThpDisableFlag) && on != 0 {
            EXCEPT_ADVISED
        } else {
            0
        };
        if flags & !known != 0 {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        let switched = match (on, flags) {
            (0, _) => ThpDisable::No,
            (_, 0) => ThpDisable::Completely,
            _ => ThpDisable::ExceptAdvised,
        };
        self.edit_process(observer).thp_disable = switched;
        observer.event(|| Event::ThpSwitched(switched));
        Ok(())
    }

    /// Whether faults in this mapping may be answered with huge pages, if a whole block lies in it.
    pub(crate) fn thp_may_apply(&self, vma: &Vma) -> bool {
        let advised = vma.flags.contains(VmFlags::HUGEPAGE);
        let policy = match self.settings.thp {
            Thp::Always => true,
            Thp::Madvise => advised,
            Thp::Never => false,
        };
        let process = match self.process().thp_disable {
            ThpDisable::No => true,
            ThpDisable::ExceptAdvised => advised,
            ThpDisable::Completely => false,
        };
        policy && process && vma.is_anonymous() && !vma.flags.contains(VmFlags::NOHUGEPAGE)
    }

    /// Why no block of a mapping may be collapsed. That its pages are a file's is not looked at.
    fn collapse_barred(&self, vma: &Vma) -> Option<CollapseRefusal> {
        let last = vma.end.saturating_sub(PMD_SIZE) / PMD_SIZE * PMD_SIZE;
        if vma.flags.contains(VmFlags::NOHUGEPAGE) {
            Some(CollapseRefusal::NoHugePage)
        } else if self.process().thp_disable == ThpDisable::Completely {
            Some(CollapseRefusal::Disabled)
        } else if vma
            .special
            .is_some_and(|_| vma.flags.intersects(VmFlags::SPECIAL))
        {
            Some(CollapseRefusal::Special)
        } else if last < vma.start {
            Some(CollapseRefusal::TooSmall)
        } else if vma.file.is_none() && vma.anon_vma.is_none() {
            Some(CollapseRefusal::Untouched)
        } else {
            None
        }
    }

    /// Whether a collapse of this range asks for what is not modelled, before it fails otherwise.
    pub(crate) fn collapse_not_modelled(&self, range: Range) -> Option<NotModelled> {
        for (_, vma) in self.vmas(range) {
            if self.collapse_barred(vma).is_some() {
                return None;
            }
            if vma.file.is_some() {
                return Some(NotModelled::CollapseFile);
            }
            let piece = Range {
                start: range.start.max(vma.start),
                end: range.end.min(vma.end),
            };
            let blocks = whole_blocks(piece);
            if blocks.is_empty() && !self.collapses_nothing(blocks) {
                return None;
            }
            let mut at = blocks.start;
            while at < blocks.end {
                let table = self.pmd(at) == Some(Pmd::Table);
                if table && (!self.kernel.has(Change::CollapseReadOnly) || self.has_guard(at)) {
                    return Some(NotModelled::CollapsePages);
                }
                at += PMD_SIZE;
            }
        }
        None
    }

    /// Whether a range without a whole block is done at once: unsigned numbers, so that only one that begins and ends at
    /// the same block's edge is, before that was put right.
    fn collapses_nothing(&self, blocks: Range) -> bool {
        blocks.start == blocks.end || self.kernel.has(Change::CollapseNothing)
    }

    /// Makes the whole blocks of a part of a mapping huge pages.
    pub(crate) fn collapse(
        &mut self,
        id: VmaId,
        piece: Range,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let refuse = |why| Err((Errno::EINVAL, Refusal::CannotCollapse(why)));
        if let Some(why) = self.collapse_barred(self.vma(id)) {
            return refuse(why);
        }
        let blocks = whole_blocks(piece);
        if blocks.is_empty() && !self.collapses_nothing(blocks) {
            return refuse(CollapseRefusal::NoWholeBlock);
        }
        let mut empty = None;
        let mut at = blocks.start;
        while at < blocks.end {
            match self.pmd(at) {
                None => {
                    empty = Some(at);
                    if !self.kernel.has(Change::CollapsePassesEmpty) {
                        break;
                    }
                }
                Some(Pmd::Table) => {
                    self.set_pmd(at, Pmd::Huge, observer);
                    observer.event(|| Event::Collapsed { addr: at });
                }
                Some(_) => {}
            }
            at += PMD_SIZE;
        }
        empty.map_or(Ok(()), |at| refuse(CollapseRefusal::Empty(at)))
    }
}

/// The whole blocks of a range; a start behind the end if there is none and the range lies inside of one.
fn whole_blocks(range: Range) -> Range {
    Range {
        start: range.start.next_multiple_of(PMD_SIZE),
        end: range.end / PMD_SIZE * PMD_SIZE,
    }
}
