//! One lane's strip in the lens: mappings, gaps, folds, the grid, and what the call changed.

use std::fmt::Write as _;

use mmscope_lab::{ChangeKind, Piece, PieceKind, Sorted};
use mmscope_mm::page::{PAGE_SIZE, PMD_SIZE};
use mmscope_mm::{Machine, Range, VmaId};

use super::{Plane, Selection, Strip, fold, fold_item};
use crate::gap;
use crate::kind::{self, Kind};
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize, push_rect};

/// Pixels of a folded hole, enough for its size.
pub(super) const FOLD_PX: i32 = 84;
/// Pixels that each piece has on average: bounds how many there are.
const PX_PER_PIECE: i32 = 7;
/// From one line of text to the next.
const LINE: i32 = 15;
/// Pieces narrower than this are drawn together with their neighbours.
const APART_PX: i32 = 4;
/// Two marks of the grid may not be nearer than this.
pub(super) const GRID_LEAST_PX: i32 = 5;
const PUD_SIZE: u64 = 1 << 30;

/// What may be written on a block.
struct Caption<'a> {
    /// May be empty.
    letter: &'static str,
    /// May be empty.
    name: &'a str,
    size: String,
    /// `None` where the block is hatched: a plate lies under the text then.
    role: Option<Role>,
}

impl Caption<'_> {
    /// The most that fits, in one line or two.
    fn lines(&self, area: Area) -> Option<Vec<String>> {
        if !holds_letter(area) {
            return None;
        }
        let Caption {
            letter, name, size, ..
        } = self;
        let room = area.w - 3;
        let fits = |text: &str| measure::width(text, TextSize::Small, true) <= room;
        let mut texts = vec![join(&[letter, size])];
        if !name.is_empty() {
            // A name says more than a size.
            texts = vec![join(&[letter, name, size]), join(&[letter, name])];
        }
        if let Some(text) = texts.into_iter().find(|text| fits(text)) {
            return Some(vec![text]);
        }
        if letter.is_empty() {
            return None;
        }
        Some(if area.h >= 2 * LINE + 2 && fits(size) {
            vec![(*letter).to_owned(), size.clone()]
        } else {
            vec![(*letter).to_owned()]
        })
    }
}

/// The parts that are not empty, with spaces between them.
fn join(parts: &[&str]) -> String {
    let given: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    given.join(" ")
}

/// Whether a letter fits into an area.
fn holds_letter(area: Area) -> bool {
    area.w >= 14 && area.h >= 14
}

/// Shapes of one strip, gathered by role so that equal things become one path.
#[derive(Default)]
struct Layers {
    blocks: Sorted<Role, String>,
    hatch: String,
    gaps: String,
    flags: String,
    dots: String,
    texts: Vec<Shape>,
}

pub(super) fn draw(scene: &mut Scene, plane: &Plane, strip: &Strip, selected: Option<Selection>) {
    let mut layers = Layers::default();
    grounds(scene, plane, strip);
    for part in plane.axis.parts().to_vec() {
        if part.folded {
            fold(scene, plane, part.range, strip.cross, strip.thick);
            if strip.index == 0
                && let Some(area) = plane.area(part.range, strip.cross, strip.thick)
            {
                fold_item(scene, area, part.range);
            }
            continue;
        }
        let at_most = usize::try_from((part.to - part.from) / PX_PER_PIECE)
            .unwrap_or(0)
            .max(8);
        for piece in together(strip.lane.range(part.range, at_most), plane) {
            let Some(area) = plane.area(piece.range, strip.cross, strip.thick) else {
                continue;
            };
            match piece.kind {
                PieceKind::Vma(id) => layers.vma(scene, plane, strip, id, area),
                PieceKind::Gap => layers.gap(scene, plane, strip, piece.range, area),
                PieceKind::Many { vmas, gaps } => {
                    layers.many(scene, strip, piece.range, (vmas, gaps), area)
                }
            }
        }
    }
    layers.paint(scene);
    changes(scene, plane, strip);
    selection(scene, plane, strip, selected);
}

