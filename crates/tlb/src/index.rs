//! From a page to a set (§2), and which address bits decide.

use std::fmt;

use crate::page::PageSize;

/// How a structure picks the set of a page. Bit numbers are those of 4 KiB pages; for larger pages all move up
/// together, so that the bits within a page never count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// The low bits of the page number.
    Linear,
    /// The page number XOR itself shifted right.
    Xor {
        /// By how many bits.
        shift: u8,
    },
    /// All groups of this many bits of the page number, one XOR the other.
    Fold {
        /// Bits of a group.
        bits: u8,
    },
    /// Address bits, one for each bit of the index, lowest first.
    Bits(Vec<u8>),
    /// Masks over the address, one for each bit of the index, lowest first: the bit is the parity of what a mask leaves.
    Masks(Vec<u64>),
    /// The remainder of the page number by the number of sets, which need not be a power of two.
    Mod,
}

/// Why an index can't be had with a number of sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexError {
    /// All but `mod` want a power of two.
    SetsNotAPowerOfTwo(u32),
    /// The number of bits or masks makes another number of sets.
    OtherSets {
        /// Bits or masks given.
        bits: u32,
        /// Sets given.
        sets: u32,
    },
    /// A shift outside 1 to 51, or groups outside 1 to 16 bits.
    Width(u8),
    /// An address bit below 12 or above 63.
    AddressBit(u8),
    /// A mask without a bit, or with bits within a page.
    Mask(u64),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetsNotAPowerOfTwo(sets) => write!(
                f,
                "{sets} sets are no power of two: only the index “mod” takes that"
            ),
            Self::OtherSets { bits, sets } => write!(
                f,
                "{bits} index bits choose one of 2^{bits} sets, and there are {sets}"
            ),
            Self::Width(bits) => write!(
                f,
                "an index can't be made by {bits} bits: a shift is 1 to 51, a fold 1 to 16"
            ),
            Self::AddressBit(bit) => write!(
                f,
                "address bit {bit} can't choose a set: 12 to 63 can, the ones below lie within a page"
            ),
            Self::Mask(mask) => write!(
                f,
                "mask {mask:x} can't choose a set: it has to have bits, and none below bit 12, within a page"
            ),
        }
    }
}

impl std::error::Error for IndexError {}

impl Index {
    /// Checks that the index can choose among so many sets.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, sets: u32) -> Result<(), IndexError> {
        if *self != Self::Mod && !sets.is_power_of_two() {
            return Err(IndexError::SetsNotAPowerOfTwo(sets));
        }
        let chosen = |count: usize| {
            let bits = u32::try_from(count).unwrap_or(u32::MAX);
            if bits == sets.trailing_zeros() {
                Ok(())
            } else {
                Err(IndexError::OtherSets { bits, sets })
            }
        };
        match self {
            Self::Linear | Self::Mod => Ok(()),
            Self::Xor { shift } if (1..=51).contains(shift) => Ok(()),
            Self::Fold { bits } if (1..=16).contains(bits) => Ok(()),
            Self::Xor { shift: bits } | Self::Fold { bits } => Err(IndexError::Width(*bits)),
            Self::Bits(bits) => match bits.iter().find(|bit| !(12..64).contains(*bit)) {
                Some(bit) => Err(IndexError::AddressBit(*bit)),
                None => chosen(bits.len()),
            },
            Self::Masks(masks) => {
                match masks.iter().find(|mask| **mask == 0 || **mask & 0xfff != 0) {
                    Some(mask) => Err(IndexError::Mask(*mask)),
                    None => chosen(masks.len()),
                }
            }
        }
    }

    /// The set, below `sets`, that an address falls into if it lies in a page of this size. `sets` and the index have to
    /// fit, as [`Self::check`] says.
    #[must_use]
    pub fn set(&self, sets: u32, address: u64, size: PageSize) -> u32 {
        IndexMap::new(self, sets.max(1)).set(address >> size.shift())
    }

    /// Which address bits feed each bit of the index, lowest first, for pages of this size: an index bit is the XOR of
    /// its address bits. `None` where the index is a remainder that every bit takes part in.
    #[must_use]
    pub fn feeds(&self, sets: u32, size: PageSize) -> Option<Vec<Vec<u8>>> {
        let rows = self.rows(sets)?;
        let row = |row: u64| {
            (0..64 - size.shift())
                .filter(|bit| row >> bit & 1 == 1)
                .map(|bit| (bit + size.shift()) as u8)
                .collect()
        };
        Some(rows.into_iter().map(row).collect())
    }

    /// For each bit of the index, the mask over the page number whose parity it is.
    fn rows(&self, sets: u32) -> Option<Vec<u64>> {
        if !sets.is_power_of_two() {
            return None;
        }
        let bits = sets.trailing_zeros();
        Some(match self {
            Self::Linear | Self::Mod => (0..bits).map(|bit| 1 << bit).collect(),
            Self::Xor { shift } => (0..bits)
                .map(|bit| {
                    let other = 1_u64.checked_shl(bit + u32::from(*shift)).unwrap_or(0);
                    1 << bit | other
                })
                .collect(),
            Self::Fold { bits: group } => (0..bits)
                .map(|bit| {
                    (0..64)
                        .filter(|other| bit < u32::from(*group) && other % u32::from(*group) == bit)
                        .fold(0, |row, other| row | 1 << other)
                })
                .collect(),
            Self::Bits(bits) => bits.iter().map(|bit| 1 << (bit - 12)).collect(),
            Self::Masks(masks) => masks.iter().map(|mask| mask >> 12).collect(),
        })
    }
}

