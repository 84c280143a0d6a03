//! The list of maps: the kernel's own lines, what differs between lanes, what the call did; and smaps.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use mmscope_figure::Selection;
use mmscope_figure::maps::{self, Became, Line, list, smaps_of};
use mmscope_lab::{Frame, Position, Scenario, Timeline, lessons};

fn timeline(text: &str, step: u32) -> Timeline {
    let mut timeline = Timeline::new(Scenario::parse(text).unwrap()).unwrap();
    timeline.go(Position { step, micro: None });
    timeline
}

fn lesson(step: u32) -> Timeline {
    timeline(lessons::find("cactusbssn").unwrap().scenario, step)
}

fn text(line: &Line) -> String {
    line.fields
        .iter()
        .map(|field| field.text.as_str())
        .collect()
}

/// A line as `lanes sign text`, what differs in brackets.
fn told(line: &Line) -> String {
    let lanes: String = line
        .lanes
        .iter()
        .map(|lane| char::from(b'A' + *lane as u8))
        .collect();
    let sign = match line.became {
        Became::Same => ' ',
        Became::New => '+',
        Became::Changed => '~',
        Became::Gone => '-',
    };
    let fields: Vec<String> = line
        .fields
        .iter()
        .map(|field| match field.differs {
            true => format!("[{}]", field.text.trim()),
            false => field.text.trim().to_owned(),
        })
        .filter(|field| !field.is_empty())
        .collect();
    format!("{lanes} {sign} {}", fields.join(" "))
}

/// Holds that the lines of each lane, without what is gone, are the kernel's file.
fn assert_whole(frame: &Frame, at_most: usize) {
    let mut lanes = vec![String::new(); frame.lanes.len()];
    let mut from = 0;
    loop {
        let page = list(frame, from, at_most);
        assert!(page.lines.len() <= at_most.max(frame.lanes.len() * 2));
        for line in page.lines.iter().filter(|line| line.became != Became::Gone) {
            for lane in &line.lanes {
                lanes[*lane].push_str(&text(line));
                lanes[*lane].push('\n');
            }
        }
        match page.next {
            Some(next) => {
                assert!(next > from);
                from = next;
            }
            None => break,
        }
    }
    for (lane, lines) in frame.lanes.iter().zip(lanes) {
        assert!(lines == maps::maps_text(lane), "lane {}", lane.letter);
    }
}

#[test]
fn every_lane_has_its_file_whatever_the_pages() {
    for step in [0, 1, 2, 3, 25] {
        let timeline = lesson(step);
        for at_most in [1, 2, 7, 300] {
            assert_whole(&timeline.frame(), at_most);
        }
    }
}

#[test]
fn what_differs_and_what_the_call_did_is_marked() {
    let timeline = lesson(2);
    let list = list(&timeline.frame(), 0x7fff_0000_0000, 100);
    let lines: Vec<String> = list.lines.iter().map(told).take(6).collect();
    assert_eq!(
        lines,
        [
            "B + [7ffff7200000-] [7ffff7686000] rw-p 00000000 00:00 0",
            "AC + [7ffff74c4000-] [7ffff7dd3000] rw-p 00000000 00:00 0",
            "B   [7ffff7800000-] [7ffff7c86000] rw-p 00000000 00:00 0",
            "AC - [7ffff794a000-] [7ffff7dd3000] rw-p 00000000 00:00 0",
            "B   [7ffff7dd0000-] [7ffff7dd3000] rw-p 00000000 00:00 0",
            "ABC   7ffff7dd3000- 7ffff7df9000 r--p 00000000 fe:00 326279 /usr/lib/x86_64-linux-gnu/libc.so.6",
        ]
    );
    assert!(list.previous.is_some() && list.next.is_none());
}

#[test]
fn a_field_that_differs_is_marked_alone() {
    let program = "mmscope 1
kernels 6.6 7.3
a = mmap(NULL, 64k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
mprotect(a, 128k, PROT_READ)
";
    let mut lanes = timeline(program, 1);
    assert_whole(&lanes.frame(), 5);
    lanes.go(Position {
        step: 2,
        micro: None,
    });
    let list = list(&lanes.frame(), 0, 10);
    let lines: Vec<String> = list.lines.iter().map(told).collect();
    assert_eq!(
        lines,
        ["AB ~ 7ffff7fef000- 7ffff7fff000 r--p 00000000 00:00 0"]
    );
}

#[test]
fn smaps_is_the_kernels_with_what_differs() {
    let timeline = lesson(1);
    let smaps = smaps_of(&timeline.frame(), None).unwrap();
    assert_eq!(smaps.rows.first().unwrap().name, "Size");
    assert_eq!(smaps.rows.last().unwrap().name, "VmFlags");
    let size = &smaps.rows[0];
    assert_eq!(size.values, ["4644 kB", "4632 kB", "4644 kB"]);
    assert!(size.differs && !smaps.rows[1].differs);
    for (lane, shown) in timeline.frame().lanes.iter().enumerate() {
        let whole = maps::smaps_text(shown);
        let entry = whole.split_once(&smaps.heads[lane]).unwrap().1;
        for row in &smaps.rows {
            if row.values[lane].is_empty() {
                assert_eq!(row.name, "KSM", "6.6 has it, too");
                continue;
            }
            let line = entry
                .lines()
                .find(|line| line.starts_with(&format!("{}:", row.name)));
            assert_eq!(
                line.unwrap().split_once(':').unwrap().1.trim(),
                row.values[lane]
            );
        }
    }
    let nowhere = Some(Selection {
        lane: 0,
        addr: 0x1000,
    });
    assert_eq!(smaps_of(&timeline.frame(), nowhere), None);
}

#[test]
fn many_mappings_are_asked_for_page_by_page() {
    let mut text = String::from(
        "mmscope 1\nkernels 6.6 6.12\na = mmap(NULL, 256M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n",
    );
    for index in 0..2000 {
        text.push_str(&format!("mprotect(a+{}k, 4k, PROT_READ)\n", index * 8 + 4));
    }
    let mut lanes = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    lanes.go(Position {
        step: 2001,
        micro: None,
    });
    let frame = lanes.frame();
    assert_eq!(maps::from(&frame, None, 9000, 4), 0, "all have room");
    let from = maps::from(&frame, None, 300, 40);
    let page = list(&frame, from, 300);
    assert!(page.lines.len() <= 300);
    assert!(
        page.lines
            .iter()
            .any(|line| line.became == Became::New || line.became == Became::Changed)
    );
    assert!(page.previous.is_some_and(|previous| previous < from));
    assert_whole(&frame, 300);
}
