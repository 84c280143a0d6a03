//! Undoing is exact, watching changes nothing, and the counters stay true, over random programs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use mmscope_mm::{
    Access, Advice, AnonName, Call, Change, Entry, Fd, File, FileId, FilePlacement, Fragmentation,
    Journal, Kernel, Limit, Machine, MapFlags, Mmap, Mremap, MremapFlags, Outcome, Page, Pmd, Prot,
    Pte, Range, Release, Resource, Settings, Special, Start, StartMap, Thp, ThpSize, VmFile,
    VmFlags,
};
use proptest::prelude::*;

const PAGE: u64 = 4096;
const EVERYTHING: Range = Range {
    start: 0,
    end: u64::MAX,
};

/// An argument that often hits something: a result of an earlier call, moved by some pages, or a fixed place.
#[derive(Clone, Debug)]
enum Addr {
    Result(usize, i64),
    At(u64),
    Zero,
}

#[derive(Clone, Debug)]
enum Op {
    Mmap(Addr, u64, u32, u32, bool),
    Munmap(Addr, u64),
    Mprotect(Addr, u64, u32),
    Mremap(Addr, u64, u64, u32, Addr),
    Brk(i64),
    Touch(Addr, u64, u64, bool),
    Setrlimit(bool, Limit),
    Madvise(Addr, u64, u32),
    Mlock(Addr, u64, u32),
    Munlock(Addr, u64),
    SetThpDisable(u64, u64),
    Mlockall(u32),
    Fork(bool),
    Exec,
    Personality(u32),
    Ftruncate(u32, u64),
    Mseal(Addr, u64),
    SetAnonName(Addr, u64, &'static str),
}

fn addr() -> impl Strategy<Value = Addr> {
    prop_oneof![
        6 => (0usize..24, -20i64..1200).prop_map(|(op, pages)| Addr::Result(op, pages)),
        1 => (0u64..200).prop_map(|page| Addr::At(page * PAGE + 0x2000_0000)),
        1 => any::<u64>().prop_map(Addr::At),
        2 => Just(Addr::Zero),
    ]
}

fn len() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => (1u64..40).prop_map(|pages| pages * PAGE),
        4 => prop_oneof![Just(512u64), Just(1158), Just(1024), Just(513), Just(2048)].prop_map(|pages| pages * PAGE),
        1 => any::<u64>(),
        1 => 0u64..9000,
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let flags = prop_oneof![
        6 => Just(MapFlags::empty()),
        2 => Just(MapFlags::FIXED),
        1 => Just(MapFlags::FIXED_NOREPLACE),
        1 => Just(MapFlags::GROWSDOWN),
        1 => Just(MapFlags::STACK),
        1 => Just(MapFlags::NORESERVE),
        3 => Just(MapFlags::SHARED),
        1 => Just(MapFlags::SHARED | MapFlags::NORESERVE | MapFlags::FIXED),
        1 => Just(MapFlags::BIT32),
        1 => Just(MapFlags::POPULATE | MapFlags::LOCKED),
    ];
    let mut advice: Vec<u32> = Advice::ALL.iter().map(|(_, advice)| advice.0).collect();
    advice.push(99);
    let prot = prop_oneof![5 => Just(3u32), 1 => 0u32..8, 1 => any::<u32>()];
    prop_oneof![
        8 => (addr(), len(), prot.clone(), flags, any::<bool>())
            .prop_map(|(addr, len, prot, flags, file)| Op::Mmap(addr, len, prot, flags.bits(), file)),
        5 => (addr(), len()).prop_map(|(addr, len)| Op::Munmap(addr, len)),
        5 => (addr(), len(), prot).prop_map(|(addr, len, prot)| Op::Mprotect(addr, len, prot)),
        6 => (addr(), len(), len(), any::<bool>(), prop_oneof![4 => Just(1u32), 3 => Just(3), 1 => Just(5), 1 => 0u32..9], addr())
            .prop_map(|(addr, old, new, same, flags, to)| {
                Op::Mremap(addr, old, if same { old } else { new }, flags, to)
            }),
        3 => (-200_000i64..400_000).prop_map(Op::Brk),
        5 => (addr(), 0u64..3_000_000, 1u64..40_000, any::<bool>())
            .prop_map(|(addr, len, stride, write)| Op::Touch(addr, len, stride.max(512), write)),
        1 => (any::<bool>(), proptest::option::of(0u64..100_000_000))
            .prop_map(|(data, limit)| Op::Setrlimit(data, limit)),
        8 => (addr(), len(), proptest::sample::select(advice))
            .prop_map(|(addr, len, advice)| Op::Madvise(addr, len, advice)),
        2 => (addr(), len(), 0u32..3).prop_map(|(addr, len, flags)| Op::Mlock(addr, len, flags)),
        1 => (addr(), len()).prop_map(|(addr, len)| Op::Munlock(addr, len)),
        1 => (0u64..2, 0u64..3).prop_map(|(on, flags)| Op::SetThpDisable(on, flags)),
        1 => (0u32..8).prop_map(Op::Mlockall),
        1 => any::<bool>().prop_map(Op::Fork),
        1 => Just(Op::Exec),
        1 => prop_oneof![Just(0x40_0000), Just(0x30_0000), Just(0)].prop_map(Op::Personality),
        1 => (0u32..2, 0u64..400_000).prop_map(|(file, len)| Op::Ftruncate(file, len)),
        1 => (addr(), len()).prop_map(|(addr, len)| Op::Mseal(addr, len)),
        2 => (addr(), len(), proptest::sample::select(&["", "a", "b", "["][..]))
            .prop_map(|(addr, len, name)| Op::SetAnonName(addr, len, name)),
    ]
}

