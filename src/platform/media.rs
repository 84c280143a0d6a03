//! Questions about the screen, with the answer as it changes.

use gloo_events::EventListener;
use web_sys::MediaQueryList;
use yew::{hook, use_effect_with, use_state_eq};

/// Screens on which fingers point and room is scarce, as the style sheet has it.
pub(crate) const NARROW: &str = "(max-width: 699px)";

fn ask(query: &str) -> Option<MediaQueryList> {
    super::window()?.match_media(query).ok()?
}

/// Whether the query holds; no where the browser can't tell.
#[hook]
pub(crate) fn use_media(query: &'static str) -> bool {
    let matches = use_state_eq(|| ask(query).is_some_and(|list| list.matches()));
    let setter = matches.setter();
    use_effect_with(query, move |query| {
        let listener = ask(query).map(|list| {
            let asked = list.clone();
            EventListener::new(&list, "change", move |_| setter.set(asked.matches()))
        });
        move || drop(listener)
    });
    *matches
}

/// How much larger than usual the person has text: 1 for 16 pixels.
pub(crate) fn text_scale() -> f64 {
    let size = || {
        let root = super::document()?.document_element()?;
        let style = super::window()?.get_computed_style(&root).ok()??;
        let size = style.get_property_value("font-size").ok()?;
        Some(js_sys::parse_float(&size))
    };
    size().filter(|size| *size > 1.0).unwrap_or(16.0) / 16.0
}
