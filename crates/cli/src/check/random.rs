//! Random programs: the same ones for a seed, everywhere.
//!
//! A program is made beside a model of its own, whose kernel and start never change, so that calls can aim at borders
//! that are there. Addresses are counted from earlier results, and so mean the same wherever the kernel puts things.

use mmscope_lab::CallLine;
use mmscope_mm::page::{PAGE_SIZE, PMD_SIZE, TASK_SIZE, page_down, page_up};
use mmscope_mm::{
    Access, Advice, AnonName, Call, Fd, File, FileId, FilePlacement, Kernel, Machine, MapFlags,
    Mmap, Mremap, MremapFlags, Outcome, Prot, Range, Settings, Special, Start, StartMap, VmFlags,
};

use super::compare::Job;
use super::files::Wanted;
use super::image;

/// A stream of numbers that is the same everywhere (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Below `end`, which is not 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// One of the values, as often as its weight says.
    fn weighted<T: Copy>(&mut self, list: &[(u64, T)]) -> T {
        let all = list.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(all);
        for (weight, value) in list {
            if at < *weight {
                return *value;
            }
            at -= weight;
        }
        list[0].1
    }
}

/// The files that every program can map: one in memory and one on a file system.
const FILES: [Wanted; 3] = [
    Wanted {
        in_memory: true,
        len: 40 * PAGE_SIZE,
        read_only: false,
    },
    Wanted {
        in_memory: false,
        len: 12 << 20,
        read_only: false,
    },
    Wanted {
        in_memory: true,
        len: 20 * PAGE_SIZE,
        read_only: true,
    },
];

/// At most so much is mapped in at once by one call.
const MOST_TOUCHED: u64 = 6 << 20;
/// The name of the first result, which tells where the break is.
const HEAP: &str = "heap";
/// The name of the second, which tells where mappings go.
pub(super) const TOP: &str = "top";

/// The program with this seed. Every second one runs with address randomization.
pub(super) fn program(seed: u64, calls: usize, randomize: bool) -> Job {
    let mut maker = Maker {
        random: Random::new(seed),
        machine: reference(),
        calls: Vec::new(),
        named: Vec::new(),
        randomize,
    };
    maker.begin();
    // What the model does not cover is drawn again, but not for ever.
    for _ in 0..calls * 4 {
        if maker.calls.len() >= calls {
            break;
        }
        maker.step();
    }
    maker.calls.truncate(calls);
    Job {
        calls: maker.calls,
        files: FILES.to_vec(),
        randomize,
    }
}

/// The model that programs are made beside.
fn reference() -> Machine {
    let file = |path: &str, placement, len, read_only| File {
        path: path.to_owned(),
        len: Some(len),
        dev: "00:01".to_owned(),
        inode: 1,
        placement,
        read_only,
    };
    let mut files: Vec<File> = FILES
        .iter()
        .map(|wanted| {
            let placement = if wanted.in_memory {
                FilePlacement::Shmem
            } else {
                FilePlacement::Thp
            };
            file("/file", placement, wanted.len, wanted.read_only)
        })
        .collect();
    files.push(file("/image", FilePlacement::Shmem, PAGE_SIZE, false));
    let (read, write, exec) = (VmFlags::READ, VmFlags::WRITE, VmFlags::EXEC);
    let map = |start, end, perms, file, special| StartMap {
        range: Range { start, end },
        perms,
        offset: 0,
        file,
        special,
    };
    let code = Some(FileId(FILES.len() as u32));
    let end = image::DATA + PAGE_SIZE;
    let start = Start {
        maps: vec![
            map(image::BASE, image::DATA, read | exec, code, None),
            map(image::DATA, end, read | write, code, None),
            map(
                0x7fff_f7ff_7000,
                0x7fff_f7ff_b000,
                read,
                None,
                Some(Special::Vvar),
            ),
            map(
                0x7fff_f7ff_b000,
                0x7fff_f7ff_d000,
                read,
                None,
                Some(Special::VvarVclock),
            ),
            map(
                0x7fff_f7ff_d000,
                0x7fff_f7ff_f000,
                read | exec,
                None,
                Some(Special::Vdso),
            ),
            map(
                0x7fff_fffd_e000,
                0x7fff_ffff_f000,
                read | write,
                None,
                Some(Special::Stack),
            ),
        ],
        start_brk: Some(end),
        brk: Some(end),
    };
    let kernel = Kernel::parse("6.18").unwrap_or_else(|_| unreachable!("a release of the list"));
    match Machine::new(kernel, Settings::default(), files, &start) {
        Ok(machine) => machine,
        Err(error) => unreachable!("a start that does not change: {error:?}"),
    }
}

