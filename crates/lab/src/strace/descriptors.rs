//! Which file a descriptor of the log stands for.

use mmscope_mm::{File, FileId, FilePlacement};

use crate::files::Files;
use crate::sorted::Sorted;
use crate::text::part::{CallParts, Part, unescaped};

/// Open descriptors and the files that mappings showed.
pub(super) struct Descriptors {
    open: Sorted<u32, String>,
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
            "open" | "creat" => quoted(arg(0)),
            "openat" | "openat2" => quoted(arg(1)),
            "memfd_create" => quoted(arg(0)).map(|name| format!("/memfd:{name} (deleted)")),
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

    /// The file of a descriptor argument. One that the log has not opened is a file of its own for each mapping that
    /// is not put into an earlier one.
    pub(super) fn file(&mut self, part: Part<'_>, continues: bool) -> FileId {
        let text = part.text();
        let fd = text
            .split('<')
            .next()
            .and_then(|fd| fd.trim().parse::<u32>().ok());
        let path = match text
            .split_once('<')
            .and_then(|(_, rest)| rest.rsplit_once('>'))
        {
            Some((path, deleted)) => format!("{}{}", unescaped(path), spaced(deleted)),
            None => match fd.and_then(|fd| self.open.get(&fd)) {
                Some(path) => path.clone(),
                None => {
                    self.unnamed += u32::from(!continues || self.unnamed == 0);
                    format!("[unknown {}]", self.unnamed)
                }
            },
        };
        self.named(&path)
    }

    /// The file with this path.
    pub(super) fn named(&mut self, path: &str) -> FileId {
        let in_memory = ["/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"];
        let shmem = in_memory.iter().any(|start| path.starts_with(start));
        let placement = if shmem {
            FilePlacement::Shmem
        } else {
            FilePlacement::Thp
        };
        self.files.by_path(path, placement)
    }
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
