//! Counting pages and holding them to the limits (`may_expand_vm`, `vm_stat_account`, `__vm_enough_memory`).

use crate::call::Resource;
use crate::errno::Errno;
use crate::event::{Event, Refusal};
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::PAGE_SHIFT;
use crate::settings::{Limit, Overcommit};

impl Machine {
    /// Counts pages of a mapping with these flags in or out (`vm_stat_account`).
    pub(crate) fn stat_account(
        &mut self,
        flags: VmFlags,
        pages: i64,
        observer: &mut impl Observer,
    ) {
        let process = self.edit_process(observer);
        process.total_vm = process.total_vm.wrapping_add_signed(pages);
        if flags.is_data() {
            process.data_vm = process.data_vm.wrapping_add_signed(pages);
        }
        if flags.contains(VmFlags::LOCKED) {
            process.locked_vm = process.locked_vm.wrapping_add_signed(pages);
        }
    }

    /// Whether so many pages more stay within `RLIMIT_AS` and `RLIMIT_DATA` (`may_expand_vm`).
    pub(crate) fn may_expand(&self, flags: VmFlags, pages: u64) -> Result<(), Refused> {
        let process = self.process();
        if let Some(limit) = process.rlimits.address_space {
            let (pages, limit) = (process.total_vm.wrapping_add(pages), limit >> PAGE_SHIFT);
            if pages > limit {
                return Err((Errno::ENOMEM, Refusal::AddressSpaceLimit { pages, limit }));
            }
        }
        if flags.is_data()
            && let Some(soft) = process.rlimits.data
        {
            let pages = process.data_vm.wrapping_add(pages);
            // Valgrind sets the soft limit to 0 and relies on the hard one.
            let effective = if soft == 0 {
                process.rlimits.data_max
            } else {
                Some(soft)
            };
            let limit = effective.map_or(u64::MAX, |bytes| bytes >> PAGE_SHIFT);
            if pages > limit {
                return Err((Errno::ENOMEM, Refusal::DataLimit { pages, limit }));
            }
        }
        Ok(())
    }

    /// Whether so many pages may be committed, without charging them (`__vm_enough_memory`).
    pub(crate) fn enough_memory(&self, pages: u64) -> Result<(), Refused> {
        let settings = &self.settings;
        let (ram, swap) = (settings.mem_total_kb / 4, settings.swap_total_kb / 4);
        let limit = match settings.overcommit {
            Overcommit::Always => return Ok(()),
            Overcommit::Guess => ram + swap,
            Overcommit::Never => {
                const ADMIN_RESERVE: u64 = (8 << 20) >> PAGE_SHIFT;
                const USER_RESERVE: u64 = (128 << 20) >> PAGE_SHIFT;
                let reserve = ADMIN_RESERVE + (self.process().total_vm / 32).min(USER_RESERVE);
                (ram / 2 + swap).saturating_sub(reserve + self.process().committed)
            }
        };
        if pages > limit {
            return Err((Errno::ENOMEM, Refusal::Overcommit { pages, limit }));
        }
        Ok(())
    }

    pub(crate) fn charge(&mut self, pages: u64, observer: &mut impl Observer) {
        if pages > 0 {
            self.edit_process(observer).committed += pages;
        }
    }

    pub(crate) fn uncharge(&mut self, pages: u64, observer: &mut impl Observer) {
        if pages > 0 {
            // A kernel before 6c28ca6485dd can unmap more of the heap than brk has charged.
            let committed = &mut self.edit_process(observer).committed;
            *committed = committed.saturating_sub(pages);
        }
    }

    /// Whether so many bytes more may be locked (`mlock_future_ok`), `EAGAIN` if not.
    pub(crate) fn may_lock(&self, bytes: u64) -> Result<(), Refused> {
        let process = self.process();
        match process.rlimits.memlock {
            _ if self.settings.cap_ipc_lock => Ok(()),
            Some(limit) if (process.locked_vm << PAGE_SHIFT) + bytes > limit => {
                Err((Errno::EAGAIN, Refusal::MemlockLimit))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn setrlimit(
        &mut self,
        resource: Resource,
        cur: Limit,
        max: Limit,
        observer: &mut impl Observer,
    ) {
        let limits = &mut self.edit_process(observer).rlimits;
        match resource {
            Resource::AddressSpace => limits.address_space = cur,
            Resource::Data => (limits.data, limits.data_max) = (cur, max),
            Resource::Stack => limits.stack = cur,
            Resource::Memlock => limits.memlock = cur,
        }
        observer.event(|| Event::LimitSet);
    }
}
