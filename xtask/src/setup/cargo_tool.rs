//! A tool that Cargo builds, kept in the project's cache.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::run::Run;
use crate::{Result, paths, say};

/// A program from crates.io in one version.
pub(super) struct Tool {
    /// The crate.
    pub(super) package: &'static str,
    /// The program in it.
    pub(super) program: &'static str,
    /// Exactly this version.
    pub(super) version: String,
    /// Further arguments to `cargo install`.
    pub(super) args: &'static [&'static str],
    /// How long it may take on two cores.
    pub(super) minutes: u32,
}

impl Tool {
    /// The directory that holds the program, on the user's PATH or in the cache.
    pub(super) fn find(&self) -> Option<PathBuf> {
        let cached = self.root().ok()?.join("bin").join(self.program);
        let found = [Some(cached), paths::which(self.program)]
            .into_iter()
            .flatten()
            .find(|path| self.is(path))?;
        say::note(&format!(
            "{} {}: {}",
            self.program,
            self.version,
            found.display()
        ));
        found.parent().map(Path::to_path_buf)
    }

    /// Is this the program in the version wanted? (`trunk 0.21.14`)
    fn is(&self, path: &Path) -> bool {
        let version = paths::executable(path)
            .then(|| Run::new(path).arg("--version").ask())
            .flatten();
        version.is_some_and(|line| line.split_whitespace().nth(1) == Some(&self.version))
    }

    fn root(&self) -> Result<PathBuf> {
        Ok(paths::cache()?.join(format!("tools/{}-{}", self.program, self.version)))
    }

    fn install(&self, build: &Path) -> Result<PathBuf> {
        let started = Instant::now();
        say::heading(&format!(
            "building {} {} (once for each version; about {} minutes on two idle cores)",
            self.program, self.version, self.minutes
        ));
        let root = self.root()?;
        // The tool's own lock file first; where a crate that it names is not to be had, the newest that fit.
        self.cargo_install(&root, build)
            .arg("--locked")
            .go()
            .or_else(|_| {
                say::note("once more, without the tool's own lock file");
                self.cargo_install(&root, build).go()
            })?;
        say::note(&format!("took {}", say::duration(started.elapsed())));
        let bin = root.join("bin");
        if self.is(&bin.join(self.program)) {
            Ok(bin)
        } else {
            Err(format!("{} does not run after it was built", self.program))
        }
    }

    /// The quickest build that serves: no optimisation, no debug information, one directory for what the tools share.
    fn cargo_install(&self, root: &Path, build: &Path) -> Run {
        let run = Run::new("cargo")
            .args([
                "install",
                self.package,
                "--version",
                &self.version,
                "--debug",
            ])
            .args(self.args);
        let run = run
            .arg("--root")
            .arg(root)
            .arg("--target-dir")
            .arg(build)
            .dir(build);
        [
            ("DEBUG", "0"),
            ("OPT_LEVEL", "0"),
            ("INCREMENTAL", "false"),
            ("STRIP", "symbols"),
        ]
        .into_iter()
        .fold(run, |run, (name, value)| {
            run.silent_env(&format!("CARGO_PROFILE_DEV_{name}"), value)
        })
        .silent_env("CARGO_TARGET_DIR", build)
    }
}

/// Builds the tools and hands back the directories that hold them.
pub(super) fn install(tools: &[Tool]) -> Result<Vec<PathBuf>> {
    if tools.is_empty() {
        return Ok(Vec::new());
    }
    let build = paths::cache()?.join("build");
    paths::make_dir(&build)?;
    let dirs: Result<Vec<PathBuf>> = tools.iter().map(|tool| tool.install(&build)).collect();
    if dirs.is_ok() {
        // Only the programs are kept. What cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&build);
    }
    dirs
}
