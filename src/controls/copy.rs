//! A text to take along, with a button that copies it.

use mmscope_figure::say::ui;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::button::Button;
use crate::platform::clipboard;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) label: AttrValue,
    pub(crate) text: AttrValue,
}

#[component]
pub(crate) fn Copy(props: &Props) -> Html {
    let node = use_node_ref();
    let copied = use_state_eq(|| None::<bool>);
    let on_press = {
        let (text, copied, node) = (props.text.clone(), copied.clone(), node.clone());
        Callback::from(move |()| {
            let (text, copied, node) = (text.clone(), copied.clone(), node.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let done = clipboard::write(&text).await;
                if !done && let Some(area) = node.cast::<HtmlTextAreaElement>() {
                    area.select();
                }
                copied.set(Some(done));
            });
        })
    };
    let told = match *copied {
        None => "",
        Some(true) => ui::COPIED,
        Some(false) => ui::COPY_BY_HAND,
    };
    html! {
        <div class="copy">
            <textarea ref={node} class="mono" readonly=true rows="3" aria-label={props.label.clone()} value={props.text.clone()} />
            <div class="copy-row">
                <Button label={ui::COPY} {on_press} class="primary" />
                <span role="status">{ told }</span>
            </div>
        </div>
    }
}
