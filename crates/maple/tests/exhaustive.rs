//! Every store there is, in small worlds and in trees of several levels.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Journal, Plain};
use mmscope_maple::{MaState, MapleTree, Rules};

fn store(tree: &mut MapleTree<u32>, plain: &mut Plain, first: u64, last: u64, entry: Option<u32>) {
    MaState::new(first, last).store(tree, entry, &mut ());
    plain.store(first, last, entry);
}

fn assert_same(tree: &MapleTree<u32>, plain: &Plain) {
    tree.check().unwrap();
    let ranges: Vec<_> = tree
        .ranges(0..=u64::MAX)
        .map(|span| (span.first, span.last, span.entry))
        .collect();
    assert_eq!(ranges, plain.ranges());
}

/// Trees of both families, in the mm's mode and in the opposite one.
fn trees() -> impl Iterator<Item = MapleTree<u32>> {
    let mut other = MapleTree::with_rules(Rules::V7_3).without_gaps();
    other.set_rcu(false);
    let plain = [Rules::V6_12, Rules::V7_3].map(MapleTree::with_rules);
    plain.into_iter().chain([other])
}

/// All runs of three stores over five indices, the highest index of all among them.
#[test]
fn three_stores_over_five_indices() {
    const INDICES: [u64; 5] = [0, 1, 2, 3, u64::MAX];
    let mut choices = Vec::new();
    for (at, first) in INDICES.iter().enumerate() {
        for last in &INDICES[at..] {
            choices.extend([None, Some(1), Some(2)].map(|entry| (*first, *last, entry)));
        }
    }
    let visit =
        |tree: &MapleTree<u32>, plain: &Plain, (first, last, entry): (u64, u64, Option<u32>)| {
            let (mut tree, mut plain) = (tree.clone(), plain.clone());
            store(&mut tree, &mut plain, first, last, entry);
            assert_same(&tree, &plain);
            (tree, plain)
        };
    let plain = Plain::new();
    for tree in trees() {
        for a in &choices {
            let (tree, plain) = visit(&tree, &plain, *a);
            for b in &choices {
                let (tree, plain) = visit(&tree, &plain, *b);
                for c in &choices {
                    visit(&tree, &plain, *c);
                }
            }
        }
    }
}

/// In trees of one to three levels, with and without holes: a store from every boundary to every
/// other, undone after.
#[test]
fn a_store_between_any_two_boundaries() {
    let worlds = [
        (6u64, true),
        (15, true),
        (16, false),
        (18, true),
        (40, false),
        (90, true),
        (150, false),
    ];
    for ((count, holes), empty) in worlds
        .into_iter()
        .flat_map(|world| trees().map(move |tree| (world, tree)))
    {
        let (mut tree, mut plain) = (empty, Plain::new());
        for n in 0..count {
            let last = 10 * n + if holes { 6 } else { 9 };
            store(&mut tree, &mut plain, 10 * n, last, Some(0));
        }
        assert_same(&tree, &plain);
        let before = tree.clone();
        // Each range whole, from its second index on, up to its last but one.
        let firsts = (0..count).flat_map(|n| [10 * n, 10 * n + 1]);
        for first in firsts {
            for last in (first / 10..=count).flat_map(|n| [10 * n + 5, 10 * n + 6, 10 * n + 9]) {
                for entry in [None, Some(1)] {
                    let mut after = plain.clone();
                    let mut journal = Journal::default();
                    MaState::new(first, last).store(&mut tree, entry, &mut journal);
                    after.store(first, last, entry);
                    assert_same(&tree, &after);
                    journal.undo(&mut tree);
                    assert!(
                        tree.same_nodes(&before),
                        "{first}..={last} {entry:?} of {count}"
                    );
                }
            }
        }
    }
}
