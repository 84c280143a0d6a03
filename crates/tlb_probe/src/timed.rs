//! Work to take the time of.

use mmscope_tlb::{Axis, Geometry, Pages, Pattern, Stencil, Tlb};

use crate::by_hand::ByHand;

/// What came of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Accesses.
    pub accesses: u64,
    /// Found in the first level.
    pub l1_hits: u64,
    /// Found in the second.
    pub l2_hits: u64,
    /// Walks.
    pub walks: u64,
}

/// Kinds of work. `hand` is the loop written for this, `general` the simulator, `stepwise` the simulator without rounds that
/// repeat: it takes each round's accesses from a list. 20 streams of 4632 kB in lockstep, 8 bytes at a time, right behind each
/// other (`merged`) or at multiples of 2 MiB (`aligned`); the stencil over the same.
pub const KINDS: [&str; 8] = [
    "hand merged",
    "general merged",
    "stepwise merged",
    "hand aligned",
    "general aligned",
    "stepwise aligned",
    "general stencil merged",
    "general stencil aligned",
];

const SIZE: u64 = 4632 << 10;
const GEOMETRY: &str = "4K:16x4:lru/4K:128x12:lru/32-4-2";

/// Does a kind of work over about so many accesses; `None` for a kind that is not known or a geometry that can't be.
#[must_use]
pub fn work(kind: &str, accesses: u64) -> Option<Work> {
    let apart = if kind.ends_with("merged") {
        SIZE
    } else {
        6 << 20
    };
    let bases: Vec<u64> = (0..20).map(|at| 0x7e00_0000_0000 + at * apart).collect();
    let lockstep = Pattern::Lockstep {
        n: accesses,
        size: SIZE,
        stride: 8,
        start: 0,
    };
    match kind.rsplit_once(' ')?.0 {
        "hand" => {
            let mut loop_ = ByHand::new();
            loop_.lockstep(&bases, accesses, SIZE, 8);
            Some(Work {
                accesses,
                l1_hits: loop_.l1_hits,
                l2_hits: loop_.l2_hits,
                walks: loop_.walks,
            })
        }
        "general" => general(&lockstep, &bases),
        "stepwise" => stepwise(&lockstep, &bases, accesses),
        "general stencil" => {
            // 260 accesses for each point, 6400 points for each plane.
            let planes = (accesses / (260 * 6400)).clamp(1, 80) as u32;
            let axis = |count| Axis {
                from: 2,
                to: 2 + count,
                step: 1,
            };
            let stencil = Stencil::grid_84(axis(80), axis(80), axis(planes));
            general(&Pattern::Stencil(stencil), &bases)
        }
        _ => None,
    }
}

fn general(pattern: &Pattern, bases: &[u64]) -> Option<Work> {
    let geometry: Geometry = GEOMETRY.parse().ok()?;
    let mut tlb = Tlb::new(&geometry).ok()?;
    tlb.run_pattern(pattern, bases, &Pages::small()).ok()?;
    Some(told(&tlb))
}

/// In lists of some thousand addresses, over and over: a list has no rounds.
fn stepwise(pattern: &Pattern, bases: &[u64], accesses: u64) -> Option<Work> {
    let geometry: Geometry = GEOMETRY.parse().ok()?;
    let mut tlb = Tlb::new(&geometry).ok()?;
    let addresses = pattern.over(bases).ok()?.take(512 * 20);
    let list = Pattern::List(addresses.map(|access| access.address).collect());
    let mut left = accesses;
    while left > 0 {
        let mut list = list.over(&[]).ok()?;
        left -= tlb.run(&mut list, &Pages::small(), left);
    }
    Some(told(&tlb))
}

fn told(tlb: &Tlb) -> Work {
    let counts = tlb.counts();
    Work {
        accesses: counts.accesses(),
        l1_hits: counts.l1_hits,
        l2_hits: counts.l2_hits,
        walks: counts.walks(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_loops_count_the_same() {
        for layout in ["merged", "aligned"] {
            let hand = work(&format!("hand {layout}"), 1_000_003);
            assert_eq!(hand, work(&format!("general {layout}"), 1_000_003));
            assert!(hand.is_some_and(|work| work.accesses == 1_000_003));
        }
        assert_eq!(work("hand nothing else", 1), None);
    }
}