struct Maker {
    random: Random,
    machine: Machine,
    calls: Vec<CallLine>,
    /// Names, the addresses they stand for in this machine, and the lengths of what was mapped there.
    named: Vec<(String, u64, u64)>,
    randomize: bool,
}

impl Maker {
    /// Two results that later addresses can be counted from.
    fn begin(&mut self) {
        self.add(Call::Brk { addr: 0 }, Some(HEAP));
        let probe = Mmap {
            prot: Prot::empty(),
            ..Mmap::anonymous(PAGE_SIZE)
        };
        self.add(Call::Mmap(probe), Some(TOP));
        let addr = self.named.last().map_or(0, |(_, at, _)| *at);
        self.add(
            Call::Munmap {
                addr,
                len: PAGE_SIZE,
            },
            None,
        );
    }

    fn step(&mut self) {
        type Make = fn(&mut Maker) -> Call;
        let kinds: &[(u64, Make)] = &[
            (26, Maker::mmap),
            (10, Maker::munmap),
            (14, Maker::mprotect),
            (13, Maker::mremap),
            (14, Maker::madvise),
            (12, Maker::touch),
            (4, Maker::brk),
            (6, Maker::lock),
            (4, Maker::other),
        ];
        let make = self.random.weighted(kinds);
        let call = make(self);
        if self.harms_the_image(&call) {
            return;
        }
        let mut trial = self.machine.clone();
        let outcome = trial.run(&call, &mut ());
        // It would end the program; a few do, so that they are counted.
        if matches!(outcome, Outcome::NotModelled(_)) && !self.random.chance(2) {
            return;
        }
        let name = match (call, outcome) {
            (Call::Mmap(_) | Call::Mremap(_), Outcome::Address(_)) => {
                Some(format!("m{}", self.calls.len()))
            }
            _ => None,
        };
        self.add(call, name.as_deref());
    }

    /// Runs the call and appends it, with its addresses counted from the nearest earlier result.
    fn add(&mut self, call: Call, name: Option<&str>) {
        let mut line = CallLine::new(call);
        if let Some(addr) = line.call.addr_mut() {
            let (base, distance) = self.anchored(*addr);
            (line.relative_to, *addr) = (base, distance);
        }
        if let Call::Mremap(remap) = &mut line.call
            && remap.new_addr != 0
        {
            let (base, distance) = self.anchored(remap.new_addr);
            (line.new_relative_to, remap.new_addr) = (base, distance);
        }
        let outcome = self.machine.run(&call, &mut ());
        if let (Some(name), Some(at)) = (name, outcome.address()) {
            line.name = Some(name.to_owned());
            let len = match call {
                Call::Mmap(mmap) => mmap.len,
                Call::Mremap(remap) => remap.new_len,
                _ => 0,
            };
            self.named.push((name.to_owned(), at, len));
        }
        self.calls.push(line);
    }

