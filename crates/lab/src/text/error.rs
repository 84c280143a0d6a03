//! What can be wrong with a text.

use std::fmt;

use crate::maps_file::MapsProblem;

/// One thing that is wrong with a scenario's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Line, counted from 1.
    pub line: u32,
    /// Character of the line, counted from 1.
    pub column: u32,
    /// What stands there, cut to a few words; empty at the end of a line.
    pub found: String,
    /// What should, or what is wrong with it.
    pub expected: Expected,
}

/// A set of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagSet {
    /// `PROT_*`
    Prot,
    /// `MAP_*`
    Map,
    /// `MREMAP_*`
    Mremap,
    /// `MADV_*`
    Advice,
    /// `MLOCK_*`
    Mlock,
    /// `MCL_*`
    Mcl,
    /// Of `personality`.
    Personality,
}

/// What should have stood at a place, or what is wrong with what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The text does not begin with `mmscope 1`: it is no scenario at all.
    Header,
    /// The text is of a newer version than this program reads.
    Version {
        /// The newest that is read.
        newest: u32,
    },
    /// A line that begins with a known word.
    Line {
        /// The known word that looks like it.
        nearest: Option<&'static str>,
    },
    /// A line of this kind may stand only once.
    Once,
    /// Settings and the start stand before the first call.
    BeforeCalls,
    /// A known setting.
    Setting {
        /// The known setting that looks like it.
        nearest: Option<&'static str>,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A kernel by the name of a release.
    Kernel,
    /// The id of a change, after `+` or `-`.
    ChangeId,
    /// At least one kernel, and at most so many.
    Kernels {
        /// How many lanes there may be.
        most: u32,
    },
    /// A known call.
    Call {
        /// The known call that looks like it.
        nearest: Option<&'static str>,
    },
    /// So many arguments.
    Arguments {
        /// Of which call.
        call: &'static str,
        /// How many it takes.
        count: u32,
        /// How many were given.
        given: u32,
    },
    /// This mark.
    Mark(char),
    /// A number.
    Number,
    /// A number that fits.
    NumberInRange {
        /// The least.
        least: u64,
        /// The greatest.
        most: u64,
    },
    /// An address: a number, `NULL`, or a name with a distance.
    Address,
    /// The name of an earlier result.
    KnownName {
        /// The known name that looks like it.
        nearest: Option<String>,
    },
    /// A name that may be given: letters, digits and `_`, and no word of the language.
    NewName,
    /// A name for memory: `NULL`, or at most 80 ASCII characters in quotes.
    AnonName,
    /// A known flag.
    Flag {
        /// Of which set.
        of: FlagSet,
        /// The known flag that looks like it.
        nearest: Option<&'static str>,
    },
    /// `-1`, or a number with a path: `3</path>`.
    Descriptor,
    /// A result: an address, 0, or -1 with the name of an error.
    Outcome,
    /// The name of an error that a memory call returns.
    ErrnoName,
    /// A limit that memory calls look at.
    Resource {
        /// The known limit that looks like it.
        nearest: Option<&'static str>,
    },
    /// `{rlim_cur=…, rlim_max=…}`
    LimitPair,
    /// A file: options, device, inode, path.
    FileLine,
    /// A line of `/proc/PID/maps`; this is wrong with it.
    Maps(MapsProblem),
    /// The closing `}` of the block that was opened there.
    BlockEnd {
        /// In which line.
        opened: u32,
    },
    /// Blocks in each other only so deep.
    Depth {
        /// How deep.
        most: u32,
    },
    /// A program of so many steps.
    Steps {
        /// How many it has with all repeats.
        given: u64,
        /// How many it may have.
        most: u32,
    },
    /// The line should end here.
    EndOfLine,
    /// So many things are wrong that the rest of the text was not looked at.
    FewerErrors,
}

impl fmt::Display for ScenarioError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScenarioError {
            line,
            column,
            found,
            expected,
        } = self;
        write!(f, "{line}:{column}: {found:?}: {expected:?}")
    }
}

impl std::error::Error for ScenarioError {}
