#![doc = include_str!("../README.md")]

mod arena;
mod check;
mod gap;
mod map;
mod node;
mod observer;
mod state;
mod store;
mod tree;
mod walk;

pub use arena::{Arena, Id, Witness};
pub use check::{Broken, Rule};
pub use gap::NoArea;
pub use map::InsertError;
pub use node::{
    ARANGE64_MIN_END, ARANGE64_SLOTS, Kind, LEAF64_MIN_END, LEAF64_SLOTS, Node, NodeId, Slot,
};
pub use observer::{GapLook, GapVerdict, Observer};
pub use state::{MaState, Preallocated};
pub use tree::{MapleTree, Root, Span};
pub use walk::Ranges;
