//! What the browser offers. Every part of it may be missing or blocked, and nothing here panics when it is.

pub(crate) mod clipboard;
pub(crate) mod clock;
pub(crate) mod config;
pub(crate) mod files;
#[cfg_attr(
    feature = "full",
    allow(dead_code, reason = "the full build loads no other")
)]
pub(crate) mod full;
pub(crate) mod importer;
pub(crate) mod location;
pub(crate) mod media;
pub(crate) mod resize;
pub(crate) mod storage;

use js_sys::Reflect;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::{Document, Window};

#[wasm_bindgen]
extern "C" {
    /// `import.meta` of the app's script.
    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static META: JsValue;
}

/// The address of the app's script: other files lie beside it.
fn script_url() -> Option<String> {
    let url = META.with(|meta| Reflect::get(meta, &"url".into())).ok()?;
    url.as_string()
}

pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<Document> {
    window()?.document()
}
