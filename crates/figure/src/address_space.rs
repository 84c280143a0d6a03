//! The address space of all lanes: an overview of the whole of it, and a lens in which they lie side by side on one scale.

mod blocks;
mod labels;
mod legend;
mod overview;
mod ruler;

pub(crate) use blocks::{push_block, push_hatch};
pub(crate) use labels::badge;

use mmscope_lab::{Frame, LaneFrame};
use mmscope_mm::Range;
use mmscope_mm::page::{PAGE_SIZE, TASK_SIZE, page_down, page_up};

use crate::axis::Axis;
use crate::lens;
use crate::measure;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, Shape, Target, TextSize};

/// Which way addresses run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Orientation {
    /// From left to right, as in `/proc/PID/maps`; lanes one below the other.
    #[default]
    Horizontal,
    /// From the foot to the top; lanes side by side. For narrow screens.
    Vertical,
}

/// Something chosen: whatever lies at an address of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The lane, from 0.
    pub lane: usize,
    /// An address in it.
    pub addr: u64,
}

/// How the reader looks at a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Width of the picture in pixels.
    pub width: i32,
    /// Which way addresses run.
    pub orientation: Orientation,
    /// Height of the lens in pixels, if addresses run upwards.
    pub height: i32,
    /// Thickness of a lane's strip in pixels, if addresses run across: less for a page that shows more below.
    pub strip: i32,
    /// What the lens shows; `None` for what the step makes interesting.
    pub lens: Option<Range>,
    /// What is chosen.
    pub selected: Option<Selection>,
    /// With a legend at the foot.
    pub legend: bool,
    /// A title and the call above the picture, for one that stands alone.
    pub heading: Option<String>,
    /// A line at the very foot: where the picture comes from.
    pub footer: Option<String>,
}

/// Thickness of a lane's strip where nobody asks for another.
const STRIP: i32 = 52;

impl View {
    /// A picture of this width as a page would first show it: vertical below 560 pixels.
    pub fn new(width: i32) -> View {
        View {
            width: width.clamp(200, 8000),
            orientation: if width < 560 {
                Orientation::Vertical
            } else {
                Orientation::Horizontal
            },
            height: 540,
            strip: STRIP,
            lens: None,
            selected: None,
            legend: true,
            heading: None,
            footer: None,
        }
    }
}

/// A drawn frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What to paint.
    pub scene: Scene,
    /// What the lens shows.
    pub lens: Range,
    /// The scale of the lens, in pixels of the scene: across if horizontal, downwards if vertical.
    pub axis: Axis,
    /// The scale of the overview, likewise.
    pub overview: Axis,
    /// Where the lens is: wheel, pinch and drag mean it there.
    pub lens_area: Area,
    /// Where the overview is.
    pub overview_area: Area,
}

/// A scale, and which way it runs.
pub(crate) struct Plane {
    pub(crate) axis: Axis,
    pub(crate) vertical: bool,
}

impl Plane {
    /// The rectangle of a range in a strip that begins at `cross` and is `thick` across. `None` if outside.
    pub(crate) fn area(&self, range: Range, cross: i32, thick: i32) -> Option<Area> {
        let (from, to) = self.axis.span(range)?;
        Some(self.between(from, to, cross, thick))
    }

    pub(crate) fn between(&self, from: i32, to: i32, cross: i32, thick: i32) -> Area {
        if self.vertical {
            Area {
                x: cross,
                y: from,
                w: thick,
                h: to - from,
            }
        } else {
            Area {
                x: from,
                y: cross,
                w: to - from,
                h: thick,
            }
        }
    }
}

/// A lane's strip in the lens.
pub(crate) struct Strip<'a> {
    pub(crate) index: usize,
    pub(crate) lane: &'a LaneFrame<'a>,
    /// Where it begins across the scale.
    pub(crate) cross: i32,
    /// How thick it is.
    pub(crate) thick: i32,
}

const MARGIN: i32 = 16;

/// Draws a frame.
pub fn draw(frame: &Frame, view: &View) -> Picture {
    let lens = view.lens.map_or_else(|| lens::automatic(frame), legal);
    let mut picture = match view.orientation {
        Orientation::Horizontal => horizontal(frame, view, lens),
        Orientation::Vertical => vertical(frame, view, lens),
    };
    picture.scene.title = match &frame.call {
        Some(call) => say::picture::title(frame.position.step, call),
        None => say::picture::START.to_owned(),
    };
    picture.scene.description = say::spoken(frame);
    picture
}

