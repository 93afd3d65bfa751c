//! The closest point of solids of revolution: cylinder, cone and frustum, the capsule and the tapered capsule.

use crate::closest_point::Feature;
use crate::distance::local_point::{LocalPoint, length};
use crate::distance::revolved_image::{on_capped_cone_image, on_capsule_image, on_tapered_capsule_image};
use crate::distance::segment::on_segment;
use crate::distance::sphere::x_axis;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::frustum::Frustum;
use crate::shapes::tapered_capsule::TaperedCapsule;

/// A point in the half-plane that an axis bounds and the point lies in.
///
/// # Accuracy
/// Radius and radial direction come from the moment of the point about the axis. It keeps its digits near the axis, where
/// the difference of the point and its foot on the axis would cancel.
struct AxisPoint<T> {
    local: LocalPoint<T>,
    /// Unit vector from `a` to `b`.
    along: Vec3<T>,
    /// Length of the axis.
    height_b: T,
    /// Distance from the axis, and height above `a`.
    rho: T,
    height: T,
    /// Unit vector from the axis to the point; for a point of the axis see [`Vec3::perpendicular`].
    radial: Vec3<T>,
}

impl<T: Arithmetic> AxisPoint<T> {
    /// `None` if `a` and `b` are equal.
    fn new<V: Vector>(point: Vec3<T>, a: V, b: V, radius: f64) -> Option<Self> {
        // The scale of the coordinates, from the longest extent of the solid.
        let extent = (b.widen::<f64>() - a.widen()).max_abs_f64().max(radius);
        let (a, b) = (a.widen::<T>(), b.widen::<T>());
        let local = LocalPoint::new(point, a, extent);
        let axis = local.between(a, b);
        // The direction of the axis with all its digits, of any length.
        let n = local.direction_between(a, b);
        if n.is_zero() {
            return None;
        }
        let n = n.normalize_exponent();
        let size = length(n);
        // The radial direction from the moment about the axis, which keeps its digits near the axis.
        let radial = n.cross(local.direction_from(a).normalize_exponent().cross(n)).unit();
        Some(Self {
            along: n.map(|c| c / size),
            height_b: axis.dot(n) / size,
            rho: length(local.o.cross(n)) / size,
            height: local.o.dot(n) / size,
            radial: radial.unwrap_or_else(|| n.perpendicular(V::DIM)),
            local,
        })
    }

    /// The projection at a radius and a height.
    fn at(&self, (rho, height): (T, T), distance: T, feature: Feature) -> Projection<T> {
        self.local.projection(self.radial * rho + self.along * height, distance, feature)
    }
}

/// Projection on a cylinder, cone or frustum with these radii at `a` and `b`.
///
/// # Method
/// The half-plane through the axis and the point cuts the surface in three segments: the side and both caps. The nearest of
/// their nearest points is the answer, at equal distance the first in this order.
///
/// # Source
/// Barbier, Galin, *Fast Distance Computation Between a Point and Cylinders, Cones, Line-Swept Spheres and Cone-Spheres*,
/// Journal of Graphics Tools 9(2), 2004, reduce the problem to this half-plane, too.
///
/// # Accuracy
/// Few roundings of the largest coordinate or radius: `closest_point.rs`.
///
/// # Edges
/// From the axis the closest point of the side is in the direction of the coordinate axis most nearly perpendicular.
fn on_capped_cone<V: Vector, T: Arithmetic>(point: Vec3<T>, [a, b]: [V; 2], radii: [V::Scalar; 2]) -> Projection<T> {
    // A solid without height is a point.
    let [radius_a, radius_b] = radii.map(Real::to_f64);
    let Some(axis) = AxisPoint::new(point, a, b, radius_a.max(radius_b)) else {
        let local = LocalPoint::new(point, a.widen(), 0.0);
        return local.projection_beside(-local.o, Feature::SIDE);
    };
    // The half-plane of the axis and the point: heights and radii are its coordinates.
    let (r, zero) = ([radius_a, radius_b].map(|r| axis.local.length(T::from_f64(r))), T::ZERO);
    let at = |rho: T, height: T| Vec3::new(rho, height, zero);
    let (foot, rim_a, rim_b) = (at(axis.rho, axis.height), at(r[0], zero), at(r[1], axis.height_b));
    let rim = |end: usize| if radii[end] == V::Scalar::ZERO { Feature::Vertex(0) } else { Feature::RIMS[end] };
    // The outline of the solid there: the side, and both caps.
    let segments = [
        (rim_a, rim_b, [rim(0), Feature::SIDE, rim(1)]),
        (at(zero, zero), rim_a, [Feature::ENDS[0], Feature::ENDS[0], rim(0)]),
        (at(zero, axis.height_b), rim_b, [Feature::ENDS[1], Feature::ENDS[1], rim(1)]),
    ];
    // The nearest of the nearest points of the three segments, with the feature at that place.
    let mut best: Option<(T, Vec3<T>, Feature)> = None;
    for (from, to, [first, within, last]) in segments {
        let found = on_segment(from - foot, to - foot, to - from);
        let distance_sq = found.offset.length_sq();
        if best.is_none_or(|(least, ..)| distance_sq.lt(least)) {
            let feature = if found.t.equals(zero) {
                first
            } else if found.t.equals(T::ONE) {
                last
            } else {
                within
            };
            best = Some((distance_sq, found.offset, feature));
        }
    }
    // Back to space, in the direction of the point.
    let (distance_sq, offset, feature) = best.unwrap_or((zero, foot, Feature::SIDE));
    let rho = (axis.rho + offset.x).max(zero);
    axis.at((rho, axis.height + offset.y), distance_sq.sqrt(), feature)
}

