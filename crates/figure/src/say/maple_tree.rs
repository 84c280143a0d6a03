//! The words in and around the picture of the maple trees.

use mmscope_lab::LaneFrame;
use mmscope_maple::{GapVerdict, Node, NodeId, Root};
use mmscope_mm::{Change, Range, VmaId};

use super::tree::{kind, node as named};
use super::{num, picture};
use crate::gap;
use crate::maple_tree::rows::{Row, What};
use crate::maple_tree::shown::{Lane, Shown, State};
use crate::maple_tree::writes::Counts;
use crate::table::Table;

/// The title of a picture before the first call.
pub const START: &str = "The maple tree before the first call";
/// Over nodes that are filled and have no parent yet.
pub(crate) const WAITING: &str = "Filled, not in the tree yet:";
/// Over nodes that left the tree.
pub(crate) const DEAD: &str = "Out of the tree, as they were before this call:";
/// The heads of the columns of a node: slot, pivot, entry of a leaf, child of an inner node, gap.
pub(crate) const COLUMNS: [&str; 5] = ["slot", "pivot", "entry", "child", "gap"];
/// A node that was filled and put into the tree.
pub(crate) const NEW: &str = "new by this call";
/// A node that was written where it stands.
pub(crate) const CHANGED: &str = "changed in place by this call";
/// A node that was not written, but got another parent.
pub(crate) const REUSED: &str = "reused under a new parent";
/// A node that left the tree.
pub(crate) const DEAD_NODE: &str = "dead: left the tree in this call";
/// What the numbers mean.
pub(crate) const PATH: &str = "path of the search or write";
/// What the mark of a slot means that a search refused.
pub(crate) const PASSED: &str = "looked at, passed over";
/// What the mark of the largest gap means.
pub(crate) const LARGEST: &str = "largest gap of the node";
/// What the star on a pivot means.
pub(crate) const IMPLIED: &str = "not stored: the end of the node";

/// The title of a picture after a call.
pub fn title(step: u32, call: &str) -> String {
    format!("The maple tree after call {step}: {call}")
}

/// An index as a pivot is shown.
pub fn hex(index: u64) -> String {
    if index == u64::MAX {
        "ULONG_MAX".to_owned()
    } else {
        format!("{index:x}")
    }
}

/// First and last index.
pub(crate) fn bounds(first: u64, last: u64) -> String {
    format!("{}\u{2013}{}", hex(first), hex(last))
}

/// Slots in use of how many.
pub(crate) fn used(node: &Node<VmaId>) -> String {
    format!("{} of {} slots", node.end() + 1, node.kind().slots())
}

/// A child and what is below it, the longest wording first.
pub(crate) fn child(id: NodeId<VmaId>, nodes: u64, vmas: u64) -> [String; 3] {
    let vmas = num::count(vmas, "VMA", "VMAs");
    let named = format!("{} \u{b7} {vmas}", named(id));
    let mut all = named.clone();
    if nodes > 1 {
        all.push_str(&format!(" in {} nodes", num::grouped(nodes)));
    }
    [all, named, vmas]
}

/// A slot of a node, in a table.
pub(crate) fn slot(id: NodeId<VmaId>, slot: usize) -> String {
    format!("{}, slot {slot}", named(id))
}

/// What became of a node.
pub(crate) fn state(state: State) -> &'static str {
    match state {
        State::Same => "",
        State::New => NEW,
        State::Changed => CHANGED,
        State::Reused => REUSED,
        State::Dead => DEAD_NODE,
        State::Leaving => "out of the tree, dead next",
        State::Waiting => "filled, not in the tree yet",
    }
}

/// Nodes that are not in the tree and not drawn.
pub(crate) fn more(more: u32) -> String {
    format!(
        "And {} that left the tree, not drawn.",
        num::count(more.into(), "node", "nodes")
    )
}

/// The tables as plain text: a line for each row.
pub fn plain(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        out.push_str(&table.caption);
        out.push('\n');
        for row in &table.rows {
            let sign = if row.changed.is_empty() { "" } else { "* " };
            out.push_str(&format!("  {sign}{}: {}\n", row.kind, row.what));
        }
        out.push('\n');
    }
    out
}

