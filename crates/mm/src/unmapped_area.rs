//! Where a new mapping goes (`__get_unmapped_area` and what it calls).

use mmscope_maple::MaState;

use crate::change::Change;
use crate::errno::Errno;
use crate::event::{
    AlignMove, AlignVerdict, Direction, Event, HintVerdict, PlacedBy, Range, Refusal,
};
use crate::file::FilePlacement;
use crate::flags::{MapFlags, VmFlags};
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{PAGE_SIZE, PMD_SIZE, TASK_SIZE, is_page_aligned, page_down, page_up};

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) struct PlaceRequest {
    /// The hint, 0 if none; the address itself with `MAP_FIXED`.
    pub(crate) hint: u64,
    /// Bytes, a multiple of the page size.
    pub(crate) len: u64,
    pub(crate) flags: MapFlags,
    pub(crate) file: PlaceFile,
    /// Offset into the file, or the syscall's offset for anonymous memory, bytes.
    pub(crate) offset: u64,
    pub(crate) begin_32bit: Option<u64>,
}

/// How a file takes part in placement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceFile {
    Anonymous,
    File(FilePlacement),
}

impl Machine {
    /// Finds the address for a request, and says what decided it.
    pub(crate) fn get_unmapped_area(
        &self,
        request: &PlaceRequest,
        observer: &mut impl Observer,
    ) -> Result<u64, Refused> {
        let PlaceRequest { hint, len, .. } = *request;
        if len > TASK_SIZE {
            return Err((Errno::ENOMEM, Refusal::LongerThanTask(len)));
        }
        let verdict = self.align_verdict(request);
        observer.event(|| Event::Alignment { len, hint, verdict });
        let aligned = match verdict {
            AlignVerdict::Aligned { .. } | AlignVerdict::FileHook => {
                self.place_aligned(request, observer)
            }
            _ => None,
        };
        let (addr, by) = match aligned {
            Some(placed) => placed,
            None => self.place(request, len, observer)?,
        };
        // The last addresses look like errors that the search gave back (`IS_ERR_VALUE`).
        if let Some(errno) = Errno::returned(addr) {
            return Err((
                errno,
                Refusal::BeyondTask(Range {
                    start: addr,
                    end: addr,
                }),
            ));
        }
        if addr > TASK_SIZE - len {
            return Err((Errno::ENOMEM, Refusal::BeyondTask(Range::sized(addr, len))));
        }
        if !is_page_aligned(addr) {
            return Err((Errno::EINVAL, Refusal::Unaligned(addr)));
        }
        let min = self.settings.mmap_min_addr;
        if addr < min && !self.settings.cap_sys_rawio {
            return Err((Errno::EPERM, Refusal::BelowMinAddr { addr, min }));
        }
        observer.event(|| Event::Placed {
            range: Range::sized(addr, len),
            by,
        });
        Ok(addr)
    }

    /// Which condition decides about alignment. Length, hint and file only: never the THP setting.
    fn align_verdict(&self, request: &PlaceRequest) -> AlignVerdict {
        let kernel = &self.kernel;
        if request.flags.contains(MapFlags::FIXED) {
            return AlignVerdict::Fixed;
        }
        let holds_block = self.holds_block(request);
        let by = match (request.file, kernel.alignment()) {
            (PlaceFile::File(FilePlacement::Thp), _) if holds_block => {
                return AlignVerdict::FileHook;
            }
            (PlaceFile::File(FilePlacement::Thp), _) => return AlignVerdict::TooShort,
            (PlaceFile::File(FilePlacement::Shmem), _) => return AlignVerdict::ShmemHook,
            (PlaceFile::File(FilePlacement::NoHook), Some(by))
                if kernel.has(Change::AlignFiles) && !kernel.has(Change::AlignNotFiles) =>
            {
                by
            }
            (PlaceFile::File(FilePlacement::NoHook), _) => return AlignVerdict::FileWithoutHook,
            (PlaceFile::Anonymous, Some(by)) => by,
            (PlaceFile::Anonymous, None) => return AlignVerdict::NoRule,
        };
        if !holds_block {
            AlignVerdict::TooShort
        } else if kernel.has(Change::AlignMultiplesOnly) && !request.len.is_multiple_of(PMD_SIZE) {
            AlignVerdict::NotMultiple
        } else if kernel.has(Change::AlignNotWithHint) && request.hint != 0 {
            AlignVerdict::HintGiven
        } else {
            AlignVerdict::Aligned { by }
        }
    }

