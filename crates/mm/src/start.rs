//! The address space before the first call: what exec and the loader left.

use std::rc::Rc;

use mmscope_maple::{Arena, MapleTree};

use crate::change::Change;
use crate::event::Range;
use crate::file::{File, FileId};
use crate::flags::VmFlags;
use crate::kernel::Kernel;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::nodes::Nodes;
use crate::observer::Observer;
use crate::page::{PAGE_SHIFT, TASK_SIZE, is_page_aligned, page_up};
use crate::process::{Process, ThpDisable};
use crate::settings::Settings;
use crate::vma::{AnonVma, Special, VmFile, Vma};

/// A mapping at the start, as a line of `/proc/PID/maps` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartMap {
    /// Where.
    pub range: Range,
    /// `READ`, `WRITE`, `EXEC` as printed, and `MAYSHARE` for `s`.
    pub perms: VmFlags,
    /// Offset into the file in bytes, as printed.
    pub offset: u64,
    /// The file, if it shows one.
    pub file: Option<FileId>,
    /// The name in brackets, if it is one of exec's own; `[heap]` is an ordinary mapping.
    pub special: Option<Special>,
}

/// The address space before the first call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Mappings, in any order.
    pub maps: Vec<StartMap>,
    /// Where the heap begins. If `None`: behind the last mapping of the first file (§2.4: the page-aligned end of
    /// the executable's .bss).
    pub start_brk: Option<u64>,
    /// The break; if `None`, the start of the heap.
    pub brk: Option<u64>,
}

/// Why an address space can't be set up. Each names the place in [`Start::maps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// A border is not a multiple of 4096.
    Unaligned {
        /// Which.
        index: u32,
    },
    /// The end is not above the start.
    Empty {
        /// Which.
        index: u32,
    },
    /// It reaches beyond user space.
    BeyondTask {
        /// Which.
        index: u32,
    },
    /// It overlaps one named before.
    Overlaps {
        /// Which.
        index: u32,
        /// The one before.
        other: u32,
    },
}

impl Machine {
    /// A process as `start` describes it, under `kernel`.
    ///
    /// A maps file does not say which mappings were written to. Taken as written to, and so with an `anon_vma` each:
    /// `[stack]`, and every writable private mapping.
    ///
    /// # Errors
    /// The first mapping that can't be, by its place in `start.maps`.
    pub fn new(
        kernel: Kernel,
        settings: Settings,
        files: Vec<File>,
        start: &Start,
    ) -> Result<Machine, StartError> {
        Machine::set_up(kernel, settings, files, start, &mut ())
    }

    /// Like [`Machine::new`], with an observer, which sees each write.
    ///
    /// # Errors
    /// The first mapping that can't be, by its place in `start.maps`.
    pub fn set_up(
        kernel: Kernel,
        settings: Settings,
        files: Vec<File>,
        start: &Start,
        observer: &mut impl Observer,
    ) -> Result<Machine, StartError> {
        let process = process(&settings, start);
        let mut tree = MapleTree::with_rules(kernel.maple_rules().unwrap_or_default());
        tree.set_rcu(kernel.has(Change::MmTreeRcu));
        let mut processes = Arena::default();
        let current = processes.insert(process, observer);
        let mut machine = Machine {
            kernel,
            settings: Rc::new(settings),
            files: Rc::new(files),
            vmas: Arena::new(),
            tree,
            pmds: MapleTree::new(),
            shmems: Arena::new(),
            processes,
            current,
            start: Rc::new(start.clone()),
        };
        for (index, map) in (0u32..).zip(&start.maps) {
            machine.start_map(index, map, start, observer)?;
        }
        Ok(machine)
    }

