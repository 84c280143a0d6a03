//! The recorded maple trees, all of them, node for node.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use mmscope_recorded::check_maple;

#[test]
fn every_recorded_tree_is_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/maple");
    let reports = check_maple(&root).unwrap();
    for (release, report) in &reports {
        println!("{release}: {report}");
        println!("{:?}", report.first);
    }
    for (release, report) in &reports {
        assert!(report.first.is_none(), "{release}: {report:#?}");
    }
}
