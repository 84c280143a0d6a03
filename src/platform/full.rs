//! The full build of the app: the same app with all its parts, loaded when one is opened that the build which came first
//! does not have.

use std::cell::Cell;

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Url};

use super::script_url;

/// Its script, beside the one that came first.
const SCRIPT: &str = "mmscope-full.js";

#[wasm_bindgen]
extern "C" {
    /// Loads a module.
    #[wasm_bindgen(js_name = import)]
    fn load_module(url: &str) -> Promise;
}

thread_local! {
    /// Loads that failed: the next one asks under another address, for some browsers remember failures.
    static FAILED: Cell<u32> = const { Cell::new(0) };
}

/// The full build, ready to draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Build {
    module: JsValue,
}

/// Loads the full build; `None` if it can't be had now.
pub(crate) async fn load() -> Option<Build> {
    let build = try_load().await;
    if build.is_none() {
        FAILED.set(FAILED.get() + 1);
    }
    build
}

async fn try_load() -> Option<Build> {
    let url = Url::new_with_base(SCRIPT, &script_url()?).ok()?;
    if FAILED.get() > 0 {
        url.set_search(&FAILED.get().to_string());
    }
    let module = JsFuture::from(load_module(&url.href())).await.ok()?;
    let ready = call(&module, "default", &[])?.dyn_into::<Promise>().ok()?;
    JsFuture::from(ready).await.ok()?;
    Some(Build { module })
}

impl Build {
    /// Draws a figure into the element that goes on with what is handed over; gives the figure.
    pub(crate) fn mount(
        &self,
        element: &Element,
        owns_page: bool,
        focus: Option<bool>,
        handover: &[String],
    ) -> Option<JsValue> {
        let config = Object::new();
        let texts: Array = handover
            .iter()
            .map(|text| JsValue::from_str(text))
            .collect();
        for (name, value) in [
            ("url", JsValue::from_bool(owns_page)),
            (
                "focus",
                focus.map_or(JsValue::UNDEFINED, JsValue::from_bool),
            ),
            ("handover", texts.into()),
        ] {
            Reflect::set(&config, &name.into(), &value).ok()?;
        }
        call(&self.module, "mount", &[element, &config])
    }
}

/// Takes a figure of the full build out of the page.
pub(crate) fn destroy(figure: &JsValue) {
    call(figure, "destroy", &[]);
}

fn call(of: &JsValue, name: &str, arguments: &[&JsValue]) -> Option<JsValue> {
    let function = Reflect::get(of, &name.into())
        .ok()?
        .dyn_into::<Function>()
        .ok()?;
    let arguments: Array = arguments.iter().copied().collect();
    function.apply(of, &arguments).ok()
}
