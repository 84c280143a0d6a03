//! What a mapping is, for the eye: its kind, letter and name.

use mmscope_mm::{Label, Machine, Special, VmaId};

use crate::scene::Role;

/// What a mapping is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Anonymous memory.
    Anon,
    /// Shows a file.
    File,
    /// The heap that brk moves.
    Heap,
    /// The stack of the first thread.
    Stack,
    /// Made by the kernel itself.
    Special,
}

impl Kind {
    /// All kinds, in the order of the legend.
    pub const ALL: [Kind; 5] = [
        Kind::Anon,
        Kind::File,
        Kind::Heap,
        Kind::Stack,
        Kind::Special,
    ];

    /// The kind of a mapping that exists.
    pub fn of(machine: &Machine, id: VmaId) -> Kind {
        match machine.label(id) {
            Label::Anonymous | Label::Named => Kind::Anon,
            Label::File | Label::Shmem => Kind::File,
            Label::Heap => Kind::Heap,
            Label::Special(Special::Stack) => Kind::Stack,
            Label::Special(Special::Vvar | Special::VvarVclock | Special::Vdso) => Kind::Special,
        }
    }

    /// The letter that stands for it in pictures.
    pub fn letter(self) -> &'static str {
        match self {
            Kind::Anon => "A",
            Kind::File => "F",
            Kind::Heap => "H",
            Kind::Stack => "S",
            Kind::Special => "V",
        }
    }

    /// The role of its block.
    pub(crate) fn role(self) -> Role {
        match self {
            Kind::Anon => Role::VmaAnon,
            Kind::File => Role::VmaFile,
            Kind::Heap => Role::VmaHeap,
            Kind::Stack => Role::VmaStack,
            Kind::Special => Role::VmaSpecial,
        }
    }

    /// The role of text on its block.
    pub(crate) fn text_role(self) -> Role {
        match self {
            Kind::Anon => Role::OnAnon,
            Kind::File => Role::OnFile,
            Kind::Heap => Role::OnHeap,
            Kind::Stack => Role::OnStack,
            Kind::Special => Role::OnSpecial,
        }
    }
}

/// The last part of a mapping's name in `/proc/PID/maps`, empty for anonymous memory.
pub fn short_name(machine: &Machine, id: VmaId) -> &str {
    let name = machine.label_text(id);
    match name.starts_with('[') {
        true => name,
        false => name.rsplit('/').next().unwrap_or(name),
    }
}
