//! Page sizes and address limits of x86-64.

/// Bytes in a base page.
pub const PAGE_SIZE: u64 = 4096;
/// Bits below a page number.
pub const PAGE_SHIFT: u32 = 12;
/// Bytes that one PMD entry maps: the size of a huge page.
pub const PMD_SIZE: u64 = 2 << 20;
/// End of the address space of a 64-bit task with four-level page tables (`TASK_SIZE`, `DEFAULT_MAP_WINDOW`).
pub const TASK_SIZE: u64 = (1 << 47) - PAGE_SIZE;

/// Rounds down to a page.
pub const fn page_down(addr: u64) -> u64 {
    addr & !(PAGE_SIZE - 1)
}

/// Rounds up to a page; wraps to 0 like `PAGE_ALIGN`.
pub const fn page_up(addr: u64) -> u64 {
    page_down(addr.wrapping_add(PAGE_SIZE - 1))
}

/// Whether the address is a multiple of the page size.
pub const fn is_page_aligned(addr: u64) -> bool {
    addr.is_multiple_of(PAGE_SIZE)
}

/// Bytes to pages, rounding up.
pub const fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE_SIZE)
}
