//! From addresses to pixels and back, with large holes folded away.

use mmscope_mm::Range;

/// A scale along one side of a picture. Parts follow each other without a break, lowest address first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    parts: Vec<Part>,
    /// Where the lowest address lies.
    origin: i32,
    /// High addresses at the top: pixels run against addresses.
    upwards: bool,
}

/// A part of a scale with one scale of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its addresses.
    pub range: Range,
    /// How far from the origin it begins, in pixels.
    pub from: i32,
    /// How far from the origin it ends.
    pub to: i32,
    /// A hole that is folded: drawn as a zig-zag with its size, not to scale.
    pub folded: bool,
}

impl Axis {
    /// A scale of `length` pixels in which all parts that are not folded have the same scale.
    pub(crate) fn common(
        range: Range,
        folds: &[Range],
        fold_px: i32,
        origin: i32,
        length: i32,
        upwards: bool,
    ) -> Axis {
        let fold_count = i32::try_from(folds.len()).unwrap_or(i32::MAX);
        let open_px = (length - fold_px.saturating_mul(fold_count)).max(1);
        let open = range.len() - folds.iter().map(|fold| fold.len()).sum::<u64>();
        let mut parts = Vec::with_capacity(2 * folds.len() + 1);
        let (mut seen, mut folded_px) = (0, 0);
        let px = |seen: u64| scaled(seen, open, open_px);
        let mut at = range.start;
        let mut push_open = |parts: &mut Vec<Part>, at: u64, end: u64, folded_px: i32| {
            if end > at {
                let from = px(seen) + folded_px;
                seen += end - at;
                parts.push(Part {
                    range: Range { start: at, end },
                    from,
                    to: px(seen) + folded_px,
                    folded: false,
                });
            }
        };
        for &fold in folds {
            push_open(&mut parts, at, fold.start, folded_px);
            let from = parts.last().map_or(0, |part| part.to);
            parts.push(Part {
                range: fold,
                from,
                to: from + fold_px,
                folded: true,
            });
            folded_px += fold_px;
            at = fold.end;
        }
        push_open(&mut parts, at, range.end, folded_px);
        Axis {
            parts,
            origin,
            upwards,
        }
    }

    /// A scale of parts with widths of their own.
    pub(crate) fn of_parts(
        widths: impl Iterator<Item = (Range, i32, bool)>,
        origin: i32,
        upwards: bool,
    ) -> Axis {
        let mut from = 0;
        let parts = widths
            .map(|(range, width, folded)| {
                let part = Part {
                    range,
                    from,
                    to: from + width,
                    folded,
                };
                from += width;
                part
            })
            .collect();
        Axis {
            parts,
            origin,
            upwards,
        }
    }

    /// The parts, lowest address first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// All addresses on it.
    pub fn range(&self) -> Range {
        match (self.parts.first(), self.parts.last()) {
            (Some(first), Some(last)) => Range {
                start: first.range.start,
                end: last.range.end,
            },
            _ => Range { start: 0, end: 0 },
        }
    }

    /// The two ends in pixels, the smaller first.
    pub fn extent(&self) -> (i32, i32) {
        let length = self.parts.last().map_or(0, |part| part.to);
        self.between(0, length)
    }

    /// Where an address lies, in pixels of the picture; addresses outside lie on the nearer end.
    pub fn px(&self, addr: u64) -> i32 {
        self.at(self.along(addr))
    }

    /// Where a range lies: from, to, the smaller first, and at least one pixel. `None` if it is outside.
    pub fn span(&self, range: Range) -> Option<(i32, i32)> {
        let whole = self.range();
        if range.end <= whole.start || range.start >= whole.end {
            return None;
        }
        let (mut from, mut to) = (self.along(range.start), self.along(range.end));
        if from == to {
            let length = self.parts.last().map_or(0, |part| part.to);
            if to < length {
                to += 1;
            } else {
                from -= 1;
            }
        }
        Some(self.between(from, to))
    }

