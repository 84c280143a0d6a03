//! Runs recorded cases against the model.

use std::collections::BTreeMap;

use mmscope_mm::{
    Call, File, FileId, FilePlacement, Kernel, Machine, Outcome, Overcommit, Settings, Start, Thp,
};
use serde_json::Value;

use crate::case::{Case, CaseError, Op};
use crate::layout::{Layout, Line, of_model, vm_flags};
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
        let call = match parse(&op.op, &scope, files).map_err(|error| error.to_string())? {
            Ask::Call(call) => call,
            Ask::OutOfScope(reason) => {
                let rest = case.ops[number..].iter().filter(|op| op.r != "skip");
                report.out_of_scope.insert(reason, rest.count() as u64);
                return Ok(report);
            }
        };
        let outcome = machine.run(&call, &mut ());
        if let Outcome::NotModelled(what) = outcome {
            let rest = case.ops[number..].iter().filter(|op| op.r != "skip");
            report.out_of_scope.insert(what.into(), rest.count() as u64);
            return Ok(report);
        }
        // An op that left out what it changed is seen by its count alone.
        let silent = op.gone.is_empty() && op.new.is_empty();
        apply(&mut recorded, op)?;
        if silent && op.n.is_some_and(|n| n != recorded.len() as u64) {
            layout_known = false;
        }
        let difference = compare(
            case,
            number,
            &machine,
            outcome,
            layout_known.then_some(&recorded),
        );
        report.compared += 1;
        if let Some(difference) = difference {
            report.different += 1;
            report.first = report.first.or(Some(difference));
        }
        let address =
            op.r.as_str()
                .and_then(|text| u64::from_str_radix(text, 16).ok());
        if let (Call::Brk { .. }, Some(brk)) = (call, address) {
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

/// The model's outcome in the recording's words: result, signal, address of the signal.
fn as_recorded(outcome: Outcome) -> (Value, Option<&'static str>, Option<String>) {
    match outcome {
        Outcome::Address(addr) => (format!("{addr:x}").into(), None, None),
        Outcome::Done => (0.into(), None, None),
        Outcome::Error(errno) => (format!("-{errno}").into(), None, None),
        Outcome::Touched(count) => (count.into(), None, None),
        Outcome::Signal {
            touched,
            signal,
            at,
        } => (touched.into(), Some(signal.name()), Some(format!("{at:x}"))),
        Outcome::NotModelled(what) => (format!("{what:?}").into(), None, None),
    }
}

fn compare(
    case: &Case,
    number: usize,
    machine: &Machine,
    outcome: Outcome,
    recorded: Option<&Layout>,
) -> Option<Difference> {
    let op = &case.ops[number];
    let (result, signal, at) = as_recorded(outcome);
    let results_agree = result == op.r && signal == op.sig.as_deref() && at == op.at;
    let result = (!results_agree).then(|| {
        let show = |value: &Value, signal: Option<&str>, at: Option<&str>| {
            let signal = signal.map(|name| format!(", {name} at {}", at.unwrap_or("?")));
            format!("{value}{}", signal.unwrap_or_default())
        };
        (
            show(&op.r, op.sig.as_deref(), op.at.as_deref()),
            show(&result, signal, at.as_deref()),
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
    for (start, details) in &op.s {
        let start = u64::from_str_radix(start, 16).ok()?;
        let Some(flags) = details.get(3).and_then(Value::as_str) else {
            continue;
        };
        let model = machine
            .vma_at(start)
            .map(|id| vm_flags(machine.vma(id).flags))
            .unwrap_or_default();
        if model != flags {
            recorded_only.push(format!("{start:x} VmFlags {flags}"));
            model_only.push(format!("{start:x} VmFlags {model}"));
        }
    }
    let empty = Layout::new();
    let (recorded, model) = match recorded {
        Some(recorded) => (recorded, of_model(machine)),
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
