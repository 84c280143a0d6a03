//! A list of files, each there once, found by path.

use std::collections::BTreeMap;

use mmscope_mm::{File, FileId, FilePlacement};

/// The device of a file of which only the path is known.
pub(crate) const NO_DEVICE: &str = "00:00";

/// Files in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    list: Vec<File>,
    by_path: BTreeMap<String, Vec<FileId>>,
}

impl Files {
    /// The files of a list, numbered as they stand there.
    pub(crate) fn of(list: Vec<File>) -> Files {
        let mut by_path: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
        for (id, file) in (0..).map(FileId).zip(&list) {
            by_path.entry(file.path.clone()).or_default().push(id);
        }
        Files { list, by_path }
    }

    /// The file of exactly this identity; a new one if there is none.
    pub(crate) fn exact(
        &mut self,
        path: &str,
        dev: &str,
        inode: u64,
        placement: FilePlacement,
    ) -> FileId {
        let known = self.by_path.get(path).into_iter().flatten().find(|id| {
            let file = &self.list[id.0 as usize];
            file.dev == dev && file.inode == inode
        });
        if let Some(id) = known {
            return *id;
        }
        let id = FileId(self.list.len() as u32);
        self.list.push(File {
            path: path.to_owned(),
            len: None,
            dev: dev.to_owned(),
            inode,
            placement,
        });
        self.by_path.entry(path.to_owned()).or_default().push(id);
        id
    }

    /// The first file with this path; a new one without device and inode if there is none.
    pub(crate) fn by_path(&mut self, path: &str, placement: FilePlacement) -> FileId {
        match self.by_path.get(path).and_then(|ids| ids.first()) {
            Some(id) => *id,
            None => self.exact(path, NO_DEVICE, 0, placement),
        }
    }

    /// The file with this number.
    pub(crate) fn get(&self, id: FileId) -> Option<&File> {
        self.list.get(id.0 as usize)
    }

    /// The same, to be changed in anything but its identity.
    pub(crate) fn get_mut(&mut self, id: FileId) -> Option<&mut File> {
        self.list.get_mut(id.0 as usize)
    }

    /// All of them.
    pub(crate) fn into_list(self) -> Vec<File> {
        self.list
    }
}
