//! What a TLB is made of: structures, levels, walk caches; and what can't be built.

use std::fmt;

use crate::index::{Index, IndexError};
use crate::page::PageSize;

/// Which sizes of pages a structure holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageSizes(u8);

impl PageSizes {
    /// Just 4 KiB pages.
    pub const SMALL: Self = Self(1);
    /// Just 2 MiB pages.
    pub const HUGE: Self = Self(2);
    /// 4 KiB and 2 MiB pages.
    pub const SMALL_AND_HUGE: Self = Self(3);

    /// These sizes and one more.
    #[must_use]
    pub const fn and(self, size: PageSize) -> Self {
        Self(self.0 | 1 << size as u8)
    }

    /// Whether pages of this size are held.
    #[must_use]
    pub const fn has(self, size: PageSize) -> bool {
        self.0 >> size as u8 & 1 == 1
    }

    /// The sizes, smallest first.
    pub fn iter(self) -> impl Iterator<Item = PageSize> {
        PageSize::ALL
            .into_iter()
            .filter(move |size| self.has(*size))
    }
}

impl FromIterator<PageSize> for PageSizes {
    fn from_iter<T: IntoIterator<Item = PageSize>>(sizes: T) -> Self {
        sizes.into_iter().fold(Self::default(), Self::and)
    }
}

/// Who has to leave a full set (§3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// The one that came first.
    Fifo,
    /// Where the bits of a binary tree point, each turned away from what was used last. Ways: a power of two up to 64.
    Plru,
    /// Intel's for 12 ways: the group of four after the one used last, in it the tree's choice.
    Mru3Plru4,
    /// A way drawn by a 64-bit xorshift, one for the structure.
    Random {
        /// Its first state, not 0.
        seed: u64,
    },
}

/// One structure: sets of ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureGeometry {
    /// The pages it holds.
    pub sizes: PageSizes,
    /// Sets; 1 is fully associative.
    pub sets: u32,
    /// Ways of a set.
    pub ways: u32,
    /// Which set a page belongs to.
    pub index: Index,
    /// Who leaves a full set.
    pub replacement: Replacement,
}

/// Entries of the caches of upper page table levels (§5); 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkCacheSizes {
    /// Entries of the PDE cache, by address bits from 21 on.
    pub pde: u32,
    /// Entries of the PDPTE cache, by address bits from 30 on.
    pub pdpte: u32,
    /// Entries of the PML4E cache, by address bits from 39 on.
    pub pml4e: u32,
}

/// A whole TLB. Its text form, printed by `Display` and read by `FromStr`, is told at [`Geometry::from_str`](#impl-FromStr-for-Geometry).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Geometry {
    /// Structures of the first level, in the order they are asked in.
    pub l1: Vec<StructureGeometry>,
    /// Structures of the second level.
    pub l2: Vec<StructureGeometry>,
    /// Caches of the page walk.
    pub walk_caches: WalkCacheSizes,
}

/// A level of the TLB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Asked at every access.
    First,
    /// Asked after a miss of the first.
    Second,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "L1",
            Self::Second => "L2",
        })
    }
}

/// Limits of this simulator.
pub const MOST_STRUCTURES: usize = 8;
/// The most sets of a structure.
pub const MOST_SETS: u32 = 1 << 16;
/// The most ways of a set.
pub const MOST_WAYS: u32 = 1 << 12;
/// The most entries of a structure, and of a walk cache.
pub const MOST_ENTRIES: u32 = 1 << 20;

/// What is wrong with a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It holds no page size.
    NoSizes,
    /// No sets, or too many.
    Sets(u32),
    /// No ways, or too many.
    Ways(u32),
    /// More entries than the simulator takes.
    Entries(u64),
    /// The index does not fit the sets.
    Index(IndexError),
    /// A tree needs a power of two of ways, at most 64.
    PlruWays(u32),
    /// The policy is defined for 12 ways.
    Mru3Plru4Ways(u32),
    /// A xorshift of 0 stays 0.
    SeedZero,
}

