//! `mmscope import`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mmscope_figure::say;
use mmscope_figure::say::cli::Usage;
use mmscope_lab::strace::{self, AnchoredBy, Import};
use mmscope_lab::{Timeline, check};
use mmscope_mm::{Kernel, Release};

use crate::Failure;
use crate::args::Args;
use crate::{input, output};

/// Reads a strace log, writes it as a scenario, and says how far the model agrees with it.
pub(crate) fn import(mut args: Args) -> Result<(), Failure> {
    let maps = args.value("--maps")?;
    let kernel = match args.text("--kernel")? {
        Some(name) => input::kernel(&name)?,
        None => newest()?,
    };
    let path = args.path("-o")?;
    let log = args.operand().ok_or(Failure::Usage(Usage::NoLog))?;
    args.end()?;
    let text = input::text(&log)?;
    let maps = maps.map(|path| input::text(&path)).transpose()?;
    let name = log.to_string_lossy();
    let import = strace::import(&text, maps.as_deref(), &[kernel]).map_err(|errors| {
        Failure::Input(
            errors
                .iter()
                .map(|error| format!("{name}: {}", say::import::error(error)))
                .collect(),
        )
    })?;
    let mut timeline = Timeline::new(import.scenario.clone())
        .map_err(|error| Failure::Input(vec![format!("{name}: {}", say::error::lane(error))]))?;
    let agreement = check::agreement(&mut timeline, 0);
    let report = report(&import, &agreement, kernel);
    match path {
        // The scenario goes to its file and the report to the reader; without a file the scenario is what is asked for.
        Some(path) => {
            output::write(Some(&path), &import.scenario.to_string())?;
            output::write(None, &report)?;
        }
        None => {
            output::write(None, &import.scenario.to_string())?;
            eprint!("{report}");
        }
    }
    if agreement.is_complete() {
        Ok(())
    } else {
        Err(Failure::Differs)
    }
}

/// The newest kernel whose own source was read.
fn newest() -> Result<Kernel, Failure> {
    let newest = Release::ALL.iter().rfind(|release| !release.assumed);
    newest.map(Kernel::new).ok_or(Failure::Input(Vec::new()))
}

fn report(import: &Import, agreement: &check::Agreement, kernel: Kernel) -> String {
    /// Differences shown one by one.
    const SHOWN: usize = 20;
    let mut out = String::new();
    let (line, first) = match import.anchored_by {
        AnchoredBy::FirstMapping { line } => (line, true),
        AnchoredBy::Maps | AnchoredBy::Nothing => (0, false),
    };
    if first {
        let _ = writeln!(out, "{}", say::cli::anchor(line));
    }
    for note in &import.notes {
        let _ = writeln!(out, "{}", say::import::note(*note));
    }
    let mut skipped: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for line in &import.skipped {
        let entry = skipped
            .entry(say::import::skipped(line.why))
            .or_insert((0, line.line));
        entry.0 += 1;
    }
    for (why, (lines, first)) in skipped {
        let _ = writeln!(out, "{}", say::cli::skipped(lines, first, &why));
    }
    if let Some(line) = import.layout_unknown_from {
        let _ = writeln!(out, "{}", say::cli::unknown_from(line));
    }
    let _ = writeln!(
        out,
        "{}",
        say::cli::agreement(&kernel.to_string(), agreement)
    );
    for difference in agreement.differences.iter().take(SHOWN) {
        let _ = writeln!(out, "{}", say::cli::difference(difference));
    }
    if let Some(more) = agreement
        .differences
        .len()
        .checked_sub(SHOWN)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(out, "{}", say::cli::more(more));
    }
    out
}
