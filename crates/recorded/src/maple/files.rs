//! The recorded texts.

use std::collections::BTreeMap;
use std::path::Path;

use mmscope_maple::{Kind, MapleTree, Rules};
use serde_json::Value;

use super::dump::Dump;
use super::op::{Entry, Op};
use super::replay::{Answer, Replay};
use super::text::hash;
use super::{MapleError, MapleReport};
use crate::read::{files_below, read_text};

/// The rules of a recorded release.
fn rules(release: &str) -> Option<Rules> {
    Some(match release {
        "6.1" => Rules::V6_1,
        "6.8" => Rules::V6_8,
        "6.12" => Rules::V6_12,
        "7.0" => Rules::V7_0,
        "7.2" => Rules::V7_2,
        "7.3" => Rules::V7_3,
        _ => return None,
    })
}

/// Whether a text is one of recorded maple tree sequences, or of the operations of long ones.
pub fn is_maple(text: &str) -> bool {
    text.starts_with("{\"seq\":") || is_operations(text)
}

fn is_operations(text: &str) -> bool {
    text.starts_with("seq ")
}

/// One recorded sequence: its header and its lines.
struct Sequence {
    name: String,
    release: String,
    flags: u64,
    lines: Vec<Value>,
}

fn bad(line: usize, why: impl Into<String>) -> MapleError {
    MapleError::Line {
        line,
        why: why.into(),
    }
}

fn sequences(text: &str) -> Result<Vec<Sequence>, MapleError> {
    let mut all: Vec<Sequence> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line: Value =
            serde_json::from_str(line).map_err(|error| bad(index + 1, error.to_string()))?;
        let Some(name) = line.get("seq").and_then(Value::as_str) else {
            match all.last_mut() {
                Some(sequence) => sequence.lines.push(line),
                None => return Err(bad(index + 1, "an operation before any header")),
            }
            continue;
        };
        let word = |key: &str| {
            line[key]
                .as_str()
                .ok_or(bad(index + 1, format!("a header without {key}")))
        };
        let flags = u64::from_str_radix(word("flags")?, 16)
            .map_err(|_| bad(index + 1, "flags are no number"))?;
        all.push(Sequence {
            name: name.to_owned(),
            release: word("ver")?.to_owned(),
            flags,
            lines: match line.get("rows") {
                Some(_) => vec![line],
                None => Vec::new(),
            },
        });
    }
    Ok(all)
}

impl Sequence {
    fn rules(&self) -> Result<Rules, MapleError> {
        rules(&self.release).ok_or(MapleError::Sequence(format!(
            "{} (release {} is not known)",
            self.name, self.release
        )))
    }

    fn op(line: &Value) -> Result<Op, String> {
        Op::parse(line["op"].as_str().ok_or("a line without op")?)
    }
}

/// Checks sequences whose lines hold an operation each.
///
/// # Errors
/// The first line that does not read.
pub fn check_maple_text(text: &str) -> Result<MapleReport, MapleError> {
    let mut report = MapleReport::default();
    for sequence in sequences(text)? {
        report.sequences += 1;
        let rules = sequence.rules()?;
        let mut replay = Replay::new(rules, sequence.flags);
        let mut dump = Dump::default();
        let mut was_rcu = replay.tree.in_rcu();
        for line in &sequence.lines {
            let op = Sequence::op(line).map_err(MapleError::Sequence)?;
            report.operations += 1;
            let answer = replay.run(op);
            let rcu = replay.tree.in_rcu();
            let checked = compare(line, &answer, &replay.tree, &mut report).and_then(|()| {
                if !dump.read(line)? {
                    return Ok(());
                }
                report.dumped += 1;
                dump.compare(&line["root"], &replay.tree, rcu && was_rcu, &answer.new)
            });
            was_rcu = rcu;
            if let Err(why) = checked {
                report.different += 1;
                let first = format!(
                    "{} {} #{} {}: {why}",
                    sequence.release, sequence.name, line["i"], line["op"]
                );
                report.first = report.first.take().or(Some(first));
                break;
            }
        }
    }
    Ok(report)
}

