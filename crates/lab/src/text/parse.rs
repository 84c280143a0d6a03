//! Reading a scenario. All errors are collected: a line that can't be read is left out and the next one is read.

use mmscope_mm::{Call, Fd, File, FileId, Kernel, KernelError, MapFlags, page::TASK_SIZE};

use super::call::{self, Context};
use super::error::{Expected, ScenarioError};
use super::number::{number, number_in};
use super::part::{Parsed, Part, call_parts};
use super::setting::{self, FS, OPEN, READ_ONLY};
use crate::blocks::Blocks;
use crate::maps_file::{self, Reader};
use crate::nearest::nearest;
use crate::program::{CallLine, Item, MAX_DEPTH, MAX_STEPS, Program, Repeat, SourceLine};
use crate::scenario::{Anchor, MAX_LANES, Scenario};

/// The version of the format.
pub(super) const VERSION: u64 = 1;
/// The word that a text begins with.
pub(super) const MAGIC: &str = "mmscope";
/// More errors than this are not collected.
const MOST_ERRORS: usize = 200;
/// Words that lines begin with, apart from calls.
const WORDS: &[&str] = &[
    "title", "kernels", "set", "seed", "file", "maps", "brk", "tlb", "walk", "repeat",
];

impl Scenario {
    /// Reads a scenario's text.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of its lines.
    pub fn parse(text: &str) -> Result<Scenario, Vec<ScenarioError>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut parser = Parser::new();
        let mut number = 0;
        for line in text.lines() {
            number += 1;
            let part = Part::line(line).trim();
            if let Err(problem) = parser.line(part, number) {
                parser.errors.push(problem.in_line(number));
            }
            if parser.unreadable || parser.errors.len() >= MOST_ERRORS {
                break;
            }
        }
        parser.finish(number.max(1))
    }
}

struct Block {
    repeat: Repeat,
    opened: u32,
}

struct Parser {
    scenario: Scenario,
    maps: Reader,
    errors: Vec<ScenarioError>,
    header_seen: bool,
    /// The text is no scenario, or one that can't be read: the rest is not looked at.
    unreadable: bool,
    /// Lines that may stand only once.
    seen: Vec<Anchor>,
    kernels: Option<Vec<Kernel>>,
    comments: Vec<String>,
    in_maps: Option<u32>,
    blocks: Vec<Block>,
    /// Blocks too deep to be kept, still open.
    too_deep: u32,
    items: Vec<Item>,
    steps: u64,
    /// Names of results, with the line that last gave each.
    names: Blocks<String, u32>,
}

impl Parser {
    fn new() -> Parser {
        Parser {
            scenario: Scenario::default(),
            maps: Reader::new(),
            errors: Vec::new(),
            header_seen: false,
            unreadable: false,
            seen: Vec::new(),
            kernels: None,
            comments: Vec::new(),
            in_maps: None,
            blocks: Vec::new(),
            too_deep: 0,
            items: Vec::new(),
            steps: 0,
            names: Blocks::default(),
        }
    }

    fn line(&mut self, part: Part<'_>, number: u32) -> Parsed<()> {
        if part.is_empty() {
            return Ok(());
        }
        if let Some(comment) = part.text().strip_prefix('#') {
            self.comments.push(
                comment
                    .strip_prefix(' ')
                    .unwrap_or(comment)
                    .trim_end()
                    .to_owned(),
            );
            return Ok(());
        }
        if !self.header_seen {
            return self.header(part);
        }
        if self.in_maps.is_some() {
            return self.maps_line(part, number);
        }
        let (word, rest) = part.word();
        match word.text() {
            "title" | "kernels" | "set" | "seed" | "file" | "maps" | "brk" | "tlb" | "walk" => {
                if !(self.items.is_empty() && self.blocks.is_empty()) {
                    self.comments.clear();
                    return Err(word.wants(Expected::BeforeCalls));
                }
                self.header_line(word, rest, number)
            }
            "repeat" => self.repeat(rest, number),
            "}" => {
                rest.must_be_empty()?;
                self.close(part)
            }
            text if text.contains(['(', '=']) || rest.text().starts_with(['(', '=']) => {
                self.call(part, number)
            }
            text => {
                let words = WORDS.iter().chain(call::CALLS).copied();
                Err(word.wants(Expected::Line {
                    nearest: nearest(text, words),
                }))
            }
        }
    }

