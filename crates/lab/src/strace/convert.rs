//! The calls of a log as a program.

use mmscope_mm::page::{TASK_SIZE, is_page_aligned, page_down, page_up};
use mmscope_mm::{
    Call, Errno, Fd, Kernel, Limit, MapFlags, Outcome, Prot, Range, Resource, Start, StartMap,
    VmFlags,
};

use super::anchor;
use super::begin::fit_random_begins;
use super::descriptors::Descriptors;
use super::line::result;
use super::names::give_names;
use super::recorded::{Recorded, Region};
use super::tell::{Log, MEMORY_CALLS, Told, cut, name};
use super::{AnchoredBy, Import, ImportError, Note, Skipped, Why};
use crate::files::NO_DEVICE;
use crate::maps_file::MapsFile;
use crate::program::{CallLine, MAX_STEPS, Program, SourceLine};
use crate::scenario::Scenario;
use crate::text::call::{self, Context};
use crate::text::flags::prot;
use crate::text::number::number;
use crate::text::part::{CallParts, Parsed, Part, call_parts};
use crate::text::setting::limit;

/// What stands in a file's place where the log works on memory that it did not map.
const PLACEHOLDER: &str = "[unknown]";

/// Makes the import of a log.
pub(super) fn convert(
    log: Log,
    maps: Option<MapsFile>,
    kernels: &[Kernel],
) -> Result<Import, ImportError> {
    let Log {
        calls,
        skipped,
        notes,
    } = log;
    let mut converter = Converter::new(maps.as_ref(), skipped, notes);
    converter.all(calls);
    converter.finish(maps.as_ref(), kernels)
}

/// Makes an import without calls.
pub(super) fn start_only(maps: MapsFile, kernels: &[Kernel]) -> Result<Import, ImportError> {
    let converter = Converter::new(Some(&maps), Vec::new(), Vec::new());
    let mut import = converter.finish(Some(&maps), kernels)?;
    import.notes.retain(|note| *note != Note::MaybeFiltered);
    Ok(import)
}

pub(super) struct Converter {
    scenario: Scenario,
    has_maps: bool,
    /// What is mapped in the record, as far as it is known.
    pub(super) recorded: Recorded,
    /// What ever was, so that a second munmap of the same place is told from one of the unknown.
    pub(super) ever: Recorded,
    descriptors: Descriptors,
    pub(super) calls: Vec<CallLine>,
    /// For each call: the step whose result its address counts from.
    bases: Vec<Option<u32>>,
    /// The steps whose results the new addresses of mremaps count from: number of the call, of the step.
    pub(super) targets: Vec<(u32, u32)>,
    placeholders: Vec<Range>,
    skipped: Vec<Skipped>,
    notes: Vec<Note>,
    layout_unknown_from: Option<u32>,
    limit_set: bool,
    /// The recorded break.
    brk: Option<u64>,
    saw_brk: bool,
    saw_mprotect: bool,
    /// Whether mappings were sealed in the log: what is refused for it can be told.
    pub(super) seals: bool,
}

/// What became of a line.
pub(super) enum Became {
    Step(Call, Option<u32>, Outcome),
    /// A step whose result says nothing.
    Unchecked(Call),
    Skipped(Why),
}

impl Converter {
    fn new(maps: Option<&MapsFile>, skipped: Vec<Skipped>, notes: Vec<Note>) -> Converter {
        let mut scenario = Scenario::default();
        let mut recorded = Recorded::default();
        let mut files = Vec::new();
        if let Some(maps) = maps {
            files.clone_from(&maps.files);
            scenario.start = Start {
                maps: maps.maps.clone(),
                start_brk: None,
                brk: None,
            };
            if let Some(heap) = maps.heap {
                scenario.start.start_brk = Some(heap.start);
                scenario.start.brk = Some(heap.end);
            }
            for map in &maps.maps {
                let prot = Prot::from_bits_truncate(map.perms.bits() as u32)
                    & (Prot::READ | Prot::WRITE | Prot::EXEC);
                let file = map.file.map(|file| (file, map.offset));
                recorded.put(
                    map.range.start,
                    Region {
                        end: map.range.end,
                        owner: None,
                        prot,
                        file,
                        shared: map.perms.contains(VmFlags::MAYSHARE),
                    },
                );
            }
        }
        Converter {
            scenario,
            has_maps: maps.is_some(),
            ever: recorded.clone(),
            recorded,
            descriptors: Descriptors::new(files),
            calls: Vec::new(),
            bases: Vec::new(),
            targets: Vec::new(),
            placeholders: Vec::new(),
            skipped,
            notes,
            layout_unknown_from: None,
            limit_set: false,
            brk: maps.and_then(|maps| maps.heap).map(|heap| heap.end),
            saw_brk: false,
            saw_mprotect: false,
            seals: false,
        }
    }

