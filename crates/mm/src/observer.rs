//! Watching the model at work.

use mmscope_maple::Witness;

use crate::event::Event;
use crate::page_table::Mapped;
use crate::process::Process;
use crate::shmem::Shmem;
use crate::vma::{Vma, VmaId};

/// Sees each decision and each write. The unit observer sees nothing and costs nothing.
pub trait Observer:
    mmscope_maple::Observer<VmaId>
    + mmscope_maple::Observer<Mapped>
    + Witness<Vma>
    + Witness<Process>
    + Witness<Shmem>
{
    /// A decision; `make` is not called by observers that don't record.
    fn event(&mut self, make: impl FnOnce() -> Event) {
        let _ = make;
    }
}

impl Observer for () {}