/// An index worked out for its number of sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexMap {
    /// Linear is a XOR with what is shifted out.
    Xor {
        shift: u8,
        mask: u64,
    },
    /// What each byte of the page number contributes.
    Bytes(Vec<[u32; 256]>),
    Mod(u64),
}

impl IndexMap {
    /// One set for all: stands in while a map is in use.
    pub(crate) const fn none() -> Self {
        Self::Xor { shift: 63, mask: 0 }
    }

    pub(crate) fn new(index: &Index, sets: u32) -> Self {
        let mask = u64::from(sets) - 1;
        match index {
            Index::Mod if sets.is_power_of_two() => Self::Xor { shift: 63, mask },
            Index::Mod => Self::Mod(u64::from(sets)),
            Index::Linear => Self::Xor { shift: 63, mask },
            Index::Xor { shift } => Self::Xor {
                shift: *shift,
                mask,
            },
            Index::Fold { .. } | Index::Bits(_) | Index::Masks(_) => {
                Self::Bytes(bytes(&index.rows(sets).unwrap_or_default()))
            }
        }
    }

    #[inline(always)]
    pub(crate) fn set(&self, number: u64) -> u32 {
        match self {
            Self::Xor { shift, mask } => ((number ^ number >> (shift & 63)) & mask) as u32,
            Self::Bytes(tables) => {
                let mut rest = number;
                let mut set = 0;
                for table in tables {
                    set ^= table[(rest & 255) as usize];
                    rest >>= 8;
                }
                set
            }
            Self::Mod(sets) => (number % sets) as u32,
        }
    }
}

/// The contributions of the bytes of a page number, up to the last byte that has one.
fn bytes(rows: &[u64]) -> Vec<[u32; 256]> {
    let used = rows.iter().fold(0, |all, row| all | row);
    let count = (64 - used.leading_zeros()).div_ceil(8);
    (0..count)
        .map(|byte| {
            std::array::from_fn(|value| {
                let number = (value as u64) << (8 * byte);
                let bit = |(at, row): (usize, &u64)| ((number & row).count_ones() & 1) << at;
                rows.iter()
                    .enumerate()
                    .map(bit)
                    .fold(0, |set, bit| set | bit)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [PageSize; 2] = [PageSize::Small, PageSize::Huge];

    #[test]
    fn an_index_is_the_parity_of_the_bits_that_feed_it() {
        let zen = Index::Bits(vec![12, 13, 14, 15, 16, 17, 18, 21]);
        let masks = Index::Masks(vec![0x40_8100_0000, 0x8000_1000, 0x2000]);
        for (index, sets) in [
            (Index::Linear, 16),
            (Index::Xor { shift: 7 }, 128),
            (Index::Fold { bits: 7 }, 128),
            (Index::Fold { bits: 3 }, 16),
            (zen, 256),
            (masks, 8),
            (Index::Mod, 64),
        ] {
            index.check(sets).unwrap();
            for size in SIZES {
                let feeds = index.feeds(sets, size).unwrap();
                assert_eq!(feeds.len(), sets.trailing_zeros() as usize);
                let mut address = 0x7f12_3456_789a_u64;
                for _ in 0..500 {
                    address = address.wrapping_mul(6_364_136_223_846_793_005) ^ address >> 31;
                    let parity = |bits: &Vec<u8>| {
                        bits.iter()
                            .fold(0, |bit, from| bit ^ (address >> from) as u32 & 1)
                    };
                    let set = feeds
                        .iter()
                        .enumerate()
                        .fold(0, |set, (at, bits)| set | parity(bits) << at);
                    assert_eq!(
                        index.set(sets, address, size),
                        set,
                        "{index:?} {size} {address:x}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(
            Index::Linear.check(24),
            Err(IndexError::SetsNotAPowerOfTwo(24))
        );
        assert_eq!(Index::Mod.check(24), Ok(()));
        assert_eq!(Index::Mod.feeds(24, PageSize::Small), None);
        assert_eq!(
            Index::Bits(vec![12, 13]).check(8),
            Err(IndexError::OtherSets { bits: 2, sets: 8 })
        );
        assert_eq!(
            Index::Bits(vec![11]).check(2),
            Err(IndexError::AddressBit(11))
        );
        assert_eq!(
            Index::Masks(vec![0x800]).check(2),
            Err(IndexError::Mask(0x800))
        );
        assert_eq!(Index::Xor { shift: 0 }.check(2), Err(IndexError::Width(0)));
        assert_eq!(
            Index::Fold { bits: 17 }.check(2),
            Err(IndexError::Width(17))
        );
    }
}
