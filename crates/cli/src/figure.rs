//! `mmscope figure`

use mmscope_figure::address_space::{View, draw};
use mmscope_figure::maple_tree::{self, TreeView};
use mmscope_figure::say::cli::Usage;
use mmscope_figure::{say, svg, text};
use mmscope_lab::{Frame, Position, Timeline};

use crate::Failure;
use crate::args::Args;
use crate::{input, output};

/// Prints one step as a picture.
pub(crate) fn figure(mut args: Args) -> Result<(), Failure> {
    let plain = args.flag(&["--text"]);
    args.flag(&["--svg"]);
    let step = args.number("--step")?;
    let micro = args.number("--micro")?;
    let tree = match args.text("--pane")?.as_deref() {
        None | Some("space") => false,
        Some("tree") => true,
        Some(other) => return Err(Failure::Usage(Usage::UnknownPane(other.to_owned()))),
    };
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
    let picture = if plain && tree {
        say::maple_tree::plain(&maple_tree::tables(&frame, &TreeView::new(width)))
    } else if plain {
        text::print(
            &frame,
            None,
            u16::try_from(columns).unwrap_or(u16::MAX).min(400),
        )
    } else if tree {
        let mut view = TreeView::new(width);
        view.heading = heading;
        view.footer = Some(footer(&frame, &timeline));
        svg::print(&maple_tree::draw(&frame, &view))
    } else {
        let mut view = View::new(width);
        view.heading = heading;
        view.footer = Some(footer(&frame, &timeline));
        svg::print(&draw(&frame, &view).scene)
    };
    output::write(path.as_deref(), &picture)
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
