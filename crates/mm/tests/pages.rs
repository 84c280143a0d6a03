//! Single pages: what a fault maps, what keeps huge pages away, copies after a fork, and how smaps tells of them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Access, Advice, Call, Defrag, Errno, Event, FaultPage, Fragmentation, Journal, Kernel, Machine,
    MapFlags, Mmap, NotHuge, Outcome, Page, Pmd, Prot, Range, Settings, Smaps, Start, Thp, ThpSize,
    smaps,
};

const PAGE: u64 = 4096;
const BLOCK: u64 = 2 << 20;
const AT: u64 = 0x4000_0000;

struct Run(Machine);

impl Run {
    fn new(kernel: &str, settings: Settings) -> Run {
        let kernel = Kernel::parse(kernel).unwrap();
        Run(Machine::new(kernel, settings, vec![], &Start::default()).unwrap())
    }

    /// With huge pages everywhere, and two blocks mapped.
    fn huge(kernel: &str) -> Run {
        let mut run = Run::new(kernel, always());
        run.map(AT, 2 * BLOCK, MapFlags::PRIVATE);
        run
    }

    fn call(&mut self, call: Call) -> Outcome {
        self.0.run(&call, &mut ())
    }

    fn map(&mut self, addr: u64, len: u64, kind: MapFlags) {
        let mmap = Mmap {
            addr,
            flags: kind | MapFlags::ANONYMOUS | MapFlags::FIXED,
            ..Mmap::anonymous(len)
        };
        assert_eq!(self.call(Call::Mmap(mmap)), Outcome::Address(addr));
    }

    fn advise(&mut self, addr: u64, len: u64, advice: Advice) -> Outcome {
        self.call(Call::Madvise { addr, len, advice })
    }

    /// Accesses every page; gives the faults that were told.
    fn access(&mut self, addr: u64, len: u64, access: Access) -> Vec<(FaultPage, Option<NotHuge>)> {
        let mut journal = Journal::new();
        let call = Call::Touch {
            addr,
            len,
            stride: PAGE,
            access,
        };
        let done = Outcome::Touched(len.div_ceil(PAGE));
        assert_eq!(self.0.run(&call, &mut journal), done);
        let faults = journal.events().filter_map(|(_, event)| match event {
            Event::Fault { page, not_huge, .. } => Some((*page, *not_huge)),
            _ => None,
        });
        faults.collect()
    }

    fn write(&mut self, addr: u64, len: u64) -> Vec<(FaultPage, Option<NotHuge>)> {
        self.access(addr, len, Access::Write)
    }

    fn read(&mut self, addr: u64, len: u64) -> Vec<(FaultPage, Option<NotHuge>)> {
        self.access(addr, len, Access::Read)
    }

    fn smaps(&self, addr: u64) -> Smaps {
        self.0.smaps(self.0.vma_at(addr).unwrap())
    }

    /// Rss and AnonHugePages, kB.
    fn rss(&self, addr: u64) -> (u64, u64) {
        let smaps = self.smaps(addr);
        (smaps.rss, smaps.anon_huge)
    }
}

fn always() -> Settings {
    Settings {
        thp: Thp::Always,
        ..Settings::default()
    }
}

#[test]
fn a_write_to_the_huge_zero_page() {
    for (kernel, rss) in [("6.12", (4, 0)), ("6.13", (2048, 2048))] {
        let mut run = Run::huge(kernel);
        assert_eq!(run.read(AT, 2 * BLOCK), [(FaultPage::HugeZero, None)]);
        assert_eq!(run.rss(AT), (0, 0));
        assert_eq!(run.0.huge_block(AT).missing, Some(NotHuge::NotWritten));
        run.write(AT + PAGE, PAGE);
        assert_eq!(run.rss(AT), rss, "{kernel}");
        assert_eq!(run.0.huge_block(AT).present, 512);
        assert!(run.0.is_written(AT + PAGE) && !run.0.is_written(AT));
    }
    let settings = Settings {
        use_zero_page: false,
        ..always()
    };
    let mut run = Run::new("6.12", settings);
    run.map(AT, BLOCK, MapFlags::PRIVATE);
    assert_eq!(run.read(AT, PAGE), [(FaultPage::Huge, None)]);
}

