//! fork, exec and exit: what a child gets, and what it can merge.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Access, Advice, Call, Errno, Fd, File, FileId, FilePlacement, Kernel, Machine, MapFlags, Mmap,
    Mremap, MremapFlags, NotModelled, Outcome, Prot, Range, Settings, Signal, Start, StartMap,
    ThpDisable, VmFlags,
};

const PAGE: u64 = 4096;
const AT: u64 = 0x4000_0000;
const DONE: Outcome = Outcome::Done;
const RW: Prot = Prot::READ.union(Prot::WRITE);

struct Run(Machine);

impl Run {
    fn new(kernel: &str) -> Run {
        let file = File {
            path: "/tmp/file".to_owned(),
            dev: "fe:00".to_owned(),
            inode: 7,
            len: Some(16 * PAGE),
            placement: FilePlacement::NoHook,
            read_only: false,
        };
        let start = Start {
            start_brk: Some(0x1000_0000),
            brk: Some(0x1000_1000),
            maps: vec![StartMap {
                range: Range {
                    start: 0x1000_0000,
                    end: 0x1000_1000,
                },
                perms: VmFlags::READ | VmFlags::WRITE,
                offset: 0,
                file: None,
                special: None,
            }],
        };
        let kernel = Kernel::parse(kernel).unwrap();
        Run(Machine::new(kernel, Settings::default(), vec![file], &start).unwrap())
    }

    fn call(&mut self, call: Call) -> Outcome {
        self.0.run(&call, &mut ())
    }

    fn map(&mut self, page: u64, pages: u64, prot: Prot) {
        let addr = AT + page * PAGE;
        let mmap = Mmap {
            addr,
            prot,
            flags: MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(pages * PAGE)
        };
        assert_eq!(self.call(Call::Mmap(mmap)), Outcome::Address(addr));
    }

    fn touch(&mut self, page: u64, pages: u64) -> Outcome {
        self.call(Call::Touch {
            addr: AT + page * PAGE,
            len: pages * PAGE,
            stride: PAGE,
            access: Access::Write,
        })
    }

    fn advise(&mut self, page: u64, pages: u64, advice: Advice) {
        let (addr, len) = (AT + page * PAGE, pages * PAGE);
        assert_eq!(self.call(Call::Madvise { addr, len, advice }), DONE);
    }

    fn mprotect(&mut self, page: u64, pages: u64, prot: Prot) {
        let (addr, len) = (AT + page * PAGE, pages * PAGE);
        assert_eq!(self.call(Call::Mprotect { addr, len, prot }), DONE);
    }

    /// Each mapping's first page and its pages, from [`AT`] on.
    fn pieces(&self) -> Vec<(u64, u64)> {
        let all = Range {
            start: AT,
            end: u64::MAX,
        };
        let vmas = self.0.vmas(all);
        vmas.map(|(_, vma)| ((vma.start - AT) / PAGE, vma.pages()))
            .collect()
    }

    fn present(&self, page: u64, pages: u64) -> u64 {
        let range = Range::sized(AT + page * PAGE, pages * PAGE);
        self.0.ptes(range).map(|(run, _)| run.len() / PAGE).sum()
    }
}

#[test]
fn a_child_gets_what_it_may() {
    for kernel in ["6.1", "6.12", "7.3"] {
        let mut run = Run::new(kernel);
        run.map(0, 4, RW);
        run.map(10, 4, RW);
        run.map(20, 4, RW);
        for page in [0, 10, 20] {
            run.touch(page, 4);
        }
        run.advise(10, 4, Advice::DONTFORK);
        run.advise(20, 4, Advice::WIPEONFORK);
        let (addr, len, flags) = (AT, 4 * PAGE, 0);
        run.call(Call::Mlock { addr, len, flags });
        run.call(Call::Mlockall { flags: 2 });
        run.call(Call::SetThpDisable { on: 1, flags: 0 });
        let before = run.0.process().clone();
        assert_eq!(run.call(Call::Fork { child: true }), DONE);
        let child = run.0.process();
        assert_eq!(run.pieces(), [(0, 4), (20, 4)], "{kernel}");
        assert_eq!(child.map_count, before.map_count - 1);
        assert_eq!(child.total_vm, before.total_vm - 4);
        assert_eq!(child.committed, before.committed - 4);
        assert_eq!(child.locked_vm, 0);
        assert_eq!(child.def_flags, VmFlags::empty());
        assert_eq!(child.brk, before.brk);
        assert_eq!(child.thp_disable, ThpDisable::Completely);
        assert_eq!((run.present(0, 4), run.present(20, 4)), (4, 0));
        for (_, vma) in run.0.vmas(Range::sized(AT, 64 * PAGE)) {
            assert!(!vma.flags.intersects(VmFlags::LOCKED_MASK));
            assert_eq!(vma.anon_vma.is_some(), vma.start == AT);
            assert_eq!(vma.inherited, vma.start == AT);
        }
    }
}

