//! Releases and changes in words.

use mmscope_mm::{Change, Kernel};

/// A release whose own source was not read.
pub const ASSUMED: &str = "(not read itself; taken to be like its neighbours)";

/// Behind numbers of nodes: how this kernel writes its tree was not read.
pub fn tree_assumed(kernel: Kernel) -> &'static str {
    match kernel.release().tree_assumed {
        true => " (assumed)",
        false => "",
    }
}

/// A change as kernel documentation cites a commit: id and, in our words, what it did.
pub fn change(change: Change) -> String {
    format!("{} {}", change.id(), change.subject())
}

/// The same with its first release.
pub fn change_with_release(change: Change) -> String {
    format!(
        "{} (first in {}): {}",
        change.id(),
        change.first_in(),
        change.subject()
    )
}
