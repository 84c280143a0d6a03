//! `cargo xtask dist`: the release build by Trunk, and its size.

use crate::setup::{self, Need, Tools};
use crate::{Result, names, paths, say, size};

/// Sets up, builds and measures.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "`cargo xtask dist` takes no argument, not even `{arg}`"
        ));
    }
    let tools = setup::ensure(Need::Release)?;
    build(&tools)?;
    say::heading("size");
    size::check()
}

/// The release build into `dist/`.
pub(crate) fn build(tools: &Tools) -> Result<()> {
    tools.trunk("build").args(["--release", "--locked"]).go()?;
    names::shorten(&paths::root().join("dist"))
}
