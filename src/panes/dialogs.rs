//! The windows over the page.

use mmscope_figure::say::ui;
use mmscope_lab::Position;
use mmscope_mm::{Change, Kernel};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::{Emit, Whole, lane_class, send};
use crate::controls::button::Button;
use crate::controls::copy::Copy;
use crate::controls::dialog::Dialog;
use crate::controls::icon::Icon;
use crate::platform::{files, location};
use crate::session::import::{Boxes, Report};
use crate::session::{Action, Overlay, Session, state};

/// Skipped lines that are listed; the others are counted.
const MOST_SKIPPED: usize = 200;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

#[component]
pub(crate) fn Dialogs(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    let close = send(emit, Action::CloseOverlay);
    let window = |title: AttrValue, class: &'static str, children: Html| {
        html! { <Dialog key={class} {title} {class} on_close={close.clone()}>{ children }</Dialog> }
    };
    match session.overlay {
        None => Html::default(),
        Some(Overlay::Help) => window(ui::HELP.into(), "help", help(session, emit)),
        Some(Overlay::Import) => window(
            ui::IMPORT.into(),
            "import",
            html! { <Import session={props.session.clone()} emit={emit.clone()} /> },
        ),
        Some(Overlay::Report) => match &session.report {
            Some(report) => window(ui::REPORT.into(), "report", report_view(report, emit)),
            None => Html::default(),
        },
        Some(Overlay::Share) => window(ui::SHARE_TITLE.into(), "share", share(session)),
        Some(Overlay::Goto) => window(
            ui::GOTO.into(),
            "goto",
            html! { <Goto session={props.session.clone()} emit={emit.clone()} /> },
        ),
        Some(Overlay::Kernel(lane)) => match session.shown.lanes.get(lane) {
            Some(shown) => {
                let title = ui::kernel_title(shown.letter, shown.kernel);
                window(
                    title.into(),
                    "kernel",
                    kernel(session, emit, lane, shown.kernel),
                )
            }
            None => Html::default(),
        },
    }
}

fn help(session: &Session, emit: &Emit) -> Html {
    let on_keys = {
        let emit = emit.clone();
        Callback::from(move |event: Event| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                emit.emit(Action::SingleKeys(input.checked()));
            }
        })
    };
    html! {
        <>
            <h3>{ ui::READING }</h3>
            <ul class="reading">{ for ui::READING_LIST.iter().map(|line| html! { <li>{ *line }</li> }) }</ul>
            <h3>{ ui::KEYS }</h3>
            <p class="muted">{ ui::KEYS_ABOUT }</p>
            <dl class="keys">
                { for ui::KEY_LIST.iter().map(|(keys, what)| html! {
                    <div><dt>{ for keys.split("  ").map(|key| html! { <kbd>{ key }</kbd> }) }</dt><dd>{ *what }</dd></div>
                }) }
            </dl>
            <label class="check"><input type="checkbox" checked={session.single_keys} onchange={on_keys} /><span>{ ui::KEYS_ON }</span></label>
            <h3>{ ui::MODEL }</h3>
            <p>{ ui::MODEL_ABOUT }</p>
        </>
    }
}

fn share(session: &Session) -> Html {
    let scenario = session.timeline().scenario().to_string();
    html! {
        <>
            <p>{ ui::SHARE_ABOUT }</p>
            if let Some(link) = state::link(session) {
                <Copy label={ui::SHARE_LINK} text={location::address_with(&link)} />
            } else {
                <p><strong>{ ui::SHARE_TOO_LONG }</strong></p>
            }
            <h3>{ ui::SHARE_SCENARIO }</h3>
            <Copy label={ui::SHARE_SCENARIO} text={scenario} />
        </>
    }
}

