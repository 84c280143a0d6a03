//! Numbers as people and strace write them.

use super::error::Expected;
use super::part::{Parsed, Part};

/// Any number that fits in 64 bits.
pub(crate) const ANY: Expected = Expected::NumberInRange {
    least: 0,
    most: u64::MAX,
};

/// Reads `4096`, `0x1000`, `NULL`, `8192*1024`, `4632k`, `2M`, `1G`, `1T`.
pub(crate) fn number(part: Part<'_>) -> Parsed<u64> {
    let part = part.trim();
    let mut product: u64 = 1;
    let mut too_large = false;
    for factor in part.text().split('*') {
        let value = match factor_of(factor.trim()) {
            Ok(value) => value,
            Err(expected) => return Err(part.wants(expected)),
        };
        match product.checked_mul(value) {
            Some(value) => product = value,
            None => too_large = true,
        }
    }
    if too_large {
        Err(part.wants(ANY))
    } else {
        Ok(product)
    }
}

fn factor_of(text: &str) -> Result<u64, Expected> {
    if text == "NULL" {
        return Ok(0);
    }
    let (digits, radix, scale) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16, 1),
        None => {
            let scale = match text.as_bytes().last() {
                Some(b'k' | b'K') => 1 << 10,
                Some(b'M') => 1 << 20,
                Some(b'G') => 1 << 30,
                Some(b'T') => 1 << 40,
                _ => 1,
            };
            (&text[..text.len() - usize::from(scale > 1)], 10, scale)
        }
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(Expected::Number);
    }
    u64::from_str_radix(digits, radix)
        .ok()
        .and_then(|value| value.checked_mul(scale))
        .ok_or(ANY)
}

/// A number within limits.
pub(crate) fn number_in(part: Part<'_>, least: u64, most: u64) -> Parsed<u64> {
    match number(part) {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        Err(problem) if *problem.expected() == Expected::Number => Err(problem),
        _ => Err(part.trim().wants(Expected::NumberInRange { least, most })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_all_notations() {
        let read = |text| number(Part::line(text)).ok();
        assert_eq!(read("4743168"), read("4632k"));
        assert_eq!(read(" 0x7ffff794a000 "), Some(0x7fff_f794_a000));
        assert_eq!(read("8192*1024"), Some(8 << 20));
        assert_eq!(read("2M"), Some(2 << 20));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        for wrong in [
            "",
            "k",
            "0x",
            "-1",
            "+1",
            "1 2",
            "é",
            "18446744073709551616",
            "1T*1T",
            "0x1k",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
