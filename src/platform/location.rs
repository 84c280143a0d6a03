//! The part of the page's address behind `#`.

use wasm_bindgen::JsValue;

/// What stands behind `#`, without it.
pub(crate) fn fragment() -> Option<String> {
    let hash = super::window()?.location().hash().ok()?;
    hash.strip_prefix('#')
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// Puts text behind `#` without a new entry in the history. Browsers refuse after too many of these in a short time.
pub(crate) fn replace_fragment(text: &str) {
    let history = super::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&["#", text].concat()));
    }
}

/// Takes away what stands behind `#`, without a new entry in the history.
pub(crate) fn clear_fragment() {
    let (history, location) = match super::window() {
        Some(window) => (window.history().ok(), window.location()),
        None => return,
    };
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    if let Some(history) = history {
        let url = [path, query].concat();
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// The page's address with another fragment.
pub(crate) fn address_with(fragment: &str) -> String {
    let href = super::window()
        .and_then(|window| window.location().href().ok())
        .unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    [page, "#", fragment].concat()
}
