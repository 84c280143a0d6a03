//! Runs recorded traces (strace logs with the maps files beside them) against the model.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mmscope_lab::check::{Difference, agreement};
use mmscope_lab::strace::{Import, ImportError, Why, import};
use mmscope_lab::{Timeline, maps_file, outcome_text};
use mmscope_mm::page::PAGE_SHIFT;
use mmscope_mm::{Kernel, Label, Range, Special};

use crate::profile::profile;
use crate::read::read_text;
use crate::steps;

/// What the comparison of traces came to.
#[derive(Debug, Default)]
pub struct CasesReport {
    /// Results compared.
    pub compared: u64,
    /// Results among them that differ, and final layouts that differ.
    pub different: u64,
    /// Calls, or whole logs, that are not compared, by the reason.
    pub out_of_scope: BTreeMap<String, u64>,
    /// How often the layout at the end was compared with the maps file of the end.
    pub end_layouts: u64,
    /// Layouts before a call compared with those that were recorded before it.
    pub steps: u64,
    /// The first difference, in full.
    pub first: Option<String>,
}

impl CasesReport {
    /// Adds another report's counts; keeps the earlier first difference.
    pub fn add(&mut self, other: CasesReport) {
        self.compared += other.compared;
        self.different += other.different;
        self.end_layouts += other.end_layouts;
        self.steps += other.steps;
        for (reason, count) in other.out_of_scope {
            *self.out_of_scope.entry(reason).or_default() += count;
        }
        self.first = self.first.take().or(other.first);
    }

    fn leave_out(&mut self, reason: impl Into<String>, count: u64) {
        *self.out_of_scope.entry(reason.into()).or_default() += count;
    }
}

impl fmt::Display for CasesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: u64 = self.out_of_scope.values().sum();
        write!(
            f,
            "{} compared, {} different, {skipped} out of scope",
            self.compared, self.different
        )
    }
}

/// Whether a file's name says that it is a strace log.
pub fn is_trace(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let whole = name.strip_suffix(".br").unwrap_or(name);
    whole.ends_with(".strace")
        || whole
            .rsplit_once(".strace.")
            .is_some_and(|(_, pid)| pid.parse::<u32>().is_ok())
}

/// The kernel that the traces of a folder were recorded on, as a `MACHINE.txt` in it or above it names it.
pub fn machine_kernel(trace: &Path) -> Option<Kernel> {
    let text = trace
        .ancestors()
        .find_map(|folder| std::fs::read_to_string(folder.join("MACHINE.txt")).ok())?;
    let line = text.lines().find(|line| line.starts_with("kernel"))?;
    line.split_whitespace().find_map(profile)
}

/// Replays one log, from the maps file of the start beside it if there is one, and compares every result; then the
/// layout with the maps file of the end, if there is one.
///
/// # Errors
/// Those of the file system.
pub fn check_trace(path: &Path, kernel: Kernel) -> io::Result<CasesReport> {
    let mut report = CasesReport::default();
    let log = read_lossy(path)?;
    let (initial, last) = (beside(path, "initial.maps")?, beside(path, "final.maps")?);
    if initial.len() > 1 {
        report.leave_out(
            "several processes have maps files: which is the log's is not told",
            1,
        );
        return Ok(report);
    }
    let maps = initial.first().map(|path| read_text(path)).transpose()?;
    match import(&log, maps.as_deref(), &[kernel]) {
        Ok(imported) => {
            replay(&imported, last.first().map(PathBuf::as_path), &mut report)?;
            if let Some(steps) = beside(path, "steps")?.first() {
                compare_steps(&imported, &log, &read_text(steps)?, &mut report);
            }
        }
        Err(errors) => {
            let reason = errors.first().map_or_else(String::new, refusal);
            report.leave_out(reason, 1);
        }
    }
    Ok(report)
}

fn replay(imported: &Import, last: Option<&Path>, report: &mut CasesReport) -> io::Result<()> {
    for skipped in &imported.skipped {
        if let Some(reason) = left_out(skipped.why) {
            report.leave_out(reason, 1);
        }
    }
    let mut timeline = match Timeline::new(imported.scenario.clone()) {
        Ok(timeline) => timeline,
        Err(error) => {
            report.leave_out(format!("the start can't be set up: {error:?}"), 1);
            return Ok(());
        }
    };
    let known = |line: u32| imported.layout_unknown_from.is_none_or(|from| line < from);
    let unknown = (0..timeline.step_count())
        .filter_map(|index| timeline.step(index))
        .filter(|step| step.recorded.is_some() && !known(step.line))
        .count() as u64;
    if unknown > 0 {
        report.leave_out(
            "the layout is not known any more: a call before it is not modelled",
            unknown,
        );
    }
    let agreement = agreement(&mut timeline, 0);
    let all = agreement.addresses.compared + agreement.errors.compared + agreement.others.compared;
    report.compared += u64::from(all) - unknown;
    for difference in agreement
        .differences
        .iter()
        .filter(|difference| known(difference.line))
    {
        report.different += 1;
        report.first.get_or_insert_with(|| describe(difference));
    }
    let whole = imported.layout_unknown_from.is_none()
        && !imported.skipped.iter().any(|s| changes_layout(s.why));
    if let Some(last) = last
        && whole
        && imported.anchored_by == mmscope_lab::strace::AnchoredBy::Maps
    {
        timeline.last();
        compare_end(&timeline, last, report)?;
    }
    Ok(())
}

