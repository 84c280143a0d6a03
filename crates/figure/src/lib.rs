//! Frames to pictures as values, and every sentence a person reads.
//!
//! [`address_space::draw`] and [`maple_tree::draw`] make a [`scene::Scene`] of a frame; [`svg::print`] and the app paint
//! it. [`table`], [`ledger`], [`lesson`] and [`why`] say the same in rows and sentences; [`imported`] tells what came of a
//! trace. No browser, no clock, no state.

pub mod address_space;
mod axis;
mod chosen;
mod gap;
pub mod imported;
pub mod kind;
pub mod ledger;
mod lens;
pub mod lesson;
pub mod maple_tree;
pub mod maps;
mod measure;
mod otherwise;
pub mod page_table;
pub mod palette;
pub mod say;
pub mod scene;
pub mod svg;
pub mod table;
pub mod text;
pub mod tlb;
mod why;

pub use address_space::{Orientation, Picture, Selection, View};
pub use axis::{Axis, Part};
pub use gap::GapReason;
pub use lens::automatic as automatic_lens;
pub use maple_tree::{NodeAt, TreeView};
pub use page_table::PageView;
pub use scene::Scene;
pub use why::{DETAILS, Detail, Why, why};
