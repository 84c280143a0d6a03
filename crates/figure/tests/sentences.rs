//! A sentence for everything that the model can decide.
//!
//! The lists here are complete: each is held against a match without a wildcard, so that a new variant does not
//! compile until it has its number, and fails until it has its sample.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use mmscope_figure::say::{event, limit, merge, outcome, refusal, source};
use mmscope_mm::{
    Advice, AlignMove, AlignVerdict, AnonVma, BreakMove, Call, Change, CollapseRefusal, Direction,
    Errno, Event, FaultPage, FileId, GapLook, GapVerdict, GrowthRefusal, HintVerdict, Journal,
    Kernel, Machine, MapFlags, MergeForm, MergeRefusal, Mmap, Nodes, NotHuge, Outcome, PlacedBy,
    Pmd, PmdSplit, Range, Refusal, Release, RemapBy, Settings, Side, Signal, Start, StartMap,
    ThpDisable, TreeWrite, VmFlags, VmaId,
};

fn machine(kernel: &str) -> Machine {
    let map = |start, end| StartMap {
        range: Range { start, end },
        perms: VmFlags::READ | VmFlags::WRITE,
        offset: 0,
        file: None,
        special: None,
    };
    let start = Start {
        maps: vec![map(0x10_0000, 0x20_0000), map(0x40_0000, 0x50_0000)],
        start_brk: None,
        brk: None,
    };
    Machine::new(
        Kernel::parse(kernel).unwrap(),
        Settings::default(),
        vec![],
        &start,
    )
    .unwrap()
}

fn ids(machine: &Machine) -> (VmaId, VmaId) {
    (
        machine.vma_at(0x10_0000).unwrap(),
        machine.vma_at(0x40_0000).unwrap(),
    )
}

const RANGE: Range = Range {
    start: 0x20_0000,
    end: 0x60_0000,
};

#[track_caller]
fn sound(text: &str) {
    assert!(text.ends_with('.'), "{text}");
    assert!(
        text.starts_with(|c: char| c.is_uppercase() || c.is_numeric()) || text.starts_with("arch"),
        "{text}"
    );
    assert!(
        !text.contains("..") && !text.contains("  ") && !text.contains("{"),
        "{text}"
    );
}

/// Half a sentence: no capital for its own sake, no full stop.
#[track_caller]
fn half(text: &str) {
    assert!(
        !text.is_empty() && !text.ends_with('.') && !text.contains("  "),
        "{text}"
    );
}

fn complete(numbers: impl Iterator<Item = usize>, count: usize) {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
}

fn align_verdicts() -> Vec<AlignVerdict> {
    let number = |verdict: AlignVerdict| match verdict {
        AlignVerdict::Aligned { .. } => 0,
        AlignVerdict::FileHook => 1,
        AlignVerdict::ShmemHook => 2,
        AlignVerdict::NoRule => 3,
        AlignVerdict::FileWithoutHook => 4,
        AlignVerdict::NotMultiple => 5,
        AlignVerdict::HintGiven => 6,
        AlignVerdict::TooShort => 7,
        AlignVerdict::Fixed => 8,
    };
    let all = vec![
        AlignVerdict::Aligned {
            by: Change::AlignThp,
        },
        AlignVerdict::FileHook,
        AlignVerdict::ShmemHook,
        AlignVerdict::NoRule,
        AlignVerdict::FileWithoutHook,
        AlignVerdict::NotMultiple,
        AlignVerdict::HintGiven,
        AlignVerdict::TooShort,
        AlignVerdict::Fixed,
    ];
    complete(all.iter().map(|verdict| number(*verdict)), 9);
    all
}

