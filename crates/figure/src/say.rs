//! Every sentence that a person reads, in one place, so that it can be tested, spoken and one day translated.
//!
//! Kernel things go by the kernel's names. Sentences are short, and say what was compared with what.

pub mod advice;
pub mod cli;
pub mod error;
pub mod event;
pub mod import;
pub mod kernel;
pub mod ledger;
pub mod lesson;
pub mod limit;
pub mod maple_tree;
pub mod merge;
pub mod num;
pub(crate) mod otherwise;
pub mod outcome;
pub mod page_table;
pub mod picture;
pub mod refusal;
pub mod source;
mod spoken;
pub mod tlb;
pub mod tree;
pub mod ui;

pub use spoken::spoken;

use mmscope_mm::{Label, Machine, VmFlags, VmaId};

/// A mapping by its name and range; one that is gone is named as such.
pub fn mapping(machine: &Machine, id: VmaId) -> String {
    let Some(vma) = machine.get_vma(id) else {
        return "a mapping that is gone by now".to_owned();
    };
    let range = format!("{:x}-{:x}", vma.start, vma.end);
    match machine.label(id) {
        Label::Anonymous => format!("the mapping {range}"),
        _ => {
            format!("{} at {range}", crate::kind::short_name(machine, id))
        }
    }
}

/// Flags by the kernel's names: `VM_WRITE | VM_ACCOUNT`.
pub fn vm_flags(flags: VmFlags) -> String {
    let mut out = String::new();
    for name in flags.names() {
        if !out.is_empty() {
            out.push_str(" | ");
        }
        out.push_str("VM_");
        out.push_str(name);
    }
    if out.is_empty() {
        "no flag".to_owned()
    } else {
        out
    }
}

/// The `perms` column of a mapping.
pub fn perms(flags: VmFlags) -> String {
    flags.perms().iter().collect()
}

/// The first letter in upper case, unless the first word is a name of the kernel's.
pub(crate) fn sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = matches!(
        first,
        "brk" | "maps" | "mmap" | "munmap" | "mprotect" | "touch"
    ) || first.contains(['_', '(', '/']);
    if is_name {
        return text.to_owned();
    }
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => std::iter::once(first.to_ascii_uppercase())
            .chain(chars)
            .collect(),
        None => String::new(),
    }
}
