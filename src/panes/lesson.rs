//! The text of the lesson's stop, and the way to the next one.

use mmscope_figure::say::{self, ui};
use yew::prelude::*;

use super::{Emit, Whole, send};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::session::{Action, Overlay};

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

#[component]
pub(crate) fn LessonPane(props: &Props) -> Html {
    let session = &props.session.0;
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
    html! {
        <section class="lesson" aria-label={ui::LESSON}>
            <div class="lesson-text">
                if let Some(told) = told {
                    <h2>{ told.title }</h2>
                    <p>{ told.text.join(" ") }</p>
                }
            </div>
            <div class="lesson-steps">
                <span class="muted">{ ui::stop_of(number, lesson.stops.len()) }</span>
                <Button label={ui::NEXT_STOP} icon={Icon::Next} class="primary" idle={last}
                    on_press={send(&props.emit, Action::NextStop)} />
            </div>
        </section>
    }
}
