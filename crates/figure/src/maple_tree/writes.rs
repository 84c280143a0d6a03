//! What the writes of a call did to the nodes, as far as the frame's position goes.

use mmscope_lab::LaneFrame;
use mmscope_maple::{GapLook, GapVerdict, NodeId, Root, Slot, WriteEvent};
use mmscope_mm::{Event, VmaId};

use super::shown::{count, find, lowest_pivot};

type Id = NodeId<VmaId>;

/// Writes of a call, from the last one back, whose ways are open.
const OPEN_RANGES: usize = 8;

/// The writes and the last search of a call.
#[derive(Default)]
pub(crate) struct Writes {
    /// Nodes that were filled since the last pointer store: they are not in the tree yet.
    pub(crate) waiting: Vec<Id>,
    /// By the number of a node: whether it was filled in this call, and did not die since.
    new: Vec<bool>,
    /// Nodes of the tree before the call that left it.
    pub(crate) dead: Vec<Id>,
    /// Nodes that are out of the tree and not marked dead yet.
    pub(crate) leaving: Vec<Id>,
    /// The node that is marked dead just now: it is freed next.
    told: Option<Id>,
    /// Nodes that were filled and died within the call.
    pub(crate) passing: u32,
    /// What was written over, first and last index.
    ranges: Vec<(u64, u64)>,
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
        match lane.events.last() {
            Some(Event::Tree(WriteEvent::Published { .. })) => {}
            Some(Event::Tree(WriteEvent::Dead { node })) => self.told = Some(*node),
            _ => return,
        }
        let tree = lane.machine.tree();
        for (id, node) in tree.nodes().iter() {
            if self.told != Some(id) && find(tree, id, lowest_pivot(tree, node)).is_none() {
                self.leaving.push(id);
            }
        }
    }

    fn write(&mut self, step: WriteEvent<VmaId>) {
        match step {
            WriteEvent::Decided { first, last, .. } => self.ranges.push((first, last)),
            WriteEvent::Filled { node } => {
                let at = node.index() as usize;
                if self.new.len() <= at {
                    self.new.resize(at + 1, false);
                }
                self.new[at] = true;
                self.waiting.push(node);
            }
            WriteEvent::Published { .. } => self.waiting.clear(),
            WriteEvent::Dead { node } => {
                // A number given out again names the later node.
                if self.is_new(node) {
                    self.new[node.index() as usize] = false;
                    self.passing += 1;
                } else {
                    self.dead.push(node);
                }
            }
            WriteEvent::Gap { .. } | WriteEvent::Done(_) => {}
        }
    }

    /// Whether a node was filled in this call.
    pub(crate) fn is_new(&self, id: Id) -> bool {
        let at = id.index() as usize;
        at < self.new.len() && self.new[at]
    }

    /// The range of the last write.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        self.ranges.last().copied()
    }

    /// Whether one of the last writes led through a node over `first..=last`.
    pub(crate) fn led_through(&self, first: u64, last: u64) -> bool {
        let old = self.ranges.len().saturating_sub(OPEN_RANGES);
        let has = |index: u64| first <= index && index <= last;
        let mut ranges = self.ranges[old..].iter();
        ranges.any(|(from, to)| has(*from) || has(*to))
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
        if let Some((from, to)) = self.range() {
            let on = |index: u64| first <= index && index <= last;
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
            waiting: small(self.waiting.len()),
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
        if self.ranges.is_empty() {
            return counts;
        }
        for (id, node) in tree.nodes().iter() {
            let beside = self.waiting.contains(&id) || self.leaving.contains(&id);
            if beside || self.told == Some(id) {
                continue;
            }
            if !self.is_new(id) {
                counts.changed += u32::from(self.is_changed(lane, id));
                continue;
            }
            counts.new += 1;
            for slot in node.slots() {
                if let Slot::Node(child) = slot
                    && !self.is_new(child)
                    && !self.is_changed(lane, child)
                {
                    counts.reused += 1;
                }
            }
        }
        counts
    }
}

fn is_at(look: &GapLook, levels: u8, first: u64, last: u64) -> bool {
    look.level == levels && look.first == first && look.last == last
}
