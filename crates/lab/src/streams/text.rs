//! The text of a walk.

use std::fmt;

use mmscope_tlb::{Axis, Pattern, Stencil};

use super::{Order, StreamsError, Walk};
use crate::text::number::number;
use crate::text::part::Part;

/// Words of one walk by their keys, each to be taken once.
struct Words<'a> {
    named: Vec<(&'a str, &'a str)>,
    bare: Vec<&'a str>,
}

type Read<T> = Result<T, StreamsError>;

/// Reads what stands behind `walk`.
pub(super) fn read(text: &str, seed: u64) -> Read<Walk> {
    let mut words = text.split_whitespace();
    let order = words.next().unwrap_or_default();
    let mut rest = Words {
        named: Vec::new(),
        bare: Vec::new(),
    };
    for word in words {
        match word.split_once('=') {
            Some(pair) => rest.named.push(pair),
            None => rest.bare.push(word),
        }
    }
    let over = rest.take("over").map(str::to_owned);
    let order = match order {
        "lockstep" => Order::Pattern(Pattern::Lockstep {
            n: rest.number("n")?,
            size: rest.number("size")?,
            stride: rest.number("stride")?,
            start: rest.number_or("start", 0)?,
        }),
        "strided" => Order::Pattern(Pattern::Strided {
            n: rest.number("n")?,
            size: rest.number("size")?,
            stride: rest.number("stride")?,
            start: rest.number_or("start", 0)?,
        }),
        "random" => Order::Pattern(Pattern::Random {
            n: rest.number("n")?,
            size: rest.number("size")?,
            elem: rest.number("elem")?,
            seed: rest.number_or("seed", seed)?,
        }),
        "stencil" => Order::Pattern(Pattern::Stencil(rest.stencil()?)),
        "list" => Order::List(
            std::mem::take(&mut rest.bare)
                .into_iter()
                .map(place)
                .collect::<Read<_>>()?,
        ),
        other => return Err(StreamsError::Order(other.to_owned())),
    };
    match (rest.bare.first(), rest.named.first()) {
        (None, None) => Ok(Walk { order, over }),
        (Some(word), _) => Err(wrong(word, "KEY=VALUE")),
        (_, Some((key, _))) => Err(wrong(key, "a key of this walk, and each once")),
    }
}

fn wrong(word: &str, expected: &'static str) -> StreamsError {
    StreamsError::Word {
        word: word.to_owned(),
        expected,
    }
}

fn number_of(text: &str) -> Read<u64> {
    number(Part::line(text)).map_err(|_| wrong(text, "a number"))
}

fn small(text: &str) -> Read<u32> {
    let number = number_of(text)?;
    u32::try_from(number).map_err(|_| wrong(text, "a number below 2^32"))
}

/// `STREAM:OFFSET`
fn place(word: &str) -> Read<(u32, u64)> {
    let (stream, offset) = word
        .split_once(':')
        .ok_or_else(|| wrong(word, "STREAM:OFFSET"))?;
    Ok((small(stream)?, number_of(offset)?))
}

/// `FROM..BELOW[:STEP]`
fn axis(word: &str) -> Read<Axis> {
    let (range, step) = word.split_once(':').unwrap_or((word, "1"));
    let (from, to) = range
        .split_once("..")
        .ok_or_else(|| wrong(word, "FROM..BELOW or FROM..BELOW:STEP"))?;
    Ok(Axis {
        from: small(from)?,
        to: small(to)?,
        step: small(step)?,
    })
}

/// `X.Y.Z`
fn tap(word: &str) -> Read<[i32; 3]> {
    let along: Option<Vec<i32>> = word.split('.').map(|along| along.parse().ok()).collect();
    match along.as_deref() {
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(wrong(word, "X.Y.Z")),
    }
}

impl<'a> Words<'a> {
    fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.named.iter().position(|(other, _)| *other == key)?;
        Some(self.named.remove(at).1)
    }

    fn wanted(&mut self, key: &'static str) -> Read<&'a str> {
        self.take(key).ok_or(StreamsError::Missing(key))
    }

    fn number(&mut self, key: &'static str) -> Read<u64> {
        number_of(self.wanted(key)?)
    }

    fn number_or(&mut self, key: &'static str, usual: u64) -> Read<u64> {
        self.take(key).map_or(Ok(usual), number_of)
    }

    fn stencil(&mut self) -> Read<Stencil> {
        let mut stencil = Stencil::grid_84(
            axis(self.wanted("i")?)?,
            axis(self.wanted("j")?)?,
            axis(self.wanted("k")?)?,
        );
        if let Some(grid) = self.take("grid") {
            let sides: Vec<u32> = grid.split('x').map(small).collect::<Read<_>>()?;
            let [nx, ny, nz] = sides[..] else {
                return Err(wrong(grid, "NXxNYxNZ"));
            };
            (stencil.nx, stencil.ny, stencil.nz) = (nx, ny, nz);
        }
        if let Some(elem) = self.take("elem") {
            stencil.elem = small(elem)?;
        }
        if let Some(header) = self.take("header") {
            stencil.header = small(header)?;
        }
        if let Some(taps) = self.take("taps") {
            stencil.taps = taps.split(',').map(tap).collect::<Read<_>>()?;
        }
        Ok(stencil)
    }
}

