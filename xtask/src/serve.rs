//! `cargo xtask serve`: set-up, then Trunk's own server, which builds and rebuilds.

use crate::setup::{self, Need};
use crate::{Result, say};

/// Sets up, then becomes `trunk serve`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let (port, open) = parse(args)?;
    let tools = setup::ensure(Need::Build)?;
    say::heading(&format!(
        "building and serving on http://127.0.0.1:{port}/ (the first build takes a minute or two; Ctrl-C ends it)"
    ));
    let run = tools
        .trunk("serve")
        .args(["--address", "127.0.0.1", "--port", &port.to_string()]);
    if open { run.arg("--open") } else { run }.become_it()
}

fn parse(args: &[String]) -> Result<(u16, bool)> {
    let (mut port, mut open) = (8080, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = match arg.split_once('=') {
            Some(("--port", value)) => value,
            _ if arg == "--port" => args.next().map(String::as_str).unwrap_or_default(),
            _ if arg == "--open" => {
                open = true;
                continue;
            }
            _ => return Err(format!("`{arg}` is neither --port N nor --open")),
        };
        port = value
            .parse()
            .map_err(|_| format!("`{value}` is no port: --port takes a number up to 65535"))?;
    }
    Ok((port, open))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn parsed(args: &[&str]) -> Option<(u16, bool)> {
        parse(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()).ok()
    }

    #[test]
    fn options() {
        assert_eq!(parsed(&[]), Some((8080, false)));
        assert_eq!(parsed(&["--port", "9000", "--open"]), Some((9000, true)));
        assert_eq!(parsed(&["--port=9000"]), Some((9000, false)));
        assert_eq!(parsed(&["--port"]), None);
        assert_eq!(parsed(&["--port", "70000"]), None);
        assert_eq!(parsed(&["x"]), None);
    }
}
