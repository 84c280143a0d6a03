//! Lets plain `trunk serve` find the tools once set-up has run: links beside Cargo's own programs, never over a file.

use std::path::{Path, PathBuf};

use crate::{paths, say};

const PROGRAMS: [&str; 4] = ["trunk", "wasm-bindgen", "wasm-opt", "rust-lld"];

/// Links those of the tools that the user does not have at all, and says how to call ours where another is in front.
pub(super) fn leave(dirs: &[PathBuf]) {
    let mut shadowed = Vec::new();
    for program in PROGRAMS {
        let Some(ours) = dirs
            .iter()
            .map(|dir| dir.join(program))
            .find(|path| paths::executable(path))
        else {
            continue;
        };
        match paths::which(program) {
            Some(theirs) if same(&theirs, &ours) => {}
            Some(theirs) => match theirs.symlink_metadata() {
                Ok(_) if is_ours(&theirs) => link(&ours, &theirs),
                _ => shadowed.push(theirs),
            },
            None => {
                if let Some(bin) = paths::cargo_bin().filter(|bin| paths::user_path().contains(bin))
                {
                    link(&ours, &bin.join(program));
                } else {
                    shadowed.push(ours);
                }
            }
        }
    }
    if !shadowed.is_empty() {
        let theirs: Vec<String> = shadowed
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let mut front: Vec<String> = Vec::new();
        for dir in dirs.iter().map(|dir| dir.display().to_string()) {
            if !front.contains(&dir) {
                front.push(dir);
            }
        }
        say::note(&format!(
            "other than ours on PATH, or not on it: {}. `cargo xtask` uses ours; so does plain Trunk called as",
            theirs.join(", ")
        ));
        say::note(&format!("  PATH=\"{}:$PATH\" trunk serve", front.join(":")));
    }
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A link that an earlier set-up left: it points into a cache of ours, by the way that such directories are named.
fn is_ours(path: &Path) -> bool {
    let Ok(to) = path.read_link() else {
        return false;
    };
    let Ok(cache) = paths::cache() else {
        return false;
    };
    let text = to.to_string_lossy();
    to.starts_with(cache) || (!to.exists() && (text.contains("/tools/") || text.contains("/node/")))
}

#[cfg(unix)]
fn link(ours: &Path, at: &Path) {
    if at.symlink_metadata().is_ok() {
        if !is_ours(at) {
            say::note(&format!(
                "{} is in the way of a link to {}",
                at.display(),
                ours.display()
            ));
            return;
        }
        let _ = std::fs::remove_file(at);
    }
    match std::os::unix::fs::symlink(ours, at) {
        Ok(()) => say::note(&format!("linked {} to {}", at.display(), ours.display())),
        Err(error) => say::note(&format!(
            "cannot link {} to {}: {error}",
            at.display(),
            ours.display()
        )),
    }
}

#[cfg(not(unix))]
fn link(ours: &Path, at: &Path) {
    say::note(&format!(
        "copy {} to {} by hand for plain `trunk serve`",
        ours.display(),
        at.display()
    ));
}
