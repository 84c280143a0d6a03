//! Flag words, as strace writes them.

use mmscope_mm::{Advice, MapFlags, MremapFlags, Prot};

use super::error::{Expected, FlagSet};
use super::part::{Parsed, Part};
use crate::nearest::nearest;

const PROT: &[(&str, Prot)] = &[
    ("PROT_NONE", Prot::empty()),
    ("PROT_READ", Prot::READ),
    ("PROT_WRITE", Prot::WRITE),
    ("PROT_EXEC", Prot::EXEC),
    ("PROT_SEM", Prot::SEM),
    ("PROT_GROWSDOWN", Prot::GROWSDOWN),
    ("PROT_GROWSUP", Prot::GROWSUP),
];

const MREMAP: &[(&str, MremapFlags)] = &[
    ("MREMAP_MAYMOVE", MremapFlags::MAYMOVE),
    ("MREMAP_FIXED", MremapFlags::FIXED),
    ("MREMAP_DONTUNMAP", MremapFlags::DONTUNMAP),
];

/// In the order in which strace prints them.
const MAP: &[(&str, MapFlags)] = &[
    ("MAP_FIXED", MapFlags::FIXED),
    ("MAP_ANONYMOUS", MapFlags::ANONYMOUS),
    ("MAP_32BIT", MapFlags::BIT32),
    ("MAP_ABOVE4G", MapFlags::ABOVE4G),
    ("MAP_NORESERVE", MapFlags::NORESERVE),
    ("MAP_POPULATE", MapFlags::POPULATE),
    ("MAP_NONBLOCK", MapFlags::NONBLOCK),
    ("MAP_GROWSDOWN", MapFlags::GROWSDOWN),
    ("MAP_DENYWRITE", MapFlags::DENYWRITE),
    ("MAP_EXECUTABLE", MapFlags::EXECUTABLE),
    ("MAP_LOCKED", MapFlags::LOCKED),
    ("MAP_STACK", MapFlags::STACK),
    ("MAP_HUGETLB", MapFlags::HUGETLB),
    ("MAP_SYNC", MapFlags::SYNC),
    ("MAP_FIXED_NOREPLACE", MapFlags::FIXED_NOREPLACE),
];

/// The values of the `MAP_TYPE` bits that have a name.
const TYPES: &[(&str, u32)] = &[
    ("MAP_FILE", 0),
    ("MAP_SHARED", 1),
    ("MAP_PRIVATE", 2),
    ("MAP_SHARED_VALIDATE", 3),
    ("MAP_DROPPABLE", 8),
];

/// Other names of the same flags.
const ALIASES: &[(&str, u32)] = &[
    ("MAP_ANON", 0x20),
    ("MAP_HUGE_2MB", 21 << 26),
    ("MAP_HUGE_1GB", 30 << 26),
];

const HUGE: &str = "MAP_HUGE_SHIFT";

/// Reads a `PROT_*` word.
pub(crate) fn prot(part: Part<'_>) -> Parsed<Prot> {
    let names = || PROT.iter().map(|(name, _)| *name);
    let bits = word(part, FlagSet::Prot, names, |name| {
        PROT.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, flag)| flag.bits())
    })?;
    Ok(Prot::from_bits_retain(bits))
}

/// Reads a `MAP_*` word.
pub(crate) fn map_flags(part: Part<'_>) -> Parsed<MapFlags> {
    let names = || {
        TYPES
            .iter()
            .map(|(name, _)| *name)
            .chain(MAP.iter().map(|(name, _)| *name))
    };
    let bits = word(part, FlagSet::Map, names, |name| {
        let known = MAP.iter().map(|(known, flag)| (*known, flag.bits()));
        let mut all = known
            .chain(TYPES.iter().copied())
            .chain(ALIASES.iter().copied());
        all.find(|(known, _)| *known == name).map(|(_, bits)| bits)
    })?;
    Ok(MapFlags::from_bits_retain(bits))
}

/// Reads a `MREMAP_*` word.
pub(crate) fn mremap_flags(part: Part<'_>) -> Parsed<MremapFlags> {
    let names = || MREMAP.iter().map(|(name, _)| *name);
    let bits = word(part, FlagSet::Mremap, names, |name| {
        MREMAP
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, flag)| flag.bits())
    })?;
    Ok(MremapFlags::from_bits_retain(bits))
}

/// Reads a `MADV_*` word: one name, or a number.
pub(crate) fn advice(part: Part<'_>) -> Parsed<Advice> {
    one_of(part, FlagSet::Advice, Advice::ALL, |advice| advice.0).map(Advice)
}

