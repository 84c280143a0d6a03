//! `/proc/PID/maps`, read line by line.

use std::fmt;

use mmscope_mm::page::{TASK_SIZE, is_page_aligned};
use mmscope_mm::{File, FileId, FilePlacement, Range, Special, StartMap, VmFlags};

use crate::blocks::Blocks;
use crate::files::Files;
use crate::text::part::Part;

/// What a maps file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapsFile {
    /// The mappings, lowest address first.
    pub maps: Vec<StartMap>,
    /// The files they show.
    pub files: Vec<File>,
    /// The range of `[heap]`.
    pub heap: Option<Range>,
}

/// One thing that is wrong with a maps file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapsError {
    /// Line, counted from 1.
    pub line: u32,
    /// Character of the line, counted from 1.
    pub column: u32,
    /// What stands there, cut to a few words.
    pub found: String,
    /// What is wrong with it.
    pub problem: MapsProblem,
}

/// What can be wrong with a line of a maps file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapsProblem {
    /// No range `start-end` in hexadecimal digits.
    Range,
    /// The range does not lie on page borders.
    Unaligned,
    /// The range ends where it begins, or before.
    Empty,
    /// The range reaches past the end of the address space.
    BeyondTask,
    /// The range overlaps that of an earlier line.
    Overlaps {
        /// Which.
        line: u32,
    },
    /// No permissions like `rw-p`.
    Perms,
    /// No offset in hexadecimal digits, or not on a page border.
    Offset,
    /// No device like `fe:00`.
    Device,
    /// No inode number.
    Inode,
    /// There is no mapping in the text at all.
    Nothing,
}

/// Whether a text begins like a maps file: its first line with anything in it has the form `from-to perms …`.
pub fn looks_like(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let mut words = first.unwrap_or_default().split_whitespace();
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let range = words.next().and_then(|range| range.split_once('-'));
    range.is_some_and(|(from, to)| is_hex(from) && is_hex(to))
        && words.next().is_some_and(|perms| perms.len() == 4)
}

impl fmt::Display for MapsError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {:?}: {:?}",
            self.line, self.column, self.found, self.problem
        )
    }
}

impl std::error::Error for MapsError {}

/// Reads a maps file. The lines of an smaps file are read too; its numbers are passed over.
///
/// # Errors
/// All lines that can't be read.
pub fn parse(text: &str) -> Result<MapsFile, Vec<MapsError>> {
    let mut reader = Reader::new();
    let mut errors = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        let part = Part::line(line).trim();
        if part.is_empty() || is_smaps_field(part.text()) {
            continue;
        }
        if let Err((at, problem)) = reader.line(part, number) {
            errors.push(MapsError {
                line: number,
                column: at.column(),
                found: shown(at),
                problem,
            });
            if errors.len() == MOST_ERRORS {
                break;
            }
        }
    }
    if errors.is_empty() && reader.maps.is_empty() {
        errors.push(MapsError {
            line: 1,
            column: 1,
            found: String::new(),
            problem: MapsProblem::Nothing,
        });
    }
    if errors.is_empty() {
        Ok(reader.finish())
    } else {
        Err(errors)
    }
}

/// So many errors are enough.
const MOST_ERRORS: usize = 100;

/// `Rss:   4 kB` and the like.
fn is_smaps_field(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("");
    word.ends_with(':') && word.starts_with(|c: char| c.is_ascii_uppercase())
}

fn shown(part: Part<'_>) -> String {
    part.text().chars().take(40).collect()
}

