//! The standard library for wasm32, built from Debian's `rust-web-src` for Debian's own compiler.

use std::path::{Path, PathBuf};

use super::debian;
use super::rust::TARGET;
use crate::run::Run;
use crate::{Result, paths, say};

/// Builds it and puts it where Debian's compiler looks.
pub(super) fn install() -> Result<()> {
    say::note("building the standard library (a minute or two)");
    let seed = paths::cache()?.join("std");
    let _ = std::fs::remove_dir_all(&seed);
    paths::write(
        &seed.join("Cargo.toml"),
        "[package]\nname = \"seed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
    )?;
    paths::write(&seed.join("src/lib.rs"), "")?;
    // Without the bitcode, link-time optimisation fails much later.
    Run::new("/usr/bin/cargo")
        .args([
            "build",
            "--release",
            "-Zbuild-std=std,panic_abort,panic_unwind",
            "--target",
            TARGET,
            "--target-dir",
            "target",
        ])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .silent_env("RUSTC", "/usr/bin/rustc")
        .dir(&seed)
        .go()?;
    let libraries = built(&seed.join("target").join(TARGET).join("release/deps"))?;
    let to = Path::new("/usr/lib/rustlib").join(TARGET).join("lib");
    let by_hand = format!(
        "by hand, as root: copy the *.rlib in {} to {}",
        seed.display(),
        to.display()
    );
    debian::as_root("mkdir", &by_hand)?
        .arg("-p")
        .arg(&to)
        .go()?;
    // Those of an older compiler would be found beside the new ones.
    debian::as_root("find", &by_hand)?
        .arg(&to)
        .args(["-name", "*.rlib", "-delete"])
        .go()?;
    debian::as_root("cp", &by_hand)?
        .args(&libraries)
        .arg(&to)
        .go()?;
    let _ = std::fs::remove_dir_all(&seed);
    Ok(())
}

fn built(deps: &Path) -> Result<Vec<PathBuf>> {
    let entries = deps
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", deps.display()))?;
    let mut libraries: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| wanted(path))
        .collect();
    libraries.sort();
    if libraries.is_empty() {
        Err(format!("no library was built in {}", deps.display()))
    } else {
        Ok(libraries)
    }
}

fn wanted(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    name.ends_with(".rlib") && !name.starts_with("libseed-")
}
