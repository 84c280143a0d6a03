//! Numbers that the mm's tree is known by: how full it gets, and how many nodes its writes ask for
//! in each release.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_maple::{MaState, MapleTree, Root, Rules, Slot, StoreType, Stored};

const ALL: [Rules; 6] = [
    Rules::V6_1,
    Rules::V6_8,
    Rules::V6_12,
    Rules::V7_0,
    Rules::V7_2,
    Rules::V7_3,
];

fn store(tree: &mut MapleTree<u32>, first: u64, last: u64) -> Stored {
    MaState::new(first, last).store(tree, Some(1), &mut ())
}

/// Entry counts at which a height appears first, and the nodes of the tree then.
fn thresholds(rules: Rules, step: u64, keys: impl Iterator<Item = u64>) -> Vec<(u64, u32)> {
    let mut tree = MapleTree::with_rules(rules);
    let mut seen = Vec::new();
    for key in keys {
        let height = tree.height();
        store(&mut tree, key * step, key * step + 0xfff);
        if tree.height() > height && tree.height() > 1 {
            seen.push((tree.len(), tree.nodes().len()));
        }
    }
    tree.check().unwrap();
    seen
}

#[test]
fn when_a_tree_grows_higher() {
    for rules in [Rules::V6_12, Rules::V7_3] {
        let ascending = |step| thresholds(rules, step, 0..1500);
        let descending = |step| thresholds(rules, step, (0..1500).rev().map(|key| key + 1));
        assert_eq!(ascending(0x2000), [(9, 3), (80, 14), (728, 106)]);
        assert_eq!(descending(0x2000), [(8, 3), (72, 14), (639, 106)]);
        assert_eq!(ascending(0x1000), [(16, 3), (151, 14), (1366, 106)]);
        assert_eq!(descending(0x1000), [(15, 3), (150, 14), (1365, 106)]);
    }
}

#[test]
fn nodes_of_a_thousand_separate_ranges() {
    for rules in ALL {
        let build = |keys: &mut dyn Iterator<Item = u64>| {
            let mut tree = MapleTree::with_rules(rules);
            keys.for_each(|key| {
                store(&mut tree, key * 0x2000, key * 0x2000 + 0xfff);
            });
            tree.nodes().len()
        };
        assert_eq!(build(&mut (0..1000)), 143);
        assert_eq!(build(&mut (0..1000).rev()), 162);
    }
}

/// A tree of 100 ranges with a hole after each: three levels.
fn hundred(rules: Rules) -> MapleTree<u32> {
    let mut tree = MapleTree::with_rules(rules);
    for key in 0..100 {
        store(&mut tree, key * 0x2000, key * 0x2000 + 0xfff);
    }
    assert_eq!(tree.height(), 3);
    tree
}

/// The range in the middle of the fullest leaf's first hole.
fn in_the_fullest_leaf(tree: &MapleTree<u32>) -> (u64, u64) {
    let Root::Node { id, .. } = tree.root() else {
        panic!("no nodes")
    };
    let mut row = vec![(id, 0, u64::MAX)];
    for _ in 1..tree.height() {
        let mut below = Vec::new();
        for (id, min, max) in row {
            let node = tree.node(id);
            for (at, slot) in node.slots().enumerate() {
                let (first, last) = node.slot_range(at, min, max);
                if let Slot::Node(child) = slot {
                    below.push((child, first, last));
                }
            }
        }
        row = below;
    }
    let full = row.iter().max_by_key(|leaf| tree.node(leaf.0).end());
    let (id, min, max) = *full.unwrap();
    let node = tree.node(id);
    let hole = node.slots().position(|slot| slot == Slot::Null).unwrap();
    let (first, last) = node.slot_range(hole, min, max);
    (first + 0x100, last - 0x100)
}

