//! Where the nodes go: below their parent side by side, or in lines if there is no room for that; and the wires.

use std::fmt::Write as _;

use super::node;
use super::shown::{Lane, Shown};
use crate::scene::{Area, Role, Scene, Shape};

/// Between two nodes side by side: a step's number reaches into it.
const BETWEEN: i32 = 12;
/// Between two wires.
const APART: i32 = 5;
/// A wire stays so far from a node, for the numbers on its edge.
const CLEAR: i32 = 12;
/// Where a wire comes in from above, from the left edge of a node.
const IN: i32 = 18;

/// What lies left of a node with children: the wires from its slots.
fn gutter(shown: &Shown) -> i32 {
    match i32::try_from(shown.children.len()).unwrap_or(0) {
        0 => 0,
        wires => CLEAR + 2 + APART * (wires - 1),
    }
}

/// The width that a node and what is open below it take if all of it goes side by side.
pub(super) fn width(lane: &Lane, shown: &Shown, room: i32) -> i32 {
    let own = gutter(shown) + node::width(lane, shown, room - gutter(shown));
    own.max(row_width(lane, &shown.children, room))
}

/// The same for nodes beside each other.
pub(super) fn row_width(lane: &Lane, nodes: &[Shown], room: i32) -> i32 {
    let mut sum = -BETWEEN;
    for node in nodes {
        sum += BETWEEN + width(lane, node, room);
    }
    sum
}

/// Draws a node and what is open below it; gives the place below.
pub(super) fn tree(
    scene: &mut Scene,
    lane: &Lane,
    shown: &Shown,
    (x, y): (i32, i32),
    room: i32,
) -> i32 {
    let children = &shown.children;
    let one_line = row_width(lane, children, room) <= room;
    let gutter = if one_line || children.is_empty() {
        gutter(shown)
    } else {
        CLEAR + 2
    };
    let area = Area {
        x: x + gutter,
        y,
        w: node::width(lane, shown, room - gutter),
        h: node::height(shown),
    };
    let foot = y + area.h;
    let under = scene.shapes.len();
    node::draw(scene, lane, shown, area);
    if children.is_empty() {
        return foot;
    }
    let mut d = String::new();
    let middles = middles(shown, area.y);
    let end = if one_line {
        let wires = i32::try_from(children.len()).unwrap_or(0);
        let below = foot + APART * wires + 10;
        let (mut left, mut end) = (x, below);
        let (mut rail, mut bus) = (x + 1, foot + APART * wires);
        for (child, middle) in children.iter().zip(middles) {
            let to = left + self::gutter(child) + IN;
            let _ = write!(d, "M{} {middle}H{rail}V{bus}H{to}V{below}", area.x);
            end = end.max(tree(scene, lane, child, (left, below), room - (left - x)));
            left += width(lane, child, room) + BETWEEN;
            rail += APART;
            bus -= APART;
        }
        end
    } else {
        let trunk = x + 1;
        let from = middles.first().copied().unwrap_or(foot);
        for middle in middles {
            let _ = write!(d, "M{} {middle}H{trunk}", area.x);
        }
        let inner = (x + APART + 1, room - APART - 1);
        let (mut left, mut top, mut end, mut last_bus) = (inner.0, foot + 18, foot, foot);
        for child in children {
            let wide = width(lane, child, inner.1).min(inner.1);
            if left > inner.0 && left + wide > inner.0 + inner.1 {
                (left, top) = (inner.0, end + 18);
            }
            last_bus = top - 9;
            let to = left + self::gutter(child).min(CLEAR + 2) + IN;
            let _ = write!(d, "M{trunk} {last_bus}H{to}V{top}");
            end = end.max(tree(
                scene,
                lane,
                child,
                (left, top),
                inner.0 + inner.1 - left,
            ));
            left += wide + BETWEEN;
        }
        let _ = write!(d, "M{trunk} {from}V{last_bus}");
        end
    };
    // Below the numbers on the edges.
    let role = Role::Wire;
    scene.shapes.insert(under, Shape::Path { role, d });
    end
}

/// The heights of the rows whose children are open.
fn middles(shown: &Shown, y: i32) -> Vec<i32> {
    let mut middles = Vec::new();
    for slot in 0..=shown.node.end() {
        let (_, last) = shown.node.slot_range(slot, shown.min, shown.max);
        if shown.children.iter().any(|child| child.max == last) {
            middles.push(y + node::row_middle(slot));
        }
    }
    middles
}

/// Draws nodes that have no place in the tree, side by side as far as they fit; gives the place below.
pub(super) fn row(
    scene: &mut Scene,
    lane: &Lane,
    nodes: &[Shown],
    (x, mut y): (i32, i32),
    room: i32,
) -> i32 {
    let (mut left, mut end) = (x, y);
    for shown in nodes {
        let w = node::width(lane, shown, room);
        if left > x && left + w > x + room {
            (left, y) = (x, end + BETWEEN);
        }
        let h = node::height(shown);
        let area = Area { x: left, y, w, h };
        node::draw(scene, lane, shown, area);
        end = end.max(y + h);
        left += w + BETWEEN;
    }
    end
}
