//! Going anywhere in time gives the same state as going there step by step.

#![allow(clippy::unwrap_used, reason = "a test")]

use mmscope_lab::{CallLine, Piece, PieceKind, Position, Program, Scenario, Timeline};
use mmscope_mm::page::TASK_SIZE;
use mmscope_mm::{Access, Call, Kernel, MapFlags, Mmap, Mremap, MremapFlags, Outcome, Prot, Range};
use proptest::prelude::*;

const PAGE: u64 = 4096;
const BASE: u64 = 0x1000_0000;

/// A call that hits what others did: addresses from a small window, or a distance from an earlier result.
fn call() -> impl Strategy<Value = (Call, Option<u8>)> {
    let place = (0u64..64, 1u64..40).prop_map(|(at, len)| (BASE + at * 16 * PAGE, len * 8 * PAGE));
    let prot = prop_oneof![
        Just(Prot::READ | Prot::WRITE),
        Just(Prot::READ),
        Just(Prot::empty())
    ];
    let flags = prop_oneof![
        Just(MapFlags::empty()),
        Just(MapFlags::FIXED),
        Just(MapFlags::FIXED_NOREPLACE),
        Just(MapFlags::GROWSDOWN),
        Just(MapFlags::STACK),
    ];
    let any_len =
        prop_oneof![1u64..64, Just(512), Just(513), Just(1024)].prop_map(|pages| pages * PAGE);
    let base = proptest::option::weighted(0.3, 0u8..4);
    let placed = (place.clone(), prot.clone(), flags).prop_map(|((addr, len), prot, flags)| {
        let mmap = Mmap {
            addr,
            prot,
            flags: flags | MapFlags::PRIVATE_ANONYMOUS,
            ..Mmap::anonymous(len)
        };
        (Call::Mmap(mmap), None)
    });
    let free = (any_len, prot.clone()).prop_map(|(len, prot)| {
        (
            Call::Mmap(Mmap {
                prot,
                ..Mmap::anonymous(len)
            }),
            None,
        )
    });
    let away = (place.clone(), base.clone()).prop_map(|((addr, len), base)| {
        let addr = if base.is_some() { addr - BASE } else { addr };
        (Call::Munmap { addr, len }, base)
    });
    let protect = (place.clone(), prot, base.clone()).prop_map(|((addr, len), prot, base)| {
        let addr = if base.is_some() { addr - BASE } else { addr };
        (Call::Mprotect { addr, len, prot }, base)
    });
    let flags = (1u32..8).prop_map(MremapFlags::from_bits_retain);
    let remap = (place.clone(), 1u64..40, 0u64..400, flags, base.clone()).prop_map(
        |((addr, old_len), pages, to, flags, base)| {
            let addr = if base.is_some() { addr - BASE } else { addr };
            let remap = Mremap {
                addr,
                old_len,
                new_len: if pages < 10 { old_len } else { pages * PAGE },
                flags,
                new_addr: BASE + to * PAGE,
            };
            (Call::Mremap(remap), base)
        },
    );
    let touch = (place, any::<bool>(), base).prop_map(|((addr, len), write, base)| {
        let addr = if base.is_some() { addr - BASE } else { addr };
        let access = if write { Access::Write } else { Access::Read };
        (
            Call::Touch {
                addr,
                len,
                stride: PAGE,
                access,
            },
            base,
        )
    });
    let brk = (0u64..40).prop_map(|pages| {
        (
            Call::Brk {
                addr: 0x5555_5555_9000 + pages * PAGE,
            },
            None,
        )
    });
    prop_oneof![3 => placed, 4 => free, 3 => away, 2 => protect, 3 => remap, 2 => touch, 1 => brk]
}

/// A program in which mmaps take the names a to d in turn.
fn program(most: usize) -> impl Strategy<Value = Program> {
    proptest::collection::vec(call(), 1..most).prop_map(|calls| {
        let mut named = 0u8;
        let lines = calls.into_iter().map(|(call, base)| {
            let mut line = CallLine::new(call);
            line.relative_to = base.filter(|base| *base < named).map(name);
            if let Call::Mmap(_) = call {
                line.name = Some(name(named % 4));
                named = named.saturating_add(1);
            }
            line
        });
        Program::of_calls(lines)
    })
}

fn name(number: u8) -> String {
    char::from(b'a' + number % 4).to_string()
}

