//! Packs bytes: copies of what was there before, found by their first three bytes, and Huffman codes.

use super::{
    DISTANCE_FINE, END, LEAST_COPY, LENGTH_FINE, LENGTHS, MOST_BITS, MOST_COPY, ORDER, fixed,
    symbol_of,
};

/// A copy comes from no further back.
const WINDOW: usize = 32 << 10;
/// Earlier places that a copy is tried from.
const TRIES: u32 = 200;
const HASH_BITS: u32 = 15;

/// A byte, or a copy of what was written before.
#[derive(Clone, Copy)]
enum Token {
    Byte(u8),
    Copy { length: usize, distance: usize },
}

/// A symbol, with the extra bits that follow it and their number.
type Symbol = (usize, u32, u32);

impl Token {
    /// The symbol of the byte or length, and that of the distance.
    fn symbols(self) -> (Symbol, Option<Symbol>) {
        let (length, distance) = match self {
            Token::Byte(byte) => return ((usize::from(byte), 0, 0), None),
            Token::Copy { length, distance } => (length, distance),
        };
        let number = (length - LEAST_COPY) as u32;
        // The longest copy has a symbol to itself.
        let (symbol, extra) = match length {
            MOST_COPY => (28, 0),
            _ => symbol_of(number, LENGTH_FINE),
        };
        let length = (LENGTHS as usize + symbol as usize, number, extra);
        let number = (distance - 1) as u32;
        let (symbol, extra) = symbol_of(number, DISTANCE_FINE);
        (length, Some((symbol as usize, number, extra)))
    }
}

/// Bits on their way into bytes.
#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    bits: u32,
    count: u32,
}

impl Writer {
    /// Writes as many bits of a number, lowest first.
    fn number(&mut self, number: u32, count: u32) {
        self.bits |= (number & ((1 << count) - 1)) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }

    /// Writes a symbol with its code and its extra bits.
    fn symbol(&mut self, codes: &[(u32, u32)], (symbol, number, extra): Symbol) {
        let (code, length) = codes[symbol];
        self.number(code, length);
        self.number(number, extra);
    }

    /// Writes the tokens of a block with codes of these lengths, and its end.
    fn tokens(mut self, tokens: &[Token], literals: &[u8], distances: &[u8]) -> Vec<u8> {
        let (literals, distances) = (codes(literals), codes(distances));
        for token in tokens {
            let (symbol, distance) = token.symbols();
            self.symbol(&literals, symbol);
            if let Some(distance) = distance {
                self.symbol(&distances, distance);
            }
        }
        self.symbol(&literals, (END as usize, 0, 0));
        self.number(0, 7);
        self.out
    }

    /// Writes the lengths of the codes of a block.
    fn lengths(&mut self, literals: &[u8], distances: &[u8]) {
        let all = [literals, distances].concat();
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut counts = [0; ORDER.len()];
        let mut at = 0;
        while at < all.len() {
            let same = all[at..].iter().take_while(|length| **length == all[at]);
            let (run, zero) = (same.count(), all[at] == 0);
            let (symbol, times, least, extra) = if zero && run > 10 {
                (18, run.min(138), 11, 7)
            } else if zero && run > 2 {
                (17, run, 3, 3)
            } else if run > 2 && at > 0 && all[at - 1] == all[at] {
                (16, run.min(6), 3, 2)
            } else {
                (usize::from(all[at]), 1, 1, 0)
            };
            symbols.push((symbol, (times - least) as u32, extra));
            counts[symbol] += 1;
            at += times;
        }
        let lengths = lengths(&counts, 7);
        let is_used = |place: &u8| lengths[usize::from(*place)] > 0;
        let used = ORDER
            .iter()
            .rposition(is_used)
            .map_or(4, |at| 4.max(at + 1));
        self.number(literals.len() as u32 - LENGTHS, 5);
        self.number(distances.len() as u32 - 1, 5);
        self.number(used as u32 - 4, 4);
        for place in &ORDER[..used] {
            self.number(u32::from(lengths[usize::from(*place)]), 3);
        }
        let codes = codes(&lengths);
        for symbol in symbols {
            self.symbol(&codes, symbol);
        }
    }
}

/// The codes of these lengths, each with its first bit lowest, as it is written.
fn codes(lengths: &[u8]) -> Vec<(u32, u32)> {
    let mut codes = vec![(0, 0); lengths.len()];
    let mut next: u32 = 0;
    for length in 1..=MOST_BITS as u32 {
        next *= 2;
        for (symbol, own) in lengths.iter().enumerate() {
            if u32::from(*own) == length {
                codes[symbol] = (next.reverse_bits() >> (32 - length), length);
                next += 1;
            }
        }
    }
    codes
}

