//! Joining ranges with their neighbours.
//!
//! [`Machine::merge_new`] is for a range that is not mapped yet (mmap, brk, what mremap adds or moves), [`Machine::merge_existing`] for a part of a
//! mapping whose attributes are about to change (mprotect).

use std::rc::Rc;

use crate::change::Change;
use crate::event::{Event, MergeForm, MergeRefusal, PmdSplit, Range, Side};
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::PAGE_SHIFT;
use crate::vma::{AnonVma, VmFile, Vma, VmaId};

/// A range and the attributes it has or is about to have.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) range: Range,
    pub(crate) flags: VmFlags,
    pub(crate) pgoff: u64,
    pub(crate) anon_pgoff: u64,
    pub(crate) file: Option<VmFile>,
    pub(crate) anon_vma: Option<AnonVma>,
    /// [`Vma::inherited`] of where it comes from.
    pub(crate) inherited: bool,
    /// Whether that keeps a neighbour without an `anon_vma` from taking this one's.
    pub(crate) keeps_anon_vma: bool,
    pub(crate) anon_name: Option<Rc<str>>,
}

impl Candidate {
    fn pages(&self) -> u64 {
        self.range.len() >> PAGE_SHIFT
    }

    /// Private mappings of files are the only ones whose `anon_pgoff` is compared.
    fn has_anon_pgoff(&self) -> bool {
        self.file.is_some() && !self.flags.contains(VmFlags::MAYSHARE)
    }
}

/// Which neighbours a merge may look at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Neighbours {
    Both,
    /// brk since 6.1 only extends the heap.
    PrevOnly,
    /// What mremap adds or moves never was merged by mmap's own rules (`MmapExpandsNeighbour`).
    Moved {
        /// A mapping that may not take part: the one that the range comes from, if it stays.
        not: Option<VmaId>,
    },
}

impl Machine {
    /// Joins a new range with its neighbours if it may. Gives back the mapping that holds it then.
    pub(crate) fn merge_new(
        &mut self,
        candidate: &Candidate,
        neighbours: Neighbours,
        observer: &mut impl Observer,
    ) -> Option<VmaId> {
        if candidate.flags.intersects(VmFlags::SPECIAL) {
            return None;
        }
        let not = match neighbours {
            Neighbours::Moved { not } => not,
            _ => None,
        };
        let (prev, next) = match neighbours {
            Neighbours::PrevOnly => (
                self.try_prev(candidate, candidate.anon_vma, not, observer),
                None,
            ),
            Neighbours::Both if self.next_first() => {
                let next = self.try_next(candidate, not, observer);
                // The previous neighbour is then held to the next one's anon_vma.
                let anon_vma = next.and_then(|id| self.vma(id).anon_vma);
                (self.try_prev(candidate, anon_vma, not, observer), next)
            }
            _ => {
                let prev = self.try_prev(candidate, candidate.anon_vma, not, observer);
                let next = self.try_next(candidate, not, observer);
                (prev, self.both_or_prev(prev, next, observer))
            }
        };
        let range = candidate.range;
        let write = match neighbours {
            Neighbours::PrevOnly => TreeWrite::GrowHeap,
            _ => TreeWrite::Expand,
        };
        match (prev, next) {
            (Some(prev), Some(next)) => {
                let range = Range {
                    start: self.vma(prev).start,
                    end: self.vma(next).end,
                };
                self.adopt_anon_vma(prev, candidate.anon_vma, candidate.inherited, observer);
                self.stick(prev, candidate.flags, observer);
                let taken = self.vma(next);
                let (anon_vma, inherited) = (taken.anon_vma, taken.inherited);
                self.adopt_anon_vma(prev, anon_vma, inherited, observer);
                self.stick(prev, self.vma(next).flags, observer);
                self.resize(prev, range, write, observer);
                self.drop_vma(next, observer);
                observer.event(|| Event::Merged {
                    into: prev,
                    range,
                    form: MergeForm::NewBetween,
                });
                Some(prev)
            }
            (Some(prev), None) => {
                let range = Range {
                    start: self.vma(prev).start,
                    end: range.end,
                };
                self.adopt_anon_vma(prev, candidate.anon_vma, candidate.inherited, observer);
                self.stick(prev, candidate.flags, observer);
                self.resize(prev, range, write, observer);
                observer.event(|| Event::Merged {
                    into: prev,
                    range,
                    form: MergeForm::NewIntoPrev,
                });
                Some(prev)
            }
            (None, Some(next)) => {
                let range = Range {
                    start: range.start,
                    end: self.vma(next).end,
                };
                self.adopt_anon_vma(next, candidate.anon_vma, candidate.inherited, observer);
                self.stick(next, candidate.flags, observer);
                self.resize(next, range, write, observer);
                observer.event(|| Event::Merged {
                    into: next,
                    range,
                    form: MergeForm::NewIntoNext,
                });
                Some(next)
            }
            (None, None) => None,
        }
    }

