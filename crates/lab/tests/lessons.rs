//! The lessons show what they say.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;

use expect_test::expect_file;
use mmscope_lab::link::{self, Content, Link};
use mmscope_lab::{Position, Scenario, Timeline, lessons};
use mmscope_mm::{Kernel, Outcome};

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
        assert!(lesson.stops.windows(2).all(|two| two[0].step < two[1].step));
        for stop in lesson.stops {
            assert!(
                stop.count
                    .is_none_or(|count| count.from < count.to && count.to <= stop.step)
            );
        }
        for two in lesson.stops.windows(2) {
            if let Some(question) = two[0].question {
                assert!(question.lane < timeline.lane_count());
                assert_eq!(question.count.to, two[1].step, "the next stop answers");
            }
        }
        assert!(lesson.stops.last().unwrap().question.is_none());
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

/// Nodes asked for by calls `from + 1` to `to` in each lane.
fn asked(timeline: &Timeline, from: u32, to: u32) -> Vec<u64> {
    let at = |lane, step| timeline.ledger(lane, step).unwrap().nodes.unwrap().asked;
    (0..timeline.lane_count())
        .map(|lane| at(lane, to) - at(lane, from))
        .collect()
}

/// Every round, shrink and growth of the lesson, under the kernels of the lesson and under 6.5.
#[test]
fn page_test_asks_for_15_127_and_2_nodes_a_round() {
    let lesson = lessons::find("page_test").unwrap();
    let mut scenario = Scenario::parse(lesson.scenario).unwrap();
    for (kernels, two, three) in [
        (
            "6.1-rc1 6.1 6.6",
            [[15, 15, 2], [0, 7, 0], [15, 127, 2]],
            [[21, 21, 2], [0, 10, 0], [21, 181, 2]],
        ),
        (
            "6.5 6.2 7.3",
            [[9, 15, 2], [7, 7, 0], [121, 127, 2]],
            [[12, 21, 2], [10, 10, 0], [172, 181, 2]],
        ),
    ] {
        scenario.kernels = kernels
            .split(' ')
            .map(|name| Kernel::parse(name).unwrap())
            .collect();
        let mut timeline = Timeline::new(scenario.clone()).unwrap();
        timeline.last();
        for (start, height, [shrink, grow, round]) in
            [(2, 2, two), (19, 2, two), (36, 2, two), (133, 3, three)]
        {
            assert_eq!(asked(&timeline, start, start + 1), shrink, "{kernels}");
            for growth in start + 1..start + 17 {
                assert_eq!(asked(&timeline, growth, growth + 1), grow, "{kernels}");
            }
            assert_eq!(asked(&timeline, start, start + 17), round, "{kernels}");
            timeline.go(Position {
                step: start + 17,
                micro: None,
            });
            for lane in timeline.frame().lanes {
                assert_eq!(lane.before.tree().height(), height);
                assert_eq!(lane.ledger.nodes, Some(lane.machine.process().nodes));
            }
        }
    }
}

/// What a stop counts, and the answers to its questions, come from the same ledger.
#[test]
fn questions_are_answered_by_counting() {
    let lesson = lessons::find("page_test").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    let mut answers = Vec::new();
    for stop in lesson.stops {
        timeline.go(Position {
            step: stop.step,
            micro: None,
        });
        if let Some(question) = stop.question {
            answers.push((question, question.count.of(&timeline, question.lane)));
        }
    }
    assert!(
        answers.iter().all(|(_, early)| early.is_none()),
        "not known when asked"
    );
    let answers: Vec<_> = answers
        .iter()
        .map(|(question, _)| question.count.of(&timeline, question.lane))
        .collect();
    assert_eq!(answers, [Some(127), Some(181)]);
}

#[test]
fn six_zero_has_no_nodes_to_count() {
    let lesson = lessons::find("page_test").unwrap();
    let mut scenario = Scenario::parse(lesson.scenario).unwrap();
    scenario.kernels = vec![Kernel::parse("6.0").unwrap()];
    let mut timeline = Timeline::new(scenario).unwrap();
    timeline.last();
    assert_eq!(timeline.ledger(0, 0).unwrap().nodes, None);
    assert_eq!(timeline.ledger(0, 150).unwrap().nodes, None);
    assert_eq!(timeline.frame().lanes[0].nodes_of_call(), None);
    let count = lesson.stops[3].count.unwrap();
    assert_eq!(count.of(&timeline, 0), None);
}

/// Half-way through a call the writes shown so far are counted, and going back takes them out again.
#[test]
fn nodes_are_counted_write_by_write() {
    let lesson = lessons::find("page_test").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    let mut seen = Vec::new();
    timeline.go(Position {
        step: 3,
        micro: None,
    });
    for micro in (0..timeline.micro_steps()).rev() {
        timeline.go(Position {
            step: 3,
            micro: Some(micro),
        });
        seen.push(timeline.frame().lanes[1].nodes_of_call().unwrap().asked);
    }
    seen.dedup();
    assert_eq!(seen, [15, 8, 7, 0]);
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
