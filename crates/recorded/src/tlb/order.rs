//! Published permutation vectors of replacement policies. Position 0 is the entry that leaves last; row i tells, for each
//! position, which position the entry there had before the one at position i was used.

use mmscope_tlb::{
    Geometry, Page, PageSize, PageSizes, Replacement, StructureGeometry, Tlb, WalkCacheSizes,
};
use serde_json::Value;

use super::{TlbReport, list};

pub(super) fn check(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for (name, replacement) in [
        ("plru4", Replacement::Plru),
        ("plru8", Replacement::Plru),
        ("mru3plru4", Replacement::Mru3Plru4),
    ] {
        let rows = list(file, name)?;
        let full = full_set(rows.len() as u32, replacement)?;
        let before = evictions(&full, rows.len());
        for (position, row) in rows.iter().enumerate() {
            let recorded: Option<Vec<u64>> = row
                .as_array()
                .map(|row| row.iter().map_while(Value::as_u64).collect());
            let mut used = full.clone();
            used.access(page(before[rows.len() - 1 - position]));
            let after = evictions(&used, rows.len());
            let model = places(&before, &after);
            report.same(
                &format!("{name}, position {position}"),
                &recorded.ok_or("a row is a list of positions")?,
                &model,
            );
        }
    }
    Ok(())
}

/// A set of so many ways, filled.
fn full_set(ways: u32, replacement: Replacement) -> Result<Tlb, String> {
    let set = StructureGeometry::linear(PageSizes::SMALL, 1, ways, replacement);
    let geometry = Geometry {
        l1: vec![set],
        l2: Vec::new(),
        walk_caches: WalkCacheSizes::default(),
    };
    let mut tlb = Tlb::new(&geometry).map_err(|error| error.to_string())?;
    for number in 0..u64::from(ways) {
        tlb.access(page(number));
    }
    Ok(tlb)
}

const fn page(number: u64) -> Page {
    Page {
        size: PageSize::Small,
        number,
    }
}

/// In which order the pages of the one set leave when new ones come.
fn evictions(tlb: &Tlb, ways: usize) -> Vec<u64> {
    let mut tlb = tlb.clone();
    let Some((id, _)) = tlb.structures().next() else {
        return Vec::new();
    };
    let pages = |tlb: &Tlb| -> Vec<Page> { tlb.tenants(id, 0).into_iter().flatten().collect() };
    (0..ways as u64)
        .filter_map(|new| {
            let before = pages(&tlb);
            tlb.access(page(1000 + new));
            let after = pages(&tlb);
            before
                .into_iter()
                .find(|page| !after.contains(page))
                .map(|page| page.number)
        })
        .collect()
}

/// For each position afterwards, the position that its entry had before. Position 0 leaves last.
fn places(before: &[u64], after: &[u64]) -> Vec<u64> {
    let position = |page: &u64| before.iter().rev().position(|other| other == page);
    after
        .iter()
        .rev()
        .filter_map(position)
        .map(|at| at as u64)
        .collect()
}
