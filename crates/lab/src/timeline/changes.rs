//! What a call changed, found by comparing the machine before and after where the call was at work.

use mmscope_mm::page::TASK_SIZE;
use mmscope_mm::{Entry, Event, Machine, Range, Vma};

use super::watch::touched;
use crate::frame::{Change, ChangeKind};

/// The changes between two machines that the entries lie between.
pub(super) fn changes(before: &Machine, after: &Machine, entries: &[Entry]) -> Vec<Change> {
    let mut ranges: Vec<Range> = entries
        .iter()
        .filter_map(|entry| worked_on(entry, after))
        .collect();
    // Several with an mremap that moves several mappings.
    let mut placed = Vec::new();
    for entry in entries {
        if let Entry::Event(Event::Placed { range, .. }) = entry {
            placed.push(*range);
        }
    }
    let mut changes = Vec::new();
    for range in joined(&mut ranges) {
        compare(before, after, range, &placed, &mut changes);
    }
    changes
}

/// Where an entry may have changed what is mapped.
fn worked_on(entry: &Entry, after: &Machine) -> Option<Range> {
    match *entry {
        Entry::Event(Event::Grown { vma, start }) => {
            let end = after.get_vma(vma)?.end;
            Some(Range { start, end })
        }
        _ => touched(entry),
    }
}

/// The ranges, sorted, those that meet joined.
fn joined(ranges: &mut [Range]) -> Vec<Range> {
    let ranges = crate::order::sorted_by_number(ranges.to_vec(), |range| range.start);
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        let range = Range {
            start: range.start,
            end: range.end.min(TASK_SIZE),
        };
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

fn compare(
    before: &Machine,
    after: &Machine,
    within: Range,
    placed: &[Range],
    changes: &mut Vec<Change>,
) {
    let mut old = Side::new(before, within);
    let mut new = Side::new(after, within);
    let mut at = within.start;
    while at < within.end {
        let (was, was_until) = old.at(at, within.end);
        let (is, is_until) = new.at(at, within.end);
        let mut until = was_until.min(is_until);
        // A mapping put over another one is new in all of its range.
        let mut replaced = false;
        for placed in placed {
            if at < placed.start {
                until = until.min(placed.start);
            } else if at < placed.end {
                until = until.min(placed.end);
                replaced = true;
            }
        }
        let kind = match (was, is) {
            (None, Some(_)) => Some(ChangeKind::Mapped),
            (Some(_), None) => Some(ChangeKind::Unmapped),
            (Some(was), Some(is)) if replaced || !alike(was, is, at) => Some(ChangeKind::Changed),
            _ => None,
        };
        if let Some(kind) = kind {
            push(
                changes,
                Range {
                    start: at,
                    end: until,
                },
                kind,
            );
        }
        at = until;
    }
}

fn push(changes: &mut Vec<Change>, range: Range, kind: ChangeKind) {
    match changes.last_mut() {
        Some(last) if last.kind == kind && last.range.end == range.start => {
            last.range.end = range.end
        }
        _ => changes.push(Change { range, kind }),
    }
}

/// Whether two mappings are the same at this address.
fn alike(was: &Vma, is: &Vma, at: u64) -> bool {
    was.flags == is.flags
        && was.file == is.file
        && was.anon_vma == is.anon_vma
        && was.special == is.special
        && was.pgoff_at(at) == is.pgoff_at(at)
}

/// One of the machines, walked upwards.
struct Side<'a, I: Iterator<Item = &'a Vma>> {
    vmas: std::iter::Peekable<I>,
}

impl<'a> Side<'a, Box<dyn Iterator<Item = &'a Vma> + 'a>> {
    fn new(machine: &'a Machine, within: Range) -> Self {
        let vmas: Box<dyn Iterator<Item = &'a Vma> + 'a> =
            Box::new(machine.vmas(within).map(|(_, vma)| vma));
        Side {
            vmas: vmas.peekable(),
        }
    }
}

impl<'a, I: Iterator<Item = &'a Vma>> Side<'a, I> {
    /// The mapping at an address not below the last one asked for, and where that answer ends.
    fn at(&mut self, at: u64, end: u64) -> (Option<&'a Vma>, u64) {
        while self.vmas.next_if(|vma| vma.end <= at).is_some() {}
        match self.vmas.peek() {
            Some(vma) if vma.start <= at => (Some(vma), vma.end.min(end)),
            Some(vma) => (None, vma.start.min(end)),
            None => (None, end),
        }
    }
}
