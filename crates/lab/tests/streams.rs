//! Walks through mappings, where they really lie in each lane.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_lab::streams::tlb::{Event, Level, PageSize};
use mmscope_lab::streams::{LaneRun, Streams, StreamsError};
use mmscope_lab::{Position, Scenario, Timeline};

/// 20 arrays of 4632 kB, all mapped and then all written to, below the address that the recorded comparisons have.
fn cactus(thp: &str, tlb: &str, walk: &str) -> Timeline {
    let mut text = format!(
        "mmscope 1\nkernels 6.6 6.10 6.12\nset thp {thp}\nset mmap_base 0x7effffe49000\ntlb {tlb}\nwalk {walk}\n"
    );
    for at in 0..20 {
        text += &format!(
            "a{at} = mmap(NULL, 4632k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n"
        );
    }
    for at in 0..20 {
        text += &format!("touch(a{at}, 4632k)\n");
    }
    let mut timeline = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    timeline.last();
    timeline
}

fn run(timeline: &Timeline, lane: usize) -> LaneRun {
    let streams = Streams::of(timeline.scenario()).unwrap().unwrap();
    let mut run = streams.in_lane(timeline, lane).unwrap();
    run.run(u64::MAX);
    assert_eq!(run.done(), run.total());
    run
}

const SWEEP: &str = "stencil i=2..82 j=2..82 k=2..82:2";

/// Counts of the whole grid as they are recorded (`golden_presets`), here over mappings that the kernels' model has placed and
/// pages that its faults have made: walks with small pages merged and aligned, and with huge ones.
#[test]
fn the_presets_over_real_mappings() {
    for (preset, walks) in [
        ("ivybridge_ep", [55_440, 28_960_640, 174, 3_092_892]),
        ("goldencove", [28_568, 25_165, 151, 2_478]),
    ] {
        for (thp, [merged, aligned]) in [("never", [0, 1]), ("always", [2, 3])] {
            let timeline = cactus(thp, preset, SWEEP);
            for (lane, walks) in [(0, walks[merged]), (1, walks[aligned]), (2, walks[merged])] {
                let run = run(&timeline, lane);
                assert_eq!(run.absent_pages(), 0);
                let counts = run.counts();
                assert_eq!(counts.accesses(), 66_560_000);
                assert_eq!(counts.walks(), walks, "{preset}, thp {thp}, lane {lane}");
            }
        }
    }
}

#[test]
fn counts_by_stream_and_mapping_add_up() {
    let timeline = cactus(
        "never",
        "4K:16x4:lru/4K:128x8:lru/32-4-2",
        "lockstep n=200000 size=4632k stride=8",
    );
    for (lane, mappings, walks) in [(0, 1, 400), (1, 20, 200_000)] {
        let run = run(&timeline, lane);
        assert_eq!(run.counts().walks(), walks);
        let by_stream: u64 = run
            .shares()
            .streams()
            .iter()
            .map(|counts| counts.walks)
            .sum();
        assert_eq!(by_stream, walks);
        let by_mapping = run.by_mapping();
        assert_eq!(by_mapping.len(), mappings);
        let all: u64 = by_mapping.iter().map(|mapping| mapping.counts.walks).sum();
        assert_eq!(all, walks);
        let accesses: u64 = by_mapping
            .iter()
            .map(|mapping| mapping.counts.accesses)
            .sum();
        assert_eq!(accesses, 200_000);
        // Each entry that leaves leaves for one of a mapping, and was brought in for one.
        let mut evictions = 0;
        for came in &by_mapping {
            for left in &by_mapping {
                evictions += run.evictions(Level::Second, came.vma, left.vma);
            }
        }
        let lost: u64 = run
            .tlb()
            .structures()
            .filter(|(id, _)| id.level == Level::Second)
            .flat_map(|(id, structure)| {
                let sets = run.tlb().set_counts(id);
                sets.into_iter()
                    .map(move |set| set.evictions(structure.ways))
            })
            .sum();
        assert_eq!(evictions, lost);
        assert!(lane == 0 || lost > 190_000);
    }
}

