//! Preferences that outlive the page, where the browser keeps any.

use web_sys::Storage;

const PREFIX: &str = "mmscope.";

fn storage() -> Option<Storage> {
    super::window()?.local_storage().ok()?
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
