//! How a program walks through its arrays (§8).

use std::fmt;

use crate::accesses::Accesses;

/// An order of accesses, over streams that each start at a base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// All streams at the same offset, one after the other; then the next offset.
    Lockstep {
        /// Accesses.
        n: u64,
        /// Bytes of a stream; offsets start again at its end.
        size: u64,
        /// Bytes from one offset to the next.
        stride: u64,
        /// The first offset, modulo `size`.
        start: u64,
    },
    /// One stream from its start to its end, then the next; after the last the first again.
    Strided {
        /// Accesses.
        n: u64,
        /// Bytes of a stream.
        size: u64,
        /// Bytes from one offset to the next, not 0.
        stride: u64,
        /// The first offset in each stream, below `size`.
        start: u64,
    },
    /// The neighbours of each point of a grid, in all streams.
    Stencil(Stencil),
    /// An element drawn by xorshift, in one stream after the other.
    Random {
        /// Accesses.
        n: u64,
        /// Bytes of a stream.
        size: u64,
        /// Bytes of an element; a rest of the stream shorter than that is never used.
        elem: u64,
        /// The generator's first state, not 0.
        seed: u64,
    },
    /// These addresses; bases are not looked at.
    List(Vec<u64>),
}

/// A stencil over a grid of elements that lies in every stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stencil {
    /// Elements of a row.
    pub nx: u32,
    /// Rows of a plane.
    pub ny: u32,
    /// Planes. Bounds nothing: the axes say which points are computed.
    pub nz: u32,
    /// Bytes of an element.
    pub elem: u32,
    /// Bytes in front of the grid, as an allocator's header.
    pub header: u32,
    /// Points along a row, innermost.
    pub i: Axis,
    /// Rows.
    pub j: Axis,
    /// Planes, outermost.
    pub k: Axis,
    /// Neighbours used, as distances along x, y, z, in the order of use.
    pub taps: Vec<[i32; 3]>,
}

/// From, below, in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The first.
    pub from: u32,
    /// The first that is not meant.
    pub to: u32,
    /// From one to the next, not 0.
    pub step: u32,
}

impl Axis {
    /// How many points there are.
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.to.saturating_sub(self.from)).div_ceil(u64::from(self.step.max(1)))
    }

    fn last(self) -> Option<u32> {
        let steps = self.count().checked_sub(1)?;
        Some(self.from + steps as u32 * self.step)
    }
}

impl Stencil {
    /// A point and its two neighbours on each side along each axis: 13 taps.
    pub const STAR_13: [[i32; 3]; 13] = [
        [0, 0, 0],
        [1, 0, 0],
        [-1, 0, 0],
        [2, 0, 0],
        [-2, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 2, 0],
        [0, -2, 0],
        [0, 0, 1],
        [0, 0, -1],
        [0, 0, 2],
        [0, 0, -2],
    ];

    /// The grid of cactusBSSN's arrays: 84³ doubles behind 16 bytes, which makes 4632 kB in whole pages (§0), with the 13 taps.
    #[must_use]
    pub fn grid_84(i: Axis, j: Axis, k: Axis) -> Self {
        Self {
            nx: 84,
            ny: 84,
            nz: 84,
            elem: 8,
            header: 16,
            i,
            j,
            k,
            taps: Self::STAR_13.to_vec(),
        }
    }

    /// Points computed.
    #[must_use]
    pub fn points(&self) -> u64 {
        self.i
            .count()
            .saturating_mul(self.j.count())
            .saturating_mul(self.k.count())
    }

    /// Bytes of header and grid.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        [self.nx, self.ny, self.nz]
            .into_iter()
            .fold(u64::from(self.elem), |bytes, side| {
                bytes.saturating_mul(side.into())
            })
            .saturating_add(self.header.into())
    }

    /// The lowest and the highest offset that is used; `None` without points or taps. Taps may lead out of the grid.
    #[must_use]
    pub fn reach(&self) -> Option<(i128, i128)> {
        let taps = self.tap_offsets();
        let (lowest, highest) = (taps.iter().min()?, taps.iter().max()?);
        let first = self.offset(self.i.from, self.j.from, self.k.from);
        let last = self.offset(self.i.last()?, self.j.last()?, self.k.last()?);
        Some((first + lowest, last + highest))
    }

    /// Bytes from a grid's first element to another.
    fn distance(&self, x: i64, y: i64, z: i64) -> i128 {
        let (nx, ny) = (i128::from(self.nx), i128::from(self.ny));
        i128::from(self.elem) * (i128::from(x) + nx * (i128::from(y) + ny * i128::from(z)))
    }

    /// Where a point lies in a stream, in bytes.
    pub(crate) fn offset(&self, i: u32, j: u32, k: u32) -> i128 {
        i128::from(self.header) + self.distance(i.into(), j.into(), k.into())
    }

    /// Where the taps lie from their point, in bytes.
    pub(crate) fn tap_offsets(&self) -> Vec<i128> {
        let taps = self.taps.iter();
        taps.map(|&[x, y, z]| self.distance(x.into(), y.into(), z.into()))
            .collect()
    }
}

