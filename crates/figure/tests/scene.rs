//! Scenes as values: what is in them, and that they stay small.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use expect_test::expect;
use mmscope_figure::address_space::{Orientation, View, draw};
use mmscope_figure::scene::{Anchor, Area, Role, Scene, Shape, Target};
use mmscope_figure::{Picture, Selection, svg, table};
use mmscope_lab::{Piece, PieceKind, Position, Scenario, Timeline, lessons};
use mmscope_mm::Range;

fn lesson(step: u32) -> Timeline {
    let lesson = lessons::find("cactusbssn").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    timeline.go(Position { step, micro: None });
    timeline
}

/// A process with 65 531 mappings in two lanes, the last of them just split off.
fn crowded() -> Timeline {
    let text = "mmscope 1\nkernels 6.6 6.18\n\
        a = mmap(NULL, 1073741824, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
    let mut text = text.to_owned();
    for page in 0..32765 {
        text.push_str(&format!(
            "mprotect(a+{}, 4096, PROT_READ)\n",
            page * 8192 + 4096
        ));
    }
    // The limit is 65530, and mmap may pass it by one.
    text.push_str("mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
    let mut timeline = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    timeline.last();
    timeline
}

fn small(timeline: &Timeline) -> Picture {
    let mut view = View::new(480);
    view.orientation = Orientation::Horizontal;
    view.legend = false;
    draw(&timeline.frame(), &view)
}

#[test]
fn a_small_scene_as_text() {
    let lesson = lessons::find("cactusbssn").unwrap();
    let mut scenario = Scenario::parse(lesson.scenario).unwrap();
    scenario.kernels.truncate(2);
    scenario.kernels.remove(0);
    let mut timeline = Timeline::new(scenario).unwrap();
    timeline.go(Position {
        step: 2,
        micro: None,
    });
    expect![[r#"
        480x205 The address space after call 2: mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
        text note 121 20 middle "progra…"
        text note 273 20 middle "mmap area"
        text note 433 20 middle "stack"
        rect strip 16 26 448x20
        rect ground 16 26 84x20
        path fold M20 26l3 4l-3 4l3 4l-3 4l3 4M96 26l3 4l-3 4l3 4l-3 4l3 4
        text fold-label 58 40 middle "85.3 TiB"
        rect ground 143 26 84x20
        path fold M147 26l3 4l-3 4l3 4l-3 4l3 4M223 26l3 4l-3 4l3 4l-3 4l3 4
        text fold-label 185 40 middle "42.7 TiB"
        rect ground 319 26 84x20
        path fold M323 26l3 4l-3 4l3 4l-3 4l3 4M399 26l3 4l-3 4l3 4l-3 4l3 4
        text fold-label 361 40 middle "127.9 MiB"
        path dot-anon M227 26h30v20h-30zM266 26h30v20h-30zM305 26h1v20h-1zM317 26h1v20h-1zM317 26h1v20h-1z
        path dot-file M100 26h9v20h-9zM109 26h8v20h-8zM117 26h9v20h-9zM126 26h8v20h-8zM134 26h9v20h-9zM305 26h1v20h-1zM306 26h8v20h-8zM314 26h3v20h-3zM317 26h1v20h-1zM317 26h1v20h-1zM318 26h1v20h-1zM318 26h1v20h-1zM319 26h1v20h-1zM319 26h1v20h-1zM319 26h1v20h-1z
        path dot-stack M403 26h61v20h-61z
        path dot-special M317 26h1v20h-1zM318 26h1v20h-1zM318 26h1v20h-1z
        line window-ray 227 49 to 16 64
        line window-ray 319 49 to 464 64
        rect window 227 23 92x26
        text axis-label 20 82 start "0x7ffff7000000"
        text axis-label 244 82 start "0x7ffff7800000"
        path axis M16 87h448v1h-448zM16 72h1v16h-1zM240 72h1v16h-1z
        rect lane-a 16 93 18x18
        text on-lane 25 106 middle "A"
        text lane-name 42 106 start "6.7.0"
        text lane-result 91 106 start "→ 0x7ffff7200000"
        text lane-result 237 106 start "new mapping"
        rect strip 16 123 448x52
        path pmd M16 123h1v52h-1zM72 123h1v52h-1zM128 123h1v52h-1zM184 123h1v52h-1zM240 123h1v52h-1zM296 123h1v52h-1zM352 123h1v52h-1zM408 123h1v52h-1z
        path axis M16 175h1v3h-1zM72 175h1v3h-1zM128 175h1v3h-1zM184 175h1v3h-1zM240 175h1v3h-1zM296 175h1v3h-1zM352 175h1v3h-1zM408 175h1v3h-1z
        path gap M199.5 123.5h40v51h-40zM367.5 123.5h35v51h-35z
        path vma-anon M72.5 123.5h125v51h-125zM240.5 123.5h125v51h-125zM403.5 123.5h0v51h-0z
        path vma-file M403.5 123.5h2v51h-2zM407.5 123.5h36v51h-36zM445.5 123.5h7v51h-7zM458.5 123.5h2v51h-2z
        path many M454 123h4v52h-4zM462 123h2v52h-2z
        path file-dots M410 126h2v2h-2zM415 126h2v2h-2zM420 126h2v2h-2zM425 126h2v2h-2zM430 126h2v2h-2zM435 126h2v2h-2zM440 126h2v2h-2zM448 126h2v2h-2z
        path pmd-flag M72 122v-8l7 3l-6 3v2zM240 122v-8l7 3l-6 3v2z
        text gap-reason 44 153 middle "free"
        text on-anon 135 153 middle "A 4632 kB"
        text on-anon 303 153 middle "A 4632 kB"
        text on-file 425 153 middle "F"
        rect changed 72 123 127x52
        item 16 26 84x20 "Folded: 85.3 TiB where nothing is mapped in any lane, 0-555555554000."
        item 143 26 84x20 "Folded: 42.7 TiB where nothing is mapped in any lane, 555555559000-7ffff7200000."
        item 319 26 84x20 "Folded: 127.9 MiB where nothing is mapped in any lane, 7ffff7fff000-7ffffffde000."
        item 227 23 92x26 "The lens shows 7ffff6fff000-7ffff7fff000, 16 MiB."
        item 16 88 448x26 "A 6.7.0: 0x7ffff7200000, new mapping."
        item 72 123 127x52 "A: anonymous memory, 4632 kB, 7ffff7200000-7ffff7686000, rw-p, starts on a 2 MiB boundary, new."
        item 199 123 41x52 "A: gap of 1512 kB, 7ffff7686000-7ffff7800000, left free by 2 MiB alignment in this call."
        item 240 123 127x52 "A: anonymous memory, 4632 kB, 7ffff7800000-7ffff7c86000, rw-p, starts on a 2 MiB boundary."
        item 367 123 36x52 "A: gap of 1320 kB, 7ffff7c86000-7ffff7dd0000, left free above a mapping that starts on a 2 MiB boundary."
        item 403 123 1x52 "A: anonymous memory, 12 kB, 7ffff7dd0000-7ffff7dd3000, rw-p."
        item 403 123 4x52 "A: libc.so.6, 152 kB, 7ffff7dd3000-7ffff7df9000, r--p."
        item 407 123 38x52 "A: libc.so.6, 1368 kB, 7ffff7df9000-7ffff7f4f000, r-xp."
        item 445 123 9x52 "A: libc.so.6, 332 kB, 7ffff7f4f000-7ffff7fa2000, r--p."
        item 454 123 4x52 "A: 8 mappings and 1 gap in 7ffff7fa2000-7ffff7fcb000, 164 kB, too small to be told apart here."
        item 458 123 4x52 "A: ld-linux-x86-64.so.2, 152 kB, 7ffff7fcb000-7ffff7ff1000, r-xp."
        item 462 123 2x52 "A: 3 mappings in 7ffff7ff1000-7ffff7fff000, 56 kB, too small to be told apart here."
    "#]].assert_eq(&small(&timeline).scene.to_string());
}

#[test]
fn lanes_share_one_scale_and_its_folds() {
    let timeline = lesson(3);
    let picture = draw(&timeline.frame(), &View::new(1200));
    let at = |lane: usize| {
        picture
            .scene
            .items
            .iter()
            .find_map(|item| match item.target {
                Target::Vma { lane: l, range, .. }
                    if l == lane && range.end == 0x7fff_f7df_9000 =>
                {
                    Some((item.area.x, item.area.w))
                }
                _ => None,
            })
    };
    assert!(at(0).is_some());
    assert_eq!(at(0), at(1));
    assert_eq!(at(0), at(2));
}

#[test]
fn the_lens_stays_while_arrays_are_added_and_then_grows() {
    let mut lenses: Vec<Range> = Vec::new();
    let mut timeline = lesson(1);
    for step in 1..=25 {
        timeline.go(Position { step, micro: None });
        lenses.push(mmscope_figure::automatic_lens(&timeline.frame()));
    }
    for pair in lenses.windows(2) {
        assert_eq!(pair[0].end, pair[1].end);
        assert!(pair[1].start <= pair[0].start, "it never shrinks");
    }
    lenses.dedup();
    assert!(lenses.len() <= 8, "{lenses:?}");
}

#[test]
fn a_crowded_process_makes_a_small_picture() {
    let timeline = crowded();
    let frame = timeline.frame();
    assert_eq!(frame.lanes[0].machine.process().map_count, 65531);
    for width in [390, 1200, 2000] {
        let picture = draw(&frame, &View::new(width));
        let text = svg::print(&picture.scene);
        assert!(
            picture.scene.items.len() < 700,
            "{width}: {} items",
            picture.scene.items.len()
        );
        assert!(
            picture.scene.shapes.len() < 1000,
            "{width}: {} shapes",
            picture.scene.shapes.len()
        );
        assert!(text.len() < 60_000, "{width}: {} bytes", text.len());
    }
    // Also where the window holds as many as it can.
    for lens in [4 << 20, 64 << 20, 1 << 30] {
        let top = frame.lanes[0].machine.process().mmap_base;
        let view = View {
            lens: Some(Range {
                start: top - lens,
                end: top,
            }),
            ..View::new(1200)
        };
        let text = svg::print(&draw(&frame, &view).scene);
        assert!(text.len() < 60_000, "{lens}: {} bytes", text.len());
    }
}

#[test]
fn nothing_is_left_out_of_many() {
    let timeline = crowded();
    let frame = timeline.frame();
    let whole = Range {
        start: 0,
        end: 1 << 47,
    };
    for at_most in [1, 2, 7, 50, 1000] {
        for lane in &frame.lanes {
            let pieces = lane.range(whole, at_most);
            assert!(pieces.len() <= at_most);
            let vmas: u64 = pieces.iter().map(count).sum();
            assert_eq!(vmas, lane.machine.process().map_count);
            assert_eq!(
                pieces.iter().map(|piece| piece.range.len()).sum::<u64>(),
                whole.len()
            );
        }
        let table = table::lane(&frame, 0, whole, at_most).unwrap();
        assert!(table.rows.len() <= at_most);
    }
    assert!(table::lane(&frame, 2, whole, 10).is_none());
    // What the picture names adds up as well.
    let picture = draw(&frame, &View::new(1200));
    let lane = &frame.lanes[0];
    let named: Vec<Range> = picture
        .scene
        .items
        .iter()
        .filter(|item| item.target.lane() == Some(0))
        .filter_map(|item| match item.target {
            Target::Vma { range, .. } | Target::Many { range, .. } => Some(range),
            _ => None,
        })
        .collect();
    for (_, vma) in lane.machine.vmas(picture.lens) {
        assert!(
            named
                .iter()
                .any(|range| range.start < vma.end && vma.start < range.end)
        );
    }
}

fn count(piece: &Piece) -> u64 {
    match piece.kind {
        PieceKind::Vma(_) => 1,
        PieceKind::Gap => 0,
        PieceKind::Many { vmas, .. } => u64::from(vmas),
    }
}

#[test]
fn pointing_finds_what_is_there() {
    let timeline = lesson(2);
    let picture = draw(&timeline.frame(), &View::new(1200));
    for item in &picture.scene.items {
        let (x, y) = (item.area.x + item.area.w / 2, item.area.y + item.area.h / 2);
        let hit = picture.scene.hit(x, y).unwrap();
        let hit = picture.scene.item(hit).unwrap();
        assert!(hit.area.w * hit.area.h <= item.area.w * item.area.h);
        assert!(
            !item.name.is_empty() && item.name.ends_with('.'),
            "{}",
            item.name
        );
    }
    assert_eq!(picture.scene.hit(-50, -50), None);
    let gap = picture.scene.items.iter().find(
        |item| matches!(item.target, Target::Gap { lane: 1, range } if range.len() == 1512 << 10),
    );
    let gap = gap.unwrap();
    assert_eq!(
        picture.scene.find(gap.target).map(|item| item.id),
        Some(gap.id)
    );
    assert_eq!(
        gap.name,
        "B: gap of 1512 kB, 7ffff7686000-7ffff7800000, left free by 2 MiB alignment in this call."
    );
}

#[test]
fn the_change_and_the_choice_are_marked() {
    let timeline = lesson(2);
    let frame = timeline.frame();
    let selected = Some(Selection {
        lane: 0,
        addr: 0x7fff_f74c_4000,
    });
    let picture = draw(
        &frame,
        &View {
            selected,
            ..View::new(1200)
        },
    );
    let roles = |role: Role| {
        picture
            .scene
            .shapes
            .iter()
            .filter(|shape| shape.role() == role)
            .count()
    };
    assert_eq!(roles(Role::Selected), 1);
    assert_eq!(roles(Role::SelectedElsewhere), 2);
    // One mark for each lane, one in the legend.
    assert_eq!(roles(Role::Changed), 4);
}

#[test]
fn an_svg_stands_alone_and_is_the_same_each_time() {
    for step in [0, 1, 2, 3, 25] {
        for width in [390, 704, 1200] {
            let timeline = lesson(step);
            let print = || svg::print(&draw(&timeline.frame(), &View::new(width)).scene);
            let text = print();
            assert_eq!(text, print());
            assert!(text.len() < 60_000, "{}", text.len());
            for never in [
                "<script",
                "foreignObject",
                "http://www.w3.org/1999/xlink",
                "url(",
                "@import",
                "NaN",
            ] {
                assert!(!text.contains(never), "{never}");
            }
            assert!(
                text.contains("viewBox=\"0 0 ")
                    && text.contains("<title")
                    && text.contains("<desc")
            );
            assert_eq!(text.matches("http").count(), 1, "only the name space");
        }
    }
}

#[test]
fn no_view_and_no_window_breaks_it() {
    let timeline = lesson(5);
    let frame = timeline.frame();
    let lenses = [
        None,
        Some(Range { start: 0, end: 0 }),
        Some(Range {
            start: 0,
            end: u64::MAX,
        }),
        Some(Range {
            start: u64::MAX - 1,
            end: u64::MAX,
        }),
        Some(Range {
            start: 0x7fff_f780_0000,
            end: 0x7fff_f780_1000,
        }),
        Some(Range {
            start: 0x5555_5555_4000,
            end: 0x7fff_ffff_f000,
        }),
    ];
    for width in [i32::MIN, 0, 200, 390, 1200, i32::MAX] {
        for orientation in [Orientation::Horizontal, Orientation::Vertical] {
            for lens in lenses {
                let picture = draw(
                    &frame,
                    &View {
                        orientation,
                        lens,
                        ..View::new(width)
                    },
                );
                assert!(picture.scene.height > 0);
                for px in [-100, 0, 100, 300, 5000] {
                    assert!(picture.axis.addr(px) <= 1 << 47);
                }
            }
        }
    }
}

/// Where a text will stand, near enough.
fn text_area(shape: &Shape) -> Option<(Area, &str)> {
    let Shape::Text {
        at,
        anchor,
        size,
        mono,
        turned,
        text,
        ..
    } = shape
    else {
        return None;
    };
    let per_char = if *mono { 60 } else { 52 };
    let w = i32::try_from(text.chars().count()).unwrap() * size.px() * per_char / 100;
    let x = match anchor {
        Anchor::Start => at.0,
        Anchor::Middle => at.0 - w / 2,
        Anchor::End => at.0 - w,
    };
    let h = size.px();
    let area = if *turned {
        Area {
            x: at.0 - h * 3 / 4,
            y: at.1 - w / 2,
            w: h,
            h: w,
        }
    } else {
        Area {
            x,
            y: at.1 - h * 3 / 4,
            w,
            h,
        }
    };
    Some((area, text))
}

fn assert_texts_apart(scene: &Scene) {
    let texts: Vec<_> = scene.shapes.iter().filter_map(text_area).collect();
    for (index, (a, one)) in texts.iter().enumerate() {
        assert!(
            a.x >= 0 && a.x + a.w <= scene.width && a.y >= 0 && a.y + a.h <= scene.height,
            "{one} is cut off"
        );
        for (b, other) in &texts[index + 1..] {
            let apart =
                a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
            assert!(apart, "{one:?} at {a:?} and {other:?} at {b:?}");
        }
    }
}

#[test]
fn no_text_lies_on_another() {
    for step in [0, 1, 2, 3, 10, 25] {
        let timeline = lesson(step);
        for width in [360, 390, 480, 559, 560, 704, 900, 1200, 1920] {
            let mut view = View::new(width);
            view.heading = Some("A heading".to_owned());
            view.footer = Some("A footer that says where all of this comes from, in so many words that it needs two lines".to_owned());
            assert_texts_apart(&draw(&timeline.frame(), &view).scene);
        }
    }
    let timeline = crowded();
    for width in [390, 1200] {
        assert_texts_apart(&draw(&timeline.frame(), &View::new(width)).scene);
    }
}
