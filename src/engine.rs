//! Long work in slices or elsewhere, so that the page stays quick: running ahead for the tracks, playing, reading traces.

use std::cell::Cell;
use std::rc::Rc;

use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use yew::{hook, use_effect, use_effect_with, use_mut_ref, use_state_eq};

use crate::panes::Emit;
use crate::platform::{clock, full, importer};
use crate::session::{Action, Session};
use crate::stage::Stage;

/// A slice takes about this long.
const SLICE_MS: f64 = 8.0;
/// Calls in the first slice: how long one takes is not known yet.
const FIRST_CALLS: u32 = 64;
const MOST_CALLS: u32 = 20_000;

/// Runs the program ahead, a slice in each animation frame, until all of it is known. Another program starts anew.
#[hook]
pub(crate) fn use_survey(session: &Session, emit: Emit) {
    let calls = use_mut_ref(|| FIRST_CALLS);
    let pending = use_mut_ref(|| None::<AnimationFrame>);
    let key = (
        session.program,
        session.surveyed.done,
        session.surveyed.is_complete(),
    );
    use_effect_with(key, move |&(_, _, complete)| {
        if !complete {
            let frame = request_animation_frame(move |_| {
                let count = *calls.borrow();
                let begin = clock::now_ms();
                emit.emit(Action::Survey(count));
                let took = (clock::now_ms() - begin).max(0.1);
                let next = f64::from(count) * bounded(SLICE_MS / took, 0.25, 4.0);
                *calls.borrow_mut() = (next as u32).clamp(1, MOST_CALLS);
            });
            *pending.borrow_mut() = Some(frame);
        }
        let cancel = pending.clone();
        move || {
            cancel.borrow_mut().take();
        }
    });
}

/// Lets the importer read what the session asks it to.
#[hook]
pub(crate) fn use_importer(session: &Session, emit: Emit) {
    use_effect_with(session.asked.clone(), move |asked| {
        if let Some(asked) = asked.clone() {
            wasm_bindgen_futures::spawn_local(async move {
                let answer =
                    importer::ask(&asked.text, asked.maps.as_deref(), &asked.kernels).await;
                emit.emit(Action::Imported(asked, answer));
            });
        }
    });
}

/// Loads the full build of the app when a part is to be shown that this one does not have, and gives way to it once
/// nothing is under way.
#[hook]
pub(crate) fn use_full(session: &Rc<Session>, stage: &Stage, owns_page: bool, emit: Emit) {
    let build = use_state_eq(|| None::<full::Build>);
    let is_here = session.part.is_here();
    {
        let (build, emit) = (build.setter(), emit.clone());
        use_effect_with(is_here, move |&is_here| {
            if !is_here {
                wasm_bindgen_futures::spawn_local(async move {
                    match full::load().await {
                        Some(loaded) => build.set(Some(loaded)),
                        None => emit.emit(Action::PartMissing),
                    }
                });
            }
        });
    }
    let (session, stage) = (session.clone(), stage.clone());
    use_effect(move || {
        if let Some(build) = build.as_ref().filter(|_| !is_here && session.is_at_rest())
            && !stage.give_way(build, &session, owns_page)
        {
            emit.emit(Action::PartMissing);
        }
    });
}

/// `f64::clamp` without its message about bounds, which would bring 10 kB of code that prints such numbers.
#[allow(clippy::manual_clamp, reason = "see above")]
pub(crate) fn bounded(number: f64, least: f64, most: f64) -> f64 {
    number.max(least).min(most)
}

/// Steps by itself while the session plays.
#[hook]
pub(crate) fn use_playback(session: &Session, emit: Emit) {
    let key = (session.playing, session.pace, session.shown.position.step);
    use_effect_with(key, move |&(playing, pace, _)| {
        let timer = playing.then(|| {
            let wait_ms = 1000.0 / f64::from(pace).exp2();
            Timeout::new(wait_ms as u32, move || emit.emit(Action::Tick))
        });
        move || drop(timer)
    });
}

/// Calls `late` a little after the last of many changes.
#[hook]
pub(crate) fn use_settled<T: PartialEq + 'static>(
    value: T,
    wait_ms: u32,
    late: impl FnOnce() + 'static,
) {
    let done = Rc::new(Cell::new(Some(late)));
    use_effect_with(value, move |_| {
        let timer = Timeout::new(wait_ms, move || {
            if let Some(late) = done.take() {
                late();
            }
        });
        move || drop(timer)
    });
}
