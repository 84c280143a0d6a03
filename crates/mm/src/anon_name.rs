//! Names that a process gives to its anonymous memory (`madvise_set_anon_name`).

use std::fmt;
use std::rc::Rc;

use crate::change::Change;
use crate::errno::Errno;
use crate::event::{Event, Range, Refusal};
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::seal::whole_pages;
use crate::vma::{VmFile, VmaId};

/// A name as `prctl` is handed it. One of 80 bytes (`ANON_VMA_NAME_MAX_LEN`) is too long, and so stands for all that are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AnonName {
    len: u8,
    bytes: [u8; AnonName::MOST],
}

impl AnonName {
    /// The longest that can be asked for, in bytes.
    pub const MOST: usize = 80;

    /// The name; `None` if it is longer than [`Self::MOST`], or not ASCII.
    pub fn new(text: &str) -> Option<AnonName> {
        let mut bytes = [0; Self::MOST];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        text.is_ascii().then_some(AnonName {
            len: text.len() as u8,
            bytes,
        })
    }

    /// Its text.
    pub fn text(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len));
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Whether a mapping may have it (`is_valid_name_char`).
    fn is_valid(&self) -> bool {
        let valid = |byte: u8| (0x20..0x7f).contains(&byte) && !b"\\`$[]".contains(&byte);
        usize::from(self.len) < Self::MOST && self.text().bytes().all(valid)
    }
}

impl fmt::Debug for AnonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Machine {
    pub(crate) fn set_anon_name(
        &mut self,
        addr: u64,
        len: u64,
        name: Option<AnonName>,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        if !self.settings.anon_vma_name {
            return Err((Errno::EINVAL, Refusal::NoNames));
        }
        if name.is_some_and(|name| !name.is_valid()) {
            return Err((Errno::EINVAL, Refusal::BadName));
        }
        let range = whole_pages(addr, len)?;
        self.walk_vmas(range, observer, |machine, id, piece, observer| {
            machine.name_one(id, piece, name, observer)
        })
    }

    fn name_one(
        &mut self,
        id: VmaId,
        piece: Range,
        name: Option<AnonName>,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        let vma = self.vma(id);
        let kind = match vma.file {
            None => "anon",
            Some(VmFile::Shmem(_)) if self.kernel.has(Change::NamesShmem) => "anon_shmem",
            Some(_) => return Err((Errno::EBADF, Refusal::NotAnonymous(id))),
        };
        let name: Option<Rc<str>> = name.map(|name| format!("[{kind}:{}]", name.text()).into());
        if vma.anon_name == name {
            observer.event(|| Event::Unchanged { vma: id });
            return Ok(());
        }
        let flags = vma.flags;
        // Out of memory is EAGAIN here: ENOMEM stands for holes.
        let vma = self
            .modify_named(id, piece, flags, name.clone(), observer)
            .map_err(|(errno, reason)| match errno {
                Errno::ENOMEM => (Errno::EAGAIN, reason),
                _ => (errno, reason),
            })?;
        if self.vma(vma).anon_name != name {
            self.edit_vma(vma, observer).anon_name = name;
        }
        observer.event(|| Event::Named { vma, range: piece });
        Ok(())
    }
}
