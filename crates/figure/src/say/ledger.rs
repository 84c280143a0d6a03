//! The words of the ledger.

/// The row of mappings.
pub const VMAS: &str = "mappings";
/// What it counts.
pub const VMAS_HELP: &str = "VMAs of the process (map_count)";
/// The row of mapped memory.
pub const MAPPED: &str = "mapped";
/// What it counts.
pub const MAPPED_HELP: &str = "address space that mappings cover (total_vm)";
/// The row of gaps.
pub const GAPS: &str = "gaps";
/// What it counts.
pub const GAPS_HELP: &str = "free ranges between two mappings of the mmap area, below mmap_base";
/// The row of bytes in gaps.
pub const GAP_BYTES: &str = "in gaps";
/// What it counts.
pub const GAP_BYTES_HELP: &str = "address space in those gaps";
/// The row of errors.
pub const ERRORS: &str = "errors";
/// What it counts.
pub const ERRORS_HELP: &str = "calls that returned an error";
/// How the numbers came about.
pub const COUNTED: &str = "Counted in the model, to the byte; nothing here is estimated.";
