//! What the machine and the process were set up with before the first call.

/// `transparent_hugepage/enabled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Thp {
    /// Huge pages wherever they fit.
    Always,
    /// Only where `MADV_HUGEPAGE` asked for them.
    #[default]
    Madvise,
    /// Never.
    Never,
}

/// `transparent_hugepage/hugepages-<size>kB/enabled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ThpSize {
    /// Wherever they fit.
    Always,
    /// Only where `MADV_HUGEPAGE` asked for them.
    Madvise,
    /// As `transparent_hugepage/enabled` says.
    Inherit,
    /// Never.
    #[default]
    Never,
}

/// `transparent_hugepage/defrag`: where a fault moves pages about to make room for a huge page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Defrag {
    /// Everywhere.
    Always,
    /// Nowhere: another thread does, for later.
    Defer,
    /// Where `MADV_HUGEPAGE` asked for huge pages; elsewhere as `defer`.
    DeferMadvise,
    /// Where `MADV_HUGEPAGE` asked for huge pages.
    #[default]
    Madvise,
    /// Nowhere.
    Never,
}

/// How scattered the free memory is. No setting of the kernel's: what its allocator would find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fragmentation {
    /// There is always a huge page.
    #[default]
    None,
    /// A huge page has to be made, by moving pages about.
    Light,
    /// Not even so is there any.
    Heavy,
}

/// `vm.overcommit_memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overcommit {
    /// 0: refuse only a single request that exceeds all memory.
    #[default]
    Guess,
    /// 1: never refuse.
    Always,
    /// 2: keep what is committed below a limit.
    Never,
}

/// A resource limit; `None` is `RLIM_INFINITY`. Bytes.
pub type Limit = Option<u64>;

/// Resource limits of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rlimits {
    /// `RLIMIT_AS`
    pub address_space: Limit,
    /// `RLIMIT_DATA`, soft
    pub data: Limit,
    /// `RLIMIT_DATA`, hard: looked at when the soft one is 0
    pub data_max: Limit,
    /// `RLIMIT_STACK`
    pub stack: Limit,
    /// `RLIMIT_MEMLOCK`
    pub memlock: Limit,
}

impl Default for Rlimits {
    fn default() -> Self {
        Rlimits {
            address_space: None,
            data: None,
            data_max: None,
            stack: Some(8 << 20),
            memlock: Some(8 << 20),
        }
    }
}

/// Machine-wide settings and the facts of the process's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `transparent_hugepage/enabled`
    pub thp: Thp,
    /// `transparent_hugepage/hugepages-<size>kB/enabled`, from 16 kB (order 2) to 2 MiB (order 9).
    pub thp_sizes: [ThpSize; 8],
    /// `transparent_hugepage/defrag`
    pub thp_defrag: Defrag,
    /// `transparent_hugepage/use_zero_page`
    pub use_zero_page: bool,
    /// How scattered the free memory is.
    pub fragmentation: Fragmentation,
    /// `vm.overcommit_memory`
    pub overcommit: Overcommit,
    /// Memory of the machine, kB (`MemTotal`).
    pub mem_total_kb: u64,
    /// Swap of the machine, kB.
    pub swap_total_kb: u64,
    /// `vm.max_map_count`
    pub max_map_count: u64,
    /// `vm.mmap_min_addr`
    pub mmap_min_addr: u64,
    /// `stack_guard_gap` in pages.
    pub stack_guard_gap: u64,
    /// Resource limits at the start.
    pub rlimits: Rlimits,
    /// `CONFIG_HUGETLBFS`: the kernel knows huge page sizes (and has none reserved).
    pub hugetlb: bool,
    /// `CONFIG_ANON_VMA_NAME`: anonymous memory can be given names.
    pub anon_vma_name: bool,
    /// `CAP_SYS_RAWIO`: may map below `mmap_min_addr`.
    pub cap_sys_rawio: bool,
    /// `CAP_IPC_LOCK`: may lock beyond `RLIMIT_MEMLOCK`.
    pub cap_ipc_lock: bool,
    /// `ADDR_COMPAT_LAYOUT`: mappings grow up from `mmap_legacy_base`.
    pub legacy_layout: bool,
    /// Random bytes added to the layout by ASLR: 0 under `setarch -R`.
    pub mmap_rnd: u64,
    /// Where the mmap area ends, if it is not to be computed from the stack limit (an imported layout knows it).
    pub mmap_base: Option<u64>,
}

impl Default for Settings {
    /// A machine with 16 GiB and Debian's defaults, without address randomization.
    fn default() -> Self {
        Settings {
            thp: Thp::default(),
            thp_sizes: {
                let mut sizes = [ThpSize::Never; 8];
                sizes[7] = ThpSize::Inherit;
                sizes
            },
            thp_defrag: Defrag::default(),
            use_zero_page: true,
            fragmentation: Fragmentation::default(),
            overcommit: Overcommit::default(),
            mem_total_kb: 16 << 20,
            swap_total_kb: 0,
            max_map_count: 65530,
            mmap_min_addr: 65536,
            stack_guard_gap: 256,
            rlimits: Rlimits::default(),
            hugetlb: true,
            anon_vma_name: true,
            cap_sys_rawio: false,
            cap_ipc_lock: false,
            legacy_layout: false,
            mmap_rnd: 0,
            mmap_base: None,
        }
    }
}
