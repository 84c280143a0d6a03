//! Reading recordings from files, compressed or not.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// All files of recordings below a path, or the path itself if it is a file; sorted.
///
/// # Errors
/// Those of the file system.
pub fn files_below(path: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        if entry.is_dir() {
            files.extend(files_below(&entry, wanted)?);
        } else if wanted(&entry) {
            files.push(entry);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file's name says that it holds recorded cases.
pub fn is_vectors(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    name.ends_with(".jsonl") || name.ends_with(".jsonl.br")
}

/// Whether a file's name says that it holds the operations of long maple tree runs.
pub fn is_operations_file(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    name.ends_with(".ops") || name.ends_with(".ops.br")
}

/// The name of a file of TLB comparisons without its endings, if it is one: it lies in a folder `tlb`.
pub fn tlb_name(path: &Path) -> Option<&str> {
    let folder = path.parent()?.file_name()?;
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".br").unwrap_or(name);
    name.strip_suffix(".json").filter(|_| folder == "tlb")
}

/// A file's text; `.br` is decompressed.
///
/// # Errors
/// Those of the file system, and `InvalidData` for what is not UTF-8 or not brotli.
pub fn read_text(path: &Path) -> io::Result<String> {
    if path.extension().is_some_and(|extension| extension == "br") {
        let mut text = String::new();
        brotli_decompressor::Decompressor::new(fs::File::open(path)?, 1 << 16)
            .read_to_string(&mut text)?;
        return Ok(text);
    }
    fs::read_to_string(path)
}
