//! The layout before every call of recorded traces, line by line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use mmscope_recorded::{check_trace, files_below, is_trace, profile};

/// Traces, and how many layouts stand beside each.
const TRACES: [(&str, u64); 5] = [
    ("g14-mixed-sizes-steps", 44),
    ("g19-split-merge-steps", 76),
    ("g20-fixed-hints-steps", 58),
    ("g22-limits-steps", 65),
    ("g66-unknown-syscalls-steps", 26),
];

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cases");
    files_below(&folder, &is_trace).unwrap()
}

#[test]
fn the_layout_before_every_call_is_the_recorded_one() {
    let traces = traces();
    assert_eq!(traces.len(), TRACES.len());
    for (path, (name, layouts)) in traces.iter().zip(TRACES) {
        assert!(path.to_string_lossy().contains(name));
        let report = check_trace(path, profile("6.18.44").unwrap()).unwrap();
        assert_eq!(report.different, 0, "{name}: {:?}", report.first);
        assert_eq!(report.steps, layouts, "{name}");
        assert_eq!(report.out_of_scope.len(), 0, "{name}: {report}");
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
