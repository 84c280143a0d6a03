//! One kind of operation, many times, in a function of its own: what it costs can be counted with
//! `valgrind --tool=callgrind --toggle-collect='cost::measured*' cost KIND COUNT`.
//!
//! Entry k covers `k * 0x2000..=k * 0x2000 + 0xfff`, so that each is followed by a hole of its size;
//! 1000 of them, in random order, in RCU mode with gap tracking: the load that the kernel's own code
//! was measured with.

use std::num::NonZeroU32;

use mmscope_maple::{MaState, MapleTree, Rules};

const COUNT: u64 = 1000;

type Tree = MapleTree<NonZeroU32>;

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn shuffled(random: &mut Random) -> Vec<u64> {
    let mut keys: Vec<_> = (0..COUNT).collect();
    for at in (1..keys.len()).rev() {
        let other = random.next() % (at as u64 + 1);
        keys.swap(at, usize::try_from(other).unwrap_or(0));
    }
    keys
}

fn entry(key: u64) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(key + 1).unwrap_or(1))
}

fn store(tree: &mut Tree, key: u64) {
    let mut mas = MaState::new(key * 0x2000, key * 0x2000 + 0xfff);
    mas.prepare(tree, entry(key)).store(&mut ());
}

fn full(rules: Rules, random: &mut Random) -> Tree {
    let mut tree = MapleTree::with_rules(rules);
    shuffled(random)
        .into_iter()
        .for_each(|key| store(&mut tree, key));
    tree
}

#[inline(never)]
fn measured_lookup(tree: &Tree, at: &[u64]) -> u64 {
    let found = at.iter().filter(|at| tree.get(**at).is_some());
    found.count() as u64
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
fn measured_insert(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        store(tree, *key);
    }
}

#[inline(never)]
fn measured_erase(tree: &mut Tree, keys: &[u64]) {
    for key in keys {
        MaState::new(key * 0x2000, key * 0x2000).erase(tree, &mut ());
    }
}

#[inline(never)]
fn measured_rev(tree: &Tree, at: &[u64], size: u64) -> u64 {
    let mut sum = 0u64;
    for at in at {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area_rev(tree, 0, *at, size, &mut ());
        sum = sum.wrapping_add(mas.index);
    }
    sum
}

#[inline(never)]
fn measured_fwd(tree: &Tree, at: &[u64], size: u64) -> u64 {
    let mut sum = 0u64;
    for at in at {
        let mut mas = MaState::new(0, 0);
        let _ = mas.empty_area(tree, *at, COUNT * 0x2000, size, &mut ());
        sum = sum.wrapping_add(mas.index);
    }
    sum
}

#[inline(never)]
fn measured_iterate(tree: &Tree) -> u64 {
    let mut mas = MaState::new(0, 0);
    let mut sum = 0;
    while let Some(entry) = mas.find(tree, u64::MAX) {
        sum += u64::from(entry.get());
    }
    sum
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
    let mut random = Random(1);
    let tree = full(rules, &mut random);
    let hits: Vec<_> = (0..COUNT)
        .map(|_| random.next() % COUNT * 0x2000 + 5)
        .collect();
    let top = COUNT * 0x2000 - 1;
    let mut planted = tree.clone();
    MaState::new(300 * 0x2000, 300 * 0x2000).erase(&mut planted, &mut ());
    for _ in 0..rounds {
        match kind.as_str() {
            "lookup" => drop(std::hint::black_box(measured_lookup(&tree, &hits))),
            "walk" => drop(std::hint::black_box(measured_walk(&tree, &hits))),
            "insert" => {
                let keys = shuffled(&mut random);
                measured_insert(&mut MapleTree::with_rules(rules), &keys);
            }
            "erase" => measured_erase(&mut tree.clone(), &shuffled(&mut random)),
            "rev-first" => drop(std::hint::black_box(measured_rev(
                &tree,
                &[top; 1000],
                0x1000,
            ))),
            "rev-random" => drop(std::hint::black_box(measured_rev(&tree, &hits, 0x1000))),
            "rev-planted" => drop(std::hint::black_box(measured_rev(
                &planted,
                &[top; 1000],
                0x2000,
            ))),
            "rev-none" => drop(std::hint::black_box(measured_rev(
                &tree,
                &[top; 1000],
                0x2000,
            ))),
            "fwd" => drop(std::hint::black_box(measured_fwd(&tree, &hits, 0x1000))),
            "iterate" => drop(std::hint::black_box(measured_iterate(&tree))),
            _ => println!(
                "KIND is lookup, walk, insert, erase, rev-first, rev-random, rev-planted, rev-none, fwd or iterate"
            ),
        }
    }
}
