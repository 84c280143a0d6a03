//! What a figure is to be cited by: kernels, state and version.

use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Step, lane_class};

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) step: Step,
}

#[component]
pub(crate) fn Footer(props: &Props) -> Html {
    html! {
        <footer class="foot">
            <span>{ ui::version(env!("CARGO_PKG_VERSION")) }</span>
            <span>{ ui::STATE }</span>
            { for props.step.0.lanes.iter().enumerate().map(|(index, lane)| html! {
                <span key={index} class={classes!("hash", lane_class(index))} data-lane={lane.letter.to_string()}
                    data-state-hash={format!("{:016x}", lane.state_hash)}>
                    <b>{ lane.letter }</b>{ " " }<span class="mono">{ format!("{:016x}", lane.state_hash) }</span>
                </span>
            }) }
        </footer>
    }
}
