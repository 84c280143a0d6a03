//! Files that mappings can show.

/// Number of a file in the machine's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// An open file, as far as mappings know it: opened twice, it is two of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path that `/proc/PID/maps` prints.
    pub path: String,
    /// Length in bytes; a page past it raises `BUS_ADRERR`. `None`: not known, taken as long enough.
    pub len: Option<u64>,
    /// Device numbers as `/proc/PID/maps` prints them, `major:minor`.
    pub dev: String,
    /// Inode number.
    pub inode: u64,
    /// How its file system takes part in placement.
    pub placement: FilePlacement,
    /// Opened for reading only: a shared mapping of it may never be written.
    pub read_only: bool,
}

/// The `get_unmapped_area` of a file's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePlacement {
    /// `thp_get_unmapped_area`: ext4, xfs, btrfs.
    Thp,
    /// `shmem_get_unmapped_area`: tmpfs and memfd. Not aligned while `shmem_enabled` is `never`, as it is here.
    Shmem,
    /// None.
    NoHook,
}