macro_rules! project_on_capped_cone {
    ($shape:ident, |$s:ident| ($ends:expr, $radii:expr)) => {
        impl<V: Vector3> Project for $shape<V> {
            fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
                let $s = self;
                on_capped_cone::<V, T>(point, $ends, $radii)
            }
            fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
                let $s = self;
                on_capped_cone_image::<V, T>(point, ($ends, $radii), map)
            }
        }
    };
}

project_on_capped_cone!(Cylinder, |s| ([s.a(), s.b()], [s.radius(); 2]));

project_on_capped_cone!(Cone, |s| ([s.base(), s.apex()], [s.radius(), V::Scalar::ZERO]));

project_on_capped_cone!(Frustum, |s| ([s.a(), s.b()], [s.radius_a(), s.radius_b()]));

/// Projection on a ball. From its centre the closest point is in the direction of +x.
fn on_ball<V: Vector, T: Arithmetic>(point: Vec3<T>, (center, radius): (V, f64), feature: Feature) -> Projection<T> {
    let local = LocalPoint::new(point, center.widen(), radius);
    let (r, direction) = (local.length(T::from_f64(radius)), local.direction_from(center.widen()).unit());
    local.projection(direction.unwrap_or_else(x_axis) * r, (length(local.o) - r).abs(), feature)
}

impl<V: Vector> Project for Capsule<V> {
    /// # Method
    /// The nearest point of the core, and from there the radius in the direction of the query point.
    ///
    /// # Source
    /// Ericson, *Real-Time Collision Detection*, 2005, section 4.5.1.
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate or the radius: `closest_point.rs`.
    ///
    /// # Edges
    /// From the core the closest point is in the direction of the coordinate axis most nearly perpendicular to it; for a
    /// core of one point that of +x.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        // A core of one point is a ball.
        let (a, b, radius) = (self.a(), self.b(), self.radius().to_f64());
        let Some(axis) = AxisPoint::new(point, a, b, radius) else {
            return on_ball(point, (a, radius), Feature::ENDS[0]);
        };
        let (local, zero) = (&axis.local, T::ZERO);
        let r = local.length(T::from_f64(radius));
        // Beyond an end of the core, a half ball; between the ends, the side.
        let end = |end: V, height: T, feature: Feature| {
            let direction = local.direction_from(end.widen()).unit().unwrap_or(axis.radial);
            let distance = length(local.offset(end.widen()) - local.o);
            let offset = axis.along * height + direction * r;
            local.projection(offset, (distance - r).abs(), feature)
        };
        if axis.height.le(zero) {
            return end(a, zero, Feature::ENDS[0]);
        }
        if axis.height.ge(axis.height_b) {
            return end(b, axis.height_b, Feature::ENDS[1]);
        }
        axis.at((r, axis.height), (axis.rho - r).abs(), Feature::SIDE)
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        on_capsule_image(point, ([self.a(), self.b()], self.radius()), map)
    }
}

impl<V: Vector> Project for TaperedCapsule<V> {
    /// # Method
    /// In the half-plane through the axis and the point the side is a segment that touches both circles. Its direction divides the
    /// half-plane: the point is nearest to the side, or to the circle at an end.
    ///
    /// # Source
    /// Barbier, Galin: see [`on_capped_cone`].
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate or radius: `closest_point.rs`. An error of the direction of the side turns it about
    /// a circle, so the distance has that error times the length of the side, which vanishes where the direction has few digits.
    ///
    /// # Edges
    /// From the axis the closest point is in the direction of the coordinate axis most nearly perpendicular to it. If one ball
    /// contains the other, the shape is that ball; from its centre the closest point is then in the direction of +x.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        let (ends, zero) = ([self.a(), self.b()], T::ZERO);
        let radii = [self.radius_a(), self.radius_b()].map(Real::to_f64);
        let larger = usize::from(radii[1] > radii[0]);
        let feature = |end: usize| if radii[end] == 0.0 { Feature::Vertex(0) } else { Feature::ENDS[end] };
        let ball = || on_ball(point, (ends[larger], radii[larger]), feature(larger));
        let Some(axis) = AxisPoint::new(point, ends[0], ends[1], radii[larger]) else { return ball() };
        // The length of the side in the half-plane; none if one ball contains the other.
        let (local, size) = (&axis.local, axis.height_b);
        let r = radii.map(|r| local.length(T::from_f64(r)));
        let growth = r[1] - r[0];
        let side_sq = (size - growth) * (size + growth);
        if !side_sq.gt(zero) {
            return ball();
        }
        // The point along and across the side, from the centre `a`.
        let side = side_sq.sqrt();
        let along = (axis.rho * growth + axis.height * side) / size;
        let across = (axis.rho * side - axis.height * growth) / size;
        // Beyond an end of the side, the ball there.
        let end = |end: usize, height: T| {
            let center = ends[end].widen();
            let outward = || (axis.radial * side - axis.along * growth).map(|c| c / size);
            let direction = local.direction_from(center).unit().unwrap_or_else(outward);
            let distance = length(local.offset(center) - local.o);
            local.projection(axis.along * height + direction * r[end], (distance - r[end]).abs(), feature(end))
        };
        if along.le(zero) {
            return end(0, zero);
        }
        if along.ge(side) {
            return end(1, size);
        }
        let (rho, height) = ((r[0] * side + along * growth) / size, (along * side - r[0] * growth) / size);
        axis.at((rho, height), (across - r[0]).abs(), Feature::SIDE)
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        on_tapered_capsule_image(point, ([self.a(), self.b()], [self.radius_a(), self.radius_b()]), map)
    }
}
