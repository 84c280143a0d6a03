//! Buttons, pickers, dialogs: they know nothing of what they are used for.

pub(crate) mod button;
pub(crate) mod copy;
pub(crate) mod dialog;
pub(crate) mod icon;
pub(crate) mod picker;