/// The tree of a lane in numbers, and what the call did to it: a line each.
pub(crate) fn head(lane: &LaneFrame, counts: Counts) -> Vec<String> {
    let tree = lane.machine.tree();
    if !lane.kernel.has(Change::MapleTree) {
        return vec!["red-black tree: this kernel has no maple tree".to_owned()];
    }
    let mut first = match tree.root() {
        Root::Empty => "empty: the root pointer is NULL".to_owned(),
        Root::Direct(_) => "no node: the root pointer is the entry of index 0".to_owned(),
        Root::Node { height, .. } => format!(
            "height {height} \u{b7} {} \u{b7} {}",
            num::count(counts.nodes, "node", "nodes"),
            num::count(counts.vmas, "VMA", "VMAs")
        ),
    };
    first.push_str(if tree.in_rcu() {
        " \u{b7} RCU mode"
    } else {
        " \u{b7} not in RCU mode"
    });
    first.push_str(super::kernel::tree_assumed(lane.kernel));
    let mut second = String::new();
    for (count, what) in [
        (counts.waiting, "filled, not in the tree yet"),
        (counts.new, "new"),
        (counts.changed, "changed in place"),
        (counts.reused, "reused"),
        (counts.leaving, "leaving"),
        (counts.dead, "dead"),
        (counts.passing, "made and dropped"),
    ] {
        if count > 0 {
            if second.is_empty() {
                second.push_str("This call: ");
            } else {
                second.push_str(", ");
            }
            second.push_str(&format!("{count} {what}"));
        }
    }
    if second.is_empty() {
        vec![first]
    } else {
        vec![first, second]
    }
}

/// The same as one sentence.
pub(crate) fn spoken(lane: &LaneFrame, counts: Counts) -> String {
    let mut said = format!("Lane {}, Linux {}: ", lane.letter, lane.kernel);
    said.push_str(&head(lane, counts).join(". "));
    said.push('.');
    said
}

/// A node.
pub(crate) fn node(lane: &LaneFrame, shown: &Shown) -> String {
    let mut said = format!(
        "{}: {}, {}, level {}",
        lane.letter,
        named(shown.id),
        kind(shown.node.kind()),
        shown.level
    );
    if shown.known {
        said.push_str(", ");
        said.push_str(&bounds(shown.min, shown.max));
    }
    said.push_str(", ");
    said.push_str(&used(shown.node));
    end(&mut said, shown.state, shown.open);
    said
}

fn end(said: &mut String, became: State, open: bool) {
    if became != State::Same {
        said.push_str(", ");
        said.push_str(state(became));
    }
    said.push_str(if open { ", open." } else { ", closed." });
}

/// A slot in use.
pub(crate) fn row(lane: &Lane, shown: &Shown, row: &Row) -> String {
    let frame = lane.frame;
    let apart = shown.is_apart();
    let range = Range {
        start: row.first,
        end: row.last.saturating_add(1),
    };
    let mut said = match &row.what {
        What::Vma(id) if !apart && frame.machine.get_vma(*id).is_some() => picture::vma(frame, *id),
        What::Free if !apart => picture::gap(frame, range, gap::reason(frame, range)),
        What::Vma(_) => format!("{}: a mapping, {}.", frame.letter, num::range(range)),
        What::Free => format!("{}: free, {}.", frame.letter, num::range(range)),
        What::Child {
            id,
            open,
            state,
            nodes,
            vmas,
        } => {
            let [below, ..] = child(*id, *nodes, *vmas);
            let mut said = format!("{}: {below}, {}", frame.letter, bounds(row.first, row.last));
            end(&mut said, *state, *open);
            said
        }
    };
    said.push_str(&format!(" Slot {}, pivot {}", row.slot, hex(row.last)));
    if row.implied {
        said.push_str(", which is not stored");
    }
    if let Some(gap) = &row.gap {
        said.push_str(&format!(", gap {}", num::size(gap.size)));
        if let Some(was) = gap.was {
            said.push_str(&format!(", was {}", num::size(was)));
        }
        if gap.largest {
            said.push_str(", the largest here");
        }
    }
    if let Some(number) = row.number {
        said.push_str(&format!(", step {number} of the path"));
    }
    let look = lane.writes.look(shown.levels - 1, row.first, row.last);
    if let Some(look) = look
        && !apart
    {
        said.push_str(match look.verdict {
            GapVerdict::Fits => ", the search took it",
            GapVerdict::TooSmall => ", too small for the search",
            GapVerdict::OutsideLimits => ", outside the limits of the search",
            GapVerdict::Descend => ", the search went in",
        });
    }
    said.push('.');
    said
}
