//! The 512 pages of a block, 32 in a row.

use std::fmt::Write as _;

use mmscope_mm::page::{PAGE_SIZE, PMD_SIZE};
use mmscope_mm::{Machine, Page, Pmd, Pte, Range};

use super::{Lane, Mapping, inside};
use crate::address_space::text;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize, push_rect};

/// Pages in a row.
const COLUMNS: u64 = 32;
const ROWS: u64 = 16;
/// Room for the addresses at the left.
const LABELS: i32 = 52;

/// Blocks of a range, by what their PMD entries hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    pub(crate) all: u64,
    pub(crate) huge: u64,
    pub(crate) zero: u64,
    pub(crate) tables: u64,
}

impl Blocks {
    pub(crate) fn of(machine: &Machine, range: Range) -> Blocks {
        let mut blocks = Blocks::default();
        for (run, pmd) in machine.pmds(range) {
            let count = run.len() / PMD_SIZE;
            blocks.all += count;
            *match pmd {
                None => continue,
                Some(Pmd::Huge) => &mut blocks.huge,
                Some(Pmd::HugeZero) => &mut blocks.zero,
                Some(Pmd::Table) => &mut blocks.tables,
            } += count;
        }
        blocks
    }
}

/// Pages of a range, by what they show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pages {
    pub(crate) written: u64,
    pub(crate) zeros: u64,
    pub(crate) zero_page: u64,
    pub(crate) file: u64,
    pub(crate) guard: u64,
    pub(crate) none: u64,
    /// Of these, shared with a child.
    pub(crate) forked: u64,
    /// Of these, given up by `MADV_FREE`.
    pub(crate) lazyfree: u64,
}

impl Pages {
    pub(crate) fn of(machine: &Machine, range: Range) -> Pages {
        let mut pages = Pages {
            none: range.len() / PAGE_SIZE,
            ..Pages::default()
        };
        for (run, pte) in machine.ptes(range) {
            let count = run.len() / PAGE_SIZE;
            pages.none -= count;
            *match (pte.page, pte.written) {
                (Page::Anon, true) => &mut pages.written,
                (Page::Anon, false) => &mut pages.zeros,
                (Page::Zero, _) => &mut pages.zero_page,
                (Page::File, _) => &mut pages.file,
                (Page::Guard, _) => &mut pages.guard,
            } += count;
            pages.forked += if pte.forked { count } else { 0 };
            pages.lazyfree += if pte.lazyfree { count } else { 0 };
        }
        pages
    }
}

/// The cells of one kind of page as one path each.
#[derive(Default)]
struct Cells {
    paths: [String; 9],
}

const ROLES: [Role; 9] = [
    Role::PageNone,
    Role::PageAnon,
    Role::PageZeros,
    Role::PageFile,
    Role::PageZero,
    Role::PageGuard,
    Role::PageForked,
    Role::PageLazy,
    Role::Folio,
];

impl Cells {
    fn of(&mut self, role: Role) -> &mut String {
        let at = ROLES.iter().position(|other| *other == role);
        &mut self.paths[at.unwrap_or(0)]
    }
}

/// Draws the pages; gives the place below them.
pub(super) fn draw(
    scene: &mut Scene,
    lane: &Lane,
    mapping: &Mapping,
    (x, y): (i32, i32),
    width: i32,
) -> i32 {
    let machine = lane.frame.machine;
    let block = mapping.block.range;
    let part = inside(mapping.range, block);
    let pitch = ((width - LABELS) / COLUMNS as i32).clamp(6, 12);
    let left = x + LABELS;
    let place = |page: u64| Area {
        x: left + (page % COLUMNS) as i32 * pitch,
        y: y + (page / COLUMNS) as i32 * pitch,
        w: pitch,
        h: pitch,
    };
    let number = |addr: u64| (addr - block.start) / PAGE_SIZE;
    let all = Area {
        x: left,
        y,
        w: pitch * COLUMNS as i32,
        h: pitch * ROWS as i32,
    };
    scene.rect(Role::Strip, all);
    if matches!(mapping.block.pmd, Some(Pmd::Huge | Pmd::HugeZero)) {
        whole(scene, mapping.block.pmd, all);
    } else {
        let mut cells = Cells::default();
        let mut next = number(part.start);
        for (run, pte) in machine.ptes(part) {
            for page in next..number(run.start) {
                nothing(&mut cells, place(page));
            }
            next = number(run.end);
            for page in number(run.start)..next {
                one(&mut cells, place(page), pte);
                let of_block = block.start / PAGE_SIZE + page;
                folio(&mut cells, place(page), pte, of_block);
            }
        }
        for page in next..number(part.end) {
            nothing(&mut cells, place(page));
        }
        for (role, d) in ROLES.into_iter().zip(cells.paths) {
            scene.path(role, d);
        }
    }
    changed(scene, lane, part, &place, block);
    for row in 0..ROWS {
        let start = block.start + row * COLUMNS * PAGE_SIZE;
        let range = inside(part, Range::sized(start, COLUMNS * PAGE_SIZE));
        if range.start >= range.end {
            continue;
        }
        let area = Area {
            h: pitch,
            w: pitch * COLUMNS as i32,
            ..place(row * COLUMNS)
        };
        let target = Target::Pages {
            lane: lane.index,
            range,
        };
        scene.add_item(
            area,
            say::page_table::row(range, &Pages::of(machine, range)),
            target,
        );
    }
    for row in (0..ROWS).step_by(4) {
        let label = say::page_table::offset(row * COLUMNS * PAGE_SIZE);
        let at = (left - 6, y + row as i32 * pitch + pitch);
        text(
            scene,
            Role::AxisLabel,
            at,
            Anchor::End,
            TextSize::Small,
            true,
            label,
        );
    }
    y + all.h
}