    /// An address beyond user space, which a 64-bit x86 process never gets.
    fn foreign(&self) -> Option<u32> {
        let beyond = |line: &&CallLine| match line.recorded {
            Some(Outcome::Address(at)) => at > TASK_SIZE,
            _ => false,
        };
        self.calls.iter().find(beyond).map(|line| line.line.0)
    }

    fn all(&mut self, calls: Vec<Told>) {
        let execs = |told: &Told| name(&told.text) == "execve" && told.text.contains(" = 0");
        let last = calls.iter().rposition(execs);
        if calls.iter().filter(|told| execs(told)).count() > 1
            && let Some(last) = last
        {
            self.notes.push(Note::LastExec {
                line: calls[last].line,
            });
        }
        for (index, told) in calls.into_iter().enumerate() {
            if last.is_some_and(|last| index < last) {
                self.skip(&told, Why::BeforeExec);
                continue;
            }
            match self.one(&told) {
                Became::Step(call, base, outcome) => {
                    self.step(told.line, call, base, Some(outcome), None)
                }
                Became::Unchecked(call) => self.step(told.line, call, None, None, None),
                Became::Skipped(why) => self.skip(&told, why),
            }
        }
    }

    fn skip(&mut self, told: &Told, why: Why) {
        if matches!(why, Why::LayoutNotModelled | Why::Partial) {
            self.layout_unknown_from.get_or_insert(told.line);
        }
        self.skipped.push(Skipped {
            line: told.line,
            text: cut(&told.text),
            why,
        });
    }

    pub(super) fn step(
        &mut self,
        line: u32,
        call: Call,
        base: Option<u32>,
        recorded: Option<Outcome>,
        remark: Option<&str>,
    ) {
        let remark = remark.map(str::to_owned);
        self.calls.push(CallLine {
            line: SourceLine(line),
            recorded,
            remark,
            ..CallLine::new(call)
        });
        self.bases.push(base);
    }

    fn one(&mut self, told: &Told) -> Became {
        let Ok(mut parts) = call_parts(Part::line(&told.text)) else {
            return Became::Skipped(Why::NoResult);
        };
        // What strace calls it before it knows it, with all six registers.
        if parts.name.text() == "syscall_0x1ce" {
            parts.name = Part::line("mseal");
            parts.args.truncate(3);
        }
        let Some(result) = result(parts.rest) else {
            return Became::Skipped(Why::NoResult);
        };
        if result.injected {
            return Became::Skipped(Why::Injected);
        }
        let memory = match parts.name.text() {
            "execve" => {
                if self.scenario.title.is_empty() {
                    let path = parts.args.first().map_or("", |path| path.text());
                    self.scenario.title = path.trim_matches('"').to_owned();
                }
                Ok(Became::Skipped(Why::NotMemory))
            }
            "mmap" => self.mmap(told.line, &parts, result.text),
            "munmap" => self.munmap(told.line, &parts, result.text),
            "mprotect" => self.mprotect(told.line, &parts, result.text),
            "pkey_mprotect" => self.pkey_mprotect(told.line, &parts, result.text),
            "brk" => self.brk(told.line, &parts, result.text),
            "prlimit64" | "setrlimit" | "getrlimit" => self.limit(told.line, &parts, result.text),
            "mremap" => self.mremap(told.line, &parts, result.text),
            "shmat" | "shmdt" | "remap_file_pages" => {
                Ok(Became::Skipped(match result.text.text() {
                    failed if failed.starts_with("-1") => Why::ErrorNotModelled,
                    _ => Why::LayoutNotModelled,
                }))
            }
            "madvise" | "mlock" | "mlock2" | "munlock" | "mseal" => {
                self.about_range(&parts, result.text)
            }
            "mlockall" | "munlockall" => self.switch(&parts, result.text),
            // What it was before is not known at first.
            "personality" => {
                call::call(&parts, &mut Reading).map(|(call, _)| Became::Unchecked(call))
            }
            "ftruncate" => self.ftruncate(&parts, result.text),
            "prctl" => match parts.args.first().map(|what| what.text()) {
                Some(call::THP_DISABLE) => self.switch(&parts, result.text),
                Some(call::SET_VMA) => self.about_range(&parts, result.text),
                _ => Ok(Became::Skipped(Why::NotMemory)),
            },
            "process_madvise" | "mbind" | "pkey_alloc" => Ok(Became::Skipped(Why::FlagsOnly)),
            _ => {
                self.descriptors.see(&parts, result.text);
                Ok(Became::Skipped(Why::NotMemory))
            }
        };
        memory.unwrap_or_else(|_| {
            let failed = result.text.text().starts_with(['-', '?']);
            Became::Skipped(if failed {
                Why::Arguments
            } else {
                Why::LayoutNotModelled
            })
        })
    }

