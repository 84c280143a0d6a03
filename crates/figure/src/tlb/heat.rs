//! The sets of a structure side by side, its ways one below the other: who is in them, and above them how often a set was hit
//! and missed.

use mmscope_lab::streams::tlb::{Event, Page, SetCounts, StructureGeometry, StructureId};

use super::{Lane, LaneWalk, SetChoice, lines};
use crate::say;
use crate::scene::{Area, Role, Scene, Shape, Target, push_rect};

/// Height of the bars.
const BARS: i32 = 26;
/// Sets in a row.
const COLUMNS: u32 = 128;
/// Height of all ways together, at least and at most for one.
const WAY: i32 = 6;
/// Below the ways: the marks of the chosen mapping.
const MARKS: i32 = 6;

/// For each structure the largest count of a set in any lane: the end of the common scale.
pub(super) fn most(walks: &[LaneWalk]) -> Vec<u64> {
    let mut most = Vec::new();
    for run in walks.iter().filter_map(|walk| walk.run.as_ref().ok()) {
        for (number, (id, _)) in run.tlb().structures().enumerate() {
            let counts = run.tlb().set_counts(id);
            let largest = counts.iter().map(|set| set.hits.max(set.misses)).max();
            if most.len() <= number {
                most.push(0);
            }
            most[number] = largest.unwrap_or(0).max(most[number]);
        }
    }
    most
}

/// Draws a structure; gives the place below it.
pub(super) fn draw(
    scene: &mut Scene,
    lane: &Lane,
    (id, geometry): (StructureId, &StructureGeometry),
    most: u64,
    (x, y): (i32, i32),
    width: i32,
) -> i32 {
    let counts = lane.run.tlb().set_counts(id);
    let mut y = lines(
        scene,
        Role::LaneResult,
        &say::tlb::structure(id, geometry),
        (x, y),
        width,
    );
    let worst = counts
        .iter()
        .enumerate()
        .max_by_key(|(set, counts)| (counts.misses, usize::MAX - set));
    if let Some((set, counts)) = worst.filter(|(_, counts)| counts.misses > 0) {
        let said = say::tlb::pressure(geometry, set as u32, counts);
        y = lines(scene, Role::Note, &said, (x, y), width);
    }
    if counts.iter().all(|counts| *counts == SetCounts::default()) {
        return lines(scene, Role::Note, say::tlb::NOT_ASKED, (x, y), width);
    }
    y += 4;
    let mut cells = Cells::default();
    if geometry.sets == 1 {
        y = one_set(
            scene,
            &mut cells,
            lane,
            (id, geometry),
            counts.first(),
            (x, y),
            width,
        );
    } else {
        let columns = geometry.sets.min(COLUMNS);
        let pitch = (width / columns as i32).clamp(2, 14);
        for first in (0..geometry.sets).step_by(columns as usize) {
            for set in first..(first + columns).min(geometry.sets) {
                let at = (x + (set - first) as i32 * pitch, y);
                let counts = counts.get(set as usize).copied().unwrap_or_default();
                column(
                    scene,
                    &mut cells,
                    lane,
                    (id, geometry),
                    (set, counts, most),
                    at,
                    pitch,
                );
            }
            y += BARS + 2 + geometry.ways as i32 * WAY + MARKS + 4;
        }
    }
    cells.draw(scene);
    y
}

/// Cells of one role, to become one path.
#[derive(Default)]
struct Cells {
    areas: Vec<(Role, Area)>,
}

impl Cells {
    fn add(&mut self, role: Role, area: Area) {
        self.areas.push((role, area));
    }

    /// A path for each role; cells that touch in a row are one rectangle.
    fn draw(mut self, scene: &mut Scene) {
        let key = |(role, area): &(Role, Area)| (*role, area.y, area.h, area.x);
        self.areas.sort_by_key(key);
        let mut paths: Vec<(Role, String)> = Vec::new();
        let mut rest = self.areas.as_slice();
        while let [(role, first), after @ ..] = rest {
            let mut whole = *first;
            rest = after;
            while let [(next_role, next), after @ ..] = rest {
                let touches = (next.y, next.h, next.x) == (whole.y, whole.h, whole.x + whole.w);
                if next_role != role || !touches {
                    break;
                }
                whole.w += next.w;
                rest = after;
            }
            if paths.last().is_none_or(|(last, _)| last != role) {
                paths.push((*role, String::new()));
            }
            if let Some((_, d)) = paths.last_mut() {
                push_rect(d, whole);
            }
        }
        for (role, d) in paths {
            scene.path(role, d);
        }
    }
}

