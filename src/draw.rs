//! Scenes to SVG nodes. One set of listeners per picture: `figure` knows what lies where.

use std::rc::Rc;

use mmscope_figure::scene::{Item, Scene, Shape, Target};
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, SvgElement, WheelEvent};
use yew::prelude::*;

/// A pointer that went down on the picture.
#[derive(Clone, Copy, PartialEq)]
struct Press {
    from: (i32, i32),
    /// Whether it has moved far enough to be a drag and not a click.
    moved: bool,
}

/// Pixels from which on a press is a drag.
const DRAG_LEAST: i32 = 4;

/// What a person did to a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gesture {
    /// Points at something, or at nothing any more.
    Hover(Option<Target>),
    /// Chose something, or nothing.
    Pick(Option<Target>),
    /// Pulls from one point to another.
    Drag {
        /// Where it began.
        from: (i32, i32),
        /// Where it is.
        to: (i32, i32),
        /// The first of this drag.
        begins: bool,
    },
    /// Turned the wheel with Ctrl held, by a notch.
    Wheel {
        /// Where.
        at: (i32, i32),
        /// In, not out.
        closer: bool,
    },
}

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) scene: Scenery,
    pub(crate) on_gesture: Callback<Gesture>,
    /// The chosen item.
    #[prop_or_default]
    pub(crate) selected: Option<usize>,
    #[prop_or_default]
    pub(crate) class: &'static str,
}

/// A scene that is the same only if it is the same one.
#[derive(Clone)]
pub(crate) struct Scenery(pub(crate) Rc<Scene>);

impl PartialEq for Scenery {
    fn eq(&self, other: &Scenery) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A picture with everything in it reachable by pointer and by keyboard: one stop for Tab, Up and Down inside.
#[component]
pub(crate) fn Drawing(props: &Props) -> Html {
    let root = use_node_ref();
    let stop = use_state_eq(|| 0usize);
    let press = use_mut_ref(|| None::<Press>);
    let scene = &props.scene.0;
    let stop_index = (*stop).min(scene.items.len().saturating_sub(1));

    let point = {
        let root = root.clone();
        let scene = props.scene.0.clone();
        move |event: &MouseEvent| place(&root, &scene, event)
    };

    let onpointermove = {
        let (gesture, point, scene, press, root) = (
            props.on_gesture.clone(),
            point.clone(),
            scene.clone(),
            press.clone(),
            root.clone(),
        );
        Callback::from(move |event: PointerEvent| {
            let Some(to) = point(&event) else { return };
            let pressed = *press.borrow();
            let Some(Press { from, moved }) = pressed else {
                gesture.emit(Gesture::Hover(target_at(&scene, to)));
                return;
            };
            let far = (to.0 - from.0).abs().max((to.1 - from.1).abs()) >= DRAG_LEAST;
            if moved || far {
                if !moved && let Some(root) = root.cast::<Element>() {
                    let _ = root.set_pointer_capture(event.pointer_id());
                }
                *press.borrow_mut() = Some(Press { from, moved: true });
                gesture.emit(Gesture::Drag {
                    from,
                    to,
                    begins: !moved,
                });
            }
        })
    };
    let onpointerleave = {
        let (gesture, press) = (props.on_gesture.clone(), press.clone());
        Callback::from(move |_: PointerEvent| {
            if press.borrow().is_none_or(|press| !press.moved) {
                *press.borrow_mut() = None;
                gesture.emit(Gesture::Hover(None));
            }
        })
    };
    let onpointerdown = {
        let (point, press) = (point.clone(), press.clone());
        Callback::from(move |event: PointerEvent| {
            *press.borrow_mut() = point(&event)
                .filter(|_| event.button() == 0)
                .map(|from| Press { from, moved: false });
        })
    };
    let onpointercancel = {
        let press = press.clone();
        Callback::from(move |_: PointerEvent| *press.borrow_mut() = None)
    };
    // A click follows every press that was lifted here, a drag as well.
    let onclick = {
        let (gesture, point, scene, press) = (
            props.on_gesture.clone(),
            point.clone(),
            scene.clone(),
            press.clone(),
        );
        Callback::from(move |event: MouseEvent| {
            let was_drag = press.borrow_mut().take().is_some_and(|press| press.moved);
            if let Some(at) = point(&event).filter(|_| !was_drag) {
                gesture.emit(Gesture::Pick(target_at(&scene, at)));
            }
        })
    };
    let onwheel = {
        let (gesture, point) = (props.on_gesture.clone(), point.clone());
        Callback::from(move |event: WheelEvent| {
            // The wheel alone scrolls the page. A pinch arrives as a wheel with Ctrl.
            if let Some(at) = point(&event).filter(|_| event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                gesture.emit(Gesture::Wheel {
                    at,
                    closer: event.delta_y() < 0.0,
                });
            }
        })
    };
    let onkeydown = {
        let (gesture, scene, stop, root) = (
            props.on_gesture.clone(),
            scene.clone(),
            stop.clone(),
            root.clone(),
        );
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return;
            }
            let next = match event.code().as_str() {
                "ArrowDown" => stop_index + 1,
                "ArrowUp" => stop_index.wrapping_sub(1),
                "Enter" | "NumpadEnter" | "Space" => {
                    if let Some(item) = scene.items.get(stop_index) {
                        event.prevent_default();
                        gesture.emit(Gesture::Pick(Some(item.target)));
                    }
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            if next < scene.items.len() {
                stop.set(next);
                focus_item(&root, next);
            }
        })
    };
    let onfocusin = {
        let (gesture, scene, stop) = (props.on_gesture.clone(), scene.clone(), stop.clone());
        Callback::from(move |event: FocusEvent| {
            let index = event
                .target_dyn_into::<Element>()
                .and_then(|element| element.get_attribute("data-item"))
                .and_then(|text| text.parse::<usize>().ok());
            if let Some((index, item)) =
                index.and_then(|index| Some((index, scene.items.get(index)?)))
            {
                stop.set(index);
                gesture.emit(Gesture::Hover(Some(item.target)));
            }
        })
    };

