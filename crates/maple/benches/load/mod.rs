//! The keys and the queries of all measurements: those that the kernel's own code was measured with.
//!
//! Entry k covers `k * 0x2000..=k * 0x2000 + 0xfff`, so that each is followed by a hole of its size.
//! Queries pick k by splitmix64, "random" stores come in a shuffled order, and the tree is in RCU
//! mode with gap tracking.

#![allow(
    dead_code,
    reason = "one of the two programs that share this uses less of it"
)]

use std::num::NonZeroU32;

use mmscope_maple::{MaState, MapleTree, Observer, Rules};

/// From one entry to the next.
pub(crate) const STEP: u64 = 0x2000;
/// What an entry covers, and the hole behind it.
pub(crate) const SIZE: u64 = 0x1000;

pub(crate) type Tree = MapleTree<NonZeroU32>;

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// All of `0..count`, shuffled.
    pub(crate) fn order(&mut self, count: u64) -> Vec<u64> {
        let mut keys: Vec<_> = (0..count).collect();
        for at in (1..keys.len()).rev() {
            let other = self.next() % (at as u64 + 1);
            keys.swap(at, usize::try_from(other).unwrap_or(0));
        }
        keys
    }

    /// `count` indices, each so far behind the start of an entry.
    pub(crate) fn places(&mut self, count: u64, behind: u64) -> Vec<u64> {
        (0..count)
            .map(|_| self.next() % count * STEP + behind)
            .collect()
    }
}

/// What is stored for a key.
pub(crate) fn entry(key: u64) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(key + 1).unwrap_or(1))
}

/// A cursor with the range of a key.
pub(crate) fn cursor(key: u64) -> MaState {
    MaState::new(key * STEP, key * STEP + SIZE - 1)
}

/// `mas_preallocate` and `mas_store_prealloc`, called one right after the other as all of the mm
/// does.
pub(crate) fn store(tree: &mut Tree, key: u64, obs: &mut impl Observer<NonZeroU32>) {
    cursor(key).prepare(tree, entry(key)).store(obs);
}

/// A tree of `count` entries, stored in random order.
pub(crate) fn full(rules: Rules, count: u64, random: &mut Random) -> Tree {
    let mut tree = MapleTree::with_rules(rules);
    for key in random.order(count) {
        store(&mut tree, key, &mut ());
    }
    tree
}

/// The last index of the hole behind the last entry: a search from above starts here.
pub(crate) fn top(count: u64) -> u64 {
    count * STEP - 1
}
