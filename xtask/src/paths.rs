//! Where things are: the repository, the project's cache, programs on PATH.

use std::env;
use std::path::{Path, PathBuf};

use crate::Result;

/// The repository's root: the directory above this crate.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// The directory for tools that outlive a clone: `$MMSCOPE_CACHE`, `$XDG_CACHE_HOME/mmscope` or `~/.cache/mmscope`.
pub(crate) fn cache() -> Result<PathBuf> {
    let set = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("MMSCOPE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("mmscope")))
        .or_else(|| home().map(|dir| dir.join(".cache/mmscope")))
        .ok_or_else(|| "no home directory: name a directory for the tools in MMSCOPE_CACHE".into())
        .and_then(|dir| std::path::absolute(dir).map_err(|error| error.to_string()))
}

/// The user's home directory.
pub(crate) fn home() -> Option<PathBuf> {
    env::home_dir().filter(|dir| !dir.as_os_str().is_empty())
}

/// Where `cargo install` puts programs: the directory that rustup has put on PATH.
pub(crate) fn cargo_bin() -> Option<PathBuf> {
    env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| home().map(|dir| dir.join(".cargo")))
        .map(|dir| dir.join("bin"))
}

/// The user's own PATH.
pub(crate) fn user_path() -> Vec<PathBuf> {
    env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default()
}

/// The first program of this name on the user's PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    user_path()
        .into_iter()
        .map(|dir| dir.join(name))
        .find(|path| executable(path))
}

/// Is it a file (perhaps through a link) that may be run?
pub(crate) fn executable(path: &Path) -> bool {
    let Ok(data) = path.metadata() else {
        return false;
    };
    data.is_file() && may_run(&data)
}

#[cfg(unix)]
fn may_run(data: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

/// Runs on a continuous integration machine: nothing of the user's is changed there (no links, no overrides).
pub(crate) fn ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// A short name for contents: FNV-1a, 64 bits.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Reads a file, or says which one could not be read.
pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file and the directories above it.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    make_dir(path.parent().unwrap_or(path))?;
    std::fs::write(path, contents)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Makes a directory and those above it.
pub(crate) fn make_dir(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .map_err(|error| format!("cannot make {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_differ_with_contents() {
        assert_eq!(fingerprint(b""), "cbf29ce484222325");
        assert_eq!(fingerprint(b"a"), "af63dc4c8601ec8c");
        assert_ne!(fingerprint(b"ab"), fingerprint(b"ba"));
    }

    #[test]
    fn the_root_holds_the_lock_file() {
        assert!(root().join("Cargo.lock").is_file());
    }
}
