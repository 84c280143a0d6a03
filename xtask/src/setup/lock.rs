//! Reading a version from the root's `Cargo.lock`.

use crate::{Result, paths};

/// The version that the lock file gives a crate.
pub(super) fn version(name: &str) -> Result<String> {
    let path = paths::root().join("Cargo.lock");
    find(&paths::read(&path)?, name)
        .ok_or_else(|| format!("no crate `{name}` in {}", path.display()))
}

fn find(lock: &str, name: &str) -> Option<String> {
    let wanted = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted);
    lines.next()?;
    let version = lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_name_must_match_whole() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.5\"\n";
        assert_eq!(find(lock, "wasm-bindgen").as_deref(), Some("0.2.5"));
        assert_eq!(find(lock, "wasm"), None);
    }
}