/// If the call added only a part to a mapping: the rest of it, that part, and how many bytes the part has. Each gets
/// its own text, so that no edge runs through one.
fn sections(plane: &Plane, strip: &Strip, range: Range, body: Area) -> Option<(Area, Area, u64)> {
    let mut parts = strip.lane.changes.iter().filter(|change| {
        change.kind == ChangeKind::Mapped
            && change.range.start < range.end
            && change.range.end > range.start
    });
    let (Some(part), None) = (parts.next(), parts.next()) else {
        return None;
    };
    let (starts, ends) = (part.range.start <= range.start, part.range.end >= range.end);
    if starts == ends {
        return None;
    }
    let grown = plane.area(part.range, strip.cross, strip.thick)?;
    let rest = match (plane.vertical, starts) {
        (false, true) => Area {
            x: grown.x + grown.w,
            w: body.x + body.w - grown.x - grown.w,
            ..body
        },
        (false, false) => Area {
            w: grown.x - body.x,
            ..body
        },
        (true, true) => Area {
            h: grown.y - body.y,
            ..body
        },
        (true, false) => Area {
            y: grown.y + grown.h,
            h: body.y + body.h - grown.y - grown.h,
            ..body
        },
    };
    Some((rest, grown, part.range.len()))
}

/// The base line of a text in the middle of an area.
fn middle(area: Area) -> (i32, i32) {
    (area.x + area.w / 2, area.y + area.h / 2 + 4)
}

/// Joins neighbours that are too narrow to be seen apart.
fn together(pieces: Vec<Piece>, plane: &Plane) -> Vec<Piece> {
    let narrow = |piece: &Piece| {
        plane
            .axis
            .span(piece.range)
            .is_none_or(|(from, to)| to - from < APART_PX)
    };
    let counts = |kind: PieceKind| match kind {
        PieceKind::Vma(_) => (1, 0),
        PieceKind::Gap => (0, 1),
        PieceKind::Many { vmas, gaps } => (vmas, gaps),
    };
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut open = false;
    for piece in pieces {
        let joins = narrow(&piece);
        match out.last_mut() {
            Some(last) if open && joins => {
                let ((a, b), (c, d)) = (counts(last.kind), counts(piece.kind));
                last.range.end = piece.range.end;
                last.kind = PieceKind::Many {
                    vmas: a + c,
                    gaps: b + d,
                };
            }
            _ => out.push(piece),
        }
        open = joins;
    }
    out
}

/// The free ground and the grid on it.
fn grounds(scene: &mut Scene, plane: &Plane, strip: &Strip) {
    let (from, to) = plane.axis.extent();
    scene.rect(
        Role::Strip,
        plane.between(from, to, strip.cross, strip.thick),
    );
    let (mut fine, mut coarse, mut marks) = (String::new(), String::new(), String::new());
    let foot = strip.cross + strip.thick;
    each_tick(plane, PMD_SIZE, |at, addr| {
        push_rect(
            &mut fine,
            plane.between(at, at + 1, strip.cross, strip.thick),
        );
        let long = addr.is_multiple_of(PUD_SIZE);
        push_rect(
            &mut marks,
            plane.between(at, at + 1, foot, if long { 5 } else { 3 }),
        );
    });
    each_tick(plane, PUD_SIZE, |at, _| {
        push_rect(
            &mut coarse,
            plane.between(at, at + 1, strip.cross - 3, strip.thick + 6),
        );
    });
    scene.path(Role::PmdTick, fine);
    scene.path(Role::PudTick, coarse);
    scene.path(Role::Axis, marks);
}

/// Calls `see` for each multiple of `size` on the open parts of the scale, unless they lie too near to each other.
fn each_tick(plane: &Plane, size: u64, mut see: impl FnMut(i32, u64)) {
    if size / plane.axis.bytes_per_px() < u64::from(GRID_LEAST_PX.unsigned_abs()) {
        return;
    }
    for part in plane.axis.parts().iter().filter(|part| !part.folded) {
        let mut addr = part.range.start.next_multiple_of(size);
        while addr < part.range.end {
            see(plane.axis.px(addr), addr);
            addr += size;
        }
    }
}

