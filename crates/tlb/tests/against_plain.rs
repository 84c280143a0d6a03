//! Random geometries and patterns, in one go, in slices, and watched, against the plain implementation.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::ops::Range;

use common::PlainTlb;
use mmscope_tlb::{
    Axis, Event, Geometry, Index, Level, PageSize, PageSizes, Pages, Pattern, Replacement, Shares,
    Stencil, StreamCounts, StructureGeometry, StructureId, Tlb, WalkCacheSizes,
};
use proptest::prelude::*;

fn sizes() -> impl Strategy<Value = PageSizes> {
    prop_oneof![
        4 => Just(PageSizes::SMALL_AND_HUGE),
        2 => Just(PageSizes::SMALL),
        2 => Just(PageSizes::HUGE),
        1 => Just(PageSizes::SMALL_AND_HUGE.and(PageSize::Gigantic)),
        1 => Just(PageSizes::default().and(PageSize::Gigantic)),
    ]
}

fn index() -> impl Strategy<Value = (u32, Index)> {
    prop_oneof![
        (0..6_u32).prop_map(|bits| (1 << bits, Index::Linear)),
        (0..6_u32, 1..12_u8).prop_map(|(bits, shift)| (1 << bits, Index::Xor { shift })),
        (0..6_u32, 1..12_u8).prop_map(|(bits, group)| (1 << bits, Index::Fold { bits: group })),
        proptest::collection::vec(12..30_u8, 0..6)
            .prop_map(|bits| (1 << bits.len(), Index::Bits(bits))),
        proptest::collection::vec(1..0xffff_ffff_u64, 0..6).prop_map(|masks| {
            let masks: Vec<u64> = masks.into_iter().map(|mask| mask << 12).collect();
            (1 << masks.len(), Index::Masks(masks))
        }),
        (1..40_u32).prop_map(|sets| (sets, Index::Mod)),
    ]
}

fn ways() -> impl Strategy<Value = (u32, Replacement)> {
    let any = prop_oneof![6 => 1..=16_u32, 1 => 17..70_u32];
    prop_oneof![
        3 => any.clone().prop_map(|ways| (ways, Replacement::Lru)),
        1 => any.clone().prop_map(|ways| (ways, Replacement::Fifo)),
        2 => (0..=6_u32).prop_map(|bits| (1 << bits, Replacement::Plru)),
        1 => Just((12, Replacement::Mru3Plru4)),
        1 => (any, 1..u64::MAX).prop_map(|(ways, seed)| (ways, Replacement::Random { seed })),
    ]
}

fn structure() -> impl Strategy<Value = StructureGeometry> {
    (sizes(), index(), ways()).prop_map(|(sizes, (sets, index), (ways, replacement))| {
        StructureGeometry {
            sizes,
            sets,
            ways,
            index,
            replacement,
        }
    })
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let level = || proptest::collection::vec(structure(), 0..3);
    let entries = || prop_oneof![Just(0_u32), 1..6_u32, Just(32_u32)];
    (level(), level(), entries(), entries(), entries()).prop_map(|(l1, l2, pde, pdpte, pml4e)| {
        Geometry {
            l1,
            l2,
            walk_caches: WalkCacheSizes { pde, pdpte, pml4e },
        }
    })
}

const MIB: u64 = 1 << 20;

