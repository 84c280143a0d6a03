//! The lines that are counted, their bars, and how they are shown.

use super::Options;
use super::count::Program;
use crate::Result;

/// One line: kinds of operation that are counted one by one, and their mean.
struct Line {
    name: &'static str,
    kinds: &'static [&'static str],
    release: &'static str,
    /// What the kernel's own code takes, and how many times that is allowed.
    kernel: Option<(f64, f64)>,
}

const fn line(
    name: &'static str,
    kinds: &'static [&'static str],
    kernel: Option<(f64, f64)>,
) -> Line {
    Line {
        name,
        kinds,
        release: "6.12",
        kernel,
    }
}

/// The kernel's code was counted for 6.12 only.
const LINES: [Line; 12] = [
    line(
        "lookup (mtree_load)",
        &["lookup-hit", "lookup-miss"],
        Some((267.0, 1.0)),
    ),
    line("walk (mas_walk)", &["walk"], Some((328.0, 1.0))),
    line(
        "gap search from above",
        &[
            "rev-first",
            "rev-random",
            "rev-planted",
            "rev-none",
            "rev-cycle",
        ],
        Some((1214.0, 1.0)),
    ),
    line("gap search from below", &["fwd-random"], Some((640.0, 1.0))),
    line(
        "store (mas_store_gfp)",
        &["gfp-up", "gfp-down", "gfp-random", "gfp-munmap", "gfp-mmap"],
        Some((2430.0, 1.25)),
    ),
    line(
        "preallocate and store, as prepare",
        &["prepare"],
        Some((2167.0, 1.25)),
    ),
    line(
        "preallocate and store, apart",
        &["preallocate"],
        Some((2167.0, 1.25)),
    ),
    line("erase", &["erase"], Some((3525.0, 1.25))),
    line(
        "iterate, per entry and the hole behind it",
        &["iterate"],
        None,
    ),
    line("iterate with a cursor (mas_find)", &["find"], None),
    Line {
        name: "preallocate and store, as prepare, 7.3",
        kinds: &["prepare"],
        release: "7.3",
        kernel: None,
    },
    Line {
        name: "erase, 7.3",
        kinds: &["erase"],
        release: "7.3",
        kernel: None,
    },
];

/// Kinds of operation that tell an observer something.
pub(super) const UNOBSERVED: [&str; 8] = [
    "rev-random",
    "rev-planted",
    "fwd-random",
    "prepare",
    "gfp-random",
    "gfp-munmap",
    "gfp-mmap",
    "erase",
];

/// What a change elsewhere in a function may do to its code: half a percent.
const NOISE: f64 = 0.005;

/// Counts and shows every line; says how many are over their bar.
pub(super) fn against_the_kernel(
    program: &Program,
    rounds: u32,
    options: &Options,
) -> Result<usize> {
    let mut over = 0;
    println!(
        "{:<44} {:>7} {:>10} {:>6} {:>5}",
        "operation, by the rules of 6.12", "here", "kernel's C", "ratio", "bar"
    );
    for line in LINES.iter().filter(|line| options.wants(line.name)) {
        let mut parts = Vec::new();
        for kind in line.kinds {
            parts.push(program.count(kind, line.release, rounds)?);
        }
        let here = parts.iter().sum::<f64>() / parts.len() as f64;
        match line.kernel {
            Some((kernel, bar)) => {
                let good = here <= kernel * bar;
                over += usize::from(!good);
                println!(
                    "{:<44} {here:>7.0} {kernel:>10.0} {:>6.2} {bar:>5.2} {}",
                    line.name,
                    here / kernel,
                    if good { "ok" } else { "OVER" }
                );
            }
            None => println!("{:<44} {here:>7.0}", line.name),
        }
        if parts.len() > 1 {
            for (kind, part) in line.kinds.iter().zip(parts) {
                println!("    {kind:<40} {part:>7.0}");
            }
        }
    }
    Ok(over)
}

/// Counts the same work with nobody watching, and with no call to an observer in the source; says how many differ. Then
/// with a journal.
pub(super) fn unobserved(
    plain: &Program,
    bare: &Program,
    rounds: u32,
    options: &Options,
) -> Result<usize> {
    let mut over = 0;
    println!(
        "\n{:<44} {:>7} {:>10} {:>6}",
        "what recording costs", "off", "cut out", "ratio"
    );
    for kind in UNOBSERVED.into_iter().filter(|kind| options.wants(kind)) {
        let (off, cut) = (
            plain.count(kind, "6.12", rounds)?,
            bare.count(kind, "6.12", rounds)?,
        );
        let good = off <= cut * (1.0 + NOISE);
        over += usize::from(!good);
        println!(
            "{kind:<44} {off:>7.0} {cut:>10.0} {:>6.3} {}",
            off / cut,
            if good { "ok" } else { "OVER" }
        );
    }
    if options.wants("gfp-journal") || options.wants("gfp-random") {
        let on = plain.count("gfp-journal", "6.12", rounds)?;
        let off = plain.count("gfp-random", "6.12", rounds)?;
        println!(
            "{:<44} {on:>7.0} {:>10} {:>6.2}",
            "gfp-random with a journal of nodes and roots",
            "",
            on / off
        );
    }
    Ok(over)
}
