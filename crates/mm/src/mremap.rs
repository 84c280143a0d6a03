//! Resizing and moving mappings (`mremap`).

use crate::call::{Access, Mremap};
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal, RemapBy};
use crate::file::FilePlacement;
use crate::flags::{MapFlags, MremapFlags, VmFlags};
use crate::machine::{Machine, Refused};
use crate::merge::{Candidate, Neighbours};
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, TASK_SIZE, is_page_aligned, page_up};
use crate::unmapped_area::{PlaceFile, PlaceRequest};
use crate::vma::{VmFile, VmaId};

impl Mremap {
    /// Whether the caller has a say in where the range goes (`vrm_implies_new_addr`).
    fn implies_new_addr(&self) -> bool {
        let flags = MremapFlags::FIXED | MremapFlags::DONTUNMAP;
        self.flags.intersects(flags)
    }

    fn from(&self) -> Range {
        Range::sized(self.addr, self.old_len)
    }

    fn to(&self) -> Range {
        Range::sized(self.new_addr, self.new_len)
    }

    /// Pages that it adds.
    fn delta(&self) -> u64 {
        self.new_len.saturating_sub(self.old_len) >> PAGE_SHIFT
    }
}

impl Machine {
    pub(crate) fn mremap(
        &mut self,
        asked: Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        let remap = Mremap {
            old_len: page_up(asked.old_len),
            new_len: page_up(asked.new_len),
            ..asked
        };
        let source_first = self.kernel.has(Change::MremapChecksSource);
        let flags = remap.flags;
        if !MremapFlags::all().contains(flags)
            || remap.implies_new_addr() && !flags.contains(MremapFlags::MAYMOVE)
        {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        // Before 6.17 the lengths are compared as given.
        let lengths = if source_first { remap } else { asked };
        if flags.contains(MremapFlags::DONTUNMAP) && lengths.old_len != lengths.new_len {
            return Err((Errno::EINVAL, Refusal::StaysAndResizes));
        }
        if !is_page_aligned(remap.addr) {
            return Err((Errno::EINVAL, Refusal::Unaligned(remap.addr)));
        }
        if remap.new_len == 0 {
            return Err((Errno::EINVAL, Refusal::ZeroLength));
        }
        if source_first && remap.new_len > TASK_SIZE {
            return Err((Errno::EINVAL, Refusal::LongerThanTask(remap.new_len)));
        }
        if remap.implies_new_addr() && self.kernel.has(Change::MremapChecksParams) {
            if source_first {
                check_target(&remap)?;
            }
            check_alignment(&remap)?;
            self.room_for_target()?;
        }
        if self.kernel.has(Change::MremapCountsSplits) {
            self.room_for_maps(4)?;
        }
        if source_first && flags.contains(MremapFlags::FIXED) && remap.old_len == remap.new_len {
            return self.remap_move(remap, observer);
        }
        if source_first && (remap.implies_new_addr() || remap.new_len > remap.old_len) {
            self.check_resize(&remap)?;
        } else {
            self.vma_to_remap(remap.addr)?;
        }
        if remap.implies_new_addr() {
            self.mremap_to(remap, observer)
        } else {
            self.mremap_at(remap, observer)
        }
    }

    /// Moves all mappings of a range, each on its own, with the distances that they have (`remap_move`, since 6.17).
    fn remap_move(&mut self, asked: Mremap, observer: &mut impl Observer) -> Result<u64, Refused> {
        let whole = asked.from();
        let mut last_end = None;
        let mut target = asked.new_addr;
        while let Some(id) = self.find_vma(last_end.unwrap_or(whole.start)) {
            let (start, end) = (self.vma(id).start, self.vma(id).end);
            // The loop of the kernel meets only mappings that begin in the range.
            if start >= whole.end {
                break;
            }
            let addr = start.max(whole.start);
            if last_end.is_none() && addr > whole.start {
                break;
            }
            let len = end.min(whole.end) - addr;
            let remap = Mremap {
                addr,
                old_len: len,
                new_len: len,
                new_addr: target.wrapping_add(last_end.map_or(0, |last| start - last)),
                ..asked
            };
            self.check_resize(&remap)?;
            target = self.mremap_to(remap, observer)?.wrapping_add(len);
            last_end = Some(end);
            if end >= whole.end {
                break;
            }
        }
        match last_end {
            Some(_) => Ok(asked.new_addr),
            None => Err((Errno::EFAULT, Refusal::Hole(whole.start))),
        }
    }

    /// Moves to where the caller says, or keeps the source (`mremap_to`).
    fn mremap_to(
        &mut self,
        mut remap: Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        let source_first = self.kernel.has(Change::MremapChecksSource);
        if !source_first {
            let params_first = self.kernel.has(Change::MremapChecksParams);
            if !params_first {
                check_alignment(&remap)?;
            }
            check_target(&remap)?;
            self.none_sealed(remap.from())?;
            if !params_first {
                self.room_for_target()?;
            }
        }
        if remap.flags.contains(MremapFlags::FIXED) {
            // What lies there is gone even if the call fails later.
            self.munmap(remap.new_addr, remap.new_len, observer)?;
        }
        if remap.old_len > remap.new_len {
            self.shrink(&remap, observer)?;
            remap.old_len = remap.new_len;
        }
        let id = if source_first {
            self.vma_to_remap(remap.addr)?
        } else {
            self.check_resize(&remap)?
        };
        if remap.flags.contains(MremapFlags::DONTUNMAP) {
            self.may_expand(self.vma(id).flags, remap.old_len >> PAGE_SHIFT)?;
        }
        self.place_and_move(id, remap, observer)
    }

    /// Resizes in place if it can, and else moves if it may (`mremap_at`).
    fn mremap_at(
        &mut self,
        mut remap: Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        remap.new_addr = remap.addr;
        self.none_sealed(remap.from())?;
        if remap.old_len == remap.new_len {
            told(&remap, RemapBy::SameSize, observer);
            return Ok(remap.addr);
        }
        if remap.old_len > remap.new_len {
            self.shrink(&remap, observer)?;
            return Ok(remap.addr);
        }
        let id = self.check_resize(&remap)?;
        let in_way = match self.vma(id).end - remap.addr == remap.old_len {
            true => self.blocks_growth(id, remap.delta()),
            false => Some(None),
        };
        match in_way {
            None => self.grow_in_place(id, &remap, observer),
            Some(next) if !remap.flags.contains(MremapFlags::MAYMOVE) => {
                Err((Errno::ENOMEM, Refusal::NoRoomToGrow { vma: id, next }))
            }
            Some(_) => {
                remap.new_addr = 0;
                self.place_and_move(id, remap, observer)
            }
        }
    }

    /// Unmaps what lies behind the new length, also in other mappings (`shrink_vma`).
    fn shrink(&mut self, remap: &Mremap, observer: &mut impl Observer) -> Result<(), Refused> {
        told(remap, RemapBy::Shrink, observer);
        let from = remap.addr.wrapping_add(remap.new_len);
        self.munmap(from, remap.old_len - remap.new_len, observer)
    }

    /// What keeps a mapping from growing in place, if anything does: a mapping, or the end of what a task may use
    /// (`vma_expandable`).
    fn blocks_growth(&self, id: VmaId, pages: u64) -> Option<Option<VmaId>> {
        let vma = self.vma(id);
        let end = Range::sized(vma.end, pages << PAGE_SHIFT).end;
        let next = self
            .find_vma(vma.end)
            .filter(|next| self.vma(*next).start < end);
        let below = vma.start < self.settings.mmap_min_addr && !self.settings.cap_sys_rawio;
        (next.is_some() || end > TASK_SIZE || below).then_some(next)
    }

    /// `expand_vma_in_place`
    fn grow_in_place(
        &mut self,
        id: VmaId,
        remap: &Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        told(remap, RemapBy::Grow, observer);
        let pages = remap.delta();
        let vma = self.vma(id).clone();
        let charged = self.charge_remap(vma.flags, pages, observer)?;
        let candidate = Candidate {
            range: Range::sized(vma.end, pages << PAGE_SHIFT),
            flags: vma.flags,
            pgoff: vma.pgoff_at(vma.end),
            anon_pgoff: vma.anon_pgoff_at(vma.end),
            file: vma.file,
            anon_vma: vma.anon_vma,
            inherited: vma.inherited,
            keeps_anon_vma: false,
            anon_name: vma.anon_name.clone(),
        };
        let added = Neighbours::Moved { not: None };
        if self.merge_new(&candidate, added, observer).is_none() {
            self.uncharge(charged, observer);
            let refusal = Refusal::NoRoomToGrow {
                vma: id,
                next: None,
            };
            return Err((Errno::ENOMEM, refusal));
        }
        self.stat_account(vma.flags, pages.cast_signed(), observer);
        self.populate_added(vma.flags, candidate.range, observer);
        Ok(remap.addr)
    }

    /// Asks for a place as mmap would, by the new length, and moves there (`vrm_set_new_addr`).
    fn place_and_move(
        &mut self,
        id: VmaId,
        mut remap: Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        let vma = self.vma(id);
        let mut flags = MapFlags::empty();
        flags.set(MapFlags::FIXED, remap.flags.contains(MremapFlags::FIXED));
        flags.set(MapFlags::SHARED, vma.flags.contains(VmFlags::MAYSHARE));
        let request = PlaceRequest {
            hint: remap.new_addr,
            len: remap.new_len,
            flags,
            file: match vma.file {
                None => PlaceFile::Anonymous,
                Some(VmFile::File(file)) => PlaceFile::File(self.files[file.0 as usize].placement),
                Some(VmFile::Shmem(_)) => PlaceFile::File(FilePlacement::Shmem),
            },
            offset: vma.pgoff_at(remap.addr) << PAGE_SHIFT,
            begin_32bit: None,
        };
        remap.new_addr = self.get_unmapped_area(&request, observer)?;
        self.move_vma(id, &remap, observer)
    }

    /// Copies the mapping, moves what its page tables hold, and unmaps the source unless it is to stay (`move_vma`).
    fn move_vma(
        &mut self,
        id: VmaId,
        remap: &Mremap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        // The source may be cut twice.
        if self.kernel.has(Change::MremapCountsSplits) {
            self.room_for_maps(2)?;
        } else {
            self.room_for_maps(4)?;
        }
        let (from, to) = (remap.from(), remap.to());
        let vma = self.vma(id).clone();
        if vma.special.is_some() && (vma.start, vma.end) != (from.start, from.end) {
            return Err((Errno::EINVAL, Refusal::CannotSplit(id)));
        }
        let stays = remap.flags.contains(MremapFlags::DONTUNMAP);
        let pages = to.len() >> PAGE_SHIFT;
        let more = if stays { pages } else { remap.delta() };
        self.charge_remap(vma.flags, more, observer)?;
        let by = match (stays, from.is_empty()) {
            (true, _) => RemapBy::MoveAndKeep,
            (_, true) => RemapBy::Duplicate,
            _ => RemapBy::Move,
        };
        told(remap, by, observer);
        let new = self.copy_vma(id, remap, observer);
        if !from.is_empty() {
            self.move_tables(from, to.start, observer);
        }
        self.stat_account(vma.flags, pages.cast_signed(), observer);
        // The new range may have taken the source in.
        let source = self.vma_at(from.start).unwrap_or(new);
        if stays {
            self.keep_source(source, new, from, observer);
        } else if !from.is_empty() {
            self.unmap_source(source, from, observer);
        }
        let added = Range {
            start: to.start + from.len(),
            end: to.end,
        };
        self.populate_added(vma.flags, added, observer);
        Ok(to.start)
    }

    /// Makes the range at its new place, alone or in a neighbour (`copy_vma`).
    fn copy_vma(&mut self, id: VmaId, remap: &Mremap, observer: &mut impl Observer) -> VmaId {
        let vma = self.vma(id).clone();
        let to = remap.to();
        let (mut pgoff, mut anon_pgoff) = (vma.pgoff_at(remap.addr), vma.anon_pgoff_at(remap.addr));
        // Nothing knows an untouched range by its offset yet, so it takes that of its new place.
        if vma.anon_vma.is_none() {
            anon_pgoff = to.start >> PAGE_SHIFT;
            if vma.is_anonymous() {
                pgoff = anon_pgoff;
            }
        }
        let candidate = Candidate {
            range: to,
            flags: vma.flags,
            pgoff,
            anon_pgoff,
            file: vma.file,
            anon_vma: vma.anon_vma,
            inherited: vma.inherited,
            keeps_anon_vma: vma.inherited && self.kernel.has(Change::InheritedStayApart),
            anon_name: vma.anon_name.clone(),
        };
        let apart = remap.flags.contains(MremapFlags::DONTUNMAP)
            && self.kernel.has(Change::KeptSourceApart);
        let neighbours = Neighbours::Moved {
            not: apart.then_some(id),
        };
        if let Some(merged) = self.merge_new(&candidate, neighbours, observer) {
            return merged;
        }
        let new = self.new_vma(&candidate, TreeWrite::New, observer);
        if vma.special.is_some() {
            self.edit_vma(new, observer).special = vma.special;
        }
        new
    }

    /// What `MREMAP_DONTUNMAP` leaves: the same mapping, empty and unlocked (`dontunmap_complete`).
    fn keep_source(
        &mut self,
        source: VmaId,
        new: VmaId,
        from: Range,
        observer: &mut impl Observer,
    ) {
        let vma = self.vma(source);
        let whole = (vma.start, vma.end) == (from.start, from.end);
        if vma.flags.contains(VmFlags::LOCKED) {
            self.edit_vma(source, observer).flags -= VmFlags::LOCKED_MASK;
            if !self.kernel.has(Change::MremapCountsLocked) {
                // The pages that were counted are the new range's now.
                let pages = from.len() >> PAGE_SHIFT;
                self.edit_process(observer).locked_vm -= pages;
            }
        }
        if whole && new != source && self.vma(source).anon_vma.is_some() {
            let vma = self.edit_vma(source, observer);
            (vma.anon_vma, vma.inherited) = (None, false);
            observer.event(|| Event::AnonVmaDropped { vma: source });
        }
    }

    /// Unmaps the source without giving back what it was charged: the new range goes on with that.
    fn unmap_source(&mut self, source: VmaId, from: Range, observer: &mut impl Observer) {
        let vma = self.vma(source);
        let accounted = vma.flags.contains(VmFlags::ACCOUNT);
        let (below, above) = (vma.start < from.start, vma.end > from.end);
        if accounted {
            self.edit_vma(source, observer).flags -= VmFlags::ACCOUNT;
        }
        if self.unmap(from, observer).is_err() {
            // Never met: there is room to split, and what can't be split was refused.
            return;
        }
        if accounted && below {
            self.account_again(from.start - 1, observer);
        }
        if accounted && above {
            self.account_again(from.end, observer);
        }
    }

    fn account_again(&mut self, at: u64, observer: &mut impl Observer) {
        if let Some(rest) = self.vma_at(at) {
            self.edit_vma(rest, observer).flags |= VmFlags::ACCOUNT;
        }
    }

    /// Charges pages if the mapping is one that is charged; gives how many were.
    fn charge_remap(
        &mut self,
        flags: VmFlags,
        pages: u64,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        if !flags.contains(VmFlags::ACCOUNT) {
            return Ok(0);
        }
        self.enough_memory(pages)?;
        self.charge(pages, observer);
        Ok(pages)
    }

    /// Faults in what was added to a locked mapping (`mm_populate`).
    fn populate_added(&mut self, flags: VmFlags, added: Range, observer: &mut impl Observer) {
        if flags & VmFlags::LOCKED_MASK != VmFlags::LOCKED || !flags.intersects(VmFlags::ACCESS) {
            return;
        }
        let write = VmFlags::WRITE | VmFlags::SHARED;
        let access = if flags & write == VmFlags::WRITE {
            Access::Write
        } else {
            Access::Read
        };
        // What can't be mapped is left out.
        let _ = self.populate(added, access, observer);
    }

    fn vma_to_remap(&self, addr: u64) -> Result<VmaId, Refused> {
        let id = self
            .vma_at(addr)
            .ok_or((Errno::EFAULT, Refusal::Hole(addr)))?;
        if self.kernel.has(Change::SealsMetInTurn) {
            self.not_sealed(id)?;
        }
        Ok(id)
    }

    /// Whether the mapping at the old address may be moved, or get the new length (`vma_to_resize`; since 6.17
    /// `check_prep_vma`).
    fn check_resize(&self, remap: &Mremap) -> Result<VmaId, Refused> {
        let id = self.vma_to_remap(remap.addr)?;
        let vma = self.vma(id);
        if remap.old_len == 0 && !vma.flags.intersects(VmFlags::SHARED | VmFlags::MAYSHARE) {
            return Err((Errno::EINVAL, Refusal::DuplicatesPrivate(id)));
        }
        let fixed = vma.flags.intersects(VmFlags::DONTEXPAND | VmFlags::PFNMAP);
        if remap.flags.contains(MremapFlags::DONTUNMAP) && fixed {
            return Err((Errno::EINVAL, Refusal::CannotExpand(id)));
        }
        // What shrinks may reach over several mappings: only what is left of it counts.
        let old_len = remap.old_len.min(remap.new_len);
        if old_len > vma.end - remap.addr {
            let range = Range::sized(remap.addr, old_len);
            return Err((Errno::EFAULT, Refusal::BeyondMapping { vma: id, range }));
        }
        if remap.new_len <= remap.old_len {
            return Ok(id);
        }
        let pages = remap.new_len >> PAGE_SHIFT;
        if vma.pgoff_at(remap.addr).checked_add(pages).is_none() {
            return Err((Errno::EINVAL, Refusal::OffsetOverflow));
        }
        if fixed {
            return Err((Errno::EFAULT, Refusal::CannotExpand(id)));
        }
        if vma.flags.contains(VmFlags::LOCKED) {
            self.may_lock(remap.new_len - remap.old_len)?;
        }
        self.may_expand(vma.flags, remap.delta())?;
        Ok(id)
    }

    /// Room for the mappings that a move to a given place may make on its way, up to 7.0.
    fn room_for_target(&self) -> Result<(), Refused> {
        if self.kernel.has(Change::MremapCountsSplits) {
            return Ok(());
        }
        self.room_for_maps(6)
    }

    /// Whether so many mappings more would stay within the limit.
    fn room_for_maps(&self, more: u64) -> Result<(), Refused> {
        let (map_count, max) = (self.process().map_count, self.settings.max_map_count);
        if map_count + more > max {
            return Err((
                Errno::ENOMEM,
                Refusal::MoveTooMany {
                    map_count,
                    more,
                    max,
                },
            ));
        }
        Ok(())
    }
}

fn told(remap: &Mremap, by: RemapBy, observer: &mut impl Observer) {
    observer.event(|| Event::Remap {
        from: remap.from(),
        to: remap.to(),
        by,
    });
}

fn check_alignment(remap: &Mremap) -> Result<(), Refused> {
    if !is_page_aligned(remap.new_addr) {
        return Err((Errno::EINVAL, Refusal::Unaligned(remap.new_addr)));
    }
    Ok(())
}

/// Whether the new range lies in user space, and apart from the old one.
fn check_target(remap: &Mremap) -> Result<(), Refused> {
    let (from, to) = (remap.from(), remap.to());
    if remap.new_len > TASK_SIZE || remap.new_addr > TASK_SIZE - remap.new_len {
        return Err((Errno::EINVAL, Refusal::BeyondTask(to)));
    }
    // As the kernel adds: a length that wraps is not found here.
    if remap.addr.wrapping_add(remap.old_len) > to.start && to.end > from.start {
        return Err((Errno::EINVAL, Refusal::RangesOverlap { from, to }));
    }
    Ok(())
}