    fn mmap(&mut self, line: u32, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let fd = parts.args.get(4).copied();
        let (call, _) = call::call(parts, &mut Reading)?;
        let Call::Mmap(mut mmap) = call else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        let anonymous = mmap.flags.contains(MapFlags::ANONYMOUS);
        let fixed = mmap
            .flags
            .intersects(MapFlags::FIXED | MapFlags::FIXED_NOREPLACE);
        let Some(outcome) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        let shared = match mmap.map_type() {
            MapFlags::TYPE_SHARED => true,
            MapFlags::TYPE_SHARED_VALIDATE => !anonymous,
            _ => false,
        };
        let addr = match outcome {
            Outcome::Address(addr) => addr,
            Outcome::Error(errno) => {
                if let (false, Some(fd), true) = (anonymous, fd, errno != Errno::EBADF) {
                    mmap.fd = Fd::File(self.descriptors.file(fd, fixed, shared));
                }
                let read_only = match mmap.fd {
                    Fd::File(file) => self
                        .descriptors
                        .files
                        .get(file)
                        .is_some_and(|f| f.read_only),
                    Fd::None => false,
                };
                let about_file = match errno {
                    Errno::EACCES => !(anonymous || read_only && mmap.prot.contains(Prot::WRITE)),
                    // A memfd may be sealed against writing.
                    Errno::EPERM => shared && !anonymous,
                    _ => false,
                };
                let about_seal = errno == Errno::EPERM && mmap.addr >= LOWEST;
                if about_file || about_seal && !self.seals {
                    return Ok(Became::Skipped(Why::ErrorNotModelled));
                }
                let base = self.relate(&mut mmap.addr);
                return Ok(Became::Step(Call::Mmap(mmap), base, outcome));
            }
            _ => return Ok(Became::Skipped(Why::NoResult)),
        };
        // No kernel returns such an address: the line was cut in the middle of it.
        if !is_page_aligned(addr) {
            return Ok(Became::Skipped(Why::NoResult));
        }
        if mmap.flags.contains(MapFlags::HUGETLB) {
            return Ok(Became::Skipped(Why::LayoutNotModelled));
        }
        let file = match fd {
            Some(fd) if !anonymous => Some(self.descriptors.file(fd, fixed, shared)),
            _ => None,
        };
        mmap.fd = file.map_or(Fd::None, Fd::File);
        if fixed && addr < LOWEST {
            self.scenario.settings.cap_sys_rawio = true;
            self.notes.push(Note::RawIo { line });
        }
        let range = Range::sized(addr, page_up(mmap.len));
        let owner = match self.recorded.at(addr) {
            Some((_, region)) if fixed && region.end >= range.end && region.owner.is_some() => {
                region.owner
            }
            _ => Some((self.calls.len() as u32, addr)),
        };
        let base = self.relate(&mut mmap.addr);
        let file = file.map(|file| (file, mmap.offset));
        let region = Region {
            end: range.end,
            owner,
            prot: mmap.prot,
            file,
            shared,
        };
        self.recorded.put(addr, region);
        self.ever.put(addr, region);
        Ok(Became::Step(Call::Mmap(mmap), base, outcome))
    }

