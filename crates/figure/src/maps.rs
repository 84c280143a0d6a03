//! `/proc/PID/maps` of all lanes as one list, by address: what is the same stands once, and what differs beside each other.
//!
//! The lines are the kernel's own, byte for byte. Of the chosen mapping `smaps` stands in a table. Both ask the frame for a
//! bounded number of mappings, never for all.

use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::{Machine, Range, Vma, VmaId, maps, smaps};

use crate::address_space::Selection;
use crate::chosen;
use crate::scene::Target;

/// What became of a line with the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It was there before.
    Same,
    /// It was not there before, nor another line for the same start.
    New,
    /// Another line with the same start was there before.
    Changed,
    /// It was there before, and no line with its start is now.
    Gone,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its text with the spaces behind it.
    pub text: String,
    /// Whether a lane has no line that agrees in this.
    pub differs: bool,
}

/// A line of maps, once for all lanes that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The lanes that have it, from 0.
    pub lanes: Vec<usize>,
    /// The line in parts: together they are the kernel's line.
    pub fields: Vec<Field>,
    /// What the call did to it in the first of those lanes.
    pub became: Became,
    /// The mapping in the first of those lanes; for a line that is gone the addresses that it had.
    pub target: Target,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct List {
    /// The lines, lowest address first.
    pub lines: Vec<Line>,
    /// The address from which the lines after these go on, if there are any.
    pub next: Option<u64>,
    /// The address from which the lines before these begin, if there are any.
    pub previous: Option<u64>,
}

/// A line of one lane on its way into the list.
struct Raw {
    lane: usize,
    start: u64,
    text: String,
    became: Became,
    target: Target,
}

/// The lines from an address on, at most so many.
pub fn list(frame: &Frame, from: u64, at_most: usize) -> List {
    let all = |start, end| Range { start, end };
    let mut raws = Vec::new();
    // No lane has lines behind this that all have room.
    let mut end = u64::MAX;
    for (index, lane) in frame.lanes.iter().enumerate() {
        for (count, raw) in lines_of(lane, index, all(from, u64::MAX)).enumerate() {
            if count == at_most {
                end = end.min(raw.start);
                break;
            }
            raws.push(raw);
        }
    }
    raws.retain(|raw| raw.start < end);
    // Gone before what is there now, A before B, where the address is the same.
    raws.sort_by_key(|raw| (raw.start, raw.became != Became::Gone, raw.lane));
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = raws.as_slice();
    while let Some(first) = rest.first() {
        let count = rest
            .iter()
            .take_while(|raw| raw.start == first.start)
            .count();
        let (same, after) = rest.split_at(count);
        if lines.len() + count > at_most && !lines.is_empty() {
            end = first.start;
            break;
        }
        together(&mut lines, same, frame.lanes.len());
        rest = after;
    }
    let previous = frame.lanes.iter().filter_map(|lane| {
        let before = lane.machine.vmas(all(0, from)).rev();
        before
            .map(|(_, vma)| vma.start)
            .filter(|start| *start < from)
            .take(at_most)
            .last()
    });
    List {
        lines,
        next: (end < u64::MAX).then_some(end),
        previous: previous.min(),
    }
}

/// The lines of a lane with those that the call took away, lowest address first.
fn lines_of<'a>(
    lane: &'a LaneFrame<'_>,
    index: usize,
    within: Range,
) -> impl Iterator<Item = Raw> + 'a {
    let (now, before) = (lane.machine, lane.before);
    // What begins before is on the page before.
    let begins = move |vma: &Vma| vma.start >= within.start;
    let there = now.vmas(within).filter(move |(_, vma)| begins(vma));
    let mut there = there.peekable();
    let gone = before
        .vmas(within)
        .filter(move |(_, vma)| begins(vma) && starting(now, vma.start).is_none());
    let mut gone = gone.peekable();
    std::iter::from_fn(move || {
        let next = there.peek().map(|(_, vma)| vma.start);
        let next_gone = gone.peek().map(|(_, vma)| vma.start);
        let takes_gone = match (next, next_gone) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(there), Some(gone)) => gone < there,
        };
        if takes_gone {
            let (id, vma) = gone.next()?;
            let range = Range {
                start: vma.start,
                end: vma.end,
            };
            return Some(Raw {
                lane: index,
                start: vma.start,
                text: maps::line(before, id),
                became: Became::Gone,
                target: Target::Gap { lane: index, range },
            });
        }
        let (id, vma) = there.next()?;
        let text = maps::line(now, id);
        let became = match starting(before, vma.start) {
            None => Became::New,
            Some(old) if maps::line(before, old) == text => Became::Same,
            Some(_) => Became::Changed,
        };
        Some(Raw {
            lane: index,
            start: vma.start,
            text,
            became,
            target: target(index, now, id),
        })
    })
}

fn starting(machine: &Machine, start: u64) -> Option<VmaId> {
    let id = machine.vma_at(start)?;
    (machine.vma(id).start == start).then_some(id)
}

fn target(lane: usize, machine: &Machine, id: VmaId) -> Target {
    let vma = machine.vma(id);
    let range = Range {
        start: vma.start,
        end: vma.end,
    };
    Target::Vma { lane, id, range }
}

