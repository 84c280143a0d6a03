//! Why a lane did what it did: one sentence, the condition with its numbers, where it stands in the kernel, and every
//! decision on the way.

use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::{
    AlignVerdict, Change, Direction, Event, MergeForm, MergeRefusal, Outcome, PlacedBy, Range, Side,
};

use crate::say::event::Tone;
use crate::say::{self, num};

/// Why a lane did what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What happened and what decided it.
    pub sentence: String,
    /// The comparison that decided, with its operands, in the kernel's terms.
    pub condition: Option<String>,
    /// The function that made the decision, with `()`; empty at the start.
    pub function: &'static str,
    /// The commit that made the condition.
    pub commit: Option<Change>,
    /// What the other branch would have done.
    pub not_taken: Option<String>,
    /// Every decision, oldest first, at most [`DETAILS`] of them.
    pub details: Vec<Detail>,
    /// Decisions left out in the middle, after the first half of `details`.
    pub left_out: usize,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Which decision of the call, from 1: the micro-step that shows it.
    pub micro: u32,
    /// What it was.
    pub text: String,
    /// What came of it.
    pub tone: Tone,
    /// The function that made it.
    pub function: &'static str,
}

/// Decisions listed at most.
pub const DETAILS: usize = 200;

/// Why lane `lane` did what it did. `None` if there is no such lane.
pub fn why(frame: &Frame, lane: usize) -> Option<Why> {
    let lane = frame.lanes.get(lane)?;
    let mut why = headline(frame, lane);
    let half = DETAILS / 2;
    let all = lane.events.len();
    why.left_out = all.saturating_sub(DETAILS);
    let shown = (0..all).filter(|at| *at < half || *at >= half + why.left_out);
    why.details = shown.map(|at| detail(lane, at)).collect();
    Some(why)
}

fn detail(lane: &LaneFrame, at: usize) -> Detail {
    let event = &lane.events[at];
    let (text, tone) = say::event::event(lane.machine, event);
    let micro = u32::try_from(at + 1).unwrap_or(u32::MAX);
    Detail {
        micro,
        text,
        tone,
        function: say::source::function(lane.kernel, event, direction(lane, at)),
    }
}

/// The direction of the search that an event belongs to.
fn direction(lane: &LaneFrame, at: usize) -> Direction {
    let is = |event: &Event| match event {
        Event::Search { direction, .. } => Some(*direction),
        _ => None,
    };
    let (before, after) = lane.events.split_at(at.min(lane.events.len()));
    let found = before
        .iter()
        .rev()
        .find_map(is)
        .or_else(|| after.iter().find_map(is));
    found.unwrap_or(if lane.machine.settings().legacy_layout {
        Direction::BottomUp
    } else {
        Direction::TopDown
    })
}

fn plain(sentence: String, function: &'static str) -> Why {
    Why {
        sentence,
        condition: None,
        function,
        commit: None,
        not_taken: None,
        details: Vec::new(),
        left_out: 0,
    }
}

fn headline(frame: &Frame, lane: &LaneFrame) -> Why {
    if frame.call.is_none() {
        return plain(
            format!("Before the first call: {}.", say::picture::sum(lane)),
            "",
        );
    }
    let Some(outcome) = lane.outcome else {
        return half_way(lane);
    };
    if let Some(refused) = refused(lane) {
        return refused;
    }
    match outcome {
        Outcome::NotModelled(what) => {
            plain(say::sentence(say::outcome::not_modelled(what)) + ".", "")
        }
        Outcome::Signal { .. } | Outcome::Touched(_) => touched(lane, outcome),
        Outcome::Address(_) | Outcome::Done | Outcome::Error(_) => match placed(lane) {
            Some(range) => mapped(lane, range),
            None => done(lane),
        },
    }
}

