//! Recorded logs replayed: every address that the kernel returned must be the model's too.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;

use mmscope_lab::check::{Agreement, agreement};
use mmscope_lab::strace::{AnchoredBy, Import, ImportError, Note, Why, import};
use mmscope_lab::{Position, Scenario, Timeline};
use mmscope_mm::{Kernel, maps};
use proptest::prelude::*;

macro_rules! logs {
    ($($name:literal)*) => {
        [$(Log {
            name: $name,
            log: include_str!(concat!("data/", $name, ".strace")),
            initial: include_str!(concat!("data/", $name, ".initial.maps")),
            end: include_str!(concat!("data/", $name, ".final.maps")),
        }),*]
    };
}

struct Log {
    name: &'static str,
    log: &'static str,
    initial: &'static str,
    end: &'static str,
}

const LOGS: [Log; 16] = logs!(
    "g01-ls-plain"
    "g02-ls-yttT-noaslr"
    "g05-perl-relative-noaslr"
    "g10-cactus-noaslr"
    "g13-cactus-malloc-noaslr"
    "g14-mixed-sizes-steps"
    "g17-aim9-brk-noaslr"
    "g20-fixed-hints-steps"
    "g22-limits-steps"
    "g24-stack-overflow"
    "g36-stacktrace-k"
    "g38-inject-enomem"
    "g51-tunables-trim-brk"
    "g53-setarch-legacy-layout"
    "g60-ip-i-time"
    "g61-count-C-tail"
);

fn kernel(name: &str) -> Kernel {
    Kernel::parse(name).unwrap()
}

fn replay(import: &Import) -> (Timeline, Agreement) {
    let mut timeline = Timeline::new(import.scenario.clone()).unwrap();
    let agreement = agreement(&mut timeline, 0);
    (timeline, agreement)
}

fn told(name: &str, agreement: &Agreement) -> String {
    let Agreement {
        addresses,
        random_begin,
        errors,
        others,
        differences,
    } = agreement;
    let mut text = format!(
        "{name}: {} of {} addresses ({random_begin} began at random), {} of {} errors, {} of {} others\n",
        addresses.equal,
        addresses.compared,
        errors.equal,
        errors.compared,
        others.equal,
        others.compared
    );
    for difference in differences {
        writeln!(text, "  {difference:x?}").unwrap();
    }
    text
}

#[test]
fn with_the_maps_file_every_result_is_equal() {
    let mut table = String::new();
    for log in &LOGS {
        let import = import(log.log, Some(log.initial), &[kernel("6.18")]).unwrap();
        assert_eq!(import.anchored_by, AnchoredBy::Maps);
        assert_eq!(import.layout_unknown_from, None, "{}", log.name);
        let (_, agreement) = replay(&import);
        table += &told(log.name, &agreement);
    }
    expect_test::expect_file!["data/agreement_with_maps.txt"].assert_eq(&table);
}

#[test]
fn without_the_maps_file_every_result_but_the_anchor_is_equal() {
    let mut table = String::new();
    for log in &LOGS {
        let import = import(log.log, None, &[kernel("6.18")]).unwrap();
        assert!(
            matches!(import.anchored_by, AnchoredBy::FirstMapping { .. }),
            "{}",
            log.name
        );
        let (_, agreement) = replay(&import);
        table += &told(log.name, &agreement);
    }
    expect_test::expect_file!["data/agreement_without_maps.txt"].assert_eq(&table);
}

