//! One node as a small table.

use mmscope_maple::Kind as NodeKind;

use super::rows::{Row, What, rows};
use super::shown::{Lane, Shown};
use crate::address_space::{push_block, push_hatch, text};
use crate::kind::{self, Kind};
use crate::measure;
use crate::say::{self, num};
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize, push_rect};

/// Width of a leaf at least.
pub(super) const LEAF_LEAST: i32 = 206;
/// Width of a leaf where there is room.
const LEAF: i32 = 232;
/// Width of an inner node at most.
const INNER: i32 = 380;
/// Height of a closed node.
const CLOSED: i32 = 40;
const LINE: i32 = 17;
/// Kind, range, heads of the columns.
const HEAD: i32 = 3 * LINE + 3;
const FOOT: i32 = 18;
/// Where the columns begin.
const SLOT: i32 = 24;
const PIVOT: i32 = 30;
const ENTRY: i32 = 126;
/// The gap's column, with the mark of the largest.
const GAP: i32 = 82;
const PAD: i32 = 4;

/// The width of a leaf in a lane of this width: two go side by side as soon as they can.
pub(super) fn leaf_width(lane: i32) -> i32 {
    if (2 * LEAF_LEAST..2 * LEAF + 40).contains(&lane) {
        LEAF_LEAST
    } else {
        LEAF
    }
}

/// The width of a node where there is so much room.
pub(super) fn width(lane: &Lane, shown: &Shown, room: i32) -> i32 {
    let most = match shown.node.kind() {
        NodeKind::Leaf64 => lane.leaf,
        NodeKind::Arange64 | NodeKind::Range64 => INNER,
    };
    most.min(room)
}

/// The height of a node.
pub(super) fn height(shown: &Shown) -> i32 {
    if !shown.open {
        return CLOSED;
    }
    let rows = i32::try_from(shown.node.end() + 1).unwrap_or(0);
    HEAD + rows * LINE + FOOT
}

/// The middle of a slot's row.
pub(super) fn row_middle(slot: usize) -> i32 {
    HEAD + i32::try_from(slot).unwrap_or(0) * LINE + LINE / 2
}

/// Draws a node.
pub(super) fn draw(scene: &mut Scene, lane: &Lane, shown: &Shown, area: Area) {
    scene.rect(Role::Node, area);
    if let Some(role) = shown.state.edge() {
        scene.rect(role, area);
    }
    let head = Area {
        h: HEAD.min(area.h),
        ..area
    };
    scene.add_item(head, lane.name(shown), lane.target(shown));
    let Area { x, y, w, .. } = area;
    let end = x + w - PAD - 2;
    let kind = say::tree::kind(shown.node.kind());
    let sign = shown.state.sign();
    let mut at = x + PAD + 2;
    if !sign.is_empty() {
        put(scene, Role::Mark, (at, y + 14), Anchor::Start, true, sign);
        at += 12;
    }
    put(
        scene,
        Role::LaneName,
        (at, y + 14),
        Anchor::Start,
        true,
        kind,
    );
    let name = say::tree::node(shown.id);
    put(scene, Role::Note, (end, y + 14), Anchor::End, false, &name);
    let range = say::maple_tree::bounds(shown.min, shown.max);
    let at = (x + PAD + 2, y + 14 + LINE);
    if let Some(range) = measure::fitted(&range, w - 2 * PAD - 4, TextSize::Small, true) {
        put(scene, Role::Note, at, Anchor::Start, true, &range);
    }
    if !shown.open {
        return;
    }
    let base = y + 14 + 2 * LINE;
    let leaf = shown.node.kind() == NodeKind::Leaf64;
    let [slot, pivot, entry, child, gap] = say::maple_tree::COLUMNS;
    put(
        scene,
        Role::Note,
        (x + SLOT + 2, base),
        Anchor::End,
        false,
        slot,
    );
    put(
        scene,
        Role::Note,
        (x + PIVOT + 2, base),
        Anchor::Start,
        false,
        pivot,
    );
    let what = if leaf { entry } else { child };
    put(
        scene,
        Role::Note,
        (x + ENTRY, base),
        Anchor::Start,
        false,
        what,
    );
    let gaps = !shown.node.gaps().is_empty();
    if gaps {
        put(scene, Role::Note, (end - 12, base), Anchor::End, false, gap);
    }
    let mut top = y + HEAD;
    for row in rows(lane, shown) {
        let line = Area {
            x,
            y: top,
            w,
            h: LINE,
        };
        let right = if gaps { GAP } else { PAD };
        draw_row(scene, lane, shown, row, line, right);
        top += LINE;
    }
    let mut d = String::new();
    let mut at = x + PAD + 2;
    for _ in shown.node.end() + 1..shown.node.kind().slots() {
        let cell = Area {
            x: at,
            y: top + 5,
            w: 6,
            h: 8,
        };
        push_block(&mut d, cell);
        at += 7;
    }
    scene.path(Role::Wire, d);
    let used = say::maple_tree::used(shown.node);
    put(
        scene,
        Role::Note,
        (end, top + 13),
        Anchor::End,
        false,
        &used,
    );
}