    /// The address as a distance from a result: of what was mapped there last, or else of the nearest.
    fn anchored(&self, addr: u64) -> (Option<String>, u64) {
        const FAR: u64 = 1 << 38;
        if !(PAGE_SIZE * 16..TASK_SIZE).contains(&addr) {
            return (None, addr);
        }
        let inside = self
            .named
            .iter()
            .rev()
            .find(|(_, at, len)| (*at..=at.saturating_add(*len)).contains(&addr));
        let nearest = || self.named.iter().min_by_key(|(_, at, _)| at.abs_diff(addr));
        match inside.or_else(nearest) {
            Some((name, at, _)) if at.abs_diff(addr) < FAR && addr > image::DATA + PAGE_SIZE => {
                (Some(name.clone()), addr.wrapping_sub(*at))
            }
            _ => (None, addr),
        }
    }

    /// The observed process needs its code.
    fn harms_the_image(&self, call: &Call) -> bool {
        let hits = |addr: u64, len: u64| {
            let end = addr.saturating_add(page_up(len).max(len));
            page_down(addr) < image::DATA && end > image::BASE
        };
        match *call {
            Call::Mmap(mmap) => mmap.flags.contains(MapFlags::FIXED) && hits(mmap.addr, mmap.len),
            Call::Munmap { addr, len }
            | Call::Mprotect { addr, len, .. }
            | Call::Madvise { addr, len, .. }
            | Call::Mseal { addr, len, .. } => hits(addr, len),
            Call::Mremap(remap) => {
                hits(remap.addr, remap.old_len.max(PAGE_SIZE))
                    || remap.flags.contains(MremapFlags::FIXED)
                        && hits(remap.new_addr, remap.new_len)
            }
            // What lies between would go.
            Call::Brk { addr } => addr > 0 && addr < image::DATA,
            _ => false,
        }
    }

    // What calls are about.

    /// A border of a mapping, or a place beside or inside of one.
    fn place(&mut self) -> u64 {
        let pages = self.random.weighted(&[(6, 0), (2, 1), (1, 2), (1, 7)]) * PAGE_SIZE;
        let borders = self.borders();
        let (start, end) = self.random.pick(&borders);
        match self.random.below(20) {
            0..=7 => start.wrapping_add(pages),
            8..=11 => start.wrapping_sub(pages),
            12..=14 => end.wrapping_sub(pages),
            15 => end.wrapping_add(pages),
            _ => start + page_down(self.random.below(end - start)),
        }
    }

    /// Mappings that calls may be about, at least one.
    fn borders(&self) -> Vec<(u64, u64)> {
        let whole = Range {
            start: image::DATA,
            end: u64::MAX,
        };
        let special = |special: Option<Special>| special.is_some_and(|one| one != Special::Stack);
        let all: Vec<(u64, u64)> = self
            .machine
            .vmas(whole)
            // Under randomization the stack lies in no known distance from anything.
            .filter(|(_, vma)| !(self.randomize && vma.special.is_some()))
            // Those of the kernel's own only now and then.
            .filter(|(_, vma)| !special(vma.special) || self.calls.len().is_multiple_of(16))
            .map(|(_, vma)| (vma.start, vma.end))
            .collect();
        if all.is_empty() {
            vec![(image::DATA, image::DATA + PAGE_SIZE)]
        } else {
            all
        }
    }

    /// An address as calls are given it: now and then not aligned, or no good at all.
    fn address(&mut self) -> u64 {
        match self.random.below(100) {
            0..=2 => self
                .place()
                .wrapping_add(1 + self.random.below(PAGE_SIZE - 1)),
            3..=4 => self.random.pick(&[
                0,
                PAGE_SIZE,
                16 * PAGE_SIZE,
                TASK_SIZE - PAGE_SIZE,
                TASK_SIZE,
                1 << 47,
                u64::MAX - PAGE_SIZE + 1,
                page_down(u64::MAX / 2),
            ]),
            _ => self.place(),
        }
    }

