//! What a tree tells of its writes and searches while it works.

use crate::{Id, Node, NodeId, Root, Witness};

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
