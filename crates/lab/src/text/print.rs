//! Writing a scenario.

use std::fmt;

use mmscope_mm::{
    Access, Call, Fd, File, FileId, FilePlacement, Limit, Mmap, MremapFlags, Outcome, Range,
    Settings,
};

use super::call::{ANON_NAME, CHILD, RESOURCES, SET_VMA, THP_DISABLE, anon_name_text, error_text};
use super::flags::{
    advice_text, map_flags_text, mcl_text, mlock_text, mremap_flags_text, personality_text,
    prot_text,
};
use super::parse::{MAGIC, VERSION};
use super::part::escaped;
use super::setting::{FS, OPEN, READ_ONLY, SETTINGS, file_system_text};
use crate::blocks::Blocks;
use crate::files::NO_DEVICE;
use crate::maps_file;
use crate::program::{CallLine, Item};
use crate::scenario::{Anchor, Scenario};

/// Descriptors are numbered from here, by the order of the files.
pub(super) const FIRST_FD: u32 = 3;

impl fmt::Display for Scenario {
    /// The text that [`Scenario::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC} {VERSION}")?;
        let anchored = |anchor: &Anchor| self.comments.contains(anchor);
        if !self.title.is_empty() || anchored(&Anchor::Title) {
            self.header(f, Anchor::Title, format_args!("title {}", self.title))?;
        }
        let kernels: Vec<String> = self.kernels.iter().map(ToString::to_string).collect();
        self.header(
            f,
            Anchor::Kernels,
            format_args!("kernels {}", kernels.join(" ")),
        )?;
        if self.seed != 0 || anchored(&Anchor::Seed) {
            self.header(f, Anchor::Seed, format_args!("seed {}", self.seed))?;
        }
        self.settings(f)?;
        self.files_and_maps(f)?;
        if let (Some(start), Some(end)) = (self.start.start_brk, self.start.brk) {
            if start == end {
                self.header(f, Anchor::Break, format_args!("brk {start:#x}"))?;
            } else {
                self.header(f, Anchor::Break, format_args!("brk {start:#x} {end:#x}"))?;
            }
        }
        for (anchor, word, text) in [
            (Anchor::Tlb, "tlb", &self.streams.tlb),
            (Anchor::Walk, "walk", &self.streams.walk),
        ] {
            if let Some(text) = text {
                self.header(f, anchor, format_args!("{word} {text}"))?;
            }
        }
        items(f, &self.program.items, &self.files, 0)?;
        self.comments(f, &Anchor::End)
    }
}

impl Scenario {
    fn comments(&self, f: &mut fmt::Formatter<'_>, anchor: &Anchor) -> fmt::Result {
        comments(f, self.comments.get(anchor).map_or(&[], Vec::as_slice), 0)
    }

    fn header(
        &self,
        f: &mut fmt::Formatter<'_>,
        anchor: Anchor,
        line: fmt::Arguments<'_>,
    ) -> fmt::Result {
        self.comments(f, &anchor)?;
        writeln!(f, "{}", line.to_string().trim_end())
    }

