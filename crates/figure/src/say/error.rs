//! What was wrong with a text, a link or a start, and what would have been right.

use mmscope_lab::link::LinkError;
use mmscope_lab::maps_file::{MapsError, MapsProblem};
use mmscope_lab::{Expected, FlagSet, LaneError, ScenarioError};
use mmscope_mm::{KernelError, StartError};

use super::num;

/// An error in a scenario's text: `line 3, column 8: …`.
pub fn scenario(error: &ScenarioError) -> String {
    let what = match &error.expected {
        // The word is right, so that what is missing is the form of a call.
        Expected::Line {
            nearest: Some(word),
        } if *word == error.found => format!(
            "the arguments of {word} stand in parentheses, as in {}",
            call_example(word)
        ),
        other => expected(other),
    };
    place(error.line, error.column, &error.found, &what)
}

/// A call as a scenario writes it.
fn call_example(name: &str) -> String {
    let arguments = match name {
        "mmap" => "NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0",
        "brk" => "NULL",
        "munmap" => "0x7ffff7fbe000, 4096",
        "mprotect" => "0x7ffff7fbe000, 4096, PROT_READ",
        "touch" => "0x7ffff7fbe000, 4096",
        _ => "\u{2026}",
    };
    format!("{name}({arguments})")
}

/// An error in a maps file.
pub fn maps(error: &MapsError) -> String {
    place(
        error.line,
        error.column,
        &error.found,
        &maps_problem(error.problem),
    )
}

fn place(line: u32, column: u32, found: &str, what: &str) -> String {
    let mut text = format!("Line {line}, column {column}: {what}");
    if !found.is_empty() {
        text.push_str(&format!(" (found \u{201c}{found}\u{201d})"));
    }
    text.push('.');
    text
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |word| format!("; did you mean {word}?"))
}

/// What should have stood there, without the place.
pub fn expected(expected: &Expected) -> String {
    match expected {
        Expected::Header => "a scenario begins with the line \u{201c}mmscope 1\u{201d}".to_owned(),
        Expected::Version { newest } => {
            format!("this is from a newer mmscope; this one reads up to version {newest}")
        }
        Expected::Line { nearest } => format!("no line begins with this word{}", meant(*nearest)),
        Expected::Once => "a line of this kind may stand only once".to_owned(),
        Expected::BeforeCalls => "settings and the start stand before the first call".to_owned(),
        Expected::Setting { nearest } => format!("there is no such setting{}", meant(*nearest)),
        Expected::OneOf(words) => format!("one of {} is expected", words.join(", ")),
        Expected::Kernel => "a kernel is expected, by the name of a release".to_owned(),
        Expected::ChangeId => "the id of a change is expected after + or -".to_owned(),
        Expected::Kernels { most } => format!("one to {most} kernels are expected"),
        Expected::Call { nearest } => format!("there is no such call here{}", meant(*nearest)),
        Expected::Arguments { call, count, given } => {
            format!(
                "{call} takes {}, not {given}",
                num::count(u64::from(*count), "argument", "arguments")
            )
        }
        Expected::Mark(mark) => format!("\u{201c}{mark}\u{201d} is expected"),
        Expected::Number => "a number is expected".to_owned(),
        Expected::NumberInRange { least, most } => {
            format!("a number from {least} to {most} is expected")
        }
        Expected::Address => {
            "an address is expected: a number, NULL, or a name with a distance".to_owned()
        }
        Expected::KnownName { nearest } => format!(
            "no earlier result has this name{}",
            meant(nearest.as_deref())
        ),
        Expected::NewName => {
            "a name is made of letters, digits and _, and is no word of the language".to_owned()
        }
        Expected::Flag { of, nearest } => {
            let set = match of {
                FlagSet::Prot => "PROT_",
                FlagSet::Map => "MAP_",
                FlagSet::Mremap => "MREMAP_",
                FlagSet::Advice => "MADV_",
                FlagSet::Mlock => "MLOCK_",
                FlagSet::Mcl => "MCL_",
                FlagSet::Personality => "personality",
            };
            format!("there is no such {set} flag{}", meant(*nearest))
        }
        Expected::AnonName => {
            "a name is expected: NULL, or at most 80 ASCII characters in quotes".to_owned()
        }
        Expected::Descriptor => {
            "a descriptor is expected: -1, or a number with a path as in 3</path>".to_owned()
        }
        Expected::Outcome => {
            "a result is expected: an address, 0, or -1 with the name of an error".to_owned()
        }
        Expected::ErrnoName => "no memory call returns this error".to_owned(),
        Expected::Resource { nearest } => {
            format!("memory calls do not look at this limit{}", meant(*nearest))
        }
        Expected::LimitPair => "{rlim_cur=\u{2026}, rlim_max=\u{2026}} is expected".to_owned(),
        Expected::FileLine => "a file is expected: options, device, inode, path".to_owned(),
        Expected::Maps(problem) => maps_problem(*problem),
        Expected::BlockEnd { opened } => {
            format!("the block opened in line {opened} has no closing }}")
        }
        Expected::Depth { most } => format!("blocks may stand in each other {most} deep"),
        Expected::Steps { given, most } => {
            format!(
                "{} steps are too many: {} is the most",
                num::grouped(*given),
                num::grouped(u64::from(*most))
            )
        }
        Expected::EndOfLine => "the line should end here".to_owned(),
        Expected::FewerErrors => {
            "there are more errors; the rest of the text was not looked at".to_owned()
        }
    }
}

