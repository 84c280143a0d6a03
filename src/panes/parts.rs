//! The parts of the page that share the room under the address space.

use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Emit, send};
use crate::controls::button::Button;
use crate::session::Action;
use crate::session::tree::Part;

/// Which part is shown, and the way to the others.
pub(crate) fn view(shown: Part, emit: &Emit) -> Html {
    let part = |part: Part, label: &'static str, key: &'static str| {
        html! {
            <Button {label} class="part" key_hint={key} pressed={part == shown}
                on_press={send(emit, Action::Part(part))} />
        }
    };
    html! {
        <nav class="parts" aria-label={ui::PARTS}>
            { part(Part::Why, ui::PART_WHY, "1") }
            { part(Part::Tree, ui::PART_TREE, "2") }
            { part(Part::Pages, ui::PART_PAGES, "3") }
            { part(Part::Maps, ui::PART_MAPS, "4") }
            { part(Part::Tlb, ui::PART_TLB, "5") }
            <span class="loading" role="status">{ if shown.is_here() { "" } else { ui::PART_LOADING } }</span>
        </nav>
    }
}
