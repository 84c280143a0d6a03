//! Which addresses lie in pages of which size.

use std::fmt;
use std::ops::Range;

use crate::page::{Key, Page, PageSize};

/// The page size of every address: 4 KiB, except in ranges that the caller names (§1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pages {
    /// Sorted, disjoint, not empty, each aligned to its size.
    larger: Vec<(Range<u64>, PageSize)>,
}

/// Why ranges can't be huge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagesError {
    /// A bound is no multiple of the page size, or the range ends before it starts.
    NotWhole(Range<u64>, PageSize),
    /// Two ranges share addresses.
    Overlap(Range<u64>, Range<u64>),
}

impl fmt::Display for PagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWhole(range, size) => {
                write!(
                    f,
                    "{:x}-{:x} is not made of whole {size} pages",
                    range.start, range.end
                )
            }
            Self::Overlap(a, b) => write!(
                f,
                "{:x}-{:x} and {:x}-{:x} share addresses: a page has one size",
                a.start, a.end, b.start, b.end
            ),
        }
    }
}

impl std::error::Error for PagesError {}

impl Pages {
    /// Small pages everywhere.
    #[must_use]
    pub const fn small() -> Self {
        Self { larger: Vec::new() }
    }

    /// 2 MiB pages in these half-open ranges, small ones elsewhere. Empty ranges are left out.
    ///
    /// # Errors
    /// Bounds that are no multiple of 2 MiB, and ranges that overlap.
    pub fn with_huge(ranges: impl IntoIterator<Item = Range<u64>>) -> Result<Self, PagesError> {
        Self::with(ranges.into_iter().map(|range| (range, PageSize::Huge)))
    }

    /// Pages of the given sizes in these half-open ranges, small ones elsewhere.
    ///
    /// # Errors
    /// As [`Self::with_huge`].
    pub fn with(
        ranges: impl IntoIterator<Item = (Range<u64>, PageSize)>,
    ) -> Result<Self, PagesError> {
        let mut larger: Vec<(Range<u64>, PageSize)> = Vec::new();
        for (range, size) in ranges {
            let cut = |at: u64| !at.is_multiple_of(size.bytes());
            if range.start > range.end || cut(range.start) || cut(range.end) {
                return Err(PagesError::NotWhole(range, size));
            }
            if size != PageSize::Small && !range.is_empty() {
                larger.push((range, size));
            }
        }
        larger.sort_by_key(|(range, _)| range.start);
        for pair in larger.windows(2) {
            if let [(a, _), (b, _)] = pair
                && a.end > b.start
            {
                return Err(PagesError::Overlap(a.clone(), b.clone()));
            }
        }
        Ok(Self { larger })
    }

    /// The size of the page that an address lies in.
    #[must_use]
    pub fn size(&self, address: u64) -> PageSize {
        let after = self
            .larger
            .partition_point(|(range, _)| range.start <= address);
        match after.checked_sub(1).and_then(|at| self.larger.get(at)) {
            Some((range, size)) if address < range.end => *size,
            _ => PageSize::Small,
        }
    }

    /// The page that an address lies in.
    #[must_use]
    pub fn page(&self, address: u64) -> Page {
        Page::of(address, self.size(address))
    }
}

/// Sizes of many addresses: what was found for a block of 2 MiB is remembered, since no block holds two sizes.
pub(crate) struct Sizer<'a> {
    pages: &'a Pages,
    remembered: Vec<(u64, PageSize)>,
}

/// Blocks remembered: more than a stencil's streams walk in at a time.
const REMEMBERED: usize = 256;

impl<'a> Sizer<'a> {
    pub(crate) fn new(pages: &'a Pages) -> Self {
        let none = if pages.larger.is_empty() {
            Vec::new()
        } else {
            vec![(u64::MAX, PageSize::Small); REMEMBERED]
        };
        Self {
            pages,
            remembered: none,
        }
    }

    /// The keys of addresses.
    pub(crate) fn keys(&mut self, addresses: &[u64], keys: &mut Vec<Key>) {
        keys.clear();
        let small = |address: u64| Page::of(address, PageSize::Small).key();
        let addresses = addresses.iter().copied();
        if self.remembered.is_empty() {
            keys.extend(addresses.map(small));
        } else {
            keys.extend(addresses.map(|address| Page::of(address, self.size(address)).key()));
        }
    }

    fn size(&mut self, address: u64) -> PageSize {
        let block = address >> PageSize::Huge.shift();
        let known = &mut self.remembered[block as usize % REMEMBERED];
        if known.0 != block {
            *known = (block, self.pages.size(address));
        }
        known.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const M2: u64 = 2 << 20;

    #[test]
    fn ranges_are_half_open() {
        let pages = Pages::with_huge([5 * M2..7 * M2, M2..2 * M2, 9 * M2..9 * M2]).unwrap();
        for (address, huge) in [
            (0, false),
            (M2 - 1, false),
            (M2, true),
            (2 * M2 - 1, true),
            (2 * M2, false),
            (7 * M2 - 1, true),
            (7 * M2, false),
            (9 * M2, false),
        ] {
            assert_eq!(
                pages.size(address) == PageSize::Huge,
                huge,
                "at {address:x}"
            );
        }
        assert_eq!(
            pages.page(6 * M2 + 5),
            Page {
                size: PageSize::Huge,
                number: 6
            }
        );
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        assert!(matches!(
            Pages::with_huge(std::iter::once(4096..M2)),
            Err(PagesError::NotWhole(..))
        ));
        assert!(matches!(
            Pages::with_huge([0..3 * M2, 2 * M2..4 * M2]),
            Err(PagesError::Overlap(..))
        ));
        let backwards = std::ops::Range { start: M2, end: 0 };
        assert!(Pages::with_huge(std::iter::once(backwards)).is_err());
    }
}
