//! The picture of the address space: overview and lens of all lanes, the line that says what is pointed at, the table.

use std::rc::Rc;

use mmscope_figure::say::ui;
use mmscope_figure::scene::Target;
use mmscope_figure::{Orientation, Picture, Selection, View, address_space};
use mmscope_mm::Range;
use yew::prelude::*;

use super::{Emit, Whole, send};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::draw::{Drawing, Gesture, Scenery};
use crate::platform::resize::use_width;
use crate::session::tree::Part;
use crate::session::{Action, Session};

/// Height of the lens on narrow screens, where addresses run upwards.
const NARROW_HEIGHT: i32 = 380;
/// Thickness of a lane's strip on wide screens: slim, so that the reasons below stay in sight.
const STRIP: i32 = 36;
/// The same beside the trees, which take all the room that they get.
const STRIP_BY_TREES: i32 = 24;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

/// What a picture is made from besides the shown step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    width: i32,
    lens: Option<Range>,
    selected: Option<Selection>,
    by_trees: bool,
}

#[component]
pub(crate) fn AddressSpacePane(props: &Props) -> Html {
    let session = &props.session.0;
    let frame_node = use_node_ref();
    let width = use_width(frame_node.clone());
    let pointed = use_state_eq(|| None::<Target>);
    let table_open = use_state_eq(|| false);
    let held = use_mut_ref(|| Range { start: 0, end: 0 });

    let look = Look {
        width,
        lens: session.lens,
        selected: session.selected,
        by_trees: session.part != Part::Why,
    };
    let picture = {
        let session = session.clone();
        use_memo(
            (super::Step(session.shown.clone()), look),
            move |(_, look)| picture(&session, *look),
        )
    };

    // The same callback as long as the picture is the same, so that pointing at things draws nothing anew.
    let on_gesture = {
        let (emit, held, setter) = (props.emit.clone(), held.clone(), pointed.setter());
        let drawn = picture.clone();
        let scene = picture.as_ref().as_ref().map(|(scene, _)| scene.clone());
        use_callback(scene, move |gesture: Gesture, _| {
            let Some(picture) = drawn.as_ref() else {
                return;
            };
            match gesture {
                Gesture::Hover(target) => setter.set(target),
                Gesture::Pick(target) => pick(&emit, target),
                Gesture::Drag { from, to, begins } => {
                    if begins {
                        *held.borrow_mut() = picture.1.lens;
                    }
                    if let Some(lens) = dragged(&picture.1, *held.borrow(), from, to) {
                        emit.emit(Action::Lens(Some(lens)));
                    }
                }
                Gesture::Wheel { at, closer } => {
                    let at = picture
                        .1
                        .lens_area
                        .contains(at.0, at.1)
                        .then(|| picture.1.axis.addr(along(&picture.1, at)));
                    emit.emit(Action::Zoom { closer, at });
                }
            }
        })
    };

    let toggle_table = {
        let table_open = table_open.clone();
        Callback::from(move |()| table_open.set(!*table_open))
    };

    let named = picture.as_ref().as_ref().and_then(|(scene, _)| {
        let pointed = (*pointed).and_then(|target| scene.0.find(target));
        pointed.or_else(|| {
            chosen(&scene.0, session.selected).and_then(|index| scene.0.items.get(index))
        })
    });
    let call = session.shown.call.as_deref();
    let tool = |label: &'static str, icon, key: &'static str, class: &'static str, action| {
        html! { <Button {label} {icon} icon_only=true {class} key_hint={key} on_press={send(&props.emit, action)} /> }
    };

    html! {
        <section class="space" aria-label={ui::ADDRESS_SPACE}>
            <div class="part-head">
                <h2>{ ui::ADDRESS_SPACE }</h2>
                <span class={classes!("call-now", call.is_some().then_some("mono"))}>{ call.unwrap_or(ui::BEFORE_FIRST) }</span>
                <div class="tools" role="group" aria-label={ui::LENS}>
                    { tool(ui::PAN_DOWN, Icon::Left, ",", "quiet pan", Action::Pan { up: false }) }
                    { tool(ui::PAN_UP, Icon::Right, ".", "quiet pan", Action::Pan { up: true }) }
                    { tool(ui::ZOOM_OUT, Icon::Farther, "-", "quiet", Action::Zoom { closer: false, at: None }) }
                    { tool(ui::ZOOM_IN, Icon::Closer, "+", "quiet", Action::Zoom { closer: true, at: None }) }
                    { tool(ui::FIT, Icon::Fit, "F", "quiet", Action::Fit) }
                    <Button label={ui::AS_TABLE} class="quiet" pressed={*table_open} on_press={toggle_table} />
                </div>
            </div>
            <div class="frame" ref={frame_node}>
                if let Some((scene, picture)) = picture.as_ref() {
                    <Drawing scene={scene.clone()} {on_gesture} selected={chosen(&scene.0, session.selected)} />
                    <p class="spoken">{ &picture.scene.description }</p>
                }
                if let Some(item) = named { <p class="detail">{ &item.name }</p> }
            </div>
            if *table_open {
                { super::table::view(session) }
            }
        </section>
    }
}

