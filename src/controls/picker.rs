//! A list to pick one of.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    /// What is picked.
    pub(crate) label: AttrValue,
    /// Value and text of each choice.
    pub(crate) choices: Vec<(AttrValue, AttrValue)>,
    pub(crate) value: AttrValue,
    pub(crate) on_pick: Callback<String>,
    #[prop_or_default]
    pub(crate) class: Classes,
}

#[component]
pub(crate) fn Picker(props: &Props) -> Html {
    let node = use_node_ref();
    // A person may have chosen something that was then refused: what is shown is always what holds.
    {
        let node = node.clone();
        let value = props.value.clone();
        use_effect(move || {
            if let Some(select) = node.cast::<HtmlSelectElement>() {
                select.set_value(&value);
            }
        });
    }
    let onchange = {
        let on_pick = props.on_pick.clone();
        Callback::from(move |event: Event| {
            if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
                on_pick.emit(select.value());
            }
        })
    };
    html! {
        <select ref={node} class={classes!("picker", props.class.clone())} aria-label={props.label.clone()} {onchange}>
            { for props.choices.iter().map(|(value, text)| html! { <option key={value.as_str()} value={value.clone()}>{ text }</option> }) }
        </select>
    }
}
