//! The machine: one process's address space under one kernel.

use std::ops::RangeInclusive;
use std::rc::Rc;

use mmscope_maple::{Arena, MaState, MapleTree};

use crate::call::{Call, NotModelled, Outcome};
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::file::File;
use crate::journal::Undo;
use crate::kernel::Kernel;
use crate::nodes::TreeWrite;
use crate::observer::Observer;
use crate::page_table::Mapped;
use crate::process::{Process, ProcessId};
use crate::settings::Settings;
use crate::shmem::Shmem;
use crate::start::Start;
use crate::vma::{Vma, VmaId};

/// Why a call ends early: the error it returns and the reason behind it.
pub(crate) type Refused = (Errno, Refusal);

/// A process's address space under one kernel.
///
/// Cloning is cheap, since unchanged parts are shared: a clone is a checkpoint.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) kernel: Kernel,
    pub(crate) settings: Rc<Settings>,
    pub(crate) files: Rc<Vec<File>>,
    pub(crate) vmas: Arena<Vma>,
    pub(crate) tree: MapleTree<VmaId>,
    pub(crate) pmds: MapleTree<Mapped>,
    pub(crate) shmems: Arena<Shmem>,
    pub(crate) processes: Arena<Process, 4>,
    pub(crate) current: ProcessId,
    pub(crate) start: Rc<Start>,
}

impl Machine {
    /// Does one call. With `&mut ()` as the observer nothing is recorded, with a [`crate::Journal`] everything is.
    pub fn run(&mut self, call: &Call, observer: &mut impl Observer) -> Outcome {
        if self.process().exited {
            return Outcome::NotModelled(NotModelled::Exited);
        }
        let done = match *call {
            Call::Mmap(mmap) => return self.mmap(mmap, observer),
            Call::Munmap { addr, len } => self.munmap(addr, len, observer),
            Call::Mprotect { addr, len, prot } => self.mprotect(addr, len, prot, observer),
            Call::Mremap(remap) => {
                return match self.mremap(remap, observer) {
                    Ok(addr) => Outcome::Address(addr),
                    Err(refused) => self.refuse(refused, observer),
                };
            }
            Call::Brk { addr } => return Outcome::Address(self.brk(addr, observer)),
            Call::Touch {
                addr,
                len,
                stride,
                access,
            } => {
                return self.touch(addr, len, stride, access, observer);
            }
            Call::Madvise { addr, len, advice } => {
                return self.madvise(addr, len, advice, observer);
            }
            Call::Mlock { addr, len, flags } => self.mlock(addr, len, flags, observer),
            Call::Munlock { addr, len } => self.munlock(addr, len, observer),
            Call::Fork { child } => self.fork(child, observer),
            Call::Exec => {
                self.exec(observer);
                Ok(())
            }
            Call::Exit => {
                self.exit(observer);
                Ok(())
            }
            Call::Ftruncate { fd, len } => self.ftruncate(fd, len, observer),
            Call::Personality { persona } => {
                return Outcome::Address(self.personality(persona, observer));
            }
            Call::Mlockall { flags } => self.mlockall(flags, observer),
            Call::Munlockall => {
                self.apply_mlockall(0, observer);
                Ok(())
            }
            Call::Mseal { addr, len, flags } => self.mseal(addr, len, flags, observer),
            Call::SetAnonName { addr, len, name } => self.set_anon_name(addr, len, name, observer),
            Call::SetThpDisable { on, flags } => self.set_thp_disable(on, flags, observer),
            Call::Setrlimit { resource, cur, max } => {
                self.setrlimit(resource, cur, max, observer);
                Ok(())
            }
        };
        match done {
            Ok(()) => Outcome::Done,
            Err(refused) => self.refuse(refused, observer),
        }
    }

    pub(crate) fn refuse(&self, (errno, reason): Refused, observer: &mut impl Observer) -> Outcome {
        observer.event(|| Event::Refused { errno, reason });
        Outcome::Error(errno)
    }

