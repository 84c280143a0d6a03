//! Comparisons of counters: configuration, layout and trace, and what was counted.

use mmscope_tlb::{
    Axis, Counts, Geometry, Index, PageSize, PageSizes, Pattern, Preset, Replacement, Stencil,
    StructureGeometry, Tlb, WalkCacheSizes,
};
use serde_json::Value;

use super::layout::Layout;
use super::{TlbReport, hex, list, number, small, word};

/// Counters of configurations. Where the group is that of presets, the preset has to be the configuration.
pub(super) fn counters(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    let presets = file["group"] == "presets";
    for vector in list(file, "vectors")? {
        let geometry = geometry(&vector["config"])?;
        if presets {
            let name = word(vector, "id")?.split('/').next().unwrap_or_default();
            let preset = Preset::named(name).ok_or_else(|| format!("no preset “{name}”"))?;
            if preset.geometry != geometry {
                return Err(format!(
                    "the preset “{name}” is {}, recorded is {geometry}",
                    preset.geometry
                ));
            }
        }
        let layout = Layout::read(&vector["layout"])?;
        let counts = run(&geometry, &pattern(&vector["trace"])?, &layout)?;
        report.accesses += counts.accesses();
        report.same(
            word(vector, "id")?,
            &Recorded::read(&vector["expect"])?,
            &Recorded::of(counts),
        );
    }
    Ok(())
}

/// Values of index functions, for both sizes of pages.
pub(super) fn index_values(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for (at, vector) in list(file, "vectors")?.iter().enumerate() {
        let (index, sets) = (index(&vector["index"])?, small(vector, "sets")?);
        index.check(sets).map_err(|error| error.to_string())?;
        let address = hex(&vector["va"])?;
        let set = |size| index.set(sets, address, size);
        report.same(
            &format!("index value {at}"),
            &(small(vector, "set_4k")?, small(vector, "set_2m")?),
            &(set(PageSize::Small), set(PageSize::Huge)),
        );
    }
    Ok(())
}

/// Accesses served by each level of physically indexed caches.
pub(super) fn caches(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for vector in list(file, "vectors")? {
        let levels = list(vector, "caches")?
            .iter()
            .map(|level| {
                let number = |at: usize| level[at].as_u64().and_then(|n| u32::try_from(n).ok());
                Some(mmscope_tlb::CacheLevel {
                    sets: number(0)?,
                    ways: number(1)?,
                })
            })
            .collect::<Option<Vec<_>>>()
            .ok_or("a cache is sets and ways")?;
        let layout = Layout::read(&vector["layout"])?;
        let mut caches = mmscope_tlb::Caches::new(&levels).map_err(|error| error.to_string())?;
        let mut accesses = pattern(&vector["trace"])?
            .over(&layout.bases)
            .map_err(|error| error.to_string())?;
        let run = caches.run(&mut accesses, &layout.pages, u64::MAX);
        report.accesses += run;
        let expect = &vector["expect"];
        let served: Option<Vec<u64>> = list(expect, "served_by")?
            .iter()
            .map(Value::as_u64)
            .collect();
        report.same(
            word(vector, "id")?,
            &(
                number(expect, "accesses")?,
                served.ok_or("served_by holds counts")?,
            ),
            &(run, caches.served_by().to_vec()),
        );
    }
    Ok(())
}

/// Runs a pattern through an empty TLB.
pub(super) fn run(
    geometry: &Geometry,
    pattern: &Pattern,
    layout: &Layout,
) -> Result<Counts, String> {
    let mut tlb = Tlb::new(geometry).map_err(|error| error.to_string())?;
    tlb.run_pattern(pattern, &layout.bases, &layout.pages)
        .map_err(|error| error.to_string())
}

