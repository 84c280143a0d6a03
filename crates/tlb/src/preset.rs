//! TLBs of real CPUs (§9), each value with where it comes from.

use std::fmt;

use crate::cycles::CycleModel;
use crate::geometry::{Geometry, PageSizes, Replacement, StructureGeometry, WalkCacheSizes};
use crate::index::Index;

/// How a value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Read in a source, or measured.
    Read,
    /// Recalled from a publication, and not looked up again.
    Recalled,
    /// Assumed by those who wrote the specification.
    Assumed,
    /// Not told anywhere: what makes the specification's own table come out.
    Inferred,
}

impl Known {
    /// One word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Recalled => "recalled",
            Self::Assumed => "assumed",
            Self::Inferred => "inferred",
        }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Where one value, or some that belong together, come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Which value.
    pub what: &'static str,
    /// How it is known.
    pub known: Known,
    /// By whom, or why.
    pub source: &'static str,
}

/// A CPU's TLB.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// The name in the specification.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The TLB.
    pub geometry: Geometry,
    /// What its counts cost.
    pub cycles: CycleModel,
    /// Where the values come from.
    pub origins: Vec<Origin>,
}

const fn origin(what: &'static str, known: Known, source: &'static str) -> Origin {
    Origin {
        what,
        known,
        source,
    }
}

use Known::{Assumed, Inferred, Read, Recalled};
use Replacement::{Lru, Mru3Plru4, Plru};

const INTEL_L1: Origin = origin(
    "first level’s index",
    Read,
    "linear in address bits 12 to 15: six pages fit, a seventh does not, at every stride of 16 pages or more; measured on a Golden Cove",
);
const L1_PLRU: Origin = origin(
    "first level’s replacement",
    Inferred,
    "PLRU, as in its neighbours: what the recorded comparisons were made with",
);
const STORES: Origin = origin(
    "store-only first level",
    Assumed,
    "16 entries from Ice Lake on; left out",
);
const INTEL_WALK_CACHES: Origin = origin(
    "walk caches",
    Assumed,
    "32, 4 and 2 entries: RevAnC reports values of this order",
);
const BASE: Origin = origin(
    "cycles of an access, overlap",
    Assumed,
    "1.5 cycles; 8 hits of the second level at a time, picked to agree with one Emerald Rapids",
);

impl Preset {
    /// All of them, in the specification's order.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = intel();
        all.extend(amd());
        all.extend(arm());
        all
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|preset| preset.name == name)
    }
}

/// An Intel first level for both sizes, and what it walks with.
fn intel_geometry(small: (u32, Replacement), second: StructureGeometry) -> Geometry {
    let (ways, replacement) = small;
    Geometry {
        l1: vec![
            StructureGeometry::linear(PageSizes::SMALL, 16, ways, replacement),
            StructureGeometry::linear(PageSizes::HUGE, 8, 4, Plru),
        ],
        l2: vec![second],
        walk_caches: WalkCacheSizes {
            pde: 32,
            pdpte: 4,
            pml4e: 2,
        },
    }
}

fn second(sets: u32, ways: u32, index: Index, replacement: Replacement) -> StructureGeometry {
    StructureGeometry {
        sizes: PageSizes::SMALL_AND_HUGE,
        sets,
        ways,
        index,
        replacement,
    }
}