    fn munmap(&mut self, line: u32, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let (call, _) = call::call(parts, &mut Reading)?;
        let Call::Munmap { mut addr, len } = call else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        let Some(outcome) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        if outcome == Outcome::Error(Errno::EPERM) && !self.seals {
            return Ok(Became::Skipped(Why::ErrorNotModelled));
        }
        let range = Range::sized(addr, page_up(len));
        if outcome == Outcome::Done {
            self.must_have_been_there(line, range);
        }
        let base = self.relate(&mut addr);
        if outcome == Outcome::Done {
            self.recorded.take(range);
        }
        Ok(Became::Step(Call::Munmap { addr, len }, base, outcome))
    }

    fn mprotect(&mut self, line: u32, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let (call, _) = call::call(parts, &mut Reading)?;
        self.protect(line, call, result)
    }

    /// A key of -1 means none: an mprotect.
    fn pkey_mprotect(
        &mut self,
        line: u32,
        parts: &CallParts<'_>,
        result: Part<'_>,
    ) -> Parsed<Became> {
        let [addr, len, access, key] = parts.args[..] else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        if key.text() != "-1" {
            return Ok(Became::Skipped(Why::FlagsOnly));
        }
        let call = Call::Mprotect {
            addr: number(addr)?,
            len: number(len)?,
            prot: prot(access)?,
        };
        self.protect(line, call, result)
    }

    fn protect(&mut self, line: u32, call: Call, result: Part<'_>) -> Parsed<Became> {
        self.saw_mprotect = true;
        let Call::Mprotect {
            mut addr,
            len,
            prot,
        } = call
        else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        let Some(outcome) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        if outcome == Outcome::Error(Errno::EPERM) && !self.seals {
            return Ok(Became::Skipped(Why::Partial));
        }
        let range = Range::sized(addr, page_up(len));
        if outcome == Outcome::Done {
            self.must_have_been_there(line, range);
            self.recorded.protect(range, prot);
        }
        let base = self.relate(&mut addr);
        Ok(Became::Step(
            Call::Mprotect { addr, len, prot },
            base,
            outcome,
        ))
    }

    /// Calls about a range that leave its place and its access as they are. About memory that the log does not know
    /// nothing can be said.
    fn about_range(&mut self, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let (mut call, _) = call::call(parts, &mut Reading)?;
        let Some(outcome) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        let (Call::Madvise { addr, .. }
        | Call::Mlock { addr, .. }
        | Call::Munlock { addr, .. }
        | Call::Mseal { addr, .. }
        | Call::SetAnonName { addr, .. }) = &mut call
        else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        let known = self.has_maps
            || self
                .recorded
                .at(*addr)
                .is_some_and(|(_, region)| region.owner.is_some());
        let failed = |errno| outcome == Outcome::Error(errno);
        // Only shared mappings can be asked to, and private ones stand in for those.
        let remove = parts
            .args
            .get(2)
            .is_some_and(|what| what.text() == "MADV_REMOVE");
        if !known || remove || failed(Errno::EPERM) && !self.seals {
            return Ok(Became::Skipped(Why::FlagsOnly));
        }
        let base = self.relate(addr);
        match call {
            Call::Mseal { .. } => self.seals = true,
            // Names are an option of the kernel's, and what programs give are names.
            Call::SetAnonName { .. } if failed(Errno::EINVAL) => {
                self.scenario.settings.anon_vma_name = false;
            }
            _ => {}
        }
        Ok(Became::Step(call, base, outcome))
    }

    fn switch(&mut self, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let (call, _) = call::call(parts, &mut Reading)?;
        Ok(match outcome(result, &call) {
            // How much is mapped is not known.
            Some(Outcome::Error(Errno::ENOMEM)) if !self.has_maps => {
                Became::Skipped(Why::ErrorNotModelled)
            }
            Some(outcome) => Became::Step(call, None, outcome),
            None => Became::Skipped(no_outcome(result)),
        })
    }

