//! Scenarios and logs from files, standard input or the gallery.

use std::ffi::OsStr;
use std::io::Read;

use mmscope_figure::say;
use mmscope_figure::say::cli::Usage;
use mmscope_lab::{Scenario, Timeline, lessons};
use mmscope_mm::Kernel;

use crate::Failure;
use crate::args::Args;

/// The text of a file, or of standard input for `-`. Bytes that are no UTF-8 become question marks.
pub(crate) fn text(path: &OsStr) -> Result<String, Failure> {
    let bytes = if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Failure::Input(vec![format!(
            "{}: {error}",
            path.to_string_lossy()
        )])),
    }
}

/// The scenario that a command line names, with the kernels it asks for.
pub(crate) fn timeline(args: &mut Args) -> Result<Timeline, Failure> {
    let kernels = args.text("--kernels")?;
    let (name, text) = match args.text("--lesson")? {
        Some(id) => match lessons::find(&id) {
            Some(lesson) => (id, lesson.scenario.to_owned()),
            None => return Err(Failure::Usage(Usage::UnknownLesson(id))),
        },
        None => {
            let path = args.operand().ok_or(Failure::Usage(Usage::NoScenario))?;
            (path.to_string_lossy().into_owned(), text(&path)?)
        }
    };
    let mut scenario = Scenario::parse(&text).map_err(|errors| {
        Failure::Input(
            errors
                .iter()
                .map(|error| format!("{name}: {}", say::error::scenario(error)))
                .collect(),
        )
    })?;
    if let Some(kernels) = kernels {
        scenario.kernels = kernels
            .split(',')
            .map(|name| kernel(name.trim()))
            .collect::<Result<_, _>>()?;
    }
    Timeline::new(scenario)
        .map_err(|error| Failure::Input(vec![format!("{name}: {}", say::error::lane(error))]))
}

/// A kernel by its name.
pub(crate) fn kernel(name: &str) -> Result<Kernel, Failure> {
    Kernel::parse(name).map_err(|error| Failure::Input(vec![say::error::kernel(&error)]))
}
