//! The scenario text: what is written is read, and what is wrong is told where it stands.

#![allow(clippy::unwrap_used, reason = "a test")]

use mmscope_lab::maps_file::{MapsProblem, parse as parse_maps};
use mmscope_lab::{
    Anchor, CallLine, Expected, FlagSet, Item, MAX_STEPS, Program, Repeat, Scenario, ScenarioError,
    StreamLines,
};
use mmscope_mm::page::TASK_SIZE;
use mmscope_mm::{
    Access, Advice, AnonName, Call, Defrag, Errno, Fd, File, FileId, FilePlacement, Fragmentation,
    Kernel, MapFlags, Mmap, Mremap, MremapFlags, Outcome, Overcommit, Prot, Range, Resource,
    Rlimits, Settings, Signal, Special, Start, StartMap, Thp, ThpSize, VmFlags,
};
use proptest::prelude::*;

const LESSON: &str = include_str!("../src/lessons/cactusbssn.txt");

fn errors(text: &str) -> Vec<ScenarioError> {
    Scenario::parse(text).unwrap_err()
}

/// The errors of the lines behind the header, as `line:column found`, and what was expected.
fn told(body: &str) -> Vec<(String, Expected)> {
    let errors = errors(&format!("mmscope 1\n{body}"));
    let told = |ScenarioError {
                    line,
                    column,
                    found,
                    expected,
                }| (format!("{line}:{column} {found}"), expected);
    errors.into_iter().map(told).collect()
}

fn one(body: &str, place: &str, expected: Expected) {
    assert_eq!(told(body), [(place.to_owned(), expected)], "{body}");
}

#[test]
fn a_text_that_is_none_is_told_so() {
    for text in [
        "",
        "\n\n",
        "\u{feff}",
        "hello",
        "# only a comment",
        "mmscope",
        "mmscope one",
        "mmscope 0",
    ] {
        assert_eq!(errors(text)[0].expected, Expected::Header, "{text}");
        assert_eq!(errors(text).len(), 1, "{text}");
    }
    let newer = errors("mmscope 2\nwhatever {");
    assert_eq!(newer.len(), 1);
    assert_eq!((newer[0].line, newer[0].column), (1, 9));
    assert_eq!(newer[0].expected, Expected::Version { newest: 1 });
}

