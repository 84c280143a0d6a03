//! The ledger of a lane, kept from step to step: only the surroundings of what a call touched are looked at again.

use mmscope_mm::page::{TASK_SIZE, page_up};
use mmscope_mm::{Machine, Range};

use crate::blocks::Blocks;

/// The part of the address space whose gaps are counted.
///
/// From `mmap_base` down, a third of the way to 0, and never into the heap below. With the layout that grows up: from
/// `mmap_legacy_base` to where programs lie, two thirds of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area(Range);

impl Area {
    fn of(machine: &Machine) -> Area {
        let process = machine.process();
        if machine.process().legacy_layout {
            let end = (TASK_SIZE / 3 * 2).max(process.mmap_legacy_base);
            return Area(Range {
                start: process.mmap_legacy_base,
                end,
            });
        }
        let base = process.mmap_base;
        let heap = page_up(process.brk);
        let start = if heap < base {
            heap.max(base / 3 * 2)
        } else {
            base / 3 * 2
        };
        Area(Range { start, end: base })
    }

    /// Whether a free range lies between two mappings of the area.
    fn counts(self, start: u64, end: u64) -> bool {
        let Area(area) = self;
        area.start < start && end < area.end
    }
}

/// Free ranges and their sums.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Start and end of each.
    free: Blocks<u64, u64>,
    free_bytes: u64,
    area: Area,
    gaps: u64,
    gap_bytes: u64,
}

impl Tally {
    pub(super) fn new(machine: &Machine) -> Tally {
        let mut tally = Tally {
            free: Blocks::default(),
            free_bytes: 0,
            area: Area::of(machine),
            gaps: 0,
            gap_bytes: 0,
        };
        tally.take_in(
            machine,
            Range {
                start: 0,
                end: TASK_SIZE,
            },
        );
        tally
    }

    /// Looks again at what lies in and next to `hull`.
    pub(super) fn update(&mut self, machine: &Machine, hull: Option<Range>) {
        if let Some(hull) = hull {
            let again = self.take_out(hull);
            self.take_in(machine, again);
        }
        let area = Area::of(machine);
        if area != self.area {
            self.move_area(area);
        }
    }

    pub(super) fn mapped_bytes(&self) -> u64 {
        TASK_SIZE - self.free_bytes
    }

    pub(super) fn gaps(&self) -> u64 {
        self.gaps
    }

    pub(super) fn gap_bytes(&self) -> u64 {
        self.gap_bytes
    }

    /// Forgets the free ranges that meet `hull`; gives the range to look at again.
    fn take_out(&mut self, hull: Range) -> Range {
        let mut again = Range {
            start: hull.start,
            end: hull.end.min(TASK_SIZE),
        };
        let from = match self.free.before(&again.start) {
            Some((start, end)) if *end >= again.start => *start,
            _ => again.start,
        };
        let meeting = self.free.from(&from);
        let meeting: Vec<(u64, u64)> = meeting
            .take_while(|(start, _)| *start <= again.end)
            .copied()
            .collect();
        for (start, end) in meeting {
            self.free.remove(&start);
            self.free_bytes -= end - start;
            if self.area.counts(start, end) {
                self.gaps -= 1;
                self.gap_bytes -= end - start;
            }
            again.start = again.start.min(start);
            again.end = again.end.max(end);
        }
        again
    }

    fn take_in(&mut self, machine: &Machine, within: Range) {
        for Range { start, end } in machine.gaps(within) {
            self.free.insert(start, end);
            self.free_bytes += end - start;
            if self.area.counts(start, end) {
                self.gaps += 1;
                self.gap_bytes += end - start;
            }
        }
    }

    /// The heap's end moved: gaps near it may begin or cease to count.
    fn move_area(&mut self, area: Area) {
        let (Area(old), Area(new)) = (self.area, area);
        let low = old.start.min(new.start);
        let high = if old.end == new.end {
            old.start.max(new.start)
        } else {
            TASK_SIZE
        };
        for &(start, end) in self.free.from(&low) {
            if start > high {
                break;
            }
            match (self.area.counts(start, end), area.counts(start, end)) {
                (true, false) => {
                    self.gaps -= 1;
                    self.gap_bytes -= end - start;
                }
                (false, true) => {
                    self.gaps += 1;
                    self.gap_bytes += end - start;
                }
                _ => {}
            }
        }
        self.area = area;
    }
}
