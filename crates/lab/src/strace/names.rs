//! Names for the results that later calls count from.

use crate::program::CallLine;

/// Gives them, and makes the calls refer to them; `bases` holds for each call the step it counts from, `targets` for some
/// the step that their new addresses count from.
pub(super) fn give_names(calls: &mut [CallLine], bases: &[Option<u32>], targets: &[(u32, u32)]) {
    let mut named: Vec<u32> = bases.iter().flatten().copied().collect();
    named.extend(targets.iter().map(|(_, step)| *step));
    let mut named = crate::order::sorted_by_number(named, |step| u64::from(*step));
    named.dedup();
    for (number, step) in (1..).zip(&named) {
        calls[*step as usize].name = Some(format!("m{number}"));
    }
    for (call, base) in (0..)
        .zip(bases)
        .filter_map(|(call, base): (usize, _)| Some((call, (*base)?)))
    {
        calls[call].relative_to = calls[base as usize].name.clone();
    }
    for (call, step) in targets {
        calls[*call as usize].new_relative_to = calls[*step as usize].name.clone();
    }
}
