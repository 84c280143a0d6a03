//! The maple tree of all lanes, node for node: top-down, with kind, range, slots, pivots and gaps of each open node.
//!
//! [`draw`] makes the picture, [`tables`] its twin; both are pure functions of a frame and a [`TreeView`]. A closed node
//! is a row of its parent that counts what is below it, so nothing is left out, whatever is open, and every node can be
//! reached by opening rows. What a page should do with a pressed item stands in its [`Target`]:
//!
//! - [`Target::Node`]: [`press`] notes it in what becomes [`TreeView::toggled`]. That outlives steps, since it goes by
//!   lane, level and index;
//! - [`Target::Vma`], [`Target::Gap`]: the same targets as in the address space, so that both pictures find the same
//!   thing; [`TreeView::selected`] marks it in all lanes and opens the way to it;
//! - [`Target::Lane`]: as in the address space.
//!
//! # What became of a node
//!
//! | state | exactly | drawn |
//! | --- | --- | --- |
//! | new | filled by a write of this call, and in the tree | thick edge, `+` |
//! | changed | in the tree before the call and now, with other slots, pivots, gaps or mark | edge, `~` |
//! | reused | not changed, but its parent is a new node, which took it over | dotted edge, `↺` |
//! | dead | in the tree before the call, and marked dead by this call; shown as it was before the call | dashed edge, `×` |
//! | leaving | out of the tree by a pointer store, and not marked dead yet | dashed edge, `×` |
//! | waiting | filled by a write of this call that has not put it into the tree yet | thick edge, `+`, apart |
//!
//! In RCU mode the memory of a dead node is free after a grace period only. That the model gives the number of such a
//! node to a later one is of no meaning, and nothing is drawn of it.

mod layout;
mod legend;
mod node;
pub(crate) mod rows;
pub(crate) mod shown;
pub(crate) mod writes;

use mmscope_lab::{Frame, LaneFrame};
use mmscope_maple::Root;
use mmscope_mm::{Change, Range};

use crate::address_space::{self, Selection, heading, text};
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Target, TextSize};
use crate::table::{Row, Table};
use shown::{Lane, Shown};

/// A node that somebody opened or closed: by its place, since nodes are replaced all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeAt {
    /// The lane, from 0.
    pub lane: usize,
    /// The level, 0 for the root.
    pub level: u8,
    /// An index that the node covers.
    pub index: u64,
    /// Whether a node that is not in the tree (yet, or any more) is meant.
    pub apart: bool,
    /// Opened, not closed.
    pub open: bool,
}

impl NodeAt {
    fn is(self, lane: usize, level: u8, apart: bool) -> bool {
        (self.lane, self.level, self.apart) == (lane, level, apart)
    }
}

/// Notes that a node was pressed: it opens if it is closed. Says whether the target is one.
pub fn press(toggled: &mut Vec<NodeAt>, target: Target) -> bool {
    let Target::Node {
        lane,
        level,
        range,
        apart,
        open,
    } = target
    else {
        return false;
    };
    let index = range.start;
    for at in 0..toggled.len() {
        let NodeAt { index: of, .. } = toggled[at];
        if toggled[at].is(lane, level, apart) && of == index {
            toggled.remove(at);
            break;
        }
    }
    toggled.push(NodeAt {
        lane,
        level,
        index,
        apart,
        open: !open,
    });
    true
}

/// How the reader looks at the trees of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeView {
    /// Width of the picture in pixels.
    pub width: i32,
    /// The lanes to show, from 0; empty for all.
    pub lanes: Vec<usize>,
    /// Lanes one below the other. They are anyway where side by side they would get too narrow.
    pub stacked: bool,
    /// Nodes opened and closed by hand; the last word on a place counts.
    pub toggled: Vec<NodeAt>,
    /// What is chosen: the way to it is open.
    pub selected: Option<Selection>,
    /// With a legend at the foot.
    pub legend: bool,
    /// A title and the call above the picture, for one that stands alone.
    pub heading: Option<String>,
    /// A line at the very foot: where the picture comes from.
    pub footer: Option<String>,
}

impl TreeView {
    /// All lanes as a page would first show them.
    pub fn new(width: i32) -> TreeView {
        TreeView {
            width: width.clamp(280, 8000),
            lanes: Vec::new(),
            stacked: false,
            toggled: Vec::new(),
            selected: None,
            legend: true,
            heading: None,
            footer: None,
        }
    }

    fn shows(&self, lane: usize) -> bool {
        self.lanes.is_empty() || self.lanes.contains(&lane)
    }
}

/// As much as a number on the edge of a node needs.
const MARGIN: i32 = 10;
/// Between two lanes side by side.
const BETWEEN: i32 = 18;
/// Between a tree and what is not in it.
const ASIDE: i32 = 28;
/// A lane needs this much.
const LANE_LEAST: i32 = 356;

