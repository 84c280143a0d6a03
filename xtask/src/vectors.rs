//! `cargo xtask vectors PATH...`: recorded answers of real kernels against the model.

use std::path::Path;

use mmscope_recorded::{
    Report, TlbReport, check_maple_texts, check_text, check_tlb, files_below, is_maple,
    is_operations_file, is_vectors, read_text, tlb_name,
};

use crate::Result;

/// Checks every file of recordings below the paths, told apart by what they hold, and fails if one differs.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.is_empty() {
        return Err(
            "name a folder or file of recorded vectors: cargo xtask vectors vectors".into(),
        );
    }
    let mut calls = Report::default();
    let mut maple = Vec::new();
    let mut tlb = TlbReport::default();
    for path in args {
        let at = |error| format!("{path}: {error}");
        let wanted =
            |path: &Path| is_vectors(path) || is_operations_file(path) || tlb_name(path).is_some();
        let files = files_below(Path::new(path), &wanted).map_err(at)?;
        if files.is_empty() {
            return Err(format!(
                "{path}: no recorded vectors (*.jsonl or *.jsonl.br, or tlb/*.json.br) in this folder"
            ));
        }
        for file in files {
            let name = file.display();
            let text = read_text(&file).map_err(|error| format!("{name}: {error}"))?;
            if let Some(kind) = tlb_name(&file) {
                let report = check_tlb(kind, &text).map_err(|error| format!("{name}: {error}"))?;
                println!("{name}: {report}");
                if let Some(first) = &report.first {
                    println!("{first}");
                }
                tlb.add(report);
            } else if is_maple(&text) {
                println!("{name}: maple trees, compared below");
                maple.push(text);
            } else {
                calls.add(check_calls(&name.to_string(), &text)?);
            }
        }
    }
    let mut compared = calls.compared + tlb.compared;
    let mut different = calls.different + tlb.different;
    for (release, report) in check_maple_texts(&maple).map_err(|error| error.to_string())? {
        println!("maple trees of {release}: {report}");
        if let Some(first) = &report.first {
            println!("{first}");
        }
        compared += report.operations;
        different += report.different;
    }
    for (reason, count) in &calls.out_of_scope {
        println!(
            "{count} out of scope: from a first call on, since {}",
            reason.reason()
        );
    }
    println!(
        "{compared} compared, {different} different, {} out of scope",
        calls.skipped()
    );
    if different > 0 {
        return Err(format!(
            "the model differs in {different} places; the first of each file stands above"
        ));
    }
    Ok(())
}

fn check_calls(name: &str, text: &str) -> Result<Report> {
    let report = check_text(text).map_err(|error| format!("{name}: {error}"))?;
    println!("{name}: {} cases, {report}", report.cases);
    if let Some(first) = &report.first {
        println!("{first}");
    }
    Ok(report)
}