#[test]
fn slips_are_told_where_they_stand() {
    use Expected::*;
    let near = |word| Some(word);
    one(
        "kernals 6.6",
        "2:1 kernals",
        Line {
            nearest: near("kernels"),
        },
    );
    one(
        "set thpp always",
        "2:5 thpp",
        Setting {
            nearest: near("thp"),
        },
    );
    one("set cheese yes", "2:5 cheese", Setting { nearest: None });
    one(
        "set thp sometimes",
        "2:9 sometimes",
        OneOf(&["always", "madvise", "never"]),
    );
    one("set max_map_count many", "2:19 many", Number);
    one(
        "set mmap_base 1",
        "2:15 1",
        NumberInRange {
            least: 65536,
            most: TASK_SIZE,
        },
    );
    one("kernels 6.6 5.10", "2:13 5.10", Kernel);
    one("kernels 6.6-f00", "2:13 f00", ChangeId);
    one("kernels", "2:8 ", Kernels { most: 3 });
    one("kernels 6.6 6.7 6.8 6.9", "2:21 6.9", Kernels { most: 3 });
    one("title a\ntitle b", "3:1 title", Once);
    one("set thp never\nset thp never", "3:5 thp", Once);
    one("brk(NULL)\nset thp never", "3:1 set", BeforeCalls);
    one(
        "mmapp(NULL)",
        "2:1 mmapp",
        Call {
            nearest: near("mmap"),
        },
    );
    one(
        "munmap(0x1000)",
        "2:14 ",
        Arguments {
            call: "munmap",
            count: 2,
            given: 1,
        },
    );
    one(
        "brk(1, 2)",
        "2:8 2",
        Arguments {
            call: "brk",
            count: 1,
            given: 2,
        },
    );
    one("brk(0x1000", "2:11 ", Mark(')'));
    one("munmap(0x1000, 10 apples)", "2:16 10 apples", Number);
    one("munmap(-1, 4096)", "2:8 -1", Address);
    one("munmap(a, 4096)", "2:8 a", KnownName { nearest: None });
    one(
        "ab = brk(0)\nmunmap(AB, 4096)",
        "3:8 AB",
        KnownName {
            nearest: Some("ab".into()),
        },
    );
    one("mmap = brk(0)", "2:1 mmap", NewName);
    one("0x = brk(0)", "2:1 0x", NewName);
    let flag = |of, word| Flag {
        of,
        nearest: near(word),
    };
    one(
        "mmap(NULL, 1, PROT_REED, MAP_PRIVATE, -1, 0)",
        "2:15 PROT_REED",
        flag(FlagSet::Prot, "PROT_READ"),
    );
    one(
        "mmap(NULL, 1, PROT_READ, MAP_PRIVATE|MAP_ANONYMUS, -1, 0)",
        "2:38 MAP_ANONYMUS",
        flag(FlagSet::Map, "MAP_ANONYMOUS"),
    );
    one(
        "madvise(0x1000, 1, MADV_DONTNED)",
        "2:20 MADV_DONTNED",
        flag(FlagSet::Advice, "MADV_DONTNEED"),
    );
    one(
        "mlock2(0x1000, 1, MLOCK_ONFAUL)",
        "2:19 MLOCK_ONFAUL",
        flag(FlagSet::Mlock, "MLOCK_ONFAULT"),
    );
    one(
        "mlockall(MCL_CURRENT|MCL_FUTUR)",
        "2:22 MCL_FUTUR",
        flag(FlagSet::Mcl, "MCL_FUTURE"),
    );
    one(
        "prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0x1000, 4096, stack)",
        "2:55 stack",
        Expected::AnonName,
    );
    one(
        "prctl(PR_SET_VMA, PR_SET_NAME, 0x1000, 4096, NULL)",
        "2:19 PR_SET_NAME",
        Expected::OneOf(&["PR_SET_VMA_ANON_NAME"]),
    );
    one(
        "prctl(PR_SET_NAME, 1)",
        "2:7 PR_SET_NAME",
        OneOf(&["PR_SET_THP_DISABLE", "PR_SET_VMA"]),
    );
    one(
        "mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0)",
        "2:39 file",
        Descriptor,
    );
    one("brk(NULL) = nothing", "2:13 nothing", Outcome);
    one("brk(NULL) = -1 EWHAT", "2:16 EWHAT", ErrnoName);
    one("munmap(0x1000, 4096) = 7", "2:24 7", Outcome);
    one("brk(NULL) fine", "2:11 fine", EndOfLine);
    let resource = Resource {
        nearest: near("RLIMIT_AS"),
    };
    one(
        "setrlimit(RLIMIT_A, {rlim_cur=1, rlim_max=1})",
        "2:11 RLIMIT_A",
        resource,
    );
    one("setrlimit(RLIMIT_AS, 4096)", "2:22 4096", LimitPair);
    one("file xx", "2:6 xx", FileLine);
    one(
        "repeat 0 {\n}",
        "2:8 0",
        NumberInRange {
            least: 1,
            most: u64::from(MAX_STEPS),
        },
    );
    one("repeat 2\nbrk(0)\n}", "2:9 ", Mark('{'));
    one("repeat 2 {\nbrk(0)", "3:1 ", BlockEnd { opened: 2 });
    one("maps {", "2:1 ", BlockEnd { opened: 2 });
    one("}", "2:1 }", Line { nearest: None });
    one(
        "mmap(NULL, 99999999999999999999, 1, 2, 3, 4)",
        "2:12 99999999999999999999",
        {
            NumberInRange {
                least: 0,
                most: u64::MAX,
            }
        },
    );
}

#[test]
fn maps_lines_are_told_where_they_are_wrong() {
    for (line, place, problem) in [
        ("rubbish", "3:1 rubbish", MapsProblem::Range),
        (
            "1000-2001 r--p 0 00:00 0",
            "3:1 1000-2001",
            MapsProblem::Unaligned,
        ),
        (
            "2000-2000 r--p 0 00:00 0",
            "3:1 2000-2000",
            MapsProblem::Empty,
        ),
        (
            "1000-8000000000000 r--p 0 00:00 0",
            "3:1 1000-8000000000000",
            MapsProblem::BeyondTask,
        ),
        ("1000-2000 r-p 0 00:00 0", "3:11 r-p", MapsProblem::Perms),
        ("1000-2000 r--p x 00:00 0", "3:16 x", MapsProblem::Offset),
        ("1000-2000 r--p 10 00:00 0", "3:16 10", MapsProblem::Offset),
        ("1000-2000 r--p 0 zero 0", "3:18 zero", MapsProblem::Device),
        ("1000-2000 r--p 0 00:00 ", "3:23 ", MapsProblem::Inode),
    ] {
        one(
            &format!("maps {{\n{line}\n}}"),
            place,
            Expected::Maps(problem),
        );
    }
    let overlap = "maps {\n1000-3000 r--p 0 00:00 0\n2000-4000 r--p 0 00:00 0\n}";
    one(
        overlap,
        "4:1 2000-4000",
        Expected::Maps(MapsProblem::Overlaps { line: 3 }),
    );
}

