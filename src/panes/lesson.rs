//! The text of the lesson's stop, and the way to the next one.

use mmscope_figure::say::{self, ui};
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use super::{Emit, Whole, send};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::session::{Action, Overlay};

/// The largest answer.
const MOST: &str = "999999999";

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

#[component]
pub(crate) fn LessonPane(props: &Props) -> Html {
    let session = &props.session.0;
    let (section, field) = (use_node_ref(), use_node_ref());
    let Some(lesson) = session.lesson else {
        return html! {
            if let Some(report) = &session.report {
                <section class="lesson" aria-label={ui::REPORT}>
                    <div class="lesson-text"><h2>{ ui::REPORT }</h2>{ super::dialogs::addresses(report) }</div>
                    <div class="lesson-steps">
                        <Button label={ui::REPORT_SHOW} on_press={send(&props.emit, Action::Open(Overlay::Report))} />
                    </div>
                </section>
            }
        };
    };
    let stop = session.stop();
    let told = stop
        .and_then(|stop| lesson.stops.get(stop))
        .and_then(|stop| say::lesson::stop(stop.says));
    let last = stop.is_some_and(|stop| stop + 1 == lesson.stops.len());
    let number = stop.map_or(0, |stop| stop + 1);
    let extra = &session.told;
    html! {
        <section ref={&section} class="lesson" aria-label={ui::LESSON} tabindex="-1">
            <div class="lesson-text">
                if let Some(told) = told {
                    <h2>{ told.title }</h2>
                    <p>{ told.text.join(" ") }</p>
                }
                if let Some(answer) = &extra.answer { <p class="answer">{ answer }</p> }
                if !extra.facts.is_empty() {
                    <dl class="facts">
                        { for extra.facts.iter().map(|(label, text)| html! { <><dt>{ *label }</dt><dd>{ text }</dd></> }) }
                    </dl>
                }
                if let Some(question) = &extra.question { { ask(question, &section, &field, &props.emit) } }
            </div>
            <div class="lesson-steps">
                <span class="muted">{ ui::stop_of(number, lesson.stops.len()) }</span>
                <Button label={ui::NEXT_STOP} icon={Icon::Next} class="primary" idle={last}
                    on_press={send(&props.emit, Action::NextStop)} />
            </div>
        </section>
    }
}

/// The question, with a box for a number. What was asked is gone once the person goes on: the focus goes to the lesson.
fn ask(question: &str, section: &NodeRef, field: &NodeRef, emit: &Emit) -> Html {
    let go_on = {
        let (section, emit) = (section.clone(), emit.clone());
        move |action| {
            if let Some(section) = section.cast::<HtmlElement>() {
                let _ = section.focus();
            }
            emit.emit(action);
        }
    };
    let onsubmit = {
        let (go_on, field) = (go_on.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let number = field
                .cast::<HtmlInputElement>()
                .map(|field| field.value_as_number());
            // The browser has told by then what is no number, or too large.
            if let Some(number) = number.filter(|number| *number >= 0.0) {
                go_on(Action::Answer(number as u64));
            }
        })
    };
    html! {
        <form class="ask" {onsubmit}>
            <label>
                <span>{ question }</span>
                <input ref={field} class="field" type="number" min="0" max={MOST} step="1" required=true autocomplete="off" />
            </label>
            <button type="submit" class="button">{ ui::ANSWER }</button>
            <Button label={ui::SKIP} class="quiet" on_press={Callback::from(move |()| go_on(Action::NextStop))} />
        </form>
    }
}
