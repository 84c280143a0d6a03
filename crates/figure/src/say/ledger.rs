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
/// The first part.
pub const ADDRESS_SPACE: &str = "address space";
/// The part about the maple tree.
pub const NODES: &str = "maple nodes";
/// What stands in grey there.
pub const NODES_HELP: &str =
    "nodes of the maple tree that holds the mappings; in grey: by the shown call alone";
/// The row of nodes asked for.
pub const ASKED: &str = "asked for";
/// What it counts.
pub const ASKED_HELP: &str = "taken from the allocator, before a write or in it";
/// The row of nodes used.
pub const USED: &str = "used";
/// What it counts.
pub const USED_HELP: &str = "put into a tree";
/// The row of nodes returned.
pub const RETURNED: &str = "given back";
/// What it counts.
pub const RETURNED_HELP: &str = "not used, or replaced and free again without a grace period";
/// The row of nodes freed.
pub const FREED: &str = "freed";
/// What it counts.
pub const FREED_HELP: &str = "left a tree: after a grace period, or with the whole tree";
/// Where there is no number.
pub const NONE: &str = "\u{2013}";
/// Why a kernel has no numbers of nodes.
pub const NO_TREE: &str = "red-black tree: no maple tree nodes";
/// The same in a word, above its column.
pub const NO_TREE_SHORT: &str = "rb-tree";
/// How a kernel writes its tree was not read.
pub const TREE_ASSUMED: &str = "assumed";
/// What that means.
pub const TREE_ASSUMED_HELP: &str =
    "how this kernel writes its maple tree was not read: taken to be like its neighbours";
/// What stands behind the numbers of a terminal.
pub const IN_BRACKETS: &str =
    "In brackets: since the start; of maple tree nodes, by the last call alone.";
/// How the numbers came about.
pub const COUNTED: &str = "Counted in the model, to the byte; nothing here is estimated.";