/// A lens that can be shown: whole pages, not empty, inside user space.
fn legal(lens: Range) -> Range {
    const LEAST: u64 = 16 * PAGE_SIZE;
    let start = page_down(lens.start).min(TASK_SIZE - LEAST);
    let end = if lens.end >= TASK_SIZE {
        TASK_SIZE
    } else {
        page_up(lens.end)
    };
    Range {
        start,
        end: end.max(start + LEAST),
    }
}

fn horizontal(frame: &Frame, view: &View, lens: Range) -> Picture {
    const HEAD: i32 = 26;
    const FLAGS: i32 = 9;
    const MARKS: i32 = 6;
    const RAYS: i32 = 18;
    let strip_px = view.strip.clamp(28, 200);
    let between = (strip_px - 30).clamp(6, 16);
    let mut scene = Scene::new(view.width, 0);
    let room = view.width - 2 * MARGIN;
    let mut y = heading(&mut scene, frame, view.heading.as_deref());

    let overview = overview::horizontal(&mut scene, frame, MARGIN, y, room);
    y = overview.area.y + overview.area.h;

    let folds = lens::folds(frame, lens);
    let axis = Axis::common(lens, &folds, blocks::FOLD_PX, MARGIN, room, false);
    let plane = Plane {
        axis,
        vertical: false,
    };
    overview.window(
        &mut scene,
        lens,
        ((MARGIN, y + RAYS), (MARGIN + room, y + RAYS)),
    );
    y += RAYS;
    let lens_top = y;
    y = ruler::horizontal(&mut scene, &plane, y);

    for (index, lane) in frame.lanes.iter().enumerate() {
        labels::lane_line(
            &mut scene,
            frame,
            index,
            lane,
            Area {
                x: MARGIN,
                y,
                w: room,
                h: HEAD,
            },
        );
        y += HEAD + FLAGS;
        let strip = Strip {
            index,
            lane,
            cross: y,
            thick: strip_px,
        };
        blocks::draw(&mut scene, &plane, &strip, view.selected);
        y += strip_px + MARKS + between;
    }
    let lens_area = Area {
        x: MARGIN,
        y: lens_top,
        w: room,
        h: y - between - lens_top,
    };
    y = foot(&mut scene, frame, view, y);
    scene.height = y;
    Picture {
        scene,
        lens,
        axis: plane.axis,
        overview: overview.plane.axis,
        lens_area,
        overview_area: overview.area,
    }
}

fn vertical(frame: &Frame, view: &View, lens: Range) -> Picture {
    const EDGE: i32 = 10;
    const HEAD: i32 = 62;
    const FLAGS: i32 = 9;
    const MARKS: i32 = 5;
    let mut scene = Scene::new(view.width, 0);
    let y = heading(&mut scene, frame, view.heading.as_deref());
    let height = view.height.clamp(200, 4000);
    let top = y + HEAD;

    let overview = overview::vertical(&mut scene, frame, EDGE, top, height);
    let ruler_left = overview.area.x + overview.area.w + 10;
    let folds = lens::folds(frame, lens);
    let axis = Axis::common(
        lens,
        &folds,
        blocks::FOLD_PX / 2,
        top + height,
        height,
        true,
    );
    let plane = Plane {
        axis,
        vertical: true,
    };
    let left = ruler::vertical(&mut scene, &plane, ruler_left, top - 6);
    overview.window(
        &mut scene,
        lens,
        ((ruler_left - 2, top), (ruler_left - 2, top + height)),
    );

    let lanes = i32::try_from(frame.lanes.len()).unwrap_or(1).max(1);
    let pitch = (view.width - EDGE - left) / lanes;
    for (lane_number, (index, lane)) in (0..).zip(frame.lanes.iter().enumerate()) {
        let x = left + lane_number * pitch;
        let strip = Strip {
            index,
            lane,
            cross: x + FLAGS,
            thick: pitch - FLAGS - MARKS,
        };
        labels::lane_column(
            &mut scene,
            index,
            lane,
            Area {
                x: strip.cross,
                y,
                w: pitch - 3,
                h: HEAD,
            },
        );
        blocks::draw(&mut scene, &plane, &strip, view.selected);
    }
    let lens_area = Area {
        x: left,
        y: top,
        w: view.width - EDGE - left,
        h: height,
    };
    let end = foot(&mut scene, frame, view, top + height + 14);
    scene.height = end;
    Picture {
        scene,
        lens,
        axis: plane.axis,
        overview: overview.plane.axis,
        lens_area,
        overview_area: overview.area,
    }
}

