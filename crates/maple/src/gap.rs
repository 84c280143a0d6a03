//! The search for a free range: by the gaps kept in the inner nodes, down to a hole in a leaf.

use std::fmt;

use crate::node::{Arange64, Leaf64, Shape, first_of, position, size};
use crate::{GapLook, GapVerdict, MapleTree, NodeId, Observer, Root, Search as Limits};

/// Why a search for a free range found none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoArea {
    /// `EINVAL`: the limits are the wrong way round, the size is 0, or the size is larger than the
    /// limits allow.
    Invalid,
    /// `EBUSY`: no free range within the limits is large enough.
    Busy,
}

impl fmt::Display for NoArea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoArea::Invalid => "size and limits of the search make no sense together (EINVAL)",
            NoArea::Busy => "no free range within the limits is large enough (EBUSY)",
        })
    }
}

impl std::error::Error for NoArea {}

/// Which of several free ranges that would do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Lowest,
    Highest,
}

impl<E: Copy> MapleTree<E> {
    /// The first index of the lowest free block of `size` within `min..=max`.
    pub(crate) fn search_low(
        &self,
        min: u64,
        max: u64,
        size: u64,
        obs: &mut impl Observer<E>,
    ) -> Result<u64, NoArea> {
        self.search(min, max, size, Want::Lowest, obs)
            .map(|(first, _)| first)
    }

    /// The last index of the highest free block of `size` within `min..=max`.
    pub(crate) fn search_high(
        &self,
        min: u64,
        max: u64,
        size: u64,
        obs: &mut impl Observer<E>,
    ) -> Result<u64, NoArea> {
        self.search(min, max, size, Want::Highest, obs)
            .map(|(_, last)| last)
    }

    fn check_limits(&self, min: u64, max: u64, size: u64) -> Result<(), NoArea> {
        let fits = min <= max && size > 0 && size - 1 <= max - min;
        match self.rules().search {
            Limits::Plain if fits => Ok(()),
            Limits::Plain => Err(NoArea::Invalid),
            Limits::Strict if min >= max => Err(NoArea::Invalid),
            Limits::Strict if fits || self.height() == 0 && size > 0 => Ok(()),
            Limits::Strict => Err(NoArea::Busy),
        }
    }

    /// The part within `min..=max` of the hole that is wanted.
    fn search<O: Observer<E>>(
        &self,
        min: u64,
        max: u64,
        size: u64,
        want: Want,
        obs: &mut O,
    ) -> Result<(u64, u64), NoArea> {
        self.check_limits(min, max, size)?;
        let mut search = Search {
            tree: self,
            min,
            max,
            size,
            want,
            obs,
        };
        let hole = match self.root {
            // The kernel's size of a hole over everything is 2^64, which it takes for 0.
            Root::Node { id, height: 1 }
                if want == Want::Highest && self.node(id).leaf().is_one_hole() =>
            {
                None
            }
            Root::Node { id, height } => search.descend(id, height - 1, 0, u64::MAX),
            // Without nodes the old search does not ask whether the size fits.
            Root::Direct(_) | Root::Empty if self.rules().search == Limits::Strict => {
                let start = u64::from(matches!(self.root, Root::Direct(_)));
                Some((start.max(min), max))
            }
            Root::Direct(_) => search.fits(1, u64::MAX),
            Root::Empty => search.fits(0, u64::MAX),
        };
        hole.ok_or(NoArea::Busy)
    }
}

/// A search under way: `size` indices within `min..=max`.
struct Search<'a, E, O> {
    tree: &'a MapleTree<E>,
    min: u64,
    max: u64,
    size: u64,
    want: Want,
    obs: &'a mut O,
}

