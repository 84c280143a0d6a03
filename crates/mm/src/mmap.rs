//! Making mappings (`do_mmap`, `mmap_region`).

use crate::call::{Fd, Mmap, Outcome};
use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::file::{FileId, FilePlacement};
use crate::flags::{MapFlags, VmFlags};
use crate::machine::{Machine, Refused};
use crate::merge::{Candidate, Neighbours};
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page::{
    PAGE_SHIFT, PAGE_SIZE, PMD_SIZE, TASK_SIZE, is_page_aligned, page_down, page_up,
};
use crate::settings::Overcommit;
use crate::unmapped_area::{PlaceFile, PlaceRequest};
use crate::vma::{VmFile, Vma, VmaId};

impl Machine {
    pub(crate) fn mmap(&mut self, mmap: Mmap, observer: &mut impl Observer) -> Outcome {
        match self.do_mmap(mmap, observer) {
            Ok(addr) => Outcome::Address(addr),
            Err(refused) => self.refuse(refused, observer),
        }
    }

    pub(crate) fn do_mmap(
        &mut self,
        mmap: Mmap,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        let mut flags = mmap.flags;
        if !is_page_aligned(mmap.offset) {
            return Err((Errno::EINVAL, Refusal::UnalignedOffset(mmap.offset)));
        }
        let file = self.backing(&mmap)?;
        let huge = mmap.flags.contains(MapFlags::HUGETLB);
        if mmap.len == 0 {
            return Err((Errno::EINVAL, Refusal::ZeroLength));
        }
        if flags.contains(MapFlags::FIXED_NOREPLACE) {
            flags |= MapFlags::FIXED;
        }
        let hint = if flags.contains(MapFlags::FIXED) {
            mmap.addr
        } else {
            self.round_hint_to_min(mmap.addr, observer)
        };
        let size = match (huge, mmap.flags.huge_order()) {
            (false, _) => PAGE_SIZE,
            (true, 30) => 1 << 30,
            (true, _) => PMD_SIZE,
        };
        let len = mmap.len.wrapping_add(size - 1) & !(size - 1);
        if huge && len == 0 {
            return Err((Errno::EINVAL, Refusal::LengthWraps(mmap.len)));
        }
        if huge && len <= TASK_SIZE && flags.contains(MapFlags::FIXED) && hint & (size - 1) != 0 {
            return Err((Errno::EINVAL, Refusal::Unaligned(hint)));
        }
        if len == 0 {
            return Err((Errno::ENOMEM, Refusal::LengthWraps(mmap.len)));
        }
        let pages = len >> PAGE_SHIFT;
        if (mmap.offset >> PAGE_SHIFT).checked_add(pages).is_none() {
            return Err((Errno::EOVERFLOW, Refusal::OffsetOverflow));
        }
        self.room_for_mapping()?;
        let request = PlaceRequest {
            hint,
            len,
            flags,
            file: match file {
                Some(file) => PlaceFile::File(self.files[file.0 as usize].placement),
                None if flags.contains(MapFlags::SHARED) => PlaceFile::File(FilePlacement::Shmem),
                None => PlaceFile::Anonymous,
            },
            offset: mmap.offset,
            begin_32bit: mmap.begin_32bit,
        };
        let addr = self.get_unmapped_area(&request, observer)?;
        let range = Range::sized(addr, len);
        if flags.contains(MapFlags::FIXED_NOREPLACE)
            && let Some((there, _)) = self.vmas(range).next()
        {
            return Err((Errno::EEXIST, Refusal::Occupied(there)));
        }
        let vm_flags = self.vm_flags(&mmap);
        if flags.contains(MapFlags::LOCKED) {
            self.may_lock_at_all()?;
        }
        if vm_flags.contains(VmFlags::LOCKED) {
            self.may_lock(len)?;
        }
        if huge {
            return Err(self.no_huge_pages(&mmap, range, vm_flags, observer));
        }
        let vm_flags = self.typed(&mmap, file, vm_flags)?;
        let shared = vm_flags.contains(VmFlags::SHARED);
        let pgoff = match file {
            Some(_) => mmap.offset >> PAGE_SHIFT,
            // It begins its object.
            None if shared => 0,
            None => addr >> PAGE_SHIFT,
        };
        self.mmap_region(range, vm_flags, pgoff, file.map(VmFile::File), observer)?;
        let populate = flags.contains(MapFlags::POPULATE) && !flags.contains(MapFlags::NONBLOCK);
        if populate || vm_flags.contains(VmFlags::LOCKED) {
            // What can't be mapped is left out.
            let _ = self.mm_populate(range, observer);
        }
        Ok(addr)
    }

    /// A hint below the lowest address is raised to it; one inside the first page is none (`round_hint_to_min`).
    fn round_hint_to_min(&self, addr: u64, observer: &mut impl Observer) -> u64 {
        let from = page_down(addr);
        if from == 0 || from >= self.search_min_addr() {
            return from;
        }
        let to = page_up(self.search_min_addr());
        observer.event(|| Event::HintRaised { from, to });
        to
    }