fn intel() -> Vec<Preset> {
    let xor = |shift| Index::Xor { shift };
    let preset = |name, title, geometry, l2_hit, walkers, own: &[Origin]| {
        Preset {
        name,
        title,
        geometry,
        cycles: CycleModel {
            l2_hit,
            walkers,
            ..CycleModel::default()
        },
        origins: own
            .iter()
            .copied()
            .chain([
                INTEL_L1,
                INTEL_WALK_CACHES,
                BASE,
                origin("cycles of a walk", Inferred, "9, and 12 for each entry read: of the ranges 9–10 and 12–15, what the specification’s table was made with"),
            ])
            .collect(),
    }
    };
    let l2_hit = |source| origin("cycles of a second-level hit", Recalled, source);
    let walkers = |known, source| origin("walkers", known, source);
    let policies = origin("replacement", Read, "PLRU4, cache-ninja");
    let skylake = [
        origin(
            "sizes, replacement, second level’s index",
            Read,
            "TLB;DR tool output: 128 sets of 12, XOR-7, (MRU+1)%3PLRU4; CPUID C3 says 6 ways and is wrong here",
        ),
        l2_hit("9, TLBleed’s 9.0"),
        walkers(Recalled, "2 from Broadwell to Ice Lake"),
    ];
    let golden = [
        origin(
            "sizes, second level’s index",
            Read,
            "SLAM on an i9-13900K, jiegec, and measured: 16×6, and 128 sets of 16 by XOR-7; CPUID 18h still says 4-way 64 and 1024+1024",
        ),
        origin("second level’s replacement", Assumed, "PLRU"),
        origin(
            "first level’s replacement",
            Inferred,
            "LRU for 4K pages, PLRU for 2M: what the recorded comparisons were made with",
        ),
        origin(
            "cycles of a second-level hit",
            Read,
            "7: jiegec and measured",
        ),
        walkers(Read, "4 on Golden Cove"),
        STORES,
    ];
    vec![
        preset(
            "ivybridge_ep",
            "Intel Ivy Bridge-EP (E5-2697 v2)",
            intel_geometry(
                (4, Plru),
                StructureGeometry::linear(PageSizes::SMALL, 128, 4, Plru),
            ),
            7.0,
            1.0,
            &[
                origin(
                    "sizes",
                    Read,
                    "CPUID 03, 5A, CA; the second level holds 4K pages only",
                ),
                policies,
                origin("second level’s index", Recalled, "linear, TLBleed"),
                l2_hit("7, of TLBleed’s 7.1"),
                walkers(Recalled, "1 up to Haswell"),
            ],
        ),
        preset(
            "haswell",
            "Intel Haswell",
            intel_geometry((4, Plru), second(128, 8, Index::Linear, Plru)),
            8.0,
            1.0,
            &[
                origin("sizes, second level’s replacement", Read, "CPUID C1; PLRU8"),
                origin("second level’s index", Recalled, "linear"),
                L1_PLRU,
                l2_hit("8, TLBleed’s 8.0"),
                walkers(Recalled, "1 up to Haswell"),
            ],
        ),
        preset(
            "broadwell",
            "Intel Broadwell",
            intel_geometry((4, Plru), second(256, 6, xor(8), Lru)),
            8.0,
            2.0,
            &[
                origin("sizes", Read, "CPUID C3"),
                origin(
                    "second level’s index",
                    Read,
                    "XOR-8 over 256 sets of 6, a public architecture header; and TLBleed, recalled",
                ),
                origin("second level’s replacement", Assumed, "LRU"),
                L1_PLRU,
                origin(
                    "cycles of a second-level hit",
                    Inferred,
                    "8: between its neighbours, and what the specification’s table was made with",
                ),
                walkers(Recalled, "2 from Broadwell to Ice Lake"),
            ],
        ),
        preset(
            "skylake",
            "Intel Skylake",
            intel_geometry((4, Plru), second(128, 12, xor(7), Mru3Plru4)),
            9.0,
            2.0,
            &skylake,
        ),
        preset(
            "cometlake_10600k",
            "Intel Comet Lake (i5-10600K)",
            intel_geometry((4, Plru), second(128, 12, xor(7), Mru3Plru4)),
            9.0,
            2.0,
            &skylake,
        ),
        preset(
            "icelake",
            "Intel Ice Lake",
            intel_geometry((4, Plru), second(128, 16, xor(7), Plru)),
            8.0,
            2.0,
            &[
                origin(
                    "sizes",
                    Read,
                    "CPUID 18h: two banks of 128×8, one for 4K and 2M, one for 4K and 1G; one of 128×16 here, so 2M pages have more room than in the CPU",
                ),
                origin("second level’s index", Assumed, "XOR-7"),
                origin("second level’s replacement", Assumed, "PLRU"),
                L1_PLRU,
                origin(
                    "cycles of a second-level hit",
                    Inferred,
                    "8: what the specification’s table was made with",
                ),
                walkers(Recalled, "2 from Broadwell to Ice Lake"),
                STORES,
            ],
        ),
        preset(
            "goldencove",
            "Intel Golden Cove, Raptor Cove, Sapphire and Emerald Rapids",
            intel_geometry((6, Lru), second(128, 16, xor(7), Plru)),
            7.0,
            4.0,
            &golden,
        ),
    ]
}

/// A fully associative first level for all sizes and a second one.
fn flat_geometry(first: u32, second: StructureGeometry, walk_caches: WalkCacheSizes) -> Geometry {
    Geometry {
        l1: vec![StructureGeometry::linear(
            PageSizes::SMALL_AND_HUGE,
            1,
            first,
            Lru,
        )],
        l2: vec![second],
        walk_caches,
    }
}

