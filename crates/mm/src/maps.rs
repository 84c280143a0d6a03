//! `/proc/PID/maps`, byte for byte.

use std::fmt::Write;

use crate::change::Change;
use crate::event::Range;
use crate::machine::Machine;
use crate::page::PAGE_SHIFT;
use crate::vma::{Special, VmFile, VmaId};

/// What the last column of maps says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Nothing.
    Anonymous,
    /// The file's path.
    File,
    /// `/dev/zero (deleted)`: shared anonymous memory.
    Shmem,
    /// A name that the process gave it: `[anon:…]`, `[anon_shmem:…]`.
    Named,
    /// `[heap]`
    Heap,
    /// One of exec's own.
    Special(Special),
}

impl Machine {
    /// What maps calls a mapping.
    pub fn label(&self, id: VmaId) -> Label {
        let (vma, process) = (self.vma(id), self.process());
        match vma.file {
            Some(VmFile::File(_)) => return Label::File,
            Some(VmFile::Shmem(_)) if vma.anon_name.is_some() => return Label::Named,
            Some(VmFile::Shmem(_)) => return Label::Shmem,
            None => {}
        }
        if let Some(special) = vma.special {
            return Label::Special(special);
        }
        let heap = if self.kernel.has(Change::HeapLabelOverlaps) {
            vma.start < process.brk && vma.end > process.start_brk
        } else {
            vma.start <= process.brk && vma.end >= process.start_brk
        };
        if heap {
            return Label::Heap;
        }
        if (vma.start..=vma.end).contains(&process.start_stack) {
            return Label::Special(Special::Stack);
        }
        match vma.anon_name {
            Some(_) => Label::Named,
            None => Label::Anonymous,
        }
    }

    /// The name that maps prints for a mapping, empty for anonymous memory.
    pub fn label_text(&self, id: VmaId) -> &str {
        match self.label(id) {
            Label::Anonymous => "",
            Label::File => match self.vma(id).file {
                Some(VmFile::File(file)) => &self.files[file.0 as usize].path,
                _ => "",
            },
            Label::Named => self.vma(id).anon_name.as_deref().unwrap_or(""),
            Label::Shmem => "/dev/zero (deleted)",
            Label::Heap => "[heap]",
            Label::Special(special) => special.name(),
        }
    }
}

/// The line of a mapping, without a line end.
pub fn line(machine: &Machine, id: VmaId) -> String {
    const NAME_COLUMN: usize = 73;
    let vma = machine.vma(id);
    let perms: String = vma.flags.perms().iter().collect();
    let (dev, inode) = match vma.file {
        Some(VmFile::File(file)) => {
            let file = &machine.files[file.0 as usize];
            (file.dev.as_str(), file.inode)
        }
        // The kernel's own mount; its inode numbers go by what all processes did since the boot.
        Some(VmFile::Shmem(id)) => ("00:01", u64::from(id.index()) + 1),
        None => ("00:00", 0),
    };
    let offset = if vma.file.is_some() {
        vma.pgoff << PAGE_SHIFT
    } else {
        0
    };
    let mut line = format!(
        "{:08x}-{:08x} {perms} {offset:08x} {dev} {inode} ",
        vma.start, vma.end
    );
    let name = machine.label_text(id);
    if !name.is_empty() {
        // Writing to a string can't fail.
        let _ = write!(
            line,
            "{:pad$}{name}",
            "",
            pad = NAME_COLUMN.saturating_sub(line.len())
        );
    }
    line
}

/// All lines, each with its line end.
pub fn text(machine: &Machine) -> String {
    let mut text = String::new();
    for (id, _) in machine.vmas(Range {
        start: 0,
        end: u64::MAX,
    }) {
        text.push_str(&line(machine, id));
        text.push('\n');
    }
    text
}
