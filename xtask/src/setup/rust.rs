//! A Rust toolchain that compiles for WebAssembly: the active one with the target from rustup, else the distribution's.
//!
//! Everything is built by the one toolchain found here, so that nothing is compiled twice.

use std::path::{Path, PathBuf};

use super::{debian, linker, std_from_source};
use crate::run::Run;
use crate::{Result, paths, say};

/// The target of the app.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// The name that rustup knows the distribution's toolchain by.
const DISTRO: &str = "distro";

/// Debian's compiler with the WebAssembly back end, and the source of its standard library.
const PACKAGES: [&str; 6] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-llvm",
    "rust-web-clippy",
    "rustfmt-web",
];

/// The toolchain that was chosen.
pub(crate) struct Rust {
    /// Its name for rustup; `None` where there is no rustup.
    pub(super) toolchain: Option<String>,
    /// The toolchain whose `cargo fmt` is used.
    pub(super) fmt_toolchain: Option<String>,
    /// Directories to add to PATH for it.
    pub(super) path: Vec<PathBuf>,
}

/// Chooses the toolchain, and gives it the standard library for wasm32 if it has none.
pub(super) fn ensure() -> Result<Rust> {
    let active = active();
    if compiles(active.as_deref(), &[]) {
        return finish(active.clone(), active, Vec::new());
    }
    let rustup = paths::which("rustup").is_some();
    if rustup && is_distro() {
        let path: Vec<PathBuf> = linker::ensure()?.into_iter().collect();
        if compiles(Some(DISTRO), &path) {
            return finish(Some(DISTRO.into()), active, path);
        }
    }
    let mut tried = String::from("there is no rustup");
    if let Some(name) = active.as_deref().filter(|name| rustup && *name != DISTRO) {
        say::note(&format!(
            "the toolchain {name} has no {TARGET}: asking rustup for it (25 MB)"
        ));
        let add = Run::new("rustup").silent_env("RUST_BACKTRACE", "0");
        match add
            .args(["target", "add", TARGET, "--toolchain", name])
            .go()
        {
            Ok(()) if compiles(Some(name), &[]) => {
                return finish(active.clone(), active, Vec::new());
            }
            Ok(()) => {
                tried = format!(
                    "rustup added {TARGET} to {name}, which does not compile for it all the same"
                )
            }
            Err(error) => tried = error,
        }
    }
    distribution(rustup).map_err(|error| {
        format!(
            "no Rust toolchain here compiles for {TARGET}.\n  {tried}\n  {error}\n\nBy hand, where the network allows it:  rustup target add {TARGET}\n\
             or by the distribution, for example:   dnf install rust-std-static-{TARGET}  |  pacman -S rust-wasm"
        )
    })
    .and_then(|path| finish(rustup.then(|| DISTRO.into()), active, path))
}

/// The distribution's compiler, with a standard library that is built from its own source.
fn distribution(rustup: bool) -> Result<Vec<PathBuf>> {
    if !debian::here() {
        return Err("this is not Debian, whose packages could do instead".into());
    }
    say::note(
        "rustup cannot download it: Debian's compiler instead, with a standard library built from Debian's source (3 minutes)",
    );
    debian::install(&PACKAGES)?;
    let path: Vec<PathBuf> = linker::ensure()?.into_iter().collect();
    if let Some(other) = distro_rustc().filter(|path| rustup && !path.starts_with("/usr")) {
        return Err(format!(
            "rustup has another toolchain named `{DISTRO}` ({})",
            other.display()
        ));
    }
    if rustup && !is_distro() {
        Run::new("rustup")
            .args(["toolchain", "link", DISTRO, "/usr"])
            .go()?;
    }
    let toolchain = rustup.then_some(DISTRO);
    if !compiles(toolchain, &path) {
        std_from_source::install()?;
    }
    if compiles(toolchain, &path) {
        Ok(path)
    } else {
        Err(format!("Debian's compiler does not compile for {TARGET}"))
    }
}

