//! The lessons show what they say.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;

use expect_test::expect_file;
use mmscope_lab::link::{self, Content, Link};
use mmscope_lab::{Position, Scenario, Timeline, lessons};
use mmscope_mm::Outcome;

fn cactus() -> Timeline {
    let lesson = lessons::find("cactusbssn").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    timeline.go(lesson.position);
    timeline
}

#[test]
fn every_lesson_is_a_scenario_and_its_stops_exist() {
    for lesson in lessons::all() {
        let scenario = Scenario::parse(lesson.scenario).unwrap();
        assert_eq!(
            scenario.to_string(),
            lesson.scenario,
            "{} is not written as it is printed",
            lesson.id
        );
        let timeline = Timeline::new(scenario).unwrap();
        let last = timeline.step_count();
        assert!(lesson.stops.iter().all(|stop| stop.step <= last));
        assert!(lesson.position.step <= last);
        assert_eq!(lessons::find(lesson.id), Some(lesson));
    }
}

/// Row A of the recorded placements, and the VMAs and gaps that go with it.
#[test]
fn cactusbssn_parts_ways_at_its_first_call() {
    let mut timeline = cactus();
    assert_eq!(
        timeline.position(),
        Position {
            step: 1,
            micro: None
        }
    );
    assert_eq!(timeline.frame().divergence, Some(1));
    let start: Vec<u64> = timeline
        .frame()
        .lanes
        .iter()
        .map(|lane| lane.ledger_at_start.gap_bytes)
        .collect();
    let row_a = [
        [0x7fff_f794_a000, 0x7fff_f780_0000, 0x7fff_f794_a000],
        [0x7fff_f74c_4000, 0x7fff_f720_0000, 0x7fff_f74c_4000],
        [0x7fff_f703_e000, 0x7fff_f6c0_0000, 0x7fff_f703_e000],
    ];
    let added = [[0, 1, 0], [0, 2, 0], [0, 3, 0]];
    let gap_kb = [
        [0, 1320, 0],
        [0, 1320 + 1512, 0],
        [0, 1320 + 1512 + 1512, 0],
    ];
    for step in 0..3 {
        timeline.go(Position {
            step: step as u32 + 1,
            micro: None,
        });
        let frame = timeline.frame();
        assert!(
            frame
                .call
                .as_ref()
                .unwrap()
                .starts_with("mmap(NULL, 4743168, ")
        );
        for (lane, found) in frame.lanes.iter().enumerate() {
            assert_eq!(found.outcome, Some(Outcome::Address(row_a[step][lane])));
            assert_eq!(
                found.ledger.vmas - found.ledger_at_start.vmas,
                added[step][lane]
            );
            assert_eq!(
                (found.ledger.gap_bytes - start[lane]) / 1024,
                gap_kb[step][lane]
            );
            assert_eq!(
                found.ledger.mapped_bytes - found.ledger_at_start.mapped_bytes,
                (step as u64 + 1) * 4_743_168
            );
        }
    }
}

#[test]
fn cactusbssn_ends_as_one_mapping_or_as_25() {
    let mut timeline = cactus();
    timeline.last();
    let frame = timeline.frame();
    let added: Vec<u64> = frame
        .lanes
        .iter()
        .map(|lane| lane.ledger.vmas - lane.ledger_at_start.vmas)
        .collect();
    assert_eq!(added, [0, 25, 0]);
    let gaps: Vec<u64> = frame
        .lanes
        .iter()
        .map(|lane| lane.ledger.gap_bytes - lane.ledger_at_start.gap_bytes)
        .collect();
    assert_eq!(gaps, [0, (1320 + 24 * 1512) * 1024, 0]);
}

/// The end of each lesson as a link, and the state hash of each lane there. The page is held to the same file.
#[test]
fn the_end_of_each_lesson_has_the_known_state() {
    let mut lines = String::new();
    for lesson in lessons::all() {
        let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
        timeline.last();
        let link = link::encode(&Link {
            content: Content::Lesson(lesson.id.into()),
            position: Some(timeline.position()),
            view: Default::default(),
        });
        write!(lines, "{} {link}", lesson.id).unwrap();
        for lane in timeline.frame().lanes {
            write!(lines, " {:016x}", lane.state_hash).unwrap();
        }
        lines.push('\n');
    }
    expect_file!["data/lesson_states.txt"].assert_eq(&lines);
}
