//! Writing: one range at a time, row by row from the leaves up.
//!
//! A row is all nodes of one depth. A store replaces a run of neighbouring nodes in the row of
//! leaves by a newly cut run with the same outer bounds, then, in the row above, the run of their
//! parents, and so on until a row comes out as it was. This gives the right content and a legal
//! tree; which nodes it leaves is not the kernel's choice.

use crate::node::{
    ARANGE64_MIN_END, ARANGE64_SLOTS, Arange64, LEAF64_MIN_END, LEAF64_SLOTS, Leaf64, Shape,
};
use crate::{MapleTree, Node, NodeId, Observer, Root};

/// One slot's content while a run of nodes is cut anew: `value` up to and with the index `last`.
#[derive(Clone, Copy)]
struct Item<V> {
    last: u64,
    value: V,
}

/// What an inner node knows of a child.
#[derive(Clone, Copy)]
struct Child<E> {
    id: NodeId<E>,
    gap: u64,
}

/// A node to be, with the last index that it covers.
struct Built<E> {
    node: Node<E>,
    last: u64,
    gap: u64,
}

/// One node on the way down, its range, and the slot where the way goes on.
struct Step<E> {
    id: NodeId<E>,
    slot: usize,
    min: u64,
    max: u64,
}

/// The outer ways down to a run of neighbouring nodes: to its first and to its last.
struct Run<E> {
    left: Vec<Step<E>>,
    right: Vec<Step<E>>,
}

impl<E> Run<E> {
    fn min(&self, depth: usize) -> u64 {
        self.left[depth].min
    }

    fn max(&self, depth: usize) -> u64 {
        self.right[depth].max
    }

    /// Whether the run is the whole row.
    fn is_whole(&self, depth: usize) -> bool {
        self.min(depth) == 0 && self.max(depth) == u64::MAX
    }
}

impl<E: Copy + Eq> MapleTree<E> {
    /// Stores over `first..=last` and returns the range stored over: for NULL, grown over the NULL
    /// at both sides.
    pub(crate) fn store_span(
        &mut self,
        first: u64,
        last: u64,
        entry: Option<E>,
        obs: &mut impl Observer<E>,
    ) -> (u64, u64) {
        assert!(
            first <= last,
            "a store over {first:#x}..={last:#x}, which ends before it starts"
        );
        let (first, last) = match entry {
            Some(_) => (first, last),
            None => self.grow_over_null(first, last),
        };
        let new = Item { last, value: entry };
        match self.root {
            Root::Node { .. } if entry.is_none() && first == 0 && last == u64::MAX => {
                self.clear(obs)
            }
            Root::Node { height, .. } => {
                self.store_into_nodes(usize::from(height), first, new, obs)
            }
            Root::Empty | Root::Direct(_) => self.store_into_root(first, new, obs),
        }
        (first, last)
    }

    /// NULL ranges never stand side by side, so NULL takes in the NULL that it touches.
    fn grow_over_null(&self, first: u64, last: u64) -> (u64, u64) {
        let before = (first > 0)
            .then(|| self.range_at(first - 1))
            .filter(|span| span.entry.is_none());
        let after = (last < u64::MAX)
            .then(|| self.range_at(last + 1))
            .filter(|span| span.entry.is_none());
        (
            before.map_or(first, |span| span.first),
            after.map_or(last, |span| span.last),
        )
    }

    /// Frees all nodes.
    fn clear(&mut self, obs: &mut impl Observer<E>) {
        self.set_root(Root::Empty, obs);
        let all: Vec<_> = self.nodes().iter().map(|(id, _)| id).collect();
        for id in all {
            self.free_node(id, obs);
        }
    }

    /// A store into a tree without nodes: `mas_store_root`, `mas_root_expand`.
    fn store_into_root(&mut self, first: u64, new: Item<Option<E>>, obs: &mut impl Observer<E>) {
        let old: Vec<_> = self
            .ranges(0..=u64::MAX)
            .map(|span| Item {
                last: span.last,
                value: span.entry,
            })
            .collect();
        let items = splice(&old, 0, &old, first, new);
        let root = match items[..] {
            [Item { value: None, .. }] => Root::Empty,
            [
                Item {
                    last: 0,
                    value: Some(entry),
                },
                Item { value: None, .. },
            ] => Root::Direct(entry),
            _ => {
                let leaf = Built::leaf(&items, 0);
                Root::Node {
                    id: self.alloc_node(leaf.node, obs),
                    height: 1,
                }
            }
        };
        if root != self.root {
            self.set_root(root, obs);
        }
    }

