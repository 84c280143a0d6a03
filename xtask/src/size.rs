//! The size budget: what the first lesson loads, as a server would send it with brotli.
//!
//! `www/size-budget.txt` has the numbers, and names the files that are loaded only later; all others in `dist/` count.

use std::path::{Path, PathBuf};

use crate::{Result, paths, say};

/// What the budget file says, in bytes.
#[derive(Debug, PartialEq, Eq)]
struct Budget {
    limit: usize,
    warn: usize,
    later: Vec<String>,
}

/// Measures `dist/`, prints the sizes, and fails above the limit.
pub(crate) fn check() -> Result<()> {
    let root = paths::root();
    let budget = parse(&paths::read(&root.join("www/size-budget.txt"))?)?;
    let mut files = Vec::new();
    collect(&root.join("dist"), "", &mut files)?;
    let mut total = 0;
    println!("{:>9}  {:>9}  file", "bytes", "brotli");
    for (name, path) in files {
        if !is_later(&name, &budget.later) {
            let bytes = std::fs::read(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            let packed = brotli(&bytes)?;
            total += packed;
            println!("{:>9}  {packed:>9}  {name}", bytes.len());
        }
    }
    println!(
        "{:>9}  {total:>9}  all that the first lesson loads; limit {}",
        "", budget.limit
    );
    verdict(total, &budget)
}

fn verdict(total: usize, budget: &Budget) -> Result<()> {
    if total > budget.limit {
        return Err(format!(
            "the first lesson loads {total} bytes with brotli: {} above the limit of {}",
            total - budget.limit,
            budget.limit
        ));
    }
    if total > budget.warn {
        say::note(&format!(
            "warning: {total} bytes are near the limit of {}",
            budget.limit
        ));
    }
    Ok(())
}

fn is_later(name: &str, later: &[String]) -> bool {
    later.iter().any(|entry| {
        if entry.ends_with('/') {
            name.starts_with(entry.as_str())
        } else {
            name == entry
        }
    })
}

/// `limit N`, `warn N`, `later FILE-OR-DIRECTORY/`; `#` begins a comment.
fn parse(text: &str) -> Result<Budget> {
    let mut budget = Budget {
        limit: 0,
        warn: 0,
        later: Vec::new(),
    };
    for line in text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
    {
        let number = |value: &str| {
            value
                .replace('_', "")
                .parse::<usize>()
                .map_err(|_| format!("size budget: no number in `{line}`"))
        };
        match line.split_once(' ') {
            Some(("limit", value)) => budget.limit = number(value)?,
            Some(("warn", value)) => budget.warn = number(value)?,
            Some(("later", value)) => budget.later.push(value.trim().to_owned()),
            _ => return Err(format!("size budget: cannot read `{line}`")),
        }
    }
    Ok(budget)
}

fn collect(dir: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let entries = dir
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let name = format!(
            "{prefix}{}",
            path.file_name().unwrap_or_default().to_string_lossy()
        );
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            files.push((name, path));
        }
    }
    Ok(())
}

/// The size after brotli at its best, as for files that are compressed once and sent many times.
fn brotli(bytes: &[u8]) -> Result<usize> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 24,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut packed, &params)
        .map_err(|error| format!("brotli: {error}"))?;
    Ok(packed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Budget {
        Budget {
            limit: 300,
            warn: 260,
            later: vec!["embed.js".into(), "examples/".into()],
        }
    }

    #[test]
    fn the_budget_file() {
        let text = "# bytes\nlimit 3_00\nwarn 260 # soon\n\nlater embed.js\nlater examples/\n";
        assert_eq!(parse(text), Ok(budget()));
        assert!(parse("limit many").is_err());
        assert!(parse("something").is_err());
    }

    #[test]
    fn above_the_limit_is_an_error() {
        assert!(verdict(300, &budget()).is_ok());
        assert!(verdict(301, &budget()).is_err());
    }

    #[test]
    fn files_that_come_later_do_not_count() {
        let later = budget().later;
        assert!(is_later("embed.js", &later) && is_later("examples/host.html", &later));
        assert!(!is_later("embed.js.map", &later) && !is_later("mmscope.js", &later));
    }

    #[test]
    fn brotli_packs() {
        let packed = brotli(&[b'a'; 10_000]);
        assert!(matches!(packed, Ok(1..100)));
    }
}
