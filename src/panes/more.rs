//! The parts of the page that the first lesson does not need. The build that comes first has none of them: they would take
//! most of what the page may weigh.

use yew::prelude::*;

use super::{Emit, Whole};

/// Such a part, whole; `None` if none is to be shown, or this build has none.
#[cfg(feature = "full")]
pub(crate) fn view(session: &Whole, emit: &Emit) -> Option<Html> {
    use super::maps::MapsPane;
    use super::pictures::PicturePane;
    use super::tlb::TlbPane;
    use crate::session::tree::Part;
    match session.0.part {
        Part::Why => None,
        Part::Tlb => Some(html! { <TlbPane session={session.clone()} emit={emit.clone()} /> }),
        Part::Maps => Some(html! { <MapsPane session={session.clone()} emit={emit.clone()} /> }),
        part @ (Part::Tree | Part::Pages) => Some(html! {
            <PicturePane key={part.name()} session={session.clone()} emit={emit.clone()} />
        }),
    }
}

/// Such a part, whole; `None` if none is to be shown, or this build has none.
#[cfg(not(feature = "full"))]
pub(crate) fn view(_: &Whole, _: &Emit) -> Option<Html> {
    None
}
