//! What the simulator counts in a fixed set of runs is what it counted before; `cargo xtask test` asks the same of it in
//! WebAssembly. Where a change of the counts is meant: `cargo run -p mmscope-tlb-probe -- counts > crates/tlb_probe/tests/counts.txt`.

use mmscope_tlb_probe::counted;

#[test]
fn the_counts_are_the_same_as_ever() {
    let stored = include_str!("counts.txt");
    let counted = counted();
    let runs = counted.lines().count();
    assert_eq!(runs, (15 + 6) * 2 * 4 + 1);
    assert!(!counted.contains("refused"), "{counted}");
    for (now, before) in counted.lines().zip(stored.lines()) {
        assert_eq!(now, before);
    }
    assert_eq!(runs, stored.lines().count());
}
