//! mremap where kernels differ, and what it leaves done when it fails.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Access, Call, Errno, Event, Journal, Kernel, Machine, MapFlags, MergeRefusal, Mmap, Mremap,
    MremapFlags, Outcome, Prot, Range, Settings, Start, VmFlags,
};

const PAGE: u64 = 4096;
const A: u64 = 0x1000_0000;
const B: u64 = 0x2000_0000;
const MOVE: MremapFlags = MremapFlags::MAYMOVE;
const FIXED: MremapFlags = MremapFlags::MAYMOVE.union(MremapFlags::FIXED);
const KEEP: MremapFlags = MremapFlags::MAYMOVE.union(MremapFlags::DONTUNMAP);

fn machine(kernel: &str, limit: u64) -> Machine {
    let settings = Settings {
        max_map_count: limit,
        ..Settings::default()
    };
    let kernel = Kernel::parse(kernel).unwrap();
    Machine::new(kernel, settings, vec![], &Start::default()).unwrap()
}

fn map(machine: &mut Machine, addr: u64, pages: u64, prot: Prot, more: MapFlags) {
    let call = Call::Mmap(Mmap {
        addr,
        prot,
        flags: MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED | more,
        ..Mmap::anonymous(pages * PAGE)
    });
    assert_eq!(machine.run(&call, &mut ()), Outcome::Address(addr));
}

fn rw(machine: &mut Machine, addr: u64, pages: u64) {
    map(
        machine,
        addr,
        pages,
        Prot::READ | Prot::WRITE,
        MapFlags::empty(),
    );
}

fn touch(machine: &mut Machine, addr: u64, pages: u64) {
    let call = Call::Touch {
        addr,
        len: pages * PAGE,
        stride: PAGE,
        access: Access::Write,
    };
    assert_eq!(machine.run(&call, &mut ()), Outcome::Touched(pages));
}

fn remap(addr: u64, old: u64, new: u64, flags: MremapFlags, new_addr: u64) -> Call {
    Call::Mremap(Mremap {
        addr,
        old_len: old * PAGE,
        new_len: new * PAGE,
        flags,
        new_addr,
    })
}

/// Start and pages of every mapping.
fn layout(machine: &Machine) -> Vec<(u64, u64)> {
    let all = Range {
        start: 0,
        end: u64::MAX,
    };
    machine
        .vmas(all)
        .map(|(_, vma)| (vma.start, vma.pages()))
        .collect()
}

#[test]
fn a_failing_fixed_move_takes_the_target_away_before_6_17() {
    for (kernel, left) in [
        ("6.1", vec![(A, 1)]),
        ("6.12", vec![(A, 1)]),
        ("6.16", vec![(A, 1)]),
        ("6.17", vec![(A, 1), (B, 4)]),
        ("7.3", vec![(A, 1), (B, 4)]),
    ] {
        let mut machine = machine(kernel, 65530);
        rw(&mut machine, A, 1);
        rw(&mut machine, B, 4);
        let call = remap(A, 2, 4, FIXED, B);
        let outcome = machine.run(&call, &mut ());
        assert_eq!(outcome, Outcome::Error(Errno::EFAULT), "{kernel}");
        assert_eq!(layout(&machine), left, "{kernel}");
    }
}

#[test]
fn a_range_of_several_mappings_moves_with_its_gaps_since_6_17() {
    for (kernel, moved) in [("6.16", false), ("6.17", true), ("6.18", true)] {
        let mut machine = machine(kernel, 65530);
        rw(&mut machine, A, 2);
        map(&mut machine, A + 2 * PAGE, 1, Prot::READ, MapFlags::empty());
        rw(&mut machine, A + 5 * PAGE, 3);
        let outcome = machine.run(&remap(A + PAGE, 5, 5, FIXED, B), &mut ());
        if moved {
            assert_eq!(outcome, Outcome::Address(B), "{kernel}");
            assert_eq!(
                layout(&machine),
                [
                    (A, 1),
                    (A + 6 * PAGE, 2),
                    (B, 1),
                    (B + PAGE, 1),
                    (B + 4 * PAGE, 1)
                ]
            );
        } else {
            assert_eq!(outcome, Outcome::Error(Errno::EFAULT), "{kernel}");
            assert_eq!(
                layout(&machine),
                [(A, 2), (A + 2 * PAGE, 1), (A + 5 * PAGE, 3)]
            );
        }
        assert_eq!(machine.process().committed, 5);
    }
}

