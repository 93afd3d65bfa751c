//! Storage of the limbs of an exact number.

/// The limbs, lowest first: a short row in place (zero from `len` on), or the start of a long row in the arena.
#[derive(Clone, Copy)]
pub(crate) enum Limbs {
    Short([u64; 2]),
    Long(usize),
}