    /// A length in whole pages, often that from `addr` to a border.
    fn good_length(&mut self, addr: u64) -> u64 {
        let pages = 1 + self.random.below(16);
        match self.random.below(20) {
            0..=9 => pages * PAGE_SIZE,
            10..=15 => {
                let ends: Vec<u64> = self
                    .borders()
                    .into_iter()
                    .flat_map(|(start, end)| [start, end])
                    .filter(|end| *end > addr && end - addr < 64 << 20)
                    .collect();
                match ends.is_empty() {
                    true => pages * PAGE_SIZE,
                    false => page_up(self.random.pick(&ends) - addr),
                }
            }
            16 => PMD_SIZE,
            17 => PMD_SIZE - PAGE_SIZE,
            18 => PMD_SIZE + pages * PAGE_SIZE,
            _ => PMD_SIZE * (2 + self.random.below(2)),
        }
    }

    /// A length as calls are given it.
    fn length(&mut self, addr: u64) -> u64 {
        match self.random.below(100) {
            0..=1 => 0,
            2..=3 => self.good_length(addr) - self.random.below(PAGE_SIZE),
            4 => self.random.pick(&[
                u64::MAX,
                u64::MAX - PAGE_SIZE,
                1 << 47,
                0u64.wrapping_sub(addr),
                1 << 46,
            ]),
            _ => self.good_length(addr),
        }
    }

    fn new_length(&mut self) -> u64 {
        let pages = 1 + self.random.below(16);
        match self.random.below(40) {
            0..=19 => pages * PAGE_SIZE,
            20..=25 => 16 * pages * PAGE_SIZE,
            26..=29 => PMD_SIZE * self.random.pick(&[1, 1, 2, 3]),
            30..=32 => PMD_SIZE + pages * PAGE_SIZE,
            33..=34 => PMD_SIZE - pages * PAGE_SIZE,
            35 => 4632 << 10,
            36 => 32 << 20,
            37 => 1 << 30,
            38 => pages * PAGE_SIZE - self.random.below(PAGE_SIZE),
            _ => self.random.pick(&[0, 1 << 47, u64::MAX, TASK_SIZE]),
        }
    }

    fn prot(&mut self) -> Prot {
        let (read, write, exec) = (Prot::READ, Prot::WRITE, Prot::EXEC);
        self.random.weighted(&[
            (24, read | write),
            (8, read),
            (6, Prot::empty()),
            (2, read | exec),
            (2, read | write | exec),
            (1, write),
        ])
    }

    // Calls.

    fn mmap(&mut self) -> Call {
        let len = self.new_length();
        let mut flags = MapFlags::PRIVATE_ANONYMOUS;
        let (mut fd, mut offset) = (Fd::None, 0);
        match self.random.below(20) {
            0 => flags = MapFlags::SHARED | MapFlags::ANONYMOUS,
            1..=2 => {
                flags = MapFlags::PRIVATE;
                fd = Fd::File(FileId(self.random.below(FILES.len() as u64) as u32));
            }
            3..=4 => {
                flags = MapFlags::SHARED;
                fd = Fd::File(FileId(self.random.below(FILES.len() as u64) as u32));
            }
            _ => {}
        }
        if fd != Fd::None {
            offset = self.random.below(24) * PAGE_SIZE * self.random.pick(&[0, 1, 1, 64]);
            if self.random.chance(2) {
                offset += 1;
            }
            if self.random.chance(2) {
                fd = Fd::None;
            }
        }
        let extra: &[(u64, MapFlags)] = &[
            (60, MapFlags::empty()),
            (5, MapFlags::NORESERVE),
            (5, MapFlags::STACK),
            (4, MapFlags::POPULATE),
            (3, MapFlags::LOCKED),
            (3, MapFlags::GROWSDOWN),
            (2, MapFlags::POPULATE | MapFlags::NONBLOCK),
            (1, MapFlags::HUGETLB),
            (1, MapFlags::ABOVE4G),
            (1, MapFlags::SYNC),
            (1, MapFlags::from_bits_retain(1 << 24)),
        ];
        flags |= self.random.weighted(extra);
        // Some file systems refuse it, others do not.
        if !flags.contains(MapFlags::ANONYMOUS) {
            flags.remove(MapFlags::SYNC);
        }
        // Where such a search begins is drawn by the kernel under randomization.
        if !self.randomize && self.random.chance(2) {
            flags |= MapFlags::BIT32;
        }
        if self.random.chance(1) {
            let bits = flags.bits() & !MapFlags::TYPE | self.random.pick(&[0, 3, 4, 8, 8]);
            flags = MapFlags::from_bits_retain(bits);
        }
        let addr = match self.random.below(20) {
            0..=9 => 0,
            10..=12 => self.address(),
            13..=17 => {
                flags |= MapFlags::FIXED;
                self.address()
            }
            _ => {
                flags |= MapFlags::FIXED_NOREPLACE;
                self.address()
            }
        };
        Call::Mmap(Mmap {
            addr,
            len: self.bounded(len, flags),
            prot: self.prot(),
            flags,
            fd,
            offset,
            begin_32bit: None,
        })
    }