    /// The offset that an aligned address has to agree with, modulo 2 MiB.
    fn align_offset(&self, request: &PlaceRequest) -> u64 {
        match request.file {
            PlaceFile::Anonymous if self.kernel.has(Change::AlignAbuts) => 0,
            _ => request.offset,
        }
    }

    /// Whether the range holds a whole 2 MiB block, counted by offset.
    fn holds_block(&self, request: &PlaceRequest) -> bool {
        let offset = self.align_offset(request);
        let end = offset.checked_add(request.len);
        let first = offset.checked_next_multiple_of(PMD_SIZE);
        matches!((first, end), (Some(first), Some(end)) if end >= first && end - first >= PMD_SIZE)
    }

    /// `__thp_get_unmapped_area`: searches with 2 MiB to spare and moves the result to a boundary. `None`: place it
    /// without alignment.
    fn place_aligned(
        &self,
        request: &PlaceRequest,
        observer: &mut impl Observer,
    ) -> Option<(u64, PlacedBy)> {
        let padded = request.len.checked_add(PMD_SIZE)?;
        let Ok((found, by)) = self.place(request, padded, observer) else {
            observer.event(|| Event::AlignFallback);
            return None;
        };
        if found == request.hint {
            observer.event(|| Event::Aligned {
                found,
                addr: found,
                how: AlignMove::Hint,
            });
            return Some((found, by));
        }
        let up = self.align_offset(request).wrapping_sub(found) % PMD_SIZE;
        let abuts = self.kernel.has(Change::AlignAbuts) && !self.process().legacy_layout;
        let (addr, how) = match up {
            0 if abuts => (found + PMD_SIZE, AlignMove::AlreadyThereUpper),
            0 => (found, AlignMove::AlreadyThere),
            up => (found + up, AlignMove::Up(up)),
        };
        observer.event(|| Event::Aligned { found, addr, how });
        Some((addr, PlacedBy::AlignedSearch))
    }

    /// `arch_get_unmapped_area_topdown`, or `arch_get_unmapped_area` in the legacy layout, for `len` bytes.
    fn place(
        &self,
        request: &PlaceRequest,
        len: u64,
        observer: &mut impl Observer,
    ) -> Result<(u64, PlacedBy), Refused> {
        if request.flags.contains(MapFlags::FIXED) {
            return Ok((request.hint, PlacedBy::Fixed));
        }
        if len > TASK_SIZE {
            return Err((Errno::ENOMEM, Refusal::LongerThanTask(len)));
        }
        if self.process().legacy_layout || request.flags.contains(MapFlags::BIT32) {
            return self.place_bottom_up(request, len, observer);
        }
        let padded = len != request.len;
        let hint = page_down(request.hint);
        if hint != 0 {
            let range = Range::sized(hint, len);
            let verdict = self.hint_verdict(range);
            observer.event(|| Event::Hint {
                range,
                padded,
                verdict,
            });
            if verdict == HintVerdict::Taken {
                return Ok((hint, PlacedBy::Hint));
            }
        }
        let low = if request.flags.contains(MapFlags::ABOVE4G) {
            1 << 32
        } else {
            PAGE_SIZE
        };
        let limits = Range {
            start: low,
            end: self.process().mmap_base,
        };
        match self.search(Direction::TopDown, limits, len, padded, observer) {
            Some(addr) => Ok((addr, PlacedBy::Search)),
            None => self.place_bottom_up(request, len, observer),
        }
    }

    fn place_bottom_up(
        &self,
        request: &PlaceRequest,
        len: u64,
        observer: &mut impl Observer,
    ) -> Result<(u64, PlacedBy), Refused> {
        let limits = if request.flags.contains(MapFlags::BIT32) {
            Range {
                start: request.begin_32bit.unwrap_or(0x4000_0000),
                end: 0x8000_0000,
            }
        } else {
            Range {
                start: self.process().mmap_legacy_base,
                end: TASK_SIZE,
            }
        };
        let padded = len != request.len;
        if len > limits.end {
            return Err((Errno::ENOMEM, Refusal::NoGap { need: len }));
        }
        let hint = page_up(request.hint);
        if hint != 0 {
            let range = Range::sized(hint, len);
            let verdict = if limits.end - len >= hint {
                self.occupied(range)
                    .map_or(HintVerdict::Taken, |occupied| occupied)
            } else {
                HintVerdict::Invalid
            };
            observer.event(|| Event::Hint {
                range,
                padded,
                verdict,
            });
            if verdict == HintVerdict::Taken {
                return Ok((hint, PlacedBy::Hint));
            }
        }
        match self.search(Direction::BottomUp, limits, len, padded, observer) {
            Some(addr) => Ok((addr, PlacedBy::Search)),
            None => Err((Errno::ENOMEM, Refusal::NoGap { need: len })),
        }
    }

