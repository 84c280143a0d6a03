//! Nodes of the maple tree that brk asks for in each release, against what an instrumented kernel counted.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Call, Entry, Event, Journal, Kernel, Machine, MapFlags, Mmap, Nodes, Prot, Range, Release,
    Settings, Start, StartMap, TreeWrite, VmFlags,
};

const PAGE: u64 = 4096;
const HEAP: u64 = 0x5555_5557_9000;

/// A process with a heap of 1 MiB and so many mappings of a page below and above it, a hole of a page between any two.
fn machine(kernel: &str, below: u64, above: u64) -> Machine {
    spaced(kernel, below, above, 2)
}

/// The same with mappings that start so many pages apart.
fn spaced(kernel: &str, below: u64, above: u64, pages: u64) -> Machine {
    let perms = VmFlags::READ | VmFlags::WRITE;
    let map = |start, pages: u64| StartMap {
        range: Range::sized(start, pages * PAGE),
        perms,
        offset: 0,
        file: None,
        special: None,
    };
    let place = |base: u64| move |at: u64| base + at * pages * PAGE;
    let mut maps: Vec<_> = (0..below).map(place(0x5555_5550_0000)).collect();
    maps.extend((0..above).map(place(0x7fff_0000_0000)));
    let maps = maps.into_iter().map(|start| map(start, 1)).collect();
    let start = Start {
        maps,
        start_brk: Some(HEAP),
        brk: Some(HEAP),
    };
    let kernel = Kernel::parse(kernel).unwrap();
    let mut machine = Machine::new(kernel, Settings::default(), vec![], &start).unwrap();
    brk(&mut machine, 1 << 20);
    machine
}

/// Moves the break and says what that took.
fn brk(machine: &mut Machine, by: i64) -> Nodes {
    let process = machine.process();
    let (before, to) = (process.nodes, process.brk.wrapping_add_signed(by));
    let outcome = machine.run(&Call::Brk { addr: to }, &mut ());
    assert_eq!(outcome.address(), Some(to));
    let after = machine.process().nodes;
    Nodes {
        asked: after.asked - before.asked,
        used: after.used - before.used,
        returned: after.returned - before.returned,
        freed: after.freed - before.freed,
    }
}

fn shrink(machine: &mut Machine) -> Nodes {
    brk(machine, -(64 << 10))
}

fn grow(machine: &mut Machine) -> Nodes {
    brk(machine, 4 << 10)
}

/// What a growth by 4 KiB, a shrink by 64 KiB and a round of AIM9's page_test (one shrink, sixteen growths) ask for.
fn row(mut machine: Machine) -> [u64; 3] {
    let grown = grow(&mut machine).asked;
    let shrunk = shrink(&mut machine).asked;
    let mut round = shrink(&mut machine).asked;
    for _ in 0..16 {
        round += grow(&mut machine).asked;
    }
    [grown, shrunk, round]
}

/// The table: releases, and the row at heights 2 and 3.
const TABLE: [(&[&str], [u64; 3], [u64; 3]); 5] = [
    (&["6.1-rc1"], [0, 15, 15], [0, 21, 21]),
    (
        &["6.1-rc6", "6.1", "6.2", "6.1+3dd443254941"],
        [7, 15, 127],
        [10, 21, 181],
    ),
    (&["6.3", "6.4", "6.5"], [7, 9, 121], [10, 12, 172]),
    (
        &[
            "6.6", "6.7", "6.8", "6.9", "6.10", "6.11", "6.11.7", "6.12", "6.12.y", "6.13", "6.14",
            "6.15", "6.16", "6.17",
        ],
        [0, 2, 2],
        [0, 2, 2],
    ),
    (
        &["6.18", "6.19", "7.0", "7.1", "7.2", "7.3"],
        [0, 2, 2],
        [0, 2, 2],
    ),
];

#[test]
fn the_table_covers_every_release_with_a_maple_tree() {
    for release in Release::ALL {
        let listed = TABLE.iter().flat_map(|(kernels, ..)| *kernels);
        let listed = listed
            .filter(|name| Release::find(name).is_some_and(|found| found == release))
            .count();
        let tree = Kernel::new(release).maple_rules().is_some();
        assert_eq!(listed, usize::from(tree), "{}", release.id);
    }
}

