//! What a walk through the mappings of each lane does to a TLB: its sets and ways, who is in them, which address bits choose.
//!
//! All lanes have one scale. What can be pressed: [`Target::Set`] a set of a structure, [`Target::Lane`] as in the address space.

mod heat;
mod ruler;

use mmscope_lab::streams::tlb::{Event, StructureId};
use mmscope_lab::streams::{LaneRun, StreamsError};
use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::{Range, VmaId};

use crate::address_space::{self, Selection, heading, text};
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Target, TextSize};
use crate::table::{self, Row, Table};

/// A set of a structure in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetChoice {
    /// The lane, from 0.
    pub lane: usize,
    /// The structure.
    pub structure: StructureId,
    /// The set.
    pub set: u32,
}

/// How the reader looks at the TLBs of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlbView {
    /// Width of the picture in pixels.
    pub width: i32,
    /// The only lane to show, from 0; `None` for all.
    pub lane: Option<usize>,
    /// The chosen set.
    pub set: Option<SetChoice>,
    /// The chosen mapping: the sets that hold pages of it are marked.
    pub selected: Option<Selection>,
    /// A title and the call above the picture, for one that stands alone.
    pub heading: Option<String>,
    /// A line at the very foot: where the picture comes from.
    pub footer: Option<String>,
}

impl TlbView {
    /// All lanes as a page would first show them.
    pub fn new(width: i32) -> TlbView {
        TlbView {
            width: width.clamp(280, 8000),
            lane: None,
            set: None,
            selected: None,
            heading: None,
            footer: None,
        }
    }

    fn shows(&self, lane: usize) -> bool {
        self.lane.is_none_or(|only| only == lane)
    }
}

/// A walk in each lane, or why there is none, and what its last access did.
#[derive(Clone, Debug)]
pub struct LaneWalk {
    /// The walk.
    pub run: Result<LaneRun, StreamsError>,
    /// What the last access did, in order; empty if it was not watched.
    pub last: Vec<Event>,
}

/// A lane with its walk.
pub(crate) struct Lane<'a> {
    pub(crate) index: usize,
    pub(crate) frame: &'a LaneFrame<'a>,
    pub(crate) run: &'a LaneRun,
    pub(crate) last: &'a [Event],
    pub(crate) view: &'a TlbView,
    /// The mappings of the streams, in the order of their first ones.
    mappings: Vec<VmaId>,
}

impl Lane<'_> {
    /// The role of what a page at an address belongs to.
    pub(crate) fn tenant(&self, addr: u64) -> Role {
        let vma = self.frame.machine.vma_at(addr);
        let number = vma.and_then(|vma| self.mappings.iter().position(|known| *known == vma));
        TENANTS[number.unwrap_or(0) % TENANTS.len()]
    }

    /// The range of the chosen mapping, if it is in this lane.
    pub(crate) fn chosen(&self) -> Option<Range> {
        let selected = self.view.selected?;
        let machine = self.frame.machine;
        let id = machine.vma_at(selected.addr)?;
        let vma = machine.vma(id);
        (selected.lane == self.index).then_some(Range {
            start: vma.start,
            end: vma.end,
        })
    }
}

const TENANTS: [Role; 7] = [
    Role::Tenant0,
    Role::Tenant1,
    Role::Tenant2,
    Role::Tenant3,
    Role::Tenant4,
    Role::Tenant5,
    Role::Tenant6,
];

const MARGIN: i32 = 10;
const BETWEEN: i32 = 22;
const LANE_LEAST: i32 = 330;

