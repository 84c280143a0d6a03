//! The survey: counts what a call did and notes where.

use mmscope_mm::page::{PAGE_SIZE, TASK_SIZE, page_down, page_up};
use mmscope_mm::{Entry, Event, Range, Undo, Vma};

/// What a call did, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pub(super) merges: u32,
    pub(super) splits: u32,
    pub(super) new_vmas: u32,
    pub(super) faults: u32,
    /// The smallest range that holds everything whose mapping may have changed.
    pub(super) hull: Option<Range>,
}

impl Watch {
    fn touched(&mut self, range: Range) {
        let hull = self.hull.get_or_insert(range);
        hull.start = hull.start.min(range.start);
        hull.end = hull.end.max(range.end);
    }
}

impl Watch {
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Merged { .. } => self.merges += 1,
            Event::Split { .. } => self.splits += 1,
            Event::NewVma { .. } => self.new_vmas += 1,
            Event::Fault { .. } => self.faults += 1,
            _ => {}
        }
        if let Some(range) = touched_by(event) {
            self.touched(range);
        }
    }

    pub(crate) fn before_edit(&mut self, old: Option<&Vma>) {
        if let Some(old) = old {
            self.touched(Range {
                start: old.start,
                end: old.end,
            });
        }
    }
}

/// Where a journal's entry may have changed what is mapped.
pub(super) fn touched(entry: &Entry) -> Option<Range> {
    match entry {
        Entry::Event(event) => touched_by(event),
        Entry::Write(Undo::Vma(_, Some(old))) => Some(Range {
            start: old.start,
            end: old.end,
        }),
        Entry::Write(_) => None,
    }
}

/// Where an event may have changed what is mapped. Together with the old ranges of the mappings that were written,
/// these cover every change.
fn touched_by(event: &Event) -> Option<Range> {
    match *event {
        Event::Placed { range, .. }
        | Event::Unmap { range, .. }
        | Event::Merged { range, .. }
        | Event::NewVma { range, .. } => Some(range),
        Event::Execed | Event::Exited => Some(Range {
            start: 0,
            end: TASK_SIZE,
        }),
        Event::Break { from, to, .. } => {
            let range = Range {
                start: page_down(from.min(to)),
                end: page_up(from.max(to)),
            };
            (!range.is_empty()).then_some(range)
        }
        Event::Grown { start, .. } => Some(Range {
            start,
            end: start + PAGE_SIZE,
        }),
        _ => None,
    }
}
