//! Calls and results, as strace writes them.

use mmscope_mm::{
    Access, AnonName, Call, Errno, Fd, Limit, MapFlags, Mmap, Mremap, Outcome, Resource, Signal,
    page::PAGE_SIZE,
};

use super::error::Expected;
use super::flags::{advice, map_flags, mcl_flags, mlock_flags, mremap_flags, personality, prot};
use super::number::{number, number_in};
use super::part::{CallParts, Parsed, Part};
use super::setting::limit;
use crate::nearest::nearest;

/// Names of the calls that can be made.
pub(crate) const CALLS: &[&str] = &[
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "mlock",
    "mlock2",
    "munlock",
    "fork",
    "exec",
    "exit",
    "ftruncate",
    "personality",
    "mlockall",
    "munlockall",
    "mseal",
    "brk",
    "prctl",
    "prlimit64",
    "setrlimit",
    "touch",
    "read",
];

/// The argument of fork if the child is what goes on.
pub(crate) const CHILD: &str = "child";

/// What `prctl` can be asked for that is about memory here.
pub(crate) const PRCTLS: &[&str] = &[THP_DISABLE, SET_VMA];
pub(crate) const THP_DISABLE: &str = "PR_SET_THP_DISABLE";
pub(crate) const SET_VMA: &str = "PR_SET_VMA";
/// The one thing that `PR_SET_VMA` sets.
pub(crate) const ANON_NAME: &str = "PR_SET_VMA_ANON_NAME";

/// Limits by name.
pub(crate) const RESOURCES: &[(&str, Resource)] = &[
    ("RLIMIT_AS", Resource::AddressSpace),
    ("RLIMIT_DATA", Resource::Data),
    ("RLIMIT_STACK", Resource::Stack),
    ("RLIMIT_MEMLOCK", Resource::Memlock),
];

/// Errors with the text that strace puts behind their names.
const ERROR_TEXTS: &[(Errno, &str)] = &[
    (Errno::EPERM, "Operation not permitted"),
    (Errno::EBADF, "Bad file descriptor"),
    (Errno::EAGAIN, "Resource temporarily unavailable"),
    (Errno::ENOMEM, "Cannot allocate memory"),
    (Errno::EACCES, "Permission denied"),
    (Errno::EFAULT, "Bad address"),
    (Errno::EEXIST, "File exists"),
    (Errno::EINVAL, "Invalid argument"),
    (Errno::ENOSYS, "Function not implemented"),
    (Errno::EOVERFLOW, "Value too large for defined data type"),
    (Errno::EOPNOTSUPP, "Operation not supported"),
];

/// The text that strace puts behind the name of the error.
pub(crate) fn error_text(errno: Errno) -> &'static str {
    ERROR_TEXTS
        .iter()
        .find(|(known, _)| *known == errno)
        .map_or("", |(_, text)| text)
}

