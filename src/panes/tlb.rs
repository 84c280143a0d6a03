//! A walk through the mappings of each lane: what it does to a TLB, access by access, and what another TLB would make of it.

use std::rc::Rc;

use mmscope_figure::Selection;
use mmscope_figure::say::{self, ui};
use mmscope_figure::scene::Target;
use mmscope_figure::tlb::{self, SetChoice, TlbView};
use mmscope_lab::streams::tlb::{
    CAUTION, CycleModel, Geometry, Index, Preset, Replacement, StructureGeometry,
};
use mmscope_lab::streams::{Streams, USUAL_TLB};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{Emit, Step, Whole, address_space, lane_class, send, table};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::controls::picker::Picker;
use crate::draw::{Drawing, Gesture, Scenery};
use crate::platform::resize::use_width;
use crate::session::tlb::{pages_name, pages_named};
use crate::session::{Action, Session};
use crate::walks::{Walks, use_walks};

/// The value of the choice of a TLB that is no preset.
const OWN: &str = "";

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

/// What a picture is made from besides the shown step.
#[derive(Clone, Debug, PartialEq)]
struct Look {
    width: i32,
    version: u32,
    lane: Option<usize>,
    set: Option<SetChoice>,
    selected: Option<Selection>,
}

impl Look {
    fn view(&self) -> TlbView {
        let mut view = TlbView::new(self.width);
        view.lane = self.lane;
        view.set = self.set;
        view.selected = self.selected;
        view
    }
}

#[component]
pub(crate) fn TlbPane(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    let frame_node = use_node_ref();
    let width = use_width(frame_node.clone());
    let pointed = use_state_eq(|| None::<Target>);
    let table_open = use_state_eq(|| false);
    let (walks, version) = use_walks(session);
    let look = Look {
        width,
        version,
        lane: session.tree.lane,
        set: session.tlb.set,
        selected: session.selected,
    };
    let scene = {
        let (session, walks) = (session.clone(), walks.clone());
        let what = (Step(session.shown.clone()), look.clone());
        use_memo(what, move |(_, look)| {
            let timeline = session.timeline();
            let frame = timeline.frame();
            let scene = || tlb::draw(&frame, &walks.lanes(), &look.view());
            (look.width > 0).then(|| Scenery(Rc::new(scene())))
        })
    };
    let on_gesture = {
        let pointed = pointed.setter();
        use_callback(emit.clone(), move |gesture: Gesture, emit| match gesture {
            Gesture::Hover(target) => pointed.set(target),
            Gesture::Pick(Some(set @ Target::Set { .. })) => emit.emit(Action::Press(set)),
            Gesture::Pick(target) => address_space::pick(emit, target),
            Gesture::Drag { .. } | Gesture::Wheel { .. } => {}
        })
    };
    let toggle_table = {
        let table_open = table_open.clone();
        Callback::from(move |()| table_open.set(!*table_open))
    };
    let chosen = scene.as_ref().as_ref().and_then(|scene| {
        let SetChoice {
            lane,
            structure,
            set,
        } = session.tlb.set?;
        let target = Target::Set {
            lane,
            structure,
            set,
        };
        scene.0.items.iter().position(|item| item.target == target)
    });
    let named = scene.as_ref().as_ref().and_then(|scene| {
        let pointed = (*pointed).and_then(|target| scene.0.find(target));
        pointed.or_else(|| scene.0.items.get(chosen?))
    });
    let lane = |lane: Option<usize>, label: AttrValue| {
        html! {
            <Button {label} class="small quiet" pressed={session.tree.lane == lane}
                on_press={send(emit, Action::TreeLane(lane))} />
        }
    };
    let lanes = &session.shown.lanes;
    html! {
        <section class="tree tlb" aria-label={ui::PART_TLB}>
            <div class="part-head">
                <h2>{ ui::PART_TLB }</h2>
                <div class="tools end" role="group" aria-label={ui::TREE_LANES}>
                    if lanes.len() > 1 {
                        { lane(None, ui::TREE_ALL.into()) }
                        { for lanes.iter().enumerate().map(|(index, shown)| lane(Some(index), shown.letter.to_string().into())) }
                    }
                    <Button label={ui::AS_TABLE} class="quiet" pressed={*table_open} on_press={toggle_table} />
                </div>
            </div>
            <TlbChoice session={props.session.clone()} emit={emit.clone()} />
            { accesses(session, emit, &walks) }
            { last(session, &walks) }
            <div class="frame" ref={frame_node}>
                if let Some(scene) = scene.as_ref() {
                    <Drawing scene={scene.clone()} {on_gesture} selected={chosen} />
                    <p class="spoken">{ &scene.0.description }</p>
                }
                if let Some(item) = named { <p class="detail">{ &item.name }</p> }
            </div>
            <Counted session={props.session.clone()} walks={Shared(walks.clone(), version)} />
            if *table_open {
                <div class="twins">
                    { for tlb::tables(&session.timeline().frame(), &walks.lanes(), &look.view()).iter().map(table::twin) }
                </div>
            }
        </section>
    }
}

