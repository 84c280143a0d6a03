//! The simulator: a TLB that accesses run through (§4).

use crate::accesses::{Access, Accesses};
use crate::cells::{Cells, each_kind};
use crate::counts::{Counts, SetCounts};
use crate::event::{Both, Event, Observer, StructureId, Tell};
use crate::geometry::{Geometry, GeometryError, Level, StructureGeometry};
use crate::index::IndexMap;
use crate::level::{Behind, Front, Structures, access};
use crate::page::{Key, Page, PageSize};
use crate::pages::{Pages, Sizer};
use crate::pattern::{Pattern, PatternError};
use crate::repeat::{self, Alone, Rounds, Shared};
use crate::shares::Shares;
use crate::structure::Structure;
use crate::walk_caches::WalkCaches;

/// A TLB with its entries and its counts. A clone goes on by itself.
#[derive(Debug, Clone)]
pub struct Tlb {
    geometry: Geometry,
    pub(crate) first: Structures,
    pub(crate) behind: Behind,
    /// A structure of the first level that answers alone for the sizes in the bits.
    alone: Option<(u8, u8)>,
}

impl Tlb {
    /// An empty TLB.
    ///
    /// # Errors
    /// What about the geometry can't be, and where.
    pub fn new(geometry: &Geometry) -> Result<Self, GeometryError> {
        geometry.check()?;
        let level = |level| {
            let structures = geometry.level(level).iter();
            Structures::new(level, structures.map(Structure::new).collect())
        };
        let first = level(Level::First);
        Ok(Self {
            geometry: geometry.clone(),
            alone: alone(&first),
            first,
            behind: Behind {
                second: level(Level::Second),
                walk_caches: WalkCaches::new(geometry.walk_caches),
                counts: Counts::default(),
            },
        })
    }

    /// What it is made of.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Runs a whole pattern over streams that start at `bases`, and returns the counts so far.
    ///
    /// # Errors
    /// What about the pattern can't be.
    pub fn run_pattern(
        &mut self,
        pattern: &Pattern,
        bases: &[u64],
        pages: &Pages,
    ) -> Result<Counts, PatternError> {
        self.run(&mut pattern.over(bases)?, pages, u64::MAX);
        Ok(self.counts())
    }

    /// Runs the next accesses, at most so many, and returns how many there were; 0 is the end. To go on later gives the same
    /// counts and entries as to run them in one go.
    pub fn run(&mut self, accesses: &mut Accesses, pages: &Pages, at_most: u64) -> u64 {
        let mut sizer = Sizer::new(pages);
        let (mut addresses, mut keys) = (Vec::new(), Vec::new());
        let mut left = at_most;
        while left > 0 {
            let whole = accesses.fill(&mut addresses, left);
            if addresses.is_empty() {
                break;
            }
            left -= addresses.len() as u64;
            sizer.keys(&addresses, &mut keys);
            self.round(&keys);
            let Some(round) = whole else { continue };
            let first = keys.len() - round;
            left -= follow(
                &mut Alone(self),
                accesses,
                &addresses[first..],
                &keys[first..],
                left,
            );
        }
        at_most - left
    }

    /// As [`Self::run`], and counts by stream.
    pub fn run_shared(
        &mut self,
        accesses: &mut Accesses,
        pages: &Pages,
        at_most: u64,
        shares: &mut Shares,
    ) -> u64 {
        let mut sizer = Sizer::new(pages);
        let (mut addresses, mut keys, mut streams) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = at_most;
        while left > 0 {
            let whole = accesses.fill_streams(&mut addresses, &mut streams, left);
            if addresses.is_empty() {
                break;
            }
            left -= addresses.len() as u64;
            sizer.keys(&addresses, &mut keys);
            self.round_shared(&keys, &streams, shares);
            let Some(round) = whole else { continue };
            let first = keys.len() - round;
            let mut runs = Shared {
                tlb: self,
                shares,
                streams: &streams[first..],
                then: None,
            };
            left -= follow(
                &mut runs,
                accesses,
                &addresses[first..],
                &keys[first..],
                left,
            );
        }
        at_most - left
    }

    /// Runs the next accesses, at most so many, and tells each thing that happens. Returns how many accesses there were.
    pub fn watch(
        &mut self,
        accesses: &mut Accesses,
        pages: &Pages,
        at_most: u64,
        tell: &mut dyn FnMut(Event),
    ) -> u64 {
        let mut done = 0;
        while done < at_most
            && let Some(Access { address, stream }) = accesses.next()
        {
            let page = pages.page(address);
            tell(Event::Access {
                address,
                page,
                stream,
            });
            self.one(page, &mut Tell(tell));
            done += 1;
        }
        done
    }

    /// As [`Self::watch`], and counts by stream: `stream` says for the number in [`Access::stream`] for which.
    pub fn watch_shared(
        &mut self,
        accesses: &mut Accesses,
        pages: &Pages,
        at_most: u64,
        shares: &mut Shares,
        stream: &dyn Fn(u32) -> u32,
        tell: &mut dyn FnMut(Event),
    ) -> u64 {
        let mut done = 0;
        while done < at_most
            && let Some(access) = accesses.next()
        {
            let (address, stream) = (access.address, stream(access.stream));
            let page = pages.page(address);
            tell(Event::Access {
                address,
                page,
                stream,
            });
            self.one(page, &mut Both(shares.of(stream), Tell(tell)));
            done += 1;
        }
        done
    }

