//! Random cases in families: the target of a family decides which errors it finds.

mod bodies;
mod extreme;
mod families;
mod family;
mod flip;
mod images;
mod lattice;
mod place;
mod plain;
mod transforms;

pub use family::{Family, TransformFamily};
pub use images::{exact_image, exact_point, shifted};
pub use plain::{aimed, range, shape, touching_pair, with_queries};
pub use transforms::{instance, mapped, placed, transform};

use crate::body::Kind;
use crate::case::Case;
use crate::number::Precision;
use test_support::random::Rng;

/// Random case; None if its numbers are not a valid case.
pub fn case(kind: Kind, family: Family, precision: Precision, rng: &mut Rng) -> Option<Case> {
    if family == Family::Flip {
        return flip::search(kind, precision, rng);
    }
    plain::plain(kind, family, precision, rng)
}
