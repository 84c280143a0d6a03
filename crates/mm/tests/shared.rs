//! Shared mappings: their flags and errors, their object, what merges, what is charged.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Access, Call, Change, Errno, Event, Fd, File, FileId, FilePlacement, Journal, Kernel, Machine,
    MapFlags, Mmap, Outcome, Overcommit, Prot, Range, Refusal, Settings, Signal, Start, VmFile,
    VmFlags, maps,
};

const PAGE: u64 = 4096;
const SHARED: MapFlags = MapFlags::SHARED;
const RW: Prot = Prot::READ.union(Prot::WRITE);

/// Files: one on ext4, the same opened for reading only, a memfd; each 64 KiB long.
fn machine(kernel: &str, settings: Settings) -> Machine {
    let file = |path: &str, placement, read_only| File {
        path: path.into(),
        len: Some(16 * PAGE),
        dev: "fe:00".into(),
        inode: 7,
        placement,
        read_only,
    };
    let files = vec![
        file("/f", FilePlacement::Thp, false),
        file("/f", FilePlacement::Thp, true),
        file("/memfd:m (deleted)", FilePlacement::Shmem, false),
    ];
    let kernel = Kernel::parse(kernel).unwrap();
    Machine::new(kernel, settings, files, &Start::default()).unwrap()
}

fn plain(kernel: &str) -> Machine {
    machine(kernel, Settings::default())
}

fn of_file(file: u32, pages: u64, prot: Prot, flags: MapFlags, first: u64) -> Mmap {
    Mmap {
        prot,
        flags,
        fd: Fd::File(FileId(file)),
        offset: first * PAGE,
        ..Mmap::anonymous(pages * PAGE)
    }
}

fn anonymous(pages: u64) -> Mmap {
    Mmap {
        flags: SHARED | MapFlags::ANONYMOUS,
        ..Mmap::anonymous(pages * PAGE)
    }
}

fn map(machine: &mut Machine, mmap: Mmap) -> u64 {
    machine.run(&Call::Mmap(mmap), &mut ()).address().unwrap()
}

fn errno(machine: &mut Machine, mmap: Mmap) -> Outcome {
    machine.run(&Call::Mmap(mmap), &mut ())
}

fn flags(machine: &Machine, at: u64) -> VmFlags {
    machine.vma(machine.vma_at(at).unwrap()).flags
}

fn touch(machine: &mut Machine, addr: u64, pages: u64) -> Outcome {
    let call = Call::Touch {
        addr,
        len: pages * PAGE,
        stride: PAGE,
        access: Access::Write,
    };
    machine.run(&call, &mut ())
}

#[test]
fn flags_say_how_the_file_was_opened() {
    let mut machine = plain("6.18");
    let at = map(&mut machine, of_file(0, 1, Prot::READ, SHARED, 0));
    let shared = VmFlags::SHARED | VmFlags::MAYSHARE;
    assert_eq!(
        flags(&machine, at),
        VmFlags::READ | VmFlags::MAY_ACCESS | shared
    );
    // What 6.18.44 showed for a read-only descriptor: rd mr me ms.
    let at = map(&mut machine, of_file(1, 1, Prot::READ, SHARED, 0));
    assert_eq!(
        flags(&machine, at),
        VmFlags::READ | VmFlags::MAYREAD | VmFlags::MAYEXEC | VmFlags::MAYSHARE
    );
    let call = Call::Mprotect {
        addr: at,
        len: PAGE,
        prot: RW,
    };
    assert_eq!(machine.run(&call, &mut ()), Outcome::Error(Errno::EACCES));
    assert_eq!(
        errno(&mut machine, of_file(1, 1, RW, SHARED, 0)),
        Outcome::Error(Errno::EACCES)
    );
    // A private mapping of the same file may be written.
    map(&mut machine, of_file(1, 1, RW, MapFlags::PRIVATE, 0));
}

