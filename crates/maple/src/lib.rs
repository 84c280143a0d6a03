#![doc = include_str!("../README.md")]

mod accounting;
mod arena;
mod check;
mod gap;
mod gaps;
mod map;
mod node;
mod node_store;
mod observer;
mod path;
mod rebalance;
mod rebuild;
mod root;
mod rules;
mod scratch;
mod spanning;
mod split;
mod state;
mod store;
mod store_type;
mod tree;
mod walk;

pub use accounting::{Preallocated, Stored};
pub use arena::{Arena, Id, Witness};
pub use check::{Broken, Rule};
pub use gap::NoArea;
pub use map::InsertError;
pub use node::{
    ARANGE64_MIN_END, ARANGE64_SLOTS, Kind, LEAF64_MIN_END, LEAF64_SLOTS, Node, NodeId,
    RANGE64_MIN_END, RANGE64_SLOTS, Slot,
};
pub use observer::{GapLook, GapVerdict, Observer, WriteEvent};
pub use rules::{
    Discard, Family, FullInsert, FullRange, NoGap, Rebuild, Requests, Rules, Search, SlotStore,
};
pub use state::{MaState, Ready};
pub use store_type::StoreType;
pub use tree::{MapleTree, Root, Span};
pub use walk::Ranges;