fn merge_refusals() -> Vec<MergeRefusal> {
    let number = |refusal: MergeRefusal| match refusal {
        MergeRefusal::NoNeighbour => 0,
        MergeRefusal::Gap(_) => 1,
        MergeRefusal::Flags(_) => 2,
        MergeRefusal::Special(_) => 3,
        MergeRefusal::File => 4,
        MergeRefusal::Pgoff { .. } => 5,
        MergeRefusal::AnonPgoff { .. } => 6,
        MergeRefusal::AnonVmaDiffers(..) => 7,
        MergeRefusal::FaultedIntoUnfaulted => 8,
        MergeRefusal::StaysBehind => 9,
        MergeRefusal::Name => 10,
        MergeRefusal::Inherited => 11,
    };
    let all = vec![
        MergeRefusal::NoNeighbour,
        MergeRefusal::Gap(1512 << 10),
        MergeRefusal::Flags(VmFlags::ACCOUNT | VmFlags::WRITE),
        MergeRefusal::Special(VmFlags::IO | VmFlags::PFNMAP),
        MergeRefusal::File,
        MergeRefusal::Pgoff {
            is: 0x10,
            needed: 0x20,
        },
        MergeRefusal::AnonPgoff {
            is: 0x10,
            needed: 0x20,
        },
        MergeRefusal::AnonVmaDiffers(AnonVma(3), AnonVma(4)),
        MergeRefusal::FaultedIntoUnfaulted,
        MergeRefusal::StaysBehind,
        MergeRefusal::Name,
        MergeRefusal::Inherited,
    ];
    complete(all.iter().map(|refusal| number(*refusal)), 12);
    all
}

fn refusals(vma: VmaId) -> Vec<Refusal> {
    let number = |refusal: Refusal| match refusal {
        Refusal::Unaligned(_) => 0,
        Refusal::UnalignedOffset(_) => 1,
        Refusal::ZeroLength => 2,
        Refusal::LengthWraps(_) => 3,
        Refusal::OffsetOverflow => 4,
        Refusal::BadFd => 5,
        Refusal::BadMapType(_) => 6,
        Refusal::BadFlags => 7,
        Refusal::TooManyMappings { .. } => 8,
        Refusal::SplitTooMany { .. } => 9,
        Refusal::LongerThanTask(_) => 10,
        Refusal::BeyondTask(_) => 11,
        Refusal::NoGap { .. } => 12,
        Refusal::BelowMinAddr { .. } => 13,
        Refusal::Occupied(_) => 14,
        Refusal::HugeSize(_) => 15,
        Refusal::NoHugePages => 16,
        Refusal::MemlockLimit => 17,
        Refusal::MemlockForbidden => 18,
        Refusal::AddressSpaceLimit { .. } => 19,
        Refusal::DataLimit { .. } => 20,
        Refusal::Overcommit { .. } => 21,
        Refusal::CannotSplit(_) => 22,
        Refusal::BadProt(_) => 23,
        Refusal::ProtNotAllowed { .. } => 24,
        Refusal::NotGrowsDown(_) => 25,
        Refusal::Hole(_) => 26,
        Refusal::BelowHeap => 27,
        Refusal::BreakMeets { .. } => 28,
        Refusal::NoHeap => 29,
        Refusal::StaysAndResizes => 35,
        Refusal::RangesOverlap { .. } => 36,
        Refusal::DuplicatesPrivate(_) => 37,
        Refusal::BeyondMapping { .. } => 38,
        Refusal::CannotExpand(_) => 39,
        Refusal::NoRoomToGrow { .. } => 40,
        Refusal::MoveTooMany { .. } => 41,
        Refusal::UnknownAdvice(_) => 30,
        Refusal::AdviceNotFor { .. } => 31,
        Refusal::NotAdmin => 32,
        Refusal::CannotCollapse(_) => 33,
        Refusal::CannotPopulate { .. } => 34,
        Refusal::ReadOnlyFile => 42,
        Refusal::UnsupportedFlags(_) => 43,
        Refusal::Sealed(_) => 44,
        Refusal::NoSuchCall => 45,
        Refusal::NoNames => 46,
        Refusal::BadName => 47,
        Refusal::NotAnonymous(_) => 48,
    };
    let mut all = vec![
        Refusal::Unaligned(0x123),
        Refusal::UnalignedOffset(0x123),
        Refusal::ZeroLength,
        Refusal::LengthWraps(u64::MAX),
        Refusal::OffsetOverflow,
        Refusal::BadFd,
        Refusal::BadMapType(0xf),
        Refusal::BadFlags,
        Refusal::TooManyMappings {
            map_count: 65531,
            max: 65530,
        },
        Refusal::SplitTooMany {
            map_count: 65530,
            max: 65530,
        },
        Refusal::LongerThanTask(1 << 48),
        Refusal::BeyondTask(RANGE),
        Refusal::NoGap { need: 6 << 20 },
        Refusal::BelowMinAddr {
            addr: 0x1000,
            min: 0x10000,
        },
        Refusal::Occupied(vma),
        Refusal::HugeSize(24),
        Refusal::NoHugePages,
        Refusal::MemlockLimit,
        Refusal::MemlockForbidden,
        Refusal::AddressSpaceLimit {
            pages: 20000,
            limit: 16384,
        },
        Refusal::DataLimit {
            pages: 3000,
            limit: 2048,
        },
        Refusal::Overcommit {
            pages: 1 << 34,
            limit: 1 << 22,
        },
        Refusal::CannotSplit(vma),
        Refusal::BadProt(0x40),
        Refusal::ProtNotAllowed {
            vma,
            lacks: VmFlags::MAYWRITE,
        },
        Refusal::NotGrowsDown(vma),
        Refusal::Hole(0x5000),
        Refusal::BelowHeap,
        Refusal::BreakMeets {
            vma,
            highest: 0x3f_f000,
        },
        Refusal::NoHeap,
        Refusal::StaysAndResizes,
        Refusal::RangesOverlap {
            from: RANGE,
            to: RANGE,
        },
        Refusal::DuplicatesPrivate(vma),
        Refusal::BeyondMapping { vma, range: RANGE },
        Refusal::CannotExpand(vma),
        Refusal::NoRoomToGrow { vma, next: None },
        Refusal::NoRoomToGrow {
            vma,
            next: Some(vma),
        },
        Refusal::MoveTooMany {
            map_count: 65_526,
            more: 6,
            max: 65_530,
        },
        Refusal::ReadOnlyFile,
        Refusal::UnsupportedFlags(0x8_0000),
        Refusal::UnknownAdvice(Advice(99)),
        Refusal::AdviceNotFor {
            vma,
            advice: Advice::FREE,
        },
        Refusal::NotAdmin,
        Refusal::Sealed(vma),
        Refusal::NoSuchCall,
        Refusal::NoNames,
        Refusal::BadName,
        Refusal::NotAnonymous(vma),
        Refusal::CannotPopulate {
            at: 0x5000,
            signal: Signal::BusAdrerr,
        },
    ];
    all.extend(collapse_refusals().into_iter().map(Refusal::CannotCollapse));
    complete(all.iter().map(|refusal| number(*refusal)), 49);
    all
}

