//! The result of a sweep: the first contact of a moving volume.

use crate::closest_point::{Feature, NotMeasured};
use crate::hit::ObjectId;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vector::{Vector, Working};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The first contact of a moving sphere or volume with a shape: see [`SweepQuery`](crate::SweepQuery).
///
/// A number beyond the largest one of the precision is infinite.
#[doc(alias("ShapeCastHit", "SphereCastHit", "sweep hit"))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "V: serde::Serialize, V::Scalar: serde::Serialize")))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))
)]
#[non_exhaustive]
pub struct SweepHit<V: Vector> {
    /// The parameter of the ray at the contact: `center = origin + t * direction`.
    #[doc(alias("toi", "time_of_impact"))]
    pub t: V::Scalar,
    /// The distance that the center has moved from the origin of the ray: a length, negative behind the origin.
    pub distance: V::Scalar,
    /// The center of the sphere at the contact; for another volume, that of its bounding box, or of the
    /// part that touches.
    pub center: V,
    /// The contact point on the surface: for a sphere, the one that is closest to the center.
    pub point: V,
    /// The unit vector in which the sphere leaves the shape: from the contact point to the center, or, if the center is inside
    /// the solid, from the center to the contact point. If both points are equal, or nearly, it is the normal of the surface; of a
    /// surface without an inside, that against the ray. A shape of the user does not tell its normals: then it points against the
    /// ray.
    pub normal: V,
    /// The unit normal of the flat face that is touched, on the side that the volume comes from: of a triangle, a triangle of a mesh, a
    /// plane, a half-space or a disk, in the plane of a segment or a line. So the slope of a floor is known where the volume touches
    /// an edge of it, and where a box stands on the corner of a floor. `None` for other shapes, and for a triangle without an area.
    ///
    /// The volume comes from the side against which it moves; where the range begins, from that to which [`normal`](Self::normal)
    /// points. If it moves along the face, the other rule decides, and then it is the front.
    #[doc(alias("ImpactNormal", "geometric normal"))]
    pub face_normal: Option<V>,
    /// How far the sphere reaches into the shape, if it touches it where the range begins: to move it by this along the normal
    /// ends the overlap with this shape. `None` if the sphere comes into contact later.
    #[doc(alias("penetration"))]
    pub depth: Option<V::Scalar>,
    /// The part of the surface on which the contact point lies.
    pub feature: Feature,
    /// The barycentric weights of the second and third vertex of a triangle; of a [`SegmentShape`](crate::SegmentShape), the
    /// parameter along it in `u`.
    #[doc(alias = "barycentric")]
    pub uv: Option<[V::Scalar; 2]>,
    /// The number of the triangle, for a mesh.
    pub primitive: Option<u32>,
    /// The object that was hit, for a scene.
    pub object: Option<ObjectId>,
    /// The number of the shape within the object, if that is a [`Group`](crate::Group).
    pub member: Option<u32>,
    /// The number of the part that touches, if several volumes move together: see [`IntoVolumes`](crate::IntoVolumes).
    pub part: Option<u32>,
    /// Whether the object is a trigger: see [`Object::as_trigger`](crate::Object::as_trigger).
    pub is_trigger: bool,
}

impl<V: Vector> SweepHit<V> {
    /// The contact as the result of a query: none of its numbers is a negative zero.
    pub(crate) fn of_result(self) -> Self {
        Self {
            t: self.t.of_result(),
            distance: self.distance.of_result(),
            center: self.center.of_result(),
            point: self.point.of_result(),
            normal: self.normal.of_result(),
            face_normal: self.face_normal.map(V::of_result),
            depth: self.depth.map(Real::of_result),
            uv: self.uv.map(|uv| uv.map(Real::of_result)),
            ..self
        }
    }
}

/// A contact with its unrounded `t`.
#[derive(Clone, Copy, Debug)]
pub struct SweepCandidate<V: Vector> {
    pub(crate) t: Working<V>,
    /// How many planes of faces meet at the contact: see [`PolytopeContact`](crate::overlap::polytope_sweep::PolytopeContact).
    pub(crate) planes: u8,
    pub(crate) hit: SweepHit<V>,
}

/// The result of a sweep: no contact if there is none within the range.
pub(crate) type SweepResult<V> = Result<Option<SweepCandidate<V>>, NotMeasured>;

/// The contacts of a sweep with several shapes.
pub(crate) type SweepResults<V> = Result<Vec<SweepCandidate<V>>, NotMeasured>;

impl<V: Vector> SweepCandidate<V> {
    /// The order of two contacts: by `t`, of contacts at the start the deeper one first, then a face before an edge, and that before
    /// a corner.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let depth = |candidate: &Self| candidate.hit.depth.map_or(0.0, V::Scalar::to_f64);
        let t = self.t.compare(other.t).unwrap_or(Ordering::Equal);
        t.then_with(|| depth(other).partial_cmp(&depth(self)).unwrap_or(Ordering::Equal))
            .then(self.planes.cmp(&other.planes))
    }
}
