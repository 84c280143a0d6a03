//! A recorded layout, and the model's in the same words.

use std::collections::BTreeMap;

use mmscope_mm::{Machine, Range, Special, StartMap, VmFlags};

/// Mappings by their start, as the recording writes them.
pub(crate) type Layout = BTreeMap<u64, String>;

/// `START-END PERMS OFFSET[ NAME]`
pub(crate) struct Line<'a> {
    pub(crate) range: Range,
    pub(crate) perms: VmFlags,
    pub(crate) offset: u64,
    pub(crate) name: &'a str,
}

impl Line<'_> {
    pub(crate) fn parse(text: &str) -> Result<Line<'_>, String> {
        let bad = || format!("“{text}” is no mapping: expected START-END PERMS OFFSET[ NAME]");
        let mut words = text.splitn(4, ' ');
        let (range, perms, offset) = (words.next(), words.next(), words.next());
        let (Some((start, end)), Some(perms), Some(offset)) =
            (range.and_then(|range| range.split_once('-')), perms, offset)
        else {
            return Err(bad());
        };
        let hex = |text| u64::from_str_radix(text, 16).map_err(|_| bad());
        let mut flags = VmFlags::empty();
        for (letter, flag) in [
            ('r', VmFlags::READ),
            ('w', VmFlags::WRITE),
            ('x', VmFlags::EXEC),
            ('s', VmFlags::MAYSHARE),
        ] {
            flags.set(flag, perms.contains(letter));
        }
        Ok(Line {
            range: Range {
                start: hex(start)?,
                end: hex(end)?,
            },
            perms: flags,
            offset: hex(offset)?,
            name: words.next().unwrap_or(""),
        })
    }

    pub(crate) fn start_map(&self, file: Option<mmscope_mm::FileId>) -> StartMap {
        StartMap {
            range: self.range,
            perms: self.perms,
            offset: self.offset,
            file,
            special: Special::from_name(self.name),
        }
    }
}

/// The model's mappings as the recording would write them.
pub(crate) fn of_model(machine: &Machine) -> Layout {
    machine
        .vmas(Range {
            start: 0,
            end: u64::MAX,
        })
        .map(|(id, vma)| {
            let perms: String = vma.flags.perms().iter().collect();
            let offset = if vma.file.is_some() {
                vma.pgoff << 12
            } else {
                0
            };
            let name = machine.label_text(id);
            let space = if name.is_empty() { "" } else { " " };
            (
                vma.start,
                format!(
                    "{:x}-{:x} {perms} {offset:x}{space}{name}",
                    vma.start, vma.end
                ),
            )
        })
        .collect()
}
