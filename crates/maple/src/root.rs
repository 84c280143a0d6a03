//! Trees without nodes, and trees that lose all of theirs: `mas_store_root`, `mas_root_expand`,
//! `mas_new_root`, `mtree_dup`, `mtree_destroy`.

use crate::accounting::Tally;
use crate::node::{Leaf64, Shape};
use crate::path::Step;
use crate::store_type::Walk;
use crate::{MapleTree, Node, Observer, Root, WriteEvent};

impl<E: Copy> MapleTree<E> {
    /// A store into a tree without nodes.
    pub(crate) fn store_root(&mut self, wr: &Walk<E>, obs: &mut impl Observer<E>) -> Tally<E> {
        let mut tally = Tally::new();
        if self.root_expands(wr) {
            let leaf = self.expanded(wr);
            let entries = leaf.entries();
            let id = self.alloc_node(Node(Shape::Leaf(leaf)), obs);
            obs.write(WriteEvent::Filled { node: id });
            tally.used = 1;
            self.count_entries(0, entries);
            self.publish_root(id, 1, obs);
        } else if wr.index == 0 {
            let root = wr.entry.map_or(Root::Empty, Root::Direct);
            self.set_root(root, obs);
        }
        tally
    }

    /// The first leaf: what the root pointer held, the entry, and NULL between and after them.
    fn expanded(&self, wr: &Walk<E>) -> Leaf64<E> {
        let mut leaf = Leaf64::EMPTY;
        let mut at = 0;
        let mut push = |last: u64, slot: Option<E>| {
            leaf.pivots[at] = last;
            leaf.slots[at] = slot;
            at += 1;
        };
        if wr.index > 0 {
            if let Root::Direct(entry) = self.root() {
                push(0, Some(entry));
                if wr.index > 1 {
                    push(wr.index - 1, None);
                }
            } else {
                push(wr.index - 1, None);
            }
        }
        push(wr.last, wr.entry);
        if wr.last != u64::MAX {
            push(u64::MAX, None);
        }
        leaf.end = u8::try_from(at - 1).unwrap_or(0);
        leaf
    }

    /// A store over everything.
    pub(crate) fn new_root(&mut self, entry: Option<E>, obs: &mut impl Observer<E>) -> Tally<E> {
        let mut tally = Tally::new();
        for (id, _) in self.nodes().iter() {
            tally.dead.push(Step::new(id, 0, 0, u64::MAX));
        }
        if entry.is_some() {
            let mut leaf = Leaf64::EMPTY;
            leaf.slots[0] = entry;
            leaf.pivots[0] = u64::MAX;
            let id = self.alloc_node(Node(Shape::Leaf(leaf)), obs);
            obs.write(WriteEvent::Filled { node: id });
            tally.used = 1;
            self.publish_root(id, 1, obs);
        } else {
            self.set_root(Root::Empty, obs);
        }
        self.free_dead(&tally.dead, obs);
        self.count_entries(self.len(), entry.is_some().into());
        tally
    }

    /// Another tree with the same nodes, for a fork: `mtree_dup`. Also says how many nodes the
    /// kernel allocates for it: as many as there are.
    ///
    /// The new tree is in the same mode; a fork leaves RCU mode in the new one until it is filled.
    pub fn dup(&self) -> (Self, u32) {
        (self.clone(), self.nodes().len())
    }

    /// Drops everything, without any balancing on the way: `mtree_destroy`. Returns how many nodes
    /// were freed.
    pub fn destroy(&mut self, obs: &mut impl Observer<E>) -> u32 {
        if matches!(self.root(), Root::Empty) {
            return 0;
        }
        self.new_root(None, obs).dead.len()
    }
}
