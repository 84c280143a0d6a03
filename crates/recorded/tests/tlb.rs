//! The stored TLB comparisons, all of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use mmscope_recorded::{TlbReport, check_tlb, read_text};

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