    /// What is filled at once must not fill the machine.
    fn bounded(&mut self, len: u64, flags: MapFlags) -> u64 {
        let fills = flags.intersects(MapFlags::POPULATE | MapFlags::LOCKED);
        if fills && len < 1 << 40 {
            len.min(MOST_TOUCHED)
        } else {
            len
        }
    }

    fn munmap(&mut self) -> Call {
        let addr = self.address();
        let len = self.length(addr);
        Call::Munmap { addr, len }
    }

    fn mprotect(&mut self) -> Call {
        let addr = self.address();
        let len = self.length(addr);
        let mut prot = self.prot();
        if self.random.chance(3) {
            prot |= self.random.pick(&[
                Prot::SEM,
                Prot::GROWSDOWN,
                Prot::GROWSUP,
                Prot::from_bits_retain(0x10),
            ]);
        }
        Call::Mprotect { addr, len, prot }
    }

    fn mremap(&mut self) -> Call {
        let addr = self.address();
        let old_len = match self.random.below(20) {
            0 => 0,
            _ => self.length(addr),
        };
        let (may, fixed, keep) = (
            MremapFlags::MAYMOVE,
            MremapFlags::FIXED,
            MremapFlags::DONTUNMAP,
        );
        let flags = self.random.weighted(&[
            (8, may),
            (4, MremapFlags::empty()),
            (8, may | fixed),
            (3, may | keep),
            (2, may | fixed | keep),
            (1, fixed),
            (1, keep),
        ]);
        let same = flags.contains(keep) && self.random.chance(85);
        let new_len = match self.random.below(10) {
            _ if same => old_len,
            0..=3 => old_len,
            4..=5 => old_len.wrapping_add(PAGE_SIZE * (1 + self.random.below(8))),
            6..=7 => old_len / 2,
            _ => self.new_length(),
        };
        let new_addr = match flags.contains(fixed) || self.random.chance(10) {
            true => self.address(),
            false => 0,
        };
        Call::Mremap(Mremap {
            addr,
            old_len,
            new_len,
            flags,
            new_addr,
        })
    }

    fn madvise(&mut self) -> Call {
        let often = [
            Advice::DONTNEED,
            Advice::FREE,
            Advice::HUGEPAGE,
            Advice::NOHUGEPAGE,
            Advice::COLLAPSE,
            Advice::GUARD_INSTALL,
            Advice::GUARD_REMOVE,
            Advice::POPULATE_READ,
            Advice::POPULATE_WRITE,
        ];
        let advice = match self.random.below(10) {
            0..=5 => self.random.pick(&often),
            // Poisoning needs a right that the process does not have.
            6..=8 => {
                let (_, advice) = self.random.pick(Advice::ALL);
                advice
            }
            _ => self.random.pick(&[
                Advice(5),
                Advice(26),
                Advice(1000),
                Advice::DONTFORK,
                Advice::DONTDUMP,
            ]),
        };
        let addr = self.address();
        let len = self.length(addr);
        let fills = [Advice::POPULATE_READ, Advice::POPULATE_WRITE];
        let len = if fills.contains(&advice) && len < 1 << 40 {
            len.min(MOST_TOUCHED)
        } else {
            len
        };
        Call::Madvise { addr, len, advice }
    }

