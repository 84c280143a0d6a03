//! As many ranges as a process may have VMAs, and none of them able to merge.

use mmscope_maple::{MaState, MapleTree};

const COUNT: u32 = 65_531;

fn alternating() -> MapleTree<u32> {
    let mut tree = MapleTree::new();
    for n in 0..COUNT {
        let first = 0x10000 + u64::from(n) * 0x2000;
        MaState::new(first, first + 0xfff).store(&mut tree, Some(n), &mut ());
    }
    tree
}

#[test]
fn a_tree_of_65_531_ranges_fills_and_empties() {
    let mut tree = alternating();
    tree.check().unwrap();
    assert_eq!(tree.len(), u64::from(COUNT));
    assert_eq!(tree.get(0x10000 + 0x2000 * 40_000 + 5), Some(40_000));
    assert_eq!(
        tree.iter().map(|(_, entry)| entry).collect::<Vec<_>>(),
        (0..COUNT).collect::<Vec<_>>()
    );
    assert_eq!(
        tree.lowest_gap(0x1001, 0x10000..=u64::MAX)
            .map(|gap| *gap.start()),
        Ok(0x10000 + 0x2000 * 65_530 + 0x1000)
    );

    // In an order that goes all over the tree.
    for n in 0..COUNT {
        let at = u64::from(n) * 7919 % u64::from(COUNT);
        assert!(
            MaState::new(0x10000 + at * 0x2000, 0)
                .erase(&mut tree, &mut ())
                .is_some()
        );
        if n % 10_000 == 0 {
            tree.check().unwrap();
        }
    }
    tree.check().unwrap();
    assert!(tree.is_empty());
    assert_eq!(tree.nodes().len(), 0);
}

#[test]
fn one_store_over_everything_drops_it_all() {
    let mut tree = alternating();
    let before = tree.clone();
    tree.store_range(0x11000..=0x10000 + 0x2000 * 65_529, None);
    tree.check().unwrap();
    assert_eq!((tree.len(), tree.height()), (3, 1));
    assert_eq!(before.len(), u64::from(COUNT));
    before.check().unwrap();
}
