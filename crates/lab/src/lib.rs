//! Scenarios, importers, lanes on one playhead, comparison.
