//! How an outline is drawn.

use crate::aabb::Aabb;
use crate::math::real::Real;
use crate::math::vector::Vector;

/// The settings of an [`Outline`](crate::Outline): the box to which unlimited shapes and rays are clipped, the number of segments
/// of a circle, and the length of normals.
///
/// The [`Default`] has no box, so that planes, half-spaces and lines have no segments; 32 segments for each circle; and normals of
/// length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct OutlineOptions<V: Vector> {
    bounds: Aabb<V>,
    circle_segments: u32,
    normal_length: V::Scalar,
}

/// The most segments of a circle.
const MOST_SEGMENTS: u32 = 4096;

impl<V: Vector> Default for OutlineOptions<V> {
    fn default() -> Self {
        Self { bounds: Aabb::empty(), circle_segments: 32, normal_length: V::Scalar::ONE }
    }
}

impl<V: Vector> OutlineOptions<V> {
    /// The default settings with a box, to which unlimited shapes and rays are clipped. Bounded shapes are drawn whole, inside of it
    /// or not. An unbounded or empty box is no box.
    pub fn within(bounds: Aabb<V>) -> Self {
        Self { bounds, ..Self::default() }
    }
    /// Sets the number of segments of each circle: rounded up to a multiple of four, from 4 to 4096.
    pub fn with_circle_segments(self, number: u32) -> Self {
        Self { circle_segments: number.clamp(4, MOST_SEGMENTS).next_multiple_of(4), ..self }
    }
    /// Sets the length of normals. A hit point is marked by a cross of a quarter of that length.
    pub fn with_normal_length(self, length: V::Scalar) -> Self {
        Self { normal_length: length, ..self }
    }
    /// The box to which unlimited shapes and rays are clipped.
    #[must_use]
    pub fn bounds(&self) -> Aabb<V> {
        self.bounds
    }
    /// The number of segments of each circle: a multiple of four.
    #[must_use]
    pub fn circle_segments(&self) -> u32 {
        self.circle_segments
    }
    /// The length of normals.
    #[must_use]
    pub fn normal_length(&self) -> V::Scalar {
        self.normal_length
    }
}
