//! Runs recorded maple tree sequences against the model, node for node.

mod dump;
mod files;
mod op;
mod replay;
mod text;

use std::fmt;

pub use files::{
    check_maple, check_maple_accounting, check_maple_long, check_maple_text, check_maple_texts,
    is_maple,
};

/// What one or more comparisons came to.
#[derive(Debug, Default)]
pub struct MapleReport {
    /// Sequences replayed, each from an empty tree.
    pub sequences: u64,
    /// Operations carried out.
    pub operations: u64,
    /// Answers of walks, searches, erasures and refused inserts compared.
    pub answers: u64,
    /// Running hashes of answers compared.
    pub answer_hashes: u64,
    /// Trees compared by their hash.
    pub hashed: u64,
    /// Trees compared node for node, with the identity of each node where that is recorded.
    pub dumped: u64,
    /// Store types compared.
    pub kinds: u64,
    /// Operations whose node counts were compared.
    pub accounts: u64,
    /// Comparisons that failed. A sequence ends with its first.
    pub different: u64,
    /// The first of them.
    pub first: Option<String>,
}

impl MapleReport {
    /// Adds another report's counts; keeps the earlier first difference.
    pub fn add(&mut self, other: Self) {
        self.sequences += other.sequences;
        self.operations += other.operations;
        self.answers += other.answers;
        self.answer_hashes += other.answer_hashes;
        self.hashed += other.hashed;
        self.dumped += other.dumped;
        self.kinds += other.kinds;
        self.accounts += other.accounts;
        self.different += other.different;
        self.first = self.first.take().or(other.first);
    }
}

impl fmt::Display for MapleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} sequences, {} operations: {} trees by hash, {} node for node, {} store types, {} node counts, {} answers, \
             {} hashes of answers compared; {} different",
            self.sequences,
            self.operations,
            self.hashed,
            self.dumped,
            self.kinds,
            self.accounts,
            self.answers,
            self.answer_hashes,
            self.different
        )
    }
}

/// Why a text could not be compared.
#[derive(Debug)]
pub enum MapleError {
    /// A line is not what it should be.
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A sequence is not among the texts with the operations.
    Sequence(String),
    /// A file could not be read.
    File(std::io::Error),
}

impl fmt::Display for MapleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, why } => write!(f, "line {line}: {why}"),
            Self::Sequence(name) => write!(f, "no operations for the sequence {name}"),
            Self::File(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for MapleError {}

impl From<std::io::Error> for MapleError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}