/// Draws the TLBs of a frame, a walk for each lane.
pub fn draw(frame: &Frame, walks: &[LaneWalk], view: &TlbView) -> Scene {
    let mut scene = Scene::new(view.width, 0);
    scene.title = match &frame.call {
        Some(call) => say::tlb::title(frame.position.step, call),
        None => say::tlb::START.to_owned(),
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
    let most = heat::most(walks);
    let (mut x, mut y, mut foot) = (MARGIN, top, top);
    for (index, (lane_frame, walk)) in frame.lanes.iter().zip(walks).enumerate() {
        if !view.shows(index) {
            continue;
        }
        let end = lane_at(
            &mut scene,
            index,
            lane_frame,
            walk,
            view,
            &most,
            (x, y),
            width,
        );
        foot = foot.max(end);
        if stacked {
            y = end + BETWEEN;
        } else {
            x += column + BETWEEN;
        }
    }
    let y = legend(&mut scene, MARGIN, foot + 10, room);
    scene.height = address_space::footer(&mut scene, view.footer.as_deref(), MARGIN, y);
    scene
}

#[allow(clippy::too_many_arguments, reason = "a lane is all of these")]
fn lane_at(
    scene: &mut Scene,
    index: usize,
    frame: &LaneFrame,
    walk: &LaneWalk,
    view: &TlbView,
    most: &[u64],
    (x, top): (i32, i32),
    width: i32,
) -> i32 {
    address_space::badge(scene, index, frame.letter, (x, top));
    let name = frame.kernel.to_string();
    let at = (x + 26, top + 14);
    let normal = TextSize::Normal;
    text(
        scene,
        Role::LaneName,
        at,
        Anchor::Start,
        normal,
        false,
        name,
    );
    let mut y = top + 22;
    let said = match &walk.run {
        Ok(run) => say::tlb::walk(run),
        Err(error) => vec![say::tlb::error(error)],
    };
    for line in &said {
        y = lines(scene, Role::Note, line, (x, y), width);
    }
    let head = Area {
        x,
        y: top,
        w: width,
        h: y - top,
    };
    let spoken = say::page_table::lane(frame, &said.join(" "));
    if !scene.description.is_empty() {
        scene.description.push(' ');
    }
    scene.description.push_str(&spoken);
    scene.add_item(head, spoken, Target::Lane { lane: index });
    let Ok(run) = &walk.run else {
        return y;
    };
    let lane = Lane {
        index,
        frame,
        run,
        last: &walk.last,
        view,
        mappings: run.by_mapping().iter().map(|counts| counts.vma).collect(),
    };
    for (number, (id, geometry)) in run.tlb().structures().enumerate() {
        let most = most.get(number).copied().unwrap_or(0);
        y = heat::draw(scene, &lane, (id, geometry), most, (x, y + 10), width);
    }
    ruler::draw(scene, &lane, (x, y + 12), width)
}

pub(crate) fn lines(
    scene: &mut Scene,
    role: Role,
    said: &str,
    (x, mut y): (i32, i32),
    room: i32,
) -> i32 {
    for line in measure::wrapped(said, room, TextSize::Small, false) {
        let at = (x, y + 13);
        text(scene, role, at, Anchor::Start, TextSize::Small, false, line);
        y += 17;
    }
    y
}

const LEGEND: [(Role, &str); 4] = [
    (Role::Miss, say::tlb::MISSES),
    (Role::Hit, say::tlb::HITS),
    (Role::Tenant0, say::tlb::TENANTS),
    (Role::PmdFlag, say::tlb::LIT),
];

fn legend(scene: &mut Scene, x: i32, y: i32, room: i32) -> i32 {
    let (mut at, mut row) = (x, y);
    let drawn = scene.shapes.len();
    for (role, means) in LEGEND {
        let shown = scene.shapes[..drawn].iter();
        if !shown.into_iter().any(|shape| shape.role() == role) {
            continue;
        }
        let width = 20 + measure::width(means, TextSize::Small, false);
        if at > x && at + width > x + room {
            at = x;
            row += 20;
        }
        let area = Area {
            x: at + 1,
            y: row + 4,
            w: 12,
            h: 12,
        };
        scene.rect(role, area);
        let (start, means) = ((at + 20, row + 14), means.to_owned());
        let small = TextSize::Small;
        text(scene, Role::Note, start, Anchor::Start, small, false, means);
        at += width + 18;
    }
    row + 20
}

/// Rows of a structure's table at most; the sets with most misses stand there.
const MOST_ROWS: usize = 32;

/// The same as tables, one for each lane: a row for each set with misses, those with most first, by structure.
pub fn tables(frame: &Frame, walks: &[LaneWalk], view: &TlbView) -> Vec<Table> {
    let mut tables = Vec::new();
    for (index, (lane, walk)) in frame.lanes.iter().zip(walks).enumerate() {
        if !view.shows(index) {
            continue;
        }
        let said = match &walk.run {
            Ok(run) => say::tlb::walk(run).join(" "),
            Err(error) => say::tlb::error(error),
        };
        let mut table = Table {
            caption: say::page_table::lane(lane, &said),
            rows: Vec::new(),
        };
        if let Ok(run) = &walk.run {
            for (id, geometry) in run.tlb().structures() {
                let counts = run.tlb().set_counts(id);
                let mut sets: Vec<(u32, _)> = (0..).zip(counts).collect();
                sets.retain(|(_, counts)| counts.misses > 0);
                sets.sort_by_key(|(set, counts)| (u64::MAX - counts.misses, *set));
                for (set, counts) in sets.into_iter().take(MOST_ROWS) {
                    let target = Target::Set {
                        lane: index,
                        structure: id,
                        set,
                    };
                    let none = Range { start: 0, end: 0 };
                    table.rows.push(Row {
                        start: String::new(),
                        end: String::new(),
                        size: String::new(),
                        kind: say::tlb::set_name(id, geometry, set),
                        what: say::tlb::set_counts(geometry, &counts),
                        ..table::blank(none, target)
                    });
                }
            }
        }
        tables.push(table);
    }
    tables
}