/// The TLB that is looked at: its text, and what it is if it reads.
fn current(session: &Session) -> (String, Option<Geometry>, Option<Preset>) {
    let timeline = session.timeline();
    let own = timeline.scenario().streams.tlb.clone();
    let text = session.tlb.tlb.clone().or(own);
    let text = text.unwrap_or_else(|| USUAL_TLB.to_owned());
    let preset = Preset::named(&text);
    let geometry = match &preset {
        Some(preset) => Some(preset.geometry.clone()),
        None => text.parse().ok(),
    };
    (text, geometry, preset)
}

/// The choice of a TLB: by name, in its parts, or as text.
#[component]
fn TlbChoice(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    let (text, geometry, preset) = current(session);
    let shown_text = geometry
        .as_ref()
        .map_or_else(|| text.clone(), Geometry::to_string);
    let mut choices: Vec<(AttrValue, AttrValue)> = Preset::all()
        .into_iter()
        .map(|preset| (preset.name.into(), preset.title.into()))
        .collect();
    choices.push((OWN.into(), say::tlb::OWN.into()));
    let to_tlb = |emit: &Emit| {
        let emit = emit.clone();
        move |text: String| emit.emit(Action::Tlb(Some(text)))
    };
    let on_preset = {
        let (to_tlb, shown_text) = (to_tlb(emit), shown_text.clone());
        Callback::from(move |name: String| {
            to_tlb(if name == OWN {
                shown_text.clone()
            } else {
                name
            })
        })
    };
    let on_pages = {
        let emit = emit.clone();
        Callback::from(move |name: String| {
            if let Some(pages) = pages_named(&name) {
                emit.emit(Action::TlbPages(pages));
            }
        })
    };
    let pages = [
        ("mapped", say::tlb::PAGES_MAPPED),
        ("4K", say::tlb::PAGES_SMALL),
        ("2M", say::tlb::PAGES_HUGE),
    ];
    let pages = pages
        .map(|(value, text)| (value.into(), text.into()))
        .to_vec();
    let on_text = {
        let to_tlb = to_tlb(emit);
        Callback::from(move |event: Event| {
            if let Some(input) = event
                .target()
                .and_then(|input| input.dyn_into::<HtmlInputElement>().ok())
            {
                to_tlb(input.value().trim().to_owned());
            }
        })
    };
    html! {
        <div class="tlb-choice">
            <label>{ say::tlb::PRESETS }
                <Picker label={say::tlb::PRESETS} {choices} value={preset.as_ref().map_or(OWN, |preset| preset.name)} on_pick={on_preset} />
            </label>
            if let Some(geometry) = &geometry { { second_level(geometry, emit) } }
            <label>{ say::tlb::PAGES }
                <Picker label={say::tlb::PAGES} choices={pages} value={pages_name(session.tlb.pages)} on_pick={on_pages} />
            </label>
            <label class="wide">{ say::tlb::GEOMETRY }
                <input class="field mono" type="text" spellcheck="false" value={shown_text} title={say::tlb::GEOMETRY_HOW} onchange={on_text} />
            </label>
            if session.tlb.tlb.is_some() {
                <Button label={say::tlb::RESET} class="small quiet" on_press={send(emit, Action::Tlb(None))} />
            }
            if geometry.is_none() { <p class="error" role="alert">{ problem(session) }{ " " }{ say::tlb::GEOMETRY_HOW }</p> }
            if let Some(preset) = &preset {
                <details class="wide">
                    <summary>{ say::tlb::ORIGINS }</summary>
                    <ul>{ for preset.origins.iter().map(|origin| html! { <li>{ format!("{}: {}; {}", origin.what, origin.known, origin.source) }</li> }) }</ul>
                </details>
            }
        </div>
    }
}

/// Why the text is no TLB.
fn problem(session: &Session) -> String {
    let timeline = session.timeline();
    let read = Streams::through(timeline.scenario(), session.tlb.tlb.as_deref());
    read.err()
        .map(|error| say::tlb::error(&error))
        .unwrap_or_default()
}