#[test]
fn what_an_insert_into_a_full_leaf_asks_for() {
    // From the root, from a cursor in the leaf, and asked for by the store itself.
    let asked = [
        (Rules::V6_1, 10, 10, 7),
        (Rules::V6_8, 7, 7, 7),
        (Rules::V6_12, 7, 7, 7),
        (Rules::V7_0, 3, 7, 3),
        (Rules::V7_2, 3, 7, 3),
        (Rules::V7_3, 3, 7, 3),
    ];
    for (rules, fresh, walked, store) in asked {
        let mut tree = hundred(rules);
        let (first, last) = in_the_fullest_leaf(&tree);
        let mut mas = MaState::new(first, last);
        let pre = mas.preallocate(&tree, Some(2));
        assert_eq!((pre.kind, pre.nodes), (StoreType::SplitStore, fresh));
        mas.walk(&tree);
        (mas.index, mas.last) = (first, last);
        let pre = mas.preallocate(&tree, Some(2));
        assert_eq!(pre.nodes, walked);
        let mut other = tree.clone();
        let stored = mas.store_prealloc(&mut other, Some(2), pre, &mut ());
        assert_eq!((stored.used, stored.returned), (3, walked - 3));
        let stored = MaState::new(first, last).store(&mut tree, Some(2), &mut ());
        assert_eq!((stored.asked, stored.used), (store, 3));
    }
}

/// A heap that grows into the hole after it moves one boundary: since 6.8 that is known before, and
/// costs nothing.
#[test]
fn what_a_growing_heap_asks_for() {
    for (rules, wanted) in ALL.into_iter().zip([10, 0, 0, 0, 0, 0]) {
        let mut tree = hundred(rules);
        let mut mas = MaState::new(3 * 0x2000, 3 * 0x2000 + 0x17ff);
        let pre = mas.preallocate(&tree, Some(1));
        assert_eq!((pre.kind, pre.nodes), (StoreType::SlotStore, wanted));
        let stored = mas.store_prealloc(&mut tree, Some(1), pre, &mut ());
        assert_eq!((stored.used, stored.returned), (0, wanted));
    }
}

/// How far up a rebalance rebuilds: to the root before 7.0.
#[test]
fn what_a_rebalance_replaces() {
    for (rules, nodes) in ALL.into_iter().zip([4, 4, 4, 3, 3, 3]) {
        let mut tree = MapleTree::with_rules(rules);
        for key in 0..200 {
            store(&mut tree, key * 0x2000, key * 0x2000 + 0xfff);
        }
        assert_eq!(tree.height(), 3);
        let mut found = None;
        for key in 0..60 {
            let (first, last) = (key * 0x2000, key * 0x2000 + 0xfff);
            let stored = MaState::new(first, last).store(&mut tree, None, &mut ());
            // Two leaves from two, so that nothing above loses a child.
            if stored.kind == StoreType::Rebalance && stored.used == stored.freed {
                found = Some((stored.used, stored.freed));
                break;
            }
        }
        assert_eq!(found, Some((nodes, nodes)), "{rules:?}");
        tree.check().unwrap();
    }
}

#[test]
fn a_fork_copies_all_nodes_and_an_exit_frees_them() {
    let tree = hundred(Rules::V6_12);
    let (mut child, copied) = tree.dup();
    assert_eq!(copied, tree.nodes().len());
    child.set_rcu(false);
    // The child puts its own entries into the slots, and takes out what it does not inherit.
    for key in 0..100 {
        let mut mas = MaState::new(key * 0x2000, key * 0x2000 + 0xfff);
        let stored = mas.store(&mut child, Some(7), &mut ());
        assert_eq!((stored.kind, stored.asked), (StoreType::ExactFit, 0));
    }
    child.set_rcu(true);
    assert_eq!(child.destroy(&mut ()), copied);
    assert!(child.is_empty());
    assert_eq!((child.height(), child.nodes().len()), (0, 0));
    assert_eq!(tree.get(0), Some(1));
    tree.check().unwrap();
}
