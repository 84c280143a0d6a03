//! One node as a small table.

use mmscope_lab::Sorted;
use mmscope_maple::Kind as NodeKind;
use mmscope_mm::{Machine, VmaId};

use super::rows::{Gap, Row, What, row};
use super::shown::{Lane, Shown};
use crate::address_space::{push_block, push_hatch};
use crate::kind::{self, Kind};
use crate::measure;
use crate::say::{self, num};
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize};

/// Width of a leaf at least.
pub(super) const LEAF_LEAST: i32 = 206;
/// Width of a leaf where there is room.
const LEAF: i32 = 232;
/// Width of an inner node at most.
const INNER: i32 = 440;
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
    let Area { x, y, w, .. } = area;
    scene.rect(Role::Node, area);
    if let Some(role) = shown.state.edge() {
        scene.rect(role, area);
    }
    let h = HEAD.min(area.h);
    scene.add_item(Area { h, ..area }, lane.name(shown), lane.target(shown));
    let mut ink = Ink::default();
    let (left, end) = (x + PAD + 2, x + w - PAD - 2);
    let sign = shown.state.sign();
    let mut at = left;
    if !sign.is_empty() {
        ink.mono(Role::Mark, Anchor::Start, (at, y + 14), sign);
        at += 12;
    }
    let kind = shown.node.kind();
    let named = say::tree::kind(kind);
    ink.mono(Role::LaneName, Anchor::Start, (at, y + 14), named);
    let name = say::tree::node(shown.id);
    ink.sans(Role::Note, Anchor::End, (end, y + 14), &name);
    let range = say::maple_tree::bounds(shown.min, shown.max);
    if shown.known
        && let Some(range) = measure::fitted(&range, end - left, TextSize::Small, true)
    {
        ink.mono(Role::Note, Anchor::Start, (left, y + 14 + LINE), &range);
    }
    if shown.open {
        let base = y + 14 + 2 * LINE;
        let [slot, pivot, entry, child, gap] = say::maple_tree::COLUMNS;
        ink.sans(Role::Note, Anchor::End, (x + SLOT + 2, base), slot);
        ink.sans(Role::Note, Anchor::Start, (x + PIVOT + 2, base), pivot);
        let leaf = kind == NodeKind::Leaf64;
        let what = if leaf { entry } else { child };
        ink.sans(Role::Note, Anchor::Start, (x + ENTRY, base), what);
        let mut right = PAD;
        if !shown.node.gaps().is_empty() {
            right = GAP;
            ink.sans(Role::Note, Anchor::End, (end - 10, base), gap);
        }
        let mut line = Area {
            y: y + HEAD,
            h: LINE,
            ..area
        };
        for slot in 0..=shown.node.end() {
            let row = row(lane, shown, slot);
            ink.row(lane, shown, &row, line, right);
            scene.add_item(line, row.name, row.target);
            line.y += LINE;
        }
        let mut cell = Area {
            x: left,
            y: line.y + 5,
            w: 6,
            h: 8,
        };
        for _ in shown.node.end() + 1..kind.slots() {
            push_block(ink.cells.or_default(Role::Wire), cell);
            cell.x += 7;
        }
        let used = say::maple_tree::used(shown.node);
        ink.sans(Role::Note, Anchor::End, (end, line.y + 13), &used);
    }
    for (role, d) in ink.cells.as_slice() {
        scene.path(*role, d.clone());
    }
    scene.shapes.append(&mut ink.over);
}

/// What is drawn of one node: cells of one role share a path, and the rest lies over them.
#[derive(Default)]
struct Ink {
    cells: Sorted<Role, String>,
    over: Vec<Shape>,
}

impl Ink {
    fn put(&mut self, role: Role, anchor: Anchor, at: (i32, i32), mono: bool, said: &str) {
        self.over.push(Shape::Text {
            role,
            at,
            anchor,
            size: TextSize::Small,
            mono,
            turned: false,
            text: said.to_owned(),
        });
    }

    fn mono(&mut self, role: Role, anchor: Anchor, at: (i32, i32), said: &str) {
        self.put(role, anchor, at, true, said);
    }

    fn sans(&mut self, role: Role, anchor: Anchor, at: (i32, i32), said: &str) {
        self.put(role, anchor, at, false, said);
    }

    fn rect(&mut self, role: Role, area: Area, round: i32) {
        self.over.push(Shape::Rect { role, area, round });
    }

