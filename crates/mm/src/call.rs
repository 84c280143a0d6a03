//! What a task does, one call at a time, and what comes back.

use crate::errno::Errno;
use crate::file::FileId;
use crate::flags::{MapFlags, Prot};
use crate::settings::Limit;

/// One thing that a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `mmap`
    Mmap(Mmap),
    /// `munmap`
    Munmap {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
    },
    /// `mprotect`
    Mprotect {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
        /// The new protection.
        prot: Prot,
    },
    /// `brk`: moves the break, or asks for it with an address below the heap.
    Brk {
        /// The new break, as given.
        addr: u64,
    },
    /// Reads or writes one byte every `stride` bytes, up to the first signal.
    Touch {
        /// First byte.
        addr: u64,
        /// Length of the run in bytes.
        len: u64,
        /// Bytes from one access to the next.
        stride: u64,
        /// Write instead of read.
        access: Access,
    },
    /// `setrlimit` or `prlimit64` on the task itself.
    Setrlimit {
        /// Which limit.
        resource: Resource,
        /// The new soft limit.
        cur: Limit,
        /// The new hard limit.
        max: Limit,
    },
}

/// The arguments of `mmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mmap {
    /// Hint, or the address itself with `MAP_FIXED`.
    pub addr: u64,
    /// Length in bytes, as given.
    pub len: u64,
    /// Protection.
    pub prot: Prot,
    /// Flags.
    pub flags: MapFlags,
    /// The file; not looked at with `MAP_ANONYMOUS`.
    pub fd: Fd,
    /// Offset into the file in bytes.
    pub offset: u64,
    /// Where a randomized `MAP_32BIT` search began (the kernel draws it anew each time); `None` is 0x40000000.
    pub begin_32bit: Option<u64>,
}

impl Mmap {
    /// `mmap(NULL, len, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)`
    pub fn anonymous(len: u64) -> Mmap {
        Mmap {
            addr: 0,
            len,
            prot: Prot::READ | Prot::WRITE,
            flags: MapFlags::PRIVATE_ANONYMOUS,
            fd: Fd::None,
            offset: 0,
            begin_32bit: None,
        }
    }
}

impl Mmap {
    /// The bits that say private or shared (`MAP_TYPE`).
    pub fn map_type(&self) -> u32 {
        self.flags.bits() & MapFlags::TYPE
    }
}

/// The file descriptor argument of `mmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fd {
    /// -1, or a number that is not open.
    None,
    /// An open file.
    File(FileId),
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// A limit that memory calls look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// `RLIMIT_AS`
    AddressSpace,
    /// `RLIMIT_DATA`
    Data,
    /// `RLIMIT_STACK`
    Stack,
    /// `RLIMIT_MEMLOCK`
    Memlock,
}

/// What a call gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An address (`mmap`, `brk`).
    Address(u64),
    /// Success without a value.
    Done,
    /// An error.
    Error(Errno),
    /// The model does not cover this call yet: nothing was done, and nothing is guessed.
    NotModelled(NotModelled),
    /// Accesses made without a signal: how many.
    Touched(u64),
    /// A signal ended the accesses.
    Signal {
        /// Accesses made before it.
        touched: u64,
        /// Which signal, with its code.
        signal: Signal,
        /// The address that raised it.
        at: u64,
    },
}

impl Outcome {
    /// The address returned, if one was.
    pub fn address(self) -> Option<u64> {
        match self {
            Outcome::Address(addr) => Some(addr),
            _ => None,
        }
    }
}

/// What the model does not cover yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotModelled {
    /// `MAP_DROPPABLE`
    Droppable,
}

/// A signal that an access can raise, with its `si_code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `SIGSEGV`, nothing mapped there.
    SegvMaperr,
    /// `SIGSEGV`, the mapping does not allow the access.
    SegvAccerr,
    /// `SIGBUS`, past the end of the file.
    BusAdrerr,
}

impl Signal {
    /// The name of the signal's code.
    pub fn name(self) -> &'static str {
        match self {
            Signal::SegvMaperr => "SEGV_MAPERR",
            Signal::SegvAccerr => "SEGV_ACCERR",
            Signal::BusAdrerr => "BUS_ADRERR",
        }
    }
}
