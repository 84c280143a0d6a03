//! Why each lane did what it did: the sentence, the condition with its numbers, where it stands in the kernel, the
//! branch not taken, and every decision on the way.

use mmscope_figure::say::event::Tone;
use mmscope_figure::say::ui;
use mmscope_figure::{Detail, Why};
use mmscope_lab::Position;
use web_sys::Element;
use yew::prelude::*;

use super::{Emit, Step, lane_class};
use crate::session::Action;
use crate::session::shown::ShownLane;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) step: Step,
    pub(crate) emit: Emit,
}

#[component]
pub(crate) fn WhyPane(props: &Props) -> Html {
    let shown = &props.step.0;
    let open = use_state_eq(|| false);
    let step = shown.position.step;
    let onclick = {
        let emit = props.emit.clone();
        Callback::from(move |event: MouseEvent| {
            let micro = event
                .target_dyn_into::<Element>()
                .and_then(|element| element.closest("[data-micro]").ok().flatten())
                .and_then(|element| element.get_attribute("data-micro"))
                .and_then(|micro| micro.parse().ok());
            if let Some(micro) = micro {
                emit.emit(Action::Go(Position {
                    step,
                    micro: Some(micro),
                }));
            }
        })
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <section class="why" aria-label={ui::WHY}>
            <div class="part-head">
                <h2>{ ui::WHY }</h2>
                if shown.micro_steps() > 0 {
                    <button type="button" class="button small end" aria-expanded={if *open { "true" } else { "false" }} onclick={toggle}>
                        { ui::all_decisions(shown.micro_steps()) }
                    </button>
                }
            </div>
            <div class="columns" tabindex="0" role="group" aria-label={ui::WHY} {onclick}>
                { for shown.lanes.iter().enumerate().map(|(index, lane)| column(index, lane, shown.position, *open)) }
            </div>
        </section>
    }
}

fn column(index: usize, lane: &ShownLane, position: Position, open: bool) -> Html {
    let why = &lane.why;
    html! {
        <article key={index} class={classes!("column", lane_class(index))} data-lane={lane.letter.to_string()}
            data-state-hash={format!("{:016x}", lane.state_hash)}>
            <div class="column-head">
                <span class="letter" aria-hidden="true">{ lane.letter }</span>
                <h3 title={lane.kernel.to_string()}>{ lane.kernel.to_string() }</h3>
                <span class="result mono">{ &lane.result }</span>
            </div>
            <p class="why-sentence">{ &why.sentence }</p>
            if let Some(condition) = &why.condition { <p class="why-condition mono">{ condition }</p> }
            { source(why) }
            if let Some(other) = &why.not_taken { <p class="why-other">{ other }</p> }
            if open { { details(why, position) } }
        </article>
    }
}

fn source(why: &Why) -> Html {
    if why.function.is_empty() && why.commit.is_none() {
        return Html::default();
    }
    html! {
        <p class="why-source">
            if !why.function.is_empty() { <code class="mono">{ why.function }</code> }
            if let Some(commit) = why.commit {
                <span>{ ui::commit_words(commit) }</span>
            }
        </p>
    }
}

fn details(why: &Why, position: Position) -> Html {
    let half = if why.left_out > 0 {
        why.details.len() / 2
    } else {
        why.details.len()
    };
    html! {
        <ol class="decisions">
            { for why.details.iter().take(half).map(|detail| decision(detail, position)) }
            if why.left_out > 0 { <li class="muted">{ ui::left_out(why.left_out) }</li> }
            { for why.details.iter().skip(half).map(|detail| decision(detail, position)) }
        </ol>
    }
}

fn decision(detail: &Detail, position: Position) -> Html {
    let here = position.micro == Some(detail.micro);
    let tone = match detail.tone {
        Tone::Yes => "yes",
        Tone::No => "no",
        Tone::Step => "step",
    };
    html! {
        <li>
            <button type="button" class={classes!("decision", tone)} data-micro={detail.micro.to_string()} aria-current={here.then_some("step")}>
                <span class="decision-mark" aria-hidden="true">{ match detail.tone { Tone::Yes => "✓", Tone::No => "✕", Tone::Step => "·" } }</span>
                <span>{ &detail.text }<code class="mono">{ detail.function }</code></span>
            </button>
        </li>
    }
}
