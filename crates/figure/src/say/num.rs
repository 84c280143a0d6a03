//! Numbers for people: sizes, addresses, counts.

use mmscope_mm::Range;

const KIB: u64 = 1 << 10;
const UNITS: [(u64, &str); 6] = [
    (1 << 60, "EiB"),
    (1 << 50, "PiB"),
    (1 << 40, "TiB"),
    (1 << 30, "GiB"),
    (1 << 20, "MiB"),
    (KIB, "kB"),
];

/// A size that is easy to read: exact where it is short (`4632 kB`, `2 MiB`), else with one decimal (`35.4 MiB`).
pub fn size(bytes: u64) -> String {
    if !bytes.is_multiple_of(KIB) {
        return if bytes < 10 * KIB {
            count(bytes, "byte", "bytes")
        } else {
            rounded(bytes)
        };
    }
    let exact = UNITS
        .iter()
        .find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match exact {
        Some((unit, name)) if bytes / unit < 10_000 => format!("{} {name}", bytes / unit),
        Some(_) => rounded(bytes),
        None => "0 kB".to_owned(),
    }
}

fn rounded(bytes: u64) -> String {
    let (unit, name) = UNITS
        .into_iter()
        .find(|(unit, _)| bytes >= *unit)
        .unwrap_or((KIB, "kB"));
    let tenths = (bytes % unit * 10 + unit / 2) / unit;
    match (bytes / unit + tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {name}"),
        (whole, tenths) => format!("{whole}.{tenths} {name}"),
    }
}

/// A size for a table: to the last kB up to 1 GiB, with one decimal from there on.
pub fn readable(bytes: u64) -> String {
    if bytes < 1 << 30 {
        exact(bytes)
    } else {
        size(bytes)
    }
}

/// A size in kB to the last digit, with thin spaces between thousands: what was counted is printed as counted.
pub fn exact(bytes: u64) -> String {
    match bytes % KIB {
        0 => format!("{} kB", grouped(bytes / KIB)),
        _ => format!("{} bytes", grouped(bytes)),
    }
}

/// A whole number with narrow no-break spaces between thousands, from five digits on.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(digits.len() + 6);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// An address as the kernel's own text prints it, with `0x`.
pub fn address(addr: u64) -> String {
    format!("{addr:#x}")
}

/// A range as `/proc/PID/maps` prints it.
pub fn range(range: Range) -> String {
    format!("{:x}-{:x}", range.start, range.end)
}

/// `1 mapping`, `2 mappings`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

/// A difference of counts, always with its sign: `+2`, `−3`, `0`.
pub fn signed(this: u64, other: u64, show: impl Fn(u64) -> String) -> String {
    match this.cmp(&other) {
        std::cmp::Ordering::Greater => format!("+{}", show(this - other)),
        std::cmp::Ordering::Less => format!("\u{2212}{}", show(other - this)),
        std::cmp::Ordering::Equal => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_where_that_is_short() {
        for (bytes, text) in [
            (0, "0 kB"),
            (1, "1 byte"),
            (5000, "5000 bytes"),
            (4632 << 10, "4632 kB"),
            (1512 << 10, "1512 kB"),
            (2 << 20, "2 MiB"),
            (36288 << 10, "35.4 MiB"),
            (128 << 20, "128 MiB"),
            ((128 << 40) - 4096, "128 TiB"),
            (0x5555_5555_4000, "85.3 TiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(exact(36288 << 10), "36\u{202f}288 kB");
        assert_eq!(exact(4632 << 10), "4632 kB");
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!(signed(5, 3, |n| n.to_string()), "+2");
        assert_eq!(signed(3, 5, |n| n.to_string()), "\u{2212}2");
        assert_eq!(signed(3, 3, |n| n.to_string()), "0");
    }
}
