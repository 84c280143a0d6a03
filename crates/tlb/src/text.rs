//! A TLB as one line of text: printed, and read with errors that say where.
//!
//! `L1/L2/PDE-PDPTE-PML4E`, a level being structures with commas between, or `none`; a structure `SIZES:SETSxWAYS`, then with
//! colons its index (left out where linear) and its replacement.

use std::fmt;
use std::str::FromStr;

use crate::geometry::{
    Geometry, GeometryError, Level, PageSizes, Replacement, StructureGeometry, WalkCacheSizes,
};
use crate::index::Index;
use crate::page::PageSize;

/// Why a text is no TLB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextError {
    /// Not three parts with `/` between.
    Parts(usize),
    /// A word of a structure is not known.
    Word {
        /// The level.
        level: Level,
        /// The structure as it was written.
        structure: String,
        /// The word.
        word: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The walk caches are not three numbers.
    WalkCaches(String),
    /// It reads, and can't be built.
    Geometry(GeometryError),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts(found) => write!(
                f,
                "{found} parts between slashes: first level, second level and walk caches are three, as in 4K:16x4:plru/4K:128x12:lru/32-4-2"
            ),
            Self::Word {
                level,
                structure,
                word,
                expected,
            } => write!(f, "{level}, “{structure}”: “{word}” should be {expected}"),
            Self::WalkCaches(text) => write!(
                f,
                "walk caches “{text}”: expected three numbers of entries, PDE-PDPTE-PML4E, as 32-4-2"
            ),
            Self::Geometry(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TextError {}

const SIZES: &str = "page sizes, 4K, 2M, 1G or some of them with + between";
const SHAPE: &str = "sets and ways, as 16x4";
const INDEX_OR_REPLACEMENT: &str = "an index (linear, mod, xor7, fold7, bits12.13.14, masks41000.82000 in hex) or a replacement (lru, fifo, plru, mru3plru4, random.SEED in hex)";
const REPLACEMENT: &str =
    "the structure's last word, a replacement: lru, fifo, plru, mru3plru4 or random.SEED in hex";

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Mod => f.write_str("mod"),
            Self::Xor { shift } => write!(f, "xor{shift}"),
            Self::Fold { bits } => write!(f, "fold{bits}"),
            Self::Bits(bits) => {
                f.write_str("bits")?;
                dotted(f, bits.iter().map(u8::to_string))
            }
            Self::Masks(masks) => {
                f.write_str("masks")?;
                dotted(f, masks.iter().map(|mask| format!("{mask:x}")))
            }
        }
    }
}

fn dotted(f: &mut fmt::Formatter<'_>, words: impl Iterator<Item = String>) -> fmt::Result {
    for (at, word) in words.enumerate() {
        write!(f, "{}{word}", if at == 0 { "" } else { "." })?;
    }
    Ok(())
}

impl fmt::Display for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lru => f.write_str("lru"),
            Self::Fifo => f.write_str("fifo"),
            Self::Plru => f.write_str("plru"),
            Self::Mru3Plru4 => f.write_str("mru3plru4"),
            Self::Random { seed } => write!(f, "random.{seed:x}"),
        }
    }
}

impl fmt::Display for StructureGeometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, size) in self.sizes.iter().enumerate() {
            write!(f, "{}{size}", if at == 0 { "" } else { "+" })?;
        }
        write!(f, ":{}x{}", self.sets, self.ways)?;
        if self.index != Index::Linear {
            write!(f, ":{}", self.index)?;
        }
        write!(f, ":{}", self.replacement)
    }
}

impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for level in [&self.l1, &self.l2] {
            if level.is_empty() {
                f.write_str("none")?;
            }
            for (at, structure) in level.iter().enumerate() {
                write!(f, "{}{structure}", if at == 0 { "" } else { "," })?;
            }
            f.write_str("/")?;
        }
        let WalkCacheSizes { pde, pdpte, pml4e } = self.walk_caches;
        write!(f, "{pde}-{pdpte}-{pml4e}")
    }
}

impl FromStr for Geometry {
    type Err = TextError;

    /// Reads the text form, for example `4K:16x4:plru,2M:8x4:plru/4K+2M:128x12:xor7:mru3plru4/32-4-2`, and checks that the TLB
    /// can be built.
    fn from_str(text: &str) -> Result<Self, TextError> {
        let parts: Vec<&str> = text.trim().split('/').collect();
        let [l1, l2, walk_caches] = parts[..] else {
            return Err(TextError::Parts(parts.len()));
        };
        let geometry = Self {
            l1: level(Level::First, l1)?,
            l2: level(Level::Second, l2)?,
            walk_caches: sizes(walk_caches)
                .ok_or_else(|| TextError::WalkCaches(walk_caches.to_owned()))?,
        };
        geometry.check().map_err(TextError::Geometry)?;
        Ok(geometry)
    }
}

fn sizes(text: &str) -> Option<WalkCacheSizes> {
    let mut numbers = text.split('-').map(|number| number.parse().ok());
    let sizes = WalkCacheSizes {
        pde: numbers.next()??,
        pdpte: numbers.next()??,
        pml4e: numbers.next()??,
    };
    numbers.next().is_none().then_some(sizes)
}

fn level(level: Level, text: &str) -> Result<Vec<StructureGeometry>, TextError> {
    if text == "none" {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|text| {
            structure(text).map_err(|(word, expected)| TextError::Word {
                level,
                structure: text.to_owned(),
                word: word.to_owned(),
                expected,
            })
        })
        .collect()
}