    fn header(&mut self, part: Part<'_>) -> Parsed<()> {
        let (word, version) = part.word();
        if word.text() != MAGIC {
            self.unreadable = true;
            return Err(part.wants(Expected::Header));
        }
        self.header_seen = true;
        match number(version) {
            Ok(VERSION) => Ok(()),
            Ok(newer) if newer > VERSION => {
                self.unreadable = true;
                Err(version.wants(Expected::Version {
                    newest: VERSION as u32,
                }))
            }
            _ => {
                self.unreadable = true;
                Err(part.wants(Expected::Header))
            }
        }
    }

    /// Notes that a line of this kind is here, and hangs the comments before it on it.
    fn anchor(&mut self, anchor: Anchor, word: Part<'_>) -> Parsed<()> {
        let first = !self.seen.contains(&anchor);
        if first {
            self.seen.push(anchor.clone());
        }
        if !self.comments.is_empty() {
            let comments = std::mem::take(&mut self.comments);
            self.scenario
                .comments
                .or_default(anchor.clone())
                .extend(comments);
        }
        if first || anchor == Anchor::Files {
            Ok(())
        } else {
            Err(word.wants(Expected::Once))
        }
    }

    fn header_line(&mut self, word: Part<'_>, rest: Part<'_>, number: u32) -> Parsed<()> {
        match word.text() {
            "title" => {
                self.anchor(Anchor::Title, word)?;
                self.scenario.title = rest.text().to_owned();
                Ok(())
            }
            "kernels" => {
                self.anchor(Anchor::Kernels, word)?;
                self.kernels(rest)
            }
            "seed" => {
                self.anchor(Anchor::Seed, word)?;
                self.scenario.seed = number_in(rest, 0, u64::MAX)?;
                Ok(())
            }
            "set" => self.set(rest),
            "tlb" => {
                self.anchor(Anchor::Tlb, word)?;
                self.scenario.streams.tlb = Some(rest.text().to_owned());
                Ok(())
            }
            "walk" => {
                self.anchor(Anchor::Walk, word)?;
                self.scenario.streams.walk = Some(rest.text().to_owned());
                Ok(())
            }
            "file" => {
                self.anchor(Anchor::Files, word)?;
                self.file(rest)
            }
            "maps" => {
                self.in_maps = Some(number);
                self.anchor(Anchor::Maps, word)?;
                if rest.text() == "{" {
                    Ok(())
                } else {
                    Err(rest.wants(Expected::Mark('{')))
                }
            }
            _ => {
                self.anchor(Anchor::Break, word)?;
                let (start, end) = rest.word();
                let start_brk = number_in(start, 0, TASK_SIZE)?;
                self.scenario.start.start_brk = Some(start_brk);
                let brk = if end.is_empty() {
                    start_brk
                } else {
                    number_in(end, start_brk, TASK_SIZE)?
                };
                self.scenario.start.brk = Some(brk);
                Ok(())
            }
        }
    }

    fn kernels(&mut self, rest: Part<'_>) -> Parsed<()> {
        let words = rest.words();
        // Reading it at all counts: a wrong name is told once, not again as a missing line.
        self.kernels = Some(Vec::new());
        if words.is_empty() || words.len() > MAX_LANES as usize {
            let at = words.get(MAX_LANES as usize).copied().unwrap_or(rest);
            return Err(at.wants(Expected::Kernels { most: MAX_LANES }));
        }
        let kernels: Parsed<Vec<Kernel>> = words
            .into_iter()
            .map(|word| {
                Kernel::parse(word.text()).map_err(|error| match error {
                    KernelError::UnknownRelease(_) => word.wants(Expected::Kernel),
                    KernelError::UnknownChange(id) => {
                        let at = word.text().len() - id.len();
                        word.from(at).wants(Expected::ChangeId)
                    }
                })
            })
            .collect();
        self.kernels = Some(kernels?);
        Ok(())
    }

    fn set(&mut self, rest: Part<'_>) -> Parsed<()> {
        let (name, value) = rest.word();
        self.anchor(Anchor::Setting(name.text().to_owned()), name)?;
        if name.text() == FS {
            self.maps.placement = setting::file_system(value)?;
            return Ok(());
        }
        setting::set(&mut self.scenario.settings, name, value)
    }

