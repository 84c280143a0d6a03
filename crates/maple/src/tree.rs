//! The tree: its root, its nodes, and the few private doors through which both are written.

use std::fmt;

use crate::observer::NodeWitness;
use crate::{Arena, Node, NodeId, Observer};

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
/// maple_tree` with `MT_FLAGS_ALLOC_RANGE`.
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
}

impl<E: Copy> MapleTree<E> {
    /// A tree with nothing stored.
    pub fn new() -> Self {
        Self {
            root: Root::Empty,
            nodes: Arena::new(),
            entries: 0,
        }
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
        self.entries += node.entries();
        self.nodes.insert(node, &mut NodeWitness(obs))
    }

    pub(crate) fn write_node(&mut self, id: NodeId<E>, node: Node<E>, obs: &mut impl Observer<E>) {
        let place = self.nodes.edit(id, &mut NodeWitness(obs));
        self.entries -= place.entries();
        self.entries += node.entries();
        *place = node;
    }

    pub(crate) fn free_node(&mut self, id: NodeId<E>, obs: &mut impl Observer<E>) {
        let node = self.nodes.remove(id, &mut NodeWitness(obs));
        self.entries -= node.entries();
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