fn structure(text: &str) -> Result<StructureGeometry, (&str, &'static str)> {
    let mut words = text.split(':');
    let first = words.next().unwrap_or_default();
    let sizes = first.split('+').map(PageSize::named);
    let sizes: PageSizes = sizes.collect::<Option<_>>().ok_or((first, SIZES))?;
    let shape = words.next().unwrap_or_default();
    let number = |text: &str| text.parse::<u32>().ok();
    let (sets, ways) = shape
        .split_once('x')
        .and_then(|(sets, ways)| Some((number(sets)?, number(ways)?)))
        .ok_or((shape, SHAPE))?;
    let mut word = words.next().ok_or(("", INDEX_OR_REPLACEMENT))?;
    let index = match index(word) {
        Some(index) => {
            word = words.next().ok_or(("", REPLACEMENT))?;
            index
        }
        None => Index::Linear,
    };
    let expected = if text.split(':').nth(2) == Some(word) {
        INDEX_OR_REPLACEMENT
    } else {
        REPLACEMENT
    };
    let replacement = replacement(word).ok_or((word, expected))?;
    if let Some(more) = words.next() {
        return Err((more, "nothing: the replacement ends a structure"));
    }
    Ok(StructureGeometry {
        sizes,
        sets,
        ways,
        index,
        replacement,
    })
}

fn index(word: &str) -> Option<Index> {
    let dotted = |text: &str| -> Vec<String> { text.split('.').map(str::to_owned).collect() };
    match word {
        "linear" => return Some(Index::Linear),
        "mod" => return Some(Index::Mod),
        _ => {}
    }
    if let Some(shift) = word.strip_prefix("xor") {
        let shift = shift.parse().ok()?;
        Some(Index::Xor { shift })
    } else if let Some(bits) = word.strip_prefix("fold") {
        let bits = bits.parse().ok()?;
        Some(Index::Fold { bits })
    } else if let Some(bits) = word.strip_prefix("bits") {
        let bits = dotted(bits)
            .iter()
            .map(|bit| bit.parse().ok())
            .collect::<Option<_>>()?;
        Some(Index::Bits(bits))
    } else {
        let masks = dotted(word.strip_prefix("masks")?);
        let masks = masks.iter().map(|mask| u64::from_str_radix(mask, 16).ok());
        Some(Index::Masks(masks.collect::<Option<_>>()?))
    }
}

fn replacement(word: &str) -> Option<Replacement> {
    Some(match word {
        "lru" => Replacement::Lru,
        "fifo" => Replacement::Fifo,
        "plru" => Replacement::Plru,
        "mru3plru4" => Replacement::Mru3Plru4,
        _ => Replacement::Random {
            seed: u64::from_str_radix(word.strip_prefix("random.")?, 16).ok()?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Preset;

    #[test]
    fn what_is_printed_is_read_again() {
        let mut texts: Vec<String> = Preset::all()
            .iter()
            .map(|preset| preset.geometry.to_string())
            .collect();
        texts.push("4K:16x4:plru,2M:8x4:plru/4K+2M:128x12:xor7:mru3plru4/32-4-2".into());
        texts.push(
            "none/4K+2M+1G:8x3:masks41000.82000.100000:random.9e37,1G:24x2:mod:fifo/0-0-0".into(),
        );
        texts.push("none/none/0-0-0".into());
        texts.push("4K:4x2:fold7:lru/2M:2x2:bits13:lru/1-1-1".into());
        for text in texts {
            let read: Geometry = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
        }
        assert_eq!(
            Preset::named("skylake").unwrap().geometry.to_string(),
            "4K:16x4:plru,2M:8x4:plru/4K+2M:128x12:xor7:mru3plru4/32-4-2"
        );
        let linear: Geometry = "4K:4x2:linear:lru/none/0-0-0".parse().unwrap();
        assert_eq!(linear.to_string(), "4K:4x2:lru/none/0-0-0");
    }

    #[test]
    fn errors_say_where() {
        for (text, says) in [
            ("4K:16x4:lru", "1 parts between slashes"),
            ("4K:16x4:lru/none/1-2", "walk caches “1-2”"),
            ("4K:16x4:lru/none/1-2-3-4", "walk caches “1-2-3-4”"),
            (
                "8K:16x4:lru/none/0-0-0",
                "L1, “8K:16x4:lru”: “8K” should be page sizes",
            ),
            ("4K:16*4:lru/none/0-0-0", "“16*4” should be sets and ways"),
            ("4K:16x4/none/0-0-0", "“” should be an index"),
            (
                "4K:16x4:xor7/none/0-0-0",
                "“” should be the structure's last word",
            ),
            (
                "none/4K:16x4:mru/0-0-0",
                "L2, “4K:16x4:mru”: “mru” should be an index",
            ),
            (
                "4K:16x4:xor7:mru/none/0-0-0",
                "“mru” should be the structure's last word",
            ),
            ("4K:16x4:lru:xor7/none/0-0-0", "“xor7” should be nothing"),
            (
                "4K:12x4:lru/none/0-0-0",
                "structure 1 of L1: 12 sets are no power of two",
            ),
            (
                "none/4K:4x4:lru,4K:4x3:plru/0-0-0",
                "structure 2 of L2: plru with 3 ways",
            ),
            ("4K:0x4:lru/none/0-0-0", "0 sets"),
            ("4K:1x0:lru/none/0-0-0", "0 ways"),
            ("4K:1x99999:lru/none/0-0-0", "99999 ways"),
            ("4K:65536x32:lru/none/0-0-0", "2097152 entries"),
            ("4K:4x4:mru3plru4/none/0-0-0", "mru3plru4 with 4 ways"),
            ("4K:4x4:random.0/none/0-0-0", "seed 0"),
            ("4K:4x4:bits12:lru/none/0-0-0", "1 index bits choose"),
            ("none/none/99999-0-0", "a walk cache of 99999 entries"),
        ] {
            let error = text.parse::<Geometry>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
