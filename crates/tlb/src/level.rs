//! The rule of an access (§4), written once: for those who watch, for the general case, and for a first level of one
//! structure whose kind is known when it is compiled.

use crate::cells::Entries;
use crate::counts::Counts;
use crate::event::{Event, Observer, StructureId};
use crate::geometry::Level;
use crate::index::IndexMap;
use crate::page::Key;
use crate::structure::{Spot, Structure};
use crate::walk_caches::WalkCaches;

/// Structures of one level that are asked one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Structures {
    pub(crate) level: Level,
    pub(crate) list: Vec<Structure>,
    /// For each page size the structures that hold it, in order.
    pub(crate) eligible: [Vec<u8>; 3],
}

/// What the rule needs of a level.
pub(crate) trait Ask {
    /// Whether the page is there.
    fn probe<O: Observer>(&mut self, key: Key, observer: &mut O) -> bool;
    /// Puts the page into the first structure that holds its size.
    fn fill<O: Observer>(&mut self, key: Key, observer: &mut O);
}

impl Structures {
    pub(crate) fn new(level: Level, list: Vec<Structure>) -> Self {
        let eligible = crate::page::PageSize::ALL.map(|size| {
            (0..)
                .zip(&list)
                .filter(|(_, structure)| structure.has(size))
                .map(|(at, _)| at)
                .collect()
        });
        Self {
            level,
            list,
            eligible,
        }
    }

    fn id(&self, at: u8) -> StructureId {
        StructureId {
            level: self.level,
            at: u32::from(at),
        }
    }
}

impl Ask for Structures {
    #[inline]
    fn probe<O: Observer>(&mut self, key: Key, observer: &mut O) -> bool {
        for &at in &self.eligible[key.size().rank()] {
            let (set, way) = self.list[usize::from(at)].probe(key);
            if O::WATCHES {
                let structure = self.id(at);
                observer.tell(match way {
                    Some(way) => Event::Hit {
                        structure,
                        set,
                        way,
                    },
                    None => Event::Miss { structure, set },
                });
            }
            if way.is_some() {
                return true;
            }
        }
        false
    }

    #[inline]
    fn fill<O: Observer>(&mut self, key: Key, observer: &mut O) {
        if let Some(&at) = self.eligible[key.size().rank()].first() {
            let (Spot { set, way }, old) = self.list[usize::from(at)].fill(key);
            if O::WATCHES {
                observer.tell(Event::Fill {
                    structure: self.id(at),
                    set,
                    way,
                    evicted: Key::tagged(old),
                });
            }
        }
    }
}

/// A first level in which one structure, of a known kind, answers alone for some page sizes; the others are asked as
/// always. Not for those who watch: it tells no events.
pub(crate) struct Front<'a, C> {
    pub(crate) map: &'a IndexMap,
    pub(crate) cells: &'a mut C,
    /// Bit n: it answers for the size of rank n.
    pub(crate) alone: u8,
    pub(crate) others: &'a mut Structures,
}

impl<C: Entries> Ask for Front<'_, C> {
    #[inline(always)]
    fn probe<O: Observer>(&mut self, key: Key, observer: &mut O) -> bool {
        if self.alone >> (key.0 & 3) & 1 == 1 {
            let set = self.map.set(key.number());
            self.cells.probe(set, key).is_some()
        } else {
            self.others.probe(key, observer)
        }
    }

    #[inline(always)]
    fn fill<O: Observer>(&mut self, key: Key, observer: &mut O) {
        if self.alone >> (key.0 & 3) & 1 == 1 {
            let set = self.map.set(key.number());
            self.cells.fill(set, key);
        } else {
            self.others.fill(key, observer);
        }
    }
}

/// What lies behind the first level.
#[derive(Debug, Clone)]
pub(crate) struct Behind {
    pub(crate) second: Structures,
    pub(crate) walk_caches: WalkCaches,
    pub(crate) counts: Counts,
}

/// One access; the caller counts it.
#[inline(always)]
pub(crate) fn access<A: Ask, O: Observer>(
    first: &mut A,
    behind: &mut Behind,
    key: Key,
    observer: &mut O,
) {
    if first.probe(key, observer) {
        behind.counts.l1_hits += 1;
        return;
    }
    behind.resolve(key, observer);
    first.fill(key, observer);
}

impl Behind {
    /// After a miss of the first level.
    #[inline]
    fn resolve<O: Observer>(&mut self, key: Key, observer: &mut O) {
        if self.second.probe(key, observer) {
            self.counts.l2_hits += 1;
            return;
        }
        let (refs, from) = self.walk_caches.walk(key);
        if O::WATCHES {
            observer.tell(Event::Walk { refs, from });
        }
        self.counts.walks_by_size[key.size().rank()] += 1;
        self.counts.walk_refs += u64::from(refs);
        self.second.fill(key, observer);
    }
}
