//! `crates/maple/benches/count.rs`, compiled and counted by callgrind.

use std::path::{Path, PathBuf};

use crate::setup::Tools;
use crate::{Result, paths};

/// The counting program, with one of the sources of the tree.
pub(super) struct Program {
    file: PathBuf,
    counts: PathBuf,
}

/// Where all that is built for counting goes.
pub(super) fn dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| paths::root().join("target"), PathBuf::from)
        .join("count")
}

impl Program {
    /// Compiles the tree, from its own source or from another, and the program, both by the same two commands. They
    /// are what Cargo's release build would run, but for one codegen unit, so that counts stay comparable.
    pub(super) fn build(tools: &Tools, name: &str, source: Option<&Path>) -> Result<Self> {
        let maple = paths::root().join("crates/maple");
        let dir = dir().join(name);
        paths::make_dir(&dir)?;
        let rustc = |source: &Path| {
            tools
                .run("rustc")
                .args([
                    "--edition",
                    "2024",
                    "-C",
                    "opt-level=3",
                    "-C",
                    "codegen-units=1",
                ])
                .args(["-C", "debuginfo=1", "--cap-lints", "allow"])
                .arg(source)
                .arg("--out-dir")
                .arg(&dir)
        };
        let root = source.map_or_else(|| maple.join("src"), Path::to_path_buf);
        rustc(&root.join("lib.rs"))
            .args(["--crate-type", "rlib", "--crate-name", "mmscope_maple"])
            .go()?;
        let tree = dir.join("libmmscope_maple.rlib");
        rustc(&maple.join("benches/count.rs"))
            .args(["--crate-type", "bin", "--crate-name", "count", "--extern"])
            .arg(format!("mmscope_maple={}", tree.display()))
            .go()?;
        Ok(Self {
            file: dir.join("count"),
            counts: dir.join("callgrind.out"),
        })
    }

    /// Instructions per operation of a kind, by the rules of a release.
    pub(super) fn count(&self, kind: &str, release: &str, rounds: u32) -> Result<f64> {
        let failed = || {
            format!(
                "`{kind}` could not be counted: see `valgrind --tool=callgrind {}`",
                self.file.display()
            )
        };
        let said = crate::run::Run::new("valgrind")
            .args(["--tool=callgrind", "--toggle-collect=*measured*"])
            .arg(format!("--callgrind-out-file={}", self.counts.display()))
            .arg(&self.file)
            .args([kind, &rounds.to_string(), release])
            .ask()
            .ok_or_else(failed)?;
        let operations = number(&said, "measured ").ok_or_else(failed)?;
        let instructions = number(&paths::read(&self.counts)?, "totals: ").ok_or_else(failed)?;
        Ok(instructions / operations)
    }
}

/// The number on the line that starts with a word.
fn number(text: &str, word: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.trim().parse().ok().filter(|number| *number > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_word() {
        assert_eq!(
            number("events: Ir\ntotals: 1234\n", "totals: "),
            Some(1234.0)
        );
        assert_eq!(number("measured 0", "measured "), None);
        assert_eq!(number("", "totals: "), None);
    }
}