impl<E: Copy, O: Observer<E>> Search<'_, E, O> {
    /// Goes through the slots of a node that touch the limits, lowest or highest first, and into
    /// each child that promises a gap: `mas_anode_descend` and `mas_rev_awalk`. `level` is 0 in a
    /// leaf.
    ///
    /// A promise is broken only where a child reaches over a limit, which at most two children of a
    /// level do, so the search costs O(log n).
    fn descend(&mut self, id: NodeId<E>, level: u8, min: u64, max: u64) -> Option<(u64, u64)> {
        match &self.tree.node(id).0 {
            Shape::Leaf(leaf) => self.in_leaf(leaf, min, max),
            Shape::Arange(inner) => self.in_inner(inner, level, min, max),
            Shape::Range(inner) => {
                let pivots = &inner.pivots[..usize::from(inner.end)];
                self.slots(pivots, min, max, |search, slot, first, last| {
                    let child = inner.slots[slot]?;
                    search.descend(child, level - 1, first, last)
                })
            }
        }
    }

    fn in_leaf(&mut self, leaf: &Leaf64<E>, min: u64, max: u64) -> Option<(u64, u64)> {
        self.slots(
            leaf.used(),
            min,
            max,
            |search, slot, first, last| match leaf.slots[slot] {
                Some(_) => None,
                None => search.fits(first, last),
            },
        )
    }

    fn in_inner(
        &mut self,
        inner: &Arange64<E>,
        level: u8,
        min: u64,
        max: u64,
    ) -> Option<(u64, u64)> {
        let pivots = &inner.pivots[..usize::from(inner.end)];
        self.slots(pivots, min, max, |search, slot, first, last| {
            if !search.promises(level, first, last, inner.gaps[slot]) {
                return None;
            }
            search.descend(inner.slots[slot]?, level - 1, first, last)
        })
    }

    /// Looks at the slots of a node over `min..=max` that touch the limits, in the order that is
    /// wanted, until one has what is searched for.
    #[inline(always)]
    fn slots(
        &mut self,
        pivots: &[u64],
        min: u64,
        max: u64,
        mut look: impl FnMut(&mut Self, usize, u64, u64) -> Option<(u64, u64)>,
    ) -> Option<(u64, u64)> {
        let mut low = if self.min <= min {
            0
        } else {
            position(pivots, self.min)
        };
        let mut high = if self.max >= max {
            pivots.len()
        } else {
            position(pivots, self.max)
        };
        match self.want {
            Want::Lowest => {
                let mut first = first_of(pivots, low, min);
                loop {
                    let last = pivots.get(low).copied().unwrap_or(max);
                    if let Some(found) = look(self, low, first, last) {
                        return Some(found);
                    }
                    if low == high {
                        return None;
                    }
                    low += 1;
                    first = last.wrapping_add(1);
                }
            }
            Want::Highest => {
                let mut last = pivots.get(high).copied().unwrap_or(max);
                loop {
                    let first = first_of(pivots, high, min);
                    if let Some(found) = look(self, high, first, last) {
                        return Some(found);
                    }
                    if low == high {
                        return None;
                    }
                    high -= 1;
                    last = first.wrapping_sub(1);
                }
            }
        }
    }

    /// What lies within the limits of the hole `first..=last`, if that is large enough.
    fn fits(&mut self, first: u64, last: u64) -> Option<(u64, u64)> {
        let verdict = self.look(0, first, last, size(first, last), GapVerdict::Fits);
        (verdict == GapVerdict::Fits).then(|| (first.max(self.min), last.min(self.max)))
    }

    /// Whether a subtree of `level` levels over `first..=last`, whose largest gap is `largest`, is
    /// worth a descent.
    fn promises(&mut self, level: u8, first: u64, last: u64, largest: u64) -> bool {
        self.look(level, first, last, largest, GapVerdict::Descend) == GapVerdict::Descend
    }

    #[inline(always)]
    fn look(
        &mut self,
        level: u8,
        first: u64,
        last: u64,
        largest: u64,
        good: GapVerdict,
    ) -> GapVerdict {
        let verdict = if largest < self.size {
            GapVerdict::TooSmall
        } else {
            let (low, high) = (first.max(self.min), last.min(self.max));
            if low > high || self.size - 1 > high - low {
                GapVerdict::OutsideLimits
            } else {
                good
            }
        };
        self.obs.gap(GapLook {
            first,
            last,
            level,
            largest,
            size: self.size,
            verdict,
        });
        verdict
    }
}
