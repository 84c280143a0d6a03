//! The bar at the top: the lesson, the kernels, the tools.

use mmscope_figure::say::{self, ui};
use mmscope_lab::{MAX_LANES, lessons};
use mmscope_mm::{Kernel, Release};
use yew::prelude::*;

use super::{Emit, Whole, lane_class, send};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::controls::picker::Picker;
use crate::session::{Action, Overlay, Session, Theme};

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
    /// Whether the whole page is ours, and its colours with it.
    pub(crate) owns_page: bool,
}

#[component]
pub(crate) fn Bar(props: &Props) -> Html {
    let session = &props.session.0;
    let emit = &props.emit;
    let (theme_icon, theme_label) = match session.theme {
        Theme::Auto => (Icon::Auto, ui::THEME_AUTO),
        Theme::Light => (Icon::Light, ui::THEME_LIGHT),
        Theme::Dark => (Icon::Dark, ui::THEME_DARK),
    };
    // On narrow screens a list with nothing else to pick makes room.
    let only_one = session.lesson.is_some() && lessons::all().len() == 1;
    html! {
        <header class="bar">
            <h1 class="brand">{ ui::APP }</h1>
            <div class={classes!("bar-lesson", only_one.then_some("only-one"))}>{ lessons_picker(session, emit) }</div>
            <div class="bar-lanes" role="group" aria-label={ui::KERNELS}>
                { for (0..session.shown.lanes.len()).map(|lane| chip(session, emit, lane)) }
                if session.shown.lanes.len() < MAX_LANES as usize {
                    <Button label={ui::ADD_LANE} icon={Icon::Plus} icon_only=true on_press={send(emit, Action::AddLane)} />
                }
            </div>
            <div class="bar-tools" role="group" aria-label={ui::TOOLS}>
                <Button label={ui::OPEN} icon={Icon::Open} class="quiet folds" key_hint="O" on_press={send(emit, Action::Open(Overlay::Import))} />
                <Button label={ui::SHARE} icon={Icon::Link} class="quiet folds" on_press={send(emit, Action::Open(Overlay::Share))} />
                if props.owns_page {
                    <Button label={theme_label} icon={theme_icon} icon_only=true class="quiet"
                        on_press={send(emit, Action::Theme(session.theme.next()))} />
                }
                <Button label={ui::HELP} icon={Icon::Help} icon_only=true class="quiet" key_hint="?" on_press={send(emit, Action::Open(Overlay::Help))} />
            </div>
        </header>
    }
}

/// The value of the choice that stands for a program that a person brought.
const OWN: &str = "";

fn lessons_picker(session: &Session, emit: &Emit) -> Html {
    let mut choices: Vec<(AttrValue, AttrValue)> = lessons::all()
        .iter()
        .map(|lesson| {
            (
                lesson.id.into(),
                say::lesson::about(lesson.id)
                    .map_or(lesson.id, |about| about.title)
                    .into(),
            )
        })
        .collect();
    let value = session.lesson.map_or(OWN, |lesson| lesson.id);
    if session.lesson.is_none() {
        let title = session.timeline().scenario().title.clone();
        choices.push((
            OWN.into(),
            if title.is_empty() {
                ui::OWN_PROGRAM.into()
            } else {
                title.into()
            },
        ));
    }
    let on_pick = {
        let emit = emit.clone();
        Callback::from(move |id: String| {
            if let Some(lesson) = lessons::find(&id) {
                emit.emit(Action::Lesson(lesson.id));
            }
        })
    };
    html! { <Picker label={ui::LESSON} {choices} {value} {on_pick} /> }
}

fn chip(session: &Session, emit: &Emit, lane: usize) -> Html {
    let shown = &session.shown.lanes[lane];
    let kernel = shown.kernel;
    let switched = kernel.changes() != kernel.release().changes;
    let choices: Vec<(AttrValue, AttrValue)> = Release::ALL
        .iter()
        .rev()
        .map(|release| (release.id.into(), ui::release(release).into()))
        .collect();
    let on_pick = {
        let emit = emit.clone();
        Callback::from(move |id: String| {
            if let Some(release) = Release::find(&id) {
                emit.emit(Action::SetKernel(lane, Kernel::new(release)));
            }
        })
    };
    html! {
        <div key={lane} class={classes!("chip", lane_class(lane))} title={kernel.to_string()}>
            <span class="letter" aria-hidden="true">{ shown.letter }</span>
            <Picker label={ui::kernel_of(shown.letter)} {choices} value={kernel.release().id} {on_pick} />
            if switched { <span class="switched">{ ui::switched(kernel) }</span> }
            <Button label={ui::changes_of(shown.letter)} icon={Icon::Switches} icon_only=true
                on_press={send(emit, Action::Open(Overlay::Kernel(lane)))} />
        </div>
    }
}