/// What the arguments of a call mean where it stands.
pub(crate) trait Context {
    /// The file of a descriptor.
    fn fd(&mut self, part: Part<'_>) -> Parsed<Fd>;
    /// Whether an earlier result has this name, and else the known name that looks like it.
    fn knows(&self, name: &str) -> Result<(), Option<String>>;
}

/// A call and the earlier result that its address counts from.
pub(crate) type Asked = (Call, Option<String>);

/// Reads a call of which the parts are given.
pub(crate) fn call(parts: &CallParts<'_>, context: &mut impl Context) -> Parsed<Asked> {
    let args = &parts.args;
    match parts.name.text() {
        "mmap" => {
            let count = if args.len() == 5 { 5 } else { 6 };
            arguments(parts, "mmap", count)?;
            mmap(args, context)
        }
        "munmap" => {
            arguments(parts, "munmap", 2)?;
            let (addr, base) = address(args[0], context)?;
            Ok((
                Call::Munmap {
                    addr,
                    len: number(args[1])?,
                },
                base,
            ))
        }
        "mprotect" => {
            arguments(parts, "mprotect", 3)?;
            let (addr, base) = address(args[0], context)?;
            let (len, prot) = (number(args[1])?, prot(args[2])?);
            Ok((Call::Mprotect { addr, len, prot }, base))
        }
        "mremap" => {
            let count = if args.len() == 4 { 4 } else { 5 };
            arguments(parts, "mremap", count)?;
            let (addr, base) = address(args[0], context)?;
            let (new_addr, _) = args
                .get(4)
                .map_or(Ok((0, None)), |to| address(*to, context))?;
            let remap = Mremap {
                addr,
                old_len: number(args[1])?,
                new_len: number(args[2])?,
                flags: mremap_flags(args[3])?,
                new_addr,
            };
            Ok((Call::Mremap(remap), base))
        }
        "madvise" => {
            arguments(parts, "madvise", 3)?;
            let (addr, base) = address(args[0], context)?;
            let (len, advice) = (number(args[1])?, advice(args[2])?);
            Ok((Call::Madvise { addr, len, advice }, base))
        }
        "mlock" => {
            arguments(parts, "mlock", 2)?;
            let (addr, base) = address(args[0], context)?;
            let (len, flags) = (number(args[1])?, 0);
            Ok((Call::Mlock { addr, len, flags }, base))
        }
        "mlock2" => {
            arguments(parts, "mlock2", 3)?;
            let (addr, base) = address(args[0], context)?;
            let (len, flags) = (number(args[1])?, mlock_flags(args[2])?);
            Ok((Call::Mlock { addr, len, flags }, base))
        }
        "munlock" => {
            arguments(parts, "munlock", 2)?;
            let (addr, base) = address(args[0], context)?;
            let len = number(args[1])?;
            Ok((Call::Munlock { addr, len }, base))
        }
        "fork" => {
            arguments(parts, "fork", u32::from(!args.is_empty()))?;
            let child = !args.is_empty();
            if child && args[0].text() != CHILD {
                return Err(args[0].wants(Expected::OneOf(&[CHILD])));
            }
            Ok((Call::Fork { child }, None))
        }
        "exec" => {
            arguments(parts, "exec", 0)?;
            Ok((Call::Exec, None))
        }
        "exit" => {
            arguments(parts, "exit", 0)?;
            Ok((Call::Exit, None))
        }
        "ftruncate" => {
            arguments(parts, "ftruncate", 2)?;
            let (fd, len) = (context.fd(args[0])?, number(args[1])?);
            Ok((Call::Ftruncate { fd, len }, None))
        }
        "personality" => {
            arguments(parts, "personality", 1)?;
            let persona = personality(args[0])?;
            Ok((Call::Personality { persona }, None))
        }
        "mlockall" => {
            arguments(parts, "mlockall", 1)?;
            let flags = mcl_flags(args[0])?;
            Ok((Call::Mlockall { flags }, None))
        }
        "munlockall" => {
            arguments(parts, "munlockall", 0)?;
            Ok((Call::Munlockall, None))
        }
        "mseal" => {
            arguments(parts, "mseal", 3)?;
            let (addr, base) = address(args[0], context)?;
            let (len, flags) = (number(args[1])?, number(args[2])?);
            Ok((Call::Mseal { addr, len, flags }, base))
        }
        "prctl" if args.first().is_some_and(|what| what.text() == SET_VMA) => {
            arguments(parts, "prctl", 5)?;
            if args[1].text() != ANON_NAME {
                return Err(args[1].wants(Expected::OneOf(&[ANON_NAME])));
            }
            let (addr, base) = address(args[2], context)?;
            let (len, name) = (number(args[3])?, anon_name(args[4])?);
            Ok((Call::SetAnonName { addr, len, name }, base))
        }
        "prctl" => prctl(parts),
        "brk" => {
            arguments(parts, "brk", 1)?;
            let (addr, base) = address(args[0], context)?;
            Ok((Call::Brk { addr }, base))
        }
        "prlimit64" => {
            arguments(parts, "prlimit64", 4)?;
            number_in(args[0], 0, 0)?;
            setrlimit(args[1], args[2])
        }
        "setrlimit" => {
            arguments(parts, "setrlimit", 2)?;
            setrlimit(args[0], args[1])
        }
        "touch" => touch(parts, "touch", Access::Write, context),
        "read" => touch(parts, "read", Access::Read, context),
        name => Err(parts.name.wants(Expected::Call {
            nearest: nearest(name, CALLS.iter().copied()),
        })),
    }
}

/// The earlier result that the new address of an mremap counts from.
pub(crate) fn new_base(parts: &CallParts<'_>, context: &impl Context) -> Option<String> {
    let to = parts
        .args
        .get(4)
        .filter(|_| parts.name.text() == "mremap")?;
    address(*to, context).ok()?.1
}

fn arguments(parts: &CallParts<'_>, call: &'static str, count: u32) -> Parsed<()> {
    let given = parts.args.len() as u32;
    if given == count {
        return Ok(());
    }
    let at = match parts.args.get(count as usize) {
        Some(extra) => *extra,
        None => parts
            .args
            .last()
            .map_or(parts.name.behind(), |last| last.behind()),
    };
    Err(at.wants(Expected::Arguments { call, count, given }))
}

fn mmap(args: &[Part<'_>], context: &mut impl Context) -> Parsed<Asked> {
    let (addr, base) = address(args[0], context)?;
    let flags = map_flags(args[3])?;
    let fd = if flags.contains(MapFlags::ANONYMOUS) {
        Fd::None
    } else {
        context.fd(args[4])?
    };
    let offset = args.get(5).map_or(Ok(0), |offset| number(*offset))?;
    let mmap = Mmap {
        addr,
        len: number(args[1])?,
        prot: prot(args[2])?,
        flags,
        fd,
        offset,
        begin_32bit: None,
    };
    Ok((Call::Mmap(mmap), base))
}

/// `prctl(PR_SET_THP_DISABLE, on[, flags, 0, 0])`
fn prctl(parts: &CallParts<'_>) -> Parsed<Asked> {
    let args = &parts.args;
    let count = if args.len() == 2 { 2 } else { 5 };
    arguments(parts, "prctl", count)?;
    if args[0].text() != THP_DISABLE {
        return Err(args[0].wants(Expected::OneOf(PRCTLS)));
    }
    for none in args.iter().skip(3) {
        number_in(*none, 0, 0)?;
    }
    let flags = args.get(2).map_or(Ok(0), |flags| number(*flags))?;
    let on = number(args[1])?;
    Ok((Call::SetThpDisable { on, flags }, None))
}

/// Reads `"…"` with the escapes of C, or `NULL`.
fn anon_name(part: Part<'_>) -> Parsed<Option<AnonName>> {
    if matches!(part.text(), "NULL" | "0") {
        return Ok(None);
    }
    let wrong = || part.wants(Expected::AnonName);
    let inside = part.text().strip_prefix('"');
    let inside = inside.and_then(|text| text.strip_suffix('"'));
    let mut rest = inside.ok_or_else(wrong)?;
    let mut name = String::new();
    while let Some(mark) = rest.chars().next() {
        rest = &rest[mark.len_utf8()..];
        if mark != '\\' {
            name.push(mark);
            continue;
        }
        let digits = rest
            .bytes()
            .take(3)
            .take_while(|byte| (b'0'..b'8').contains(byte));
        let digits = digits.count();
        if digits > 0 {
            let code = u8::from_str_radix(&rest[..digits], 8).map_err(|_| wrong())?;
            name.push(code.into());
            rest = &rest[digits..];
            continue;
        }
        let escaped = rest.chars().next().ok_or_else(wrong)?;
        name.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'v' => '\x0b',
            'f' => '\x0c',
            '"' | '\\' => escaped,
            _ => return Err(wrong()),
        });
        rest = &rest[escaped.len_utf8()..];
    }
    AnonName::new(&name).map(Some).ok_or_else(wrong)
}