/// The counters that recordings have; those that one does not tell are not compared.
#[derive(Debug)]
pub(super) struct Recorded([(&'static str, Option<u64>); 9]);

impl PartialEq for Recorded {
    fn eq(&self, other: &Self) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .all(|(a, b)| a.1.is_none() || b.1.is_none() || a.1 == b.1)
    }
}

impl Recorded {
    const NAMES: [&str; 9] = [
        "accesses",
        "l1_hits",
        "l2_hits",
        "walks",
        "walk_refs",
        "walks_4k",
        "walks_2m",
        "acc_4k",
        "acc_2m",
    ];
    /// Those that every recording has.
    const ALWAYS: usize = 7;

    pub(super) fn read(value: &Value) -> Result<Self, String> {
        for name in &Self::NAMES[..Self::ALWAYS] {
            number(value, name)?;
        }
        Ok(Self(Self::NAMES.map(|name| (name, value[name].as_u64()))))
    }

    pub(super) fn of(counts: Counts) -> Self {
        let [small, huge, _] = counts.by_size;
        let values = [
            counts.accesses(),
            counts.l1_hits,
            counts.l2_hits,
            counts.walks(),
            counts.walk_refs,
            counts.walks_of(PageSize::Small),
            counts.walks_of(PageSize::Huge),
            small,
            huge,
        ];
        let mut at = 0;
        Self(Self::NAMES.map(|name| {
            at += 1;
            (name, Some(values[at - 1]))
        }))
    }
}

/// The TLB of a configuration.
pub(super) fn geometry(config: &Value) -> Result<Geometry, String> {
    let level = |name| {
        list(config, name)?
            .iter()
            .map(structure)
            .collect::<Result<Vec<_>, String>>()
    };
    let pwc = &config["pwc"];
    Ok(Geometry {
        l1: level("l1")?,
        l2: level("l2")?,
        walk_caches: WalkCacheSizes {
            pde: small(pwc, "pde")?,
            pdpte: small(pwc, "pdpte")?,
            pml4e: small(pwc, "pml4e")?,
        },
    })
}

fn structure(value: &Value) -> Result<StructureGeometry, String> {
    let sizes = list(value, "sizes")?.iter().map(|size| {
        let name = size.as_str().unwrap_or_default();
        PageSize::named(name).ok_or_else(|| format!("no page size “{name}”"))
    });
    Ok(StructureGeometry {
        sizes: sizes.collect::<Result<PageSizes, _>>()?,
        sets: small(value, "sets")?,
        ways: small(value, "ways")?,
        index: index(&value["index"])?,
        replacement: match word(value, "repl")? {
            "lru" => Replacement::Lru,
            "fifo" => Replacement::Fifo,
            "plru" => Replacement::Plru,
            "mru3plru4" => Replacement::Mru3Plru4,
            "random" => Replacement::Random {
                seed: hex(&value["seed"])?,
            },
            other => return Err(format!("no replacement “{other}”")),
        },
    })
}

fn index(value: &Value) -> Result<Index, String> {
    Ok(match word(value, "kind")? {
        "linear" => Index::Linear,
        "mod" => Index::Mod,
        "xor" => Index::Xor {
            shift: small(value, "shift")?,
        },
        "fold" => Index::Fold {
            bits: small(value, "shift")?,
        },
        "bits" => {
            let bits = list(value, "bits")?.iter();
            let bits = bits.map(|bit| bit.as_u64().and_then(|bit| u8::try_from(bit).ok()));
            Index::Bits(bits.collect::<Option<_>>().ok_or("bits are numbers")?)
        }
        "masks" => Index::Masks(
            list(value, "masks")?
                .iter()
                .map(hex)
                .collect::<Result<_, _>>()?,
        ),
        other => return Err(format!("no index “{other}”")),
    })
}

/// The pattern of a trace.
pub(super) fn pattern(trace: &Value) -> Result<Pattern, String> {
    Ok(match word(trace, "kind")? {
        "lockstep" => Pattern::Lockstep {
            n: number(trace, "n")?,
            size: number(trace, "size")?,
            stride: number(trace, "stride")?,
            start: number(trace, "start")?,
        },
        "random" => Pattern::Random {
            n: number(trace, "n")?,
            size: number(trace, "size")?,
            elem: number(trace, "elem")?,
            seed: hex(&trace["seed"])?,
        },
        "list" => Pattern::List(
            list(trace, "addrs")?
                .iter()
                .map(hex)
                .collect::<Result<_, _>>()?,
        ),
        "stencil" => Pattern::Stencil(Stencil {
            nx: small(trace, "nx")?,
            ny: small(trace, "ny")?,
            nz: small(trace, "nz")?,
            elem: small(trace, "elem")?,
            header: small(trace, "header")?,
            i: axis(trace, "i")?,
            j: axis(trace, "j")?,
            k: axis(trace, "k")?,
            taps: list(trace, "taps")?
                .iter()
                .map(tap)
                .collect::<Option<_>>()
                .ok_or("a tap is three distances")?,
        }),
        other => return Err(format!("no trace “{other}”")),
    })
}

fn axis(trace: &Value, name: &str) -> Result<Axis, String> {
    let [from, to, step] = &list(trace, name)?[..] else {
        return Err(format!("“{name}” is from, to, step"));
    };
    let number = |value: &Value| {
        value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| format!("“{name}” holds {value}"))
    };
    Ok(Axis {
        from: number(from)?,
        to: number(to)?,
        step: number(step)?,
    })
}

fn tap(value: &Value) -> Option<[i32; 3]> {
    let along = |at: usize| value[at].as_i64().and_then(|n| i32::try_from(n).ok());
    Some([along(0)?, along(1)?, along(2)?])
}
