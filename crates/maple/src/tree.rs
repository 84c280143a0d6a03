//! The tree: its root, its nodes, and the few private doors through which both are written.

use std::fmt;

use crate::observer::NodeWitness;
use crate::{Arena, Kind, Node, NodeId, Observer, Rules};

/// What the root pointer holds, with the height kept in the tree's flags: `ma_root` and `mt_height`
/// in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root<E> {
    /// Nothing is stored.
    Empty,
    /// One entry over `[0, 0]` and nothing else: it needs no node.
    Direct(E),
    /// A node. With a height of 1 it is a leaf.
    Node {
        /// The node.
        id: NodeId<E>,
        /// Levels of nodes, leaves included.
        height: u8,
    },
}

/// A range of indices and what is stored over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<E> {
    /// Its first index.
    pub first: u64,
    /// Its last index.
    pub last: u64,
    /// The entry, or `None` for a NULL range.
    pub entry: Option<E>,
}

/// A map from ranges of `u64` to small entries that finds free ranges quickly: the kernel's `struct
/// maple_tree`, node for node as the release with the tree's [`Rules`] has it.
///
/// Every index belongs to exactly one range, which holds an entry or NULL. Neighbouring NULL ranges
/// are one; neighbouring entries stay apart, even equal ones. Look-up, store and gap search cost
/// O(log n).
///
/// There are two faces: [`MaState`](crate::MaState), a cursor with the kernel's `mas_*` names, and
/// the map-like methods here. `==` compares what is stored, not the nodes: see
/// [`same_nodes`](Self::same_nodes).
///
/// [`Clone`] shares the nodes until one of the two trees writes.
pub struct MapleTree<E> {
    pub(crate) root: Root<E>,
    nodes: Arena<Node<E>>,
    /// Entries in all leaves and the root.
    entries: u64,
    rules: Rules,
    /// `MT_FLAGS_USE_RCU`.
    rcu: bool,
    /// `MT_FLAGS_ALLOC_RANGE`.
    gaps: bool,
    /// Which entries the root pointer may hold.
    fits_root: fn(E) -> bool,
}

impl<E: Copy> MapleTree<E> {
    /// A tree with nothing stored, as the mm has it: in RCU mode and with gap tracking, by the
    /// default [`Rules`].
    pub fn new() -> Self {
        Self::with_rules(Rules::default())
    }

    /// A tree with nothing stored, in RCU mode and with gap tracking, that writes like the release
    /// with these rules.
    pub fn with_rules(rules: Rules) -> Self {
        Self {
            root: Root::Empty,
            nodes: Arena::new(),
            entries: 0,
            rules,
            rcu: true,
            gaps: true,
            fits_root: |_| true,
        }
    }

    /// The same empty tree, but without gap tracking (`MT_FLAGS_ALLOC_RANGE` not set): its inner
    /// nodes have more slots and no gaps, and a search for a gap has to look at every leaf.
    ///
    /// # Panics
    ///
    /// If the tree has nodes.
    #[must_use]
    pub fn without_gaps(mut self) -> Self {
        assert!(
            self.height() == 0,
            "the kind of nodes is fixed once there are some"
        );
        self.gaps = false;
        self
    }

    /// The same empty tree, but with a limit on the entries that the root pointer may hold without
    /// a node: in the kernel all but those with 10 as their lowest bits, which no VMA has.
    #[must_use]
    pub fn with_root_entries(mut self, fits: fn(E) -> bool) -> Self {
        self.fits_root = fits;
        self
    }

    /// The rules that the tree writes by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Has the tree go on by other rules. What was written stays as it is.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Whether nodes are replaced rather than changed, so that readers need no lock: `mt_in_rcu`.
    pub fn in_rcu(&self) -> bool {
        self.rcu
    }

    /// Enters or leaves RCU mode: `mt_set_in_rcu`, `mt_clear_in_rcu`.
    pub fn set_rcu(&mut self, rcu: bool) {
        self.rcu = rcu;
    }

    /// Whether inner nodes keep the largest gap under each slot: `mt_is_alloc`.
    pub fn tracks_gaps(&self) -> bool {
        self.gaps
    }

    /// The kind of nodes above the leaves.
    pub(crate) fn inner_kind(&self) -> Kind {
        if self.gaps {
            Kind::Arange64
        } else {
            Kind::Range64
        }
    }

    /// Whether the root pointer may hold the entry. NULL always fits.
    pub(crate) fn fits_root(&self, entry: Option<E>) -> bool {
        entry.is_none_or(self.fits_root)
    }

