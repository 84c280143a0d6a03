//! One number for the whole state, the same on every machine.

use crate::event::Range;
use crate::machine::Machine;
use crate::vma::{Special, VmFile, Vma};

/// FNV-1a's step on whole words, with the high bits folded back so that they count.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn option(&mut self, value: Option<u64>) {
        self.word(u64::from(value.is_some()));
        self.word(value.unwrap_or(0));
    }

    fn vma(&mut self, vma: &Vma) {
        let Vma {
            start,
            end,
            flags,
            pgoff,
            anon_pgoff,
            file,
            anon_vma,
            special,
            inherited,
            anon_name,
        } = vma;
        for word in [*start, *end, flags.bits(), *pgoff, *anon_pgoff] {
            self.word(word);
        }
        self.option(file.map(|file| match file {
            VmFile::File(file) => u64::from(file.0),
            VmFile::Shmem(id) => u64::from(id.index()) | 1 << 32,
        }));
        if *inherited {
            self.word(1);
        }
        if let Some(name) = anon_name {
            for byte in name.bytes() {
                self.word(byte.into());
            }
        }
        self.option(anon_vma.map(|anon| u64::from(anon.0)));
        self.option(special.map(|special| match special {
            Special::Stack => 0,
            Special::Vvar => 1,
            Special::VvarVclock => 2,
            Special::Vdso => 3,
        }));
    }
}

impl Machine {
    /// A hash of everything that later calls depend on: mappings, page table, counters, limits. Not of the kernel.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        for (_, vma) in self.vmas(Range {
            start: 0,
            end: u64::MAX,
        }) {
            hash.vma(vma);
            if let Some(VmFile::Shmem(id)) = vma.file {
                let shmem = self.shmem(id);
                hash.word(shmem.len);
                hash.word(shmem.charged);
            }
        }
        for (range, mapped) in self.pmds.iter() {
            hash.word(*range.start());
            hash.word(*range.end());
            hash.word(mapped.bits());
        }
        let process = self.process();
        for word in [
            process.map_count,
            process.total_vm,
            process.data_vm,
            process.locked_vm,
            process.def_flags.bits(),
            process.committed,
            process.start_data,
            process.end_data,
            process.start_brk,
            process.brk,
            process.start_stack,
            process.mmap_base,
            process.mmap_legacy_base,
            u64::from(process.personality) | u64::from(process.legacy_layout) << 32,
            u64::from(process.next_anon_vma.0) | (process.thp_disable as u64) << 32,
        ] {
            hash.word(word);
        }
        for (file, len) in &process.file_lens {
            hash.word(file.0.into());
            hash.word(*len);
        }
        let limits = &process.rlimits;
        for limit in [
            limits.address_space,
            limits.data,
            limits.data_max,
            limits.stack,
            limits.memlock,
        ] {
            hash.option(limit);
        }
        hash.0
    }
}
