//! A message that stays until the person has seen it.

use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Emit, send};
use crate::controls::button::Button;
use crate::controls::copy::Copy;
use crate::controls::icon::Icon;
use crate::platform::files;
use crate::session::{Action, Keep, Overlay, Session};

/// The name of a saved program.
const FILE_NAME: &str = "program.mmscope";

pub(crate) fn view(session: &Session, emit: &Emit) -> Html {
    html! {
        <>
            if session.reading { <p class="notice reading-now" role="status">{ ui::READING_TEXT }</p> }
            { notice(session, emit) }
        </>
    }
}

fn notice(session: &Session, emit: &Emit) -> Html {
    let Some(notice) = &session.notice else {
        return Html::default();
    };
    let link = |about: &'static str, link: &str| {
        html! {
            <>
                <p class="muted">{ about }</p>
                <Copy label={ui::NOTICE_LINK} text={link.to_owned()} />
            </>
        }
    };
    let kept = match &notice.keep {
        None => Html::default(),
        Some(Keep::Link(text)) => link(ui::NOTICE_KEPT, text),
        Some(Keep::LinkPart(text)) => link(ui::NOTICE_PART, text),
        Some(Keep::Program) => {
            let session = session.clone();
            let save = Callback::from(move |()| {
                files::save(FILE_NAME, &session.timeline().scenario().to_string());
            });
            html! {
                <div class="row">
                    <Button label={ui::SAVE_FILE} class="primary" on_press={save} />
                    <Button label={ui::COPY_TEXT} on_press={send(emit, Action::Open(Overlay::Share))} />
                </div>
            }
        }
    };
    html! {
        <div class="notice" role="alert">
            <div>
                <p><strong>{ &notice.text }</strong></p>
                { kept }
            </div>
            <Button label={ui::CLOSE} icon={Icon::Close} icon_only=true class="quiet" on_press={send(emit, Action::CloseNotice)} />
        </div>
    }
}
