//! Runs recorded cases against the model.

use std::collections::BTreeMap;

use mmscope_mm::page::PAGE_SIZE;
use mmscope_mm::{
    Access, Call, File, FileId, FilePlacement, Kernel, Machine, Outcome, Overcommit, Page, Prot,
    Range, Settings, Start, Thp, VmaId,
};
use serde_json::Value;

use crate::case::{Case, CaseError, Op};
use crate::layout::{Layout, Line, of_model};
use crate::profile::{has_hugetlb, profile};
use crate::report::{Difference, Report};
use crate::script::{Ask, Names, parse};

/// Checks all cases of a text, one JSON object a line.
///
/// # Errors
/// The first line that is not a case.
pub fn check_text(text: &str) -> Result<Report, CaseError> {
    let mut report = Report::default();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let number = index + 1;
        let case: Case = serde_json::from_str(line).map_err(|error| CaseError::NotACase {
            line: number,
            why: error.to_string(),
        })?;
        if case.schema != 1 {
            return Err(CaseError::Schema {
                line: number,
                found: case.schema,
            });
        }
        let Some(kernel) = profile(&case.kernel) else {
            return Err(CaseError::Kernel {
                line: number,
                kernel: case.kernel,
            });
        };
        let checked = check_case(&case, kernel).map_err(|why| CaseError::Content {
            line: number,
            case: case.name.clone(),
            why,
        })?;
        report.add(checked);
    }
    Ok(report)
}

/// Checks one case: each call in result and layout, up to the first that the model does not cover.
///
/// # Errors
/// Says what in the case does not read.
pub fn check_case(case: &Case, kernel: Kernel) -> Result<Report, String> {
    let mut machine = start(case, kernel)?;
    let brk0 = hex(&case.init.brk)?;
    let mut names = (brk0, hex(&case.init.top)?);
    let mut results: Vec<Option<u64>> = Vec::new();
    let mut recorded = recorded_layout(&case.init.maps)?;
    let mut details = Details::new();
    let mut layout_known = true;
    let mut report = Report {
        cases: 1,
        ..Report::default()
    };
    let files = files_of(case).len() as u32;
    for (number, op) in case.ops.iter().enumerate() {
        if op.r == "skip" {
            results.push(None);
            continue;
        }
        let scope = Names {
            results: &results,
            brk0,
            brk: names.0,
            top: names.1,
        };
        let ask = parse(&op.op, &scope, files).map_err(|error| error.to_string())?;
        let answer = match &ask {
            Ask::Call(call) => match machine.run(call, &mut ()) {
                Outcome::NotModelled(what) => Err(what.into()),
                outcome => Ok(as_recorded(outcome)),
            },
            Ask::Frag(range, prot) => Ok(frag(&mut machine, *range, *prot)),
            Ask::Pages(range) => Ok(Answer::value(present(&machine, *range))),
            Ask::Peek(addr) => Ok(peek(&mut machine, *addr)),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(reason) => {
                let rest = case.ops[number..].iter().filter(|op| op.r != "skip");
                report.out_of_scope.insert(reason, rest.count() as u64);
                return Ok(report);
            }
        };
        // An op that left out what it changed is seen by its count alone.
        let silent = op.gone.is_empty() && op.new.is_empty();
        apply(&mut recorded, op)?;
        if silent && op.n.is_some_and(|n| n != recorded.len() as u64) {
            layout_known = false;
        }
        for start in &op.gone {
            details.remove(&hex(start)?);
        }
        for (start, told) in &op.s {
            details.insert(hex(start)?, told.clone());
        }
        let known = layout_known.then_some((&recorded, &details));
        let difference = compare(case, number, &machine, answer, known);
        report.compared += 1;
        if let Some(difference) = difference {
            report.different += 1;
            report.first = report.first.or(Some(difference));
        }
        let address =
            op.r.as_str()
                .and_then(|text| u64::from_str_radix(text, 16).ok());
        if let (Ask::Call(Call::Brk { .. }), Some(brk)) = (&ask, address) {
            names.0 = brk;
        }
        results.push(address);
    }
    let last = recorded_layout(&case.last)?;
    if !layout_known && last != of_model(&machine) {
        report.different += 1;
        let number = case.ops.len().saturating_sub(1);
        let difference = layouts_differ(
            case,
            number,
            &last,
            &of_model(&machine),
            None,
            Vec::new(),
            Vec::new(),
        );
        report.first = report.first.or(Some(difference));
    }
    Ok(report)
}

