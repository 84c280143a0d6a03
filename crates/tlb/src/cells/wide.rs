//! Sets of more than 16 ways: a hash table finds a page, links keep the order of a set.

use super::Entries;
use crate::counts::SetCounts;
use crate::geometry::Replacement;
use crate::page::Key;
use crate::policy::tree;
use crate::xorshift;

/// No slot.
const NONE: u32 = u32::MAX;

/// A slot's neighbours in the order of its set.
#[derive(Debug, Clone, Copy)]
struct Links {
    front: u32,
    back: u32,
}

/// One set.
#[derive(Debug, Clone)]
struct Set {
    /// The slot in front, most recently used or filled.
    first: u32,
    last: u32,
    /// The tree's bits, if the policy has one.
    tree: u64,
    counts: SetCounts,
}

/// All sets of a structure. Slot `set * ways + way` is a way.
#[derive(Debug, Clone)]
pub(crate) struct Wide {
    tags: Vec<u64>,
    links: Vec<Links>,
    sets: Vec<Set>,
    /// Slots by the hash of their tag, with linear probing; a power of two, at least twice the slots.
    table: Vec<u32>,
    ways: u32,
    replacement: Replacement,
    random: u64,
}

impl Wide {
    pub(crate) fn new(sets: u32, ways: u32, replacement: Replacement) -> Self {
        let slots = sets as usize * ways as usize;
        let none = Links {
            front: NONE,
            back: NONE,
        };
        let empty = Set {
            first: NONE,
            last: NONE,
            tree: 0,
            counts: SetCounts::default(),
        };
        Self {
            tags: vec![Key::NONE; slots],
            links: vec![none; slots],
            sets: vec![empty; sets as usize],
            table: vec![NONE; (4 * slots).next_power_of_two()],
            ways,
            replacement,
            random: match replacement {
                Replacement::Random { seed } => seed,
                _ => 0,
            },
        }
    }

    fn home(&self, tag: u64) -> usize {
        let mixed = tag.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        mixed as usize & (self.table.len() - 1)
    }

    /// Where in the table a tag is, or where the probing for it ended.
    #[inline(always)]
    fn place_of(&self, tag: u64) -> (usize, u32) {
        let mask = self.table.len() - 1;
        let mut at = self.home(tag);
        loop {
            let slot = self.table[at];
            if slot == NONE || self.tags[slot as usize] == tag {
                return (at, slot);
            }
            at = (at + 1) & mask;
        }
    }

    /// Takes a tag out of the table, and closes the gap so that no probing ends early.
    fn forget(&mut self, tag: u64) {
        let mask = self.table.len() - 1;
        let (mut gap, _) = self.place_of(tag);
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let slot = self.table[at];
            if slot == NONE {
                break;
            }
            // An entry may move up if its home is not between the gap and where it is.
            let home = self.home(self.tags[slot as usize]);
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.table[gap] = slot;
                gap = at;
            }
        }
        self.table[gap] = NONE;
    }

    fn unlink(&mut self, set: u32, slot: u32) {
        let Links { front, back } = self.links[slot as usize];
        let ends = &mut self.sets[set as usize];
        if front == NONE {
            ends.first = back;
        } else {
            self.links[front as usize].back = back;
        }
        if back == NONE {
            ends.last = front;
        } else {
            self.links[back as usize].front = front;
        }
    }

    fn link_first(&mut self, set: u32, slot: u32) {
        let ends = &mut self.sets[set as usize];
        let old = std::mem::replace(&mut ends.first, slot);
        if old == NONE {
            ends.last = slot;
        } else {
            self.links[old as usize].front = slot;
        }
        self.links[slot as usize] = Links {
            front: NONE,
            back: old,
        };
    }

    fn bring_to_front(&mut self, set: u32, slot: u32) {
        if self.sets[set as usize].first != slot {
            self.unlink(set, slot);
            self.link_first(set, slot);
        }
    }

    /// The way that has to leave a full set.
    fn victim(&mut self, set: u32) -> u32 {
        let ends = &self.sets[set as usize];
        match self.replacement {
            Replacement::Plru => tree::victim(ends.tree, self.ways),
            Replacement::Random { .. } => {
                self.random = xorshift(self.random);
                (self.random % u64::from(self.ways)) as u32
            }
            Replacement::Lru | Replacement::Fifo | Replacement::Mru3Plru4 => {
                ends.last - set * self.ways
            }
        }
    }
}

impl Entries for Wide {
    #[inline]
    fn probe(&mut self, set: u32, key: Key) -> Option<u32> {
        let (_, slot) = self.place_of(key.0);
        let counts = &mut self.sets[set as usize].counts;
        if slot == NONE {
            counts.misses += 1;
            return None;
        }
        counts.hits += 1;
        let way = slot - set * self.ways;
        match self.replacement {
            Replacement::Lru => self.bring_to_front(set, slot),
            Replacement::Plru => {
                let state = &mut self.sets[set as usize].tree;
                *state = tree::touch(*state, way, self.ways);
            }
            Replacement::Fifo | Replacement::Random { .. } | Replacement::Mru3Plru4 => {}
        }
        Some(way)
    }

    #[inline]
    fn fill(&mut self, set: u32, key: Key) -> (u32, u64) {
        let counts = &mut self.sets[set as usize].counts;
        let free = counts.fills;
        counts.fills += 1;
        let (way, old) = if free < u64::from(self.ways) {
            (free as u32, Key::NONE)
        } else {
            let way = self.victim(set);
            (way, self.tags[(set * self.ways + way) as usize])
        };
        let slot = set * self.ways + way;
        if old != Key::NONE {
            self.forget(old);
        }
        let ordered = matches!(self.replacement, Replacement::Lru | Replacement::Fifo);
        if ordered && old == Key::NONE {
            self.link_first(set, slot);
        } else if ordered {
            self.bring_to_front(set, slot);
        } else if self.replacement == Replacement::Plru {
            let state = &mut self.sets[set as usize].tree;
            *state = tree::touch(*state, way, self.ways);
        }
        self.tags[slot as usize] = key.0;
        let (at, _) = self.place_of(key.0);
        self.table[at] = slot;
        (way, old)
    }

    fn tags(&self, set: u32) -> Vec<u64> {
        let from = (set * self.ways) as usize;
        self.tags[from..from + self.ways as usize].to_vec()
    }

    fn counts(&self, set: u32) -> SetCounts {
        self.sets[set as usize].counts
    }

    fn again(&mut self, set: u32, more: SetCounts, times: u64) {
        self.sets[set as usize].counts.add(more, times);
    }

    fn state(&self, set: u32, into: &mut Vec<u64>) {
        let ends = &self.sets[set as usize];
        let from = (set * self.ways) as usize;
        let filled = ends.counts.fills.min(u64::from(self.ways)) as usize;
        into.extend_from_slice(&self.tags[from..from + filled]);
        into.push(ends.tree);
        into.push(self.random);
        let mut slot = ends.first;
        while slot != NONE {
            into.push(u64::from(slot));
            slot = self.links[slot as usize].back;
        }
    }
}