    fn store_into_nodes(
        &mut self,
        height: usize,
        first: u64,
        new: Item<Option<E>>,
        obs: &mut impl Observer<E>,
    ) {
        let mut depth = height - 1;
        let mut run = Run {
            left: self.way_to(first, depth),
            right: self.way_to(new.last, depth),
        };
        let leaves = self.cut_leaves(&mut run, depth, first, new);
        let mut row = self.replace(&run, depth, leaves, obs);
        while let Some(fresh) = row.take() {
            if depth == 0 || (fresh.len() == 1 && run.is_whole(depth)) {
                return self.put_root(fresh, depth, height, obs);
            }
            depth -= 1;
            let parents = self.cut_inner(&mut run, depth, fresh);
            row = self.replace(&run, depth, parents, obs);
        }
    }

    /// The row of leaves after the store, as far as it changes; `run` grows to what is replaced.
    fn cut_leaves(
        &self,
        run: &mut Run<E>,
        depth: usize,
        first: u64,
        new: Item<Option<E>>,
    ) -> Vec<Built<E>> {
        let (left, right) = (&run.left[depth], &run.right[depth]);
        let mut items = splice(
            &self.leaf_items(left),
            left.min,
            &self.leaf_items(right),
            first,
            new,
        );
        loop {
            let ends_in_null =
                items.last().is_some_and(|item| item.value.is_none()) && run.max(depth) != u64::MAX;
            if run.is_whole(depth) || (items.len() > LEAF64_MIN_END && !ends_in_null) {
                break;
            }
            if run.max(depth) != u64::MAX {
                run.right = self.way_to(run.max(depth) + 1, depth);
                items.extend(self.leaf_items(&run.right[depth]));
            } else {
                run.left = self.way_to(run.min(depth) - 1, depth);
                items.splice(0..0, self.leaf_items(&run.left[depth]));
            }
        }
        let cuts = cut(items.len(), LEAF64_SLOTS, |at| items[at].value.is_none());
        build(&items, &cuts, run.min(depth), Built::leaf)
    }

    /// The row of inner nodes at `depth` over the `fresh` nodes below, as far as it changes; `run`
    /// grows to what is replaced.
    fn cut_inner(
        &self,
        run: &mut Run<E>,
        depth: usize,
        fresh: Vec<Item<Child<E>>>,
    ) -> Vec<Built<E>> {
        let (left, right) = (&run.left[depth], &run.right[depth]);
        let mut items = self.inner_items(left);
        items.truncate(left.slot);
        items.extend(fresh);
        items.extend(self.inner_items(right).drain(right.slot + 1..));
        while !run.is_whole(depth) && items.len() <= ARANGE64_MIN_END {
            if run.max(depth) != u64::MAX {
                run.right = self.way_to(run.max(depth) + 1, depth);
                items.extend(self.inner_items(&run.right[depth]));
            } else {
                run.left = self.way_to(run.min(depth) - 1, depth);
                items.splice(0..0, self.inner_items(&run.left[depth]));
            }
        }
        let cuts = cut(items.len(), ARANGE64_SLOTS, |_| false);
        build(&items, &cuts, run.min(depth), Built::inner)
    }

    /// Writes `new` in place of the run of nodes at `depth`, reusing as many as there are, and
    /// returns what the row above must know of them; `None` if it knows that already.
    fn replace(
        &mut self,
        run: &Run<E>,
        depth: usize,
        new: Vec<Built<E>>,
        obs: &mut impl Observer<E>,
    ) -> Option<Vec<Item<Child<E>>>> {
        let old = self.run_nodes(run, depth);
        let mut same = old.len() == new.len();
        let mut row = Vec::with_capacity(new.len());
        for (at, built) in new.into_iter().enumerate() {
            let id = match old.get(at) {
                Some(step) => {
                    same &= step.max == built.last
                        && self.node(step.id).largest_gap(step.min, step.max) == built.gap;
                    if *self.node(step.id) != built.node {
                        self.write_node(step.id, built.node, obs);
                    }
                    step.id
                }
                None => self.alloc_node(built.node, obs),
            };
            row.push(Item {
                last: built.last,
                value: Child { id, gap: built.gap },
            });
        }
        for step in old.iter().skip(row.len()) {
            self.free_node(step.id, obs);
        }
        (!same).then_some(row)
    }

