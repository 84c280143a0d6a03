//! The script language of recorded cases.

use mmscope_mm::{
    Access, Advice, Call, Fd, FileId, MapFlags, Mmap, Mremap, MremapFlags, NotModelled, Prot, Range,
};

/// What an op of a script asks the model to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    Call(Call),
    /// `mprotect` of every second page of a range, up to the first error.
    Frag(Range, Prot),
    /// Which pages of a range are present.
    Pages(Range),
    /// The byte at an address.
    Peek(u64),
}

/// Why an op is not compared. The list may only get shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutOfScope {
    /// `MADV_COLLAPSE` of a file's pages, `MADV_PAGEOUT` with swap.
    AdviceAboutPages,
    /// A call of a process that has exited.
    Exited,
}

impl OutOfScope {
    /// The reason, for people.
    pub fn reason(self) -> &'static str {
        match self {
            OutOfScope::AdviceAboutPages => {
                "advice about pages of files or swap is not modelled yet"
            }
            OutOfScope::Exited => "a process that has exited makes no calls",
        }
    }
}

impl From<NotModelled> for OutOfScope {
    fn from(what: NotModelled) -> OutOfScope {
        match what {
            NotModelled::CollapseFile | NotModelled::PageOut => OutOfScope::AdviceAboutPages,
            NotModelled::Exited => OutOfScope::Exited,
        }
    }
}

/// A line that is not of the script language.
#[derive(Debug, PartialEq, Eq)]
pub struct ScriptError(pub String);

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScriptError {}

fn bad(line: &str, what: &str) -> ScriptError {
    ScriptError(format!("“{line}”: {what}"))
}

/// What a number in a script may refer to.
pub(crate) struct Names<'a> {
    /// Results of the ops so far; `None` where an op failed.
    pub(crate) results: &'a [Option<u64>],
    pub(crate) brk0: u64,
    pub(crate) brk: u64,
    pub(crate) top: u64,
}

impl Names<'_> {
    /// `a+b-c` of numbers with a unit, `$N`, `%brk0`, `%brk`, `%top`; wraps.
    fn number(&self, line: &str, text: &str) -> Result<u64, ScriptError> {
        let mut value = 0u64;
        let mut rest = text;
        let mut minus = false;
        if let Some(negative) = rest.strip_prefix('-') {
            (minus, rest) = (true, negative);
        }
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let term = self.term(line, &rest[..end])?;
            value = if minus {
                value.wrapping_sub(term)
            } else {
                value.wrapping_add(term)
            };
            match rest[end..].chars().next() {
                None => return Ok(value),
                Some(sign) => minus = sign == '-',
            }
            rest = &rest[end + 1..];
        }
    }

    fn term(&self, line: &str, text: &str) -> Result<u64, ScriptError> {
        let unknown = || bad(line, &format!("“{text}” is no number"));
        if let Some(op) = text.strip_prefix('$') {
            let op: usize = op.parse().map_err(|_| unknown())?;
            return self
                .results
                .get(op)
                .copied()
                .flatten()
                .ok_or_else(|| bad(line, &format!("{text} refers to an op without a result")));
        }
        match text {
            "%brk0" => return Ok(self.brk0),
            "%brk" => return Ok(self.brk),
            "%top" => return Ok(self.top),
            _ => {}
        }
        let (digits, unit) = match text.bytes().last() {
            Some(b'k') => (&text[..text.len() - 1], 10),
            Some(b'M') => (&text[..text.len() - 1], 20),
            Some(b'G') => (&text[..text.len() - 1], 30),
            Some(b'T') => (&text[..text.len() - 1], 40),
            _ => (text, 0),
        };
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        Ok(number.map_err(|_| unknown())? << unit)
    }
}

fn prot(line: &str, text: &str) -> Result<Prot, ScriptError> {
    Ok(match text {
        "none" => Prot::empty(),
        "r" => Prot::READ,
        "w" => Prot::WRITE,
        "x" => Prot::EXEC,
        "rw" => Prot::READ | Prot::WRITE,
        "rx" => Prot::READ | Prot::EXEC,
        "rwx" => Prot::READ | Prot::WRITE | Prot::EXEC,
        number => Prot::from_bits_retain(small_number(line, number)?),
    })
}

fn small_number(line: &str, text: &str) -> Result<u32, ScriptError> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| bad(line, &format!("“{text}” is no number or flag")))
}

fn advice(line: &str, text: &str) -> Result<Advice, ScriptError> {
    let name = format!("MADV_{}", text.to_ascii_uppercase());
    match Advice::ALL.iter().find(|(known, _)| *known == name) {
        Some((_, advice)) => Ok(*advice),
        None => small_number(line, text).map(Advice),
    }
}