#[test]
fn all_errors_are_collected() {
    let text = "set thpp always\nset cheese 1\nbrk(\nmunmap(x, 1)\nrepeat 2 {\nfoo()";
    let lines: Vec<u32> = errors(&format!("mmscope 1\n{text}"))
        .iter()
        .map(|error| error.line)
        .collect();
    assert_eq!(lines, [2, 3, 4, 5, 7, 7]);
    let many = format!("mmscope 1\n{}", "foo\n".repeat(10_000));
    let errors = errors(&many);
    assert!(errors.len() < 300);
    assert_eq!(errors.last().unwrap().expected, Expected::FewerErrors);
}

#[test]
fn too_many_steps_are_refused_with_their_number() {
    let text = "repeat 1000 {\nrepeat 1000 {\nbrk(0)\nbrk(0)\n}\n}";
    one(
        text,
        "2:1 ",
        Expected::Steps {
            given: 2_000_000,
            most: MAX_STEPS,
        },
    );
    assert!(Scenario::parse("mmscope 1\nrepeat 1000000 {\nbrk(0)\n}").is_ok());
    let deep = format!(
        "mmscope 1\n{}brk(0)\n{}",
        "repeat 1000 {\n".repeat(40),
        "}\n".repeat(40)
    );
    let errors = errors(&deep);
    assert!(
        errors
            .iter()
            .any(|error| error.expected == Expected::Depth { most: 16 })
    );
    assert!(
        errors
            .iter()
            .any(|error| matches!(error.expected, Expected::Steps { .. }))
    );
}

#[test]
fn other_line_ends_blanks_and_marks_don_t_matter() {
    let plain = Scenario::parse(LESSON).unwrap();
    let crlf = format!("\u{feff}{}", LESSON.replace('\n', "\r\n"));
    assert_eq!(Scenario::parse(&crlf).unwrap(), plain);
    let blanks = LESSON.replace('\n', "  \t\n\n");
    assert_eq!(Scenario::parse(&blanks).unwrap(), plain);
    let cut = LESSON.trim_end();
    assert_eq!(Scenario::parse(cut).unwrap(), plain);
}

#[test]
fn rubbish_of_any_size_is_refused_quickly() {
    let rubbish: String = (0..10_000_000u32)
        .map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f))
        .collect();
    assert_eq!(errors(&rubbish).len(), 1);
    assert!(!errors(&format!("mmscope 1\n{rubbish}")).is_empty());
    let one_line = format!("mmscope 1\nmmap({}", "(".repeat(5_000_000));
    assert_eq!(errors(&one_line).len(), 1);
    let numbers = format!("mmscope 1\nbrk({})", "9*".repeat(3_000_000));
    assert_eq!(errors(&numbers).len(), 1);
}

#[test]
fn sizes_and_comments_may_be_written_as_people_do() {
    let text = "\
mmscope 1
# What this shows
title Gaps
kernels 6.6 6.12.0-d4148aeab412
# huge pages wherever they fit
set thp always
# the first array
a = mmap(NULL, 4632k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) # big
# three times
repeat 3 {
  touch(a+4k, 64k)
  # and back
}
munmap(a, 4632k)
# the end
";
    let scenario = Scenario::parse(text).unwrap();
    assert_eq!(scenario.settings.thp, Thp::Always);
    assert_eq!(scenario.program.steps(), 5);
    assert_eq!(scenario.comments.get(&Anchor::End).unwrap(), &["the end"]);
    let printed = scenario.to_string();
    let decimal = text
        .replace("4632k", "4743168")
        .replace("a+4k", "a+0x1000")
        .replace("64k", "65536");
    assert_eq!(printed, decimal);
    assert_eq!(Scenario::parse(&printed).unwrap(), scenario);
}

