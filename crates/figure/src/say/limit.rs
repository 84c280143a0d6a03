//! Why a growing mapping was not extended, and what an access came to.

use mmscope_mm::{FaultPage, GrowthRefusal, Machine, Signal};

use super::{mapping, num, refusal};

/// Why a growing mapping stayed as it was.
pub fn growth(machine: &Machine, reason: GrowthRefusal) -> String {
    match reason {
        GrowthRefusal::GuardGap { below, distance } => format!(
            "only {} would stay free above {}, and stack_guard_gap asks for {}",
            num::size(distance),
            mapping(machine, below),
            num::size(machine.settings().stack_guard_gap << 12)
        ),
        GrowthRefusal::StackLimit => match machine.process().rlimits.stack {
            Some(limit) => format!("it would pass RLIMIT_STACK, {}", num::size(limit)),
            None => "it would pass RLIMIT_STACK".to_owned(),
        },
        GrowthRefusal::MinAddr => {
            format!(
                "it would pass mmap_min_addr, {}",
                num::address(machine.settings().mmap_min_addr)
            )
        }
        GrowthRefusal::Limit(reason) => refusal::sentence(machine, reason),
    }
}

/// What a signal means.
pub fn signal(signal: Signal) -> &'static str {
    match signal {
        Signal::SegvMaperr => "nothing is mapped there",
        Signal::SegvAccerr => "the mapping does not allow the access",
        Signal::BusAdrerr => "the page lies past the end of the file",
    }
}

/// The signal's name and code.
pub fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::SegvMaperr => "SIGSEGV (SEGV_MAPERR)",
        Signal::SegvAccerr => "SIGSEGV (SEGV_ACCERR)",
        Signal::BusAdrerr => "SIGBUS (BUS_ADRERR)",
    }
}

/// What a fault mapped.
pub fn page(page: FaultPage) -> &'static str {
    match page {
        FaultPage::Zero => "the shared zero page: nothing was written yet",
        FaultPage::Small => "a 4 kB page of its own",
        FaultPage::File => "a page of the file",
        FaultPage::HugeZero => "the huge zero page",
        FaultPage::Huge => "a huge page of 2 MiB",
    }
}
