//! The tables of expected results (§10), each row run again in full.

use mmscope_tlb::{
    Axis, Counts, CycleModel, Geometry, Index, PageSizes, Pattern, Preset, Replacement, Stencil,
    StructureGeometry, WalkCacheSizes,
};
use serde_json::Value;

use super::layout::Layout;
use super::vector::{Recorded, run};
use super::{TlbReport, number, word};

/// Bytes of a stream, and where the free space ends.
const STREAM: u64 = 4_743_168;
const TOP: u64 = 0x7eff_ffe4_9000;

/// The teaching configurations, with cycles of two models.
pub(super) fn table(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for row in file.as_array().ok_or("a table is a list of rows")? {
        let (workload, config, layout) = (
            word(row, "workload")?,
            word(row, "config")?,
            word(row, "layout")?,
        );
        let pattern = match workload {
            "W1" => Pattern::Lockstep {
                n: 2_000_000,
                size: STREAM,
                stride: 8,
                start: 0,
            },
            "W2" => sweep(8, 8),
            other => return Err(format!("no workload “{other}”")),
        };
        let counts = run(&teaching(config)?, &pattern, &laid_out(layout)?)?;
        report.accesses += counts.accesses();
        let cycles = |overlap: f64| {
            let model = CycleModel {
                overlap,
                walkers: overlap,
                ..CycleModel::default()
            };
            (model.per_access(&counts) * 1e6).round()
        };
        let recorded = |name: &str| row[name].as_f64().map(|cycles| (cycles * 1e6).round());
        report.same(
            &format!("{workload} {config} {layout}"),
            &(
                Recorded::read(row)?,
                recorded("cyc_mlp1"),
                recorded("cyc_mlp3"),
            ),
            &(Recorded::of(counts), Some(cycles(1.0)), Some(cycles(3.0))),
        );
    }
    Ok(())
}

/// The presets, over the whole grid: four layouts, and the walkers that the cycles are reckoned with.
pub(super) fn presets(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for row in super::list(file, "rows")? {
        let name = word(row, "preset")?;
        let preset = Preset::named(name).ok_or_else(|| format!("no preset “{name}”"))?;
        report.same(
            &format!("walkers of {name}"),
            &(number(row, "walkers")? as f64),
            &preset.cycles.walkers,
        );
        for layout in ["merged_4k", "aligned_4k", "merged_thp", "aligned_thp"] {
            let counts: Counts = run(&preset.geometry, &sweep(2, 1), &laid_out(layout)?)?;
            report.accesses += counts.accesses();
            report.same(
                &format!("{name} {layout}"),
                &Recorded::read(&row["counts"][layout])?,
                &Recorded::of(counts),
            );
        }
    }
    Ok(())
}

/// The 13-point stencil over the grid, in steps along its planes and rows.
fn sweep(planes: u32, points: u32) -> Pattern {
    let axis = |step| Axis {
        from: 2,
        to: 82,
        step,
    };
    Pattern::Stencil(Stencil::grid_84(axis(points), axis(1), axis(planes)))
}

/// 20 streams as `merged` or `aligned`, in small or huge pages.
fn laid_out(name: &str) -> Result<Layout, String> {
    let (how, pages) = name
        .split_once(['-', '_'])
        .ok_or_else(|| format!("no layout “{name}”"))?;
    let rule = match how {
        "merged" => "legacy",
        "aligned" => "thp_ge_pmd",
        other => return Err(format!("no layout “{other}”")),
    };
    Layout::mapped(rule, TOP, STREAM, 20, pages.eq_ignore_ascii_case("thp"))
}

/// `lin128x8`, `xor7_128x12`, `zenbits256x6`, …; with `fa64_` in front the first level is one set of 64.
fn teaching(name: &str) -> Result<Geometry, String> {
    let bad = || format!("no configuration “{name}”");
    let lru = |sizes, sets, ways| StructureGeometry::linear(sizes, sets, ways, Replacement::Lru);
    let (l1, second) = match name.strip_prefix("fa64_") {
        Some(second) => (vec![lru(PageSizes::SMALL_AND_HUGE, 1, 64)], second),
        None => (
            vec![lru(PageSizes::SMALL, 16, 4), lru(PageSizes::HUGE, 8, 4)],
            name,
        ),
    };
    let (index, shape) = [
        ("lin", Index::Linear),
        ("xor7_", Index::Xor { shift: 7 }),
        ("xor8_", Index::Xor { shift: 8 }),
        ("fold7_", Index::Fold { bits: 7 }),
        ("zenbits", Index::Bits(vec![12, 13, 14, 15, 16, 17, 18, 21])),
    ]
    .into_iter()
    .find_map(|(prefix, index)| Some((index, second.strip_prefix(prefix)?)))
    .ok_or_else(bad)?;
    let (sets, ways) = shape.split_once('x').ok_or_else(bad)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
    Ok(Geometry {
        l1,
        l2: vec![StructureGeometry {
            index,
            ..lru(PageSizes::SMALL_AND_HUGE, number(sets)?, number(ways)?)
        }],
        walk_caches: WalkCacheSizes {
            pde: 32,
            pdpte: 4,
            pml4e: 2,
        },
    })
}
