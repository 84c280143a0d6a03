//! Node and the few packages that run on it: wasm-opt, Playwright without its browsers, axe-core.

use std::path::{Path, PathBuf};

use crate::run::Run;
use crate::{Result, paths, say};

/// What to say without a Node.
pub(super) const MISSING: &str = "Node 20 or newer and npm are needed: install them from your distribution or from https://nodejs.org, then run this again";

/// Node and where its packages are.
pub(super) struct Node {
    /// The program.
    pub(super) program: PathBuf,
    /// A `node_modules` as the lock file has it.
    pub(super) modules: PathBuf,
}

/// Finds Node, and installs the packages into the cache if they are not there.
pub(super) fn ensure() -> Result<Node> {
    let program = paths::which("node").ok_or(MISSING)?;
    let version = Run::new(&program)
        .arg("--version")
        .ask()
        .unwrap_or_default();
    if major(&version) < Some(20) {
        return Err(format!("{} is {version}. {MISSING}", program.display()));
    }
    let root = paths::root();
    let lock = paths::read(&root.join("package-lock.json"))?;
    let dir = paths::cache()?
        .join("node")
        .join(paths::fingerprint(lock.as_bytes()));
    let complete = dir.join("complete");
    if !complete.exists() {
        paths::make_dir(&dir)?;
        for name in ["package.json", "package-lock.json"] {
            paths::write(&dir.join(name), &paths::read(&root.join(name))?)?;
        }
        npm_ci(&dir)?;
        paths::write(&complete, "")?;
    }
    let modules = dir.join("node_modules");
    say::note(&format!("node {version}, packages: {}", modules.display()));
    place(&root, &modules)?;
    Ok(Node { program, modules })
}

/// Lets the tests in the clone find the packages: through a link, or in a directory that the user has made.
fn place(root: &Path, modules: &Path) -> Result<()> {
    let here = root.join("node_modules");
    let is_link = here.symlink_metadata().is_ok_and(|data| data.is_symlink());
    if here.exists() && !is_link {
        // npm writes this file; it is the lock file without the root's own entry.
        let (theirs, ours) = (
            here.join(".package-lock.json"),
            modules.join(".package-lock.json"),
        );
        return if paths::read(&theirs).ok() == paths::read(&ours).ok() {
            Ok(())
        } else {
            npm_ci(root)
        };
    }
    if is_link && here.read_link().is_ok_and(|to| to == modules) {
        return Ok(());
    }
    if is_link {
        std::fs::remove_file(&here)
            .map_err(|error| format!("cannot replace the link {}: {error}", here.display()))?;
    }
    link(modules, &here).or_else(|_| npm_ci(root))
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

fn npm_ci(dir: &Path) -> Result<()> {
    say::note("installing wasm-opt, playwright-core and axe-core by npm (a few seconds; 120 MB)");
    let npm = paths::which("npm").ok_or(MISSING)?;
    Run::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .dir(dir)
        .go()
}

fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_of_node() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert!(major("v9.0.0") < Some(20));
        assert!(major("nonsense") < Some(20));
    }
}
