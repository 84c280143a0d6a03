//! What a comparison came to.

use std::collections::BTreeMap;
use std::fmt;

use crate::script::OutOfScope;

/// Counts of one or more comparisons.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases read.
    pub cases: u64,
    /// Calls compared, in result and layout.
    pub compared: u64,
    /// Calls among them that differ.
    pub different: u64,
    /// Calls not compared, by the reason: the first call of a case that is out of scope and all after it.
    pub out_of_scope: BTreeMap<OutOfScope, u64>,
    /// The first difference.
    pub first: Option<Difference>,
}

impl Report {
    /// Adds another report's counts; keeps the earlier first difference.
    pub fn add(&mut self, other: Report) {
        self.cases += other.cases;
        self.compared += other.compared;
        self.different += other.different;
        for (reason, count) in other.out_of_scope {
            *self.out_of_scope.entry(reason).or_default() += count;
        }
        self.first = self.first.take().or(other.first);
    }

    /// All calls not compared.
    pub fn skipped(&self) -> u64 {
        self.out_of_scope.values().sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} compared, {} different, {} out of scope",
            self.compared,
            self.different,
            self.skipped()
        )
    }
}

/// One call that the model answered otherwise.
#[derive(Debug)]
pub struct Difference {
    /// The case.
    pub case: String,
    /// The recorded kernel.
    pub recorded_on: String,
    /// The modelled kernel.
    pub model: String,
    /// The call's number in the case, from 0.
    pub op: usize,
    /// The script's line.
    pub line: String,
    /// Recorded result, or `None` if results agree.
    pub result: Option<(String, String)>,
    /// Lines that only the recorded layout has.
    pub only_recorded: Vec<String>,
    /// Lines that only the model's has.
    pub only_model: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "case {}, recorded on {}, model {}",
            self.case, self.recorded_on, self.model
        )?;
        write!(f, "  ${} {}", self.op, self.line)?;
        if let Some((recorded, model)) = &self.result {
            write!(f, "\n    recorded {recorded}\n    model    {model}")?;
        }
        for line in &self.only_recorded {
            write!(f, "\n    only recorded: {line}")?;
        }
        for line in &self.only_model {
            write!(f, "\n    only in model: {line}")?;
        }
        Ok(())
    }
}
