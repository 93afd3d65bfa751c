//! Comparison of the spans that a library returns with the exact ones.
//!
//! # Method
//! Some rays have several right answers: a ray in a face may count as inside or as outside, and a touch may be reported or not. So a
//! question has a list of right answers, and an answer must be one of them as a whole. Each end may be off by a tolerance. What is
//! shorter than `ignored`, a span or a gap, counts in neither.

/// Interval of `t` inside a solid.
pub type Span = [f64; 2];

/// Right answers to a question.
#[derive(Clone, Debug, Default)]
pub struct RightAnswers {
    /// Spans by increasing `t`, without touches.
    pub answers: Vec<Vec<Span>>,
    /// Touches: places where a span of at most the tolerance may be, or not.
    pub touches: Vec<f64>,
    /// Error that an end may have.
    pub tolerance: f64,
    /// Length up to which spans and gaps are ignored; 0 ignores none.
    pub ignored: f64,
}

/// Comparison of an answer with the exact spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// One of the right answers; the largest error of an end.
    Right(f64),
    /// No span, where every right answer has one.
    Lost,
    /// Too many or too few spans, an end in another place, or no spans at all because the library failed.
    Wrong,
}

impl RightAnswers {
    /// Judges the spans of a library; `None` where it failed.
    pub fn judge(&self, spans: Option<&[Span]>) -> Judgement {
        let Some(spans) = spans else { return Judgement::Wrong };
        let ends: Vec<f64> = spans.iter().flatten().copied().collect();
        if !ends.is_sorted() || ends.iter().any(|end| !end.is_finite()) {
            return Judgement::Wrong;
        }
        let is_touch = |[from, to]: &Span| {
            to - from <= self.tolerance && self.touches.iter().any(|at| (at - from).abs() <= self.tolerance)
        };
        let spans: Vec<Span> = spans.iter().filter(|span| !is_touch(span)).copied().collect();
        let spans = self.without_ignored(&spans);
        let answers: Vec<_> = self.answers.iter().map(|answer| self.without_ignored(answer)).collect();
        let errors = answers.iter().filter_map(|answer| self.error(answer, &spans));
        if let Some(error) = errors.min_by(f64::total_cmp) {
            return Judgement::Right(error);
        }
        let is_lost = spans.is_empty() && answers.iter().all(|answer| !answer.is_empty());
        if is_lost { Judgement::Lost } else { Judgement::Wrong }
    }

    /// Fills short gaps, then drops short spans.
    fn without_ignored(&self, spans: &[Span]) -> Vec<Span> {
        if self.ignored == 0.0 {
            return spans.to_vec();
        }
        let mut joined: Vec<Span> = Vec::new();
        for span in spans {
            match joined.last_mut() {
                Some(last) if span[0] - last[1] <= self.ignored => last[1] = span[1],
                _ => joined.push(*span),
            }
        }
        joined.retain(|[from, to]| to - from > self.ignored);
        joined
    }

    /// The largest error of an end, if the spans are those of this answer.
    fn error(&self, answer: &[Span], spans: &[Span]) -> Option<f64> {
        if answer.len() != spans.len() {
            return None;
        }
        let errors = answer.iter().flatten().zip(spans.iter().flatten()).map(|(a, b)| (a - b).abs());
        let error = errors.fold(0.0, f64::max);
        (error <= self.tolerance).then_some(error)
    }
}
