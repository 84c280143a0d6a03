//! Which file a descriptor of the log stands for.

use mmscope_mm::{File, FileId, FilePlacement};

use crate::files::Files;
use crate::sorted::Sorted;
use crate::text::part::{CallParts, Part, unescaped};
use crate::text::setting::READ_ONLY;

/// Open descriptors and the files that mappings showed.
pub(super) struct Descriptors {
    /// The path of each, and whether it was opened for reading only.
    open: Sorted<u32, (String, bool)>,
    pub(super) files: Files,
    unnamed: u32,
}

impl Descriptors {
    pub(super) fn new(files: Vec<File>) -> Descriptors {
        Descriptors {
            open: Sorted::new(),
            files: Files::of(files),
            unnamed: 0,
        }
    }

    /// Notes what a call that is no memory call does to descriptors.
    pub(super) fn see(&mut self, parts: &CallParts<'_>, result: Part<'_>) {
        let arg = |at: usize| parts.args.get(at).map_or("", |arg| arg.text());
        let number = |text: &str| {
            text.split(['<', ' '])
                .next()
                .and_then(|text| text.parse::<u32>().ok())
        };
        let opened = match parts.name.text() {
            "open" => opened(arg(0), arg(1)),
            "creat" => opened(arg(0), ""),
            "openat" | "openat2" => opened(arg(1), arg(2)),
            "memfd_create" => {
                quoted(arg(0)).map(|name| (format!("/memfd:{name} (deleted)"), false))
            }
            "dup" | "dup2" | "dup3" => number(arg(0)).and_then(|fd| self.open.get(&fd).cloned()),
            "close" => {
                if let Some(fd) = number(arg(0)) {
                    self.open.remove(&fd);
                }
                return;
            }
            _ => return,
        };
        if let Some(fd) = number(result.text()) {
            match opened {
                Some(path) => self.open.insert(fd, path),
                None => {
                    self.open.remove(&fd);
                }
            }
        }
    }

    /// The file of a descriptor argument, if it was mapped before.
    pub(super) fn mapped(&self, part: Part<'_>) -> Option<FileId> {
        let (path, _) = self.open_file(part)?;
        self.files.known(&path)
    }

    /// The path of a descriptor argument as far as the log tells it, and whether it was opened for reading only.
    fn open_file(&self, part: Part<'_>) -> Option<(String, bool)> {
        let text = part.text();
        let fd = text
            .split('<')
            .next()
            .and_then(|fd| fd.trim().parse::<u32>().ok());
        let open = fd.and_then(|fd| self.open.get(&fd));
        let named = text
            .split_once('<')
            .and_then(|(_, rest)| rest.rsplit_once('>'));
        match named {
            Some((path, deleted)) => Some((
                format!("{}{}", unescaped(path), spaced(deleted)),
                open.is_some_and(|(_, read_only)| *read_only),
            )),
            None => open.cloned(),
        }
    }

    /// The file of a descriptor argument, for a mapping that continues an earlier one or not. One that the log has not
    /// opened is a file of its own for each mapping that does not.
    pub(super) fn file(&mut self, part: Part<'_>, continues: bool, shared: bool) -> FileId {
        // A file without a name can't be written down in a scenario.
        let named = |(path, _): &(String, bool)| !path.trim().is_empty();
        let (path, read_only) = match self.open_file(part).filter(named) {
            Some(open) => open,
            None => {
                self.unnamed += u32::from(!continues || self.unnamed == 0);
                (format!("[unknown {}]", self.unnamed), false)
            }
        };
        let in_memory = ["/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"];
        let placement = if in_memory.iter().any(|start| path.starts_with(start)) {
            FilePlacement::Shmem
        } else {
            FilePlacement::Thp
        };
        // A private mapping is the same, however its file was opened.
        if shared {
            self.files.by_path_opened(&path, placement, read_only)
        } else {
            self.files.by_path(&path, placement)
        }
    }
}

/// The path and the flags of a call that opens a file.
fn opened(path: &str, flags: &str) -> Option<(String, bool)> {
    Some((quoted(path)?, flags.contains(READ_ONLY)))
}

fn spaced(deleted: &str) -> String {
    if deleted.is_empty() {
        String::new()
    } else {
        format!(" {deleted}")
    }
}

/// What stands between the quotes.
fn quoted(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?;
    let end = inside.rfind('"')?;
    Some(unescaped(&inside[..end]))
}
