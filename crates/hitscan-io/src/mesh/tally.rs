//! Counts of what a parser ignored or changed, for notes.

use crate::error::Place;

/// How many things of a kind there were, and the place of the first.
#[derive(Debug, Default)]
pub(super) struct Tally {
    count: u64,
    first: Option<Place>,
}

impl Tally {
    pub(super) fn add(&mut self, place: Place) {
        self.first.get_or_insert(place);
        self.count += 1;
    }

    /// The note, if there was any: `3 faces are flat; the first is face 2 (line 5)`. It has the number, then `one` or `many`.
    pub(super) fn note(&self, one: &str, many: &str) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.count {
            1 => format!("1 {one}: {first}"),
            count => format!("{count} {many}; the first is {first}"),
        })
    }
}
