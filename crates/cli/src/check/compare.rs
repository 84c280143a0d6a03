//! One program, run by the kernel and by the model, call by call.

use std::collections::BTreeMap;

use mmscope_lab::{CallLine, maps_file, outcome_text};
use mmscope_mm::page::{PAGE_SIZE, page_down};
use mmscope_mm::{
    Access, Call, File, FileId, FilePlacement, Kernel, Machine, NotModelled, Outcome, Range,
    Settings, Special, Start, VmFile, VmaId, maps,
};

use super::files::{Files, Wanted};
use super::syscall::ask;
use super::tracee::{Answer, Tracee, Unavailable};
use super::{image, system};

/// A program to run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job {
    /// Its calls.
    pub(super) calls: Vec<CallLine>,
    /// Its files.
    pub(super) files: Vec<Wanted>,
    /// With address randomization.
    pub(super) randomize: bool,
}

/// What came of a program.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    /// Calls compared, with the one that differs.
    pub(super) compared: u64,
    /// What the model does not cover, where the program ended for that.
    pub(super) not_modelled: Option<NotModelled>,
    /// The first difference, which ends the program.
    pub(super) difference: Option<Difference>,
    /// Where it ran.
    pub(super) place: Place,
    /// The calls with their addresses, as far as they were made.
    pub(super) made: Vec<Call>,
    /// What the kernel answered to them.
    pub(super) answers: Vec<Option<Outcome>>,
}

/// Machine and process of a run, as a scenario tells them.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The settings.
    pub(super) settings: Settings,
    /// All files.
    pub(super) files: Vec<File>,
    /// The process before the first call.
    pub(super) start: Start,
    /// Accesses before the first call, so that the model knows what is in memory.
    pub(super) prelude: Vec<Call>,
}

/// In what kernel and model differ after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Which call, counted from 0.
    pub(super) call: usize,
    /// The result of the kernel and that of the model, if they differ.
    pub(super) result: Option<(String, String)>,
    /// Lines that only the kernel prints.
    pub(super) kernel_only: Vec<String>,
    /// Lines that only the model prints.
    pub(super) model_only: Vec<String>,
}

/// Runs a program in a process of its own, and in the model.
pub(super) fn run(job: &Job, kernel: Kernel) -> Result<Ran, Unavailable> {
    let files = Files::make(&job.files).map_err(|errno| Unavailable::Trace {
        step: "files",
        error: errno.desc().to_owned(),
    })?;
    let mut tracee = Tracee::start(job.randomize)?;
    let place = place(&mut tracee, files.described.clone(), job.randomize)?;
    let unable = |error| Unavailable::Trace {
        step: "maps",
        error: format!("{error:?}"),
    };
    let mut machine = Machine::new(
        kernel,
        place.settings.clone(),
        place.files.clone(),
        &place.start,
    )
    .map_err(unable)?;
    for call in &place.prelude {
        machine.run(call, &mut ());
        if let Some(ask) = ask(call, &[]) {
            tracee.run(&ask)?;
        }
    }
    let mut ran = Ran {
        compared: 0,
        not_modelled: None,
        difference: None,
        place,
        made: Vec::new(),
        answers: Vec::new(),
    };
    let numbers = files.numbers();
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    let mut inodes = BTreeMap::new();
    let mut text = String::new();
    for (index, line) in job.calls.iter().enumerate() {
        let call = line.resolved(|name| names.get(name).copied());
        let ask = ask(&call, &numbers).filter(|_| !reads_kernel_pages(&machine, &call));
        let Some(ask) = ask else {
            ran.made.push(call);
            ran.answers.push(None);
            continue;
        };
        // The model goes first: what it does not cover must not be asked of the kernel.
        let model = machine.run(&call, &mut ());
        if let Outcome::NotModelled(what) = model {
            ran.not_modelled = Some(what);
            break;
        }
        let answer = tracee.run(&ask)?;
        ran.made.push(call);
        let known = match &answer {
            Answer::Known(outcome) => Some(*outcome),
            _ => None,
        };
        ran.answers.push(known);
        if answer == Answer::Ended {
            break;
        }
        if let (Some(name), Some(outcome)) = (&line.name, known) {
            match outcome.address() {
                Some(at) => names.insert(name, at),
                None => names.remove(name.as_str()),
            };
        }
        ran.compared += 1;
        let result = (known != Some(model)).then(|| (answer_text(&answer), outcome_text(model)));
        tracee.smaps(&mut text)?;
        let (kernel_only, model_only) = layouts(&text, &machine, &mut inodes);
        if result.is_some() || !kernel_only.is_empty() || !model_only.is_empty() {
            ran.difference = Some(Difference {
                call: index,
                result,
                kernel_only,
                model_only,
            });
            break;
        }
        if !tracee.is_alive() {
            break;
        }
    }
    Ok(ran)
}