    /// Of a file that was mapped before; how long others are makes no difference.
    fn ftruncate(&mut self, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let (call, _) = call::call(parts, &mut Reading)?;
        let file = parts
            .args
            .first()
            .and_then(|fd| self.descriptors.mapped(*fd));
        Ok(match (call, file, result.text()) {
            (Call::Ftruncate { len, .. }, Some(file), "0") => {
                let fd = Fd::File(file);
                Became::Step(Call::Ftruncate { fd, len }, None, Outcome::Done)
            }
            _ => Became::Skipped(Why::NotMemory),
        })
    }

    fn brk(&mut self, line: u32, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        self.saw_brk = true;
        let (call, _) = call::call(parts, &mut Reading)?;
        let Some(Outcome::Address(to)) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        let Some(from) = self.brk else {
            if to > TASK_SIZE {
                return Ok(Became::Skipped(Why::LayoutNotModelled));
            }
            self.brk = Some(to);
            self.scenario.start.start_brk = Some(to);
            self.scenario.start.brk = Some(to);
            self.notes.push(Note::HeapStart { at: to, line });
            return Ok(Became::Skipped(Why::Anchor));
        };
        self.brk = Some(to);
        let (from, until) = (page_up(from), page_up(to));
        if from < until {
            let prot = Prot::READ | Prot::WRITE;
            let region = Region {
                end: until,
                owner: None,
                prot,
                file: None,
                shared: false,
            };
            self.recorded.put(from, region);
            self.ever.put(from, region);
        } else {
            self.recorded.take(Range {
                start: until,
                end: from,
            });
        }
        Ok(Became::Step(call, None, Outcome::Address(to)))
    }

    fn limit(&mut self, line: u32, parts: &CallParts<'_>, result: Part<'_>) -> Parsed<Became> {
        let args: Vec<&str> = parts.args.iter().map(|arg| arg.text()).collect();
        let (resource, new, old) = match (parts.name.text(), &args[..]) {
            ("prlimit64", ["0", resource, new, old]) => (*resource, *new, *old),
            ("setrlimit", [resource, new]) => (*resource, *new, "NULL"),
            ("getrlimit", [resource, old]) => (*resource, "NULL", *old),
            _ => return Ok(Became::Skipped(Why::NotMemory)),
        };
        let known = call::RESOURCES.iter().find(|(name, _)| *name == resource);
        let Some((_, resource)) = known else {
            return Ok(Became::Skipped(Why::NotMemory));
        };
        if result.text() != "0" {
            return Ok(Became::Skipped(Why::ErrorNotModelled));
        }
        if new == "NULL" {
            if let (Resource::Stack, false, Some(cur)) = (resource, self.limit_set, soft_limit(old))
                && self.scenario.settings.rlimits.stack != cur
            {
                self.scenario.settings.rlimits.stack = cur;
                self.notes.push(Note::StackLimit { line });
            }
            return Ok(Became::Skipped(Why::AsksOnly));
        }
        self.limit_set = true;
        let (call, _) = call::call(parts, &mut Reading)?;
        Ok(Became::Step(call, None, Outcome::Done))
    }

    /// Makes an address in a range that an earlier step returned a distance from that step's result.
    pub(super) fn relate(&mut self, addr: &mut u64) -> Option<u32> {
        let (_, region) = self.recorded.at(*addr)?;
        let (step, returned) = region.owner?;
        *addr = addr.wrapping_sub(returned);
        Some(step)
    }

    /// Without a maps file: what a call worked on, and no call made, was there from the start.
    pub(super) fn must_have_been_there(&mut self, line: u32, range: Range) {
        if self.has_maps {
            return;
        }
        let range = Range {
            start: page_down(range.start),
            // A damaged log may name an end between pages; one at the very top wraps, and is beyond user space.
            end: page_up(range.end).max(range.end),
        };
        for unknown in self.ever.unknown(range) {
            let prot = Prot::READ | Prot::WRITE;
            let region = Region {
                end: unknown.end,
                owner: None,
                prot,
                file: None,
                shared: false,
            };
            self.ever.put(unknown.start, region);
            self.recorded.put(unknown.start, region);
            if unknown.end <= TASK_SIZE {
                self.placeholders.push(unknown);
                self.notes.push(Note::Placeholder {
                    range: unknown,
                    line,
                });
            }
        }
    }