    pub(crate) fn start_map(
        &mut self,
        index: u32,
        map: &StartMap,
        start: &Start,
        observer: &mut impl Observer,
    ) -> Result<(), StartError> {
        let range = map.range;
        if !is_page_aligned(range.start) || !is_page_aligned(range.end) {
            return Err(StartError::Unaligned { index });
        }
        if range.is_empty() {
            return Err(StartError::Empty { index });
        }
        if range.end > TASK_SIZE {
            return Err(StartError::BeyondTask { index });
        }
        if let Some((_, there)) = self.vmas(range).next() {
            let there = there.start;
            let other = (0u32..)
                .zip(&start.maps)
                .find(|(_, map)| map.range.start == there)
                .map_or(0, |(other, _)| other);
            return Err(StartError::Overlaps { index, other });
        }
        let flags = start_flags(map);
        let written = flags.contains(VmFlags::WRITE) && !flags.contains(VmFlags::MAYSHARE)
            || map.special == Some(Special::Stack);
        let anon_vma = written.then(|| {
            let process = self.edit_process(observer);
            let next = process.next_anon_vma;
            process.next_anon_vma = AnonVma(next.0 + 1);
            next
        });
        let anon_pgoff = range.start >> PAGE_SHIFT;
        let id = self.link_unseen(
            Vma {
                start: range.start,
                end: range.end,
                flags,
                pgoff: if map.file.is_some() {
                    map.offset >> PAGE_SHIFT
                } else {
                    anon_pgoff
                },
                anon_pgoff,
                file: map.file.map(VmFile::File),
                anon_vma,
                special: map.special.filter(|special| *special != Special::Stack),
                inherited: false,
                anon_name: None,
            },
            observer,
        );
        let pages = self.vma(id).pages();
        self.stat_account(flags, pages.cast_signed(), observer);
        if flags.contains(VmFlags::ACCOUNT) {
            self.edit_process(observer).committed += pages;
        }
        if anon_vma.is_some() || map.file.is_some() {
            self.note_tables(range, observer);
        }
        Ok(())
    }
}

/// The process before the first call, without its mappings.
pub(crate) fn process(settings: &Settings, start: &Start) -> Process {
    let layout = Layout::pick(settings);
    let stack_top = start
        .maps
        .iter()
        .filter(|map| map.special == Some(Special::Stack))
        .map(|map| map.range.end)
        .max();
    let data = start
        .maps
        .iter()
        .find(|map| map.file.is_some() && map.perms.contains(VmFlags::WRITE));
    let start_brk = start.start_brk.unwrap_or_else(|| end_of_first_file(start));
    Process {
        map_count: 0,
        total_vm: 0,
        data_vm: 0,
        locked_vm: 0,
        def_flags: VmFlags::empty(),
        committed: 0,
        start_data: data.map_or(0, |map| map.range.start),
        end_data: data.map_or(0, |map| map.range.end),
        start_brk,
        brk: start.brk.unwrap_or(start_brk),
        start_stack: stack_top.map_or(0, |top| top.saturating_sub(8)),
        mmap_base: layout.mmap_base,
        mmap_legacy_base: layout.mmap_legacy_base,
        personality: 0,
        legacy_layout: settings.legacy_layout,
        thp_disable: ThpDisable::No,
        rlimits: settings.rlimits,
        file_lens: Vec::new(),
        exited: false,
        next_anon_vma: AnonVma(0),
        nodes: Nodes::default(),
    }
}

fn end_of_first_file(start: &Start) -> u64 {
    let Some(first) = start
        .maps
        .iter()
        .filter(|map| map.file.is_some())
        .min_by_key(|map| map.range.start)
    else {
        return 0;
    };
    let mut end = 0;
    for map in start.maps.iter().filter(|map| map.file == first.file) {
        end = end.max(map.range.end);
    }
    while let Some(bss) = start
        .maps
        .iter()
        .find(|map| map.range.start == end && map.file.is_none())
    {
        end = bss.range.end;
    }
    page_up(end)
}

/// The flags that such a line stands for.
fn start_flags(map: &StartMap) -> VmFlags {
    let access = map.perms & VmFlags::ACCESS;
    match map.special {
        Some(Special::Vvar | Special::VvarVclock) => {
            let own = VmFlags::IO | VmFlags::PFNMAP | VmFlags::DONTEXPAND | VmFlags::DONTDUMP;
            access | VmFlags::MAYREAD | own
        }
        Some(Special::Vdso) => access | VmFlags::MAY_ACCESS | VmFlags::DONTEXPAND,
        Some(Special::Stack) => {
            access | VmFlags::MAY_ACCESS | VmFlags::GROWSDOWN | VmFlags::ACCOUNT
        }
        None if map.perms.contains(VmFlags::MAYSHARE) => {
            access | VmFlags::MAY_ACCESS | VmFlags::MAYSHARE | VmFlags::SHARED
        }
        None if map.perms.contains(VmFlags::WRITE) => {
            access | VmFlags::MAY_ACCESS | VmFlags::ACCOUNT
        }
        None => access | VmFlags::MAY_ACCESS,
    }
}
