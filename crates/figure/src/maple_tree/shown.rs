//! Which nodes are shown open, and what became of each.

use mmscope_lab::LaneFrame;
use mmscope_maple::{MapleTree, Node, NodeId, Root, Slot};
use mmscope_mm::{Machine, Range, VmaId};

use super::writes::{Counts, Writes};
use super::{TreeView, has_nodes, node, range};
use crate::say;
use crate::scene::{Role, Target};

type Id = NodeId<VmaId>;
type Tree = MapleTree<VmaId>;

/// Dead nodes that are open from the first.
const DEAD_OPEN: usize = 3;
/// Nodes that are not in the tree are drawn up to so many, the others counted.
const MOST_APART: usize = 24;
/// So many new nodes are all open from the first.
const NEW_OPEN: u32 = 16;

/// What became of a node: see the table of the module above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Same,
    New,
    Changed,
    Reused,
    Dead,
    Leaving,
    Waiting,
}

impl State {
    /// The sign in the picture.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            State::Same => "",
            State::New | State::Waiting => "+",
            State::Changed => "~",
            State::Reused => "\u{21ba}",
            State::Dead | State::Leaving => "\u{d7}",
        }
    }

    /// How its edge looks; `None` for a plain one.
    pub(crate) fn edge(self) -> Option<Role> {
        match self {
            State::Same => None,
            State::New | State::Waiting => Some(Role::Changed),
            State::Changed => Some(Role::NodeChanged),
            State::Reused => Some(Role::NodeReused),
            State::Dead | State::Leaving => Some(Role::Removed),
        }
    }
}

/// One node, with those of its children that are open.
pub(crate) struct Shown<'a> {
    pub(crate) id: Id,
    pub(crate) node: &'a Node<VmaId>,
    /// 0 for the root.
    pub(crate) level: u8,
    /// Levels of nodes from this one down.
    pub(crate) levels: u8,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) state: State,
    /// Whether `min` and `max` are known.
    pub(crate) known: bool,
    pub(crate) open: bool,
    /// Where its mappings are to be looked up.
    pub(crate) machine: &'a Machine,
    /// The same node before the call, if it was there.
    pub(crate) before: Option<&'a Node<VmaId>>,
    /// The open ones, in the order of the slots.
    pub(crate) children: Vec<Shown<'a>>,
}

impl Shown<'_> {
    /// Not in the tree: not yet, or not any more.
    pub(crate) fn is_apart(&self) -> bool {
        matches!(self.state, State::Dead | State::Leaving | State::Waiting)
    }

    pub(crate) fn range(&self) -> Range {
        range(self.min, self.max)
    }
}