fn collapse_refusals() -> Vec<CollapseRefusal> {
    let number = |refusal: CollapseRefusal| match refusal {
        CollapseRefusal::NoHugePage => 0,
        CollapseRefusal::Disabled => 1,
        CollapseRefusal::Special => 2,
        CollapseRefusal::TooSmall => 3,
        CollapseRefusal::Untouched => 4,
        CollapseRefusal::NoWholeBlock => 5,
        CollapseRefusal::Empty(_) => 6,
        CollapseRefusal::ReadOnly(_) => 7,
        CollapseRefusal::Guarded(_) => 8,
        CollapseRefusal::NoMemory => 9,
    };
    let all = vec![
        CollapseRefusal::NoHugePage,
        CollapseRefusal::Disabled,
        CollapseRefusal::Special,
        CollapseRefusal::TooSmall,
        CollapseRefusal::Untouched,
        CollapseRefusal::NoWholeBlock,
        CollapseRefusal::Empty(0x20_0000),
        CollapseRefusal::ReadOnly(0x20_0000),
        CollapseRefusal::Guarded(0x20_0000),
        CollapseRefusal::NoMemory,
    ];
    complete(all.iter().map(|refusal| number(*refusal)), 10);
    all
}

fn growth_refusals(below: VmaId) -> Vec<GrowthRefusal> {
    let number = |refusal: GrowthRefusal| match refusal {
        GrowthRefusal::GuardGap { .. } => 0,
        GrowthRefusal::StackLimit => 1,
        GrowthRefusal::MinAddr => 2,
        GrowthRefusal::Limit(_) => 3,
    };
    let all = vec![
        GrowthRefusal::GuardGap {
            below,
            distance: 4096,
        },
        GrowthRefusal::StackLimit,
        GrowthRefusal::MinAddr,
        GrowthRefusal::Limit(Refusal::AddressSpaceLimit { pages: 2, limit: 1 }),
    ];
    complete(all.iter().map(|refusal| number(*refusal)), 4);
    all
}

const FORMS: [MergeForm; 8] = [
    MergeForm::NewIntoPrev,
    MergeForm::NewIntoNext,
    MergeForm::NewBetween,
    MergeForm::WholeIntoPrev,
    MergeForm::WholeIntoNext,
    MergeForm::WholeBetween,
    MergeForm::HeadIntoPrev,
    MergeForm::TailIntoNext,
];