/// The call is not over: the decision just made is the headline.
fn half_way(lane: &LaneFrame) -> Why {
    match lane.events.len().checked_sub(1) {
        Some(last) => {
            let Detail { text, function, .. } = detail(lane, last);
            let mut why = plain(text, function);
            if let Some(Event::Alignment { len, hint, verdict }) = lane.events.last() {
                why.condition = say::event::alignment_condition(lane.kernel, *len, *hint, *verdict);
                why.commit = say::event::alignment_commit(lane.kernel, *verdict);
            }
            if let Some(Event::MergeTried {
                verdict: Err(reason),
                ..
            }) = lane.events.last()
            {
                why.condition = say::merge::condition(*reason);
                why.commit = say::merge::commit(*reason);
            }
            why
        }
        None => plain("The call begins; nothing is decided yet.".to_owned(), ""),
    }
}

fn refused(lane: &LaneFrame) -> Option<Why> {
    let (errno, reason) = lane.events.iter().rev().find_map(|event| match event {
        Event::Refused { errno, reason } => Some((*errno, *reason)),
        _ => None,
    })?;
    let says = say::refusal::sentence(lane.machine, reason);
    let sentence = match lane.outcome {
        Some(Outcome::Address(brk)) => format!("The break stays at {brk:#x}: {says}."),
        _ => format!("Refused with {}: {says}.", errno.name()),
    };
    let mut why = plain(sentence, say::refusal::function(lane.kernel, reason));
    why.condition = say::refusal::condition(reason);
    Some(why)
}

fn placed(lane: &LaneFrame) -> Option<Range> {
    lane.events.iter().find_map(|event| match event {
        Event::Placed { range, .. } => Some(*range),
        _ => None,
    })
}

/// A new mapping: where it went, and whether it joined a neighbour.
fn mapped(lane: &LaneFrame, range: Range) -> Why {
    let mut sentence = format!("Placed at {:#x}", range.start);
    let by = lane.events.iter().find_map(|event| match event {
        Event::Placed { by, .. } => Some(*by),
        _ => None,
    });
    sentence.push_str(match by {
        Some(PlacedBy::Fixed) => ", as MAP_FIXED says",
        Some(PlacedBy::Hint) => ", as the hint asks",
        Some(PlacedBy::AlignedSearch) => ", on a 2 MiB boundary",
        Some(PlacedBy::Search) | None => match direction(lane, lane.events.len()) {
            Direction::TopDown => ", at the upper end of the highest gap that fits",
            Direction::BottomUp => ", at the lower end of the lowest gap that fits",
        },
    });
    sentence.push_str(&joined(lane));
    sentence.push('.');
    let mut why = plain(sentence, say::source::get_unmapped_area(lane.kernel));
    let alignment = lane.events.iter().find_map(|event| match event {
        Event::Alignment { len, hint, verdict } => Some((*len, *hint, *verdict)),
        _ => None,
    });
    if let Some((len, hint, verdict)) = alignment {
        why.condition = say::event::alignment_condition(lane.kernel, len, hint, verdict);
        why.commit = say::event::alignment_commit(lane.kernel, verdict);
        why.not_taken =
            say::event::alignment_not_taken(lane.kernel, len, verdict, packed(lane, len));
        if matches!(verdict, AlignVerdict::Fixed) {
            why.function = say::source::mmap_region(lane.kernel);
        }
    }
    if let Some(reason) = telling_refusal(lane).map(|(_, reason)| reason)
        && why.commit.is_none()
    {
        why.commit = say::merge::commit(reason);
    }
    why
}

/// What came of the neighbours, to be appended.
fn joined(lane: &LaneFrame) -> String {
    let merged = lane.events.iter().find_map(|event| match event {
        Event::Merged { form, range, .. } => Some((*form, *range)),
        _ => None,
    });
    match merged {
        Some((
            form @ (MergeForm::NewIntoPrev | MergeForm::NewIntoNext | MergeForm::NewBetween),
            range,
        )) => {
            format!(
                "; {}, {} in all",
                say::merge::form(form),
                num::size(range.len())
            )
        }
        _ => match telling_refusal(lane) {
            Some((side, reason)) => format!("; not merged: {}", say::merge::refusal(side, reason)),
            None => String::new(),
        },
    }
}

