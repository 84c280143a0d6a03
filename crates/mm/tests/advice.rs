//! madvise, mlock and prctl: partial effects, page tables, guard pages.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Access, Advice, Call, Errno, Kernel, Machine, MapFlags, Mmap, Outcome, Pmd, Prot, Settings,
    Signal, Start, Thp, VmFlags,
};

const PAGE: u64 = 4096;
const BLOCK: u64 = 2 << 20;
const AT: u64 = 0x4000_0000;

struct Run(Machine);

impl Run {
    fn new(kernel: &str, thp: Thp) -> Run {
        let settings = Settings {
            thp,
            ..Settings::default()
        };
        let kernel = Kernel::parse(kernel).unwrap();
        Run(Machine::new(kernel, settings, vec![], &Start::default()).unwrap())
    }

    fn call(&mut self, call: Call) -> Outcome {
        self.0.run(&call, &mut ())
    }

    fn map(&mut self, addr: u64, len: u64) {
        let flags = MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED;
        let mmap = Mmap {
            addr,
            flags,
            ..Mmap::anonymous(len)
        };
        assert_eq!(self.call(Call::Mmap(mmap)), Outcome::Address(addr));
    }

    fn advise(&mut self, addr: u64, len: u64, advice: Advice) -> Outcome {
        self.call(Call::Madvise { addr, len, advice })
    }

    fn touch(&mut self, addr: u64, len: u64) -> Outcome {
        let (stride, access) = (PAGE, Access::Write);
        self.call(Call::Touch {
            addr,
            len,
            stride,
            access,
        })
    }

    fn flags(&self, addr: u64) -> VmFlags {
        self.0.vma(self.0.vma_at(addr).unwrap()).flags
    }
}

#[test]
fn all_mapped_parts_are_advised_before_the_hole_is_an_error() {
    let mut run = Run::new("6.12", Thp::Madvise);
    run.map(AT, 4 * PAGE);
    run.map(AT + 8 * PAGE, 4 * PAGE);
    let done = run.advise(AT + PAGE, 9 * PAGE, Advice::DONTDUMP);
    assert_eq!(done, Outcome::Error(Errno::ENOMEM));
    for (page, set) in [(0, false), (1, true), (8, true), (10, false)] {
        let flags = run.flags(AT + page * PAGE);
        assert_eq!(flags.contains(VmFlags::DONTDUMP), set, "page {page}");
    }
    // Back again: the pieces are one each.
    run.advise(AT, 12 * PAGE, Advice::DODUMP);
    assert_eq!(run.0.process().map_count, 2);
}

#[test]
fn the_map_limit_is_eagain() {
    let kernel = Kernel::parse("6.12").unwrap();
    let settings = Settings {
        max_map_count: 1,
        ..Settings::default()
    };
    let mut run = Run(Machine::new(kernel, settings, vec![], &Start::default()).unwrap());
    run.map(AT, 4 * PAGE);
    let done = run.advise(AT, PAGE, Advice::DONTFORK);
    assert_eq!(done, Outcome::Error(Errno::EAGAIN));
}

#[test]
fn an_emptied_block_keeps_its_table_up_to_6_13() {
    for (kernel, table) in [("6.13", Some(Pmd::Table)), ("6.14", None)] {
        let mut run = Run::new(kernel, Thp::Madvise);
        run.map(AT, 2 * BLOCK);
        run.touch(AT, 2 * BLOCK);
        run.advise(AT, BLOCK, Advice::DONTNEED);
        run.advise(AT + BLOCK, BLOCK - PAGE, Advice::DONTNEED);
        assert_eq!(run.0.pmd(AT), table, "{kernel}");
        assert_eq!(run.0.pmd(AT + BLOCK), Some(Pmd::Table), "{kernel}");
    }
}

#[test]
fn part_of_a_huge_page_splits_it() {
    for advice in [Advice::DONTNEED, Advice::FREE, Advice::COLD] {
        let mut run = Run::new("6.12", Thp::Always);
        run.map(AT, 2 * BLOCK);
        run.touch(AT, 2 * BLOCK);
        assert_eq!(run.0.pmd(AT), Some(Pmd::Huge));
        run.advise(AT, BLOCK + PAGE, advice);
        let whole = (advice != Advice::DONTNEED).then_some(Pmd::Huge);
        assert_eq!(run.0.pmd(AT), whole);
        assert_eq!(run.0.pmd(AT + BLOCK), Some(Pmd::Table));
    }
}

#[test]
fn guard_pages_raise_a_signal_until_they_are_removed() {
    let mut run = Run::new("7.3", Thp::Madvise);
    run.map(AT, 16 * PAGE);
    let install = Advice::GUARD_INSTALL;
    assert_eq!(run.advise(AT + 4 * PAGE, 2 * PAGE, install), Outcome::Done);
    assert!(run.flags(AT).contains(VmFlags::MAYBE_GUARD));
    let (signal, at) = (Signal::SegvMaperr, AT + 4 * PAGE);
    let stopped = Outcome::Signal {
        touched: 4,
        signal,
        at,
    };
    assert_eq!(run.touch(AT, 16 * PAGE), stopped);
    // A mapping that is gone takes its guard pages with it.
    run.map(AT + 4 * PAGE, PAGE);
    let behind = run.touch(AT + 4 * PAGE, 4 * PAGE);
    assert!(matches!(behind, Outcome::Signal { touched: 1, .. }));
    run.advise(AT, 16 * PAGE, Advice::GUARD_REMOVE);
    assert_eq!(run.touch(AT, 16 * PAGE), Outcome::Touched(16));
    let before = Run::new("6.12", Thp::Madvise).advise(AT, PAGE, install);
    assert_eq!(before, Outcome::Error(Errno::EINVAL));
}

