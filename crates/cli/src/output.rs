//! Writing: to a file, or to standard output even if nobody reads it to the end.

use std::io::{ErrorKind, Write, stdout};
use std::path::Path;

use crate::Failure;

/// Writes the text to a file, or to standard output.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    if let Some(path) = path {
        return std::fs::write(path, text)
            .map_err(|error| Failure::Input(vec![format!("{}: {error}", path.display())]));
    }
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::Input(vec![format!("standard output: {error}")])),
    }
}