#[test]
fn shared_mappings_are_those_of_the_log() {
    let log = "\
brk(NULL) = 0x555555559000
openat(AT_FDCWD, \"/tmp/f\", O_RDONLY|O_CLOEXEC) = 3
mmap(NULL, 8192, PROT_READ, MAP_SHARED, 3, 0) = 0x7ffff7ffd000
mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = -1 EACCES (Permission denied)
mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7ffff7ffc000
openat(AT_FDCWD, \"/tmp/f\", O_RDWR) = 4
mmap(NULL, 4096, PROT_READ, MAP_SHARED, 4, 0) = 0x7ffff7ffb000
mmap(NULL, 4096, PROT_READ, MAP_SHARED|MAP_GROWSDOWN, 4, 0) = -1 EINVAL (Invalid argument)
mmap(NULL, 4096, PROT_READ, MAP_SHARED_VALIDATE|MAP_SYNC, 4, 0) = -1 EOPNOTSUPP (Operation not supported)
mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 4, 0) = -1 EPERM (Operation not permitted)
memfd_create(\"m\", MFD_CLOEXEC) = 5
mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5, 0) = 0x7ffff7ffa000
";
    let import = import(log, None, &[kernel("6.18")]).unwrap();
    let (_, agreement) = replay(&import);
    assert!(agreement.is_complete(), "{}", told("", &agreement));
    // The first address is the anchor.
    assert_eq!((agreement.addresses.equal, agreement.errors.equal), (3, 3));
    let text = import.scenario.to_string();
    assert!(
        text.contains("file open=O_RDONLY 00:00 0 /tmp/f\nfile 00:00 0 /tmp/f\n"),
        "{text}"
    );
    assert!(
        text.contains("MAP_SHARED, 5</memfd:m (deleted)>, 0)"),
        "{text}"
    );
    assert_eq!(Scenario::parse(&text).unwrap(), import.scenario);
    let whys: Vec<(u32, Why)> = import
        .skipped
        .iter()
        .filter(|skipped| skipped.why != Why::NotMemory)
        .map(|skipped| (skipped.line, skipped.why))
        .collect();
    assert_eq!(whys, [(1, Why::Anchor), (10, Why::ErrorNotModelled)]);
}

/// A maps text, without what a log can't tell: where the stack has grown to, device, inode, and the path by which a
/// file was opened.
fn layout(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.contains("[vsyscall]"));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (start, end) = words[0].split_once('-').unwrap();
            let name = words.get(5..).unwrap_or(&[]).join(" ");
            let start = if name == "[stack]" { "" } else { start };
            let name = if name.starts_with(['/']) || name.starts_with("[unknown") {
                "file"
            } else {
                name.as_str()
            };
            format!("{start}-{end} {} {} {name}", words[1], words[2])
        })
        .collect()
}

#[test]
fn the_end_of_the_replay_is_the_recorded_end() {
    for log in &LOGS {
        let import = import(log.log, Some(log.initial), &[kernel("6.18")]).unwrap();
        let (mut timeline, _) = replay(&import);
        timeline.last();
        let frame = timeline.frame();
        let end = maps::text(frame.lanes[0].machine);
        assert_eq!(layout(&end), layout(log.end), "{}", log.name);
    }
}

/// Where mappings grow up, gaps lie between the loader and the program.
#[test]
fn the_gaps_of_a_layout_that_grows_up_are_counted() {
    let log = &LOGS[13];
    let import = import(log.log, Some(log.initial), &[kernel("6.18")]).unwrap();
    let mut timeline = Timeline::new(import.scenario).unwrap();
    timeline.last();
    let ledger = timeline.frame().lanes[0].ledger;
    assert_eq!(
        (ledger.gaps, ledger.gap_bytes),
        (1, 0x778a_5000 - 0x7789_a000)
    );
}

#[test]
fn an_import_survives_its_text() {
    for log in &LOGS {
        for maps in [Some(log.initial), None] {
            let import = import(log.log, maps, &[kernel("6.18"), kernel("6.6")]).unwrap();
            let text = import.scenario.to_string();
            let read = Scenario::parse(&text)
                .unwrap_or_else(|errors| panic!("{}: {errors:?}\n{text}", log.name));
            assert_eq!(read, import.scenario, "{}", log.name);
        }
    }
}

