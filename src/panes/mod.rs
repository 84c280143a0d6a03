//! The parts of the page. They hold no state of the simulation and send actions only.

pub(crate) mod address_space;
pub(crate) mod bar;
pub(crate) mod dialogs;
pub(crate) mod footer;
pub(crate) mod ledger;
pub(crate) mod lesson;
#[cfg(feature = "full")]
pub(crate) mod maps;
pub(crate) mod more;
pub(crate) mod notice;
pub(crate) mod parts;
#[cfg(feature = "full")]
pub(crate) mod pictures;
pub(crate) mod script;
pub(crate) mod table;
pub(crate) mod timeline;
#[cfg(feature = "full")]
pub(crate) mod tlb;
mod tracks;
pub(crate) mod why;

use std::rc::Rc;

use yew::Callback;

use crate::session::shown::Shown;
use crate::session::{Action, Session};

/// The session as a property: the same only if nothing in it is to be drawn anew.
#[derive(Clone)]
pub(crate) struct Whole(pub(crate) Rc<Session>);

impl PartialEq for Whole {
    fn eq(&self, other: &Whole) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The shown step as a property.
#[derive(Clone)]
pub(crate) struct Step(pub(crate) Rc<Shown>);

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Where actions go.
pub(crate) type Emit = Callback<Action>;

/// A callback that sends one action.
pub(crate) fn send(emit: &Emit, action: Action) -> Callback<()> {
    let emit = emit.clone();
    Callback::from(move |()| emit.emit(action.clone()))
}

/// The class that gives a lane its colour.
pub(crate) fn lane_class(lane: usize) -> &'static str {
    match lane {
        0 => "lane-0",
        1 => "lane-1",
        _ => "lane-2",
    }
}