/// Why a pattern can't run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// There is no stream to walk in.
    NoBases,
    /// Streams of 0 bytes.
    NoSize,
    /// Strided by 0 bytes: it would never come to the next stream.
    NoStride,
    /// The first offset is not in the stream.
    StartOutside {
        /// The offset.
        start: u64,
        /// Bytes of the stream.
        size: u64,
    },
    /// Elements of 0 bytes, or larger than the stream.
    Element {
        /// Bytes of an element.
        elem: u64,
        /// Bytes of the stream.
        size: u64,
    },
    /// A xorshift of 0 stays 0.
    SeedZero,
    /// An axis in steps of 0.
    NoStep,
    /// A stencil without taps.
    NoTaps,
    /// An address would lie below 0 or above 64 bits.
    Address {
        /// The stream's base.
        base: u64,
        /// The offset.
        offset: i128,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBases => f.write_str("there is no stream to walk in"),
            Self::NoSize => f.write_str("streams of 0 bytes"),
            Self::NoStride => f.write_str(
                "a stride of 0 bytes never comes to the next stream; lockstep may have it",
            ),
            Self::StartOutside { start, size } => {
                write!(
                    f,
                    "the start, {start}, lies outside a stream of {size} bytes"
                )
            }
            Self::Element { elem, size } => {
                write!(
                    f,
                    "no element of {elem} bytes fits in a stream of {size} bytes"
                )
            }
            Self::SeedZero => f.write_str("seed 0: the generator would never leave 0"),
            Self::NoStep => f.write_str("an axis in steps of 0"),
            Self::NoTaps => f.write_str("a stencil without taps uses nothing"),
            Self::Address { base, offset } => {
                write!(f, "offset {offset} from {base:x} is no 64-bit address")
            }
        }
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// The accesses of this pattern over streams that start at these addresses.
    ///
    /// # Errors
    /// What about the pattern can't be; a pattern that is accepted only makes addresses of 64 bits.
    pub fn over(&self, bases: &[u64]) -> Result<Accesses, PatternError> {
        self.check(bases)?;
        Ok(Accesses::new(self, bases))
    }

    /// Bytes from its base that a stream has to have: its size, the whole grid of a stencil; 0 for a list.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Lockstep { size, .. }
            | Self::Strided { size, .. }
            | Self::Random { size, .. } => *size,
            Self::Stencil(stencil) => stencil.bytes(),
            Self::List(_) => 0,
        }
    }

    fn check(&self, bases: &[u64]) -> Result<(), PatternError> {
        if bases.is_empty() && !matches!(self, Self::List(_)) {
            return Err(PatternError::NoBases);
        }
        match self {
            Self::Lockstep { size: 0, .. } | Self::Strided { size: 0, .. } => {
                Err(PatternError::NoSize)
            }
            Self::Strided { stride: 0, .. } => Err(PatternError::NoStride),
            Self::Strided { size, start, .. } if start >= size => Err(PatternError::StartOutside {
                start: *start,
                size: *size,
            }),
            Self::Random { seed: 0, .. } => Err(PatternError::SeedZero),
            Self::Random { size, elem, .. } if *elem == 0 || elem > size => {
                Err(PatternError::Element {
                    elem: *elem,
                    size: *size,
                })
            }
            Self::Lockstep { size, .. }
            | Self::Strided { size, .. }
            | Self::Random { size, .. } => within(bases, 0, i128::from(*size) - 1),
            Self::Stencil(stencil) => stencil.check(bases),
            Self::List(_) => Ok(()),
        }
    }
}

impl Stencil {
    fn check(&self, bases: &[u64]) -> Result<(), PatternError> {
        if [self.i, self.j, self.k].iter().any(|axis| axis.step == 0) {
            return Err(PatternError::NoStep);
        }
        if self.taps.is_empty() {
            return Err(PatternError::NoTaps);
        }
        match self.reach() {
            Some((lowest, highest)) => within(bases, lowest, highest),
            None => Ok(()),
        }
    }
}

/// Do these offsets from every base make addresses?
fn within(bases: &[u64], lowest: i128, highest: i128) -> Result<(), PatternError> {
    for &base in bases {
        for offset in [lowest, highest] {
            if u64::try_from(i128::from(base) + offset).is_err() {
                return Err(PatternError::Address { base, offset });
            }
        }
    }
    Ok(())
}
