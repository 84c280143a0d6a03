//! A fixed set of runs over all that the simulator can do, as text: the same everywhere.

use std::fmt::Write as _;

use mmscope_tlb::{Axis, CacheLevel, Caches, Geometry, Pages, Pattern, Preset, Stencil, Tlb};

/// Geometries beside the presets: each index and each policy.
const GEOMETRIES: [&str; 6] = [
    "4K+2M:4x3:fold5:fifo/4K:8x12:masks41000.82000.100000:mru3plru4,2M:24x2:mod:lru/3-2-1",
    "4K:1x20:fifo/4K+2M:64x8:bits12.13.14.15.16.21:random.9e3779b97f4a7c15/0-0-0",
    "4K+2M:1x64:plru/4K+2M:128x16:xor7:plru/4-0-2",
    "4K:16x4:random.1,2M:8x4:lru/4K+2M:3x40:mod:random.2/32-4-2",
    "none/4K:16x12:mru3plru4/1-1-1",
    "4K+2M+1G:32x6:lru/none/32-4-2",
];

const SIZE: u64 = 4632 << 10;

/// One line a run: geometry, layout, pattern, then accesses, hits of both levels, walks, entries read, and a sum over the counts of
/// all sets and the pages in them; at the end the physically indexed caches. Lines of what can't be built say so.
#[must_use]
pub fn counted() -> String {
    let mut text = String::new();
    let presets = Preset::all().into_iter().map(|preset| preset.geometry);
    let others = GEOMETRIES.iter().filter_map(|text| text.parse().ok());
    for geometry in presets.chain(others) {
        for (layout, apart) in [("merged", SIZE), ("aligned", 6 << 20)] {
            for (name, pattern) in patterns() {
                let line = run(&geometry, &pattern, apart).unwrap_or_else(|| "refused".into());
                // A String takes all that is written.
                let _ = writeln!(text, "{geometry} {layout} {name}: {line}");
            }
        }
    }
    let served = caches().unwrap_or_else(|| "refused".into());
    let _ = writeln!(text, "caches: {served}");
    text
}

fn patterns() -> [(&'static str, Pattern); 4] {
    let axis = |to, step| Axis { from: 2, to, step };
    [
        (
            "lockstep",
            Pattern::Lockstep {
                n: 60_007,
                size: SIZE,
                stride: 72,
                start: 4000,
            },
        ),
        (
            "stencil",
            Pattern::Stencil(Stencil::grid_84(axis(50, 3), axis(8, 2), axis(4, 1))),
        ),
        (
            "random",
            Pattern::Random {
                n: 10_000,
                size: SIZE,
                elem: 8,
                seed: 0x2545_f491_4f6c_dd1d,
            },
        ),
        (
            "strided",
            Pattern::Strided {
                n: 10_000,
                size: SIZE,
                stride: 5000,
                start: 16,
            },
        ),
    ]
}

fn streams(apart: u64) -> Option<(Vec<u64>, Pages)> {
    let bases: Vec<u64> = (0..20).map(|at| 0x7e00_0000_0000 + at * apart).collect();
    // Every second stream in huge pages, where they fit.
    let huge = bases.iter().step_by(2).map(|base| {
        let whole = 2 << 20;
        base.next_multiple_of(whole)..(base + SIZE) / whole * whole
    });
    let pages = Pages::with_huge(huge).ok()?;
    Some((bases, pages))
}

fn run(geometry: &Geometry, pattern: &Pattern, apart: u64) -> Option<String> {
    let (bases, pages) = streams(apart)?;
    let mut tlb = Tlb::new(geometry).ok()?;
    let counts = tlb.run_pattern(pattern, &bases, &pages).ok()?;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |value: u64| sum = (sum ^ value).wrapping_mul(0x100_0000_01b3);
    for (id, structure) in tlb.structures() {
        for (set, counts) in (0..structure.sets).zip(tlb.set_counts(id)) {
            add(counts.hits);
            add(counts.misses);
            add(counts.fills);
            for page in tlb.tenants(id, set) {
                add(page.map_or(0, |page| page.start() + 1));
            }
        }
    }
    Some(format!(
        "{} {} {} {} {} {sum:016x}",
        counts.accesses(),
        counts.l1_hits,
        counts.l2_hits,
        counts.walks(),
        counts.walk_refs
    ))
}

fn caches() -> Option<String> {
    let level = |sets, ways| CacheLevel { sets, ways };
    let mut caches = Caches::new(&[level(64, 8), level(1024, 4), level(8192, 20)]).ok()?;
    let (bases, pages) = streams(6 << 20)?;
    for (_, pattern) in patterns() {
        caches.run(&mut pattern.over(&bases).ok()?, &pages, u64::MAX);
    }
    Some(format!("{:?}", caches.served_by()))
}
