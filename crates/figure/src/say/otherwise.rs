//! What a call would have come to with one change switched.

use mmscope_mm::Outcome;
use mmscope_mm::page::PMD_SIZE;

use super::num;
use crate::otherwise::Otherwise;

/// Different results told at most.
const MOST: usize = 2;

/// What the call would have come to otherwise; each result once without and once with a change.
pub(crate) fn sentences(all: &[Otherwise], brk: bool) -> Option<String> {
    let mut told: Vec<&Otherwise> = Vec::new();
    for each in all {
        let new = |other: &&Otherwise| other.there != each.there || other.without != each.without;
        if told.len() < MOST && told.iter().all(new) {
            told.push(each);
        }
    }
    let sentences: Vec<String> = told.iter().map(|each| sentence(each, brk)).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence(otherwise: &Otherwise, brk: bool) -> String {
    let change = otherwise.change;
    let switched = if otherwise.without {
        format!("Without {change}")
    } else {
        format!("With {change}, first in {},", change.first_in())
    };
    let there = otherwise.there;
    if otherwise.moved() {
        return match there.outcome {
            Outcome::Address(addr) if brk => {
                format!("{switched} the break would be at {addr:#x}.")
            }
            Outcome::Address(addr) if addr.is_multiple_of(PMD_SIZE) => {
                format!("{switched} it would lie at {addr:#x}, on a 2 MiB boundary.")
            }
            Outcome::Address(addr) => format!("{switched} it would lie at {addr:#x}."),
            Outcome::Error(errno) => format!("{switched} it would fail with {}.", errno.name()),
            Outcome::Done
            | Outcome::NotModelled(_)
            | Outcome::Touched(_)
            | Outcome::Signal { .. } => format!("{switched} it would succeed."),
        };
    }
    if (there.vmas, there.holder) == (otherwise.here.vmas, otherwise.here.holder) {
        let nodes = num::count(there.asked, "node", "nodes");
        return format!(
            "{switched} it would ask for {nodes} instead of {}.",
            otherwise.here.asked
        );
    }
    let at = otherwise.at;
    let vmas = num::count(there.vmas, "mapping", "mappings");
    match there.holder {
        Some(range) if there.vmas == otherwise.here.vmas => {
            format!(
                "{switched} {at:#x} would lie in the mapping {}.",
                num::range(range)
            )
        }
        Some(range) => format!(
            "{switched} {at:#x} would lie in the mapping {}, and the process would have {vmas} instead of {}.",
            num::range(range),
            num::grouped(otherwise.here.vmas)
        ),
        None => format!("{switched} nothing would be mapped at {at:#x} any more."),
    }
}
