//! A trace or a maps file, read and told in words.
//!
//! Reading one takes code that the page needs for nothing else, and may take long. So it is done by a program of its
//! own, and what comes of it travels as text: see [`Imported::to_text`] and [`Imported::parse`].

use std::fmt::Write as _;

use mmscope_lab::strace::{self, Import, Skipped, Why};
use mmscope_lab::{MAX_LANES, check, maps_file};
use mmscope_mm::Kernel;

use crate::say;

/// Logs up to this long are run under many kernels, to find the one that they were recorded on.
const TRIED_STEPS: u64 = 5_000;

/// What came of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// Of a trace: its calls as a scenario's text.
    Program {
        /// The text of the scenario.
        scenario: String,
        /// What is to be told about it.
        report: Report,
    },
    /// Of a maps file alone: the text of a scenario that starts from it and has no calls.
    Start {
        /// The text of the scenario.
        scenario: String,
    },
    /// Nothing: what was expected, and a sentence for each error.
    Refused {
        /// What was expected.
        expected: String,
        /// What is wrong.
        errors: Vec<String>,
    },
}

/// What is to be told about a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that could not be read, in words, if there are many.
    pub unreadable: Option<String>,
    /// What was assumed.
    pub notes: Vec<String>,
    /// The lines that became no step.
    pub skipped: Vec<SkippedLine>,
}

/// A line of a trace that became no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// Counted from 1.
    pub line: u32,
    /// What stands there.
    pub text: String,
    /// Why it became no step.
    pub why: String,
}

/// Reads a trace, with the maps file that came with it, or a maps file alone. The scenario runs these kernels, and
/// before them the one that the trace was most likely recorded on.
pub fn import(text: &str, maps: Option<&str>, kernels: &[Kernel]) -> Imported {
    let alone = maps.is_none() && maps_file::looks_like(text);
    let import = if alone {
        strace::import_maps(text, kernels)
    } else {
        strace::import(text, maps, kernels)
    };
    match import {
        Ok(mut import) if alone => {
            say::ui::MAPS_TITLE.clone_into(&mut import.scenario.title);
            let scenario = import.scenario.to_string();
            Imported::Start { scenario }
        }
        Ok(mut import) => {
            if import.scenario.program.steps() <= TRIED_STEPS
                && let Some(first) = check::recorded_on(&import.scenario)
            {
                put_first(&mut import.scenario.kernels, first);
            }
            Imported::Program {
                scenario: import.scenario.to_string(),
                report: Report::of(&import),
            }
        }
        Err(errors) => Imported::Refused {
            expected: if alone {
                say::ui::EXPECTED_MAPS.to_owned()
            } else {
                say::ui::EXPECTED_TRACE.to_owned()
            },
            errors: errors.iter().map(say::import::error).collect(),
        },
    }
}

/// Puts a kernel before the others, of which none is the same and the last may have to go.
fn put_first(kernels: &mut Vec<Kernel>, first: Kernel) {
    kernels.retain(|kernel| *kernel != first);
    kernels.insert(0, first);
    kernels.truncate(MAX_LANES as usize);
}

impl Report {
    fn of(import: &Import) -> Report {
        let skipped = import.skipped.iter().map(|line| SkippedLine {
            line: line.line,
            text: line.text.clone(),
            why: say::import::skipped(line.why),
        });
        Report {
            unreadable: unreadable(import),
            notes: import
                .notes
                .iter()
                .copied()
                .map(say::import::note)
                .collect(),
            skipped: skipped.collect(),
        }
    }
}

/// Says so if many lines could not be read: at least three, and one for each three calls that could.
fn unreadable(import: &Import) -> Option<String> {
    let lost = |skipped: &&Skipped| {
        matches!(
            skipped.why,
            Why::Unreadable | Why::NoResult | Why::Arguments
        )
    };
    let lost = import.skipped.iter().filter(lost).count();
    let calls = import.scenario.program.steps() as usize;
    (lost >= 3 && lost * 3 >= calls).then(|| say::ui::unreadable(lost))
}

