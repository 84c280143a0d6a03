//! The whole address space in one narrow strip: a row for each lane, the holes folded, the lens marked.

use mmscope_lab::{Frame, PieceKind, Sorted};
use mmscope_mm::Range;
use mmscope_mm::page::TASK_SIZE;

use super::{Plane, fold, fold_item, text};
use crate::axis::Axis;
use crate::kind::Kind;
use crate::lens::{self, Place};
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize, push_rect};

/// The rows together are at least so thick, each at least [`ROW`].
const THICK: i32 = 20;
const ROW: i32 = 8;

/// The overview as drawn.
pub(super) struct Overview {
    pub(super) plane: Plane,
    pub(super) area: Area,
}

pub(super) fn horizontal(scene: &mut Scene, frame: &Frame, x: i32, y: i32, room: i32) -> Overview {
    const NAMES: i32 = 18;
    let parts = parts(frame, room, 84);
    let axis = Axis::of_parts(
        parts
            .iter()
            .map(|part| (part.range, part.px, part.place.is_none())),
        x,
        false,
    );
    let plane = Plane {
        axis,
        vertical: false,
    };
    for part in &parts {
        let (Some(place), Some(area)) = (part.place, plane.area(part.range, y, NAMES)) else {
            continue;
        };
        let name = say::picture::place(place);
        if let Some(name) = measure::fitted(name, area.w.max(60), TextSize::Small, false) {
            let half = measure::width(&name, TextSize::Small, false) / 2;
            let middle = (area.x + area.w / 2).clamp(x + half, x + room - half);
            text(
                scene,
                Role::Note,
                (middle, y + 12),
                Anchor::Middle,
                TextSize::Small,
                false,
                name,
            );
        }
    }
    finish(scene, frame, plane, &parts, y + NAMES)
}

pub(super) fn vertical(scene: &mut Scene, frame: &Frame, x: i32, y: i32, room: i32) -> Overview {
    let parts = parts(frame, room, 76);
    let axis = Axis::of_parts(
        parts
            .iter()
            .map(|part| (part.range, part.px, part.place.is_none())),
        y + room,
        true,
    );
    let plane = Plane {
        axis,
        vertical: true,
    };
    let overview = finish(scene, frame, plane, &parts, x);
    for part in &parts {
        let (Some(place), Some(area)) = (part.place, overview.plane.area(part.range, x, 0)) else {
            continue;
        };
        let name = say::picture::place(place);
        if measure::width(name, TextSize::Small, false) <= area.h + 8 {
            scene.shapes.push(Shape::Text {
                role: Role::Note,
                at: (overview.area.x + overview.area.w + 14, area.y + area.h / 2),
                anchor: Anchor::Middle,
                size: TextSize::Small,
                mono: false,
                turned: true,
                text: name.to_owned(),
            });
        }
    }
    Overview {
        area: Area {
            w: overview.area.w + 18,
            ..overview.area
        },
        ..overview
    }
}

struct OverviewPart {
    range: Range,
    px: i32,
    /// `None` for a fold.
    place: Option<Place>,
}

/// Clusters and the holes between them. A cluster's width follows the logarithm of its length: this strip is a map of
/// what there is, not a scale.
fn parts(frame: &Frame, room: i32, fold_px: i32) -> Vec<OverviewPart> {
    let mut clusters = lens::clusters(frame);
    // More clusters than there is room for: the lowest ones share a part.
    let most = usize::try_from(room / (fold_px + 24))
        .unwrap_or(1)
        .clamp(2, 6);
    while clusters.len() > most {
        let second = clusters.remove(1);
        clusters[0].range.end = second.range.end;
        if second.place != Place::Other {
            clusters[0].place = second.place;
        }
    }
    let weight = |range: Range| i32::try_from((range.len() >> 12).max(1).ilog2()).unwrap_or(0) + 6;
    let weights: i32 = clusters.iter().map(|cluster| weight(cluster.range)).sum();
    let mut parts = Vec::new();
    let mut at = 0;
    for cluster in &clusters {
        if cluster.range.start > at {
            parts.push(OverviewPart {
                range: Range {
                    start: at,
                    end: cluster.range.start,
                },
                px: fold_px,
                place: None,
            });
        }
        parts.push(OverviewPart {
            range: cluster.range,
            px: weight(cluster.range),
            place: Some(cluster.place),
        });
        at = cluster.range.end;
    }
    if at < TASK_SIZE {
        parts.push(OverviewPart {
            range: Range {
                start: at,
                end: TASK_SIZE,
            },
            px: fold_px,
            place: None,
        });
    }
    let folded: i32 = parts
        .iter()
        .filter(|part| part.place.is_none())
        .map(|part| part.px)
        .sum();
    let open = (room - folded).max(1);
    let mut left = open;
    let mut last_open = 0;
    for (index, part) in parts.iter_mut().enumerate() {
        if part.place.is_some() {
            part.px = open * part.px / weights.max(1);
            left -= part.px;
            last_open = index;
        }
    }
    if let Some(part) = parts.get_mut(last_open) {
        part.px += left;
    }
    parts
}

