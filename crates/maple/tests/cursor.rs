//! The cursor where the kernel's has a habit of its own, and the corners of stores and searches.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Journal;
use mmscope_maple::{
    GapLook, GapVerdict, Kind, MaState, MapleTree, NoArea, Observer, Root, Rules, Slot, StoreType,
    WriteEvent,
};

/// Entries 1, 2, 3 at 10..=19, 20..=29 and 40..=49.
fn three() -> MapleTree<u32> {
    let mut tree = MapleTree::new();
    for (first, entry) in [(10, 1), (20, 2), (40, 3)] {
        tree.insert_range(first..=first + 9, entry).unwrap();
    }
    tree
}

fn at(mas: &MaState) -> (u64, u64) {
    (mas.index, mas.last)
}

#[test]
fn a_walk_takes_on_the_range_of_an_entry_and_of_a_hole() {
    let tree = three();
    let mut mas = MaState::new(25, 25);
    assert_eq!(mas.walk(&tree), Some(2));
    assert_eq!(at(&mas), (20, 29));
    mas.set(33);
    assert_eq!(mas.walk(&tree), None);
    assert_eq!(at(&mas), (30, 39));
}

#[test]
fn find_counts_the_entry_it_starts_on_once() {
    let tree = three();
    let mut mas = MaState::new(25, 25);
    assert_eq!(mas.find(&tree, 100), Some(2));
    assert_eq!(mas.find(&tree, 100), Some(3));
    assert_eq!(mas.find(&tree, 100), None);
    assert_eq!(mas.find(&tree, 100), None);
}

#[test]
fn find_stops_at_an_entry_that_starts_after_the_limit() {
    let tree = three();
    let mut mas = MaState::new(30, 30);
    assert_eq!(mas.find(&tree, 39), None);
    assert_eq!(mas.find(&tree, 40), Some(3));
}

#[test]
fn next_and_prev_never_return_the_entry_they_start_on() {
    let tree = three();
    assert_eq!(MaState::new(25, 25).next(&tree, u64::MAX), Some(3));
    assert_eq!(MaState::new(25, 25).prev(&tree, 0), Some(1));
}

#[test]
fn turning_round_at_a_limit_looks_at_the_place_itself_first() {
    let tree = three();
    let mut mas = MaState::new(40, 40);
    assert_eq!(mas.walk(&tree), Some(3));
    assert_eq!(mas.next(&tree, 45), None);
    assert_eq!(at(&mas), (40, 49));
    assert_eq!(mas.prev(&tree, 0), Some(3));
    assert_eq!(mas.prev(&tree, 0), Some(2));
    assert_eq!(mas.prev(&tree, 20), None);
    assert_eq!(mas.next(&tree, u64::MAX), Some(2));
}

#[test]
fn range_steps_stop_at_holes() {
    let tree = three();
    let mut mas = MaState::new(20, 20);
    assert_eq!(mas.next_range(&tree, u64::MAX), None);
    assert_eq!(at(&mas), (30, 39));
    assert_eq!(mas.next_range(&tree, u64::MAX), Some(3));
    assert_eq!(mas.prev_range(&tree, 0), None);
    assert_eq!(at(&mas), (30, 39));
}

#[test]
fn a_paused_cursor_goes_on_behind_its_range() {
    let tree = three();
    let mut mas = MaState::new(0, 0);
    assert_eq!(mas.find(&tree, u64::MAX), Some(1));
    mas.pause();
    assert_eq!(mas.find(&tree, u64::MAX), Some(2));
    mas.pause();
    assert_eq!(mas.find_rev(&tree, 0), Some(1));
}

#[test]
fn after_a_gap_was_found_its_neighbours_are_next_and_prev() {
    let tree = three();
    let mut mas = MaState::new(0, 0);
    mas.empty_area_rev(&tree, 0, 60, 5, &mut ()).unwrap();
    assert_eq!(at(&mas), (56, 60));
    mas.set(0);
    mas.empty_area_rev(&tree, 0, 45, 5, &mut ()).unwrap();
    assert_eq!(at(&mas), (35, 39));
    assert_eq!(mas.find(&tree, u64::MAX), Some(3));
    assert_eq!(mas.prev(&tree, 0), Some(2));
}

