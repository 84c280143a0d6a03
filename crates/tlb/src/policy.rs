//! The replacement policies (§3) of sets of at most 16 ways, each with the state of a set in one word.

use crate::xorshift;

/// A policy. Ways are numbered from 0; `ways` is at most 16.
pub(crate) trait Policy: Clone {
    /// The state of an empty set.
    fn initial(ways: u32) -> u64;
    /// The state after a hit.
    fn hit(state: u64, way: u32, ways: u32) -> u64;
    /// The way that a new entry takes and the state after it: the lowest free one while there is one.
    fn place(state: u64, filled: u32, ways: u32, random: &mut u64) -> (u32, u64);
}

/// An order of ways in nibbles, the front in the lowest.
mod order {
    /// Way 0 last and each other in front of it: so as long as ways are free, the last is the lowest free one.
    pub(super) fn initial(ways: u32) -> u64 {
        (0..ways).fold(0, |order, way| {
            order | u64::from(way) << (4 * (ways - 1 - way))
        })
    }

    const ONES: u64 = 0x1111_1111_1111_1111;

    /// Brings a way to the front.
    #[inline(always)]
    pub(super) fn to_front(order: u64, way: u32) -> u64 {
        // Zero where the nibble is the way; the lowest zero nibble is found exactly, the ones above may be wrong.
        let differs = order ^ (ONES * u64::from(way));
        let zero = differs.wrapping_sub(ONES) & !differs & (ONES << 3);
        // All bits up to and including the nibble's highest.
        let upto = zero ^ zero.wrapping_sub(1);
        order & !upto | (order << 4 | u64::from(way)) & upto
    }

    /// The last way, and the order with it in front.
    #[inline(always)]
    pub(super) fn rotate(order: u64, ways: u32) -> (u32, u64) {
        let top = 4 * (ways - 1);
        let last = order >> top & 15;
        let all = u64::MAX >> (60 - top);
        (last as u32, (order << 4 | last) & all)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Lru;

impl Policy for Lru {
    fn initial(ways: u32) -> u64 {
        order::initial(ways)
    }

    #[inline(always)]
    fn hit(state: u64, way: u32, _: u32) -> u64 {
        order::to_front(state, way)
    }

    #[inline(always)]
    fn place(state: u64, _: u32, ways: u32, _: &mut u64) -> (u32, u64) {
        order::rotate(state, ways)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Fifo;

impl Policy for Fifo {
    fn initial(ways: u32) -> u64 {
        order::initial(ways)
    }

    #[inline(always)]
    fn hit(state: u64, _: u32, _: u32) -> u64 {
        state
    }

    #[inline(always)]
    fn place(state: u64, _: u32, ways: u32, _: &mut u64) -> (u32, u64) {
        order::rotate(state, ways)
    }
}

/// A tree of bits: the bit of node n is bit n of the state.
pub(crate) mod tree {
    #[inline(always)]
    pub(crate) fn touch(state: u64, way: u32, ways: u32) -> u64 {
        let (mut node, mut state, mut half) = (1, state, ways >> 1);
        while half > 0 {
            let right = u32::from(way & half != 0);
            // Points to the other half.
            state = state & !(1 << node) | u64::from(1 - right) << node;
            node = 2 * node + right;
            half >>= 1;
        }
        state
    }

    #[inline(always)]
    pub(crate) fn victim(state: u64, ways: u32) -> u32 {
        let mut node = 1;
        while node < ways {
            node = 2 * node + (state >> node & 1) as u32;
        }
        node - ways
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Plru;

impl Policy for Plru {
    fn initial(_: u32) -> u64 {
        0
    }

    #[inline(always)]
    fn hit(state: u64, way: u32, ways: u32) -> u64 {
        tree::touch(state, way, ways)
    }

    #[inline(always)]
    fn place(state: u64, filled: u32, ways: u32, _: &mut u64) -> (u32, u64) {
        let way = if filled < ways {
            filled
        } else {
            tree::victim(state, ways)
        };
        (way, tree::touch(state, way, ways))
    }
}

/// Three trees of four ways, 4 bits each, and above them the group used last.
#[derive(Debug, Clone)]
pub(crate) struct Mru3Plru4;

impl Mru3Plru4 {
    const LAST: u32 = 12;
}

impl Policy for Mru3Plru4 {
    fn initial(_: u32) -> u64 {
        2 << Self::LAST
    }

    #[inline(always)]
    fn hit(state: u64, way: u32, _: u32) -> u64 {
        let (group, trees) = (way / 4, state & 0xfff);
        let four = tree::touch(trees >> (4 * group) & 15, way % 4, 4);
        let others = trees & !(15 << (4 * group));
        others | four << (4 * group) | u64::from(group) << Self::LAST
    }

    #[inline(always)]
    fn place(state: u64, filled: u32, ways: u32, _: &mut u64) -> (u32, u64) {
        let way = if filled < ways {
            filled
        } else {
            let last = (state >> Self::LAST) as u32;
            let group = if last == 2 { 0 } else { last + 1 };
            4 * group + tree::victim(state >> (4 * group) & 15, 4)
        };
        (way, Self::hit(state, way, ways))
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Random;

impl Policy for Random {
    fn initial(_: u32) -> u64 {
        0
    }

    #[inline(always)]
    fn hit(state: u64, _: u32, _: u32) -> u64 {
        state
    }

    #[inline(always)]
    fn place(state: u64, filled: u32, ways: u32, random: &mut u64) -> (u32, u64) {
        if filled < ways {
            return (filled, state);
        }
        *random = xorshift(*random);
        ((*random % u64::from(ways)) as u32, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_moves_like_a_list() {
        for ways in 1..=16 {
            let mut list: Vec<u32> = (0..ways).rev().collect();
            let mut order = order::initial(ways);
            let mut x = 88_172_645_463_325_252;
            for _ in 0..300 {
                x = xorshift(x);
                if x & 64 == 0 {
                    let way = (x % u64::from(ways)) as u32;
                    list.retain(|other| *other != way);
                    list.insert(0, way);
                    order = order::to_front(order, way);
                } else {
                    let last = list.pop().unwrap();
                    list.insert(0, last);
                    let (way, rotated) = order::rotate(order, ways);
                    assert_eq!(way, last);
                    order = rotated;
                }
                let read: Vec<u32> = (0..ways)
                    .map(|at| (order >> (4 * at) & 15) as u32)
                    .collect();
                assert_eq!(read, list, "{ways} ways");
            }
        }
    }
}
