//! Which part of the address space the lens shows when nobody asked for another.
//!
//! Everything here looks at all lanes together, so that they share one scale.

use mmscope_lab::{Frame, LaneFrame, sorted_by_number};
use mmscope_mm::page::{PMD_SIZE, TASK_SIZE};
use mmscope_mm::{Call, Event, Machine, Range};

const MIB: u64 = 1 << 20;
/// Free space this large parts one cluster of mappings from the next.
const CLUSTER_HOLE: u64 = 16 << 30;
/// Holes smaller than this are never folded.
const FOLD_LEAST: u64 = MIB;
/// Folds in one lens at most.
const FOLDS: usize = 4;
/// Areas up to this size are always shown whole.
const LARGE: u64 = 256 * MIB;
/// A change smaller than this part of the lens would hardly be seen.
const SEEN_PART: u64 = 64;

/// What a cluster of mappings is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The program, its data and the heap.
    Program,
    /// Where mmap places things: ends at `mmap_base`.
    MmapArea,
    /// Above `mmap_base`.
    Stack,
    /// Somewhere else: somebody chose the address.
    Other,
}

/// Mappings that lie near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) range: Range,
    pub(crate) place: Place,
}

/// Ranges of at least `least` bytes that are free in all lanes, lowest first.
pub(crate) fn common_holes(frame: &Frame, within: Range, least: u64) -> Vec<Range> {
    let mut lanes = frame
        .lanes
        .iter()
        .map(|lane| holes(lane.machine, within, least));
    let first = lanes.next().unwrap_or_default();
    lanes.fold(first, |common, lane| intersection(&common, &lane, least))
}

fn holes(machine: &Machine, within: Range, least: u64) -> Vec<Range> {
    machine
        .gaps(within)
        .filter(|gap| gap.len() >= least)
        .collect()
}

fn intersection(a: &[Range], b: &[Range], least: u64) -> Vec<Range> {
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let both = Range {
            start: x.start.max(y.start),
            end: x.end.min(y.end),
        };
        if both.len() >= least {
            out.push(both);
        }
        if x.end < y.end { i += 1 } else { j += 1 }
    }
    out
}

/// All clusters, lowest first; the mmap area is always one of them.
pub(crate) fn clusters(frame: &Frame) -> Vec<Cluster> {
    let Some(machine) = frame.lanes.first().map(|lane| lane.machine) else {
        return Vec::new();
    };
    let (base, start_brk) = (machine.process().mmap_base, machine.process().start_brk);
    let user = Range {
        start: 0,
        end: TASK_SIZE,
    };
    let mut out = Vec::new();
    let mut at = user.start;
    let mut holes: Vec<Range> = common_holes(frame, user, MIB);
    holes.retain(|hole| {
        hole.len() >= CLUSTER_HOLE || (hole.start..=hole.end).contains(&base) || hole.start == 0
    });
    holes.push(Range {
        start: user.end,
        end: user.end,
    });
    for hole in holes {
        let range = Range {
            start: at,
            end: hole.start,
        };
        if !range.is_empty() {
            out.push(Cluster {
                range,
                place: place_of(range, base, start_brk),
            });
        }
        at = hole.end;
    }
    // The mmap area is what lies next below mmap_base, whatever else it may be.
    let near_base = |range: Range| range.end <= base && base - range.end < CLUSTER_HOLE;
    match out
        .iter_mut()
        .rev()
        .find(|cluster| near_base(cluster.range))
    {
        Some(area) => {
            area.place = Place::MmapArea;
            area.range.end = base;
        }
        None => {
            let range = Range {
                start: base.saturating_sub(PMD_SIZE),
                end: base,
            };
            let at = out.partition_point(|cluster| cluster.range.start < base);
            out.insert(
                at,
                Cluster {
                    range,
                    place: Place::MmapArea,
                },
            );
        }
    }
    out
}

fn place_of(range: Range, base: u64, start_brk: u64) -> Place {
    if start_brk != 0 && (range.start..=range.end).contains(&start_brk) {
        Place::Program
    } else if range.start >= base {
        Place::Stack
    } else {
        Place::Other
    }
}

