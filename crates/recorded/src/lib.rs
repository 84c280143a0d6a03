//! Recorded answers of real kernels, held against the model.
//!
//! A recording is a JSON object a line, one line a case: a fresh process, the calls it made, and after each call its
//! result and what changed in `/proc/PID/maps`. `vectors/README.md` says where they come from.

mod case;
mod cases;
mod layout;
mod maple;
mod profile;
mod read;
mod report;
mod script;
mod steps;
mod tlb;
mod vectors;

pub use case::{Case, CaseError};
pub use cases::{CasesReport, check_trace, is_trace, machine_kernel};
pub use maple::{
    MapleError, MapleReport, check_maple, check_maple_accounting, check_maple_long,
    check_maple_text, check_maple_texts, is_maple,
};
pub use profile::profile;
pub use read::{files_below, is_operations_file, is_vectors, read_text, tlb_name};
pub use report::{Difference, Report};
pub use script::{OutOfScope, ScriptError};
pub use tlb::{TlbReport, check_tlb};
pub use vectors::{check_case, check_text};
