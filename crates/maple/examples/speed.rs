//! How long a tree of 65 531 ranges takes: `cargo run --release --example speed`.

use std::hint::black_box;
use std::time::Instant;

use mmscope_maple::{MaState, MapleTree};

const COUNT: u32 = 65_531;

fn at(n: u64) -> u64 {
    0x10000 + n * 0x2000
}

fn scattered(n: u32) -> u64 {
    at(u64::from(n) * 7919 % u64::from(COUNT))
}

fn time<R>(what: &str, calls: u32, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = black_box(work());
    let spent = start.elapsed();
    println!(
        "{what:<44} {:>9.3} ms  {:>7.0} ns each",
        spent.as_secs_f64() * 1e3,
        spent.as_secs_f64() * 1e9 / f64::from(calls)
    );
    result
}

fn main() {
    let mut tree = MapleTree::new();
    time("store ascending", COUNT, || {
        for n in 0..COUNT {
            MaState::new(at(n.into()), at(n.into()) + 0xfff).store(&mut tree, Some(n), &mut ());
        }
    });
    println!(
        "{} entries, {} nodes, height {}",
        tree.len(),
        tree.nodes().len(),
        tree.height()
    );
    time("walk", COUNT, || {
        (0..COUNT)
            .filter_map(|n| MaState::new(scattered(n), 0).walk(&tree))
            .count()
    });
    time("iterate", COUNT, || tree.iter().count());
    time("find, to the end", COUNT, || {
        let mut mas = MaState::new(0, 0);
        std::iter::from_fn(|| mas.find(&tree, u64::MAX)).count()
    });
    time("empty_area_rev, one page", COUNT, || {
        (0..COUNT)
            .filter(|n| {
                MaState::new(0, 0)
                    .empty_area_rev(&tree, 0, scattered(*n), 0x1000, &mut ())
                    .is_ok()
            })
            .count()
    });
    time("empty_area_rev, too large for any hole", COUNT, || {
        (0..COUNT)
            .filter(|n| {
                MaState::new(0, 0)
                    .empty_area_rev(&tree, at(0), at(1) + scattered(*n), 0x1001, &mut ())
                    .is_ok()
            })
            .count()
    });
    time("clone", 10_000, || {
        (0..10_000).for_each(|_| drop(black_box(tree.clone())))
    });
    time("preallocate", 10_000, || {
        (0..10_000)
            .map(|n| {
                MaState::new(scattered(n) + 0x800, scattered(n) + 0xfff)
                    .preallocate(&tree, Some(n))
                    .nodes
            })
            .sum::<u32>()
    });
    time("clone, then one store", 10_000, || {
        let mut kept = tree.clone();
        for n in 0..10_000 {
            kept = tree.clone();
            tree.store_range(scattered(n)..=scattered(n) + 0xfff, Some(n + 1));
        }
        kept.len()
    });
    time("check", 1, || tree.check().is_ok());
    time("erase scattered", COUNT, || {
        for n in 0..COUNT {
            MaState::new(scattered(n), 0).erase(&mut tree, &mut ());
        }
    });
    time("store scattered", COUNT, || {
        for n in 0..COUNT {
            MaState::new(scattered(n), scattered(n) + 0xfff).store(&mut tree, Some(n), &mut ());
        }
    });
    println!(
        "{} entries, {} nodes, height {}",
        tree.len(),
        tree.nodes().len(),
        tree.height()
    );
    time("one NULL store over all but two", 1, || {
        tree.store_range(at(1)..=at(65_529), None)
    });
}
