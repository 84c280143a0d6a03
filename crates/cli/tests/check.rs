//! The model against the kernel that runs the tests, where that may be observed.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use std::process::{Command, Output, Stdio};

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .arg("check")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The output; `None`, said aloud, where the check can't be done.
fn printed(output: &Output) -> Option<String> {
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) {
        assert!(errors.contains("can't be done here"), "{errors}");
        eprintln!("skipped: {}", errors.trim());
        return None;
    }
    Some(String::from_utf8(output.stdout.clone()).unwrap())
}

#[test]
fn the_model_does_what_the_kernel_does() {
    let output = check(&["--programs", "50", "--calls", "60", "--seed", "7"]);
    if let Some(text) = printed(&output) {
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains("50 programs, 25 of them with"), "{text}");
        assert!(text.contains("0 differences"), "{text}");
    }
}

#[test]
fn a_wrong_model_is_noticed_and_its_program_shrunk() {
    let output = check(&["--programs", "20", "--kernel", "6.1", "--seed", "3"]);
    let Some(text) = printed(&output) else { return };
    assert_eq!(output.status.code(), Some(1), "{text}");
    let scenario = text.split_once("\nmmscope 1").unwrap().1;
    let path = std::env::temp_dir().join(format!("mmscope-check-{}.mm", std::process::id()));
    std::fs::write(&path, format!("mmscope 1{scenario}")).unwrap();
    let name = path.to_str().unwrap();
    // It runs in the model, and differs again on the kernel; for the one that runs, it does not.
    let run = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(["run", name])
        .output()
        .unwrap();
    let again = check(&["--kernel", "6.1", name]);
    let right = check(&[name]);
    std::fs::remove_file(&path).unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(again.status.code(), Some(1), "{scenario}");
    assert_eq!(right.status.code(), Some(0), "{scenario}");
}

#[test]
fn what_is_no_scenario_is_refused() {
    let output = check(&["/dev/null"]);
    assert_eq!(output.status.code(), Some(2));
}