/// Reads lines one by one.
pub(crate) struct Reader {
    /// Mappings and the lines they stand in.
    maps: Vec<(u32, StartMap)>,
    /// Where in that list a mapping is, by its start.
    by_start: Blocks<u64, u64>,
    pub(crate) files: Files,
    heap: Option<Range>,
    /// How files take part in placement.
    pub(crate) placement: FilePlacement,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        Reader {
            maps: Vec::new(),
            by_start: Blocks::default(),
            files: Files::default(),
            heap: None,
            placement: FilePlacement::Thp,
        }
    }

    pub(crate) fn finish(self) -> MapsFile {
        let Reader {
            maps,
            by_start,
            files,
            heap,
            ..
        } = self;
        MapsFile {
            maps: by_start
                .iter()
                .map(|(_, at)| maps[*at as usize].1.clone())
                .collect(),
            files: files.into_list(),
            heap,
        }
    }

    /// Reads a line.
    pub(crate) fn line<'a>(
        &mut self,
        part: Part<'a>,
        number: u32,
    ) -> Result<(), (Part<'a>, MapsProblem)> {
        let (span, rest) = part.word();
        let (perms, rest) = rest.word();
        let (offset, rest) = rest.word();
        let (device, rest) = rest.word();
        let (inode, path) = rest.word();
        let (start, end) = range(span).ok_or((span, MapsProblem::Range))?;
        if path.text() == "[vsyscall]" {
            return Ok(());
        }
        if !(is_page_aligned(start) && is_page_aligned(end)) {
            return Err((span, MapsProblem::Unaligned));
        }
        if start >= end {
            return Err((span, MapsProblem::Empty));
        }
        if end > TASK_SIZE {
            return Err((span, MapsProblem::BeyondTask));
        }
        if let Some(line) = self.overlapping(start, end) {
            return Err((span, MapsProblem::Overlaps { line }));
        }
        let flags = permissions(perms.text()).ok_or((perms, MapsProblem::Perms))?;
        let offset_bytes = hex(offset.text()).filter(|bytes| is_page_aligned(*bytes));
        let offset = offset_bytes.ok_or((offset, MapsProblem::Offset))?;
        if !is_device(device.text()) {
            return Err((device, MapsProblem::Device));
        }
        let inode: u64 = inode
            .text()
            .parse()
            .map_err(|_| (inode, MapsProblem::Inode))?;
        let range = Range { start, end };
        let (file, special) = self.behind(path.text(), device.text(), inode, range);
        // Offsets of mappings without a file mean nothing to a reader of maps.
        let offset = if file.is_some() { offset } else { 0 };
        let map = StartMap {
            range,
            perms: flags,
            offset,
            file,
            special,
        };
        self.by_start.insert(start, self.maps.len() as u64);
        self.maps.push((number, map));
        Ok(())
    }

    fn overlapping(&self, start: u64, end: u64) -> Option<u32> {
        let (_, at) = self.by_start.before(&end)?;
        let (line, map) = &self.maps[*at as usize];
        (map.range.end > start).then_some(*line)
    }

    /// What lies behind a mapping with this last column.
    fn behind(
        &mut self,
        path: &str,
        dev: &str,
        inode: u64,
        range: Range,
    ) -> (Option<FileId>, Option<Special>) {
        let specials = [
            Special::Stack,
            Special::Vvar,
            Special::VvarVclock,
            Special::Vdso,
        ];
        if let Some(special) = specials.into_iter().find(|special| special.name() == path) {
            return (None, Some(special));
        }
        if path == "[heap]" {
            let heap = self.heap.get_or_insert(range);
            heap.end = heap.end.max(range.end);
        }
        if path.is_empty() || path.starts_with('[') && inode == 0 {
            return (None, None);
        }
        (
            Some(self.files.exact(path, dev, inode, self.placement)),
            None,
        )
    }
}

fn range(span: Part<'_>) -> Option<(u64, u64)> {
    let (start, end) = span.text().split_once('-')?;
    Some((hex(start)?, hex(end)?))
}

fn hex(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.chars().all(|digit| digit.is_ascii_hexdigit());
    if digits {
        u64::from_str_radix(text, 16).ok()
    } else {
        None
    }
}

fn permissions(text: &str) -> Option<VmFlags> {
    let mut flags = VmFlags::empty();
    let letters: [char; 4] = text.chars().collect::<Vec<_>>().try_into().ok()?;
    let known = [
        (VmFlags::READ, 'r', '-'),
        (VmFlags::WRITE, 'w', '-'),
        (VmFlags::EXEC, 'x', '-'),
    ];
    for ((flag, set, unset), letter) in known.into_iter().zip(letters) {
        match letter {
            _ if letter == set => flags.insert(flag),
            _ if letter == unset => {}
            _ => return None,
        }
    }
    match letters[3] {
        'p' => Some(flags),
        's' => Some(flags | VmFlags::MAYSHARE),
        _ => None,
    }
}

pub(crate) fn is_device(text: &str) -> bool {
    let number = |text: &str| {
        (2..=8).contains(&text.len()) && text.chars().all(|digit| digit.is_ascii_hexdigit())
    };
    text.split_once(':')
        .is_some_and(|(major, minor)| number(major) && number(minor))
}

/// Writes a mapping as the kernel does, without the blanks at the end.
pub(crate) fn line_text(map: &StartMap, files: &[File], heap: Option<Range>) -> String {
    let Range { start, end } = map.range;
    let perms: String = map.perms.perms().iter().collect();
    let file = map.file.and_then(|id| files.get(id.0 as usize));
    let (dev, inode) = file.map_or(("00:00", 0), |file| (file.dev.as_str(), file.inode));
    let is_heap = heap.is_some_and(|heap| heap.start < end && start < heap.end);
    let label = match (file, map.special) {
        (Some(file), _) => file.path.as_str(),
        (None, Some(special)) => special.name(),
        (None, None) if is_heap => "[heap]",
        (None, None) => "",
    };
    let front = format!(
        "{start:08x}-{end:08x} {perms} {:08x} {dev} {inode} ",
        map.offset
    );
    format!("{front:<73}{label}").trim_end().to_owned()
}
