//! The settings of a scenario, by name.

use mmscope_mm::{Defrag, FilePlacement, Fragmentation, Limit, Overcommit, Settings, Thp, ThpSize};

use super::error::Expected;
use super::number::{number, number_in};
use super::part::{Parsed, Part};
use crate::nearest::nearest;

/// A setting by its name, with its way in and out.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    read: fn(&mut Settings, Part<'_>) -> Parsed<()>,
    write: fn(&Settings) -> String,
}

/// The word for a resource limit that does not limit.
const UNLIMITED: &str = "unlimited";
/// The word for a value that the model works out itself.
const AUTO: &str = "auto";

const THP: &[(&str, Thp)] = &[
    ("always", Thp::Always),
    ("madvise", Thp::Madvise),
    ("never", Thp::Never),
];
const THP_SIZES: &[(&str, ThpSize)] = &[
    ("always", ThpSize::Always),
    ("madvise", ThpSize::Madvise),
    ("inherit", ThpSize::Inherit),
    ("never", ThpSize::Never),
];
const DEFRAG: &[(&str, Defrag)] = &[
    ("always", Defrag::Always),
    ("defer", Defrag::Defer),
    ("defer+madvise", Defrag::DeferMadvise),
    ("madvise", Defrag::Madvise),
    ("never", Defrag::Never),
];
const FRAGMENTATION: &[(&str, Fragmentation)] = &[
    ("none", Fragmentation::None),
    ("light", Fragmentation::Light),
    ("heavy", Fragmentation::Heavy),
];
const OVERCOMMIT: &[(&str, Overcommit)] = &[
    ("guess", Overcommit::Guess),
    ("always", Overcommit::Always),
    ("never", Overcommit::Never),
];
const YES_NO: &[(&str, bool)] = &[("yes", true), ("no", false)];
const LAYOUT: &[(&str, bool)] = &[("topdown", false), ("legacy", true)];

macro_rules! words {
    ($name:literal, $field:ident, $table:ident, $words:expr) => {
        Setting {
            name: $name,
            read: |settings, part| {
                settings.$field = one_of(part, $table, $words)?;
                Ok(())
            },
            write: |settings| word_of(settings.$field, $table),
        }
    };
}

macro_rules! thp_size {
    ($name:literal, $order:literal) => {
        Setting {
            name: $name,
            read: |settings, part| {
                let words = &["always", "madvise", "inherit", "never"];
                settings.thp_sizes[$order - 2] = one_of(part, THP_SIZES, words)?;
                Ok(())
            },
            write: |settings| word_of(settings.thp_sizes[$order - 2], THP_SIZES),
        }
    };
}

macro_rules! limit {
    ($name:literal, $field:ident) => {
        Setting {
            name: $name,
            read: |settings, part| {
                settings.rlimits.$field = limit(part)?;
                Ok(())
            },
            write: |settings| limit_text(settings.rlimits.$field),
        }
    };
}

macro_rules! count {
    ($name:literal, $field:ident) => {
        Setting {
            name: $name,
            read: |settings, part| {
                settings.$field = number(part)?;
                Ok(())
            },
            write: |settings| settings.$field.to_string(),
        }
    };
}

macro_rules! kilobytes {
    ($name:literal, $field:ident) => {
        Setting {
            name: $name,
            read: |settings, part| {
                settings.$field = number(part)? >> 10;
                Ok(())
            },
            write: |settings| format!("{}k", settings.$field),
        }
    };
}