#[test]
fn a_null_store_takes_in_the_hole_beside_it() {
    let mut tree = three();
    let mut mas = MaState::new(25, 29);
    mas.store(&mut tree, None, &mut ());
    assert_eq!(at(&mas), (25, 39));
    assert_eq!(mas.next(&tree, u64::MAX), Some(3));
    assert_eq!(MaState::new(22, 22).erase(&mut tree, &mut ()), Some(2));
    assert_eq!(MaState::new(22, 22).erase(&mut tree, &mut ()), None);
    assert_eq!(tree.len(), 2);
}

#[test]
fn searches_that_make_no_sense_are_told_from_searches_that_fail() {
    let tree = three();
    let search = |min, max, size| MaState::new(0, 0).empty_area_rev(&tree, min, max, size, &mut ());
    assert_eq!(search(10, 9, 1), Err(NoArea::Invalid));
    assert_eq!(search(0, 9, 0), Err(NoArea::Invalid));
    assert_eq!(search(0, 9, 11), Err(NoArea::Invalid));
    assert_eq!(search(0, 9, 10), Ok(()));
    assert_eq!(search(1, 19, 10), Err(NoArea::Busy));
    assert_eq!(search(0, u64::MAX, u64::MAX), Err(NoArea::Busy));
}

#[test]
fn root_states() {
    let mut tree = MapleTree::new();
    assert_eq!((tree.root(), tree.height()), (Root::Empty, 0));
    tree.store_range(5..=9, None);
    assert_eq!(tree.root(), Root::Empty);
    tree.store_range(0..=0, Some(1));
    assert_eq!((tree.root(), tree.len()), (Root::Direct(1), 1));
    assert_eq!(tree.lowest_gap(1, 0..=9), Ok(1..=1));
    assert_eq!(tree.lowest_gap(10, 0..=9), Err(NoArea::Busy));

    tree.store_range(2..=2, Some(2));
    let Root::Node { id, height: 1 } = tree.root() else {
        panic!("{:?}", tree.root())
    };
    let leaf = tree.node(id);
    assert_eq!(leaf.kind(), Kind::Leaf64);
    let slots: Vec<_> = leaf.slots().collect();
    assert_eq!(
        slots,
        [Slot::Entry(1), Slot::Null, Slot::Entry(2), Slot::Null]
    );
    assert_eq!(leaf.pivots()[..5], [0, 1, 2, u64::MAX, 0]);
    assert_eq!(leaf.slot_range(3, 0, u64::MAX), (3, u64::MAX));

    tree.store_range(0..=u64::MAX, Some(3));
    assert_eq!((tree.height(), tree.len()), (1, 1));
    assert_eq!(tree.highest_gap(1, 0..=u64::MAX), Err(NoArea::Busy));
}

/// The slot of an entry over everything is cleared in place, since 6.12. The hole that is left is of
/// 2^64, which the search from above takes for 0.
#[test]
fn an_entry_over_everything_leaves_a_leaf_with_one_hole() {
    let mut tree = MapleTree::with_rules(Rules::V6_1);
    tree.store_range(0..=u64::MAX, Some(3));
    assert_eq!(tree.remove(77), Some((0..=u64::MAX, 3)));
    assert_eq!((tree.root(), tree.nodes().len()), (Root::Empty, 0));
    assert_eq!(tree.highest_gap(u64::MAX, 0..=u64::MAX), Ok(1..=u64::MAX));

    let mut tree = MapleTree::new();
    tree.store_range(0..=u64::MAX, Some(3));
    assert_eq!(tree.remove(77), Some((0..=u64::MAX, 3)));
    assert_eq!((tree.height(), tree.len()), (1, 0));
    assert_eq!(tree.check(), Ok(()));
    assert_eq!(tree.highest_gap(1, 0..=u64::MAX), Err(NoArea::Busy));
    assert_eq!(tree.lowest_gap(9, 0..=u64::MAX), Ok(0..=8));
    tree.store_range(5..=7, Some(1));
    assert_eq!(tree.highest_gap(1, 0..=u64::MAX), Ok(u64::MAX..=u64::MAX));
}

