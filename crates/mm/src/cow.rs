//! Pages that a process shares with its children until one of them writes (`copy_page_range`).

use crate::event::Range;
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::pte::{Page, Pte};
use crate::vma::Vma;

impl Vma {
    /// Whether a fork copies what its page tables hold (`vma_needs_copy`). Where it has no pages of its own, a fault will
    /// find its pages again.
    pub(crate) fn needs_copy(&self) -> bool {
        self.anon_vma.is_some() || self.flags.contains(VmFlags::MAYBE_GUARD)
    }
}

impl Machine {
    /// What a fork does to the parent's pages: from now on a write copies them first. The child is not looked at: it keeps what
    /// it got.
    pub fn share_with_child(&mut self, observer: &mut impl Observer) {
        let apart = VmFlags::DONTCOPY | VmFlags::WIPEONFORK;
        let mut at = 0;
        while let Some(id) = self.find_vma(at) {
            let vma = self.vma(id);
            let whole = Range {
                start: vma.start,
                end: vma.end,
            };
            if !vma.flags.intersects(apart) && vma.needs_copy() {
                let forked = |pte: Pte| {
                    Some(Pte {
                        forked: pte.forked || matches!(pte.page, Page::Anon | Page::File),
                        ..pte
                    })
                };
                self.change_ptes(whole, &forked, observer);
            }
            at = whole.end;
        }
    }
}