fn column(
    scene: &mut Scene,
    cells: &mut Cells,
    lane: &Lane,
    (id, geometry): (StructureId, &StructureGeometry),
    (set, counts, most): (u32, SetCounts, u64),
    (x, y): (i32, i32),
    pitch: i32,
) {
    let gap = i32::from(pitch > 3);
    let height = |count: u64| match most {
        0 => 0,
        most => (count * BARS as u64).div_ceil(most) as i32,
    };
    let bar = |count: u64| Area {
        x,
        y: y + BARS - height(count),
        w: pitch - gap,
        h: height(count),
    };
    if counts.hits > 0 {
        // Hits as a line, misses as a body: told apart without colour.
        let Area { x, y, w, .. } = bar(counts.hits);
        let line = Area { x, y, w, h: 1 };
        cells.add(Role::Hit, line);
    }
    if counts.misses > 0 {
        cells.add(Role::Miss, bar(counts.misses));
    }
    let top = y + BARS + 2;
    let ways = Area {
        x,
        y: top,
        w: pitch - gap,
        h: geometry.ways as i32 * WAY,
    };
    cells.add(Role::Strip, ways);
    let tenants = lane.run.tlb().tenants(id, set);
    for (way, page) in (0..).zip(&tenants) {
        if let Some(page) = page {
            let cell = Area {
                x,
                y: top + way * WAY,
                w: pitch - gap,
                h: WAY - 1,
            };
            cells.add(lane.tenant(page.start()), cell);
        }
    }
    if lit(lane, &tenants) {
        let mark = Area {
            x,
            y: top + ways.h + 2,
            w: pitch - gap,
            h: 3,
        };
        cells.add(Role::PmdFlag, mark);
    }
    outline(scene, lane, id, set, ways);
    if counts != SetCounts::default() {
        let whole = Area {
            x,
            y,
            w: pitch,
            h: BARS + 2 + ways.h,
        };
        item(scene, lane, (id, geometry), set, &counts, whole);
    }
}

/// A structure that is one set: its ways side by side.
fn one_set(
    scene: &mut Scene,
    cells: &mut Cells,
    lane: &Lane,
    (id, geometry): (StructureId, &StructureGeometry),
    counts: Option<&SetCounts>,
    (x, y): (i32, i32),
    width: i32,
) -> i32 {
    const HEIGHT: i32 = 14;
    let pitch = (width / geometry.ways.max(1) as i32).clamp(2, 14);
    let columns = (width / pitch).max(1);
    let tenants = lane.run.tlb().tenants(id, 0);
    let rows = (geometry.ways as i32 + columns - 1) / columns;
    for (way, page) in (0..).zip(&tenants) {
        let cell = Area {
            x: x + way % columns * pitch,
            y: y + way / columns * (HEIGHT + 2),
            w: pitch - i32::from(pitch > 3),
            h: HEIGHT,
        };
        let role = match page {
            Some(page) => lane.tenant(page.start()),
            None => Role::Strip,
        };
        cells.add(role, cell);
    }
    let area = Area {
        x,
        y,
        w: pitch * columns.min(geometry.ways as i32),
        h: rows * (HEIGHT + 2) - 2,
    };
    if lit(lane, &tenants) {
        let mark = Area {
            x,
            y: area.y + area.h + 2,
            w: area.w,
            h: 3,
        };
        cells.add(Role::PmdFlag, mark);
    }
    outline(scene, lane, id, 0, area);
    let counts = counts.copied().unwrap_or_default();
    item(scene, lane, (id, geometry), 0, &counts, area);
    y + area.h + MARKS + 4
}

/// Whether a set holds a page of the chosen mapping.
fn lit(lane: &Lane, tenants: &[Option<Page>]) -> bool {
    let Some(range) = lane.chosen() else {
        return false;
    };
    let mut pages = tenants.iter().flatten();
    pages.any(|page| (range.start..range.end).contains(&page.start()))
}

/// Edges around the chosen set, and the one that the last access filled.
fn outline(scene: &mut Scene, lane: &Lane, id: StructureId, set: u32, area: Area) {
    let filled = lane.last.iter().any(|event| {
        matches!(event, Event::Fill { structure, set: of, .. } if *structure == id && *of == set)
    });
    let choice = SetChoice {
        lane: lane.index,
        structure: id,
        set,
    };
    for (is, role, by) in [
        (filled, Role::NodeChanged, 1),
        (lane.view.set == Some(choice), Role::Selected, 2),
    ] {
        if is {
            scene.shapes.push(Shape::Rect {
                role,
                area: area.grown(by),
                round: 0,
            });
        }
    }
}

fn item(
    scene: &mut Scene,
    lane: &Lane,
    (id, geometry): (StructureId, &StructureGeometry),
    set: u32,
    counts: &SetCounts,
    area: Area,
) {
    let owners = lane.run.shares().owners(id, set);
    let name = say::tlb::set(id, geometry, set, counts, &owners);
    let target = Target::Set {
        lane: lane.index,
        structure: id,
        set,
    };
    scene.add_item(area, name, target);
}