fn machine(kernel: &'static Release, thp: Thp, sizes: u8, fragmentation: Fragmentation) -> Machine {
    let map = |start, end, perms, file, special| StartMap {
        range: Range { start, end },
        perms,
        offset: 0,
        file,
        special,
    };
    let rw = VmFlags::READ | VmFlags::WRITE;
    let file = |path: &str, placement, read_only| File {
        path: path.into(),
        len: Some(6 << 20),
        dev: "fe:00".into(),
        inode: 1,
        placement,
        read_only,
    };
    let files = vec![
        file("/bin/program", FilePlacement::Thp, false),
        file("/dev/shm/read", FilePlacement::Shmem, true),
    ];
    let start = Start {
        maps: vec![
            map(0x40_0000, 0x40_3000, VmFlags::READ, Some(FileId(0)), None),
            map(0x40_3000, 0x40_4000, rw, Some(FileId(0)), None),
            map(
                0x7fff_f7ff_9000,
                0x7fff_f7ff_d000,
                VmFlags::READ,
                None,
                Some(Special::Vvar),
            ),
            map(
                0x7fff_f7ff_d000,
                0x7fff_f7ff_f000,
                VmFlags::READ | VmFlags::EXEC,
                None,
                Some(Special::Vdso),
            ),
            map(
                0x7fff_fffd_e000,
                0x7fff_ffff_f000,
                rw,
                None,
                Some(Special::Stack),
            ),
        ],
        start_brk: None,
        brk: None,
    };
    Machine::new(
        Kernel::new(kernel),
        Settings {
            thp,
            thp_sizes: std::array::from_fn(|size| match sizes >> size & 1 {
                0 if size == 7 => ThpSize::Inherit,
                0 => ThpSize::Never,
                _ => ThpSize::Inherit,
            }),
            fragmentation,
            ..Settings::default()
        },
        files,
        &start,
    )
    .unwrap()
}

