//! The importer of the page: a WebAssembly program of its own, which a worker loads when there is a trace to read.
//!
//! So the page need not load the code with the first lesson, and stays quick while a long trace is read. All it does is
//! in [`mmscope_figure::imported`].

use mmscope_figure::imported;
use mmscope_mm::Kernel;
use wasm_bindgen::prelude::wasm_bindgen;

/// Reads a trace or a maps file under these kernels, named in a row with spaces between. The answer is that of
/// [`imported::Imported::to_text`].
#[wasm_bindgen]
pub fn read(text: &str, maps: Option<String>, kernels: &str) -> String {
    let kernels: Vec<Kernel> = kernels
        .split_whitespace()
        .filter_map(|name| Kernel::parse(name).ok())
        .collect();
    imported::import(text, maps.as_deref(), &kernels).to_text()
}
