//! What a call came to in a lane.

use mmscope_lab::LaneFrame;
use mmscope_mm::{BreakMove, Event, Nodes, NotModelled, Outcome};

use super::{advice, kernel, ledger, limit, merge, num, refusal, sentence};

/// What a lane's label says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The result, as strace shows it.
    pub value: String,
    /// The result without `0x`.
    pub digits: String,
    /// Its last digits, where there is little room.
    pub short: String,
    /// What it means.
    pub what: String,
    /// The same where there is little room.
    pub what_short: String,
    /// Whether it is an error.
    pub error: bool,
}

/// What a lane's label says about the call.
pub fn lane(lane: &LaneFrame) -> Said {
    let mut said = match lane.outcome {
        Some(outcome) => said(lane, outcome),
        None if lane.micro_steps > 0 => {
            let done = lane.events.len();
            let what = format!("decision {done} of {}", lane.micro_steps);
            Said {
                what_short: format!("{done} of {}", lane.micro_steps),
                what,
                ..Said::default()
            }
        }
        None => Said::default(),
    };
    if let (Some(recorded), Some(outcome)) = (lane.recorded, lane.outcome)
        && recorded != outcome
    {
        said.what = format!("{} \u{2013} the trace says {}", said.what, value(recorded));
        said.what_short = format!("trace: {}", value(recorded));
        said.error = true;
    }
    said
}

fn said(lane: &LaneFrame, outcome: Outcome) -> Said {
    let plain = |value: String| Said {
        digits: value.clone(),
        short: value.clone(),
        value,
        ..Said::default()
    };
    match outcome {
        Outcome::Address(addr) => {
            let digits = format!("{addr:x}");
            let short = if digits.len() > 8 {
                format!("\u{2026}{}", &digits[digits.len() - 8..])
            } else {
                digits.clone()
            };
            let (what, what_short) = effect(lane);
            Said {
                value: format!("\u{2192} {addr:#x}"),
                digits,
                short,
                what,
                what_short,
                error: false,
            }
        }
        Outcome::Done => {
            let (what, what_short) = effect(lane);
            Said {
                what,
                what_short,
                ..plain("\u{2192} 0".to_owned())
            }
        }
        Outcome::Error(errno) => {
            let what = lane.events.iter().rev().find_map(|event| match event {
                Event::Refused { reason, .. } => Some(refusal::sentence(lane.machine, *reason)),
                _ => None,
            });
            let what = what.unwrap_or_default();
            Said {
                what_short: what.clone(),
                what,
                error: true,
                ..plain(errno.name().to_owned())
            }
        }
        Outcome::NotModelled(what) => {
            let what = not_modelled(what).to_owned();
            Said {
                what_short: what.clone(),
                what,
                error: true,
                ..plain("not modelled".to_owned())
            }
        }
        Outcome::Touched(accesses) => {
            let (what, what_short) = effect(lane);
            Said {
                what,
                what_short,
                ..plain(num::count(accesses, "access", "accesses"))
            }
        }
        Outcome::Signal { signal, at, .. } => {
            let what = format!("at {at:#x}: {}", limit::signal(signal));
            Said {
                what_short: format!("{at:#x}"),
                what,
                error: true,
                ..plain(signal.name().to_owned())
            }
        }
    }
}