impl Imported {
    /// As text: lines of a word and what belongs to it, then the scenario as it is.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        match self {
            Imported::Program { scenario, report } => {
                if let Some(sentence) = &report.unreadable {
                    put(&mut out, "unreadable", sentence);
                }
                for note in &report.notes {
                    put(&mut out, "note", note);
                }
                for SkippedLine { line, text, why } in &report.skipped {
                    // The text last: it may hold tabs.
                    put(&mut out, "skipped", &format!("{line}\t{why}\t{text}"));
                }
                let _ = write!(out, "program\n{scenario}");
            }
            Imported::Start { scenario } => {
                let _ = write!(out, "start\n{scenario}");
            }
            Imported::Refused { expected, errors } => {
                for error in errors {
                    put(&mut out, "error", error);
                }
                put(&mut out, "refused", expected);
            }
        }
        out
    }

    /// Reads what [`Imported::to_text`] wrote; `None` if it is anything else.
    pub fn parse(text: &str) -> Option<Imported> {
        let mut report = Report::default();
        let mut errors = Vec::new();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            let scenario = || after.to_owned();
            match word {
                "unreadable" => report.unreadable = Some(value.to_owned()),
                "note" => report.notes.push(value.to_owned()),
                "skipped" => {
                    let mut parts = value.splitn(3, '\t');
                    report.skipped.push(SkippedLine {
                        line: parts.next()?.parse().ok()?,
                        why: parts.next()?.to_owned(),
                        text: parts.next()?.to_owned(),
                    });
                }
                "error" => errors.push(value.to_owned()),
                "program" => {
                    let scenario = scenario();
                    return Some(Imported::Program { scenario, report });
                }
                "start" => {
                    let scenario = scenario();
                    return Some(Imported::Start { scenario });
                }
                "refused" => {
                    let expected = value.to_owned();
                    return Some(Imported::Refused { expected, errors });
                }
                _ => return None,
            }
            rest = after;
        }
        None
    }
}

/// Writes a line; what belongs to the word is one line itself.
fn put(out: &mut String, word: &str, value: &str) {
    let _ = writeln!(out, "{word} {}", value.replace('\n', " "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let program = Imported::Program {
            scenario: "mmscope 1\nkernels 6.6\nbrk(NULL)\n".to_owned(),
            report: Report {
                unreadable: Some("3 lines".to_owned()),
                notes: vec!["One.".to_owned(), String::new()],
                skipped: vec![SkippedLine {
                    line: 7,
                    text: "write(1, \"\t\", 1) = 1".to_owned(),
                    why: "has nothing to do with mappings".to_owned(),
                }],
            },
        };
        let bare = Imported::Program {
            scenario: String::new(),
            report: Report::default(),
        };
        let start = Imported::Start {
            scenario: "mmscope 1\n".to_owned(),
        };
        let refused = Imported::Refused {
            expected: "A trace.".to_owned(),
            errors: vec!["Line 1: no.".to_owned(), "Line 2: no.".to_owned()],
        };
        for imported in [program, bare, start, refused] {
            assert_eq!(Imported::parse(&imported.to_text()), Some(imported));
        }
        for bad in [
            "",
            "\n",
            "note x\n",
            "skipped x\ty\tz\nstart\n",
            "else\nstart\n",
        ] {
            assert_eq!(Imported::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_newest_kernel_that_agrees_comes_first() {
        let kernels: Vec<Kernel> = ["6.6", "6.7", "6.12"]
            .iter()
            .filter_map(|name| Kernel::parse(name).ok())
            .collect();
        let mut put = kernels.clone();
        put_first(&mut put, kernels[1]);
        assert_eq!(put, [kernels[1], kernels[0], kernels[2]]);
        let newest = mmscope_mm::Release::ALL.iter().next_back().map(Kernel::new);
        if let Some(newest) = newest {
            put_first(&mut put, newest);
            assert_eq!(put, [newest, kernels[1], kernels[0]]);
        }
    }
}
