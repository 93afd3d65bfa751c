//! Lists of results, one per point or volume, in compressed rows.

use alloc::vec::Vec;
use core::ops::Range;

/// A list of results for each point or volume of a batch, in compressed rows (CSR): the results of one after those of the one
/// before, and for each the offset of its first.
///
/// ```
/// use hitscan::{glam::Vec3, PointQuery, TriangleMesh};
/// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y], vec![[0, 1, 2], [0, 2, 3]])?;
/// let found = mesh.closest_primitives_each(&[Vec3::new(0.7, 0.2, 1.0), Vec3::Z * 9.0], 2.0, 2)?;
/// assert_eq!((found.len(), found.offsets()), (2, &[0, 2, 2][..])); // nothing is near the second point
/// assert_eq!(found.get(0).iter().map(|found| found.primitive).collect::<Vec<_>>(), [Some(0), Some(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("csr", "lists"))]
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedRows<T> {
    pub(crate) offsets: Vec<usize>,
    pub(crate) items: Vec<T>,
}

impl<T> CompressedRows<T> {
    /// The offsets: the results of input `i` are the items from `offsets[i]` to `offsets[i + 1]`. One more than there are
    /// inputs.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
    /// The results of all inputs.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }
    /// The number of inputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// Whether there are no inputs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The results of an input; none beyond the inputs.
    #[must_use]
    pub fn get(&self, input: usize) -> &[T] {
        &self.items[rows(&self.offsets, input)]
    }
}

/// The rows of an input by the offsets; none beyond the inputs.
pub(crate) fn rows(offsets: &[usize], input: usize) -> Range<usize> {
    match offsets.get(input..) {
        Some(&[first, end, ..]) => first..end,
        _ => 0..0,
    }
}
