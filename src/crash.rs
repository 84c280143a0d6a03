//! A panic shows a card instead of each figure, with the way back to where it was: never a white page.

use std::panic::PanicHookInfo;

use mmscope_figure::say::ui;
use wasm_bindgen::JsValue;
use web_sys::{Document, Element};

use crate::platform;

/// The attribute under which a figure keeps its link, for this moment.
pub(crate) const LINK: &str = "data-link";
/// Finds the figures of a page that this build draws.
const FIGURES: &str = if cfg!(feature = "full") {
    ".mmscope.full"
} else {
    ".mmscope:not(.full)"
};

/// Sets the hook. A panic ends the code for all figures of the page.
pub(crate) fn catch() {
    yew::set_custom_panic_hook(Box::new(|info| {
        show(info);
    }));
}

fn show(info: &PanicHookInfo<'_>) {
    let message = info.to_string();
    report(&message);
    let Some(document) = platform::document() else {
        return;
    };
    let Ok(figures) = document.query_selector_all(FIGURES) else {
        return;
    };
    for figure in (0..figures.length()).filter_map(|index| figures.get(index)) {
        if let Ok(figure) = wasm_bindgen::JsCast::dyn_into::<Element>(figure) {
            // Nothing can be done about an error while an error is shown.
            let _ = card(&document, &figure, &message);
        }
    }
}

fn card(document: &Document, figure: &Element, message: &str) -> Result<(), JsValue> {
    let link = figure.get_attribute(LINK).unwrap_or_default();
    figure.set_inner_html("");
    figure.set_attribute("class", "mmscope crashed")?;
    figure.set_attribute("role", "alert")?;
    let add = |name: &str, text: &str| -> Result<Element, JsValue> {
        let element = document.create_element(name)?;
        element.set_text_content(Some(text));
        figure.append_child(&element)?;
        Ok(element)
    };
    add("h2", ui::CRASHED)?;
    add("p", ui::CRASHED_WHY)?;
    if !link.is_empty() {
        let again = add("a", ui::CRASHED_LINK)?;
        again.set_attribute("class", "button primary")?;
        again.set_attribute("href", &platform::location::address_with(&link))?;
        // The same page with only another fragment would not be loaded anew.
        again.set_attribute("target", "_blank")?;
        again.set_attribute("rel", "noopener")?;
    }
    add("pre", message)?;
    Ok(())
}

fn report(message: &str) {
    let console = js_sys::Reflect::get(&js_sys::global(), &"console".into());
    let error = console.and_then(|console| {
        let error = js_sys::Reflect::get(&console, &"error".into())?;
        Ok((console, error))
    });
    if let Ok((console, error)) = error
        && let Ok(error) = wasm_bindgen::JsCast::dyn_into::<js_sys::Function>(error)
    {
        let _ = error.call1(&console, &message.into());
    }
}
