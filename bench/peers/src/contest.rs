//! Benchmark of engines in alternation: the order rotates from round to round, and the thread's processor time counts,
//! so that other load on the machine affects all engines alike.

use rustix::time::{ClockId, clock_gettime};

/// Times of one engine, one per round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, seconds: f64) {
        let at = self.0.partition_point(|&t| t < seconds);
        self.0.insert(at, seconds);
    }
    pub(crate) fn min(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }
    pub(crate) fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }
    pub(crate) fn max(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }
}

/// Processor seconds of this thread so far.
pub(crate) fn thread_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Time of one run.
pub(crate) fn time<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = thread_seconds();
    let result = run();
    (thread_seconds() - start, result)
}

/// Function to time.
pub(crate) type Run<'a> = Box<dyn FnMut() + 'a>;

/// Times all functions in rotating order, after one round of warm-up.
pub(crate) fn contest(runs: &mut [Run<'_>], rounds: usize) -> Vec<Times> {
    let mut times = vec![Times::default(); runs.len()];
    for round in 0..=rounds {
        for i in 0..runs.len() {
            let i = (i + round) % runs.len();
            let (seconds, ()) = time(&mut runs[i]);
            if round > 0 {
                times[i].push(seconds);
            }
        }
    }
    times
}

/// Geometric mean; NaN of an empty list.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_means() {
        let mut times = Times::default();
        [3.0, 1.0, 2.0].into_iter().for_each(|t| times.push(t));
        assert_eq!((times.min(), times.median(), times.max()), (1.0, 2.0, 3.0));
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }
}
