//! A session from one build of the app to the other, as texts: all that a person has, be it too long for a link or not in
//! one.

use std::rc::Rc;

use mmscope_figure::imported::Imported;
use mmscope_lab::link;

use super::import::{Boxes, Draft, Report};
use super::{Keep, Notice, Session, TRIED_STEPS, state};

/// Words of the view that no link has.
const PACE: &str = "pace";
const PLAYING: &str = "playing";
const SAID: &str = "said";
const KEYS: &str = "keys";

/// How many texts a session is.
const TEXTS: usize = 9;

/// The session as texts: its state as a link would say it, the importer's answer, the boxes and what stood there before,
/// the message, what it keeps and how. What is not there is empty.
pub(crate) fn give(session: &Session) -> [String; TEXTS] {
    let mut whole = state::whole(session);
    let mut put = |word: &str, value: String| {
        whole.view.insert(word.to_owned(), value);
    };
    put(PACE, session.pace.to_string());
    put(PLAYING, u8::from(session.playing).to_string());
    put(KEYS, u8::from(session.single_keys).to_string());
    if let Some((stop, number)) = session.said {
        put(SAID, format!("{stop} {number}"));
    }
    let report = session.report.as_ref();
    let boxes = session.boxes();
    let before = session.draft.previous.clone().unwrap_or_default();
    let (text, kept, how) = match session.notice.as_deref() {
        None => (String::new(), String::new(), ""),
        Some(Notice { text, keep }) => {
            let (kept, how) = match keep {
                None => (String::new(), ""),
                Some(Keep::Link(link)) => (link.clone(), "link"),
                Some(Keep::LinkPart(link)) => (link.clone(), "part"),
                Some(Keep::Program) => (String::new(), "program"),
            };
            (text.clone(), kept, how)
        }
    };
    [
        link::print(&whole),
        report.map_or_else(String::new, |report| report.answer.to_string()),
        boxes.text,
        boxes.maps,
        before.text,
        before.maps,
        text,
        kept,
        how.to_owned(),
    ]
}

/// The session that [`give`] wrote; `None` if it is anything else.
pub(crate) fn take(texts: Vec<String>) -> Option<Session> {
    let [
        state,
        answer,
        text,
        maps,
        text_before,
        maps_before,
        told,
        kept,
        how,
    ] = <[String; TEXTS]>::try_from(texts).ok()?;
    let whole = link::parse(&state);
    let view = whole.as_ref().ok()?.view.clone();
    let word = |word: &str| view.get(&word.to_owned()).map(String::as_str);
    let opened = state::opened(whole).ok()?;
    let mut session = opened.session;
    session.theme = opened.theme.unwrap_or_default();
    session.pace = word(PACE)?.parse().ok()?;
    session.playing = word(PLAYING)? == "1";
    session.single_keys = word(KEYS)? == "1";
    session.said = word(SAID).and_then(|said| {
        let (stop, number) = said.split_once(' ')?;
        Some((stop.parse().ok()?, number.parse().ok()?))
    });
    if let Some(Imported::Program { report, .. }) = Imported::parse(&answer) {
        session.report = Some(Rc::new(Report::new(&answer, report)));
    }
    let before = Boxes {
        text: text_before,
        maps: maps_before,
    };
    session.fill(Draft {
        text,
        maps: Some(maps),
        problem: None,
        previous: Some(before).filter(|boxes| !boxes.is_empty()),
        edition: 0,
    });
    if !told.is_empty() {
        let keep = match how.as_str() {
            "link" => Some(Keep::Link(kept)),
            "part" => Some(Keep::LinkPart(kept)),
            "program" => Some(Keep::Program),
            _ => None,
        };
        session.notice = Some(Rc::new(Notice { text: told, keep }));
    }
    if u64::from(session.shown.steps) <= TRIED_STEPS {
        session.timeline.borrow_mut().survey(u32::MAX);
    }
    session.show();
    Some(session)
}