/// All settings, in the order in which they are written.
pub(crate) const SETTINGS: &[Setting] = &[
    words!("thp", thp, THP, &["always", "madvise", "never"]),
    words!(
        "thp_defrag",
        thp_defrag,
        DEFRAG,
        &["always", "defer", "defer+madvise", "madvise", "never"]
    ),
    words!("use_zero_page", use_zero_page, YES_NO, &["yes", "no"]),
    thp_size!("hugepages-16kB", 2),
    thp_size!("hugepages-32kB", 3),
    thp_size!("hugepages-64kB", 4),
    thp_size!("hugepages-128kB", 5),
    thp_size!("hugepages-256kB", 6),
    thp_size!("hugepages-512kB", 7),
    thp_size!("hugepages-1024kB", 8),
    thp_size!("hugepages-2048kB", 9),
    words!(
        "fragmentation",
        fragmentation,
        FRAGMENTATION,
        &["none", "light", "heavy"]
    ),
    words!(
        "overcommit",
        overcommit,
        OVERCOMMIT,
        &["guess", "always", "never"]
    ),
    kilobytes!("mem", mem_total_kb),
    kilobytes!("swap", swap_total_kb),
    count!("max_map_count", max_map_count),
    count!("mmap_min_addr", mmap_min_addr),
    count!("stack_guard_gap", stack_guard_gap),
    limit!("limit_as", address_space),
    limit!("limit_data", data),
    limit!("limit_data_max", data_max),
    limit!("limit_stack", stack),
    limit!("limit_memlock", memlock),
    words!("cap_sys_rawio", cap_sys_rawio, YES_NO, &["yes", "no"]),
    words!("cap_ipc_lock", cap_ipc_lock, YES_NO, &["yes", "no"]),
    words!("hugetlb", hugetlb, YES_NO, &["yes", "no"]),
    words!("anon_vma_name", anon_vma_name, YES_NO, &["yes", "no"]),
    words!("layout", legacy_layout, LAYOUT, &["topdown", "legacy"]),
    Setting {
        name: "mmap_rnd",
        read: |settings, part| {
            settings.mmap_rnd = number_in(part, 0, 1 << 46)?;
            Ok(())
        },
        write: |settings| format!("{:#x}", settings.mmap_rnd),
    },
    Setting {
        name: "mmap_base",
        read: |settings, part| {
            settings.mmap_base = match part.text() {
                AUTO => None,
                _ => Some(number_in(part, 1 << 16, mmscope_mm::page::TASK_SIZE)?),
            };
            Ok(())
        },
        write: |settings| {
            settings
                .mmap_base
                .map_or(AUTO.to_owned(), |base| format!("{base:#x}"))
        },
    },
];

/// The setting that says on which file system files lie that are not described further. Not a field of
/// [`Settings`]: each file carries it.
pub(crate) const FS: &str = "fs";
/// How a file was opened, on the line that describes it; its only value is [`READ_ONLY`].
pub(crate) const OPEN: &str = "open";
/// For reading only, as a program tells open.
pub(crate) const READ_ONLY: &str = "O_RDONLY";
/// The values of [`FS`], and how files of such a file system take part in placement.
const FILE_SYSTEMS: &[(&str, FilePlacement)] = &[
    ("ext4", FilePlacement::Thp),
    ("xfs", FilePlacement::Thp),
    ("btrfs", FilePlacement::Thp),
    ("tmpfs", FilePlacement::Shmem),
    ("other", FilePlacement::NoHook),
];
const FILE_SYSTEM_WORDS: &[&str] = &["ext4", "xfs", "btrfs", "tmpfs", "other"];

impl Setting {
    /// Its value as it is written.
    pub(crate) fn text(&self, settings: &Settings) -> String {
        (self.write)(settings)
    }
}

/// Reads a value into the setting of this name.
pub(crate) fn set(settings: &mut Settings, name: Part<'_>, value: Part<'_>) -> Parsed<()> {
    match SETTINGS.iter().find(|setting| setting.name == name.text()) {
        Some(setting) => (setting.read)(settings, value.trim()),
        None => {
            let names = SETTINGS.iter().map(|setting| setting.name).chain([FS]);
            Err(name.wants(Expected::Setting {
                nearest: nearest(name.text(), names),
            }))
        }
    }
}

/// How files of the file system of this name take part in placement.
pub(crate) fn file_system(part: Part<'_>) -> Parsed<FilePlacement> {
    one_of(part.trim(), FILE_SYSTEMS, FILE_SYSTEM_WORDS)
}

/// The file system that is written for it.
pub(crate) fn file_system_text(placement: FilePlacement) -> String {
    word_of(placement, FILE_SYSTEMS)
}

fn one_of<T: Copy>(
    part: Part<'_>,
    table: &[(&str, T)],
    words: &'static [&'static str],
) -> Parsed<T> {
    match table.iter().find(|(word, _)| *word == part.text()) {
        Some((_, value)) => Ok(*value),
        None => Err(part.wants(Expected::OneOf(words))),
    }
}

fn word_of<T: Copy + PartialEq>(value: T, table: &[(&str, T)]) -> String {
    let found = table.iter().find(|(_, candidate)| *candidate == value);
    found.map_or(String::new(), |(word, _)| (*word).to_owned())
}

/// Reads a resource limit.
pub(crate) fn limit(part: Part<'_>) -> Parsed<Limit> {
    match part.text() {
        UNLIMITED | "RLIM64_INFINITY" | "RLIM_INFINITY" => Ok(None),
        _ => match number(part)? {
            u64::MAX => Ok(None),
            bytes => Ok(Some(bytes)),
        },
    }
}

fn limit_text(limit: Limit) -> String {
    limit.map_or(UNLIMITED.to_owned(), |bytes| bytes.to_string())
}
