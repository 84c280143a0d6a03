//! `cargo xtask vectors PATH...`: recorded answers of real kernels against the model.

use std::path::Path;

use mmscope_recorded::{Report, check_text, files_below, is_vectors, read_text};

use crate::Result;

/// Checks every file of recordings below the paths, and fails if one differs.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.is_empty() {
        return Err(
            "name a folder or file of recorded vectors: cargo xtask vectors vectors".into(),
        );
    }
    let mut all = Report::default();
    for path in args {
        let at = |error| format!("{path}: {error}");
        let files = files_below(Path::new(path), &is_vectors).map_err(at)?;
        if files.is_empty() {
            return Err(format!(
                "{path}: no recorded vectors (*.jsonl or *.jsonl.br) in this folder"
            ));
        }
        for file in files {
            all.add(check_file(&file)?);
        }
    }
    for (reason, count) in &all.out_of_scope {
        println!(
            "{count} out of scope: from a first call on, since {}",
            reason.reason()
        );
    }
    println!("{all}");
    if all.different > 0 {
        return Err(format!(
            "the model differs in {} calls; the first of each file stands above",
            all.different
        ));
    }
    Ok(())
}

fn check_file(file: &Path) -> Result<Report> {
    let name = file.display();
    let text = read_text(file).map_err(|error| format!("{name}: {error}"))?;
    let report = check_text(&text).map_err(|error| format!("{name}: {error}"))?;
    println!("{name}: {} cases, {report}", report.cases);
    if let Some(first) = &report.first {
        println!("{first}");
    }
    Ok(report)
}