fn call(op: &Op, machine: &Machine, results: &[u64]) -> Call {
    let at = |addr: &Addr| match *addr {
        Addr::Zero => 0,
        Addr::At(addr) => addr,
        Addr::Result(op, pages) => results
            .get(op % results.len().max(1))
            .copied()
            .unwrap_or(0x7fff_f000_0000)
            .wrapping_add_signed(pages * PAGE as i64),
    };
    match op {
        Op::Mmap(addr, len, prot, flags, file) => {
            let mut mmap = Mmap::anonymous(*len);
            mmap.addr = at(addr);
            mmap.prot = Prot::from_bits_retain(*prot);
            mmap.flags |= MapFlags::from_bits_retain(*flags);
            if mmap.flags.contains(MapFlags::SHARED) {
                mmap.flags -= MapFlags::PRIVATE;
            }
            if *file {
                mmap.flags -= MapFlags::ANONYMOUS;
                mmap.fd = Fd::File(FileId(prot % 2));
            }
            Call::Mmap(mmap)
        }
        Op::Munmap(addr, len) => Call::Munmap {
            addr: at(addr),
            len: *len,
        },
        Op::Mprotect(addr, len, prot) => Call::Mprotect {
            addr: at(addr),
            len: *len,
            prot: Prot::from_bits_retain(*prot),
        },
        Op::Mremap(addr, old_len, new_len, flags, to) => Call::Mremap(Mremap {
            addr: at(addr),
            old_len: *old_len,
            new_len: *new_len,
            flags: MremapFlags::from_bits_retain(*flags),
            new_addr: at(to),
        }),
        Op::Brk(by) => Call::Brk {
            addr: machine.process().brk.wrapping_add_signed(*by),
        },
        Op::Touch(addr, len, stride, write) => Call::Touch {
            addr: at(addr),
            len: *len,
            stride: *stride,
            access: if *write { Access::Write } else { Access::Read },
        },
        Op::Madvise(addr, len, advice) => Call::Madvise {
            addr: at(addr),
            len: *len,
            advice: Advice(*advice),
        },
        Op::Mlock(addr, len, flags) => Call::Mlock {
            addr: at(addr),
            len: *len,
            flags: *flags,
        },
        Op::Munlock(addr, len) => Call::Munlock {
            addr: at(addr),
            len: *len,
        },
        Op::SetThpDisable(on, flags) => Call::SetThpDisable {
            on: *on,
            flags: *flags,
        },
        Op::Fork(child) => Call::Fork { child: *child },
        Op::Exec => Call::Exec,
        Op::Personality(persona) => Call::Personality { persona: *persona },
        Op::Ftruncate(file, len) => Call::Ftruncate {
            fd: Fd::File(FileId(*file)),
            len: *len,
        },
        Op::Mlockall(0) => Call::Munlockall,
        Op::Mlockall(flags) => Call::Mlockall { flags: *flags },
        Op::Mseal(addr, len) => Call::Mseal {
            addr: at(addr),
            len: *len,
            flags: 0,
        },
        Op::SetAnonName(addr, len, name) => Call::SetAnonName {
            addr: at(addr),
            len: *len,
            name: AnonName::new(name).filter(|_| !name.is_empty()),
        },
        Op::Setrlimit(data, limit) => Call::Setrlimit {
            resource: if *data {
                Resource::Data
            } else {
                Resource::AddressSpace
            },
            cur: *limit,
            max: *limit,
        },
    }
}

