//! A Chromium or Chrome for the end-to-end tests.

use std::path::{Path, PathBuf};

use super::debian;
use crate::{Result, paths, say};

const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];
const MAC: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// `$MMSCOPE_CHROMIUM`, what is on PATH, or Debian's package.
pub(super) fn ensure() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("MMSCOPE_CHROMIUM")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
    {
        let problem = || {
            format!(
                "MMSCOPE_CHROMIUM names {}, which cannot be run",
                path.display()
            )
        };
        return if paths::executable(&path) {
            Ok(path)
        } else {
            Err(problem())
        };
    }
    if find().is_none() && debian::here() {
        debian::install(&["chromium"])?;
    }
    let path = find().ok_or("no Chromium or Chrome: install one, or name it in MMSCOPE_CHROMIUM (`cargo xtask test --quick` does without)")?;
    say::note(&format!("browser: {}", path.display()));
    Ok(path)
}

fn find() -> Option<PathBuf> {
    NAMES
        .iter()
        .find_map(|name| paths::which(name))
        .or_else(|| {
            MAC.iter()
                .map(PathBuf::from)
                .find(|path: &PathBuf| paths::executable(Path::new(path)))
        })
}
