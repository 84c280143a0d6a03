//! The stored TLB comparisons, all of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use mmscope_recorded::{TlbReport, check_tlb, read_text};
use mmscope_tlb::{Counts, Preset};
use serde_json::Value;

/// The files, and how much there is to compare in each.
const FILES: [(&str, u64); 14] = [
    ("big", 24),
    ("ext_cache", 12),
    ("golden_presets", 75),
    ("golden_table", 144),
    ("index", 48),
    ("index_fn", 168),
    ("lockstep_lru", 160),
    ("permutation", 24),
    ("placement", 27),
    ("presets", 60),
    ("pwc", 12),
    ("random", 12),
    ("replacement", 96),
    ("stencil_lru", 96),
];

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/tlb")
}

#[test]
fn every_comparison_comes_out_equal() {
    let mut all = TlbReport::default();
    for (name, count) in FILES {
        let text = read_text(&vectors().join(format!("{name}.json.br"))).unwrap();
        let started = std::time::Instant::now();
        let report = check_tlb(name, &text).unwrap();
        println!("{name}: {report} in {:?}", started.elapsed());
        if let Some(first) = &report.first {
            println!("{name}: {report}\n{first}");
        }
        assert_eq!(report.compared, count, "{name}");
        all.add(report);
    }
    println!("all: {all}");
    assert_eq!((all.compared, all.different), (958, 0), "{:?}", all.first);
}

/// The specification's table of the presets (§10): with 4K pages walks per 1000 accesses merged and aligned, cycles of an access
/// merged and aligned, slowdown; with huge pages walks aligned, cycles merged and aligned, slowdown.
const PRESETS: [(&str, [&str; 9]); 15] = [
    (
        "ivybridge_ep",
        [
            "0.83", "435.11", "1.88", "10.82", "+477%", "46.47", "1.50", "2.48", "+65%",
        ],
    ),
    (
        "haswell",
        [
            "0.83", "435.11", "1.93", "10.82", "+461%", "39.55", "1.50", "2.34", "+56%",
        ],
    ),
    (
        "broadwell",
        [
            "0.60", "0.76", "1.92", "1.94", "+1%", "0.07", "1.50", "1.55", "+3%",
        ],
    ),
    (
        "skylake",
        [
            "0.57", "0.46", "1.97", "1.99", "+1%", "0.04", "1.50", "1.55", "+4%",
        ],
    ),
    (
        "cometlake_10600k",
        [
            "0.57", "0.46", "1.97", "1.99", "+1%", "0.04", "1.50", "1.55", "+4%",
        ],
    ),
    (
        "icelake",
        [
            "0.43", "0.38", "1.92", "1.94", "+1%", "0.04", "1.50", "1.55", "+3%",
        ],
    ),
    (
        "goldencove",
        [
            "0.43", "0.38", "1.84", "1.88", "+2%", "0.04", "1.50", "1.54", "+3%",
        ],
    ),
    (
        "zen1",
        [
            "0.42", "435.11", "1.89", "6.72", "+256%", "37.16", "1.50", "1.95", "+30%",
        ],
    ),
    (
        "zen2",
        [
            "0.34", "435.11", "1.88", "6.72", "+257%", "37.16", "1.50", "1.95", "+30%",
        ],
    ),
    (
        "zen3",
        [
            "0.34", "435.11", "1.88", "3.24", "+72%", "37.16", "1.50", "1.65", "+10%",
        ],
    ),
    (
        "zen4",
        [
            "0.34", "0.34", "1.88", "1.88", "+0%", "0.04", "1.50", "1.53", "+2%",
        ],
    ),
    (
        "zen5",
        [
            "0.34", "0.34", "1.88", "1.88", "+0%", "0.04", "1.50", "1.53", "+2%",
        ],
    ),
    (
        "neoverse_n1",
        [
            "0.74", "435.11", "1.77", "3.61", "+103%", "38.19", "1.50", "1.68", "+12%",
        ],
    ),
    (
        "neoverse_v1",
        [
            "0.34", "435.11", "1.77", "3.61", "+104%", "38.19", "1.50", "1.68", "+12%",
        ],
    ),
    (
        "neoverse_v2",
        [
            "0.34", "435.11", "1.77", "3.61", "+104%", "38.19", "1.50", "1.68", "+12%",
        ],
    ),
];

/// The counts of that table are those that the comparison above has found equal.
#[test]
fn cycles_of_the_presets_are_those_of_the_table() {
    let text = read_text(&vectors().join("golden_presets.json.br")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let rows = file["rows"].as_array().unwrap();
    assert_eq!(rows.len(), PRESETS.len());
    for (row, (name, told)) in rows.iter().zip(PRESETS) {
        assert_eq!(row["preset"], name);
        let cycles = Preset::named(name).unwrap().cycles;
        let of = |layout: &str| counts(&row["counts"][layout]);
        let (merged, aligned) = (of("merged_4k"), of("aligned_4k"));
        let (merged_thp, aligned_thp) = (of("merged_thp"), of("aligned_thp"));
        let walks = |counts: &Counts| format!("{:.2}", counts.walks_per_1000());
        let each = |counts: &Counts| format!("{:.2}", cycles.per_access(counts));
        let slower = |layout: &Counts, other: &Counts| {
            format!("{:+.0}%", cycles.slowdown(layout, other) * 100.0)
        };
        let here = [
            walks(&merged),
            walks(&aligned),
            each(&merged),
            each(&aligned),
            slower(&aligned, &merged),
            walks(&aligned_thp),
            each(&merged_thp),
            each(&aligned_thp),
            slower(&aligned_thp, &merged_thp),
        ];
        assert_eq!(here, told, "{name}");
    }
}

fn counts(value: &Value) -> Counts {
    let number = |name: &str| value[name].as_u64().unwrap();
    Counts {
        by_size: [number("accesses"), 0, 0],
        l1_hits: number("l1_hits"),
        l2_hits: number("l2_hits"),
        walks_by_size: [number("walks_4k"), number("walks_2m"), 0],
        walk_refs: number("walk_refs"),
    }
}

/// A count that is off by one is seen, and named.
#[test]
fn a_wrong_count_is_noticed() {
    let text = read_text(&vectors().join("pwc.json.br")).unwrap();
    let wrong = text.replacen("\"walk_refs\": 2400", "\"walk_refs\": 2401", 1);
    assert_ne!(text, wrong);
    let report = check_tlb("pwc", &wrong).unwrap();
    assert_eq!((report.compared, report.different), (12, 1));
    let first = report.first.unwrap();
    assert!(
        first.contains("pde0/stride1000") && first.contains("2401"),
        "{first}"
    );
    assert!(check_tlb("pwc", "{}").is_err());
}
