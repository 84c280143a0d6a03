//! Which modelled kernel stands for a recorded one.

use mmscope_mm::{Kernel, Release};

/// The kernel to run for what a recording calls its kernel.
pub fn profile(uname: &str) -> Option<Kernel> {
    // A 6.12.95 built with the placement condition of 6.10: any length from 2 MiB, hint or not, files by hook only. It is
    // from before the backport to 6.12.117 that keeps what MREMAP_DONTUNMAP moves apart.
    if uname.ends_with("-window") {
        return Kernel::parse("6.12.y-ed48e87c7df3-d4148aeab412-249608ee4713-copy_vma").ok();
    }
    // Point releases of 6.18 took VM_MAYBE_GUARD: 6.18.15 is without, 6.18.44 with it. That 6.18.44 keeps inherited pages
    // apart was tried on one.
    let mut numbers = uname.split(['.', '-', '+']).map(|part| part.parse().ok());
    if let (Some(Some(6)), Some(Some(18)), Some(Some(44..))) =
        (numbers.next(), numbers.next(), numbers.next())
    {
        return Kernel::parse("6.18+VM_MAYBE_GUARD+copied_from").ok();
    }
    Release::nearest(uname).map(Kernel::new)
}

/// Whether the recorded kernel was built with `CONFIG_HUGETLBFS`: the hand-built one was not.
pub(crate) fn has_hugetlb(uname: &str) -> bool {
    !uname.ends_with("-window")
}
