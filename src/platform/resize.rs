//! How wide an element is, as it changes.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::{NodeRef, hook, use_effect_with, use_state_eq};

/// Watches an element until it is dropped.
struct Watch {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Watch {
    fn new(element: &Element, on_change: impl FnMut() + 'static) -> Option<Watch> {
        // Construction would throw where the browser has no ResizeObserver.
        let known = Reflect::has(&js_sys::global(), &"ResizeObserver".into()).unwrap_or(false);
        if !known {
            return None;
        }
        let callback = Closure::<dyn FnMut()>::new(on_change);
        let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Watch {
            observer,
            _callback: callback,
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The inner width of the element in CSS pixels; 0 before it is laid out.
#[hook]
pub(crate) fn use_width(node: NodeRef) -> i32 {
    use_measure(node, Element::client_width)
}

/// The inner height of the element in CSS pixels; 0 before it is laid out.
#[hook]
pub(crate) fn use_height(node: NodeRef) -> i32 {
    use_measure(node, Element::client_height)
}

#[hook]
fn use_measure(node: NodeRef, measure: fn(&Element) -> i32) -> i32 {
    let measured = use_state_eq(|| 0);
    let setter = measured.setter();
    use_effect_with((), move |()| {
        let watch = node.cast::<Element>().and_then(|element| {
            let watched = element.clone();
            let measure = move || setter.set(measure(&watched));
            measure();
            Watch::new(&element, measure)
        });
        move || drop(watch)
    });
    *measured
}
