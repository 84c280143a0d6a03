//! What the blocks, letters and marks mean: only those that are in the picture.

use mmscope_lab::Frame;

use super::{blocks, text};
use crate::kind::Kind;
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize};

const ROW: i32 = 22;
const SWATCH: i32 = 16;

/// Draws the legend; gives the place below it.
pub(super) fn draw(scene: &mut Scene, frame: &Frame, x: i32, y: i32, room: i32) -> i32 {
    let has = |role: Role| scene.shapes.iter().any(|shape| shape.role() == role);
    let mut entries: Vec<Role> = Kind::ALL.iter().map(|kind| kind.role()).collect();
    entries.extend([
        Role::Guard,
        Role::Many,
        Role::Gap,
        Role::PmdFlag,
        Role::Axis,
        Role::Changed,
        Role::Removed,
    ]);
    entries.retain(|role| has(*role) && (*role != Role::Axis || has(Role::PmdTick)));
    let _ = frame;
    let (mut at, mut row) = (x, y);
    for role in entries {
        let name = say::picture::legend(role);
        let width = SWATCH + 6 + measure::width(name, TextSize::Small, false);
        if at > x && at + width > x + room {
            at = x;
            row += ROW;
        }
        swatch(
            scene,
            role,
            Area {
                x: at,
                y: row + 2,
                w: SWATCH,
                h: 14,
            },
        );
        text(
            scene,
            Role::Note,
            (at + SWATCH + 6, row + 13),
            Anchor::Start,
            TextSize::Small,
            false,
            name.to_owned(),
        );
        at += width + 18;
    }
    row + ROW
}

fn swatch(scene: &mut Scene, role: Role, area: Area) {
    let mut d = String::new();
    match role {
        Role::Changed | Role::Removed => {
            let area = Area {
                x: area.x + 1,
                y: area.y + 1,
                w: area.w - 2,
                h: area.h - 2,
            };
            scene.shapes.push(Shape::Rect {
                role,
                area,
                round: 2,
            });
        }
        Role::PmdFlag => {
            scene.path(
                role,
                format!("M{} {}v-10l8 4l-7 4v2z", area.x + 5, area.y + 12),
            );
        }
        Role::Axis => {
            for mark in 0..3 {
                crate::scene::push_rect(
                    &mut d,
                    Area {
                        x: area.x + 2 + 5 * mark,
                        y: area.y + 6,
                        w: 1,
                        h: 4,
                    },
                );
            }
            scene.path(role, d);
        }
        Role::Guard => {
            blocks::push_block(&mut d, area);
            blocks::push_hatch(&mut d, area);
            scene.path(role, d);
        }
        role => {
            blocks::push_block(&mut d, area);
            scene.path(role, d);
            if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.role() == role) {
                let at = (area.x + area.w / 2, area.y + 11);
                let letter = kind.letter().to_owned();
                text(
                    scene,
                    kind.text_role(),
                    at,
                    Anchor::Middle,
                    TextSize::Small,
                    true,
                    letter,
                );
            }
        }
    }
}
