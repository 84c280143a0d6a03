//! Text out of files that a person dropped, pasted or picked.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, FileList, HtmlElement};

/// Larger texts are not read: they would stop the page for many seconds, and hold more calls than a scenario may.
pub(crate) const LIMIT_MB: u32 = 16;
const LIMIT_BYTES: f64 = LIMIT_MB as f64 * 1e6;

/// A file's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A file was too large to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

/// Whether a text is short enough to be read.
pub(crate) fn fits(text: &str) -> bool {
    text.len() as f64 <= LIMIT_BYTES
}

/// The texts of the files, in their order; a file that can't be read is left out.
///
/// # Errors
/// If one of them is too large.
pub(crate) async fn read(files: FileList) -> Result<Vec<TextFile>, TooLarge> {
    let mut texts = Vec::new();
    for file in (0..files.length()).filter_map(|index| files.get(index)) {
        if file.size() > LIMIT_BYTES {
            return Err(TooLarge);
        }
        if let Some(text) = text(&file).await {
            texts.push(TextFile {
                name: file.name(),
                text,
            });
        }
    }
    Ok(texts)
}

/// Offers a text as a file to be saved; nothing happens where the browser does not let us.
pub(crate) fn save(name: &str, text: &str) {
    let _ = try_save(name, text);
}

fn try_save(name: &str, text: &str) -> Option<()> {
    let parts = js_sys::Array::of1(&text.into());
    let blob = Blob::new_with_str_sequence(&parts).ok()?;
    let urls = Reflect::get(&js_sys::global(), &"URL".into()).ok()?;
    let make = Reflect::get(&urls, &"createObjectURL".into()).ok()?;
    let url = make.dyn_into::<Function>().ok()?.call1(&urls, &blob).ok()?;
    let link = super::document()?.create_element("a").ok()?;
    link.set_attribute("href", &url.as_string()?).ok()?;
    link.set_attribute("download", name).ok()?;
    link.dyn_into::<HtmlElement>().ok()?.click();
    // The browser may still be reading it.
    gloo_timers::callback::Timeout::new(60_000, move || {
        let drop = Reflect::get(&urls, &"revokeObjectURL".into());
        if let Some(drop) = drop.ok().and_then(|drop| drop.dyn_into::<Function>().ok()) {
            let _ = drop.call1(&urls, &url);
        }
    })
    .forget();
    Some(())
}

async fn text(blob: &JsValue) -> Option<String> {
    let method = Reflect::get(blob, &"text".into())
        .ok()?
        .dyn_into::<Function>()
        .ok()?;
    let promise = method.call0(blob).ok()?.dyn_into::<Promise>().ok()?;
    JsFuture::from(promise).await.ok()?.as_string()
}

/// Whether something is dragged that can be dropped here.
pub(crate) fn offers(data: &DataTransfer) -> bool {
    let types = data.types();
    (0..types.length()).any(|index| {
        types
            .get(index)
            .as_string()
            .is_some_and(|name| name == "Files" || name == "text/plain")
    })
}

/// Text that came without a file.
pub(crate) fn plain_text(data: &DataTransfer) -> Option<String> {
    data.get_data("text/plain")
        .ok()
        .filter(|text| !text.trim().is_empty())
}
