//! Page tables as a picture: the 2 MiB blocks of one mapping in each lane, and of one block its 512 pages.
//!
//! Each lane shows the mapping at the chosen address, or the one that the call was about. [`PageView::selected`] chooses the
//! mapping, and the block in it as well. What can be pressed:
//!
//! - [`Target::Block`]: a block; or, where a mapping has more of them than there is room for, several;
//! - [`Target::Pages`]: a row of 32 pages of the block that is shown;
//! - [`Target::Lane`]: as in the address space.

mod blocks;
mod legend;
mod pages;

pub(crate) use pages::{Blocks, Pages};

use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::page::PMD_SIZE;
use mmscope_mm::{HugeBlock, Range, VmaId};

use crate::address_space::{self, Selection, heading, text};
use crate::chosen;
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Target, TextSize};
use crate::table::{self, Row, Table};

/// How the reader looks at the page tables of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageView {
    /// Width of the picture in pixels.
    pub width: i32,
    /// The only lane to show, from 0; `None` for all.
    pub lane: Option<usize>,
    /// The chosen mapping and block; `None` for those that the call was about.
    pub selected: Option<Selection>,
    /// A title and the call above the picture, for one that stands alone.
    pub heading: Option<String>,
    /// A line at the very foot: where the picture comes from.
    pub footer: Option<String>,
}

impl PageView {
    /// All lanes as a page would first show them.
    pub fn new(width: i32) -> PageView {
        PageView {
            width: width.clamp(280, 8000),
            lane: None,
            selected: None,
            heading: None,
            footer: None,
        }
    }

    fn shows(&self, lane: usize) -> bool {
        self.lane.is_none_or(|only| only == lane)
    }
}

/// What a lane shows.
pub(crate) struct Lane<'a> {
    /// From 0.
    pub(crate) index: usize,
    pub(crate) frame: &'a LaneFrame<'a>,
    /// The address that is looked at, and the mapping there; `None` if the call was about none and nothing is chosen.
    at: Option<(u64, Option<VmaId>)>,
}

/// A mapping, and the block of it that is shown page by page.
pub(crate) struct Mapping {
    pub(crate) id: VmaId,
    pub(crate) range: Range,
    pub(crate) block: HugeBlock,
}

impl<'a> Lane<'a> {
    fn new(index: usize, frame: &'a LaneFrame<'a>, view: &PageView) -> Lane<'a> {
        let at = chosen::address(frame, view.selected);
        Lane { index, frame, at }
    }

    fn mapping(&self) -> Option<Mapping> {
        let (addr, id) = self.at?;
        let id = id?;
        let vma = self.frame.machine.vma(id);
        Some(Mapping {
            id,
            range: Range {
                start: vma.start,
                end: vma.end,
            },
            block: self.frame.machine.huge_block(addr),
        })
    }

    /// Says so if there is no mapping to show.
    fn nothing(&self) -> String {
        match self.at {
            Some((addr, _)) => say::page_table::not_mapped(addr),
            None => say::page_table::NOTHING_CHOSEN.to_owned(),
        }
    }
}

/// The part of a block that lies in the mapping.
pub(crate) fn inside(mapping: Range, block: Range) -> Range {
    Range {
        start: block.start.max(mapping.start),
        end: block.end.min(mapping.end),
    }
}

const MARGIN: i32 = 10;
/// Between two lanes side by side.
const BETWEEN: i32 = 22;
/// A lane needs this much.
const LANE_LEAST: i32 = 330;

/// Draws the page tables of a frame.
pub fn draw(frame: &Frame, view: &PageView) -> Scene {
    let mut scene = Scene::new(view.width, 0);
    scene.title = match &frame.call {
        Some(call) => say::page_table::title(frame.position.step, call),
        None => say::page_table::START.to_owned(),
    };
    let top = heading(&mut scene, frame, view.heading.as_deref());
    let room = view.width - 2 * MARGIN;
    let count = (0..frame.lanes.len())
        .filter(|lane| view.shows(*lane))
        .count();
    let count = i32::try_from(count.max(1)).unwrap_or(1);
    let column = (room + BETWEEN) / count - BETWEEN;
    let stacked = column < LANE_LEAST;
    let width = if stacked { room } else { column };
    let (mut x, mut y, mut foot) = (MARGIN, top, top);
    for (index, lane_frame) in frame.lanes.iter().enumerate() {
        if !view.shows(index) {
            continue;
        }
        let lane = Lane::new(index, lane_frame, view);
        let end = lane_at(&mut scene, &lane, (x, y), width);
        foot = foot.max(end);
        if stacked {
            y = end + BETWEEN;
        } else {
            x += column + BETWEEN;
        }
    }
    let y = legend::draw(&mut scene, MARGIN, foot + 12, room);
    scene.height = address_space::footer(&mut scene, view.footer.as_deref(), MARGIN, y);
    scene
}

