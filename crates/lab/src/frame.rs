//! Everything a view needs to draw one step of all lanes, in the view's own words.
//!
//! A frame borrows the timeline. It is a query, not a copy: [`LaneFrame::range`] gives the pieces of a part of the
//! address space, a bounded number of them, and never the whole process.

use mmscope_mm::{Call, Event, Kernel, Machine, Nodes, Outcome, Range, VmaId};

/// A place in time: how many calls are done, and how far into the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Calls done, 0 at the start.
    pub step: u32,
    /// Decisions of the last call shown; `None` for all of them.
    pub micro: Option<u32>,
}

/// One step of all lanes.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Where we are.
    pub position: Position,
    /// Calls in the program.
    pub steps: u32,
    /// The call that led here as strace would print it, without a result; `None` at the start.
    pub call: Option<String>,
    /// The lanes, A first; one to three.
    pub lanes: Vec<LaneFrame<'a>>,
    /// The first step at which the lanes' results or layouts differ, as far as it is known.
    pub divergence: Option<u32>,
}

impl LaneFrame<'_> {
    /// The nodes of the shown call alone, or of the writes of it that are shown; `None` where the kernel has no maple
    /// tree.
    pub fn nodes_of_call(&self) -> Option<Nodes> {
        let (now, before) = (self.ledger.nodes?, self.before.process().nodes);
        Some(now - before)
    }
}

/// One lane of a frame.
#[derive(Clone, Debug)]
pub struct LaneFrame<'a> {
    /// `A`, `B` or `C`.
    pub letter: char,
    /// The kernel.
    pub kernel: Kernel,
    /// The state as it stands at this position.
    pub machine: &'a Machine,
    /// The state before the call.
    pub before: &'a Machine,
    /// The call, with names replaced by this lane's results; `None` at the start.
    pub done: Option<Call>,
    /// The result of the call; `None` at the start and before its last micro-step.
    pub outcome: Option<Outcome>,
    /// The result that the trace recorded, if the program came from one.
    pub recorded: Option<Outcome>,
    /// The decisions of the call up to this position, oldest first.
    pub events: Vec<Event>,
    /// Decisions of the whole call.
    pub micro_steps: u32,
    /// What this call changed, lowest address first.
    pub changes: Vec<Change>,
    /// What the lane has cost so far.
    pub ledger: Ledger,
    /// The ledger before the first call.
    pub ledger_at_start: Ledger,
    /// Hash of the state, equal on every machine.
    pub state_hash: u64,
}

/// A range that the call of a frame changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub range: Range,
    /// What happened there.
    pub kind: ChangeKind,
}

/// What happened to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Mapped now, not mapped before.
    Mapped,
    /// Not mapped any more.
    Unmapped,
    /// Mapped before and now, with other attributes.
    Changed,
}

/// What a lane has cost so far, counted exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Mappings (`map_count`).
    pub vmas: u64,
    /// Bytes mapped.
    pub mapped_bytes: u64,
    /// Free ranges between two mappings of the mmap area, below `mmap_base`. The space below the lowest mapping of
    /// that area is not one.
    pub gaps: u64,
    /// Bytes in those gaps.
    pub gap_bytes: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Nodes of the maple tree; `None` where the kernel has none. In a frame, half-way through a call, those of the
    /// writes that are shown are among them.
    pub nodes: Option<Nodes>,
}

/// A piece of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where.
    pub range: Range,
    /// What is there.
    pub kind: PieceKind,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// One mapping.
    Vma(VmaId),
    /// A free range between two mappings.
    Gap,
    /// Several mappings and gaps too small to be told apart at this scale.
    Many {
        /// How many mappings it stands for.
        vmas: u32,
        /// How many gaps.
        gaps: u32,
    },
}