    /// `file [len=N] [fs=NAME] [open=O_RDONLY] DEVICE INODE PATH`
    fn file(&mut self, rest: Part<'_>) -> Parsed<()> {
        let mut len = None;
        let mut placement = self.maps.placement;
        let mut read_only = false;
        let mut rest = rest;
        let (device, rest) = loop {
            let (word, after) = rest.word();
            match word.cut('=') {
                Some((key, value)) if key.text() == "len" => len = Some(number(value)?),
                Some((key, value)) if key.text() == FS => placement = setting::file_system(value)?,
                Some((key, value)) if key.text() == OPEN => {
                    read_only = value.text() == READ_ONLY;
                    if !read_only {
                        return Err(value.wants(Expected::FileLine));
                    }
                }
                _ => break (word, after),
            }
            rest = after;
        };
        let (inode, path) = rest.word();
        if !maps_file::is_device(device.text()) || path.is_empty() {
            return Err(device.wants(Expected::FileLine));
        }
        let inode = number(inode)?;
        self.maps.files.opened(File {
            path: path.text().to_owned(),
            len,
            dev: device.text().to_owned(),
            inode,
            placement,
            read_only,
        });
        Ok(())
    }

    fn maps_line(&mut self, part: Part<'_>, number: u32) -> Parsed<()> {
        // Comments between mappings stand before the block from now on.
        if !self.comments.is_empty() {
            let comments = std::mem::take(&mut self.comments);
            self.scenario
                .comments
                .or_default(Anchor::Maps)
                .extend(comments);
        }
        if part.text() == "}" {
            self.in_maps = None;
            return Ok(());
        }
        self.maps
            .line(part, number)
            .map_err(|(at, problem)| at.wants(Expected::Maps(problem)))
    }

    fn repeat(&mut self, rest: Part<'_>, number: u32) -> Parsed<()> {
        let comments = std::mem::take(&mut self.comments);
        if self.blocks.len() >= MAX_DEPTH as usize {
            self.too_deep += 1;
            return Err(rest.wants(Expected::Depth { most: MAX_DEPTH }));
        }
        let (times, brace) = rest.word();
        let times = number_in(times, 1, u64::from(MAX_STEPS));
        let body = Vec::new();
        let repeat = Repeat {
            comments,
            closing_comments: Vec::new(),
            times: times.as_ref().map_or(1, |times| *times as u32),
            body,
        };
        self.blocks.push(Block {
            repeat,
            opened: number,
        });
        times?;
        if brace.text() == "{" {
            Ok(())
        } else {
            Err(brace.wants(Expected::Mark('{')))
        }
    }

    fn close(&mut self, part: Part<'_>) -> Parsed<()> {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return Ok(());
        }
        let Some(Block { mut repeat, opened }) = self.blocks.pop() else {
            return Err(part.wants(Expected::Line { nearest: None }));
        };
        repeat.closing_comments = std::mem::take(&mut self.comments);
        self.push(Item::Repeat(repeat), opened);
        Ok(())
    }

    /// Adds an item to the innermost open block; `line` is where it began.
    fn push(&mut self, item: Item, line: u32) {
        if let Some(block) = self.blocks.last_mut() {
            block.repeat.body.push(item);
            return;
        }
        let before = self.steps;
        let item = Program { items: vec![item] };
        self.steps = self.steps.saturating_add(item.steps());
        self.items.extend(item.items);
        if before <= u64::from(MAX_STEPS) && self.steps > u64::from(MAX_STEPS) {
            let expected = Expected::Steps {
                given: self.steps,
                most: MAX_STEPS,
            };
            self.errors.push(ScenarioError {
                line,
                column: 1,
                found: String::new(),
                expected,
            });
        }
    }

    fn call(&mut self, part: Part<'_>, line: u32) -> Parsed<()> {
        let comments = std::mem::take(&mut self.comments);
        let open = part.text().find('(').unwrap_or(part.text().len());
        let (name, asked) = match part.slice(0, open).cut('=') {
            Some((name, _)) => {
                let name = name.trim();
                (
                    Some(name),
                    part.from(part.text().find('=').unwrap_or(0) + 1).trim(),
                )
            }
            None => (None, part),
        };
        if let Some(name) = name
            && !call::is_name(name.text())
        {
            return Err(name.wants(Expected::NewName));
        }
        let parts = call_parts(asked)?;
        let mut scope = Scope {
            maps: &mut self.maps,
            names: &self.names,
        };
        let read = call::call(&parts, &mut scope);
        let new_relative_to = call::new_base(&parts, &scope);
        // A name is known from here on even if its call can't be read: one slip, one error.
        if let Some(name) = name {
            self.names.insert(name.text().to_owned(), line);
        }
        let (mut call, relative_to) = read?;
        let (rest, remark) = match parts.rest.cut('#') {
            Some((rest, remark)) => (rest.trim(), Some(remark.trim().text().to_owned())),
            None => (parts.rest.trim(), None),
        };
        let rest = begin_32bit(rest, &mut call)?;
        let recorded = match rest.text().strip_prefix('=') {
            Some(result) if result.trim() == "?" => None,
            Some(_) => Some(call::outcome(rest.from(1).trim(), &call)?),
            None => {
                rest.must_be_empty()?;
                None
            }
        };
        let name = name.map(|name| name.text().to_owned());
        let line_no = SourceLine(line);
        let call = CallLine {
            comments,
            remark,
            line: line_no,
            name,
            relative_to,
            new_relative_to,
            call,
            recorded,
        };
        self.push(Item::Call(call), line);
        Ok(())
    }

    fn finish(mut self, lines: u32) -> Result<Scenario, Vec<ScenarioError>> {
        let mut at_end = |column, found: &str, expected| {
            let found = found.to_owned();
            self.errors.push(ScenarioError {
                line: lines,
                column,
                found,
                expected,
            });
        };
        if !self.unreadable {
            if !self.header_seen {
                at_end(1, "", Expected::Header);
            }
            let open = self
                .blocks
                .iter()
                .map(|block| block.opened)
                .chain(self.in_maps);
            for opened in open {
                at_end(1, "", Expected::BlockEnd { opened });
            }
        }
        if self.errors.len() >= MOST_ERRORS {
            let (column, found) = (1, String::new());
            let expected = Expected::FewerErrors;
            self.errors.push(ScenarioError {
                line: lines,
                column,
                found,
                expected,
            });
        }
        if !self.errors.is_empty() {
            let place =
                |error: &ScenarioError| u64::from(error.line) << 32 | u64::from(error.column);
            return Err(crate::order::sorted_by_number(self.errors, place));
        }
        let mut scenario = self.scenario;
        let maps = self.maps.finish();
        scenario.files = maps.files;
        scenario.start.maps = maps.maps;
        if let (None, Some(heap)) = (scenario.start.brk, maps.heap) {
            scenario.start.start_brk = Some(heap.start);
            scenario.start.brk = Some(heap.end);
        }
        if let Some(kernels) = self.kernels {
            scenario.kernels = kernels;
        }
        scenario.program = Program { items: self.items };
        if !self.comments.is_empty() {
            scenario.comments.insert(Anchor::End, self.comments);
        }
        Ok(scenario)
    }
}

