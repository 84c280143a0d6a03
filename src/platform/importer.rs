//! The importer: a program of its own, in a worker, that is loaded when there is something to read.

use js_sys::{Array, Promise, Reflect};
use mmscope_mm::Kernel;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Url, Worker, WorkerOptions, WorkerType};

use super::script_url;

/// The worker's script, beside the app's own.
const SCRIPT: &str = "importer.mjs";

/// What the importer says of a text and the maps file that came with it, as `mmscope_figure::imported` writes it; an
/// empty text if it broke down, `None` if it could not be loaded. Each question has a worker to itself, so that figures
/// share nothing and its memory is given back.
pub(crate) async fn ask(text: &str, maps: Option<&str>, kernels: &[Kernel]) -> Option<String> {
    let worker = start()?;
    let mut names = String::new();
    for kernel in kernels {
        names.push_str(&kernel.to_string());
        names.push(' ');
    }
    let question = Array::of3(
        &text.into(),
        &maps.map_or(JsValue::UNDEFINED, JsValue::from_str),
        &names.into(),
    );
    let answer = Promise::new(&mut |resolve, reject| {
        worker.set_onmessage(Some(&resolve));
        worker.set_onerror(Some(&reject));
    });
    worker.post_message(&question).ok()?;
    let event = JsFuture::from(answer).await;
    worker.terminate();
    Reflect::get(&event.ok()?, &"data".into()).ok()?.as_string()
}

/// A worker that is about to load the importer; none where the browser or the page's policy has none.
fn start() -> Option<Worker> {
    let url = Url::new_with_base(SCRIPT, &script_url()?).ok()?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    Worker::new_with_options(&url.href(), &options).ok()
}
