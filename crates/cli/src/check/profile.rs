//! Which modelled kernel stands for the running one.

use mmscope_lab::CallLine;
use mmscope_mm::{
    Advice, Call, Change, Errno, Kernel, Machine, MapFlags, Mmap, Mremap, MremapFlags, Outcome,
    Release, Settings, Start,
};

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

/// A kind of call that this kernel was built without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lacking {
    /// `PR_SET_VMA_ANON_NAME` (`CONFIG_ANON_VMA_NAME`).
    AnonNames,
    /// Advice, like `MADV_HWPOISON` (`CONFIG_MEMORY_FAILURE`).
    Advice(Advice),
}

impl Lacking {
    /// Whether the call is of that kind.
    pub(super) fn is(self, call: &Call) -> bool {
        match (self, call) {
            (Lacking::AnonNames, Call::SetAnonName { .. }) => true,
            (Lacking::Advice(lacking), Call::Madvise { advice, .. }) => lacking == *advice,
            _ => false,
        }
    }

    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Lacking::AnonNames => "PR_SET_VMA_ANON_NAME",
            Lacking::Advice(advice) => advice.name().unwrap_or("?"),
        }
    }
}

/// What the kernel was built without, though its release knows it: asked for about nothing, it is refused.
pub(super) fn lacking(kernel: Kernel) -> Result<Vec<Lacking>, Unavailable> {
    let (addr, len) = (0, 0);
    let name = Call::SetAnonName {
        addr,
        len,
        name: None,
    };
    let mut asked = vec![(Lacking::AnonNames, name)];
    for (_, advice) in Advice::ALL {
        let advice = *advice;
        asked.push((Lacking::Advice(advice), Call::Madvise { addr, len, advice }));
    }
    let mut tracee = Tracee::start(false)?;
    let start = Start::default();
    let model = Machine::new(kernel, Settings::default(), Vec::new(), &start);
    let mut lacking = Vec::new();
    for (kind, call) in asked {
        let Some(ask) = ask(&call, &[]) else {
            continue;
        };
        let answer = tracee.run(&ask)?;
        let refused = answer == Answer::Known(Outcome::Error(Errno::EINVAL));
        let knows = |machine: &Machine| machine.clone().run(&call, &mut ()) == Outcome::Done;
        if refused && model.as_ref().is_ok_and(knows) {
            lacking.push(kind);
        }
    }
    Ok(lacking)
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
        (
            Change::AlignMultiplesOnly,
            job(vec![map((2 << 20) + PAGE, plain)]),
        ),
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