fn maps_problem(problem: MapsProblem) -> String {
    match problem {
        MapsProblem::Range => "a range start-end in hexadecimal digits is expected".to_owned(),
        MapsProblem::Unaligned => "the range does not lie on page borders".to_owned(),
        MapsProblem::Empty => "the range ends where it begins, or before".to_owned(),
        MapsProblem::BeyondTask => "the range reaches past the end of user space".to_owned(),
        MapsProblem::Overlaps { line } => format!("the range overlaps that of line {line}"),
        MapsProblem::Perms => "permissions like rw-p are expected".to_owned(),
        MapsProblem::Offset => {
            "an offset in hexadecimal digits is expected, on a page border".to_owned()
        }
        MapsProblem::Device => "a device like fe:00 is expected".to_owned(),
        MapsProblem::Inode => "an inode number is expected".to_owned(),
        MapsProblem::Nothing => "there is no mapping in this text".to_owned(),
    }
}

/// Why lanes could not be set up.
pub fn lane(error: LaneError) -> String {
    match error {
        LaneError::Count => "There must be one to three kernels.".to_owned(),
        LaneError::NoSuchLane => "There is no such lane.".to_owned(),
        LaneError::Start { lane, error } => {
            let letter = ["A", "B", "C"].get(lane as usize).copied().unwrap_or("?");
            format!("Lane {letter} can\u{2019}t start: {}", start(error))
        }
    }
}

/// Why an address space could not be set up.
pub fn start(error: StartError) -> String {
    let nth = |index: u32| format!("mapping {} of the start", u64::from(index) + 1);
    match error {
        StartError::Unaligned { index } => format!("{} does not lie on page borders.", nth(index)),
        StartError::Empty { index } => format!("{} ends where it begins, or before.", nth(index)),
        StartError::BeyondTask { index } => {
            format!("{} reaches past the end of user space.", nth(index))
        }
        StartError::Overlaps { index, other } => {
            format!("{} overlaps mapping {}.", nth(index), u64::from(other) + 1)
        }
    }
}

/// Why a link could not be read.
pub fn link(error: LinkError) -> String {
    match error {
        // A number too large to be kept.
        LinkError::Newer { version: u32::MAX } => {
            "This link was made by a newer mmscope. Reload the page to get the newest one."
                .to_owned()
        }
        LinkError::Newer { version } => {
            format!(
                "This link was made by a newer mmscope (version {version}). Reload the page to get the newest one."
            )
        }
        LinkError::Broken => "This link is cut off or was changed on its way.".to_owned(),
        LinkError::TooLarge => "This link unpacks to more than is allowed.".to_owned(),
    }
}

/// Why a kernel's name was not understood.
pub fn kernel(error: &KernelError) -> String {
    match error {
        KernelError::UnknownRelease(name) => format!("No kernel is named \u{201c}{name}\u{201d}."),
        KernelError::UnknownChange(id) => format!("No change is named \u{201c}{id}\u{201d}."),
    }
}
