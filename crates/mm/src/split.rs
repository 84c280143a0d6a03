//! Cutting a mapping in two (`__split_vma`).

use crate::errno::Errno;
use crate::event::{Event, PmdSplit, Refusal};
use crate::machine::{Machine, Refused};
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::vma::VmaId;

/// Which part of a split mapping is the new object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewPart {
    Below,
    Above,
}

impl Machine {
    /// Cuts `id` at `at`, which lies inside of it. Gives back the new part.
    pub(crate) fn split(
        &mut self,
        id: VmaId,
        at: u64,
        part: NewPart,
        observer: &mut impl Observer,
    ) -> Result<VmaId, Refused> {
        let vma = self.vma(id).clone();
        if vma.special.is_some() {
            return Err((Errno::EINVAL, Refusal::CannotSplit(id)));
        }
        self.split_across(at, PmdSplit::Border, observer);
        let mut new = vma.clone();
        let old = self.edit_vma(id, observer);
        match part {
            NewPart::Below => {
                new.end = at;
                old.pgoff = vma.pgoff_at(at);
                old.anon_pgoff = vma.anon_pgoff_at(at);
                old.start = at;
            }
            NewPart::Above => {
                new.pgoff = vma.pgoff_at(at);
                new.anon_pgoff = vma.anon_pgoff_at(at);
                new.start = at;
                old.end = at;
            }
        }
        let new = self.link(new, TreeWrite::Split, observer);
        observer.event(|| Event::Split { vma: id, new, at });
        Ok(new)
    }

    /// Like [`Self::split`], refused when the process has as many mappings as it may (`split_vma`).
    pub(crate) fn split_checked(
        &mut self,
        id: VmaId,
        at: u64,
        part: NewPart,
        observer: &mut impl Observer,
    ) -> Result<VmaId, Refused> {
        self.room_for_split()?;
        self.split(id, at, part, observer)
    }

    /// Whether one mapping more is allowed by a split: tests `>=`, where mmap tests `>`.
    pub(crate) fn room_for_split(&self) -> Result<(), Refused> {
        let (map_count, max) = (self.process().map_count, self.settings.max_map_count);
        if map_count >= max {
            return Err((Errno::ENOMEM, Refusal::SplitTooMany { map_count, max }));
        }
        Ok(())
    }

    pub(crate) fn room_for_mapping(&self) -> Result<(), Refused> {
        let (map_count, max) = (self.process().map_count, self.settings.max_map_count);
        if map_count > max {
            return Err((Errno::ENOMEM, Refusal::TooManyMappings { map_count, max }));
        }
        Ok(())
    }
}
