//! `mmscope` in a terminal.

mod args;
mod check;
mod figure;
mod import;
mod input;
mod kernels;
mod output;
mod run;

use std::process::ExitCode;

use mmscope_figure::say::cli::{HELP, Usage, usage};

/// Why a command did not do what it should.
#[derive(Debug)]
enum Failure {
    /// The command line is wrong.
    Usage(Usage),
    /// A file or a text is wrong; one line for each thing.
    Input(Vec<String>),
    /// The model differs from a recorded log; that was said already.
    Differs,
    /// The model differs from the running kernel; that was said already.
    CheckDiffers,
    /// A file that `check` was given is wrong; one line for each thing.
    CheckInput(Vec<String>),
    /// `check` can't be done here, and why.
    CannotCheck(String),
    /// Nobody reads the output any more: no reason to complain.
    Closed,
}

fn main() -> ExitCode {
    match command(std::env::args_os().skip(1).collect()) {
        Ok(()) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Input(lines)) => {
            for line in lines {
                eprintln!("mmscope: {line}");
            }
            ExitCode::from(1)
        }
        Err(Failure::Usage(wrong)) => {
            eprintln!("mmscope: {}\nTry: mmscope --help", usage(&wrong));
            ExitCode::from(2)
        }
        Err(Failure::Differs) => ExitCode::from(3),
        Err(Failure::CheckDiffers) => ExitCode::from(1),
        Err(Failure::CheckInput(lines)) => {
            for line in lines {
                eprintln!("mmscope: {line}");
            }
            ExitCode::from(2)
        }
        Err(Failure::CannotCheck(why)) => {
            if !why.is_empty() {
                eprintln!("mmscope: {why}");
            }
            ExitCode::from(2)
        }
    }
}

fn command(words: Vec<std::ffi::OsString>) -> Result<(), Failure> {
    let mut args = args::Args::new(words);
    if args.flag(&["-h", "--help"]) {
        return output::write(None, HELP);
    }
    if args.flag(&["-V", "--version"]) {
        return output::write(None, concat!("mmscope ", env!("CARGO_PKG_VERSION"), "\n"));
    }
    let command = args.word().ok_or(Failure::Usage(Usage::NoCommand))?;
    match command.as_str() {
        "run" => run::run(args),
        "figure" => figure::figure(args),
        "import" => import::import(args),
        "kernels" => kernels::kernels(args),
        "check" => check::check(args),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        check::CHILD => check::observed(args),
        _ => Err(Failure::Usage(Usage::UnknownCommand(command))),
    }
}
