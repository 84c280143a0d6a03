//! `cargo xtask bench`: instructions per operation against the kernel's own code, then times for people.
//!
//! `crates/maple/benches/README.md` says what is counted, and on which keys. `cargo xtask bench tlb` is another thing: the speed of the
//! TLB simulator beside a hand-written loop, natively and in WebAssembly.

mod count;
mod table;
mod unobserved;

use crate::setup::{self, Need};
use crate::{Result, probe, say};

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// Fewer rounds, shorter measurements.
    quick: bool,
    /// Only lines and benchmarks with this in their names.
    name: Option<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        for arg in args {
            match arg.as_str() {
                "--quick" => options.quick = true,
                flag if flag.starts_with('-') => {
                    return Err(format!(
                        "`cargo xtask bench` takes --quick and a NAME, not `{flag}`"
                    ));
                }
                name if options.name.is_none() => options.name = Some(name.to_owned()),
                more => return Err(format!("one NAME is enough: `{more}` is a second")),
            }
        }
        Ok(options)
    }

    fn wants(&self, name: &str) -> bool {
        self.name.as_ref().is_none_or(|part| name.contains(part))
    }
}

/// Counts, then times; fails if a count is over its bar.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    if options.name.as_deref() == Some("tlb") {
        return probe::bench(&setup::ensure(Need::Release)?, options.quick);
    }
    let tools = setup::ensure(Need::Rust)?;
    setup::valgrind::ensure()?;

    say::heading("instructions per operation");
    let rounds = if options.quick { 3 } else { 20 };
    let plain = count::Program::build(&tools, "plain", None)?;
    let mut over = table::against_the_kernel(&plain, rounds, &options)?;
    if table::UNOBSERVED.iter().any(|kind| options.wants(kind)) {
        let source = unobserved::source()?;
        let bare = count::Program::build(&tools, "unobserved", Some(&source))?;
        over += table::unobserved(&plain, &bare, rounds, &options)?;
    }

    say::heading("times");
    let mut run = tools.run("cargo").args([
        "bench",
        "--locked",
        "-p",
        "mmscope-maple",
        "-p",
        "mmscope-mm",
        "--bench",
        "tree",
        "--bench",
        "calls",
        "--",
    ]);
    if options.quick {
        run = run.args(["--warm-up-time", "0.2", "--measurement-time", "0.5"]);
    }
    if let Some(name) = &options.name {
        run = run.arg(name);
    }
    run.go()?;
    match over {
        0 => Ok(()),
        over => Err(format!(
            "{over} of the counts above are over their bar: look for OVER"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_a_flag_and_a_name() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Options::parse(&words)
        };
        assert_eq!(parse(&[]), Ok(Options::default()));
        let both = parse(&["--quick", "erase"]);
        assert!(both.is_ok_and(|options| options.quick
            && options.wants("erase random")
            && !options.wants("walk")));
        assert!(parse(&["--fast"]).is_err());
        assert!(parse(&["one", "two"]).is_err());
    }
}