/// Draws the trees of a frame.
pub fn draw(frame: &Frame, view: &TreeView) -> Scene {
    let mut scene = Scene::new(view.width, 0);
    scene.title = match &frame.call {
        Some(call) => say::maple_tree::title(frame.position.step, call),
        None => say::maple_tree::START.to_owned(),
    };
    let top = heading(&mut scene, frame, view.heading.as_deref());
    let room = view.width - 2 * MARGIN;
    let mut count = 0;
    for lane in 0..frame.lanes.len() {
        count += i32::from(view.shows(lane));
    }
    let count = count.max(1);
    let column = (room + BETWEEN) / count - BETWEEN;
    let stacked = view.stacked || column < LANE_LEAST;
    let (mut x, mut y, mut foot) = (MARGIN, top, top);
    for (index, frame_lane) in frame.lanes.iter().enumerate() {
        if !view.shows(index) {
            continue;
        }
        let width = if stacked { room } else { column };
        let lane = Lane::new(index, frame_lane, view, width);
        if !scene.description.is_empty() {
            scene.description.push(' ');
        }
        scene
            .description
            .push_str(&say::maple_tree::spoken(frame_lane, lane.counts));
        let end = lane_at(&mut scene, &lane, (x, y), width);
        foot = foot.max(end);
        if stacked {
            y = end + BETWEEN;
        } else {
            x += column + BETWEEN;
        }
    }
    y = foot + 10;
    if view.legend {
        y = legend::draw(&mut scene, MARGIN, y, room);
    }
    scene.height = address_space::footer(&mut scene, view.footer.as_deref(), MARGIN, y);
    scene
}

/// One lane: its head, the tree, and what is not in it yet or any more. Gives the place below.
fn lane_at(scene: &mut Scene, lane: &Lane, (x, mut y): (i32, i32), width: i32) -> i32 {
    let top = y;
    address_space::badge(scene, lane.index, lane.frame.letter, (x, y));
    let name = lane.frame.kernel.to_string();
    let at = (x + 26, y + 14);
    text(
        scene,
        Role::LaneName,
        at,
        Anchor::Start,
        TextSize::Normal,
        false,
        name,
    );
    y += 22;
    for line in say::maple_tree::head(lane.frame, lane.counts) {
        y = lines(scene, &line, (x, y), width);
    }
    let head = Area {
        x,
        y: top,
        w: width,
        h: y - top,
    };
    let target = Target::Lane { lane: lane.index };
    scene.add_item(
        head,
        say::maple_tree::spoken(lane.frame, lane.counts),
        target,
    );
    y += 8;
    let (top, mut right) = (y, x);
    if let Some(root) = lane.root() {
        right += layout::width(lane, &root, width).min(width);
        y = layout::tree(scene, lane, &root, (x, y), width);
    }
    let (waiting, dead) = lane.apart();
    let more = lane.more(waiting.len() + dead.len());
    for (nodes, says) in [
        (waiting, say::maple_tree::WAITING),
        (dead, say::maple_tree::DEAD),
    ] {
        if nodes.is_empty() {
            continue;
        }
        // Beside the tree, where it can be compared with it, or below.
        let wide = layout::row_width(lane, &nodes, width);
        let mut at = (x, y + 10);
        if right + ASIDE + wide <= x + width {
            at = (right + ASIDE, top);
            right += ASIDE + wide;
        }
        let room = x + width - at.0;
        at.1 = lines(scene, says, at, room) + 6;
        y = y.max(layout::row(scene, lane, &nodes, at, room));
    }
    if more > 0 {
        y = lines(scene, &say::maple_tree::more(more), (x, y + 6), width);
    }
    y
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

/// The same as tables, one for each lane: a row for each node that is shown and for each of its slots, in the order of the
/// tree. What is closed is counted in the row that stands for it.
pub fn tables(frame: &Frame, view: &TreeView) -> Vec<Table> {
    let mut tables = Vec::new();
    for (index, frame_lane) in frame.lanes.iter().enumerate() {
        if !view.shows(index) {
            continue;
        }
        let lane = Lane::new(index, frame_lane, view, view.width);
        let mut table = Table {
            caption: say::maple_tree::spoken(frame_lane, lane.counts),
            rows: Vec::new(),
        };
        if let Some(root) = lane.root() {
            table_rows(&mut table, &lane, &root);
        }
        let (waiting, dead) = lane.apart();
        let more = lane.more(waiting.len() + dead.len());
        for nodes in [waiting, dead] {
            for node in &nodes {
                table_rows(&mut table, &lane, node);
            }
        }
        if more > 0 {
            table.caption.push(' ');
            table.caption.push_str(&say::maple_tree::more(more));
        }
        tables.push(table);
    }
    tables
}

fn table_rows(table: &mut Table, lane: &Lane, shown: &Shown) {
    let mut add = |range, target, kind: String, what: String, changed| {
        let blank = crate::table::blank(range, target);
        table.rows.push(Row {
            kind,
            what,
            changed,
            ..blank
        });
    };
    let kind = say::tree::kind(shown.node.kind()).to_owned();
    let word = say::maple_tree::state(shown.state);
    add(
        shown.range(),
        lane.target(shown),
        kind,
        lane.name(shown),
        word,
    );
    if !shown.open {
        return;
    }
    for slot in 0..=shown.node.end() {
        let row = rows::row(lane, shown, slot);
        let kind = say::maple_tree::slot(shown.id, row.slot);
        let changed = if row.changed {
            say::picture::CHANGED
        } else {
            ""
        };
        add(
            range(row.first, row.last),
            row.target,
            kind,
            row.name,
            changed,
        );
    }
    for child in &shown.children {
        table_rows(table, lane, child);
    }
}

/// Inclusive bounds as a range; the very last index is not in it.
fn range(first: u64, last: u64) -> Range {
    Range {
        start: first,
        end: last.saturating_add(1),
    }
}

/// Whether a lane's kernel has such a tree at all, and that has nodes.
fn has_nodes(lane: &LaneFrame) -> bool {
    lane.kernel.has(Change::MapleTree) && matches!(lane.machine.tree().root(), Root::Node { .. })
}
