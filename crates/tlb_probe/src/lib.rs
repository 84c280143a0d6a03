//! The TLB simulator as a program of its own, for the same use natively and in WebAssembly: what it counts has to be the same in
//! both, and how fast it is is told beside a loop that was written by hand for one geometry.

mod by_hand;
mod counted;
mod timed;

pub use counted::counted;
pub use timed::{KINDS, Work, work};

/// What the WebAssembly program exports.
#[cfg(target_arch = "wasm32")]
pub mod exported {
    use wasm_bindgen::prelude::wasm_bindgen;

    /// See [`super::counted`].
    #[wasm_bindgen]
    pub fn counted() -> String {
        super::counted()
    }

    /// The kinds of work, a line each.
    #[wasm_bindgen]
    pub fn kinds() -> String {
        super::KINDS.join("\n")
    }

    /// Does a kind of work over about so many accesses, for who calls to take the time of: how many there were.
    #[wasm_bindgen]
    pub fn work(kind: &str, accesses: f64) -> f64 {
        super::work(kind, accesses as u64).map_or(0.0, |work| work.accesses as f64)
    }
}