#[test]
fn maps_files_of_other_origin_are_read() {
    let smaps = "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \nSize:  4 kB\nVmFlags: rd wr\n";
    assert_eq!(parse_maps(smaps).unwrap().maps.len(), 1);
    let heap = "1000-3000 rw-p 00000000 00:00 0          [heap]\r\nffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\r\n";
    let read = parse_maps(heap).unwrap();
    assert_eq!(
        read.heap,
        Some(Range {
            start: 0x1000,
            end: 0x3000
        })
    );
    assert_eq!(read.maps.len(), 1);
    assert_eq!(parse_maps("").unwrap_err()[0].problem, MapsProblem::Nothing);
    assert_eq!(parse_maps("x\ny\n").unwrap_err().len(), 2);
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,6}".prop_filter("no word of the language", |name| {
        !["mmap", "munmap", "brk", "read", "touch", "from"].contains(&name.as_str())
    })
}

fn comment() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9=(),{}'äß€ ]{0,20}".prop_map(|text| text.trim().to_owned())
}

fn comments() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![4 => Just(Vec::new()), 1 => proptest::collection::vec(comment(), 1..3)]
}

fn limit() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![
        Just(None),
        any::<u32>().prop_map(|kb| Some(u64::from(kb) << 10)),
        (0..u64::MAX).prop_map(Some)
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let limits = (limit(), limit(), limit(), limit(), limit());
    let numbers = (
        any::<u32>(),
        any::<u32>(),
        any::<u64>(),
        any::<u32>(),
        0u64..1000,
    );
    let thp = (
        prop_oneof![Just(Thp::Always), Just(Thp::Madvise), Just(Thp::Never)],
        proptest::array::uniform8(proptest::sample::select(vec![
            ThpSize::Always,
            ThpSize::Madvise,
            ThpSize::Inherit,
            ThpSize::Never,
        ])),
        proptest::sample::select(vec![
            Defrag::Always,
            Defrag::Defer,
            Defrag::DeferMadvise,
            Defrag::Madvise,
            Defrag::Never,
        ]),
        proptest::sample::select(vec![
            Fragmentation::None,
            Fragmentation::Light,
            Fragmentation::Heavy,
        ]),
        any::<bool>(),
    );
    let overcommit = prop_oneof![
        Just(Overcommit::Guess),
        Just(Overcommit::Always),
        Just(Overcommit::Never)
    ];
    let flags = any::<[bool; 5]>();
    let base = proptest::option::of((16u64..1 << 35).prop_map(|page| page << 12));
    let rnd = (0u64..1 << 28).prop_map(|page| page << 12);
    (thp, overcommit, limits, numbers, flags, base, rnd).prop_map(
        |(thp, overcommit, limits, numbers, flags, mmap_base, mmap_rnd)| {
            let (address_space, data, data_max, stack, memlock) = limits;
            let (mem, swap, max_map_count, mmap_min_addr, stack_guard_gap) = numbers;
            let [
                cap_sys_rawio,
                cap_ipc_lock,
                legacy_layout,
                hugetlb,
                anon_vma_name,
            ] = flags;
            let (thp, thp_sizes, thp_defrag, fragmentation, use_zero_page) = thp;
            Settings {
                thp,
                thp_sizes,
                thp_defrag,
                use_zero_page,
                fragmentation,
                overcommit,
                mem_total_kb: mem.into(),
                swap_total_kb: swap.into(),
                max_map_count,
                mmap_min_addr: mmap_min_addr.into(),
                stack_guard_gap,
                rlimits: Rlimits {
                    address_space,
                    data,
                    data_max,
                    stack,
                    memlock,
                },
                hugetlb,
                anon_vma_name,
                cap_sys_rawio,
                cap_ipc_lock,
                legacy_layout,
                mmap_rnd,
                mmap_base,
            }
        },
    )
}

fn file() -> impl Strategy<Value = File> {
    let placement = prop_oneof![
        Just(FilePlacement::Thp),
        Just(FilePlacement::Shmem),
        Just(FilePlacement::NoHook)
    ];
    let path = "/[a-zA-Z0-9.<>,() _-]{1,20}".prop_map(|path| path.trim_end().replace("  ", " "));
    let dev = "[0-9a-f]{2,3}:[0-9a-f]{2}";
    (
        path,
        proptest::option::weighted(0.2, any::<u64>()),
        dev,
        any::<u32>(),
        placement,
        any::<bool>(),
    )
        .prop_map(|(path, len, dev, inode, placement, read_only)| File {
            path,
            len,
            dev,
            inode: inode.into(),
            placement,
            read_only,
        })
}