fn timeline(program: Program, kernels: &[&str]) -> Timeline {
    let base = Scenario::parse(mmscope_lab::lessons::all()[0].scenario).unwrap();
    let kernels = kernels
        .iter()
        .map(|name| Kernel::parse(name).unwrap())
        .collect();
    Timeline::new(Scenario {
        program,
        kernels,
        ..base
    })
    .unwrap()
}

/// The hashes of all lanes at all places, taken by going forwards only, one decision at a time.
fn hashes(timeline: &mut Timeline) -> Vec<(Position, Vec<u64>)> {
    let mut hashes = Vec::new();
    for step in 0..=timeline.step_count() {
        let mut fresh = Position { step, micro: None };
        timeline.go(fresh);
        for micro in 0..timeline.micro_steps() {
            fresh.micro = Some(micro);
            timeline.go(fresh);
            hashes.push((timeline.position(), hash(timeline)));
        }
        timeline.go(Position { step, micro: None });
        hashes.push((timeline.position(), hash(timeline)));
    }
    hashes
}

fn hash(timeline: &Timeline) -> Vec<u64> {
    timeline
        .frame()
        .lanes
        .iter()
        .map(|lane| lane.state_hash)
        .collect()
}

/// A walk on the playhead.
#[derive(Clone, Debug)]
enum Walk {
    Forward,
    Back,
    MicroForward,
    MicroBack,
    Go(u16, Option<u8>),
    First,
    Last,
    Survey(u8),
}

fn walk() -> impl Strategy<Value = Walk> {
    prop_oneof![
        4 => Just(Walk::Forward),
        6 => Just(Walk::Back),
        4 => Just(Walk::MicroForward),
        4 => Just(Walk::MicroBack),
        2 => any::<(u16, Option<u8>)>().prop_map(|(step, micro)| Walk::Go(step, micro)),
        1 => Just(Walk::First),
        1 => Just(Walk::Last),
        1 => any::<u8>().prop_map(Walk::Survey),
    ]
}