    /// Makes a root of a row that is the whole of its depth, growing the tree as far as it must,
    /// and frees what is left above the row.
    fn put_root(
        &mut self,
        mut row: Vec<Item<Child<E>>>,
        depth: usize,
        old_height: usize,
        obs: &mut impl Observer<E>,
    ) {
        let stale: Vec<_> = (0..depth).flat_map(|depth| self.whole_row(depth)).collect();
        let mut height = old_height - depth;
        while row.len() > 1 {
            let cuts = cut(row.len(), ARANGE64_SLOTS, |_| false);
            let above = build(&row, &cuts, 0, Built::inner);
            row = above
                .into_iter()
                .map(|built| self.alloc_built(built, obs))
                .collect();
            height += 1;
        }
        let height =
            u8::try_from(height).unwrap_or_else(|_| unreachable!("2^64 ranges need fewer levels"));
        let root = Root::Node {
            id: row[0].value.id,
            height,
        };
        if root != self.root {
            self.set_root(root, obs);
        }
        for id in stale {
            self.free_node(id, obs);
        }
    }

    fn alloc_built(&mut self, built: Built<E>, obs: &mut impl Observer<E>) -> Item<Child<E>> {
        Item {
            last: built.last,
            value: Child {
                id: self.alloc_node(built.node, obs),
                gap: built.gap,
            },
        }
    }

    /// The nodes from the root to the one at `depth` that covers `index`.
    fn way_to(&self, index: u64, depth: usize) -> Vec<Step<E>> {
        let Root::Node { mut id, .. } = self.root else {
            unreachable!("a way down needs nodes")
        };
        let (mut min, mut max) = (0, u64::MAX);
        let mut way = Vec::with_capacity(depth + 1);
        loop {
            let (slot, child) = match &self.node(id).0 {
                Shape::Leaf(leaf) => (leaf.slot_at(index), None),
                Shape::Inner(inner) => (inner.slot_at(index), Some(inner)),
            };
            way.push(Step { id, slot, min, max });
            match child {
                Some(inner) if way.len() <= depth => {
                    (min, max) = inner.range_of(slot, min, max);
                    id = inner.child(slot);
                }
                _ => return way,
            }
        }
    }

    /// The nodes at `depth` from the first of a run to its last.
    fn run_nodes(&self, run: &Run<E>, depth: usize) -> Vec<Step<E>> {
        let mut nodes = Vec::new();
        let mut next = Some(run.min(depth));
        while let Some(step) = next.and_then(|index| self.way_to(index, depth).pop()) {
            next = (step.max < run.max(depth)).then(|| step.max + 1);
            nodes.push(step);
        }
        nodes
    }

    fn whole_row(&self, depth: usize) -> Vec<NodeId<E>> {
        let run = Run {
            left: self.way_to(0, depth),
            right: self.way_to(u64::MAX, depth),
        };
        self.run_nodes(&run, depth)
            .into_iter()
            .map(|step| step.id)
            .collect()
    }

    fn leaf_items(&self, at: &Step<E>) -> Vec<Item<Option<E>>> {
        let Shape::Leaf(leaf) = &self.node(at.id).0 else {
            unreachable!("{:?} is in the row of leaves", at.id)
        };
        let last = |slot| leaf.range_of(slot, at.min, at.max).1;
        (0..=usize::from(leaf.end))
            .map(|slot| Item {
                last: last(slot),
                value: leaf.slots[slot],
            })
            .collect()
    }

