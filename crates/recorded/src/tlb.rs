//! Runs recorded TLB comparisons against the simulator, and the placements among them against the model of mmap.

mod golden;
mod layout;
mod order;
mod placement;
mod vector;

use std::fmt;

use serde_json::Value;

/// What one or more comparisons came to.
#[derive(Debug, Default)]
pub struct TlbReport {
    /// Comparisons: a set of counters, an index value, a list of placements, an order of evictions.
    pub compared: u64,
    /// Those that differ.
    pub different: u64,
    /// Accesses that were counted.
    pub accesses: u64,
    /// The first that differs.
    pub first: Option<String>,
}

impl TlbReport {
    /// Adds another report's counts; keeps the earlier first difference.
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.different += other.different;
        self.accesses += other.accesses;
        self.first = self.first.take().or(other.first);
    }

    /// Takes one comparison in: `what` differs, or not.
    fn take(&mut self, what: &str, difference: Option<String>) {
        self.compared += 1;
        if let Some(difference) = difference {
            self.different += 1;
            self.first
                .get_or_insert_with(|| format!("{what}: {difference}"));
        }
    }

    /// Takes two values that should be the same.
    fn same<T: PartialEq + fmt::Debug>(&mut self, what: &str, recorded: &T, model: &T) {
        let differs = recorded != model;
        self.take(
            what,
            differs.then(|| format!("\n    recorded {recorded:?}\n    model    {model:?}")),
        );
    }
}

impl fmt::Display for TlbReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} compared over {} accesses, {} different",
            self.compared, self.accesses, self.different
        )
    }
}

/// Checks one file of comparisons, known by its name without endings: `index_fn`, `placement`, …
///
/// # Errors
/// Says what does not read.
pub fn check_tlb(name: &str, text: &str) -> Result<TlbReport, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = TlbReport::default();
    match name {
        "index_fn" => vector::index_values(&file, &mut report)?,
        "placement" => placement::check(&file, &mut report)?,
        "permutation" => order::check(&file, &mut report)?,
        "ext_cache" => vector::caches(&file, &mut report)?,
        "golden_table" => golden::table(&file, &mut report)?,
        "golden_presets" => golden::presets(&file, &mut report)?,
        _ => vector::counters(&file, &mut report)?,
    }
    Ok(report)
}

/// The list under a name.
fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    value[name]
        .as_array()
        .ok_or_else(|| format!("no list “{name}” in {value:.120}"))
}

/// The number under a name.
fn number(value: &Value, name: &str) -> Result<u64, String> {
    value[name]
        .as_u64()
        .ok_or_else(|| format!("no number “{name}” in {value:.120}"))
}

/// A number that has to be small.
fn small<T: TryFrom<u64>>(value: &Value, name: &str) -> Result<T, String> {
    T::try_from(number(value, name)?).map_err(|_| format!("“{name}” is too large in {value:.120}"))
}

/// The text under a name.
fn word<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value[name]
        .as_str()
        .ok_or_else(|| format!("no text “{name}” in {value:.120}"))
}

/// A hexadecimal number.
fn hex(value: &Value) -> Result<u64, String> {
    value
        .as_str()
        .and_then(|text| u64::from_str_radix(text, 16).ok())
        .ok_or_else(|| format!("{value:.120} is no hexadecimal number"))
}
