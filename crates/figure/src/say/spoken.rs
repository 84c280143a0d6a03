//! One sentence or a few for each step, for a screen reader's live region and for a figure's description.

use mmscope_lab::Frame;

use super::{event, kernel, ledger, num, outcome, picture};

/// What happened in this step, all lanes compared.
pub fn spoken(frame: &Frame) -> String {
    let mut text = picture::step_line(frame);
    text.push('.');
    let lanes: Vec<_> = frame.lanes.iter().map(outcome::lane).collect();
    let over = frame.lanes.iter().all(|lane| lane.outcome.is_some());
    let equal = over && lanes.windows(2).all(|pair| pair[0] == pair[1]);
    if frame.call.is_none() {
        for lane in &frame.lanes {
            let gaps = num::size(lane.ledger.gap_bytes);
            let mappings = num::count(lane.ledger.vmas, "mapping", "mappings");
            text.push_str(&format!(
                " {} {}: {mappings}, {gaps} of gaps.",
                lane.letter, lane.kernel
            ));
        }
        return text;
    }
    match (equal, frame.lanes.as_slice()) {
        (true, [first, _, ..]) => {
            let sentence = outcome::lane_sentence(first);
            let said = sentence
                .split_once(": ")
                .map_or(sentence.as_str(), |(_, said)| said);
            text.push_str(&format!(" The same in all lanes: {said}"));
        }
        _ => {
            for lane in &frame.lanes {
                match lane.events.last() {
                    Some(_) if lane.outcome.is_none() => {
                        let last = crate::why::within_limits(lane, lane.events.len() - 1);
                        let (said, _) = event::event(lane.machine, &last);
                        text.push_str(&format!(" {} {}: {said}", lane.letter, lane.kernel));
                    }
                    _ => {
                        text.push(' ');
                        text.push_str(&outcome::lane_sentence(lane));
                    }
                }
            }
        }
    }
    if over {
        compare(frame, &mut text);
        if crate::why::nodes_differ(frame) {
            text.push_str(" Maple tree nodes asked for:");
            for (index, lane) in frame.lanes.iter().enumerate() {
                let asked = lane.nodes_of_call().map_or_else(
                    || ledger::NONE.to_owned(),
                    |nodes| format!("{}{}", nodes.asked, kernel::tree_assumed(lane.kernel)),
                );
                let comma = if index > 0 { "," } else { "" };
                text.push_str(&format!("{comma} {} {asked}", lane.letter));
            }
            text.push('.');
        }
    }
    text
}

/// How far the lanes' addresses and gaps lie apart.
fn compare(frame: &Frame, text: &mut String) {
    let Some((first, others)) = frame.lanes.split_first() else {
        return;
    };
    let address =
        |outcome: Option<mmscope_mm::Outcome>| outcome.and_then(mmscope_mm::Outcome::address);
    for lane in others {
        if let (Some(a), Some(b)) = (address(first.outcome), address(lane.outcome))
            && a != b
        {
            let way = if b < a { "below" } else { "above" };
            text.push_str(&format!(
                " {} lies {} {way} {}.",
                lane.letter,
                num::size(a.abs_diff(b)),
                first.letter
            ));
        }
        let (a, b) = (first.ledger, lane.ledger);
        if a.vmas != b.vmas || a.gap_bytes != b.gap_bytes {
            text.push_str(&format!(
                " {} has {} mappings and {} of gaps, {} has {} and {}.",
                first.letter,
                num::grouped(a.vmas),
                num::size(a.gap_bytes),
                lane.letter,
                num::grouped(b.vmas),
                num::size(b.gap_bytes)
            ));
        }
    }
}