#[test]
fn errors_are_those_of_a_live_kernel() {
    let mut machine = plain("6.18");
    let validate = SHARED | MapFlags::PRIVATE;
    let anon = MapFlags::ANONYMOUS;
    let bit = MapFlags::from_bits_retain;
    for (file, flags, errno_is) in [
        (Some(0), validate | MapFlags::SYNC, Some(Errno::EOPNOTSUPP)),
        (Some(2), validate | MapFlags::SYNC, Some(Errno::EOPNOTSUPP)),
        (Some(0), validate | bit(0x20_0000), Some(Errno::EOPNOTSUPP)),
        (Some(0), validate | bit(1 << 31), Some(Errno::EOPNOTSUPP)),
        (Some(0), validate | MapFlags::ABOVE4G, None),
        (Some(0), validate | bit(1 << 26), None),
        (Some(0), validate | bit(1 << 27), None),
        (Some(0), SHARED | bit(0x20_0000), None),
        (Some(0), SHARED | MapFlags::GROWSDOWN, Some(Errno::EINVAL)),
        (
            None,
            SHARED | anon | MapFlags::GROWSDOWN,
            Some(Errno::EINVAL),
        ),
        (None, validate | anon, Some(Errno::EINVAL)),
        (None, SHARED | anon | MapFlags::STACK, None),
        (Some(0), bit(8), Some(Errno::EINVAL)),
    ] {
        let mmap = match file {
            Some(file) => of_file(file, 2, Prot::READ, flags, 0),
            None => Mmap {
                prot: Prot::READ,
                flags,
                ..anonymous(2)
            },
        };
        let outcome = errno(&mut machine, mmap);
        match errno_is {
            Some(errno) => assert_eq!(outcome, Outcome::Error(errno), "{flags:?}"),
            None => assert!(outcome.address().is_some(), "{flags:?}: {outcome:?}"),
        }
    }
    let droppable = Mmap {
        flags: bit(8) | anon,
        ..anonymous(1)
    };
    let outcome = errno(&mut machine, droppable);
    if machine.kernel().has(Change::Droppable) {
        let vma = machine.vma(machine.vma_at(outcome.address().unwrap()).unwrap());
        let more = VmFlags::NORESERVE | VmFlags::WIPEONFORK | VmFlags::DONTDUMP;
        assert!(vma.flags.contains(VmFlags::DROPPABLE | more));
        assert!(!vma.flags.contains(VmFlags::ACCOUNT));
    } else {
        assert_eq!(outcome, Outcome::Error(Errno::EINVAL));
    }
}

#[test]
fn each_shared_anonymous_mapping_is_an_object_of_its_own() {
    for kernel in ["6.1", "6.12.y", "7.3"] {
        let mut machine = plain(kernel);
        let upper = map(&mut machine, anonymous(16));
        let mut journal = Journal::new();
        let outcome = machine.run(&Call::Mmap(anonymous(16)), &mut journal);
        assert_eq!(outcome.address(), Some(upper - 16 * PAGE));
        assert!(journal.events().any(|(_, event)| *event
            == Event::ShmemObject {
                len: 16 * PAGE,
                charged: 16
            }));
        assert_eq!(machine.process().map_count, 2);
        assert_eq!(machine.process().committed, 32);
        // Cut out of the middle, it has two mappings; filled again by mprotect's way back, one.
        for (prot, mappings) in [(Prot::READ, 4), (RW, 2)] {
            let call = Call::Mprotect {
                addr: upper + 4 * PAGE,
                len: 4 * PAGE,
                prot,
            };
            assert_eq!(machine.run(&call, &mut ()), Outcome::Done);
            assert_eq!(machine.process().map_count, mappings);
            assert_eq!(machine.process().committed, 32);
        }
        let Some(VmFile::Shmem(object)) = machine.vma(machine.vma_at(upper).unwrap()).file else {
            panic!("an object");
        };
        assert_eq!(machine.shmem(object).mappings, 1);
        // A hole leaves the charge; the last mapping takes it away.
        let unmap = |machine: &mut Machine, addr, pages| {
            let call = Call::Munmap {
                addr,
                len: pages * PAGE,
            };
            assert_eq!(machine.run(&call, &mut ()), Outcome::Done);
        };
        unmap(&mut machine, upper + 4 * PAGE, 4);
        assert_eq!(machine.shmem(object).mappings, 2);
        assert_eq!(machine.process().committed, 32);
        let text = maps::text(&machine);
        assert!(text.contains("rw-s 00008000 00:01"), "{text}");
        assert!(text.ends_with("/dev/zero (deleted)\n"), "{text}");
        unmap(&mut machine, upper - 16 * PAGE, 32);
        assert_eq!(machine.process().committed, 0);
        assert_eq!(machine.process().map_count, 0);
    }
}

