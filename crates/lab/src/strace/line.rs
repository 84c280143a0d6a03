//! One line of a log, without what options put before and behind it.

use crate::text::part::Part;

/// A line.
pub(super) struct Line<'a> {
    /// The process or thread, if the line names it.
    pub(super) pid: Option<u32>,
    /// What it says.
    pub(super) kind: Kind<'a>,
}

/// What a line says.
pub(super) enum Kind<'a> {
    /// Nothing.
    Blank,
    /// `name(…) = …`, to be taken apart further.
    Call(Part<'a>),
    /// `name(… <unfinished ...>`: the name and what stands before the mark.
    Unfinished(&'a str, &'a str),
    /// `<... name resumed>…`: the name and what stands behind the mark.
    Resumed(&'a str, &'a str),
    /// `--- SIGSEGV {…} ---`
    Signal,
    /// `+++ exited with 0 +++`
    Exit,
    /// ` > lib(symbol+0x1) [0x2]`
    StackTrace,
    /// `strace: …`, or the head of the summary.
    Message,
    /// `% time     seconds  usecs/call     calls    errors syscall`
    Summary,
    /// `[ Process PID=1 runs in 32 bit mode. ]`
    ThirtyTwoBit,
    /// Something else.
    Unknown,
}

/// Takes a line apart.
pub(super) fn read(line: &str) -> Line<'_> {
    let whole = Part::line(line);
    let text = line.trim();
    let plain = |kind| Line { pid: None, kind };
    if text.is_empty() {
        return plain(Kind::Blank);
    }
    if text.starts_with("> ") {
        return plain(Kind::StackTrace);
    }
    if text.starts_with("strace: ") || text.starts_with("------ ") {
        return plain(Kind::Message);
    }
    if text.starts_with("% time") {
        return plain(Kind::Summary);
    }
    if text.starts_with("[ Process PID=") {
        let bits = text.contains(" 32 bit mode");
        return plain(if bits {
            Kind::ThirtyTwoBit
        } else {
            Kind::Message
        });
    }
    let (pid, body) = pid(whole.trim());
    let body = place(number(stamp(body)));
    let text = body.text();
    let kind = if text.starts_with("--- ") {
        Kind::Signal
    } else if text.starts_with("+++ ") {
        Kind::Exit
    } else if let Some(resumed) = text.strip_prefix("<... ") {
        match resumed.split_once(" resumed>") {
            Some((name, rest)) => Kind::Resumed(name, rest),
            None => Kind::Unknown,
        }
    } else if text.starts_with("strace: ") {
        Kind::Message
    } else {
        call(body)
    };
    Line { pid, kind }
}

fn call(body: Part<'_>) -> Kind<'_> {
    let text = body.text();
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let begins = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if !begins || !text[end..].starts_with('(') {
        return Kind::Unknown;
    }
    match text.trim_end().strip_suffix("<unfinished ...>") {
        // An exit that is told in one line: `<... exit resumed> <unfinished ...>) = ?` is another kind.
        Some(begun) => Kind::Unfinished(&text[..end], begun),
        None => Kind::Call(body),
    }
}

/// `[pid  123] `, `123 `, `123<sh> `
fn pid(part: Part<'_>) -> (Option<u32>, Part<'_>) {
    let text = part.text();
    if let Some(inside) = text.strip_prefix("[pid") {
        let Some(end) = inside.find(']') else {
            return (None, part);
        };
        let digits = inside[..end].trim().split('<').next().unwrap_or("");
        return match digits.parse() {
            Ok(pid) => (Some(pid), part.from("[pid".len() + end + 1).trim()),
            Err(_) => (None, part),
        };
    }
    let digits = digits(text);
    if !(1..=7).contains(&digits) {
        return (None, part);
    }
    let mut end = digits;
    if text[end..].starts_with('<') {
        match text[end..].find('>') {
            Some(close) => end += close + 1,
            None => return (None, part),
        }
    }
    match (text[..digits].parse(), text[end..].starts_with(' ')) {
        (Ok(pid), true) => (Some(pid), part.from(end).trim()),
        _ => (None, part),
    }
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len())
}

