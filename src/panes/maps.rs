//! `/proc/PID/maps` of all lanes as one list, and what smaps says of the chosen mapping.

use mmscope_figure::Selection;
use mmscope_figure::maps::{self, Became, Line, List};
use mmscope_figure::say::ui;
use mmscope_figure::scene::Target;
use mmscope_lab::LaneFrame;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::{Emit, Whole, lane_class};
use crate::controls::button::Button;
use crate::controls::copy::Copy;
use crate::platform::clipboard;
use crate::session::{Action, Session};

/// Lines at most; where there are more, the list has a page before and after.
const MOST_LINES: usize = 300;
/// Lines before the one that is looked at, where not all can be shown.
const LINES_BEFORE: usize = 40;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

/// What a person could not copy because the browser forbids it.
#[derive(Clone, PartialEq)]
struct ByHand {
    label: String,
    text: String,
}

#[component]
pub(crate) fn MapsPane(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    // The page of the list that a person turned to; another program begins anew.
    let turned = use_state_eq(|| None::<(u32, u64)>);
    let copied = use_state_eq(|| None::<String>);
    let by_hand = use_state_eq(|| None::<ByHand>);

    let list = {
        let timeline = session.timeline();
        let frame = timeline.frame();
        let from = turned.filter(|(program, _)| *program == session.program);
        let from = from.map_or_else(
            || maps::from(&frame, session.selected, MOST_LINES, LINES_BEFORE),
            |(_, at)| at,
        );
        maps::list(&frame, from, MOST_LINES)
    };
    let turn = |label: &'static str, to: Option<u64>| {
        let (turned, program) = (turned.setter(), session.program);
        let on_press = Callback::from(move |()| {
            if let Some(to) = to {
                turned.set(Some((program, to)));
            }
        });
        html! { <Button {label} class="small" idle={to.is_none()} {on_press} /> }
    };
    let copy =
        |file: &'static str, lane: usize, letter: char, text: fn(&LaneFrame<'_>) -> String| {
            let label = ui::copy_file(file, letter);
            let on_press = {
                let (session, label) = (session.clone(), label.clone());
                let (copied, by_hand) = (copied.setter(), by_hand.setter());
                Callback::from(move |()| {
                    let text = session.timeline().frame().lanes.get(lane).map(text);
                    let (Some(text), label) = (text, label.clone()) else {
                        return;
                    };
                    let (copied, by_hand) = (copied.clone(), by_hand.clone());
                    wasm_bindgen_futures::spawn_local(async move {
                        if clipboard::write(&text).await {
                            copied.set(Some(label));
                        } else {
                            by_hand.set(Some(ByHand { label, text }));
                        }
                    });
                })
            };
            html! { <Button label={label.clone()} class="small quiet" {on_press} /> }
        };
    let lanes = &session.shown.lanes;
    html! {
        <section class="maps" aria-label={ui::PART_MAPS}>
            <div class="part-head">
                <h2 class="mono">{ "/proc/PID/maps" }</h2>
                <div class="tools end" role="group" aria-label={ui::MAPS_COPIES}>
                    <span class="muted" role="status">{ if copied.is_some() { ui::COPIED } else { ui::MAPS_COPIES } }</span>
                    { for lanes.iter().enumerate().map(|(lane, shown)| copy(ui::PART_MAPS, lane, shown.letter, maps::maps_text)) }
                    { for lanes.iter().enumerate().map(|(lane, shown)| copy(ui::SMAPS, lane, shown.letter, maps::smaps_text)) }
                </div>
            </div>
            if let Some(ByHand { label, text }) = &*by_hand {
                <div class="by-hand">
                    <p>{ ui::COPY_BY_HAND }</p>
                    <Copy label={label.clone()} text={text.clone()} />
                </div>
            }
            <div class="maps-columns">
                <div class="maps-left">
                    <p class="muted">{ ui::MAPS_HOW }</p>
                    if list.previous.is_some() || list.next.is_some() {
                        <div class="row">{ turn(ui::MAPS_PREVIOUS, list.previous) }{ turn(ui::MAPS_NEXT, list.next) }</div>
                    }
                    { lines(session, emit, &list) }
                </div>
                { smaps(session) }
            </div>
        </section>
    }
}

