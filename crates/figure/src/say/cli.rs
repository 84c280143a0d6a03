//! The words of the command line.

pub mod check;

use mmscope_lab::check::{Agreement, Count, Difference};

use super::{num, outcome};

/// What `mmscope --help` prints.
pub const HELP: &str = "\
mmscope: Linux memory management, kernel beside kernel

usage:
  mmscope run SCENARIO [--kernels A,B,C] [--step N] [--maps] [--smaps]
  mmscope figure SCENARIO --step N [--micro N] [--pane space|tree|pages|tlb] [--kernels A,B,C] [--width PX] [--text] [-o FILE]
  mmscope import LOG [--maps FILE] [--kernel NAME] [-o FILE]
  mmscope kernels
  mmscope check [--programs N] [--calls M] [--seed S] [--kernel NAME] [--list] [FILE...]

SCENARIO is a file, - for standard input, or --lesson ID (cactusbssn, page_test).

  run      what each call came to in each lane, and what it cost so far
  figure   one step as a picture: SVG, or plain text with --text
  import   a strace log as a scenario, and how far the model agrees with it
  kernels  the releases that can be picked, with their changes
  check    the model held against the running kernel (Linux on x86-64): random programs of
           real calls in a process of their own, or the scenarios FILE, half of them with
           address randomization; it needs no root, changes no setting and leaves nothing

options:
  --kernels A,B,C  one to three kernels instead of those of the scenario;
                   a change is switched with + or -: 6.14-d4148aeab412
  --kernel NAME    the kernel that a log was recorded on, or that check compares with
                   (default: the nearest to the running one)
  --programs N     random programs to check (default: 1000, or 0 if files are given)
  --calls M        calls of each (default: 100)
  --seed S         where they start from (default: 1): the same seed, the same programs
  --lesson ID      a scenario that comes with mmscope
  --step N         the step to stop at (default: the last)
  --micro N        of that step only so many decisions
  --pane PANE      space: the address space (default); tree: the maple tree, node for node;
                   pages: the page tables of the mapping that the call was about;
                   tlb: the walk of the scenario through the TLB that it names
  --at ADDRESS     pages: of the mapping at this address instead
  --width PX       width of the picture (default: 1200; below 560 it is upright)
  --columns N      width of a text picture (default: 100)
  --text           plain text instead of SVG
  --maps           run: /proc/PID/maps of each lane too; import: FILE, see below
  --smaps          run: /proc/PID/smaps of each lane too
  --list           each program that differs, not only the first
  --maps FILE      /proc/PID/maps of the process before the log begins
  -o FILE          write there instead of to standard output
  -h, --help       this text
  -V, --version    the version

exit status: 0 done, 1 a file or a text was wrong, 2 the command line was wrong,
3 the model differs from the log; of check: 0 equal, 1 different, 2 it can't be done
";

/// What is wrong with a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usage {
    /// No command was given.
    NoCommand,
    /// There is no such command.
    UnknownCommand(String),
    /// There is no such option for this command.
    UnknownOption(String),
    /// An option needs a value.
    NoValue(String),
    /// A number was expected.
    NotANumber {
        /// For which option.
        option: String,
        /// What was given.
        given: String,
    },
    /// An address was expected.
    NotAnAddress {
        /// For which option.
        option: String,
        /// What was given.
        given: String,
    },
    /// There is no such picture.
    UnknownPane(String),
    /// One argument too many.
    Extra(String),
    /// Neither a file nor a lesson.
    NoScenario,
    /// No log.
    NoLog,
    /// There is no such lesson.
    UnknownLesson(String),
}

/// What is wrong with a command line, as a sentence.
pub fn usage(usage: &Usage) -> String {
    match usage {
        Usage::NoCommand => {
            "a command is missing: run, figure, import, kernels or check".to_owned()
        }
        Usage::UnknownCommand(word) => {
            format!(
                "there is no command \u{201c}{word}\u{201d}: run, figure, import, kernels or check"
            )
        }
        Usage::UnknownOption(word) => format!("this command has no option \u{201c}{word}\u{201d}"),
        Usage::NoValue(option) => format!("{option} needs a value"),
        Usage::NotANumber { option, given } => {
            format!("{option} needs a whole number, not \u{201c}{given}\u{201d}")
        }
        Usage::NotAnAddress { option, given } => {
            format!("{option} needs an address such as 7ffff7800000, not \u{201c}{given}\u{201d}")
        }
        Usage::UnknownPane(word) => {
            format!("there is no pane \u{201c}{word}\u{201d}: space, tree, pages or tlb")
        }
        Usage::Extra(word) => format!("\u{201c}{word}\u{201d} is one argument too many"),
        Usage::NoScenario => "a scenario is missing: a file, or --lesson cactusbssn".to_owned(),
        Usage::NoLog => "the log is missing".to_owned(),
        Usage::UnknownLesson(id) => {
            format!("there is no lesson \u{201c}{id}\u{201d}: {}", lessons())
        }
    }
}

fn lessons() -> String {
    mmscope_lab::lessons::all()
        .iter()
        .map(|lesson| lesson.id)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The footer of a figure: where it comes from, so that it can be made again.
pub fn footer(kernels: &str, hash: u64, seed: u64, version: &str) -> String {
    format!(
        "Model of Linux {kernels}, x86-64 \u{b7} states {hash:016x} \u{b7} seed {seed} \u{b7} mmscope {version}"
    )
}

/// Where the layout of a log without a maps file came from.
pub fn anchor(line: u32) -> String {
    format!("The layout hangs on the mapping of line {line}, which is not compared.")
}

/// Lines of a log that became no step, by their reason.
pub fn skipped(lines: u32, first: u32, why: &str) -> String {
    format!(
        "Skipped {} (first: line {first}): {why}.",
        num::count(u64::from(lines), "line", "lines")
    )
}

/// From where on a log's layout is not known.
pub fn unknown_from(line: u32) -> String {
    format!("From line {line} on the layout is not known any more: a call there is not modelled.")
}

/// How far the model agrees with a log.
pub fn agreement(kernel: &str, agreement: &Agreement) -> String {
    let of = |count: Count| format!("{}/{}", count.equal, count.compared);
    let mut text = format!(
        "Replayed on {kernel}: {} addresses equal, {} errors, {} other results.",
        of(agreement.addresses),
        of(agreement.errors),
        of(agreement.others)
    );
    if agreement.random_begin > 0 {
        text.push_str(&format!(
            " {} began at a random place, which was taken from the log.",
            num::count(
                u64::from(agreement.random_begin),
                "MAP_32BIT search",
                "MAP_32BIT searches"
            )
        ));
    }
    text
}

/// A call whose result differs from the log.
pub fn difference(difference: &Difference) -> String {
    let Difference {
        step,
        line,
        call,
        recorded,
        model,
        ..
    } = difference;
    let place = if *line > 0 {
        format!(" (line {line})")
    } else {
        String::new()
    };
    format!(
        "  step {step}{place}: {call}: log {}, model {}",
        outcome::value(*recorded),
        outcome::value(*model)
    )
}

/// Differences that are not listed.
pub fn more(number: usize) -> String {
    format!("  and {number} more")
}