/// Title and call; gives the place below them.
pub(crate) fn heading(scene: &mut Scene, frame: &Frame, heading: Option<&str>) -> i32 {
    let Some(heading) = heading else {
        return MARGIN / 2;
    };
    let room = scene.width - 2 * MARGIN;
    let mut y = MARGIN + 14;
    if let Some(title) = measure::fitted(heading, room, TextSize::Large, false) {
        text(
            scene,
            Role::Title,
            (MARGIN, y),
            Anchor::Start,
            TextSize::Large,
            false,
            title,
        );
    }
    let line = say::picture::step_line(frame);
    for line in measure::wrapped(&line, room, TextSize::Small, true) {
        y += 19;
        text(
            scene,
            Role::Note,
            (MARGIN, y),
            Anchor::Start,
            TextSize::Small,
            true,
            line,
        );
    }
    y + 14
}

/// Legend and footer; gives the height of the picture.
fn foot(scene: &mut Scene, frame: &Frame, view: &View, mut y: i32) -> i32 {
    let room = view.width - 2 * MARGIN;
    if view.legend {
        y = legend::draw(scene, frame, MARGIN, y, room);
    }
    footer(scene, view.footer.as_deref(), MARGIN, y)
}

/// The line at the very foot; gives the height of the picture.
pub(crate) fn footer(scene: &mut Scene, footer: Option<&str>, x: i32, mut y: i32) -> i32 {
    if let Some(footer) = footer {
        for line in measure::wrapped(footer, scene.width - 2 * x, TextSize::Small, false) {
            text(
                scene,
                Role::Note,
                (x, y + 14),
                Anchor::Start,
                TextSize::Small,
                false,
                line,
            );
            y += 18;
        }
    }
    y + MARGIN / 2
}

/// Adds a line of text.
pub(crate) fn text(
    scene: &mut Scene,
    role: Role,
    at: (i32, i32),
    anchor: Anchor,
    size: TextSize,
    mono: bool,
    text: String,
) {
    scene.shapes.push(Shape::Text {
        role,
        at,
        anchor,
        size,
        mono,
        turned: false,
        text,
    });
}

/// Adds a fold's zig-zag edges and, if there is room, its size.
pub(crate) fn fold(scene: &mut Scene, plane: &Plane, range: Range, cross: i32, thick: i32) {
    let Some(area) = plane.area(range, cross, thick) else {
        return;
    };
    let mut d = String::new();
    if plane.vertical {
        blocks::zigzag(&mut d, (area.x, area.y + 3), area.w, true);
        blocks::zigzag(&mut d, (area.x, area.y + area.h - 3), area.w, true);
    } else {
        blocks::zigzag(&mut d, (area.x + 4, area.y), area.h, false);
        blocks::zigzag(&mut d, (area.x + area.w - 4, area.y), area.h, false);
    }
    scene.rect(Role::Ground, area);
    scene.path(Role::Fold, d);
    let label = say::num::size(range.len());
    let width = measure::width(&label, TextSize::Small, true);
    let middle = (area.x + area.w / 2, area.y + area.h / 2);
    if width + 14 <= area.w && area.h >= 14 {
        let at = (middle.0, middle.1 + 4);
        text(
            scene,
            Role::FoldLabel,
            at,
            Anchor::Middle,
            TextSize::Small,
            true,
            label,
        );
    } else if plane.vertical && width + 8 <= area.h && area.w >= 13 {
        scene.shapes.push(Shape::Text {
            role: Role::FoldLabel,
            at: (middle.0 + 4, middle.1),
            anchor: Anchor::Middle,
            size: TextSize::Small,
            mono: true,
            turned: true,
            text: label,
        });
    }
}

/// The item of a fold.
pub(crate) fn fold_item(scene: &mut Scene, area: Area, range: Range) {
    scene.add_item(area, say::picture::fold(range), Target::Fold { range });
}