/// What happened to the mappings, by the last event that says so.
fn effect(lane: &LaneFrame) -> (String, String) {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    let said = lane.events.iter().rev().find_map(|event| match event {
        Event::Merged { form, .. } => Some((
            merge::form(*form).to_owned(),
            merge::form_short(*form).to_owned(),
        )),
        Event::NewVma { .. } => Some(("new mapping".to_owned(), "new".to_owned())),
        Event::Break {
            by: BreakMove::Query,
            ..
        } => Some(same("the break")),
        Event::Break {
            by: BreakMove::WithinPage,
            ..
        } => Some((
            "the break, in the same page".to_owned(),
            "same page".to_owned(),
        )),
        Event::Break {
            by: BreakMove::Shrink,
            from,
            to,
        } => Some((
            format!("heap shrunk by {}", num::size(from.saturating_sub(*to))),
            "heap shrunk".to_owned(),
        )),
        Event::Refused { reason, .. } => Some((
            format!(
                "the break stays: {}",
                refusal::sentence(lane.machine, *reason)
            ),
            "refused".to_owned(),
        )),
        Event::Remap { by, .. } => super::event::remap_short(*by).map(same),
        Event::FlagsChanged { from, to, .. } if super::perms(*from) == super::perms(*to) => {
            Some(same(&format!("{} changed", super::vm_flags(*from ^ *to))))
        }
        Event::Advised { advice, .. } => {
            Some((advice::done(lane.kernel, *advice).to_owned(), String::new()))
        }
        Event::Collapsed { .. } => Some(same("huge pages made")),
        Event::ThpSwitched(_) => Some(same("huge pages switched")),
        Event::FlagsChanged { to, .. } => Some(same(&format!("now {}", super::perms(*to)))),
        Event::Unchanged { .. } => Some(same("nothing to change")),
        Event::Grown { .. } => Some(same("stack grown")),
        Event::Unmap { range, .. } => Some((
            format!("{} unmapped", num::size(range.len())),
            "unmapped".to_owned(),
        )),
        Event::Fault { page, .. } => Some((limit::page(*page), String::new())),
        Event::LimitSet => Some(same("limit set")),
        Event::Forked { child: true } => Some(same("goes on as the child")),
        Event::Forked { child: false } => Some(same("a child sleeps")),
        Event::NotCopied { .. } => Some(same("not copied to the child")),
        Event::Execed => Some(same("a new address space")),
        Event::Exited => Some(same("exited")),
        Event::Truncated { .. } => Some(same("file length set")),
        Event::Personality { .. } => Some(same("the personality before")),
        Event::DefFlags(_) => Some(same("lock flags set")),
        Event::Named { .. } => Some(same("name changed")),
        Event::HintRaised { .. }
        | Event::Alignment { .. }
        | Event::Hint { .. }
        | Event::Search { .. }
        | Event::Gap(_)
        | Event::GuardGap { .. }
        | Event::Found { .. }
        | Event::Aligned { .. }
        | Event::AlignFallback
        | Event::Placed { .. }
        | Event::ShmemObject { .. }
        | Event::PmdSplit { .. }
        | Event::Split { .. }
        | Event::MergeTried { .. }
        | Event::MergeBoth { .. }
        | Event::Unaccounted { .. }
        | Event::HolePassed { .. }
        | Event::Break {
            by: BreakMove::Grow,
            ..
        }
        | Event::AnonVma { .. }
        | Event::AnonVmaDropped { .. }
        | Event::Signalled { .. }
        | Event::Tree(_)
        | Event::Nodes { .. } => None,
    });
    said.unwrap_or_default()
}

/// The nodes that the call took.
pub fn nodes(lane: &LaneFrame) -> String {
    match lane.nodes_of_call() {
        None => sentence(ledger::NO_TREE) + ".",
        Some(Nodes { asked: 0, .. }) => {
            let assumed = kernel::tree_assumed(lane.kernel);
            format!("No maple tree node asked for{assumed}.")
        }
        Some(nodes) => format!(
            "{} asked for{}: {} used, {} given back.",
            num::count(nodes.asked, "maple tree node", "maple tree nodes"),
            kernel::tree_assumed(lane.kernel),
            nodes.used,
            nodes.returned
        ),
    }
}

/// A result alone.
pub fn value(outcome: Outcome) -> String {
    match outcome {
        Outcome::Address(addr) => num::address(addr),
        Outcome::Done => "0".to_owned(),
        Outcome::Error(errno) => errno.name().to_owned(),
        Outcome::NotModelled(_) => "not modelled".to_owned(),
        Outcome::Touched(accesses) => num::count(accesses, "access", "accesses"),
        Outcome::Signal { signal, at, .. } => format!("{} at {at:#x}", signal.name()),
    }
}

/// What the model does not cover.
pub fn not_modelled(what: NotModelled) -> &'static str {
    match what {
        NotModelled::Exited => "the process has exited: no call can follow",
        NotModelled::CollapseFile => {
            "MADV_COLLAPSE of a file's pages is not modelled yet; nothing was done, nothing is guessed"
        }
        NotModelled::PageOut => {
            "writing pages out to swap is not modelled; nothing was done, nothing is guessed"
        }
    }
}

/// A lane's result as a sentence: `6.7.0: 0x7ffff7800000, new mapping.`
pub fn lane_sentence(frame: &LaneFrame) -> String {
    let said = lane(frame);
    let parts: Vec<&str> = [said.value.trim_start_matches("\u{2192} "), &said.what]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    match parts.is_empty() {
        true => format!("{} {}: at the start.", frame.letter, frame.kernel),
        false => format!("{} {}: {}.", frame.letter, frame.kernel, parts.join(", ")),
    }
}
