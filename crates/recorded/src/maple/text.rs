//! The canonical text of a tree, and its hash.

use std::fmt::{self, Write};

use mmscope_maple::{MapleTree, NodeId, Root, Slot};

use super::op::Entry;

/// FNV-1a over what is written to it.
#[derive(Clone, Copy)]
pub(super) struct Fnv(u64);

impl Fnv {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

impl fmt::Display for Fnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The hash of the tree's canonical text, with the marks of the largest gaps or without.
pub(super) fn hash(tree: &MapleTree<Entry>, marks: bool) -> String {
    let mut fnv = Fnv::new();
    // Nothing can fail in a hash.
    let _ = write_tree(tree, marks, &mut fnv);
    fnv.to_string()
}

pub(super) fn write_tree(
    tree: &MapleTree<Entry>,
    marks: bool,
    out: &mut impl Write,
) -> fmt::Result {
    match tree.root() {
        Root::Empty => out.write_str("E"),
        Root::Direct(entry) => write!(out, "D:{entry}"),
        Root::Node { id, .. } => write_node(tree, id, u64::MAX, marks, out),
    }
}

fn write_node(
    tree: &MapleTree<Entry>,
    id: NodeId<Entry>,
    max: u64,
    marks: bool,
    out: &mut impl Write,
) -> fmt::Result {
    let node = tree.node(id);
    let gaps = node.gaps();
    match (node.slot(0), gaps.is_empty()) {
        (Slot::Node(_), true) => out.write_str("R(")?,
        (Slot::Node(_), false) if marks => match node.largest_gap_slot() {
            Some(slot) => write!(out, "A{slot}(")?,
            None => out.write_str("A15(")?,
        },
        (Slot::Node(_), false) => out.write_str("A(")?,
        _ => out.write_str("L(")?,
    }
    for (at, slot) in node.slots().enumerate() {
        let last = if at == node.end() {
            max
        } else {
            node.pivots()[at]
        };
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}{last:x}:")?;
        match slot {
            Slot::Null => out.write_str("-")?,
            Slot::Entry(entry) => write!(out, "{entry}")?,
            Slot::Node(child) => {
                if let Some(gap) = gaps.get(at) {
                    write!(out, "{gap:x}:")?;
                }
                write_node(tree, child, last, marks, out)?;
            }
        }
    }
    out.write_str(")")
}
