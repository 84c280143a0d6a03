//! `mmscope check`: the model held against the running kernel.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod child;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod compare;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod files;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod image;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod profile;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod random;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod real;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod shrink;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod syscall;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tracee;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) use real::{CHILD, check, observed};

/// Elsewhere there is no kernel to compare with.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) fn check(_: crate::args::Args) -> Result<(), crate::Failure> {
    Err(crate::Failure::CannotCheck(
        mmscope_figure::say::cli::check::NOT_HERE.to_owned(),
    ))
}