fn number(event: &Event) -> usize {
    match event {
        Event::HintRaised { .. } => 0,
        Event::Alignment { .. } => 1,
        Event::Hint { .. } => 2,
        Event::Search { .. } => 3,
        Event::Gap(_) => 4,
        Event::GuardGap { .. } => 5,
        Event::Found { .. } => 6,
        Event::Aligned { .. } => 7,
        Event::AlignFallback => 8,
        Event::Placed { .. } => 9,
        Event::Unmap { .. } => 10,
        Event::Split { .. } => 11,
        Event::MergeTried { .. } => 12,
        Event::MergeBoth { .. } => 13,
        Event::Merged { .. } => 14,
        Event::NewVma { .. } => 15,
        Event::FlagsChanged { .. } => 16,
        Event::Unaccounted { .. } => 17,
        Event::Unchanged { .. } => 18,
        Event::Break { .. } => 19,
        Event::AnonVma { .. } => 20,
        Event::Fault { .. } => 21,
        Event::Grown { .. } => 22,
        Event::Signalled { .. } => 23,
        Event::Refused { .. } => 24,
        Event::LimitSet => 25,
        Event::Nodes { .. } => 26,
        Event::Tree(_) => 27,
        Event::Remap { .. } => 32,
        Event::AnonVmaDropped { .. } => 33,
        Event::HolePassed { .. } => 28,
        Event::Advised { .. } => 29,
        Event::Collapsed { .. } => 30,
        Event::ThpSwitched(_) => 31,
        Event::ShmemObject { .. } => 34,
        Event::DefFlags(_) => 35,
        Event::Named { .. } => 36,
        Event::PmdSplit { .. } => 37,
        Event::Forked { .. } => 38,
        Event::NotCopied { .. } => 39,
        Event::Execed => 40,
        Event::Exited => 41,
        Event::Truncated { .. } => 42,
        Event::Personality { .. } => 43,
    }
}

/// The steps of writes to the tree, as a machine tells them: a leaf fills up and is split.
fn tree_steps() -> Vec<Event> {
    let mut machine = machine("6.12");
    let mut all = Vec::new();
    for page in 0..40 {
        let mut journal = Journal::new();
        let call = Call::Mmap(Mmap {
            addr: 0x7000_0000 + page * 0x2000,
            flags: MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(4096)
        });
        machine.run(&call, &mut journal);
        let steps = journal.events().map(|(_, event)| *event);
        all.extend(steps.filter(|event| matches!(event, Event::Tree(_))));
    }
    all
}

