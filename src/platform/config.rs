//! Reads the plain object that a page passes to `mount`.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

pub(crate) fn string(config: &JsValue, name: &str) -> Option<String> {
    Reflect::get(config, &name.into()).ok()?.as_string()
}

pub(crate) fn flag(config: &JsValue, name: &str) -> Option<bool> {
    Reflect::get(config, &name.into()).ok()?.as_bool()
}
