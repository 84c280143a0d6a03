//! Calls of the model as the processor makes them: number and registers.

use mmscope_mm::{Access, Call, Fd, Mmap, Mremap, Resource};

/// What the observed process is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// A system call.
    Syscall {
        /// Its number.
        number: u64,
        /// Its arguments.
        args: [u64; 6],
        /// Whether it returns an address.
        address: bool,
        /// What is to stand in memory at [`image::SCRATCH`](super::image::SCRATCH) before it.
        memory: Vec<u64>,
    },
    /// Accesses of a byte each.
    Touch {
        /// The first.
        addr: u64,
        /// How many.
        count: u64,
        /// Bytes from one to the next.
        stride: u64,
        /// Reads or writes.
        access: Access,
    },
}

const MMAP: u64 = 9;
const MPROTECT: u64 = 10;
const MUNMAP: u64 = 11;
const BRK: u64 = 12;
const MREMAP: u64 = 25;
const MADVISE: u64 = 28;
const FTRUNCATE: u64 = 77;
const MLOCK: u64 = 149;
const MUNLOCK: u64 = 150;
const MLOCKALL: u64 = 151;
const MUNLOCKALL: u64 = 152;
const PRCTL: u64 = 157;
const SETRLIMIT: u64 = 160;
const MLOCK2: u64 = 325;
const MSEAL: u64 = 462;

const PR_SET_THP_DISABLE: u64 = 41;
const PR_SET_VMA: u64 = 0x5356_4d41;
const PR_SET_VMA_ANON_NAME: u64 = 0;

/// How the process does a call; `None` for one that a traced process can't do and stay what it is, or whose result is
/// nothing to compare. `fds` are the numbers of its open files.
pub(super) fn ask(call: &Call, fds: &[u64]) -> Option<Ask> {
    let syscall = |number, args: &[u64], address| {
        let mut all = [0; 6];
        all[..args.len()].copy_from_slice(args);
        Ask::Syscall {
            number,
            args: all,
            address,
            memory: Vec::new(),
        }
    };
    let number = |fd| match fd {
        Fd::None => u64::MAX,
        Fd::File(id) => fds.get(id.0 as usize).copied().unwrap_or(u64::MAX),
    };
    let plain = |number, args: &[u64]| syscall(number, args, false);
    Some(match *call {
        Call::Mmap(Mmap {
            addr,
            len,
            prot,
            flags,
            fd,
            offset,
            ..
        }) => {
            let (prot, flags) = (u64::from(prot.bits()), u64::from(flags.bits()));
            syscall(MMAP, &[addr, len, prot, flags, number(fd), offset], true)
        }
        Call::Munmap { addr, len } => plain(MUNMAP, &[addr, len]),
        Call::Mprotect { addr, len, prot } => plain(MPROTECT, &[addr, len, u64::from(prot.bits())]),
        Call::Mremap(Mremap {
            addr,
            old_len,
            new_len,
            flags,
            new_addr,
        }) => {
            let flags = u64::from(flags.bits());
            syscall(MREMAP, &[addr, old_len, new_len, flags, new_addr], true)
        }
        Call::Brk { addr } => syscall(BRK, &[addr], true),
        Call::Touch {
            addr,
            len,
            stride,
            access,
        } => {
            let stride = stride.max(1);
            let end = addr.saturating_add(len);
            Ask::Touch {
                addr,
                count: (end - addr).div_ceil(stride),
                stride,
                access,
            }
        }
        Call::Madvise { addr, len, advice } => plain(MADVISE, &[addr, len, u64::from(advice.0)]),
        Call::Mlock {
            addr,
            len,
            flags: 0,
        } => plain(MLOCK, &[addr, len]),
        Call::Mlock { addr, len, flags } => plain(MLOCK2, &[addr, len, u64::from(flags)]),
        Call::Munlock { addr, len } => plain(MUNLOCK, &[addr, len]),
        Call::Mlockall { flags } => plain(MLOCKALL, &[u64::from(flags)]),
        Call::Munlockall => plain(MUNLOCKALL, &[]),
        Call::Mseal { addr, len, flags } => plain(MSEAL, &[addr, len, flags]),
        Call::SetAnonName { addr, len, name } => {
            let at = name.map_or(0, |_| super::image::SCRATCH);
            Ask::Syscall {
                number: PRCTL,
                args: [PR_SET_VMA, PR_SET_VMA_ANON_NAME, addr, len, at, 0],
                address: false,
                memory: name.map_or_else(Vec::new, |name| words(name.text())),
            }
        }
        Call::SetThpDisable { on, flags } => plain(PRCTL, &[PR_SET_THP_DISABLE, on, flags]),
        Call::Setrlimit { resource, cur, max } => {
            let number = match resource {
                Resource::Data => 2,
                Resource::Stack => 3,
                Resource::Memlock => 8,
                Resource::AddressSpace => 9,
            };
            Ask::Syscall {
                number: SETRLIMIT,
                args: [number, super::image::SCRATCH, 0, 0, 0, 0],
                address: false,
                // RLIM_INFINITY is all bits set.
                memory: vec![cur.unwrap_or(u64::MAX), max.unwrap_or(u64::MAX)],
            }
        }
        Call::Ftruncate { fd, len } => plain(FTRUNCATE, &[number(fd), len]),
        Call::Fork { .. } | Call::Exec | Call::Exit | Call::Personality { .. } => return None,
    })
}

/// A text with a zero byte behind it, in words.
fn words(text: &str) -> Vec<u64> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 8 * 8 + 8, 0);
    bytes
        .chunks_exact(8)
        .map(|word| {
            word.iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_zero() {
        assert_eq!(words(""), [0]);
        assert_eq!(words("ab"), [0x6261]);
        assert_eq!(words("12345678"), [0x3837_3635_3433_3231, 0]);
    }
}
