//! Reads the plain object that a page passes to `mount`.

use js_sys::{Array, Reflect};
use wasm_bindgen::JsValue;

pub(crate) fn string(config: &JsValue, name: &str) -> Option<String> {
    Reflect::get(config, &name.into()).ok()?.as_string()
}

pub(crate) fn flag(config: &JsValue, name: &str) -> Option<bool> {
    Reflect::get(config, &name.into()).ok()?.as_bool()
}

pub(crate) fn strings(config: &JsValue, name: &str) -> Option<Vec<String>> {
    let list = Reflect::get(config, &name.into()).ok()?;
    Array::is_array(&list).then(|| {
        Array::from(&list)
            .iter()
            .filter_map(|text| text.as_string())
            .collect()
    })
}