    fn settings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Settings::default();
        for setting in SETTINGS {
            let anchor = Anchor::Setting(setting.name.to_owned());
            let text = setting.text(&self.settings);
            if text != setting.text(&usual) || self.comments.contains(&anchor) {
                self.header(f, anchor, format_args!("set {} {text}", setting.name))?;
            }
        }
        let anchor = Anchor::Setting(FS.to_owned());
        let usual = self.usual_placement();
        if usual != FilePlacement::Thp || self.comments.contains(&anchor) {
            self.header(
                f,
                anchor,
                format_args!("set {FS} {}", file_system_text(usual)),
            )?;
        }
        Ok(())
    }

    /// How files take part in placement that are not described further: like the first one.
    fn usual_placement(&self) -> FilePlacement {
        self.files
            .first()
            .map_or(FilePlacement::Thp, |file| file.placement)
    }

    fn files_and_maps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments(f, &Anchor::Files)?;
        if self.comments.contains(&Anchor::Files) || !self.files_are_implied() {
            for file in &self.files {
                write!(f, "file ")?;
                if let Some(len) = file.len {
                    write!(f, "len={len} ")?;
                }
                if file.placement != self.usual_placement() {
                    write!(f, "{FS}={} ", file_system_text(file.placement))?;
                }
                if file.read_only {
                    write!(f, "{OPEN}={READ_ONLY} ")?;
                }
                writeln!(f, "{} {} {}", file.dev, file.inode, file.path)?;
            }
        }
        if self.start.maps.is_empty() && !self.comments.contains(&Anchor::Maps) {
            return Ok(());
        }
        self.header(f, Anchor::Maps, format_args!("maps {{"))?;
        let heap = self.heap();
        for map in &self.start.maps {
            writeln!(f, "{}", maps_file::line_text(map, &self.files, heap))?;
        }
        writeln!(f, "}}")
    }

    fn heap(&self) -> Option<Range> {
        let (start, end) = (self.start.start_brk?, self.start.brk?);
        (start < end).then_some(Range { start, end })
    }

    /// Whether the maps and the calls alone, read in order, give this list of files.
    fn files_are_implied(&self) -> bool {
        let mut met = 0;
        let mut in_order = true;
        let mut meet = |id: FileId| {
            in_order &= id.0 <= met;
            met = met.max(id.0.saturating_add(1));
        };
        let in_maps = self.start.maps.iter().filter_map(|map| map.file);
        in_maps.clone().for_each(&mut meet);
        for line in self.program.calls() {
            if let Call::Mmap(mmap) = line.call
                && let Fd::File(id) = mmap.fd
            {
                meet(id);
            }
        }
        // Files that only calls show are known by their path alone.
        let by_line = in_maps.map(|id| id.0 as usize + 1).max().unwrap_or(0);
        let mut paths = Blocks::default();
        let plain = self.files.iter().enumerate().all(|(number, file)| {
            let number_32 = number as u32;
            let new_path = *paths.or_insert(file.path.clone(), number_32) == number_32;
            let unknown = file.dev == NO_DEVICE && file.inode == 0;
            file.len.is_none()
                && !file.read_only
                && file.placement == self.usual_placement()
                && (number < by_line || unknown && new_path)
        });
        in_order && met as usize == self.files.len() && plain
    }
}

fn comments(f: &mut fmt::Formatter<'_>, comments: &[String], depth: usize) -> fmt::Result {
    for comment in comments {
        indent(f, depth)?;
        writeln!(f, "{}", format!("# {comment}").trim_end())?;
    }
    Ok(())
}

fn indent(f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", depth * 2)
}

fn items(f: &mut fmt::Formatter<'_>, list: &[Item], files: &[File], depth: usize) -> fmt::Result {
    for item in list {
        match item {
            Item::Call(line) => {
                comments(f, &line.comments, depth)?;
                indent(f, depth)?;
                call_line(f, line, files)?;
            }
            Item::Repeat(repeat) => {
                comments(f, &repeat.comments, depth)?;
                indent(f, depth)?;
                writeln!(f, "repeat {} {{", repeat.times)?;
                items(f, &repeat.body, files, depth + 1)?;
                comments(f, &repeat.closing_comments, depth + 1)?;
                indent(f, depth)?;
                writeln!(f, "}}")?;
            }
        }
    }
    Ok(())
}

fn call_line(f: &mut fmt::Formatter<'_>, line: &CallLine, files: &[File]) -> fmt::Result {
    write!(f, "{}", call_text(line, files))?;
    if let Call::Mmap(Mmap {
        begin_32bit: Some(begin),
        ..
    }) = line.call
    {
        write!(f, " from {begin:#x}")?;
    }
    if let Some(recorded) = line.recorded {
        write!(f, " = {}", outcome_text(recorded))?;
    }
    if let Some(remark) = &line.remark {
        write!(f, " # {remark}")?;
    }
    writeln!(f)
}

