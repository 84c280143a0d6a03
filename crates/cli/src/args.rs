//! The words of a command line, taken one by one; what is left over at the end is an error.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;

use mmscope_figure::say::cli::Usage;

use crate::Failure;

/// What is left of a command line.
pub(crate) struct Args {
    words: VecDeque<OsString>,
}

impl Args {
    /// `--name=value` counts as two words.
    pub(crate) fn new(words: Vec<OsString>) -> Args {
        let mut split = VecDeque::new();
        for word in words {
            let parts = word
                .to_str()
                .filter(|word| word.starts_with("--"))
                .and_then(|word| word.split_once('='));
            match parts {
                Some((name, value)) => split.extend([OsString::from(name), OsString::from(value)]),
                None => split.push_back(word),
            }
        }
        Args { words: split }
    }

    /// Takes a switch; tells whether it was there.
    pub(crate) fn flag(&mut self, names: &[&str]) -> bool {
        let found = self
            .words
            .iter()
            .position(|word| names.iter().any(|name| word == name));
        found.is_some_and(|at| self.words.remove(at).is_some())
    }

    /// Takes an option and its value.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<OsString>, Failure> {
        let Some(at) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.words.remove(at);
        match self.words.remove(at) {
            Some(value) => Ok(Some(value)),
            None => Err(Failure::Usage(Usage::NoValue(name.to_owned()))),
        }
    }

    /// Takes an option whose value is text.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        Ok(self
            .value(name)?
            .map(|value| value.to_string_lossy().into_owned()))
    }

    /// Takes an option whose value is a path.
    pub(crate) fn path(&mut self, name: &str) -> Result<Option<PathBuf>, Failure> {
        Ok(self.value(name)?.map(PathBuf::from))
    }

    /// Takes an option whose value is a whole number.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u32>, Failure> {
        let Some(given) = self.text(name)? else {
            return Ok(None);
        };
        match given.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Failure::Usage(Usage::NotANumber {
                option: name.to_owned(),
                given,
            })),
        }
    }

    /// Takes an option whose value is an address, in hexadecimal digits with or without `0x`.
    pub(crate) fn address(&mut self, name: &str) -> Result<Option<u64>, Failure> {
        let Some(given) = self.text(name)? else {
            return Ok(None);
        };
        match u64::from_str_radix(given.trim_start_matches("0x"), 16) {
            Ok(addr) => Ok(Some(addr)),
            Err(_) => Err(Failure::Usage(Usage::NotAnAddress {
                option: name.to_owned(),
                given,
            })),
        }
    }

    /// Takes the first word that is no option.
    pub(crate) fn word(&mut self) -> Option<String> {
        self.operand()
            .map(|word| word.to_string_lossy().into_owned())
    }

    /// The same as the operating system knows it.
    pub(crate) fn operand(&mut self) -> Option<OsString> {
        let at = self.words.iter().position(|word| !is_option(word))?;
        self.words.remove(at)
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), Failure> {
        let Some(word) = self.words.front() else {
            return Ok(());
        };
        let shown = word.to_string_lossy().into_owned();
        Err(Failure::Usage(if is_option(word) {
            Usage::UnknownOption(shown)
        } else {
            Usage::Extra(shown)
        }))
    }
}

fn is_option(word: &OsString) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.len() > 1 && bytes.starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &str) -> Args {
        Args::new(words.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn words_come_in_any_order() {
        let mut args = args("figure --step=3 -o out.svg file --text");
        assert_eq!(args.word().as_deref(), Some("figure"));
        assert_eq!(args.number("--step").unwrap(), Some(3));
        assert_eq!(args.path("-o").unwrap(), Some("out.svg".into()));
        assert!(args.flag(&["--text"]));
        assert_eq!(args.word().as_deref(), Some("file"));
        args.end().unwrap();
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        assert!(matches!(
            args("--stop 3").end(),
            Err(Failure::Usage(Usage::UnknownOption(_)))
        ));
        assert!(matches!(
            args("more").end(),
            Err(Failure::Usage(Usage::Extra(_)))
        ));
        assert!(matches!(
            args("--step").number("--step"),
            Err(Failure::Usage(Usage::NoValue(_)))
        ));
        assert!(matches!(
            args("--step x").number("--step"),
            Err(Failure::Usage(Usage::NotANumber { .. }))
        ));
    }
}
