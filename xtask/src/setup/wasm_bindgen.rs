//! wasm-bindgen's command-line tool, which must be of the library's version to the patch.

use super::cargo_tool::Tool;
use super::lock;
use crate::Result;

/// The tool in the lock file's version. Its default features are for a remote browser in its test runner.
pub(super) fn tool() -> Result<Tool> {
    let version = lock::version("wasm-bindgen")?;
    Ok(Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        version,
        args: &["--no-default-features"],
        minutes: 3,
    })
}
