//! fork, exec and exit: an address space copied, replaced, gone.
//!
//! One process is followed. After a fork it is the parent or the child; the other one sleeps, and keeps what it has. Nodes
//! that copying or dropping a whole tree takes are not counted. A child's tree has the shape of its parent's, as since 6.8.

use mmscope_maple::MaState;

use crate::event::{Event, Range};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::{PMD_SIZE, TASK_SIZE};
use crate::process::Process;
use crate::start;
use crate::vma::{AnonVma, VmaId};

const EVERYTHING: Range = Range {
    start: 0,
    end: TASK_SIZE,
};

impl Machine {
    /// Copies the address space, and goes on as the parent or as the child (`dup_mmap`).
    pub(crate) fn fork(
        &mut self,
        child: bool,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let mut copied = Vec::new();
        for (id, vma) in self.vmas(EVERYTHING) {
            if vma.flags.contains(VmFlags::DONTCOPY) {
                continue;
            }
            if vma.flags.contains(VmFlags::ACCOUNT) {
                self.enough_memory(vma.pages())?;
            }
            copied.push((id, vma.file));
        }
        for (_, file) in &copied {
            self.get_file(*file, observer);
        }
        self.share_with_child(observer);
        observer.event(|| Event::Forked { child });
        if child {
            self.become_child(observer);
        }
        Ok(())
    }

    fn become_child(&mut self, observer: &mut impl Observer) {
        let all: Vec<VmaId> = self.vmas(EVERYTHING).map(|(id, _)| id).collect();
        let process = self.edit_process(observer);
        process.locked_vm = 0;
        process.def_flags = VmFlags::empty();
        for id in all {
            let vma = self.vma(id);
            let range = Range {
                start: vma.start,
                end: vma.end,
            };
            let flags = vma.flags;
            if flags.contains(VmFlags::DONTCOPY) {
                self.leave_out(id, range, observer);
                continue;
            }
            // Pages that a fault will find again are not copied, nor those that the child is not to see.
            let wiped = flags.contains(VmFlags::WIPEONFORK);
            let written = vma.anon_vma.is_some() && !wiped;
            let copied = vma.needs_copy() && !wiped;
            if !copied && vma.special.is_none() {
                self.set_ptes(range, None, observer);
            }
            let fresh = self.process().next_anon_vma;
            if written {
                self.edit_process(observer).next_anon_vma = AnonVma(fresh.0 + 1);
            }
            let vma = self.edit_vma(id, observer);
            vma.flags -= VmFlags::LOCKED_MASK;
            vma.anon_vma = written.then_some(fresh);
            vma.inherited = written;
        }
        self.drop_unused_tables(observer);
    }

    /// A mapping that the child does not get. The parent has it still, so what it shows stays.
    fn leave_out(&mut self, id: VmaId, range: Range, observer: &mut impl Observer) {
        let (file, flags) = (self.vma(id).file, self.vma(id).flags);
        let pages = self.vma(id).pages();
        self.get_file(file, observer);
        self.store_unseen(range, observer);
        self.set_ptes(range, None, observer);
        self.remove_vma(id, observer);
        // That it was locked does not count any more.
        self.stat_account(flags - VmFlags::LOCKED, -pages.cast_signed(), observer);
        if flags.contains(VmFlags::ACCOUNT) {
            self.uncharge(pages, observer);
        }
        observer.event(|| Event::NotCopied { range });
    }

    /// Page tables of blocks where nothing was copied: the child has none there.
    fn drop_unused_tables(&mut self, observer: &mut impl Observer) {
        let mut kept = 0;
        let copied: Vec<Range> = self
            .vmas(EVERYTHING)
            .filter(|(_, vma)| vma.needs_copy())
            .map(|(_, vma)| Range {
                start: vma.start / PMD_SIZE * PMD_SIZE,
                end: vma.end.next_multiple_of(PMD_SIZE),
            })
            .collect();
        for range in copied {
            self.clear_blocks(kept, range.start, observer);
            kept = range.end;
        }
        self.clear_blocks(kept, TASK_SIZE.next_multiple_of(PMD_SIZE), observer);
    }

    fn clear_blocks(&mut self, start: u64, end: u64, observer: &mut impl Observer) {
        if start < end {
            self.set_pmds(Range { start, end }, None, observer);
        }
    }

    /// Makes the address space that of the start again (`begin_new_exec`, `load_elf_binary`).
    pub(crate) fn exec(&mut self, observer: &mut impl Observer) {
        self.drop_all(observer);
        let at_start = self.start.clone();
        let old = self.process();
        let fresh = start::process(&self.settings, &at_start);
        let fresh = Process {
            // An address space made by exec has these of the old one.
            thp_disable: old.thp_disable,
            rlimits: old.rlimits,
            next_anon_vma: old.next_anon_vma,
            nodes: old.nodes,
            file_lens: old.file_lens.clone(),
            ..fresh
        };
        let personality = old.personality;
        *self.edit_process(observer) = fresh;
        for (index, map) in (0u32..).zip(&at_start.maps) {
            // It was possible at the start.
            let _ = self.start_map(index, map, &at_start, observer);
        }
        self.exec_personality(personality, observer);
        observer.event(|| Event::Execed);
    }

    /// Takes everything away; no call follows (`exit_mmap`).
    pub(crate) fn exit(&mut self, observer: &mut impl Observer) {
        self.drop_all(observer);
        self.edit_process(observer).exited = true;
        observer.event(|| Event::Exited);
    }

    /// Takes all mappings away, sealed or not.
    fn drop_all(&mut self, observer: &mut impl Observer) {
        let all: Vec<VmaId> = self.vmas(EVERYTHING).map(|(id, _)| id).collect();
        self.store_unseen(EVERYTHING, observer);
        self.set_ptes(EVERYTHING, None, observer);
        self.clear_blocks(0, TASK_SIZE.next_multiple_of(PMD_SIZE), observer);
        self.complete(&all, observer);
    }

    /// Clears a range of the tree without counting nodes.
    fn store_unseen(&mut self, range: Range, observer: &mut impl Observer) {
        let mut mas = MaState::new(range.start, range.end - 1);
        mas.store(&mut self.tree, None, observer);
    }
}