/// Streams, and which of them lie in larger pages.
fn streams() -> impl Strategy<Value = (Vec<u64>, Pages)> {
    let apart = prop_oneof![
        Just(4632 << 10),
        Just(6 * MIB),
        Just(4096_u64),
        1..40 * MIB,
        Just(1_u64 << 30)
    ];
    (1..24_u64, apart, 0..3_u8, any::<u16>()).prop_map(|(count, apart, larger, shift)| {
        let base = 0x7f00_0000_0000 + u64::from(shift) * 4096;
        let bases: Vec<u64> = (0..count).map(|at| base + at * apart).collect();
        let whole = |range: Range<u64>, size: PageSize| {
            let bytes = size.bytes();
            range.start.next_multiple_of(bytes)..range.end / bytes * bytes
        };
        let (first, last) = (base, base + count * apart);
        let pages = match larger {
            0 => Pages::small(),
            1 => {
                let ranges = bases.iter().step_by(2).map(|at| *at..at + apart);
                let ranges = ranges.map(|range| whole(range, PageSize::Huge));
                Pages::with_huge(ranges.filter(|range| range.start < range.end)).unwrap()
            }
            _ => {
                let all = whole(first..last, PageSize::Gigantic);
                let some = (all.start < all.end).then_some((all, PageSize::Gigantic));
                Pages::with(some).unwrap()
            }
        };
        (bases, pages)
    })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let stride = || prop_oneof![Just(8_u64), Just(64), 0..5000_u64, Just(2 * MIB)];
    let size = || prop_oneof![1..20_000_u64, Just(4632_u64 << 10)];
    let axis = || {
        (0..4_u32, 0..40_u32, 1..4_u32).prop_map(|(from, more, step)| Axis {
            from: from + 2,
            to: from + 2 + more,
            step,
        })
    };
    let tap = || (-2..3_i32, -1..2_i32, -1..2_i32).prop_map(|(x, y, z)| [x, y, z]);
    prop_oneof![
        4 => (0..6000_u64, size(), stride(), any::<u32>()).prop_map(|(n, size, stride, start)| {
            Pattern::Lockstep { n, size, stride, start: start.into() }
        }),
        2 => (0..6000_u64, size(), stride(), any::<u32>()).prop_map(|(n, size, stride, start)| {
            Pattern::Strided { n, size, stride: stride.max(1), start: u64::from(start) % size }
        }),
        2 => (axis(), axis(), 1..3_u32, proptest::collection::vec(tap(), 1..8)).prop_map(
            |(i, j, planes, taps)| Pattern::Stencil(Stencil {
                taps,
                ..Stencil::grid_84(i, Axis { to: (j.from + j.to) / 2, ..j }, Axis { from: 2, to: 2 + planes, step: 1 })
            })
        ),
        1 => (0..4000_u64, 8..MIB, 1..8_u64, 1..u64::MAX).prop_map(|(n, size, elem, seed)| {
            Pattern::Random { n, size, elem, seed }
        }),
        1 => proptest::collection::vec(any::<u64>(), 0..300).prop_map(Pattern::List),
    ]
}

fn compare(tlb: &Tlb, plain: &PlainTlb) {
    let counts = tlb.counts();
    let tally = common::Tally {
        accesses: counts.accesses(),
        l1_hits: counts.l1_hits,
        l2_hits: counts.l2_hits,
        walks: counts.walks(),
        refs: counts.walk_refs,
    };
    assert_eq!(tally, plain.tally);
    for (id, geometry) in tlb.structures() {
        let level = match id.level {
            Level::First => 0,
            Level::Second => 1,
        };
        let other = &plain.levels[level][id.at as usize];
        for (set, counts) in (0..geometry.sets).zip(tlb.set_counts(id)) {
            let tenants: Vec<_> = tlb
                .tenants(id, set)
                .into_iter()
                .map(|page| page.map(|page| (page.size, page.number)))
                .collect();
            let told = (tenants, [counts.hits, counts.misses, counts.fills]);
            assert_eq!(told, other.told(set), "{id:?} set {set}");
        }
    }
}

/// What events add up to.
#[derive(Default)]
struct Seen {
    accesses: u64,
    first_hits: u64,
    second_hits: u64,
    walks: u64,
    refs: u64,
    evicted: u64,
}

