//! A window over the page. The browser keeps the focus inside and closes it on Escape.

use gloo_timers::callback::Timeout;
use mmscope_figure::say::ui;
use web_sys::{Element, HtmlDialogElement, HtmlElement};
use yew::prelude::*;

use super::button::Button;
use super::icon::Icon;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) title: AttrValue,
    pub(crate) on_close: Callback<()>,
    pub(crate) children: Html,
    #[prop_or_default]
    pub(crate) class: Classes,
}

#[component]
pub(crate) fn Dialog(props: &Props) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            // Where the focus goes back to: where it was inside the figure, else the figure, so that its keys work.
            let figure = node
                .cast::<Element>()
                .and_then(|dialog| dialog.closest(".mmscope").ok().flatten());
            let home = figure
                .clone()
                .and_then(|element| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(element).ok());
            let before = crate::platform::document()
                .and_then(|document| document.active_element())
                .filter(|active| {
                    figure
                        .as_ref()
                        .is_some_and(|figure| figure.contains(Some(active)))
                })
                .or(figure)
                .and_then(|element| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(element).ok());
            let dialog = node.cast::<HtmlDialogElement>();
            if let Some(dialog) = &dialog {
                // It throws if the element is not in a page, as in an embed that was just taken away.
                let _ = dialog.show_modal();
            }
            move || {
                if let Some(dialog) = dialog {
                    dialog.close();
                }
                if let Some(element) = before {
                    let _ = element.focus();
                }
                // What was pressed may go away with the window, as with a lane that is removed.
                Timeout::new(0, move || {
                    let lost = crate::platform::document().is_none_or(|document| {
                        let (active, body) = (document.active_element(), document.body());
                        active.is_none() || active == body.map(Into::into)
                    });
                    if let Some(figure) = home.filter(|_| lost) {
                        let _ = figure.focus();
                    }
                })
                .forget();
            }
        });
    }
    let close = {
        let on_close = props.on_close.clone();
        Callback::from(move |()| on_close.emit(()))
    };
    let oncancel = {
        let on_close = props.on_close.clone();
        Callback::from(move |event: Event| {
            event.prevent_default();
            on_close.emit(());
        })
    };
    html! {
        <dialog ref={node} class={classes!("dialog", props.class.clone())} aria-label={props.title.clone()} {oncancel}>
            <header class="dialog-head">
                <h2 title={props.title.clone()}>{ &props.title }</h2>
                <Button label={ui::CLOSE} icon={Icon::Close} icon_only=true on_press={close} class="quiet" />
            </header>
            <div class="dialog-body">{ props.children.clone() }</div>
        </dialog>
    }
}