fn files() -> impl Strategy<Value = Vec<File>> {
    proptest::collection::vec(file(), 0..4).prop_map(|mut files| {
        let mut seen = Vec::new();
        files.retain(|file| {
            let key = (file.path.clone(), file.dev.clone(), file.inode);
            let new = !seen.contains(&key);
            seen.push(key);
            new
        });
        files
    })
}

fn start(files: u32) -> impl Strategy<Value = Start> {
    let map = (
        1u64..8,
        1u64..8,
        0u64..16,
        any::<u16>(),
        proptest::option::of(0u32..4),
        0u8..12,
    );
    let maps = proptest::collection::vec(map, 0..8).prop_map(move |maps| {
        let mut at = 0x10;
        let mut special = vec![
            Special::Stack,
            Special::Vdso,
            Special::VvarVclock,
            Special::Vvar,
        ];
        maps.into_iter()
            .map(|(gap, len, perms, offset, file, kind)| {
                let start = at + gap * u64::from(perms % 2 == 0);
                at = start + len;
                let file = file.filter(|id| *id < files && kind > 2).map(FileId);
                let special = if file.is_none() && kind < 2 {
                    special.pop()
                } else {
                    None
                };
                let mut flags = VmFlags::from_bits_truncate(perms & 7);
                flags.set(VmFlags::MAYSHARE, perms & 8 != 0);
                StartMap {
                    range: Range {
                        start: start << 12,
                        end: at << 12,
                    },
                    perms: flags,
                    offset: file.map_or(0, |_| u64::from(offset) << 12),
                    file,
                    special,
                }
            })
            .collect()
    });
    let brk = proptest::option::of((any::<u32>(), any::<u16>()));
    (maps, brk).prop_map(|(maps, brk)| Start {
        maps,
        start_brk: brk.map(|(start, _)| start.into()),
        brk: brk.map(|(start, len)| u64::from(start) + u64::from(len)),
    })
}

fn call(files: u32) -> impl Strategy<Value = Call> {
    let fd = proptest::option::of(0u32..4).prop_map(move |id| {
        id.filter(|id| *id < files)
            .map_or(Fd::None, |id| Fd::File(FileId(id)))
    });
    let prot = any::<u32>().prop_map(Prot::from_bits_retain);
    let some_prot = prop_oneof![prot, (0u32..8).prop_map(Prot::from_bits_retain)];
    let flags = any::<u32>().prop_map(MapFlags::from_bits_retain);
    let begin = proptest::option::of((0u64..0x2000).prop_map(|page| 0x4000_0000 + (page << 12)));
    let mmap = (
        any::<u64>(),
        any::<u64>(),
        some_prot.clone(),
        flags,
        fd,
        any::<u64>(),
        begin,
    )
        .prop_map(|(addr, len, prot, flags, fd, offset, begin_32bit)| {
            let fd = if flags.contains(MapFlags::ANONYMOUS) {
                Fd::None
            } else {
                fd
            };
            let begin_32bit = begin_32bit.filter(|_| flags.contains(MapFlags::BIT32));
            Call::Mmap(Mmap {
                addr,
                len,
                prot,
                flags,
                fd,
                offset,
                begin_32bit,
            })
        });
    let resource = prop_oneof![
        Just(Resource::AddressSpace),
        Just(Resource::Data),
        Just(Resource::Stack),
        Just(Resource::Memlock)
    ];
    prop_oneof![
        mmap,
        any::<(u64, u64)>().prop_map(|(addr, len)| Call::Munmap { addr, len }),
        (any::<u64>(), any::<u64>(), some_prot).prop_map(|(addr, len, prot)| Call::Mprotect {
            addr,
            len,
            prot
        }),
        any::<(u64, u64, u64, u32, u64)>().prop_map(|(addr, old_len, new_len, flags, new_addr)| {
            Call::Mremap(Mremap {
                addr,
                old_len,
                new_len,
                flags: MremapFlags::from_bits_retain(flags),
                new_addr,
            })
        }),
        any::<(u64, u64, u32)>().prop_map(|(addr, len, advice)| Call::Madvise {
            addr,
            len,
            advice: Advice(advice),
        }),
        (any::<u64>(), any::<u64>(), 0u32..40).prop_map(|(addr, len, advice)| Call::Madvise {
            addr,
            len,
            advice: Advice(advice),
        }),
        (any::<u64>(), any::<u64>(), 0u32..4).prop_map(|(addr, len, flags)| Call::Mlock {
            addr,
            len,
            flags
        }),
        any::<(u64, u64)>().prop_map(|(addr, len)| Call::Munlock { addr, len }),
        any::<(u64, u64)>().prop_map(|(on, flags)| Call::SetThpDisable { on, flags }),
        any::<u32>().prop_map(|flags| Call::Mlockall { flags }),
        Just(Call::Munlockall),
        any::<bool>().prop_map(|child| Call::Fork { child }),
        Just(Call::Exec),
        any::<u32>().prop_map(|persona| Call::Personality { persona }),
        Just(Call::Exit),
        any::<(u64, u64, u64)>().prop_map(|(addr, len, flags)| Call::Mseal { addr, len, flags }),
        (
            any::<(u64, u64)>(),
            proptest::option::of("[\\x00-\\x7f]{0,80}")
        )
            .prop_map(|((addr, len), name)| Call::SetAnonName {
                addr,
                len,
                name: name.map(|name| AnonName::new(&name).unwrap()),
            }),
        any::<u64>().prop_map(|addr| Call::Brk { addr }),
        (any::<u64>(), any::<u64>(), 1u64.., any::<bool>()).prop_map(
            |(addr, len, stride, write)| {
                let access = if write { Access::Write } else { Access::Read };
                Call::Touch {
                    addr,
                    len,
                    stride,
                    access,
                }
            }
        ),
        (resource, limit(), limit()).prop_map(|(resource, cur, max)| Call::Setrlimit {
            resource,
            cur,
            max
        }),
    ]
}