/// ` from 0x40001000` behind an mmap with `MAP_32BIT`: where its search began.
fn begin_32bit<'a>(rest: Part<'a>, call: &mut Call) -> Parsed<Part<'a>> {
    let (word, after) = rest.word();
    if word.text() != "from" {
        return Ok(rest);
    }
    match call {
        Call::Mmap(mmap) if mmap.flags.contains(MapFlags::BIT32) => {
            let (begin, after) = after.word();
            mmap.begin_32bit = Some(number_in(begin, 0x4000_0000, 0x4200_0000)?);
            Ok(after)
        }
        _ => Err(word.wants(Expected::EndOfLine)),
    }
}

struct Scope<'a> {
    maps: &'a mut Reader,
    names: &'a Blocks<String, u32>,
}

impl Context for Scope<'_> {
    /// `-1`; a number that is not open; or `3</path>`.
    fn fd(&mut self, part: Part<'_>) -> Parsed<Fd> {
        let text = part.text();
        let Some((fd, path)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) else {
            let is_number = !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit());
            let closed = text == "-1" || is_number;
            return if closed {
                Ok(Fd::None)
            } else {
                Err(part.wants(Expected::Descriptor))
            };
        };
        let Ok(fd) = fd.parse::<u32>() else {
            return Err(part.wants(Expected::Descriptor));
        };
        Ok(Fd::File(file_at(
            self.maps,
            fd,
            &super::part::unescaped(path),
        )))
    }

    fn knows(&self, name: &str) -> Result<(), Option<String>> {
        if self.names.get(name).is_some() {
            return Ok(());
        }
        let near = |known: &&String| known.eq_ignore_ascii_case(name) || known.starts_with(name);
        let known = || self.names.iter().map(|(known, _)| known);
        Err(known().find(near).or_else(|| known().last()).cloned())
    }
}

/// The file with this path, preferably that of this descriptor as the printer numbers them; a new one if none has it.
fn file_at(maps: &mut Reader, fd: u32, path: &str) -> FileId {
    let numbered = fd.checked_sub(super::print::FIRST_FD).map(FileId);
    let is_it = |id: &FileId| maps.files.get(*id).is_some_and(|file| file.path == path);
    match numbered.filter(is_it) {
        Some(id) => id,
        None => maps.files.by_path(path, maps.placement),
    }
}