#[test]
fn every_line_is_a_step_or_is_skipped_with_a_reason() {
    for log in &LOGS {
        let import = import(log.log, Some(log.initial), &[kernel("6.18")]).unwrap();
        let mut lines: Vec<u32> = import.skipped.iter().map(|skipped| skipped.line).collect();
        lines.extend(
            import
                .scenario
                .program
                .calls()
                .iter()
                .map(|call| call.line.0),
        );
        lines.sort_unstable();
        lines.dedup();
        let all: Vec<u32> = (1..)
            .zip(log.log.lines())
            .filter(|(_, line)| !line.is_empty())
            .map(|(at, _)| at)
            .collect();
        assert_eq!(lines, all, "{}", log.name);
        let unreadable = import
            .skipped
            .iter()
            .filter(|skipped| skipped.why == Why::Unreadable);
        assert_eq!(unreadable.count(), 0, "{}", log.name);
    }
}

#[test]
fn addresses_that_a_call_returned_follow_it_to_another_kernel() {
    let log = &LOGS[4];
    let import = import(log.log, Some(log.initial), &[kernel("6.18"), kernel("6.7")]).unwrap();
    let text = import.scenario.to_string();
    assert!(text.contains("munmap(m"), "{text}");
    let mut timeline = Timeline::new(import.scenario).unwrap();
    timeline.last();
    let frame = timeline.frame();
    assert!(frame.divergence.is_some());
    // What the program unmaps is gone in both lanes, wherever it lay.
    assert_eq!(
        frame.lanes[0].ledger.mapped_bytes,
        frame.lanes[1].ledger.mapped_bytes
    );
    let last_mmap = (0..timeline.step_count())
        .rfind(|at| timeline.step(*at).unwrap().text.contains("mmap"))
        .unwrap();
    let unmap = (last_mmap..timeline.step_count())
        .find(|at| timeline.step(*at).unwrap().text.starts_with("munmap"));
    let unmap = unmap.unwrap();
    assert_ne!(
        timeline.call_in_lane(0, unmap),
        timeline.call_in_lane(1, unmap)
    );
    timeline.go(Position {
        step: unmap + 1,
        micro: None,
    });
    assert!(
        timeline
            .frame()
            .lanes
            .iter()
            .all(|lane| !lane.changes.is_empty())
    );
}

fn error(log: &str) -> ImportError {
    let mut errors = import(log, None, &[kernel("6.18")]).unwrap_err();
    assert_eq!(errors.len(), 1);
    errors.remove(0)
}

#[test]
fn logs_that_tell_too_little_are_refused() {
    assert_eq!(error(""), ImportError::Empty);
    assert_eq!(error(" \r\n\n"), ImportError::Empty);
    assert_eq!(error("hello\nworld(\n"), ImportError::NotStrace);
    assert_eq!(error("close(3) = 0\n"), ImportError::NoMemoryCalls);
    assert_eq!(
        error(include_str!("data/g40-failed-only-Z.strace")),
        ImportError::FailedOnly
    );
    assert_eq!(
        error(include_str!("data/g49-summary-only-c.strace")),
        ImportError::SummaryOnly
    );
    assert!(matches!(
        error(include_str!("data/g28-i386-threads.strace")),
        ImportError::NotX8664 { .. }
    ));
    let several = error(include_str!("data/g26-fork-exec-f.strace"));
    assert!(matches!(several, ImportError::SeveralProcesses { pids } if pids.len() > 1));
    assert!(import("brk(NULL) = 0x1000", Some("rubbish"), &[kernel("6.18")]).is_err());
    assert!(import("brk(NULL) = 0x1000", None, &[]).is_err());
}

#[test]
fn threads_are_one_process() {
    let log = include_str!("data/g03-python-pidprefix.strace");
    let maps = include_str!("data/g03-python-pidprefix.initial.maps");
    let import = import(log, Some(maps), &[kernel("6.18")]).unwrap();
    assert!(import.notes.contains(&Note::Threads));
    let (_, agreement) = replay(&import);
    assert_eq!(
        told("g03", &agreement),
        "g03: 58 of 58 addresses (0 began at random), 0 of 0 errors, 22 of 22 others\n"
    );
}

#[test]
fn a_filtered_log_says_so() {
    let log = "brk(NULL) = 0x555555559000\n\
               mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fc0000\n";
    let import = import(log, None, &[kernel("6.18")]).unwrap();
    assert!(import.notes.contains(&Note::MaybeFiltered));
}

