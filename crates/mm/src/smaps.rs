//! `/proc/PID/smaps`: what of each mapping is in memory, and its flags.

use std::fmt::Write;

use crate::change::Change;
use crate::event::Range;
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::maps;
use crate::page_table::Pmd;
use crate::pte::{Page, Pte};
use crate::vma::VmaId;

/// The fields of a mapping in smaps that the model knows, in kB. All others are 0.
///
/// Shares are those of a process alone: a page shared with a child counts for half in [`Smaps::pss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smaps {
    /// `Size`
    pub size: u64,
    /// `KernelPageSize`, `MMUPageSize`
    pub page_size: u64,
    /// `Rss`: pages that are there, but for the zero page.
    pub rss: u64,
    /// `Pss`: those, each divided by the number of processes that map it.
    pub pss: u64,
    /// `Pss_Dirty`
    pub pss_dirty: u64,
    /// `Shared_Clean`
    pub shared_clean: u64,
    /// `Shared_Dirty`
    pub shared_dirty: u64,
    /// `Private_Clean`
    pub private_clean: u64,
    /// `Private_Dirty`
    pub private_dirty: u64,
    /// `Referenced`
    pub referenced: u64,
    /// `Anonymous`
    pub anonymous: u64,
    /// `LazyFree`
    pub lazyfree: u64,
    /// `AnonHugePages`
    pub anon_huge: u64,
    /// `ShmemPmdMapped`: huge pages for shared memory are off.
    pub shmem_pmd: u64,
    /// `Locked`
    pub locked: u64,
    /// `THPeligible`
    pub thp_eligible: bool,
    /// `VmFlags`
    pub vm_flags: VmFlags,
}

impl Smaps {
    /// Adds a run of equal pages (`smaps_account`).
    fn count(&mut self, kb: u64, pte: Pte) {
        let dirty = match pte.page {
            Page::Zero | Page::Guard => return,
            Page::Anon => !pte.lazyfree,
            Page::File => pte.written,
        };
        self.rss += kb;
        if pte.page == Page::Anon {
            self.anonymous += kb;
        }
        if pte.lazyfree {
            self.lazyfree += kb;
        } else {
            self.referenced += kb;
        }
        let pss = if pte.forked { kb / 2 } else { kb };
        self.pss += pss;
        if dirty {
            self.pss_dirty += pss;
        }
        *match (pte.forked, dirty) {
            (true, true) => &mut self.shared_dirty,
            (true, false) => &mut self.shared_clean,
            (false, true) => &mut self.private_dirty,
            (false, false) => &mut self.private_clean,
        } += kb;
    }
}

impl Machine {
    /// What smaps says of a mapping.
    pub fn smaps(&self, id: VmaId) -> Smaps {
        let vma = self.vma(id);
        let whole = Range {
            start: vma.start,
            end: vma.end,
        };
        let mut smaps = Smaps {
            size: vma.len() >> 10,
            page_size: 4,
            rss: 0,
            pss: 0,
            pss_dirty: 0,
            shared_clean: 0,
            shared_dirty: 0,
            private_clean: 0,
            private_dirty: 0,
            referenced: 0,
            anonymous: 0,
            lazyfree: 0,
            anon_huge: 0,
            shmem_pmd: 0,
            locked: 0,
            thp_eligible: self.thp_eligible(id),
            vm_flags: vma.flags,
        };
        let seen = vma.is_accessible() || self.kernel.has(Change::SmapsProtNone);
        let mut at = whole.start;
        while at < whole.end {
            let (end, pmd) = self.pmd_run(at);
            let run = Range {
                start: at,
                end: end.min(whole.end),
            };
            at = run.end;
            if pmd == Some(Pmd::Huge) {
                if !seen {
                    continue;
                }
                smaps.anon_huge += run.len() >> 10;
            }
            for (run, pte) in self.ptes(run) {
                smaps.count(run.len() >> 10, pte);
            }
        }
        if vma.flags.contains(VmFlags::LOCKED) {
            smaps.locked = smaps.pss;
        }
        smaps
    }