/// A lane and how it is looked at.
pub(crate) struct Lane<'a> {
    pub(crate) index: usize,
    pub(crate) frame: &'a LaneFrame<'a>,
    pub(crate) view: &'a TreeView,
    pub(crate) writes: Writes,
    pub(crate) counts: Counts,
    /// The width of a leaf.
    pub(crate) leaf: i32,
    /// Whether all nodes are open from the first.
    all: bool,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(
        index: usize,
        frame: &'a LaneFrame<'a>,
        view: &'a TreeView,
        width: i32,
    ) -> Lane<'a> {
        let fit = 1 + 2 * u64::try_from(width / node::LEAF_LEAST).unwrap_or(0);
        let writes = Writes::of(frame);
        let counts = writes.counts(frame);
        Lane {
            index,
            frame,
            view,
            writes,
            counts,
            leaf: node::leaf_width(width),
            all: counts.nodes <= fit,
        }
    }

    pub(crate) fn tree(&self) -> &'a Tree {
        self.frame.machine.tree()
    }

    /// The root, if the tree has nodes.
    pub(crate) fn root(&self) -> Option<Shown<'a>> {
        if !has_nodes(self.frame) {
            return None;
        }
        let Root::Node { id, height } = self.tree().root() else {
            return None;
        };
        let state = self.state(id, false);
        let mut root = self.shown(id, (0, height), (0, u64::MAX), state);
        if self.toggled(0, 0, u64::MAX, false) == Some(false) {
            root.open = false;
            root.children.clear();
        }
        Some(root)
    }

    pub(crate) fn state(&self, id: Id, parent_is_new: bool) -> State {
        if self.writes.is_new(id) {
            State::New
        } else if self.writes.is_changed(self.frame, id) {
            State::Changed
        } else if parent_is_new {
            State::Reused
        } else {
            State::Same
        }
    }

    /// An open node of the tree.
    fn shown(
        &self,
        id: Id,
        (level, levels): (u8, u8),
        (min, max): (u64, u64),
        state: State,
    ) -> Shown<'a> {
        let node = self.tree().node(id);
        let mut children = Vec::new();
        // A leaf beside one that is on a path is open too.
        let mut near = false;
        for slot in 0..=node.end() {
            let Slot::Node(child) = node.slot(slot) else {
                break;
            };
            let (first, last) = node.slot_range(slot, min, max);
            let on = self.on_path(levels - 1, first, last);
            let next = slot < node.end() && levels == 2 && {
                let (first, last) = node.slot_range(slot + 1, min, max);
                self.on_path(1, first, last)
            };
            let new = self.counts.new <= NEW_OPEN && self.writes.is_new(child);
            let open = self.all || on || near || next || new;
            near = on && levels == 2;
            if self.toggled(level + 1, first, last, false).unwrap_or(open) {
                let state = self.state(child, state == State::New);
                children.push(self.shown(child, (level + 1, levels - 1), (first, last), state));
            }
        }
        Shown {
            id,
            node,
            level,
            levels,
            min,
            max,
            state,
            known: true,
            open: true,
            machine: self.frame.machine,
            before: self.frame.before.tree().nodes().get(id),
            children,
        }
    }

    /// Whether the call's search or writes, or the way to what is selected, led through a node.
    fn on_path(&self, levels: u8, first: u64, last: u64) -> bool {
        let chosen = self.view.selected;
        let chosen = chosen.is_some_and(|at| first <= at.addr && at.addr <= last);
        let search = self.writes.range().is_none();
        chosen
            || self.writes.led_through(first, last)
            || search && self.writes.number(0, levels, first, last).is_some()
    }

    /// What was said by hand about a place.
    pub(crate) fn toggled(&self, level: u8, first: u64, last: u64, apart: bool) -> Option<bool> {
        let mut said = None;
        for at in &self.view.toggled {
            if at.is(self.index, level, apart) && first <= at.index && at.index <= last {
                said = Some(at.open);
            }
        }
        said
    }

    /// The nodes that are not in the tree yet, and those that are not in it any more.
    pub(crate) fn apart(&self) -> (Vec<Shown<'a>>, Vec<Shown<'a>>) {
        let (mut waiting, mut dead) = (Vec::new(), Vec::new());
        let writes = &self.writes;
        let now = self.tree();
        for id in writes.waiting.iter().take(MOST_APART) {
            let Some(node) = now.nodes().get(*id) else {
                continue;
            };
            let levels = levels(now, node);
            let level = now.height().saturating_sub(levels);
            let (min, max) = self.range_to_be(node, levels);
            waiting.push(self.shown_apart(
                (*id, node, self.frame.machine),
                (level, levels),
                (min, max),
                State::Waiting,
            ));
        }
        for id in writes.dead.iter().take(MOST_APART) {
            let open = dead.len() < DEAD_OPEN;
            dead.extend(self.out(self.frame.before, *id, State::Dead, open));
        }
        for id in &writes.leaving {
            let open = dead.len() < DEAD_OPEN;
            dead.extend(self.out(self.frame.machine, *id, State::Leaving, open));
        }
        (waiting, dead)
    }

    /// How many nodes are not in the tree besides those that are drawn.
    pub(crate) fn more(&self, drawn: usize) -> u32 {
        let counts = &self.counts;
        let all = counts.waiting + counts.leaving + counts.dead;
        all.saturating_sub(u32::try_from(drawn).unwrap_or(u32::MAX))
    }

    /// A node that is out of the tree, as it stands in a machine's.
    fn out(&self, of: &'a Machine, id: Id, state: State, open: bool) -> Option<Shown<'a>> {
        let tree = of.tree();
        let node = tree.nodes().get(id)?;
        // What a node covers stands in the nodes above it: of one that only this call had, that is lost.
        let before = self.frame.before.tree();
        let was = before.nodes().get(id) == Some(node);
        // Some of what was below it may be gone already.
        let whole = if was { before } else { tree };
        let levels = levels(whole, node);
        let level = whole.height().saturating_sub(levels);
        let range = find(before, id, lowest_pivot(tree, node)).filter(|_| was);
        let (min, max) = range.unwrap_or_default();
        let of = (id, node, self.frame.before);
        let mut shown = self.shown_apart(of, (level, levels), (min, max), state);
        shown.known = range.is_some();
        let said = self.toggled(level, min, max, true);
        shown.open = shown.known && said.unwrap_or(open);
        Some(shown)
    }

    fn shown_apart(
        &self,
        (id, node, machine): (Id, &'a Node<VmaId>, &'a Machine),
        (level, levels): (u8, u8),
        (min, max): (u64, u64),
        state: State,
    ) -> Shown<'a> {
        Shown {
            id,
            node,
            level,
            levels,
            min,
            max,
            state,
            known: true,
            open: self.toggled(level, min, max, true).unwrap_or(true),
            machine,
            before: None,
            children: Vec::new(),
        }
    }

    /// What a node will cover that is not in the tree yet: it starts behind the one before it that waits as well, or
    /// where the first node that it replaces does.
    fn range_to_be(&self, node: &Node<VmaId>, levels: u8) -> (u64, u64) {
        let tree = self.tree();
        let lowest = lowest_pivot(tree, node);
        let mut from = lowest;
        if let Some((first, _)) = self.writes.range() {
            from = from.min(first);
        }
        let mut min = 0;
        step_down(tree, from, &mut |_, level, first, _| {
            min = first;
            tree.height() - level > levels
        });
        for other in &self.writes.waiting {
            let Some(other) = tree.nodes().get(*other) else {
                continue;
            };
            if lowest_pivot(tree, other) < lowest && self::levels(tree, other) == levels {
                min = min.max(self.last_to_be(other).saturating_add(1));
            }
        }
        (min, self.last_to_be(node))
    }

    /// Where a node will end. If it is full, the pivot of its last slot is not stored: then what that slot holds tells.
    fn last_to_be(&self, node: &Node<VmaId>) -> u64 {
        let tree = self.tree();
        let end = node.end();
        if let Some(last) = node.pivots().get(end) {
            return *last;
        }
        match node.slot(end) {
            // No leaf ends with NULL but the last one.
            Slot::Null => u64::MAX,
            Slot::Entry(_) => {
                let first = node.pivots()[end - 1] + 1;
                let last = tree.range_at(first).last;
                match self.writes.range() {
                    Some((from, to)) if from <= first && first <= to => to,
                    Some((from, _)) if first < from => last.min(from - 1),
                    _ => last,
                }
            }
            Slot::Node(child) => {
                let below = tree.node(child);
                let range = find(tree, child, lowest_pivot(tree, below));
                range.map_or_else(|| self.last_to_be(below), |(_, last)| last)
            }
        }
    }

    /// What an item for the whole node stands for.
    pub(crate) fn target(&self, shown: &Shown) -> Target {
        Target::Node {
            lane: self.index,
            level: shown.level,
            range: shown.range(),
            apart: shown.is_apart(),
            open: shown.open,
        }
    }

    /// A node, as a sentence.
    pub(crate) fn name(&self, shown: &Shown) -> String {
        say::maple_tree::node(self.frame, shown)
    }
}