/// A log may hold bytes that are no UTF-8: names of files, and what was read and written.
fn read_lossy(path: &Path) -> io::Result<String> {
    if path.extension().is_some_and(|extension| extension == "br") {
        return read_text(path);
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

fn compare_steps(imported: &Import, log: &str, truth: &str, report: &mut CasesReport) {
    let compared = Timeline::new(imported.scenario.clone())
        .map_err(|error| format!("{error:?}"))
        .and_then(|mut timeline| steps::compare(&mut timeline, log, truth));
    match compared {
        Ok(steps) => {
            report.steps += steps.compared;
            report.different += steps.different;
            report.first = report.first.take().or(steps.first);
        }
        Err(reason) => report.leave_out(reason, 1),
    }
}

fn describe(difference: &Difference) -> String {
    let Difference {
        line,
        call,
        recorded,
        model,
        deciding,
        ..
    } = difference;
    format!(
        "line {line}: {call}\n    recorded {}\n    model    {}\n    decided by {deciding:?}",
        outcome_text(*recorded),
        outcome_text(*model)
    )
}

/// The layout at the end, told as stretches: touching mappings of one kind are one, since a trace does not tell which
/// of them were written to, and so which of them merged.
fn compare_end(timeline: &Timeline, last: &Path, report: &mut CasesReport) -> io::Result<()> {
    let Ok(recorded) = maps_file::parse(&read_text(last)?) else {
        report.leave_out("the maps file of the end can't be read", 1);
        return Ok(());
    };
    let mut expected = Stretches::default();
    for map in &recorded.maps {
        let perms: String = map.perms.perms().iter().collect();
        let what = match (map.file, map.special) {
            (Some(_), _) => What::File {
                from: map.offset.wrapping_sub(map.range.start),
            },
            (None, Some(special)) => What::Special(special.name()),
            (None, None) => What::Anonymous,
        };
        expected.push(map.range, perms, what);
    }
    let frame = timeline.frame();
    let Some(lane) = frame.lanes.first() else {
        return Ok(());
    };
    let machine = lane.machine;
    let mut model = Stretches::default();
    for (id, vma) in machine.vmas(Range {
        start: 0,
        end: u64::MAX,
    }) {
        let perms: String = vma.flags.perms().iter().collect();
        let what = match machine.label(id) {
            Label::File | Label::Shmem => What::File {
                from: (vma.pgoff << PAGE_SHIFT).wrapping_sub(vma.start),
            },
            Label::Special(special) => What::Special(special.name()),
            Label::Anonymous | Label::Named | Label::Heap => What::Anonymous,
        };
        model.push(
            Range {
                start: vma.start,
                end: vma.end,
            },
            perms,
            what,
        );
    }
    report.end_layouts += 1;
    if expected != model {
        report.different += 1;
        report.first.get_or_insert_with(|| {
            let only = |a: &Stretches, b: &Stretches| {
                a.0.iter()
                    .filter(|s| !b.0.contains(s))
                    .map(|s| format!("\n    {s:x?}"))
                    .collect::<String>()
            };
            format!(
                "the layout at the end\n  only recorded:{}\n  only in model:{}",
                only(&expected, &model),
                only(&model, &expected)
            )
        });
    }
    Ok(())
}

/// What a stretch shows. Files are told by their offsets alone: a log names a file as it was opened, maps as the links
/// resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Anonymous,
    /// Offset less address, which is one number for a file mapped as a whole.
    File {
        from: u64,
    },
    Special(&'static str),
}

/// Touching mappings of one kind, joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stretches(Vec<(Range, String, What)>);

impl Stretches {
    fn push(&mut self, mut range: Range, perms: String, what: What) {
        // How far the stack grew depends on what the program pushed, which no trace tells.
        if what == What::Special(Special::Stack.name()) {
            range.start = range.end;
        }
        if let Some((last, last_perms, last_what)) = self.0.last_mut()
            && (last.end, &*last_perms, *last_what) == (range.start, &perms, what)
        {
            last.end = range.end;
            return;
        }
        self.0.push((range, perms, what));
    }
}

/// `NAME.….END` beside `NAME.strace`, compressed or not.
fn beside(trace: &Path, end: &str) -> io::Result<Vec<PathBuf>> {
    let name = trace
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let stem = name.split(".strace").next().unwrap_or(name);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(trace.parent().unwrap_or(Path::new(".")))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("")
            .to_owned();
        let rest = name
            .strip_prefix(stem)
            .and_then(|rest| rest.strip_prefix('.'));
        if rest.is_some_and(|rest| rest.strip_suffix(".br").unwrap_or(rest).ends_with(end)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn changes_layout(why: Why) -> bool {
    matches!(why, Why::LayoutNotModelled | Why::Arguments | Why::NoResult)
}

/// Lines that a full model would compare; the others have nothing to compare.
fn left_out(why: Why) -> Option<&'static str> {
    Some(match why {
        Why::FlagsOnly => "calls that change attributes only are not modelled yet",
        Why::LayoutNotModelled => "a call that changes the layout and is not modelled yet",
        Why::ErrorNotModelled => {
            "errors that depend on what is not modelled, such as rights of a file"
        }
        Why::Arguments => "arguments that can't be read",
        Why::OtherProcess { .. } => "calls of another process",
        _ => return None,
    })
}

fn refusal(error: &ImportError) -> String {
    match error {
        ImportError::SeveralProcesses { .. } => {
            "logs of several processes are not replayed yet".into()
        }
        ImportError::NotX8664 { .. } => "the process is not a 64-bit x86 one".into(),
        ImportError::FailedOnly => "the log holds only calls that failed".into(),
        ImportError::SummaryOnly => "the log is a summary".into(),
        other => format!("not replayable: {other}"),
    }
}
