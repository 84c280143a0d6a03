//! Why a growing mapping was not extended, and what an access came to.

use mmscope_mm::{FaultPage, GrowthRefusal, Machine, NotHuge, PmdSplit, Signal};

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

/// What follows on the number of accesses that raised no page fault.
pub const NO_FAULT: &str = " No page fault: every page was there already.";

/// What a fault mapped.
pub fn page(page: FaultPage) -> String {
    let page = match page {
        FaultPage::Zero => "the shared zero page: nothing was written yet",
        FaultPage::Small => "a 4 kB page of its own",
        FaultPage::Copy => "a copy of its own, 4 kB",
        FaultPage::Folio(order) => return format!("a folio of {}", num::size(4096 << order)),
        FaultPage::File => "a page of the file",
        FaultPage::HugeZero => "the huge zero page",
        FaultPage::Huge => "a huge page of 2 MiB",
    };
    page.to_owned()
}

/// Why a block is no huge page, as half a sentence.
pub fn not_huge(why: NotHuge) -> &'static str {
    match why {
        NotHuge::NotMapped => "nothing is mapped there",
        NotHuge::NotAnonymous => "only private anonymous memory has huge pages here",
        NotHuge::NoHugePage => "VM_NOHUGEPAGE is set",
        NotHuge::Disabled => "PR_SET_THP_DISABLE took huge pages away",
        NotHuge::Policy => "transparent_hugepage/enabled does not allow it here",
        NotHuge::CutByBorder => "the mapping begins or ends inside the block",
        NotHuge::HasTable => "the block has a page table already",
        NotHuge::NoMemory => "no huge page could be allocated",
        NotHuge::NotWritten => "it was only read",
    }
}

/// Why a huge page was split, as half a sentence.
pub fn pmd_split(why: PmdSplit) -> &'static str {
    match why {
        PmdSplit::Border => "a mapping begins or ends inside of it now",
        PmdSplit::Zapped => "a part of it was taken away",
        PmdSplit::Advised => "the advice is about a part of it",
        PmdSplit::Moved => "its pages were moved apart",
        PmdSplit::Written => "one page of it had to be copied",
    }
}
