//! What the shapes mean: only those that are in the picture.

use std::fmt::Write as _;

use crate::address_space::text;
use crate::measure;
use crate::say::page_table as say;
use crate::scene::{Anchor, Area, Role, Scene, TextSize, push_rect};

const ROW: i32 = 20;

const ENTRIES: [(Role, &str); 12] = [
    (Role::VmaAnon, say::HUGE),
    (Role::VmaSpecial, say::HUGE_ZERO),
    (Role::Node, say::TABLE),
    (Role::PageAnon, say::WRITTEN),
    (Role::PageZeros, say::ZEROS),
    (Role::PageZero, say::ZERO_PAGE),
    (Role::PageFile, say::FILE),
    (Role::PageGuard, say::GUARD),
    (Role::PageForked, say::FORKED),
    (Role::PageLazy, say::LAZYFREE),
    (Role::Folio, say::FOLIO),
    (Role::PageNone, say::NONE),
];

/// Draws the legend; gives the place below it.
pub(super) fn draw(scene: &mut Scene, x: i32, y: i32, room: i32) -> i32 {
    let (mut at, mut row) = (x, y);
    let drawn = scene.shapes.len();
    let (mut any, small) = (false, TextSize::Small);
    for (role, means) in ENTRIES {
        if !scene.shapes[..drawn]
            .iter()
            .any(|shape| shape.role() == role)
        {
            continue;
        }
        any = true;
        let width = 20 + measure::width(means, small, false);
        if at > x && at + width > x + room {
            at = x;
            row += ROW;
        }
        swatch(
            scene,
            role,
            Area {
                x: at + 1,
                y: row + 4,
                w: 12,
                h: 12,
            },
        );
        let (start, means) = ((at + 20, row + 14), means.to_owned());
        text(scene, Role::Note, start, Anchor::Start, small, false, means);
        at += width + 18;
    }
    if any { row + ROW } else { y }
}

fn swatch(scene: &mut Scene, role: Role, area: Area) {
    let Area { x, y, w, h } = area;
    let mut d = String::new();
    // Writing to a string can't fail.
    let _ = match role {
        Role::PageZero => write!(d, "M{x} {}h{w}", y + h / 2),
        Role::PageGuard => write!(d, "M{x} {y}l{w} {h}M{} {y}l-{w} {h}", x + w),
        Role::PageLazy => {
            scene.rect(Role::PageAnon, area);
            write!(d, "M{x} {}l{w} -{h}", y + h)
        }
        Role::PageForked => {
            scene.rect(Role::PageAnon, area);
            write!(d, "M{} {}h4v4h-4z", x + 1, y + 1)
        }
        Role::PageFile => write!(d, "M{x} {y}h{}l4 4v{}h-{w}z", w - 4, h - 4),
        Role::PageNone => write!(d, "M{} {}h2v2h-2z", x + w / 2 - 1, y + h / 2 - 1),
        Role::Folio => write!(d, "M{x} {}h{w}v2h-{w}z", y + h - 2),
        Role::PageZeros => {
            push_rect(&mut d, area.grown(-2));
            Ok(())
        }
        _ => {
            push_rect(&mut d, area);
            Ok(())
        }
    };
    scene.path(role, d);
}
