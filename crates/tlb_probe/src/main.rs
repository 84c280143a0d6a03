//! The probe in a terminal: `counts` prints what has to be the same everywhere, `time N` takes the time of each kind of work.

use std::time::Instant;

use mmscope_tlb_probe::{KINDS, counted, work};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["counts"] => print!("{}", counted()),
        ["time", accesses] => time(accesses.parse().unwrap_or(0)),
        _ => eprintln!("mmscope-tlb-probe counts | time ACCESSES"),
    }
}

/// A line for each kind: its name, and millions of accesses a second, the best of five.
fn time(accesses: u64) {
    for kind in KINDS {
        let mut best = f64::INFINITY;
        let mut done = 0;
        for _ in 0..5 {
            let started = Instant::now();
            done = work(kind, accesses).map_or(0, |work| work.accesses);
            best = best.min(started.elapsed().as_secs_f64());
        }
        println!("{kind}: {:.1}", done as f64 / best / 1e6);
    }
}