/// Whether the call accesses `[vvar]` or `[vdso]`: what can be read there depends on the machine.
fn reads_kernel_pages(machine: &Machine, call: &Call) -> bool {
    let Call::Touch { addr, len, .. } = *call else {
        return false;
    };
    let end = addr.saturating_add(len);
    let mut vmas = machine.vmas(Range { start: addr, end });
    vmas.any(|(_, vma)| vma.special.is_some_and(|special| special != Special::Stack))
}

/// What the model has to know of the process before the first call.
fn place(tracee: &mut Tracee, files: Vec<File>, randomize: bool) -> Result<Place, Unavailable> {
    const MMAP: u64 = 9;
    const MUNMAP: u64 = 11;
    const BRK: u64 = 12;
    const PRIVATE_ANONYMOUS: u64 = 0x22;
    const NONE: u64 = u64::MAX;
    let mut settings = system::settings(tracee.pid());
    let brk = tracee.syscall(BRK, [0; 6])?.map(|brk| brk as u64);
    // The first place that is free tells where the area for mappings ends; nothing stays of it.
    let probe = [0, 4096, 0, PRIVATE_ANONYMOUS, NONE, 0];
    let top = tracee.syscall(MMAP, probe)?.unwrap_or(0) as u64;
    tracee.syscall(MUNMAP, [top, 4096, 0, 0, 0, 0])?;
    let mut text = String::new();
    tracee.smaps(&mut text)?;
    let read = maps_file::parse(&text).map_err(|errors| Unavailable::Trace {
        step: "maps",
        error: errors.first().map_or_else(String::new, ToString::to_string),
    })?;
    let own = files.len() as u32;
    let mut all = files;
    all.extend(read.files.into_iter().map(|file| File {
        placement: FilePlacement::Shmem,
        len: Some(4096),
        ..file
    }));
    let mut maps = read.maps;
    for map in &mut maps {
        map.file = map.file.map(|id| FileId(id.0 + own));
    }
    if settings.legacy_layout {
        settings.mmap_base = Some(top);
    } else if randomize {
        // [vvar] and [vdso] may lie between that place and the end.
        let mut end = top + 4096;
        while let Some(map) = maps.iter().find(|map| {
            map.range.start == end && map.special.is_some_and(|special| special != Special::Stack)
        }) {
            end = map.range.end;
        }
        settings.mmap_base = Some(end);
    }
    let stack = maps.iter().find(|map| map.special == Some(Special::Stack));
    let stack = stack.map_or(0, |map| map.range.end);
    let used = page_down(tracee.stack_pointer()).min(stack);
    let touch = |addr, len| Call::Touch {
        addr,
        len,
        stride: PAGE_SIZE,
        access: Access::Write,
    };
    let prelude = vec![touch(image::DATA, PAGE_SIZE), touch(used, stack - used)];
    Ok(Place {
        prelude,
        settings,
        files: all,
        start: Start {
            maps,
            start_brk: brk,
            brk,
        },
    })
}

/// What the kernel answered, as strace would print it.
fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Known(outcome) => outcome_text(*outcome),
        Answer::Number(value) => value.to_string(),
        Answer::Signal(name, code, at) => format!("{name} (si_code {code}) at {at:#x}"),
        Answer::Ended => "?".to_owned(),
    }
}

/// The fields of smaps that are compared. Not `LazyFree`: pages are marked in batches, later. Nor
/// shares and `Locked`, for which other mappings of a file count.
const FIELDS: &[&str] = &["Rss", "Anonymous", "AnonHugePages", "THPeligible"];

/// Lines that kernel and model do not have in common.
fn layouts(
    smaps: &str,
    machine: &Machine,
    inodes: &mut BTreeMap<u64, u64>,
) -> (Vec<String>, Vec<String>) {
    let whole = Range {
        start: 0,
        end: u64::MAX,
    };
    let (mut kernel_only, mut model_only) = (Vec::new(), Vec::new());
    let mut kernel = blocks(smaps).peekable();
    let mut model = machine.vmas(whole).peekable();
    loop {
        // Both go by address: the lower one goes first, and where they are equal both do.
        let starts = (
            kernel.peek().map(|block| block.start),
            model.peek().map(|(_, vma)| vma.start),
        );
        let (take_kernel, take_model) = match starts {
            (None, None) => break,
            (Some(a), Some(b)) => (a <= b, b <= a),
            (a, b) => (a.is_some(), b.is_some()),
        };
        let real = if take_kernel { kernel.next() } else { None };
        let own = if take_model { model.next() } else { None };
        let own = own.map(|(id, _)| id);
        let head = own.map(|id| maps::line(machine, id));
        match (real, own, head) {
            (Some(block), Some(id), Some(head)) => {
                if !same_line(block.head, &head, inodes) {
                    kernel_only.push(block.head.trim_end().to_owned());
                    model_only.push(head.trim_end().to_owned());
                } else if machine.vma(id).special.is_none() && block.start != image::BASE {
                    details(&block, machine, id, &mut kernel_only, &mut model_only);
                }
            }
            (Some(block), ..) => kernel_only.push(block.head.trim_end().to_owned()),
            (_, _, Some(head)) => model_only.push(head.trim_end().to_owned()),
            _ => {}
        }
    }
    (kernel_only, model_only)
}

