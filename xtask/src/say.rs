//! What the commands say while they work: to standard error, so that a runner's own output stays clean.

use std::time::Duration;

/// Opens a part of the work.
pub(crate) fn heading(text: &str) {
    eprintln!("\n==> {text}");
}

/// One line about what is being done or was found.
pub(crate) fn note(text: &str) {
    eprintln!("    {text}");
}

/// The end of the command, when it did not succeed.
pub(crate) fn failure(text: &str) {
    eprintln!("\nxtask: {}", text.trim_end());
}

/// A duration for people: `7.3 s`, `2 min 5 s`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}