    html! {
        <svg
            ref={root}
            class={classes!("figure", props.class)}
            role="group"
            aria-label={scene.title.clone()}
            width={scene.width.to_string()}
            height={scene.height.to_string()}
            viewBox={format!("0 0 {} {}", scene.width, scene.height)}
            {onpointermove} {onpointerleave} {onpointerdown} {onpointercancel}
            {onclick} {onwheel} {onkeydown} {onfocusin}
        >
            <g aria-hidden="true">{ for scene.shapes.iter().map(draw) }</g>
            <g>
                { for scene.items.iter().enumerate().map(|(index, item)| draw_item(index, item, index == stop_index, props.selected == Some(index))) }
            </g>
        </svg>
    }
}

/// A picture that is only looked at.
pub(crate) fn still(scene: &Scene, class: &'static str) -> Html {
    html! {
        <svg
            class={classes!("figure", class)}
            role="img"
            aria-label={scene.title.clone()}
            width={scene.width.to_string()}
            height={scene.height.to_string()}
            viewBox={format!("0 0 {} {}", scene.width, scene.height)}
        >
            { for scene.shapes.iter().map(draw) }
        </svg>
    }
}

fn draw(shape: &Shape) -> Html {
    let class = shape.role().class();
    match shape {
        Shape::Path { d, .. } => html! { <path {class} d={d.clone()} /> },
        Shape::Rect { area, round, .. } => html! {
            <rect {class} x={area.x.to_string()} y={area.y.to_string()} width={area.w.to_string()} height={area.h.to_string()}
                rx={(*round > 0).then(|| round.to_string())} />
        },
        Shape::Line { from, to, .. } => html! {
            <line {class} x1={from.0.to_string()} y1={from.1.to_string()} x2={to.0.to_string()} y2={to.1.to_string()} />
        },
        Shape::Text {
            at: (x, y),
            anchor,
            size,
            mono,
            turned,
            text,
            ..
        } => html! {
            <text class={classes!(class, size.class(), mono.then_some("m"))} x={x.to_string()} y={y.to_string()}
                text-anchor={anchor.name()} transform={turned.then(|| format!("rotate(-90 {x} {y})"))}>{ text }</text>
        },
    }
}

fn draw_item(index: usize, item: &Item, is_stop: bool, selected: bool) -> Html {
    let area = item.area;
    html! {
        <rect
            key={index}
            class="item"
            role="button"
            tabindex={if is_stop { "0" } else { "-1" }}
            data-item={index.to_string()}
            aria-label={item.name.clone()}
            aria-pressed={if selected { "true" } else { "false" }}
            x={area.x.to_string()} y={area.y.to_string()}
            width={area.w.max(1).to_string()} height={area.h.max(1).to_string()}
        />
    }
}

fn focus_item(root: &NodeRef, index: usize) {
    let item = root
        .cast::<Element>()
        .and_then(|root| {
            root.query_selector(&format!("[data-item=\"{index}\"]"))
                .ok()
                .flatten()
        })
        .and_then(|element| wasm_bindgen::JsCast::dyn_into::<SvgElement>(element).ok());
    if let Some(item) = item {
        let _ = item.focus();
    }
}

fn target_at(scene: &Scene, (x, y): (i32, i32)) -> Option<Target> {
    scene
        .hit(x, y)
        .and_then(|id| scene.item(id))
        .map(|item| item.target)
}

/// A pointer's place in the picture's own pixels.
fn place(root: &NodeRef, scene: &Scene, event: &MouseEvent) -> Option<(i32, i32)> {
    let area = root.cast::<Element>()?.get_bounding_client_rect();
    if area.width() <= 0.0 || area.height() <= 0.0 {
        return None;
    }
    let x = (f64::from(event.client_x()) - area.left()) * f64::from(scene.width) / area.width();
    let y = (f64::from(event.client_y()) - area.top()) * f64::from(scene.height) / area.height();
    Some((x as i32, y as i32))
}
