//! A second TLB, written plainly from the rules: every set a list of ways, every access gone through. Slow, and shares
//! no code with the first but the description of a geometry.

#![allow(dead_code, reason = "each test program uses a part")]

use std::collections::BTreeMap;

use mmscope_tlb::{Geometry, Index, PageSize, Replacement, StructureGeometry};

/// What is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) accesses: u64,
    pub(crate) l1_hits: u64,
    pub(crate) l2_hits: u64,
    pub(crate) walks: u64,
    pub(crate) refs: u64,
}

type Tag = (PageSize, u64);

/// A set: entries by way, and the ways in an order, the front first.
#[derive(Debug, Clone)]
struct Set {
    entries: Vec<Option<Tag>>,
    order: Vec<usize>,
    nodes: Vec<bool>,
    group: usize,
    hits: u64,
    misses: u64,
    fills: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Structure {
    geometry: StructureGeometry,
    sets: BTreeMap<u64, Set>,
    state: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct PlainTlb {
    pub(crate) levels: [Vec<Structure>; 2],
    caches: [(u64, Vec<u64>); 3],
    pub(crate) tally: Tally,
}

fn set_of(geometry: &StructureGeometry, address: u64, size: PageSize) -> u64 {
    let p = size.shift();
    let v = address >> p;
    let sets = u64::from(geometry.sets);
    match &geometry.index {
        Index::Linear | Index::Mod => v % sets,
        Index::Xor { shift } => (v ^ v >> shift) % sets,
        Index::Fold { bits } => {
            let (mut r, mut v) = (0, v);
            while v > 0 {
                r ^= v % (1 << bits);
                v >>= bits;
            }
            r % sets
        }
        Index::Bits(bits) => (0..).zip(bits).fold(0, |set, (at, bit)| {
            let up = u32::from(*bit) + p - 12;
            set | (address.checked_shr(up).unwrap_or(0) % 2) << at
        }),
        Index::Masks(masks) => (0..).zip(masks).fold(0, |set, (at, mask)| {
            let moved = u128::from(*mask) << (p - 12);
            let ones = (u128::from(address) & moved).count_ones();
            set | u64::from(ones % 2) << at
        }),
    }
}

/// Turns the nodes above a way away from it; the nodes of a tree are 1 to ways - 1.
fn turn(nodes: &mut [bool], way: usize) {
    let ways = nodes.len();
    let (mut node, mut low, mut high) = (1, 0, ways);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let right = way >= middle;
        nodes[node] = !right;
        node = 2 * node + usize::from(right);
        if right {
            low = middle;
        } else {
            high = middle;
        }
    }
}

fn pointed(nodes: &[bool]) -> usize {
    let mut node = 1;
    while node < nodes.len() {
        node = 2 * node + usize::from(nodes[node]);
    }
    node - nodes.len()
}

impl Set {
    fn touch(&mut self, replacement: Replacement, way: usize, fill: bool) {
        let to_front = |order: &mut Vec<usize>| {
            order.retain(|other| *other != way);
            order.insert(0, way);
        };
        match replacement {
            Replacement::Lru => to_front(&mut self.order),
            Replacement::Fifo if fill => to_front(&mut self.order),
            Replacement::Plru => turn(&mut self.nodes, way),
            Replacement::Mru3Plru4 => {
                self.group = way / 4;
                let from = 4 * self.group;
                turn(&mut self.nodes[from..from + 4], way % 4);
            }
            Replacement::Fifo | Replacement::Random { .. } => {}
        }
    }

    fn victim(&self, replacement: Replacement, state: &mut u64) -> usize {
        match replacement {
            Replacement::Lru | Replacement::Fifo => self.order[self.order.len() - 1],
            Replacement::Plru => pointed(&self.nodes),
            Replacement::Mru3Plru4 => {
                let group = (self.group + 1) % 3;
                4 * group + pointed(&self.nodes[4 * group..4 * group + 4])
            }
            Replacement::Random { .. } => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                (*state % self.entries.len() as u64) as usize
            }
        }
    }
}

