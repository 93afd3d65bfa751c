//! Queries without an answer, because the shape that answers may be one that cannot be measured.

use crate::scene::SceneSpace;
use crate::text::count;
use hitscan::{Object, Scene};
use hitscan_io::fmt::has_solid;

/// The most names of shapes in a warning.
const MOST_NAMES: usize = 3;

/// The number of queries without an answer, with the first of them.
#[derive(Clone, Copy)]
pub(crate) struct Unmeasured<Q> {
    count: u64,
    first: Option<Q>,
}

impl<Q> Unmeasured<Q> {
    pub(crate) fn new() -> Self {
        Self { count: 0, first: None }
    }

    /// So many queries, of which one is the first.
    pub(crate) fn of(count: u64, first: Option<Q>) -> Self {
        Self { count, first }
    }

    /// Counts a query.
    pub(crate) fn count(&mut self, query: Q) {
        self.first.get_or_insert(query);
        self.count += 1;
    }

    /// Adds the queries of a later piece.
    pub(crate) fn add(&mut self, later: Self) {
        self.first = self.first.take().or(later.first);
        self.count += later.count;
    }

    /// The warning, if there is such a query; `names` are those of the objects, `answer` is the shape that answers a `row`:
    /// the `closest` one to a `point`.
    pub(crate) fn warning<V: SceneSpace>(
        &self,
        (row, answer): (&str, &str),
        scene: &Scene<V>,
        names: &[&str],
        cannot_answer: impl Fn(&Object<V>, &Q) -> bool,
    ) -> Option<String> {
        let query = self.first.as_ref()?;
        let (rows, have) = (count(self.count, row), if self.count == 1 { "has" } else { "have" });
        let objects = scene.objects().map(|(_, object)| object).zip(names);
        let found: Vec<_> = objects.filter(|(object, _)| cannot_answer(object, query)).collect();
        let solids = found.iter().filter(|(object, _)| has_solid::<V>(object.shape())).count();
        let reason = match solids {
            0 => "with numbers near the end of the range",
            n if n == found.len() => "a solid of several shapes",
            _ => "a solid of several shapes or one with numbers near the end of the range",
        };
        let listed: Vec<&str> = found.iter().map(|(_, name)| **name).take(MOST_NAMES).collect();
        let more = if found.len() > MOST_NAMES { " and others" } else { "" };
        let listed = listed.join(", ");
        Some(format!(
            "{rows} {have} no answer, for the {answer} shape may be one that cannot be measured, {reason}: {listed}{more}"
        ))
    }
}
