//! What each lane has cost so far, and how far the lanes are apart.

use mmscope_lab::{Frame, Ledger};
use mmscope_mm::Nodes;

use crate::say::{ledger as words, num};

/// The ledgers of all lanes side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerTable {
    /// The heads of the columns: what is counted, then each lane, then `B − A`, `C − A`.
    pub columns: Vec<String>,
    /// The parts: the address space, the maple tree's nodes.
    pub parts: Vec<LedgerPart>,
    /// How the numbers came about.
    pub note: &'static str,
}

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerPart {
    /// What they are about.
    pub name: &'static str,
    /// What exactly, for a tooltip; empty if there is nothing to add.
    pub help: &'static str,
    /// What is to be known about each lane's numbers: a word, and what it means. Both empty for most.
    pub notes: Vec<(&'static str, &'static str)>,
    /// The rows.
    pub rows: Vec<LedgerRow>,
}

/// One thing that is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// What.
    pub name: &'static str,
    /// What exactly, for a tooltip.
    pub help: &'static str,
    /// In each lane.
    pub lanes: Vec<LedgerCell>,
    /// Each later lane minus the first, with its sign; a dash where one of the two has no number.
    pub differences: Vec<String>,
}

/// One lane's number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerCell {
    /// Now; a dash where there is no such thing to count.
    pub now: String,
    /// The same to the last digit, or why there is none, for a tooltip.
    pub exact: String,
    /// How much of it came since the start, with its sign; of nodes, by the shown call. Empty where there is no number.
    pub since: String,
}

/// One lane's number now, and the earlier one to compare it with; `None` where there is none.
type Pair = Option<(u64, u64)>;

type Row = (
    &'static str,
    &'static str,
    fn(&Ledger) -> u64,
    fn(u64) -> String,
    fn(u64) -> String,
);

type NodeRow = (&'static str, &'static str, fn(Nodes) -> u64);

const NODES: [NodeRow; 4] = [
    (words::ASKED, words::ASKED_HELP, |nodes| nodes.asked),
    (words::USED, words::USED_HELP, |nodes| nodes.used),
    (words::RETURNED, words::RETURNED_HELP, |nodes| {
        nodes.returned
    }),
    (words::FREED, words::FREED_HELP, |nodes| nodes.freed),
];

const ROWS: [Row; 5] = [
    (
        words::VMAS,
        words::VMAS_HELP,
        |ledger| ledger.vmas,
        num::grouped,
        num::grouped,
    ),
    (
        words::MAPPED,
        words::MAPPED_HELP,
        |ledger| ledger.mapped_bytes,
        num::readable,
        num::exact,
    ),
    (
        words::GAPS,
        words::GAPS_HELP,
        |ledger| ledger.gaps,
        num::grouped,
        num::grouped,
    ),
    (
        words::GAP_BYTES,
        words::GAP_BYTES_HELP,
        |ledger| ledger.gap_bytes,
        num::readable,
        num::exact,
    ),
    (
        words::ERRORS,
        words::ERRORS_HELP,
        |ledger| ledger.errors,
        num::grouped,
        num::grouped,
    ),
];

/// The ledgers of a frame.
pub fn table(frame: &Frame) -> LedgerTable {
    let mut columns = vec![String::new()];
    columns.extend(
        frame
            .lanes
            .iter()
            .map(|lane| format!("{} {}", lane.letter, lane.kernel)),
    );
    if let Some((first, others)) = frame.lanes.split_first() {
        columns.extend(
            others
                .iter()
                .map(|lane| format!("{} \u{2212} {}", lane.letter, first.letter)),
        );
    }
    let mut space = Vec::new();
    for (name, help, get, show, exact) in ROWS {
        let pairs: Vec<Pair> = frame
            .lanes
            .iter()
            .map(|lane| Some((get(&lane.ledger), get(&lane.ledger_at_start))))
            .collect();
        space.push(row(name, help, &pairs, show, exact));
    }
    let mut tree = Vec::new();
    for (name, help, get) in NODES {
        let pairs: Vec<Pair> = frame
            .lanes
            .iter()
            .map(|lane| Some((get(lane.ledger.nodes?), get(lane.before.process().nodes))))
            .collect();
        tree.push(row(name, help, &pairs, num::grouped, num::grouped));
    }
    let notes = frame.lanes.iter().map(|lane| match lane.ledger.nodes {
        None => (words::NO_TREE_SHORT, words::NO_TREE),
        Some(_) if lane.kernel.release().tree_assumed => {
            (words::TREE_ASSUMED, words::TREE_ASSUMED_HELP)
        }
        Some(_) => ("", ""),
    });
    LedgerTable {
        columns,
        parts: vec![
            LedgerPart {
                name: words::ADDRESS_SPACE,
                help: "",
                notes: vec![("", ""); frame.lanes.len()],
                rows: space,
            },
            LedgerPart {
                name: words::NODES,
                help: words::NODES_HELP,
                notes: notes.collect(),
                rows: tree,
            },
        ],
        note: words::COUNTED,
    }
}

fn row(
    name: &'static str,
    help: &'static str,
    pairs: &[Pair],
    show: fn(u64) -> String,
    exact: fn(u64) -> String,
) -> LedgerRow {
    let mut row = LedgerRow {
        name,
        help,
        lanes: Vec::new(),
        differences: Vec::new(),
    };
    let first = pairs.first().copied().flatten();
    for (index, pair) in pairs.iter().enumerate() {
        row.lanes.push(match *pair {
            Some((now, before)) => LedgerCell {
                now: show(now),
                exact: exact(now),
                since: num::signed(now, before, show),
            },
            None => LedgerCell {
                now: words::NONE.to_owned(),
                exact: words::NO_TREE.to_owned(),
                since: String::new(),
            },
        });
        if index > 0 {
            row.differences.push(match (*pair, first) {
                (Some((now, _)), Some((first, _))) => num::signed(now, first, show),
                _ => words::NONE.to_owned(),
            });
        }
    }
    row
}
