//! Cases by chance, in families: where they are aimed decides what they find.

mod bodies;
mod extreme;
mod families;
mod flip;
mod lattice;
mod place;
mod plain;

pub use plain::{Family, aimed, range, shape, touching_pair, with_queries};

use crate::body::Kind;
use crate::case::Case;
use crate::number::Precision;
use test_support::random::Rng;

/// A case; None when chance made something that is not one.
pub fn case(kind: Kind, family: Family, precision: Precision, rng: &mut Rng) -> Option<Case> {
    if family == Family::Flip {
        return flip::search(kind, precision, rng);
    }
    plain::plain(kind, family, precision, rng)
}