#[test]
fn shared_mappings_of_a_file_merge_where_the_offset_continues() {
    let mut machine = plain("6.18");
    let upper = map(&mut machine, of_file(2, 4, RW, SHARED, 4));
    assert_eq!(touch(&mut machine, upper, 4), Outcome::Touched(4));
    map(&mut machine, of_file(2, 4, RW, SHARED, 0));
    assert_eq!(machine.process().map_count, 1);
    // No anon_vma, so nothing of the sort can keep them apart.
    assert_eq!(machine.vma(machine.vma_at(upper).unwrap()).anon_vma, None);
    map(&mut machine, of_file(2, 4, RW, SHARED, 0));
    map(&mut machine, of_file(2, 4, RW, MapFlags::PRIVATE, 0));
    assert_eq!(machine.process().map_count, 3);
    assert_eq!(machine.process().committed, 4);
}

#[test]
fn an_access_past_the_object_is_a_bus_error() {
    let mut machine = plain("6.18");
    let at = map(&mut machine, of_file(0, 32, RW, SHARED, 8));
    assert_eq!(
        touch(&mut machine, at, 32),
        Outcome::Signal {
            touched: 8,
            signal: Signal::BusAdrerr,
            at: at + 8 * PAGE
        }
    );
}

#[test]
fn the_object_is_charged_whole_unless_told_otherwise() {
    let with = |overcommit| Settings {
        overcommit,
        mem_total_kb: 1 << 20,
        ..Settings::default()
    };
    let none = |pages, more| Mmap {
        prot: Prot::empty(),
        flags: SHARED | MapFlags::ANONYMOUS | more,
        ..anonymous(pages)
    };
    let pages = 1 << 19;
    for kernel in ["6.6", "6.18"] {
        // Twice the memory: refused for PROT_NONE too, and let through with MAP_NORESERVE.
        let mut machine = machine(kernel, with(Overcommit::Guess));
        let under = Mmap {
            addr: 0x2000_0000,
            flags: MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(2 * PAGE)
        };
        let at = map(&mut machine, under);
        let mut over = none(pages, MapFlags::FIXED);
        over.addr = at;
        let mut journal = Journal::new();
        assert_eq!(
            machine.run(&Call::Mmap(over), &mut journal),
            Outcome::Error(Errno::ENOMEM)
        );
        assert!(journal.events().any(|(_, event)| matches!(
            event,
            Event::Refused {
                reason: Refusal::Overcommit { .. },
                ..
            }
        )));
        // What lay there is gone, as 6.18.44 does it.
        let everything = Range {
            start: 0,
            end: u64::MAX,
        };
        assert_eq!(machine.vmas(everything).count(), 0);
        assert_eq!(machine.process().map_count, 0);
        assert_eq!(machine.process().committed, 0);
        let at = map(&mut machine, none(pages, MapFlags::NORESERVE));
        assert_eq!(machine.process().committed, 0);
        assert!(flags(&machine, at).contains(VmFlags::NORESERVE));
    }
    // Under overcommit_memory 2 MAP_NORESERVE says nothing.
    let mut machine = machine("6.18", with(Overcommit::Never));
    map(&mut machine, none(16, MapFlags::NORESERVE));
    assert_eq!(machine.process().committed, 16);
}
