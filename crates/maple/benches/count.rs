//! One kind of operation, many times, in a function of its own, so that `callgrind` can count it:
//! `valgrind --tool=callgrind --toggle-collect='*measured*' count KIND [ROUNDS] [RELEASE]`.
//!
//! What is counted is the operation with the loop around it; see the README beside this file.
//! Prints how many operations were measured. `cargo xtask bench` makes the table.

mod load;

use std::hint::black_box;
use std::num::NonZeroU32;

use load::{Random, SIZE, STEP, Tree, cursor, entry, full, store, top};
use mmscope_maple::{MaState, MapleTree, Node, NodeId, Observer, Root, Rules};

const COUNT: u64 = 1000;
/// How many planted holes are searched for, each in a tree of its own.
const PLANTED: u64 = 8;

/// An observer that keeps all that it takes to go back.
#[derive(Default)]
struct Journal {
    nodes: Vec<(NodeId<NonZeroU32>, Option<Node<NonZeroU32>>)>,
    roots: Vec<Root<NonZeroU32>>,
}

impl Observer<NonZeroU32> for Journal {
    fn node(&mut self, id: NodeId<NonZeroU32>, old: Option<&Node<NonZeroU32>>) {
        self.nodes.push((id, old.copied()));
    }

    fn root(&mut self, old: Root<NonZeroU32>) {
        self.roots.push(old);
    }
}

#[inline(never)]
fn measured_lookup(tree: &Tree, at: &[u64]) -> u64 {
    let mut sum = 0;
    for at in at {
        sum += u64::from(tree.get(*at).map_or(0, NonZeroU32::get));
    }
    sum
}

#[inline(never)]
fn measured_walk(tree: &Tree, at: &[u64]) -> u64 {
    let mut sum = 0u64;
    for at in at {
        let mut mas = MaState::new(*at, *at);
        mas.walk(tree);
        sum = sum.wrapping_add(mas.last - mas.index);
    }
    sum
}

#[inline(never)]
fn measured_prepare(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        store(tree, *key, &mut ());
    }
}

#[inline(never)]
fn measured_preallocate(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        let mut mas = cursor(*key);
        let ahead = mas.preallocate(tree, entry(*key));
        mas.store_prealloc(tree, entry(*key), ahead, &mut ());
    }
}

#[inline(never)]
fn measured_gfp(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        cursor(*key).store(tree, entry(*key), &mut ());
    }
}

#[inline(never)]
fn measured_null(tree: &mut Tree, key: u64) {
    cursor(key).store(tree, None, &mut ());
}

#[inline(never)]
fn measured_journal(tree: &mut Tree, keys: &[u64], journal: &mut Journal) {
    for key in keys {
        cursor(*key).store(tree, entry(*key), journal);
    }
}

#[inline(never)]
fn measured_erase(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        MaState::new(key * STEP, key * STEP).erase(tree, &mut ());
    }
}

#[inline(never)]
fn measured_rev(tree: &Tree, below: &[u64], size: u64) -> u64 {
    let mut sum = 0u64;
    for max in below {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area_rev(tree, 0, *max, size, &mut ());
        sum = sum.wrapping_add(mas.index);
    }
    sum
}

#[inline(never)]
fn measured_fwd(tree: &Tree, from: &[u64], size: u64) -> u64 {
    let mut sum = 0u64;
    for min in from {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area(tree, *min, COUNT * STEP, size, &mut ());
        sum = sum.wrapping_add(mas.index);
    }
    sum
}

#[inline(never)]
fn measured_find(tree: &Tree) -> u64 {
    let mut mas = MaState::new(0, 0);
    let mut sum = 0;
    while let Some(entry) = mas.find(tree, u64::MAX) {
        sum += u64::from(entry.get());
    }
    sum
}

#[inline(never)]
fn measured_iterate(tree: &Tree) -> u64 {
    let mut sum = 0;
    for (_, entry) in tree.iter() {
        sum += u64::from(entry.get());
    }
    sum
}

/// What is measured, and on what.
struct Bench {
    rules: Rules,
    random: Random,
    tree: Tree,
}

impl Bench {
    fn new(rules: Rules) -> Self {
        let mut random = Random(1);
        let tree = full(rules, COUNT, &mut random);
        Self {
            rules,
            random,
            tree,
        }
    }