impl Seen {
    fn take(&mut self, event: Event) {
        match event {
            Event::Access { .. } => self.accesses += 1,
            Event::Hit {
                structure: StructureId { level, .. },
                ..
            } => match level {
                Level::First => self.first_hits += 1,
                Level::Second => self.second_hits += 1,
            },
            Event::Miss { .. } => {}
            Event::Walk { refs, .. } => {
                self.walks += 1;
                self.refs += u64::from(refs);
            }
            Event::Fill { evicted, .. } => self.evicted += u64::from(evicted.is_some()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_is_what_the_plain_one_does(
        geometry in geometry(), (bases, pages) in streams(), pattern in pattern(),
        slices in proptest::collection::vec(0..3000_u64, 1..5), watched in 0..500_u64,
    ) {
        prop_assert_eq!(geometry.check(), Ok(()));
        let mut plain = PlainTlb::new(&geometry);
        let accesses = pattern.over(&bases).unwrap();
        let total = accesses.total();
        let all: Vec<_> = accesses.collect();
        prop_assert_eq!(all.len() as u64, total);
        for access in &all {
            plain.access(access.address, pages.size(access.address));
        }
        let mut tlb = Tlb::new(&geometry).unwrap();
        let counts = tlb.run_pattern(&pattern, &bases, &pages).unwrap();
        prop_assert_eq!(counts, tlb.counts());
        compare(&tlb, &plain);

        // In slices, with some accesses watched in between.
        let mut sliced = Tlb::new(&geometry).unwrap();
        let mut accesses = pattern.over(&bases).unwrap();
        let mut done = 0;
        for slice in slices.iter().cycle().take(200) {
            let run = sliced.run(&mut accesses, &pages, *slice);
            prop_assert_eq!(run, (*slice).min(total - done));
            done += run;
            let before = sliced.counts();
            let mut seen = Seen::default();
            let run = sliced.watch(&mut accesses, &pages, watched, &mut |event| seen.take(event));
            done += run;
            let more = sliced.counts() - before;
            prop_assert_eq!((seen.accesses, more.accesses()), (run, run));
            prop_assert_eq!((seen.first_hits, seen.second_hits), (more.l1_hits, more.l2_hits));
            prop_assert_eq!((seen.walks, seen.refs), (more.walks(), more.walk_refs));
            prop_assert_eq!(accesses.done(), done);
        }
        sliced.run(&mut accesses, &pages, u64::MAX);
        prop_assert_eq!(accesses.done(), total);
        compare(&sliced, &plain);
        prop_assert_eq!(sliced.walk_cache_counts(), tlb.walk_cache_counts());
        // What fills put out is what sets have lost.
        let lost: u64 = sliced
            .structures()
            .map(|(id, geometry)| {
                let sets = sliced.set_counts(id);
                sets.iter().map(|set| set.evictions(geometry.ways)).sum::<u64>()
            })
            .sum();
        let mut seen = Seen::default();
        let mut told = Tlb::new(&geometry).unwrap();
        let mut accesses = pattern.over(&bases).unwrap();
        told.watch(&mut accesses, &pages, u64::MAX, &mut |event| seen.take(event));
        prop_assert_eq!(seen.evicted, lost);
        compare(&told, &plain);
        by_stream(&geometry, &pattern, &bases, &pages, &slices, &plain);
    }
}

/// Counts by stream, in slices, against those added up from what is told of each access.
fn by_stream(
    geometry: &Geometry,
    pattern: &Pattern,
    bases: &[u64],
    pages: &Pages,
    slices: &[u64],
    plain: &PlainTlb,
) {
    let streams = bases.len().max(24);
    let mut tlb = Tlb::new(geometry).unwrap();
    let mut shares = Shares::new(&tlb, streams);
    let mut accesses = pattern.over(bases).unwrap();
    for slice in slices {
        tlb.run_shared(&mut accesses, pages, *slice, &mut shares);
    }
    tlb.run_shared(&mut accesses, pages, u64::MAX, &mut shares);
    compare(&tlb, plain);

    let mut expected = vec![StreamCounts::default(); streams];
    let mut owners = BTreeMap::new();
    let mut evictions = BTreeMap::new();
    let mut now = 0;
    let mut told = Tlb::new(geometry).unwrap();
    let mut accesses = pattern.over(bases).unwrap();
    told.watch(&mut accesses, pages, u64::MAX, &mut |event| {
        if let Event::Access { stream, .. } = event {
            now = stream as usize;
        }
        let Some(counts) = expected.get_mut(now) else {
            return;
        };
        match event {
            Event::Access { .. } => counts.accesses += 1,
            Event::Hit { structure, .. } => {
                counts.l2_hits += u64::from(structure.level == Level::Second);
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
                if let Some(left) = owners.insert((structure, set, way), now) {
                    *evictions.entry((structure.level, now, left)).or_insert(0) += 1;
                }
            }
            Event::Miss { .. } => {}
        }
    });
    assert_eq!(shares.streams(), expected);
    for level in [Level::First, Level::Second] {
        for came in 0..streams {
            for left in 0..streams {
                let count = evictions.get(&(level, came, left)).copied().unwrap_or(0);
                assert_eq!(shares.evictions(level, came, left), count);
            }
        }
    }
    for ((id, set, way), owner) in owners {
        let owners = shares.owners(id, set);
        assert_eq!(owners[way as usize], Some(owner as u32));
    }
}