const MLOCK: &[(&str, u32)] = &[("MLOCK_ONFAULT", 1)];

/// Reads the flags of `mlock2`.
pub(crate) fn mlock_flags(part: Part<'_>) -> Parsed<u32> {
    one_of(part, FlagSet::Mlock, MLOCK, |flags| *flags)
}

const MCL: &[(&str, u32)] = &[("MCL_CURRENT", 1), ("MCL_FUTURE", 2), ("MCL_ONFAULT", 4)];

/// Reads the flags of `mlockall`.
pub(crate) fn mcl_flags(part: Part<'_>) -> Parsed<u32> {
    one_of(part, FlagSet::Mcl, MCL, |flags| *flags)
}

/// In the order in which strace prints them. The persona without a flag is Linux's own.
const PERSONALITY: &[(&str, u32)] = &[
    ("PER_LINUX", 0),
    ("UNAME26", 0x2_0000),
    ("ADDR_NO_RANDOMIZE", 0x4_0000),
    ("FDPIC_FUNCPTRS", 0x8_0000),
    ("MMAP_PAGE_ZERO", 0x10_0000),
    ("ADDR_COMPAT_LAYOUT", 0x20_0000),
    ("READ_IMPLIES_EXEC", 0x40_0000),
    ("ADDR_LIMIT_32BIT", 0x80_0000),
    ("SHORT_INODE", 0x100_0000),
    ("WHOLE_SECONDS", 0x200_0000),
    ("STICKY_TIMEOUTS", 0x400_0000),
    ("ADDR_LIMIT_3GB", 0x800_0000),
];

/// Reads the argument of `personality`.
pub(crate) fn personality(part: Part<'_>) -> Parsed<u32> {
    one_of(part, FlagSet::Personality, PERSONALITY, |flags| *flags)
}

/// Writes it.
pub(crate) fn personality_text(persona: u32) -> String {
    match persona {
        0 => PERSONALITY[0].0.to_owned(),
        u32::MAX => format!("{persona:#x}"),
        _ => bits_text(PERSONALITY, persona),
    }
}

/// Writes the flags of `mlockall`.
pub(crate) fn mcl_text(flags: u32) -> String {
    bits_text(MCL, flags)
}

fn bits_text(known: &[(&str, u32)], flags: u32) -> String {
    let mut words = Vec::new();
    let mut rest = flags;
    for (name, flag) in known {
        if rest & flag != 0 {
            words.push((*name).to_owned());
            rest &= !flag;
        }
    }
    if rest != 0 || words.is_empty() {
        words.push(format!("{rest:#x}"));
    }
    words.join("|")
}

fn one_of<T>(
    part: Part<'_>,
    of: FlagSet,
    known: &'static [(&'static str, T)],
    bits: fn(&T) -> u32,
) -> Parsed<u32> {
    let names = || known.iter().map(|(name, _)| *name);
    word(part, of, names, |text| {
        let found = known.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| bits(value))
    })
}

/// Writes a `MADV_*` word.
pub(crate) fn advice_text(advice: Advice) -> String {
    match advice.name() {
        Some(name) => name.to_owned(),
        None => format!("{:#x}", advice.0),
    }
}

/// Writes the flags of `mlock2`.
pub(crate) fn mlock_text(flags: u32) -> String {
    match MLOCK.iter().find(|(_, known)| *known == flags) {
        Some((name, _)) => (*name).to_owned(),
        None => format!("{flags:#x}"),
    }
}

fn word<I: Iterator<Item = &'static str>>(
    part: Part<'_>,
    of: FlagSet,
    names: impl Fn() -> I,
    value: impl Fn(&str) -> Option<u32>,
) -> Parsed<u32> {
    let mut bits = 0;
    let mut rest = part.trim();
    loop {
        let (flag, after) = match bar(rest.text()) {
            Some(at) => (rest.slice(0, at).trim(), Some(rest.from(at + 1))),
            None => (rest.trim(), None),
        };
        let one = value(flag.text())
            .or_else(|| raw(flag.text()))
            .or_else(|| huge(flag.text()));
        match one {
            Some(one) => bits |= one,
            None => {
                return Err(flag.wants(Expected::Flag {
                    of,
                    nearest: nearest(flag.text(), names()),
                }));
            }
        }
        match after {
            Some(after) => rest = after,
            None => return Ok(bits),
        }
    }
}

