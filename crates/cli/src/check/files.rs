//! Files without a name, for programs to map: in memory, or on the file system of the temporary files.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use mmscope_mm::{File, FilePlacement};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::stat::{Mode, fchmod, fstat, major, minor};
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC, fstatfs,
};
use nix::unistd::ftruncate;

/// What a program wants of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// In memory instead of on a file system, as far as that is possible.
    pub(super) in_memory: bool,
    /// Length in bytes.
    pub(super) len: u64,
    /// Opened for reading only.
    pub(super) read_only: bool,
}

/// Open files. They go when this and the processes that inherited them do.
pub(super) struct Files {
    open: Vec<OwnedFd>,
    /// What the model is to know of them.
    pub(super) described: Vec<File>,
}

impl Files {
    /// Makes them.
    pub(super) fn make(wanted: &[Wanted]) -> Result<Files, Errno> {
        let mut files = Files {
            open: Vec::new(),
            described: Vec::new(),
        };
        for wanted in wanted {
            let fd = if wanted.in_memory {
                memfd(wanted.len)?
            } else {
                unnamed(wanted.len).or_else(|_| memfd(wanted.len))?
            };
            let fd = if wanted.read_only {
                let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
                open(path.as_str(), OFlag::O_RDONLY, Mode::empty())?
            } else {
                fd
            };
            files.described.push(describe(&fd, *wanted)?);
            files.open.push(fd);
        }
        Ok(files)
    }

    /// Their numbers, here and in the processes that are started.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.open.iter().map(|fd| fd.as_raw_fd() as u64).collect()
    }
}

/// A memfd that started processes inherit.
fn memfd(len: u64) -> Result<OwnedFd, Errno> {
    let fd = memfd_create(c"check", MFdFlags::empty())?;
    ftruncate(&fd, len as i64)?;
    Ok(fd)
}

/// A file that has no name from the beginning.
fn unnamed(len: u64) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_TMPFILE | OFlag::O_RDWR;
    let all = Mode::from_bits_truncate(0o666);
    let fd = open(&std::env::temp_dir(), flags, all)?;
    // Advice about files asks whether the process may write to them.
    fchmod(&fd, all)?;
    ftruncate(&fd, len as i64)?;
    Ok(fd)
}

fn describe(fd: &OwnedFd, wanted: Wanted) -> Result<File, Errno> {
    let stat = fstat(fd)?;
    let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let path = nix::fcntl::readlink(link.as_str())?;
    let kind = fstatfs(fd.as_fd())?.filesystem_type();
    let hooked = [EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC];
    Ok(File {
        path: path.to_string_lossy().into_owned(),
        len: Some(wanted.len),
        dev: format!("{:02x}:{:02x}", major(stat.st_dev), minor(stat.st_dev)),
        inode: stat.st_ino,
        placement: if kind == TMPFS_MAGIC {
            FilePlacement::Shmem
        } else if hooked.contains(&kind) {
            FilePlacement::Thp
        } else {
            FilePlacement::NoHook
        },
        read_only: wanted.read_only,
    })
}
