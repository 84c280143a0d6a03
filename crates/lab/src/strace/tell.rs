//! A log as a list of calls: lines joined, processes told apart.

use super::line::{Kind, read};
use super::{ImportError, Note, Skipped, Why};
use crate::order::sorted_by_number;
use crate::sorted::Sorted;
use crate::text::part::{Part, call_parts};

/// A call of the log.
pub(super) struct Told {
    /// The line it begins in.
    pub(super) line: u32,
    /// The whole call with its result, in one line.
    pub(super) text: String,
    /// The process.
    pid: u32,
    /// Where it stands among the others: its end, or for munmap, which takes effect at once, its beginning.
    order: u32,
}

/// All calls of one process, in the order in which they took effect.
pub(super) struct Log {
    pub(super) calls: Vec<Told>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) notes: Vec<Note>,
}

/// Calls that change or ask for mappings.
pub(super) const MEMORY_CALLS: &[&str] = &[
    "mmap",
    "munmap",
    "mprotect",
    "pkey_mprotect",
    "brk",
    "mremap",
    "shmat",
    "shmdt",
    "remap_file_pages",
];

/// What stands there, not too much of it.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(160).collect()
}

/// Reads a log.
pub(super) fn tell(log: &str) -> Result<Log, ImportError> {
    let log = log.strip_prefix('\u{feff}').unwrap_or(log);
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(log.lines()) {
        reader.line(line, number)?;
    }
    reader.finish(log)
}

#[derive(Default)]
struct Reader {
    calls: Vec<Told>,
    skipped: Vec<Skipped>,
    /// Calls begun, by process and name: line and text.
    begun: Sorted<(u32, String), (u32, String)>,
    /// The process that a thread belongs to.
    owners: Sorted<u32, u32>,
    summary_seen: bool,
    in_summary: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: u32) -> Result<(), ImportError> {
        let read = read(line);
        let pid = read.pid.unwrap_or(0);
        let mut skip = |why| {
            self.skipped.push(Skipped {
                line: number,
                text: cut(line.trim()),
                why,
            });
        };
        match read.kind {
            Kind::Blank => {}
            Kind::Call(call) if is_whole(call) => {
                self.call(pid, number, number, call.text().to_owned());
            }
            Kind::Call(_) => skip(Why::NoResult),
            Kind::Unfinished(name, text) => {
                self.begun
                    .insert((pid, name.to_owned()), (number, text.trim_end().to_owned()));
            }
            Kind::Resumed(name, rest) => match self.begun.remove(&(pid, name.to_owned())) {
                Some((line, begun)) => {
                    let glue = if begun.ends_with(',') { " " } else { "" };
                    self.call(pid, line, number, format!("{begun}{glue}{}", rest.trim()));
                }
                None => skip(Why::NoResult),
            },
            Kind::Signal => skip(Why::Signal),
            Kind::Exit => skip(Why::Exit),
            Kind::StackTrace => skip(Why::StackTrace),
            Kind::Message => skip(Why::Message),
            Kind::Summary => {
                self.summary_seen = true;
                self.in_summary = true;
                skip(Why::Message);
            }
            Kind::ThirtyTwoBit => return Err(ImportError::NotX8664 { line: number }),
            Kind::Unknown if self.in_summary => skip(Why::Message),
            Kind::Unknown => skip(Why::Unreadable),
        }
        match self.calls.last() {
            Some(told) if told.order == number && is_foreign(&told.text) => {
                Err(ImportError::NotX8664 { line: number })
            }
            _ => Ok(()),
        }
    }

    fn call(&mut self, pid: u32, line: u32, end: u32, text: String) {
        self.in_summary = false;
        let order = if name(&text) == "munmap" { line } else { end };
        if let Some(thread) = new_thread(&text) {
            let owner = self.owner(pid);
            self.owners.insert(thread, owner);
        }
        self.calls.push(Told {
            line,
            text,
            pid,
            order,
        });
    }

    fn owner(&self, pid: u32) -> u32 {
        self.owners.get(&pid).copied().unwrap_or(pid)
    }

    fn finish(mut self, log: &str) -> Result<Log, ImportError> {
        for (_, (line, text)) in std::mem::take(&mut self.begun).into_vec() {
            self.skipped.push(Skipped {
                line,
                text: cut(&text),
                why: Why::NoResult,
            });
        }
        if log.trim().is_empty() {
            return Err(ImportError::Empty);
        }
        if self.calls.is_empty() {
            return Err(if self.summary_seen {
                ImportError::SummaryOnly
            } else {
                ImportError::NotStrace
            });
        }
        let memory = |told: &&Told| MEMORY_CALLS.contains(&name(&told.text));
        if !self.calls.iter().any(|told| memory(&told)) {
            return Err(ImportError::NoMemoryCalls);
        }
        if self.calls.iter().all(|told| failed(&told.text)) {
            return Err(ImportError::FailedOnly);
        }
        // Lines on a terminal name no process before the first thread: pid 0 is that of the first exec.
        let memory_calls = self.calls.iter().filter(memory);
        let mut pids = each_once(memory_calls.map(|told| self.owner(told.pid)).collect());
        let named = each_once(self.calls.iter().map(|told| told.pid).collect());
        let mut notes = Vec::new();
        if pids.len() > 1
            && pids.contains(&0)
            && self.owners.as_slice().iter().any(|(_, owner)| *owner == 0)
        {
            // All others must be threads of it; those are folded into 0 already, so what is left is the process
            // itself, named since its first thread, if it is one.
            let rest: Vec<u32> = pids.iter().copied().filter(|pid| *pid != 0).collect();
            if let [main] = rest[..] {
                self.owners.insert(main, 0);
                pids.retain(|pid| *pid != main);
            }
        }
        if pids.len() > 1 && self.may_be_threads() {
            let first = pids[0];
            for pid in pids.drain(1..) {
                self.owners.insert(pid, first);
            }
            notes.push(Note::TakenAsThreads);
        }
        if pids.len() > 1 {
            return Err(ImportError::SeveralProcesses { pids });
        }
        let pid = pids.first().copied().unwrap_or(0);
        let owners = std::mem::take(&mut self.owners);
        let owner = |pid: u32| owners.get(&pid).copied().unwrap_or(pid);
        if named.iter().filter(|named| owner(**named) == pid).count() > 1 {
            notes.push(Note::Threads);
        }
        let mut calls = Vec::new();
        for told in self.calls {
            if owner(told.pid) == pid {
                calls.push(told);
            } else {
                let why = Why::OtherProcess { pid: told.pid };
                self.skipped.push(Skipped {
                    line: told.line,
                    text: cut(&told.text),
                    why,
                });
            }
        }
        let calls = sorted_by_number(calls, |told| u64::from(told.order));
        Ok(Log {
            calls,
            skipped: self.skipped,
            notes,
        })
    }
}

