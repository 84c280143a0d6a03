//! Debian's packages: asked for by name, installed only when missing.

use std::path::Path;
use std::sync::OnceLock;

use crate::run::Run;
use crate::{Result, paths, say};

/// Is this Debian, or something that is made from it?
pub(super) fn here() -> bool {
    Path::new("/etc/debian_version").exists() && paths::which("apt-get").is_some()
}

/// Installs those of the packages that are missing.
pub(super) fn install(packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|name| !installed(name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    say::note(&format!(
        "Debian's packages {} are missing: installing them (a minute or two)",
        missing.join(" ")
    ));
    let by_hand = format!(
        "by hand, as root: apt-get update && apt-get install --no-install-recommends {}",
        missing.join(" ")
    );
    let sudo = privileged(&by_hand)?;
    static UPDATED: OnceLock<bool> = OnceLock::new();
    // An update that failed in part may do all the same: the installation tells.
    UPDATED.get_or_init(|| apt(sudo, &["update", "-qq"]).go().is_ok());
    apt(sudo, &["install", "-y", "-q", "--no-install-recommends"])
        .args(&missing)
        .go()
        .map_err(|error| format!("{error}\n{by_hand}"))
}

/// Runs a program as root.
pub(super) fn as_root(program: &str, by_hand: &str) -> Result<Run> {
    Ok(if privileged(by_hand)? {
        Run::new("sudo").arg(program)
    } else {
        Run::new(program)
    })
}

/// Whether `sudo` has to be used; an error where it cannot be.
fn privileged(by_hand: &str) -> Result<bool> {
    if Run::new("id").arg("-u").ask().as_deref() == Some("0") {
        return Ok(false);
    }
    let answers = || Run::new("sudo").args(["-n", "true"]).ask().is_some();
    if paths::which("sudo").is_some()
        && (answers() || std::io::IsTerminal::is_terminal(&std::io::stdin()))
    {
        return Ok(true);
    }
    Err(format!(
        "this takes root's rights, and there is no sudo that could give them; {by_hand}"
    ))
}

fn apt(sudo: bool, args: &[&str]) -> Run {
    // The variable goes behind sudo, which would drop it.
    let run = if sudo {
        Run::new("sudo").arg("env")
    } else {
        Run::new("env")
    };
    run.arg("DEBIAN_FRONTEND=noninteractive")
        .arg("apt-get")
        .args(args)
}

fn installed(package: &str) -> bool {
    Run::new("dpkg-query")
        .args(["-W", "-f=${db:Status-Status}", package])
        .ask()
        .as_deref()
        == Some("installed")
}