/// Every event, with every inner variant at least once.
fn events(machine: &Machine) -> Vec<Event> {
    let (vma, other) = ids(machine);
    let len = 4632 << 10;
    let mut all = vec![
        Event::HintRaised {
            from: 0x1000,
            to: 0x10000,
        },
        Event::GuardGap { vma, limit: 0x1000 },
        Event::AlignFallback,
        Event::Unmap {
            range: RANGE,
            vmas: 0,
        },
        Event::Unmap {
            range: RANGE,
            vmas: 1,
        },
        Event::Split {
            vma,
            new: other,
            at: 0x20_0000,
        },
        Event::NewVma { vma, range: RANGE },
        Event::ShmemObject {
            len: 1 << 16,
            charged: 16,
        },
        Event::ShmemObject {
            len: 1 << 16,
            charged: 0,
        },
        Event::FlagsChanged {
            vma,
            range: RANGE,
            from: VmFlags::READ | VmFlags::WRITE,
            to: VmFlags::READ,
        },
        Event::FlagsChanged {
            vma,
            range: RANGE,
            from: VmFlags::READ,
            to: VmFlags::READ,
        },
        Event::Unaccounted { range: RANGE },
        Event::Unchanged { vma },
        Event::AnonVma {
            vma,
            anon_vma: AnonVma(1),
            shared_with: None,
        },
        Event::AnonVma {
            vma,
            anon_vma: AnonVma(1),
            shared_with: Some(other),
        },
        Event::Grown { vma, start: 0x1000 },
        Event::LimitSet,
        Event::Forked { child: false },
        Event::Forked { child: true },
        Event::NotCopied { range: RANGE },
        Event::Execed,
        Event::Personality { from: 0, to: 0 },
        Event::Personality {
            from: 0,
            to: 0x40_0000,
        },
        Event::Exited,
        Event::Truncated {
            file: FileId(0),
            len: 4096,
        },
        Event::DefFlags(VmFlags::empty()),
        Event::DefFlags(VmFlags::LOCKED_MASK),
        Event::Named { vma, range: RANGE },
        Event::AnonVmaDropped { vma },
        Event::HolePassed { range: RANGE },
        Event::Collapsed { addr: 0x20_0000 },
    ];
    all.extend(
        align_verdicts()
            .into_iter()
            .map(|verdict| Event::Alignment {
                len,
                hint: 0x7000,
                verdict,
            }),
    );
    all.extend(Advice::ALL.iter().map(|(_, advice)| Event::Advised {
        vma,
        range: RANGE,
        advice: *advice,
    }));
    all.extend(
        [
            ThpDisable::No,
            ThpDisable::ExceptAdvised,
            ThpDisable::Completely,
        ]
        .map(Event::ThpSwitched),
    );
    for padded in [false, true] {
        for verdict in [
            HintVerdict::Taken,
            HintVerdict::Occupied { vma, from: 0x1000 },
            HintVerdict::Invalid,
        ] {
            all.push(Event::Hint {
                range: RANGE,
                padded,
                verdict,
            });
        }
        for direction in [Direction::TopDown, Direction::BottomUp] {
            all.push(Event::Search {
                direction,
                need: len,
                padded,
                limits: RANGE,
            });
        }
        all.push(Event::Found { addr: None, padded });
        all.push(Event::Found {
            addr: Some(0x1000),
            padded,
        });
    }
    for level in [0, 1, 3] {
        for verdict in [
            GapVerdict::Fits,
            GapVerdict::TooSmall,
            GapVerdict::OutsideLimits,
            GapVerdict::Descend,
        ] {
            all.push(Event::Gap(GapLook {
                first: 0,
                last: u64::MAX,
                level,
                largest: u64::MAX,
                size: len,
                verdict,
            }));
        }
    }
    for how in [
        AlignMove::Up(4096),
        AlignMove::AlreadyThere,
        AlignMove::AlreadyThereUpper,
        AlignMove::Hint,
    ] {
        all.push(Event::Aligned {
            found: 0x1000,
            addr: 0x20_0000,
            how,
        });
    }
    for by in [
        PlacedBy::Fixed,
        PlacedBy::Hint,
        PlacedBy::Search,
        PlacedBy::AlignedSearch,
    ] {
        all.push(Event::Placed { range: RANGE, by });
    }
    for verdict in std::iter::once(Ok(())).chain(merge_refusals().into_iter().map(Err)) {
        for side in [Side::Prev, Side::Next] {
            all.push(Event::MergeTried {
                side,
                neighbour: Some(vma),
                range: RANGE,
                verdict,
            });
        }
        all.push(Event::MergeBoth {
            prev: vma,
            next: other,
            verdict,
        });
    }
    all.extend(FORMS.into_iter().map(|form| Event::Merged {
        into: vma,
        range: RANGE,
        form,
    }));
    for by in [
        RemapBy::SameSize,
        RemapBy::Shrink,
        RemapBy::Grow,
        RemapBy::Move,
        RemapBy::MoveAndKeep,
        RemapBy::Duplicate,
    ] {
        let (from, to) = (RANGE, Range::sized(0x7000_0000, 0x3000));
        all.push(Event::Remap { from, to, by });
        let to = Range::sized(0x7000_0000, RANGE.len());
        all.push(Event::Remap { from, to, by });
    }
    for by in [
        BreakMove::Query,
        BreakMove::WithinPage,
        BreakMove::Grow,
        BreakMove::Shrink,
    ] {
        all.push(Event::Break {
            from: 0x2000,
            to: 0x4000,
            by,
        });
    }
    for page in [
        FaultPage::Zero,
        FaultPage::Small,
        FaultPage::Copy,
        FaultPage::Folio(4),
        FaultPage::File,
        FaultPage::HugeZero,
        FaultPage::Huge,
    ] {
        all.push(Event::Fault {
            vma,
            addr: 0x1000,
            page,
            not_huge: None,
        });
    }
    for not_huge in [
        NotHuge::NotMapped,
        NotHuge::NotAnonymous,
        NotHuge::NoHugePage,
        NotHuge::Disabled,
        NotHuge::Policy,
        NotHuge::CutByBorder,
        NotHuge::HasTable,
        NotHuge::NoMemory,
        NotHuge::NotWritten,
    ] {
        all.push(Event::Fault {
            vma,
            addr: 0x1000,
            page: FaultPage::Small,
            not_huge: Some(not_huge),
        });
    }
    for why in [
        PmdSplit::Border,
        PmdSplit::Zapped,
        PmdSplit::Advised,
        PmdSplit::Moved,
        PmdSplit::Written,
    ] {
        for pmd in [Pmd::Huge, Pmd::HugeZero] {
            let block = 0x20_0000;
            all.push(Event::PmdSplit { block, pmd, why });
        }
    }
    for signal in [Signal::SegvMaperr, Signal::SegvAccerr, Signal::BusAdrerr] {
        all.push(Event::Signalled {
            signal,
            at: 0x1234,
            growth: None,
        });
    }
    for growth in growth_refusals(vma) {
        all.push(Event::Signalled {
            signal: Signal::SegvMaperr,
            at: 0x1234,
            growth: Some(growth),
        });
    }
    all.extend(refusals(vma).into_iter().map(|reason| Event::Refused {
        errno: Errno::ENOMEM,
        reason,
    }));
    all.extend(TreeWrite::ALL.map(|write| Event::Nodes {
        write,
        nodes: Nodes {
            asked: 7,
            used: 1,
            returned: 6,
            freed: 1,
        },
    }));
    all.extend(tree_steps());
    complete(all.iter().map(number), 44);
    all
}

