//! The addresses along the lens.

use mmscope_mm::page::PMD_SIZE;

use super::{Plane, text};
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, TextSize, push_rect};

const HEIGHT: i32 = 24;

/// Addresses in a row above the lanes; gives the place below it.
pub(super) fn horizontal(scene: &mut Scene, plane: &Plane, y: i32) -> i32 {
    let (left, right) = plane.axis.extent();
    let width = measure::width("0x7ffff7800000", TextSize::Small, true);
    let step = step(plane, width + 36);
    let base = y + HEIGHT;
    let mut marks = String::new();
    push_rect(
        &mut marks,
        Area {
            x: left,
            y: base - 1,
            w: right - left,
            h: 1,
        },
    );
    let mut free_from = left;
    each_label(plane, step, |px, addr| {
        push_rect(
            &mut marks,
            Area {
                x: px,
                y: base - 16,
                w: 1,
                h: 16,
            },
        );
        let from = px + 4;
        if from >= free_from && from + width <= right {
            let label = say::num::address(addr);
            text(
                scene,
                Role::AxisLabel,
                (from, base - 6),
                Anchor::Start,
                TextSize::Small,
                true,
                label,
            );
            free_from = from + width + 12;
        }
    });
    scene.path(Role::Axis, marks);
    base
}

/// The last eight digits of addresses in a column; what is before them stands above it. Gives the place to the right.
pub(super) fn vertical(scene: &mut Scene, plane: &Plane, x: i32, above: i32) -> i32 {
    const DIGITS: i32 = 8;
    let (top, foot) = plane.axis.extent();
    let width = measure::width("f7800000", TextSize::Small, true);
    let base = x + width + 6;
    let step = step(plane, 44);
    let mut marks = String::new();
    push_rect(
        &mut marks,
        Area {
            x: base,
            y: top,
            w: 1,
            h: foot - top,
        },
    );
    let mut free_above = i32::MAX;
    let high = plane.axis.range().end.saturating_sub(1) >> (4 * DIGITS);
    text(
        scene,
        Role::AxisLabel,
        (x, above),
        Anchor::Start,
        TextSize::Small,
        true,
        format!("0x{high:x}\u{2026}"),
    );
    each_label(plane, step, |px, addr| {
        push_rect(
            &mut marks,
            Area {
                x: base - 5,
                y: px,
                w: 5,
                h: 1,
            },
        );
        let at = (px + 4).clamp(top + 10, foot);
        if at <= free_above {
            let low = addr & 0xffff_ffff;
            let label = if addr >> (4 * DIGITS) == high {
                format!("{low:08x}")
            } else {
                format!("\u{2026}{:07x}", low & 0xfff_ffff)
            };
            text(
                scene,
                Role::AxisLabel,
                (base - 7, at),
                Anchor::End,
                TextSize::Small,
                true,
                label,
            );
            free_above = at - 16;
        }
    });
    scene.path(Role::Axis, marks);
    base + 1
}

/// The distance of labels: a power of two of bytes, `least_px` or more apart.
fn step(plane: &Plane, least_px: i32) -> u64 {
    let least = plane
        .axis
        .bytes_per_px()
        .saturating_mul(u64::from(least_px.unsigned_abs()));
    let page_run = 16 << 12;
    let step = least
        .checked_next_power_of_two()
        .unwrap_or(1 << 63)
        .max(page_run);
    if step > PMD_SIZE / 2 {
        step.max(PMD_SIZE)
    } else {
        step
    }
}

fn each_label(plane: &Plane, step: u64, mut see: impl FnMut(i32, u64)) {
    for part in plane.axis.parts().iter().filter(|part| !part.folded) {
        let Some(mut addr) = part.range.start.checked_next_multiple_of(step) else {
            continue;
        };
        while addr <= part.range.end {
            see(plane.axis.px(addr), addr);
            addr += step;
        }
    }
}
