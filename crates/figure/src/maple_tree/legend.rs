//! What the edges and signs mean: only those that are in the picture.

use super::node::{LARGEST, PASSED};
use super::shown::State;
use crate::address_space::text;
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize};

const ROW: i32 = 22;

/// Draws the legend; gives the place below it.
pub(super) fn draw(scene: &mut Scene, x: i32, y: i32, room: i32) -> i32 {
    let has = |role: Role| scene.shapes.iter().any(|shape| shape.role() == role);
    let says = |sign: &str| {
        scene
            .shapes
            .iter()
            .any(|shape| matches!(shape, Shape::Text { text, .. } if text == sign))
    };
    let mut entries: Vec<(Option<Role>, &str, &str)> = Vec::new();
    if has(Role::Step) {
        entries.push((Some(Role::Step), "1", say::maple_tree::PATH));
    }
    if says(PASSED) {
        entries.push((Some(Role::Node), PASSED, say::maple_tree::PASSED));
    }
    for state in [State::New, State::Changed, State::Reused, State::Dead] {
        if says(state.sign()) {
            entries.push((state.edge(), state.sign(), say::maple_tree::state(state)));
        }
    }
    if says(LARGEST) {
        entries.push((None, LARGEST, say::maple_tree::LARGEST));
    }
    let implied = |shape: &Shape| matches!(shape, Shape::Text { text, .. } if text.ends_with('*'));
    if scene.shapes.iter().any(implied) {
        entries.push((None, "*", say::maple_tree::IMPLIED));
    }
    let (mut at, mut row) = (x, y);
    for (role, sign, means) in entries {
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
        let mut ink = Role::Mark;
        if let Some(role) = role {
            scene.rect(role, area);
            ink = match role {
                Role::Step => Role::OnLane,
                Role::Node => Role::GapLabel,
                _ => ink,
            };
        }
        let middle = (at + 8, row + 14);
        text(
            scene,
            ink,
            middle,
            Anchor::Middle,
            TextSize::Small,
            true,
            sign.to_owned(),
        );
        for line in measure::wrapped(means, room - 22, TextSize::Small, false) {
            text(
                scene,
                Role::Note,
                (at + 22, row + 14),
                Anchor::Start,
                TextSize::Small,
                false,
                line,
            );
            row += ROW;
        }
        row -= ROW;
        at += width + 18;
    }
    row + ROW
}
