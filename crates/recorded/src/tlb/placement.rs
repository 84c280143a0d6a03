//! Lists of mmap and munmap under each rule: addresses, mappings, what can be huge.

use serde_json::Value;

use mmscope_mm::{Call, Outcome};

use super::layout::{huge, machine, map, mappings};
use super::{TlbReport, hex, list, word};

pub(super) fn check(file: &Value, report: &mut TlbReport) -> Result<(), String> {
    for vector in list(file, "vectors")? {
        let top = hex(&vector["mmap_base"])?;
        let mut machine = machine(word(vector, "rule")?, top)?;
        // `unmap` counts the maps, not all that was done.
        let mut mapped: Vec<(u64, u64)> = Vec::new();
        let mut addresses = Vec::new();
        for op in list(vector, "ops")? {
            let value = op[1].as_u64().ok_or("an operation without a number")?;
            if op[0] == "map" {
                let address = map(&mut machine, value, op[2] == "rw")?;
                mapped.push((address, value));
                addresses.push(Some(address));
            } else {
                let &(addr, len) = mapped
                    .get(value as usize)
                    .ok_or_else(|| format!("there is no map {value} to undo"))?;
                match machine.run(&Call::Munmap { addr, len }, &mut ()) {
                    Outcome::Done => addresses.push(None),
                    other => return Err(format!("munmap came to {other:?}")),
                }
            }
        }
        let model = (
            addresses,
            mappings(&machine, top),
            huge(&machine, top)
                .into_iter()
                .map(|range| (range.start, range.end))
                .collect::<Vec<_>>(),
        );
        report.same(word(vector, "id")?, &recorded(&vector["expect"])?, &model);
    }
    Ok(())
}

type Placed = (
    Vec<Option<u64>>,
    Vec<(std::ops::Range<u64>, bool)>,
    Vec<(u64, u64)>,
);

fn recorded(expect: &Value) -> Result<Placed, String> {
    let address = |value: &Value| {
        if value.is_null() {
            Ok(None)
        } else {
            hex(value).map(Some)
        }
    };
    let addresses = list(expect, "addresses")?;
    let mapping = |value: &Value| Ok((hex(&value[0])?..hex(&value[1])?, value[2] == "rw"));
    let range = |value: &Value| Ok((hex(&value[0])?, hex(&value[1])?));
    Ok((
        addresses.iter().map(address).collect::<Result<_, _>>()?,
        list(expect, "vmas")?
            .iter()
            .map(mapping)
            .collect::<Result<_, String>>()?,
        list(expect, "thp_rw")?
            .iter()
            .map(range)
            .collect::<Result<_, String>>()?,
    ))
}