/// Writes what [`anon_name`] reads.
pub(crate) fn anon_name_text(name: Option<AnonName>) -> String {
    let Some(name) = name else {
        return "NULL".to_owned();
    };
    let mut text = String::from("\"");
    for byte in name.text().bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text + "\""
}

fn touch(
    parts: &CallParts<'_>,
    call: &'static str,
    access: Access,
    context: &mut impl Context,
) -> Parsed<Asked> {
    let args = &parts.args;
    let count = if args.len() == 3 { 3 } else { 2 };
    arguments(parts, call, count)?;
    let (addr, base) = address(args[0], context)?;
    let len = number(args[1])?;
    let stride = args
        .get(2)
        .map_or(Ok(PAGE_SIZE), |stride| number_in(*stride, 1, u64::MAX))?;
    Ok((
        Call::Touch {
            addr,
            len,
            stride,
            access,
        },
        base,
    ))
}

fn setrlimit(resource: Part<'_>, limits: Part<'_>) -> Parsed<Asked> {
    let Some((_, resource)) = RESOURCES.iter().find(|(name, _)| *name == resource.text()) else {
        let nearest = nearest(resource.text(), RESOURCES.iter().map(|(name, _)| *name));
        return Err(resource.wants(Expected::Resource { nearest }));
    };
    let (cur, max) = limit_pair(limits)?;
    Ok((
        Call::Setrlimit {
            resource: *resource,
            cur,
            max,
        },
        None,
    ))
}

