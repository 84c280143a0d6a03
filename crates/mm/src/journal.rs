//! A recorder: every decision and the old value of every write, in order.

use mmscope_maple::{GapLook, Id, Node, NodeId, Root, Witness};

use crate::event::Event;
use crate::observer::Observer;
use crate::page_table::Mapped;
use crate::process::Process;
use crate::shmem::{Shmem, ShmemId};
use crate::vma::{Vma, VmaId};

/// The old value of one write. Undone in reverse order by [`crate::Machine::undo`].
#[derive(Clone, Debug, PartialEq)]
pub enum Undo {
    /// A VMA; `None` if the slot was free.
    Vma(VmaId, Option<Box<Vma>>),
    /// The process.
    Process(Id<Process>, Option<Box<Process>>),
    /// The object of a shared anonymous mapping.
    Shmem(ShmemId, Option<Shmem>),
    /// A node of the tree of mappings.
    Node(NodeId<VmaId>, Option<Box<Node<VmaId>>>),
    /// The root of the tree of mappings.
    Root(Root<VmaId>),
    /// A node of the page table's tree.
    PmdNode(NodeId<Mapped>, Option<Box<Node<Mapped>>>),
    /// The root of the page table's tree.
    PmdRoot(Root<Mapped>),
}

/// An entry of a [`Journal`].
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A decision.
    Event(Event),
    /// A write, by its old value.
    Write(Undo),
}

/// What happened during one call, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    entries: Vec<Entry>,
}

impl Journal {
    /// An empty journal.
    pub fn new() -> Journal {
        Journal::default()
    }

    /// All entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The decisions, oldest first, each with its place among the entries.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (usize, &Event)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| match entry {
                Entry::Event(event) => Some((at, event)),
                Entry::Write(_) => None,
            })
    }

    fn write(&mut self, undo: Undo) {
        self.entries.push(Entry::Write(undo));
    }
}

impl Observer for Journal {
    fn event(&mut self, make: impl FnOnce() -> Event) {
        self.entries.push(Entry::Event(make()));
    }
}

impl Witness<Vma> for Journal {
    fn before_edit(&mut self, id: VmaId, old: Option<&Vma>) {
        self.write(Undo::Vma(id, old.cloned().map(Box::new)));
    }
}

impl Witness<Process> for Journal {
    fn before_edit(&mut self, id: Id<Process>, old: Option<&Process>) {
        self.write(Undo::Process(id, old.cloned().map(Box::new)));
    }
}

impl Witness<Shmem> for Journal {
    fn before_edit(&mut self, id: ShmemId, old: Option<&Shmem>) {
        self.write(Undo::Shmem(id, old.cloned()));
    }
}

impl mmscope_maple::Observer<VmaId> for Journal {
    fn node(&mut self, id: NodeId<VmaId>, old: Option<&Node<VmaId>>) {
        self.write(Undo::Node(id, old.cloned().map(Box::new)));
    }

    fn root(&mut self, old: Root<VmaId>) {
        self.write(Undo::Root(old));
    }

    fn gap(&mut self, look: GapLook) {
        self.entries.push(Entry::Event(Event::Gap(look)));
    }
}

impl mmscope_maple::Observer<Mapped> for Journal {
    fn node(&mut self, id: NodeId<Mapped>, old: Option<&Node<Mapped>>) {
        self.write(Undo::PmdNode(id, old.cloned().map(Box::new)));
    }

    fn root(&mut self, old: Root<Mapped>) {
        self.write(Undo::PmdRoot(old));
    }
}
