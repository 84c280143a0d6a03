//! `cargo xtask`: the project's own commands. This file only dispatches; each command is a module.

mod bench;
mod cases;
mod dist;
mod e2e;
mod names;
mod paths;
mod probe;
mod run;
mod say;
mod serve;
mod setup;
mod size;
mod test;
mod vectors;

use std::process::ExitCode;

/// What went wrong, in words that a person can act on.
pub(crate) type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "\
cargo xtask setup                        find or install what the build and the tests need
cargo xtask serve [--port N] [--open]    set up, build, and serve on 127.0.0.1 (port 8080)
cargo xtask dist                         the release build in dist/, and its size against the budget
cargo xtask test [--quick]               everything that CI runs; --quick leaves out the browser
cargo xtask bench [--quick] [NAME]       instructions against the kernel's own code, and times; tlb: the TLB simulator's speed
cargo xtask vectors PATH...              replay vectors recorded from real kernels
cargo xtask cases PATH...                replay cases
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match command {
        "setup" => setup::run(rest),
        "serve" => serve::run(rest),
        "dist" => dist::run(rest),
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "vectors" => vectors::run(rest),
        "cases" => cases::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`.\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say::failure(&message);
            ExitCode::FAILURE
        }
    }
}
