//! Time, only to cut long work into slices: the model has no clock.

/// Milliseconds since the page was opened; 0 where there is no clock.
pub(crate) fn now_ms() -> f64 {
    super::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}
