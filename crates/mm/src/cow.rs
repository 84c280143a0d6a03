//! Pages that a process shares with its children until one of them writes (`copy_page_range`).

use crate::event::Range;
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::pte::{Page, Pte};

impl Machine {
    /// What a fork does to the parent's pages: from now on a write copies them first. The child is not looked at: it keeps what
    /// it got.
    pub fn share_with_child(&mut self, observer: &mut impl Observer) {
        let apart = VmFlags::MAYSHARE | VmFlags::DONTCOPY | VmFlags::WIPEONFORK;
        let forked = |pte: Pte| {
            Some(Pte {
                forked: pte.forked || pte.page == Page::Anon,
                ..pte
            })
        };
        let mut at = 0;
        while let Some(id) = self.find_vma(at) {
            let vma = self.vma(id);
            let whole = Range {
                start: vma.start,
                end: vma.end,
            };
            if !vma.flags.intersects(apart) {
                self.change_ptes(whole, &forked, observer);
            }
            at = whole.end;
        }
    }
}
