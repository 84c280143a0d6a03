//! What a task does, one call at a time, and what comes back.

use crate::anon_name::AnonName;
use crate::errno::Errno;
use crate::file::FileId;
use crate::flags::{MapFlags, MremapFlags, Prot};
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
    /// `mremap`
    Mremap(Mremap),
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
    /// `madvise`
    Madvise {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
        /// What is advised.
        advice: Advice,
    },
    /// `mlock`, or `mlock2` with flags.
    Mlock {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
        /// `MLOCK_ONFAULT` is 1.
        flags: u32,
    },
    /// `munlock`
    Munlock {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
    },
    /// `fork`: the other process sleeps from then on.
    Fork {
        /// Go on as the child instead of the parent.
        child: bool,
    },
    /// `execve` of the program that the process began with.
    Exec,
    /// `exit_group`
    Exit,
    /// `ftruncate`
    Ftruncate {
        /// The file.
        fd: Fd,
        /// Its new length in bytes.
        len: u64,
    },
    /// `personality`
    Personality {
        /// The new one; `u32::MAX` asks only.
        persona: u32,
    },
    /// `mlockall`
    Mlockall {
        /// `MCL_*`, as given.
        flags: u32,
    },
    /// `munlockall`
    Munlockall,
    /// `mseal`
    Mseal {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
        /// None are known.
        flags: u64,
    },
    /// `prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME)`
    SetAnonName {
        /// Start, as given.
        addr: u64,
        /// Length in bytes, as given.
        len: u64,
        /// The name; `None` takes it away.
        name: Option<AnonName>,
    },
    /// `prctl(PR_SET_THP_DISABLE)`
    SetThpDisable {
        /// Not 0: no huge pages from now on.
        on: u64,
        /// `PR_THP_DISABLE_EXCEPT_ADVISED` is 2.
        flags: u64,
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

impl Call {
    /// The address that the call is about, as it is given; `None` for one that is about none.
    pub fn addr(&self) -> Option<u64> {
        self.clone().addr_mut().copied()
    }

    /// The same, to be changed.
    pub fn addr_mut(&mut self) -> Option<&mut u64> {
        match self {
            Call::Mmap(Mmap { addr, .. })
            | Call::Munmap { addr, .. }
            | Call::Mprotect { addr, .. }
            | Call::Madvise { addr, .. }
            | Call::Mlock { addr, .. }
            | Call::Munlock { addr, .. }
            | Call::Mseal { addr, .. }
            | Call::SetAnonName { addr, .. }
            | Call::Brk { addr }
            | Call::Mremap(Mremap { addr, .. })
            | Call::Touch { addr, .. } => Some(addr),
            Call::SetThpDisable { .. }
            | Call::Setrlimit { .. }
            | Call::Fork { .. }
            | Call::Exec
            | Call::Exit
            | Call::Ftruncate { .. }
            | Call::Personality { .. }
            | Call::Mlockall { .. }
            | Call::Munlockall => None,
        }
    }
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

/// The arguments of `mremap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mremap {
    /// Start of the old range, as given.
    pub addr: u64,
    /// Its length in bytes, as given; 0 asks for a second view of a shared mapping.
    pub old_len: u64,
    /// The new length in bytes, as given.
    pub new_len: u64,
    /// Flags.
    pub flags: MremapFlags,
    /// The new address with `MREMAP_FIXED`, a hint with `MREMAP_DONTUNMAP` alone; else not looked at.
    pub new_addr: u64,
}

/// The file descriptor argument of `mmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fd {
    /// -1, or a number that is not open.
    None,
    /// An open file.
    File(FileId),
}

macro_rules! advice {
    ($($name:ident $text:literal = $value:literal;)*) => {
        impl Advice {
            $(#[doc = concat!("`", $text, "`")] pub const $name: Advice = Advice($value);)*

            /// Those with a name, by their number.
            pub const ALL: &'static [(&'static str, Advice)] = &[$(($text, Advice::$name),)*];
        }
    };
}

/// What `madvise` is told, by its number in `mman-common.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice(pub u32);

advice! {
    NORMAL "MADV_NORMAL" = 0;
    RANDOM "MADV_RANDOM" = 1;
    SEQUENTIAL "MADV_SEQUENTIAL" = 2;
    WILLNEED "MADV_WILLNEED" = 3;
    DONTNEED "MADV_DONTNEED" = 4;
    FREE "MADV_FREE" = 8;
    REMOVE "MADV_REMOVE" = 9;
    DONTFORK "MADV_DONTFORK" = 10;
    DOFORK "MADV_DOFORK" = 11;
    MERGEABLE "MADV_MERGEABLE" = 12;
    UNMERGEABLE "MADV_UNMERGEABLE" = 13;
    HUGEPAGE "MADV_HUGEPAGE" = 14;
    NOHUGEPAGE "MADV_NOHUGEPAGE" = 15;
    DONTDUMP "MADV_DONTDUMP" = 16;
    DODUMP "MADV_DODUMP" = 17;
    WIPEONFORK "MADV_WIPEONFORK" = 18;
    KEEPONFORK "MADV_KEEPONFORK" = 19;
    COLD "MADV_COLD" = 20;
    PAGEOUT "MADV_PAGEOUT" = 21;
    POPULATE_READ "MADV_POPULATE_READ" = 22;
    POPULATE_WRITE "MADV_POPULATE_WRITE" = 23;
    DONTNEED_LOCKED "MADV_DONTNEED_LOCKED" = 24;
    COLLAPSE "MADV_COLLAPSE" = 25;
    HWPOISON "MADV_HWPOISON" = 100;
    SOFT_OFFLINE "MADV_SOFT_OFFLINE" = 101;
    GUARD_INSTALL "MADV_GUARD_INSTALL" = 102;
    GUARD_REMOVE "MADV_GUARD_REMOVE" = 103;
}

impl Advice {
    /// The name, if it has one.
    pub fn name(self) -> Option<&'static str> {
        let known = Self::ALL.iter().find(|(_, advice)| *advice == self);
        known.map(|(name, _)| *name)
    }
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
    /// An address (`mmap`, `mremap`, `brk`).
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
    /// A call of a process that has exited.
    Exited,
    /// `MADV_COLLAPSE` of a file's pages.
    CollapseFile,
    /// `MADV_PAGEOUT` of anonymous memory where there is swap.
    PageOut,
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