impl Structure {
    fn new(geometry: &StructureGeometry) -> Self {
        Self {
            geometry: geometry.clone(),
            sets: BTreeMap::new(),
            state: match geometry.replacement {
                Replacement::Random { seed } => seed,
                _ => 0,
            },
        }
    }

    fn set(&mut self, address: u64, size: PageSize) -> &mut Set {
        let ways = self.geometry.ways as usize;
        let at = set_of(&self.geometry, address, size);
        self.sets.entry(at).or_insert_with(|| Set {
            entries: vec![None; ways],
            order: (0..ways).collect(),
            nodes: vec![false; ways],
            group: 2,
            hits: 0,
            misses: 0,
            fills: 0,
        })
    }

    fn look(&mut self, address: u64, size: PageSize) -> bool {
        let replacement = self.geometry.replacement;
        let set = self.set(address, size);
        let tag = Some((size, address >> size.shift()));
        match set.entries.iter().position(|entry| *entry == tag) {
            Some(way) => {
                set.hits += 1;
                set.touch(replacement, way, false);
                true
            }
            None => {
                set.misses += 1;
                false
            }
        }
    }

    fn fill(&mut self, address: u64, size: PageSize) {
        let replacement = self.geometry.replacement;
        let mut state = self.state;
        let set = self.set(address, size);
        let free = set.entries.iter().position(Option::is_none);
        let way = free.unwrap_or_else(|| set.victim(replacement, &mut state));
        set.entries[way] = Some((size, address >> size.shift()));
        set.fills += 1;
        set.touch(replacement, way, true);
        self.state = state;
    }

    /// Entries and hits, misses, fills of a set.
    pub(crate) fn told(&self, set: u32) -> (Vec<Option<Tag>>, [u64; 3]) {
        match self.sets.get(&u64::from(set)) {
            Some(set) => (set.entries.clone(), [set.hits, set.misses, set.fills]),
            None => (vec![None; self.geometry.ways as usize], [0; 3]),
        }
    }
}

impl PlainTlb {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let level = |list: &Vec<StructureGeometry>| list.iter().map(Structure::new).collect();
        let sizes = geometry.walk_caches;
        let cache = |entries: u32| (u64::from(entries), Vec::new());
        Self {
            levels: [level(&geometry.l1), level(&geometry.l2)],
            caches: [cache(sizes.pde), cache(sizes.pdpte), cache(sizes.pml4e)],
            tally: Tally::default(),
        }
    }

    pub(crate) fn access(&mut self, address: u64, size: PageSize) {
        self.tally.accesses += 1;
        let mut found = None;
        'levels: for (at, level) in self.levels.iter_mut().enumerate() {
            for structure in level.iter_mut().filter(|s| s.geometry.sizes.has(size)) {
                if structure.look(address, size) {
                    found = Some(at);
                    break 'levels;
                }
            }
        }
        match found {
            Some(0) => self.tally.l1_hits += 1,
            Some(_) => self.tally.l2_hits += 1,
            None => {
                self.tally.walks += 1;
                self.tally.refs += self.walk(address, size);
            }
        }
        for at in (0..found.unwrap_or(2)).rev() {
            let mut level = self.levels[at].iter_mut();
            if let Some(structure) = level.find(|s| s.geometry.sizes.has(size)) {
                structure.fill(address, size);
            }
        }
    }

    fn walk(&mut self, address: u64, size: PageSize) -> u64 {
        let first = match size {
            PageSize::Small => 0,
            PageSize::Huge => 1,
            PageSize::Gigantic => 2,
        };
        let key = |level: usize| address >> [21, 30, 39][level];
        let hit = (first..3).find(|level| self.caches[*level].1.contains(&key(*level)));
        if let Some(level) = hit {
            let entries = &mut self.caches[level].1;
            entries.retain(|entry| *entry != key(level));
            entries.insert(0, key(level));
        }
        let upto = hit.unwrap_or(3);
        for level in (first..upto).rev() {
            let (most, entries) = &mut self.caches[level];
            entries.insert(0, key(level));
            entries.truncate(*most as usize);
        }
        match hit {
            Some(level) => (level - first + 1) as u64,
            None => 4 - first as u64,
        }
    }
}