/// The refusal that says most about why a new range stands alone: a neighbour that touches it before one that does
/// not, the upper one before the lower one.
fn telling_refusal(lane: &LaneFrame) -> Option<(Side, MergeRefusal)> {
    let refusals = lane.events.iter().filter_map(|event| match event {
        Event::MergeTried {
            side,
            verdict: Err(reason),
            ..
        } => Some((*side, *reason)),
        _ => None,
    });
    refusals.min_by_key(|(side, reason)| {
        let touches = match reason {
            MergeRefusal::Gap(_) => 1,
            MergeRefusal::NoNeighbour => 2,
            MergeRefusal::Flags(_)
            | MergeRefusal::Special(_)
            | MergeRefusal::File
            | MergeRefusal::Pgoff { .. }
            | MergeRefusal::AnonPgoff { .. }
            | MergeRefusal::AnonVmaDiffers(..)
            | MergeRefusal::FaultedIntoUnfaulted => 0,
        };
        (touches, *side == Side::Prev)
    })
}

/// Where the mapping would lie without alignment: at the end of the highest gap that holds its bare length. Known only
/// if every gap above the one that was taken was looked at one by one.
fn packed(lane: &LaneFrame, len: u64) -> Option<u64> {
    let mut limit = None;
    for event in &lane.events {
        match event {
            Event::Search {
                direction: Direction::TopDown,
                limits,
                padded: true,
                ..
            } => limit = Some(limits.end),
            Event::Search { .. } => return None,
            Event::GuardGap { limit: lower, .. } => limit = Some(*lower),
            Event::Gap(look) if look.level > 0 => {
                // A subtree passed over as a whole: none of its gaps may hold the bare length within the limits.
                let within = limit?.saturating_sub(look.first).min(look.largest);
                if look.verdict != mmscope_mm::GapVerdict::Descend && within >= len {
                    return None;
                }
            }
            Event::Gap(look) => {
                let end = look.last.saturating_add(1).min(limit?);
                if end.saturating_sub(look.first) >= len {
                    return Some(end - len);
                }
            }
            _ => {}
        }
    }
    None
}

fn touched(lane: &LaneFrame, outcome: Outcome) -> Why {
    let signalled = lane
        .events
        .iter()
        .rposition(|event| matches!(event, Event::Signalled { .. }));
    if let Some(at) = signalled {
        let Detail { text, function, .. } = detail(lane, at);
        return plain(text, function);
    }
    let faults = lane
        .events
        .iter()
        .filter(|event| matches!(event, Event::Fault { .. }))
        .count();
    let accesses = say::sentence(&say::outcome::value(outcome));
    let last = lane.events.iter().rposition(|event| {
        matches!(
            event,
            Event::AnonVma { .. } | Event::Grown { .. } | Event::Fault { .. }
        )
    });
    match last {
        Some(at) if faults > 0 => {
            let Detail { text, function, .. } = detail(lane, at);
            plain(format!("{accesses}. {text}"), function)
        }
        _ => plain(
            format!("{accesses}; everything needed was mapped already."),
            "handle_mm_fault()",
        ),
    }
}

/// munmap, mprotect, brk, setrlimit: the last decision that changed something.
fn done(lane: &LaneFrame) -> Why {
    let tells = |event: &Event| {
        matches!(
            event,
            Event::Merged { .. }
                | Event::NewVma { .. }
                | Event::Unmap { .. }
                | Event::FlagsChanged { .. }
                | Event::Unchanged { .. }
                | Event::Break { .. }
                | Event::LimitSet
        )
    };
    let mut sentences = Vec::new();
    let mut function = "";
    for (at, event) in lane.events.iter().enumerate() {
        if tells(event) && sentences.len() < 3 {
            let told = detail(lane, at);
            sentences.push(told.text);
            function = told.function;
        }
    }
    if sentences.is_empty() {
        return plain("Nothing was mapped there: nothing to do.".to_owned(), "");
    }
    let mut why = plain(sentences.join(" "), function);
    if let Some((_, reason)) = telling_refusal(lane)
        && !lane
            .events
            .iter()
            .any(|event| matches!(event, Event::Merged { .. }))
    {
        why.condition = say::merge::condition(reason);
        why.commit = say::merge::commit(reason);
    }
    why
}
