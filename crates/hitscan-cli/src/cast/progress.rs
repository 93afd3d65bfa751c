//! What is shown while a long cast runs, where somebody watches.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// The bar counts in these: shares of tables whose number of rows nobody knows.
const STEPS: u64 = 10_000;

/// A bar on standard error, or nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub(crate) fn new(is_watched: bool) -> Self {
        let bar = if is_watched { ProgressBar::new(STEPS) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  {eta} left") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now() }
    }

    /// So many rays (or pixels) are done, which is this share of the whole, if that is known.
    pub(crate) fn show(&self, done: u64, things: &str, share: Option<f64>) {
        let rate = done as f64 / self.seconds().max(f64::MIN_POSITIVE);
        let (rate, unit) = if rate >= 1e6 { (rate / 1e6, "M ") } else { (rate / 1e3, "k ") };
        self.bar.set_message(format!("{done} {things}, {rate:.1} {unit}{things}/s"));
        match share {
            Some(share) => self.bar.set_position((share * STEPS as f64) as u64),
            None => {
                // A spinner: there is no end to count towards.
                self.bar.unset_length();
                self.bar.enable_steady_tick(Duration::from_millis(200));
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    self.bar.set_style(style);
                }
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
