//! The text of a scenario: reading, writing, and what can be wrong with it.

pub(crate) mod call;
mod error;
pub(crate) mod flags;
pub(crate) mod number;
mod parse;
pub(crate) mod part;
mod print;
pub(crate) mod setting;

pub use error::{Expected, FlagSet, ScenarioError};
pub use print::{call_text, outcome_text};
