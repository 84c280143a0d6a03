//! mlockall, mseal and names: what they change, what they refuse, and what refuses because of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Advice, AnonName, Call, Errno, Kernel, Machine, MapFlags, Mmap, Mremap, MremapFlags, Outcome,
    Prot, Settings, Start, VmFlags, maps,
};

const PAGE: u64 = 4096;
const AT: u64 = 0x4000_0000;
const DONE: Outcome = Outcome::Done;
const EVERYTHING: mmscope_mm::Range = mmscope_mm::Range {
    start: AT,
    end: u64::MAX,
};

fn error(errno: Errno) -> Outcome {
    Outcome::Error(errno)
}

struct Run(Machine);

impl Run {
    fn new(kernel: &str) -> Run {
        Run::with(kernel, Settings::default())
    }

    fn with(kernel: &str, settings: Settings) -> Run {
        let kernel = Kernel::parse(kernel).unwrap();
        let start = Start {
            start_brk: Some(0x1000_0000),
            ..Start::default()
        };
        Run(Machine::new(kernel, settings, vec![], &start).unwrap())
    }

    fn call(&mut self, call: Call) -> Outcome {
        self.0.run(&call, &mut ())
    }

    fn map_with(&mut self, pages: u64, prot: Prot, flags: MapFlags) -> Outcome {
        self.call(Call::Mmap(Mmap {
            addr: AT,
            prot,
            flags: flags | MapFlags::ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(pages * PAGE)
        }))
    }

    fn map(&mut self, pages: u64) {
        let prot = Prot::READ | Prot::WRITE;
        let outcome = self.map_with(pages, prot, MapFlags::PRIVATE);
        assert_eq!(outcome, Outcome::Address(AT));
    }

    fn seal(&mut self, page: u64, pages: u64) -> Outcome {
        self.call(Call::Mseal {
            addr: AT + page * PAGE,
            len: pages * PAGE,
            flags: 0,
        })
    }

    fn munmap(&mut self, page: u64, pages: u64) -> Outcome {
        self.call(Call::Munmap {
            addr: AT + page * PAGE,
            len: pages * PAGE,
        })
    }

    fn mprotect(&mut self, page: u64, pages: u64, prot: Prot) -> Outcome {
        self.call(Call::Mprotect {
            addr: AT + page * PAGE,
            len: pages * PAGE,
            prot,
        })
    }

    fn name(&mut self, page: u64, pages: u64, name: Option<&str>) -> Outcome {
        self.call(Call::SetAnonName {
            addr: AT + page * PAGE,
            len: pages * PAGE,
            name: name.map(|name| AnonName::new(name).unwrap()),
        })
    }

    fn flags(&self, addr: u64) -> VmFlags {
        self.0.vma(self.0.vma_at(addr).unwrap()).flags
    }

    /// Each mapping's first page and its pages, from [`AT`] on.
    fn pieces(&self) -> Vec<(u64, u64)> {
        let piece = |vma: &mmscope_mm::Vma| ((vma.start - AT) / PAGE, vma.pages());
        self.0.vmas(EVERYTHING).map(|(_, vma)| piece(vma)).collect()
    }
}

#[test]
fn mlockall_locks_what_is_there_and_what_comes() {
    let mut run = Run::new("6.18");
    run.map(4);
    for flags in [0, 4, 8] {
        assert_eq!(run.call(Call::Mlockall { flags }), error(Errno::EINVAL));
    }
    assert_eq!(run.call(Call::Mlockall { flags: 1 }), DONE);
    assert!(run.flags(AT).contains(VmFlags::LOCKED));
    assert_eq!(run.0.process().locked_vm, 4);
    // Only what comes, and what is there is unlocked by no flag of it.
    assert_eq!(run.call(Call::Mlockall { flags: 6 }), DONE);
    assert_eq!(run.0.process().locked_vm, 4);
    assert_eq!(
        run.call(Call::Brk { addr: 0x1000_2000 }),
        Outcome::Address(0x1000_2000)
    );
    assert!(run.flags(0x1000_0000).contains(VmFlags::LOCKED_MASK));
    assert_eq!(run.call(Call::Munlockall), DONE);
    assert_eq!(run.0.process().locked_vm, 0);
    assert_eq!(run.0.process().def_flags, VmFlags::empty());
    assert!(!run.flags(AT).intersects(VmFlags::LOCKED_MASK));
}

