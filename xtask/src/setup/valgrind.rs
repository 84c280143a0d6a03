//! Valgrind, whose tool callgrind counts instructions.

use super::debian;
use crate::{Result, paths};

/// What is on PATH, or Debian's package.
pub(crate) fn ensure() -> Result<()> {
    if paths::which("valgrind").is_none() && debian::here() {
        debian::install(&["valgrind"])?;
    }
    paths::which("valgrind").map(|_| ()).ok_or_else(|| {
        "no valgrind: install it, or run only the timed benchmarks: cargo bench -p mmscope-maple -p mmscope-mm".into()
    })
}