    fn finish(
        mut self,
        maps: Option<&MapsFile>,
        kernels: &[Kernel],
    ) -> Result<Import, ImportError> {
        if let Some(line) = self.foreign() {
            return Err(ImportError::NotX8664 { line });
        }
        if self.calls.len() > MAX_STEPS as usize {
            return Err(ImportError::TooManySteps {
                given: self.calls.len() as u32,
            });
        }
        if !(self.saw_brk && self.saw_mprotect) {
            self.notes.push(Note::MaybeFiltered);
        }
        let anchored_by = match maps {
            Some(maps) => anchor::by_maps(&mut self.scenario, maps, &mut self.notes),
            None => anchor::by_first_mapping(&mut self.scenario, &mut self.calls, &mut self.notes),
        };
        self.add_placeholders();
        give_names(&mut self.calls, &self.bases, &self.targets);
        let Converter {
            mut scenario,
            descriptors,
            calls,
            skipped,
            notes,
            layout_unknown_from,
            ..
        } = self;
        scenario.kernels = kernels.to_vec();
        scenario.files = descriptors.files.into_list();
        let mut import = Import {
            scenario,
            skipped,
            anchored_by,
            notes,
            layout_unknown_from,
        };
        let bases = self.bases;
        import.scenario.program =
            Program::of_calls(fit_random_begins(calls, &bases, &self.targets, &mut import));
        let skipped = std::mem::take(&mut import.skipped);
        import.skipped = crate::order::sorted_by_number(skipped, |skipped| u64::from(skipped.line));
        if let Some(line) = first_lost(&import.skipped) {
            let from = import.layout_unknown_from.get_or_insert(line);
            *from = line.min(*from);
        }
        if import.anchored_by == AnchoredBy::Nothing {
            import.layout_unknown_from.get_or_insert(1);
        }
        Ok(import)
    }

    fn add_placeholders(&mut self) {
        if self.placeholders.is_empty() {
            return;
        }
        let usual = mmscope_mm::FilePlacement::NoHook;
        let file = self
            .descriptors
            .files
            .exact(PLACEHOLDER, NO_DEVICE, 1, usual);
        for range in &self.placeholders {
            self.scenario.start.maps.push(StartMap {
                range: *range,
                perms: VmFlags::READ | VmFlags::WRITE,
                offset: range.start,
                file: Some(file),
                special: None,
            });
        }
        let maps = std::mem::take(&mut self.scenario.start.maps);
        self.scenario.start.maps = crate::order::sorted_by_number(maps, |map| map.range.start);
    }
}

/// Addresses below this one need `CAP_SYS_RAWIO`.
const LOWEST: u64 = 65536;

/// Reads the arguments as they stand.
pub(super) struct Reading;

impl Context for Reading {
    fn fd(&mut self, _: Part<'_>) -> Parsed<Fd> {
        Ok(Fd::None)
    }

    fn knows(&self, _: &str) -> Result<(), Option<String>> {
        Err(None)
    }
}

pub(super) fn outcome(result: Part<'_>, call: &Call) -> Option<Outcome> {
    call::outcome(result, call).ok()
}

/// Why a result is none: an error that the model does not know, or nothing readable.
pub(super) fn no_outcome(result: Part<'_>) -> Why {
    if result.text().starts_with("-1 E") {
        Why::ErrorNotModelled
    } else {
        Why::NoResult
    }
}

/// The soft limit of `{rlim_cur=…, rlim_max=…}`.
fn soft_limit(text: &str) -> Option<Limit> {
    let cur = text.strip_prefix("{rlim_cur=")?.split(',').next()?;
    limit(Part::line(cur)).ok()
}

/// The first line in which a call that may have changed the layout lost its result.
fn first_lost(skipped: &[Skipped]) -> Option<u32> {
    let is_memory = |text: &str| {
        MEMORY_CALLS
            .iter()
            .any(|call| text.contains(&format!("{call}(")))
    };
    let lost = skipped
        .iter()
        .find(|skipped| skipped.why == Why::NoResult && is_memory(&skipped.text));
    lost.map(|skipped| skipped.line)
}