    /// What the root pointer holds.
    pub fn root(&self) -> Root<E> {
        self.root
    }

    /// Levels of nodes: 0 for a tree without nodes, 1 for a leaf as root. `mt_height`.
    pub fn height(&self) -> u8 {
        match self.root {
            Root::Node { height, .. } => height,
            Root::Empty | Root::Direct(_) => 0,
        }
    }

    /// The node `id`.
    ///
    /// # Panics
    ///
    /// If the tree has no such node (any more); [`nodes`](Self::nodes) asks first.
    pub fn node(&self, id: NodeId<E>) -> &Node<E> {
        &self.nodes[id]
    }

    /// All nodes, to be read.
    pub fn nodes(&self) -> &Arena<Node<E>> {
        &self.nodes
    }

    /// How many entries are stored. NULL ranges do not count.
    pub fn len(&self) -> u64 {
        self.entries
    }

    /// Whether nothing is stored: `mtree_empty`.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Undoes one write to a node, as [`Observer::node`] was told of it.
    ///
    /// Undoing all writes to nodes and root back to some moment, the last one first, gives the tree
    /// of that moment: the same nodes under the same ids, and the same ids to come.
    ///
    /// # Panics
    ///
    /// If the order is wrong in a way that shows: see [`Arena::restore`].
    pub fn undo_node(&mut self, id: NodeId<E>, old: Option<Node<E>>) {
        self.entries -= self.nodes.get(id).map_or(0, Node::entries);
        self.entries += old.as_ref().map_or(0, Node::entries);
        self.nodes.restore(id, old);
    }

    /// Undoes one change of the root, as [`Observer::root`] was told of it.
    pub fn undo_root(&mut self, old: Root<E>) {
        self.put_root_word(old);
    }

    fn put_root_word(&mut self, root: Root<E>) {
        self.entries -= direct(self.root);
        self.entries += direct(root);
        self.root = root;
    }

    pub(crate) fn set_root(&mut self, root: Root<E>, obs: &mut impl Observer<E>) {
        obs.root(self.root);
        self.put_root_word(root);
    }

    pub(crate) fn alloc_node(&mut self, node: Node<E>, obs: &mut impl Observer<E>) -> NodeId<E> {
        self.nodes.insert(node, &mut NodeWitness(obs))
    }

    /// A new node as a copy of another, to be filled where it stands.
    #[inline]
    pub(crate) fn begin_node(
        &mut self,
        like: &Node<E>,
        obs: &mut impl Observer<E>,
    ) -> (NodeId<E>, &mut Node<E>) {
        self.nodes.place(|| *like, &mut NodeWitness(obs))
    }

    /// A node, to be changed where it stands.
    pub(crate) fn edit_node(&mut self, id: NodeId<E>, obs: &mut impl Observer<E>) -> &mut Node<E> {
        self.nodes.edit(id, &mut NodeWitness(obs))
    }

    /// A write counts once what it changes in the number of entries, not at each node.
    pub(crate) fn count_entries(&mut self, before: u64, after: u64) {
        self.entries = self.entries - before + after;
    }

    pub(crate) fn free_node(&mut self, id: NodeId<E>, obs: &mut impl Observer<E>) {
        self.nodes.discard(id, &mut NodeWitness(obs));
    }
}

impl<E: Copy + Eq> MapleTree<E> {
    /// Whether both trees are the same node for node, ids included, and will give new nodes the
    /// same ids.
    pub fn same_nodes(&self, other: &Self) -> bool {
        self.root == other.root && self.nodes == other.nodes
    }
}

fn direct<E>(root: Root<E>) -> u64 {
    match root {
        Root::Direct(_) => 1,
        Root::Empty | Root::Node { .. } => 0,
    }
}

impl<E: Copy> Default for MapleTree<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> Clone for MapleTree<E> {
    fn clone(&self) -> Self {
        Self {
            root: self.root,
            nodes: self.nodes.clone(),
            entries: self.entries,
            rules: self.rules,
            rcu: self.rcu,
            gaps: self.gaps,
            fits_root: self.fits_root,
        }
    }
}

impl<E: Copy + Eq> PartialEq for MapleTree<E> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries && self.iter().eq(other.iter())
    }
}

impl<E: Copy + Eq> Eq for MapleTree<E> {}

impl<E: Copy + Eq + fmt::Debug> fmt::Debug for MapleTree<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
