//! `mmscope run`

use std::fmt::Write as _;

use mmscope_figure::{ledger, maps, say};
use mmscope_lab::{Position, Timeline};

use crate::Failure;
use crate::args::Args;
use crate::{input, output};

/// Prints what each call came to in each lane, then the ledger.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let step = args.number("--step")?;
    let (maps, smaps) = (args.flag(&["--maps"]), args.flag(&["--smaps"]));
    let mut timeline = input::timeline(&mut args)?;
    args.end()?;
    let last = step.unwrap_or(u32::MAX).min(timeline.step_count());
    output::write(None, &steps(&mut timeline, last))?;
    timeline.go(Position {
        step: last,
        micro: None,
    });
    if maps || smaps {
        output::write(None, &files(&timeline, smaps))?;
    }
    output::write(None, &ledger(&timeline))
}

/// maps, or smaps, of each lane as the kernel prints it.
fn files(timeline: &Timeline, smaps: bool) -> String {
    let frame = timeline.frame();
    let mut out = String::new();
    for lane in &frame.lanes {
        let _ = writeln!(out, "\n{} {}", lane.letter, lane.kernel);
        out.push_str(&if smaps {
            maps::smaps_text(lane)
        } else {
            maps::maps_text(lane)
        });
    }
    out
}

fn steps(timeline: &mut Timeline, last: u32) -> String {
    while timeline.progress().done < last {
        timeline.survey(4096);
    }
    let lanes = timeline.lane_count();
    let mut out = String::new();
    let kernels: Vec<String> = ('A'..)
        .zip(&timeline.scenario().kernels)
        .map(|(letter, kernel)| format!("{letter} {kernel}"))
        .collect();
    let _ = writeln!(out, "{:>6}  {}", "step", row(&kernels));
    for step in 1..=last {
        let Some(call) = timeline.step(step - 1) else {
            break;
        };
        let values: Vec<String> = (0..lanes)
            .map(|lane| {
                timeline
                    .summary(lane, step)
                    .map_or_else(String::new, |summary| say::outcome::value(summary.outcome))
            })
            .collect();
        let differ = values.windows(2).any(|pair| pair[0] != pair[1]);
        let mark = if differ { "*" } else { " " };
        let _ = writeln!(out, "{step:>6}{mark} {}  {}", row(&values), call.text);
    }
    if let Some(divergence) = timeline.divergence().filter(|step| *step <= last) {
        let _ = writeln!(out, "\n{}", say::picture::divergence(divergence));
    }
    out
}

fn row(cells: &[String]) -> String {
    cells
        .iter()
        .map(|cell| format!("{cell:<18}"))
        .collect::<String>()
        .trim_end()
        .to_owned()
        + &pad(cells)
}

/// Fills up to the width that [`row`] would have had, so that what follows stands in one column.
fn pad(cells: &[String]) -> String {
    let short = cells
        .last()
        .map_or(0, |cell| 18usize.saturating_sub(cell.chars().count()));
    " ".repeat(short)
}

fn ledger(timeline: &Timeline) -> String {
    let frame = timeline.frame();
    let table = ledger::table(&frame);
    let mut rows: Vec<Vec<String>> = vec![table.columns];
    for part in table.parts {
        let mut cells = vec![part.name.to_owned()];
        cells.extend(part.notes.iter().map(|(note, _)| (*note).to_owned()));
        rows.push(cells);
        for row in part.rows {
            let mut cells = vec![format!("  {}", row.name)];
            cells.extend(row.lanes.into_iter().map(|cell| match cell.since.as_str() {
                "" | "0" => cell.now,
                since => format!("{} ({since})", cell.now),
            }));
            cells.extend(row.differences);
            rows.push(cells);
        }
    }
    let mut out = String::from("\n");
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for row in rows {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if index == 0 {
                write!(line, "{cell:<width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(out, "{}\n{}", table.note, say::ledger::IN_BRACKETS);
    out
}