    fn touch(&mut self) -> Call {
        let addr = match self.random.below(20) {
            0 => self.place() + self.random.below(PAGE_SIZE),
            _ => self.place(),
        };
        // What no address can be raises another signal, which the model does not tell apart.
        let end = 1u64 << 47;
        let addr = addr.min(end - PAGE_SIZE);
        let len = self.good_length(addr).min(MOST_TOUCHED).min(end - addr);
        let access = self
            .random
            .pick(&[Access::Write, Access::Write, Access::Read]);
        let stride = self.random.pick(&[PAGE_SIZE, PAGE_SIZE, 16 * PAGE_SIZE]);
        Call::Touch {
            addr,
            len,
            stride,
            access,
        }
    }

    fn brk(&mut self) -> Call {
        let brk = self.machine.process().brk;
        let pages = self.random.below(40) * PAGE_SIZE;
        let addr = match self.random.below(10) {
            0 => 0,
            1 => brk.wrapping_add(self.random.below(3 * PAGE_SIZE)),
            2..=4 => brk.saturating_sub(pages),
            5 => self.machine.process().start_brk.wrapping_sub(pages),
            6 => brk + PMD_SIZE + pages,
            _ => brk + pages,
        };
        Call::Brk { addr }
    }

    fn lock(&mut self) -> Call {
        let addr = self.address();
        let len = self.length(addr);
        let len = if len < 1 << 40 {
            len.min(MOST_TOUCHED)
        } else {
            len
        };
        match self.random.below(8) {
            0..=2 => Call::Mlock {
                addr,
                len,
                flags: 0,
            },
            3..=4 => Call::Mlock {
                addr,
                len,
                flags: self.random.pick(&[1, 1, 1, 2]),
            },
            _ => Call::Munlock { addr, len },
        }
    }

    fn other(&mut self) -> Call {
        let addr = self.address();
        let len = self.length(addr);
        match self.random.below(40) {
            0..=4 => Call::SetThpDisable {
                on: self.random.pick(&[0, 1]),
                flags: self.random.pick(&[0, 0, 2, 1]),
            },
            // What is sealed stays, so seldom.
            5..=9 => Call::Mseal {
                addr,
                len,
                flags: self.random.pick(&[0, 0, 0, 1]),
            },
            10..=12 => Call::Mlockall {
                flags: self.random.pick(&[1, 2, 3, 5, 6, 7, 0, 4, 8]),
            },
            13..=18 => Call::Munlockall,
            _ => Call::SetAnonName {
                addr,
                len,
                name: self
                    .random
                    .pick(&[Some("one"), Some("two"), Some("[x]"), Some(""), None])
                    .and_then(AnonName::new),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_program_again() {
        for seed in 0..8 {
            let (one, other) = (
                program(seed, 60, seed % 2 == 1),
                program(seed, 60, seed % 2 == 1),
            );
            assert_eq!(one, other);
            assert_eq!(one.calls.len(), 60);
        }
        assert_ne!(program(1, 60, false), program(2, 60, false));
    }

    #[test]
    fn programs_reach_every_kind_of_call() {
        let mut kinds = std::collections::BTreeSet::new();
        let (mut named, mut absolute) = (0, 0);
        for seed in 0..40 {
            for line in program(seed, 100, false).calls {
                let text = format!("{:?}", line.call);
                let kind: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
                kinds.insert(kind);
                match line.relative_to {
                    Some(_) => named += 1,
                    None => absolute += 1,
                }
            }
        }
        for kind in [
            "Mmap",
            "Munmap",
            "Mprotect",
            "Mremap",
            "Madvise",
            "Touch",
            "Brk",
            "Mlock",
            "Munlock",
            "SetThpDisable",
        ] {
            assert!(kinds.contains(kind), "{kind} is missing in {kinds:?}");
        }
        assert!(named > absolute, "{named} {absolute}");
    }
}