#[test]
fn what_keeps_a_huge_page_away_is_told() {
    let reason = |settings: Settings, advice: Option<Advice>, addr: u64| {
        let mut run = Run::new("6.18", settings);
        run.map(AT + PAGE, 3 * BLOCK, MapFlags::PRIVATE);
        if let Some(advice) = advice {
            run.advise(AT + PAGE, 3 * BLOCK, advice);
        }
        let missing = run.0.huge_block(addr).missing;
        let told = run.write(addr, 1)[0].1;
        assert_eq!(told, missing);
        told
    };
    let inside = AT + BLOCK;
    let madvise = Settings::default;
    assert_eq!(reason(madvise(), None, inside), Some(NotHuge::Policy));
    assert_eq!(reason(madvise(), Some(Advice::HUGEPAGE), inside), None);
    let no = Some(NotHuge::NoHugePage);
    assert_eq!(reason(always(), Some(Advice::NOHUGEPAGE), inside), no);
    let cut = Some(NotHuge::CutByBorder);
    assert_eq!(reason(always(), None, AT + PAGE), cut);
    assert_eq!(reason(always(), None, AT + 3 * BLOCK), cut);
    // Light fragmentation: only who may wait for room gets a huge page.
    for (fragmentation, defrag, advised, huge) in [
        (Fragmentation::Light, Defrag::Madvise, false, false),
        (Fragmentation::Light, Defrag::Madvise, true, true),
        (Fragmentation::Light, Defrag::DeferMadvise, true, true),
        (Fragmentation::Light, Defrag::Always, false, true),
        (Fragmentation::Light, Defrag::Defer, true, false),
        (Fragmentation::Light, Defrag::Never, true, false),
        (Fragmentation::Heavy, Defrag::Always, true, false),
    ] {
        let settings = Settings {
            fragmentation,
            thp_defrag: defrag,
            ..always()
        };
        let advice = advised.then_some(Advice::HUGEPAGE);
        let expected = (!huge).then_some(NotHuge::NoMemory);
        let found = reason(settings, advice, inside);
        assert_eq!(found, expected, "{fragmentation:?} {defrag:?} {advised}");
    }
    let mut run = Run::huge("6.18");
    run.write(AT, PAGE);
    run.advise(AT, PAGE, Advice::DONTNEED);
    let told = run.write(AT, PAGE);
    assert_eq!(told, [(FaultPage::Small, Some(NotHuge::HasTable))]);
}

#[test]
fn a_collapse_without_memory() {
    let settings = Settings {
        fragmentation: Fragmentation::Heavy,
        ..Settings::default()
    };
    let mut run = Run::new("6.18", settings);
    run.map(AT, BLOCK, MapFlags::PRIVATE);
    run.write(AT, PAGE);
    let refused = Outcome::Error(Errno::ENOMEM);
    assert_eq!(run.advise(AT, BLOCK, Advice::COLLAPSE), refused);
}

#[test]
fn folios_between_a_page_and_a_huge_page() {
    let mut sizes = Settings::default().thp_sizes;
    // 64 kB and 16 kB.
    (sizes[2], sizes[0]) = (ThpSize::Always, ThpSize::Always);
    let settings = Settings {
        thp_sizes: sizes,
        ..Settings::default()
    };
    let mut run = Run::new("6.8", settings.clone());
    run.map(AT + PAGE, 40 * PAGE, MapFlags::PRIVATE);
    // The first three pages are in no aligned 16 kB, the last twelve in no aligned 64 kB.
    run.write(AT + PAGE, 40 * PAGE);
    let whole = Range::sized(AT, BLOCK);
    let orders: Vec<(u64, u8)> = run
        .0
        .ptes(whole)
        .map(|(run, pte)| (run.len() / PAGE, pte.order))
        .collect();
    assert_eq!(orders, [(3, 0), (12, 2), (16, 4), (8, 2), (1, 0)]);
    assert!(run.smaps(AT + PAGE).thp_eligible);
    // One write takes the whole folio, and meets what is there.
    run.map(AT + BLOCK, 16 * PAGE, MapFlags::PRIVATE);
    assert_eq!(run.read(AT + BLOCK, PAGE)[0].0, FaultPage::Zero);
    assert_eq!(
        run.write(AT + BLOCK + 5 * PAGE, 1)[0].0,
        FaultPage::Folio(2)
    );
    assert_eq!(run.rss(AT + BLOCK), (16, 0));
    let mut old = Run::new("6.7", settings);
    old.map(AT, 40 * PAGE, MapFlags::PRIVATE);
    assert_eq!(old.write(AT, PAGE)[0].0, FaultPage::Small);
    assert!(!old.smaps(AT).thp_eligible);
}

#[test]
fn a_fork_shares_until_a_write() {
    let mut run = Run::huge("6.18");
    run.write(AT, 2 * BLOCK);
    run.0.share_with_child(&mut ());
    let smaps = run.smaps(AT);
    assert_eq!((smaps.shared_dirty, smaps.pss), (4096, 2048));
    assert_eq!(smaps.anon_huge, 4096);
    // A write splits the huge page and copies one base page of it.
    assert_eq!(run.write(AT + PAGE, PAGE), [(FaultPage::Copy, None)]);
    let smaps = run.smaps(AT);
    assert_eq!((smaps.rss, smaps.anon_huge), (4096, 2048));
    assert_eq!((smaps.private_dirty, smaps.shared_dirty), (4, 4092));
}

