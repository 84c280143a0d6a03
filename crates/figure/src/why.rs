//! Why a lane did what it did: one sentence, the condition with its numbers, where it stands in the kernel, and every
//! decision on the way.

use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{
    AlignMove, AlignVerdict, Call, Change, Direction, Event, GapVerdict, HintVerdict, MapFlags,
    MergeForm, MergeRefusal, Outcome, PlacedBy, Range, Side, TreeWrite,
};

use crate::otherwise::{Otherwise, aligns, otherwise, places};
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
    let event = within_limits(lane, at);
    let (text, tone) = say::event::event(lane.machine, &event);
    let micro = u32::try_from(at + 1).unwrap_or(u32::MAX);
    Detail {
        micro,
        text,
        tone,
        function: say::source::function(
            lane.kernel,
            lane.done.as_ref(),
            &event,
            direction(lane, at),
        ),
    }
}

/// An event; a look at a gap is cut to the limits of the search that it belongs to.
pub(crate) fn within_limits(lane: &LaneFrame, at: usize) -> Event {
    let event = lane.events[at];
    let Event::Gap(mut look) = event else {
        return event;
    };
    let mut limits = None;
    for event in &lane.events[..at] {
        match (event, &mut limits) {
            (
                Event::Search {
                    direction,
                    limits: found,
                    ..
                },
                _,
            ) => limits = Some((*direction, *found)),
            (Event::GuardGap { limit, .. }, Some((Direction::TopDown, limits))) => {
                limits.end = *limit;
            }
            (Event::GuardGap { limit, .. }, Some((Direction::BottomUp, limits))) => {
                limits.start = *limit;
            }
            _ => {}
        }
    }
    if let Some((_, limits)) = limits
        && look.verdict != GapVerdict::OutsideLimits
        && look.first < limits.end
        && look.last >= limits.start
    {
        look.first = look.first.max(limits.start);
        look.last = look.last.min(limits.end - 1);
        look.largest = look.largest.min((look.last - look.first).saturating_add(1));
    }
    Event::Gap(look)
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
    let low = matches!(lane.done, Some(Call::Mmap(mmap)) if mmap.flags.contains(MapFlags::BIT32));
    found.unwrap_or(if lane.machine.process().legacy_layout || low {
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
        _ if matches!(lane.done, Some(Call::Mremap(_))) => remapped(lane),
        Outcome::Address(_) | Outcome::Done | Outcome::Error(_) => match placed(lane) {
            Some(range) => mapped(lane, range),
            None => {
                let mut why = done(lane);
                if nodes_differ(frame) {
                    tell_nodes(lane, &mut why);
                }
                why
            }
        },
    }
}

/// Whether a brk asks for another number of maple tree nodes in one lane than in another.
pub(crate) fn nodes_differ(frame: &Frame) -> bool {
    let mut asked = None;
    for lane in &frame.lanes {
        let (Some(Call::Brk { .. }), Some(_)) = (lane.done, lane.outcome) else {
            return false;
        };
        let Some(nodes) = lane.nodes_of_call() else {
            continue;
        };
        if *asked.get_or_insert(nodes.asked) != nodes.asked {
            return true;
        }
    }
    false
}

/// Says which nodes a brk took, and the rule where one of the worst case decided.
fn tell_nodes(lane: &LaneFrame, why: &mut Why) {
    // First, since it is what the lanes differ in.
    why.sentence = say::outcome::nodes(lane) + " " + &why.sentence;
    let grows = lane.events.iter().find_map(|event| match event {
        Event::Nodes {
            write: TreeWrite::GrowHeap,
            nodes,
        } => Some(nodes.asked),
        _ => None,
    });
    let height = u64::from(lane.before.tree().height());
    if grows == Some(1 + 3 * height) && !lane.kernel.has(Change::PreallocFits) {
        why.condition = Some(format!("1 + 3 * height {height} = {}", 1 + 3 * height));
        why.function = say::source::PREALLOCATE;
    }
}

/// The call is not over: the decision just made is the headline.
fn half_way(lane: &LaneFrame) -> Why {
    match lane.events.len().checked_sub(1) {
        Some(last) => {
            let Detail { text, function, .. } = detail(lane, last);
            let mut why = plain(text, function);
            match lane.events.last() {
                Some(Event::Alignment { len, hint, verdict }) => {
                    why.condition =
                        say::event::alignment_condition(lane.kernel, *len, *hint, *verdict);
                    why.commit = commit(&otherwise(lane), aligns);
                }
                Some(Event::Aligned { found, how, .. }) => {
                    why.condition = say::event::abuts_condition(*found, *how);
                    why.commit = commit(&otherwise(lane), |change| change == Change::AlignAbuts);
                }
                Some(
                    Event::MergeTried {
                        verdict: Err(reason),
                        ..
                    }
                    | Event::MergeBoth {
                        verdict: Err(reason),
                        ..
                    },
                ) => why.condition = say::merge::condition(*reason),
                _ => {}
            }
            why
        }
        None => plain("The call begins; nothing is decided yet.".to_owned(), ""),
    }
}

/// The commit of this kernel that makes the difference and is of this kind, if there is one.
fn commit(all: &[Otherwise], kind: impl Fn(Change) -> bool) -> Option<Change> {
    all.iter()
        .find(|each| each.without && kind(each.change))
        .map(|each| each.change)
}

fn refused(lane: &LaneFrame) -> Option<Why> {
    let (errno, reason) = lane.events.iter().rev().find_map(|event| match event {
        Event::Refused { errno, reason } => Some((*errno, *reason)),
        _ => None,
    })?;
    let says = say::refusal::sentence(lane.machine, reason);
    let mut sentence = match lane.outcome {
        Some(Outcome::Address(brk)) => format!("The break stays at {brk:#x}: {says}."),
        _ => format!("Refused with {}: {says}.", errno.name()),
    };
    let before = changed_flags(lane);
    if !before.is_empty() {
        sentence.push_str(" What was changed before that stays changed: ");
        sentence.push_str(&before.join("; "));
        sentence.push('.');
    }
    let mut why = plain(
        sentence,
        say::refusal::function(lane.kernel, lane.done.as_ref(), reason),
    );
    why.condition = say::refusal::condition(reason);
    if let Some(bytes) = past_data_limit(lane) {
        why.function = "brk()";
        why.condition = Some(format!(
            "brk - start_brk + data {:#x} > RLIMIT_DATA {:#x} = true",
            bytes.0, bytes.1
        ));
    }
    tell_otherwise(lane, &mut why, &otherwise(lane));
    Some(why)
}

/// The first test of brk: heap and data in bytes, and the limit they pass, if they do.
fn past_data_limit(lane: &LaneFrame) -> Option<(u64, u64)> {
    let Some(Call::Brk { addr }) = lane.done else {
        return None;
    };
    let process = lane.before.process();
    let limit = process.rlimits.data?;
    let data = process.end_data.saturating_sub(process.start_data);
    let bytes = addr.checked_sub(process.start_brk)?.saturating_add(data);
    (bytes > limit).then_some((bytes, limit))
}

/// Says what the call would have come to otherwise, and which commit of this kernel makes the first difference.
fn tell_otherwise(lane: &LaneFrame, why: &mut Why, all: &[Otherwise]) {
    let brk = matches!(lane.done, Some(Call::Brk { .. }));
    why.commit = commit(all, |_| true);
    why.not_taken = say::otherwise::sentences(all, brk);
}

/// What an mprotect changed, one half sentence for each range; at most three, and how many more there are.
fn changed_flags(lane: &LaneFrame) -> Vec<String> {
    const MOST: usize = 3;
    let mut joined = None;
    let mut told = Vec::new();
    let mut more = 0u64;
    for event in &lane.events {
        match event {
            Event::Merged { form, range, .. } => joined = Some((*form, *range)),
            Event::FlagsChanged {
                range, from, to, ..
            } => {
                if told.len() < MOST {
                    told.push(say::event::flags_changed(*range, *from, *to, joined.take()));
                } else {
                    joined = None;
                    more += 1;
                }
            }
            _ => {}
        }
    }
    if more > 0 {
        told.push(format!("{} more", num::count(more, "range", "ranges")));
    }
    told
}

fn placed(lane: &LaneFrame) -> Option<Range> {
    lane.events.iter().find_map(|event| match event {
        Event::Placed { range, .. } => Some(*range),
        _ => None,
    })
}

/// A new mapping: where it went, and whether it joined a neighbour.
fn mapped(lane: &LaneFrame, range: Range) -> Why {
    let by = lane.events.iter().find_map(|event| match event {
        Event::Placed { by, .. } => Some(*by),
        _ => None,
    });
    let moved = lane.events.iter().rev().find_map(|event| match event {
        Event::Aligned { found, how, .. } => Some((*found, *how)),
        _ => None,
    });
    let mut sentence = format!("Placed at {:#x}", range.start);
    match by {
        Some(PlacedBy::Fixed) => sentence.push_str(", as MAP_FIXED says"),
        Some(PlacedBy::Hint) => {
            let raised = lane
                .events
                .iter()
                .any(|event| matches!(event, Event::HintRaised { .. }));
            sentence.push_str(if raised {
                ", where the hint was raised to: the range is free"
            } else {
                ", as the hint asks: the range is free"
            });
        }
        Some(PlacedBy::AlignedSearch) => {
            sentence.push_str(&on_boundary(lane, range.start));
            if let Some((_, AlignMove::AlreadyThere)) = moved
                && direction(lane, lane.events.len()) == Direction::TopDown
            {
                sentence.push_str(
                    "; the place found was so already, and 2 MiB stay free above the mapping",
                );
            }
            if let Some((_, AlignMove::AlreadyThereUpper)) = moved {
                sentence.push_str("; the place found was so already, and the next one up is used");
            }
        }
        Some(PlacedBy::Search) | None => sentence.push_str(&searched(lane)),
    }
    sentence.push_str(&joined(lane));
    sentence.push('.');
    let mut why = plain(sentence, say::source::get_unmapped_area(lane.kernel));
    let all = otherwise(lane);
    tell_otherwise(lane, &mut why, &all);
    let alignment = lane.events.iter().find_map(|event| match event {
        Event::Alignment { len, hint, verdict } => Some((*len, *hint, *verdict)),
        _ => None,
    });
    // The condition is that of the commit named; with none, that of the first one that would make a difference.
    let decides = why.commit.or(all.first().map(|each| each.change));
    match (decides, alignment, moved) {
        (Some(change), Some((len, hint, verdict)), _) if aligns(change) => {
            why.condition = say::event::alignment_condition(lane.kernel, len, hint, verdict);
        }
        (Some(Change::AlignAbuts), _, Some((found, how))) => {
            why.condition = say::event::abuts_condition(found, how);
            why.function = "__thp_get_unmapped_area()";
        }
        (Some(change), _, _) if !places(change) && all.iter().all(|each| !each.moved()) => {
            why.condition = touching_refusal(lane).and_then(say::merge::condition);
            why.function = made_by(lane).unwrap_or(why.function);
        }
        _ => match by {
            Some(PlacedBy::Hint) => {
                why.condition = hint_condition(lane);
                why.function =
                    say::source::arch_get_unmapped_area(direction(lane, lane.events.len()));
            }
            Some(PlacedBy::Fixed) if matches!(lane.done, Some(Call::Mremap(_))) => {
                why.function = "mremap_to()";
            }
            Some(PlacedBy::Fixed) => why.function = say::source::mmap_region(lane.kernel),
            Some(PlacedBy::AlignedSearch) => {
                why.condition = alignment
                    .filter(|(_, _, verdict)| *verdict == AlignVerdict::FileHook)
                    .and_then(|(len, hint, verdict)| {
                        say::event::alignment_condition(lane.kernel, len, hint, verdict)
                    });
            }
            Some(PlacedBy::Search) | None => {}
        },
    }
    why
}

/// mremap: what it did, where a moved range went, and whether it joined a neighbour.
fn remapped(lane: &LaneFrame) -> Why {
    let mut sentences = Vec::new();
    let mut more = 0u64;
    for (at, event) in lane.events.iter().enumerate() {
        match event {
            Event::Remap { .. } if sentences.len() < 3 => sentences.push(detail(lane, at)),
            Event::Remap { .. } => more += 1,
            _ => {}
        }
    }
    let function = sentences.last().map_or("", |told| told.function);
    let mut why = match placed(lane) {
        Some(range) => mapped(lane, range),
        None => {
            let mut why = plain(String::new(), function);
            let all = otherwise(lane);
            tell_otherwise(lane, &mut why, &all);
            why
        }
    };
    let mut sentence = String::new();
    for told in &sentences {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(&told.text);
    }
    if more > 0 {
        sentence.push_str(&format!(
            " And {} more.",
            num::count(more, "range", "ranges")
        ));
    }
    if !why.sentence.is_empty() {
        sentence.push(' ');
        sentence.push_str(&why.sentence);
    }
    why.sentence = sentence;
    why
}

/// How an aligned address lies.
fn on_boundary(lane: &LaneFrame, addr: u64) -> String {
    match lane.done {
        Some(Call::Mmap(mmap)) if !addr.is_multiple_of(PMD_SIZE) => {
            format!(", congruent to its offset {:#x} modulo 2 MiB", mmap.offset)
        }
        _ => ", on a 2 MiB boundary".to_owned(),
    }
}

/// Where a search without alignment found room.
fn searched(lane: &LaneFrame) -> String {
    let last = lane
        .events
        .iter()
        .rposition(|event| matches!(event, Event::Search { .. }));
    let direction = match last.map(|at| &lane.events[at]) {
        Some(Event::Search { direction, .. }) => *direction,
        _ => direction(lane, lane.events.len()),
    };
    let guard = lane.events[last.unwrap_or(0)..]
        .iter()
        .any(|event| matches!(event, Event::GuardGap { .. }));
    let place = match (direction, guard) {
        (Direction::TopDown, false) => ", at the upper end of the highest gap that fits",
        (Direction::TopDown, true) => {
            ", at the upper end of the highest gap that fits with its guard gap left free"
        }
        (Direction::BottomUp, false) => ", at the lower end of the lowest gap that fits",
        (Direction::BottomUp, true) => {
            ", at the lower end of the lowest gap that fits with its guard gap left free"
        }
    };
    place.to_owned()
}

/// The comparison that let a hint be taken.
fn hint_condition(lane: &LaneFrame) -> Option<String> {
    let range = lane.events.iter().rev().find_map(|event| match event {
        Event::Hint {
            range,
            verdict: HintVerdict::Taken,
            ..
        } => Some(*range),
        _ => None,
    })?;
    let before = lane.before;
    let next = before.find_vma(range.start).map(|id| before.vma(id));
    Some(match next {
        Some(next) => format!(
            "addr + len {:#x} <= vm_start_gap(vma) {:#x} = true",
            range.end,
            next.start_gap(before.settings().stack_guard_gap << 12)
        ),
        None => "find_vma(addr) = NULL: nothing above it".to_owned(),
    })
}

/// The function that made or extended the mapping.
fn made_by(lane: &LaneFrame) -> Option<&'static str> {
    let at = lane
        .events
        .iter()
        .rposition(|event| matches!(event, Event::Merged { .. } | Event::NewVma { .. }))?;
    Some(detail(lane, at).function)
}