fn finish(toolchain: Option<String>, active: Option<String>, path: Vec<PathBuf>) -> Result<Rust> {
    let formats = |name: &Option<String>| {
        rustc_like("cargo", name.as_deref())
            .args(["fmt", "--version"])
            .ask()
            .is_some()
    };
    let fmt_toolchain = if formats(&toolchain) {
        toolchain.clone()
    } else {
        active
    };
    let version = rustc(toolchain.as_deref())
        .arg("--version")
        .ask()
        .unwrap_or_default();
    say::note(&format!(
        "toolchain for everything: {} ({version})",
        toolchain.as_deref().unwrap_or("the one on PATH")
    ));
    Ok(Rust {
        toolchain,
        fmt_toolchain,
        path,
    })
}

/// Leaves the choice behind for commands typed by hand in this clone, where it is not what rustup would choose.
pub(super) fn leave_override(rust: &Rust) -> Result<()> {
    let root = paths::root();
    if rust.toolchain.as_deref() != Some(DISTRO) || active().as_deref() == Some(DISTRO) {
        return Ok(());
    }
    say::note(
        "so that plain `trunk serve` and `cargo` use it in this directory (undo: rustup override unset):",
    );
    Run::new("rustup")
        .args(["override", "set", DISTRO])
        .dir(&root)
        .go()
}

/// The toolchain that is active in the repository: rustup sets the variable when it runs Cargo.
fn active() -> Option<String> {
    let set = std::env::var("RUSTUP_TOOLCHAIN")
        .ok()
        .filter(|name| !name.is_empty());
    set.or_else(|| {
        let line = Run::new("rustup")
            .args(["show", "active-toolchain"])
            .dir(&paths::root())
            .ask()?;
        line.split_whitespace().next().map(str::to_owned)
    })
}

/// Is there a toolchain `distro` that is Debian's?
fn is_distro() -> bool {
    distro_rustc().is_some_and(|path| path.starts_with("/usr"))
}

/// The compiler of the toolchain `distro`, its links followed.
fn distro_rustc() -> Option<PathBuf> {
    let path = Run::new("rustup")
        .args(["which", "rustc", "--toolchain", DISTRO])
        .ask()?;
    Path::new(&path).canonicalize().ok()
}

fn rustc(toolchain: Option<&str>) -> Run {
    rustc_like("rustc", toolchain)
}

fn rustc_like(program: &str, toolchain: Option<&str>) -> Run {
    match toolchain {
        Some(name) => Run::new(program).silent_env("RUSTUP_TOOLCHAIN", name),
        None => Run::new(program),
    }
}

/// Does the toolchain have the standard library, and does a small program come out of it as the release build wants it?
/// A library without bitcode, or one of another compiler's, is found out only by trying; once for each.
fn compiles(toolchain: Option<&str>, path: &[PathBuf]) -> bool {
    tried(toolchain, path).is_some_and(|result| result.is_ok())
}

fn tried(toolchain: Option<&str>, path: &[PathBuf]) -> Option<Result<()>> {
    let libraries = rustc(toolchain)
        .args(["--print", "target-libdir", "--target", TARGET])
        .ask()?;
    let mut names: Vec<String> = Path::new(&libraries)
        .read_dir()
        .ok()?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.iter().find(|name| name.starts_with("libstd-"))?;
    let version = rustc(toolchain).arg("-vV").ask()?;
    let key = paths::fingerprint(format!("{libraries}\n{version}\n{names:?}").as_bytes());
    let probe = paths::cache().ok()?.join("probe");
    let proof = probe.join(format!("{key}.ok"));
    if proof.exists() {
        return Some(Ok(()));
    }
    Some(compile(&probe, toolchain, path).and_then(|()| paths::write(&proof, &version)))
}

fn compile(dir: &Path, toolchain: Option<&str>, path: &[PathBuf]) -> Result<()> {
    let source = dir.join("probe.rs");
    paths::write(
        &source,
        "#[unsafe(no_mangle)]\npub extern \"C\" fn probe(n: u32) -> usize { format!(\"{:?}\", (0..n).collect::<Vec<_>>()).len() }\n",
    )?;
    let flags = [
        "-Copt-level=z",
        "-Clto=fat",
        "-Cpanic=abort",
        "-Ccodegen-units=1",
        "--edition=2024",
        "--crate-type=cdylib",
    ];
    let run = rustc(toolchain)
        .path(path)
        .dir(dir)
        .args(flags)
        .args(["--target", TARGET, "-o", "probe.wasm"])
        .arg(&source);
    run.ask()
        .map(|_| ())
        .ok_or_else(|| "the probe does not compile".into())
}
