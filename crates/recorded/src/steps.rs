//! Step truths: what `/proc/PID/maps` held before each call of a trace, in a `.steps` file beside it.
//!
//! `@N before CALL(…)` heads a step; `-LINE` and `+LINE` below it are the lines that went and came since the last one.

use std::collections::BTreeMap;

use mmscope_lab::{Position, Timeline};
use mmscope_mm::page::PAGE_SHIFT;
use mmscope_mm::{Label, Machine, Range, Special, Vma, VmaId};

/// The calls that were stopped at, as a log writes them (mlock2 was not); a log that does not know `mseal` has its number.
const STOPPED_AT: [&str; 16] = [
    "brk",
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "shmat",
    "shmdt",
    "mlock",
    "munlock",
    "mlockall",
    "munlockall",
    "pkey_mprotect",
    "mseal",
    "syscall_0x1ce",
    "exit_group",
];

/// A layout in the words of both sides: `START-END PERMS OFFSET[ NAME]` by start.
type Layout = BTreeMap<u64, String>;

/// What the comparison of one trace's steps came to.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// Layouts compared.
    pub(crate) compared: u64,
    /// Layouts among them that differ.
    pub(crate) different: u64,
    /// The first that differs, in full.
    pub(crate) first: Option<String>,
}

/// Compares the model's layout before each call with the recorded one.
///
/// # Errors
/// A step that the log has no call for, or a line that can't be read.
pub(crate) fn compare(timeline: &mut Timeline, log: &str, truth: &str) -> Result<Steps, String> {
    let calls = calls_of(log);
    let mut steps = Steps::default();
    let mut maps = Layout::new();
    let mut lines = (1..).zip(truth.lines()).peekable();
    while let Some((number, head)) = lines.next() {
        let at = |what: &str| format!("line {number} of the steps: “{head}” {what}");
        let step: usize = head
            .strip_prefix('@')
            .and_then(|rest| rest.split(' ').next()?.parse().ok())
            .ok_or_else(|| at("is no head of a step: expected @N before CALL(…)"))?;
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with('@')) {
            let changed = start(line).zip(line.get(1..).and_then(recorded));
            let (start, words) = changed.ok_or_else(|| at("has a line that is none of maps"))?;
            if line.starts_with('-') || line.ends_with("[vsyscall]") {
                maps.remove(&start);
            } else {
                maps.insert(start, words);
            }
        }
        let line = *step
            .checked_sub(1)
            .and_then(|index| calls.get(index))
            .ok_or_else(|| at("stands for a call that the log does not have"))?;
        let before = (0..timeline.step_count())
            .filter_map(|index| timeline.step(index))
            .filter(|step| step.line < line)
            .count() as u32;
        timeline.go(Position {
            step: before,
            micro: None,
        });
        let frame = timeline.frame();
        let Some(lane) = frame.lanes.first() else {
            continue;
        };
        let model = of_model(lane.machine);
        steps.compared += 1;
        if maps != model {
            steps.different += 1;
            steps
                .first
                .get_or_insert_with(|| describe(head, line, &maps, &model));
        }
    }
    Ok(steps)
}

/// The lines of a log, counted from 1, with the calls that were stopped at.
fn calls_of(log: &str) -> Vec<u32> {
    (1..)
        .zip(log.lines())
        .filter(|(_, line)| {
            let name = line.split('(').next().unwrap_or("");
            STOPPED_AT.contains(&name.rsplit(' ').next().unwrap_or(name))
        })
        .map(|(number, _)| number)
        .collect()
}

fn start(line: &str) -> Option<u64> {
    let range = line.get(1..)?.split('-').next()?;
    u64::from_str_radix(range, 16).ok()
}

/// The name column of maps, where it is not a file's: a log names a file as it was opened, maps as the links resolve.
fn own_name(machine: &Machine, id: VmaId) -> &str {
    match machine.label(id) {
        Label::File | Label::Shmem => "",
        _ => machine.label_text(id),
    }
}

/// A mapping in the words of both sides. How far the stack grew depends on what the program pushed, which no trace tells.
fn in_words(from: u64, to: u64, perms: &str, offset: u64, name: &str) -> String {
    if name == Special::Stack.name() {
        format!("-{to:x} {perms} {offset:x} {name}")
    } else {
        format!("{from:x}-{to:x} {perms} {offset:x} {name}")
    }
}

fn recorded(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let (perms, offset) = (words.next()?, words.next()?);
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let name = words.skip(2).collect::<Vec<_>>().join(" ");
    let name = if name.starts_with('[') { &name } else { "" };
    Some(in_words(hex(from)?, hex(to)?, perms, hex(offset)?, name))
}

fn of_model(machine: &Machine) -> Layout {
    let everything = Range {
        start: 0,
        end: u64::MAX,
    };
    let line = |(id, vma): (VmaId, &Vma)| {
        let perms: String = vma.flags.perms().iter().collect();
        let offset = if vma.file.is_some() {
            vma.pgoff << PAGE_SHIFT
        } else {
            0
        };
        let name = own_name(machine, id);
        let line = in_words(vma.start, vma.end, &perms, offset, name);
        (vma.start, line)
    };
    machine.vmas(everything).map(line).collect()
}

fn describe(head: &str, line: u32, recorded: &Layout, model: &Layout) -> String {
    let only = |these: &Layout, those: &Layout| {
        these
            .values()
            .filter(|line| !those.values().any(|other| other == *line))
            .map(|line| format!("\n    {line}"))
            .collect::<String>()
    };
    format!(
        "line {line}: the layout {head}\n  only recorded:{}\n  only in the model:{}",
        only(recorded, model),
        only(model, recorded)
    )
}