#[test]
fn brk_asks_for_the_nodes_of_the_table() {
    // Mappings beside the heap, pages from one to the next, and the height that makes: mappings with holes between them
    // need three levels from 65 to 80 on, touching ones near 150.
    let trees = [(20, 2, 2), (60, 2, 2), (85, 2, 3), (115, 2, 3)];
    let touching = [(100, 1, 2), (160, 1, 3)];
    let mut wrong = Vec::new();
    for (kernels, two, three) in TABLE {
        for kernel in kernels {
            for (others, pages, height) in trees.into_iter().chain(touching) {
                let machine = spaced(kernel, 1, others, pages);
                assert_eq!(machine.tree().height(), height, "{kernel}, {others}");
                let (is, expected) = (row(machine), if height == 2 { two } else { three });
                if is != expected {
                    wrong.push(format!(
                        "{kernel}, {others} others: {is:?} is not {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What one call takes, write by write.
fn told(machine: &mut Machine, call: &Call) -> Vec<(TreeWrite, Nodes)> {
    let before = machine.clone();
    let mut journal = Journal::new();
    machine.run(call, &mut journal);
    let told = journal.events().filter_map(|(_, event)| match event {
        Event::Nodes { write, nodes } if *nodes != Nodes::default() => Some((*write, *nodes)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    // The ledger adds up, and goes back with everything else.
    let mut sum = before.process().nodes;
    told.iter().for_each(|(_, nodes)| sum += *nodes);
    assert_eq!(sum, machine.process().nodes);
    let mut back = machine.clone();
    for entry in journal.entries().iter().rev() {
        if let Entry::Write(undo) = entry {
            back.undo(undo.clone());
        }
    }
    assert_eq!(back.process(), before.process());
    told
}

fn asked(machine: &mut Machine, call: &Call) -> Vec<(TreeWrite, u64)> {
    let told = told(machine, call).into_iter();
    told.map(|(write, nodes)| (write, nodes.asked)).collect()
}

fn tail(machine: &Machine) -> Call {
    Call::Brk {
        addr: machine.process().brk - (64 << 10),
    }
}

#[test]
fn what_a_shrink_is_made_of() {
    use TreeWrite::{Clear, Detach, Split};
    let rows: [(&str, &[(TreeWrite, u64)]); 5] = [
        ("6.1", &[(Split, 7), (Detach, 1), (Clear, 7)]),
        ("6.3", &[(Split, 7), (Detach, 1), (Clear, 1)]),
        ("6.6", &[(Split, 1), (Clear, 1)]),
        (
            "6.6-munmap_sidetree",
            &[(Split, 1), (Detach, 1), (Clear, 1)],
        ),
        ("7.3", &[(Split, 1), (Clear, 1)]),
    ];
    for (kernel, expected) in rows {
        let mut machine = machine(kernel, 1, 20);
        let call = tail(&machine);
        assert_eq!(asked(&mut machine, &call), expected, "{kernel}");
    }
}

#[test]
fn the_worst_case_is_nearly_all_given_back() {
    for kernel in ["6.1", "6.5"] {
        let mut machine = machine(kernel, 1, 20);
        let grown = grow(&mut machine);
        assert_eq!((grown.asked, grown.used, grown.returned), (7, 0, 7));
    }
    // Without RCU mode leaves are written in place; with it, each is a new node.
    for (kernel, used, freed) in [("6.1", 1, 1), ("6.1+3dd443254941", 3, 3), ("6.3", 3, 3)] {
        let mut machine = machine(kernel, 1, 20);
        let shrunk = shrink(&mut machine);
        assert_eq!((shrunk.used, shrunk.freed), (used, freed), "{kernel}");
    }
}

/// Exceptions. The first number is how many mappings lie below the heap, which decides where in its leaf the heap is.
#[test]
fn when_the_leaf_of_the_heap_is_full_or_ends_with_it() {
    // A full leaf is split, 1 + 2h, and the hole then spans leaves, 1 + 3h.
    for kernel in ["6.6", "6.8", "6.12.y", "6.16", "6.18", "7.1"] {
        let mut machine = machine(kernel, 5, 7);
        assert_eq!(machine.tree().height(), 2);
        assert_eq!(grow(&mut machine).asked, 0, "{kernel}");
        assert_eq!(shrink(&mut machine).asked, 12, "{kernel}");
    }
    // 6.1 moves no boundary in place in a full leaf: without RCU mode the leaf is written over, with it copied.
    for (kernel, grown) in [("6.1-rc1", 0), ("6.1-rc1+3dd443254941", 1)] {
        assert_eq!(grow(&mut machine(kernel, 5, 7)).asked, grown, "{kernel}");
    }
    // The heap ends its leaf, and the hole behind it begins the next one: growing and clearing span both. §5.4 does not
    // name this case.
    for (kernel, below, above, height, grown, shrunk) in [
        ("6.3", 4, 3, 2, 7, 15),
        ("6.6", 4, 3, 2, 7, 8),
        ("6.18", 4, 3, 2, 7, 8),
        ("7.3", 3, 4, 2, 7, 8),
        ("6.6", 4, 68, 3, 10, 11),
        ("7.1", 4, 68, 3, 10, 11),
    ] {
        let mut machine = machine(kernel, below, above);
        assert_eq!(machine.tree().height(), height);
        assert_eq!(grow(&mut machine).asked, grown, "{kernel}");
        assert_eq!(shrink(&mut machine).asked, shrunk, "{kernel}");
    }
}

#[test]
fn a_munmap_that_is_refused_gives_everything_back() {
    let full = machine("6.1", 1, 20);
    let settings = Settings {
        max_map_count: full.process().map_count,
        ..Settings::default()
    };
    let mut machine = with_settings("6.1", settings, &full);
    let middle = Call::Munmap {
        addr: HEAP + 4 * PAGE,
        len: PAGE,
    };
    let told = told(&mut machine, &middle);
    let [(TreeWrite::Clear, nodes)] = told[..] else {
        panic!("{told:?}")
    };
    assert_eq!((nodes.asked, nodes.used, nodes.returned), (7, 0, 7));
}

/// The same mappings in a process with other settings.
fn with_settings(kernel: &str, settings: Settings, like: &Machine) -> Machine {
    let everything = Range {
        start: 0,
        end: u64::MAX,
    };
    let maps = like.vmas(everything).map(|(_, vma)| StartMap {
        range: Range {
            start: vma.start,
            end: vma.end,
        },
        perms: vma.flags & VmFlags::ACCESS,
        offset: 0,
        file: None,
        special: None,
    });
    let start = Start {
        maps: maps.collect(),
        start_brk: Some(HEAP),
        brk: Some(like.process().brk),
    };
    Machine::new(Kernel::parse(kernel).unwrap(), settings, vec![], &start).unwrap()
}

/// A new mapping, one that is put over others, one cut by mprotect.
fn calls() -> Vec<Call> {
    let map = |addr, pages: u64, fixed: bool| {
        let mut mmap = Mmap::anonymous(pages * PAGE);
        mmap.addr = addr;
        if fixed {
            mmap.flags |= MapFlags::FIXED;
        }
        Call::Mmap(mmap)
    };
    vec![
        map(0x2000_0000, 16, false),
        map(0x2000_4000, 2, true),
        Call::Mprotect {
            addr: 0x2000_2000,
            len: PAGE,
            prot: Prot::READ,
        },
        map(0x7fff_0000_1000, 9, true),
        Call::Munmap {
            addr: 0x7fff_0000_0000,
            len: 40 * PAGE,
        },
    ]
}

#[test]
fn the_ledger_adds_up_in_every_release() {
    for release in Release::ALL {
        let mut machine = machine(release.id, 1, 40);
        let mut kept = Nodes::default();
        for call in calls() {
            for (write, nodes) in told(&mut machine, &call) {
                // The list of doomed mappings is not in RCU mode: it gives back more than it asked for.
                if write != TreeWrite::Detach {
                    kept += nodes;
                }
            }
            machine.tree().check().unwrap();
        }
        let has_tree = machine.kernel().maple_rules().is_some();
        assert_eq!(kept.asked > 0, has_tree, "{}", release.id);
        if machine.tree().in_rcu() {
            assert_eq!(kept.asked, kept.used + kept.returned, "{}", release.id);
        }
    }
}

#[test]
fn map_fixed_leaves_no_hole_first_since_it_restores() {
    for (kernel, clears) in [("6.11", true), ("6.12", false), ("7.3", false)] {
        let mut machine = machine(kernel, 1, 40);
        let call = &calls()[3];
        let writes = asked(&mut machine, call);
        let hole = writes.iter().any(|(write, _)| *write == TreeWrite::Clear);
        assert_eq!(hole, clears, "{kernel}: {writes:?}");
    }
}

#[test]
fn six_zero_has_no_maple_tree() {
    let mut machine = machine("6.0", 1, 40);
    for call in calls() {
        assert!(told(&mut machine, &call).is_empty());
    }
    assert_eq!(grow(&mut machine), Nodes::default());
    assert_eq!(shrink(&mut machine), Nodes::default());
    assert_eq!(machine.process().nodes, Nodes::default());
}