fn lines(session: &Session, emit: &Emit, list: &List) -> Html {
    if list.lines.is_empty() {
        return html! { <p>{ ui::MAPS_EMPTY }</p> };
    }
    let chosen = list
        .lines
        .iter()
        .position(|line| is_chosen(line, session.selected));
    let targets: Vec<Target> = list.lines.iter().map(|line| line.target).collect();
    let choose = {
        let emit = emit.clone();
        move |target: &Target| {
            if let (Some(lane), Some(range)) = (target.lane(), target.range()) {
                let addr = range.start;
                emit.emit(Action::Select(Some(Selection { lane, addr })));
            }
        }
    };
    let onclick = {
        let (choose, targets) = (choose.clone(), targets.clone());
        Callback::from(move |event: MouseEvent| {
            let line = event
                .target_dyn_into::<Element>()
                .and_then(|element| element.closest("[data-line]").ok().flatten())
                .and_then(|element| element.get_attribute("data-line"))
                .and_then(|line| line.parse::<usize>().ok());
            if let Some(target) = line.and_then(|line| targets.get(line)) {
                choose(target);
            }
        })
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let next = match (event.code().as_str(), chosen) {
            ("ArrowDown", Some(at)) => at + 1,
            ("ArrowDown" | "ArrowUp", None) => 0,
            ("ArrowUp", Some(at)) => at.wrapping_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let Some(target) = targets.get(next) {
            choose(target);
            focus(&event, next);
        }
    });
    // Tab stops at the chosen line, or at the first.
    let stop = chosen.unwrap_or(0);
    html! {
        <ol class="lines mono" role="listbox" aria-label={ui::MAPS_LINES} {onclick} {onkeydown}>
            { for list.lines.iter().enumerate().map(|(at, line)| row(session, at, line, chosen == Some(at), stop == at)) }
        </ol>
    }
}

fn is_chosen(line: &Line, selected: Option<Selection>) -> bool {
    let Some(selected) = selected else {
        return false;
    };
    let range = line.target.range();
    line.became != Became::Gone
        && line.lanes.contains(&selected.lane)
        && range.is_some_and(|range| (range.start..range.end).contains(&selected.addr))
}

/// Moves the focus from the line where a key was pressed to another.
fn focus(event: &KeyboardEvent, line: usize) {
    let list = event
        .target_dyn_into::<Element>()
        .and_then(|element| element.closest("[role=listbox]").ok().flatten());
    let line = list.and_then(|list| {
        let found = list.query_selector(&format!("[data-line=\"{line}\"]"));
        found.ok().flatten()?.dyn_into::<HtmlElement>().ok()
    });
    if let Some(line) = line {
        let _ = line.focus();
    }
}

fn row(session: &Session, at: usize, line: &Line, chosen: bool, stop: bool) -> Html {
    let lanes = &session.shown.lanes;
    let (sign, class) = match line.became {
        Became::Same => ("", ""),
        Became::New => ("+", "new"),
        Became::Changed => ("~", "changed"),
        Became::Gone => ("\u{2212}", "gone"),
    };
    html! {
        <li key={at} class={classes!("line", class)} role="option" data-line={at.to_string()}
            tabindex={if stop { "0" } else { "-1" }} aria-selected={if chosen { "true" } else { "false" }}>
            <span class="whose">
                { for (0..lanes.len()).map(|lane| {
                    let has = line.lanes.contains(&lane);
                    let letter = lanes[lane].letter.to_string();
                    html! { <span class={classes!(lane_class(lane), if has { "letter" } else { "letter none" })}>{ if has { letter } else { String::new() } }</span> }
                }) }
            </span>
            <span class="sign" aria-hidden="true">{ sign }</span>
            <span class="spoken">{ ui::became(line.became) }</span>
            <span class="text">
                { for line.fields.iter().map(|field| if field.differs && !field.text.trim().is_empty() {
                    let text = field.text.trim_end();
                    let spaces = &field.text[text.len()..];
                    html! { <><mark>{ text }</mark>{ spaces }</> }
                } else {
                    html! { <>{ &field.text }</> }
                }) }
            </span>
        </li>
    }
}

fn smaps(session: &Session) -> Html {
    let timeline = session.timeline();
    let lanes = &session.shown.lanes;
    let Some(smaps) = maps::smaps_of(&timeline.frame(), session.selected) else {
        return html! { <p class="muted maps-right">{ ui::SMAPS_NONE }</p> };
    };
    html! {
        <div class="maps-right" tabindex="0" role="group" aria-label={ui::SMAPS}>
            <table class="smaps">
                <caption>
                    <span class="mono">{ ui::SMAPS }</span>
                    { for smaps.heads.iter().enumerate().map(|(lane, head)| html! {
                        <span class={classes!("smaps-head", lane_class(lane))}>
                            <span class="letter">{ lanes[lane].letter }</span>
                            if head.is_empty() { { ui::SMAPS_NOT_MAPPED } } else { <span class="mono">{ head.split(' ').next() }</span> }
                        </span>
                    }) }
                </caption>
                <thead><tr><td />{ for lanes.iter().map(|lane| html! { <th scope="col">{ lane.letter }</th> }) }</tr></thead>
                <tbody class="mono">
                    { for smaps.rows.iter().map(|row| html! {
                        <tr class={row.differs.then_some("differs")}>
                            <th scope="row">{ &row.name }</th>
                            { for row.values.iter().map(|value| if row.differs {
                                html! { <td><mark>{ value }</mark></td> }
                            } else {
                                html! { <td>{ value }</td> }
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
