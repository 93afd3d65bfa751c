//! Tracks: the objects that a ray goes through, from boundary to boundary.

use crate::hit::{Hit, ObjectId};
use crate::math::vector::Vector;
use alloc::vec::Vec;
use core::ops::Range;

/// The track of a ray through a scene: the range of the ray, cut where it enters or leaves an object. In each part the ray is inside the
/// same objects: one in a cell, none in a gap, several where objects overlap.
///
/// ```
/// use hitscan::{glam::DVec3, Cuboid, Object, Ray, Scene};
/// let mut scene = Scene::new();
/// let mut cell = |x: f64| scene.insert(Object::new(Cuboid::new(DVec3::X * x, DVec3::ONE).unwrap()));
/// let (a, b, c) = (cell(1.0)?, cell(3.0)?, cell(6.5)?); // two that share a face, and one behind a gap
/// let track = scene.track(&Ray::new(DVec3::ZERO, DVec3::X), 0.0..=7.0);
/// let parts: Vec<_> = track.parts().map(|part| (part.t, part.objects)).collect();
/// assert_eq!(parts, [([0.0, 2.0], &[a][..]), ([2.0, 4.0], &[b]), ([4.0, 5.5], &[]), ([5.5, 7.0], &[c])]);
/// let wall = track.parts().next().ok_or("no part")?.end; // the ray leaves `a` and enters `b`
/// assert_eq!(wall.iter().map(|hit| hit.object).collect::<Vec<_>>(), [Some(a), Some(b)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Track<V: Vector> {
    pub(crate) parts: Vec<PartPlaces<V::Scalar>>,
    pub(crate) hits: Vec<Hit<V>>,
    pub(crate) objects: Vec<ObjectId>,
}

/// A part of a [`Track`], by its places in the lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartPlaces<S> {
    pub(crate) t: [S; 2],
    pub(crate) begin: Range<usize>,
    pub(crate) end: Range<usize>,
    pub(crate) objects: Range<usize>,
}

/// A part of a [`Track`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrackPart<'a, V: Vector> {
    /// `t` of its two ends; infinite where the ray has no end.
    pub t: [V::Scalar; 2],
    /// The hits at its beginning: one of each object that the ray enters or leaves there. None where the range begins within a part.
    pub begin: &'a [Hit<V>],
    /// The hits at its end, which are those at the beginning of the next part.
    pub end: &'a [Hit<V>],
    /// The objects that contain the part, in the order of insertion.
    pub objects: &'a [ObjectId],
}

impl<V: Vector> Track<V> {
    /// The parts, in the order along the ray. Each begins where the one before ends.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = TrackPart<'_, V>> {
        self.parts.iter().map(|part| TrackPart {
            t: part.t,
            begin: &self.hits[part.begin.clone()],
            end: &self.hits[part.end.clone()],
            objects: &self.objects[part.objects.clone()],
        })
    }
    /// The number of parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }
    /// Whether there is no part: for a range of no length, and a ray without direction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
