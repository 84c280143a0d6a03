//! The name of a lane, and what the call came to in it.

use mmscope_lab::{Frame, LaneFrame};

use super::text;
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize};

const BADGE: i32 = 18;

/// A lane's line above its strip.
pub(super) fn lane_line(
    scene: &mut Scene,
    frame: &Frame,
    index: usize,
    lane: &LaneFrame,
    area: Area,
) {
    let base = area.y + area.h - 8;
    badge(scene, index, lane.letter, (area.x, base - 13));
    let name = lane.kernel.to_string();
    let mut x = area.x + BADGE + 8;
    let name_width = measure::width(&name, TextSize::Normal, false) * 108 / 100;
    text(
        scene,
        Role::LaneName,
        (x, base),
        Anchor::Start,
        TextSize::Normal,
        false,
        name,
    );
    x += name_width + 12;
    let said = say::outcome::lane(lane);
    let sum = say::picture::sum(lane);
    let sum_width = measure::width(&sum, TextSize::Small, false);
    let mut end = area.x + area.w;
    if frame
        .lanes
        .iter()
        .all(|lane| x + line_width(&say::outcome::lane(lane)) + 24 + sum_width <= end)
    {
        text(
            scene,
            Role::Note,
            (end, base),
            Anchor::End,
            TextSize::Small,
            false,
            sum,
        );
        end -= sum_width + 24;
    }
    let role = if said.error {
        Role::LaneError
    } else {
        Role::LaneResult
    };
    if let Some(value) = measure::fitted(&said.value, end - x, TextSize::Normal, true) {
        x += measure::width(&value, TextSize::Normal, true) + 10;
        text(
            scene,
            role,
            (
                x - measure::width(&value, TextSize::Normal, true) - 10,
                base,
            ),
            Anchor::Start,
            TextSize::Normal,
            true,
            value,
        );
    }
    if let Some(what) = measure::fitted(&said.what, end - x, TextSize::Normal, false) {
        text(
            scene,
            role,
            (x, base),
            Anchor::Start,
            TextSize::Normal,
            false,
            what,
        );
    }
    scene.add_item(
        area,
        say::outcome::lane_sentence(lane),
        Target::Lane { lane: index },
    );
}

fn line_width(said: &say::outcome::Said) -> i32 {
    measure::width(&said.value, TextSize::Normal, true)
        + 10
        + measure::width(&said.what, TextSize::Normal, false)
}

/// The same in a column, on three lines.
pub(super) fn lane_column(scene: &mut Scene, index: usize, lane: &LaneFrame, area: Area) {
    badge(scene, index, lane.letter, (area.x, area.y));
    let name_room = area.w - BADGE - 6;
    if let Some(name) =
        measure::fitted(&lane.kernel.to_string(), name_room, TextSize::Normal, false)
    {
        let at = (area.x + BADGE + 6, area.y + 14);
        text(
            scene,
            Role::LaneName,
            at,
            Anchor::Start,
            TextSize::Normal,
            false,
            name,
        );
    }
    let said = say::outcome::lane(lane);
    let role = if said.error {
        Role::LaneError
    } else {
        Role::LaneResult
    };
    let value = [said.value.clone(), said.digits.clone(), said.short.clone()]
        .into_iter()
        .find(|value| measure::width(value, TextSize::Small, true) <= area.w)
        .or_else(|| measure::fitted(&said.short, area.w, TextSize::Small, true));
    if let Some(value) = value {
        text(
            scene,
            role,
            (area.x, area.y + 34),
            Anchor::Start,
            TextSize::Small,
            true,
            value,
        );
    }
    let what = if measure::width(&said.what, TextSize::Small, false) <= area.w {
        &said.what
    } else {
        &said.what_short
    };
    if let Some(what) = measure::fitted(what, area.w, TextSize::Small, false) {
        text(
            scene,
            role,
            (area.x, area.y + 50),
            Anchor::Start,
            TextSize::Small,
            false,
            what,
        );
    }
    scene.add_item(
        area,
        say::outcome::lane_sentence(lane),
        Target::Lane { lane: index },
    );
}

pub(crate) fn badge(scene: &mut Scene, index: usize, letter: char, (x, y): (i32, i32)) {
    let area = Area {
        x,
        y,
        w: BADGE,
        h: BADGE,
    };
    scene.shapes.push(Shape::Rect {
        role: Role::lane(index),
        area,
        round: 4,
    });
    let at = (x + BADGE / 2, y + 13);
    text(
        scene,
        Role::OnLane,
        at,
        Anchor::Middle,
        TextSize::Small,
        false,
        letter.to_string(),
    );
}