/// Compares what one line says, nodes excepted.
fn compare(
    line: &Value,
    answer: &Answer,
    tree: &MapleTree<Entry>,
    report: &mut MapleReport,
) -> Result<(), String> {
    let same = |what: &str, model: Value, recorded: &Value| {
        if model == *recorded {
            Ok(())
        } else {
            Err(format!("{what} {model}, recorded {recorded}"))
        }
    };
    let opt = |value: Option<Value>| value.unwrap_or(Value::Null);
    if answer.ret.is_some() || answer.err.is_some() || line.get("ret").is_some() {
        same("result", opt(answer.ret.clone()), &line["ret"])?;
        same("error", opt(answer.err.map(Value::from)), &line["err"])?;
        report.answers += 1;
    }
    if let Some(kind) = line.get("st") {
        same("store type", opt(answer.kind.map(Value::from)), kind)?;
        report.kinds += 1;
    }
    if let Some(pre) = line.get("pre") {
        same("preallocated", opt(answer.pre.map(Value::from)), pre)?;
    }
    if line.get("al").is_some() {
        for (key, nodes) in ["al", "un", "fr"].iter().zip(answer.nodes) {
            same(key, nodes.into(), &line[*key])?;
        }
        report.accounts += 1;
    }
    if let Some(recorded) = line.get("h") {
        let leaves = tree
            .nodes()
            .iter()
            .filter(|(_, node)| node.kind() == Kind::Leaf64);
        same("height", tree.height().into(), &line["ht"])?;
        same("hash", hash(tree, false).into(), recorded)?;
        same("hash with marks", hash(tree, true).into(), &line["hm"])?;
        same("nodes", tree.nodes().len().into(), &line["n"])?;
        same("leaves", leaves.count().into(), &line["lv"])?;
        same("entries", tree.len().into(), &line["e"])?;
        report.hashed += 1;
    }
    tree.check().map_err(|broken| broken.to_string())
}

/// Checks a release of which only node counts and hashes are recorded. `operations` are the texts of
/// another release with the same sequences.
///
/// # Errors
/// The first line that does not read, or a sequence that is in none of the texts.
pub fn check_maple_accounting(
    accounting: &str,
    operations: &[&str],
) -> Result<MapleReport, MapleError> {
    let mut known = BTreeMap::new();
    for text in operations {
        for sequence in sequences(text)? {
            known.insert(sequence.name.clone(), sequence);
        }
    }
    let mut report = MapleReport::default();
    for sequence in sequences(accounting)? {
        report.sequences += 1;
        let lines = &known
            .get(&sequence.name)
            .ok_or(MapleError::Sequence(sequence.name.clone()))?
            .lines;
        let rows: BTreeMap<u64, &Value> = sequence
            .lines
            .iter()
            .filter_map(|line| line["rows"].as_array())
            .flatten()
            .filter_map(|row| Some((row[0].as_u64()?, row)))
            .collect();
        let mut replay = Replay::new(sequence.rules()?, sequence.flags);
        for (at, line) in (0..).zip(lines) {
            let op = Sequence::op(line).map_err(MapleError::Sequence)?;
            report.operations += 1;
            let answer = replay.run(op);
            let Some(row) = rows.get(&at) else { continue };
            let [al, un, fr] = answer.nodes;
            let model = serde_json::json!([
                at,
                hash(&replay.tree, false),
                al,
                un,
                fr,
                replay.tree.nodes().len()
            ]);
            if model != **row {
                report.different += 1;
                let first = format!(
                    "{} {} #{at} {}: {model}, recorded {row}",
                    sequence.release, sequence.name, line["op"]
                );
                report.first = report.first.take().or(Some(first));
                break;
            }
            report.hashed += 1;
            report.accounts += 1;
        }
    }
    Ok(report)
}