    /// Joins part of mapping `id`, whose attributes change to the candidate's, with its neighbours if it may.
    ///
    /// Gives back the mapping that holds the range then.
    pub(crate) fn merge_existing(
        &mut self,
        id: VmaId,
        candidate: &Candidate,
        observer: &mut impl Observer,
    ) -> Option<VmaId> {
        let vma = self.vma(id);
        let (range, whole) = (
            candidate.range,
            Range {
                start: vma.start,
                end: vma.end,
            },
        );
        let (head, tail) = (range.start == whole.start, range.end == whole.end);
        if candidate.flags.intersects(VmFlags::SPECIAL) || !head && !tail {
            return None;
        }
        let prev = if head {
            self.try_prev(candidate, candidate.anon_vma, None, observer)
        } else {
            None
        };
        let next = if tail {
            self.try_next(candidate, None, observer)
        } else {
            None
        };
        let next = self.both_or_prev(prev, next, observer);
        let form = match (prev, next) {
            (Some(_), Some(_)) => MergeForm::WholeBetween,
            (Some(_), None) if tail => MergeForm::WholeIntoPrev,
            (Some(_), None) => MergeForm::HeadIntoPrev,
            (None, Some(_)) if head => MergeForm::WholeIntoNext,
            (None, Some(_)) => MergeForm::TailIntoNext,
            (None, None) => return None,
        };
        let into = prev.or(next)?;
        let grown = Range {
            start: prev.map_or(range.start, |prev| self.vma(prev).start),
            end: next.map_or(range.end, |next| self.vma(next).end),
        };
        self.adopt_anon_vma(into, candidate.anon_vma, candidate.inherited, observer);
        self.stick(into, candidate.flags, observer);
        match form {
            MergeForm::WholeBetween => {
                let taken = self.vma(next?);
                let (anon_vma, inherited) = (taken.anon_vma, taken.inherited);
                self.adopt_anon_vma(into, anon_vma, inherited, observer);
                self.stick(into, self.vma(next?).flags, observer);
            }
            MergeForm::HeadIntoPrev => {
                let (pgoff, anon_pgoff) = {
                    let vma = self.vma(id);
                    (vma.pgoff_at(range.end), vma.anon_pgoff_at(range.end))
                };
                self.split_across(range.end, PmdSplit::Border, observer);
                let vma = self.edit_vma(id, observer);
                (vma.start, vma.pgoff, vma.anon_pgoff) = (range.end, pgoff, anon_pgoff);
            }
            MergeForm::TailIntoNext => {
                self.split_across(range.start, PmdSplit::Border, observer);
                self.edit_vma(id, observer).end = range.start;
            }
            _ => {}
        }
        self.resize(into, grown, TreeWrite::Merge, observer);
        // The tree holds what was taken in until the store is done.
        if form == MergeForm::WholeBetween {
            self.drop_vma(next?, observer);
        }
        if head && tail {
            self.drop_vma(id, observer);
        }
        observer.event(|| Event::Merged {
            into,
            range: grown,
            form,
        });
        Some(into)
    }

    /// Whether new mappings look at their next neighbour first (6.1 to 6.11).
    fn next_first(&self) -> bool {
        self.kernel.has(Change::MmapExpandsNeighbour) && !self.kernel.has(Change::PrevFirst)
    }

    /// The previous neighbour, if the range may join it, holding it to `anon_vma`.
    fn try_prev(
        &self,
        candidate: &Candidate,
        anon_vma: Option<AnonVma>,
        not: Option<VmaId>,
        observer: &mut impl Observer,
    ) -> Option<VmaId> {
        let range = candidate.range;
        let neighbour = self.prev_vma(range.start);
        let verdict = match neighbour.map(|id| self.vma(id)) {
            None => Err(MergeRefusal::NoNeighbour),
            Some(prev) if prev.end != range.start => Err(MergeRefusal::Gap(range.start - prev.end)),
            Some(_) if neighbour == not => Err(MergeRefusal::StaysBehind),
            Some(prev) => self.mergeable(candidate, prev, anon_vma).and_then(|()| {
                let needed = candidate.pgoff.wrapping_sub(prev.pages());
                let anon_needed = candidate.anon_pgoff.wrapping_sub(prev.pages());
                self.continues(candidate, prev, needed, anon_needed)
            }),
        };
        observer.event(|| Event::MergeTried {
            side: Side::Prev,
            neighbour,
            range,
            verdict,
        });
        neighbour.filter(|_| verdict.is_ok())
    }

    /// The next neighbour, if the range may join it.
    fn try_next(
        &self,
        candidate: &Candidate,
        not: Option<VmaId>,
        observer: &mut impl Observer,
    ) -> Option<VmaId> {
        let range = candidate.range;
        let neighbour = self.find_vma(range.end);
        let verdict = match neighbour.map(|id| self.vma(id)) {
            None => Err(MergeRefusal::NoNeighbour),
            Some(next) if next.start != range.end => Err(MergeRefusal::Gap(next.start - range.end)),
            Some(_) if neighbour == not => Err(MergeRefusal::StaysBehind),
            Some(next) => self
                .mergeable(candidate, next, candidate.anon_vma)
                .and_then(|()| {
                    let needed = candidate.pgoff.wrapping_add(candidate.pages());
                    let anon_needed = candidate.anon_pgoff.wrapping_add(candidate.pages());
                    self.continues(candidate, next, needed, anon_needed)
                }),
        };
        observer.event(|| Event::MergeTried {
            side: Side::Next,
            neighbour,
            range,
            verdict,
        });
        neighbour.filter(|_| verdict.is_ok())
    }