/// The golden row "fork child: F(inherited)+new", and what 6.18.44 did with a small program.
#[test]
fn what_a_child_inherits_joins_nothing_new() {
    for kernel in ["6.0", "6.1", "6.12", "6.18", "7.3"] {
        let mut run = Run::new(kernel);
        run.map(0, 16, RW);
        run.touch(0, 16);
        run.mprotect(8, 8, Prot::READ);
        let mut parent = Run(run.0.clone());

        assert_eq!(parent.call(Call::Fork { child: false }), DONE);
        parent.mprotect(8, 8, RW);
        parent.map(16, 4, RW);
        assert_eq!(parent.pieces(), [(0, 20)], "{kernel}: the parent merges on");

        run.call(Call::Fork { child: true });
        // Each mapping of the child has an anon_vma of its own.
        run.mprotect(8, 8, RW);
        assert_eq!(run.pieces(), [(0, 8), (8, 8)], "{kernel}");
        run.map(16, 4, RW);
        assert_eq!(run.pieces(), [(0, 8), (8, 8), (16, 4)], "{kernel}");
        // Nor does a new mapping share an inherited anon_vma, so a later one can join it.
        run.touch(16, 4);
        run.map(20, 4, RW);
        assert_eq!(run.pieces(), [(0, 8), (8, 8), (16, 8)], "{kernel}");
        // An inherited part made equal to an untouched neighbour.
        let (addr, len) = (AT + 4 * PAGE, 4 * PAGE);
        run.call(Call::Munmap { addr, len });
        run.map(4, 4, Prot::READ);
        run.mprotect(0, 4, Prot::READ);
        let pieces = [(0, 4), (4, 4), (8, 8), (16, 8)];
        assert_eq!(run.pieces(), pieces, "{kernel}");
    }
}

#[test]
fn the_heap_of_a_child_grows_beside_itself() {
    for (kernel, heaps) in [("6.6", 2), ("6.18", 2)] {
        let mut run = Run::new(kernel);
        let before = run.0.process().map_count;
        run.call(Call::Fork { child: true });
        run.call(Call::Brk { addr: 0x1000_3000 });
        assert_eq!(run.0.process().map_count, before - 1 + heaps, "{kernel}");
        // The new part is the child's own.
        run.call(Call::Brk { addr: 0x1000_5000 });
        assert_eq!(run.0.process().map_count, before - 1 + heaps, "{kernel}");
    }
}

#[test]
fn inherited_pages_moved_beside_an_untouched_mapping() {
    for (kernel, pieces) in [
        ("6.12", vec![(0, 4), (4, 4)]),
        ("6.16", vec![(0, 8)]),
        ("6.19", vec![(0, 4), (4, 4)]),
    ] {
        let mut run = Run::new(kernel);
        run.map(0, 4, RW);
        run.touch(0, 4);
        run.call(Call::Fork { child: true });
        let remap = |from, to| {
            Call::Mremap(Mremap {
                addr: AT + from * PAGE,
                old_len: 4 * PAGE,
                new_len: 4 * PAGE,
                flags: MremapFlags::MAYMOVE | MremapFlags::FIXED,
                new_addr: AT + to * PAGE,
            })
        };
        run.call(remap(0, 100));
        run.map(4, 4, RW);
        run.call(remap(100, 0));
        assert_eq!(run.pieces(), pieces, "{kernel}");
    }
}