fn draw_row(scene: &mut Scene, lane: &Lane, shown: &Shown, row: Row, line: Area, right: i32) {
    let Area { x, y, w, h } = line;
    let base = y + 13;
    let slot = row.slot.to_string();
    put(
        scene,
        Role::Note,
        (x + SLOT, base),
        Anchor::End,
        true,
        &slot,
    );
    let mut pivot = say::maple_tree::hex(row.last);
    if row.implied {
        pivot.push('*');
    }
    let role = if row.implied {
        Role::Note
    } else {
        Role::GapLabel
    };
    put(scene, role, (x + PIVOT, base), Anchor::Start, true, &pivot);
    let cell = Area {
        x: x + ENTRY,
        y: y + 1,
        w: w - ENTRY - right,
        h: h - 2,
    };
    entry(scene, shown, &row, cell);
    if let Some(gap) = &row.gap {
        let end = x + w - PAD - 12;
        let mut said = num::size(gap.size);
        let width = measure::width(&said, TextSize::Small, true);
        if gap.largest {
            put(
                scene,
                Role::Mark,
                (x + w - PAD, base),
                Anchor::End,
                true,
                LARGEST,
            );
            let area = Area {
                x: end - width,
                y: base + 2,
                w: width,
                h: 1,
            };
            scene.rect(Role::Largest, area);
        }
        let mut role = Role::GapLabel;
        if gap.was.is_some() {
            role = Role::Mark;
            said.insert(0, '~');
        }
        put(scene, role, (end, base), Anchor::End, true, &said);
    }
    if row.changed {
        let edge = Area {
            x: cell.x - 1,
            y: cell.y - 1,
            w: cell.w + 2,
            h: cell.h + 2,
        };
        scene.rect(Role::NodeChanged, edge);
    }
    if let Some(number) = row.number {
        let badge = Area {
            x: x - 9,
            y: y + 1,
            w: 16,
            h: h - 2,
        };
        scene.shapes.push(Shape::Rect {
            role: Role::Step,
            area: badge,
            round: 4,
        });
        let number = number.to_string();
        put(
            scene,
            Role::OnLane,
            (x - 1, base),
            Anchor::Middle,
            false,
            &number,
        );
    }
    if let Some(chosen) = lane.view.selected
        && shown.node.kind() == NodeKind::Leaf64
        && !shown.is_apart()
        && (row.first..=row.last).contains(&chosen.addr)
    {
        let role = if chosen.lane == lane.index {
            Role::Selected
        } else {
            Role::SelectedElsewhere
        };
        scene.rect(role, line.grown(-1));
    }
    scene.add_item(line, row.name, row.target);
}

/// What a slot holds.
fn entry(scene: &mut Scene, shown: &Shown, row: &Row, cell: Area) {
    let middle = (cell.x + cell.w / 2, cell.y + 12);
    let room = cell.w - 3;
    let mut d = String::new();
    match &row.what {
        What::Free => {
            push_block(&mut d, cell);
            scene.path(Role::Gap, d);
            let size = num::size((row.last - row.first).saturating_add(1));
            if let Some(size) = measure::fitted(&size, room, TextSize::Small, true) {
                put(scene, Role::GapLabel, middle, Anchor::Middle, true, &size);
            }
        }
        What::Vma(id) => {
            push_block(&mut d, cell);
            let Some(vma) = shown.machine.get_vma(*id) else {
                scene.path(Role::Gap, d);
                return;
            };
            let kind = Kind::of(shown.machine, *id);
            let mut role = kind.text_role();
            if vma.is_accessible() {
                scene.path(kind.role(), d);
            } else {
                push_hatch(&mut d, cell);
                scene.path(Role::Guard, d);
                role = Role::GapLabel;
            }
            let size = num::size((row.last - row.first).saturating_add(1));
            let letter = kind.letter();
            let mut said = format!("{letter} {}", kind::short_name(shown.machine, *id));
            let fits = |said: &str| measure::width(said, TextSize::Small, true) <= room;
            if said.len() == 2 || !fits(&said) {
                said = format!("{letter} {size}");
            }
            if !fits(&said) {
                said = letter.to_owned();
            }
            if !vma.is_accessible() {
                let width = measure::width(&said, TextSize::Small, true) + 4;
                let plate = Area {
                    x: middle.0 - width / 2,
                    w: width,
                    ..cell.grown(-1)
                };
                scene.rect(Role::Plate, plate);
            }
            put(scene, role, middle, Anchor::Middle, true, &said);
        }
        What::Child {
            id,
            open,
            state,
            nodes,
            vmas,
        } => {
            let edge = state.edge().unwrap_or(Role::Wire);
            push_rect(&mut d, cell);
            scene.path(edge, d);
            let mut x = cell.x + 4;
            let sign = match (shown.is_apart(), *open) {
                (true, _) => "",
                (false, true) => "\u{25be}",
                (false, false) => "\u{25b8}",
            };
            put(
                scene,
                Role::GapLabel,
                (x, middle.1),
                Anchor::Start,
                false,
                sign,
            );
            x += 13;
            let sign = state.sign();
            if !sign.is_empty() {
                put(scene, Role::Mark, (x, middle.1), Anchor::Start, true, sign);
                x += 11;
            }
            let room = cell.x + cell.w - 3 - x;
            let fits = |said: &String| measure::width(said, TextSize::Small, false) <= room;
            let said = say::maple_tree::child(*id, *nodes, *vmas);
            let said = said.into_iter().find(fits);
            if let Some(said) = said {
                put(
                    scene,
                    Role::GapLabel,
                    (x, middle.1),
                    Anchor::Start,
                    false,
                    &said,
                );
            }
        }
    }
}

/// The mark of the largest gap.
pub(super) const LARGEST: &str = "\u{25c6}";

/// A line of small text.
fn put(scene: &mut Scene, role: Role, at: (i32, i32), anchor: Anchor, mono: bool, said: &str) {
    text(
        scene,
        role,
        at,
        anchor,
        TextSize::Small,
        mono,
        said.to_owned(),
    );
}
