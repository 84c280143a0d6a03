//! The picture of the maple tree: complete, linked with the address space, and true half-way through a write.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use expect_test::expect;
use mmscope_figure::address_space::{self, View};
use mmscope_figure::maple_tree::{NodeAt, TreeView, draw, press, tables};
use mmscope_figure::scene::{Anchor, Area, Role, Scene, Shape, Target};
use mmscope_figure::{Selection, svg};
use mmscope_lab::{Frame, Position, Scenario, Timeline, lessons};
use mmscope_maple::WriteEvent;
use mmscope_mm::{Event, Range};

const MAP: &str =
    "a = mmap(NULL, 1048576, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";

/// A mapping that is cut into many by mprotect, and then unmapped in part.
fn cut(kernels: &str, pieces: u64) -> Timeline {
    let mut text = format!("mmscope 1\nkernels {kernels}\n{MAP}");
    for piece in 0..pieces {
        let at = piece * 8192 + 4096;
        text.push_str(&format!("mprotect(a+{at}, 4096, PROT_READ)\n"));
    }
    text.push_str("munmap(a+8192, 65536)\n");
    text.push_str("mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
    Timeline::new(Scenario::parse(&text).unwrap()).unwrap()
}

/// 65 531 mappings.
fn crowded() -> Timeline {
    let mut text = format!(
        "mmscope 1\nkernels 6.18\n{}",
        MAP.replace("1048576", "1073741824")
    );
    for page in 0..32765 {
        let at = page * 8192 + 4096;
        text.push_str(&format!("mprotect(a+{at}, 4096, PROT_READ)\n"));
    }
    text.push_str("mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
    let mut timeline = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    timeline.last();
    timeline
}

fn at(timeline: &mut Timeline, step: u32, micro: Option<u32>) -> Frame<'_> {
    timeline.go(Position { step, micro });
    timeline.frame()
}

/// Nodes of the tree that a picture shows, by their heads and by the rows that lead to them.
fn nodes(scene: &Scene, lane: usize) -> Vec<Target> {
    let mut found = Vec::new();
    for item in &scene.items {
        if let Target::Node {
            lane: of,
            apart: false,
            ..
        } = item.target
            && of == lane
            && !found.contains(&item.target)
        {
            found.push(item.target);
        }
    }
    found
}

fn open(level: u8, index: u64) -> NodeAt {
    NodeAt {
        lane: 0,
        level,
        index,
        apart: false,
        open: true,
    }
}

#[test]
fn a_small_tree_as_text() {
    let text = "mmscope 1\nkernels 6.1\nh = brk(0)\nbrk(h+65536)\n";
    let mut timeline = Timeline::new(Scenario::parse(text).unwrap()).unwrap();
    let mut view = TreeView::new(360);
    view.legend = false;
    expect![[r#"
        360x196 The maple tree after call 2: brk(h+0x10000)
        rect lane-a 10 8 18x18
        text on-lane 19 21 middle "A"
        text lane-name 36 22 start "6.1"
        text note 10 43 start "height 1 · 1 node · 1 VMA · not in RCU mode"
        text note 10 60 start "This call: 1 new"
        rect node 10 72 232x106
        rect changed 10 72 232x106
        path vma-heap M136.5 127.5h101v14h-101z
        path gap M136.5 144.5h101v14h-101z
        path wire M16.5 165.5h5v7h-5zM23.5 165.5h5v7h-5zM30.5 165.5h5v7h-5zM37.5 165.5h5v7h-5zM44.5 165.5h5v7h-5zM51.5 165.5h5v7h-5zM58.5 165.5h5v7h-5zM65.5 165.5h5v7h-5zM72.5 165.5h5v7h-5zM79.5 165.5h5v7h-5zM86.5 165.5h5v7h-5zM93.5 165.5h5v7h-5zM100.5 165.5h5v7h-5zM107.5 165.5h5v7h-5z
        text mark 16 86 start "+"
        text lane-name 28 86 start "maple_leaf_64"
        text note 236 86 end "node 1"
        text note 16 103 start "0–ULONG_MAX"
        text note 36 120 end "slot"
        text note 42 120 start "pivot"
        text note 136 120 start "entry"
        text note 34 139 end "0"
        text gap-label 40 139 start "ffff"
        text on-heap 187 139 middle "H [heap]"
        rect node-changed 135 126 104x17
        rect step 1 127 16x15
        text on-lane 9 139 middle "1"
        text note 34 156 end "1"
        text gap-label 40 156 start "ULONG_MAX"
        text gap-label 187 156 middle "16 EiB"
        rect node-changed 135 143 104x17
        text note 236 173 end "2 of 16 slots"
        item 10 8 340x56 "Lane A, Linux 6.1: height 1 · 1 node · 1 VMA · not in RCU mode. This call: 1 new."
        item 10 72 232x54 "A: node 1, maple_leaf_64, level 0, 0–ULONG_MAX, 2 of 16 slots, new by this call, open."
        item 10 126 232x17 "A: [heap], 64 kB, 0-10000, rw-p, starts on a 2 MiB boundary, new. Slot 0, pivot ffff, step 1 of the path."
        item 10 143 232x17 "A: gap of 16 EiB, 10000-ffffffffffffffff, free. Slot 1, pivot ULONG_MAX."
    "#]].assert_eq(&draw(&at(&mut timeline, 2, None), &view).to_string());
}

#[test]
fn every_node_and_every_mapping_can_be_reached() {
    let mut timeline = cut("6.6 7.3", 60);
    for step in [0, 1, 5, 8, 20, 60, 61, 62, 63] {
        let frame = at(&mut timeline, step, None);
        let mut view = TreeView::new(450);
        loop {
            let scene = draw(&frame, &view);
            let mut closed = 0;
            for (lane, of) in frame.lanes.iter().enumerate() {
                let nodes = nodes(&scene, lane);
                for target in &nodes {
                    if matches!(target, Target::Node { open: false, .. }) {
                        assert!(press(&mut view.toggled, *target));
                        closed += 1;
                    }
                }
                if closed == 0 {
                    assert_eq!(nodes.len() as u32, of.machine.tree().nodes().len());
                    let mut vmas = 0;
                    for item in &scene.items {
                        let is = matches!(item.target, Target::Vma { lane: on, .. } if on == lane);
                        vmas += u64::from(is);
                    }
                    assert_eq!(vmas, of.machine.process().map_count);
                }
            }
            if closed == 0 {
                break;
            }
        }
    }
}

/// The number before a word in a name.
fn number(name: &str, word: &str) -> Option<u64> {
    let before = &name[..name.find(word)?];
    let digits: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_ascii_digit() || *c == '\u{202f}')
        .filter(char::is_ascii_digit)
        .collect();
    digits.chars().rev().collect::<String>().parse().ok()
}

#[test]
fn a_crowded_tree_is_folded_and_nothing_is_missing() {
    let timeline = crowded();
    let frame = timeline.frame();
    let first = draw(&frame, &TreeView::new(1380));
    assert!(svg::print(&first).len() < 60_000);
    assert!(first.items.len() < 200, "{}", first.items.len());
    // From the root down, each inner node once, with the way to it open.
    let tree = frame.lanes[0].machine.tree();
    let mut view = TreeView::new(1380);
    let closed = |scene: &Scene, level: u8| {
        let mut rows = Vec::new();
        for item in &scene.items {
            if let Target::Node {
                level: of,
                range,
                apart: false,
                ..
            } = item.target
                && of == level
                && item.name.contains("VMA")
            {
                let vmas = number(&item.name, " VMA").unwrap();
                let nodes = number(&item.name, " nodes").unwrap_or(1);
                rows.push((range, vmas, nodes));
            }
        }
        rows
    };
    let mut queue = vec![(Vec::new(), 0, tree.len(), u64::from(tree.nodes().len()))];
    let (mut seen, mut leaves) = (1, 0);
    while let Some((way, level, vmas, nodes)) = queue.pop() {
        // The call's own path is closed, so that only the way is open.
        let mut toggled: Vec<NodeAt> = Vec::new();
        for (item, shut) in first.items.iter().map(|item| (item, false)) {
            if let Target::Node {
                level,
                range,
                apart,
                ..
            } = item.target
                && level > 0
            {
                toggled.push(NodeAt {
                    apart,
                    open: shut,
                    ..open(level, range.start)
                });
            }
        }
        toggled.extend(way.iter().copied());
        view.toggled = toggled;
        let scene = draw(&frame, &view);
        let inside = |range: &Range| way.last().is_none_or(|at: &NodeAt| range.start >= at.index);
        let mut rows = closed(&scene, level + 1);
        rows.retain(|(range, ..)| inside(range));
        if let Some(last) = way.last() {
            let node = scene.items.iter().find_map(|item| match item.target {
                Target::Node {
                    level,
                    range,
                    open: true,
                    ..
                } if level == last.level && range.start == last.index => Some(range),
                _ => None,
            });
            let node = node.unwrap();
            rows.retain(|(range, ..)| range.end <= node.end);
        }
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), vmas, "{way:?}");
        assert_eq!(
            rows.iter().map(|row| row.2).sum::<u64>() + 1,
            nodes,
            "{way:?}"
        );
        for (range, vmas, nodes) in rows {
            seen += 1;
            if nodes == 1 {
                leaves += 1;
                continue;
            }
            let mut way = way.clone();
            way.push(open(level + 1, range.start));
            queue.push((way, level + 1, vmas, nodes));
        }
    }
    assert_eq!(seen, tree.nodes().len());
    assert!(leaves > 4000);
}