/// The parts of the second level that matter most, each to be changed by itself.
fn second_level(geometry: &Geometry, emit: &Emit) -> Html {
    let Some(second) = geometry.l2.first() else {
        return Html::default();
    };
    let change = |with: fn(&mut StructureGeometry, &str)| {
        let (emit, geometry) = (emit.clone(), geometry.clone());
        Callback::from(move |value: String| {
            let mut geometry = geometry.clone();
            if let Some(second) = geometry.l2.first_mut() {
                with(second, &value);
            }
            emit.emit(Action::Tlb(Some(geometry.to_string())));
        })
    };
    let kinds = indices(second);
    let is = kinds.iter().find(|(_, index)| *index == second.index);
    let value = is.map_or(OWN, |(name, _)| name);
    let mut choices: Vec<(AttrValue, AttrValue)> = kinds
        .iter()
        .map(|(name, index)| ((*name).into(), say::tlb::index(index).into()))
        .collect();
    if is.is_none() {
        choices.push((OWN.into(), say::tlb::index(&second.index).into()));
    }
    let on_index = change(|second, name| {
        let kinds = indices(second);
        if let Some((_, index)) = kinds.iter().find(|(kind, _)| *kind == name) {
            second.index = index.clone();
        }
    });
    let on_sets = change(|second, sets| {
        if let Ok(sets) = sets.parse::<u32>() {
            let xor = matches!(second.index, Index::Xor { .. });
            second.sets = sets;
            second.index = if xor { xor_of(sets) } else { Index::Linear };
        }
    });
    let on_ways = change(|second, ways| {
        if let Ok(ways) = ways.parse::<u32>() {
            second.ways = ways;
            let fits = match second.replacement {
                Replacement::Plru => ways.is_power_of_two() && ways <= 64,
                Replacement::Mru3Plru4 => ways == 12,
                _ => true,
            };
            if !fits {
                second.replacement = Replacement::Lru;
            }
        }
    });
    let numbers = |from: &[u32], now: u32| {
        let mut all = from.to_vec();
        if !all.contains(&now) {
            all.push(now);
            all.sort_unstable();
        }
        all.iter()
            .map(|number| (number.to_string().into(), number.to_string().into()))
            .collect::<Vec<(AttrValue, AttrValue)>>()
    };
    html! {
        <>
            <label>{ say::tlb::INDEX }
                <Picker label={say::tlb::INDEX} {choices} {value} on_pick={on_index} />
            </label>
            <label>{ say::tlb::SETS }
                <Picker label={say::tlb::SETS} choices={numbers(&[32, 64, 128, 256, 512], second.sets)} value={second.sets.to_string()} on_pick={on_sets} />
            </label>
            <label>{ say::tlb::WAYS }
                <Picker label={say::tlb::WAYS} choices={numbers(&[1, 2, 4, 5, 6, 8, 12, 16, 20, 24], second.ways)} value={second.ways.to_string()} on_pick={on_ways} />
            </label>
        </>
    }
}

/// The kinds of index that a structure of this many sets may have.
fn indices(structure: &StructureGeometry) -> Vec<(&'static str, Index)> {
    let sets = structure.sets;
    let mut kinds = vec![("mod", Index::Mod)];
    if sets.is_power_of_two() && sets > 1 {
        let bits = sets.trailing_zeros() as u8;
        kinds.insert(0, ("linear", Index::Linear));
        kinds.insert(1, ("xor", xor_of(sets)));
        kinds.insert(2, ("fold", Index::Fold { bits }));
        if sets == 256 {
            let bits = vec![12, 13, 14, 15, 16, 17, 18, 21];
            kinds.insert(3, ("bits", Index::Bits(bits)));
        }
    }
    kinds
}

fn xor_of(sets: u32) -> Index {
    Index::Xor {
        shift: (sets.trailing_zeros() as u8).max(1),
    }
}

/// The slider over the accesses, and the way to each.
fn accesses(session: &Session, emit: &Emit, walks: &Walks) -> Html {
    let (done, total) = walks.progress();
    let at = session.tlb.at;
    let place = at.unwrap_or(total).min(total);
    let go = |label: &'static str, icon: Icon, to: Option<u64>, idle: bool| {
        html! { <Button {label} {icon} icon_only=true class="small" {idle} on_press={send(emit, Action::TlbAt(to))} /> }
    };
    let oninput = {
        let emit = emit.clone();
        Callback::from(move |event: InputEvent| {
            let value = event
                .target_dyn_into::<HtmlInputElement>()
                .map(|input| input.value());
            if let Some(at) = value.and_then(|value| value.parse::<u64>().ok()) {
                emit.emit(Action::TlbAt((at < total).then_some(at)));
            }
        })
    };
    html! {
        <div class="tlb-accesses" role="group" aria-label={say::tlb::ACCESS}>
            { go(say::tlb::ACCESS_FIRST, Icon::First, Some(0), place == 0) }
            { go(say::tlb::ACCESS_BACK, Icon::Back, Some(place.saturating_sub(1)), place == 0) }
            { go(say::tlb::ACCESS_ON, Icon::Forward, Some(place + 1), place >= total) }
            { go(say::tlb::ACCESS_LAST, Icon::Last, None, at.is_none()) }
            <input class="scrub-accesses" type="range" min="0" max={total.to_string()} value={place.to_string()}
                aria-label={say::tlb::ACCESS} aria-valuetext={say::tlb::progress(place, total)} {oninput} />
            <span class="mono">{ say::tlb::progress(done, total) }</span>
        </div>
    }
}

