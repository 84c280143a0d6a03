//! Preferences that outlive the page, where the browser keeps any.

use web_sys::Storage;

const PREFIX: &str = "mmscope.";

fn storage() -> Option<Storage> {
    super::window()?.local_storage().ok()?
}

fn tab() -> Option<Storage> {
    super::window()?.session_storage().ok()?
}

/// What this tab kept under a name.
pub(crate) fn tab_get(name: &str) -> Option<String> {
    tab()?.get_item(&[PREFIX, name].concat()).ok()?
}

/// Keeps a value for this tab: whether the browser let us.
pub(crate) fn tab_set(name: &str, value: &str) -> bool {
    tab().is_some_and(|storage| storage.set_item(&[PREFIX, name].concat(), value).is_ok())
}

/// What was kept under a name.
pub(crate) fn get(name: &str) -> Option<String> {
    storage()?.get_item(&[PREFIX, name].concat()).ok()?
}

/// Keeps a value, if the browser lets us.
pub(crate) fn set(name: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&[PREFIX, name].concat(), value);
    }
}