#[test]
fn populate_stops_at_a_hole() {
    let mut run = Run::new("6.12", Thp::Madvise);
    run.map(AT, 4 * PAGE);
    let done = run.advise(AT, 8 * PAGE, Advice::POPULATE_WRITE);
    assert_eq!(done, Outcome::Error(Errno::ENOMEM));
    assert_eq!(run.0.pmd(AT), Some(Pmd::Table));
    let prot = Prot::READ;
    run.call(Call::Mprotect {
        addr: AT,
        len: 4 * PAGE,
        prot,
    });
    let done = run.advise(AT, PAGE, Advice::POPULATE_WRITE);
    assert_eq!(done, Outcome::Error(Errno::EINVAL));
}

#[test]
fn collapse_asks_for_a_whole_block() {
    let collapse = |kernel: &str, len| {
        let mut run = Run::new(kernel, Thp::Never);
        run.map(AT, 2 * BLOCK);
        run.touch(AT, BLOCK);
        run.advise(AT + PAGE, len, Advice::COLLAPSE)
    };
    let refused = Outcome::Error(Errno::EINVAL);
    assert_eq!(collapse("6.0", BLOCK), refused);
    assert_eq!(collapse("6.12", PAGE), refused);
    assert_eq!(collapse("7.3", PAGE), Outcome::Done);
    let mut run = Run::new("6.18", Thp::Never);
    run.map(AT, BLOCK);
    run.touch(AT, PAGE);
    assert_eq!(run.advise(AT, BLOCK, Advice::COLLAPSE), Outcome::Done);
    assert_eq!(run.0.pmd(AT), Some(Pmd::Huge));
    let mut run = Run::new("6.12", Thp::Never);
    run.map(AT, BLOCK);
    run.touch(AT, PAGE);
    assert_eq!(run.advise(AT, BLOCK, Advice::COLLAPSE), Outcome::Done);
    // Before 6.18 one page must be writable: the zero page is not.
    for (kernel, done) in [("6.17", refused), ("6.18", Outcome::Done)] {
        let mut run = Run::new(kernel, Thp::Never);
        run.map(AT, BLOCK);
        run.touch(AT, PAGE);
        run.advise(AT, PAGE, Advice::DONTNEED);
        assert_eq!(run.advise(AT, BLOCK, Advice::COLLAPSE), done, "{kernel}");
    }
}

#[test]
fn locking_maps_and_counts() {
    let mut run = Run::new("6.12", Thp::Madvise);
    run.map(AT, 8 * PAGE);
    let lock = |addr, len| Call::Mlock {
        addr,
        len,
        flags: 0,
    };
    // From one page into the next.
    assert_eq!(run.call(lock(AT + 100, PAGE)), Outcome::Done);
    assert_eq!(run.0.process().locked_vm, 2);
    assert_eq!(run.0.pmd(AT), Some(Pmd::Table));
    let too_much = run.call(lock(AT, 9 << 20));
    assert_eq!(too_much, Outcome::Error(Errno::ENOMEM));
    // A hole: what lies before it stays locked.
    let hole = run.call(lock(AT, 9 * PAGE));
    assert_eq!(hole, Outcome::Error(Errno::ENOMEM));
    assert_eq!(run.0.process().locked_vm, 8);
    let free = run.advise(AT, PAGE, Advice::DONTNEED);
    assert_eq!(free, Outcome::Error(Errno::EINVAL));
    let (addr, len) = (AT, 8 * PAGE);
    assert_eq!(run.call(Call::Munlock { addr, len }), Outcome::Done);
    assert_eq!(run.0.process().locked_vm, 0);
}

#[test]
fn a_process_without_huge_pages() {
    for (kernel, flags, done) in [
        ("6.17", 0, Outcome::Done),
        ("6.17", 2, Outcome::Error(Errno::EINVAL)),
        ("6.18", 2, Outcome::Done),
    ] {
        let mut run = Run::new(kernel, Thp::Always);
        run.map(AT, 4 * BLOCK);
        assert_eq!(run.call(Call::SetThpDisable { on: 1, flags }), done);
        run.advise(AT, 2 * BLOCK, Advice::HUGEPAGE);
        run.touch(AT, PAGE);
        run.touch(AT + 2 * BLOCK, PAGE);
        let (advised, plain) = match (done, flags) {
            (Outcome::Done, 0) => (Pmd::Table, Pmd::Table),
            (Outcome::Done, _) => (Pmd::Huge, Pmd::Table),
            _ => (Pmd::Huge, Pmd::Huge),
        };
        assert_eq!(run.0.pmd(AT), Some(advised));
        assert_eq!(run.0.pmd(AT + 2 * BLOCK), Some(plain));
    }
}