#[test]
fn exec_makes_the_start_again_and_exit_ends() {
    let mut run = Run::new("6.18");
    let start = run.0.process().clone();
    run.map(0, 4, RW);
    run.touch(0, 4);
    let (addr, len, flags) = (AT, 4 * PAGE, 0);
    run.call(Call::Mseal { addr, len, flags });
    run.call(Call::Brk { addr: 0x1000_9000 });
    run.call(Call::SetThpDisable { on: 1, flags: 0 });
    assert_eq!(run.call(Call::Exec), DONE);
    let now = run.0.process();
    assert_eq!(run.pieces(), []);
    assert_eq!(
        (
            now.map_count,
            now.total_vm,
            now.data_vm,
            now.committed,
            now.brk
        ),
        (
            start.map_count,
            start.total_vm,
            start.data_vm,
            start.committed,
            start.brk
        )
    );
    assert_eq!(now.thp_disable, ThpDisable::Completely);
    assert_eq!(run.present(0, 4), 0);

    assert_eq!(run.call(Call::Exit), DONE);
    let now = run.0.process();
    assert_eq!((now.map_count, now.total_vm, now.committed), (0, 0, 0));
    let after = run.call(Call::Brk { addr: 0 });
    assert_eq!(after, Outcome::NotModelled(NotModelled::Exited));
}

#[test]
fn a_file_that_is_cut_off_takes_its_pages_along() {
    let mut run = Run::new("6.18");
    for (page, kind) in [(0, MapFlags::SHARED), (16, MapFlags::PRIVATE)] {
        let addr = AT + page * PAGE;
        let mmap = Mmap {
            addr,
            flags: kind | MapFlags::FIXED,
            fd: Fd::File(FileId(0)),
            ..Mmap::anonymous(16 * PAGE)
        };
        assert_eq!(run.call(Call::Mmap(mmap)), Outcome::Address(addr));
        assert_eq!(run.touch(page, 16), Outcome::Touched(16));
    }
    let cut = |len| Call::Ftruncate {
        fd: Fd::File(FileId(0)),
        len,
    };
    assert_eq!(run.call(cut(5 * PAGE - 1)), DONE);
    assert_eq!((run.present(0, 16), run.present(16, 16)), (5, 5));
    let past = |touched, page| Outcome::Signal {
        touched,
        signal: Signal::BusAdrerr,
        at: AT + page * PAGE,
    };
    assert_eq!(run.touch(0, 16), past(5, 5));
    assert_eq!(run.touch(20, 2), past(1, 21));
    assert_eq!(run.call(cut(16 * PAGE)), DONE);
    assert_eq!(run.touch(0, 16), Outcome::Touched(16));
    assert_eq!(run.call(cut(1 << 63)), Outcome::Error(Errno::EINVAL));
    let fd = Fd::None;
    let nothing = run.call(Call::Ftruncate { fd, len: 0 });
    assert_eq!(nothing, Outcome::Error(Errno::EBADF));
}

#[test]
fn what_may_be_read_may_be_executed_under_that_personality() {
    let mut run = Run::new("6.18");
    let set = |persona| Call::Personality { persona };
    assert_eq!(run.call(set(0x40_0000)), Outcome::Address(0));
    assert_eq!(run.call(set(u32::MAX)), Outcome::Address(0x40_0000));
    run.map(0, 2, RW);
    run.map(4, 2, Prot::WRITE);
    run.map(8, 2, Prot::empty());
    run.mprotect(8, 2, Prot::READ);
    // A break that grows makes a mapping apart from the heap, which may not be executed.
    run.call(Call::Brk { addr: 0x1000_2000 });
    let is_exec = |run: &Run, addr| {
        let vma = run.0.vma(run.0.vma_at(addr).unwrap());
        vma.flags.contains(VmFlags::EXEC)
    };
    for (addr, exec) in [(AT, true), (AT + 4 * PAGE, false), (AT + 8 * PAGE, true)] {
        assert_eq!(is_exec(&run, addr), exec, "{addr:#x}");
    }
    assert!(!is_exec(&run, 0x1000_0000) && is_exec(&run, 0x1000_1000));

    // The other way up from the next exec on.
    assert_eq!(run.call(set(0x60_0000)), Outcome::Address(0x40_0000));
    let high = run.call(Call::Mmap(Mmap::anonymous(PAGE)));
    assert!(high.address().unwrap() > 0x7000_0000_0000);
    run.call(Call::Exec);
    let low = run.call(Call::Mmap(Mmap::anonymous(PAGE)));
    assert_eq!(low, Outcome::Address(run.0.process().mmap_legacy_base));
    assert!(!is_exec(&run, low.address().unwrap()));
}