/// What must hold after every call, recomputed from the mappings.
///
/// Growing a mapping charges its pages whether the mapping is charged or not (`acct_stack_growth`), and unmapping
/// gives back only what charged mappings hold: with such mappings about, the charge can only be bounded.
/// After a fork, the process that sleeps maps objects too: they may have more mappings, or mappings only there.
fn check_counters(
    machine: &Machine,
    unaccounted_growth: &mut bool,
    moved_locked: bool,
    forked: bool,
) {
    // Before 6c28ca6485dd brk could stretch a mapping over a hole below the break, and counted only what it added above.
    let stretches =
        machine.kernel().has(Change::BrkExpandsHeap) && !machine.kernel().has(Change::BrkChecksEnd);
    if stretches {
        return;
    }
    let process = machine.process();
    let (mut count, mut total, mut data, mut locked, mut committed) = (0, 0, 0, 0, 0);
    let mut last_end = 0;
    let mut objects = BTreeMap::new();
    for (id, vma) in machine.vmas(EVERYTHING) {
        assert!(vma.start < vma.end && vma.start >= last_end, "{vma:?}");
        assert!(vma.start % PAGE == 0 && vma.end % PAGE == 0);
        assert_eq!(machine.vma_at(vma.start), Some(id));
        assert_eq!(machine.vma_at(vma.end - 1), Some(id));
        last_end = vma.end;
        *unaccounted_growth |=
            vma.flags.contains(VmFlags::GROWSDOWN) && !vma.flags.contains(VmFlags::ACCOUNT);
        if let Some(VmFile::Shmem(object)) = vma.file {
            *objects.entry(object).or_insert(0) += 1;
        }
        count += 1;
        total += vma.pages();
        data += if vma.flags.is_data() { vma.pages() } else { 0 };
        locked += if vma.flags.contains(VmFlags::LOCKED) {
            vma.pages()
        } else {
            0
        };
        committed += if vma.flags.contains(VmFlags::ACCOUNT) {
            vma.pages()
        } else {
            0
        };
    }
    for (object, mappings) in objects {
        let all = machine.shmem(object).mappings;
        assert!(all == mappings || forked && all > mappings);
        committed += machine.shmem(object).charged;
    }
    assert_eq!(
        (process.map_count, process.total_vm, process.data_vm),
        (count, total, data)
    );
    // What MREMAP_DONTUNMAP leaves is locked no more, and its pages count on.
    assert!(process.locked_vm == locked || moved_locked && process.locked_vm > locked);
    let more = *unaccounted_growth || forked;
    assert!(process.committed == committed || more && process.committed > committed);
    machine.tree().check().unwrap();
}

/// What must hold of page tables after every call.
fn check_pages(machine: &Machine) {
    let mut pages = 0;
    for (id, vma) in machine.vmas(EVERYTHING) {
        let whole = Range {
            start: vma.start,
            end: vma.end,
        };
        let mut below_huge = 0;
        for (run, pte) in machine.ptes(whole) {
            pages += run.len() / PAGE;
            match pte.page {
                Page::Zero => assert!(vma.is_anonymous(), "{vma:?}"),
                Page::Anon => assert!(!vma.flags.contains(VmFlags::SHARED), "{vma:?}"),
                Page::File => assert!(vma.file.is_some(), "{vma:?}"),
                Page::Guard => assert_eq!((pte.order, pte.written), (0, false)),
            }
            let mut at = run.start;
            while at < run.end {
                let block = machine.huge_block(at);
                let end = block.range.end.min(run.end);
                let is = match block.pmd {
                    Some(Pmd::Huge) => pte.page == Page::Anon && pte.order == 9,
                    Some(Pmd::HugeZero) => pte.page == Page::Zero,
                    Some(Pmd::Table) => true,
                    None => false,
                };
                assert!(is, "{pte:?} in {block:?}");
                if block.pmd != Some(Pmd::Table) {
                    assert_eq!(block.present, 512);
                    assert!(block.range.start >= vma.start && block.range.end <= vma.end);
                }
                if block.pmd == Some(Pmd::Huge) {
                    below_huge += (end - at) >> 10;
                }
                at = end;
            }
        }
        let smaps = machine.smaps(id);
        let shared = smaps.shared_clean + smaps.shared_dirty;
        assert_eq!(
            smaps.rss,
            shared + smaps.private_clean + smaps.private_dirty
        );
        assert!(smaps.rss << 10 <= vma.len());
        assert!(smaps.anon_huge == below_huge || smaps.anon_huge == 0 && !vma.is_accessible());
    }
    // None lies outside of the mappings.
    let all: u64 = machine.ptes(EVERYTHING).map(|(run, _)| run.len()).sum();
    assert_eq!(pages, all / PAGE);
}

