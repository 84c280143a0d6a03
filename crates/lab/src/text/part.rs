//! Pieces of a line that know where they stand.

use super::error::{Expected, ScenarioError};

/// A piece of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    line: &'a str,
    start: usize,
    end: usize,
}

/// Something wrong at a part.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    column: u32,
    found: String,
    expected: Expected,
}

impl Problem {
    /// Makes it an error of the line with this number.
    pub(crate) fn in_line(self, line: u32) -> ScenarioError {
        let Problem {
            column,
            found,
            expected,
        } = self;
        ScenarioError {
            line,
            column,
            found,
            expected,
        }
    }

    /// What is wrong.
    pub(crate) fn expected(&self) -> &Expected {
        &self.expected
    }
}

/// What a part holds, or what is wrong with it.
pub(crate) type Parsed<T> = Result<T, Problem>;

/// Errors show so many characters of what they found.
const SHOWN: usize = 40;

impl<'a> Part<'a> {
    /// The whole line.
    pub(crate) fn line(line: &'a str) -> Part<'a> {
        Part {
            line,
            start: 0,
            end: line.len(),
        }
    }

    /// Its text.
    pub(crate) fn text(self) -> &'a str {
        &self.line[self.start..self.end]
    }

    /// The character of the line it begins at, counted from 1.
    pub(crate) fn column(self) -> u32 {
        self.line[..self.start].chars().count() as u32 + 1
    }

    /// Bytes `from..to` of it, which must be character borders.
    pub(crate) fn slice(self, from: usize, to: usize) -> Part<'a> {
        Part {
            start: self.start + from,
            end: self.start + to,
            ..self
        }
    }

    /// From byte `from` on.
    pub(crate) fn from(self, from: usize) -> Part<'a> {
        self.slice(from, self.text().len())
    }

    /// Without blanks at either end.
    pub(crate) fn trim(self) -> Part<'a> {
        let text = self.text();
        let front = text.len() - text.trim_start().len();
        self.slice(front, front + text.trim().len())
    }

    /// The first word and the rest, both without blanks around them.
    pub(crate) fn word(self) -> (Part<'a>, Part<'a>) {
        let all = self.trim();
        let end = all
            .text()
            .find(char::is_whitespace)
            .unwrap_or(all.text().len());
        (all.slice(0, end), all.from(end).trim())
    }

    /// Its words.
    pub(crate) fn words(self) -> Vec<Part<'a>> {
        let mut words = Vec::new();
        let mut rest = self;
        loop {
            let (word, after) = rest.word();
            if word.is_empty() {
                return words;
            }
            words.push(word);
            rest = after;
        }
    }

    /// What stands before and behind the first such mark.
    pub(crate) fn cut(self, mark: char) -> Option<(Part<'a>, Part<'a>)> {
        let at = self.text().find(mark)?;
        Some((self.slice(0, at), self.from(at + mark.len_utf8())))
    }

    /// The empty part behind it.
    pub(crate) fn behind(self) -> Part<'a> {
        self.from(self.text().len())
    }

    /// Whether nothing is there.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The problem that something else was expected here.
    pub(crate) fn wants(self, expected: Expected) -> Problem {
        let text = self.text();
        let found = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Problem {
            column: self.column(),
            found,
            expected,
        }
    }

    /// Fails unless nothing is there.
    pub(crate) fn must_be_empty(self) -> Parsed<()> {
        if self.trim().is_empty() {
            Ok(())
        } else {
            Err(self.trim().wants(Expected::EndOfLine))
        }
    }
}

/// `name(arguments)` and what stands behind it.
pub(crate) struct CallParts<'a> {
    /// The word before the parenthesis.
    pub(crate) name: Part<'a>,
    /// What stands between the commas.
    pub(crate) args: Vec<Part<'a>>,
    /// What stands behind the closing parenthesis.
    pub(crate) rest: Part<'a>,
}

