//! Where the streams of a comparison lie: mapped by the model of the kernel that has the rule.

use std::ops::Range;

use mmscope_mm::{
    Call, Kernel, Machine, Mmap, Outcome, Prot, Range as Addresses, Settings, Start, StartMap,
    VmFlags,
};
use mmscope_tlb::Pages;
use serde_json::Value;

use super::{hex, number, word};

/// Bases in the order they were mapped, and the sizes of pages.
pub(super) struct Layout {
    pub(super) bases: Vec<u64>,
    pub(super) pages: Pages,
}

/// The rules by name (§7), and a kernel that has each.
const RULES: [(&str, &str); 3] = [
    ("legacy", "6.6"),
    ("thp_ge_pmd", "6.10"),
    ("thp_multiple", "6.12"),
];

const HUGE: u64 = 2 << 20;

impl Layout {
    /// As a comparison describes it: bases, or mappings of one size below an address.
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        if let Some(bases) = value["bases"].as_array() {
            return Ok(Self {
                bases: bases.iter().map(hex).collect::<Result<_, _>>()?,
                pages: Pages::small(),
            });
        }
        Self::mapped(
            word(value, "rule")?,
            hex(&value["top"])?,
            number(value, "size")?,
            number(value, "streams")?,
            value["thp"] == true,
        )
    }

    /// Mappings of one size, one after the other, below an address.
    pub(super) fn mapped(
        rule: &str,
        top: u64,
        size: u64,
        streams: u64,
        thp: bool,
    ) -> Result<Self, String> {
        let mut machine = machine(rule, top)?;
        let bases = (0..streams)
            .map(|_| map(&mut machine, size, true))
            .collect::<Result<_, _>>()?;
        let huge = if thp { huge(&machine, top) } else { Vec::new() };
        let pages = Pages::with_huge(huge).map_err(|error| error.to_string())?;
        Ok(Self { bases, pages })
    }
}

/// A process whose first free place ends at `top`: all above is taken by a mapping that nothing merges with.
pub(super) fn machine(rule: &str, top: u64) -> Result<Machine, String> {
    let (_, kernel) = RULES
        .iter()
        .find(|(name, _)| *name == rule)
        .ok_or_else(|| format!("no kernel has the rule “{rule}”"))?;
    let kernel = Kernel::parse(kernel).map_err(|error| error.to_string())?;
    let above = StartMap {
        range: Addresses {
            start: top,
            end: 0x7fff_ffff_f000,
        },
        perms: VmFlags::READ | VmFlags::EXEC,
        offset: 0,
        file: None,
        special: None,
    };
    let start = Start {
        maps: vec![above],
        start_brk: Some(0x5555_5555_0000),
        brk: None,
    };
    Machine::new(kernel, Settings::default(), Vec::new(), &start)
        .map_err(|error| format!("the start can't be set up: {error:?}"))
}

/// Maps anonymous memory, writable or of another kind, which does not merge with it.
pub(super) fn map(machine: &mut Machine, len: u64, writable: bool) -> Result<u64, String> {
    let mut call = Mmap::anonymous(len);
    if !writable {
        call.prot = Prot::READ;
    }
    match machine.run(&Call::Mmap(call), &mut ()) {
        Outcome::Address(address) => Ok(address),
        other => Err(format!("mmap of {len} bytes came to {other:?}")),
    }
}

/// The mappings below an address, lowest first, and whether each is writable.
pub(super) fn mappings(machine: &Machine, top: u64) -> Vec<(Range<u64>, bool)> {
    machine
        .vmas(Addresses { start: 0, end: top })
        .map(|(_, vma)| (vma.start..vma.end, vma.flags.contains(VmFlags::WRITE)))
        .collect()
}

/// The parts of writable mappings that are made of whole 2 MiB.
pub(super) fn huge(machine: &Machine, top: u64) -> Vec<Range<u64>> {
    mappings(machine, top)
        .into_iter()
        .filter(|(_, writable)| *writable)
        .map(|(range, _)| range.start.next_multiple_of(HUGE)..range.end / HUGE * HUGE)
        .filter(|range| range.start < range.end)
        .collect()
}
