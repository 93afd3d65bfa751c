//! `PairFilter`: whether two convex shapes overlap, in plain `f64` where that is certain.

use crate::convex::convex_shape::ConvexShape;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::overlap::axis_filter::{box_and_box, box_and_triangle, triangle_and_triangle};
use crate::overlap::certainty::is_certainly_positive;
use crate::overlap::filter_core::{FilterCore, SegmentCore, ShapeCore, TriangleCore};
use crate::target::COMPACT;

/// A volume prepared for tests with many shapes. What the tests leave open goes to the exact ones.
pub(crate) struct PairFilter {
    core: ShapeCore,
    reference: Vec3<f64>,
    /// The largest absolute coordinate of the volume.
    largest: f64,
    dimension: usize,
}

impl PairFilter {
    /// `None` for a volume that the tests do not cover. [`COMPACT`] builds do without them: they save time only.
    #[inline(always)]
    pub(crate) fn new(volume: &ConvexShape, dimension: usize) -> Option<Self> {
        if COMPACT {
            return None;
        }
        let reference = volume.any_point();
        let core = ShapeCore::new(volume, reference)?;
        Some(Self { core, reference, largest: volume.largest(), dimension })
    }

    /// Whether the volume and a shape overlap, if `f64` is certain.
    #[inline(always)]
    pub(crate) fn answer(&self, shape: &ConvexShape) -> Option<bool> {
        use ShapeCore::{Box, Revolved, Round, Triangle};
        let shape_core = ShapeCore::new(shape, self.reference)?;
        match (&self.core, &shape_core) {
            (Round { core: a, radius: p }, Round { core: b, radius: q }) => are_near(a, b, p + q),
            (Round { core, radius }, Triangle(other)) | (Triangle(other), Round { core, radius }) => {
                are_near(core, other, *radius)
            }
            (Round { core, radius }, Box(other)) | (Box(other), Round { core, radius }) => {
                are_near(core, other, *radius)
            }
            (Triangle(a), Triangle(b)) => triangle_and_triangle(a, b),
            (Triangle(a), Box(b)) | (Box(b), Triangle(a)) => box_and_triangle(b, a, self.dimension),
            (Box(a), Box(b)) => box_and_box(a, b, self.dimension),
            (volume, Revolved { axis, radii }) => {
                // The distance is measured: it counts as zero up to a share of the largest coordinate.
                let least = power(-40) * self.largest.max(shape.largest());
                match volume {
                    Round { core, radius } => reaches_revolved((axis, *radii), core, *radius, least),
                    Triangle(core) => reaches_revolved((axis, *radii), core, 0.0, least),
                    Box(core) => reaches_revolved((axis, *radii), core, 0.0, least),
                    Revolved { .. } => None,
                }
            }
            (Revolved { .. }, _) => None,
        }
    }

    /// Whether the volume and a triangle overlap, if `f64` is certain.
    #[inline(always)]
    pub(crate) fn of_triangle(&self, corners: [Vec3<f64>; 3]) -> Option<bool> {
        let triangle = TriangleCore::new(corners, self.reference);
        match &self.core {
            ShapeCore::Round { core, radius } => are_near(core, &triangle, *radius),
            ShapeCore::Triangle(own) => triangle_and_triangle(own, &triangle),
            ShapeCore::Box(own) => box_and_triangle(own, &triangle, self.dimension),
            ShapeCore::Revolved { .. } => None,
        }
    }
}

/// Whether a number of this magnitude is certainly greater than the root of a square.
#[inline(always)]
fn certainly_exceeds_root(value: f64, magnitude: f64, square: f64) -> bool {
    is_certainly_positive(value, magnitude)
        && is_certainly_positive(value * value - square, magnitude * magnitude + square)
}