/// A block that one PMD entry maps.
fn whole(scene: &mut Scene, pmd: Option<Pmd>, all: Area) {
    let (role, ink) = match pmd {
        Some(Pmd::Huge) => (Role::VmaAnon, Role::OnAnon),
        _ => (Role::VmaSpecial, Role::OnSpecial),
    };
    scene.rect(role, all);
    let said = say::page_table::whole(pmd);
    let at = (all.x + all.w / 2, all.y + all.h / 2 + 4);
    text(
        scene,
        ink,
        at,
        Anchor::Middle,
        TextSize::Small,
        false,
        said.to_owned(),
    );
}

fn nothing(cells: &mut Cells, cell: Area) {
    let dot = Area {
        x: cell.x + cell.w / 2 - 1,
        y: cell.y + cell.h / 2 - 1,
        w: 2,
        h: 2,
    };
    push_rect(cells.of(Role::PageNone), dot);
}

/// A page that is there: kinds differ in shape, not in colour alone.
fn one(cells: &mut Cells, cell: Area, pte: Pte) {
    let body = Area {
        x: cell.x + 1,
        y: cell.y + 1,
        w: cell.w - 2,
        h: cell.h - 2,
    };
    match (pte.page, pte.written) {
        (Page::Anon, true) => push_rect(cells.of(Role::PageAnon), body),
        (Page::Anon, false) => push_rect(cells.of(Role::PageZeros), body.grown(-1)),
        (Page::File, _) => {
            // Without its upper right corner, like a sheet of paper.
            let Area { x, y, w, h } = body;
            let d = cells.of(Role::PageFile);
            let _ = write!(d, "M{x} {y}h{}l3 3v{}h-{w}z", w - 3, h - 3);
        }
        (Page::Zero, _) => {
            let d = cells.of(Role::PageZero);
            let (middle, half) = (body.y + body.h / 2, body.w / 2);
            let _ = write!(d, "M{} {middle}h{}", body.x, 2 * half);
        }
        (Page::Guard, _) => {
            let Area { x, y, w, h } = body;
            let d = cells.of(Role::PageGuard);
            let _ = write!(d, "M{x} {y}l{w} {h}M{} {y}l-{w} {h}", x + w);
        }
    }
    if pte.forked {
        let corner = Area {
            w: 3,
            h: 3,
            ..body.grown(-1)
        };
        push_rect(cells.of(Role::PageForked), corner);
    }
    if pte.lazyfree {
        let Area { x, y, w, h } = body;
        let d = cells.of(Role::PageLazy);
        let _ = write!(d, "M{x} {}l{w} -{h}", y + h);
    }
}

/// The line below the pages of a folio, with a break between two.
fn folio(cells: &mut Cells, cell: Area, pte: Pte, number: u64) {
    if pte.page != Page::Anon || pte.order == 0 {
        return;
    }
    let first = pte.folio_begins(number);
    let (left, width) = if first {
        (cell.x + 2, cell.w - 2)
    } else {
        (cell.x, cell.w)
    };
    let line = Area {
        x: left,
        y: cell.y + cell.h - 1,
        w: width,
        h: 1,
    };
    push_rect(cells.of(Role::Folio), line);
}

/// An edge around the pages that came, went or changed with the call.
fn changed(scene: &mut Scene, lane: &Lane, part: Range, place: &dyn Fn(u64) -> Area, block: Range) {
    let (now, before) = (lane.frame.machine, lane.frame.before);
    let number = |addr: u64| (addr - block.start) / PAGE_SIZE;
    let mut start = None;
    for page in number(part.start)..=number(part.end) {
        let addr = block.start + page * PAGE_SIZE;
        let differs = addr < part.end && now.pte(addr) != before.pte(addr);
        match start {
            None if differs => start = Some(page),
            Some(from) if !differs => {
                run(scene, from, page, place);
                start = None;
            }
            _ => {}
        }
    }
}

/// Edges around the pages from one up to another: around the whole rows together, and around what is left of a row at either
/// end.
fn run(scene: &mut Scene, from: u64, to: u64, place: &dyn Fn(u64) -> Area) {
    let whole = (
        from.next_multiple_of(COLUMNS).min(to),
        (to / COLUMNS * COLUMNS).max(from),
    );
    let parts = if whole.0 >= whole.1 {
        let border = from.next_multiple_of(COLUMNS).clamp(from, to);
        [(from, border), (border, to), (to, to)]
    } else {
        [(from, whole.0), whole, (whole.1, to)]
    };
    for (first, end) in parts {
        if first >= end {
            continue;
        }
        let (a, b) = (place(first), place(end - 1));
        let area = Area {
            x: a.x,
            y: a.y,
            w: b.x + b.w - a.x,
            h: b.y + b.h - a.y,
        };
        scene.shapes.push(Shape::Rect {
            role: Role::NodeChanged,
            area,
            round: 0,
        });
    }
}
