//! The summaries of a lane, one for each step.

use mmscope_mm::{Nodes, Outcome};

use crate::frame::Ledger;

/// A summary as it is kept: a million of them must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) outcome: Outcome,
    pub(super) mapped_bytes: u64,
    pub(super) gap_bytes: u64,
    pub(super) vmas: u32,
    pub(super) gaps: u32,
    pub(super) errors: u32,
    pub(super) merges: u16,
    pub(super) splits: u16,
    pub(super) new_vmas: u16,
    pub(super) faults: u16,
    /// Nodes asked for, used, returned and freed.
    pub(super) nodes: Option<[u32; 4]>,
}

impl Row {
    pub(super) fn ledger(&self) -> Ledger {
        Ledger {
            vmas: u64::from(self.vmas),
            mapped_bytes: self.mapped_bytes,
            gaps: u64::from(self.gaps),
            gap_bytes: self.gap_bytes,
            errors: u64::from(self.errors),
            nodes: self.nodes.map(|nodes| {
                let [asked, used, returned, freed] = nodes.map(u64::from);
                Nodes {
                    asked,
                    used,
                    returned,
                    freed,
                }
            }),
        }
    }
}

/// Rows in a block: a list that never moves what it holds.
const BLOCK: usize = 4096;

/// All rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    blocks: Vec<Vec<Row>>,
}

impl Rows {
    pub(super) fn push(&mut self, row: Row) {
        if self.blocks.last().is_none_or(|block| block.len() == BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(row);
        }
    }

    /// The row of step `index`, counted from 0.
    pub(super) fn get(&self, index: u32) -> Option<&Row> {
        let index = index as usize;
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }
}
