//! `ConvexShape`: any convex shape as plain numbers, for tests between two shapes.

use crate::math::vec3::Vec3;
use alloc::sync::Arc;
use smallvec::SmallVec;

/// A convex shape, in exact numbers. Shapes of the plane have z = 0.
#[derive(Clone, Debug)]
pub enum ConvexShape {
    /// A ball.
    Ball { center: Vec3<f64>, radius: f64 },
    /// All points within a radius of a segment.
    Capsule { ends: [Vec3<f64>; 2], radius: f64 },
    /// The convex hull of two balls around these ends.
    TaperedCapsule { ends: [Vec3<f64>; 2], radii: [f64; 2] },
    /// The points `p` with `|rows[i] . (p - center)| <= half[i]`. The rows are orthonormal, up to rounding.
    Box { center: Vec3<f64>, half: Vec3<f64>, rows: [Vec3<f64>; 3] },
    /// The box between two corners.
    Bounds { min: Vec3<f64>, max: Vec3<f64> },
    /// A segment, a triangle or a convex polygon, by its vertices in order.
    Polygon(SmallVec<[Vec3<f64>; 3]>),
    /// The convex hull of eight corners. Bit 0 of the number of a corner is 1 on the second side of the first pair of faces,
    /// bits 1 and 2 are those of the other pairs.
    Hexahedron([Vec3<f64>; 8]),
    /// The convex hull of points in space, in any order; some may be inside.
    Points(Arc<[Vec3<f64>]>),
    /// A half-space: `normal . (p - point) <= 0`.
    HalfSpace { point: Vec3<f64>, normal: Vec3<f64> },
    /// A plane: `normal . (p - point) = 0`.
    Plane { point: Vec3<f64>, normal: Vec3<f64> },
    /// A parallelogram: a corner, and the two edges from there.
    Quad { corner: Vec3<f64>, edges: [Vec3<f64>; 2] },
    /// A flat disk.
    Disk { center: Vec3<f64>, normal: Vec3<f64>, radius: f64 },
    /// The convex hull of two parallel disks around the ends of an axis: a cylinder, cone or frustum.
    Revolved { ends: [Vec3<f64>; 2], radii: [f64; 2] },
    /// The points `p` with `sum (rows[i] . (p - center) / radii[i])^2 <= 1`. The rows are orthonormal, up to rounding.
    Ellipsoid { center: Vec3<f64>, radii: Vec3<f64>, rows: [Vec3<f64>; 3] },
}

/// A shape that is convex.
pub trait ToConvex {
    /// The shape as plain numbers, exactly.
    fn convex_shape(&self) -> ConvexShape;
}

/// The unit vectors: the rows of an axis-aligned box.
pub(crate) const UNIT_ROWS: [Vec3<f64>; 3] =
    [Vec3 { x: 1.0, y: 0.0, z: 0.0 }, Vec3 { x: 0.0, y: 1.0, z: 0.0 }, Vec3 { x: 0.0, y: 0.0, z: 1.0 }];

/// The columns of the inverse of rows that are orthonormal up to rounding. A box is the set that its rows define as they are, so
/// its half axes are these columns times its half extents.
#[inline]
pub(crate) fn inverse_columns(rows: &[Vec3<f64>; 3]) -> [Vec3<f64>; 3] {
    if *rows == UNIT_ROWS {
        return UNIT_ROWS;
    }
    let [a, b, c] = *rows;
    let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
    let factor = 1.0 / a.plain_dot(cofactors[0]);
    [cofactors[0] * factor, cofactors[1] * factor, cofactors[2] * factor]
}

impl ConvexShape {
    /// The half axes of a box and the axes of an ellipsoid, over their half extents and radii; the unit vectors for other shapes.
    pub(crate) fn columns(&self) -> [Vec3<f64>; 3] {
        match self {
            Self::Box { rows, .. } | Self::Ellipsoid { rows, .. } => inverse_columns(rows),
            _ => UNIT_ROWS,
        }
    }

    /// A point of the shape.
    pub(crate) fn any_point(&self) -> Vec3<f64> {
        match self {
            Self::Ball { center, .. }
            | Self::Box { center, .. }
            | Self::Disk { center, .. }
            | Self::Ellipsoid { center, .. } => *center,
            Self::Capsule { ends, .. } | Self::TaperedCapsule { ends, .. } | Self::Revolved { ends, .. } => ends[0],
            Self::Quad { corner, .. } => *corner,
            Self::Bounds { min, .. } => *min,
            Self::Polygon(vertices) => vertices.first().copied().unwrap_or_default(),
            Self::Hexahedron(corners) => corners[0],
            Self::Points(points) => points.first().copied().unwrap_or_default(),
            Self::HalfSpace { point, .. } | Self::Plane { point, .. } => *point,
        }
    }

    /// Whether no exact test covers the shape, for it has curved faces that are not parts of spheres and cylinders around its edges, or
    /// unknown ones: overlaps with it are measured.
    pub(crate) fn is_measured(&self) -> bool {
        matches!(
            self,
            Self::TaperedCapsule { .. }
                | Self::Disk { .. }
                | Self::Revolved { .. }
                | Self::Ellipsoid { .. }
                | Self::Points(_)
        )
    }

    /// The same shape with each of its points, axes and lengths aside, at another place.
    pub(crate) fn moved(&self, to: &dyn Fn(Vec3<f64>) -> Vec3<f64>) -> Self {
        let mut moved = self.clone();
        let all = |points: &mut [Vec3<f64>]| points.iter_mut().for_each(|point| *point = to(*point));
        match &mut moved {
            Self::Ball { center: point, .. }
            | Self::Box { center: point, .. }
            | Self::Disk { center: point, .. }
            | Self::Ellipsoid { center: point, .. }
            | Self::Quad { corner: point, .. }
            | Self::HalfSpace { point, .. }
            | Self::Plane { point, .. } => *point = to(*point),
            Self::Capsule { ends, .. } | Self::TaperedCapsule { ends, .. } | Self::Revolved { ends, .. } => all(ends),
            Self::Bounds { min, max } => (*min, *max) = (to(*min), to(*max)),
            Self::Polygon(vertices) => all(vertices),
            Self::Hexahedron(corners) => all(corners),
            Self::Points(points) => *points = points.iter().map(|point| to(*point)).collect(),
        }
        moved
    }

    /// The greatest coordinate or length of the shape.
    pub(crate) fn largest(&self) -> f64 {
        let of = |points: &[Vec3<f64>]| points.iter().map(|point| point.max_abs_f64()).fold(0.0, f64::max);
        match self {
            Self::Ball { center, radius } | Self::Disk { center, radius, .. } => center.max_abs_f64().max(*radius),
            Self::Capsule { ends, radius } => of(ends).max(*radius),
            Self::Box { center, half, .. } => of(&[*center, *half]),
            Self::Quad { corner, edges: [e, f] } => {
                of(&[*corner, *corner + *e, *corner + *f, *corner + *e + *f, *e, *f])
            }
            Self::Bounds { min, max } => of(&[*min, *max]),
            Self::Polygon(vertices) => of(vertices),
            Self::Hexahedron(corners) => of(corners),
            Self::Points(points) => of(points),
            Self::HalfSpace { point, .. } | Self::Plane { point, .. } => point.max_abs_f64(),
            Self::TaperedCapsule { ends, radii } | Self::Revolved { ends, radii } => {
                of(ends).max(radii[0]).max(radii[1])
            }
            Self::Ellipsoid { center, radii, .. } => of(&[*center, *radii]),
        }
    }

    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.largest() < f64::INFINITY
    }
}