#[test]
fn a_folio_is_split_wherever_its_pages_lie() {
    for (kernel, left) in [("6.11", 2048), ("6.12", 4)] {
        let mut run = Run::huge(kernel);
        run.write(AT, PAGE);
        // One page moves away, then the rest is advised.
        let away = AT + 8 * BLOCK;
        let moved = Call::Mremap(mmscope_mm::Mremap {
            addr: AT + 3 * PAGE,
            old_len: PAGE,
            new_len: PAGE,
            flags: mmscope_mm::MremapFlags::MAYMOVE | mmscope_mm::MremapFlags::FIXED,
            new_addr: away,
        });
        assert_eq!(run.call(moved), Outcome::Address(away));
        assert_eq!(run.rss(away), (4, 0));
        run.advise(AT, 2 * PAGE, Advice::FREE);
        let rss = run.rss(AT).0 + run.rss(AT + 4 * PAGE).0 + run.rss(away).0;
        assert_eq!(rss, left, "{kernel}");
    }
}

#[test]
fn contents_of_shared_memory_are_seen_everywhere() {
    let mut run = Run::new("6.18", Settings::default());
    run.map(AT, 64 * PAGE, MapFlags::SHARED);
    let again = AT + BLOCK;
    let twice = Call::Mremap(mmscope_mm::Mremap {
        addr: AT,
        old_len: 0,
        new_len: 64 * PAGE,
        flags: mmscope_mm::MremapFlags::MAYMOVE | mmscope_mm::MremapFlags::FIXED,
        new_addr: again,
    });
    assert_eq!(run.call(twice), Outcome::Address(again));
    run.write(AT + 8 * PAGE, 2 * PAGE);
    // A read maps what is there within its 16 pages.
    assert_eq!(run.read(again, 1), [(FaultPage::File, None)]);
    assert_eq!(run.rss(again), (12, 0));
    assert!(run.0.is_written(again + 9 * PAGE) && !run.0.is_written(again));
    run.advise(again, 64 * PAGE, Advice::REMOVE);
    assert_eq!((run.rss(AT), run.rss(again)), ((0, 0), (0, 0)));
}

#[test]
fn out_of_reach_is_out_of_smaps_before_6_6() {
    for (kernel, kb) in [("6.1", 0), ("6.12", 2048)] {
        let mut run = Run::huge(kernel);
        run.write(AT, PAGE);
        run.call(Call::Mprotect {
            addr: AT,
            len: 2 * BLOCK,
            prot: Prot::empty(),
        });
        assert_eq!(run.rss(AT), (kb, kb), "{kernel}");
        assert_eq!(run.0.pmd(AT), Some(Pmd::Huge));
    }
}

#[test]
fn guard_pages_are_no_pages() {
    let mut run = Run::huge("6.18");
    run.write(AT, BLOCK);
    run.advise(AT + PAGE, PAGE, Advice::GUARD_INSTALL);
    assert_eq!(run.rss(AT), (2044, 0));
    assert_eq!(run.0.pte(AT + PAGE).unwrap().page, Page::Guard);
    let refused = Outcome::Error(Errno::EINVAL);
    assert_eq!(run.advise(AT, BLOCK, Advice::COLLAPSE), refused);
    run.advise(AT, BLOCK, Advice::DONTNEED);
    assert_eq!(run.0.huge_block(AT).present, 0);
    assert_eq!(run.0.pmd(AT), Some(Pmd::Table));
}

/// As a 6.18.44 printed it, but for where the mapping lies.
const GIVEN_UP: &str = "\
40000000-40008000 rw-p 00000000 00:00 0 
Size:                 32 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                  32 kB
Pss:                  32 kB
Pss_Dirty:            16 kB
Shared_Clean:          0 kB
Shared_Dirty:          0 kB
Private_Clean:        16 kB
Private_Dirty:        16 kB
Referenced:           16 kB
Anonymous:            32 kB
KSM:                   0 kB
LazyFree:             16 kB
AnonHugePages:         0 kB
ShmemPmdMapped:        0 kB
FilePmdMapped:         0 kB
Shared_Hugetlb:        0 kB
Private_Hugetlb:       0 kB
Swap:                  0 kB
SwapPss:               0 kB
Locked:                0 kB
THPeligible:           0
VmFlags: rd wr mr mw me ac 
";

#[test]
fn smaps_as_the_kernel_prints_it() {
    let mut run = Run::new("6.18", Settings::default());
    run.map(AT, 8 * PAGE, MapFlags::PRIVATE);
    run.write(AT, 8 * PAGE);
    run.advise(AT, 4 * PAGE, Advice::FREE);
    assert_eq!(smaps::text(&run.0), GIVEN_UP);
    // A write takes a page back.
    run.write(AT, PAGE);
    assert_eq!(run.smaps(AT).lazyfree, 12);
    let mut old = Run::new("6.5", Settings::default());
    old.map(AT, PAGE, MapFlags::PRIVATE);
    assert!(!smaps::text(&old.0).contains("KSM:"));
}
