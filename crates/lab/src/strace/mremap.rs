//! `mremap` in a log, and what it did to the recorded layout.

use mmscope_mm::page::page_up;
use mmscope_mm::{Call, Errno, MremapFlags, Outcome, Range};

use super::Why;
use super::convert::{Became, Converter, Reading, no_outcome, outcome};
use super::recorded::Region;
use crate::text::call;
use crate::text::part::{CallParts, Parsed, Part};

impl Converter {
    pub(super) fn mremap(
        &mut self,
        line: u32,
        parts: &CallParts<'_>,
        result: Part<'_>,
    ) -> Parsed<Became> {
        let (call, _) = call::call(parts, &mut Reading)?;
        let Call::Mremap(mut remap) = call else {
            return Ok(Became::Skipped(Why::Arguments));
        };
        let Some(outcome) = outcome(result, &call) else {
            return Ok(Became::Skipped(no_outcome(result)));
        };
        if outcome == Outcome::Error(Errno::EPERM) && !self.seals {
            return Ok(Became::Skipped(Why::ErrorNotModelled));
        }
        if let Outcome::Address(to) = outcome {
            let from = Range::sized(remap.addr, page_up(remap.old_len));
            self.must_have_been_there(line, from);
            let base = self.relate(&mut remap.addr);
            let target = self.relate_target(&mut remap.new_addr, remap.flags);
            let keeps = remap.flags.contains(MremapFlags::DONTUNMAP);
            self.remapped(from, Range::sized(to, page_up(remap.new_len)), keeps);
            self.targets.extend(target);
            return Ok(Became::Step(Call::Mremap(remap), base, outcome));
        }
        let base = self.relate(&mut remap.addr);
        let target = self.relate_target(&mut remap.new_addr, remap.flags);
        self.targets.extend(target);
        Ok(Became::Step(Call::Mremap(remap), base, outcome))
    }

    /// Makes a new address count from the result that it lies in: the number of this call, and of the step.
    fn relate_target(&mut self, new_addr: &mut u64, flags: MremapFlags) -> Option<(u32, u32)> {
        let step = self.calls.len() as u32;
        if !flags.contains(MremapFlags::FIXED) {
            return None;
        }
        Some((step, self.relate(new_addr)?))
    }

    /// Follows the recorded layout: what was in the old range is in the new one.
    fn remapped(&mut self, from: Range, to: Range, keeps: bool) {
        let step = self.calls.len() as u32;
        if from.is_empty() {
            // A second view of a shared mapping.
            if let Some((start, region)) = self.recorded.at(from.start) {
                let by = from.start - start;
                let view = Region {
                    end: to.end,
                    owner: Some((step, to.start)),
                    file: region
                        .file
                        .map(|(file, offset)| (file, offset.wrapping_add(by))),
                    ..region
                };
                self.recorded.put(to.start, view);
                self.ever.put(to.start, view);
            }
            return;
        }
        let pieces = self.recorded.take(from);
        let last = pieces.len().saturating_sub(1);
        for (index, (start, region)) in pieces.into_iter().enumerate() {
            if keeps {
                self.recorded.put(start, region);
            }
            let at = to.start.wrapping_add(start - from.start);
            let mut end = at.wrapping_add(region.end - start);
            if index == last && region.end == from.end {
                end = end.max(to.end);
            }
            let moved = Region {
                end: end.min(to.end),
                owner: if from.start == to.start {
                    region.owner
                } else {
                    Some((step, to.start))
                },
                ..region
            };
            self.recorded.put(at, moved);
            self.ever.put(at, moved);
        }
    }
}
