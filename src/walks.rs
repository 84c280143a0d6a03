//! Walks through the mappings of the lanes, run in slices beside the page: a walk may be millions of accesses.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use gloo_render::request_animation_frame;
use mmscope_figure::tlb::LaneWalk;
use mmscope_lab::Position;
use mmscope_lab::streams::tlb::Event;
use mmscope_lab::streams::{LaneRun, Streams, StreamsError};
use yew::{hook, use_effect_with, use_mut_ref, use_state, use_state_eq};

use crate::platform::clock;
use crate::session::Session;
use crate::session::tlb::TlbLook;

/// A slice takes about this long.
const SLICE_MS: f64 = 8.0;
/// Accesses between two looks at the clock.
const CHUNK: u64 = 50_000;

/// The walks of all lanes, as far as they have come.
#[derive(Clone, Default)]
pub(crate) struct Walks(Rc<RefCell<Vec<LaneWalk>>>);

impl Walks {
    /// A walk for each lane.
    pub(crate) fn lanes(&self) -> Ref<'_, Vec<LaneWalk>> {
        self.0.borrow()
    }

    /// Accesses done and all, of the walk that is longest.
    pub(crate) fn progress(&self) -> (u64, u64) {
        let lanes = self.lanes();
        let runs = lanes.iter().filter_map(|walk| walk.run.as_ref().ok());
        let of = runs.map(|run| (run.done(), run.total()));
        of.max_by_key(|(_, total)| *total).unwrap_or((0, 0))
    }

    /// Sets a walk up in each lane.
    fn begin(&self, session: &Session, streams: &Result<Streams, StreamsError>) {
        let timeline = session.timeline();
        let walk = |lane| LaneWalk {
            run: match streams {
                Ok(streams) => streams.in_lane(&timeline, lane),
                Err(error) => Err(error.clone()),
            },
            last: Vec::new(),
        };
        *self.0.borrow_mut() = (0..timeline.lane_count()).map(walk).collect();
    }

    /// Whether a walk has gone farther than that.
    fn is_past(&self, at: Option<u64>) -> bool {
        let at = at.unwrap_or(u64::MAX);
        let lanes = self.lanes();
        let mut runs = lanes.iter().filter_map(|walk| walk.run.as_ref().ok());
        // The last access is watched: it has to be still to come.
        runs.any(|run| run.done() >= at.min(run.total() + 1))
    }

    /// Runs for a slice, at most up to an access; whether all have come there.
    fn slice(&self, at: Option<u64>) -> bool {
        let begin = clock::now_ms();
        for walk in &mut *self.0.borrow_mut() {
            let LaneWalk { run: Ok(run), last } = walk else {
                continue;
            };
            if !go(run, last, at, begin) {
                return false;
            }
        }
        true
    }
}

/// Runs one walk up to an access; the very last one, if it is a place of the reader's own, is watched.
fn go(run: &mut LaneRun, last: &mut Vec<Event>, at: Option<u64>, begin: f64) -> bool {
    let end = at.unwrap_or(u64::MAX).min(run.total());
    let unwatched = match at {
        Some(_) => end.saturating_sub(1),
        None => end,
    };
    while run.done() < unwatched {
        let chunk = CHUNK.min(unwatched - run.done());
        if run.run(chunk) == 0 {
            break;
        }
        if clock::now_ms() - begin > SLICE_MS {
            return run.done() >= end;
        }
    }
    if run.done() < end {
        last.clear();
        run.step(end - run.done(), &mut |event| last.push(event));
    }
    true
}

/// What a walk is made from.
#[derive(Clone, PartialEq)]
struct Key {
    program: u32,
    position: Position,
    look: TlbLook,
}

/// The walks of what is shown. The number is another one each time that they have come farther.
#[hook]
pub(crate) fn use_walks(session: &Rc<Session>) -> (Walks, u32) {
    let walks = use_state(Walks::default);
    let walks = Walks::clone(&walks);
    let before = use_mut_ref(|| None::<Key>);
    let version = use_state_eq(|| 0u32);
    let key = Key {
        program: session.program,
        position: session.shown.position,
        // Choosing a set changes no walk.
        look: TlbLook {
            set: None,
            ..TlbLook::clone(&session.tlb)
        },
    };
    let finished = use_mut_ref(|| true);
    {
        let (walks, version, session) = (walks.clone(), version.clone(), session.clone());
        let finished = finished.clone();
        use_effect_with(key, move |key| {
            let at = key.look.at;
            if !key.goes_on(before.borrow().as_ref()) || walks.is_past(at) {
                let scenario =
                    Streams::through(session.timeline().scenario(), key.look.tlb.as_deref());
                let streams = scenario.map(|streams| Streams {
                    pages: key.look.pages,
                    ..streams
                });
                walks.begin(&session, &streams);
            }
            *before.borrow_mut() = Some(key.clone());
            *finished.borrow_mut() = walks.slice(at);
            version.set(*version + 1);
        });
    }
    {
        let (walks, at, next) = (walks.clone(), session.tlb.at, version.clone());
        use_effect_with(*version, move |_| {
            let goes_on = !*finished.borrow();
            let frame = goes_on.then(|| {
                request_animation_frame(move |_| {
                    *finished.borrow_mut() = walks.slice(at);
                    next.set(*next + 1);
                })
            });
            move || drop(frame)
        });
    }
    (walks, *version)
}

impl Key {
    /// Whether the walks of another key can go on for this one: only the place in them may differ.
    fn goes_on(&self, before: Option<&Key>) -> bool {
        before.is_some_and(|before| {
            let look = TlbLook {
                at: self.look.at,
                ..before.look.clone()
            };
            (before.program, before.position) == (self.program, self.position) && look == self.look
        })
    }
}