/// Takes a call apart. Commas in quotes, braces and the paths of descriptors don't count.
pub(crate) fn call_parts(part: Part<'_>) -> Parsed<CallParts<'_>> {
    let Some((name, inside)) = part.cut('(') else {
        return Err(part.behind().wants(Expected::Mark('(')));
    };
    let text = inside.text();
    let mut args = Vec::new();
    let mut from = 0;
    let mut closers = Vec::new();
    let mut marks = text.char_indices();
    let mut before = '(';
    while let Some((at, mark)) = marks.next() {
        match mark {
            '"' => skip_quoted(&mut marks),
            '<' if before.is_ascii_digit() || before == 'D' => {
                if let Some(len) = path_len(&text[at..]) {
                    while marks.offset() < at + len {
                        marks.next();
                    }
                }
            }
            '(' => closers.push(')'),
            '[' => closers.push(']'),
            '{' => closers.push('}'),
            ')' if closers.is_empty() => {
                let last = inside.slice(from, at).trim();
                if !(args.is_empty() && last.is_empty()) {
                    args.push(last);
                }
                return Ok(CallParts {
                    name: name.trim(),
                    args,
                    rest: inside.from(at + 1),
                });
            }
            ')' | ']' | '}' if closers.last() == Some(&mark) => {
                closers.pop();
            }
            ',' if closers.is_empty() => {
                args.push(inside.slice(from, at).trim());
                from = at + 1;
            }
            _ => {}
        }
        before = mark;
    }
    Err(inside
        .behind()
        .wants(Expected::Mark(closers.pop().unwrap_or(')'))))
}

fn skip_quoted(marks: &mut std::str::CharIndices<'_>) {
    while let Some((_, mark)) = marks.next() {
        match mark {
            '\\' => {
                marks.next();
            }
            '"' => return,
            _ => {}
        }
    }
}

/// Bytes of a `<path>`, if `text` begins with one.
fn path_len(text: &str) -> Option<usize> {
    if text.starts_with("<<") {
        return None;
    }
    text.match_indices('>')
        .map(|(at, _)| at + 1)
        .find(|&end| text[end..].is_empty() || text[end..].starts_with([',', ')', '(', ' ']))
}

/// A path of which strace escaped some bytes as `\303`. Bytes that would break a line stay escaped.
pub(crate) fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let octal = |digit: &u8| (b'0'..=b'7').contains(digit);
        let digits = after
            .iter()
            .take(3)
            .take_while(|digit| octal(digit))
            .count();
        if byte == b'\\' && digits > 0 {
            let value = after[..digits]
                .iter()
                .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            match u8::try_from(value) {
                Ok(value) if !value.is_ascii_control() && value != b'\\' => bytes.push(value),
                _ => bytes.extend(&rest[..=digits]),
            }
            rest = &after[digits..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The path with those bytes escaped that would end it.
pub(crate) fn escaped(path: &str) -> String {
    path.replace('<', "\\074").replace('>', "\\076")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<String> {
        let parts = call_parts(Part::line(line)).unwrap();
        let mut all = vec![parts.name.text().to_owned()];
        all.extend(parts.args.iter().map(|arg| arg.text().to_owned()));
        all.push(parts.rest.text().to_owned());
        all
    }

    #[test]
    fn arguments_are_split_outside_of_quotes_and_brackets() {
        assert_eq!(args("brk(NULL) = 0"), ["brk", "NULL", " = 0"]);
        assert_eq!(args("fork()"), ["fork", ""]);
        assert_eq!(
            args("f(3</a, b)c>, {x=1, y=[2, 3]}, \"q\\\",)\", 30<<M) = 1"),
            [
                "f",
                "3</a, b)c>",
                "{x=1, y=[2, 3]}",
                "\"q\\\",)\"",
                "30<<M",
                " = 1"
            ]
        );
    }

    #[test]
    fn a_missing_parenthesis_is_named_where_it_is_missing() {
        let Err(problem) = call_parts(Part::line("f(1, {2")) else {
            panic!()
        };
        assert_eq!((problem.column, problem.expected), (8, Expected::Mark('}')));
        let Err(problem) = call_parts(Part::line("brk")) else {
            panic!()
        };
        assert_eq!((problem.column, problem.expected), (4, Expected::Mark('(')));
    }
}