/// Compares the fields of a mapping whose first lines are equal.
fn details(
    block: &Block<'_>,
    machine: &Machine,
    id: VmaId,
    kernel_only: &mut Vec<String>,
    model_only: &mut Vec<String>,
) {
    let smaps = machine.smaps(id);
    let ours = [
        smaps.rss,
        smaps.anonymous,
        smaps.anon_huge,
        u64::from(smaps.thp_eligible),
    ];
    // How far a file system reads ahead is not modelled, and what is in memory can be mapped.
    let read_ahead = match machine.vma(id).file {
        Some(VmFile::File(file)) => {
            machine.files()[file.0 as usize].placement != FilePlacement::Shmem
        }
        _ => false,
    };
    for (field, ours) in FIELDS.iter().zip(ours) {
        if read_ahead && *field == "Rss" {
            continue;
        }
        let Some(theirs) = block.field(field) else {
            continue;
        };
        let number = theirs
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok());
        if number != Some(ours) {
            kernel_only.push(format!("{:x} {field} {}", block.start, theirs.trim()));
            model_only.push(format!("{:x} {field} {ours}", block.start));
        }
    }
    if let Some(theirs) = block.field("VmFlags") {
        // Soft-dirty comes and goes with other tools.
        let theirs: Vec<&str> = theirs
            .split_whitespace()
            .filter(|flag| *flag != "sd")
            .collect();
        let ours = machine.vm_flag_codes(id);
        if theirs.join(" ") != ours.trim_end() {
            kernel_only.push(format!("{:x} VmFlags {}", block.start, theirs.join(" ")));
            model_only.push(format!("{:x} VmFlags {}", block.start, ours.trim_end()));
        }
    }
}

/// A mapping in smaps.
struct Block<'a> {
    start: u64,
    /// Its line of maps.
    head: &'a str,
    /// The lines behind it.
    rest: &'a str,
}

impl<'a> Block<'a> {
    /// What stands behind a field's name.
    fn field(&self, name: &str) -> Option<&'a str> {
        self.rest
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    }
}

/// The mappings of smaps; the vsyscall page is none.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let is_head = |line: &str| !line.starts_with(|c: char| c.is_ascii_uppercase());
    let mut rest = text;
    std::iter::from_fn(move || {
        let (head, mut behind) = rest.split_once('\n')?;
        let fields = behind;
        let mut len = 0;
        while let Some((line, after)) = behind.split_once('\n') {
            if is_head(line) {
                break;
            }
            len += line.len() + 1;
            behind = after;
        }
        rest = behind;
        let start = head.split('-').next()?;
        Some(Block {
            start: u64::from_str_radix(start, 16).ok()?,
            head,
            rest: &fields[..len],
        })
    })
    .filter(|block| !block.head.ends_with("[vsyscall]"))
}

/// Whether two lines of maps are equal. Inodes of shared anonymous memory are numbered by what all processes of the
/// machine did: there must be one of the model's for each of the kernel's.
fn same_line(kernel: &str, model: &str, inodes: &mut BTreeMap<u64, u64>) -> bool {
    const SHARED: &str = "/dev/zero (deleted)";
    if !(kernel.ends_with(SHARED) && model.ends_with(SHARED)) {
        return kernel == model;
    }
    let parts = |line: &str| -> Option<(String, u64)> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.get(..4)?.join(" "), words.get(4)?.parse().ok()?))
    };
    match (parts(kernel), parts(model)) {
        (Some((front, theirs)), Some((own, ours))) => {
            front == own && *inodes.entry(theirs).or_insert(ours) == ours
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaps_is_read_by_mappings() {
        let text = "00400000-00401000 r-xp 00000000 00:01 7 /memfd:x (deleted)\nSize:   4 kB\nVmFlags: rd ex \n\
                    7000-8000 rw-p 00000000 00:00 0 \nRss:  8 kB\n\
                    ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\nSize: 4 kB\n";
        let all: Vec<Block<'_>> = blocks(text).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].start, 0x40_0000);
        assert_eq!(all[0].field("VmFlags"), Some(" rd ex "));
        assert_eq!(all[1].field("Rss"), Some("  8 kB"));
        assert_eq!(all[1].field("Size"), None);
    }

    #[test]
    fn inodes_of_shared_memory_are_compared_by_which_are_the_same() {
        let line = |inode| format!("7000-8000 rw-s 00000000 00:01 {inode}   /dev/zero (deleted)");
        let mut inodes = BTreeMap::new();
        assert!(same_line(&line(1000), &line(1), &mut inodes));
        assert!(same_line(&line(1001), &line(2), &mut inodes));
        assert!(!same_line(&line(1000), &line(2), &mut inodes));
        assert!(!same_line(
            "7000-8000 rw-p 0",
            "7000-8000 r--p 0",
            &mut inodes
        ));
    }
}