/// Checks long runs, of which a state is recorded now and then. `operations` are texts with a line
/// `seq NAME FLAGS` and then an operation a line.
///
/// # Errors
/// The first line that does not read, or a sequence that is in none of the texts.
pub fn check_maple_long(long: &str, operations: &[&str]) -> Result<MapleReport, MapleError> {
    let mut known = BTreeMap::new();
    for text in operations {
        let mut lines = text.lines();
        if let Some(["seq", name, _]) = lines
            .next()
            .map(|line| line.split(' ').collect::<Vec<_>>())
            .as_deref()
        {
            known.insert((*name).to_owned(), lines.collect::<Vec<_>>());
        }
    }
    let mut report = MapleReport::default();
    for sequence in sequences(long)? {
        report.sequences += 1;
        let operations = known
            .get(&sequence.name)
            .ok_or(MapleError::Sequence(sequence.name.clone()))?;
        let mut replay = Replay::new(sequence.rules()?, sequence.flags);
        let mut next = 0;
        for line in &sequence.lines {
            let at = line["i"]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok())
                .ok_or(MapleError::Sequence(sequence.name.clone()))?;
            let mut answer = Answer::default();
            while next <= at && next < operations.len() {
                let op = Op::parse(operations[next]).map_err(|why| bad(next + 2, why))?;
                answer = replay.run(op);
                report.operations += 1;
                next += 1;
            }
            let checked = compare_checkpoint(line, &answer, &replay, &mut report);
            if let Err(why) = checked {
                report.different += 1;
                let first = format!("{} {} #{at}: {why}", sequence.release, sequence.name);
                report.first = report.first.take().or(Some(first));
                break;
            }
        }
    }
    Ok(report)
}

fn compare_checkpoint(
    line: &Value,
    answer: &Answer,
    replay: &Replay,
    report: &mut MapleReport,
) -> Result<(), String> {
    if line["op"] == "Z" {
        compare(line, &Answer::default(), &replay.tree, report)?;
        let mut dump = Dump::default();
        dump.read(line)?;
        report.dumped += 1;
        return dump.compare(&line["root"], &replay.tree, false, &answer.new);
    }
    compare(line, answer, &replay.tree, report)?;
    let totals = Value::from(replay.totals.to_vec());
    if line["tot"] != totals {
        return Err(format!("totals {totals}, recorded {}", line["tot"]));
    }
    let answers = Value::from(replay.answers.to_string());
    if line["qh"] != answers {
        return Err(format!("answers {answers}, recorded {}", line["qh"]));
    }
    report.answer_hashes += 1;
    Ok(())
}

/// Checks all files below a folder, compressed or not; those that are none of maple tree sequences are
/// left out. One report for each release.
///
/// # Errors
/// Those of reading, and the first line that does not read.
pub fn check_maple(root: &Path) -> Result<BTreeMap<String, MapleReport>, MapleError> {
    let mut texts = Vec::new();
    for file in files_below(root, &|path| !path.ends_with("README.md"))? {
        texts.push(read_text(&file)?);
    }
    check_maple_texts(&texts)
}

/// Checks texts that belong together, each by what it holds: sequences with their operations, node
/// counts of another release with the same sequences, long runs, and the operations of those.
///
/// # Errors
/// The first line that does not read, and a sequence without operations.
pub fn check_maple_texts(texts: &[String]) -> Result<BTreeMap<String, MapleReport>, MapleError> {
    let texts: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .filter(|text| is_maple(text))
        .collect();
    let (operations, recorded): (Vec<_>, Vec<_>) =
        texts.into_iter().partition(|text| is_operations(text));
    let header = |text: &str| text.lines().next().unwrap_or("").to_owned();
    let is_accounting = |text: &str| header(text).contains("\"rows\":");
    let is_long = |text: &str| text.lines().nth(1).unwrap_or("").contains("\"tot\":");
    let plain: Vec<_> = recorded
        .iter()
        .copied()
        .filter(|text| !is_accounting(text) && !is_long(text))
        .collect();
    let mut reports: BTreeMap<String, MapleReport> = BTreeMap::new();
    for text in recorded {
        let report = if is_accounting(text) {
            // Shapes and operations are those of the release whose hand-made cases it has.
            let same = plain.iter().copied();
            let same: Vec<_> = same
                .filter(|text| header(text).contains("\"ver\":\"6.12\""))
                .collect();
            check_maple_accounting(text, &same)?
        } else if is_long(text) {
            check_maple_long(text, &operations)?
        } else {
            check_maple_text(text)?
        };
        let first: Value =
            serde_json::from_str(&header(text)).map_err(|error| bad(1, error.to_string()))?;
        let release = first["ver"].as_str().unwrap_or("?").to_owned();
        reports.entry(release).or_default().add(report);
    }
    Ok(reports)
}
