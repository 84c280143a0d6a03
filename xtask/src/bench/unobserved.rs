//! The tree without its observers: the same source, with every call to one replaced by `()`.
//!
//! What recording costs when it is off is the difference between the two. Nothing else is changed, so the parameters
//! and types stay, and an operand that is worked out only for a call goes with it.

use std::path::PathBuf;

use super::count;
use crate::{Result, paths, say};

/// How a call to an observer starts.
const CALLS: [&str; 4] = [
    "obs.write(",
    "obs.gap(",
    "obs.root(",
    "witness.before_edit(",
];

/// Writes the changed source and says where it is.
pub(super) fn source() -> Result<PathBuf> {
    let maple = paths::root().join("crates/maple");
    let to = count::dir().join("unobserved-source");
    let entries = maple
        .join("src")
        .read_dir()
        .map_err(|error| format!("cannot read crates/maple/src: {error}"))?;
    let mut replaced = 0;
    for entry in entries.flatten() {
        let text = paths::read(&entry.path())?;
        let (text, calls) = without_calls(&text)?;
        replaced += calls;
        paths::write(&to.join("src").join(entry.file_name()), &text)?;
    }
    paths::write(
        &to.join("README.md"),
        &paths::read(&maple.join("README.md"))?,
    )?;
    say::note(&format!("{replaced} calls to observers replaced by ()"));
    if replaced == 0 {
        return Err("no call to an observer was found: their names have changed".into());
    }
    Ok(to.join("src"))
}

/// A source text with its calls to observers replaced, and how many there were.
fn without_calls(text: &str) -> Result<(String, usize)> {
    let (mut done, mut rest, mut calls) = (String::new(), text, 0);
    while let Some((at, open)) = next_call(rest) {
        done.push_str(rest[..at].strip_suffix("self.").unwrap_or(&rest[..at]));
        done.push_str("()");
        let end = closing(&rest[open..]).ok_or("a call to an observer has no end")?;
        rest = &rest[open + end + 1..];
        calls += 1;
    }
    done.push_str(rest);
    Ok((done, calls))
}

/// Where the next call starts, and its opening bracket.
fn next_call(text: &str) -> Option<(usize, usize)> {
    let found = CALLS.iter().filter_map(|call| {
        let at = text.find(call)?;
        Some((at, at + call.len() - 1))
    });
    found.min()
}

/// The bracket that closes the one that the text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_becomes_nothing() {
        let text = "a();\nself.obs.gap(GapLook { last: f(x), });\nobs.write(Done(s));\nb(obs);";
        let expected = "a();\n();\n();\nb(obs);";
        assert_eq!(without_calls(text), Ok((expected.to_owned(), 2)));
        let arm = "Slot::Used(value) => witness.before_edit(id, Some(value)),";
        let left = "Slot::Used(value) => (),".to_owned();
        assert_eq!(without_calls(arm), Ok((left, 1)));
        assert!(without_calls("obs.root(").is_err());
    }
}