/// Where the next `|` stands outside of comments.
fn bar(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        match (text[at..].find('|'), text[at..].find("/*")) {
            (Some(bar), Some(comment)) if comment < bar => {
                at += comment;
                at += text[at..].find("*/")?;
            }
            (bar, _) => return bar.map(|bar| at + bar),
        }
    }
}

/// `0x20` or `32`, with or without a comment of strace's.
fn raw(text: &str) -> Option<u32> {
    let text = text.split("/*").next().unwrap_or("").trim();
    match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16).ok(),
        None if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

/// `21<<MAP_HUGE_SHIFT`
fn huge(text: &str) -> Option<u32> {
    let (order, shift) = text.split_once("<<")?;
    let order: u32 = raw(order.trim())?;
    (shift.trim() == HUGE && order < 64).then_some(order << MapFlags::HUGE_SHIFT)
}

/// Writes a `PROT_*` word.
pub(crate) fn prot_text(prot: Prot) -> String {
    let mut words = Vec::new();
    let mut rest = prot.bits();
    for (name, flag) in &PROT[1..] {
        if rest & flag.bits() != 0 {
            words.push((*name).to_owned());
            rest &= !flag.bits();
        }
    }
    if rest != 0 {
        words.push(format!("{rest:#x}"));
    }
    if words.is_empty() {
        PROT[0].0.to_owned()
    } else {
        words.join("|")
    }
}

/// Writes a `MREMAP_*` word.
pub(crate) fn mremap_flags_text(flags: MremapFlags) -> String {
    let mut words = Vec::new();
    let mut rest = flags.bits();
    for (name, flag) in MREMAP {
        if rest & flag.bits() != 0 {
            words.push((*name).to_owned());
            rest &= !flag.bits();
        }
    }
    if rest != 0 || words.is_empty() {
        words.push(if rest == 0 {
            "0".to_owned()
        } else {
            format!("{rest:#x}")
        });
    }
    words.join("|")
}

/// Writes a `MAP_*` word.
pub(crate) fn map_flags_text(flags: MapFlags) -> String {
    let kind = flags.bits() & MapFlags::TYPE;
    let mut rest = flags.bits() & !MapFlags::TYPE;
    let mut words = vec![match TYPES.iter().find(|(_, value)| *value == kind) {
        Some((name, _)) => (*name).to_owned(),
        None => format!("{kind:#x}"),
    }];
    for (name, flag) in MAP {
        if rest & flag.bits() != 0 {
            words.push((*name).to_owned());
            rest &= !flag.bits();
        }
    }
    let order = rest >> MapFlags::HUGE_SHIFT;
    rest &= (1 << MapFlags::HUGE_SHIFT) - 1;
    if rest != 0 {
        words.push(format!("{rest:#x}"));
    }
    if order != 0 {
        words.push(format!("{order}<<{HUGE}"));
    }
    words.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_word_survives() {
        for shift in 0..32 {
            for other in [0u32, 2, 0x22, 0x0480_0003, u32::MAX] {
                let bits = other ^ (1 << shift);
                let flags = MapFlags::from_bits_retain(bits);
                let text = map_flags_text(flags);
                assert_eq!(map_flags(Part::line(&text)).unwrap(), flags, "{text}");
                let flags = Prot::from_bits_retain(bits);
                assert_eq!(prot(Part::line(&prot_text(flags))).unwrap(), flags);
            }
        }
    }

    #[test]
    fn words_of_strace_are_read() {
        let read = |text| map_flags(Part::line(text)).unwrap().bits();
        assert_eq!(read("MAP_PRIVATE|MAP_ANONYMOUS"), 0x22);
        assert_eq!(read("0x22 /* MAP_PRIVATE|MAP_ANONYMOUS */"), 0x22);
        assert_eq!(
            read("MAP_PRIVATE|MAP_HUGETLB|21<<MAP_HUGE_SHIFT"),
            0x2 | 0x4_0000 | 21 << 26
        );
        assert_eq!(read("MAP_PRIVATE|0x4000000 /* MAP_??? */"), 0x0400_0002);
        assert_eq!(
            prot(Part::line("0x3 /* PROT_READ|PROT_WRITE */"))
                .unwrap()
                .bits(),
            3
        );
        assert_eq!(prot(Part::line("0")).unwrap(), Prot::empty());
        let problem = map_flags(Part::line("MAP_PRIVATE|MAP_ANONYMUS")).unwrap_err();
        let nearest = Some("MAP_ANONYMOUS");
        assert_eq!(
            *problem.expected(),
            Expected::Flag {
                of: FlagSet::Map,
                nearest
            }
        );
    }
}
