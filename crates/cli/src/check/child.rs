//! What the child does before it becomes the observed process: it gives up its rights, sets its limits, asks to be
//! traced, and executes the image.

use std::ffi::CStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use nix::errno::Errno;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::{prctl, ptrace};
use nix::unistd::{Gid, Uid, fexecve, setgid, setgroups, setuid};

use super::image;

/// The user that the process runs as if root asks: `nobody`.
const NOBODY: u32 = 65534;
const STACK: u64 = 8 << 20;
const MEMLOCK: u64 = 8 << 20;

/// A step that failed, and why.
type Failed = (&'static str, Errno);

/// Becomes the observed process. Comes back only if that is not possible, with a line for the parent.
pub(super) fn become_image(randomize: bool) -> String {
    match attempt(randomize) {
        Ok(never) => match never {},
        Err((step, errno)) => format!("{step} {}", errno as i32),
    }
}

fn attempt(randomize: bool) -> Result<std::convert::Infallible, Failed> {
    let image = image_file()?;
    limits()?;
    let at = |step| move |errno| (step, errno);
    if Uid::effective().is_root() {
        setgroups(&[]).map_err(at("setgroups"))?;
        setgid(Gid::from_raw(NOBODY)).map_err(at("setgid"))?;
        setuid(Uid::from_raw(NOBODY)).map_err(at("setuid"))?;
    }
    prctl::set_no_new_privs().map_err(at("no_new_privs"))?;
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(at("pdeathsig"))?;
    let mut persona = personality::get().map_err(at("personality"))?;
    persona.set(Persona::ADDR_NO_RANDOMIZE, !randomize);
    persona.remove(Persona::READ_IMPLIES_EXEC | Persona::ADDR_COMPAT_LAYOUT);
    personality::set(persona).map_err(at("personality"))?;
    ptrace::traceme().map_err(at("traceme"))?;
    let name: &CStr = c"mmscope";
    fexecve(&image, &[name], &[] as &[&CStr]).map_err(at("exec"))
}

/// A file without a name, which goes when the process does.
fn image_file() -> Result<File, Failed> {
    let at = |step| move |errno| (step, errno);
    let exec = MFdFlags::MFD_CLOEXEC;
    let fd = memfd_create(c"mmscope", exec).map_err(at("memfd_create"))?;
    let mut file = File::from(fd);
    let os = |error: std::io::Error| {
        let errno = error.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
        ("memfd", errno)
    };
    file.write_all(&image::bytes()).map_err(os)?;
    let readable = std::fs::Permissions::from_mode(0o555);
    file.set_permissions(readable).map_err(os)?;
    Ok(file)
}

/// The limits that the recorded processes had, as far as the hard limits allow.
fn limits() -> Result<(), Failed> {
    let wanted = [
        (Resource::RLIMIT_STACK, STACK),
        (Resource::RLIMIT_MEMLOCK, MEMLOCK),
        (Resource::RLIMIT_AS, RLIM_INFINITY),
        (Resource::RLIMIT_DATA, RLIM_INFINITY),
        (Resource::RLIMIT_CORE, 0),
    ];
    for (resource, soft) in wanted {
        let (_, hard) = getrlimit(resource).map_err(|errno| ("getrlimit", errno))?;
        setrlimit(resource, soft.min(hard), hard).map_err(|errno| ("setrlimit", errno))?;
    }
    Ok(())
}
