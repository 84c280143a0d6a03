//! TLBs as pictures: what is counted, who is where, which bits choose, and how large a picture gets.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use mmscope_figure::scene::{Scene, Target};
use mmscope_figure::tlb::{LaneWalk, SetChoice, TlbView, draw, tables};
use mmscope_figure::{Selection, svg};
use mmscope_lab::streams::tlb::{Level, Preset, StructureId};
use mmscope_lab::streams::{PageChoice, Streams};
use mmscope_lab::{Scenario, Timeline};

const PROGRAM: &str = "mmscope 1
kernels 6.6 6.7 6.12
set thp never
set mmap_base 0x7effffe49000
tlb ivybridge_ep
walk lockstep n=200000 size=4632k stride=8
repeat 20 {
  a = mmap(NULL, 4632k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
}
";

fn timeline() -> Timeline {
    let mut timeline = Timeline::new(Scenario::parse(PROGRAM).unwrap()).unwrap();
    timeline.last();
    timeline
}

fn walks(timeline: &Timeline, tlb: Option<&str>, pages: PageChoice, at: u64) -> Vec<LaneWalk> {
    let streams = Streams {
        pages,
        ..Streams::through(timeline.scenario(), tlb).unwrap()
    };
    let walk = |lane| {
        let mut run = streams.in_lane(timeline, lane).unwrap();
        while run.done() < at.min(run.total()) {
            run.run(at - run.done());
        }
        LaneWalk {
            run: Ok(run),
            last: Vec::new(),
        }
    };
    (0..timeline.lane_count()).map(walk).collect()
}

fn sets(scene: &Scene, of: Level, in_lane: usize) -> Vec<&str> {
    let items = scene.items.iter().filter(|item| {
        matches!(item.target, Target::Set { lane, structure, .. } if lane == in_lane && structure.level == of)
    });
    items.map(|item| item.name.as_str()).collect()
}

#[test]
fn what_is_counted_is_said_and_the_set_under_pressure_is_named() {
    let timeline = timeline();
    let walks = walks(&timeline, None, PageChoice::AsMapped, u64::MAX);
    let scene = draw(&timeline.frame(), &walks, &TlbView::new(1280));
    assert!(
        scene
            .description
            .contains("A (6.6): 20 streams in 1 mapping, 4632 kB apart.")
    );
    assert!(
        scene
            .description
            .contains("B (6.7.0): 20 streams in 20 mappings, 6144 kB apart.")
    );
    assert!(scene.description.contains("2.000 walks per 1000."));
    assert!(scene.description.contains("1000.000 walks per 1000."));
    // The aligned arrays meet in the sets of the offset that all are at: 20 pages in 4 ways, one offset after the other.
    let aligned = sets(&scene, Level::Second, 1);
    assert_eq!(aligned.len(), 20);
    assert_eq!(
        aligned[0],
        "L2 4K set 0: 0 hits, 10\u{202f}240 misses, 10\u{202f}236 evictions from 4 ways; entries of streams 16, 18, 17, 19"
    );
    assert_eq!(sets(&scene, Level::Second, 0).len(), 128);
}

#[test]
fn a_chosen_set_and_mapping_are_marked() {
    let timeline = timeline();
    let walks = walks(&timeline, None, PageChoice::AsMapped, 1000);
    let mut view = TlbView::new(1280);
    let plain = draw(&timeline.frame(), &walks, &view).to_string();
    view.set = Some(SetChoice {
        lane: 1,
        structure: StructureId {
            level: Level::Second,
            at: 0,
        },
        set: 0,
    });
    let stream = walks[1].run.as_ref().unwrap().streams()[19];
    view.selected = Some(Selection {
        lane: 1,
        addr: stream.range.start,
    });
    let marked = draw(&timeline.frame(), &walks, &view).to_string();
    assert_eq!(plain.matches("rect selected ").count(), 0);
    assert_eq!(marked.matches("rect selected ").count(), 1);
    assert_eq!(plain.matches("path pmd-flag ").count(), 0);
    // In the set of each structure that holds a page of it.
    assert_eq!(marked.matches("path pmd-flag ").count(), 2);
}

#[test]
fn pictures_are_bounded_for_every_preset_and_width() {
    let timeline = timeline();
    for preset in Preset::all() {
        for pages in [PageChoice::Small, PageChoice::Huge] {
            let walks = walks(&timeline, Some(preset.name), pages, u64::MAX);
            for width in [280, 390, 1280, 2560] {
                let scene = draw(&timeline.frame(), &walks, &TlbView::new(width));
                let bytes = svg::print(&scene).len();
                assert!(bytes < 120_000, "{}: {bytes} bytes", preset.name);
                let items = scene.items.len();
                assert!(items <= 3 * (256 + 64), "{}: {items} items", preset.name);
                let right = scene
                    .items
                    .iter()
                    .map(|item| item.area.x + item.area.w)
                    .max();
                assert!(
                    right.unwrap() <= width.max(280),
                    "{}: {right:?} in {width}",
                    preset.name
                );
            }
        }
    }
}

#[test]
fn the_table_has_the_sets_with_most_misses() {
    let timeline = timeline();
    let walks = walks(&timeline, None, PageChoice::AsMapped, u64::MAX);
    let tables = tables(&timeline.frame(), &walks, &TlbView::new(1280));
    let aligned: Vec<String> = tables[1]
        .rows
        .iter()
        .map(|row| format!("{}: {}", row.kind, row.what))
        .filter(|row| row.starts_with("L2"))
        .take(2)
        .collect();
    assert_eq!(
        aligned,
        [
            "L2 4K set 0: 0 hits, 10\u{202f}240 misses, 10\u{202f}236 evictions from 4 ways",
            "L2 4K set 1: 0 hits, 10\u{202f}240 misses, 10\u{202f}236 evictions from 4 ways",
        ]
    );
}

#[test]
fn where_there_is_no_walk_it_says_why() {
    let mut timeline = timeline();
    timeline.go(mmscope_lab::Position {
        step: 0,
        micro: None,
    });
    let streams = Streams::through(timeline.scenario(), None).unwrap();
    let walk = |lane| LaneWalk {
        run: streams.in_lane(&timeline, lane),
        last: Vec::new(),
    };
    let walks: Vec<LaneWalk> = (0..3).map(walk).collect();
    let scene = draw(&timeline.frame(), &walks, &TlbView::new(1280));
    assert!(
        scene
            .description
            .contains("no mmap so far has left 4632 kB mapped")
    );
}
