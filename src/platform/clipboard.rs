//! Copies text.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Whether the text is on the clipboard now. The clipboard may be missing (no secure context) or refuse.
pub(crate) async fn write(text: &str) -> bool {
    match promise(text) {
        Some(promise) => JsFuture::from(promise).await.is_ok(),
        None => false,
    }
}

fn promise(text: &str) -> Option<Promise> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok()?;
    if clipboard.is_undefined() {
        return None;
    }
    let write = Reflect::get(&clipboard, &"writeText".into())
        .ok()?
        .dyn_into::<Function>()
        .ok()?;
    write
        .call1(&clipboard, &JsValue::from_str(text))
        .ok()?
        .dyn_into()
        .ok()
}
