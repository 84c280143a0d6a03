//! rust-lld, the linker for WebAssembly. A toolchain from rustup has it; Debian's compiler has only a link to a program
//! in another package.

use std::path::{Path, PathBuf};

use super::debian;
use crate::run::Run;
use crate::{Result, paths, say};

const DEBIAN: &str = "/usr/bin/rust-lld";

/// Makes sure that a `rust-lld` can be found for Debian's compiler, and hands back the directory to add to PATH, if any.
pub(super) fn ensure() -> Result<Option<PathBuf>> {
    if paths::which("rust-lld").is_some() {
        return Ok(None);
    }
    // The link names the package: lld-22.
    if let Some(package) = Path::new(DEBIAN)
        .read_link()
        .ok()
        .and_then(|to| Some(to.file_name()?.to_str()?.to_owned()))
        && let Err(error) = debian::install(&[&package])
    {
        say::note(&format!("{error}; looking for rustup's linker"));
    }
    if paths::executable(Path::new(DEBIAN)) {
        return Ok(None);
    }
    let theirs = rustup_lld().ok_or("no rust-lld: install Debian's package lld, or a Rust toolchain by rustup, which brings one")?;
    say::note(&format!("rust-lld: {}", theirs.display()));
    Ok(theirs.parent().map(Path::to_path_buf))
}

/// The linker that some toolchain of rustup's has.
fn rustup_lld() -> Option<PathBuf> {
    let home = Run::new("rustup").args(["show", "home"]).ask()?;
    let toolchains = Path::new(&home).join("toolchains").read_dir().ok()?;
    let mut found: Vec<PathBuf> = toolchains
        .flatten()
        .flat_map(|toolchain| {
            toolchain
                .path()
                .join("lib/rustlib")
                .read_dir()
                .into_iter()
                .flatten()
                .flatten()
        })
        .map(|target| target.path().join("bin/rust-lld"))
        .filter(|path| paths::executable(path))
        .collect();
    found.sort();
    found.pop()
}
