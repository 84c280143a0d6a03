//! What must hold of a tree between two writes: `mt_validate`.

use std::collections::BTreeSet;
use std::fmt;

use crate::node::{ARANGE64_MIN_END, Arange64, LEAF64_MIN_END, Leaf64, Shape};
use crate::{MapleTree, NodeId, Root};

/// A rule that a tree breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The [`index`](crate::Id::index) of the node, or `None` if it is the tree as a whole.
    pub node: Option<u32>,
    /// The slot, where one can be named.
    pub slot: Option<usize>,
    /// The rule.
    pub rule: Rule,
}

/// The rules of a legal tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// All leaves lie at the depth that the height says.
    LeavesAtOneDepth,
    /// Pivots ascend, within the node's range: no slot is empty.
    PivotsAscend,
    /// The last pivot in use, if there is one, is the node's maximum.
    LastPivotIsMax,
    /// Slots and pivots that are not in use hold nothing.
    UnusedIsZero,
    /// Neighbouring NULL ranges are one range, also from leaf to leaf.
    NullsCoalesced,
    /// No leaf ends with NULL but the last.
    NoNullAtLeafEnd,
    /// Every slot in use of an inner node holds a node of the tree.
    ChildExists,
    /// Each gap is the size of the largest free range under its slot.
    GapsExact,
    /// The slot marked as having the largest gap has it.
    LargestGapMarked,
    /// A node other than the root is not too empty; an inner root has two children.
    MinimumFill,
    /// Each node is in the tree exactly once, and none is outside it.
    NodesReachedOnce,
    /// The number of entries is right.
    EntriesCounted,
    /// A tree with nodes stores something.
    EmptyWithoutNodes,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} does not hold", self.rule)?;
        if let Some(node) = self.node {
            write!(f, " in node {node}")?;
        }
        if let Some(slot) = self.slot {
            write!(f, ", slot {slot}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Broken {}

impl<E: Copy> MapleTree<E> {
    /// Looks at every node and says which rule is broken first, if any. Costs O(n); for tests.
    ///
    /// # Errors
    ///
    /// The broken rule. That is a bug of this crate: nothing in the public face can bring it about.
    pub fn check(&self) -> Result<(), Broken> {
        let mut seen = Seen {
            nodes: BTreeSet::new(),
            entries: 0,
            after_null: false,
        };
        match self.root {
            Root::Node { id, height } => {
                self.check_node(id, height, 0, u64::MAX, &mut seen)?;
                whole(seen.entries > 0, Rule::EmptyWithoutNodes)?;
            }
            Root::Direct(_) => seen.entries = 1,
            Root::Empty => {}
        }
        whole(
            self.nodes()
                .iter()
                .map(|(id, _)| id)
                .eq(seen.nodes.iter().copied()),
            Rule::NodesReachedOnce,
        )?;
        whole(seen.entries == self.len(), Rule::EntriesCounted)
    }

    /// Checks a subtree of `levels` levels and returns its largest gap.
    fn check_node(
        &self,
        id: NodeId<E>,
        levels: u8,
        min: u64,
        max: u64,
        seen: &mut Seen<E>,
    ) -> Result<u64, Broken> {
        let at = |slot: Option<usize>, rule| Broken {
            node: Some(id.index()),
            slot,
            rule,
        };
        let node = self.nodes().get(id).ok_or(at(None, Rule::ChildExists))?;
        ensure(seen.nodes.insert(id), at(None, Rule::NodesReachedOnce))?;
        ensure(
            (levels == 1) == matches!(node.0, Shape::Leaf(_)),
            at(None, Rule::LeavesAtOneDepth),
        )?;

        let (pivots, end) = (node.pivots(), node.end());
        let used = &pivots[..end];
        let bounds = used.iter().zip(used.iter().skip(1).chain([&max]));
        ensure(
            used.first().is_none_or(|first| min <= *first),
            at(None, Rule::PivotsAscend),
        )?;
        for (slot, (low, high)) in bounds.enumerate() {
            ensure(low < high, at(Some(slot), Rule::PivotsAscend))?;
        }
        ensure(
            pivots.get(end).is_none_or(|pivot| *pivot == max),
            at(Some(end), Rule::LastPivotIsMax),
        )?;
        ensure(
            pivots.iter().skip(end + 1).all(|pivot| *pivot == 0),
            at(None, Rule::UnusedIsZero),
        )?;

        let is_root = self.root_id() == Some(id);
        match &node.0 {
            Shape::Leaf(leaf) => {
                ensure(
                    is_root || end >= LEAF64_MIN_END,
                    at(None, Rule::MinimumFill),
                )?;
                check_leaf(leaf, max, seen).map_err(|(slot, rule)| at(Some(slot), rule))?;
                Ok(node.largest_gap(min, max))
            }
            Shape::Inner(inner) => {
                ensure(
                    end >= if is_root { 1 } else { ARANGE64_MIN_END },
                    at(None, Rule::MinimumFill),
                )?;
                check_unused(inner).map_err(|rule| at(None, rule))?;
                let mut largest = 0;
                for slot in 0..=end {
                    let child = inner.slots[slot].ok_or(at(Some(slot), Rule::ChildExists))?;
                    let (first, last) = inner.range_of(slot, min, max);
                    let gap = self.check_node(child, levels - 1, first, last, seen)?;
                    ensure(inner.gaps[slot] == gap, at(Some(slot), Rule::GapsExact))?;
                    largest = gap.max(largest);
                }
                let marked = inner.gaps.get(usize::from(inner.largest)).copied();
                ensure(marked == Some(largest), at(None, Rule::LargestGapMarked))?;
                Ok(largest)
            }
        }
    }

    fn root_id(&self) -> Option<NodeId<E>> {
        match self.root {
            Root::Node { id, .. } => Some(id),
            Root::Empty | Root::Direct(_) => None,
        }
    }
}

/// What a check has come by so far.
struct Seen<E> {
    nodes: BTreeSet<NodeId<E>>,
    entries: u64,
    /// Whether the range before was NULL.
    after_null: bool,
}

fn check_leaf<E>(leaf: &Leaf64<E>, max: u64, seen: &mut Seen<E>) -> Result<(), (usize, Rule)> {
    let end = usize::from(leaf.end);
    for (slot, entry) in leaf.slots[..=end].iter().enumerate() {
        ensure(
            entry.is_some() || !seen.after_null,
            (slot, Rule::NullsCoalesced),
        )?;
        seen.after_null = entry.is_none();
        seen.entries += u64::from(entry.is_some());
    }
    ensure(
        !seen.after_null || max == u64::MAX,
        (end, Rule::NoNullAtLeafEnd),
    )?;
    ensure(
        leaf.slots[end + 1..].iter().all(Option::is_none),
        (end, Rule::UnusedIsZero),
    )
}

fn check_unused<E>(inner: &Arange64<E>) -> Result<(), Rule> {
    let unused = usize::from(inner.end) + 1;
    let zero = inner.slots[unused..].iter().all(Option::is_none)
        && inner.gaps[unused..].iter().all(|gap| *gap == 0);
    ensure(zero, Rule::UnusedIsZero)
}

fn whole(holds: bool, rule: Rule) -> Result<(), Broken> {
    ensure(
        holds,
        Broken {
            node: None,
            slot: None,
            rule,
        },
    )
}

fn ensure<B>(holds: bool, broken: B) -> Result<(), B> {
    if holds { Ok(()) } else { Err(broken) }
}