impl fmt::Display for Walk {
    /// What stands behind `walk`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.order {
            Order::Pattern(Pattern::Lockstep {
                n,
                size,
                stride,
                start,
            }) => write!(
                f,
                "lockstep n={n} size={size} stride={stride} start={start}"
            )?,
            Order::Pattern(Pattern::Strided {
                n,
                size,
                stride,
                start,
            }) => write!(f, "strided n={n} size={size} stride={stride} start={start}")?,
            Order::Pattern(Pattern::Random {
                n,
                size,
                elem,
                seed,
            }) => write!(f, "random n={n} size={size} elem={elem} seed={seed}")?,
            Order::Pattern(Pattern::Stencil(stencil)) => stencil_text(f, stencil)?,
            // Patterns of this kind are lists of places here.
            Order::Pattern(Pattern::List(_)) => f.write_str("list")?,
            Order::List(places) => {
                f.write_str("list")?;
                for (stream, offset) in places {
                    write!(f, " {stream}:{offset:#x}")?;
                }
            }
        }
        match &self.over {
            Some(name) => write!(f, " over={name}"),
            None => Ok(()),
        }
    }
}

fn stencil_text(f: &mut fmt::Formatter<'_>, stencil: &Stencil) -> fmt::Result {
    f.write_str("stencil")?;
    for (name, Axis { from, to, step }) in [("i", stencil.i), ("j", stencil.j), ("k", stencil.k)] {
        write!(f, " {name}={from}..{to}:{step}")?;
    }
    let Stencil {
        nx,
        ny,
        nz,
        elem,
        header,
        ..
    } = stencil;
    write!(f, " grid={nx}x{ny}x{nz} elem={elem} header={header}")?;
    if stencil.taps != Stencil::STAR_13 {
        for (at, [x, y, z]) in stencil.taps.iter().enumerate() {
            write!(f, "{}{x}.{y}.{z}", if at == 0 { " taps=" } else { "," })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        for text in [
            "lockstep n=2000000 size=4743168 stride=8 start=0 over=a",
            "strided n=10 size=4096 stride=64 start=8",
            "random n=10 size=4096 elem=8 seed=7",
            "stencil i=2..82:8 j=2..82:1 k=2..82:8 grid=84x84x84 elem=8 header=16",
            "stencil i=0..8:1 j=1..3:1 k=1..2:1 grid=8x8x8 elem=4 header=0 taps=0.0.0,-1.0.2 over=b",
            "list 0:0x0 3:0x1010",
            "list",
        ] {
            assert_eq!(read(text, 0).unwrap().to_string(), text);
        }
        let short = read("stencil i=2..82 j=2..82 k=2..3", 0).unwrap();
        let long = "stencil i=2..82:1 j=2..82:1 k=2..3:1 grid=84x84x84 elem=8 header=16";
        assert_eq!(short.to_string(), long);
        assert_eq!(short.bytes(), 16 + 84 * 84 * 84 * 8);
        let random = read("random n=1 size=4k elem=8", 5).unwrap().to_string();
        assert_eq!(random, "random n=1 size=4096 elem=8 seed=5");
        assert_eq!(read("list 0:0x10 1:7", 0).unwrap().bytes(), 17);
    }

    #[test]
    fn what_does_not_read_is_named() {
        let word = |word: &str, expected| StreamsError::Word {
            word: word.into(),
            expected,
        };
        for (text, error) in [
            ("", StreamsError::Order(String::new())),
            ("lokstep n=1", StreamsError::Order("lokstep".into())),
            ("lockstep n=1 size=4k", StreamsError::Missing("stride")),
            ("lockstep n=1 size=4q stride=8", word("4q", "a number")),
            (
                "lockstep n=1 size=4k stride=8 seed=1",
                word("seed", "a key of this walk, and each once"),
            ),
            (
                "lockstep n=1 n=2 size=4k stride=8",
                word("n", "a key of this walk, and each once"),
            ),
            ("lockstep n=1 size=4k stride=8 x", word("x", "KEY=VALUE")),
            ("list 0", word("0", "STREAM:OFFSET")),
            (
                "stencil i=2 j=2..4 k=2..4",
                word("2", "FROM..BELOW or FROM..BELOW:STEP"),
            ),
            (
                "stencil i=2..4 j=2..4 k=2..4 taps=1.2",
                word("1.2", "X.Y.Z"),
            ),
            (
                "stencil i=2..4 j=2..4 k=2..4 grid=4x4",
                word("4x4", "NXxNYxNZ"),
            ),
            (
                "stencil i=2..4294967296 j=2..4 k=2..4",
                word("4294967296", "a number below 2^32"),
            ),
        ] {
            assert_eq!(read(text, 0), Err(error), "{text}");
        }
    }
}
