#![doc = include_str!("../README.md")]

mod accesses;
mod cells;
mod counts;
mod cycles;
mod event;
mod geometry;
mod index;
mod level;
mod page;
mod pages;
mod pattern;
mod physical;
mod policy;
mod preset;
mod repeat;
mod shares;
mod simulator;
mod structure;
mod text;
mod walk_caches;

pub use accesses::{Access, Accesses};
pub use counts::{Counts, SetCounts};
pub use cycles::{CAUTION, CycleModel};
pub use event::{Event, StructureId};
pub use geometry::{
    Geometry, GeometryError, Level, MOST_ENTRIES, MOST_SETS, MOST_STRUCTURES, MOST_WAYS, PageSizes,
    Problem, Replacement, StructureGeometry, WalkCacheSizes,
};
pub use index::{Index, IndexError};
pub use page::{Page, PageSize};
pub use pages::{Pages, PagesError};
pub use pattern::{Axis, Pattern, PatternError, Stencil};
pub use physical::{CacheLevel, Caches, CachesError};
pub use preset::{Known, Origin, Preset};
pub use shares::{MOST_STREAMS, Shares, StreamCounts};
pub use simulator::Tlb;
pub use text::TextError;

/// The generator of random patterns and random replacement: 64-bit xorshift, by 13, 7 and 17 (§3).
const fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ x << 17
}
