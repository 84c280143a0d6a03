//! A model of a Linux process's address space on x86-64, for kernels 6.0 to 7.3.
//!
//! A [`Machine`] runs one [`Call`] at a time under one [`Kernel`] and gives back what that kernel would. Which rules
//! hold is decided by the [`Change`]s that the kernel contains, never by a version number. Every decision is an
//! [`Event`]; every write is handed to the [`Observer`] with the old value, so that it can be undone.
//!
//! ```
//! use mmscope_mm::{Call, Kernel, Machine, Mmap, Outcome, Settings, Start};
//!
//! let request = Call::Mmap(Mmap::anonymous(4632 << 10));
//! let mut placed = Vec::new();
//! for name in ["6.6", "6.7", "6.12"] {
//!     let kernel = Kernel::parse(name).unwrap();
//!     let mut machine = Machine::new(kernel, Settings::default(), vec![], &Start::default()).unwrap();
//!     placed.push(machine.run(&request, &mut ()));
//! }
//! assert_eq!(placed[0], Outcome::Address(0x7fff_f7b7_9000));
//! assert_eq!(placed[1], Outcome::Address(0x7fff_f7a0_0000)); // on a 2 MiB boundary
//! assert_eq!(placed[2], placed[0]);
//! ```

mod accounting;
mod anon_name;
mod anon_vma;
mod brk;
mod call;
mod change;
mod cow;
mod errno;
mod event;
mod fault;
mod file;
mod flags;
mod folio;
mod fork;
mod hash;
mod journal;
mod kernel;
mod layout;
mod machine;
mod madvise;
pub mod maps;
mod merge;
mod mlock;
mod mmap;
mod mprotect;
mod mremap;
mod munmap;
mod nodes;
mod observer;
pub mod page;
mod page_cache;
mod page_table;
mod personality;
mod process;
mod pte;
mod seal;
mod settings;
mod shmem;
pub mod smaps;
mod split;
mod start;
mod thp;
mod truncate;
mod unmapped_area;
mod vma;

pub use anon_name::AnonName;
pub use call::{Access, Advice, Call, Fd, Mmap, Mremap, NotModelled, Outcome, Resource, Signal};
pub use change::{Change, Changes};
pub use errno::Errno;
pub use event::{
    AlignMove, AlignVerdict, BreakMove, CollapseRefusal, Direction, Event, FaultPage,
    GrowthRefusal, HintVerdict, MergeForm, MergeRefusal, PlacedBy, PmdSplit, Range, Refusal,
    RemapBy, Side,
};
pub use file::{File, FileId, FilePlacement};
pub use flags::{MapFlags, MremapFlags, Prot, VmFlags};
pub use journal::{Entry, Journal, Undo};
pub use kernel::{Kernel, KernelError, Release};
pub use machine::Machine;
pub use maps::Label;
pub use mmscope_maple::{GapLook, GapVerdict, StoreType, WriteEvent};
pub use nodes::{Nodes, TreeWrite};
pub use observer::Observer;
pub use page_table::{Mapped, Pmd};
pub use process::{Process, ProcessId, ThpDisable};
pub use pte::{Page, Pte};
pub use settings::{Defrag, Fragmentation, Limit, Overcommit, Rlimits, Settings, Thp, ThpSize};
pub use shmem::{Shmem, ShmemId};
pub use smaps::Smaps;
pub use start::{Start, StartError, StartMap};
pub use thp::{HugeBlock, NotHuge};
pub use vma::{AnonVma, Special, VmFile, Vma, VmaId};