    /// Takes one write back. Writes must be undone in the reverse of the order in which a journal recorded them.
    pub fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Vma(id, old) => self.vmas.restore(id, old.map(|old| *old)),
            Undo::Process(id, old) => self.processes.restore(id, old.map(|old| *old)),
            Undo::Shmem(id, old) => self.shmems.restore(id, old),
            Undo::Node(id, old) => self.tree.undo_node(id, old.map(|old| *old)),
            Undo::Root(old) => self.tree.undo_root(old),
            Undo::PmdNode(id, old) => self.pmds.undo_node(id, old.map(|old| *old)),
            Undo::PmdRoot(old) => self.pmds.undo_root(old),
        }
    }

    /// The kernel it runs.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Has it go on under another kernel. What earlier calls did stays as it is.
    pub fn set_kernel(&mut self, kernel: Kernel) {
        self.kernel = kernel;
        if let Some(rules) = kernel.maple_rules() {
            self.tree.set_rules(rules);
        }
    }

    /// What it was set up with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The files that mappings can show.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Counters and limits.
    pub fn process(&self) -> &Process {
        &self.processes[self.current]
    }

    /// The tree that holds the mappings.
    pub fn tree(&self) -> &MapleTree<VmaId> {
        &self.tree
    }

    /// The mapping with this name.
    ///
    /// # Panics
    /// If it does not exist (any more).
    pub fn vma(&self, id: VmaId) -> &Vma {
        &self.vmas[id]
    }

    /// The mapping with this name, if it still exists.
    pub fn get_vma(&self, id: VmaId) -> Option<&Vma> {
        self.vmas.get(id)
    }

    /// The first mapping that ends above the address (`find_vma`).
    pub fn find_vma(&self, addr: u64) -> Option<VmaId> {
        MaState::new(addr, addr).find(&self.tree, u64::MAX)
    }

    /// The mapping that holds the address (`vma_lookup`).
    pub fn vma_at(&self, addr: u64) -> Option<VmaId> {
        MaState::new(addr, addr).walk(&self.tree)
    }

    /// The last mapping that starts below the address.
    pub fn prev_vma(&self, addr: u64) -> Option<VmaId> {
        let below = addr.checked_sub(1)?;
        MaState::new(below, below).find_rev(&self.tree, 0)
    }

    /// The mappings that intersect a range, lowest first.
    pub fn vmas(&self, within: Range) -> impl DoubleEndedIterator<Item = (VmaId, &Vma)> {
        inclusive(within)
            .into_iter()
            .flat_map(|within| self.tree.range(within))
            .map(|(_, id)| (id, self.vma(id)))
    }

    /// The free ranges of a range, lowest first, clipped to it.
    pub fn gaps(&self, within: Range) -> impl DoubleEndedIterator<Item = Range> {
        inclusive(within)
            .into_iter()
            .flat_map(|within| self.tree.gaps(within))
            .map(|gap| Range {
                start: *gap.start(),
                end: *gap.end() + 1,
            })
    }

    pub(crate) fn edit_vma(&mut self, id: VmaId, observer: &mut impl Observer) -> &mut Vma {
        self.vmas.edit(id, observer)
    }

    pub(crate) fn edit_process(&mut self, observer: &mut impl Observer) -> &mut Process {
        self.processes.edit(self.current, observer)
    }

    /// Adds a mapping (`vma_link`), without accounting for its pages.
    pub(crate) fn link(
        &mut self,
        vma: Vma,
        write: TreeWrite,
        observer: &mut impl Observer,
    ) -> VmaId {
        let range = Range {
            start: vma.start,
            end: vma.end,
        };
        self.get_file(vma.file, observer);
        let id = self.vmas.insert(vma, observer);
        self.store(range, Some(id), write, observer);
        self.edit_process(observer).map_count += 1;
        id
    }

    /// Forgets a mapping that the tree does not hold any more, without accounting for its pages.
    pub(crate) fn remove_vma(&mut self, id: VmaId, observer: &mut impl Observer) -> Vma {
        let vma = self.vmas.remove(id, observer);
        self.edit_process(observer).map_count -= 1;
        self.put_file(vma.file, observer);
        vma
    }

    /// Adds a mapping before the first call, whose nodes do not count.
    pub(crate) fn link_unseen(&mut self, vma: Vma, observer: &mut impl Observer) -> VmaId {
        let mut mas = MaState::new(vma.start, vma.end - 1);
        let id = self.vmas.insert(vma, observer);
        mas.store(&mut self.tree, Some(id), observer);
        self.edit_process(observer).map_count += 1;
        id
    }
}

/// The tree counts with inclusive ranges.
fn inclusive(range: Range) -> Option<RangeInclusive<u64>> {
    (!range.is_empty()).then(|| range.start..=range.end - 1)
}
