//! Storage of the limbs of an exact number.

/// Limbs that a number has room for. The polynomials of a kernel have degree 4 to 8 in coordinates of one or two limbs.
pub(crate) const SHORT: usize = 8;

/// The limbs, lowest first: a short row in place (zero from `len` on), or the start of a long row in the arena.
#[derive(Clone, Copy)]
pub(crate) enum Limbs {
    Short([u64; SHORT]),
    Long(usize),
}
