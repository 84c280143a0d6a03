//! A scenario: a machine, the start of a process, kernels, and what the task does.
//!
//! Its text is lines; blank ones don't count, and `#` begins a comment, which stays with the line after it:
//!
//! | line | meaning |
//! |---|---|
//! | `mmscope 1` | first of all: the format and its version |
//! | `title TEXT` | what it is about |
//! | `kernels 6.6 6.7.0 6.12.0-d4148aeab412` | one to three lanes; `-ID` reverts a change, `+ID` adds one |
//! | `seed N` | where random choices start from |
//! | `set NAME VALUE` | a setting that is not as usual: `thp`, `thp_defrag`, `use_zero_page`, `hugepages-16kB` to `hugepages-2048kB`, `fragmentation`, `overcommit`, `mem`, `swap`, `max_map_count`, `mmap_min_addr`, `stack_guard_gap`, `limit_as`, `limit_data`, `limit_data_max`, `limit_stack`, `limit_memlock`, `cap_sys_rawio`, `cap_ipc_lock`, `hugetlb`, `anon_vma_name`, `layout`, `mmap_rnd`, `mmap_base`, `fs` |
//! | `file [len=N] [fs=NAME] DEVICE INODE PATH` | a file of which more is to be said than `maps` does |
//! | `maps {`, lines of `/proc/PID/maps`, `}` | the process at the start |
//! | `brk START [END]` | its heap |
//! | `tlb NAME`, `tlb GEOMETRY` | the TLB that the walk goes through: see [`crate::streams`] |
//! | `walk PATTERN …` | how the task walks through its mappings, wherever it is in the program: see [`crate::streams`] |
//! | `a = mmap(NULL, 4632k, PROT_READ, MAP_PRIVATE\|MAP_ANONYMOUS, -1, 0) = 0x7ffff794a000` | a call as strace prints it: `mmap`, `munmap`, `mprotect`, `madvise`, `mlock`, `mlock2`, `munlock`, `brk`, `prctl` with `PR_SET_THP_DISABLE`, `prlimit64`, `setrlimit`. A name before it and a recorded result behind it may be there or not; `from ADDR` before the result says where a `MAP_32BIT` search began |
//! | `touch(a+4k, 64k)`, `read(a, 1M, 4k)` | writes or reads a byte every 4096 or so many bytes |
//! | `repeat N {`, lines, `}` | does it N times |
//!
//! An address may be counted from an earlier result by its name. Where that call failed the name stands for
//! `MAP_FAILED`, all bits set.

use mmscope_mm::{File, Kernel, Settings, Start};

use crate::program::Program;
use crate::sorted::Sorted;

/// At most so many kernels run side by side.
pub const MAX_LANES: u32 = 3;

/// A scenario, as its text says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is about.
    pub title: String,
    /// The kernels that run it, one to three.
    pub kernels: Vec<Kernel>,
    /// Machine and process.
    pub settings: Settings,
    /// Files that mappings show.
    pub files: Vec<File>,
    /// The process before the first call.
    pub start: Start,
    /// Where random choices start from.
    pub seed: u64,
    /// How it walks through its mappings.
    pub streams: StreamLines,
    /// What the task does.
    pub program: Program,
    /// Comments of the lines before the program, by the line they stand before.
    pub comments: Sorted<Anchor, Vec<String>>,
}

/// The lines about walking through mappings, as they were written. They are read where they are used, by
/// [`crate::streams::Streams::of`]: the first page has no TLBs, and does not load what reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamLines {
    /// What stands behind `tlb`.
    pub tlb: Option<String>,
    /// What stands behind `walk`.
    pub walk: Option<String>,
}

/// A line that comments stand before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// `title`
    Title,
    /// `kernels`
    Kernels,
    /// `seed`
    Seed,
    /// `set`, by the name of the setting.
    Setting(String),
    /// The first `file`.
    Files,
    /// `maps`
    Maps,
    /// `brk`
    Break,
    /// `tlb`
    Tlb,
    /// `walk`
    Walk,
    /// The end of the text.
    End,
}

impl Default for Scenario {
    /// An empty process on the newest kernel whose source was read, doing nothing.
    fn default() -> Scenario {
        let newest = mmscope_mm::Release::ALL
            .iter()
            .rfind(|release| !release.assumed);
        Scenario {
            title: String::new(),
            kernels: newest.map(Kernel::new).into_iter().collect(),
            settings: Settings::default(),
            files: Vec::new(),
            start: Start {
                maps: Vec::new(),
                start_brk: None,
                brk: None,
            },
            seed: 0,
            streams: StreamLines::default(),
            program: Program::default(),
            comments: Sorted::new(),
        }
    }
}
