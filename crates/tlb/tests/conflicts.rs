//! Counts that follow from arithmetic: streams that fall into one set.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_tlb::{
    Geometry, Index, Level, PageSize, PageSizes, Pages, Pattern, Replacement, StructureGeometry,
    StructureId, Tlb, WalkCacheSizes,
};

const FIRST: StructureId = StructureId {
    level: Level::First,
    at: 0,
};

fn one_structure(sets: u32, ways: u32, replacement: Replacement) -> Tlb {
    Tlb::new(&Geometry {
        l1: vec![StructureGeometry::linear(
            PageSizes::SMALL_AND_HUGE,
            sets,
            ways,
            replacement,
        )],
        l2: Vec::new(),
        walk_caches: WalkCacheSizes::default(),
    })
    .unwrap()
}

fn lockstep(n: u64) -> Pattern {
    Pattern::Lockstep {
        n,
        size: 1 << 21,
        stride: 8,
        start: 0,
    }
}

/// S streams as far apart as all sets are long, W ways: with S > W every access misses under LRU and FIFO, with S ≤ W only
/// the first of each page does.
#[test]
fn streams_in_one_set_all_fit_or_all_miss() {
    for (ways, replacement) in [4, 6, 8, 12, 16, 20, 64].into_iter().flat_map(|ways| {
        [Replacement::Lru, Replacement::Fifo].map(|replacement| (ways, replacement))
    }) {
        for sets in [1, 16, 128] {
            for streams in [1, 2, ways - 1, ways, ways + 1, ways + 2, 3 * ways] {
                // Far enough apart that no stream comes into another's pages.
                let bases: Vec<u64> = (0..streams).map(|at| u64::from(at * sets) << 22).collect();
                let rounds = 700;
                let mut tlb = one_structure(sets, ways, replacement);
                let n = rounds * u64::from(streams);
                let counts = tlb
                    .run_pattern(&lockstep(n), &bases, &Pages::small())
                    .unwrap();
                // 512 steps of 8 bytes to a page: two pages of each stream.
                let misses = if streams > ways {
                    n
                } else {
                    2 * u64::from(streams)
                };
                assert_eq!(counts.walks(), misses, "{streams} streams in {sets}x{ways}");
                assert_eq!(counts.walk_refs, 4 * misses);
                assert_eq!(counts.l1_hits, n - misses);
            }
        }
    }
}

/// Page by page with a stride of 2^k pages: 2^k sets of 2^n are left out for each used, so 2^(n-k) sets share the streams.
#[test]
fn a_stride_of_two_to_the_k_uses_one_set_in_two_to_the_k() {
    let (sets, ways) = (128_u64, 8_u64);
    for k in 0..=10 {
        let used = (sets >> k).max(1);
        for streams in [1, used, used * ways, used * ways + 1, 2 * used * ways] {
            let bases: Vec<u64> = (0..streams).map(|at| (at << k) << 12).collect();
            let rounds = 50;
            let n = rounds * streams;
            let mut tlb = one_structure(sets as u32, ways as u32, Replacement::Lru);
            let same = Pattern::Lockstep {
                n,
                size: 4096,
                stride: 0,
                start: 0,
            };
            let counts = tlb.run_pattern(&same, &bases, &Pages::small()).unwrap();
            // Sets with more streams than ways miss always; the others once for each of theirs.
            let misses: u64 = (0..used)
                .map(|set| (streams + used - 1 - set) / used)
                .map(|tenants| {
                    if tenants > ways {
                        tenants * rounds
                    } else {
                        tenants
                    }
                })
                .sum();
            assert_eq!(counts.walks(), misses, "stride 2^{k}, {streams} streams");
            let touched = tlb
                .set_counts(FIRST)
                .iter()
                .filter(|set| set.fills > 0)
                .count();
            assert_eq!(touched as u64, used.min(streams));
        }
    }
}

/// 1158 pages apart is 6 mod 16, and half of the sets share the streams; 1536 is 0, and one set has them all.
#[test]
fn why_4632_kb_are_spread_and_6144_kb_are_not() {
    for (apart, used) in [(4632_u64, 8), (6144, 1)] {
        let bases: Vec<u64> = (0..20).map(|at| at * (apart << 10)).collect();
        let mut tlb = one_structure(16, 4, Replacement::Lru);
        tlb.run_pattern(&lockstep(20), &bases, &Pages::small())
            .unwrap();
        let sets = tlb.set_counts(FIRST);
        assert_eq!(sets.iter().filter(|set| set.fills > 0).count(), used);
        let of: Vec<u32> = bases
            .iter()
            .map(|base| tlb.set_of(FIRST, Pages::small().page(*base)).unwrap())
            .collect();
        let step = (apart / 4 % 16) as u32;
        assert!((0..).zip(&of).all(|(at, set)| *set == at * step % 16));
    }
}

/// What was measured on a Golden Cove: how many pages at a stride stay in the first level, and in the second.
#[test]
fn the_measured_knees_of_golden_cove() {
    let preset = mmscope_tlb::Preset::named("goldencove").unwrap();
    let misses = |pages: u64, stride: u64| {
        let bases: Vec<u64> = (0..pages).map(|at| (at * stride) << 10).collect();
        let warm = Pattern::Lockstep {
            n: 20 * pages,
            size: 4096,
            stride: 0,
            start: 0,
        };
        let mut tlb = Tlb::new(&preset.geometry).unwrap();
        tlb.run_pattern(&warm, &bases, &Pages::small()).unwrap();
        let before = tlb.counts();
        tlb.run_pattern(&warm, &bases, &Pages::small()).unwrap();
        let after = tlb.counts() - before;
        (after.l1_misses() > 0, after.walks() > 0)
    };
    for (stride, fits, too_many) in [
        (4, 96, 128),
        (64, 6, 8),
        (512, 6, 8),
        (2048, 6, 8),
        (4632, 48, 64),
        (6144, 6, 8),
        (32768, 6, 8),
    ] {
        assert_eq!(
            misses(fits, stride),
            (false, false),
            "{fits} at {stride} kB"
        );
        assert!(misses(too_many, stride).0, "{too_many} at {stride} kB");
    }
    assert!(!misses(256, 2048).1, "the second level holds 256 at 2 MB");
    assert!(!misses(24, 32768).1);
    assert!(misses(48, 32768).1, "and 48 at 32 MB it does not");
}

/// A huge page is one entry, and its index takes higher bits.
#[test]
fn huge_pages_move_the_index_up() {
    let index = Index::Linear;
    assert_eq!(index.set(8, 5 << 21, PageSize::Huge), 5);
    let bases: Vec<u64> = (0..20).map(|at| at * (6 << 20)).collect();
    let pages = Pages::with_huge(std::iter::once(0..120 << 20)).unwrap();
    let mut tlb = one_structure(8, 4, Replacement::Lru);
    let counts = tlb.run_pattern(&lockstep(2000), &bases, &pages).unwrap();
    // Three huge pages apart: all eight sets, two or three streams in each.
    assert_eq!((counts.walks(), counts.walk_refs), (20, 60));
    assert!(
        tlb.set_counts(FIRST)
            .iter()
            .all(|set| (2..=3).contains(&set.fills))
    );
}