fn take(timeline: &mut Timeline, walk: &Walk) {
    match *walk {
        Walk::Forward => timeline.step_forward(),
        Walk::Back => timeline.step_back(),
        Walk::MicroForward => timeline.micro_forward(),
        Walk::MicroBack => timeline.micro_back(),
        Walk::Go(step, micro) => {
            let step = u32::from(step) % (timeline.step_count() + 2);
            timeline.go(Position {
                step,
                micro: micro.map(|micro| u32::from(micro) % 12),
            });
        }
        Walk::First => timeline.first(),
        Walk::Last => timeline.last(),
        Walk::Survey(calls) => {
            timeline.survey(u32::from(calls));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Journal backwards, checkpoints, half-way states: the same as replay forwards.
    #[test]
    fn any_walk_comes_to_the_states_of_the_straight_way(
        program in program(60),
        walks in proptest::collection::vec(walk(), 1..120),
    ) {
        let mut straight = timeline(program.clone(), &["6.6", "6.7", "6.18"]);
        let hashes = hashes(&mut straight);
        // Before its first decision a call has done nothing yet.
        for pair in hashes.windows(2).filter(|pair| pair[1].0.micro == Some(0)) {
            prop_assert_eq!(&pair[0].1, &pair[1].1);
        }
        let mut timeline = timeline(program, &["6.6", "6.7", "6.18"]);
        for walk in &walks {
            take(&mut timeline, walk);
            let place = timeline.position();
            let expected = hashes.iter().find(|(at, _)| *at == place);
            prop_assert!(expected.is_some(), "{:?} is no place", place);
            prop_assert_eq!(&hash(&timeline), &expected.unwrap().1, "{:?} after {:?}", place, walk);
        }
    }

    /// Walking by decisions passes every place once, in order, both ways.
    #[test]
    fn decisions_are_walked_one_by_one(program in program(12)) {
        let mut timeline = timeline(program, &["6.6", "6.7"]);
        let mut there = vec![timeline.position()];
        loop {
            timeline.micro_forward();
            if there.last() == Some(&timeline.position()) {
                break;
            }
            there.push(timeline.position());
            prop_assert!(there.len() < 100_000);
        }
        let order = |place: &Position| (place.step, place.micro.unwrap_or(u32::MAX));
        prop_assert!(there.is_sorted_by_key(order));
        prop_assert_eq!(there.last().unwrap().step, timeline.step_count());
        for place in there.iter().rev().skip(1) {
            timeline.micro_back();
            prop_assert_eq!(timeline.position(), *place);
        }
    }

    /// The ledger that is kept from step to step is that of a full count.
    #[test]
    fn the_ledger_is_exact(program in program(80)) {
        let mut timeline = timeline(program, &["6.6", "6.7", "6.18"]);
        let mut errors = [0; 3];
        for step in 0..=timeline.step_count() {
            timeline.go(Position { step, micro: None });
            for (lane, frame) in timeline.frame().lanes.iter().enumerate() {
                let process = frame.machine.process();
                let all = Range { start: 0, end: TASK_SIZE };
                let vmas: Vec<Range> = frame
                    .machine
                    .vmas(all)
                    .map(|(_, vma)| Range { start: vma.start, end: vma.end })
                    .collect();
                prop_assert_eq!(frame.ledger.vmas, vmas.len() as u64);
                prop_assert_eq!(frame.ledger.vmas, process.map_count);
                prop_assert_eq!(frame.ledger.mapped_bytes, vmas.iter().map(|vma| vma.len()).sum::<u64>());
                let floor = process.mmap_base / 3 * 2;
                let in_area = |vma: &&Range| vma.start < process.mmap_base && vma.end > floor.max(process.brk);
                let in_area: Vec<&Range> = vmas.iter().filter(in_area).collect();
                let gaps: Vec<u64> = in_area
                    .windows(2)
                    .map(|pair| pair[1].start - pair[0].end)
                    .filter(|gap| *gap > 0)
                    .collect();
                prop_assert_eq!(frame.ledger.gaps, gaps.len() as u64);
                prop_assert_eq!(frame.ledger.gap_bytes, gaps.iter().sum::<u64>());
                if matches!(frame.outcome, Some(Outcome::Error(_) | Outcome::Signal { .. })) {
                    errors[lane] += 1;
                }
                prop_assert_eq!(frame.ledger.errors, errors[lane]);
                prop_assert!(frame.ledger_at_start.vmas > 0);
            }
        }
    }

    /// What a frame says has changed is what differs from the frame before.
    #[test]
    fn changes_are_the_differences(program in program(60)) {
        use std::collections::BTreeSet;
        let mut timeline = timeline(program, &["6.7"]);
        let mapped = |timeline: &Timeline| -> BTreeSet<u64> {
            let frame = timeline.frame();
            let all = Range { start: 0, end: TASK_SIZE };
            let vmas = frame.lanes[0].machine.vmas(all);
            let ranges: Vec<Range> = vmas.map(|(_, vma)| Range { start: vma.start, end: vma.end }).collect();
            ranges.into_iter().flat_map(|vma| (vma.start..vma.end).step_by(PAGE as usize)).collect()
        };
        let mut before = mapped(&timeline);
        for _ in 0..timeline.step_count() {
            timeline.step_forward();
            let after = mapped(&timeline);
            let frame = timeline.frame();
            let changes = &frame.lanes[0].changes;
            let pages = |kind| -> BTreeSet<u64> {
                let of_kind = changes.iter().filter(|change| change.kind == kind);
                of_kind.flat_map(|change| (change.range.start..change.range.end).step_by(PAGE as usize)).collect()
            };
            prop_assert!(changes.is_sorted_by_key(|change| change.range.start));
            prop_assert_eq!(pages(mmscope_lab::ChangeKind::Mapped), &after - &before);
            prop_assert_eq!(pages(mmscope_lab::ChangeKind::Unmapped), &before - &after);
            before = after;
        }
    }

    /// However few pieces are allowed, they cover the range and count everything in it.
    #[test]
    fn pieces_leave_nothing_out(program in program(80), at_most in 1usize..60, from in 0u64..1500, pages in 1u64..5000) {
        let mut timeline = timeline(program, &["6.7"]);
        timeline.last();
        let frame = timeline.frame();
        let lane = &frame.lanes[0];
        let everywhere = Range { start: 0, end: TASK_SIZE };
        let window = Range::sized(BASE + from * PAGE, pages * PAGE);
        for within in [everywhere, window] {
            let pieces = lane.range(within, at_most);
            prop_assert!(pieces.len() <= at_most);
            prop_assert_eq!(pieces.first().map(|piece| piece.range.start), Some(within.start));
            prop_assert_eq!(pieces.last().map(|piece| piece.range.end), Some(within.end));
            prop_assert!(pieces.windows(2).all(|pair| pair[0].range.end == pair[1].range.start));
            prop_assert!(pieces.iter().all(|piece| !piece.range.is_empty()));
            let sum = pieces.iter().map(counts).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
            let vmas = lane.machine.vmas(within).count();
            let gaps = lane.machine.gaps(within).count();
            prop_assert_eq!(sum, (vmas, gaps));
        }
        let whole = lane.range(everywhere, usize::MAX);
        let merged = whole.iter().any(|piece| matches!(piece.kind, PieceKind::Many { .. }));
        prop_assert!(!merged);
    }

    /// Surveying in slices finds the same divergence as going to the end.
    #[test]
    fn the_divergence_is_the_first_difference(program in program(40), slice in 1u32..9) {
        let mut sliced = timeline(program.clone(), &["6.6", "6.7"]);
        while sliced.progress().done < sliced.step_count() {
            sliced.survey(slice);
        }
        let mut whole = timeline(program, &["6.6", "6.7"]);
        whole.last();
        prop_assert_eq!(whole.divergence(), sliced.divergence());
        let trace = |lane, step| {
            let summary = whole.summary(lane, step).unwrap();
            (summary.outcome, summary.ledger.vmas, summary.ledger.gaps, summary.ledger.gap_bytes)
        };
        let first = (1..=whole.step_count()).find(|step| trace(0, *step) != trace(1, *step));
        prop_assert_eq!(whole.divergence(), first);
        for step in 1..=whole.step_count() {
            prop_assert_eq!(whole.summary(1, step), sliced.summary(1, step));
        }
    }
}

fn counts(piece: &Piece) -> (usize, usize) {
    match piece.kind {
        PieceKind::Vma(_) => (1, 0),
        PieceKind::Gap => (0, 1),
        PieceKind::Many { vmas, gaps } => (vmas as usize, gaps as usize),
    }
}

#[test]
fn lanes_come_and_go_and_the_place_stays() {
    let lesson = &mmscope_lab::lessons::all()[0];
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    let place = Position {
        step: 7,
        micro: Some(2),
    };
    timeline.go(place);
    assert_eq!(timeline.frame().divergence, Some(1));
    timeline
        .set_kernel(1, Kernel::parse("6.6").unwrap())
        .unwrap();
    assert_eq!(timeline.position(), place);
    assert_eq!(timeline.frame().divergence, None);
    assert!(timeline.add_lane(Kernel::parse("6.7").unwrap()).is_err());
    timeline.remove_lane(0).unwrap();
    timeline.add_lane(Kernel::parse("6.7").unwrap()).unwrap();
    assert_eq!(timeline.frame().divergence, Some(1));
    let kernels: Vec<String> = timeline
        .scenario()
        .kernels
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(kernels, ["6.6", "6.12.0", "6.7.0"]);
    let letters: String = timeline
        .frame()
        .lanes
        .iter()
        .map(|lane| lane.letter)
        .collect();
    assert_eq!(letters, "ABC");
    assert!(timeline.remove_lane(3).is_err());
    timeline.remove_lane(0).unwrap();
    timeline.remove_lane(0).unwrap();
    assert!(timeline.remove_lane(0).is_err());
}

#[test]
fn places_beyond_the_ends_are_the_ends() {
    let lesson = &mmscope_lab::lessons::all()[0];
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    let end = Position {
        step: 25,
        micro: None,
    };
    timeline.go(Position {
        step: u32::MAX,
        micro: Some(u32::MAX),
    });
    assert_eq!(timeline.position(), end);
    timeline.step_forward();
    timeline.micro_forward();
    assert_eq!(timeline.position(), end);
    timeline.first();
    timeline.step_back();
    timeline.micro_back();
    let start = Position {
        step: 0,
        micro: None,
    };
    assert_eq!(timeline.position(), start);
    timeline.go(Position {
        step: 0,
        micro: Some(1),
    });
    assert_eq!(timeline.position(), start);
    let frame = timeline.frame();
    assert!(frame.call.is_none());
    assert!(
        frame
            .lanes
            .iter()
            .all(|lane| lane.events.is_empty() && lane.outcome.is_none())
    );
}
