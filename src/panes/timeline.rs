//! The foot of the page: transport, the slider over all calls, and tracks of what happens in them.

use mmscope_figure::say::ui;
use mmscope_lab::Position;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{Emit, Whole, send, tracks};
use crate::controls::button::Button;
use crate::controls::icon::Icon;
use crate::draw;
use crate::platform::resize::use_width;
use crate::session::{Action, PACES};

/// Half of the slider's thumb, as the style sheet has it: the tracks lie between the thumb's two ends.
const THUMB_HALF: i32 = 8;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

#[component]
pub(crate) fn TimelinePane(props: &Props) -> Html {
    let session = &props.session.0;
    let shown = &session.shown;
    let node = use_node_ref();
    let slider = use_node_ref();
    let width = use_width(node.clone());
    let Position { step, micro } = shown.position;

    {
        let slider = slider.clone();
        use_effect_with((step, shown.steps), move |(step, _)| {
            if let Some(input) = slider.cast::<HtmlInputElement>() {
                input.set_value(&step.to_string());
            }
        });
    }
    let oninput = {
        let emit = props.emit.clone();
        Callback::from(move |event: InputEvent| {
            let value = event
                .target_dyn_into::<HtmlInputElement>()
                .and_then(|input| input.value().parse().ok());
            if let Some(step) = value {
                emit.emit(Action::Go(Position { step, micro: None }));
            }
        })
    };
    let onpace = {
        let emit = props.emit.clone();
        Callback::from(move |event: InputEvent| {
            let value = event
                .target_dyn_into::<HtmlInputElement>()
                .and_then(|input| input.value().parse().ok());
            if let Some(pace) = value {
                emit.emit(Action::Pace(pace));
            }
        })
    };

    let scene = {
        let session = session.clone();
        let surveyed = (session.program, session.surveyed.done, shown.divergence);
        use_memo((surveyed, step, width), move |(_, _, width)| {
            let room = *width - 2 * THUMB_HALF;
            (room > 0).then(|| tracks::draw(&session.timeline(), room))
        })
    };

    let at_start = step == 0;
    let at_end = step == shown.steps && micro.is_none();
    let button = |label: &'static str,
                  icon,
                  key: &'static str,
                  idle,
                  class: &'static str,
                  action| {
        html! { <Button {label} {icon} icon_only=true key_hint={key} {idle} {class} on_press={send(&props.emit, action)} /> }
    };

    html! {
        <section class="timeline" aria-label={ui::TIMELINE}>
            <div class="transport">
                <div class="transport-keys" role="group" aria-label={ui::TRANSPORT}>
                    { button(ui::FIRST, Icon::First, "Home", at_start, "first", Action::First) }
                    { button(ui::BACK, Icon::Back, "←", at_start, "back", Action::Back) }
                    <Button label={ui::STEP} icon={Icon::Forward} class="primary step" key_hint="→" idle={at_end}
                        on_press={send(&props.emit, Action::Step)} />
                    { button(ui::LAST, Icon::Last, "End", at_end, "last", Action::Last) }
                </div>
                <div class="transport-keys micros" role="group" aria-label={ui::DECISIONS}>
                    { button(ui::MICRO_BACK, Icon::MicroBack, "Shift+←", at_start, "", Action::MicroBack) }
                    <span class="micro muted">{ ui::decision_of(micro, shown.micro_steps()) }</span>
                    { button(ui::MICRO_FORWARD, Icon::MicroForward, "Shift+→", at_end, "", Action::MicroForward) }
                </div>
                <div class="transport-keys wide" role="group" aria-label={ui::MARKS}>
                    { button(ui::MARK_BACK, Icon::MarkBack, "[", at_start, "", Action::MarkBack) }
                    { button(ui::MARK_FORWARD, Icon::MarkForward, "]", at_end, "", Action::MarkForward) }
                </div>
                <output class="where">{ ui::call_of(step, shown.steps) }</output>
                <div class="transport-keys wide end" role="group" aria-label={ui::PLAYBACK}>
                    <label class="pace">
                        <span class="muted">{ ui::SPEED }</span>
                        <input type="range" min={PACES.start().to_string()} max={PACES.end().to_string()} step="1"
                            value={session.pace.to_string()} aria-valuetext={ui::pace(session.pace)} oninput={onpace} />
                    </label>
                    if session.playing {
                        { button(ui::PAUSE, Icon::Pause, "Space", false, "", Action::PlayPause) }
                    } else {
                        { button(ui::PLAY, Icon::Play, "Space", at_end, "", Action::PlayPause) }
                    }
                </div>
            </div>
            <div class="scrub" ref={node} data-surveyed={session.surveyed.is_complete().then_some("all")}>
                <input
                    ref={slider}
                    class="scrubber"
                    type="range"
                    min="0"
                    max={shown.steps.to_string()}
                    step="1"
                    aria-label={ui::SCRUBBER}
                    aria-valuetext={shown.spoken.clone()}
                    {oninput}
                />
                if let Some(scene) = scene.as_ref() { { draw::still(scene, "tracks") } }
            </div>
        </section>
    }
}
