//! Golden placements: `setarch -R`, the lowest mapping of the mmap area starts at 7ffff7dd0000. Computed from the rules
//! and, in the last column, seen on a live 6.18.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{
    Call, Kernel, Machine, MapFlags, Mmap, Range, Release, Settings, Start, StartMap, VmFlags,
};

const K: u64 = 1 << 10;

fn machine(kernel: &str) -> Machine {
    let start = Start {
        maps: vec![StartMap {
            range: Range {
                start: 0x7fff_f7dd_0000,
                end: 0x7fff_f7fc_2000,
            },
            perms: VmFlags::READ,
            offset: 0,
            file: None,
            special: None,
        }],
        ..Start::default()
    };
    Machine::new(
        Kernel::parse(kernel).unwrap(),
        Settings::default(),
        vec![],
        &start,
    )
    .unwrap()
}

/// Runs private anonymous mappings of these sizes in kB and gives the low 32 bits of where they landed.
fn run(kernel: &str, requests: &[(u64, MapFlags)]) -> Vec<u32> {
    let mut machine = machine(kernel);
    requests
        .iter()
        .map(|(kb, flags)| {
            let mut mmap = Mmap::anonymous(kb * K);
            mmap.flags |= *flags;
            let addr = machine.run(&Call::Mmap(mmap), &mut ()).address().unwrap();
            assert_eq!(addr >> 32, 0x7fff);
            addr as u32
        })
        .collect()
}

/// The columns of the table: kernels that belong to each.
const COLUMNS: [&[&str]; 4] = [
    &["6.0", "6.1", "6.2", "6.3", "6.4", "6.5", "6.6"],
    &["6.1-rc1", "6.1-rc6", "6.7"],
    &["6.8", "6.9", "6.10", "6.11"],
    &[
        "6.11.7", "6.12", "6.12.y", "6.13", "6.14", "6.15", "6.16", "6.17", "6.18", "6.19", "7.0",
        "7.1", "7.2", "7.3",
    ],
];

fn check(requests: &[(u64, MapFlags)], columns: [&[u32]; 4]) {
    for (kernels, expected) in COLUMNS.iter().zip(columns) {
        for kernel in *kernels {
            assert_eq!(run(kernel, requests), expected, "{kernel}");
        }
    }
}

#[test]
fn the_columns_cover_every_release() {
    let mut listed: Vec<&str> = COLUMNS
        .iter()
        .flat_map(|kernels| *kernels)
        .map(|name| Release::find(name).unwrap().id)
        .collect();
    let mut all: Vec<&str> = Release::ALL.iter().map(|release| release.id).collect();
    listed.sort_unstable();
    all.sort_unstable();
    assert_eq!(listed, all);
}

#[test]
fn arrays_of_4632_kb() {
    let none = MapFlags::empty();
    check(
        &[(4632, none); 4],
        [
            &[0xf794_a000, 0xf74c_4000, 0xf703_e000, 0xf6bb_8000],
            &[0xf780_0000, 0xf720_0000, 0xf6c0_0000, 0xf660_0000],
            &[0xf780_0000, 0xf720_0000, 0xf6c0_0000, 0xf660_0000],
            &[0xf794_a000, 0xf74c_4000, 0xf703_e000, 0xf6bb_8000],
        ],
    );
}

#[test]
fn mixed_sizes() {
    let none = MapFlags::empty();
    let sizes = [2048, 2048, 4096, 2052, 512, 6144, 3072, 2048].map(|kb| (kb, none));
    check(
        &sizes,
        [
            &[
                0xf7bd_0000,
                0xf79d_0000,
                0xf75d_0000,
                0xf73c_f000,
                0xf734_f000,
                0xf6d4_f000,
                0xf6a4_f000,
                0xf684_f000,
            ],
            &[
                0xf7a0_0000,
                0xf760_0000,
                0xf700_0000,
                0xf6c0_0000,
                0xf7d5_0000,
                0xf640_0000,
                0xf600_0000,
                0xf5c0_0000,
            ],
            &[
                0xf7a0_0000,
                0xf780_0000,
                0xf740_0000,
                0xf700_0000,
                0xf7d5_0000,
                0xf6a0_0000,
                0xf660_0000,
                0xf640_0000,
            ],
            &[
                0xf7a0_0000,
                0xf780_0000,
                0xf740_0000,
                0xf71f_f000,
                0xf7d5_0000,
                0xf6a0_0000,
                0xf670_0000,
                0xf640_0000,
            ],
        ],
    );
}

#[test]
fn thread_stacks_then_chunks() {
    let (none, stack) = (MapFlags::empty(), MapFlags::STACK);
    let requests = [
        (8196, stack),
        (8196, stack),
        (8196, stack),
        (512, none),
        (512, none),
        (512, none),
        (512, none),
    ];
    let packed: &[u32] = &[
        0xf75c_f000,
        0xf6dc_e000,
        0xf65c_d000,
        0xf654_d000,
        0xf64c_d000,
        0xf644_d000,
        0xf63c_d000,
    ];
    let aligned: &[u32] = &[
        0xf740_0000,
        0xf6a0_0000,
        0xf600_0000,
        0xf7d5_0000,
        0xf7cd_0000,
        0xf7c5_0000,
        0xf738_0000,
    ];
    check(&requests, [packed, aligned, aligned, packed]);
}

#[test]
fn a_single_change_can_be_switched() {
    let none = MapFlags::empty();
    let arrays = [(4632, none)];
    assert_eq!(run("6.14-d4148aeab412", &arrays), [0xf780_0000]);
    assert_eq!(run("6.6+efa7df3e3bb5", &arrays), [0xf780_0000]);
    assert_eq!(run("6.7-efa7df3e3bb5", &arrays), [0xf794_a000]);
    assert_eq!(
        run("6.8-96204e15310c", &[(2048, none); 2]),
        run("6.7", &[(2048, none); 2])
    );
}