#[test]
fn what_is_chosen_is_open_and_marked() {
    let timeline = crowded();
    let frame = timeline.frame();
    let (_, vma) = frame.lanes[0]
        .machine
        .vmas(Range {
            start: 0,
            end: 1 << 47,
        })
        .nth(33_333)
        .unwrap();
    let mut view = TreeView::new(450);
    view.selected = Some(Selection {
        lane: 0,
        addr: vma.start,
    });
    let scene = draw(&frame, &view);
    let marked = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Rect {
            role: Role::Selected,
            area,
            ..
        } => Some(*area),
        _ => None,
    });
    let marked = marked.unwrap();
    let range = Range {
        start: vma.start,
        end: vma.end,
    };
    let item = scene
        .items
        .iter()
        .find(|item| matches!(item.target, Target::Vma { range: of, .. } if of == range));
    assert_eq!(item.unwrap().area, marked.grown(1));
}

#[test]
fn both_pictures_find_the_same() {
    let lesson = lessons::find("cactusbssn").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    let frame = at(&mut timeline, 3, None);
    let trees = draw(&frame, &TreeView::new(1380));
    let space = address_space::draw(&frame, &View::new(1380));
    let (mut vmas, mut gaps) = (0, 0);
    for item in &space.scene.items {
        let found = trees.find(item.target).is_some();
        match item.target {
            Target::Vma { .. } => {
                assert!(found, "{}", item.name);
                vmas += 1;
            }
            // The hole below the lowest mapping is cut off by the lens.
            Target::Gap { .. } => gaps += u32::from(found),
            _ => {}
        }
    }
    assert!(vmas > 10 && gaps >= 3, "{vmas} {gaps}");
}

