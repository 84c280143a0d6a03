//! What must hold of a tree between two writes: `mt_validate`.

use std::collections::BTreeSet;
use std::fmt;

use crate::node::{Arange64, Leaf64, NO_GAP, Shape};
use crate::{FullRange, Kind, MapleTree, NodeId, Root, Slot};

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
    /// A tree with nodes stores something, but for a single leaf with a single NULL, where the rules
    /// leave one.
    EmptyWithoutNodes,
    /// Inner nodes are of the kind that the tree's gap tracking asks for.
    KindOfInnerNodes,
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
                let may_be_empty = self.rules().full_range == FullRange::ExactFit
                    && height == 1
                    && self.node(id).end() == 0;
                whole(seen.entries > 0 || may_be_empty, Rule::EmptyWithoutNodes)?;
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
        let least = match (is_root, node.kind()) {
            (true, Kind::Leaf64) => 0,
            (true, _) => 1,
            (false, kind) => kind.min_end(),
        };
        ensure(end >= least, at(None, Rule::MinimumFill))?;
        if let Shape::Leaf(leaf) = &node.0 {
            check_leaf(leaf, max, seen).map_err(|(slot, rule)| at(Some(slot), rule))?;
            return Ok(node.largest_gap(min, max));
        }
        ensure(
            node.kind() == self.inner_kind(),
            at(None, Rule::KindOfInnerNodes),
        )?;
        let unused =
            (end + 1..node.kind().slots()).all(|slot| matches!(node.slot(slot), Slot::Null));
        ensure(unused, at(None, Rule::UnusedIsZero))?;
        let mut largest = 0;
        for slot in 0..=end {
            let Slot::Node(child) = node.slot(slot) else {
                return Err(at(Some(slot), Rule::ChildExists));
            };
            let (first, last) = node.slot_range(slot, min, max);
            let gap = self.check_node(child, levels - 1, first, last, seen)?;
            let kept = node.gaps().get(slot);
            ensure(
                kept.is_none_or(|kept| *kept == gap),
                at(Some(slot), Rule::GapsExact),
            )?;
            largest = gap.max(largest);
        }
        if let Shape::Arange(inner) = &node.0 {
            check_gaps(inner, largest).map_err(|rule| at(None, rule))?;
        }
        Ok(largest)
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

fn check_gaps<E>(inner: &Arange64<E>, largest: u64) -> Result<(), Rule> {
    let unused = usize::from(inner.end) + 1;
    ensure(
        inner.gaps[unused..].iter().all(|gap| *gap == 0),
        Rule::UnusedIsZero,
    )?;
    let marked = inner.gaps.get(usize::from(inner.largest)).copied();
    let none = largest == 0 && inner.largest == NO_GAP;
    ensure(marked == Some(largest) || none, Rule::LargestGapMarked)
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
