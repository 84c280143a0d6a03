//! Set-up: finds what the build and the tests need, and installs what is missing. Quick when nothing is.
//!
//! Tools go into a cache of the project's own, one directory for each version, never over the user's.

mod binaryen;
mod browser;
mod cargo_tool;
mod debian;
mod linker;
mod links;
mod lock;
mod node;
mod rust;
mod std_from_source;
mod trunk;
pub(crate) mod valgrind;
mod wasm_bindgen;

use std::path::PathBuf;

use crate::run::Run;
use crate::{Result, paths, say};

/// The parts of set-up that a command can do without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Formatting, native lints and tests, and lints for wasm32.
    Rust,
    /// And the build of the app for development.
    Build,
    /// And the release build, which takes wasm-opt.
    Release,
    /// And a browser.
    Browser,
}

/// What was found or installed.
pub(crate) struct Tools {
    rust: rust::Rust,
    path: Vec<PathBuf>,
    node: Option<node::Node>,
    /// Chromium or Chrome, if it was asked for.
    pub(crate) chromium: Option<PathBuf>,
}

impl Tools {
    /// A program run with these tools: the right Rust toolchain, and the tools in front of PATH.
    pub(crate) fn run(&self, program: &str) -> Run {
        let run = Run::new(program).path(&self.path).dir(&paths::root());
        match &self.rust.toolchain {
            Some(name) => run.silent_env("RUSTUP_TOOLCHAIN", name),
            None => run,
        }
    }

    /// A run of `trunk`, which looks for no newer version of itself.
    pub(crate) fn trunk(&self, command: &str) -> Run {
        self.run("trunk")
            .arg(command)
            .silent_env("TRUNK_SKIP_VERSION_CHECK", "true")
    }

    /// A run of `cargo fmt`, which not every toolchain has.
    pub(crate) fn fmt(&self) -> Run {
        match &self.rust.fmt_toolchain {
            Some(name) => Run::new("cargo")
                .dir(&paths::root())
                .silent_env("RUSTUP_TOOLCHAIN", name)
                .arg("fmt"),
            None => Run::new("cargo").dir(&paths::root()).arg("fmt"),
        }
    }

    /// The Node program that was found.
    pub(crate) fn node(&self) -> Result<Run> {
        let node = self.node.as_ref().ok_or(node::MISSING)?;
        Ok(Run::new(&node.program).path(&self.path).dir(&paths::root()))
    }
}

/// `cargo xtask setup`
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "`cargo xtask setup` takes no argument, not even `{arg}`"
        ));
    }
    ensure(Need::Browser).map(|_| say::note("everything is there"))
}

/// Finds or installs what `need` takes, and says what it does.
pub(crate) fn ensure(need: Need) -> Result<Tools> {
    say::heading("set-up");
    let rust = rust::ensure()?;
    let mut tools = Tools {
        path: rust.path.clone(),
        rust,
        node: None,
        chromium: None,
    };
    if need == Need::Rust {
        return Ok(tools);
    }
    let mut wanted = vec![trunk::tool(), wasm_bindgen::tool()?];
    wanted.retain(|tool| match tool.find() {
        Some(dir) => {
            tools.path.push(dir);
            false
        }
        None => true,
    });
    for dir in cargo_tool::install(&wanted)? {
        tools.path.push(dir);
    }
    match node::ensure() {
        Ok(node) => {
            tools.path.push(binaryen::dir(&node)?);
            tools.node = Some(node);
        }
        Err(message) if need == Need::Build => say::note(&format!(
            "no wasm-opt, which only the release build takes: {message}"
        )),
        Err(message) => return Err(message),
    }
    if need == Need::Browser {
        tools.chromium = Some(browser::ensure()?);
    }
    if !paths::ci() {
        links::leave(&tools.path);
        rust::leave_override(&tools.rust)?;
    }
    Ok(tools)
}