    fn vm_flags(&self, mmap: &Mmap) -> VmFlags {
        let default = self.process().def_flags | VmFlags::MAY_ACCESS;
        let mut flags = VmFlags::from_prot(mmap.prot) | self.implied_exec(mmap.prot) | default;
        let never = self.settings.overcommit == Overcommit::Never;
        flags.set(VmFlags::GROWSDOWN, mmap.flags.contains(MapFlags::GROWSDOWN));
        if mmap.flags.contains(MapFlags::LOCKED) {
            flags |= VmFlags::LOCKED;
        }
        // Noted for any mapping; only for a file that is memory itself does it mean something.
        flags.set(VmFlags::SYNC, mmap.flags.contains(MapFlags::SYNC));
        flags.set(
            VmFlags::NORESERVE,
            mmap.flags.contains(MapFlags::NORESERVE) && !never,
        );
        let no_huge = mmap.flags.contains(MapFlags::STACK) && self.kernel.has(Change::StackNoHuge);
        flags.set(VmFlags::NOHUGEPAGE, no_huge);
        flags
    }

    /// The flags of a mapping of this `MAP_TYPE`, and the errors about it.
    fn typed(
        &self,
        mmap: &Mmap,
        file: Option<FileId>,
        mut flags: VmFlags,
    ) -> Result<VmFlags, Refused> {
        let shared = match mmap.map_type() {
            MapFlags::TYPE_PRIVATE => false,
            MapFlags::TYPE_SHARED => true,
            MapFlags::TYPE_DROPPABLE if file.is_none() && self.kernel.has(Change::Droppable) => {
                let locked = mmap.flags.contains(MapFlags::LOCKED);
                if locked || flags.contains(VmFlags::GROWSDOWN) {
                    return Err((Errno::EINVAL, Refusal::BadFlags));
                }
                // What may be dropped is neither reserved nor copied by a fork or a dump.
                flags |= VmFlags::DROPPABLE | VmFlags::NORESERVE;
                flags |= VmFlags::WIPEONFORK | VmFlags::DONTDUMP;
                false
            }
            MapFlags::TYPE_SHARED_VALIDATE if file.is_some() => {
                let unknown = mmap.flags - MapFlags::LEGACY;
                if !unknown.is_empty() {
                    let unknown = Refusal::UnsupportedFlags(unknown.bits());
                    return Err((Errno::EOPNOTSUPP, unknown));
                }
                true
            }
            other => return Err((Errno::EINVAL, Refusal::BadMapType(other))),
        };
        if shared {
            flags |= VmFlags::SHARED | VmFlags::MAYSHARE;
            if file.is_some_and(|file| self.files[file.0 as usize].read_only) {
                if flags.contains(VmFlags::WRITE) {
                    return Err((Errno::EACCES, Refusal::ReadOnlyFile));
                }
                flags -= VmFlags::SHARED | VmFlags::MAYWRITE;
            }
        }
        if (file.is_some() || shared) && flags.contains(VmFlags::GROWSDOWN) {
            return Err((Errno::EINVAL, Refusal::BadFlags));
        }
        Ok(flags)
    }

    /// x86-64 has 2 MiB and 1 GiB pages, and none are reserved here; that comes out when all else is done.
    fn no_huge_pages(
        &mut self,
        mmap: &Mmap,
        range: Range,
        flags: VmFlags,
        observer: &mut impl Observer,
    ) -> Refused {
        let kind = mmap.map_type();
        if kind == 0 || kind > MapFlags::TYPE_SHARED_VALIDATE {
            return (Errno::EINVAL, Refusal::BadMapType(kind));
        }
        if flags.contains(VmFlags::GROWSDOWN) {
            return (Errno::EINVAL, Refusal::BadFlags);
        }
        let fixed = MapFlags::FIXED | MapFlags::FIXED_NOREPLACE;
        if mmap.flags.intersects(fixed)
            && let Err(refused) = self.munmap(range.start, range.len(), observer)
        {
            return refused;
        }
        (Errno::ENOMEM, Refusal::NoHugePages)
    }

    pub(crate) fn may_lock_at_all(&self) -> Result<(), Refused> {
        if self.process().rlimits.memlock == Some(0) && !self.settings.cap_ipc_lock {
            return Err((Errno::EPERM, Refusal::MemlockForbidden));
        }
        Ok(())
    }

