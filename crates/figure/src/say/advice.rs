//! What advice about memory came to.

use mmscope_mm::{Advice, Change, CollapseRefusal, Kernel, ThpDisable};

/// The advice by its name, or its number.
pub fn name(advice: Advice) -> String {
    match advice.name() {
        Some(name) => name.to_owned(),
        None => advice.0.to_string(),
    }
}

/// What advice about pages did, as half a sentence.
pub fn done(kernel: Kernel, advice: Advice) -> &'static str {
    match advice {
        Advice::DONTNEED | Advice::DONTNEED_LOCKED if kernel.has(Change::ReclaimTables) => {
            "its pages are gone, and the page table of each whole block with them"
        }
        Advice::DONTNEED | Advice::DONTNEED_LOCKED => {
            "its pages are gone; a page table that is empty now stays and keeps a huge page out"
        }
        Advice::FREE => "its pages may be taken when memory gets short",
        Advice::REMOVE => "a hole in the file",
        Advice::WILLNEED => "read ahead, as far as there is a file or swap",
        Advice::COLD => "its pages count as cold",
        Advice::PAGEOUT => "what can be written out is written out",
        Advice::POPULATE_READ => "mapped for reading, all of it",
        Advice::POPULATE_WRITE => "mapped for writing, all of it",
        Advice::GUARD_INSTALL => "guard pages now: any access raises SIGSEGV",
        Advice::GUARD_REMOVE => "no guard pages any more",
        _ => "noted",
    }
}

/// Why a block did not become a huge page, as half a sentence.
pub fn not_collapsed(why: CollapseRefusal) -> String {
    let why = match why {
        CollapseRefusal::NoHugePage => "VM_NOHUGEPAGE is set",
        CollapseRefusal::Disabled => "PR_SET_THP_DISABLE took huge pages away",
        CollapseRefusal::Special => "the kernel's own mappings have no huge pages",
        CollapseRefusal::TooSmall => "the mapping holds no whole 2 MiB block",
        CollapseRefusal::Untouched => "nothing was written there yet",
        CollapseRefusal::NoWholeBlock => "the range holds no whole 2 MiB block",
        CollapseRefusal::NoMemory => "no huge page could be allocated",
        CollapseRefusal::Empty(at) => return format!("the block at {at:#x} is empty"),
        CollapseRefusal::ReadOnly(at) => {
            return format!("no page of the block at {at:#x} may be written");
        }
        CollapseRefusal::Guarded(at) => {
            return format!("the block at {at:#x} holds a guard page");
        }
    };
    why.to_owned()
}

/// What `prctl(PR_SET_THP_DISABLE)` switched.
pub fn switched(to: ThpDisable) -> &'static str {
    match to {
        ThpDisable::No => "The process may have huge pages again.",
        ThpDisable::ExceptAdvised => {
            "The process gets huge pages only where MADV_HUGEPAGE asks for them."
        }
        ThpDisable::Completely => {
            "The process gets no huge pages from now on; those that it has stay."
        }
    }
}
