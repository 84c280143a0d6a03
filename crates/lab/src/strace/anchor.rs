//! Where the layout of a log stands.

use mmscope_mm::page::{TASK_SIZE, page_up};
use mmscope_mm::{Call, MapFlags, Outcome, Special};

use super::{AnchoredBy, Note};
use crate::maps_file::MapsFile;
use crate::program::CallLine;
use crate::scenario::Scenario;

/// The layout that grows up begins here, up to a random distance above it.
const LEGACY_BASE: u64 = 0x2aaa_aaaa_b000;
const LEGACY_MOST: u64 = LEGACY_BASE + (1 << 40);

/// A search never goes below this address.
const LOWEST: u64 = 65536;

/// Sets the ends of the mmap area by the maps file.
pub(super) fn by_maps(
    scenario: &mut Scenario,
    maps: &MapsFile,
    notes: &mut Vec<Note>,
) -> AnchoredBy {
    let stack = maps
        .maps
        .iter()
        .find(|map| map.special == Some(Special::Stack));
    let below_stack = |start: u64| stack.is_none_or(|stack| start < stack.range.start);
    let in_legacy = maps
        .maps
        .iter()
        .filter(|map| (LEGACY_BASE..LEGACY_MOST).contains(&map.range.start))
        .map(|map| map.range.start)
        .min();
    let top = maps
        .maps
        .iter()
        .filter(|map| below_stack(map.range.start))
        .map(|map| map.range.end)
        .max();
    match (in_legacy, top) {
        (Some(base), _) => legacy(scenario, base, notes),
        (None, Some(top)) => top_down(scenario, top, notes),
        (None, None) => {}
    }
    AnchoredBy::Maps
}

/// Sets them by the first mapping that the log makes where the kernel likes. Its record is taken off: it can't be
/// wrong.
pub(super) fn by_first_mapping(
    scenario: &mut Scenario,
    calls: &mut [CallLine],
    notes: &mut Vec<Note>,
) -> AnchoredBy {
    for call in calls {
        let (Call::Mmap(mmap), Some(Outcome::Address(addr))) = (call.call, call.recorded) else {
            continue;
        };
        let placed = MapFlags::FIXED | MapFlags::FIXED_NOREPLACE | MapFlags::BIT32;
        let end = addr.saturating_add(page_up(mmap.len));
        if mmap.addr != 0 || mmap.flags.intersects(placed) || end > TASK_SIZE || addr < LOWEST {
            continue;
        }
        if (LEGACY_BASE..LEGACY_MOST).contains(&addr) {
            legacy(scenario, addr, notes);
        } else {
            top_down(scenario, end, notes);
        }
        call.recorded = None;
        return AnchoredBy::FirstMapping { line: call.line.0 };
    }
    AnchoredBy::Nothing
}

fn legacy(scenario: &mut Scenario, from: u64, notes: &mut Vec<Note>) {
    scenario.settings.legacy_layout = true;
    scenario.settings.mmap_base = Some(from);
    notes.push(Note::LegacyLayout { from });
}

fn top_down(scenario: &mut Scenario, at: u64, notes: &mut Vec<Note>) {
    scenario.settings.mmap_base = Some(at);
    notes.push(Note::MmapBase { at });
}