/// The drawn frame, with its scene taken out to be shared; nothing before the page knows its width.
fn picture(session: &Session, look: Look) -> Option<(Scenery, Picture)> {
    if look.width == 0 {
        return None;
    }
    let mut view = View::new(look.width);
    view.lens = look.lens;
    view.selected = look.selected;
    view.strip = if look.by_trees { STRIP_BY_TREES } else { STRIP };
    if view.orientation == Orientation::Vertical {
        view.height = NARROW_HEIGHT;
    }
    let picture = address_space::draw(&session.timeline().frame(), &view);
    Some((Scenery(Rc::new(picture.scene.clone())), picture))
}

/// The item that holds the chosen address.
pub(crate) fn chosen(
    scene: &mmscope_figure::scene::Scene,
    selected: Option<Selection>,
) -> Option<usize> {
    let selected = selected?;
    scene.items.iter().position(|item| {
        !matches!(item.target, Target::Node { .. })
            && item.target.lane() == Some(selected.lane)
            && item
                .target
                .range()
                .is_some_and(|range| (range.start..range.end).contains(&selected.addr))
    })
}

pub(crate) fn pick(emit: &Emit, target: Option<Target>) {
    match target {
        Some(Target::Many { range, .. } | Target::Fold { range }) => {
            // What is drawn as one is opened: the lens closes in on it, with a margin.
            let margin = range.len() / 8;
            let lens = Range {
                start: range.start.saturating_sub(margin),
                end: range.end.saturating_add(margin),
            };
            emit.emit(Action::Lens(Some(lens)));
        }
        Some(
            Target::Vma { lane, range, .. }
            | Target::Gap { lane, range }
            | Target::Block { lane, range }
            | Target::Pages { lane, range },
        ) => {
            emit.emit(Action::Select(Some(Selection {
                lane,
                addr: range.start,
            })));
        }
        Some(Target::Lane { lane }) => {
            emit.emit(Action::Open(crate::session::Overlay::Kernel(lane)))
        }
        Some(Target::Window { .. } | Target::Node { .. } | Target::Set { .. }) => {}
        None => emit.emit(Action::Select(None)),
    }
}

/// The part of a point that runs along the addresses.
fn along(picture: &Picture, (x, y): (i32, i32)) -> i32 {
    if is_vertical(picture) { y } else { x }
}

fn is_vertical(picture: &Picture) -> bool {
    picture.overview_area.h > picture.overview_area.w
}

/// The lens after a drag: in the overview the window follows the pointer, in the lens the addresses do.
fn dragged(picture: &Picture, held: Range, from: (i32, i32), to: (i32, i32)) -> Option<Range> {
    let (a, b) = (along(picture, from), along(picture, to));
    if picture.overview_area.grown(4).contains(from.0, from.1) {
        let at = picture.overview.addr(b);
        let start = at.saturating_sub(held.len() / 2);
        return Some(Range {
            start,
            end: start.saturating_add(held.len()),
        });
    }
    if picture.lens_area.contains(from.0, from.1) {
        let px = i64::from(if is_vertical(picture) { b - a } else { a - b });
        let by = px.saturating_mul(i64::try_from(picture.axis.bytes_per_px()).unwrap_or(i64::MAX));
        let start = held.start.saturating_add_signed(by);
        return Some(Range {
            start,
            end: start.saturating_add(held.len()),
        });
    }
    None
}
