//! The pictures that share the room below the address space: the maple trees, node for node, and the page tables.

use std::rc::Rc;

use mmscope_figure::Selection;
use mmscope_figure::maple_tree::{self, TreeView};
use mmscope_figure::page_table::{self, PageView};
use mmscope_figure::say::ui;
use mmscope_figure::scene::{Scene, Target};
use mmscope_figure::table::Table;
use mmscope_lab::Frame;
use yew::prelude::*;

use super::{Emit, Step, Whole, address_space, lane_class, send, table};
use crate::controls::button::Button;
use crate::draw::{Drawing, Gesture, Scenery};
use crate::platform::resize::use_width;
use crate::session::tree::{Part, TreeLook};
use crate::session::{Action, Session};

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

/// What a picture is made from besides the shown step.
#[derive(Clone, Debug, PartialEq)]
struct Look {
    part: Part,
    width: i32,
    tree: Rc<TreeLook>,
    selected: Option<Selection>,
}

impl Look {
    fn trees(&self) -> TreeView {
        let mut view = TreeView::new(self.width);
        view.lanes.extend(self.tree.lane);
        view.toggled.clone_from(&self.tree.toggled);
        view.selected = self.selected;
        view
    }

    fn pages(&self) -> PageView {
        let mut view = PageView::new(self.width);
        view.lane = self.tree.lane;
        view.selected = self.selected;
        view
    }

    fn draw(&self, frame: &Frame<'_>) -> Scene {
        match self.part {
            Part::Pages => page_table::draw(frame, &self.pages()),
            _ => maple_tree::draw(frame, &self.trees()),
        }
    }

    fn tables(&self, frame: &Frame<'_>) -> Vec<Table> {
        match self.part {
            Part::Pages => page_table::tables(frame, &self.pages()),
            _ => maple_tree::tables(frame, &self.trees()),
        }
    }
}

#[component]
pub(crate) fn PicturePane(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    let frame_node = use_node_ref();
    let width = use_width(frame_node.clone());
    let pointed = use_state_eq(|| None::<Target>);
    let table_open = use_state_eq(|| false);

    let part = session.part;
    let look = Look {
        part,
        width,
        tree: session.tree.clone(),
        selected: session.selected,
    };
    let scene = {
        let session = session.clone();
        let what = (Step(session.shown.clone()), look.clone());
        use_memo(what, move |(_, look)| {
            let scene = || look.draw(&session.timeline().frame());
            (look.width > 0).then(|| Scenery(Rc::new(scene())))
        })
    };
    let on_gesture = {
        let pointed = pointed.setter();
        use_callback(emit.clone(), move |gesture: Gesture, emit| match gesture {
            Gesture::Hover(target) => pointed.set(target),
            Gesture::Pick(target) => pick(emit, target),
            Gesture::Drag { .. } | Gesture::Wheel { .. } => {}
        })
    };
    let toggle_table = {
        let table_open = table_open.clone();
        Callback::from(move |()| table_open.set(!*table_open))
    };
    let lane = |lane: Option<usize>, label: AttrValue| {
        html! {
            <Button {label} class="small quiet" pressed={session.tree.lane == lane}
                on_press={send(emit, Action::TreeLane(lane))} />
        }
    };
    let chosen = scene
        .as_ref()
        .as_ref()
        .and_then(|scene| address_space::chosen(&scene.0, session.selected));
    let named = scene.as_ref().as_ref().and_then(|scene| {
        let pointed = (*pointed).and_then(|target| scene.0.find(target));
        pointed.or_else(|| scene.0.items.get(chosen?))
    });
    let lanes = &session.shown.lanes;
    let is_shown = |index: usize| session.tree.lane.is_none_or(|lane| lane == index);
    let (name, class) = match part {
        Part::Pages => (ui::PART_PAGES, "tree pages"),
        _ => (ui::PART_TREE, "tree"),
    };
    html! {
        <section {class} aria-label={name}>
            <div class="part-head">
                <h2>{ name }</h2>
                <div class="tools end" role="group" aria-label={ui::TREE_LANES}>
                    if lanes.len() > 1 {
                        { lane(None, ui::TREE_ALL.into()) }
                        { for lanes.iter().enumerate().map(|(index, shown)| lane(Some(index), shown.letter.to_string().into())) }
                    }
                    <Button label={ui::AS_TABLE} class="quiet" pressed={*table_open} on_press={toggle_table} />
                </div>
            </div>
            <div class="tree-why">
                { for lanes.iter().enumerate().filter(|(index, _)| is_shown(*index)).map(|(index, shown)| html! {
                    <p key={index} class={lane_class(index)}><span class="letter">{ shown.letter }</span>{ &shown.why.sentence }</p>
                }) }
            </div>
            <div class="frame" ref={frame_node}>
                if let Some(scene) = scene.as_ref() {
                    <Drawing scene={scene.clone()} {on_gesture} selected={chosen} />
                    <p class="spoken">{ &scene.0.description }</p>
                }
                if let Some(item) = named { <p class="detail">{ &item.name }</p> }
            </div>
            if *table_open { { tables(session, &look) } }
        </section>
    }
}

fn pick(emit: &Emit, target: Option<Target>) {
    match target {
        Some(node @ Target::Node { .. }) => emit.emit(Action::Press(node)),
        other => address_space::pick(emit, other),
    }
}

fn tables(session: &Session, look: &Look) -> Html {
    let tables = look.tables(&session.timeline().frame());
    html! { <div class="twins">{ for tables.iter().map(table::twin) }</div> }
}