#[test]
fn every_event_has_a_sentence_and_a_function() {
    for release in Release::ALL {
        let machine = machine(release.id);
        for each in events(&machine) {
            let (text, _) = event::event(&machine, &each);
            sound(&text);
            for direction in [Direction::TopDown, Direction::BottomUp] {
                let function = source::function(machine.kernel(), None, &each, direction);
                assert!(function.ends_with("()") && function.len() > 4, "{function}");
            }
        }
    }
}

#[test]
fn an_event_about_a_mapping_that_is_gone_has_a_sentence() {
    let machine = machine("6.6");
    let mut other = machine.clone();
    let (vma, _) = ids(&machine);
    other.run(
        &mmscope_mm::Call::Munmap {
            addr: 0x10_0000,
            len: 0x10_0000,
        },
        &mut (),
    );
    for each in events(&machine) {
        sound(&event::event(&other, &each).0);
    }
    assert!(refusal::sentence(&other, Refusal::Occupied(vma)).contains("gone"));
}

#[test]
fn every_verdict_about_alignment_can_be_explained() {
    for release in Release::ALL {
        let kernel = Kernel::new(release);
        for verdict in align_verdicts() {
            for len in [4096, 4632 << 10, 6 << 20] {
                if let Some(text) = event::alignment_condition(kernel, len, 0, verdict) {
                    assert!(!text.is_empty() && !text.contains("  "), "{text}");
                }
            }
        }
    }
    let kernel = Kernel::parse("6.12").unwrap();
    assert_eq!(
        event::alignment_condition(kernel, 0x48_6000, 0, AlignVerdict::NotMultiple).as_deref(),
        Some("IS_ALIGNED(0x486000, 0x200000) = false: 536 kB over")
    );
}

#[test]
fn every_refusal_to_merge_has_words_and_a_condition() {
    for reason in merge_refusals() {
        for side in [Side::Prev, Side::Next] {
            half(&merge::refusal(side, reason));
        }
        assert_eq!(
            merge::condition(reason).is_none(),
            reason == MergeRefusal::NoNeighbour
        );
    }
    for form in FORMS {
        half(merge::form(form));
        assert!(merge::form_short(form).len() <= 12);
    }
}

#[test]
fn every_refusal_of_a_call_has_words() {
    let machine = machine("6.6");
    for reason in refusals(ids(&machine).0) {
        half(&refusal::sentence(&machine, reason));
    }
    for growth in growth_refusals(ids(&machine).0) {
        half(&limit::growth(&machine, growth));
    }
}

#[test]
fn results_read_as_strace_prints_them() {
    assert_eq!(
        outcome::value(Outcome::Address(0x7fff_f780_0000)),
        "0x7ffff7800000"
    );
    assert_eq!(outcome::value(Outcome::Done), "0");
    assert_eq!(outcome::value(Outcome::Error(Errno::ENOMEM)), "ENOMEM");
    assert_eq!(outcome::value(Outcome::Touched(1)), "1 access");
    assert_eq!(
        outcome::value(Outcome::Signal {
            touched: 3,
            signal: Signal::SegvMaperr,
            at: 16
        }),
        "SEGV_MAPERR at 0x10"
    );
}
