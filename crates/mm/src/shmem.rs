//! Shared anonymous memory: each such mapping has an object of its own, the file `/dev/zero` (`shmem_zero_setup`).

use mmscope_maple::Id;

use crate::event::Event;
use crate::file::FileId;
use crate::flags::VmFlags;
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::PAGE_SHIFT;
use crate::vma::{VmFile, Vma};

/// Names the object of a shared anonymous mapping.
pub type ShmemId = Id<Shmem>;

/// The object of a shared anonymous mapping. It lives as long as something maps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shmem {
    /// Length in bytes: that of the mapping it was made for. A page past it raises `BUS_ADRERR`.
    pub len: u64,
    /// Pages charged to the commit limit for it.
    pub charged: u64,
    /// Mappings that show it.
    pub mappings: u32,
}

impl Machine {
    /// The object with this name.
    ///
    /// # Panics
    /// If nothing maps it any more.
    pub fn shmem(&self, id: ShmemId) -> &Shmem {
        &self.shmems[id]
    }

    /// Makes the object of a new shared anonymous mapping. It is charged as a whole, whatever the mapping's protection
    /// (`shmem_acct_size`).
    pub(crate) fn shmem_zero_setup(
        &mut self,
        len: u64,
        flags: VmFlags,
        observer: &mut impl Observer,
    ) -> Result<VmFile, Refused> {
        let charged = if flags.contains(VmFlags::NORESERVE) {
            0
        } else {
            len >> PAGE_SHIFT
        };
        self.enough_memory(charged)?;
        self.charge(charged, observer);
        let shmem = Shmem {
            len,
            charged,
            mappings: 0,
        };
        observer.event(|| Event::ShmemObject { len, charged });
        Ok(VmFile::Shmem(self.shmems.insert(shmem, observer)))
    }

    /// One mapping more shows what this one does.
    pub(crate) fn get_file(&mut self, file: Option<VmFile>, observer: &mut impl Observer) {
        if let Some(VmFile::Shmem(id)) = file {
            self.shmems.edit(id, observer).mappings += 1;
        }
    }

    /// One mapping less shows it; the last one takes the object with it.
    pub(crate) fn put_file(&mut self, file: Option<VmFile>, observer: &mut impl Observer) {
        let Some(VmFile::Shmem(id)) = file else {
            return;
        };
        let shmem = &self.shmems[id];
        let charged = shmem.charged;
        if shmem.mappings > 1 {
            self.shmems.edit(id, observer).mappings -= 1;
        } else {
            self.uncache(VmFile::Shmem(id), (0, u64::MAX), observer);
            self.shmems.remove(id, observer);
            self.uncharge(charged, observer);
        }
    }

    /// How long a file is, in bytes; `None` if that is not known.
    pub fn file_len(&self, file: FileId) -> Option<u64> {
        let set = &self.process().file_lens;
        match set.iter().find(|(of, _)| *of == file) {
            Some((_, len)) => Some(*len),
            None => self.files[file.0 as usize].len,
        }
    }

    /// Where a mapping reaches past the end of what it shows: an access there raises `BUS_ADRERR`. At its end or above:
    /// nowhere.
    pub(crate) fn file_end(&self, vma: &Vma) -> u64 {
        let len = match vma.file {
            None => None,
            Some(VmFile::File(file)) => self.file_len(file),
            Some(VmFile::Shmem(id)) => Some(self.shmems[id].len),
        };
        match len {
            None => u64::MAX,
            Some(len) => {
                let pages = len.div_ceil(1 << PAGE_SHIFT).saturating_sub(vma.pgoff);
                vma.start
                    .saturating_add(pages.saturating_mul(1 << PAGE_SHIFT))
            }
        }
    }
}
