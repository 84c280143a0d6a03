//! Changing the length of a file (`do_ftruncate`).

use crate::call::Fd;
use crate::errno::Errno;
use crate::event::{Event, Refusal};
use crate::machine::{Machine, Refused};
use crate::observer::Observer;
use crate::page::PAGE_SIZE;
use crate::vma::VmFile;

/// No page this far into a file is ever in memory.
const LAST: u64 = 1 << 40;

impl Machine {
    /// Gives a file another length (`truncate_setsize`): what lies past its end goes, private copies too.
    pub(crate) fn ftruncate(
        &mut self,
        fd: Fd,
        len: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Refused> {
        if len > i64::MAX as u64 {
            return Err((Errno::EINVAL, Refusal::LengthWraps(len)));
        }
        let Fd::File(file) = fd else {
            return Err((Errno::EBADF, Refusal::BadFd));
        };
        if self.files[file.0 as usize].read_only {
            return Err((Errno::EINVAL, Refusal::ReadOnlyFile));
        }
        let lens = &mut self.edit_process(observer).file_lens;
        lens.retain(|(of, _)| *of != file);
        lens.push((file, len));
        let first = len.div_ceil(PAGE_SIZE);
        if first < LAST {
            self.drop_pages(VmFile::File(file), (first, LAST), true, observer);
        }
        observer.event(|| Event::Truncated { file, len });
        Ok(())
    }
}