    fn row(&mut self, lane: &Lane, shown: &Shown, row: &Row, line: Area, right: i32) {
        let Area { x, y, w, h } = line;
        let base = y + 13;
        let slot = row.slot.to_string();
        self.mono(Role::Note, Anchor::End, (x + SLOT, base), &slot);
        let mut pivot = say::maple_tree::hex(row.last);
        let mut role = Role::GapLabel;
        if row.implied {
            pivot.push('*');
            role = Role::Note;
        }
        self.mono(role, Anchor::Start, (x + PIVOT, base), &pivot);
        let cell = Area {
            x: x + ENTRY,
            y: y + 1,
            w: w - ENTRY - right,
            h: h - 2,
        };
        match &row.what {
            What::Free => self.free(row, cell),
            What::Vma(id) => self.vma(shown.machine, *id, row, cell),
            What::Child { .. } => self.child(shown, &row.what, cell),
        }
        if let Some(gap) = &row.gap {
            self.gap(gap, (x + w - PAD, base));
        }
        if row.changed {
            self.rect(Role::NodeChanged, cell.grown(1), 0);
        }
        let badge = Area {
            x: x - 9,
            w: 16,
            ..cell
        };
        if let Some(number) = row.number {
            self.rect(Role::Step, badge, 4);
            let number = number.to_string();
            self.sans(Role::OnLane, Anchor::Middle, (x - 1, base), &number);
        } else if row.passed {
            self.rect(Role::Node, badge, 4);
            self.sans(Role::GapLabel, Anchor::Middle, (x - 1, base), PASSED);
        }
        if let Some(chosen) = lane.view.selected
            && shown.levels == 1
            && !shown.is_apart()
            && (row.first..=row.last).contains(&chosen.addr)
        {
            let own = chosen.lane == lane.index;
            let elsewhere = Role::SelectedElsewhere;
            let role = if own { Role::Selected } else { elsewhere };
            self.rect(role, line.grown(-1), 0);
        }
    }

    fn free(&mut self, row: &Row, cell: Area) {
        push_block(self.cells.or_default(Role::Gap), cell);
        self.mono(Role::GapLabel, Anchor::Middle, middle(cell), &size(row));
    }

    fn vma(&mut self, machine: &Machine, id: VmaId, row: &Row, cell: Area) {
        let Some(vma) = machine.get_vma(id) else {
            push_block(self.cells.or_default(Role::Gap), cell);
            return;
        };
        let kind = Kind::of(machine, id);
        let letter = kind.letter();
        let mut said = format!("{letter} {}", kind::short_name(machine, id));
        let fits = |said: &str| measure::width(said, TextSize::Small, true) <= cell.w - 3;
        if said.len() == 2 || !fits(&said) {
            said = format!("{letter} {}", size(row));
        }
        if !fits(&said) {
            said = letter.to_owned();
        }
        let mut role = kind.text_role();
        if vma.is_accessible() {
            push_block(self.cells.or_default(kind.role()), cell);
        } else {
            let d = self.cells.or_default(Role::Guard);
            push_block(d, cell);
            push_hatch(d, cell);
            role = Role::GapLabel;
            let width = measure::width(&said, TextSize::Small, true) + 4;
            let plate = Area {
                x: cell.x + (cell.w - width) / 2,
                w: width,
                ..cell.grown(-1)
            };
            self.rect(Role::Plate, plate, 0);
        }
        self.mono(role, Anchor::Middle, middle(cell), &said);
    }

    fn child(&mut self, shown: &Shown, what: &What, cell: Area) {
        let What::Child {
            id,
            open,
            state,
            nodes,
            vmas,
        } = what
        else {
            return;
        };
        let edge = state.edge().unwrap_or(Role::Wire);
        if edge == Role::Wire {
            push_block(self.cells.or_default(edge), cell);
        } else {
            self.rect(edge, cell, 0);
        }
        let (mut x, base) = (cell.x + 4, cell.y + 12);
        if !shown.is_apart() {
            let sign = if *open { "\u{25be}" } else { "\u{25b8}" };
            self.sans(Role::GapLabel, Anchor::Start, (x, base), sign);
            x += 13;
        }
        let sign = state.sign();
        if !sign.is_empty() {
            self.mono(Role::Mark, Anchor::Start, (x, base), sign);
            x += 11;
        }
        let room = cell.x + cell.w - 3 - x;
        for said in &say::maple_tree::child(*id, *nodes, *vmas) {
            if measure::width(said, TextSize::Small, false) <= room {
                self.sans(Role::GapLabel, Anchor::Start, (x, base), said);
                return;
            }
        }
    }

    fn gap(&mut self, gap: &Gap, (right, base): (i32, i32)) {
        let end = right - 12;
        let mut said = num::size(gap.size);
        if gap.largest {
            self.mono(Role::Mark, Anchor::End, (right, base), LARGEST);
            let width = measure::width(&said, TextSize::Small, true);
            let line = Area {
                x: end - width,
                y: base + 2,
                w: width,
                h: 1,
            };
            self.rect(Role::Largest, line, 0);
        }
        let mut role = Role::GapLabel;
        if gap.was.is_some() {
            role = Role::Mark;
            said.insert(0, '~');
        }
        self.mono(role, Anchor::End, (end, base), &said);
    }
}

/// The base line of a text in the middle of a cell.
fn middle(cell: Area) -> (i32, i32) {
    (cell.x + cell.w / 2, cell.y + 12)
}

/// How much a slot covers.
fn size(row: &Row) -> String {
    num::size((row.last - row.first).saturating_add(1))
}

/// The mark of the largest gap.
pub(super) const LARGEST: &str = "\u{25c6}";
/// The mark of a slot that a search looked at and passed over.
pub(super) const PASSED: &str = "\u{2013}";
