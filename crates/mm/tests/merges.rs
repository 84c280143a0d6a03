//! Golden merge outcomes, in pieces of 64 kB. U: untouched, F: written to, each on its own before it had neighbours.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mmscope_mm::{Access, Call, Kernel, Machine, MapFlags, Mmap, Prot, Range, Settings, Start};

const PIECE: u64 = 64 << 10;
const BASE: u64 = 0x10_0000_0000;
const RW: Prot = Prot::READ.union(Prot::WRITE);

/// A machine whose pieces can be built one by one.
struct Pieces(Machine);

impl Pieces {
    fn new(kernel: &str) -> Pieces {
        let kernel = Kernel::parse(kernel).unwrap();
        Pieces(Machine::new(kernel, Settings::default(), vec![], &Start::default()).unwrap())
    }

    fn addr(at: u64) -> u64 {
        BASE + at * PIECE
    }

    fn map(&mut self, at: u64, pieces: u64, prot: Prot) -> &mut Self {
        let mut mmap = Mmap::anonymous(pieces * PIECE);
        mmap.addr = Self::addr(at);
        mmap.flags |= MapFlags::FIXED;
        mmap.prot = prot;
        assert_eq!(
            self.0.run(&Call::Mmap(mmap), &mut ()).address(),
            Some(mmap.addr)
        );
        self
    }

    fn write(&mut self, at: u64) -> &mut Self {
        let call = Call::Touch {
            addr: Self::addr(at),
            len: 4096,
            stride: 4096,
            access: Access::Write,
        };
        self.0.run(&call, &mut ());
        self
    }

    fn protect(&mut self, at: u64, prot: Prot) -> &mut Self {
        self.0.run(
            &Call::Mprotect {
                addr: Self::addr(at),
                len: PIECE,
                prot,
            },
            &mut (),
        );
        self
    }

    /// The mappings, as numbers of pieces, lowest first.
    fn shape(&self) -> Vec<u64> {
        let whole = Range {
            start: BASE,
            end: BASE + 16 * PIECE,
        };
        self.0
            .vmas(whole)
            .map(|(_, vma)| vma.len() / PIECE)
            .collect()
    }
}

/// One kernel of each column, and those at its ends.
const COLUMNS: [&[&str]; 3] = [
    &[
        "6.1-rc1", "6.1-rc6", "6.1", "6.2", "6.6", "6.7", "6.11", "6.11.7",
    ],
    &["6.12", "6.12.y", "6.13", "6.14", "6.15"],
    &["6.16", "6.18", "7.0", "7.3"],
];

fn check(build: impl Fn(&mut Pieces), columns: [&[u64]; 3], six_zero: &[u64]) {
    let with_six_zero = std::iter::once((&["6.0"][..], six_zero));
    for (kernels, expected) in COLUMNS.into_iter().zip(columns).chain(with_six_zero) {
        for kernel in kernels {
            let mut pieces = Pieces::new(kernel);
            build(&mut pieces);
            assert_eq!(pieces.shape(), expected, "{kernel}");
        }
    }
}

/// A hole of one piece between two, filled last.
fn fill(lower: bool, upper: bool) -> impl Fn(&mut Pieces) {
    move |pieces| {
        pieces.map(0, 1, RW).map(2, 1, RW);
        if lower {
            pieces.write(0);
        }
        if upper {
            pieces.write(2);
        }
        pieces.map(1, 1, RW);
    }
}

#[test]
fn untouched_new_untouched() {
    check(fill(false, false), [&[3], &[3], &[3]], &[3]);
}

#[test]
fn touched_new_untouched() {
    check(fill(true, false), [&[3], &[3], &[3]], &[3]);
}

#[test]
fn untouched_new_touched() {
    check(fill(false, true), [&[1, 2], &[3], &[3]], &[3]);
}

#[test]
fn touched_new_touched_apart() {
    check(fill(true, true), [&[1, 2], &[2, 1], &[2, 1]], &[2, 1]);
}

#[test]
fn mprotect_makes_a_touched_middle_equal_to_the_untouched_below() {
    check(
        |pieces| {
            pieces
                .map(0, 1, RW)
                .map(1, 1, RW | Prot::EXEC)
                .write(1)
                .protect(1, RW);
        },
        [&[1, 1], &[1, 1], &[2]],
        &[1, 1],
    );
}

#[test]
fn mprotect_makes_a_touched_middle_equal_to_the_untouched_above() {
    check(
        |pieces| {
            pieces
                .map(0, 1, RW | Prot::EXEC)
                .map(1, 1, RW)
                .write(0)
                .protect(0, RW);
        },
        [&[1, 1], &[1, 1], &[2]],
        &[1, 1],
    );
}

#[test]
fn mprotect_makes_an_untouched_middle_equal_to_the_touched_below() {
    check(
        |pieces| {
            pieces
                .map(0, 1, RW)
                .write(0)
                .map(1, 1, RW | Prot::EXEC)
                .protect(1, RW);
        },
        [&[2], &[2], &[2]],
        &[2],
    );
}

#[test]
fn untouched_touched_untouched_all_made_equal() {
    check(
        |pieces| {
            pieces
                .map(0, 1, RW)
                .map(1, 1, RW | Prot::EXEC)
                .map(2, 1, RW)
                .write(1)
                .protect(1, RW);
        },
        [&[1, 1, 1], &[1, 1, 1], &[3]],
        &[1, 1, 1],
    );
}

#[test]
fn untouched_rw_made_r_beside_a_fresh_r() {
    for (kernel, expected) in [
        ("6.0", &[1u64, 1][..]),
        ("6.1", &[1, 1]),
        ("6.6", &[1, 1]),
        ("6.7", &[2]),
        ("6.11", &[2]),
        ("6.12", &[2]),
        ("6.16", &[2]),
        ("7.3", &[2]),
        ("7.3-20230626204612.106165-1-lstoakes@gmail.com", &[1, 1]),
    ] {
        let mut pieces = Pieces::new(kernel);
        pieces
            .map(0, 1, RW)
            .map(1, 1, Prot::READ)
            .protect(0, Prot::READ);
        assert_eq!(pieces.shape(), expected, "{kernel}");
    }
}

#[test]
fn touched_rw_made_r_beside_a_fresh_r() {
    check(
        |pieces| {
            pieces
                .map(0, 1, RW)
                .write(0)
                .map(1, 1, Prot::READ)
                .protect(0, Prot::READ);
        },
        [&[1, 1], &[1, 1], &[1, 1]],
        &[1, 1],
    );
}
