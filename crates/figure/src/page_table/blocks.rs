//! The blocks of a mapping, a cell each, or a cell for several.

use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{HugeBlock, Pmd, Range};

use super::{Lane, Mapping, inside};
use crate::address_space::text;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize};

const HEIGHT: i32 = 24;
const GAP: i32 = 6;
/// The narrowest and the widest cell.
const LEAST: i32 = 30;
const MOST: i32 = 56;
const MOST_ROWS: u64 = 4;
/// Height of the bar that says how many pages are there.
const BAR: i32 = 5;

/// Draws the cells; gives the place below them.
pub(super) fn draw(
    scene: &mut Scene,
    lane: &Lane,
    mapping: &Mapping,
    (x, y): (i32, i32),
    width: i32,
) -> i32 {
    let first = mapping.range.start / PMD_SIZE;
    let count = (mapping.range.end - 1) / PMD_SIZE + 1 - first;
    let columns = ((width + GAP) / (LEAST + GAP)).max(1);
    let room = columns as u64 * MOST_ROWS;
    // Blocks that one cell stands for.
    let each = count.div_ceil(room).next_power_of_two();
    let cells = count.div_ceil(each);
    let cell = ((width + GAP) / columns.min(i32::try_from(cells).unwrap_or(columns)).max(1) - GAP)
        .clamp(LEAST, MOST);
    for index in 0..cells {
        let start = (first + index * each) * PMD_SIZE;
        let blocks = Range {
            start,
            end: (start + each * PMD_SIZE).min((first + count) * PMD_SIZE),
        };
        let (row, column) = (index / columns as u64, index % columns as u64);
        let area = Area {
            x: x + column as i32 * (cell + GAP),
            y: y + row as i32 * (HEIGHT + GAP + 2),
            w: cell,
            h: HEIGHT,
        };
        if each == 1 {
            one(scene, lane, mapping, blocks, area);
        } else {
            many(scene, lane, mapping, blocks, area);
        }
    }
    y + (cells.div_ceil(columns as u64) as i32) * (HEIGHT + GAP + 2)
}

/// A cell for one block. Where the mapping holds only a part of it, so does the cell.
fn one(scene: &mut Scene, lane: &Lane, mapping: &Mapping, range: Range, area: Area) {
    let part = inside(mapping.range, range);
    let block = lane.frame.machine.huge_block(part.start);
    let px = |addr: u64| ((addr - range.start) * area.w as u64 / PMD_SIZE) as i32;
    let (left, right) = (px(part.start).min(area.w - 4), px(part.end));
    let whole = area;
    let area = Area {
        x: area.x + left,
        w: (right - left).max(4),
        ..area
    };
    let (role, ink) = match block.pmd {
        Some(Pmd::Huge) => (Role::VmaAnon, Role::OnAnon),
        Some(Pmd::HugeZero) => (Role::VmaSpecial, Role::OnSpecial),
        Some(Pmd::Table) => (Role::Node, Role::GapLabel),
        None => (Role::Gap, Role::GapReason),
    };
    scene.rect(role, area);
    if block.pmd == Some(Pmd::Table) && block.present > 0 {
        let bar = Area {
            x: area.x + 1,
            y: area.y + HEIGHT - BAR,
            w: ((block.present * (area.w as u64 - 2)).div_ceil(512)) as i32,
            h: BAR - 1,
        };
        scene.rect(Role::PageAnon, bar);
    }
    let label = say::page_table::cell(&block);
    if crate::measure::width(&label, TextSize::Small, true) + 4 <= area.w {
        let at = (area.x + area.w / 2, area.y + 15);
        text(scene, ink, at, Anchor::Middle, TextSize::Small, true, label);
    }
    let before = lane.frame.before.huge_block(part.start);
    if !same(&before, &block) {
        edge(scene, Role::Changed, area.grown(1));
    }
    if mapping.block.range == range {
        edge(scene, Role::Selected, area.grown(2));
    }
    let target = Target::Block {
        lane: lane.index,
        range: part,
    };
    scene.add_item(whole, say::page_table::block(mapping.range, &block), target);
}

fn same(a: &HugeBlock, b: &HugeBlock) -> bool {
    (a.pmd, a.present) == (b.pmd, b.present)
}

/// A cell for several blocks: how many of them are what, from below.
fn many(scene: &mut Scene, lane: &Lane, mapping: &Mapping, range: Range, area: Area) {
    let counts = super::pages::Blocks::of(lane.frame.machine, range);
    scene.rect(Role::Gap, area);
    let mut bottom = area.y + area.h;
    for (role, count) in [
        (Role::VmaAnon, counts.huge),
        (Role::VmaSpecial, counts.zero),
        (Role::Many, counts.tables),
    ] {
        let h = (count * area.h as u64).div_ceil(counts.all.max(1)) as i32;
        let h = h.min(bottom - area.y);
        if h > 0 {
            bottom -= h;
            let part = Area {
                y: bottom,
                h,
                ..area
            };
            scene.rect(role, part);
        }
    }
    let part = inside(mapping.range, range);
    if range.start <= mapping.block.range.start && mapping.block.range.end <= range.end {
        edge(scene, Role::Selected, area.grown(2));
    }
    let target = Target::Block {
        lane: lane.index,
        range: part,
    };
    scene.add_item(area, say::page_table::many(part, &counts), target);
}

fn edge(scene: &mut Scene, role: Role, area: Area) {
    scene.shapes.push(Shape::Rect {
        role,
        area,
        round: 2,
    });
}
