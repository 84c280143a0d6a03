//! What happens in each call, lane under lane, on the scale of the slider above.

use mmscope_figure::say::ui;
use mmscope_figure::scene::{Anchor, Area, Role, Scene, Shape, TextSize};
use mmscope_lab::Timeline;

/// Height of a lane's track.
const TRACK: i32 = 8;
const BETWEEN: i32 = 2;
/// Room for the word at the mark.
const HEAD: i32 = 15;

/// What a column of pixels knows of a lane.
#[derive(Clone, Copy, Default)]
struct Column {
    known: bool,
    vmas: u64,
    merges: bool,
    splits: bool,
    faults: bool,
    error: bool,
}

/// Draws the tracks. Step 0 lies at the left edge and the last step at the right one.
pub(crate) fn draw(timeline: &Timeline, width: i32) -> Scene {
    let lanes = timeline.lane_count();
    let steps = timeline.step_count();
    let height = HEAD + i32::try_from(lanes).unwrap_or(0) * (TRACK + BETWEEN);
    let mut scene = Scene::new(width, height);
    scene.title = ui::TRACKS.to_owned();
    let columns: Vec<Vec<Column>> = (0..lanes)
        .map(|lane| columns(timeline, lane, steps, width))
        .collect();
    let known = || {
        columns
            .iter()
            .flatten()
            .filter(|column| column.known)
            .map(|column| column.vmas)
    };
    let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    for (lane, columns) in columns.iter().enumerate() {
        let top = HEAD + i32::try_from(lane).unwrap_or(0) * (TRACK + BETWEEN);
        track(&mut scene, Role::lane(lane), columns, top, least, most);
    }
    if let Some(step) = timeline.divergence() {
        mark(&mut scene, at(step, steps, width), width, height);
    }
    let here = at(timeline.position().step, steps, width);
    push_rect(
        &mut scene,
        Role::Title,
        Area {
            x: here.clamp(0, width - 1),
            y: HEAD - 2,
            w: 1,
            h: height - HEAD + 2,
        },
    );
    scene
}

/// Where a step lies.
fn at(step: u32, steps: u32, width: i32) -> i32 {
    let px = u64::from(step) * u64::try_from(width - 1).unwrap_or(0) / u64::from(steps.max(1));
    i32::try_from(px).unwrap_or(0)
}

/// One entry per pixel: the steps that end in it, together.
fn columns(timeline: &Timeline, lane: usize, steps: u32, width: i32) -> Vec<Column> {
    let mut columns = vec![Column::default(); usize::try_from(width).unwrap_or(0)];
    for step in 1..=steps {
        let Some(summary) = timeline.summary(lane, step) else {
            break;
        };
        let from = at(step - 1, steps, width) + i32::from(step > 1);
        let to = at(step, steps, width);
        let (from, to) = (
            usize::try_from(from).unwrap_or(0),
            usize::try_from(to).unwrap_or(0),
        );
        for column in &mut columns[from.min(to)..=to] {
            column.known = true;
            column.vmas = column.vmas.max(summary.ledger.vmas);
        }
        let column = &mut columns[to];
        column.merges |= summary.merges > 0;
        column.splits |= summary.splits > 0;
        column.faults |= summary.faults > 0;
        column.error |= summary.error;
    }
    columns
}

fn track(scene: &mut Scene, role: Role, columns: &[Column], top: i32, least: u64, most: u64) {
    let width = i32::try_from(columns.len()).unwrap_or(0);
    push_rect(
        scene,
        Role::Strip,
        Area {
            x: 0,
            y: top,
            w: width,
            h: TRACK,
        },
    );
    // The area under the number of mappings; runs of equal height are one rectangle.
    let room = TRACK - 5;
    let height = |column: &Column| match most - least {
        0 => 2,
        span => {
            2 + i32::try_from((column.vmas - least) * u64::try_from(room - 2).unwrap_or(0) / span)
                .unwrap_or(0)
        }
    };
    let mut area = String::new();
    runs(
        columns,
        |column| column.known.then(|| height(column)),
        |x, w, h| {
            push(
                &mut area,
                Area {
                    x,
                    y: top + TRACK - h,
                    w,
                    h,
                },
            );
        },
    );
    push_path(scene, role, area);
    // Above it, a tick for each call that merged; below the top edge, where a mapping was cut, touched, or refused.
    let ticks = |pick: fn(&Column) -> bool, y: i32, h: i32| {
        let mut d = String::new();
        for (x, _) in (0..).zip(columns).filter(|(_, column)| pick(column)) {
            push(&mut d, Area { x, y, w: 1, h });
        }
        d
    };
    push_path(scene, Role::Title, ticks(|column| column.merges, top, 3));
    push_path(
        scene,
        Role::Note,
        ticks(|column| column.splits || column.faults, top + 3, 3),
    );
    push_path(
        scene,
        Role::LaneError,
        ticks(|column| column.error, top, TRACK),
    );
}

/// Calls `emit` for each run of equal values.
fn runs(
    columns: &[Column],
    value: impl Fn(&Column) -> Option<i32>,
    mut emit: impl FnMut(i32, i32, i32),
) {
    let mut start = 0;
    while start < columns.len() {
        let here = value(&columns[start]);
        let length = columns[start..]
            .iter()
            .take_while(|column| value(column) == here)
            .count();
        if let Some(height) = here {
            emit(
                i32::try_from(start).unwrap_or(0),
                i32::try_from(length).unwrap_or(0),
                height,
            );
        }
        start += length;
    }
}

/// The line at the first divergence, with its name on the side where there is room.
fn mark(scene: &mut Scene, x: i32, width: i32, height: i32) {
    push_rect(
        scene,
        Role::LaneError,
        Area {
            x: (x - 1).clamp(0, width - 2),
            y: 0,
            w: 2,
            h: height,
        },
    );
    let left = x > width / 2;
    scene.shapes.push(Shape::Text {
        role: Role::LaneError,
        at: (if left { x - 6 } else { x + 6 }, 11),
        anchor: if left { Anchor::End } else { Anchor::Start },
        size: TextSize::Small,
        mono: false,
        turned: false,
        text: ui::DIVERGENCE_MARK.to_owned(),
    });
}

fn push(d: &mut String, Area { x, y, w, h }: Area) {
    use std::fmt::Write;
    let _ = write!(d, "M{x} {y}h{w}v{h}h-{w}z");
}

fn push_rect(scene: &mut Scene, role: Role, area: Area) {
    scene.shapes.push(Shape::Rect {
        role,
        area,
        round: 0,
    });
}

fn push_path(scene: &mut Scene, role: Role, d: String) {
    if !d.is_empty() {
        scene.shapes.push(Shape::Path { role, d });
    }
}
