//! Which stream missed how often, and who had to leave for whom.

use crate::event::{Event, Observer, StructureId};
use crate::geometry::Level;
use crate::simulator::Tlb;

/// What one stream's accesses came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamCounts {
    /// Accesses.
    pub accesses: u64,
    /// Found in the second level.
    pub l2_hits: u64,
    /// Page walks.
    pub walks: u64,
    /// Page table entries read in them.
    pub walk_refs: u64,
}

impl StreamCounts {
    /// Accesses that the first level did not have.
    #[must_use]
    pub const fn l1_misses(&self) -> u64 {
        self.l2_hits + self.walks
    }

    fn add_since(&mut self, earlier: Self, times: u64) {
        self.accesses += (self.accesses - earlier.accesses) * times;
        self.l2_hits += (self.l2_hits - earlier.l2_hits) * times;
        self.walks += (self.walks - earlier.walks) * times;
        self.walk_refs += (self.walk_refs - earlier.walk_refs) * times;
    }
}

/// Counts by stream, for a run of [`Tlb::run_shared`]. An entry belongs to the stream that brought it in: two may use one
/// huge page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    counted: Counted,
    /// For each structure and each of its slots, who brought its entry in; [`NOBODY`] where there is none.
    owners: Vec<Slots>,
}

/// What grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    streams: Vec<StreamCounts>,
    /// For each level, by who came and who had to leave.
    evictions: [Vec<u64>; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Slots {
    id: StructureId,
    ways: u32,
    owners: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

/// At most so many streams are told apart.
pub const MOST_STREAMS: usize = 256;

impl Shares {
    /// For so many streams, at most [`MOST_STREAMS`], that will run through a TLB which is still empty.
    #[must_use]
    pub fn new(tlb: &Tlb, streams: usize) -> Self {
        let streams = streams.min(MOST_STREAMS);
        let slots = |(id, geometry): (StructureId, &crate::StructureGeometry)| Slots {
            id,
            ways: geometry.ways,
            owners: vec![NOBODY; geometry.sets as usize * geometry.ways as usize],
        };
        Self {
            counted: Counted {
                streams: vec![StreamCounts::default(); streams],
                evictions: [vec![0; streams * streams], vec![0; streams * streams]],
            },
            owners: tlb.structures().map(slots).collect(),
        }
    }

    /// What each stream came to. Accesses of streams beyond those that were told are not among them.
    #[must_use]
    pub fn streams(&self) -> &[StreamCounts] {
        &self.counted.streams
    }

    /// How many entries of `left` had to leave a level for one of `came`.
    #[must_use]
    pub fn evictions(&self, level: Level, came: usize, left: usize) -> u64 {
        let streams = self.counted.streams.len();
        if came >= streams || left >= streams {
            return 0;
        }
        self.counted.evictions[level as usize][came * streams + left]
    }

    /// Who brought the entries of a set in, by way; empty if there is no such set.
    #[must_use]
    pub fn owners(&self, id: StructureId, set: u32) -> Vec<Option<u32>> {
        let Some(slots) = self.owners.iter().find(|slots| slots.id == id) else {
            return Vec::new();
        };
        let owners = slots.of(set);
        owners
            .iter()
            .map(|owner| (*owner != NOBODY).then_some(*owner))
            .collect()
    }

    /// What the future depends on here, for sets that are touched.
    pub(crate) fn state(&self, touched: &[(StructureId, u32)], into: &mut Vec<u64>) {
        for (id, set) in touched {
            let slots = self.owners.iter().find(|slots| slots.id == *id);
            let owners = slots.map_or(&[][..], |slots| slots.of(*set));
            into.extend(owners.iter().map(|owner| u64::from(*owner)));
        }
    }

    pub(crate) fn counted(&self) -> Counted {
        self.counted.clone()
    }

    /// Lets what happened since then happen a number of times more.
    pub(crate) fn again(&mut self, then: &Counted, times: u64) {
        for (now, then) in self.counted.streams.iter_mut().zip(&then.streams) {
            now.add_since(*then, times);
        }
        for (now, then) in self.counted.evictions.iter_mut().zip(&then.evictions) {
            for (now, then) in now.iter_mut().zip(then) {
                *now += (*now - then) * times;
            }
        }
    }

    /// Who counts for a stream.
    pub(crate) fn of(&mut self, stream: u32) -> Share<'_> {
        if let Some(counts) = self.counted.streams.get_mut(stream as usize) {
            counts.accesses += 1;
        }
        Share {
            shares: self,
            stream,
        }
    }
}

impl Slots {
    fn of(&self, set: u32) -> &[u32] {
        let from = set as usize * self.ways as usize;
        self.owners
            .get(from..from + self.ways as usize)
            .unwrap_or_default()
    }
}

/// Counts an access of one stream.
pub(crate) struct Share<'a> {
    shares: &'a mut Shares,
    stream: u32,
}

impl Observer for Share<'_> {
    const WATCHES: bool = true;

    #[inline]
    fn tell(&mut self, event: Event) {
        let Counted { streams, evictions } = &mut self.shares.counted;
        let all = streams.len();
        let Some(counts) = streams.get_mut(self.stream as usize) else {
            return;
        };
        match event {
            Event::Hit { structure, .. } if structure.level == Level::Second => {
                counts.l2_hits += 1;
            }
            Event::Walk { refs, .. } => {
                counts.walks += 1;
                counts.walk_refs += u64::from(refs);
            }
            Event::Fill {
                structure,
                set,
                way,
                ..
            } => {
                let mut slots = self.shares.owners.iter_mut();
                if let Some(slots) = slots.find(|slots| slots.id == structure) {
                    let at = set as usize * slots.ways as usize + way as usize;
                    let left = std::mem::replace(&mut slots.owners[at], self.stream);
                    if left != NOBODY {
                        let (came, left) = (self.stream as usize, left as usize);
                        evictions[structure.level as usize][came * all + left] += 1;
                    }
                }
            }
            Event::Access { .. } | Event::Hit { .. } | Event::Miss { .. } => {}
        }
    }
}