fn amd() -> Vec<Preset> {
    let zen = |name, title, first, ways, walkers, own: &[Origin]| {
        Preset {
        name,
        title,
        geometry: flat_geometry(
            first,
            second(
                256,
                ways,
                Index::Bits(vec![12, 13, 14, 15, 16, 17, 18, 21]),
                Lru,
            ),
            WalkCacheSizes {
                pde: 64,
                pdpte: 16,
                pml4e: 4,
            },
        ),
        cycles: CycleModel {
            walkers,
            walk: 10.0,
            walk_ref: 14.0,
            ..CycleModel::default()
        },
        origins: own
            .iter()
            .copied()
            .chain([
                origin("replacement", Assumed, "LRU"),
                origin("walk caches", Assumed, "64, 16 and 4 entries; that PDEs also lie in the second level, read at WikiChip, is left out"),
                BASE,
                origin("cycles of a walk", Inferred, "10, and 14 for each entry read: of the ranges 9–10 and 12–15, what the specification’s table was made with"),
            ])
            .collect(),
    }
    };
    let sizes = |source| origin("sizes", Read, source);
    let index = |source| origin("second level’s index", Assumed, source);
    let l2_hit = origin(
        "cycles of a second-level hit",
        Inferred,
        "7, as on Zen 5: what the specification’s table was made with",
    );
    let walkers = |known, source| origin("walkers", known, source);
    let later = walkers(Recalled, "6 from Zen 3 on");
    vec![
        zen(
            "zen1",
            "AMD Zen, Zen+",
            64,
            6,
            2.0,
            &[
                sizes("CPUID, 8 to 15 ways"),
                origin(
                    "second level’s index",
                    Read,
                    "bits 12 to 18 and 21: SLAM on a 2700X, which has 256 sets",
                ),
                origin(
                    "second level’s ways",
                    Assumed,
                    "6; the documents say 12, with 128 sets by bits 12 to 18 that comes to the same",
                ),
                l2_hit,
                walkers(Assumed, "2, as read for Zen 2"),
            ],
        ),
        zen(
            "zen2",
            "AMD Zen 2",
            64,
            8,
            2.0,
            &[
                sizes("CPUID; 256 sets of 8, SLAM"),
                index("as Zen+"),
                l2_hit,
                walkers(Read, "2"),
            ],
        ),
        zen(
            "zen3",
            "AMD Zen 3",
            64,
            8,
            6.0,
            &[
                sizes("CPUID; 256 sets of 8, SLAM"),
                index("as Zen+"),
                l2_hit,
                later,
            ],
        ),
        zen(
            "zen4",
            "AMD Zen 4",
            72,
            12,
            6.0,
            &[sizes("CPUID"), index("as Zen+"), l2_hit, later],
        ),
        zen(
            "zen5",
            "AMD Zen 5",
            96,
            16,
            6.0,
            &[
                sizes("jiegec; 16 ways"),
                index("as Zen+"),
                origin(
                    "cycles of a second-level hit",
                    Read,
                    "7: from 4 to 11, jiegec",
                ),
                later,
            ],
        ),
    ]
}

fn arm() -> Vec<Preset> {
    let neoverse = |name, title, first, ways, own: &[Origin]| {
        Preset {
        name,
        title,
        geometry: flat_geometry(
            first,
            second(256, ways, Index::Linear, Lru),
            WalkCacheSizes {
                pde: 32,
                pdpte: 8,
                pml4e: 4,
            },
        ),
        cycles: CycleModel {
            l2_hit: 5.0,
            walk: 8.0,
            walk_ref: 11.0,
            walkers: 4.0,
            ..CycleModel::default()
        },
        origins: own
            .iter()
            .copied()
            .chain([
                origin("second level’s index", Assumed, "linear"),
                origin("replacement", Assumed, "LRU"),
                origin("walk caches", Assumed, "32, 8 and 4 entries"),
                BASE,
                origin("cycles of a second-level hit", Read, "5, of the 5 to 6 read for the Neoverse V2"),
                origin("cycles of a walk", Inferred, "8, and 11 for each entry read: outside the ranges that are told, and what the specification’s table was made with"),
                origin("walkers", Read, "4: the Cortex-A76 supports four"),
            ])
            .collect(),
    }
    };
    vec![
        neoverse(
            "neoverse_n1",
            "Arm Neoverse N1 (Ampere Altra)",
            48,
            5,
            &[origin(
                "sizes",
                Read,
                "Cortex-A76 manual; that the N1 has the same numbers is recalled",
            )],
        ),
        neoverse(
            "neoverse_v1",
            "Arm Neoverse V1",
            40,
            8,
            &[
                origin(
                    "sizes",
                    Read,
                    "“from 40 to 48” in slides on the V2; 2048 entries in the second level",
                ),
                origin("second level’s ways", Assumed, "8"),
            ],
        ),
        neoverse(
            "neoverse_v2",
            "Arm Neoverse V2",
            48,
            8,
            &[origin("sizes", Read, "lines of its manual in jiegec")],
        ),
    ]
}