fn kernel(session: &Session, emit: &Emit, lane: usize, kernel: Kernel) -> Html {
    let own = kernel.release().changes;
    let switched = own != kernel.changes();
    html! {
        <>
            <p>{ ui::KERNEL_ABOUT }</p>
            if kernel.release().assumed { <p class="muted">{ ui::KERNEL_ASSUMED }</p> }
            <ul class="changes">
                { for Change::ALL.iter().rev().map(|&change| {
                    let on_switch = {
                        let emit = emit.clone();
                        Callback::from(move |event: Event| {
                            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                                let mut next = kernel;
                                next.set(change, input.checked());
                                emit.emit(Action::SetKernel(lane, next));
                            }
                        })
                    };
                    let by_hand = own.has(change) != kernel.has(change);
                    html! {
                        <li key={change.id()} class={by_hand.then_some("by-hand")}>
                            <label class="check">
                                <input type="checkbox" checked={kernel.has(change)} onchange={on_switch} />
                                <span>
                                    <span>{ ui::change_subject(change) }</span>
                                    <span class="muted small"><code class="mono">{ change.id() }</code>{ ", " }{ ui::change_first(change) }</span>
                                </span>
                            </label>
                        </li>
                    }
                }) }
            </ul>
            <div class="row">
                <Button label={ui::KERNEL_RESET} idle={!switched}
                    on_press={send(emit, Action::SetKernel(lane, Kernel::new(kernel.release())))} />
                <Button label={ui::REMOVE_LANE} idle={session.shown.lanes.len() < 2} on_press={send(emit, Action::RemoveLane(lane))} />
            </div>
        </>
    }
}

#[component]
fn Import(props: &Props) -> Html {
    let session = &props.session.0;
    let draft = session.draft.clone();
    let boxes = session.boxes();
    let text = use_node_ref();
    let maps = use_node_ref();
    {
        // What was dropped, or what could not be opened, is put into the boxes; after that they are the person's.
        let (text, maps) = (text.clone(), maps.clone());
        use_effect_with(draft.edition, move |_| {
            fill(&text, &boxes.text);
            fill(&maps, &boxes.maps);
        });
    }
    let oninput = {
        let (emit, text, maps) = (props.emit.clone(), text.clone(), maps.clone());
        Callback::from(move |_: InputEvent| {
            emit.emit(Action::Typed(Boxes {
                text: value(&text),
                maps: value(&maps),
            }));
        })
    };
    let on_open = {
        let (emit, text, maps) = (props.emit.clone(), text.clone(), maps.clone());
        Callback::from(move |()| {
            let maps = Some(value(&maps)).filter(|maps| !maps.trim().is_empty());
            crate::app::import_text(&emit, value(&text), maps);
        })
    };
    let on_files = {
        let emit = props.emit.clone();
        Callback::from(move |event: Event| {
            let files = event
                .target_dyn_into::<HtmlInputElement>()
                .and_then(|input| input.files());
            if let Some(files) = files {
                let emit = emit.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    crate::app::import_files(&emit, files::read(files).await);
                });
            }
        })
    };
    html! {
        <>
            <p>{ ui::IMPORT_ABOUT }</p>
            if let Some(problem) = &draft.problem {
                <div class="problems" role="alert" tabindex="0">
                    <h3>{ ui::IMPORT_PROBLEMS }</h3>
                    <p>{ &problem.expected }</p>
                    <ul>
                        { for problem.errors.iter().map(|(_, sentence)| html! { <li>{ sentence }</li> }) }
                        if problem.more > 0 { <li>{ ui::more_errors(problem.more) }</li> }
                    </ul>
                </div>
            }
            <label class="box"><span>{ ui::IMPORT_TEXT }</span><textarea ref={text} oninput={oninput.clone()} rows="9" spellcheck="false" autocomplete="off" /></label>
            <label class="box"><span>{ ui::IMPORT_MAPS }</span><textarea ref={maps} {oninput} rows="3" spellcheck="false" autocomplete="off" /></label>
            <div class="row">
                <label class="button files">
                    { Icon::Open.draw() }<span>{ ui::IMPORT_FILES }</span>
                    <input class="spoken" type="file" multiple=true onchange={on_files} />
                </label>
                if draft.previous.is_some() {
                    <Button label={ui::IMPORT_PUT_BACK} on_press={send(&props.emit, Action::PutBack)} />
                }
                if session.reading { <span role="status">{ ui::READING_TEXT }</span> }
                <Button label={ui::IMPORT_GO} class="primary end" on_press={on_open} />
            </div>
        </>
    }
}

fn fill(node: &NodeRef, text: &str) {
    if let Some(area) = node.cast::<HtmlTextAreaElement>() {
        area.set_value(text);
    }
}

fn value(node: &NodeRef) -> String {
    node.cast::<HtmlTextAreaElement>()
        .map(|area| area.value())
        .unwrap_or_default()
}

