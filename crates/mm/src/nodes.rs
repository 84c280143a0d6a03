//! Nodes of the maple tree: who asks for them, and what becomes of them.

use std::ops::{AddAssign, Sub};

use mmscope_maple::{MaState, MapleTree, Node, NodeId, Preallocated, Root, Stored, WriteEvent};

use crate::change::Change;
use crate::event::{Event, Range};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::vma::VmaId;

/// Nodes on their way from the allocator and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// Taken from the allocator, before a write or in it.
    pub asked: u64,
    /// Put into a tree.
    pub used: u64,
    /// Given back at once: not used, or replaced and free for use again without a grace period.
    pub returned: u64,
    /// Left a tree: after a grace period, or with the whole tree.
    pub freed: u64,
}

impl Nodes {
    /// Asked for in vain.
    fn unused(asked: u32) -> Nodes {
        Nodes {
            asked: asked.into(),
            returned: asked.into(),
            ..Nodes::default()
        }
    }
}

impl AddAssign for Nodes {
    fn add_assign(&mut self, more: Nodes) {
        self.asked += more.asked;
        self.used += more.used;
        self.returned += more.returned;
        self.freed += more.freed;
    }
}

impl Sub for Nodes {
    type Output = Nodes;

    /// What came after `before`, an earlier count of the same process.
    fn sub(self, before: Nodes) -> Nodes {
        Nodes {
            asked: self.asked - before.asked,
            used: self.used - before.used,
            returned: self.returned - before.returned,
            freed: self.freed - before.freed,
        }
    }
}

impl From<Stored> for Nodes {
    fn from(stored: Stored) -> Nodes {
        Nodes {
            asked: stored.asked.into(),
            used: stored.used.into(),
            returned: stored.returned.into(),
            freed: stored.freed.into(),
        }
    }
}

/// For what the tree of mappings is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeWrite {
    /// A new mapping of mmap.
    New,
    /// A mapping that takes in a new range beside it (`vma_expand`).
    Expand,
    /// A mapping that takes in a part of another one (`vma_merge`).
    Merge,
    /// The new part of a mapping that is cut in two (`__split_vma`).
    Split,
    /// The hole that munmap leaves.
    Clear,
    /// The list of mappings that munmap is about to remove, which is a tree of its own (`mt_detach`).
    Detach,
    /// A new mapping of brk.
    NewHeap,
    /// The heap, grown by brk.
    GrowHeap,
    /// A stack that grows down (`expand_downwards`).
    GrowStack,
}

impl TreeWrite {
    /// All of them.
    pub const ALL: [TreeWrite; 9] = [
        TreeWrite::New,
        TreeWrite::Expand,
        TreeWrite::Merge,
        TreeWrite::Split,
        TreeWrite::Clear,
        TreeWrite::Detach,
        TreeWrite::NewHeap,
        TreeWrite::GrowHeap,
        TreeWrite::GrowStack,
    ];

    /// Whether nodes are asked for before the write (`mas_preallocate`), or by the write itself if it needs any
    /// (`mas_store_gfp`).
    fn preallocates(self, kernel: Kernel) -> bool {
        match self {
            TreeWrite::New
            | TreeWrite::Expand
            | TreeWrite::Merge
            | TreeWrite::Split
            | TreeWrite::GrowStack => true,
            TreeWrite::Clear => !kernel.has(Change::MunmapStoresPlainly),
            TreeWrite::GrowHeap => kernel.has(Change::BrkPreallocates),
            TreeWrite::Detach | TreeWrite::NewHeap => false,
        }
    }
}

/// Tells the steps of a write to the tree as events, where the kernel has such a tree.
struct Writer<'a, O> {
    observer: &'a mut O,
    /// Whether the tree is the machine's, and what its nodes held is noted.
    notes: bool,
    tells: bool,
}

