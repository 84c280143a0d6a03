//! A loop that can do one thing: streams in lockstep through 16 sets of 4 ways, and 128 of 12 behind them, linear, LRU.
//! No other geometry, no page sizes, no walk caches, no counts by set.

/// Its whole state: page numbers of each set, the one used last in front. A page number is never 0 here.
pub(crate) struct ByHand {
    first: [[u64; 4]; 16],
    second: [[u64; 12]; 128],
    pub(crate) l1_hits: u64,
    pub(crate) l2_hits: u64,
    pub(crate) walks: u64,
}

/// Brings a page to the front of its set, and tells whether it was there.
#[inline(always)]
fn use_page<const W: usize>(set: &mut [u64; W], page: u64) -> bool {
    let mut carried = page;
    for slot in set {
        std::mem::swap(slot, &mut carried);
        if carried == page {
            return true;
        }
    }
    false
}

impl ByHand {
    pub(crate) fn new() -> Self {
        Self {
            first: [[0; 4]; 16],
            second: [[0; 12]; 128],
            l1_hits: 0,
            l2_hits: 0,
            walks: 0,
        }
    }

    pub(crate) fn lockstep(&mut self, bases: &[u64], n: u64, size: u64, stride: u64) {
        let (mut left, mut offset) = (n, 0);
        while left > 0 {
            for base in bases.iter().take(left as usize) {
                let page = (base + offset) >> 12;
                if use_page(&mut self.first[page as usize % 16], page) {
                    self.l1_hits += 1;
                } else if use_page(&mut self.second[page as usize % 128], page) {
                    self.l2_hits += 1;
                } else {
                    self.walks += 1;
                }
            }
            left = left.saturating_sub(bases.len() as u64);
            offset += stride;
            if offset >= size {
                offset -= size;
            }
        }
    }
}
