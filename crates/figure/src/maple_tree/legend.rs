//! What the edges and signs mean: only those that are in the picture.

use super::node::{LARGEST, PASSED};
use crate::address_space::text;
use crate::measure;
use crate::say::maple_tree as say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize};

const ROW: i32 = 22;

/// The edge or ground of a sign, the sign, and what it means.
const ENTRIES: [(Role, &str, &str); 8] = [
    (Role::Step, "1", say::PATH),
    (Role::Node, PASSED, say::PASSED),
    (Role::Changed, "+", say::NEW),
    (Role::NodeChanged, "~", say::CHANGED),
    (Role::NodeReused, "\u{21ba}", say::REUSED),
    (Role::Removed, "\u{d7}", say::DEAD_NODE),
    (Role::Plate, LARGEST, say::LARGEST),
    (Role::Plate, "*", say::IMPLIED),
];

/// Draws the legend; gives the place below it.
pub(super) fn draw(scene: &mut Scene, x: i32, y: i32, room: i32) -> i32 {
    let (mut at, mut row) = (x, y);
    let drawn = scene.shapes.len();
    for (role, sign, means) in ENTRIES {
        let ink = match role {
            Role::Step => Role::OnLane,
            Role::Node => Role::GapLabel,
            _ => Role::Mark,
        };
        let shows = |shape: &Shape| match shape {
            Shape::Text { role, text, .. } => {
                *role == ink && text == sign || sign == "*" && text.ends_with('*')
            }
            _ => false,
        };
        if !scene.shapes[..drawn].iter().any(shows) {
            continue;
        }
        let width = 22 + measure::width(means, TextSize::Small, false);
        if at > x && at + width > x + room {
            at = x;
            row += ROW;
        }
        let area = Area {
            x: at + 1,
            y: row + 2,
            w: 15,
            h: 15,
        };
        scene.rect(role, area);
        let (small, base) = (TextSize::Small, row + 14);
        let (middle, sign) = ((at + 8, base), sign.to_owned());
        text(scene, ink, middle, Anchor::Middle, small, true, sign);
        let (start, means) = ((at + 22, base), means.to_owned());
        text(scene, Role::Note, start, Anchor::Start, small, false, means);
        at += width + 18;
    }
    row + ROW
}
