//! Pages and their sizes.

use std::fmt;

/// The size of a page, as a leaf entry of the page table gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageSize {
    /// 4 KiB.
    Small,
    /// 2 MiB.
    Huge,
    /// 1 GiB.
    Gigantic,
}

impl PageSize {
    /// All sizes, smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Huge, Self::Gigantic];

    /// Address bits within a page: 12, 21 or 30.
    #[must_use]
    pub const fn shift(self) -> u32 {
        match self {
            Self::Small => 12,
            Self::Huge => 21,
            Self::Gigantic => 30,
        }
    }

    /// Bytes of a page.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        1 << self.shift()
    }

    /// `4K`, `2M` or `1G`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "4K",
            Self::Huge => "2M",
            Self::Gigantic => "1G",
        }
    }

    /// The size of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.name() == name)
    }

    pub(crate) const fn rank(self) -> usize {
        self as usize
    }
}

impl fmt::Display for PageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A virtual page: what a TLB entry is tagged with (§1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page {
    /// Its size.
    pub size: PageSize,
    /// The address shifted right by the size's bits.
    pub number: u64,
}

impl Page {
    /// The page of this size that an address lies in.
    #[must_use]
    pub const fn of(address: u64, size: PageSize) -> Self {
        Self {
            size,
            number: address >> size.shift(),
        }
    }

    /// Its first address.
    #[must_use]
    pub const fn start(self) -> u64 {
        self.number << self.size.shift()
    }

    pub(crate) const fn key(self) -> Key {
        Key(self.number << 2 | self.size as u64)
    }
}

/// A page in one word, for tags and buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    /// The tag of a way without an entry: no page has it.
    pub(crate) const NONE: u64 = u64::MAX;

    pub(crate) const fn number(self) -> u64 {
        self.0 >> 2
    }

    pub(crate) const fn size(self) -> PageSize {
        match self.0 & 3 {
            0 => PageSize::Small,
            1 => PageSize::Huge,
            _ => PageSize::Gigantic,
        }
    }

    pub(crate) const fn page(self) -> Page {
        Page {
            size: self.size(),
            number: self.number(),
        }
    }

    /// The page of a tag.
    pub(crate) fn tagged(tag: u64) -> Option<Page> {
        (tag != Self::NONE).then(|| Self(tag).page())
    }
}