#[test]
fn locks_to_come_are_held_to_the_limit() {
    let mut run = Run::new("6.18");
    assert_eq!(run.call(Call::Mlockall { flags: 2 }), DONE);
    // The default limit is 8 MiB.
    let private = MapFlags::PRIVATE;
    let over = run.map_with(2049, Prot::empty(), private);
    assert_eq!(over, error(Errno::EAGAIN));
    let fits = run.map_with(2048, Prot::empty(), private);
    assert_eq!(fits, Outcome::Address(AT));
    // The break stays.
    let addr = 0x1000_1000;
    assert_eq!(run.call(Call::Brk { addr }), Outcome::Address(0x1000_0000));
    run.call(Call::Munlockall);
    run.map_with(2049, Prot::empty(), private);
    let all = run.call(Call::Mlockall { flags: 1 });
    assert_eq!(all, error(Errno::ENOMEM));
}

#[test]
fn a_sealed_mapping_stays() {
    let mut run = Run::new("6.9");
    run.map(4);
    assert_eq!(run.seal(0, 4), error(Errno::ENOSYS));

    let mut run = Run::new("6.12");
    run.map(8);
    assert_eq!(run.seal(6, 4), error(Errno::ENOMEM));
    assert_eq!(
        run.pieces(),
        [(0, 8)],
        "a hole is found before anything is done"
    );
    assert_eq!(run.seal(2, 2), DONE);
    assert_eq!(run.pieces(), [(0, 2), (2, 2), (4, 4)]);
    assert_eq!(run.seal(2, 2), DONE);
    assert_eq!(run.munmap(2, 1), error(Errno::EPERM));
    assert_eq!(
        run.mprotect(2, 1, Prot::READ | Prot::WRITE),
        error(Errno::EPERM)
    );
    let fixed = run.map_with(4, Prot::READ, MapFlags::PRIVATE);
    assert_eq!(fixed, error(Errno::EPERM));
    let remap = |flags, new_addr| {
        Call::Mremap(Mremap {
            addr: AT + 2 * PAGE,
            old_len: PAGE,
            new_len: PAGE,
            flags,
            new_addr,
        })
    };
    let moved = MremapFlags::MAYMOVE | MremapFlags::FIXED;
    assert_eq!(run.call(remap(moved, AT + (1 << 30))), error(Errno::EPERM));
    assert_eq!(
        run.call(remap(MremapFlags::empty(), 0)),
        error(Errno::EPERM)
    );
    assert_eq!(run.pieces(), [(0, 2), (2, 2), (4, 4)]);
}

#[test]
fn seals_are_looked_for_before_the_call_or_met_in_it() {
    for (kernel, cut) in [
        ("6.10", false),
        ("6.11", false),
        ("6.12", true),
        ("7.3", true),
    ] {
        let mut run = Run::new(kernel);
        run.map(8);
        run.seal(2, 2);
        assert_eq!(run.munmap(1, 3), error(Errno::EPERM));
        let pieces = run.pieces();
        if cut {
            assert_eq!(pieces, [(0, 1), (1, 1), (2, 2), (4, 4)], "{kernel}");
        } else {
            assert_eq!(pieces, [(0, 2), (2, 2), (4, 4)], "{kernel}");
        }
        assert_eq!(run.mprotect(0, 8, Prot::READ), error(Errno::EPERM));
        assert_eq!(run.flags(AT).contains(VmFlags::WRITE), !cut, "{kernel}");
        assert!(run.flags(AT + 4 * PAGE).contains(VmFlags::WRITE));
    }
}