fn files_of(case: &Case) -> Vec<File> {
    let kind = ["files", "memfds"]
        .into_iter()
        .find(|kind| case.opts.contains_key(*kind));
    let Some(kind) = kind else { return Vec::new() };
    let sizes = case.opts[kind].split(',').enumerate();
    let named = |index: usize| match kind {
        "files" => format!("/vo-F{index} (deleted)"),
        _ => format!("/memfd:F{index} (deleted)"),
    };
    sizes
        .map(|(index, size)| File {
            path: named(index),
            len: size_of(size),
            dev: "00:00".into(),
            inode: 0,
            placement: match kind {
                "memfds" => FilePlacement::Shmem,
                _ if ["ext4", "xfs", "btrfs"].contains(&case.env.files_on.as_str()) => {
                    FilePlacement::Thp
                }
                _ => FilePlacement::NoHook,
            },
            read_only: false,
        })
        .collect()
}

fn size_of(text: &str) -> Option<u64> {
    let shift = match text.bytes().last()? {
        b'k' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => return text.parse().ok(),
    };
    text[..text.len() - 1]
        .parse::<u64>()
        .ok()
        .map(|number| number << shift)
}

/// The recorded process before its first call.
fn start(case: &Case, kernel: Kernel) -> Result<Machine, String> {
    let env = &case.env;
    let settings = Settings {
        thp: match env.thp.as_str() {
            "always" => Thp::Always,
            "madvise" => Thp::Madvise,
            "never" => Thp::Never,
            other => {
                return Err(format!(
                    "THP setting “{other}”: expected always, madvise or never"
                ));
            }
        },
        overcommit: match env.overcommit {
            0 => Overcommit::Guess,
            1 => Overcommit::Always,
            2 => Overcommit::Never,
            other => return Err(format!("overcommit {other}: expected 0, 1 or 2")),
        },
        mem_total_kb: env.mem_total_kb,
        max_map_count: env.max_map_count,
        mmap_min_addr: env.mmap_min_addr,
        hugetlb: has_hugetlb(&case.kernel),
        ..Settings::default()
    };
    let mut files = files_of(case);
    let mut by_name = BTreeMap::new();
    let mut maps = Vec::new();
    for text in &case.init.maps {
        let line = Line::parse(text)?;
        let file = line.name.starts_with('/').then(|| {
            *by_name.entry(line.name.to_owned()).or_insert_with(|| {
                files.push(File {
                    path: line.name.to_owned(),
                    len: None,
                    dev: "00:00".into(),
                    inode: 0,
                    placement: FilePlacement::NoHook,
                    read_only: false,
                });
                FileId(files.len() as u32 - 1)
            })
        });
        maps.push(line.start_map(file));
    }
    let brk = Some(hex(&case.init.brk)?);
    let start = Start {
        maps,
        start_brk: brk,
        brk,
    };
    Machine::new(kernel, settings, files, &start)
        .map_err(|error| format!("initial mappings: {error:?}"))
}

fn recorded_layout(maps: &[String]) -> Result<Layout, String> {
    maps.iter()
        .map(|text| Ok((Line::parse(text)?.range.start, text.clone())))
        .collect()
}

fn apply(layout: &mut Layout, op: &Op) -> Result<(), String> {
    for start in &op.gone {
        layout.remove(&hex(start)?);
    }
    for text in &op.new {
        layout.insert(Line::parse(text)?.range.start, text.clone());
    }
    Ok(())
}

fn hex(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|_| format!("“{text}” is no hex number"))
}

/// What smaps said of mappings, by their start, as it is recorded.
type Details = BTreeMap<u64, Vec<Value>>;

/// What a call came to, in the recording's words.
struct Answer {
    result: Value,
    signal: Option<&'static str>,
    at: Option<String>,
    stopped: Option<String>,
}

impl Answer {
    fn value(result: Value) -> Answer {
        Answer {
            result,
            signal: None,
            at: None,
            stopped: None,
        }
    }
}

fn as_recorded(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Address(addr) => Answer::value(format!("{addr:x}").into()),
        Outcome::Done => Answer::value(0.into()),
        Outcome::Error(errno) => Answer::value(format!("-{errno}").into()),
        Outcome::Touched(count) => Answer::value(count.into()),
        Outcome::Signal {
            touched,
            signal,
            at,
        } => Answer {
            signal: Some(signal.name()),
            at: Some(format!("{at:x}")),
            ..Answer::value(touched.into())
        },
        Outcome::NotModelled(what) => Answer::value(format!("{what:?}").into()),
    }
}

/// `mprotect` of every second page of a range: how many were changed, and what ended it.
fn frag(machine: &mut Machine, range: Range, prot: Prot) -> Answer {
    let (mut addr, mut done) = (range.start, 0u64);
    let mut stopped = "end".to_owned();
    while addr < range.end {
        let len = PAGE_SIZE;
        if let Outcome::Error(errno) = machine.run(&Call::Mprotect { addr, len, prot }, &mut ()) {
            stopped = errno.to_string();
            break;
        }
        done += 1;
        addr += 2 * PAGE_SIZE;
    }
    Answer {
        stopped: Some(stopped),
        ..Answer::value(done.into())
    }
}

