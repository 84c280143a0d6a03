//! Logs of strace as scenarios.
//!
//! A log tells the calls and what they returned, not where the process stood before. The maps file beside it does;
//! without one the first mapping anchors the layout. Nothing of a log is lost silently: each line becomes a step, or
//! stands in [`Import::skipped`] with its number and the reason.

mod anchor;
mod begin;
mod convert;
mod descriptors;
mod line;
mod mremap;
mod names;
mod recorded;
mod tell;

use std::fmt;

use mmscope_mm::{Kernel, Range};

use crate::maps_file::MapsError;
use crate::scenario::{MAX_LANES, Scenario};

/// A scenario made from a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The scenario; its calls hold what the log recorded.
    pub scenario: Scenario,
    /// Lines that became no step, in order.
    pub skipped: Vec<Skipped>,
    /// What gave the layout.
    pub anchored_by: AnchoredBy,
    /// What was assumed.
    pub notes: Vec<Note>,
    /// From this line on the log's layout is not known any more: a call did something that is not modelled.
    pub layout_unknown_from: Option<u32>,
}

/// What gave the layout of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchoredBy {
    /// The maps file.
    Maps,
    /// The first mapping, which was made in this line and is not compared.
    FirstMapping {
        /// Counted from 1.
        line: u32,
    },
    /// Nothing: the log maps nothing.
    Nothing,
}

/// A line that became no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Counted from 1.
    pub line: u32,
    /// What stands there, cut to 160 characters.
    pub text: String,
    /// Why.
    pub why: Why,
}

/// Why a line became no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A call that has nothing to do with mappings.
    NotMemory,
    /// A line of a stack trace.
    StackTrace,
    /// A signal.
    Signal,
    /// The end of a process or thread.
    Exit,
    /// A message of strace's own, or a line of its summary.
    Message,
    /// No line of strace's that is known.
    Unreadable,
    /// A call without a result: cut off, or never returned.
    NoResult,
    /// A call that strace did not let through.
    Injected,
    /// A call that only asks.
    AsksOnly,
    /// It gave the layout's anchor and is no step itself.
    Anchor,
    /// Of the time before the last exec, whose address space is gone.
    BeforeExec,
    /// It changes attributes that are not modelled yet, not places.
    FlagsOnly,
    /// It changes the layout and is not modelled yet: see [`Import::layout_unknown_from`].
    LayoutNotModelled,
    /// It failed for a reason that the model knows nothing of, such as the rights of a file.
    ErrorNotModelled,
    /// It failed for such a reason after a part of it may have been done: see [`Import::layout_unknown_from`].
    Partial,
    /// Its arguments could not be read.
    Arguments,
    /// A call of another process.
    OtherProcess {
        /// Which.
        pid: u32,
    },
}

/// Something that was assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The mmap area ends here, because the topmost mapping below the stack does.
    MmapBase {
        /// Where.
        at: u64,
    },
    /// The layout grows up from here: the loader lies there.
    LegacyLayout {
        /// Where.
        from: u64,
    },
    /// The heap starts here.
    HeapStart {
        /// Where.
        at: u64,
        /// The line that says so.
        line: u32,
    },
    /// The process had `CAP_SYS_RAWIO`, because it mapped below `mmap_min_addr`.
    RawIo {
        /// In this line.
        line: u32,
    },
    /// The stack limit, as the log says it.
    StackLimit {
        /// In this line.
        line: u32,
    },
    /// A range is taken as mapped from the start, because a call of this line worked on it.
    Placeholder {
        /// Which range.
        range: Range,
        /// In this line.
        line: u32,
    },
    /// A `MAP_32BIT` search began at a random place; it was taken from the result of this line.
    RandomBegin {
        /// Where.
        at: u64,
        /// In this line.
        line: u32,
    },
    /// The log holds several execs: only what follows the last one is imported.
    LastExec {
        /// In this line.
        line: u32,
    },
    /// The log shows no brk or no mprotect call at all: it may be filtered, and the layout may be another one.
    MaybeFiltered,
    /// Several threads of one process make calls; they are taken in the order of the log.
    Threads,
    /// Several ids make calls, and no line shows that one of them is another process.
    TakenAsThreads,
}

/// Why a log could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// There is nothing in it.
    Empty,
    /// No line looks like one of strace's.
    NotStrace,
    /// Only the summary of `-c`.
    SummaryOnly,
    /// Only calls that failed (`-Z`): what succeeded, and made the layout, is missing.
    FailedOnly,
    /// No call that maps, unmaps, protects or moves the break.
    NoMemoryCalls,
    /// Several processes make memory calls.
    SeveralProcesses {
        /// Their ids.
        pids: Vec<u32>,
    },
    /// The log is of a process that is not 64-bit x86: this line shows it.
    NotX8664 {
        /// Counted from 1.
        line: u32,
    },
    /// More steps than a scenario may have.
    TooManySteps {
        /// How many.
        given: u32,
    },
    /// The maps file can't be read.
    Maps(MapsError),
    /// Too few or too many kernels.
    Kernels {
        /// How many there may be.
        most: u32,
    },
}

impl fmt::Display for ImportError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for ImportError {}

/// Makes a scenario without calls of a maps file.
///
/// # Errors
/// If the file can't be read.
pub fn import_maps(maps: &str, kernels: &[Kernel]) -> Result<Import, Vec<ImportError>> {
    if kernels.is_empty() || kernels.len() > MAX_LANES as usize {
        return Err(vec![ImportError::Kernels { most: MAX_LANES }]);
    }
    let maps = crate::maps_file::parse(maps).map_err(|errors| {
        let errors = errors.into_iter().map(ImportError::Maps);
        errors.collect::<Vec<ImportError>>()
    })?;
    convert::start_only(maps, kernels).map_err(|error| vec![error])
}

/// Makes a scenario of a log, with the maps file of the process at its start if there is one, under the kernels that
/// the person picks (the first should be the one it was recorded on).
///
/// # Errors
/// If the log is none, is of several processes, or the maps file can't be read.
pub fn import(
    log: &str,
    maps: Option<&str>,
    kernels: &[Kernel],
) -> Result<Import, Vec<ImportError>> {
    if kernels.is_empty() || kernels.len() > MAX_LANES as usize {
        return Err(vec![ImportError::Kernels { most: MAX_LANES }]);
    }
    let maps = match maps.map(crate::maps_file::parse).transpose() {
        Ok(maps) => maps,
        Err(errors) => return Err(errors.into_iter().map(ImportError::Maps).collect()),
    };
    let told = tell::tell(log).map_err(|error| vec![error])?;
    convert::convert(told, maps, kernels).map_err(|error| vec![error])
}