impl Reader {
    /// Whether nothing in the log shows that one of its ids is another process: a filtered log shows no clone.
    fn may_be_threads(&self) -> bool {
        let tells = |told: &Told| {
            matches!(
                name(&told.text),
                "execve" | "execveat" | "clone" | "clone3" | "fork" | "vfork"
            )
        };
        // What a program does first, and a thread hardly ever.
        let begins = self
            .calls
            .iter()
            .filter(|told| told.text.starts_with("brk(NULL)"));
        let begun = each_once(begins.map(|told| told.pid).collect());
        begun.len() < 2 && !self.calls.iter().any(tells)
    }
}

/// The numbers in order, each once.
fn each_once(numbers: Vec<u32>) -> Vec<u32> {
    let mut numbers = sorted_by_number(numbers, |number| u64::from(*number));
    numbers.dedup();
    numbers
}

/// Whether a call has an end and a result.
fn is_whole(call: Part<'_>) -> bool {
    call_parts(call).is_ok_and(|parts| super::line::result(parts.rest).is_some())
}

/// The name of a call.
pub(super) fn name(text: &str) -> &str {
    text.split('(').next().unwrap_or("")
}

/// Whether only 32-bit processes make such calls.
fn is_foreign(text: &str) -> bool {
    matches!(
        name(text),
        "mmap2" | "old_mmap" | "set_thread_area" | "ugetrlimit"
    )
}

fn failed(text: &str) -> bool {
    text.contains(" = -1 ") || text.contains(" = ?")
}

/// The thread that a call made in the same address space.
fn new_thread(text: &str) -> Option<u32> {
    if !matches!(name(text), "clone" | "clone3") {
        return None;
    }
    let parts = call_parts(Part::line(text)).ok()?;
    let thread: u32 = super::line::result(parts.rest)?
        .text
        .word()
        .0
        .text()
        .parse()
        .ok()?;
    let raw = |text: &str| {
        let digits = text.split("flags=0x").nth(1)?;
        let end = digits
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(digits.len());
        u64::from_str_radix(&digits[..end], 16).ok()
    };
    let bits = raw(text).unwrap_or(0);
    let is_thread = text.contains("CLONE_THREAD") || bits & 0x1_0000 != 0;
    (thread > 0 && is_thread).then_some(thread)
}
