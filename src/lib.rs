//! The app: what a person sees and touches.
//!
//! A page calls [`mount`] for each figure it wants. Figures on one page share nothing but the code.

mod app;
mod controls;
mod crash;
mod draw;
mod engine;
mod panes;
mod platform;
mod session;
mod stage;
#[cfg(feature = "full")]
mod walks;

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use app::Config;
use session::Theme;
use stage::Stage;

/// A figure in a page. It lives on if this is dropped.
#[wasm_bindgen]
#[allow(
    missing_debug_implementations,
    reason = "it belongs to the page's script"
)]
pub struct Figure {
    stage: Stage,
}

#[wasm_bindgen]
impl Figure {
    /// Takes the figure out of the page.
    pub fn destroy(self) {
        self.stage.close();
    }
}

/// Draws a figure into `element`, which it takes over. `config` is a plain object with what the page wishes for:
///
/// - `url: true`: the page is this figure's alone. Its state stands behind `#` in the address, and its colours are those
///   of the page. At most one figure of a page may have it.
/// - `link`: the state to begin with, as the figure's own links have it behind `#`.
/// - `theme`: `"light"`, `"dark"` or `"auto"`; only together with `url`, since other figures follow their page.
/// - `keys: false`: single keys do nothing.
/// - `handover` and `focus`: what the build of the app that came first gives to the full one; not for pages.
#[wasm_bindgen]
pub fn mount(element: web_sys::Element, config: &JsValue) -> Figure {
    crash::catch();
    let config = Config {
        owns_page: platform::config::flag(config, "url").unwrap_or(false),
        link: platform::config::string(config, "link"),
        theme: platform::config::string(config, "theme").and_then(|name| Theme::find(&name)),
        keys: platform::config::flag(config, "keys").unwrap_or(true),
        handover: platform::config::strings(config, "handover"),
        focus: platform::config::flag(config, "focus"),
    };
    Figure {
        stage: Stage::open(element, config),
    }
}
