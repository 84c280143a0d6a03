//! The error numbers that memory calls return.

use std::fmt;

/// An error number, by its name in `errno.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(clippy::upper_case_acronyms, reason = "the names are errno.h's")]
pub enum Errno {
    /// Operation not permitted.
    EPERM = 1,
    /// Bad file descriptor.
    EBADF = 9,
    /// Try again.
    EAGAIN = 11,
    /// Out of memory, or no room in the address space.
    ENOMEM = 12,
    /// Permission denied.
    EACCES = 13,
    /// Bad address.
    EFAULT = 14,
    /// File exists: the range is taken.
    EEXIST = 17,
    /// Invalid argument.
    EINVAL = 22,
    /// No such system call.
    ENOSYS = 38,
    /// Value too large: the offset wraps.
    EOVERFLOW = 75,
    /// Operation not supported.
    EOPNOTSUPP = 95,
}

impl Errno {
    const ALL: [Errno; 11] = [
        Errno::EPERM,
        Errno::EBADF,
        Errno::EAGAIN,
        Errno::ENOMEM,
        Errno::EACCES,
        Errno::EFAULT,
        Errno::EEXIST,
        Errno::EINVAL,
        Errno::ENOSYS,
        Errno::EOVERFLOW,
        Errno::EOPNOTSUPP,
    ];

    /// The name, as `errno.h` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Errno::EPERM => "EPERM",
            Errno::EBADF => "EBADF",
            Errno::EAGAIN => "EAGAIN",
            Errno::ENOMEM => "ENOMEM",
            Errno::EACCES => "EACCES",
            Errno::EFAULT => "EFAULT",
            Errno::EEXIST => "EEXIST",
            Errno::EINVAL => "EINVAL",
            Errno::ENOSYS => "ENOSYS",
            Errno::EOVERFLOW => "EOVERFLOW",
            Errno::EOPNOTSUPP => "EOPNOTSUPP",
        }
    }

    /// The error that a returned word stands for, negated.
    pub fn returned(word: u64) -> Option<Errno> {
        let number = word.wrapping_neg();
        Self::ALL.into_iter().find(|errno| *errno as u64 == number)
    }

    /// The error with this name; `None` for names that no modelled call returns.
    pub fn from_name(name: &str) -> Option<Errno> {
        Self::ALL.into_iter().find(|errno| errno.name() == name)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
