//! Where the mmap area lies (`arch_pick_mmap_layout`, arch/x86/mm/mmap.c).

use crate::page::{PAGE_SHIFT, TASK_SIZE, page_up};
use crate::settings::Settings;

/// The two ends of the mmap area.
pub(crate) struct Layout {
    /// A top-down search starts below it.
    pub(crate) mmap_base: u64,
    /// A bottom-up search starts at it.
    pub(crate) mmap_legacy_base: u64,
}

impl Layout {
    /// Computes them from the stack limit and the random shift, unless the settings name them.
    pub(crate) fn pick(settings: &Settings) -> Layout {
        const MIN_GAP: u64 = 128 << 20;
        const MAX_GAP: u64 = TASK_SIZE / 6 * 5;
        const STACK_RANDOM_PAGES: u64 = 0x3f_ffff;

        let rnd = settings.mmap_rnd;
        let legacy = page_up(TASK_SIZE / 3) + rnd;
        let stack = settings.rlimits.stack.unwrap_or(u64::MAX);
        let mut pad = settings.stack_guard_gap << PAGE_SHIFT;
        if rnd != 0 {
            pad += STACK_RANDOM_PAGES << PAGE_SHIFT;
        }
        let gap = stack
            .checked_add(pad)
            .unwrap_or(stack)
            .clamp(MIN_GAP, MAX_GAP);
        let top = page_up((TASK_SIZE - gap).saturating_sub(rnd));
        let (mmap_base, mmap_legacy_base) = match (settings.mmap_base, settings.legacy_layout) {
            (Some(base), true) => (top, base),
            (Some(base), false) => (base, legacy),
            (None, _) => (top, legacy),
        };
        Layout {
            mmap_base,
            mmap_legacy_base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Rlimits;

    #[test]
    fn bases_without_randomization() {
        let eight_mib = Layout::pick(&Settings::default());
        assert_eq!(eight_mib.mmap_base, 0x7fff_f7ff_f000);
        assert_eq!(eight_mib.mmap_legacy_base, 0x2aaa_aaaa_b000);
        let unlimited = Settings {
            rlimits: Rlimits {
                stack: None,
                ..Rlimits::default()
            },
            ..Settings::default()
        };
        assert_eq!(Layout::pick(&unlimited).mmap_base, 0x1555_5555_6000);
    }
}
