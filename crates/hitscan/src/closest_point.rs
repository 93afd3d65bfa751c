//! The result of a point query: the closest point of a surface.

use crate::hit::ObjectId;
use crate::math::real::Real;
use crate::math::vector::Vector;
use core::fmt;

/// The part of a surface on which a point lies. In the plane, the sides of a shape are its faces, and it has no edges.
///
/// | shape | faces | edges | vertices |
/// |---|---|---|---|
/// | sphere, ellipsoid, plane, half-space | 0 | | |
/// | disk | 0 | 0: the rim | |
/// | box | -x +x -y +y -z +z | 4 `axis` + `signs` | `signs` |
/// | capsule | 0: the side; 1, 2: the balls at `a` and `b` | | |
/// | cylinder, cone, frustum | 0: the side; 1, 2: the caps at `a` and `b` | 0, 1: the rims of these caps | 0: the apex |
/// | triangle, a triangle of a mesh | 0 | i: from vertex i to i + 1 | i |
/// | polygon, triangle of the plane | i: from vertex i to i + 1 | | i |
/// | segment | 0 | | 0: `a`; 1: `b` |
/// | [`UserShape`](crate::UserShape) | 0 | | |
///
/// The `axis` of a box edge is the one that it runs along. `signs` has one bit for each of the other axes, of a vertex for
/// each axis, in the order x, y, z, the lowest bit first: 1 on the positive side. The base of a cone counts as `a`. The axes
/// of an oriented box are those of its basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// A smooth part of the surface.
    Face(u32),
    /// A curve between two faces, or the border of a surface.
    Edge(u32),
    /// A corner.
    Vertex(u32),
}

impl Feature {
    /// The side of a solid of revolution.
    pub(crate) const SIDE: Self = Self::Face(0);
    /// Its ends at `a` and `b`: caps, or the balls of a capsule.
    pub(crate) const ENDS: [Self; 2] = [Self::Face(1), Self::Face(2)];
    /// The rims of its caps.
    pub(crate) const RIMS: [Self; 2] = [Self::Edge(0), Self::Edge(1)];
}

/// The closest point of a surface: see [`PointQuery::closest_point`](crate::PointQuery::closest_point).
///
/// A distance or coordinate beyond the largest number of the precision is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "V: serde::Serialize, V::Scalar: serde::Serialize")))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))
)]
#[non_exhaustive]
pub struct ClosestPoint<V: Vector> {
    /// The point of the surface, in the coordinates of the query.
    pub point: V,
    /// The distance from the query point: a length, at least 0.
    pub distance: V::Scalar,
    /// The part of the surface on which the point lies.
    pub feature: Feature,
    /// The barycentric weights of the second and third vertex of a triangle; of a [`SegmentShape`](crate::SegmentShape), the
    /// parameter along it in `u`.
    #[doc(alias = "barycentric")]
    pub uv: Option<[V::Scalar; 2]>,
    /// The number of the triangle, for a mesh.
    pub primitive: Option<u32>,
    /// The object, for a scene.
    pub object: Option<ObjectId>,
    /// The number of the shape within the object, if that is a [`Group`](crate::Group).
    pub member: Option<u32>,
}

/// The goal of a point query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointGoal {
    /// The closest point up to this distance.
    Within(f64),
    /// The closest point of a solid that contains the query point; of several solids, that of the greatest distance.
    Depth,
}

/// The error of a point query that has no result: the closest shape may be one that cannot be measured. See
/// [`PointQuery`](crate::PointQuery#results-that-are-missing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotMeasured;

impl fmt::Display for NotMeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the closest shape may be one that cannot be measured (a user geometry without `closest_point`, or under a \
             transform that shears or scales unevenly, or numbers too near the end of their range)",
        )
    }
}

impl core::error::Error for NotMeasured {}

/// The result of a point query: no point if there is none within the distance.
pub(crate) type ClosestResult<V> = Result<Option<ClosestPoint<V>>, NotMeasured>;

/// The receiver of the closest points of primitives: of each its point, or a lower bound of the distance of a shape that cannot
/// be measured. It returns the distance up to which more of them count.
pub(crate) type OnPrimitive<'a, V> = dyn FnMut(Result<ClosestPoint<V>, f64>) -> f64 + 'a;

impl PointGoal {
    /// The greatest distance.
    #[inline(always)]
    pub(crate) fn limit(self) -> f64 {
        match self {
            Self::Within(limit) => limit,
            Self::Depth => f64::INFINITY,
        }
    }

    /// The result for the closest point of all. None of its numbers is a negative zero.
    #[inline(always)]
    pub(crate) fn result<V: Vector>(self, found: ClosestPoint<V>) -> ClosestResult<V> {
        let is_number = found.point.to_xyz().iter().all(|x| !x.to_f64().is_nan());
        if !is_number || found.distance.to_f64().is_nan() {
            return Err(NotMeasured);
        }
        let (point, distance) = (found.point.of_result(), found.distance.of_result());
        let uv = found.uv.map(|uv| uv.map(Real::of_result));
        Ok((distance.to_f64() <= self.limit()).then_some(ClosestPoint { point, distance, uv, ..found }))
    }
}