#[test]
fn other_kernels_differ_where_they_should() {
    let log = &LOGS[3];
    let import = import(log.log, Some(log.initial), &[kernel("6.7")]).unwrap();
    let (_, agreement) = replay(&import);
    assert_eq!(
        (agreement.addresses.compared - agreement.addresses.equal),
        25
    );
    assert!(
        agreement
            .differences
            .iter()
            .all(|difference| difference.deciding.is_some())
    );
    assert_eq!(agreement.differences[0].line, 30);
}

#[test]
fn what_the_model_lacks_is_stood_in_for_or_told() {
    let log = "\
brk(NULL) = 0x555555559000
mprotect(0x7ffff7ffb000, 8192, PROT_READ) = 0
mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fc0000
mmap(NULL, 65536, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fb0000
mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0) = 0x7ffff7faf000
mremap(0x7ffff7fb0000, 65536, 4096, MREMAP_MAYMOVE) = 0x7ffff7fb0000
mremap(0x7ffff7fb0000, 4096, 8192, MREMAP_MAYMOVE) = 0x7ffff7fb0000
mremap(0x7ffff7fb0000, 8192, 131072, MREMAP_MAYMOVE) = 0x7ffff7f8f000
mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbf000
mmap(0x7ffff7fc0000, 4096, PROT_READ, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0) = -1 EPERM (Operation not permitted)
shmat(3, NULL, 0) = 0x7ffff7f00000
";
    let import = import(log, None, &[kernel("6.18")]).unwrap();
    let calls = import.scenario.to_string();
    let calls = &calls[calls.find("mprotect").unwrap()..];
    expect_test::expect![[r#"
        mprotect(0x7ffff7ffb000, 8192, PROT_READ) = 0
        mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
        m1 = mmap(NULL, 65536, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fb0000
        mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0) = 0x7ffff7faf000
        mremap(m1, 65536, 4096, MREMAP_MAYMOVE) = 0x7ffff7fb0000
        mremap(m1, 4096, 8192, MREMAP_MAYMOVE) = 0x7ffff7fb0000
        mremap(m1, 8192, 131072, MREMAP_MAYMOVE) = 0x7ffff7f8f000
        mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbf000
    "#]]
    .assert_eq(calls);
    let (_, agreement) = replay(&import);
    assert!(agreement.is_complete(), "{}", told("", &agreement));
    let whys: Vec<(u32, Why)> = import
        .skipped
        .iter()
        .map(|skipped| (skipped.line, skipped.why))
        .collect();
    assert_eq!(
        whys,
        [
            (1, Why::Anchor),
            (10, Why::ErrorNotModelled),
            (11, Why::LayoutNotModelled)
        ]
    );
    assert_eq!(import.layout_unknown_from, Some(11));
}

#[test]
fn advice_is_a_step_where_the_memory_is_known() {
    let log = "\
brk(NULL) = 0x555555559000
mmap(NULL, 65536, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fef000
madvise(0x7ffff7ff0000, 4096, MADV_DONTDUMP) = 0
mlock(0x7ffff7ff0000, 4096) = 0
mlock2(0x7ffff7ff1000, 4096, MLOCK_ONFAULT) = 0
munlock(0x7ffff7ff0000, 4096) = 0
madvise(0x7fffe0000000, 4096, MADV_DONTNEED) = 0
madvise(0x7ffff7ff0000, 4096, 0x63 /* MADV_??? */) = -1 EINVAL (Invalid argument)
prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) = 0
prctl(PR_SET_NAME, \"x\") = 0
mlockall(MCL_FUTURE|MCL_ONFAULT) = 0
munlockall() = 0
prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0x7ffff7ff0000, 8192, \"a \\\"b\\\"\") = 0
mseal(0x7ffff7ff0000, 4096, 0) = 0
munmap(0x7ffff7ff0000, 4096) = -1 EPERM (Operation not permitted)
";
    let import = import(log, None, &[kernel("6.12")]).unwrap();
    let text = import.scenario.to_string();
    let (_, calls) = text.split_at(text.find("m1 = ").unwrap());
    expect_test::expect![[r#"
        m1 = mmap(NULL, 65536, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
        madvise(m1+0x1000, 4096, MADV_DONTDUMP) = 0
        mlock(m1+0x1000, 4096) = 0
        mlock2(m1+0x2000, 4096, MLOCK_ONFAULT) = 0
        munlock(m1+0x1000, 4096) = 0
        madvise(m1+0x1000, 4096, 0x63) = -1 EINVAL (Invalid argument)
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) = 0
        mlockall(MCL_FUTURE|MCL_ONFAULT) = 0
        munlockall() = 0
        prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, m1+0x1000, 8192, "a \"b\"") = 0
        mseal(m1+0x1000, 4096, 0) = 0
        munmap(m1+0x1000, 4096) = -1 EPERM (Operation not permitted)
    "#]]
    .assert_eq(calls);
    let (_, agreement) = replay(&import);
    assert!(agreement.is_complete(), "{}", told("", &agreement));
    let whys: Vec<(u32, Why)> = import
        .skipped
        .iter()
        .map(|skipped| (skipped.line, skipped.why))
        .collect();
    assert_eq!(
        whys,
        [(1, Why::Anchor), (7, Why::FlagsOnly), (10, Why::NotMemory)]
    );
}

#[test]
fn a_mapped_file_that_is_cut_off_is_a_step() {
    let log = "\
brk(NULL) = 0x555555559000
personality(READ_IMPLIES_EXEC) = 0x40000 (PER_LINUX|ADDR_NO_RANDOMIZE)
memfd_create(\"a\", 0) = 3
ftruncate(3, 8192) = 0
mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7ffff7fbd000
ftruncate(3, 4096) = 0
ftruncate(4, 4096) = -1 EBADF (Bad file descriptor)
";
    let import = import(log, None, &[kernel("6.12")]).unwrap();
    let text = import.scenario.to_string();
    let (_, calls) = text.split_at(text.find("personality").unwrap());
    expect_test::expect![[r#"
        personality(READ_IMPLIES_EXEC)
        mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3</memfd:a (deleted)>, 0)
        ftruncate(3</memfd:a (deleted)>, 4096) = 0
    "#]]
    .assert_eq(calls);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// A damaged log is imported or refused, and an import always has a text and a replay.
    #[test]
    fn damage_is_survived(
        which in 0usize..16,
        has_maps in any::<bool>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..60, "[ -~\n]{0,6}"), 1..12),
    ) {
        let mut log = LOGS[which].log.to_owned();
        log.truncate(20_000);
        for (at, cut, put) in damage {
            let from = at.index(log.len());
            let to = (from + cut).min(log.len());
            log.replace_range(from..to, &put);
        }
        if let Ok(import) = import(&log, has_maps.then_some(LOGS[which].initial), &[kernel("6.18")]) {
            let text = import.scenario.to_string();
            let read = Scenario::parse(&text);
            prop_assert_eq!(read.as_ref(), Ok(&import.scenario), "{}", text);
            replay(&import);
        }
    }

    #[test]
    fn anything_is_survived(log in any::<String>(), calls in "(brk|mmap|mremap|munmap)\\([0-9xa-f, |<>A-Z_]{0,60}\\) = [0-9xa-f?-]{0,20}") {
        let _ = import(&log, None, &[kernel("6.18")]);
        let _ = import(&calls, Some(&log), &[kernel("6.18")]);
        let _ = import(&calls, None, &[kernel("6.18")]);
    }
}

#[test]
fn ids_without_any_sign_of_a_new_process_are_threads() {
    let log = "[pid 7] mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbe000\n\
               [pid 8] mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fbd000\n";
    let import = import(log, None, &[kernel("6.18")]).unwrap();
    assert!(import.notes.contains(&Note::TakenAsThreads));
    assert!(
        import
            .skipped
            .iter()
            .all(|skipped| !matches!(skipped.why, Why::OtherProcess { .. }))
    );
}
