//! `mmscope kernels`

use std::fmt::Write as _;

use mmscope_figure::say;
use mmscope_mm::{Change, Changes, Release};

use crate::Failure;
use crate::args::Args;
use crate::output;

/// Lists the releases, each with the changes it has over the one before.
pub(crate) fn kernels(args: Args) -> Result<(), Failure> {
    args.end()?;
    output::write(None, &list())
}

fn list() -> String {
    let mut out = String::new();
    let mut before = Changes::NONE;
    for release in Release::ALL {
        let _ = write!(out, "{}", release.id);
        if !release.aliases.is_empty() {
            let _ = write!(out, " ({})", release.aliases.join(", "));
        }
        if release.assumed {
            let _ = write!(out, "  {}", say::kernel::ASSUMED);
        }
        out.push('\n');
        for change in Change::ALL
            .iter()
            .filter(|change| release.changes.has(**change) && !before.has(**change))
        {
            let _ = writeln!(out, "  {}", say::kernel::change(*change));
        }
        before = release.changes;
    }
    out
}