    /// Puts the mapping in place of whatever lies there.
    fn mmap_region(
        &mut self,
        range: Range,
        mut flags: VmFlags,
        pgoff: u64,
        file: Option<VmFile>,
        observer: &mut impl Observer,
    ) -> Result<VmaId, Refused> {
        let pages = range.len() >> PAGE_SHIFT;
        let accountable = flags.is_accountable();
        let mut over = None;
        if self.kernel.has(Change::FixedRestores) {
            let gathered = self.gather(range, observer)?;
            // The new mapping is stored over the old ones: no hole, and no nodes for one.
            self.give_back(TreeWrite::Clear, gathered.ahead, observer);
            let doomed = gathered.vmas;
            let (replaced, replaced_accounted) = self.count_pages(&doomed);
            self.may_expand(flags, pages - replaced)?;
            if accountable {
                self.enough_memory(pages - replaced_accounted)?;
            }
            self.clear_tables(range, &doomed, observer);
            over = Some(doomed);
        } else {
            // The second test decides: what the range maps already goes first.
            if self.may_expand(flags, pages).is_err() {
                let replaced = self.pages_within(range);
                self.may_expand(flags, pages - replaced)?;
            }
            self.unmap(range, observer)
                .map_err(|(errno, reason)| match errno {
                    Errno::EPERM => (errno, reason),
                    _ => (Errno::ENOMEM, reason),
                })?;
            if accountable {
                self.enough_memory(pages)?;
            }
        }
        if accountable {
            flags |= VmFlags::ACCOUNT;
            self.charge(pages, observer);
        }
        let mut candidate = Candidate {
            range,
            flags,
            pgoff,
            anon_pgoff: range.start >> PAGE_SHIFT,
            file,
            anon_vma: None,
            inherited: false,
            keeps_anon_vma: false,
            anon_name: None,
        };
        let vma = match self.merge_new(&candidate, Neighbours::Both, observer) {
            Some(vma) => vma,
            None => {
                if file.is_none() && flags.contains(VmFlags::SHARED) {
                    match self.shmem_zero_setup(range.len(), flags, observer) {
                        Ok(object) => candidate.file = Some(object),
                        Err(refused) => {
                            self.leave_hole(range, over, observer);
                            return Err(refused);
                        }
                    }
                }
                self.new_vma(&candidate, TreeWrite::New, observer)
            }
        };
        if let Some(doomed) = over {
            self.complete(&doomed, observer);
        }
        if flags.contains(VmFlags::LOCKED | VmFlags::DROPPABLE) {
            // What may be dropped is not locked, but that it was to be counted in the merge.
            flags -= VmFlags::LOCKED_MASK;
            self.edit_vma(vma, observer).flags -= VmFlags::LOCKED_MASK;
        }
        self.stat_account(flags, pages.cast_signed(), observer);
        Ok(vma)
    }

    /// A shared anonymous mapping got no object. What lay in the range has lost its page tables by then, so it goes all
    /// the same (`vms_abort_munmap_vmas`).
    fn leave_hole(&mut self, range: Range, over: Option<Vec<VmaId>>, observer: &mut impl Observer) {
        if let Some(doomed) = over
            && !doomed.is_empty()
        {
            self.store(range, None, TreeWrite::Clear, observer);
            self.complete(&doomed, observer);
        }
    }

    pub(crate) fn new_vma(
        &mut self,
        candidate: &Candidate,
        write: TreeWrite,
        observer: &mut impl Observer,
    ) -> VmaId {
        let Candidate {
            range,
            flags,
            pgoff,
            anon_pgoff,
            file,
            anon_vma,
            inherited,
            anon_name,
            ..
        } = candidate.clone();
        let vma = Vma {
            start: range.start,
            end: range.end,
            flags,
            pgoff,
            anon_pgoff,
            file,
            anon_vma,
            special: None,
            inherited,
            anon_name,
        };
        let vma = self.link(vma, write, observer);
        observer.event(|| Event::NewVma { vma, range });
        vma
    }

    /// Pages that are mapped in a range (`count_vma_pages_range`).
    fn pages_within(&self, range: Range) -> u64 {
        self.vmas(range)
            .map(|(_, vma)| (vma.end.min(range.end) - vma.start.max(range.start)) >> PAGE_SHIFT)
            .sum()
    }

    /// What the call maps, and the errors about it that come first.
    fn backing(&self, mmap: &Mmap) -> Result<Option<FileId>, Refused> {
        let huge = mmap.flags.contains(MapFlags::HUGETLB);
        if !mmap.flags.contains(MapFlags::ANONYMOUS) {
            return match mmap.fd {
                Fd::None => Err((Errno::EBADF, Refusal::BadFd)),
                Fd::File(_) if huge => Err((Errno::EINVAL, Refusal::BadFlags)),
                Fd::File(file) => Ok(Some(file)),
            };
        }
        if huge {
            // x86-64 has 2 MiB and 1 GiB, 2 MiB unless told otherwise; none are reserved here.
            let order = mmap.flags.huge_order();
            let known = [0, 21, 30].contains(&order);
            if !(known && self.settings.hugetlb) {
                return Err((Errno::EINVAL, Refusal::HugeSize(order)));
            }
        }
        Ok(None)
    }
}
