//! What the writes of a call did to the nodes, as far as the frame's position goes.

use mmscope_lab::LaneFrame;
use mmscope_maple::{GapLook, GapVerdict, NodeId, Root, Slot, WriteEvent};
use mmscope_mm::{Event, VmaId};

use super::shown::{count, find, lowest_pivot, step_down};

type Id = NodeId<VmaId>;

/// Writes of a call whose ways are open.
const MOST_RANGES: usize = 8;

/// The writes and the last search of a call.
#[derive(Default)]
pub(crate) struct Writes {
    /// Nodes that were filled and did not die since.
    pub(crate) filled: Vec<Id>,
    /// How many of them, from the last one on, are not in the tree yet.
    waiting: usize,
    /// Nodes of the tree before the call that left it.
    pub(crate) dead: Vec<Id>,
    /// Nodes that are out of the tree and not marked dead yet.
    pub(crate) leaving: Vec<Id>,
    /// Nodes that were filled and died within the call.
    pub(crate) passing: u32,
    /// What was written over, each with its last index.
    pub(crate) ranges: Vec<(u64, u64)>,
    /// What the last search looked at.
    pub(crate) looks: Vec<GapLook>,
}

/// The tree in numbers, and how many nodes fared how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All nodes of the tree.
    pub(crate) nodes: u64,
    /// All mappings in it.
    pub(crate) vmas: u64,
    pub(crate) new: u32,
    pub(crate) waiting: u32,
    pub(crate) changed: u32,
    pub(crate) reused: u32,
    pub(crate) dead: u32,
    pub(crate) leaving: u32,
    /// Filled and dropped again within the call.
    pub(crate) passing: u32,
}

impl Writes {
    pub(crate) fn of(lane: &LaneFrame) -> Writes {
        let mut writes = Writes::default();
        for event in &lane.events {
            match event {
                Event::Search { .. } => writes.looks.clear(),
                Event::Gap(look) => writes.looks.push(*look),
                Event::Tree(step) => writes.write(*step),
                _ => {}
            }
        }
        writes.find_leaving(lane);
        writes
    }

    /// Between the pointer store and the marks there are nodes that nothing points to.
    fn find_leaving(&mut self, lane: &LaneFrame) {
        let told = match lane.events.last() {
            Some(Event::Tree(WriteEvent::Published { .. })) => None,
            Some(Event::Tree(WriteEvent::Dead { node })) => Some(*node),
            _ => return,
        };
        let tree = lane.machine.tree();
        for (id, node) in tree.nodes().iter() {
            if told != Some(id)
                && !self.dead.contains(&id)
                && find(tree, id, lowest_pivot(tree, node)).is_none()
            {
                self.leaving.push(id);
            }
        }
    }

    fn write(&mut self, step: WriteEvent<VmaId>) {
        match step {
            WriteEvent::Decided { first, last, .. } => {
                if self.ranges.len() < MOST_RANGES {
                    self.ranges.push((first, last));
                }
            }
            WriteEvent::Filled { node } => {
                self.filled.push(node);
                self.waiting += 1;
            }
            WriteEvent::Published { .. } => self.waiting = 0,
            WriteEvent::Dead { node } => {
                // A number given out again names the later node.
                match self.filled.iter().rposition(|filled| *filled == node) {
                    Some(at) => {
                        self.filled.remove(at);
                        self.passing += 1;
                    }
                    None => self.dead.push(node),
                }
            }
            WriteEvent::Gap { .. } | WriteEvent::Done(_) => {}
        }
    }

    /// The nodes that are not in the tree yet.
    pub(crate) fn waiting(&self) -> &[Id] {
        &self.filled[self.filled.len() - self.waiting..]
    }

    /// Whether a node was filled in this call.
    pub(crate) fn is_new(&self, id: Id) -> bool {
        self.filled.contains(&id)
    }

    /// Whether a node of the tree is not as it was before the call, though it was not filled since.
    pub(crate) fn is_changed(&self, lane: &LaneFrame, id: Id) -> bool {
        if self.is_new(id) {
            return false;
        }
        let now = lane.machine.tree().node(id);
        if lane.before.tree().nodes().get(id) != Some(now) {
            return true;
        }
        // A pointer to a new node is another one, even if that node got the number of a dead one.
        let mut slots = now.slots();
        slots.any(|slot| matches!(slot, Slot::Node(child) if self.is_new(child)))
    }

    /// The place in the order of the path of the slot over `first..=last` with `levels` of nodes below it.
    ///
    /// The path is that of the last write, one number for each level, or if there was none that of the last search.
    pub(crate) fn number(&self, height: u8, levels: u8, first: u64, last: u64) -> Option<u32> {
        if let Some((from, to)) = self.ranges.last() {
            let on = |index: &u64| (first..=last).contains(index);
            return (on(from) || on(to)).then(|| u32::from(height - levels));
        }
        let mut number = 0;
        for look in &self.looks {
            let goes_on = matches!(look.verdict, GapVerdict::Descend | GapVerdict::Fits);
            number += u32::from(goes_on);
            if is_at(look, levels, first, last) {
                return goes_on.then_some(number);
            }
        }
        None
    }

    /// What the last search made of the slot over `first..=last`.
    pub(crate) fn look(&self, levels: u8, first: u64, last: u64) -> Option<&GapLook> {
        let mut looks = self.looks.iter();
        looks.find(|look| is_at(look, levels, first, last))
    }

    /// All nodes of the tree, and those beside it, by what became of them.
    pub(crate) fn counts(&self, lane: &LaneFrame) -> Counts {
        let tree = lane.machine.tree();
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut counts = Counts {
            new: small(self.filled.len() - self.waiting),
            waiting: small(self.waiting),
            dead: small(self.dead.len()),
            leaving: small(self.leaving.len()),
            passing: self.passing,
            ..Counts::default()
        };
        counts.nodes = tree.nodes().len().into();
        counts.vmas = tree.len();
        if small(lane.events.len()) < lane.micro_steps
            && let Root::Node { id, .. } = tree.root()
        {
            // The tree's own numbers count nodes beside it as well.
            (counts.nodes, counts.vmas) = count(tree, id);
        }
        for id in &self.filled[..self.filled.len() - self.waiting] {
            if self.leaving.contains(id) {
                counts.new -= 1;
                continue;
            }
            for slot in tree.node(*id).slots() {
                if let Slot::Node(child) = slot
                    && !self.is_new(child)
                    && !self.is_changed(lane, child)
                {
                    counts.reused += 1;
                }
            }
        }
        // What changes in place lies on the way to what is written.
        let mut seen = Vec::new();
        for (first, last) in &self.ranges {
            for index in [*first, *last] {
                step_down(tree, index, &mut |id, _, _, _| {
                    if !seen.contains(&id) {
                        seen.push(id);
                        counts.changed += u32::from(self.is_changed(lane, id));
                    }
                    true
                });
            }
        }
        counts
    }
}

fn is_at(look: &GapLook, levels: u8, first: u64, last: u64) -> bool {
    look.level == levels && look.first == first && look.last == last
}
