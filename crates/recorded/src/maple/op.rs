//! One operation as text.

/// An entry: a small number, or a pointer whose lowest bits are 10, which no root pointer may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) number: u32,
    pub(super) odd: bool,
}

impl Entry {
    pub(super) fn fits_root(self) -> bool {
        !self.odd
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (digits, odd) = match text.strip_prefix('x') {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let number = digits.parse().map_err(|_| format!("{text} is no entry"))?;
        Ok(Self { number, odd })
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.odd { "x" } else { "" }, self.number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Store(u64, u64, Entry),
    StorePreallocated(u64, u64, Entry),
    Insert(u64, u64, Entry),
    Clear(u64, u64),
    Erase(u64),
    Lowest(u64, u64, u64),
    Highest(u64, u64, u64),
    Walk(u64),
    Find(u64, u64),
    FindBack(u64, u64),
    Rcu(bool),
    Dup,
    Preallocate(u64, u64, Option<Entry>),
    PreallocateAt(u64, u64, Option<Entry>),
    /// Nothing: the state at the end is shown.
    End,
}

impl Op {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let hex = |word: &str| {
            u64::from_str_radix(word, 16).map_err(|_| format!("{word} is no index, in {text}"))
        };
        let maybe = |word: &str| match word {
            "-" => Ok(None),
            word => Entry::parse(word).map(Some),
        };
        Ok(match words[..] {
            ["s", a, b, v] => Self::Store(hex(a)?, hex(b)?, Entry::parse(v)?),
            ["p", a, b, v] => Self::StorePreallocated(hex(a)?, hex(b)?, Entry::parse(v)?),
            ["i", a, b, v] => Self::Insert(hex(a)?, hex(b)?, Entry::parse(v)?),
            ["c", a, b] => Self::Clear(hex(a)?, hex(b)?),
            ["e", a] => Self::Erase(hex(a)?),
            ["f", a, b, n] => Self::Lowest(hex(a)?, hex(b)?, hex(n)?),
            ["r", a, b, n] => Self::Highest(hex(a)?, hex(b)?, hex(n)?),
            ["w", a] => Self::Walk(hex(a)?),
            ["n", a, m] => Self::Find(hex(a)?, hex(m)?),
            ["N", a, m] => Self::FindBack(hex(a)?, hex(m)?),
            ["u", on] => Self::Rcu(on == "1"),
            ["d"] => Self::Dup,
            ["P", a, b, v] => Self::Preallocate(hex(a)?, hex(b)?, maybe(v)?),
            ["A", a, b, v] => Self::PreallocateAt(hex(a)?, hex(b)?, maybe(v)?),
            ["Z"] => Self::End,
            _ => return Err(format!("{text} is no operation")),
        })
    }
}
