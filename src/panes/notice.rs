//! A message that stays until the person has seen it.

use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Emit, send};
use crate::controls::button::Button;
use crate::controls::copy::Copy;
use crate::controls::icon::Icon;
use crate::session::{Action, Session};

pub(crate) fn view(session: &Session, emit: &Emit) -> Html {
    let Some(notice) = &session.notice else {
        return Html::default();
    };
    html! {
        <div class="notice" role="alert">
            <div>
                <p><strong>{ &notice.text }</strong></p>
                if let Some(keep) = &notice.keep {
                    <p class="muted">{ ui::NOTICE_KEPT }</p>
                    <Copy label={ui::NOTICE_LINK} text={keep.clone()} />
                }
            </div>
            <Button label={ui::CLOSE} icon={Icon::Close} icon_only=true class="quiet" on_press={send(emit, Action::CloseNotice)} />
        </div>
    }
}