/// The runs of present pages of a range: first page, counted from its start, and number.
fn present(machine: &Machine, range: Range) -> Value {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (run, pte) in machine.ptes(range) {
        let (first, count) = ((run.start - range.start) / PAGE_SIZE, run.len() / PAGE_SIZE);
        match runs.last_mut() {
            _ if pte.page == Page::Guard => {}
            Some(last) if last.0 + last.1 == first => last.1 += count,
            _ => runs.push((first, count)),
        }
    }
    let runs = runs.into_iter();
    runs.map(|(first, count)| Value::from(vec![first, count]))
        .collect()
}

/// The byte at an address: 1 if the page was written to, for that is what scripts write.
fn peek(machine: &mut Machine, addr: u64) -> Answer {
    let read = Call::Touch {
        addr,
        len: 1,
        stride: 1,
        access: Access::Read,
    };
    match machine.run(&read, &mut ()) {
        Outcome::Touched(_) => Answer::value(u64::from(machine.is_written(addr)).into()),
        Outcome::Signal { signal, at, .. } => Answer {
            signal: Some(signal.name()),
            at: Some(format!("{at:x}")),
            ..Answer::value(0.into())
        },
        other => as_recorded(other),
    }
}

fn compare(
    case: &Case,
    number: usize,
    machine: &Machine,
    answer: Answer,
    recorded: Option<(&Layout, &Details)>,
) -> Option<Difference> {
    let op = &case.ops[number];
    let results_agree = answer.result == op.r
        && answer.signal == op.sig.as_deref()
        && answer.at == op.at
        && answer.stopped == op.stopped;
    let result = (!results_agree).then(|| {
        let show = |value: &Value, signal: Option<&str>, at: Option<&str>| {
            let signal = signal.map(|name| format!(", {name} at {}", at.unwrap_or("?")));
            format!("{value}{}", signal.unwrap_or_default())
        };
        (
            show(&op.r, op.sig.as_deref(), op.at.as_deref()),
            show(&answer.result, answer.signal, answer.at.as_deref()),
        )
    });
    let count = machine.process().map_count;
    let (mut recorded_only, mut model_only) = (Vec::new(), Vec::new());
    if let Some(n) = op.n
        && n != count
    {
        recorded_only.push(format!("{n} mappings"));
        model_only.push(format!("{count} mappings"));
    }
    for (start, told) in recorded.into_iter().flat_map(|(_, details)| details) {
        let model = machine.vma_at(*start).map(|id| details_of(machine, id));
        if model.as_ref() != Some(told) {
            recorded_only.push(format!("{start:x} {}", Value::from(told.clone())));
            model_only.push(format!(
                "{start:x} {}",
                Value::from(model.unwrap_or_default())
            ));
        }
    }
    let empty = Layout::new();
    let (recorded, model) = match recorded {
        Some((recorded, _)) => (recorded, of_model(machine)),
        None => (&empty, Layout::new()),
    };
    let differs = result.is_some() || !recorded_only.is_empty() || *recorded != model;
    differs.then(|| {
        layouts_differ(
            case,
            number,
            recorded,
            &model,
            result,
            recorded_only,
            model_only,
        )
    })
}

/// What smaps says of a mapping, as it is recorded: Rss, AnonHugePages, THPeligible, VmFlags, and what is not the same
/// everywhere.
fn details_of(machine: &Machine, id: VmaId) -> Vec<Value> {
    let smaps = machine.smaps(id);
    let mut told: Vec<Value> = vec![
        smaps.rss.into(),
        smaps.anon_huge.into(),
        u64::from(smaps.thp_eligible).into(),
        machine.vm_flag_codes(id).trim_end().into(),
    ];
    if (smaps.shmem_pmd, smaps.page_size) != (0, 4) {
        told.extend([smaps.shmem_pmd.into(), smaps.page_size.into()]);
    }
    told
}

fn layouts_differ(
    case: &Case,
    number: usize,
    recorded: &Layout,
    model: &Layout,
    result: Option<(String, String)>,
    mut only_recorded: Vec<String>,
    mut only_model: Vec<String>,
) -> Difference {
    let missing = |from: &Layout, other: &Layout| {
        from.iter()
            .filter(|(start, text)| other.get(*start) != Some(*text))
            .map(|(_, text)| text.clone())
            .collect::<Vec<_>>()
    };
    only_recorded.extend(missing(recorded, model));
    only_model.extend(missing(model, recorded));
    Difference {
        case: case.name.clone(),
        recorded_on: case.kernel.clone(),
        model: profile(&case.kernel)
            .map(|kernel| kernel.to_string())
            .unwrap_or_default(),
        op: number,
        line: case.ops[number].op.clone(),
        result,
        only_recorded,
        only_model,
    }
}