#[test]
fn an_untouched_range_takes_the_offset_of_its_new_place() {
    for (touched, vmas) in [(false, 1), (true, 2)] {
        let mut machine = machine("6.12", 65530);
        rw(&mut machine, A, 2);
        rw(&mut machine, B, 2);
        if touched {
            touch(&mut machine, A, 2);
        }
        let outcome = machine.run(&remap(A, 2, 2, FIXED, B + 2 * PAGE), &mut ());
        assert_eq!(outcome, Outcome::Address(B + 2 * PAGE));
        assert_eq!(layout(&machine).len(), vmas);
    }
}

#[test]
fn what_dontunmap_moves_joins_its_source_on_some_kernels_only() {
    for (kernel, joins) in [
        ("6.1", true),
        ("6.12.0", true),
        ("6.12.y", false),
        ("6.13", true),
        ("6.18", true),
        ("7.3", false),
    ] {
        let mut machine = machine(kernel, 65530);
        rw(&mut machine, A, 2);
        let mut journal = Journal::new();
        let outcome = machine.run(&remap(A, 2, 2, KEEP, A + 2 * PAGE), &mut journal);
        assert_eq!(outcome, Outcome::Address(A + 2 * PAGE), "{kernel}");
        assert_eq!(layout(&machine).len() == 1, joins, "{kernel}");
        let apart = |event: &Event| {
            matches!(
                event,
                Event::MergeTried {
                    verdict: Err(MergeRefusal::StaysBehind),
                    ..
                }
            )
        };
        assert_eq!(journal.events().any(|(_, event)| apart(event)), !joins);
        assert_eq!(machine.process().total_vm, 4);
        assert_eq!(machine.process().committed, 4);
    }
}

#[test]
fn dontunmap_leaves_an_empty_unlocked_mapping() {
    for (kernel, counted) in [("6.12", 4), ("6.18", 8)] {
        let mut machine = machine(kernel, 65530);
        let prot = Prot::READ | Prot::WRITE;
        map(&mut machine, A, 4, prot, MapFlags::LOCKED);
        let outcome = machine.run(&remap(A, 4, 4, KEEP.union(FIXED), B), &mut ());
        assert_eq!(outcome, Outcome::Address(B));
        let vma = |addr| machine.vma(machine.vma_at(addr).unwrap());
        assert_eq!(vma(A).anon_vma, None);
        assert!(vma(B).anon_vma.is_some());
        assert!(!vma(A).flags.contains(VmFlags::LOCKED));
        assert!(vma(B).flags.contains(VmFlags::LOCKED | VmFlags::ACCOUNT));
        assert_eq!(machine.process().locked_vm, counted, "{kernel}");
    }
}

#[test]
fn the_map_limit_is_kept_at_a_distance() {
    // How many mappings there may be for a move, a move to a given place, and a call that does nothing.
    for (kernel, most) in [("6.12", [16, 14, 99]), ("7.1", [16, 16, 16])] {
        for (call, most) in [
            (remap(A, 1, 2, MOVE, 0), most[0]),
            (remap(A, 1, 1, FIXED, B), most[1]),
            (remap(A, 1, 1, MOVE, 0), most[2]),
        ] {
            for count in 12..=20 {
                let mut machine = machine(kernel, 20);
                for each in 0..count {
                    let prot = if each % 2 == 0 {
                        Prot::READ
                    } else {
                        Prot::empty()
                    };
                    map(&mut machine, A + each * PAGE, 1, prot, MapFlags::empty());
                }
                let done = machine.run(&call, &mut ()).address().is_some();
                assert_eq!(done, count <= most, "{kernel} {call:?} {count}");
            }
        }
    }
}

#[test]
fn an_old_length_of_0_maps_a_shared_mapping_again() {
    let mut machine = machine("6.18", 65530);
    rw(&mut machine, A, 2);
    let private = machine.run(&remap(A, 0, 2, MOVE, 0), &mut ());
    assert_eq!(private, Outcome::Error(Errno::EINVAL));
    let call = Call::Mmap(Mmap {
        addr: B,
        flags: MapFlags::SHARED | MapFlags::ANONYMOUS | MapFlags::FIXED,
        ..Mmap::anonymous(2 * PAGE)
    });
    assert_eq!(machine.run(&call, &mut ()), Outcome::Address(B));
    let committed = machine.process().committed;
    let outcome = machine.run(&remap(B + PAGE, 0, 1, FIXED, B + 8 * PAGE), &mut ());
    assert_eq!(outcome, Outcome::Address(B + 8 * PAGE));
    assert_eq!(layout(&machine), [(A, 2), (B, 2), (B + 8 * PAGE, 1)]);
    let vma = |addr| machine.vma(machine.vma_at(addr).unwrap());
    assert_eq!(vma(B).file, vma(B + 8 * PAGE).file);
    assert_eq!(vma(B + 8 * PAGE).pgoff, 1);
    assert_eq!(machine.process().committed, committed);
}
