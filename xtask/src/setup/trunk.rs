//! Trunk, the bundler.

use super::cargo_tool::Tool;

/// The newest release that Rust 1.95 builds. `Trunk.toml` asks for the same.
const VERSION: &str = "0.21.14";

/// Trunk as a tool. Its default features are only for downloads and for looking up newer versions: all that it could
/// download is on PATH by then, and without them it builds in half the time.
pub(super) fn tool() -> Tool {
    Tool {
        package: "trunk",
        program: "trunk",
        version: VERSION.into(),
        args: &["--no-default-features"],
        minutes: 4,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn trunk_toml_asks_for_the_version_that_is_installed() {
        let config =
            crate::paths::read(&crate::paths::root().join("Trunk.toml")).unwrap_or_default();
        assert!(config.contains(&format!("trunk-version = \"={}\"", super::VERSION)));
    }
}
