//! The command: programs one after the other, and what is printed about them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use mmscope_figure::say::cli::check as say;
use mmscope_lab::{
    Anchor, CallLine, Item, MAX_STEPS, Program, Scenario, Sorted, StreamLines, call_text,
};
use mmscope_mm::{FilePlacement, Kernel, Outcome};

use super::compare::{Difference, Job, Ran, run};
use super::files::Wanted;
use super::random::{self, Random, TOP};
use super::shrink::{Addresses, shrink};
use super::tracee::Unavailable;
use super::{child, profile, system};
use crate::args::Args;
use crate::{Failure, input, output};

/// The word that makes this program the observed process. No command for people.
pub(crate) const CHILD: &str = "check-observed";

const PROGRAMS: u32 = 1000;
const CALLS: u32 = 100;
/// So often a difference has to come again.
const REPEATS: u32 = 4;

/// Becomes the observed process; comes back only if it can't.
pub(crate) fn observed(mut args: Args) -> Result<(), Failure> {
    let randomize = args.word().as_deref() == Some("random");
    eprintln!("{}", child::become_image(randomize));
    Err(Failure::CannotCheck(String::new()))
}

/// Compares random programs, or those of the files given.
pub(crate) fn check(mut args: Args) -> Result<(), Failure> {
    let programs = args.number("--programs")?;
    let calls = args.number("--calls")?.unwrap_or(CALLS);
    let seed = args.number("--seed")?.unwrap_or(1);
    let list = args.flag(&["--list"]);
    let kernel = args.text("--kernel")?;
    let kernel = kernel.map(|name| input::kernel(&name)).transpose()?;
    let mut paths = Vec::new();
    while let Some(path) = args.operand() {
        paths.push(path);
    }
    args.end()?;
    if let Some((path, value)) = system::out_of_reach() {
        return Err(Failure::CannotCheck(say::out_of_reach(path, &value)));
    }
    let uname = system::release();
    let kernel = match kernel {
        Some(kernel) => kernel,
        None => profile::choose(&uname)
            .map_err(unavailable)?
            .ok_or_else(|| Failure::CannotCheck(say::no_profile(&uname)))?,
    };
    let lacking = profile::lacking(kernel).map_err(unavailable)?;
    let default = if paths.is_empty() { PROGRAMS } else { 0 };
    let mut report = Report {
        list,
        ..Report::default()
    };
    for path in &paths {
        for randomize in [false, true] {
            let job = given(path, randomize)?;
            report.add(job, kernel).map_err(unavailable)?;
        }
    }
    let mut seeds = Random::new(u64::from(seed));
    for number in 0..programs.unwrap_or(default) {
        // Some more than asked for, since some are left out.
        let wanted = calls as usize;
        let mut job = random::program(seeds.next(), wanted + wanted / 4, number % 2 == 1);
        job.calls
            .retain(|line| !lacking.iter().any(|kind| kind.is(&line.call)));
        job.calls.truncate(wanted);
        report.add(job, kernel).map_err(unavailable)?;
    }
    let mut text = say::summary(&say::Summary {
        uname: &uname,
        kernel: &kernel.to_string(),
        programs: report.programs,
        randomized: report.randomized,
        compared: report.compared,
        different: report.different,
        unsteady: report.unsteady,
    });
    let lacking: Vec<&str> = lacking.iter().map(|kind| kind.name()).collect();
    text.push_str(&say::left_out(&lacking));
    for (what, times) in &report.not_modelled {
        text.push_str(&say::not_modelled(what, *times));
    }
    let Some(failed) = report.first else {
        return output::write(None, &text);
    };
    text.push('\n');
    text.push_str(&shrunk(failed, kernel, seed).map_err(unavailable)?);
    output::write(None, &text)?;
    Err(Failure::CheckDiffers)
}

fn unavailable(why: Unavailable) -> Failure {
    Failure::CannotCheck(match why {
        Unavailable::Start { step, errno } => say::cannot_start(&step, errno),
        Unavailable::Trace { step, error } => say::cannot_trace(step, &error),
    })
}

/// What came of all programs.
#[derive(Default)]
struct Report {
    programs: u64,
    randomized: u64,
    compared: u64,
    different: u64,
    /// Differences that were not there when the program ran again.
    unsteady: u64,
    not_modelled: BTreeMap<String, u64>,
    first: Option<(Job, Ran)>,
    /// Print each difference as it comes.
    list: bool,
}

impl Report {
    fn add(&mut self, job: Job, kernel: Kernel) -> Result<(), Unavailable> {
        let mut ran = run(&job, kernel)?;
        // Other processes can come in between, khugepaged above all: what is the model's fault is there each time.
        for _ in 0..REPEATS {
            if ran.difference.is_none() {
                break;
            }
            let again = run(&job, kernel)?;
            if again.difference.is_none() {
                self.unsteady += 1;
                ran = again;
            }
        }
        self.programs += 1;
        self.randomized += u64::from(job.randomize);
        self.compared += ran.compared;
        if let Some(what) = ran.not_modelled {
            *self.not_modelled.entry(format!("{what:?}")).or_insert(0) += 1;
        }
        if ran.difference.is_none() {
            return Ok(());
        }
        self.different += 1;
        if let (true, Some(difference)) = (self.list, &ran.difference) {
            let mut line = CallLine::new(ran.made[difference.call]);
            line.relative_to = None;
            let call = call_text(&line, &ran.place.files);
            let number = self.programs;
            // Who reads only a part of it still gets the end.
            let text = say::one(number, &call, &explained(difference));
            let _ = output::write(None, &text);
        }
        if self.first.is_none() {
            self.first = Some((job, ran));
        }
        Ok(())
    }
}