/// 6.1 refuses a window of one index, and says that it is busy where later ones say that the size
/// makes no sense.
#[test]
fn limits_of_a_search_in_6_1() {
    let mut tree: MapleTree<u32> = MapleTree::with_rules(Rules::V6_1);
    assert_eq!(tree.lowest_gap(3, 5..=6), Ok(5..=7));
    tree.store_range(2..=2, Some(1));
    let search = |min, max, size| MaState::new(0, 0).empty_area(&tree, min, max, size, &mut ());
    assert_eq!(search(5, 5, 1), Err(NoArea::Invalid));
    assert_eq!(search(5, 6, 3), Err(NoArea::Busy));
    assert_eq!(search(5, 6, 2), Ok(()));
}

#[derive(Default)]
struct Steps(Vec<WriteEvent<u32>>);

impl Observer<u32> for Steps {
    fn write(&mut self, step: WriteEvent<u32>) {
        self.0.push(step);
    }
}

#[test]
fn a_store_tells_what_it_does() {
    let mut tree = MapleTree::new();
    for n in 0..7 {
        tree.store_range(10 * n..=10 * n + 8, Some(1));
    }
    let mut mas = MaState::new(70, 78);
    let pre = mas.preallocate(&tree, Some(2));
    assert_eq!((pre.nodes, pre.kind), (1, StoreType::NodeStore));
    let mut steps = Steps::default();
    let stored = mas.store_prealloc(&mut tree, Some(2), pre, &mut steps);
    assert_eq!((stored.asked, stored.used, stored.freed), (1, 1, 1));
    let [
        WriteEvent::Decided { asked: 1, .. },
        WriteEvent::Filled { node },
        WriteEvent::Published {
            node: published,
            parent: None,
        },
        WriteEvent::Dead { node: dead },
        WriteEvent::Done(done),
    ] = steps.0[..]
    else {
        panic!("{steps:?}", steps = steps.0)
    };
    assert_eq!((node, done), (published, stored));
    assert_ne!(node, dead);

    // 17 slots in a root leaf of 16: two leaves and a root above.
    let mut mas = MaState::new(100, 108);
    let pre = mas.preallocate(&tree, Some(2));
    assert_eq!((pre.nodes, pre.kind), (3, StoreType::SplitStore));
    let stored = mas.store_prealloc(&mut tree, Some(2), pre, &mut ());
    assert_eq!((stored.used, stored.returned, stored.freed), (3, 0, 1));
    let pre = MaState::new(104, 104).preallocate(&tree, None);
    assert_eq!(MaState::new(104, 104).destroy(pre), 1);
}

#[derive(Default)]
struct Looks(Vec<GapLook>);

impl Observer<u32> for Looks {
    fn gap(&mut self, look: GapLook) {
        self.0.push(look);
    }
}

#[test]
fn a_search_tells_where_it_looked() {
    let tree = three();
    let mut looks = Looks::default();
    MaState::new(0, 0)
        .empty_area_rev(&tree, 0, 55, 10, &mut looks)
        .unwrap();
    let told: Vec<_> = looks
        .0
        .iter()
        .map(|look| (look.first, look.largest, look.verdict))
        .collect();
    assert_eq!(
        told,
        [
            (50, u64::MAX - 49, GapVerdict::OutsideLimits),
            (30, 10, GapVerdict::Fits)
        ]
    );

    let mut tree = MapleTree::new();
    for n in 0..40 {
        tree.store_range(10 * n..=10 * n + 8, Some(1));
    }
    tree.store_range(95..=120, None);
    let mut looks = Looks::default();
    let mut mas = MaState::new(0, 0);
    mas.empty_area(&tree, 0, 399, 5, &mut looks).unwrap();
    assert_eq!(at(&mas), (95, 99));
    assert!(
        looks
            .0
            .iter()
            .any(|look| look.level == 1 && look.verdict == GapVerdict::Descend)
    );
    assert_eq!(
        looks.0.last().map(|look| (look.level, look.verdict)),
        Some((0, GapVerdict::Fits))
    );
    assert!(
        looks
            .0
            .iter()
            .any(|look| look.verdict == GapVerdict::TooSmall && look.largest == 1)
    );
}

#[test]
fn a_store_that_changes_nothing_writes_nothing() {
    let mut tree = three();
    let mut journal = Journal::default();
    MaState::new(20, 29).store(&mut tree, Some(2), &mut journal);
    MaState::new(32, 35).store(&mut tree, None, &mut journal);
    assert!(journal.0.is_empty());
}