/// `16:45:18.652622 `, `1700000000.123456 `, `0.000123 `, `(+     0.000123) `
fn stamp(part: Part<'_>) -> Part<'_> {
    let text = part.text();
    if text.starts_with("(+") {
        return match text.find(')') {
            Some(end) => part.from(end + 1).trim(),
            None => part,
        };
    }
    let (word, rest) = part.word();
    let stamp = word.text();
    let numeric = stamp
        .chars()
        .all(|c| c.is_ascii_digit() || c == ':' || c == '.');
    let shaped = stamp.contains([':', '.']) || stamp.len() >= 9;
    let begins = stamp.starts_with(|c: char| c.is_ascii_digit());
    if numeric && shaped && begins && !rest.is_empty() {
        rest
    } else {
        part
    }
}

/// `[  59] `
fn number(part: Part<'_>) -> Part<'_> {
    bracketed(part, |inside| {
        inside.len() <= 5 && inside.chars().all(|c| c.is_ascii_digit())
    })
}

/// `[00007ffff7e84ad7] `, `[????????????????] `
fn place(part: Part<'_>) -> Part<'_> {
    bracketed(part, |inside| {
        inside.chars().all(|c| c.is_ascii_hexdigit() || c == '?')
    })
}

fn bracketed(part: Part<'_>, fits: impl Fn(&str) -> bool) -> Part<'_> {
    let Some(inside) = part.text().strip_prefix('[') else {
        return part;
    };
    match inside.find(']') {
        Some(end) if !inside[..end].trim().is_empty() && fits(inside[..end].trim()) => {
            part.from(end + 2).trim()
        }
        _ => part,
    }
}

/// What stands behind `= `.
pub(super) struct Result<'a> {
    /// The value and the error, without what options put behind it.
    pub(super) text: Part<'a>,
    /// Whether strace made it up.
    pub(super) injected: bool,
}

/// Takes apart what stands behind the parenthesis of a call.
pub(super) fn result(rest: Part<'_>) -> Option<Result<'_>> {
    let rest = rest.trim();
    if !rest.text().starts_with('=') {
        return None;
    }
    let mut text = rest.from(1).trim();
    let mut injected = false;
    loop {
        let all = text.text();
        let cut = |mark: &str| {
            all.strip_suffix(mark)
                .map(|left| text.slice(0, left.len()).trim())
        };
        if let Some(left) = cut("(INJECTED)") {
            (text, injected) = (left, true);
        } else if let Some(left) = cut("(DELAYED)") {
            text = left;
        } else if let (true, Some(open)) = (all.ends_with('>'), all.rfind('<')) {
            text = text.slice(0, open).trim();
        } else {
            return (!text.is_empty()).then_some(Result { text, injected });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_options_put_before_a_call_is_taken_off() {
        for (line, pid) in [
            ("brk(NULL) = 0x1000", None),
            ("317   brk(NULL) = 0x1000", Some(317)),
            ("[pid  1346] brk(NULL) = 0x1000", Some(1346)),
            ("16861<sh> brk(NULL) = 0x1000", Some(16861)),
            ("[pid 12<a b>] brk(NULL) = 0x1000", Some(12)),
            (
                "15758 16:45:18.657181 brk(NULL)         = 0x1000",
                Some(15758),
            ),
            ("16:46:49 brk(NULL) = 0x1000", None),
            ("1700000000.123456 brk(NULL) = 0x1000", None),
            ("     0.000232 brk(NULL) = 0x1000", None),
            ("12 (+     0.000123) brk(NULL) = 0x1000", Some(12)),
            ("[  12] brk(NULL) = 0x1000", None),
            ("17:03:29 [00007fc8c729dc47] brk(NULL)   = 0x1000", None),
            (
                "9 17:03:29 [ 12] [????????????????] brk(NULL)   = 0x1000",
                Some(9),
            ),
        ] {
            let read = read(line);
            assert_eq!(read.pid, pid, "{line}");
            let Kind::Call(call) = read.kind else {
                panic!("{line}")
            };
            assert!(call.text().starts_with("brk(NULL)"), "{line}");
        }
    }

    #[test]
    fn what_options_put_behind_a_result_is_taken_off() {
        fn read(text: &str) -> Option<(&str, bool)> {
            result(Part::line(text)).map(|read| (read.text.text(), read.injected))
        }
        assert_eq!(read("   = 0x1000 <0.000192>"), Some(("0x1000", false)));
        assert_eq!(read("= 0x1000 (DELAYED)"), Some(("0x1000", false)));
        let error = "-1 ENOMEM (Cannot allocate memory)";
        assert_eq!(
            read(&format!("= {error} (INJECTED) <0.1>")),
            Some((error, true))
        );
        assert_eq!(read(" = "), None);
        assert_eq!(read(""), None);
    }
}
