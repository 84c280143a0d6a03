//! The TLB simulator's probe, natively and in WebAssembly on Node: the same counts, and its speed beside a hand-written loop.

use std::path::PathBuf;

use crate::run::Run;
use crate::setup::Tools;
use crate::{Result, paths, say};

/// The target of both builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| paths::root().join("target"), PathBuf::from)
}

/// The WebAssembly build, and the folder that Node loads it from.
fn build_wasm(tools: &Tools) -> Result<PathBuf> {
    tools
        .run("cargo")
        .args(["build", "--release", "--locked", "--lib"])
        .args(["--target", "wasm32-unknown-unknown"])
        .args(["-p", "mmscope-tlb-probe"])
        .go()?;
    let folder = target().join("tlb-probe");
    tools
        .run("wasm-bindgen")
        .args(["--target", "nodejs", "--out-dir"])
        .arg(&folder)
        .arg(target().join("wasm32-unknown-unknown/release/mmscope_tlb_probe.wasm"))
        .go()?;
    // The project's own package.json says that scripts below it are modules, and this one is none.
    paths::write(&folder.join("package.json"), "{\"type\": \"commonjs\"}\n")?;
    Ok(folder)
}

fn on_node(tools: &Tools, folder: &std::path::Path) -> Result<Run> {
    Ok(tools
        .node()?
        .arg(paths::root().join("crates/tlb_probe/probe.cjs"))
        .arg(folder))
}

/// Counts in WebAssembly what a test counts natively, and fails if it is not what is stored.
pub(crate) fn same_counts(tools: &Tools) -> Result<()> {
    let folder = build_wasm(tools)?;
    let counted = on_node(tools, &folder)?
        .arg("counts")
        .ask()
        .ok_or("the probe did not run on Node")?;
    let stored = paths::read(&paths::root().join("crates/tlb_probe/tests/counts.txt"))?;
    compare(&stored, &counted).map(|runs| {
        println!("{runs} runs counted the same in WebAssembly as natively");
    })
}

/// How many lines there are, if they are the same in both texts.
fn compare(stored: &str, counted: &str) -> Result<usize> {
    let (stored, counted): (Vec<_>, Vec<_>) = (stored.lines().collect(), counted.lines().collect());
    if let Some((stored, counted)) = stored.iter().zip(&counted).find(|(a, b)| a != b) {
        return Err(format!(
            "counted otherwise in WebAssembly:\n    stored {stored}\n    here   {counted}"
        ));
    }
    if stored.len() == counted.len() {
        Ok(stored.len())
    } else {
        Err(format!(
            "{} runs are stored, {} came out in WebAssembly",
            stored.len(),
            counted.len()
        ))
    }
}

/// The simulator has to be so fast at least, as a part of the hand-written loop's speed.
const BAR: f64 = 0.9;

/// Takes the time of both builds; fails if the simulator is slower than the bar.
pub(crate) fn bench(tools: &Tools, quick: bool) -> Result<()> {
    let accesses = if quick { "5000000" } else { "50000000" };
    let folder = build_wasm(tools)?;
    tools
        .run("cargo")
        .args(["build", "--release", "--locked", "-p", "mmscope-tlb-probe"])
        .go()?;
    let native = Run::new(target().join("release/mmscope-tlb-probe")).args(["time", accesses]);
    let wasm = on_node(tools, &folder)?.args(["time", accesses]);
    say::note(
        "millions of accesses a second; 64 entries in 4 ways, 1536 in 12 behind them, linear, LRU",
    );
    let mut under = 0;
    for (name, run) in [("native", native), ("wasm", wasm)] {
        let said = run
            .ask()
            .ok_or_else(|| format!("the {name} probe failed"))?;
        let speeds = speeds(&said);
        for (kind, speed) in &speeds {
            let bar = judge(&speeds, kind, *speed);
            under += usize::from(bar.as_ref().is_some_and(|(good, _)| !good));
            let verdict = bar.map_or(String::new(), |(_, text)| text);
            println!("{name:<7} {kind:<24} {speed:>8.1} {verdict}");
        }
    }
    match under {
        0 => Ok(()),
        under => Err(format!(
            "{under} of the speeds above are under the bar: look for SLOW"
        )),
    }
}

/// `kind: speed` lines.
fn speeds(text: &str) -> Vec<(String, f64)> {
    text.lines()
        .filter_map(|line| {
            let (kind, speed) = line.rsplit_once(": ")?;
            Some((kind.to_owned(), speed.parse().ok()?))
        })
        .collect()
}

/// For a kind that has a hand-written counterpart: whether it is fast enough, and how that is shown.
fn judge(speeds: &[(String, f64)], kind: &str, speed: f64) -> Option<(bool, String)> {
    let layout = kind.strip_prefix("general ")?;
    let hand = format!("hand {layout}");
    let (_, hand) = speeds.iter().find(|(kind, _)| *kind == hand)?;
    let ratio = speed / hand;
    let good = ratio >= BAR;
    let word = if good { "ok" } else { "SLOW" };
    Some((
        good,
        format!("{ratio:>6.2} of the hand-written loop, bar {BAR} {word}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_held_against_the_hand_written_loop() {
        let speeds =
            speeds("hand merged: 100.0\ngeneral merged: 89.0\nnonsense\ngeneral stencil: 1\n");
        assert_eq!(speeds.len(), 3);
        let judged = |kind, speed| judge(&speeds, kind, speed).map(|(good, _)| good);
        assert_eq!(judged("general merged", 89.0), Some(false));
        assert_eq!(judged("general merged", 90.0), Some(true));
        assert_eq!(judged("general stencil", 1.0), None);
        assert_eq!(judged("hand merged", 1.0), None);
    }

    #[test]
    fn counts_are_compared_line_by_line() {
        assert_eq!(compare("a\nb\n", "a\nb"), Ok(2));
        assert!(compare("a\nb\n", "a\nc").is_err());
        assert!(compare("a\nb\n", "a").is_err());
    }
}
