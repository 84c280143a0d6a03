#![allow(clippy::unwrap_used, reason = "a test")]
//! Page tables as pictures: what the cells say, in every lane, and how large a picture gets.

use mmscope_figure::page_table::{PageView, draw, tables};
use mmscope_figure::scene::{Scene, Target};
use mmscope_figure::{Selection, svg};
use mmscope_lab::{Position, Scenario, Timeline};

fn timeline(text: &str) -> Timeline {
    let scenario = Scenario::parse(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut timeline = Timeline::new(scenario).unwrap();
    let step = timeline.step_count();
    timeline.go(Position { step, micro: None });
    timeline
}

fn scene(text: &str, selected: Option<Selection>) -> Scene {
    let timeline = timeline(text);
    let mut view = PageView::new(1200);
    view.selected = selected;
    draw(&timeline.frame(), &view)
}

fn names(scene: &Scene, of: impl Fn(Target) -> bool) -> Vec<String> {
    let items = scene.items.iter().filter(|item| of(item.target));
    items.map(|item| item.name.clone()).collect()
}

fn block_names(scene: &Scene) -> Vec<String> {
    names(scene, |target| matches!(target, Target::Block { .. }))
}

const MIXED: &str = "mmscope 1
set thp always
kernels 6.6 6.7 6.18
a = mmap(NULL, 11M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
touch(a, 5M)
";

#[test]
fn blocks_are_huge_or_say_what_is_missing() {
    let scene = scene(MIXED, None);
    let names = block_names(&scene);
    assert_eq!(names.len(), 18);
    assert_eq!(
        names[0],
        "Block 0x7ffff7400000, of which 1028 kB lie in the mapping: a page table with 257 pages. \
         No huge page, for the mapping begins 1020 kB into it."
    );
    assert_eq!(names[1], "Block 0x7ffff7600000: huge page.");
    assert_eq!(
        names[3],
        "Block 0x7ffff7a00000: empty. A write to it would map a huge page."
    );
    // The mapping of 6.7 begins on a boundary, and ends half-way into its last block.
    assert_eq!(names[6], "Block 0x7ffff7400000: huge page.");
    assert_eq!(
        names[11],
        "Block 0x7ffff7e00000, of which 1 MiB lie in the mapping: empty. \
         No huge page, for the mapping ends 1 MiB before it does."
    );
    assert!(
        scene
            .description
            .contains("B (6.7.0): 7ffff7400000-7ffff7f00000")
    );
    assert!(
        scene
            .description
            .contains("Rss 5124 kB, AnonHugePages 4096 kB, THPeligible 1")
    );
}

#[test]
fn pages_are_counted_row_by_row() {
    let text = "mmscope 1
set thp never
kernels 6.18
a = mmap(NULL, 2M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
touch(a, 40k)
read(a+40k, 16k)
madvise(a+60k, 8k, MADV_GUARD_INSTALL)
madvise(a, 8k, MADV_FREE)
";
    let scene = scene(text, None);
    let rows = names(&scene, |target| matches!(target, Target::Pages { .. }));
    let counted: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.split_once(": "))
        .map(|(_, counted)| counted)
        .filter(|counted| *counted != "32 without a page")
        .collect();
    assert_eq!(
        counted,
        ["10 written, 4 the zero page, 2 guard markers, 16 without a page, 2 given up"],
        "{rows:#?}"
    );
}

#[test]
fn the_chosen_address_chooses_mapping_and_block() {
    let addr = 0x7fff_f7d0_0000;
    let scene = scene(MIXED, Some(Selection { lane: 0, addr }));
    let rows = names(&scene, |target| {
        matches!(target, Target::Pages { lane: 0, .. })
    });
    assert!(
        rows[0].starts_with("7ffff7c00000-7ffff7c20000"),
        "{}",
        rows[0]
    );
}

#[test]
fn where_nothing_is_mapped_it_says_so() {
    let at = |addr| Some(Selection { lane: 0, addr });
    let free = scene(MIXED, at(0x1000));
    assert!(free.description.contains("Nothing is mapped at 0x1000."));
    assert!(block_names(&free).is_empty());
    let nothing = scene("mmscope 1\nkernels 6.0 7.3\nmunlockall()\n", None);
    assert!(nothing.description.contains("Choose a mapping"));
    let start = scene("mmscope 1\nkernels 6.0\n", None);
    assert_eq!(start.title, "Page tables before the first call");
}

#[test]
fn a_picture_is_bounded_whatever_the_mapping() {
    for text in [
        "mmscope 1\nkernels 6.18\na = mmap(NULL, 64G, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, -1, 0)\ntouch(a+1G, 4k)\n",
        "mmscope 1\nset thp always\nkernels 6.18\na = mmap(NULL, 1G, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, -1, 0)\ntouch(a, 1G)\nmadvise(a+4k, 4k, MADV_DONTNEED)\n",
    ] {
        let timeline = timeline(text);
        for width in [280, 390, 1280, 4000] {
            let scene = draw(&timeline.frame(), &PageView::new(width));
            assert!(scene.items.len() < 1000, "{} items", scene.items.len());
            assert!(svg::print(&scene).len() < 60_000);
            let wide = scene
                .items
                .iter()
                .map(|item| item.area.x + item.area.w)
                .max();
            assert!(wide.unwrap_or(0) <= width.max(280), "{wide:?} in {width}");
            let blocks: u64 = scene
                .items
                .iter()
                .filter_map(|item| match item.target {
                    Target::Block { range, .. } => Some(range.len()),
                    _ => None,
                })
                .sum();
            let whole = if text.contains("64G") {
                64 << 30
            } else {
                1 << 30
            };
            assert_eq!(blocks, whole, "no block is left out");
        }
    }
}

#[test]
fn the_tables_say_the_same() {
    let timeline = timeline(MIXED);
    let tables = tables(&timeline.frame(), &PageView::new(1200));
    assert_eq!(tables.len(), 3);
    let rows: Vec<String> = tables[0]
        .rows
        .iter()
        .map(|row| format!("{} {}: {}", row.start, row.kind, row.what))
        .collect();
    assert_eq!(
        rows,
        [
            "0x7ffff74ff000 1 block of 2 MiB: page table",
            "0x7ffff7600000 2 blocks of 2 MiB: huge page",
            "0x7ffff7a00000 3 blocks of 2 MiB: empty",
            "0x7ffff74ff000 257 pages: page of its own, written",
        ]
    );
}