    /// `mmap_address_hint_valid`, then a look at the next mapping only.
    fn hint_verdict(&self, range: Range) -> HintVerdict {
        let len = range.end - range.start;
        let crosses = (range.start > TASK_SIZE) != (range.end > TASK_SIZE);
        if TASK_SIZE - len < range.start || crosses {
            return HintVerdict::Invalid;
        }
        self.occupied(range).unwrap_or(HintVerdict::Taken)
    }

    fn occupied(&self, range: Range) -> Option<HintVerdict> {
        let vma = self.find_vma(range.start)?;
        let from = self.vma(vma).start_gap(self.guard_gap());
        (range.end > from).then_some(HintVerdict::Occupied { vma, from })
    }

    /// No search goes below this: the sysctl, or the LSM's minimum, whichever is higher.
    pub(crate) fn search_min_addr(&self) -> u64 {
        const LSM_MMAP_MIN_ADDR: u64 = 65536;
        self.settings.mmap_min_addr.max(LSM_MMAP_MIN_ADDR)
    }

    /// The highest gap that is large enough and in it the upper end, or the lowest one and in it the lower end
    /// (`unmapped_area_topdown`, `unmapped_area`).
    fn search(
        &self,
        direction: Direction,
        limits: Range,
        len: u64,
        padded: bool,
        observer: &mut impl Observer,
    ) -> Option<u64> {
        let mut limits = Range {
            start: limits.start.max(self.search_min_addr()),
            ..limits
        };
        observer.event(|| Event::Search {
            direction,
            need: len,
            padded,
            limits,
        });
        let found = loop {
            let Some(block) = self.block_in_gap(direction, limits, len, observer) else {
                break None;
            };
            let Some((next, guard)) = self.guard_above(block.end) else {
                break Some(block.start);
            };
            if guard >= block.end {
                break Some(block.start);
            }
            let limit = match direction {
                Direction::BottomUp => self.vma(next).end,
                // The maple tree's search starts over below the guard gap; the red-black tree of 6.0 knew each gap
                // without its guard.
                Direction::TopDown if self.kernel.has(Change::MapleTree) => guard,
                Direction::TopDown => {
                    guard.max(self.prev_vma(block.end).map_or(0, |id| self.vma(id).end))
                }
            };
            observer.event(|| Event::GuardGap { vma: next, limit });
            match direction {
                Direction::TopDown => limits.end = limit,
                Direction::BottomUp => limits.start = limit,
            }
        };
        observer.event(|| Event::Found {
            addr: found,
            padded,
        });
        found
    }

    /// Where `len` bytes fit between the limits, whatever guard gaps say (`mas_empty_area_rev`, `mas_empty_area`).
    fn block_in_gap(
        &self,
        direction: Direction,
        limits: Range,
        len: u64,
        observer: &mut impl Observer,
    ) -> Option<Range> {
        if limits.is_empty() {
            return None;
        }
        let mut mas = MaState::new(0, 0);
        let (min, max) = (limits.start, limits.end - 1);
        match direction {
            Direction::TopDown => mas.empty_area_rev(&self.tree, min, max, len, observer),
            Direction::BottomUp => mas.empty_area(&self.tree, min, max, len, observer),
        }
        .ok()?;
        let start = match direction {
            Direction::TopDown => mas.last - (len - 1),
            Direction::BottomUp => mas.index,
        };
        Some(Range::sized(start, len))
    }

    /// The next mapping above an address, if it grows down, and where its guard gap begins.
    fn guard_above(&self, addr: u64) -> Option<(crate::vma::VmaId, u64)> {
        let next = self.find_vma(addr)?;
        let vma = self.vma(next);
        vma.flags
            .contains(VmFlags::GROWSDOWN)
            .then(|| (next, vma.start_gap(self.guard_gap())))
    }
}