/// Adds the lines of one start: those of the same text and fate once.
fn together(lines: &mut Vec<Line>, raws: &[Raw], lanes: usize) {
    let here = lines.len();
    for raw in raws {
        let twin = lines[here..].iter().position(|line| {
            let text: String = line
                .fields
                .iter()
                .map(|field| field.text.as_str())
                .collect();
            text == raw.text && line.became == raw.became
        });
        if let Some(twin) = twin {
            lines[here + twin].lanes.push(raw.lane);
            continue;
        }
        let fields = fields(&raw.text).into_iter().enumerate().map(|(at, text)| {
            // Where a lane has no line for this start, its absence is what differs: the range is marked.
            let agree = |lane: usize| {
                let mut others = raws.iter().filter(|other| {
                    other.lane == lane
                        && (other.became == Became::Gone) == (raw.became == Became::Gone)
                });
                match others.next() {
                    Some(other) => field(&other.text, at).trim_end() == text.trim_end(),
                    None => at > 1,
                }
            };
            Field {
                text: text.to_owned(),
                differs: !(0..lanes).all(agree),
            }
        });
        lines.push(Line {
            lanes: vec![raw.lane],
            fields: fields.collect(),
            became: raw.became,
            target: raw.target,
        });
    }
}

/// A line in its columns, each with the spaces behind it: start, end, permissions, offset, device, inode, name.
fn fields(line: &str) -> Vec<&str> {
    const COLUMNS: usize = 7;
    let mut fields = Vec::with_capacity(COLUMNS);
    let mut rest = line;
    while fields.len() + 1 < COLUMNS {
        let column = if fields.is_empty() {
            rest.find('-').map(|at| at + 1)
        } else {
            rest.find(' ').map(|at| {
                let spaces = rest[at..].find(|c| c != ' ');
                at + spaces.unwrap_or(rest.len() - at)
            })
        };
        let (field, after) = rest.split_at(column.unwrap_or(rest.len()));
        fields.push(field);
        rest = after;
    }
    fields.push(rest);
    fields
}

fn field(line: &str, at: usize) -> &str {
    fields(line).get(at).copied().unwrap_or_default()
}

/// A field of smaps in all lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmapsRow {
    /// Its name, without the colon.
    pub name: String,
    /// Its value in each lane; empty where nothing is mapped, or the kernel has no such field.
    pub values: Vec<String>,
    /// Whether the lanes differ in it.
    pub differs: bool,
}

/// What smaps says of one mapping in each lane: the one at the chosen address, or that the call was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smaps {
    /// The line of maps in each lane; empty where nothing is mapped.
    pub heads: Vec<String>,
    /// The fields, in the kernel's order.
    pub rows: Vec<SmapsRow>,
}

/// The fields of smaps of what is looked at; `None` if no lane has a mapping there.
pub fn smaps_of(frame: &Frame, selected: Option<Selection>) -> Option<Smaps> {
    let entries: Vec<String> = frame
        .lanes
        .iter()
        .map(|lane| match chosen::address(lane, selected) {
            Some((_, Some(id))) => smaps::lines(lane.machine, id),
            _ => String::new(),
        })
        .collect();
    if entries.iter().all(String::is_empty) {
        return None;
    }
    let mut rows: Vec<SmapsRow> = Vec::new();
    for (lane, entry) in entries.iter().enumerate() {
        let mut at = 0;
        for line in entry.lines().skip(1) {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let found = rows.iter().position(|row| row.name == name);
            let place = found.unwrap_or_else(|| {
                let row = SmapsRow {
                    name: name.to_owned(),
                    values: vec![String::new(); entries.len()],
                    differs: false,
                };
                rows.insert(at.min(rows.len()), row);
                at.min(rows.len() - 1)
            });
            value.trim().clone_into(&mut rows[place].values[lane]);
            at = place + 1;
        }
    }
    for row in &mut rows {
        row.differs = row.values.windows(2).any(|pair| pair[0] != pair[1]);
    }
    Some(Smaps {
        heads: entries
            .iter()
            .map(|entry| entry.lines().next().unwrap_or_default().to_owned())
            .collect(),
        rows,
    })
}

/// All of maps of a lane, as the kernel prints it.
pub fn maps_text(lane: &LaneFrame) -> String {
    maps::text(lane.machine)
}

/// All of smaps of a lane.
pub fn smaps_text(lane: &LaneFrame) -> String {
    smaps::text(lane.machine)
}

/// Where the list is to begin: at its start if all lines have room, else so many lines before the one that is looked at.
pub fn from(frame: &Frame, selected: Option<Selection>, at_most: usize, before: usize) -> u64 {
    let all = list(frame, 0, at_most);
    let (Some(_), Some(lane)) = (
        all.next,
        frame
            .lanes
            .get(selected.map_or(0, |selected| selected.lane)),
    ) else {
        return 0;
    };
    let Some((addr, _)) = chosen::address(lane, selected) else {
        return 0;
    };
    let vmas = lane.machine.vmas(Range {
        start: 0,
        end: addr,
    });
    let starts = vmas.rev().map(|(_, vma)| vma.start);
    starts.take(before).last().unwrap_or(0)
}