/// The first condition that kept the range and a mapping that touches it apart.
fn touching_refusal(lane: &LaneFrame) -> Option<MergeRefusal> {
    lane.events.iter().find_map(|event| match event {
        Event::MergeTried {
            verdict: Err(MergeRefusal::Gap(_) | MergeRefusal::NoNeighbour),
            ..
        } => None,
        Event::MergeTried {
            verdict: Err(reason),
            ..
        }
        | Event::MergeBoth {
            verdict: Err(reason),
            ..
        } => Some(*reason),
        _ => None,
    })
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
            | MergeRefusal::Name
            | MergeRefusal::Pgoff { .. }
            | MergeRefusal::AnonPgoff { .. }
            | MergeRefusal::AnonVmaDiffers(..)
            | MergeRefusal::FaultedIntoUnfaulted
            | MergeRefusal::Inherited
            | MergeRefusal::StaysBehind => 0,
        };
        (touches, *side == Side::Prev)
    })
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
    let accesses = say::outcome::value(outcome);
    let telling = lane
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| matches!(event, Event::AnonVma { .. } | Event::Grown { .. }));
    let mut told: Vec<usize> = telling.map(|(at, _)| at).take(3).collect();
    let last = |event: &Event| matches!(event, Event::Fault { .. } | Event::PmdSplit { .. });
    told.extend(lane.events.iter().rposition(last));
    let mut sentence = format!("{accesses}.");
    let mut function = "handle_mm_fault()";
    for at in told {
        let told = detail(lane, at);
        sentence.push(' ');
        sentence.push_str(&told.text);
        function = told.function;
    }
    if sentence.len() == accesses.len() + 1 {
        sentence.push_str(say::limit::NO_FAULT);
    }
    plain(sentence, function)
}