/// Whether a direction certainly separates two cores by more than a radius.
#[inline(always)]
fn separates(direction: Vec3<f64>, a: &impl FilterCore, b: &impl FilterCore, radius: f64) -> bool {
    let ([least, most], [from, to]) = (a.interval(direction), b.interval(direction));
    let (gap, magnitude) = ((from - most).max(least - to), direction.l1_norm() * (a.size() + b.size()));
    certainly_exceeds_root(gap, magnitude, radius * radius * direction.length_sq())
}

/// Whether two cores are at most as far apart as the radius, if `f64` is certain.
///
/// # Method
/// Two points of the cores are a proof if they are nearer. The direction between them is an axis: if it separates the cores by
/// more than the radius, they are farther apart. So nothing depends on how near to the nearest points these two are.
///
/// # Source
/// Ours; the bounds are those of [`certified_answer`](crate::overlap::certified::certified_answer).
///
/// # Accuracy
/// Points have errors of less than 2^-48 of the size of both cores, a squared distance less than 2^-45 of the size squared; certainty
/// takes 2^-42.
///
/// # Edges
/// A segment without length is a point. Cores that cross have a distance of about zero, which is nearer than any radius that is
/// not as small as the errors.
#[inline(always)]
fn are_near(a: &SegmentCore, b: &impl FilterCore, radius: f64) -> Option<bool> {
    let size = a.size() + b.size();
    let [p, q] = b.nearest_to(a);
    let (direction, radius_sq) = (q - p, radius * radius);
    if is_certainly_positive(radius_sq - direction.length_sq(), size * size + radius_sq) {
        return Some(true);
    }
    separates(direction, a, b, radius).then_some(false)
}

/// Whether a cylinder, cone or frustum comes as near to a core as a radius, if `f64` is certain; not if the distance is about as
/// small as `least`.
///
/// # Method
/// As [`are_near`] for the axis and the greater radius, and besides: the direction of the axis separates what is beyond an end. A
/// point of the axis in the core with its radius, or a point of the core in the hull of the disks, proves an overlap.
///
/// # Source
/// Ours.
///
/// # Accuracy
/// As [`are_near`]. With the vector v from the first end to the point and the axis e, the square of the distance from the axis times
/// `|e|^4` is that of `|v x e| |e|`, and the radius times `|e|^2` is `r0 (|e|^2 - v . e) + r1 v . e`: all terms have at most six
/// factors up to the size.
///
/// # Edges
/// A point of an end or of the side is not certain.
#[inline(always)]
fn reaches_revolved(
    (axis, radii): (&SegmentCore, [f64; 2]),
    core: &impl FilterCore,
    radius: f64,
    least: f64,
) -> Option<bool> {
    let size = axis.size() + core.size();
    let [p, q] = core.nearest_to(axis);
    let (direction, radius_sq) = (q - p, radius * radius);
    let is_axis_near = is_certainly_positive(radius_sq - direction.length_sq(), size * size + radius_sq);
    if is_axis_near || core.certainly_contains(p, size) {
        return Some(true);
    }
    let (v, e) = (q - axis.start, axis.edge);
    let (length_sq, along) = (e.length_sq(), v.plain_dot(e));
    let (rest, terms) = (length_sq - along, e.l1_norm() * size);
    let is_between = is_certainly_positive(along, terms) && is_certainly_positive(rest, terms);
    let limit_terms = (radii[0] + radii[1]) * terms;
    let moment_sq = v.cross(e).length_sq() * length_sq;
    // The moment has errors of its own: a share of the square of its terms.
    let moment_terms = terms * terms * length_sq;
    let limit = radii[0] * rest + radii[1] * along;
    if is_between
        && is_certainly_positive(limit, limit_terms)
        && is_certainly_positive(limit * limit - moment_sq, limit_terms * limit_terms + moment_terms)
    {
        return Some(true);
    }
    let margin = radius + least;
    let is_beyond =
        separates(direction, axis, core, radii[0].max(radii[1]) + margin) || separates(e, axis, core, margin);
    is_beyond.then_some(false)
}
