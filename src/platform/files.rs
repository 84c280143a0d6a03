//! Text out of files that a person dropped, pasted or picked.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, FileList};

/// Larger files are not read: a trace of a million calls has about 100 MB.
const LIMIT_BYTES: f64 = 256e6;

/// A file's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The texts of the files, in their order; a file that can't be read is left out.
pub(crate) async fn read(files: FileList) -> Vec<TextFile> {
    let mut texts = Vec::new();
    for file in (0..files.length()).filter_map(|index| files.get(index)) {
        if file.size() <= LIMIT_BYTES
            && let Some(text) = text(&file).await
        {
            texts.push(TextFile {
                name: file.name(),
                text,
            });
        }
    }
    texts
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
