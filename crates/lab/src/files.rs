//! A list of files, each there once, found by path.

use mmscope_mm::{File, FileId, FilePlacement};

use crate::blocks::Blocks;

/// The device of a file of which only the path is known.
pub(crate) const NO_DEVICE: &str = "00:00";

/// Files in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    list: Vec<File>,
    /// The first file with each path.
    by_path: Blocks<String, u32>,
    /// The first file with each identity, as [`identity`] writes it.
    by_identity: Blocks<String, u32>,
}

impl Files {
    /// The files of a list, numbered as they stand there.
    pub(crate) fn of(list: Vec<File>) -> Files {
        let mut files = Files::default();
        for file in list {
            files.push(file);
        }
        files
    }

    /// The first file of exactly this identity; a new one if there is none.
    pub(crate) fn exact(
        &mut self,
        path: &str,
        dev: &str,
        inode: u64,
        placement: FilePlacement,
    ) -> FileId {
        if let Some(id) = self.by_identity.get(&identity(path, dev, inode)) {
            return FileId(*id);
        }
        self.push(File {
            path: path.to_owned(),
            len: None,
            dev: dev.to_owned(),
            inode,
            placement,
            read_only: false,
        })
    }

    /// The file of this identity that was opened in the same way, described anew; a new one if there is none.
    pub(crate) fn opened(&mut self, file: File) -> FileId {
        let same = |other: &File| {
            other.read_only == file.read_only
                && other.path == file.path
                && other.dev == file.dev
                && other.inode == file.inode
        };
        let known = self
            .by_identity
            .get(&identity(&file.path, &file.dev, file.inode));
        let first = known.map_or(self.list.len(), |id| *id as usize);
        for (id, other) in self.list.iter_mut().enumerate().skip(first) {
            if same(other) {
                *other = file;
                return FileId(id as u32);
            }
        }
        self.push(file)
    }

    /// The first file with this path that was opened in this way; a new one if there is none.
    pub(crate) fn by_path_opened(
        &mut self,
        path: &str,
        placement: FilePlacement,
        read_only: bool,
    ) -> FileId {
        let first = self
            .by_path
            .get(path)
            .map_or(self.list.len(), |id| *id as usize);
        for (id, file) in self.list.iter().enumerate().skip(first) {
            if file.read_only == read_only && file.path == path {
                return FileId(id as u32);
            }
        }
        self.push(File {
            path: path.to_owned(),
            len: None,
            dev: NO_DEVICE.to_owned(),
            inode: 0,
            placement,
            read_only,
        })
    }

    fn push(&mut self, file: File) -> FileId {
        let id = self.list.len() as u32;
        let identity = identity(&file.path, &file.dev, file.inode);
        self.by_identity.or_insert(identity, id);
        self.by_path.or_insert(file.path.clone(), id);
        self.list.push(file);
        FileId(id)
    }

    /// The first file with this path; a new one without device and inode if there is none.
    pub(crate) fn by_path(&mut self, path: &str, placement: FilePlacement) -> FileId {
        match self.by_path.get(path) {
            Some(id) => FileId(*id),
            None => self.exact(path, NO_DEVICE, 0, placement),
        }
    }

    /// The first file with this path, if there is one.
    pub(crate) fn known(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).map(|id| FileId(*id))
    }

    /// The file with this number.
    pub(crate) fn get(&self, id: FileId) -> Option<&File> {
        self.list.get(id.0 as usize)
    }

    /// All of them.
    pub(crate) fn into_list(self) -> Vec<File> {
        self.list
    }
}

/// What makes two files one. Neither device nor inode has blanks in it.
fn identity(path: &str, dev: &str, inode: u64) -> String {
    format!("{dev} {inode} {path}")
}
