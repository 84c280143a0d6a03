//! `cargo xtask test`: everything that CI runs. Each step is tried though one before it failed, and the end says which did.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::setup::{self, Need, Tools};
use crate::{Result, dist, e2e, paths, say, size};

/// The crates that end up in the page, beside the app itself.
const IN_THE_PAGE: [&str; 6] = [
    "mmscope-importer",
    "mmscope-figure",
    "mmscope-lab",
    "mmscope-mm",
    "mmscope-maple",
    "mmscope-tlb",
];

/// The steps done so far, and the lines that the runners closed with.
#[derive(Default)]
struct Report {
    steps: Vec<(&'static str, Duration, Result<()>)>,
    closing: Vec<String>,
}

impl Report {
    fn step(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Vec<String>) -> Result<()>,
    ) -> bool {
        say::heading(name);
        let started = Instant::now();
        let result = work(&mut self.closing);
        if let Err(error) = &result {
            say::failure(error);
        }
        let good = result.is_ok();
        self.steps.push((name, started.elapsed(), result));
        good
    }
}

/// Sets up and runs the steps; `--quick` leaves out the browser.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let quick = match args {
        [] => false,
        [arg] if arg == "--quick" => true,
        _ => return Err("`cargo xtask test` takes no argument but --quick".into()),
    };
    let started = Instant::now();
    let tools = setup::ensure(if quick { Need::Release } else { Need::Browser })?;
    let mut report = Report::default();
    report.steps.push(("set-up", started.elapsed(), Ok(())));
    steps(&tools, quick, &mut report);
    finish(&report, started.elapsed())
}

fn steps(tools: &Tools, quick: bool, report: &mut Report) {
    report.step("formatting", |_| {
        tools.fmt().args(["--all", "--", "--check"]).go()
    });
    report.step("lints, native", |_| {
        tools
            .run("cargo")
            .args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-Dwarnings",
            ])
            .go()
    });
    // One after the other: together they would all have the features of the full build.
    for (name, packages) in [
        ("lints, wasm32", &IN_THE_PAGE[..]),
        ("lints, wasm32, the app that comes first", &["mmscope"]),
        ("lints, wasm32, the full app", &["mmscope-full"]),
    ] {
        report.step(name, |_| lint_wasm(tools, packages));
    }
    report.step("unit, property and vector tests", |closing| {
        let (lines, result) = tools
            .run("cargo")
            .args(["test", "--workspace", "--locked", "--no-fail-fast"])
            .tee();
        closing.extend(lines.into_iter().filter(|line| cargo_summary(line)));
        result
    });
    report.step("recorded vectors", |_| {
        crate::vectors::run(&[paths::root().join("vectors").display().to_string()])
    });
    report.step("check against this kernel", |closing| check(tools, closing));
    report.step("recorded traces", |_| {
        let traces = paths::root().join("crates/lab/tests/data");
        crate::cases::run(&[
            "--kernel".into(),
            "6.18".into(),
            traces.display().to_string(),
        ])
    });
    report.step("the same TLB counts in WebAssembly", |_| {
        crate::probe::same_counts(tools)
    });
    if report.step("release build", |_| dist::build(tools)) {
        report.step("size", |_| size::check());
        if !quick {
            report.step("end to end", |closing| {
                let (lines, result) = e2e::run(tools);
                closing.extend(lines.iter().filter_map(|line| node_summary(line)));
                result
            });
        }
    }
}

fn lint_wasm(tools: &Tools, packages: &[&str]) -> Result<()> {
    let packages = packages.iter().flat_map(|name| ["-p", name]);
    tools
        .run("cargo")
        .args(["clippy", "--lib", "--locked"])
        .args(["--target", "wasm32-unknown-unknown"])
        .args(packages)
        .args(["--", "-Dwarnings"])
        .go()
}

/// Holds the model against the kernel that runs this, as far as that is allowed: about a minute.
fn check(tools: &Tools, closing: &mut Vec<String>) -> Result<()> {
    // `check` says 2 where it can't be done: that is no failure, but has to be seen.
    const CANNOT: i32 = 2;
    tools
        .run("cargo")
        .args(["build", "--release", "--locked", "-p", "mmscope-cli"])
        .go()?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| paths::root().join("target"), PathBuf::from);
    let output = Command::new(target.join("release/mmscope"))
        .args(["check", "--programs", "1000", "--seed", "1"])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    match output.status.code() {
        Some(0) => {
            closing.extend(text.lines().take(2).map(str::to_owned));
            Ok(())
        }
        Some(CANNOT) => {
            let why = String::from_utf8_lossy(&output.stderr);
            let line = format!("skipped: {}", why.trim());
            println!("{line}");
            closing.push(line);
            Ok(())
        }
        _ => Err("the model differs from this kernel".into()),
    }
}

fn finish(report: &Report, all: Duration) -> Result<()> {
    say::heading(&format!("done in {}", say::duration(all)));
    for (name, time, result) in &report.steps {
        say::note(&format!(
            "{:6}  {:>12}  {name}",
            if result.is_ok() { "ok" } else { "FAILED" },
            say::duration(*time)
        ));
    }
    for line in &report.closing {
        println!("{line}");
    }
    let failed: Vec<&str> = report
        .steps
        .iter()
        .filter(|(_, _, result)| result.is_err())
        .map(|(name, ..)| *name)
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join("; ")))
    }
}

/// Cargo's summary of a test program that had any tests.
fn cargo_summary(line: &str) -> bool {
    line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed")
}

/// A line of Node's summary, as its other reporters write it: `# pass 5`.
fn node_summary(line: &str) -> Option<String> {
    let rest = line
        .strip_prefix("ℹ ")
        .or_else(|| line.strip_prefix("# "))?;
    let (word, number) = rest.split_once(' ')?;
    let known = [
        "tests",
        "suites",
        "pass",
        "fail",
        "cancelled",
        "skipped",
        "todo",
    ]
    .contains(&word);
    (known && number.parse::<u32>().is_ok()).then(|| format!("# {rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines() {
        assert!(cargo_summary(
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
        ));
        assert!(cargo_summary(
            "test result: FAILED. 0 passed; 1 failed; 0 ignored"
        ));
        assert!(!cargo_summary(
            "test result: ok. 0 passed; 0 failed; 0 ignored"
        ));
        assert_eq!(node_summary("ℹ pass 5").as_deref(), Some("# pass 5"));
        assert_eq!(node_summary("# tests 5").as_deref(), Some("# tests 5"));
        assert_eq!(node_summary("ℹ duration_ms 12.5"), None);
    }

    #[test]
    fn a_failed_step_fails_the_run() {
        let mut report = Report::default();
        assert!(report.step("one", |_| Ok(())));
        assert!(finish(&report, Duration::ZERO).is_ok());
        assert!(!report.step("two", |_| Err("no".into())));
        assert!(finish(&report, Duration::ZERO).is_err());
    }
}
