//! An allocator of address ranges: the highest free range that is large enough, as mmap does it.
//!
//! `cargo run -p mmscope-maple --example allocator`

use std::ops::RangeInclusive;

use mmscope_maple::{MapleTree, NoArea};

/// Hands out pages between two addresses.
struct Allocator {
    taken: MapleTree<u32>,
    limits: RangeInclusive<u64>,
    next: u32,
}

impl Allocator {
    fn new(limits: RangeInclusive<u64>) -> Allocator {
        Allocator {
            taken: MapleTree::new(),
            limits,
            next: 0,
        }
    }

    fn allocate(&mut self, size: u64) -> Result<RangeInclusive<u64>, NoArea> {
        let gap = self.taken.highest_gap(size, self.limits.clone())?;
        // The gap that comes back has the size asked for and lies at the upper end of the free range.
        self.taken.store_range(gap.clone(), Some(self.next));
        self.next += 1;
        Ok(gap)
    }

    fn free(&mut self, range: RangeInclusive<u64>) {
        self.taken.store_range(range, None);
    }
}

fn main() -> Result<(), NoArea> {
    let mut pages = Allocator::new(0x1_0000..=0x1_ffff);
    let large = pages.allocate(0x4000)?;
    let small = pages.allocate(0x1000)?;
    let other = pages.allocate(0x2000)?;
    println!("large {large:x?}, small {small:x?}, other {other:x?}");

    pages.free(small);
    println!("again {:x?}", pages.allocate(0x1000)?);
    println!("too much: {:?}", pages.allocate(0x1_0000));
    for (range, id) in pages.taken.iter() {
        println!("{range:x?} {id}");
    }
    Ok(())
}