    /// The address at a pixel of the picture; pixels outside give the nearer end.
    pub fn addr(&self, px: i32) -> u64 {
        let along = if self.upwards {
            self.origin - px
        } else {
            px - self.origin
        };
        let part = self
            .parts
            .iter()
            .find(|part| along < part.to)
            .or(self.parts.last());
        part.map_or(0, |part| {
            let width = (part.to - part.from).max(1);
            let inside = (along - part.from).clamp(0, width);
            part.range.start + scaled_up(part.range.len(), inside, width)
        })
    }

    /// Bytes that a pixel of the unfolded parts stands for, rounded up.
    pub fn bytes_per_px(&self) -> u64 {
        let open = self.parts.iter().filter(|part| !part.folded);
        let (bytes, px) = open.fold((0, 0), |(bytes, px), part| {
            (bytes + part.range.len(), px + part.to - part.from)
        });
        bytes.div_ceil(u64::try_from(px.max(1)).unwrap_or(1)).max(1)
    }

    fn along(&self, addr: u64) -> i32 {
        let part = self
            .parts
            .iter()
            .find(|part| addr < part.range.end)
            .or(self.parts.last());
        part.map_or(0, |part| {
            let inside = addr.clamp(part.range.start, part.range.end) - part.range.start;
            part.from + scaled(inside, part.range.len(), part.to - part.from)
        })
    }

    fn at(&self, along: i32) -> i32 {
        if self.upwards {
            self.origin - along
        } else {
            self.origin + along
        }
    }

    fn between(&self, from: i32, to: i32) -> (i32, i32) {
        let (from, to) = (self.at(from), self.at(to));
        (from.min(to), from.max(to))
    }
}

/// `part / whole * px`, rounded. An address has 47 bits and a picture fewer than 8 192 pixels, so nothing overflows.
fn scaled(part: u64, whole: u64, px: i32) -> i32 {
    let whole = whole.max(1);
    let px = u64::try_from(px).unwrap_or(0);
    i32::try_from(part.saturating_mul(px).saturating_add(whole / 2) / whole).unwrap_or(i32::MAX)
}

/// `px / width * bytes`.
fn scaled_up(bytes: u64, px: i32, width: i32) -> u64 {
    let px = u64::try_from(px).unwrap_or(0);
    let width = u64::try_from(width).unwrap_or(1);
    bytes.saturating_mul(px) / width.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> Range {
        Range { start, end }
    }

    #[test]
    fn folds_take_their_own_width_and_leave_one_scale() {
        let axis = Axis::common(range(0, 1100), &[range(50, 1050)], 20, 10, 120, false);
        assert_eq!(
            axis.parts()
                .iter()
                .map(|part| (part.from, part.to, part.folded))
                .collect::<Vec<_>>(),
            [(0, 50, false), (50, 70, true), (70, 120, false)]
        );
        assert_eq!(
            (axis.px(0), axis.px(25), axis.px(1050), axis.px(1100)),
            (10, 35, 80, 130)
        );
        assert_eq!(
            (axis.addr(35), axis.addr(80), axis.addr(-5), axis.addr(999)),
            (25, 1050, 0, 1100)
        );
        assert_eq!(axis.bytes_per_px(), 1);
    }

    #[test]
    fn upwards_high_addresses_are_on_top() {
        let axis = Axis::common(range(100, 200), &[], 20, 500, 100, true);
        assert_eq!((axis.px(100), axis.px(200)), (500, 400));
        assert_eq!(axis.span(range(110, 120)), Some((480, 490)));
        assert_eq!(axis.addr(490), 110);
        assert_eq!(axis.extent(), (400, 500));
    }

    #[test]
    fn what_is_on_it_is_seen() {
        let axis = Axis::common(range(0, 1 << 47), &[], 20, 0, 1000, false);
        assert_eq!(axis.span(range(0, 4096)), Some((0, 1)));
        assert_eq!(
            axis.span(range((1 << 47) - 4096, 1 << 47)),
            Some((999, 1000))
        );
        assert_eq!(axis.span(range(1 << 47, 1 << 48)), None);
    }
}
