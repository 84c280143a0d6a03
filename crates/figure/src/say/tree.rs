//! The maple tree, in words.

use mmscope_maple::{Kind, NodeId, StoreType, WriteEvent};
use mmscope_mm::{Machine, Range, VmaId};

use super::num;

/// A node's name: its slot in the arena, counted from 1, so that a place used again keeps its name.
pub fn node(id: NodeId<VmaId>) -> String {
    format!("node {}", id.index() + 1)
}

/// The kernel's name of a kind of store, and why a store is of this kind.
pub fn store_type(kind: StoreType) -> (&'static str, &'static str) {
    match kind {
        StoreType::StoreRoot => ("wr_store_root", "the tree has no nodes yet"),
        StoreType::NewRoot => ("wr_new_root", "everything there was is replaced"),
        StoreType::ExactFit => (
            "wr_exact_fit",
            "it covers one slot exactly, and is written in place",
        ),
        StoreType::SlotStore => ("wr_slot_store", "a boundary between slots moves, in place"),
        StoreType::Append => ("wr_append", "it goes to the end of the leaf, in place"),
        StoreType::NodeStore => ("wr_node_store", "the leaf is written anew"),
        StoreType::SplitStore => ("wr_split_store", "the leaf would hold too much"),
        StoreType::Rebalance => ("wr_rebalance", "the leaf would hold too little"),
        StoreType::SpanningStore => ("wr_spanning_store", "it reaches into another leaf"),
    }
}

/// A step of a write.
pub(super) fn write(machine: &Machine, step: WriteEvent<VmaId>) -> String {
    match step {
        WriteEvent::Decided {
            kind,
            first,
            last,
            asked,
        } => {
            let (name, why) = store_type(kind);
            let range = Range {
                start: first,
                end: last.saturating_add(1),
            };
            format!(
                "A store over {}: {name}, {why}. {} asked for.",
                num::range(range),
                num::count(asked.into(), "node", "nodes")
            )
        }
        WriteEvent::Filled { node: id } => {
            let what = match machine.tree().nodes().get(id) {
                Some(filled) => format!(
                    ", {} with {}",
                    kind(filled.kind()),
                    num::count(filled.end() as u64 + 1, "slot", "slots")
                ),
                None => String::new(),
            };
            format!(
                "A new {}{what}, is filled. It is not in the tree yet.",
                node(id)
            )
        }
        WriteEvent::Published {
            node: id,
            parent: Some((parent, slot)),
        } => {
            let leaf = machine.tree().nodes().get(id);
            let leaf = leaf.is_some_and(|node| node.kind() == Kind::Leaf64);
            let below = if leaf {
                ""
            } else {
                ", and to all that is new below it"
            };
            format!(
                "{} is put into the tree: slot {slot} of {} points to it{below}.",
                super::sentence(&node(id)),
                node(parent)
            )
        }
        WriteEvent::Published {
            node: id,
            parent: None,
        } => format!(
            "{} is put into the tree: it is the root now.",
            super::sentence(&node(id))
        ),
        WriteEvent::Dead { node: id } if machine.tree().in_rcu() => format!(
            "{} is out of the tree and dead: freed after a grace period.",
            super::sentence(&node(id))
        ),
        WriteEvent::Dead { node: id } => format!(
            "{} is out of the tree and dead: free for use again.",
            super::sentence(&node(id))
        ),
        WriteEvent::Gap {
            node: id,
            slot,
            old,
            new,
        } => format!(
            "The largest gap under slot {slot} of {} was {} and is {}: carried up.",
            node(id),
            num::size(old),
            num::size(new)
        ),
        WriteEvent::Done(_) => "The write is done.".to_owned(),
    }
}

/// The kernel's name of a kind of node.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Leaf64 => "maple_leaf_64",
        Kind::Range64 => "maple_range_64",
        Kind::Arange64 => "maple_arange_64",
    }
}