impl Layers {
    fn vma(&mut self, scene: &mut Scene, plane: &Plane, strip: &Strip, id: VmaId, area: Area) {
        let machine = strip.lane.machine;
        let vma = machine.vma(id);
        let range = Range {
            start: vma.start,
            end: vma.end,
        };
        let kind = Kind::of(machine, id);
        let body = with_hair(area, plane.vertical);
        if vma.is_accessible() {
            push_block(self.blocks.or_default(kind.role()), body);
            if kind == Kind::File && body.w >= 6 && body.h >= 8 {
                push_dots(&mut self.dots, body);
            }
        } else {
            push_block(&mut self.hatch, body);
            push_hatch(&mut self.hatch, body);
        }
        let (start_px, _) = plane.axis.span(range).unwrap_or_default();
        let starts_here = range.start >= plane.axis.range().start;
        if starts_here && range.start.is_multiple_of(PMD_SIZE) && along(area, plane) >= 4 {
            self.flag(plane, area, start_px);
        }
        let whole = Caption {
            letter: kind.letter(),
            name: kind::short_name(machine, id),
            size: say::num::size(vma.len()),
            role: vma.is_accessible().then(|| kind.text_role()),
        };
        match sections(plane, strip, range, body) {
            None => self.caption(&whole, body),
            Some((rest, grown, bytes)) => {
                let size = format!("+{}", say::num::size(bytes));
                if holds_letter(rest) {
                    self.caption(&whole, rest);
                    self.caption(
                        &Caption {
                            letter: "",
                            name: "",
                            size,
                            ..whole
                        },
                        grown,
                    );
                } else {
                    self.caption(
                        &Caption {
                            name: "",
                            size,
                            ..whole
                        },
                        grown,
                    );
                }
            }
        }
        scene.add_item(
            area,
            say::picture::vma(strip.lane, id),
            Target::Vma {
                lane: strip.index,
                id,
                range,
            },
        );
    }

    /// The pennant of a mapping that starts on a 2 MiB boundary, beside the strip.
    fn flag(&mut self, plane: &Plane, area: Area, _start: i32) {
        if plane.vertical {
            let (x, y) = (area.x - 1, area.y + area.h);
            let _ = write!(self.flags, "M{x} {y}h-7l3 -6l4 3z");
        } else {
            let (x, y) = (area.x, area.y - 1);
            let _ = write!(self.flags, "M{x} {y}v-8l7 3l-6 3v2z");
        }
    }

    /// Writes as much of a caption into an area as there is room for.
    fn caption(&mut self, caption: &Caption, area: Area) {
        let Some(lines) = caption.lines(area) else {
            return;
        };
        let (x, y) = middle(area);
        let first = y - LINE * (count(lines.len()) - 1) / 2;
        for (line, text) in (0..).zip(lines) {
            let at = (x, first + line * LINE);
            if caption.role.is_none() {
                let w = measure::width(&text, TextSize::Small, true) + 6;
                let plate = Area {
                    x: x - w / 2,
                    y: at.1 - 11,
                    w,
                    h: LINE,
                };
                self.texts.push(Shape::Rect {
                    role: Role::Plate,
                    area: plate,
                    round: 3,
                });
            }
            self.texts
                .push(label(caption.role.unwrap_or(Role::GapLabel), at, text));
        }
    }

    fn gap(&mut self, scene: &mut Scene, plane: &Plane, strip: &Strip, range: Range, area: Area) {
        let machine = strip.lane.machine;
        let bounded = machine
            .prev_vma(range.start)
            .is_some_and(|id| machine.vma(id).end == range.start)
            && machine
                .find_vma(range.end - 1)
                .is_some_and(|id| machine.vma(id).start == range.end);
        let open_below = range.start == plane.axis.range().start;
        if !bounded || open_below {
            self.free(plane, machine, range, area);
            return;
        }
        if along(area, plane) >= 6 {
            push_block(&mut self.gaps, area);
        }
        let reason = gap::reason(strip.lane, range);
        self.gap_text(range, reason, area);
        scene.add_item(
            area,
            say::picture::gap(strip.lane, range, reason),
            Target::Gap {
                lane: strip.index,
                range,
            },
        );
    }

