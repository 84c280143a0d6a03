//! Scenarios, importers, lanes on one playhead, comparison.
//!
//! A [`Scenario`] is a machine, one to three kernels and a list of calls, as plain text: it is the save file, the
//! link, the embed's content and the test fixture. A [`Timeline`] runs it, and gives a [`Frame`] for any step.
//! Every error is a value; the sentence that a person reads is made elsewhere.
//!
//! ```
//! use mmscope_lab::{Position, Scenario, Timeline};
//!
//! let text = "mmscope 1
//! kernels 6.6 6.7
//! repeat 3 {
//!   mmap(NULL, 4632k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
//! }";
//! let mut timeline = Timeline::new(Scenario::parse(text).unwrap()).unwrap();
//! timeline.go(Position { step: 3, micro: None });
//! let frame = timeline.frame();
//! assert_eq!(frame.divergence, Some(1));
//! assert_eq!(frame.lanes[0].ledger.vmas, 1);
//! assert_eq!(frame.lanes[1].ledger.vmas, 3);
//! assert_eq!(frame.lanes[1].ledger.gap_bytes, 2 * 1512 * 1024);
//! ```

mod blocks;
pub mod check;
mod files;
mod frame;
pub mod lessons;
pub mod link;
pub mod maps_file;
mod nearest;
mod order;
mod program;
pub mod published;
mod scenario;
mod sorted;
pub mod strace;
pub mod streams;
mod text;
mod timeline;
mod watcher;

pub use frame::{Change, ChangeKind, Frame, LaneFrame, Ledger, Piece, PieceKind, Position};
pub use order::sorted_by_number;
pub use program::{CallLine, Item, MAX_DEPTH, MAX_STEPS, Program, Repeat, SourceLine};
pub use scenario::{Anchor, MAX_LANES, Scenario, StreamLines};
pub use sorted::Sorted;
pub use text::{Expected, FlagSet, ScenarioError, call_text, outcome_text};
pub use timeline::{LaneError, Progress, Step, StepSummary, Timeline};