/// The program of a scenario file. It starts from the process that there is, not from the one of the scenario.
fn given(path: &OsString, randomize: bool) -> Result<Job, Failure> {
    /// For files of which the length is not told.
    const LONG: u64 = 1 << 30;
    let name = path.to_string_lossy();
    let wrong = |lines| Failure::CheckInput(lines);
    let text = match input::text(path) {
        Ok(text) => text,
        Err(Failure::Input(lines)) => return Err(wrong(lines)),
        Err(other) => return Err(other),
    };
    let scenario = Scenario::parse(&text).map_err(|errors| {
        let lines = errors.iter();
        let lines =
            lines.map(|error| format!("{name}: {}", mmscope_figure::say::error::scenario(error)));
        wrong(lines.collect())
    })?;
    let files = scenario.files.iter().map(|file| Wanted {
        in_memory: file.placement == FilePlacement::Shmem,
        len: file.len.unwrap_or(LONG),
        read_only: file.read_only,
    });
    let mut calls = Vec::new();
    unroll(&scenario.program.items, &mut calls);
    Ok(Job {
        calls,
        files: files.collect(),
        randomize,
    })
}

/// A program without its repeats.
fn unroll(items: &[Item], calls: &mut Vec<CallLine>) {
    for item in items {
        match item {
            Item::Call(line) => calls.push(line.clone()),
            Item::Repeat(repeat) => {
                for _ in 0..repeat.times {
                    if calls.len() >= MAX_STEPS as usize {
                        return;
                    }
                    unroll(&repeat.body, calls);
                }
            }
        }
    }
}

/// The shortest program that still differs, as a scenario, and in what it does.
fn shrunk((job, ran): (Job, Ran), kernel: Kernel, seed: u32) -> Result<String, Unavailable> {
    let end = ran
        .difference
        .as_ref()
        .map_or(0, |difference| difference.call + 1);
    let mut job = Job {
        calls: job.calls[..end].to_vec(),
        ..job
    };
    let mut ran = ran;
    // Without randomization it is the same each time, and easier to read.
    if job.randomize {
        let steady = Job {
            randomize: false,
            ..job.clone()
        };
        let tried = run(&steady, kernel)?;
        if tried.difference.is_some() {
            (job, ran) = (steady, tried);
        }
    }
    let top = job
        .calls
        .iter()
        .position(|line| line.name.as_deref() == Some(TOP))
        .and_then(|at| ran.answers.get(at).copied().flatten()?.address());
    let addresses = Addresses {
        made: ran.made.clone(),
        top: top.unwrap_or(0),
    };
    let attempt = |calls: &[CallLine]| {
        let job = Job {
            calls: calls.to_vec(),
            ..job.clone()
        };
        run(&job, kernel)
    };
    let mut trouble = None;
    let calls = shrink(&job.calls, &addresses, |calls| match attempt(calls) {
        Ok(ran) => ran.difference.is_some(),
        Err(error) => {
            trouble = Some(error);
            false
        }
    });
    if let Some(error) = trouble {
        return Err(error);
    }
    let last = attempt(&calls)?;
    // What does not come again is shown as it was found.
    Ok(match last.difference {
        Some(_) => scenario(&calls, &last, kernel, seed),
        None => scenario(&job.calls, &ran, kernel, seed),
    })
}

/// A scenario that does the same in the model, with what the kernel answered.
fn scenario(calls: &[CallLine], ran: &Ran, kernel: Kernel, seed: u32) -> String {
    let difference = ran.difference.as_ref();
    let lines = calls
        .iter()
        .zip(&ran.answers)
        .map(|(line, answer)| CallLine {
            recorded: answer.filter(|outcome| *outcome != Outcome::Done),
            ..line.clone()
        });
    let prelude = ran.place.prelude.iter().copied().map(CallLine::new);
    let lines = prelude.chain(lines);
    let end = difference.map_or_else(Vec::new, explained);
    let mut comments = Sorted::new();
    comments.insert(Anchor::End, end);
    let scenario = Scenario {
        title: say::title(seed),
        kernels: vec![kernel],
        settings: ran.place.settings.clone(),
        files: ran.place.files.clone(),
        start: ran.place.start.clone(),
        seed: 0,
        streams: StreamLines::default(),
        program: Program::of_calls(lines),
        comments,
    };
    scenario.to_string()
}

/// In what kernel and model differ, in lines.
fn explained(difference: &Difference) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((kernel, model)) = &difference.result {
        lines.push(say::result(kernel, model));
    }
    lines.extend(
        difference
            .kernel_only
            .iter()
            .map(|line| say::kernel_only(line)),
    );
    lines.extend(
        difference
            .model_only
            .iter()
            .map(|line| say::model_only(line)),
    );
    lines
}
