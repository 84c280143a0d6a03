//! The personality of the task, as far as memory depends on it.

use crate::call::{Fd, Mmap};
use crate::event::Event;
use crate::flags::{MapFlags, Prot, VmFlags};
use crate::machine::Machine;
use crate::observer::Observer;
use crate::page::PAGE_SIZE;

/// `MMAP_PAGE_ZERO`: exec maps page 0.
const PAGE_ZERO: u32 = 0x10_0000;
/// `ADDR_COMPAT_LAYOUT`: an exec makes mappings grow up from `mmap_legacy_base`.
const COMPAT_LAYOUT: u32 = 0x20_0000;
/// `READ_IMPLIES_EXEC`
const READ_IMPLIES_EXEC: u32 = 0x40_0000;
/// Asks only.
const QUERY: u32 = u32::MAX;

impl Machine {
    /// Sets the personality, and gives the one before.
    pub(crate) fn personality(&mut self, to: u32, observer: &mut impl Observer) -> u64 {
        let from = self.process().personality;
        let to = if to == QUERY { from } else { to };
        if to != from {
            self.edit_process(observer).personality = to;
        }
        observer.event(|| Event::Personality { from, to });
        from.into()
    }

    /// What may be executed because it may be read.
    pub(crate) fn implied_exec(&self, prot: Prot) -> VmFlags {
        let implied = self.process().personality & READ_IMPLIES_EXEC != 0;
        match implied && prot.contains(Prot::READ) {
            true => VmFlags::EXEC,
            false => VmFlags::empty(),
        }
    }

    /// What an exec makes of the personality (`setup_new_exec`, `load_elf_binary`).
    pub(crate) fn exec_personality(&mut self, old: u32, observer: &mut impl Observer) {
        let process = self.edit_process(observer);
        process.personality = old & !READ_IMPLIES_EXEC;
        process.legacy_layout |= old & COMPAT_LAYOUT != 0;
        if old & PAGE_ZERO != 0 {
            let page = Mmap {
                addr: 0,
                len: PAGE_SIZE,
                prot: Prot::READ | Prot::EXEC,
                flags: MapFlags::PRIVATE_ANONYMOUS | MapFlags::FIXED,
                fd: Fd::None,
                offset: 0,
                begin_32bit: None,
            };
            // Mostly refused, for it lies below mmap_min_addr.
            let _ = self.do_mmap(page, observer);
        }
    }
}
