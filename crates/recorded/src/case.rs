//! The recorded file format.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// One recorded case.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Version of the format; 1.
    pub schema: u32,
    /// What `uname -r` said.
    pub kernel: String,
    /// Settings in force.
    pub env: Env,
    /// Name of the script.
    pub name: String,
    /// Options of the script.
    pub opts: BTreeMap<String, String>,
    /// The process before the first call.
    pub init: Init,
    /// The calls.
    pub ops: Vec<Op>,
    /// All mappings after the last call.
    #[serde(rename = "final")]
    pub last: Vec<String>,
}

/// Settings of the recorded machine.
#[derive(Debug, Deserialize)]
pub struct Env {
    /// `transparent_hugepage/enabled`
    pub thp: String,
    /// File system that file mappings are on.
    pub files_on: String,
    /// `vm.max_map_count`
    pub max_map_count: u64,
    /// `vm.mmap_min_addr`
    pub mmap_min_addr: u64,
    /// `vm.overcommit_memory`
    pub overcommit: u32,
    /// `MemTotal`
    pub mem_total_kb: u64,
}

/// The process before the first call.
#[derive(Debug, Deserialize)]
pub struct Init {
    /// The break, hex.
    pub brk: String,
    /// End of the first free place, hex.
    pub top: String,
    /// Mappings.
    pub maps: Vec<String>,
}

/// One call and what came of it.
#[derive(Debug, Deserialize)]
pub struct Op {
    /// The script's line.
    pub op: String,
    /// The result.
    pub r: Value,
    /// The error that ended a `frag`, or `end`.
    pub stopped: Option<String>,
    /// The signal that ended a run of accesses.
    pub sig: Option<String>,
    /// Where, hex.
    pub at: Option<String>,
    /// Mappings afterwards.
    pub n: Option<u64>,
    /// Starts of mappings that are gone.
    #[serde(rename = "-", default)]
    pub gone: Vec<String>,
    /// Mappings that are new or changed.
    #[serde(rename = "+", default)]
    pub new: Vec<String>,
    /// Details of mappings, by start: Rss, AnonHugePages, THPeligible, VmFlags, …
    #[serde(default)]
    pub s: BTreeMap<String, Vec<Value>>,
}

/// Why a file of recordings can't be used.
#[derive(Debug)]
pub enum CaseError {
    /// A line is not a case: its number, and what the JSON reader says.
    NotACase {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The case's format is newer than this program.
    Schema {
        /// Counted from 1.
        line: usize,
        /// The version found.
        found: u32,
    },
    /// No modelled kernel is near this one.
    Kernel {
        /// Counted from 1.
        line: usize,
        /// What the case says.
        kernel: String,
    },
    /// Something in a case does not read.
    Content {
        /// Counted from 1.
        line: usize,
        /// The case.
        case: String,
        /// What is wrong with it.
        why: String,
    },
}

impl std::fmt::Display for CaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CaseError::NotACase { line, why } => {
                write!(
                    f,
                    "line {line} is not a recorded case: {why}; expected one JSON object a line"
                )
            }
            CaseError::Schema { line, found } => {
                write!(
                    f,
                    "line {line}: format {found}; this program reads format 1"
                )
            }
            CaseError::Kernel { line, kernel } => {
                write!(
                    f,
                    "line {line}: recorded on “{kernel}”, and no modelled kernel (6.0 to 7.3) is near it"
                )
            }
            CaseError::Content { line, case, why } => write!(f, "line {line}, case {case}: {why}"),
        }
    }
}

impl std::error::Error for CaseError {}