    fn gap_text(&mut self, range: Range, reason: gap::GapReason, area: Area) {
        let room = area.w - 2;
        let size = say::num::size(range.len());
        if measure::width(&size, TextSize::Small, true) > room || area.h < 15 {
            return;
        }
        let why = say::picture::gap_reasons(reason)
            .iter()
            .find(|text| area.h >= 32 && measure::width(text, TextSize::Small, false) + 4 <= room);
        let (x, y) = (area.x + area.w / 2, area.y + area.h / 2 + 4);
        self.texts.push(label(
            Role::GapLabel,
            (x, if why.is_some() { y - 8 } else { y }),
            size,
        ));
        if let Some(why) = why {
            self.texts.push(Shape::Text {
                role: Role::GapReason,
                at: (x, y + 8),
                anchor: Anchor::Middle,
                size: TextSize::Small,
                mono: false,
                turned: false,
                text: (*why).to_owned(),
            });
        }
    }

    /// Free space that reaches past the lens, or to the end of the area.
    fn free(&mut self, plane: &Plane, machine: &Machine, range: Range, area: Area) {
        // What a lens cuts off is a gap like any other as long as the mmap area goes on below it.
        let base = machine.process().mmap_base;
        let lowest = range.start == plane.axis.range().start
            && machine
                .prev_vma(range.start.saturating_add(1))
                .is_none_or(|below| machine.vma(below).end <= base - base / 3);
        let word = if lowest {
            say::picture::FREE_BELOW
        } else {
            say::picture::FREE
        };
        if measure::width(word, TextSize::Small, false) + 2 <= area.w && area.h >= 20 {
            let (x, y) = (area.x + area.w / 2, area.y + area.h / 2 + 4);
            let mut shape = label(Role::GapReason, (x, y), word.to_owned());
            if let Shape::Text { mono, .. } = &mut shape {
                *mono = false;
            }
            self.texts.push(shape);
        }
    }

    fn many(
        &mut self,
        scene: &mut Scene,
        strip: &Strip,
        range: Range,
        (vmas, gaps): (u32, u32),
        area: Area,
    ) {
        push_rect(self.blocks.or_default(Role::Many), area);
        let number = vmas.to_string();
        if measure::width(&number, TextSize::Small, true) + 4 <= area.w && area.h >= 14 {
            let at = (area.x + area.w / 2, area.y + area.h / 2 + 4);
            self.texts.push(label(Role::OnMany, at, number));
        }
        scene.add_item(
            area,
            say::picture::many(strip.lane, range, vmas, gaps),
            Target::Many {
                lane: strip.index,
                range,
            },
        );
    }

    fn paint(self, scene: &mut Scene) {
        scene.path(Role::Gap, self.gaps);
        for (role, d) in self.blocks.into_vec() {
            scene.path(role, d);
        }
        scene.path(Role::Guard, self.hatch);
        scene.path(Role::FileDots, self.dots);
        scene.path(Role::PmdFlag, self.flags);
        scene.shapes.extend(self.texts);
    }
}

/// A thick edge around what the call mapped or changed, a dashed ghost of what it took away.
fn changes(scene: &mut Scene, plane: &Plane, strip: &Strip) {
    const LEAST: i32 = 5;
    const MOST: usize = 64;
    for change in strip.lane.changes.iter().take(MOST) {
        let Some(mut area) = plane.area(change.range, strip.cross, strip.thick) else {
            continue;
        };
        if along(area, plane) < LEAST {
            area = if plane.vertical {
                Area {
                    y: area.y - (LEAST - area.h) / 2,
                    h: LEAST,
                    ..area
                }
            } else {
                Area {
                    x: area.x - (LEAST - area.w) / 2,
                    w: LEAST,
                    ..area
                }
            };
        }
        let role = match change.kind {
            ChangeKind::Mapped | ChangeKind::Changed => Role::Changed,
            ChangeKind::Unmapped => Role::Removed,
        };
        scene.shapes.push(Shape::Rect {
            role,
            area,
            round: 2,
        });
    }
}

