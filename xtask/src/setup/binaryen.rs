//! wasm-opt, from the npm package `binaryen`: distributions' own are often years old.

use std::path::PathBuf;

use super::node::Node;
use crate::{Result, paths};

/// The directory that holds `wasm-opt`.
pub(super) fn dir(node: &Node) -> Result<PathBuf> {
    let dir = node.modules.join(".bin");
    if paths::executable(&dir.join("wasm-opt")) {
        Ok(dir)
    } else {
        Err(format!(
            "no wasm-opt in {}: remove that directory's parent and run this again",
            dir.display()
        ))
    }
}