fn map_flags(line: &str, text: &str) -> Result<MapFlags, ScriptError> {
    let mut flags = MapFlags::empty();
    for word in text.split('|') {
        flags |= match word {
            "private" => MapFlags::PRIVATE,
            "shared" => MapFlags::SHARED,
            "anon" => MapFlags::ANONYMOUS,
            "fixed" => MapFlags::FIXED,
            "noreplace" => MapFlags::FIXED_NOREPLACE,
            "noreserve" => MapFlags::NORESERVE,
            "stack" => MapFlags::STACK,
            "growsdown" => MapFlags::GROWSDOWN,
            "populate" => MapFlags::POPULATE,
            "32bit" => MapFlags::BIT32,
            "hugetlb" => MapFlags::HUGETLB,
            number => MapFlags::from_bits_retain(small_number(line, number)?),
        };
    }
    Ok(flags)
}

fn mremap_flags(line: &str, text: &str) -> Result<MremapFlags, ScriptError> {
    let mut flags = MremapFlags::empty();
    for word in text.split('|') {
        flags |= match word {
            "none" => MremapFlags::empty(),
            "maymove" => MremapFlags::MAYMOVE,
            "fixed" => MremapFlags::FIXED,
            "dontunmap" => MremapFlags::DONTUNMAP,
            number => MremapFlags::from_bits_retain(small_number(line, number)?),
        };
    }
    Ok(flags)
}

/// Reads one op. `files` is how many files the case has.
pub(crate) fn parse(line: &str, names: &Names<'_>, files: u32) -> Result<Ask, ScriptError> {
    let words: Vec<&str> = line.trim_start_matches('!').split_whitespace().collect();
    let [op, args @ ..] = words.as_slice() else {
        return Err(bad(line, "an empty line"));
    };
    let arg = |at: usize| {
        args.get(at)
            .copied()
            .ok_or_else(|| bad(line, "too few arguments"))
    };
    let number = |at: usize| names.number(line, arg(at)?);
    let fd = |text: &str| match text
        .strip_prefix('F')
        .and_then(|number| number.parse().ok())
    {
        Some(file) if file < files => Fd::File(FileId(file)),
        _ => Fd::None,
    };
    Ok(Ask::Call(match *op {
        "mmap" => Call::Mmap(Mmap {
            addr: number(0)?,
            len: number(1)?,
            prot: prot(line, arg(2)?)?,
            flags: map_flags(line, arg(3)?)?,
            fd: args.get(4).map_or(Fd::None, |text| fd(text)),
            offset: if args.len() > 5 { number(5)? } else { 0 },
            begin_32bit: None,
        }),
        "munmap" => Call::Munmap {
            addr: number(0)?,
            len: number(1)?,
        },
        "mprotect" => Call::Mprotect {
            addr: number(0)?,
            len: number(1)?,
            prot: prot(line, arg(2)?)?,
        },
        "mremap" => Call::Mremap(Mremap {
            addr: number(0)?,
            old_len: number(1)?,
            new_len: number(2)?,
            flags: mremap_flags(line, arg(3)?)?,
            new_addr: if args.len() > 4 { number(4)? } else { 0 },
        }),
        "brk" => Call::Brk {
            addr: names.brk.wrapping_add(number(0)?),
        },
        "setbrk" => Call::Brk { addr: number(0)? },
        "touch" | "read" => Call::Touch {
            addr: number(0)?,
            len: number(1)?,
            stride: if args.len() > 2 { number(2)? } else { 4096 },
            access: if *op == "touch" {
                Access::Write
            } else {
                Access::Read
            },
        },
        "frag" => {
            let range = Range::sized(number(0)?, number(1)?);
            return Ok(Ask::Frag(range, prot(line, arg(2)?)?));
        }
        "pages" => return Ok(Ask::Pages(Range::sized(number(0)?, number(1)?))),
        "peek" => return Ok(Ask::Peek(number(0)?)),
        "madvise" => Call::Madvise {
            addr: number(0)?,
            len: number(1)?,
            advice: advice(line, arg(2)?)?,
        },
        "mlock" => Call::Mlock {
            addr: number(0)?,
            len: number(1)?,
            flags: 0,
        },
        "munlock" => Call::Munlock {
            addr: number(0)?,
            len: number(1)?,
        },
        "prctl_thp_disable" => Call::SetThpDisable {
            on: number(0)?,
            flags: if args.len() > 1 { number(1)? } else { 0 },
        },
        "fork" => Call::Fork { child: false },
        "ftruncate" => Call::Ftruncate {
            fd: fd(arg(0)?),
            len: number(1)?,
        },
        other => return Err(bad(line, &format!("no op is named “{other}”"))),
    }))
}
