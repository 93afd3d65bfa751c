//! The segments of an outline and their colours.

use crate::math::vector::Vector;

/// A line segment of an [`Outline`](crate::Outline).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutlineSegment<V: Vector> {
    /// One end.
    pub a: V,
    /// The other end.
    pub b: V,
    /// What the segment shows.
    pub color: OutlineColor,
}

/// What a segment of an outline shows, and so its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutlineColor {
    /// The surface of a shape.
    Surface,
    /// The surface of a trigger.
    Trigger,
    /// The bounds of a user geometry, which has no other outline.
    Bounds,
    /// A moving volume, where it starts and where it touches.
    Volume,
    /// A ray up to what it hits.
    Ray,
    /// The part of a ray that hits nothing: behind the hit, or all of it.
    Miss,
    /// The point of a hit or a contact.
    Hit,
    /// The normal of a hit or a contact.
    Normal,
    /// A point of a ray that an explanation names.
    Crossing,
}

impl OutlineColor {
    /// Red, green and blue in sRGB: the colours of the pictures of the program `hitscan`.
    #[must_use]
    pub const fn rgb(self) -> [u8; 3] {
        match self {
            Self::Surface => [0x44, 0x77, 0xaa],
            Self::Trigger => [0xdd, 0xaa, 0x33],
            Self::Bounds => [0xb4, 0xbc, 0xc8],
            Self::Volume => [0x88, 0x55, 0xaa],
            Self::Ray => [0xd6, 0x27, 0x28],
            Self::Miss => [0x1f, 0x5f, 0xd0],
            Self::Hit => [0xee, 0x77, 0x33],
            Self::Normal => [0x1f, 0x9e, 0x3f],
            Self::Crossing => [0x5b, 0x66, 0x75],
        }
    }
}
