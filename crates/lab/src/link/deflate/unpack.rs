//! Unpacks what [`pack`](super::pack) or any other program packed.

use super::{
    DISTANCE_FINE, END, LEAST_COPY, LENGTH_FINE, LENGTHS, MOST_BITS, MOST_COPY, ORDER, fixed, value,
};
use crate::link::LinkError;

struct Reader<'a> {
    bytes: &'a [u8],
    /// Bits that were read.
    at: usize,
}

impl Reader<'_> {
    fn bit(&mut self) -> Result<u32, LinkError> {
        let byte = self.bytes.get(self.at / 8).ok_or(LinkError::Broken)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Ok(u32::from(bit))
    }

    /// Reads a number, lowest bit first.
    fn number(&mut self, count: u32) -> Result<u32, LinkError> {
        let mut number = 0;
        for place in 0..count {
            number |= self.bit()? << place;
        }
        Ok(number)
    }

    /// Reads a symbol.
    fn symbol(&mut self, code: &Code) -> Result<u32, LinkError> {
        // `bits` less the first code of this length; and where the symbols of this length begin.
        let mut above = 0;
        let mut begin = 0;
        for count in code.counts {
            above = above * 2 + self.bit()?;
            if above < count {
                return Ok(u32::from(code.symbols[(begin + above) as usize]));
            }
            above -= count;
            begin += count;
        }
        Err(LinkError::Broken)
    }

    /// Reads the lengths of the codes of a block, and makes the codes of them.
    fn codes(&mut self) -> Result<(Code, Code), LinkError> {
        let literals = self.number(5)? as usize + 257;
        let all = literals + self.number(5)? as usize + 1;
        let count = self.number(4)? as usize + 4;
        let mut lengths = [0; ORDER.len()];
        for place in &ORDER[..count] {
            lengths[usize::from(*place)] = self.number(3)? as u8;
        }
        let code = Code::new(&lengths)?;
        let mut lengths: Vec<u8> = Vec::new();
        while lengths.len() < all {
            let (length, times) = match self.symbol(&code)? {
                16 => {
                    let last = lengths.last().ok_or(LinkError::Broken)?;
                    (*last, 3 + self.number(2)?)
                }
                17 => (0, 3 + self.number(3)?),
                18 => (0, 11 + self.number(7)?),
                length => (length as u8, 1),
            };
            lengths.resize(lengths.len() + times as usize, length);
        }
        if lengths.len() > all {
            return Err(LinkError::Broken);
        }
        let (literals, distances) = lengths.split_at(literals);
        Ok((Code::new(literals)?, Code::new(distances)?))
    }

    /// Reads the symbols of a block up to its end.
    fn block(&mut self, codes: &(Code, Code), out: &mut Out) -> Result<(), LinkError> {
        loop {
            let symbol = self.symbol(&codes.0)?;
            if symbol < END {
                out.push(symbol as u8)?;
                continue;
            }
            if symbol == END {
                return Ok(());
            }
            let (least, extra) = match symbol - LENGTHS {
                28 => (MOST_COPY as u32 - LEAST_COPY as u32, 0),
                length @ 0..28 => value(length, LENGTH_FINE),
                _ => return Err(LinkError::Broken),
            };
            let length = LEAST_COPY + (least + self.number(extra)?) as usize;
            let distance = self.symbol(&codes.1)?;
            if distance >= 30 {
                return Err(LinkError::Broken);
            }
            let (least, extra) = value(distance, DISTANCE_FINE);
            let distance = (1 + least + self.number(extra)?) as usize;
            let from = out.bytes.len().checked_sub(distance);
            let from = from.ok_or(LinkError::Broken)?;
            for at in from..from + length {
                out.push(out.bytes[at])?;
            }
        }
    }

    /// Reads a block that is not packed.
    fn plain(&mut self, out: &mut Out) -> Result<(), LinkError> {
        self.at = self.at.next_multiple_of(8);
        let length = self.number(16)?;
        if self.number(16)? != length ^ 0xffff {
            return Err(LinkError::Broken);
        }
        for _ in 0..length {
            out.push(self.number(8)? as u8)?;
        }
        Ok(())
    }
}

/// A code: how many symbols have a code of each length from 1 on, and the symbols in the order of their codes.
struct Code {
    counts: [u32; MOST_BITS],
    symbols: Vec<u16>,
}

impl Code {
    /// The code of these lengths by symbol; 0 for a symbol without one.
    fn new(lengths: &[u8]) -> Result<Code, LinkError> {
        let mut code = Code {
            counts: [0; MOST_BITS],
            symbols: Vec::new(),
        };
        let mut free: u32 = 1;
        for (index, count) in code.counts.iter_mut().enumerate() {
            for (symbol, length) in lengths.iter().enumerate() {
                if usize::from(*length) == index + 1 {
                    *count += 1;
                    code.symbols.push(symbol as u16);
                }
            }
            // There may be codes without a symbol, but no symbol without a code.
            free = (free * 2).checked_sub(*count).ok_or(LinkError::Broken)?;
        }
        Ok(code)
    }
}

/// What was unpacked, up to a limit.
struct Out {
    bytes: Vec<u8>,
    most: usize,
}

impl Out {
    fn push(&mut self, byte: u8) -> Result<(), LinkError> {
        if self.bytes.len() == self.most {
            return Err(LinkError::TooLarge);
        }
        self.bytes.push(byte);
        Ok(())
    }
}

/// Unpacks at most so many bytes. What stands behind the last block is not looked at.
///
/// # Errors
/// If the bytes are not deflate's, are cut off, or unpack to more.
pub(in crate::link) fn unpack(packed: &[u8], most: usize) -> Result<Vec<u8>, LinkError> {
    let mut reader = Reader {
        bytes: packed,
        at: 0,
    };
    let mut out = Out {
        bytes: Vec::new(),
        most,
    };
    loop {
        let last = reader.bit()? == 1;
        match reader.number(2)? {
            0 => reader.plain(&mut out)?,
            1 => {
                let (literals, distances) = fixed();
                let codes = (Code::new(&literals)?, Code::new(&distances)?);
                reader.block(&codes, &mut out)?;
            }
            2 => {
                let codes = reader.codes()?;
                reader.block(&codes, &mut out)?;
            }
            _ => return Err(LinkError::Broken),
        }
        if last {
            return Ok(out.bytes);
        }
    }
}