/// Reads `{rlim_cur=…, rlim_max=…}`.
fn limit_pair(part: Part<'_>) -> Parsed<(Limit, Limit)> {
    let wrong = || part.wants(Expected::LimitPair);
    let text = part.text();
    if !(text.starts_with('{') && text.ends_with('}') && text.len() >= 2) {
        return Err(wrong());
    }
    let (cur, max) = part.slice(1, text.len() - 1).cut(',').ok_or_else(wrong)?;
    let value = |part: Part<'_>, name: &str| match part.trim().cut('=') {
        Some((key, value)) if key.trim().text() == name => limit(value.trim()),
        _ => Err(wrong()),
    };
    Ok((value(cur, "rlim_cur")?, value(max, "rlim_max")?))
}

/// Reads `0x…`, `NULL`, `a`, `a+4096`, `a-0x1000`.
fn address(part: Part<'_>, context: &impl Context) -> Parsed<(u64, Option<String>)> {
    let text = part.text();
    if text == "NULL" || !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return match number(part) {
            Ok(addr) => Ok((addr, None)),
            Err(problem) if *problem.expected() == Expected::Number => {
                Err(part.wants(Expected::Address))
            }
            Err(problem) => Err(problem),
        };
    }
    let end = text.find(['+', '-']).unwrap_or(text.len());
    let name = part.slice(0, end).trim();
    if let Err(nearest) = context.knows(name.text()) {
        return Err(name.wants(Expected::KnownName { nearest }));
    }
    let distance = match text.get(end..end + 1) {
        Some("+") => number(part.from(end + 1))?,
        Some(_) => number(part.from(end + 1))?.wrapping_neg(),
        None => 0,
    };
    Ok((distance, Some(name.text().to_owned())))
}

/// Whether a result may go by this name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text != "NULL"
        && text.len() <= 64
        && !CALLS.contains(&text)
}

/// Reads what follows `= `, as far as the call can return it.
pub(crate) fn outcome(part: Part<'_>, call: &Call) -> Parsed<Outcome> {
    let (first, rest) = part.word();
    if first.text() == "-1" {
        let (name, text) = rest.word();
        let errno = Errno::from_name(name.text()).ok_or_else(|| name.wants(Expected::ErrnoName))?;
        if !(text.is_empty() || text.text().starts_with('(') && text.text().ends_with(')')) {
            return Err(text.wants(Expected::EndOfLine));
        }
        return Ok(Outcome::Error(errno));
    }
    match call {
        Call::Touch { .. } => touched(part, first, rest),
        Call::Mmap(_) | Call::Mremap(_) | Call::Brk { .. } | Call::Personality { .. } => {
            rest.must_be_empty()?;
            Ok(Outcome::Address(value(first)?))
        }
        _ => {
            rest.must_be_empty()?;
            match value(first)? {
                0 => Ok(Outcome::Done),
                _ => Err(first.wants(Expected::Outcome)),
            }
        }
    }
}

fn value(part: Part<'_>) -> Parsed<u64> {
    if part.text() == "NULL" {
        return Err(part.wants(Expected::Outcome));
    }
    match number(part) {
        Err(problem) if *problem.expected() == Expected::Number => {
            Err(part.wants(Expected::Outcome))
        }
        read => read,
    }
}

/// Reads `5`, or `5 SEGV_MAPERR at 0x1000`.
fn touched(part: Part<'_>, count: Part<'_>, rest: Part<'_>) -> Parsed<Outcome> {
    let touched = value(count)?;
    if rest.is_empty() {
        return Ok(Outcome::Touched(touched));
    }
    let signals = [Signal::SegvMaperr, Signal::SegvAccerr, Signal::BusAdrerr];
    let words = rest.words();
    let [name, at, addr] = words[..] else {
        return Err(part.wants(Expected::Outcome));
    };
    let signal = signals
        .into_iter()
        .find(|signal| signal.name() == name.text());
    match signal {
        Some(signal) if at.text() == "at" => Ok(Outcome::Signal {
            touched,
            signal,
            at: value(addr)?,
        }),
        _ => Err(rest.wants(Expected::Outcome)),
    }
}