#[test]
fn a_split_is_shown_as_it_happens() {
    let mut timeline = cut("6.6", 60);
    // The call that makes the first leaf overflow.
    let mut step = 1;
    while at(&mut timeline, step, None).lanes[0]
        .machine
        .tree()
        .height()
        < 2
    {
        step += 1;
    }
    let steps = timeline.micro_steps();
    let mut story = Vec::new();
    for micro in 1..=steps {
        let frame = at(&mut timeline, step, Some(micro));
        let Some(Event::Tree(_)) = frame.lanes[0].events.last() else {
            continue;
        };
        let scene = draw(&frame, &TreeView::new(900));
        story.push(scene.description.clone());
        let (mut waiting, mut dead, mut new) = (0, 0, 0);
        for item in &scene.items {
            if item.name.contains("slots, ") {
                waiting += u32::from(item.name.contains("not in the tree yet"));
                dead += u32::from(item.name.contains("dead: left"));
                new += u32::from(item.name.contains("new by this call"));
            }
        }
        let said = |what| number(&scene.description, what).unwrap_or(0);
        assert_eq!(
            u64::from(waiting),
            said(" filled, not"),
            "{}",
            scene.description
        );
        assert_eq!(u64::from(dead), said(" dead"), "{}", scene.description);
        assert_eq!(u64::from(new), said(" new"), "{}", scene.description);
    }
    expect![[r#"
        Lane A, Linux 6.6: height 1 · 1 node · 13 VMAs · RCU mode.
        Lane A, Linux 6.6: height 1 · 1 node · 13 VMAs · RCU mode. This call: 1 filled, not in the tree yet.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 1 new, 1 leaving.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 1 new, 1 dead.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 1 new, 1 dead.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 1 filled, not in the tree yet, 1 new, 1 dead.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 2 filled, not in the tree yet, 1 new, 1 dead.
        Lane A, Linux 6.6: height 1 · 1 node · 14 VMAs · RCU mode. This call: 3 filled, not in the tree yet, 1 new, 1 dead.
        Lane A, Linux 6.6: height 2 · 3 nodes · 15 VMAs · RCU mode. This call: 3 new, 1 leaving, 1 dead.
        Lane A, Linux 6.6: height 2 · 3 nodes · 15 VMAs · RCU mode. This call: 3 new, 1 dead, 1 made and dropped."#]].assert_eq(&story.join("\n"));
}

/// Splits, spanning stores over two and more leaves, and leaves that run empty.
fn mixed(kernels: &str) -> Timeline {
    let mut text = format!("mmscope 1\nkernels {kernels}\n{MAP}");
    let mut add = |line: String| text.push_str(&line);
    for page in (1..250).step_by(2) {
        add(format!("mprotect(a+{}, 4096, PROT_READ)\n", page * 4096));
    }
    for (first, pages) in [(3, 40), (60, 7), (67, 30), (150, 60), (120, 29), (230, 3)] {
        let (at, len) = (first * 4096, pages * 4096);
        add(format!("munmap(a+{at}, {len})\n"));
    }
    for (first, pages) in [(4, 2), (8, 30), (70, 1), (140, 70), (100, 100)] {
        let (at, len) = (first * 4096, pages * 4096);
        add(format!(
            "mmap(a+{at}, {len}, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED, -1, 0)\n"
        ));
    }
    for page in (0..256).step_by(12) {
        add(format!("munmap(a+{}, 20480)\n", page * 4096));
    }
    Timeline::new(Scenario::parse(&text).unwrap()).unwrap()
}

/// The heads of nodes of which the picture says `what`: number and range.
fn heads(scene: &Scene, lane: usize, what: &str) -> Vec<(String, Range)> {
    let mut heads = Vec::new();
    for item in &scene.items {
        if let Target::Node {
            lane: of, range, ..
        } = item.target
            && of == lane
            && item.name.contains(what)
            && item.name.contains("level")
        {
            let name = item.name.split(", ").next().unwrap();
            heads.push((name.to_owned(), range));
        }
    }
    heads
}

#[test]
fn a_waiting_node_covers_what_it_covers_in_the_tree() {
    let mut timeline = mixed("6.1 6.6 7.3");
    let mut held: Vec<Vec<(String, Range)>> = vec![Vec::new(); 3];
    let mut compared = 0;
    loop {
        let before = timeline.position();
        timeline.micro_forward();
        if timeline.position() == before {
            break;
        }
        let frame = timeline.frame();
        let mut view = TreeView::new(1920);
        for (lane, of) in frame.lanes.iter().enumerate() {
            if of.events.len() as u32 >= of.micro_steps && before.micro.is_some() {
                continue;
            }
            view.lanes = vec![lane];
            match of.events.last() {
                Some(Event::Tree(WriteEvent::Filled { .. })) => {
                    held[lane] = heads(&draw(&frame, &view), lane, "not in the tree yet");
                    assert!(!held[lane].is_empty());
                }
                Some(Event::Tree(WriteEvent::Published { .. })) => {
                    let new = heads(&draw(&frame, &view), lane, "new by this call");
                    for (name, range) in held[lane].drain(..) {
                        let of = new.iter().find(|(other, _)| *other == name);
                        assert_eq!(
                            of.map(|(_, range)| *range),
                            Some(range),
                            "{name} {before:?}"
                        );
                        compared += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_call_that_writes_everything_is_still_a_small_picture() {
    let mut text = format!(
        "mmscope 1\nkernels 6.6\n{}",
        MAP.replace("1048576", "16777216")
    );
    for page in (1..4000).step_by(2) {
        text.push_str(&format!("mprotect(a+{}, 4096, PROT_READ)\n", page * 4096));
    }
    text.push_str("mprotect(a, 16777216, PROT_NONE)\n");
    let mut timeline = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    timeline.last();
    let frame = timeline.frame();
    let scene = draw(&frame, &TreeView::new(700));
    assert!(number(&scene.description, " dead").unwrap() > 100);
    assert!(svg::print(&scene).len() < 80_000);
    let said = scene.shapes.iter().any(
        |shape| matches!(shape, Shape::Text { text, .. } if text.ends_with("left the tree, not drawn.")),
    );
    assert!(said);
}

#[test]
fn new_and_dead_nodes_add_up() {
    let mut timeline = mixed("6.1 6.6 7.3");
    let mut before = [0; 3];
    for step in 1..=timeline.step_count() {
        let frame = at(&mut timeline, step, None);
        for (lane, of) in frame.lanes.iter().enumerate() {
            let mut view = TreeView::new(900);
            view.lanes = vec![lane];
            let said = draw(&frame, &view).description;
            let count = |what| number(&said, what).unwrap_or(0);
            let now = u64::from(of.machine.tree().nodes().len());
            assert_eq!(before[lane] + count(" new"), now + count(" dead"), "{said}");
            before[lane] = now;
        }
    }
}

#[test]
fn children_of_a_replaced_node_are_reused() {
    let mut timeline = cut("6.6", 60);
    let mut reused = None;
    for step in 1..60 {
        let frame = at(&mut timeline, step, None);
        let scene = draw(&frame, &TreeView::new(1380));
        if scene.description.contains(" reused") {
            reused = Some(scene);
            break;
        }
    }
    let reused = reused.unwrap();
    let has = |role: Role| reused.shapes.iter().any(|shape| shape.role() == role);
    assert!(has(Role::NodeReused) && has(Role::Changed) && has(Role::Removed));
}

#[test]
fn trees_without_nodes_are_told() {
    let mut timeline = cut("6.0 6.1 7.1", 1);
    let scene = draw(&at(&mut timeline, 0, None), &TreeView::new(1380));
    expect!["Lane A, Linux 6.0: red-black tree: this kernel has no maple tree. Lane B, Linux 6.1: empty: the root pointer is NULL · not in RCU mode. Lane C, Linux 7.1: empty: the root pointer is NULL · RCU mode (assumed)."].assert_eq(&scene.description);
    let scene = draw(&at(&mut timeline, 3, None), &TreeView::new(1380));
    expect!["Lane A, Linux 6.0: red-black tree: this kernel has no maple tree. Lane B, Linux 6.1: height 1 · 1 node · 3 VMAs · not in RCU mode. This call: 1 changed in place. Lane C, Linux 7.1: height 1 · 1 node · 3 VMAs · RCU mode (assumed). This call: 1 new, 1 dead."].assert_eq(&scene.description);
}

#[test]
fn a_table_has_what_the_picture_has() {
    let mut timeline = cut("6.6", 10);
    let frame = at(&mut timeline, 11, None);
    let view = TreeView::new(900);
    let scene = draw(&frame, &view);
    let tables = tables(&frame, &view);
    let rows = &tables[0].rows;
    for item in &scene.items {
        let lane = matches!(item.target, Target::Lane { .. });
        assert!(
            lane || rows.iter().any(|row| row.what == item.name),
            "{}",
            item.name
        );
    }
}

/// Where a text will stand, near enough.
fn text_area(shape: &Shape) -> Option<(Area, &str)> {
    let Shape::Text {
        at,
        anchor,
        size,
        mono,
        text,
        ..
    } = shape
    else {
        return None;
    };
    let per_char = if *mono { 60 } else { 48 };
    let w = i32::try_from(text.chars().count()).unwrap() * size.px() * per_char / 100;
    let x = match anchor {
        Anchor::Start => at.0,
        Anchor::Middle => at.0 - w / 2,
        Anchor::End => at.0 - w,
    };
    let (y, h) = (at.1 - size.px() * 3 / 4, size.px());
    Some((Area { x, y, w, h }, text))
}

fn apart(a: Area, b: Area) -> bool {
    a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
}

/// Texts lie neither on each other nor outside, and nodes not on each other.
fn assert_tidy(scene: &Scene) {
    let (mut texts, mut boxes) = (Vec::new(), Vec::new());
    for shape in &scene.shapes {
        texts.extend(text_area(shape));
        if let Shape::Rect {
            role: Role::Node,
            area,
            round: 0,
        } = shape
            && area.w > 20
        {
            boxes.push(*area);
        }
    }
    for (index, (a, one)) in texts.iter().enumerate() {
        assert!(
            a.x >= 0 && a.x + a.w <= scene.width && a.y >= 0 && a.y + a.h <= scene.height,
            "{one} is cut off at {}",
            scene.width
        );
        for (b, other) in &texts[index + 1..] {
            assert!(
                apart(*a, *b),
                "{one:?} at {a:?} and {other:?} at {b:?}, {}",
                scene.width
            );
        }
    }
    for (index, a) in boxes.iter().enumerate() {
        assert!(
            a.x >= 0 && a.x + a.w <= scene.width,
            "{a:?} in {}",
            scene.width
        );
        for b in &boxes[index + 1..] {
            assert!(apart(*a, *b), "{a:?} {b:?} in {}", scene.width);
        }
    }
}

#[test]
fn everything_has_its_place_at_every_width() {
    let mut timeline = cut("6.1 6.6 7.3", 60);
    for width in [0, 280, 360, 450, 700, 1380, 1920] {
        for step in [0, 1, 8, 20, 61, 62, 63] {
            for micro in [None, Some(9)] {
                let frame = at(&mut timeline, step, micro);
                for lanes in [vec![], vec![1]] {
                    let mut view = TreeView::new(width);
                    view.lanes = lanes;
                    view.heading = Some("A heading".to_owned());
                    view.footer = Some("A footer that says where it comes from".to_owned());
                    assert_tidy(&draw(&frame, &view));
                }
            }
        }
    }
    let timeline = crowded();
    for width in [360, 450, 1380] {
        assert_tidy(&draw(&timeline.frame(), &TreeView::new(width)));
    }
}

#[test]
fn every_decision_can_be_shown() {
    let mut timeline = cut("6.1-rc1 6.1 6.18", 60);
    let mut shown = 0;
    loop {
        let before = timeline.position();
        timeline.micro_forward();
        if timeline.position() == before {
            break;
        }
        let frame = timeline.frame();
        let scene = draw(&frame, &TreeView::new(1380));
        assert!(!scene.description.is_empty());
        shown += 1;
    }
    assert!(shown > 900, "{shown}");
}