fn finish(
    scene: &mut Scene,
    frame: &Frame,
    plane: Plane,
    parts: &[OverviewPart],
    cross: i32,
) -> Overview {
    let rows = i32::try_from(frame.lanes.len()).unwrap_or(1);
    let pitch = ((THICK + 1) / rows.max(1)).max(ROW + 1);
    let thick = rows * pitch - 1;
    let (from, to) = plane.axis.extent();
    let area = plane.between(from, to, cross, thick);
    scene.rect(Role::Strip, area);
    for part in parts.iter().filter(|part| part.place.is_none()) {
        fold(scene, &plane, part.range, cross, thick);
        if let Some(area) = plane.area(part.range, cross, thick) {
            fold_item(scene, area, part.range);
        }
    }
    let mut blocks: Sorted<Role, String> = Sorted::new();
    for (row, lane) in (0..).zip(&frame.lanes) {
        for part in parts.iter().filter(|part| part.place.is_some()) {
            let at_most = usize::try_from(part.px).unwrap_or(0).max(4);
            for piece in lane.range(part.range, at_most) {
                let role = match piece.kind {
                    PieceKind::Vma(id) => Kind::of(lane.machine, id).role(),
                    PieceKind::Many { .. } => Role::Many,
                    PieceKind::Gap => continue,
                };
                if let Some(area) = plane.area(piece.range, cross + row * pitch, pitch - 1) {
                    push_rect(blocks.or_default(plain(role)), area);
                }
            }
        }
    }
    for (role, d) in blocks.into_vec() {
        scene.path(role, d);
    }
    Overview { plane, area }
}

/// The role of a block without an edge.
fn plain(role: Role) -> Role {
    match role {
        Role::VmaAnon => Role::DotAnon,
        Role::VmaFile => Role::DotFile,
        Role::VmaHeap => Role::DotHeap,
        Role::VmaStack => Role::DotStack,
        Role::VmaSpecial => Role::DotSpecial,
        other => other,
    }
}

impl Overview {
    /// Marks what the lens shows, with rays to its two ends, given from the lower one.
    pub(super) fn window(&self, scene: &mut Scene, lens: Range, ends: ((i32, i32), (i32, i32))) {
        const LEAST: i32 = 8;
        let Some((from, to)) = self.plane.axis.span(lens) else {
            return;
        };
        let (from, to) = if to - from < LEAST {
            (from - (LEAST - to + from) / 2, from + LEAST)
        } else {
            (from, to)
        };
        let vertical = self.plane.vertical;
        let strip = if vertical {
            Area {
                w: self.strip_thickness(),
                ..self.area
            }
        } else {
            self.area
        };
        let window = if vertical {
            Area {
                x: strip.x - 3,
                y: from,
                w: strip.w + 6,
                h: to - from,
            }
        } else {
            Area {
                x: from,
                y: strip.y - 3,
                w: to - from,
                h: strip.h + 6,
            }
        };
        let corners = if vertical {
            ((window.x + window.w, from), (window.x + window.w, to))
        } else {
            ((from, window.y + window.h), (to, window.y + window.h))
        };
        if vertical {
            scene.shapes.push(Shape::Rect {
                role: Role::Window,
                area: window,
                round: 3,
            });
        } else {
            scene.line(Role::WindowRay, corners.0, ends.0);
            scene.line(Role::WindowRay, corners.1, ends.1);
            scene.shapes.push(Shape::Rect {
                role: Role::Window,
                area: window,
                round: 3,
            });
        }
        scene.add_item(
            window,
            say::picture::window(lens),
            Target::Window { range: lens },
        );
    }

    /// Without the names beside it.
    fn strip_thickness(&self) -> i32 {
        (self.area.w - 18).max(ROW)
    }
}
