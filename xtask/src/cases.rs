//! `cargo xtask cases PATH...`: recorded traces, with the maps files beside them, against the model.

use std::path::Path;

use mmscope_mm::Kernel;
use mmscope_recorded::{CasesReport, check_trace, files_below, is_trace, machine_kernel};

use crate::Result;

/// Replays every strace log below the paths, and fails if one differs.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let (kernel, paths) = match args {
        [flag, name, paths @ ..] if flag == "--kernel" => (
            Some(Kernel::parse(name).map_err(|error| error.to_string())?),
            paths,
        ),
        paths => (None, paths),
    };
    if paths.is_empty() {
        return Err(
            "name a folder or file of strace logs: cargo xtask cases [--kernel 6.18] PATH..."
                .into(),
        );
    }
    let mut all = CasesReport::default();
    for path in paths {
        let at = |error| format!("{path}: {error}");
        let files = files_below(Path::new(path), &is_trace).map_err(at)?;
        if files.is_empty() {
            return Err(format!("{path}: no strace logs (*.strace) in this folder"));
        }
        for file in files {
            all.add(check_file(&file, kernel)?);
        }
    }
    for (reason, count) in &all.out_of_scope {
        println!("{count} out of scope: {reason}");
    }
    println!("{} layouts at the end compared", all.end_layouts);
    println!("{} layouts before a call compared", all.steps);
    println!("{all}");
    if all.different > 0 {
        return Err(format!(
            "the model differs in {} places; the first of each log stands above",
            all.different
        ));
    }
    Ok(())
}

fn check_file(file: &Path, kernel: Option<Kernel>) -> Result<CasesReport> {
    let name = file.display();
    let Some(kernel) = kernel.or_else(|| machine_kernel(file)) else {
        return Err(format!(
            "{name}: which kernel recorded it? Name it with --kernel, or in a MACHINE.txt line “kernel Linux 6.18.44” beside it"
        ));
    };
    let report = check_trace(file, kernel).map_err(|error| format!("{name}: {error}"))?;
    println!("{name}: {report}");
    if let Some(first) = &report.first {
        println!("  {first}");
    }
    Ok(report)
}
