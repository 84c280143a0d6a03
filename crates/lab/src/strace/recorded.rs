//! The layout as the log recorded it, as far as it can be followed: which call returned a range, and what is there.

use std::collections::BTreeMap;

use mmscope_mm::{FileId, Prot, Range};

/// A range of the recorded layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Where it ends.
    pub(super) end: u64,
    /// The step that returned it, and the address that it returned.
    pub(super) owner: Option<(u32, u64)>,
    /// What it may be used for.
    pub(super) prot: Prot,
    /// The file behind it and the offset of its first byte.
    pub(super) file: Option<(FileId, u64)>,
    /// Whether it is shared.
    pub(super) shared: bool,
}

/// All ranges that are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    /// Where in the list a region is, by its start.
    by_start: BTreeMap<u64, u64>,
    /// Regions, also those that are gone.
    regions: Vec<Region>,
}

impl Recorded {
    /// The region that holds an address, with its start.
    pub(super) fn at(&self, addr: u64) -> Option<(u64, Region)> {
        let (start, at) = self.by_start.range(..=addr).next_back()?;
        let region = self.regions[*at as usize];
        (region.end > addr).then_some((*start, region))
    }

    /// Puts a region over whatever is there.
    pub(super) fn put(&mut self, start: u64, region: Region) {
        let range = Range {
            start,
            end: region.end,
        };
        if !range.is_empty() {
            self.take(range);
            self.insert(start, region);
        }
    }

    /// Forgets a range; gives what was there.
    pub(super) fn take(&mut self, range: Range) -> Vec<(u64, Region)> {
        if range.is_empty() {
            return Vec::new();
        }
        self.split(range.start);
        self.split(range.end);
        let taken = self.begin_in(range);
        for (start, _) in &taken {
            self.by_start.remove(start);
        }
        taken
    }

    /// Changes what a range may be used for.
    pub(super) fn protect(&mut self, range: Range, prot: Prot) {
        for (start, region) in self.take(range) {
            self.insert(start, Region { prot, ..region });
        }
    }

    /// The parts of a range of which nothing is known.
    pub(super) fn unknown(&self, range: Range) -> Vec<Range> {
        let mut unknown = Vec::new();
        if range.is_empty() {
            return unknown;
        }
        let mut from = range.start;
        let before = self
            .at(range.start)
            .map(|(start, region)| (start, region.end));
        let inside = self.begin_in(range);
        let inside = inside.iter().map(|(start, region)| (*start, region.end));
        for (start, end) in before.into_iter().chain(inside) {
            if start > from {
                unknown.push(Range {
                    start: from,
                    end: start,
                });
            }
            from = from.max(end);
        }
        if from < range.end {
            unknown.push(Range {
                start: from,
                end: range.end,
            });
        }
        unknown
    }

    /// The regions that begin in a range.
    fn begin_in(&self, range: Range) -> Vec<(u64, Region)> {
        let inside = self.by_start.range(range.start..range.end);
        inside
            .map(|(start, at)| (*start, self.regions[*at as usize]))
            .collect()
    }

    fn insert(&mut self, start: u64, region: Region) {
        self.by_start.insert(start, self.regions.len() as u64);
        self.regions.push(region);
    }

    fn split(&mut self, at: u64) {
        if let Some((start, region)) = self.at(at).filter(|(start, _)| *start < at) {
            self.insert(start, Region { end: at, ..region });
            let file = region
                .file
                .map(|(file, offset)| (file, offset.wrapping_add(at - start)));
            self.insert(at, Region { file, ..region });
        }
    }
}