    fn inner_items(&self, at: &Step<E>) -> Vec<Item<Child<E>>> {
        let Shape::Inner(inner) = &self.node(at.id).0 else {
            unreachable!("{:?} is above the leaves", at.id)
        };
        let last = |slot| inner.range_of(slot, at.min, at.max).1;
        let child = |slot| Child {
            id: inner.child(slot),
            gap: inner.gaps[slot],
        };
        (0..=usize::from(inner.end))
            .map(|slot| Item {
                last: last(slot),
                value: child(slot),
            })
            .collect()
    }
}

/// What `left`, which starts at `min`, has before `first`, then `new`, then what `right` has after
/// it.
fn splice<E: Copy>(
    left: &[Item<Option<E>>],
    min: u64,
    right: &[Item<Option<E>>],
    first: u64,
    new: Item<Option<E>>,
) -> Vec<Item<Option<E>>> {
    let mut items = Vec::with_capacity(left.len() + right.len() + 3);
    items.extend(left.iter().copied().take_while(|item| item.last < first));
    let kept = items.last().map_or(min, |item| item.last + 1);
    if kept < first {
        items.push(Item {
            last: first - 1,
            value: left[items.len()].value,
        });
    }
    items.push(new);
    items.extend(right.iter().copied().filter(|item| item.last > new.last));
    items
}

/// Where to cut `len` items into as few nodes of `slots` as possible, evenly: the end of each part.
///
/// No part but the last may end with a NULL item, because a leaf must not: the cut moves down by
/// one. No part is underfull: the worst are 17 leaf items in 7 and 10, and 11 children in 5 and 6.
fn cut(len: usize, slots: usize, is_null: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut parts = len.div_ceil(slots);
    loop {
        let mut cuts: Vec<_> = (1..=parts).map(|part| part * len / parts).collect();
        for end in &mut cuts[..parts - 1] {
            *end -= usize::from(is_null(*end - 1));
        }
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        if starts.zip(&cuts).all(|(start, end)| end - start <= slots) {
            return cuts;
        }
        parts += 1;
    }
}

fn build<V, E>(
    items: &[Item<V>],
    cuts: &[usize],
    min: u64,
    node: impl Fn(&[Item<V>], u64) -> Built<E>,
) -> Vec<Built<E>> {
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let parts = starts.zip(cuts).map(|(start, end)| {
        let first = if start == 0 {
            min
        } else {
            items[start - 1].last + 1
        };
        node(&items[start..*end], first)
    });
    parts.collect()
}

impl<E: Copy> Built<E> {
    fn leaf(items: &[Item<Option<E>>], min: u64) -> Self {
        let mut leaf = Leaf64 {
            pivots: [0; LEAF64_SLOTS - 1],
            slots: [None; LEAF64_SLOTS],
            end: end_of(items),
        };
        for (at, item) in items.iter().enumerate() {
            leaf.slots[at] = item.value;
            if let Some(pivot) = leaf.pivots.get_mut(at) {
                *pivot = item.last;
            }
        }
        Self::new(Node(Shape::Leaf(leaf)), min, last_of(items))
    }

    fn inner(items: &[Item<Child<E>>], min: u64) -> Self {
        let mut inner = Arange64 {
            pivots: [0; ARANGE64_SLOTS - 1],
            slots: [None; ARANGE64_SLOTS],
            gaps: [0; ARANGE64_SLOTS],
            end: end_of(items),
            largest: 0,
        };
        for (at, item) in items.iter().enumerate() {
            inner.slots[at] = Some(item.value.id);
            inner.gaps[at] = item.value.gap;
            if let Some(pivot) = inner.pivots.get_mut(at) {
                *pivot = item.last;
            }
        }
        inner.largest = (0..=inner.end)
            .max_by_key(|at| inner.gaps[usize::from(*at)])
            .unwrap_or(0);
        Self::new(Node(Shape::Inner(inner)), min, last_of(items))
    }

    fn new(node: Node<E>, min: u64, last: u64) -> Self {
        Self {
            node,
            last,
            gap: node.largest_gap(min, last),
        }
    }
}

fn end_of<V>(items: &[Item<V>]) -> u8 {
    u8::try_from(items.len() - 1).unwrap_or_else(|_| unreachable!("a node has few slots"))
}

fn last_of<V>(items: &[Item<V>]) -> u64 {
    items[items.len() - 1].last
}
