//! The end-to-end tests: Node's test runner on `e2e/*.test.mjs`, against `dist/` in a real browser.

use crate::setup::Tools;
use crate::{Result, paths};

/// Runs them all and hands back the runner's lines.
pub(crate) fn run(tools: &Tools) -> (Vec<String>, Result<()>) {
    let run = tests().and_then(|files| {
        let chromium = tools.chromium.as_ref().ok_or("no browser was asked for")?;
        let run = tools
            .node()?
            .args(["--test", "--test-concurrency=2", "--test-reporter=spec"])
            .args(files);
        Ok(run
            .silent_env("MMSCOPE_CHROMIUM", chromium)
            .silent_env("NO_COLOR", "1"))
    });
    match run {
        Ok(run) => run.tee(),
        Err(error) => (Vec::new(), Err(error)),
    }
}

fn tests() -> Result<Vec<String>> {
    let dir = paths::root().join("e2e");
    let entries = dir
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name.ends_with(".test.mjs"));
    names.sort();
    if names.is_empty() {
        Err("no test in e2e/".into())
    } else {
        Ok(names.iter().map(|name| format!("e2e/{name}")).collect())
    }
}
