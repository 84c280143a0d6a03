//! What each lane has cost so far, and how far the lanes are apart.

use mmscope_lab::{Frame, Ledger};

use crate::say::{ledger as words, num};

/// The ledgers of all lanes side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerTable {
    /// The heads of the columns: what is counted, then each lane, then `B − A`, `C − A`.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<LedgerRow>,
    /// How the numbers came about.
    pub note: &'static str,
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
    /// Each later lane minus the first, with its sign.
    pub differences: Vec<String>,
}

/// One lane's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerCell {
    /// Now.
    pub now: String,
    /// The same to the last digit, for a tooltip.
    pub exact: String,
    /// Since the start, with its sign.
    pub since_start: String,
}

type Row = (
    &'static str,
    &'static str,
    fn(&Ledger) -> u64,
    fn(u64) -> String,
    fn(u64) -> String,
);

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
    let rows = ROWS.iter().map(|(name, help, get, show, exact)| {
        let lanes = frame.lanes.iter().map(|lane| LedgerCell {
            now: show(get(&lane.ledger)),
            exact: exact(get(&lane.ledger)),
            since_start: num::signed(get(&lane.ledger), get(&lane.ledger_at_start), show),
        });
        let first = frame.lanes.first().map_or(0, |lane| get(&lane.ledger));
        let differences = frame
            .lanes
            .iter()
            .skip(1)
            .map(|lane| num::signed(get(&lane.ledger), first, show));
        LedgerRow {
            name,
            help,
            lanes: lanes.collect(),
            differences: differences.collect(),
        }
    });
    LedgerTable {
        columns,
        rows: rows.collect(),
        note: words::COUNTED,
    }
}