#[test]
fn a_walk_is_over_what_is_mapped_at_the_playhead() {
    let text = "mmscope 1
kernels 6.10
set thp always
walk lockstep n=600 size=2M stride=4k
a = mmap(NULL, 2M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
mmap(NULL, 1M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
b = mmap(NULL, 4M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
touch(a, 4k)
touch(b, 4k)
munmap(b+1M, 4k)
munmap(a, 4k)
";
    let scenario = Scenario::parse(text).unwrap();
    let printed = scenario.to_string();
    assert!(
        printed.contains("\nwalk lockstep n=600 size=2M stride=4k\n"),
        "{printed}"
    );
    assert_eq!(Scenario::parse(&printed).as_ref(), Ok(&scenario));
    let streams = Streams::of(&scenario).unwrap().unwrap();
    let mut timeline = Timeline::new(scenario).unwrap();
    let mut at = |step| {
        timeline.go(Position { step, micro: None });
        streams.in_lane(&timeline, 0).map(|run| {
            let steps: Vec<u32> = run.streams().iter().map(|stream| stream.step).collect();
            let huge = run
                .streams()
                .iter()
                .filter(|stream| run.pages().size(stream.range.start) == PageSize::Huge);
            (steps, huge.count(), run.absent_pages())
        })
    };
    let none = Err(StreamsError::NoStreams { bytes: 2 << 20 });
    assert_eq!(at(0), none);
    assert_eq!(at(1), Ok((vec![1], 0, 512)));
    assert_eq!(at(2), Ok((vec![1], 0, 512)), "1 MB is too short");
    assert_eq!(at(3), Ok((vec![1, 3], 0, 1024)));
    assert_eq!(at(4), Ok((vec![1, 3], 1, 512)));
    assert_eq!(at(5), Ok((vec![1, 3], 2, 0)));
    assert_eq!(at(6), Ok((vec![1], 1, 0)), "b has a hole");
    assert_eq!(at(7), none);
}

#[test]
fn a_walk_in_slices_and_step_by_step_is_the_same() {
    let timeline = cactus("always", "zen2", "stencil i=2..30 j=2..6 k=4..5");
    let streams = Streams::of(timeline.scenario()).unwrap().unwrap();
    let whole = run(&timeline, 1);
    let mut sliced = streams.in_lane(&timeline, 1).unwrap();
    let mut accesses = 0;
    for slice in (1..).step_by(97) {
        let stepped = sliced.step(slice / 7, &mut |event| {
            accesses += u64::from(matches!(event, Event::Access { .. }));
        });
        accesses += sliced.run(slice);
        if stepped == 0 && slice > 7 {
            break;
        }
    }
    assert_eq!(accesses, whole.total());
    assert_eq!(sliced.counts(), whole.counts());
    assert_eq!(sliced.shares(), whole.shares());
    assert_eq!(sliced.by_mapping(), whole.by_mapping());
}

#[test]
fn a_list_counts_from_the_streams() {
    let timeline = cactus(
        "never",
        "4K:1x2:lru/none/0-0-0",
        "list 0:0 1:8 0:16 2:0 1:0x1000 over=a1",
    );
    let streams = Streams::of(timeline.scenario()).unwrap().unwrap();
    assert_eq!(
        streams.in_lane(&timeline, 0).unwrap_err(),
        StreamsError::NoSuchStream {
            stream: 1,
            streams: 1
        }
    );
    let timeline = cactus(
        "never",
        "4K:1x2:lru/none/0-0-0",
        "list 0:0 1:8 0:16 2:0 1:0x1000",
    );
    let run = run(&timeline, 1);
    let shares = run.shares();
    let walks: Vec<u64> = shares.streams().iter().map(|counts| counts.walks).collect();
    assert_eq!(walks[..4], [1, 2, 1, 0]);
    // Two ways: 2 sends 1 away, and the second page of 1 then 0.
    assert_eq!(shares.evictions(Level::First, 2, 1), 1);
    assert_eq!(shares.evictions(Level::First, 1, 0), 1);
}

#[test]
fn what_can_not_be_is_said() {
    let of = |tlb: &str, walk: &str| {
        let timeline = cactus("never", tlb, walk);
        Streams::of(timeline.scenario())
            .and_then(|streams| streams.unwrap().in_lane(&timeline, 0).map(|_| ()))
            .unwrap_err()
    };
    let walk = "lockstep n=1 size=4k stride=8";
    assert!(matches!(of("skylark", walk), StreamsError::Tlb(_)));
    assert!(matches!(
        of("4K:3x4:lru/none/0-0-0", walk),
        StreamsError::Tlb(_)
    ));
    assert!(matches!(of("skylake", "amble"), StreamsError::Order(_)));
    assert!(matches!(
        of("skylake", "random n=1 size=4k elem=8"),
        StreamsError::Pattern(_)
    ));
    assert!(matches!(
        of("skylake", "stencil i=0..82 j=0..82 k=0..82"),
        StreamsError::OutOfGrid { .. }
    ));
    assert_eq!(
        of("skylake", "lockstep n=1 size=1G stride=8"),
        StreamsError::NoStreams { bytes: 1 << 30 }
    );
    let timeline = cactus("never", "skylake", walk);
    let streams = Streams::of(timeline.scenario()).unwrap().unwrap();
    assert_eq!(
        streams.in_lane(&timeline, 3).unwrap_err(),
        StreamsError::NoSuchLane
    );
    let plain = Scenario::parse("mmscope 1\nkernels 6.6\ntlb skylake\n").unwrap();
    assert_eq!(Streams::of(&plain), Ok(None));
}
