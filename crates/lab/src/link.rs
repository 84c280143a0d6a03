//! The whole state in a link.
//!
//! `v1.` and then, as base64url without padding, the raw deflate of a small text: the scenario or the name of a
//! lesson, the place, and what the view wants to remember. A link is data from strangers: nothing in it can make
//! reading it fail worse than with an error, and it never unpacks to more than [`MOST_BYTES`].

mod base64url;
mod deflate;

use std::fmt;
use std::fmt::Write;

use crate::frame::Position;
use crate::sorted::Sorted;

/// A link's text is at most so long.
pub const MOST_BYTES: usize = 16 << 20;

/// What a link is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A lesson as it is, by its id.
    Lesson(String),
    /// A scenario's text.
    Scenario(String),
}

/// What a link says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What is shown.
    pub content: Content,
    /// Where; `None` for where the lesson opens, or the start.
    pub position: Option<Position>,
    /// What the view remembers. Keys are single words, values single lines; those that a view does not know stay.
    pub view: Sorted<String, String>,
}

/// Why a link could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// It is of a version that this program does not know.
    Newer {
        /// Which.
        version: u32,
    },
    /// It is not a link at all, cut off, or changed on its way.
    Broken,
    /// It unpacks to more than is allowed.
    TooLarge,
}

impl fmt::Display for LinkError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for LinkError {}

/// The version that is written.
const VERSION: u32 = 1;

/// Writes a link, without `#`.
pub fn encode(link: &Link) -> String {
    format!(
        "v{VERSION}.{}",
        base64url::encode(&deflate::pack(print(link).as_bytes()))
    )
}

/// What a link says as plain text, of any length.
pub fn print(link: &Link) -> String {
    let mut text = String::new();
    if let Some(Position { step, micro }) = link.position {
        let _ = match micro {
            Some(micro) => writeln!(text, "at {step} {micro}"),
            None => writeln!(text, "at {step}"),
        };
    }
    for (key, value) in link.view.as_slice() {
        if is_key(key) && !value.contains(['\n', '\r']) {
            let _ = writeln!(text, "{}", format!("{key} {value}").trim_end());
        }
    }
    match &link.content {
        Content::Lesson(id) => {
            let _ = writeln!(text, "lesson {id}");
        }
        // Last, for everything behind this line is the scenario.
        Content::Scenario(scenario) => {
            let _ = writeln!(text, "scenario");
            text.push_str(scenario);
        }
    }
    text
}

/// Reads a link, with or without `#`.
///
/// # Errors
/// If it is of a newer version, broken, or too large.
pub fn decode(link: &str) -> Result<Link, LinkError> {
    let link = link.trim().trim_start_matches('#');
    let (version, packed) = link.split_once('.').ok_or(LinkError::Broken)?;
    let version = version.strip_prefix('v').ok_or(LinkError::Broken)?;
    let is_number = !version.is_empty() && version.chars().all(|digit| digit.is_ascii_digit());
    if !is_number {
        return Err(LinkError::Broken);
    }
    match version.parse::<u32>() {
        Ok(VERSION) => {}
        Ok(0) => return Err(LinkError::Broken),
        Ok(version) => return Err(LinkError::Newer { version }),
        Err(_) => return Err(LinkError::Newer { version: u32::MAX }),
    }
    let packed = base64url::decode(packed).ok_or(LinkError::Broken)?;
    let text = deflate::unpack(&packed, MOST_BYTES)?;
    let text = String::from_utf8(text).map_err(|_| LinkError::Broken)?;
    parse(&text)
}

/// Reads what [`print`] wrote.
///
/// # Errors
/// If it is anything else.
pub fn parse(text: &str) -> Result<Link, LinkError> {
    let mut position = None;
    let mut view = Sorted::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "at" => position = Some(place(value).ok_or(LinkError::Broken)?),
            "lesson" => {
                let content = Content::Lesson(value.to_owned());
                return Ok(Link {
                    content,
                    position,
                    view,
                });
            }
            "scenario" => {
                let content = Content::Scenario(after.to_owned());
                return Ok(Link {
                    content,
                    position,
                    view,
                });
            }
            _ if is_key(key) => {
                view.insert(key.to_owned(), value.to_owned());
            }
            _ => return Err(LinkError::Broken),
        }
        rest = after;
    }
    Err(LinkError::Broken)
}

fn place(text: &str) -> Option<Position> {
    let mut words = text.split(' ');
    let step = words.next()?.parse().ok()?;
    let micro = match words.next() {
        Some(micro) => Some(micro.parse().ok()?),
        None => None,
    };
    Some(Position { step, micro })
}

/// Whether a view may remember something by this word.
fn is_key(key: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !key.is_empty() && key.chars().all(word) && !matches!(key, "at" | "lesson" | "scenario")
}