    /// When both neighbours match the range, they must match each other too; if not, the previous one has it.
    fn both_or_prev(
        &self,
        prev: Option<VmaId>,
        next: Option<VmaId>,
        observer: &mut impl Observer,
    ) -> Option<VmaId> {
        let (Some(prev), Some(next)) = (prev, next) else {
            return next;
        };
        let verdict = match (self.vma(prev).anon_vma, self.vma(next).anon_vma) {
            (Some(a), Some(b)) if a != b => Err(MergeRefusal::AnonVmaDiffers(a, b)),
            _ => Ok(()),
        };
        observer.event(|| Event::MergeBoth {
            prev,
            next,
            verdict,
        });
        verdict.ok().map(|()| next)
    }

    /// `is_mergeable_vma`, then `is_mergeable_anon_vma`.
    fn mergeable(
        &self,
        candidate: &Candidate,
        target: &Vma,
        anon_vma: Option<AnonVma>,
    ) -> Result<(), MergeRefusal> {
        let special = target.flags & VmFlags::SPECIAL;
        if !special.is_empty() {
            return Err(MergeRefusal::Special(special));
        }
        let differ = (candidate.flags ^ target.flags) - self.sticky();
        if !differ.is_empty() {
            return Err(MergeRefusal::Flags(differ));
        }
        if candidate.file != target.file {
            return Err(MergeRefusal::File);
        }
        if candidate.anon_name != target.anon_name {
            return Err(MergeRefusal::Name);
        }
        match (anon_vma, target.anon_vma) {
            (Some(_), None) if !self.kernel.has(Change::FaultedJoinsUnfaulted) => {
                Err(MergeRefusal::FaultedIntoUnfaulted)
            }
            (Some(_), None) if candidate.keeps_anon_vma => Err(MergeRefusal::Inherited),
            (None, Some(_)) if target.inherited => Err(MergeRefusal::Inherited),
            (Some(a), Some(b)) if a != b => Err(MergeRefusal::AnonVmaDiffers(a, b)),
            _ => Ok(()),
        }
    }

    fn continues(
        &self,
        candidate: &Candidate,
        target: &Vma,
        needed: u64,
        anon_needed: u64,
    ) -> Result<(), MergeRefusal> {
        if target.pgoff != needed {
            return Err(MergeRefusal::Pgoff {
                is: target.pgoff,
                needed,
            });
        }
        if self.kernel.has(Change::AnonPgoff)
            && candidate.has_anon_pgoff()
            && target.anon_pgoff != anon_needed
        {
            return Err(MergeRefusal::AnonPgoff {
                is: target.anon_pgoff,
                needed: anon_needed,
            });
        }
        Ok(())
    }

    /// A mapping that takes in another one takes its `anon_vma` if it has none of its own (`dup_anon_vma`).
    fn adopt_anon_vma(
        &mut self,
        id: VmaId,
        anon_vma: Option<AnonVma>,
        inherited: bool,
        observer: &mut impl Observer,
    ) {
        if anon_vma.is_some() && self.vma(id).anon_vma.is_none() {
            let vma = self.edit_vma(id, observer);
            (vma.anon_vma, vma.inherited) = (anon_vma, inherited);
        }
    }

    /// A mapping that takes in another one takes its sticky flags too (`VM_STICKY`).
    fn stick(&mut self, id: VmaId, flags: VmFlags, observer: &mut impl Observer) {
        let more = flags & (VmFlags::MAYBE_GUARD - self.vma(id).flags);
        if !more.is_empty() {
            self.edit_vma(id, observer).flags |= more;
        }
    }

    /// Flags that never keep ranges apart (`VM_IGNORE_MERGE`).
    pub(crate) fn sticky(&self) -> VmFlags {
        let mut flags = VmFlags::SOFTDIRTY;
        flags.set(VmFlags::MAYBE_GUARD, self.kernel.has(Change::MaybeGuard));
        flags
    }

    fn drop_vma(&mut self, id: VmaId, observer: &mut impl Observer) {
        self.remove_vma(id, observer);
    }

    /// Gives a mapping a larger range, and the tree with it (`vma_expand`).
    pub(crate) fn resize(
        &mut self,
        id: VmaId,
        range: Range,
        write: TreeWrite,
        observer: &mut impl Observer,
    ) {
        let vma = self.edit_vma(id, observer);
        let down = vma.start.saturating_sub(range.start) >> PAGE_SHIFT;
        vma.pgoff = vma.pgoff.wrapping_sub(down);
        vma.anon_pgoff = vma.anon_pgoff.wrapping_sub(down);
        (vma.start, vma.end) = (range.start, range.end);
        self.store(range, Some(id), write, observer);
    }
}
