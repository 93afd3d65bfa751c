//! Storage of the limbs of an exact number.

/// The limbs, lowest first: a short row itself (zero from `len` on), or where a long one starts in the arena.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    Short([u64; 2]),
    Long(usize),
}
