//! The recorded maple trees, all of them, node for node.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use mmscope_recorded::{MapleReport, check_maple, check_maple_text, read_text};

/// What there is to compare in each folder: release, trees by hash, trees node for node, node counts.
const RECORDED: [(&str, u64, u64, u64); 3] = [
    ("6.1", 11_159, 0, 11_159),
    ("6.12", 11_402, 6_739, 11_356),
    ("7.3", 11_405, 6_742, 11_359),
];

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/maple")
}

#[test]
fn every_recorded_tree_is_the_same() {
    let reports = check_maple(&vectors()).unwrap();
    let mut all = MapleReport::default();
    for (release, report) in reports {
        println!("{release}: {report}");
        assert!(
            report.first.is_none(),
            "{release}: {report}\n{}",
            report.first.as_deref().unwrap_or_default()
        );
        let compared = (report.hashed, report.dumped, report.accounts);
        let wanted = RECORDED.iter().find(|row| row.0 == release);
        let wanted = wanted.map(|row| (row.1, row.2, row.3));
        assert_eq!(Some(compared), wanted, "{release}");
        all.add(report);
    }
    println!("all: {all}");
    assert_eq!(all.different, 0);
}

/// The same sequences by another release's rules: every one of them goes wrong sooner or later.
#[test]
fn a_wrong_family_is_noticed() {
    let text = read_text(&vectors().join("7.3/random-delta.jsonl.br")).unwrap();
    let moved = text.replace("\"ver\":\"7.3\"", "\"ver\":\"6.12\"");
    let report = check_maple_text(&moved).unwrap();
    assert_eq!(report.different, report.sequences);
    let early = text.replace("\"ver\":\"7.3\"", "\"ver\":\"7.0\"");
    assert!(check_maple_text(&early).unwrap().different > 0);
}

#[test]
fn a_wrong_node_is_noticed() {
    let text = read_text(&vectors().join("6.12/cases.jsonl.br")).unwrap();
    for (right, wrong) in [
        // A replaced leaf that is said to be kept, a gap, a mark.
        (
            "\"root\":2,\"nodes\":[{\"id\":2,",
            "\"root\":1,\"nodes\":[{\"id\":1,",
        ),
        ("\"g\":[\"80\"", "\"g\":[\"81\""),
        ("\"mg\":1", "\"mg\":0"),
        ("\"fr\":3", "\"fr\":2"),
        ("\"pre\":7", "\"pre\":5"),
    ] {
        let bent = text.replacen(right, wrong, 1);
        assert_ne!(bent, text, "{right}");
        assert_eq!(check_maple_text(&bent).unwrap().different, 1, "{right}");
    }
}
