//! The stored recordings of real kernels, all of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use mmscope_recorded::{Report, check_text, files_below, is_vectors, read_text};

/// The folders, by kernel. Nothing in them is left out.
const FOLDERS: [&str; 6] = ["6.1", "6.12", "6.12-window", "6.18", "6.18-live", "7.3"];

#[test]
fn every_recorded_call_is_answered_alike() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/syscalls");
    let mut all = Report::default();
    for folder in FOLDERS {
        let mut report = Report::default();
        for file in files_below(&root.join(folder), &is_vectors).unwrap() {
            report.add(check_text(&read_text(&file).unwrap()).unwrap());
        }
        println!("{folder}: {} cases, {report}", report.cases);
        if let Some(first) = &report.first {
            panic!("{folder}: {report}\n{first}");
        }
        assert!(
            report.compared > 3800,
            "{folder}: only {} calls compared",
            report.compared
        );
        assert_eq!(report.skipped(), 0, "{folder}: {:?}", report.out_of_scope);
        all.add(report);
    }
    println!("all: {} cases, {all}", all.cases);
    // 138 421 calls of the scripts, and 51 140 recorded later.
    assert_eq!(all.compared, 189_561);
}

#[test]
fn a_wrong_answer_is_noticed() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/syscalls/6.1/hand.jsonl.br");
    let text = read_text(&file).unwrap();
    let case = text
        .lines()
        .find(|line| line.contains("\"odd-x3-vdso0\""))
        .unwrap();
    assert_eq!(check_text(case).unwrap().different, 0);
    // The same answers are wrong for a kernel that aligns.
    let moved = case.replace("6.1.0-50-cloud-amd64", "6.12.95-window");
    let report = check_text(&moved).unwrap();
    assert_eq!((report.compared, report.different), (3, 3));
    let first = report.first.unwrap();
    assert_eq!(first.op, 0);
    assert!(first.to_string().contains("7ffff7b79000"), "{first}");
}

#[test]
fn what_is_not_a_case_is_named_by_its_line() {
    let error = check_text("\n{\"schema\":1}\n").unwrap_err().to_string();
    assert!(
        error.starts_with("line 2 is not a recorded case"),
        "{error}"
    );
}