    fn stores(&mut self, keys: &[u64], measured: fn(&mut Tree, &[u64])) -> u64 {
        measured(&mut MapleTree::with_rules(self.rules), keys);
        COUNT
    }

    /// munmap, a search that only the new hole answers, and mmap into it. `what` of them is measured.
    fn cycle(&mut self, what: &str) -> u64 {
        for _ in 0..COUNT {
            let key = self.random.next() % COUNT;
            if what == "null" {
                measured_null(&mut self.tree, key);
            } else {
                cursor(key).store(&mut self.tree, None, &mut ());
            }
            if what == "rev" {
                black_box(measured_rev(&self.tree, &[top(COUNT)], 2 * SIZE));
            }
            if what == "mmap" {
                measured_gfp(&mut self.tree, &[key]);
            } else {
                store(&mut self.tree, key, &mut ());
            }
        }
        COUNT
    }

    /// One round of a kind of operation: how many were measured, or `None` for no such kind.
    fn round(&mut self, kind: &str) -> Option<u64> {
        let random = self.random.order(COUNT);
        let upwards: Vec<_> = (0..COUNT).collect();
        let downwards: Vec<_> = (0..COUNT).rev().collect();
        let hits = self.random.places(COUNT, SIZE / 2);
        let tops = vec![top(COUNT); COUNT as usize];
        Some(match kind {
            "lookup-hit" => {
                black_box(measured_lookup(&self.tree, &hits));
                COUNT
            }
            "lookup-miss" => {
                let misses = self.random.places(COUNT, SIZE + SIZE / 2);
                black_box(measured_lookup(&self.tree, &misses));
                COUNT
            }
            "walk" => {
                black_box(measured_walk(&self.tree, &hits));
                COUNT
            }
            "rev-first" => {
                black_box(measured_rev(&self.tree, &tops, SIZE));
                COUNT
            }
            "rev-random" => {
                let below = self.random.places(COUNT, STEP - 1);
                black_box(measured_rev(&self.tree, &below, SIZE));
                COUNT
            }
            "rev-planted" => {
                for hole in 0..PLANTED {
                    let mut tree = self.tree.clone();
                    let key = (2 * hole + 1) * COUNT / (2 * PLANTED);
                    cursor(key).store(&mut tree, None, &mut ());
                    black_box(measured_rev(&tree, &tops, 2 * SIZE));
                }
                PLANTED * COUNT
            }
            "rev-none" => {
                black_box(measured_rev(&self.tree, &tops, 2 * SIZE));
                COUNT
            }
            "rev-cycle" => self.cycle("rev"),
            "fwd-random" => {
                let from = self.random.places(COUNT, 0);
                black_box(measured_fwd(&self.tree, &from, SIZE));
                COUNT
            }
            "prepare" => self.stores(&random, measured_prepare),
            "preallocate" => self.stores(&random, measured_preallocate),
            "gfp-up" => self.stores(&upwards, measured_gfp),
            "gfp-down" => self.stores(&downwards, measured_gfp),
            "gfp-random" => self.stores(&random, measured_gfp),
            "gfp-munmap" => self.cycle("null"),
            "gfp-mmap" => self.cycle("mmap"),
            "erase" => {
                // Not a clone, which would copy nodes when they are written first.
                let mut tree = full(self.rules, COUNT, &mut self.random);
                measured_erase(&mut tree, &random);
                COUNT
            }
            "find" => {
                black_box(measured_find(&self.tree));
                COUNT
            }
            "iterate" => {
                black_box(measured_iterate(&self.tree));
                COUNT
            }
            "gfp-journal" => {
                let mut journal = Journal::default();
                let mut tree = MapleTree::with_rules(self.rules);
                measured_journal(&mut tree, &random, &mut journal);
                black_box((journal.nodes.len(), journal.roots.len()));
                COUNT
            }
            _ => return None,
        })
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let kind = words.next().unwrap_or_default();
    let rounds: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let rules = match words.next().as_deref() {
        Some("6.1") => Rules::V6_1,
        Some("7.3") => Rules::V7_3,
        _ => Rules::V6_12,
    };
    let mut bench = Bench::new(rules);
    let mut measured = 0;
    for _ in 0..rounds {
        let Some(count) = bench.round(&kind) else {
            println!("this is run by `cargo xtask bench`");
            return;
        };
        measured += count;
    }
    println!("measured {measured}");
}