const ERRORS: &[Errno] = &[
    Errno::EPERM,
    Errno::EBADF,
    Errno::ENOMEM,
    Errno::EINVAL,
    Errno::EOVERFLOW,
];
const SIGNALS: &[Signal] = &[Signal::SegvMaperr, Signal::SegvAccerr, Signal::BusAdrerr];

fn recorded(call: Call) -> BoxedStrategy<Option<Outcome>> {
    let error = proptest::sample::select(ERRORS).prop_map(Outcome::Error);
    let value = match call {
        Call::Mmap(_) | Call::Mremap(_) | Call::Brk { .. } | Call::Personality { .. } => {
            any::<u64>().prop_map(Outcome::Address).boxed()
        }
        Call::Touch { .. } => {
            let signal = proptest::sample::select(SIGNALS);
            let ended = (any::<u64>(), signal, any::<u64>()).prop_map(|(touched, signal, at)| {
                Outcome::Signal {
                    touched,
                    signal,
                    at,
                }
            });
            prop_oneof![any::<u64>().prop_map(Outcome::Touched), ended].boxed()
        }
        _ => Just(Outcome::Done).boxed(),
    };
    proptest::option::of(prop_oneof![value, error]).boxed()
}

fn line(files: u32) -> impl Strategy<Value = CallLine> {
    let call = call(files).prop_flat_map(|call| (Just(call), recorded(call)));
    let remark = proptest::option::weighted(0.2, comment());
    (
        call,
        comments(),
        remark,
        proptest::option::of(name()),
        any::<bool>(),
    )
        .prop_map(|((call, recorded), comments, remark, name, relative)| {
            let mut line = CallLine::new(call);
            // The name is put right below, once it is known which names there are.
            line.relative_to = relative.then(String::new);
            CallLine {
                comments,
                remark,
                name,
                recorded,
                ..line
            }
        })
}

fn items(files: u32) -> impl Strategy<Value = Vec<Item>> {
    let leaf = line(files).prop_map(Item::Call);
    let item = leaf.prop_recursive(3, 24, 4, |item| {
        let body = proptest::collection::vec(item, 0..4);
        (1u32..30, body, comments(), comments()).prop_map(
            |(times, body, comments, closing_comments)| {
                Item::Repeat(Repeat {
                    comments,
                    closing_comments,
                    times,
                    body,
                })
            },
        )
    });
    proptest::collection::vec(item, 0..8)
}