/// The call as strace would print it, without a result: `a = mmap(NULL, 4096, …)`.
pub fn call_text(line: &CallLine, files: &[File]) -> String {
    let addr = |value| address_text(value, line.relative_to.as_deref());
    let call = match line.call {
        Call::Mmap(mmap) => format!(
            "mmap({}, {}, {}, {}, {}, {})",
            addr(mmap.addr),
            mmap.len,
            prot_text(mmap.prot),
            map_flags_text(mmap.flags),
            fd_text(mmap.fd, files),
            offset_text(mmap.offset)
        ),
        Call::Munmap { addr: start, len } => format!("munmap({}, {len})", addr(start)),
        Call::Mprotect {
            addr: start,
            len,
            prot,
        } => {
            format!("mprotect({}, {len}, {})", addr(start), prot_text(prot))
        }
        Call::Mremap(remap) => {
            let base = line.new_relative_to.as_deref();
            let needs_place = MremapFlags::FIXED | MremapFlags::DONTUNMAP;
            let to = if base.is_some() || remap.new_addr != 0 || remap.flags.intersects(needs_place)
            {
                format!(", {}", address_text(remap.new_addr, base))
            } else {
                String::new()
            };
            format!(
                "mremap({}, {}, {}, {}{to})",
                addr(remap.addr),
                remap.old_len,
                remap.new_len,
                mremap_flags_text(remap.flags)
            )
        }
        Call::Madvise {
            addr: start,
            len,
            advice,
        } => {
            format!("madvise({}, {len}, {})", addr(start), advice_text(advice))
        }
        Call::Mlock {
            addr: start,
            len,
            flags: 0,
        } => format!("mlock({}, {len})", addr(start)),
        Call::Mlock {
            addr: start,
            len,
            flags,
        } => {
            format!("mlock2({}, {len}, {})", addr(start), mlock_text(flags))
        }
        Call::Munlock { addr: start, len } => format!("munlock({}, {len})", addr(start)),
        Call::Fork { child: false } => "fork()".to_owned(),
        Call::Fork { child: true } => format!("fork({CHILD})"),
        Call::Exec => "exec()".to_owned(),
        Call::Exit => "exit()".to_owned(),
        Call::Ftruncate { fd, len } => format!("ftruncate({}, {len})", fd_text(fd, files)),
        Call::Personality { persona } => format!("personality({})", personality_text(persona)),
        Call::Mlockall { flags } => format!("mlockall({})", mcl_text(flags)),
        Call::Munlockall => "munlockall()".to_owned(),
        Call::Mseal {
            addr: start,
            len,
            flags,
        } => format!("mseal({}, {len}, {flags})", addr(start)),
        Call::SetAnonName {
            addr: start,
            len,
            name,
        } => {
            let (start, name) = (addr(start), anon_name_text(name));
            format!("prctl({SET_VMA}, {ANON_NAME}, {start}, {len}, {name})")
        }
        Call::SetThpDisable { on, flags } => {
            format!("prctl({THP_DISABLE}, {on}, {flags}, 0, 0)")
        }
        Call::Brk { addr: end } => format!("brk({})", addr(end)),
        Call::Touch {
            addr: start,
            len,
            stride,
            access,
        } => {
            let name = match access {
                Access::Read => "read",
                Access::Write => "touch",
            };
            let stride = match stride {
                mmscope_mm::page::PAGE_SIZE => String::new(),
                stride => format!(", {stride}"),
            };
            format!("{name}({}, {len}{stride})", addr(start))
        }
        Call::Setrlimit { resource, cur, max } => {
            let found = RESOURCES.iter().find(|(_, known)| *known == resource);
            let name = found.map_or("", |(name, _)| name);
            let (cur, max) = (limit_text(cur), limit_text(max));
            format!("prlimit64(0, {name}, {{rlim_cur={cur}, rlim_max={max}}}, NULL)")
        }
    };
    match &line.name {
        Some(name) => format!("{name} = {call}"),
        None => call,
    }
}

/// The result as strace would print it.
pub fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Address(0) | Outcome::Done => "0".to_owned(),
        Outcome::Address(addr) => format!("{addr:#x}"),
        Outcome::Error(errno) => format!("-1 {errno} ({})", error_text(errno)),
        Outcome::NotModelled(_) => "?".to_owned(),
        Outcome::Touched(count) => count.to_string(),
        Outcome::Signal {
            touched,
            signal,
            at,
        } => format!("{touched} {} at {at:#x}", signal.name()),
    }
}

fn address_text(value: u64, relative_to: Option<&str>) -> String {
    match (relative_to, value) {
        (None, 0) => "NULL".to_owned(),
        (None, addr) => format!("{addr:#x}"),
        (Some(name), 0) => name.to_owned(),
        (Some(name), distance) if distance as i64 > 0 => format!("{name}+{distance:#x}"),
        (Some(name), distance) => format!("{name}-{:#x}", distance.wrapping_neg()),
    }
}

fn offset_text(offset: u64) -> String {
    if offset == 0 {
        "0".to_owned()
    } else {
        format!("{offset:#x}")
    }
}

fn fd_text(fd: Fd, files: &[File]) -> String {
    match fd {
        Fd::None => "-1".to_owned(),
        Fd::File(id) => {
            let path = files.get(id.0 as usize).map_or("", |file| &file.path);
            format!("{}<{}>", FIRST_FD + id.0, escaped(path))
        }
    }
}

fn limit_text(limit: Limit) -> String {
    match limit {
        None => "RLIM64_INFINITY".to_owned(),
        Some(bytes) if bytes > 1024 && bytes.is_multiple_of(1024) => {
            format!("{}*1024", bytes / 1024)
        }
        Some(bytes) => bytes.to_string(),
    }
}