#[test]
fn a_sealed_mapping_that_is_read_only_keeps_its_pages() {
    for (kernel, prot, refused) in [
        ("6.11", Prot::READ, true),
        ("6.18", Prot::READ, true),
        ("6.18", Prot::READ | Prot::WRITE, false),
    ] {
        let mut run = Run::new(kernel);
        run.map_with(4, prot, MapFlags::PRIVATE);
        run.seal(0, 4);
        for advice in [Advice::DONTNEED, Advice::DONTFORK, Advice::WIPEONFORK] {
            let (addr, len) = (AT, PAGE);
            let outcome = run.call(Call::Madvise { addr, len, advice });
            let expected = if refused { error(Errno::EPERM) } else { DONE };
            assert_eq!(outcome, expected, "{kernel} {advice:?}");
        }
        let (addr, len, advice) = (AT, PAGE, Advice::DONTDUMP);
        assert_eq!(run.call(Call::Madvise { addr, len, advice }), DONE);
    }
}

#[test]
fn names_part_and_join_mappings() {
    let mut run = Run::new("6.18");
    run.map(8);
    assert_eq!(run.name(2, 2, Some("two pages")), DONE);
    assert_eq!(run.pieces(), [(0, 2), (2, 2), (4, 4)]);
    let line = maps::line(&run.0, run.0.vma_at(AT + 2 * PAGE).unwrap());
    assert_eq!(line.get(73..), Some("[anon:two pages]"), "{line}");
    assert_eq!(run.name(0, 2, Some("two pages")), DONE);
    assert_eq!(run.pieces(), [(0, 4), (4, 4)]);
    assert_eq!(run.name(0, 9, None), error(Errno::ENOMEM));
    assert_eq!(
        run.pieces(),
        [(0, 8)],
        "what is mapped is done before the hole is an error"
    );
    for bad in ["[", "a$b", "\n", &"x".repeat(80)] {
        assert_eq!(run.name(0, 1, Some(bad)), error(Errno::EINVAL), "{bad:?}");
    }
    assert_eq!(run.name(0, 8, Some(&"x".repeat(79))), DONE);

    let without = Settings {
        anon_vma_name: false,
        ..Settings::default()
    };
    let mut run = Run::with("6.18", without);
    run.map(1);
    assert_eq!(run.name(0, 1, Some("a")), error(Errno::EINVAL));
}

#[test]
fn shared_anonymous_memory_has_names_since_6_2() {
    for (kernel, expected) in [("6.1", error(Errno::EBADF)), ("6.2", DONE)] {
        let mut run = Run::new(kernel);
        run.map_with(2, Prot::READ, MapFlags::SHARED);
        assert_eq!(run.name(0, 1, Some("a")), expected, "{kernel}");
        if expected == DONE {
            let line = maps::line(&run.0, run.0.vma_at(AT).unwrap());
            assert!(line.ends_with(" [anon_shmem:a]"), "{line}");
        }
    }
}

/// What 6.18.44 did.
#[test]
fn what_may_be_dropped_is_not_locked() {
    let mut run = Run::new("6.18");
    let (droppable, prot) = (MapFlags::from_bits_retain(8), Prot::READ | Prot::WRITE);
    run.map_with(4, prot, droppable);
    run.call(Call::Mlockall { flags: 2 });
    let next = |run: &mut Run| {
        let addr = run.0.vmas(EVERYTHING).map(|(_, vma)| vma.end).max();
        run.call(Call::Mmap(Mmap {
            addr: addr.unwrap(),
            flags: droppable | MapFlags::ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(4 * PAGE)
        }))
    };
    next(&mut run);
    next(&mut run);
    // That it was to be locked kept it apart all the same, and its pages are there.
    assert_eq!(run.pieces(), [(0, 4), (4, 4), (8, 4)]);
    assert_eq!(run.0.process().locked_vm, 0);
    let pages: u64 = run.0.ptes(EVERYTHING).map(|(run, _)| run.len()).sum();
    assert_eq!(pages, 8 * PAGE);
}

/// What 6.18.44 did.
#[test]
fn locked_memory_that_becomes_writable_is_copied_at_once() {
    for (flags, copied) in [(0, true), (1, false)] {
        let mut run = Run::new("6.18");
        run.map_with(4, Prot::READ, MapFlags::PRIVATE);
        let (addr, len) = (AT, 4 * PAGE);
        run.call(Call::Mlock { addr, len, flags });
        assert_eq!(run.mprotect(0, 4, Prot::READ | Prot::WRITE), DONE);
        let vma = run.0.vma(run.0.vma_at(AT).unwrap());
        assert_eq!(vma.anon_vma.is_some(), copied);
    }
}
