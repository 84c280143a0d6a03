//! The map-like face: ranges in, ranges out, no cursor.

use std::fmt;
use std::ops::RangeInclusive;

use crate::accounting::Start;
use crate::{MapleTree, NoArea, Ranges, Span};

/// Why [`MapleTree::insert_range`] stored nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertError<E> {
    /// `EINVAL`: the range ends before it starts.
    Invalid,
    /// `EEXIST`: something is stored in the range already. This is the lowest of it.
    Exists {
        /// The entry in the way.
        entry: E,
        /// The first index of its range.
        first: u64,
        /// The last index of its range.
        last: u64,
    },
}

impl<E> fmt::Display for InsertError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InsertError::Invalid => f.write_str("the range ends before it starts (EINVAL)"),
            InsertError::Exists { first, last, .. } => {
                write!(f, "{first:#x}..={last:#x} is in the way (EEXIST)")
            }
        }
    }
}

impl<E: fmt::Debug> std::error::Error for InsertError<E> {}

impl<E: Copy> MapleTree<E> {
    /// All ranges that touch `within`, NULL ranges too, each in its full size. A backwards `within`
    /// has none.
    pub fn ranges(&self, within: RangeInclusive<u64>) -> Ranges<'_, E> {
        Ranges::new(self, *within.start(), *within.end())
    }

    /// All entries with their ranges, in index order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (RangeInclusive<u64>, E)> {
        self.range(0..=u64::MAX)
    }

    /// The entries whose ranges touch `within`, each with its full range: `mt_for_each`.
    pub fn range(
        &self,
        within: RangeInclusive<u64>,
    ) -> impl DoubleEndedIterator<Item = (RangeInclusive<u64>, E)> {
        self.ranges(within)
            .filter_map(|span| span.entry.map(|entry| (span.first..=span.last, entry)))
    }

    /// The free ranges within `within`, cut off at its ends.
    pub fn gaps(
        &self,
        within: RangeInclusive<u64>,
    ) -> impl DoubleEndedIterator<Item = RangeInclusive<u64>> {
        let (min, max) = within.clone().into_inner();
        let free = |span: &Span<E>| span.entry.is_none();
        self.ranges(within)
            .filter(free)
            .map(move |span| span.first.max(min)..=span.last.min(max))
    }

    /// The lowest free block of `size` indices within `within`.
    ///
    /// # Errors
    ///
    /// [`NoArea::Invalid`] for a size of 0 or one larger than `within`, [`NoArea::Busy`] if nothing
    /// fits.
    pub fn lowest_gap(
        &self,
        size: u64,
        within: RangeInclusive<u64>,
    ) -> Result<RangeInclusive<u64>, NoArea> {
        let first = self.search_low(*within.start(), *within.end(), size, &mut ())?;
        Ok(first..=first.wrapping_add(size - 1))
    }

    /// The highest free block of `size` indices within `within`.
    ///
    /// # Errors
    ///
    /// As for [`lowest_gap`](Self::lowest_gap).
    pub fn highest_gap(
        &self,
        size: u64,
        within: RangeInclusive<u64>,
    ) -> Result<RangeInclusive<u64>, NoArea> {
        let last = self.search_high(*within.start(), *within.end(), size, &mut ())?;
        Ok(last.wrapping_sub(size - 1)..=last)
    }
}

impl<E: Copy + Eq> MapleTree<E> {
    /// Stores `entry` over `range` if nothing is stored there: `mtree_insert_range`.
    ///
    /// # Errors
    ///
    /// [`InsertError::Exists`] with what is in the way, [`InsertError::Invalid`] for a backwards
    /// range. The tree is as before.
    pub fn insert_range(
        &mut self,
        range: RangeInclusive<u64>,
        entry: E,
    ) -> Result<(), InsertError<E>> {
        if range.is_empty() {
            return Err(InsertError::Invalid);
        }
        if let Some((taken, entry)) = self.range(range.clone()).next() {
            let (first, last) = taken.into_inner();
            return Err(InsertError::Exists { entry, first, last });
        }
        self.store_range(range, Some(entry));
        Ok(())
    }

    /// Stores `entry`, or NULL, over `range`, whatever was there: `mtree_store_range`.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts.
    pub fn store_range(&mut self, range: RangeInclusive<u64>, entry: Option<E>) {
        let range = range.into_inner();
        self.store_span(range, entry, None, Start::Root, &mut ());
    }

    /// Takes the entry at `index` out, over its whole range, and returns both: `mtree_erase`.
    pub fn remove(&mut self, index: u64) -> Option<(RangeInclusive<u64>, E)> {
        let span = self.range_at(index);
        let entry = span.entry?;
        self.store_range(span.first..=span.last, None);
        Some((span.first..=span.last, entry))
    }
}