/// The same accesses one by one: how many succeed.
fn one_by_one(machine: &mut Machine, call: &Call) -> u64 {
    let Call::Touch {
        addr,
        len,
        stride,
        access,
    } = *call
    else {
        return 0;
    };
    let mut done = 0;
    while done * stride < len {
        let single = Call::Touch {
            addr: addr.wrapping_add(done * stride),
            len: 1,
            stride: 1,
            access,
        };
        if machine.run(&single, &mut ()) != Outcome::Touched(1) {
            break;
        }
        done += 1;
    }
    done
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_journal_read_backwards_is_the_way_back(
        ops in proptest::collection::vec(op(), 1..60),
        release in 0..Release::ALL.len(),
        thp in prop_oneof![Just(Thp::Always), Just(Thp::Madvise)],
        sizes in prop_oneof![2 => Just(0u8), 1 => any::<u8>()],
        fragmentation in prop_oneof![
            4 => Just(Fragmentation::None),
            1 => Just(Fragmentation::Light),
            1 => Just(Fragmentation::Heavy)
        ],
    ) {
        let mut watched = machine(&Release::ALL[release], thp, sizes, fragmentation);
        let mut alone = watched.clone();
        let mut results = Vec::new();
        let mut past = Vec::new();
        let mut unaccounted_growth = false;
        let mut moved_locked = false;
        let mut forked = false;
        for op in &ops {
            let call = call(op, &watched, &results);
            let mut journal = Journal::new();
            let before = watched.clone();
            let outcome = watched.run(&call, &mut journal);
            prop_assert_eq!(outcome, alone.run(&call, &mut ()));
            prop_assert_eq!(watched.state_hash(), alone.state_hash());
            prop_assert_eq!(watched.process(), alone.process());
            prop_assert!(watched.tree().check().is_ok());
            check_pages(&watched);
            if let Call::Touch { .. } = call {
                let mut single = before.clone();
                let done = one_by_one(&mut single, &call);
                let touched = match outcome {
                    Outcome::Touched(touched) | Outcome::Signal { touched, .. } => touched,
                    _ => 0,
                };
                prop_assert_eq!(done, touched);
                let pages = |machine: &Machine| -> Vec<(Range, Pte)> { machine.ptes(EVERYTHING).collect() };
                prop_assert_eq!(pages(&single), pages(&watched), "{:?}", call);
                prop_assert_eq!(single.state_hash(), watched.state_hash(), "{:?}", call);
            }
            // Of several mappings the first may have moved before a later one was refused.
            moved_locked |= matches!(call, Call::Mremap(remap) if remap.flags.contains(MremapFlags::DONTUNMAP))
                && before.process().locked_vm > 0;
            forked |= matches!(call, Call::Fork { .. }) && outcome == Outcome::Done;
            check_counters(&watched, &mut unaccounted_growth, moved_locked, forked);
            if let Outcome::Address(addr) = outcome {
                results.push(addr);
            }
            past.push((before, journal));
        }
        // All the way back, then forward again: the same states, and the same names for new mappings.
        let end = watched.state_hash();
        for (before, journal) in past.iter().rev() {
            for entry in journal.entries().iter().rev() {
                if let Entry::Write(undo) = entry {
                    watched.undo(undo.clone());
                }
            }
            prop_assert_eq!(watched.state_hash(), before.state_hash());
            prop_assert_eq!(watched.process(), before.process());
            prop_assert!(watched.tree().same_nodes(before.tree()));
        }
        results.clear();
        for (op, (_, journal)) in ops.iter().zip(&past) {
            let call = call(op, &watched, &results);
            let mut again = Journal::new();
            if let Outcome::Address(addr) = watched.run(&call, &mut again) {
                results.push(addr);
            }
            prop_assert_eq!(&again, journal);
        }
        prop_assert_eq!(watched.state_hash(), end);
    }
}