/// One lane: its head, its blocks, the pages of one. Gives the place below.
fn lane_at(scene: &mut Scene, lane: &Lane, (x, top): (i32, i32), width: i32) -> i32 {
    address_space::badge(scene, lane.index, lane.frame.letter, (x, top));
    let name = lane.frame.kernel.to_string();
    let (name_at, start) = ((x + 26, top + 14), Anchor::Start);
    text(
        scene,
        Role::LaneName,
        name_at,
        start,
        TextSize::Normal,
        false,
        name,
    );
    let mut y = top + 22;
    let mapping = lane.mapping();
    let said = match &mapping {
        Some(mapping) => say::page_table::mapping(lane.frame, mapping.id),
        None => vec![lane.nothing()],
    };
    for line in &said {
        y = lines(scene, line, (x, y), width);
    }
    let spoken = said.join(" ");
    let head = Area {
        x,
        y: top,
        w: width,
        h: y - top,
    };
    let target = Target::Lane { lane: lane.index };
    let spoken = say::page_table::lane(lane.frame, &spoken);
    if !scene.description.is_empty() {
        scene.description.push(' ');
    }
    scene.description.push_str(&spoken);
    scene.add_item(head, spoken, target);
    let Some(mapping) = mapping else {
        return y;
    };
    y = blocks::draw(scene, lane, &mapping, (x, y + 8), width);
    for line in say::page_table::block_lines(mapping.range, &mapping.block) {
        y = lines(scene, &line, (x, y + 4), width);
    }
    pages::draw(scene, lane, &mapping, (x, y + 8), width)
}

fn lines(scene: &mut Scene, said: &str, (x, mut y): (i32, i32), room: i32) -> i32 {
    for line in measure::wrapped(said, room, TextSize::Small, false) {
        let at = (x, y + 13);
        text(
            scene,
            Role::Note,
            at,
            Anchor::Start,
            TextSize::Small,
            false,
            line,
        );
        y += 17;
    }
    y
}

/// Rows of a table at most, for the blocks and for the pages of one.
const MOST_ROWS: usize = 100;

/// The same as tables, one for each lane: a row for each run of blocks that are alike, then for each run of pages of the
/// block that is shown.
pub fn tables(frame: &Frame, view: &PageView) -> Vec<Table> {
    let mut tables = Vec::new();
    for (index, lane_frame) in frame.lanes.iter().enumerate() {
        if !view.shows(index) {
            continue;
        }
        let lane = Lane::new(index, lane_frame, view);
        let Some(mapping) = lane.mapping() else {
            let caption = say::page_table::lane(lane_frame, &lane.nothing());
            tables.push(Table {
                caption,
                rows: Vec::new(),
            });
            continue;
        };
        let said = say::page_table::mapping(lane_frame, mapping.id).join(" ");
        let mut table = Table {
            caption: say::page_table::lane(lane_frame, &said),
            rows: Vec::new(),
        };
        block_rows(&mut table, &lane, &mapping);
        page_rows(&mut table, &lane, &mapping);
        tables.push(table);
    }
    tables
}

fn block_rows(table: &mut Table, lane: &Lane, mapping: &Mapping) {
    let machine = lane.frame.machine;
    for (run, pmd) in machine.pmds(mapping.range).take(MOST_ROWS) {
        let range = inside(mapping.range, run);
        let target = Target::Block {
            lane: lane.index,
            range,
        };
        table.rows.push(Row {
            kind: say::page_table::blocks((run.end - run.start) / PMD_SIZE),
            what: say::page_table::pmd(pmd).to_owned(),
            ..table::blank(range, target)
        });
    }
}

fn page_rows(table: &mut Table, lane: &Lane, mapping: &Mapping) {
    let machine = lane.frame.machine;
    let range = inside(mapping.range, mapping.block.range);
    for (run, pte) in machine.ptes(range).take(MOST_ROWS) {
        let target = Target::Pages {
            lane: lane.index,
            range: run,
        };
        table.rows.push(Row {
            kind: say::page_table::pages_in_run(run),
            what: say::page_table::page(pte),
            ..table::blank(run, target)
        });
    }
}