    /// The two-letter codes of a mapping's flags, each with a space behind it (`show_smap_vma_flags`).
    pub fn vm_flag_codes(&self, id: VmaId) -> String {
        let flags = self.vma(id).flags;
        let mut text = String::new();
        for (flag, code) in CODES {
            if flags.contains(*flag) {
                text.push_str(code);
                text.push(' ');
            }
        }
        text
    }
}

/// Codes of flags, in the order in which they are shown: by the number of the bit.
const CODES: &[(VmFlags, &str)] = &[
    (VmFlags::READ, "rd"),
    (VmFlags::WRITE, "wr"),
    (VmFlags::EXEC, "ex"),
    (VmFlags::SHARED, "sh"),
    (VmFlags::MAYREAD, "mr"),
    (VmFlags::MAYWRITE, "mw"),
    (VmFlags::MAYEXEC, "me"),
    (VmFlags::MAYSHARE, "ms"),
    (VmFlags::GROWSDOWN, "gd"),
    (VmFlags::PFNMAP, "pf"),
    (VmFlags::MAYBE_GUARD, "gu"),
    (VmFlags::LOCKED, "lo"),
    (VmFlags::IO, "io"),
    (VmFlags::SEQ_READ, "sr"),
    (VmFlags::RAND_READ, "rr"),
    (VmFlags::DONTCOPY, "dc"),
    (VmFlags::DONTEXPAND, "de"),
    (VmFlags::LOCKONFAULT, "lf"),
    (VmFlags::ACCOUNT, "ac"),
    (VmFlags::NORESERVE, "nr"),
    (VmFlags::SYNC, "sf"),
    (VmFlags::WIPEONFORK, "wf"),
    (VmFlags::DONTDUMP, "dd"),
    (VmFlags::MIXEDMAP, "mm"),
    (VmFlags::HUGEPAGE, "hg"),
    (VmFlags::NOHUGEPAGE, "nh"),
    (VmFlags::MERGEABLE, "mg"),
    (VmFlags::DROPPABLE, "dp"),
    (VmFlags::SEALED, "sl"),
];

/// The lines of a mapping, that of maps first, each with its line end (`show_smap`).
pub fn lines(machine: &Machine, id: VmaId) -> String {
    let smaps = machine.smaps(id);
    let mut text = maps::line(machine, id);
    text.push('\n');
    let ksm = machine.kernel().has(Change::SmapsKsm);
    for (name, kb) in [
        ("Size", smaps.size),
        ("KernelPageSize", smaps.page_size),
        ("MMUPageSize", smaps.page_size),
        ("Rss", smaps.rss),
        ("Pss", smaps.pss),
        ("Pss_Dirty", smaps.pss_dirty),
        ("Shared_Clean", smaps.shared_clean),
        ("Shared_Dirty", smaps.shared_dirty),
        ("Private_Clean", smaps.private_clean),
        ("Private_Dirty", smaps.private_dirty),
        ("Referenced", smaps.referenced),
        ("Anonymous", smaps.anonymous),
        ("KSM", 0),
        ("LazyFree", smaps.lazyfree),
        ("AnonHugePages", smaps.anon_huge),
        ("ShmemPmdMapped", smaps.shmem_pmd),
        ("FilePmdMapped", 0),
        ("Shared_Hugetlb", 0),
        ("Private_Hugetlb", 0),
        ("Swap", 0),
        ("SwapPss", 0),
        ("Locked", smaps.locked),
    ] {
        if name == "KSM" && !ksm {
            continue;
        }
        // The name with its colon takes 16 columns, the number 8.
        let column = 16 - name.len() - 1;
        let _ = writeln!(text, "{name}:{:column$}{kb:>8} kB", "");
    }
    let eligible = u8::from(smaps.thp_eligible);
    let codes = machine.vm_flag_codes(id);
    let _ = writeln!(text, "THPeligible:    {eligible:>8}\nVmFlags: {codes}");
    text
}

/// All of it.
pub fn text(machine: &Machine) -> String {
    let mut text = String::new();
    for (id, _) in machine.vmas(Range {
        start: 0,
        end: u64::MAX,
    }) {
        text.push_str(&lines(machine, id));
    }
    text
}
