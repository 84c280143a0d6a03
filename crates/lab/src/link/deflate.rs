//! Raw deflate (RFC 1951), small because a page loads it: a general library is 8 kB of it, packed.
//!
//! [`pack`] writes one block, with the fixed codes or with codes made for it, whichever is shorter. [`unpack`] reads every
//! kind of block, for links come from other programs and other times too.

mod pack;
mod unpack;

pub(super) use pack::pack;
pub(super) use unpack::unpack;

/// A copy is at least and at most so long.
const LEAST_COPY: usize = 3;
const MOST_COPY: usize = 258;
/// The symbol that ends a block; those of lengths follow it.
const END: u32 = 256;
const LENGTHS: u32 = 257;
/// The longest code of a symbol, in bits.
const MOST_BITS: usize = 15;
/// The order in which the lengths of the codes for code lengths are written.
const ORDER: [u8; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// Lengths and distances are symbols with extra bits below: each doubling of the value has `1 << fine` symbols.
/// This is the symbol of a value counted from 0, and its number of extra bits.
fn symbol_of(value: u32, fine: u32) -> (u32, u32) {
    let extra = (value.max(1).ilog2()).saturating_sub(fine);
    ((extra << fine) + (value >> extra), extra)
}

/// The least value of a symbol, and its number of extra bits.
fn value(symbol: u32, fine: u32) -> (u32, u32) {
    let extra = (symbol >> fine).saturating_sub(1);
    ((symbol - (extra << fine)) << extra, extra)
}

const LENGTH_FINE: u32 = 2;
const DISTANCE_FINE: u32 = 1;

/// The lengths of the codes that every block may use.
fn fixed() -> ([u8; 288], [u8; 30]) {
    let mut literals = [8; 288];
    literals[144..256].fill(9);
    literals[256..280].fill(7);
    (literals, [5; 30])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkError;
    use miniz_oxide::deflate::compress_to_vec;
    use miniz_oxide::inflate::decompress_to_vec;
    use proptest::prelude::*;

    #[test]
    fn symbols_and_values_are_those_of_the_rfc() {
        let rows = |fine, count| -> Vec<(u32, u32)> {
            (0..count).map(|symbol| value(symbol, fine)).collect()
        };
        let lengths = rows(LENGTH_FINE, 28);
        assert_eq!(
            lengths[..9],
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|least| (least, u32::from(least == 8)))
        );
        assert_eq!(lengths[27], (227 - 3, 5));
        let distances = rows(DISTANCE_FINE, 30);
        assert_eq!(
            distances[..6],
            [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1), (6, 1)]
        );
        assert_eq!(distances[29], (24_577 - 1, 13));
        for (fine, most) in [(LENGTH_FINE, 254), (DISTANCE_FINE, 32_767)] {
            for number in 0..=most {
                let (symbol, extra) = symbol_of(number, fine);
                let (least, bits) = value(symbol, fine);
                assert_eq!(bits, extra);
                assert_eq!(number - least, number & ((1 << extra) - 1));
            }
        }
    }

    #[test]
    fn no_more_is_unpacked_than_is_allowed() {
        let packed = pack(&[7; 1000]);
        assert!(packed.len() < 20);
        assert_eq!(unpack(&packed, 1000).map(|bytes| bytes.len()), Ok(1000));
        assert_eq!(unpack(&packed, 999), Err(LinkError::TooLarge));
        for end in 0..packed.len() - 1 {
            assert_eq!(unpack(&packed[..end], 1000), Err(LinkError::Broken));
        }
    }

    /// Text with repetitions, near and far, and some of any bytes.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            4 => "[a-f]{1,4}".prop_map(String::into_bytes),
            1 => proptest::collection::vec(any::<u8>(), 1..40),
            1 => (any::<u8>(), 1usize..600).prop_map(|(byte, count)| vec![byte; count]),
            1 => Just(b"mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n".to_vec()),
        ];
        (proptest::collection::vec(word, 0..200), 1usize..12)
            .prop_map(|(words, times)| words.concat().repeat(times))
    }

    proptest! {
        #[test]
        fn others_read_what_is_packed(bytes in bytes()) {
            let packed = pack(&bytes);
            let read = decompress_to_vec(&packed).ok();
            prop_assert_eq!(read.as_ref(), Some(&bytes));
            prop_assert_eq!(unpack(&packed, bytes.len()), Ok(bytes));
        }

        #[test]
        fn what_others_packed_is_read(bytes in bytes(), level in 0u8..=10) {
            let packed = compress_to_vec(&bytes, level);
            prop_assert_eq!(unpack(&packed, bytes.len()), Ok(bytes));
        }

        #[test]
        fn damage_is_noticed_or_harmless(bytes in bytes(), level in 0u8..=10, at in any::<prop::sample::Index>(), bit in 0u32..8) {
            let mut packed = compress_to_vec(&bytes, level);
            let at = at.index(packed.len());
            packed[at] ^= 1u8 << bit;
            let found = unpack(&packed, 1 << 20);
            if let Ok(read) = decompress_to_vec(&packed) && read.len() <= 1 << 20 {
                prop_assert_eq!(found, Ok(read));
            }
        }
    }
}
