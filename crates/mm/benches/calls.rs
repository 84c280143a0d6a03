//! How long calls take in the model, for people: `cargo bench -p mmscope-mm --bench calls`.

#![allow(missing_docs, reason = "a program")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use mmscope_mm::{
    Access, Call, Journal, Kernel, Machine, MapFlags, Mmap, Observer, Overcommit, Range, Settings,
    Start, StartMap, Thp, VmFlags,
};

const PAGE: u64 = 4096;
const HEAP: u64 = 0x5555_5557_9000;
/// As many mappings as the default `vm.max_map_count` allows, and one.
const MOST: u64 = 65_531;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    page_test(&mut criterion);
    clones(&mut criterion);
    touches(&mut criterion);
    criterion.final_summary();
}

/// A process with a heap and so many mappings of a page above it, a hole of a page between any two.
fn machine(kernel: &str, others: u64) -> Option<Machine> {
    let map = |at: u64| StartMap {
        range: Range::sized(0x7000_0000_0000 + at * 2 * PAGE, PAGE),
        perms: VmFlags::READ | VmFlags::WRITE,
        offset: 0,
        file: None,
        special: None,
    };
    let start = Start {
        maps: (0..others).map(map).collect(),
        start_brk: Some(HEAP),
        brk: Some(HEAP),
    };
    let kernel = Kernel::parse(kernel).ok()?;
    Machine::new(kernel, Settings::default(), vec![], &start).ok()
}

/// A round of AIM9's page_test: one sbrk(-64 KiB), sixteen sbrk(+4 KiB).
fn round(machine: &mut Machine, observer: &mut impl Observer) {
    let top = machine.process().brk;
    let low = top - (64 << 10);
    machine.run(&Call::Brk { addr: low }, observer);
    for page in 1..=16 {
        let addr = low + page * PAGE;
        machine.run(&Call::Brk { addr }, observer);
    }
}

fn page_test(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("page_test");
    group.throughput(Throughput::Elements(17));
    for kernel in ["6.0", "6.1-rc1", "6.1", "6.6", "7.3"] {
        let Some(mut machine) = machine(kernel, 20) else {
            continue;
        };
        let addr = HEAP + (1 << 20);
        machine.run(&Call::Brk { addr }, &mut ());
        group.bench_function(BenchmarkId::new("round", kernel), |bencher| {
            bencher.iter(|| round(&mut machine, &mut ()));
        });
        if kernel == "6.1" {
            group.bench_function(
                BenchmarkId::new("round with a journal", kernel),
                |bencher| {
                    bencher.iter(|| {
                        let mut journal = Journal::default();
                        round(&mut machine, &mut journal);
                        journal
                    });
                },
            );
        }
    }
    group.finish();
}

fn clones(criterion: &mut Criterion) {
    let Some(machine) = machine("6.12", MOST) else {
        return;
    };
    let mut group = criterion.benchmark_group("clones");
    group.bench_function(BenchmarkId::new("process", MOST), |bencher| {
        bencher.iter(|| black_box(&machine).clone());
    });
    group.bench_function(BenchmarkId::new("its tree", MOST), |bencher| {
        bencher.iter(|| black_box(&machine).tree().clone());
    });
    group.finish();
}

/// Touches of a mapping of 64 GiB, with and without huge pages, and what smaps says of it then.
fn touches(criterion: &mut Criterion) {
    const LEN: u64 = 64 << 30;
    let addr = 0x1000_0000_0000;
    let mut group = criterion.benchmark_group("touches of 64 GiB");
    group.sample_size(10);
    for (thp, name) in [(Thp::Never, "4 kB pages"), (Thp::Always, "huge pages")] {
        let settings = Settings {
            thp,
            overcommit: Overcommit::Always,
            ..Settings::default()
        };
        let Ok(kernel) = Kernel::parse("6.18") else {
            return;
        };
        let Ok(mut machine) = Machine::new(kernel, settings, vec![], &Start::default()) else {
            return;
        };
        let mut mmap = Mmap::anonymous(LEN);
        (mmap.addr, mmap.flags) = (addr, mmap.flags | MapFlags::FIXED);
        machine.run(&Call::Mmap(mmap), &mut ());
        for stride in [PAGE, 1 << 16, 2 << 20] {
            let call = Call::Touch {
                addr,
                len: LEN,
                stride,
                access: Access::Write,
            };
            group.bench_function(BenchmarkId::new(name, stride), |bencher| {
                bencher.iter(|| {
                    let mut machine = machine.clone();
                    machine.run(&call, &mut ())
                });
            });
            let mut touched = machine.clone();
            touched.run(&call, &mut ());
            let Some(id) = touched.vma_at(addr) else {
                continue;
            };
            group.bench_function(
                BenchmarkId::new(format!("smaps of {name}"), stride),
                |bencher| {
                    bencher.iter(|| black_box(&touched).smaps(id));
                },
            );
        }
    }
    group.finish();
}
