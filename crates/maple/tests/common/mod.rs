//! What the tests measure the tree by: the same map kept as a plain list, and a journal.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use mmscope_maple::{MapleTree, NoArea, Node, NodeId, Observer, Root};

/// All ranges of the index space in order, NULL ranges too, neighbouring NULL ranges as one: the
/// first index and the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    starts: std::collections::BTreeMap<u64, Option<u32>>,
}

impl Plain {
    pub fn new() -> Self {
        Self {
            starts: [(0, None)].into(),
        }
    }

    pub fn store(&mut self, first: u64, last: u64, entry: Option<u32>) {
        if let Some(after) = last.checked_add(1) {
            let cut_off = self.at(after).2;
            self.starts.entry(after).or_insert(cut_off);
        }
        let covered: Vec<_> = self
            .starts
            .range(first..=last)
            .map(|(start, _)| *start)
            .collect();
        for start in covered {
            self.starts.remove(&start);
        }
        self.starts.insert(first, entry);
        for start in [Some(first), last.checked_add(1)].into_iter().flatten() {
            let before = self.starts.range(..start).next_back();
            if self.starts[&start].is_none() && before.is_some_and(|(_, entry)| entry.is_none()) {
                self.starts.remove(&start);
            }
        }
    }

    /// The range that holds `index`.
    pub fn at(&self, index: u64) -> (u64, u64, Option<u32>) {
        let (first, entry) = self.starts.range(..=index).next_back().unwrap();
        let last = index
            .checked_add(1)
            .and_then(|next| self.starts.range(next..).next());
        (*first, last.map_or(u64::MAX, |(next, _)| next - 1), *entry)
    }

    pub fn ranges(&self) -> Vec<(u64, u64, Option<u32>)> {
        self.starts.keys().map(|first| self.at(*first)).collect()
    }

    pub fn entries(&self) -> Vec<(u64, u64, u32)> {
        self.ranges()
            .into_iter()
            .filter_map(|(first, last, entry)| entry.map(|entry| (first, last, entry)))
            .collect()
    }

    fn holes(&self, min: u64, max: u64) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let free = self.ranges().into_iter().filter(|range| range.2.is_none());
        let inside = free.filter(move |(first, last, _)| *first <= max && *last >= min);
        inside.map(move |(first, last, _)| (first.max(min), last.min(max)))
    }

    pub fn lowest(&self, min: u64, max: u64, size: u64) -> Result<u64, NoArea> {
        valid(min, max, size)?;
        self.holes(min, max)
            .find(|(first, last)| last - first >= size - 1)
            .map(|hole| hole.0)
            .ok_or(NoArea::Busy)
    }

    pub fn highest(&self, min: u64, max: u64, size: u64) -> Result<u64, NoArea> {
        valid(min, max, size)?;
        let fits = |(first, last): &(u64, u64)| last - first >= size - 1;
        self.holes(min, max)
            .rev()
            .find(fits)
            .map(|(_, last)| last - (size - 1))
            .ok_or(NoArea::Busy)
    }
}

fn valid(min: u64, max: u64, size: u64) -> Result<(), NoArea> {
    let fits = min <= max && size > 0 && size - 1 <= max - min;
    if fits { Ok(()) } else { Err(NoArea::Invalid) }
}

/// What an observer was told of writes, in order.
#[derive(Default)]
pub struct Journal(pub Vec<Change>);

#[derive(Clone, Debug)]
pub enum Change {
    Node(NodeId<u32>, Option<Box<Node<u32>>>),
    Root(Root<u32>),
}

impl Observer<u32> for Journal {
    fn node(&mut self, id: NodeId<u32>, old: Option<&Node<u32>>) {
        self.0.push(Change::Node(id, old.copied().map(Box::new)));
    }

    fn root(&mut self, old: Root<u32>) {
        self.0.push(Change::Root(old));
    }
}

impl Journal {
    /// Undoes all changes.
    pub fn undo(self, tree: &mut MapleTree<u32>) {
        for change in self.0.into_iter().rev() {
            match change {
                Change::Node(id, old) => tree.undo_node(id, old.map(|node| *node)),
                Change::Root(old) => tree.undo_root(old),
            }
        }
    }
}
