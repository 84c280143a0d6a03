//! What a tree tells of its writes and searches while it works.

use crate::{Id, Node, NodeId, Root, StoreType, Stored, Witness};

/// Sees what a tree does. Every method does nothing unless it is written.
///
/// With `()` the calls compile away. The old values given here are all that it takes to go back:
/// see [`MapleTree::undo_node`](crate::MapleTree::undo_node).
pub trait Observer<E> {
    /// The node `id` is about to be written or freed; `old` is what it holds, or `None` if it is
    /// allocated now.
    fn node(&mut self, id: NodeId<E>, old: Option<&Node<E>>) {
        let _ = (id, old);
    }

    /// The root pointer or the height is about to change from `old`.
    fn root(&mut self, old: Root<E>) {
        let _ = old;
    }

    /// A search for a gap looked at a free range or at a whole subtree.
    fn gap(&mut self, look: GapLook) {
        let _ = look;
    }

    /// A write came a step further.
    ///
    /// These steps say what [`node`](Self::node) and [`root`](Self::root) are about; they are not
    /// needed to go back.
    fn write(&mut self, step: WriteEvent<E>) {
        let _ = step;
    }
}

/// Nobody looks.
impl<E> Observer<E> for () {}

impl<E, O: Observer<E> + ?Sized> Observer<E> for &mut O {
    fn node(&mut self, id: NodeId<E>, old: Option<&Node<E>>) {
        (**self).node(id, old);
    }

    fn root(&mut self, old: Root<E>) {
        (**self).root(old);
    }

    fn gap(&mut self, look: GapLook) {
        (**self).gap(look);
    }

    fn write(&mut self, step: WriteEvent<E>) {
        (**self).write(step);
    }
}

/// A step of a write, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteEvent<E> {
    /// It was decided how to store over a range, and how many nodes were asked for, before or now.
    Decided {
        /// The kind of store.
        kind: StoreType,
        /// The first index of the range, for NULL grown over the NULL beside it in the leaf.
        first: u64,
        /// Its last index.
        last: u64,
        /// Nodes asked for.
        asked: u32,
    },
    /// A node was taken from those asked for, and filled. It is not in the tree yet.
    Filled {
        /// The node.
        node: NodeId<E>,
    },
    /// A new node, and with it all that is new below it, was put into the tree by one pointer store.
    Published {
        /// The node.
        node: NodeId<E>,
        /// The parent and the slot, or `None` for the root.
        parent: Option<(NodeId<E>, u8)>,
    },
    /// A node is no longer in the tree: its parent pointer would now point to itself. It is freed
    /// next.
    Dead {
        /// The node.
        node: NodeId<E>,
    },
    /// The largest gap under a slot changed, and was carried up to its node.
    Gap {
        /// The node.
        node: NodeId<E>,
        /// The slot.
        slot: u8,
        /// The gap before.
        old: u64,
        /// The gap now.
        new: u64,
    },
    /// The write is done. What was not used went back.
    Done(Stored),
}

/// One place that a gap search considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapLook {
    /// The first index of the free range or of the subtree.
    pub first: u64,
    /// Its last index.
    pub last: u64,
    /// What was looked at: 0 for a free range in a leaf, else how many levels of nodes the subtree
    /// has.
    pub level: u8,
    /// The size of the largest free range there, limits or not. The whole index space, 2^64, counts
    /// as one less.
    pub largest: u64,
    /// The size that is searched for.
    pub size: u64,
    /// What came of it.
    pub verdict: GapVerdict,
}

/// What a gap search made of one [`GapLook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GapVerdict {
    /// The free range is large enough within the limits: the search ends here.
    Fits,
    /// The largest free range there is smaller than the size.
    TooSmall,
    /// Large enough, but not by what lies within the limits.
    OutsideLimits,
    /// The subtree has a gap that is large enough: the search goes on inside it. It may come back,
    /// since only the leaf shows whether that gap lies within the limits.
    Descend,
}

/// An observer in the place of an arena's witness.
pub(crate) struct NodeWitness<'a, O>(pub(crate) &'a mut O);

impl<E, O: Observer<E>> Witness<Node<E>> for NodeWitness<'_, O> {
    fn before_edit(&mut self, id: Id<Node<E>>, old: Option<&Node<E>>) {
        self.0.node(id, old);
    }
}