/// The lengths of good codes for symbols that occur so often, none longer than `most`.
fn lengths(counts: &[u32], most: u8) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        // How often each symbol, and then each pair of the least frequent, occurs; and the pair it is in.
        let mut weights = counts.clone();
        let mut pairs = vec![0; counts.len()];
        let mut open: Vec<usize> = (0..counts.len()).filter(|at| counts[*at] > 0).collect();
        if let [only] = open[..] {
            // No code is without a bit.
            weights.push(0);
            pairs.push(0);
            pairs[only] = counts.len();
        }
        while open.len() > 1 {
            let pair = weights.len();
            weights.push(0);
            pairs.push(0);
            for _ in 0..2 {
                let mut least = 0;
                for at in 1..open.len() {
                    if weights[open[at]] < weights[open[least]] {
                        least = at;
                    }
                }
                let one = open.swap_remove(least);
                weights[pair] += weights[one];
                pairs[one] = pair;
            }
            open.push(pair);
        }
        // From the last pair, which holds all, down.
        let mut depths = vec![0; weights.len()];
        for at in (0..weights.len()).rev() {
            if pairs[at] > 0 {
                depths[at] = depths[pairs[at]] + 1;
            }
        }
        depths.truncate(counts.len());
        if depths.iter().all(|depth| *depth <= most) {
            return depths;
        }
        // The less the numbers differ, the less do the lengths.
        for count in &mut counts {
            *count = count.div_ceil(2);
        }
    }
}

/// Packs tokens with codes made for them.
fn own_codes(tokens: &[Token]) -> Vec<u8> {
    let mut literals = [0; 286];
    let mut distances = [0; 30];
    literals[END as usize] = 1;
    for token in tokens {
        let ((symbol, ..), distance) = token.symbols();
        literals[symbol] += 1;
        if let Some((distance, ..)) = distance {
            distances[distance] += 1;
        }
    }
    let (mut literals, mut distances) = (lengths(&literals, 15), lengths(&distances, 15));
    while literals.len() > LENGTHS as usize && literals.ends_with(&[0]) {
        literals.pop();
    }
    while distances.len() > 1 && distances.ends_with(&[0]) {
        distances.pop();
    }
    let mut writer = Writer::default();
    // The last block, with codes of its own.
    writer.number(0b101, 3);
    writer.lengths(&literals, &distances);
    writer.tokens(tokens, &literals, &distances)
}

/// Earlier places with the same three bytes, the latest first. Places are counted from 1; 0 is none.
struct Places {
    latest: Vec<u32>,
    before: Vec<u32>,
}

impl Places {
    /// Notes the next place.
    fn note(&mut self, bytes: &[u8]) {
        let at = self.before.len();
        let mut latest = 0;
        if let [a, b, c, ..] = bytes[at..] {
            let three = u32::from_be_bytes([0, a, b, c]);
            let hash = three.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS);
            latest = std::mem::replace(&mut self.latest[hash as usize], at as u32 + 1);
        }
        self.before.push(latest);
    }

    /// Length and distance of the longest copy for a place; length 0 for none. Places are asked for in their order.
    fn longest(&mut self, bytes: &[u8], at: usize) -> (usize, usize) {
        let mut best = (0, 0);
        if at >= bytes.len() {
            return best;
        }
        while self.before.len() <= at {
            self.note(bytes);
        }
        let most = MOST_COPY.min(bytes.len() - at);
        let mut place = self.before[at] as usize;
        for _ in 0..TRIES {
            if place == 0 || at + 1 - place > WINDOW {
                break;
            }
            let from = place - 1;
            let mut length = 0;
            while length < most && bytes[from + length] == bytes[at + length] {
                length += 1;
            }
            if length > best.0 && length >= LEAST_COPY {
                best = (length, at - from);
            }
            if length == most {
                break;
            }
            place = self.before[from] as usize;
        }
        best
    }
}

/// Packs bytes.
pub(in crate::link) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut tokens = Vec::new();
    let mut places = Places {
        latest: vec![0; 1 << HASH_BITS],
        before: Vec::new(),
    };
    let mut at = 0;
    let mut here = places.longest(bytes, 0);
    while at < bytes.len() {
        let next = places.longest(bytes, at + 1);
        let (length, distance) = here;
        // A longer copy from the next place on is worth a byte.
        if length > 0 && next.0 <= length {
            tokens.push(Token::Copy { length, distance });
            at += length;
            here = places.longest(bytes, at);
        } else {
            tokens.push(Token::Byte(bytes[at]));
            at += 1;
            here = next;
        }
    }
    let mut writer = Writer::default();
    // The last block, with the fixed codes.
    writer.number(0b011, 3);
    let (literals, distances) = fixed();
    let plain = writer.tokens(&tokens, &literals, &distances);
    let own = own_codes(&tokens);
    if own.len() < plain.len() { own } else { plain }
}
