//! The progress bar of long work.

use crate::text::rate;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// The length of the bar: shares are counted in these, for the number of rows of a table is often unknown.
const STEPS: u64 = 10_000;

/// A progress bar on standard error, or an invisible one, with a clock.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub(crate) fn new(is_visible: bool) -> Self {
        let bar = if is_visible { ProgressBar::new(STEPS) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  {eta} left") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now() }
    }

    /// Shows the number of rays (or pixels) that are done, and their share of the whole where that is known.
    pub(crate) fn show(&self, done: u64, things: &str, share: Option<f64>) {
        self.bar.set_message(format!("{done} {things}, {}", rate(done, things, self.seconds())));
        match share {
            Some(share) => self.bar.set_position((share * STEPS as f64) as u64),
            None => {
                // The total is unknown: a spinner.
                self.bar.unset_length();
                self.bar.enable_steady_tick(Duration::from_millis(200));
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    self.bar.set_style(style);
                }
            }
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// The time since it was created.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
