//! How wide a text will be, near enough to keep it inside its box: no browser can be asked here.

use crate::scene::TextSize;

/// The width in pixels, rather too large than too small.
pub(crate) fn width(text: &str, size: TextSize, mono: bool) -> i32 {
    let thousandths: i32 = text
        .chars()
        .map(|c| if mono { 605 } else { em(c) * 10 })
        .sum();
    (thousandths * size.px() + 999) / 1000
}

/// The width of a character in hundredths of the type size, for the widest of the usual system faces.
fn em(c: char) -> i32 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '\u{202f}' => 33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 42,
        'm' | 'w' | 'M' | 'W' | '…' | '→' => 95,
        'A'..='Z' => 70,
        _ => 61,
    }
}

/// The text, or as much of it as fits with an ellipsis behind it; nothing if not even three characters do.
pub(crate) fn fitted(text: &str, room: i32, size: TextSize, mono: bool) -> Option<String> {
    if width(text, size, mono) <= room {
        return Some(text.to_owned());
    }
    let mut short: Vec<char> = text.chars().collect();
    while short.len() > 3 {
        short.pop();
        let mut cut: String = short.iter().collect();
        cut.push('…');
        if width(&cut, size, mono) <= room {
            return Some(cut);
        }
    }
    None
}

/// The text in lines that fit, broken at spaces and, where a word is too long, inside it. Never empty.
pub(crate) fn wrapped(text: &str, room: i32, size: TextSize, mono: bool) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word.to_owned();
        loop {
            let at = lines.len() - 1;
            let joined = if lines[at].is_empty() {
                word.clone()
            } else {
                format!("{} {word}", lines[at])
            };
            if width(&joined, size, mono) <= room {
                lines[at] = joined;
                break;
            }
            if !lines[at].is_empty() {
                lines.push(String::new());
                continue;
            }
            let fits = word.char_indices().map(|(at, c)| at + c.len_utf8());
            let cut = fits
                .take_while(|end| width(&word[..*end], size, mono) <= room)
                .last();
            let cut = cut.unwrap_or(word.len());
            let rest = word.split_off(cut);
            lines[at] = word;
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
            word = rest;
        }
    }
    lines
}
