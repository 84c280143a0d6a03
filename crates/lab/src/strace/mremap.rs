//! `mremap`, which is not modelled yet: mappings of the recorded result stand in for it.

use mmscope_mm::page::page_up;
use mmscope_mm::{Call, Fd, FileId, MapFlags, Mmap, Prot, Range};

use super::Why;
use super::convert::{Became, Converter};
use super::recorded::Region;
use crate::text::number::number;
use crate::text::part::{CallParts, Parsed, Part};

impl Converter {
    /// Puts mappings in the place of what an mremap did: what it added, at the recorded place if that is free, and
    /// unmaps what it took away.
    pub(super) fn mremap(
        &mut self,
        line: u32,
        parts: &CallParts<'_>,
        result: Part<'_>,
    ) -> Parsed<Became> {
        let [old, old_len, new_len, ..] = parts.args[..] else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        if result.text().starts_with('-') {
            return Ok(Became::Skipped(Why::ErrorNotModelled));
        }
        let (old, to) = (number(old)?, number(result)?);
        let (old_len, new_len) = (page_up(number(old_len)?), page_up(number(new_len)?));
        let end = old.saturating_add(old_len);
        let keeps = parts
            .args
            .get(3)
            .is_some_and(|flags| flags.text().contains("DONTUNMAP"));
        let region = self.recorded.whole(Range { start: old, end });
        let (Some(region), true, false) = (region, old_len > 0, keeps) else {
            return Ok(Became::Skipped(Why::LayoutNotModelled));
        };
        let remark = Some("mremap");
        if to == old && new_len <= old_len {
            let mut addr = old.saturating_add(new_len);
            let len = old_len - new_len;
            if len > 0 {
                let base = self.relate(&mut addr);
                self.step(line, Call::Munmap { addr, len }, base, None, remark);
                self.recorded.take(Range {
                    start: old.saturating_add(new_len),
                    end,
                });
            }
            return Ok(Became::Skipped(Why::MremapStandIn));
        }
        let (from, added) = if to == old {
            (end, new_len - old_len)
        } else {
            (to, new_len)
        };
        let behind = region.file.map(|(file, offset)| {
            let first = if to == old { old_len } else { 0 };
            (file, offset.wrapping_add(first))
        });
        let mut mmap = stand_in(from, added, region.prot, behind);
        if region.shared {
            mmap.flags ^= MapFlags::PRIVATE | MapFlags::SHARED;
        }
        let base = if to == old {
            self.relate_end(&mut mmap.addr)
        } else {
            None
        };
        let owner = if to == old {
            region.owner
        } else {
            Some((self.calls.len() as u32, to))
        };
        self.step(line, Call::Mmap(mmap), base, None, remark);
        let added = Region {
            end: from.saturating_add(added),
            owner,
            prot: region.prot,
            file: behind,
            shared: region.shared,
        };
        self.recorded.put(from, added);
        self.ever.put(from, added);
        if to != old {
            let mut addr = old;
            let base = self.relate(&mut addr);
            self.step(
                line,
                Call::Munmap { addr, len: old_len },
                base,
                None,
                remark,
            );
            self.recorded.take(Range { start: old, end });
        }
        Ok(Became::Skipped(Why::MremapStandIn))
    }

    /// The same for the address right behind such a range.
    fn relate_end(&mut self, addr: &mut u64) -> Option<u32> {
        let mut last = addr.checked_sub(1)?;
        let step = self.relate(&mut last)?;
        *addr = last.wrapping_add(1);
        Some(step)
    }
}

fn stand_in(addr: u64, len: u64, prot: Prot, behind: Option<(FileId, u64)>) -> Mmap {
    let mut mmap = Mmap {
        addr,
        prot,
        ..Mmap::anonymous(len)
    };
    if let Some((file, offset)) = behind {
        mmap.flags = MapFlags::PRIVATE;
        mmap.fd = Fd::File(file);
        mmap.offset = offset;
    }
    mmap
}
