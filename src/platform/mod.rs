//! What the browser offers. Every part of it may be missing or blocked, and nothing here panics when it is.

pub(crate) mod clipboard;
pub(crate) mod clock;
pub(crate) mod config;
pub(crate) mod files;
pub(crate) mod importer;
pub(crate) mod location;
pub(crate) mod media;
pub(crate) mod resize;
pub(crate) mod storage;

use web_sys::{Document, Window};

pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<Document> {
    window()?.document()
}
