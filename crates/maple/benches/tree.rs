//! How long the tree takes, for people: `cargo bench -p mmscope-maple --bench tree`.
//!
//! Each figure is for all operations of a round, and the throughput line says how many elements, that is operations,
//! a second make. To compare two versions count instructions instead: `cargo xtask bench`.

#![allow(missing_docs, reason = "a program")]

mod load;

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use load::{Random, SIZE, STEP, Tree, cursor, full, store, top};
use mmscope_maple::{MaState, MapleTree, Rules};

/// As many queries as this are asked in a round.
const QUERIES: u64 = 1000;
/// The most mappings that a process may have under the default `vm.max_map_count`, and one.
const MOST: u64 = 65_531;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for count in [1000, 100_000] {
        writes(&mut criterion, count);
        reads(&mut criterion, count);
    }
    clones(&mut criterion);
    criterion.final_summary();
}

fn writes(criterion: &mut Criterion, count: u64) {
    let mut group = criterion.benchmark_group("writes");
    group.throughput(Throughput::Elements(count));
    if count > QUERIES {
        group.sample_size(10);
    }
    let keys = Random(1).order(count);
    for (name, rules) in [("6.12", Rules::V6_12), ("7.3", Rules::V7_3)] {
        let id = |what: &str| BenchmarkId::new(format!("{what}, {name}"), count);
        group.bench_function(id("insert random"), |bencher| {
            bencher.iter_with_large_drop(|| {
                let mut tree = MapleTree::with_rules(rules);
                for key in &keys {
                    store(&mut tree, *key, &mut ());
                }
                tree
            });
        });
        group.bench_function(id("erase random"), |bencher| {
            bencher.iter_batched(
                || full(rules, count, &mut Random(2)),
                |tree| erase_all(tree, &keys),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn erase_all(mut tree: Tree, keys: &[u64]) -> Tree {
    for key in keys {
        MaState::new(key * STEP, key * STEP).erase(&mut tree, &mut ());
    }
    tree
}

fn reads(criterion: &mut Criterion, count: u64) {
    let mut random = Random(1);
    let tree = full(Rules::V6_12, count, &mut random);
    let mut places = |behind| -> Vec<u64> {
        let one = |_| random.next() % count * STEP + behind;
        (0..QUERIES).map(one).collect()
    };
    let (hits, misses) = (places(SIZE / 2), places(SIZE + SIZE / 2));
    let (froms, tos) = (places(0), places(STEP - 1));
    let tops = vec![top(count); hits.len()];

    let mut group = criterion.benchmark_group("reads");
    group.throughput(Throughput::Elements(QUERIES));
    let mut each = |what: &str, at: &[u64], work: &dyn Fn(u64) -> u64| {
        group.bench_function(BenchmarkId::new(what, count), |bencher| {
            bencher.iter(|| {
                at.iter()
                    .fold(0, |sum: u64, at| sum.wrapping_add(work(*at)))
            });
        });
    };
    let load = |at| tree.get(at).map_or(0, |entry| u64::from(entry.get()));
    each("lookup hit", &hits, &load);
    each("lookup miss", &misses, &load);
    each("walk", &hits, &|at| tree.range_at(at).last);
    let rev = |tree: &Tree, max, size| {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area_rev(tree, 0, max, size, &mut ());
        mas.index
    };
    each("gap rev, first hole fits", &tops, &|max| {
        rev(&tree, max, SIZE)
    });
    each("gap rev, random upper limit", &tos, &|max| {
        rev(&tree, max, SIZE)
    });
    each("gap rev, nothing fits", &tops, &|max| {
        rev(&tree, max, 2 * SIZE)
    });
    let mut planted = tree.clone();
    cursor(count / 2).store(&mut planted, None, &mut ());
    each("gap rev, one planted hole", &tops, &|max| {
        rev(&planted, max, 2 * SIZE)
    });
    each("gap fwd, random lower limit", &froms, &|min| {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area(&tree, min, count * STEP, SIZE, &mut ());
        mas.index
    });
    group.throughput(Throughput::Elements(count));
    group.bench_function(BenchmarkId::new("iterate all", count), |bencher| {
        bencher.iter(|| black_box(&tree).iter().count());
    });
    group.bench_function(
        BenchmarkId::new("iterate all with a cursor", count),
        |bencher| {
            bencher.iter(|| {
                let (mut mas, mut found) = (MaState::new(0, 0), 0);
                while mas.find(black_box(&tree), u64::MAX).is_some() {
                    found += 1;
                }
                found
            });
        },
    );
    group.finish();
}

fn clones(criterion: &mut Criterion) {
    let tree = full(Rules::V6_12, MOST, &mut Random(1));
    let mut group = criterion.benchmark_group("clones");
    group.bench_function(BenchmarkId::new("clone", MOST), |bencher| {
        bencher.iter(|| black_box(&tree).clone());
    });
    group.bench_function(BenchmarkId::new("clone, then one store", MOST), |bencher| {
        bencher.iter_batched(
            || tree.clone(),
            |mut tree: MapleTree<_>| {
                cursor(MOST / 2).store(&mut tree, None, &mut ());
                store(&mut tree, MOST / 2, &mut ());
                tree
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}
