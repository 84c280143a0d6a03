//! The life of an `anon_vma` (`__anon_vma_prepare`, `find_mergeable_anon_vma`).

use crate::change::Change;
use crate::event::Event;
use crate::flags::VmFlags;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::vma::{AnonVma, Vma, VmaId};

impl Machine {
    /// Gives the mapping an `anon_vma` if it has none: a neighbour's, the upper one first, or a fresh one.
    pub(crate) fn anon_vma_prepare(&mut self, id: VmaId, observer: &mut impl Observer) {
        let vma = self.vma(id);
        if vma.anon_vma.is_some() {
            return;
        }
        let shared_with = self.mergeable_anon_vma(vma);
        let anon_vma = match shared_with {
            Some((_, anon_vma)) => anon_vma,
            None => {
                let process = self.edit_process(observer);
                let fresh = process.next_anon_vma;
                process.next_anon_vma = AnonVma(fresh.0 + 1);
                fresh
            }
        };
        self.edit_vma(id, observer).anon_vma = Some(anon_vma);
        observer.event(|| Event::AnonVma {
            vma: id,
            anon_vma,
            shared_with: shared_with.map(|(id, _)| id),
        });
    }

    fn mergeable_anon_vma(&self, vma: &Vma) -> Option<(VmaId, AnonVma)> {
        let next = self
            .find_vma(vma.end)
            .filter(|next| self.compatible(vma, self.vma(*next)));
        let prev = || {
            self.prev_vma(vma.start)
                .filter(|prev| self.compatible(self.vma(*prev), vma))
        };
        // One that came from a parent is not shared any further.
        let with_anon = |id: VmaId| {
            let vma = self.vma(id);
            let own = vma.anon_vma.filter(|_| !vma.inherited);
            own.map(|anon| (id, anon))
        };
        next.and_then(with_anon)
            .or_else(|| prev().and_then(with_anon))
    }

    /// Whether two mappings could become one if their access bits were equal (`anon_vma_compatible`).
    fn compatible(&self, a: &Vma, b: &Vma) -> bool {
        let ignored = VmFlags::ACCESS | self.sticky();
        a.end == b.start
            && a.file == b.file
            && ((a.flags ^ b.flags) - ignored).is_empty()
            && b.pgoff == a.pgoff_at(a.end)
            && (!self.kernel.has(Change::AnonPgoff) || b.anon_pgoff == a.anon_pgoff_at(a.end))
    }
}
