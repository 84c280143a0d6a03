//! The layout before every call of recorded traces, line by line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use mmscope_recorded::{check_trace, files_below, is_trace, profile};

/// Traces, how many layouts stand beside each, and how many of its results are not compared: those of process_madvise
/// and mbind.
const TRACES: [(&str, u64, u64); 5] = [
    ("g14-mixed-sizes-steps", 44, 0),
    ("g19-split-merge-steps", 76, 0),
    ("g20-fixed-hints-steps", 58, 0),
    ("g22-limits-steps", 65, 0),
    ("g66-unknown-syscalls-steps", 26, 2),
];

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cases");
    files_below(&folder, &is_trace).unwrap()
}

#[test]
fn the_layout_before_every_call_is_the_recorded_one() {
    let traces = traces();
    assert_eq!(traces.len(), TRACES.len());
    for (path, (name, layouts, left_out)) in traces.iter().zip(TRACES) {
        assert!(path.to_string_lossy().contains(name));
        let report = check_trace(path, profile("6.18.44").unwrap()).unwrap();
        assert_eq!(report.different, 0, "{name}: {:?}", report.first);
        assert_eq!(report.steps, layouts, "{name}");
        assert_eq!(
            report.out_of_scope.values().sum::<u64>(),
            left_out,
            "{name}: {report}"
        );
    }
}

#[test]
fn a_wrong_layout_is_noticed() {
    // 6.6 does not align: the mixed sizes lie elsewhere.
    let report = check_trace(&traces()[0], profile("6.6.45").unwrap()).unwrap();
    assert!(report.different > 20, "{report}");
    let first = report.first.unwrap();
    assert!(first.contains("line"), "{first}");
}