#[component]
fn Goto(props: &Props) -> Html {
    let shown = &props.session.0.shown;
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                let _ = input.focus();
                input.select();
            }
        });
    }
    let onsubmit = {
        let (emit, node) = (props.emit.clone(), node.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let step = node
                .cast::<HtmlInputElement>()
                .and_then(|input| input.value().trim().parse().ok());
            if let Some(step) = step {
                emit.emit(Action::CloseOverlay);
                emit.emit(Action::Go(Position { step, micro: None }));
            }
        })
    };
    html! {
        <form class="row" {onsubmit}>
            <input ref={node} class="field" type="number" min="0" max={shown.steps.to_string()} step="1"
                value={shown.position.step.to_string()} aria-label={ui::GOTO} />
            <span class="muted">{ ui::of_calls(shown.steps) }</span>
            <button type="submit" class="button primary end">{ ui::GO }</button>
        </form>
    }
}

/// How each lane compares with the record.
pub(super) fn addresses(report: &Report) -> Html {
    let unreadable = match &report.told.unreadable {
        Some(sentence) => html! { <p><strong>{ sentence }</strong></p> },
        None => Html::default(),
    };
    match &report.compared {
        Some(compared) => html! {
            <>
            { unreadable }
            <p class="agreement">
                { for compared.lanes.iter().enumerate().map(|(index, (letter, words))| html! {
                    <span key={index} class={lane_class(index)}><span class="letter">{ *letter }</span>{ " " }{ words }</span>
                }) }
            </p>
            </>
        },
        None => html! { <>{ unreadable }<p>{ ui::REPORT_RUNNING }</p></> },
    }
}

fn report_view(report: &Report, emit: &Emit) -> Html {
    html! {
        <>
            { addresses(report) }
            if let Some(compared) = report.compared.as_ref().filter(|compared| !compared.differences.is_empty()) {
                <h3>{ ui::REPORT_DIFFERENCES }</h3>
                <div class="twin" tabindex="0" role="group" aria-label={ui::REPORT_DIFFERENCES}>
                    <table>
                        <thead><tr>
                            <th scope="col">{ ui::COLUMN_CALL }</th><th scope="col">{ ui::COLUMN_RECORDED }</th>
                            <th scope="col">{ ui::COLUMN_MODEL }</th><th scope="col">{ ui::COLUMN_WHY }</th>
                        </tr></thead>
                        <tbody>{ for compared.differences.iter().map(|row| html! {
                            <tr>
                                <td>
                                    <button type="button" class="call-link mono" aria-label={ui::go_to_call(row.step)} onclick={
                                        let go = send(emit, Action::Go(Position { step: row.step, micro: None }));
                                        Callback::from(move |_: MouseEvent| go.emit(()))
                                    }>{ row.step }</button>
                                    { " " }<span class="mono">{ &row.call }</span>
                                </td>
                                <td class="mono">{ &row.recorded }</td>
                                <td class="mono">{ &row.model }</td>
                                <td>{ &row.why }</td>
                            </tr>
                        }) }</tbody>
                    </table>
                </div>
                if compared.more > 0 { <p class="muted">{ ui::more_errors(compared.more) }</p> }
            }
            if !report.told.notes.is_empty() {
                <h3>{ ui::REPORT_NOTES }</h3>
                <ul class="reading">{ for report.told.notes.iter().map(|note| html! { <li>{ note }</li> }) }</ul>
            }
            <h3>{ ui::REPORT_SKIPPED }</h3>
            if report.told.skipped.is_empty() {
                <p>{ ui::REPORT_NOTHING_SKIPPED }</p>
            } else {
                <div class="twin" tabindex="0" role="group" aria-label={ui::REPORT_SKIPPED}>
                    <table>
                        <thead><tr>
                            <th scope="col">{ ui::COLUMN_LINE }</th><th scope="col">{ ui::COLUMN_TEXT }</th><th scope="col">{ ui::COLUMN_WHY }</th>
                        </tr></thead>
                        <tbody>{ for report.told.skipped.iter().take(MOST_SKIPPED).map(|line| html! {
                            <tr><td class="right">{ line.line }</td><td class="mono">{ &line.text }</td><td>{ &line.why }</td></tr>
                        }) }</tbody>
                    </table>
                </div>
                if report.told.skipped.len() > MOST_SKIPPED { <p class="muted">{ ui::more_errors(report.told.skipped.len() - MOST_SKIPPED) }</p> }
            }
        </>
    }
}