/// munmap, mprotect, brk, setrlimit: the decisions that changed something.
fn done(lane: &LaneFrame) -> Why {
    let mut why = match lane.done {
        Some(Call::Mprotect { len: 0, .. }) => {
            plain("Length 0: nothing to do.".to_owned(), "do_mprotect_pkey()")
        }
        Some(
            Call::Mprotect { .. }
            | Call::Madvise { .. }
            | Call::Mlock { .. }
            | Call::Munlock { .. }
            | Call::Mlockall { .. }
            | Call::Munlockall
            | Call::Mseal { .. },
        ) if !changed_flags(lane).is_empty() => protected(lane),
        Some(
            Call::Madvise { len: 0, .. }
            | Call::Mlock { len: 0, .. }
            | Call::Munlock { len: 0, .. }
            | Call::Mseal { len: 0, .. }
            | Call::SetAnonName { len: 0, .. },
        ) => plain("Length 0: nothing to do.".to_owned(), ""),
        _ => told(lane),
    };
    let all = otherwise(lane);
    tell_otherwise(lane, &mut why, &all);
    if !all.is_empty() {
        why.condition = touching_refusal(lane).and_then(say::merge::condition);
    }
    why
}

/// mprotect: which ranges it changed, and what became of the neighbours.
fn protected(lane: &LaneFrame) -> Why {
    let mut sentence = changed_flags(lane).join("; ");
    let merged = lane
        .events
        .iter()
        .any(|event| matches!(event, Event::Merged { .. }));
    if !merged
        && let Some((side, reason)) = telling_refusal(lane)
        && !matches!(reason, MergeRefusal::Gap(_) | MergeRefusal::NoNeighbour)
    {
        sentence.push_str("; not merged: ");
        sentence.push_str(&say::merge::refusal(side, reason));
    }
    sentence.push('.');
    plain(sentence, say::source::flags(lane.done.as_ref()))
}

/// The decisions that changed something, at most three.
fn told(lane: &LaneFrame) -> Why {
    let tells = |event: &Event| {
        matches!(
            event,
            Event::Merged { .. }
                | Event::NewVma { .. }
                | Event::ShmemObject { .. }
                | Event::Unmap { .. }
                | Event::FlagsChanged { .. }
                | Event::Unchanged { .. }
                | Event::HolePassed { .. }
                | Event::Advised { .. }
                | Event::Collapsed { .. }
                | Event::ThpSwitched(_)
                | Event::Break { .. }
                | Event::LimitSet
                | Event::Forked { .. }
                | Event::Personality { .. }
                | Event::NotCopied { .. }
                | Event::Execed
                | Event::Exited
                | Event::Truncated { .. }
                | Event::DefFlags(_)
                | Event::Named { .. }
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
    plain(sentences.join(" "), function)
}
