//! `mmscope figure`

use mmscope_figure::address_space::{View, draw};
use mmscope_figure::maple_tree::{self, TreeView};
use mmscope_figure::page_table::{self, PageView};
use mmscope_figure::say::cli::Usage;
use mmscope_figure::tlb::{self, LaneWalk, TlbView};
use mmscope_figure::{Selection, say, svg, text};
use mmscope_lab::streams::Streams;
use mmscope_lab::{Frame, Position, Timeline};

use crate::Failure;
use crate::args::Args;
use crate::{input, output};

/// What a picture is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pane {
    Space,
    Tree,
    Pages,
    Tlb,
}

/// Prints one step as a picture.
pub(crate) fn figure(mut args: Args) -> Result<(), Failure> {
    let plain = args.flag(&["--text"]);
    args.flag(&["--svg"]);
    let step = args.number("--step")?;
    let micro = args.number("--micro")?;
    let pane = match args.text("--pane")?.as_deref() {
        None | Some("space") => Pane::Space,
        Some("tree") => Pane::Tree,
        Some("pages") => Pane::Pages,
        Some("tlb") => Pane::Tlb,
        Some(other) => return Err(Failure::Usage(Usage::UnknownPane(other.to_owned()))),
    };
    let addr = args.address("--at")?;
    let width = args.number("--width")?.unwrap_or(1200);
    let columns = args.number("--columns")?.unwrap_or(100);
    let path = args.path("-o")?;
    let mut timeline = input::timeline(&mut args)?;
    args.end()?;
    timeline.go(Position {
        step: step.unwrap_or(u32::MAX).min(timeline.step_count()),
        micro,
    });
    let frame = timeline.frame();
    let width = i32::try_from(width).unwrap_or(i32::MAX);
    let title = &timeline.scenario().title;
    let heading = Some(if title.is_empty() {
        frame.call.clone().unwrap_or_default()
    } else {
        title.clone()
    });
    let footer = || Some(footer(&frame, &timeline));
    let walks = match pane {
        Pane::Tlb => walks(&timeline)?,
        _ => Vec::new(),
    };
    let picture = match pane {
        Pane::Space if plain => {
            let columns = u16::try_from(columns).unwrap_or(u16::MAX).min(400);
            text::print(&frame, None, columns)
        }
        Pane::Space => {
            let mut view = View::new(width);
            (view.heading, view.footer) = (heading, footer());
            svg::print(&draw(&frame, &view).scene)
        }
        Pane::Tree => {
            let mut view = TreeView::new(width);
            if plain {
                say::maple_tree::plain(&maple_tree::tables(&frame, &view))
            } else {
                (view.heading, view.footer) = (heading, footer());
                svg::print(&maple_tree::draw(&frame, &view))
            }
        }
        Pane::Tlb => {
            let mut view = TlbView::new(width);
            if plain {
                say::maple_tree::plain(&tlb::tables(&frame, &walks, &view))
            } else {
                (view.heading, view.footer) = (heading, footer());
                svg::print(&tlb::draw(&frame, &walks, &view))
            }
        }
        Pane::Pages => {
            let mut view = PageView::new(width);
            view.selected = addr.map(|addr| Selection { lane: 0, addr });
            if plain {
                say::maple_tree::plain(&page_table::tables(&frame, &view))
            } else {
                (view.heading, view.footer) = (heading, footer());
                svg::print(&page_table::draw(&frame, &view))
            }
        }
    };
    output::write(path.as_deref(), &picture)
}

/// The walk of the scenario in each lane, run to its end.
fn walks(timeline: &Timeline) -> Result<Vec<LaneWalk>, Failure> {
    let streams = Streams::of(timeline.scenario())
        .map_err(|error| Failure::Input(vec![say::tlb::error(&error)]))?
        .ok_or_else(|| Failure::Input(vec![say::tlb::NO_WALK.to_owned()]))?;
    let lanes = 0..timeline.lane_count();
    let run = |lane| {
        let mut run = streams.in_lane(timeline, lane);
        if let Ok(run) = &mut run {
            while run.run(u64::MAX) > 0 {}
        }
        LaneWalk {
            run,
            last: Vec::new(),
        }
    };
    Ok(lanes.map(run).collect())
}

fn footer(frame: &Frame, timeline: &Timeline) -> String {
    let kernels = frame
        .lanes
        .iter()
        .map(|lane| lane.kernel.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    // One number for all lanes: equal if and only if every lane's state is.
    let hash = frame
        .lanes
        .iter()
        .fold(0u64, |sum, lane| sum.rotate_left(21) ^ lane.state_hash);
    say::cli::footer(
        &kernels,
        hash,
        timeline.scenario().seed,
        env!("CARGO_PKG_VERSION"),
    )
}