/// The lens for a frame: the area that the call worked in, from its lowest mapping to its end, all lanes together.
///
/// Its length is one of a few steps, so that it stays the same over many calls and then grows. If the area is so large
/// that the change could not be seen in it, the lens closes in on the change.
pub fn automatic(frame: &Frame) -> Range {
    let work = work(frame);
    let clusters = clusters(frame);
    // What was taken away may lie beside what is left: the nearest cluster then.
    let found = match work {
        Some(work) => clusters
            .iter()
            .rev()
            .min_by_key(|cluster| distance(cluster.range, work)),
        None => clusters
            .iter()
            .find(|cluster| cluster.place == Place::MmapArea),
    };
    let found = found.copied();
    let Some(cluster) = found else {
        return Range {
            start: 0,
            end: TASK_SIZE,
        };
    };
    let folded: u64 = folds(frame, cluster.range)
        .iter()
        .map(|fold| fold.len())
        .sum();
    let shown = cluster.range.len() - folded;
    // The loader's work is looked at from near; after that there is room for what a program asks for.
    let least = match cluster.place {
        Place::MmapArea if shown > 3 * MIB => 16 * MIB,
        Place::MmapArea => 4 * MIB,
        Place::Program | Place::Stack | Place::Other => MIB / 4,
    };
    if let Some(work) = work {
        let largest = largest_change(frame);
        if largest > 0 && shown > LARGE && shown / SEEN_PART > largest {
            return near(work, largest);
        }
    }
    let length = ladder(shown + shown / 32).max(least);
    let room = length.saturating_sub(shown);
    if cluster.place == Place::Program {
        let end = cluster.range.end.saturating_add(room).min(TASK_SIZE);
        Range {
            start: cluster.range.start,
            end,
        }
    } else {
        Range {
            start: cluster.range.start.saturating_sub(room),
            end: cluster.range.end,
        }
    }
}

/// The window around a small change in a large area. It moves by quarters of its length, not with every change.
fn near(work: Range, largest: u64) -> Range {
    let length = ladder((work.len() + work.len() / 2).max(largest.saturating_mul(SEEN_PART / 3)));
    let quarter = length / 4;
    let middle = work.start + work.len() / 2;
    let start = middle.saturating_sub(length / 2) / quarter * quarter;
    let start = start.min(work.start);
    Range {
        start,
        end: start.saturating_add(length).max(work.end).min(TASK_SIZE),
    }
}

/// The holes that are folded away in a lens: those that would take more room than all the rest.
pub(crate) fn folds(frame: &Frame, lens: Range) -> Vec<Range> {
    let mut holes = common_holes(frame, lens, FOLD_LEAST);
    holes.retain(|hole| hole.start > lens.start && hole.end < lens.end);
    let mut holes = sorted_by_number(holes, |hole| !hole.len());
    let mut rest = lens.len();
    holes.truncate(FOLDS);
    let worth = holes
        .iter()
        .take_while(|hole| {
            rest -= hole.len();
            hole.len() > rest
        })
        .count();
    holes.truncate(worth);
    sorted_by_number(holes, |hole| hole.start)
}

/// The next length of the ladder: powers of two and one and a half times those.
fn ladder(length: u64) -> u64 {
    let power = length.max(1).checked_next_power_of_two().unwrap_or(1 << 63);
    let between = power / 4 * 3;
    if length <= between && between > 0 {
        between
    } else {
        power
    }
}

/// Where the call worked, in all lanes together; while it has not done anything, where it was asked to.
fn work(frame: &Frame) -> Option<Range> {
    let places = frame.lanes.iter().flat_map(|lane| {
        let faults = lane.events.iter().filter_map(|event| match event {
            Event::Fault { addr, .. } | Event::Signalled { at: addr, .. } => {
                Some(Range::sized(*addr, 1))
            }
            _ => None,
        });
        lane.changes.iter().map(|change| change.range).chain(faults)
    });
    let hull = |a: Range, b: Range| Range {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    };
    let asked = || frame.lanes.iter().filter_map(asked).reduce(hull);
    places.reduce(hull).or_else(asked)
}

/// The range that a call names. Where nothing is placed yet, an mmap names none.
fn asked(lane: &LaneFrame) -> Option<Range> {
    match lane.done? {
        Call::Brk { .. } => Some(Range::sized(lane.before.process().brk, 1)),
        Call::Munmap { addr, len } | Call::Mprotect { addr, len, .. } => {
            Some(Range::sized(addr, len.max(1)))
        }
        _ => None,
    }
}

fn largest_change(frame: &Frame) -> u64 {
    frame
        .lanes
        .iter()
        .flat_map(|lane| &lane.changes)
        .map(|change| change.range.len())
        .max()
        .unwrap_or(0)
}

/// Bytes between two ranges, 0 if they meet.
fn distance(a: Range, b: Range) -> u64 {
    let below = a.start.saturating_sub(b.end);
    below.max(b.start.saturating_sub(a.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_has_two_steps_for_each_doubling() {
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13].map(ladder),
            [1, 2, 3, 4, 6, 6, 8, 8, 12, 12, 16]
        );
    }

    #[test]
    fn common_holes_are_free_in_both() {
        let range = |start, end| Range { start, end };
        let a = [range(0, 10), range(20, 40), range(50, 60)];
        let b = [range(5, 25), range(30, 55)];
        assert_eq!(
            intersection(&a, &b, 5),
            [range(5, 10), range(20, 25), range(30, 40), range(50, 55)]
        );
    }
}