impl<'a, O: Observer> Writer<'a, O> {
    fn new(kernel: Kernel, observer: &'a mut O) -> Writer<'a, O> {
        let tells = kernel.has(Change::MapleTree);
        Writer {
            observer,
            notes: true,
            tells,
        }
    }

    /// For a tree of no interest to the observer. With `()` instead, all writes would be compiled once more.
    fn quiet(observer: &'a mut O) -> Writer<'a, O> {
        Writer {
            observer,
            notes: false,
            tells: false,
        }
    }
}

impl<O: Observer> mmscope_maple::Observer<VmaId> for Writer<'_, O> {
    fn node(&mut self, id: NodeId<VmaId>, old: Option<&Node<VmaId>>) {
        if self.notes {
            self.observer.node(id, old);
        }
    }

    fn root(&mut self, old: Root<VmaId>) {
        if self.notes {
            self.observer.root(old);
        }
    }

    fn write(&mut self, step: WriteEvent<VmaId>) {
        // What the whole write took comes after it, as `Event::Nodes`.
        let last = matches!(step, WriteEvent::Done(_));
        if self.tells && !last {
            self.observer.event(|| Event::Tree(step));
        }
    }
}

impl Machine {
    /// Stores `entry` over `[range.start, range.end)` of the tree.
    pub(crate) fn store(
        &mut self,
        range: Range,
        entry: Option<VmaId>,
        write: TreeWrite,
        observer: &mut impl Observer,
    ) {
        let mut mas = self.cursor(range);
        let mut writer = Writer::new(self.kernel, observer);
        let stored = if write.preallocates(self.kernel) {
            mas.prepare(&mut self.tree, entry).store(&mut writer)
        } else {
            mas.store(&mut self.tree, entry, &mut writer)
        };
        self.count_nodes(write, stored.into(), observer);
    }

    /// The same with nodes that [`Self::ask_ahead`] asked for, if it did.
    pub(crate) fn store_with(
        &mut self,
        range: Range,
        entry: Option<VmaId>,
        write: TreeWrite,
        ahead: Option<Preallocated>,
        observer: &mut impl Observer,
    ) {
        let Some(ahead) = ahead else {
            return self.store(range, entry, write, observer);
        };
        let mut mas = self.cursor(range);
        let mut writer = Writer::new(self.kernel, observer);
        let stored = mas.store_prealloc(&mut self.tree, entry, ahead, &mut writer);
        self.count_nodes(write, stored.into(), observer);
    }

    /// Asks for the nodes of a write that comes later, after writes that may change the tree, or never; `None` if this
    /// kernel does not ask before this write.
    pub(crate) fn ask_ahead(
        &self,
        range: Range,
        entry: Option<VmaId>,
        write: TreeWrite,
    ) -> Option<Preallocated> {
        write
            .preallocates(self.kernel)
            .then(|| self.cursor(range).preallocate(&self.tree, entry))
    }

    /// Gives back what was asked for ahead, since the write does not come (`mas_destroy`).
    pub(crate) fn give_back(
        &mut self,
        write: TreeWrite,
        ahead: Option<Preallocated>,
        observer: &mut impl Observer,
    ) {
        if let Some(ahead) = ahead {
            self.count_nodes(write, Nodes::unused(ahead.nodes), observer);
        }
    }

    /// Counts the nodes that the list of doomed mappings takes. The list itself is of no use here: it is gone when the
    /// call returns.
    pub(crate) fn detach(&mut self, doomed: &[VmaId], observer: &mut impl Observer) {
        if !self.kernel.has(Change::MapleTree) {
            return;
        }
        let mut list = MapleTree::with_rules(*self.tree.rules()).without_gaps();
        list.set_rcu(false);
        let mut nodes = Nodes::default();
        for (index, id) in (0u64..).zip(doomed) {
            let mut mas = if self.kernel.has(Change::DetachByIndex) {
                MaState::new(index, index)
            } else {
                let vma = self.vma(*id);
                MaState::new(vma.start, vma.end - 1)
            };
            let mut writer = Writer::quiet(observer);
            nodes += mas.store(&mut list, Some(*id), &mut writer).into();
        }
        nodes.freed += u64::from(list.nodes().len());
        self.count_nodes(TreeWrite::Detach, nodes, observer);
    }

    /// A cursor over the range that stands in a leaf: every caller looked something up there before it writes.
    fn cursor(&self, range: Range) -> MaState {
        let mut mas = MaState::new(range.start, range.start);
        mas.walk(&self.tree);
        (mas.index, mas.last) = (range.start, range.end - 1);
        mas
    }

    fn count_nodes(&mut self, write: TreeWrite, nodes: Nodes, observer: &mut impl Observer) {
        if !self.kernel.has(Change::MapleTree) {
            return;
        }
        if nodes != Nodes::default() {
            self.edit_process(observer).nodes += nodes;
        }
        observer.event(|| Event::Nodes { write, nodes });
    }
}
