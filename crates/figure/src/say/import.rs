//! What came of a trace: errors, lines that were skipped, what was assumed.

use mmscope_lab::strace::{ImportError, Note, Why};

use super::{error, num};

/// Why a log could not be imported.
pub fn error(error: &ImportError) -> String {
    match error {
        ImportError::Empty => "There is nothing in it.".to_owned(),
        ImportError::NotStrace => "No line looks like one of strace\u{2019}s.".to_owned(),
        ImportError::SummaryOnly => "This is only the summary of strace -c: the calls themselves are missing.".to_owned(),
        ImportError::FailedOnly => {
            "Only calls that failed are in it (strace -Z): what succeeded, and made the layout, is missing.".to_owned()
        }
        ImportError::NoMemoryCalls => "No call in it maps, unmaps, protects or moves the break.".to_owned(),
        ImportError::SeveralProcesses { pids } => {
            let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
            format!("Several processes make memory calls ({}): one address space is shown at a time.", pids.join(", "))
        }
        ImportError::NotX8664 { line } => {
            format!("Line {line} shows that this is not a 64-bit x86 process; only those are modelled.")
        }
        ImportError::TooManySteps { given } => {
            format!("{} are more than a scenario may have.", num::count(u64::from(*given), "call", "calls"))
        }
        ImportError::Maps(problem) => format!("In the maps file: {}", error::maps(problem)),
        ImportError::Kernels { most } => format!("One to {most} kernels can run side by side."),
    }
}

/// Why a line became no step.
pub fn skipped(why: Why) -> String {
    let plain = match why {
        Why::NotMemory => "has nothing to do with mappings",
        Why::StackTrace => "a line of a stack trace",
        Why::Signal => "a signal",
        Why::Exit => "the end of a process or thread",
        Why::Message => "a message of strace\u{2019}s own",
        Why::Unreadable => "no line of strace\u{2019}s that is known",
        Why::NoResult => "the result is missing: cut off, or the call never returned",
        Why::Injected => "strace did not let this call through",
        Why::AsksOnly => "only asks, changes nothing",
        Why::Anchor => "gave the layout its anchor",
        Why::BeforeExec => "belongs to the program before the last exec",
        Why::FlagsOnly => "changes attributes that are not modelled yet, no places",
        Why::LayoutNotModelled => {
            "changes the layout and is not modelled yet: what follows may differ"
        }
        Why::ErrorNotModelled => "failed for a reason the model knows nothing of",
        Why::Partial => "failed after it may have done a part: what follows may differ",
        Why::Arguments => "its arguments could not be read",
        Why::OtherProcess { pid } => return format!("a call of another process, {pid}"),
    };
    plain.to_owned()
}

/// Something that was assumed.
pub fn note(note: Note) -> String {
    match note {
        Note::MmapBase { at } => format!("The mmap area ends at {at:#x}: the topmost mapping below the stack does."),
        Note::LegacyLayout { from } => format!("The layout grows up from {from:#x}: the loader lies there."),
        Note::HeapStart { at, line } => format!("The heap starts at {at:#x}, as line {line} says."),
        Note::RawIo { line } => format!("The process may map below mmap_min_addr (CAP_SYS_RAWIO): it did in line {line}."),
        Note::StackLimit { line } => format!("The stack limit is the one of line {line}."),
        Note::Placeholder { range, line } => {
            format!("{} is taken as mapped from the start: line {line} works on it.", num::range(range))
        }
        Note::RandomBegin { at, line } => {
            format!("The MAP_32BIT search of line {line} began at a random place; {at:#x} was taken from its result.")
        }
        Note::LastExec { line } => format!("The log holds several execs: only what follows the one of line {line} is shown."),
        Note::MaybeFiltered => "The log shows no brk or no mprotect call: it may be filtered, and the layout another one.".to_owned(),
        Note::TakenAsThreads => {
            "Several ids make calls and no line shows a new process: they are taken as threads of one process.".to_owned()
        }
        Note::Threads => "Several threads make calls: they are taken in the order of the log.".to_owned(),
    }
}