    /// Uses one page.
    pub fn access(&mut self, page: Page) {
        self.one(page, &mut ());
    }

    fn one<O: Observer>(&mut self, page: Page, observer: &mut O) {
        self.behind.counts.by_size[page.size.rank()] += 1;
        access(&mut self.first, &mut self.behind, page.key(), observer);
    }

    /// Runs keys.
    pub(crate) fn round(&mut self, keys: &[Key]) {
        for key in keys {
            self.behind.counts.by_size[(key.0 & 3) as usize % 3] += 1;
        }
        match self.alone {
            Some((at, sizes)) => self.round_alone(keys, usize::from(at), sizes),
            None => {
                for key in keys {
                    access(&mut self.first, &mut self.behind, *key, &mut ());
                }
            }
        }
    }

    /// Runs keys of streams, which count by stream.
    pub(crate) fn round_shared(&mut self, keys: &[Key], streams: &[u32], shares: &mut Shares) {
        for (key, stream) in keys.iter().zip(streams) {
            self.one(key.page(), &mut shares.of(*stream));
        }
    }

    /// Runs keys with a loop for the kind of the structure that answers alone.
    fn round_alone(&mut self, keys: &[Key], at: usize, alone: u8) {
        let structure = &mut self.first.list[at];
        // Out for the time of the loop: the others are asked beside it.
        let mut cells = std::mem::replace(&mut structure.cells, Cells::none());
        let map = std::mem::replace(&mut structure.map, IndexMap::none());
        each_kind!(&mut cells, cells => {
            let others = &mut self.first;
            let mut front = Front { map: &map, cells, alone, others };
            for key in keys {
                access(&mut front, &mut self.behind, *key, &mut ());
            }
        });
        let structure = &mut self.first.list[at];
        (structure.cells, structure.map) = (cells, map);
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.behind.counts
    }

    /// All structures, first level first.
    pub fn structures(&self) -> impl Iterator<Item = (StructureId, &StructureGeometry)> {
        [&self.first, &self.behind.second]
            .into_iter()
            .flat_map(|level| {
                let ids = (0..).map(|at| StructureId {
                    level: level.level,
                    at,
                });
                ids.zip(level.list.iter().map(|structure| &structure.geometry))
            })
    }

    /// What happened in each set of a structure; empty if there is no such structure.
    #[must_use]
    pub fn set_counts(&self, id: StructureId) -> Vec<SetCounts> {
        self.find(id).map_or_else(Vec::new, |structure| {
            (0..structure.geometry.sets)
                .map(|set| structure.counts(set))
                .collect()
        })
    }

    /// What happened in a structure.
    #[must_use]
    pub fn structure_counts(&self, id: StructureId) -> SetCounts {
        let mut all = SetCounts::default();
        for set in self.set_counts(id) {
            all.add(set, 1);
        }
        all
    }

    /// The pages in a set, by way; empty if there is no such set.
    #[must_use]
    pub fn tenants(&self, id: StructureId, set: u32) -> Vec<Option<Page>> {
        self.find(id)
            .filter(|structure| set < structure.geometry.sets)
            .map_or_else(Vec::new, |structure| structure.tenants(set))
    }

    /// The set that a page belongs to, if the structure holds pages of its size.
    #[must_use]
    pub fn set_of(&self, id: StructureId, page: Page) -> Option<u32> {
        self.find(id)
            .filter(|structure| structure.has(page.size))
            .map(|structure| structure.set(page.key()))
    }

    /// What happened in the caches of the page walk: PDE, PDPTE, PML4E; nothing in one that is not there.
    #[must_use]
    pub fn walk_cache_counts(&self) -> [SetCounts; 3] {
        self.behind.walk_caches.counts()
    }

    fn level(&self, level: Level) -> &Structures {
        match level {
            Level::First => &self.first,
            Level::Second => &self.behind.second,
        }
    }

    fn find(&self, id: StructureId) -> Option<&Structure> {
        self.level(id.level).list.get(id.at as usize)
    }

    pub(crate) fn structure(&self, id: StructureId) -> &Structure {
        &self.level(id.level).list[id.at as usize]
    }

    pub(crate) fn structure_mut(&mut self, id: StructureId) -> &mut Structure {
        let level = match id.level {
            Level::First => &mut self.first,
            Level::Second => &mut self.behind.second,
        };
        &mut level.list[id.at as usize]
    }
}

/// Goes through the rounds that use the same pages as the one that was run last, of these addresses and keys, for at most so
/// many accesses; how many there were.
fn follow(
    runs: &mut impl Rounds,
    accesses: &mut Accesses,
    addresses: &[u64],
    keys: &[Key],
    at_most: u64,
) -> u64 {
    let round = keys.len() as u64;
    let more = accesses.same_ahead(addresses, keys).min(at_most / round);
    if more > 0 {
        accesses.skip(more);
        repeat::rounds(runs, keys, more);
    }
    more * round
}

/// The structure for 4 KiB pages, if it is the only one for each size that it holds, with those sizes as bits.
fn alone(first: &Structures) -> Option<(u8, u8)> {
    let at = *first.eligible[PageSize::Small.rank()].first()?;
    let mut sizes = 0;
    for (rank, eligible) in first.eligible.iter().enumerate() {
        if *eligible == [at] {
            sizes |= 1 << rank;
        } else if eligible.contains(&at) {
            return None;
        }
    }
    Some((at, sizes))
}