/// Why a TLB can't be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GeometryError {
    /// One structure is wrong.
    Structure {
        /// Its level.
        level: Level,
        /// Its place in the level, from 0.
        at: usize,
        /// What is wrong with it.
        problem: Problem,
    },
    /// More structures than the simulator takes.
    TooMany(Level),
    /// A walk cache has too many entries.
    WalkCache(u32),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSizes => f.write_str("it holds pages of no size"),
            Self::Sets(sets) => write!(f, "{sets} sets: 1 to {MOST_SETS} can be"),
            Self::Ways(ways) => write!(f, "{ways} ways: 1 to {MOST_WAYS} can be"),
            Self::Entries(entries) => write!(f, "{entries} entries: at most {MOST_ENTRIES} can be"),
            Self::Index(error) => error.fmt(f),
            Self::PlruWays(ways) => write!(
                f,
                "plru with {ways} ways: its tree takes a power of two, at most 64"
            ),
            Self::Mru3Plru4Ways(ways) => write!(
                f,
                "mru3plru4 with {ways} ways: it is a policy for 12, three groups of four"
            ),
            Self::SeedZero => f.write_str("random with seed 0: the generator would never leave 0"),
        }
    }
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structure { level, at, problem } => {
                write!(f, "structure {} of {level}: {problem}", at + 1)
            }
            Self::TooMany(level) => {
                write!(f, "{level} has more than {MOST_STRUCTURES} structures")
            }
            Self::WalkCache(entries) => {
                write!(
                    f,
                    "a walk cache of {entries} entries: at most {MOST_WAYS} can be"
                )
            }
        }
    }
}

impl std::error::Error for GeometryError {}

impl StructureGeometry {
    /// A structure with a linear index.
    #[must_use]
    pub const fn linear(sizes: PageSizes, sets: u32, ways: u32, replacement: Replacement) -> Self {
        Self {
            sizes,
            sets,
            ways,
            index: Index::Linear,
            replacement,
        }
    }

    /// Sets times ways.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.sets as u64 * self.ways as u64
    }

    /// Checks that the structure can be built.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Problem> {
        let ways = self.ways;
        if self.sizes == PageSizes::default() {
            return Err(Problem::NoSizes);
        }
        if !(1..=MOST_SETS).contains(&self.sets) {
            return Err(Problem::Sets(self.sets));
        }
        if !(1..=MOST_WAYS).contains(&ways) {
            return Err(Problem::Ways(ways));
        }
        if self.entries() > u64::from(MOST_ENTRIES) {
            return Err(Problem::Entries(self.entries()));
        }
        self.index.check(self.sets).map_err(Problem::Index)?;
        match self.replacement {
            Replacement::Plru if !ways.is_power_of_two() || ways > 64 => {
                Err(Problem::PlruWays(ways))
            }
            Replacement::Mru3Plru4 if ways != 12 => Err(Problem::Mru3Plru4Ways(ways)),
            Replacement::Random { seed: 0 } => Err(Problem::SeedZero),
            _ => Ok(()),
        }
    }
}

impl Geometry {
    /// The structures of a level.
    #[must_use]
    pub fn level(&self, level: Level) -> &[StructureGeometry] {
        match level {
            Level::First => &self.l1,
            Level::Second => &self.l2,
        }
    }

    /// Checks that the TLB can be built. One without any structure can: every access walks.
    ///
    /// # Errors
    /// The first thing that is wrong, and where.
    pub fn check(&self) -> Result<(), GeometryError> {
        for level in [Level::First, Level::Second] {
            let structures = self.level(level);
            if structures.len() > MOST_STRUCTURES {
                return Err(GeometryError::TooMany(level));
            }
            for (at, structure) in structures.iter().enumerate() {
                let wrong = |problem| GeometryError::Structure { level, at, problem };
                structure.check().map_err(wrong)?;
            }
        }
        let WalkCacheSizes { pde, pdpte, pml4e } = self.walk_caches;
        match [pde, pdpte, pml4e]
            .into_iter()
            .find(|entries| *entries > MOST_WAYS)
        {
            Some(entries) => Err(GeometryError::WalkCache(entries)),
            None => Ok(()),
        }
    }
}