/// Lets each call that counts from a result count from the last one named before it, if there is one.
fn put_names_right(items: &mut [Item], last: &mut Option<String>) {
    for item in items {
        match item {
            Item::Call(line) => {
                line.relative_to = match line.call {
                    Call::SetThpDisable { .. }
                    | Call::Setrlimit { .. }
                    | Call::Fork { .. }
                    | Call::Exec
                    | Call::Personality { .. }
                    | Call::Exit
                    | Call::Mlockall { .. }
                    | Call::Munlockall => None,
                    _ => line.relative_to.take().and(last.clone()),
                };
                if let Call::Mremap(remap) = line.call
                    && remap.new_addr.is_multiple_of(2)
                {
                    line.new_relative_to.clone_from(last);
                }
                if line.name.is_some() {
                    last.clone_from(&line.name);
                }
            }
            Item::Repeat(repeat) => put_names_right(&mut repeat.body, last),
        }
    }
}

const KERNELS: &[&str] = &[
    "6.0",
    "6.1-rc6",
    "6.6",
    "6.7.0",
    "6.12.0-d4148aeab412",
    "6.12.y",
    "7.3",
    "6.6+96204e15310c",
];

fn scenario() -> impl Strategy<Value = Scenario> {
    let kernels = proptest::collection::vec(proptest::sample::select(KERNELS), 1..=3);
    let parts = files().prop_flat_map(|files| {
        let count = files.len() as u32;
        (Just(files), start(count), items(count))
    });
    let heads = (comments(), comments(), comments(), comments());
    let lines = (
        proptest::option::of(comment()),
        proptest::option::of(comment()),
    );
    (
        comment(),
        kernels,
        settings(),
        parts,
        any::<u64>(),
        heads,
        lines,
    )
        .prop_map(
            |(title, kernels, settings, (files, start, mut items), seed, heads, (tlb, walk))| {
                put_names_right(&mut items, &mut None);
                let anchors = [
                    Anchor::Title,
                    Anchor::Kernels,
                    Anchor::Setting("thp".into()),
                    Anchor::End,
                ];
                let heads = [heads.0, heads.1, heads.2, heads.3];
                let comments = anchors
                    .into_iter()
                    .zip(heads)
                    .filter(|(_, comments)| !comments.is_empty())
                    .collect();
                let kernels = kernels
                    .into_iter()
                    .map(|name| Kernel::parse(name).unwrap())
                    .collect();
                let program = Program { items };
                Scenario {
                    title,
                    kernels,
                    settings,
                    files,
                    start,
                    seed,
                    streams: StreamLines { tlb, walk },
                    program,
                    comments,
                }
            },
        )
}

proptest! {
    #[test]
    fn what_is_written_is_read(scenario in scenario()) {
        let text = scenario.to_string();
        match Scenario::parse(&text) {
            Ok(read) => {
                prop_assert_eq!(&read, &scenario, "{}", text);
                prop_assert_eq!(read.to_string(), text);
            }
            Err(errors) => {
                // Random blocks may unroll to too much; nothing else is wrong with what is written.
                let too_long = errors.iter().all(|error| matches!(error.expected, Expected::Steps { .. }));
                prop_assert!(too_long, "{:?}\n{}", errors, text);
            }
        }
    }

    /// A damaged text is read or refused; if it is read, then what is printed of it is stable.
    #[test]
    fn damage_is_survived(
        at in any::<prop::sample::Index>(),
        cut in 0usize..80,
        put in "[ -~\n\u{feff}é{}()#=]{0,12}",
        scenario in scenario(),
    ) {
        let mut text = scenario.to_string();
        let mut from = at.index(text.len());
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = (from + cut).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        text.replace_range(from..to, &put);
        if let Ok(read) = Scenario::parse(&text) {
            let printed = read.to_string();
            let again = Scenario::parse(&printed);
            prop_assert_eq!(again.as_ref(), Ok(&read), "{}", printed);
            prop_assert_eq!(again.unwrap().to_string(), printed);
        }
    }

    #[test]
    fn anything_is_survived(text in any::<String>(), maps in "[0-9a-f rwxps:\\[\\]\n/-]{0,200}") {
        let _ = Scenario::parse(&text);
        let _ = Scenario::parse(&format!("mmscope 1\n{text}"));
        let _ = parse_maps(&text);
        let _ = parse_maps(&maps);
    }
}
