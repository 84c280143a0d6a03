//! Running other programs: the command is shown first, and what it leaves behind of Cargo's own environment is cleaned away.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Result, paths, say};

/// A program about to be run.
pub(crate) struct Run {
    command: Command,
    shown: String,
}

impl Run {
    /// `program` with the user's environment, less what Cargo adds when it runs this one.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program.as_ref());
        for name in [
            "CARGO",
            "CARGO_MANIFEST_DIR",
            "CARGO_MANIFEST_PATH",
            "CARGO_PKG_NAME",
            "CARGO_PKG_VERSION",
        ] {
            command.env_remove(name);
        }
        if let Some(libraries) = env::var_os("LD_LIBRARY_PATH") {
            let own = |dir: &PathBuf| {
                dir.components()
                    .any(|part| part.as_os_str() == "toolchains" || part.as_os_str() == "target")
            };
            match env::join_paths(env::split_paths(&libraries).filter(|dir| !own(dir))) {
                Ok(rest) if !rest.is_empty() => command.env("LD_LIBRARY_PATH", rest),
                _ => command.env_remove("LD_LIBRARY_PATH"),
            };
        }
        Self {
            command,
            shown: quoted(program.as_ref()),
        }
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg.as_ref());
        self.shown = format!("{} {}", self.shown, quoted(arg.as_ref()));
        self
    }

    /// Adds arguments.
    pub(crate) fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(self, args: I) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// Sets a variable, and shows it.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value.as_ref());
        self.shown = format!("{name}={} {}", quoted(value.as_ref()), self.shown);
        self
    }

    /// Sets a variable that is of no interest to the reader.
    pub(crate) fn silent_env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs in another directory.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Puts directories in front of PATH, and finds the program there too.
    pub(crate) fn path(mut self, dirs: &[PathBuf]) -> Self {
        let all: Vec<PathBuf> = dirs.iter().cloned().chain(paths::user_path()).collect();
        if let Ok(joined) = env::join_paths(all) {
            self.command.env("PATH", joined);
        }
        self
    }

    /// Shows the command and runs it; anything but success is an error.
    pub(crate) fn go(mut self) -> Result<()> {
        say::note(&format!("$ {}", self.shown));
        let status = self
            .command
            .stdin(Stdio::null())
            .status()
            .map_err(|error| self.cannot(&error))?;
        if status.success() {
            Ok(())
        } else {
            Err(self.failed(&status.to_string()))
        }
    }

    /// Like [`Self::go`], and hands back the lines of standard output after they were shown.
    pub(crate) fn tee(mut self) -> (Vec<String>, Result<()>) {
        say::note(&format!("$ {}", self.shown));
        let mut child = match self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
        {
            Ok(child) => child,
            Err(error) => return (Vec::new(), Err(self.cannot(&error))),
        };
        let mut lines = Vec::new();
        if let Some(output) = child.stdout.take() {
            let mut shown = std::io::stdout();
            for line in BufReader::new(output)
                .split(b'\n')
                .map_while(std::result::Result::ok)
            {
                let line = String::from_utf8_lossy(&line).into_owned();
                // A reader that went away is no reason to stop the tests.
                let _ = writeln!(shown, "{line}").and_then(|()| shown.flush());
                lines.push(line);
            }
        }
        let result = match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.failed(&status.to_string())),
            Err(error) => Err(self.cannot(&error)),
        };
        (lines, result)
    }

    /// Runs without a word and hands back standard output, if the program succeeded.
    pub(crate) fn ask(mut self) -> Option<String> {
        let output = self
            .command
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Becomes the program, so that signals reach it. Returns only if that fails (or, where a process cannot be replaced, when the program has ended).
    pub(crate) fn become_it(mut self) -> Result<()> {
        say::note(&format!("$ {}", self.shown));
        #[cfg(unix)]
        {
            let error = std::os::unix::process::CommandExt::exec(&mut self.command);
            Err(self.cannot(&error))
        }
        #[cfg(not(unix))]
        {
            let status = self.command.status().map_err(|error| self.cannot(&error))?;
            if status.success() {
                Ok(())
            } else {
                Err(self.failed(&status.to_string()))
            }
        }
    }

    fn cannot(&self, error: &std::io::Error) -> String {
        format!("cannot run `{}`: {error}", self.shown)
    }

    fn failed(&self, status: &str) -> String {
        format!("`{}` failed ({status})", self.shown)
    }
}

fn quoted(text: &OsStr) -> String {
    let text: OsString = text.into();
    let text = text.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_a_shell_would_take_it() {
        let run = Run::new("cargo").args(["test", "a b", ""]).env("X", "1");
        assert_eq!(run.shown, "X=1 cargo test 'a b' ''");
    }

    #[test]
    fn a_failing_program_is_an_error() {
        assert!(Run::new("false").go().is_err());
        let (lines, result) = Run::new("echo").arg("one").tee();
        assert_eq!(lines, ["one"]);
        assert!(result.is_ok());
    }
}