fn selection(scene: &mut Scene, plane: &Plane, strip: &Strip, selected: Option<Selection>) {
    let Some(selected) = selected else { return };
    if selected.lane == strip.index {
        let range = whole_range(strip, selected.addr);
        if let Some(area) = plane.area(range, strip.cross, strip.thick) {
            scene.shapes.push(Shape::Rect {
                role: Role::Selected,
                area: area.grown(3),
                round: 4,
            });
        }
    } else {
        let page = Range::sized(selected.addr, PAGE_SIZE);
        if let Some(area) = plane.area(page, strip.cross, strip.thick) {
            let (from, to) = if plane.vertical {
                ((area.x - 4, area.y), (area.x + area.w + 4, area.y))
            } else {
                ((area.x, area.y - 4), (area.x, area.y + area.h + 4))
            };
            scene.line(Role::SelectedElsewhere, from, to);
        }
    }
}

/// The mapping or gap at an address.
fn whole_range(strip: &Strip, addr: u64) -> Range {
    let machine = strip.lane.machine;
    let next = machine.find_vma(addr).map(|id| machine.vma(id));
    match next {
        Some(vma) if vma.start <= addr => Range {
            start: vma.start,
            end: vma.end,
        },
        next => Range {
            start: machine.prev_vma(addr).map_or(0, |id| machine.vma(id).end),
            end: next.map_or(u64::MAX, |vma| vma.start),
        },
    }
}

/// A text centred on a point, in the fixed-width face.
fn label(role: Role, at: (i32, i32), text: String) -> Shape {
    Shape::Text {
        role,
        at,
        anchor: Anchor::Middle,
        size: TextSize::Small,
        mono: true,
        turned: false,
        text,
    }
}

fn along(area: Area, plane: &Plane) -> i32 {
    if plane.vertical { area.h } else { area.w }
}

fn count(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}

/// The block without a hair at its upper end, so that two that abut are two.
fn with_hair(area: Area, vertical: bool) -> Area {
    match vertical {
        false if area.w >= 4 => Area {
            w: area.w - 1,
            ..area
        },
        true if area.h >= 4 => Area {
            y: area.y + 1,
            h: area.h - 1,
            ..area
        },
        _ => area,
    }
}

/// A rectangle whose one-pixel stroke lies inside of it.
pub(crate) fn push_block(d: &mut String, area: Area) {
    let Area { x, y, w, h } = area;
    let (w, h) = (w - 1, h - 1);
    let _ = write!(d, "M{x}.5 {y}.5h{w}v{h}h-{w}z");
}

/// Lines at 45 degrees inside a rectangle.
pub(crate) fn push_hatch(d: &mut String, area: Area) {
    const STEP: i32 = 7;
    let (right, foot) = (area.x + area.w, area.y + area.h);
    // Each line is x + y = sum.
    let mut sum = (area.x + area.y) / STEP * STEP + STEP;
    while sum < right + foot {
        let x1 = (sum - foot).max(area.x);
        let x2 = (sum - area.y).min(right);
        if x2 > x1 {
            let _ = write!(d, "M{x1} {}L{x2} {}", sum - x1, sum - x2);
        }
        sum += STEP;
    }
}

/// A row of dots along the upper edge.
pub(super) fn push_dots(d: &mut String, area: Area) {
    let mut x = area.x + 3;
    while x + 2 <= area.x + area.w - 2 {
        let _ = write!(d, "M{x} {}h2v2h-2z", area.y + 3);
        x += 5;
    }
}

/// A zig-zag of `length`, beginning at `from`, to the right or downwards.
pub(super) fn zigzag(d: &mut String, from: (i32, i32), length: i32, across: bool) {
    const HALF: i32 = 4;
    let _ = write!(d, "M{} {}", from.0, from.1);
    let mut done = 0;
    let mut side = 3;
    while done < length {
        let step = HALF.min(length - done);
        let _ = if across {
            write!(d, "l{step} {side}")
        } else {
            write!(d, "l{side} {step}")
        };
        side = -side;
        done += step;
    }
}
