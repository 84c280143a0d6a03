//! A button.

use yew::prelude::*;

use super::icon::Icon;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    /// What it does: its text, or its name if only the drawing shows.
    pub(crate) label: AttrValue,
    pub(crate) on_press: Callback<()>,
    #[prop_or_default]
    pub(crate) icon: Option<Icon>,
    /// Whether the label is not shown.
    #[prop_or_default]
    pub(crate) icon_only: bool,
    /// The key that does the same, for the tooltip.
    #[prop_or_default]
    pub(crate) key_hint: Option<AttrValue>,
    /// A button that can't do anything now keeps the focus, so that a key held down does not lose its place.
    #[prop_or_default]
    pub(crate) idle: bool,
    #[prop_or_default]
    pub(crate) pressed: Option<bool>,
    #[prop_or_default]
    pub(crate) class: Classes,
}

#[component]
pub(crate) fn Button(props: &Props) -> Html {
    let onclick = {
        let (on_press, idle) = (props.on_press.clone(), props.idle);
        Callback::from(move |_: MouseEvent| {
            if !idle {
                on_press.emit(());
            }
        })
    };
    let title = match (&props.key_hint, props.icon_only) {
        (Some(key), true) => Some(AttrValue::from(
            [props.label.as_str(), " (", key.as_str(), ")"].concat(),
        )),
        (Some(key), false) => Some(key.clone()),
        (None, true) => Some(props.label.clone()),
        (None, false) => None,
    };
    html! {
        <button
            type="button"
            class={classes!("button", props.icon_only.then_some("button-icon"), props.class.clone())}
            aria-label={props.icon_only.then(|| props.label.clone())}
            aria-disabled={props.idle.then_some("true")}
            aria-pressed={props.pressed.map(|pressed| if pressed { "true" } else { "false" })}
            {title}
            {onclick}
        >
            if let Some(icon) = props.icon { { icon.draw() } }
            if !props.icon_only { <span>{ &props.label }</span> }
        </button>
    }
}