/// Sees nodes on the way down: node, level, first and last index. Whether to go on.
type Seen<'a> = &'a mut dyn FnMut(Id, u8, u64, u64) -> bool;

/// What a node covers, if it is the tree's node of its level over an index.
pub(crate) fn find(tree: &Tree, id: Id, index: u64) -> Option<(u64, u64)> {
    let mut found = None;
    step_down(tree, index, &mut |at, _, min, max| {
        if at == id {
            found = Some((min, max));
        }
        at != id
    });
    found
}

/// Goes from the root down to the leaf over `index`, as long as it is asked to.
pub(crate) fn step_down(tree: &Tree, index: u64, see: Seen) {
    let Root::Node { mut id, .. } = tree.root() else {
        return;
    };
    let (mut level, mut min, mut max) = (0, 0, u64::MAX);
    while see(id, level, min, max) {
        let node = tree.node(id);
        let mut slot = 0;
        while slot < node.end() && node.pivots()[slot] < index {
            slot += 1;
        }
        let Slot::Node(child) = node.slot(slot) else {
            return;
        };
        (min, max) = node.slot_range(slot, min, max);
        id = child;
        level += 1;
    }
}

/// Nodes and mappings from a node down.
pub(crate) fn count(tree: &Tree, id: Id) -> (u64, u64) {
    let node = tree.node(id);
    let (mut nodes, mut vmas) = (1, 0);
    for slot in node.slots() {
        match slot {
            Slot::Null => {}
            Slot::Entry(_) => vmas += 1,
            Slot::Node(child) => {
                let (more, below) = count(tree, child);
                nodes += more;
                vmas += below;
            }
        }
    }
    (nodes, vmas)
}

/// Levels of nodes from a node down. Of a node on its way out the children may be gone already.
fn levels(tree: &Tree, node: &Node<VmaId>) -> u8 {
    1 + first_child(tree, node).map_or(0, |child| levels(tree, child))
}

/// The last index of the first slot of the first leaf below a node.
pub(crate) fn lowest_pivot(tree: &Tree, node: &Node<VmaId>) -> u64 {
    first_child(tree, node).map_or(node.pivots()[0], |child| lowest_pivot(tree, child))
}

fn first_child<'a>(tree: &'a Tree, node: &Node<VmaId>) -> Option<&'a Node<VmaId>> {
    match node.slot(0) {
        Slot::Node(child) => tree.nodes().get(child),
        Slot::Null | Slot::Entry(_) => None,
    }
}
