//! Where a figure stands, and which build of the app draws it there.
//!
//! The build that comes first has what the first lesson needs. When the full one takes over, it draws in the same element
//! and goes on with the same session.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};
use yew::{AppHandle, Renderer};

use crate::app::{App, Config, Props};
use crate::platform::{document, full};
use crate::session::{Session, handover};

/// Time for a figure to be drawn, pictures and all.
const DRAWN_MS: u32 = 300;

/// Its place in the page, shared by all who have to know.
#[derive(Clone)]
pub(crate) struct Stage(Rc<Place>);

impl PartialEq for Stage {
    fn eq(&self, other: &Stage) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Place {
    host: Element,
    /// A child of the host that this build has for itself: what listens there goes with it.
    own: Element,
    drawn: RefCell<Drawn>,
}

/// By whom the figure is drawn.
enum Drawn {
    Nobody,
    Here(AppHandle<App>),
    /// By the full build, whose figure this is.
    There(JsValue),
}

impl Stage {
    /// Draws a figure into the host.
    pub(crate) fn open(host: Element, config: Config) -> Stage {
        let own = slot(&host).unwrap_or_else(|| host.clone());
        let stage = Stage(Rc::new(Place {
            host,
            own: own.clone(),
            drawn: RefCell::new(Drawn::Nobody),
        }));
        let props = Props {
            config: Rc::new(config),
            stage: stage.clone(),
        };
        let app = Renderer::<App>::with_root_and_props(own, props).render();
        stage.0.drawn.replace(Drawn::Here(app));
        stage
    }

    /// Lets the full build go on with the session: whether it does.
    pub(crate) fn give_way(&self, build: &full::Build, session: &Session, owns_page: bool) -> bool {
        let place = &*self.0;
        if !matches!(&*place.drawn.borrow(), Drawn::Here(_)) {
            return true;
        }
        let focused = document().and_then(|document| document.active_element());
        let focus = focused
            .filter(|focused| place.own.contains(Some(focused)))
            .map(|focused| focused.matches(".part").unwrap_or(false));
        let Some(figure) = build.mount(&place.host, owns_page, focus, &handover::give(session))
        else {
            return false;
        };
        hold(&place.host);
        let before = place.drawn.replace(Drawn::There(figure));
        if place.own != place.host {
            place.own.remove();
        }
        if let Drawn::Here(app) = before {
            app.destroy();
        }
        true
    }

    /// Takes the figure out of the page, whoever draws it.
    pub(crate) fn close(&self) {
        match self.0.drawn.replace(Drawn::Nobody) {
            Drawn::Nobody => {}
            Drawn::Here(app) => app.destroy(),
            Drawn::There(figure) => full::destroy(&figure),
        }
        if self.0.own != self.0.host {
            self.0.own.remove();
        }
    }
}

/// Keeps what is looked at where it is until the pictures in the host are drawn anew: the host stays as high as it is, and
/// the browser scrolls for nothing that grows.
fn hold(host: &Element) {
    let Some(host) = host.dyn_ref::<HtmlElement>() else {
        return;
    };
    let height = format!("{}px", host.offset_height());
    let style = host.style();
    let before =
        [("min-height", height.as_str()), ("overflow-anchor", "none")].map(|(name, value)| {
            let before = style.get_property_value(name).unwrap_or_default();
            let _ = style.set_property(name, value);
            (name, before)
        });
    Timeout::new(DRAWN_MS, move || {
        for (name, value) in before {
            let _ = style.set_property(name, &value);
        }
    })
    .forget();
}

fn slot(host: &Element) -> Option<Element> {
    let slot = document()?.create_element("div").ok()?;
    slot.set_class_name("stage");
    host.append_child(&slot).ok()?;
    Some(slot)
}
