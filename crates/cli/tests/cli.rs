//! The program as a shell sees it.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn mmscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn with_input(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn fails(output: &Output, code: i32, says: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.contains(says), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

/// A path for a file of this test alone.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("mmscope-cli-{}-{name}", std::process::id()))
}

#[test]
fn it_says_what_it_can_do() {
    assert!(succeeds(&mmscope(&["--help"])).contains("mmscope figure"));
    assert!(succeeds(&mmscope(&["run", "-h"])).contains("usage"));
    assert!(succeeds(&mmscope(&["--version"])).starts_with("mmscope "));
}

#[test]
fn the_lesson_runs() {
    let out = succeeds(&mmscope(&["run", "--lesson", "cactusbssn", "--step", "2"]));
    assert!(
        out.contains("1* 0x7ffff794a000    0x7ffff7800000    0x7ffff794a000"),
        "{out}"
    );
    assert!(
        out.contains("differ for the first time after call 1"),
        "{out}"
    );
    assert!(out.contains("mappings") && out.contains("Counted"), "{out}");
}

#[test]
fn kernels_can_be_picked_and_switched() {
    let out = succeeds(&mmscope(&[
        "run",
        "--lesson=cactusbssn",
        "--kernels",
        "6.14,6.14-d4148aeab412",
        "--step",
        "1",
    ]));
    assert!(out.contains("B 6.14-d4148aeab412"), "{out}");
    assert!(out.contains("1* 0x7ffff794a000    0x7ffff7800000"), "{out}");
    fails(
        &mmscope(&["run", "--lesson", "cactusbssn", "--kernels", "5.10"]),
        1,
        "5.10",
    );
    fails(
        &mmscope(&[
            "run",
            "--lesson",
            "cactusbssn",
            "--kernels",
            "6.1,6.2,6.3,6.4",
        ]),
        1,
        "one to three",
    );
    assert!(succeeds(&mmscope(&["kernels"])).contains("6.7.0"));
}

#[test]
fn figures_are_the_same_each_time_and_go_to_files() {
    let path = scratch("figure.svg");
    let to = path.to_string_lossy().into_owned();
    let args = ["figure", "--lesson", "cactusbssn", "--step", "3"];
    let first = succeeds(&mmscope(&args));
    assert!(first.starts_with("<svg") && first.ends_with("</svg>\n"));
    succeeds(&mmscope(&[&args[..], &["-o", &to]].concat()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), first);
    std::fs::remove_file(&path).unwrap();
    let text = succeeds(&mmscope(
        &[&args[..], &["--text", "--columns", "60"]].concat(),
    ));
    assert!(text.contains("A 6.6: ") && !text.contains("<svg"));
    let tree = succeeds(&mmscope(&[&args[..], &["--pane", "tree"]].concat()));
    assert!(tree.contains(">maple_arange_64<") && tree.contains(">ULONG_MAX<"));
    let half = &["--pane", "tree", "--text", "--micro", "4"];
    let half = succeeds(&mmscope(&[&args[..], half].concat()));
    assert!(half.contains("step 1 of the path, the search went in"));
    fails(
        &mmscope(&[&args[..], &["--pane", "bush"]].concat()),
        2,
        "bush",
    );
    fails(
        &mmscope(&[&args[..], &["-o", "/nowhere/at/all"]].concat()),
        1,
        "/nowhere/at/all",
    );
}

#[test]
fn what_is_wrong_is_said_and_where() {
    fails(&mmscope(&[]), 2, "command is missing");
    fails(&mmscope(&["draw"]), 2, "draw");
    fails(&mmscope(&["run"]), 2, "scenario is missing");
    fails(&mmscope(&["run", "--lesson", "none"]), 2, "cactusbssn");
    fails(
        &mmscope(&["run", "--lesson", "cactusbssn", "--step", "many"]),
        2,
        "many",
    );
    fails(
        &mmscope(&["run", "--lesson", "cactusbssn", "--fast"]),
        2,
        "--fast",
    );
    fails(&mmscope(&["run", "/nowhere/at/all"]), 1, "/nowhere/at/all");
    fails(
        &with_input(&["run", "-"], "mmscope 1\nmunmapp(0, 4096)\n"),
        1,
        "Line 2",
    );
    fails(
        &with_input(&["import", "-"], "no log at all\n"),
        1,
        "strace",
    );
    fails(&mmscope(&["import"]), 2, "log is missing");
}

#[test]
fn a_log_becomes_a_scenario_and_is_compared() {
    let log = "execve(\"/bin/x\", [\"x\"], 0x7ffe /* 3 vars */) = 0\n\
        brk(NULL) = 0x555555559000\n\
        mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbd000\n\
        mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbc000\n\
        exit_group(0) = ?\n";
    let output = with_input(&["import", "-", "--kernel", "6.18"], log);
    let scenario = succeeds(&output);
    assert!(scenario.starts_with("mmscope 1\n"), "{scenario}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("Replayed on 6.18: 1/1 addresses equal")
    );
    succeeds(&with_input(&["run", "-"], &scenario));
    let wrong = log.replace("0x7ffff7fbc000", "0x7ffff7f00000");
    fails(
        &with_input(&["import", "-"], &wrong),
        3,
        "model 0x7ffff7fbc000",
    );
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(["figure", "--lesson", "cactusbssn"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