/// What the walk is over, and what the last access did in each lane.
fn last(session: &Session, walks: &Walks) -> Html {
    let lanes = walks.lanes();
    let usual = session.timeline().scenario().streams.walk.is_none();
    let walk = session.timeline().scenario().streams.walk.clone();
    let walk = walk.unwrap_or_else(|| mmscope_lab::streams::USUAL_WALK.to_owned());
    html! {
        <>
            <p class="tlb-walk"><code class="mono">{ "walk " }{ walk }</code>{ " " }if usual { { say::tlb::USUAL } }</p>
            <div class="tree-why">
                { for lanes.iter().enumerate().filter(|(index, walk)| {
                    !walk.last.is_empty() && session.tree.lane.is_none_or(|lane| lane == *index)
                }).map(|(index, walk)| html! {
                    <div key={index} class={lane_class(index)}>
                        <span class="letter">{ session.shown.lanes.get(index).map(|shown| shown.letter) }</span>
                        <ol class="events">{ for walk.last.iter().map(|event| html! { <li>{ say::tlb::event(event) }</li> }) }</ol>
                    </div>
                }) }
            </div>
        </>
    }
}

/// The walks at a moment.
#[derive(Clone)]
struct Shared(Walks, u32);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        self.1 == other.1
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CountedProps {
    session: Whole,
    walks: Shared,
}

/// Counts of all lanes, and what they would cost by the cycle model, whose parameters are the reader's to choose.
#[component]
fn Counted(props: &CountedProps) -> Html {
    let session = &props.session.0;
    let own = use_state_eq(|| None::<CycleModel>);
    let (_, _, preset) = current(session);
    let model =
        own.unwrap_or_else(|| preset.map_or_else(CycleModel::default, |preset| preset.cycles));
    let lanes = props.walks.0.lanes();
    let counts: Vec<_> = lanes
        .iter()
        .map(|walk| walk.run.as_ref().ok().map(|run| run.counts()))
        .collect();
    let rows = |rows: Vec<(&'static str, Vec<String>)>| {
        html! {
            { for rows.into_iter().map(|(name, values)| html! {
                <tr><th scope="row">{ name }</th>{ for values.into_iter().map(|value| html! { <td>{ value }</td> }) }</tr>
            }) }
        }
    };
    let field = |label: &'static str, value: f64, with: fn(&mut CycleModel, f64)| {
        let own = own.clone();
        let onchange = Callback::from(move |event: Event| {
            let value = event
                .target_dyn_into::<HtmlInputElement>()
                .map(|input| input.value());
            if let Some(value) = value
                .and_then(|value| value.parse::<f64>().ok())
                .filter(|value| *value > 0.0 && value.is_finite())
            {
                let mut model = model;
                with(&mut model, value);
                own.set(Some(model));
            }
        });
        html! { <label>{ label }<input class="field" type="number" min="0.1" step="0.1" value={value.to_string()} {onchange} /></label> }
    };
    html! {
        <div class="tlb-counts">
            <table class="smaps">
                <caption>{ say::tlb::COUNTS }</caption>
                <thead><tr><td />{ for session.shown.lanes.iter().map(|lane| html! { <th scope="col">{ lane.letter }</th> }) }</tr></thead>
                <tbody class="mono">{ rows(say::tlb::count_rows(&counts)) }</tbody>
                <tbody class="mono estimated">
                    <tr><th scope="rowgroup" colspan={(counts.len() + 1).to_string()}>{ say::tlb::ESTIMATED }</th></tr>
                    { rows(say::tlb::cycle_rows(&model, &counts)) }
                </tbody>
            </table>
            <div class="tlb-model">
                { field(say::tlb::CYCLES_BASE, model.base, |model, value| model.base = value) }
                { field(say::tlb::CYCLES_OVERLAP, model.overlap, |model, value| model.overlap = value) }
                { field(say::tlb::CYCLES_WALKERS, model.walkers, |model, value| model.walkers = value) }
                <p class="muted">{ CAUTION }</p>
            </div>
        </div>
    }
}
