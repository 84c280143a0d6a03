//! Which modelled kernel stands for the running one.

use mmscope_lab::CallLine;
use mmscope_mm::{Advice, Call, Change, Kernel, MapFlags, Mmap, Mremap, MremapFlags, Outcome, Release};

use super::compare::{Job, run};
use super::syscall::ask;
use super::tracee::{Answer, Tracee, Unavailable};

/// The kernel to compare with, if there is a model of this release: the nearest release, and of the changes that point
/// releases took early or late those that this kernel shows to have.
pub(super) fn choose(uname: &str) -> Result<Option<Kernel>, Unavailable> {
    let Some(mut kernel) = Release::nearest(uname).map(Kernel::new) else {
        return Ok(None);
    };
    for (change, job) in probes() {
        let as_it_is = kernel.has(change);
        let mut fits = [false; 2];
        for on in [false, true] {
            kernel.set(change, on);
            fits[usize::from(on)] = run(&job, kernel)?.difference.is_none();
        }
        let switched = match fits {
            [true, false] => false,
            [false, true] => true,
            // It does not tell.
            _ => as_it_is,
        };
        kernel.set(change, switched);
    }
    Ok(Some(kernel))
}

/// Whether the kernel lets memory be named (`CONFIG_ANON_VMA_NAME`).
pub(super) fn names_memory() -> Result<bool, Unavailable> {
    let nothing = Call::SetAnonName {
        addr: 0,
        len: 0,
        name: None,
    };
    let answer = Tracee::start(false)?.run(&ask(&nothing, &[]))?;
    Ok(answer == Answer::Known(Outcome::Done))
}

/// Programs that come out differently with a change and without it.
fn probes() -> Vec<(Change, Job)> {
    const PAGE: u64 = 4096;
    let job = |calls: Vec<CallLine>| Job {
        calls,
        files: Vec::new(),
        randomize: false,
    };
    let map = |len, flags| {
        let mut line = CallLine::new(Call::Mmap(Mmap {
            flags: MapFlags::PRIVATE_ANONYMOUS | flags,
            ..Mmap::anonymous(len)
        }));
        line.name = Some("a".to_owned());
        line
    };
    let on_a = |call| {
        let mut line = CallLine::new(call);
        line.relative_to = Some("a".to_owned());
        line
    };
    let plain = MapFlags::empty();
    let guard = on_a(Call::Madvise {
        addr: 0,
        len: PAGE,
        advice: Advice::GUARD_INSTALL,
    });
    let hinted = CallLine::new(Call::Mmap(Mmap {
        addr: 0x7fff_ffff_e000,
        ..Mmap::anonymous(4 << 20)
    }));
    // The lower half moves down, right below what stays.
    let mut keep = on_a(Call::Mremap(Mremap {
        addr: 0,
        old_len: PAGE,
        new_len: PAGE,
        flags: MremapFlags::MAYMOVE | MremapFlags::FIXED | MremapFlags::DONTUNMAP,
        new_addr: PAGE.wrapping_neg(),
    }));
    keep.new_relative_to = Some("a".to_owned());
    vec![
        (Change::StackNoHuge, job(vec![map(PAGE, MapFlags::STACK)])),
        (Change::AlignMultiplesOnly, job(vec![map((2 << 20) + PAGE, plain)])),
        (Change::AlignNotWithHint, job(vec![hinted])),
        (Change::MaybeGuard, job(vec![map(4 * PAGE, plain), guard])),
        (
            Change::KeptSourceApart,
            job(vec![
                map(4 * PAGE, plain),
                on_a(Call::Touch {
                    addr: 0,
                    len: 4 * PAGE,
                    stride: PAGE,
                    access: mmscope_mm::Access::Write,
                }),
                keep,
            ]),
        ),
    ]
}
