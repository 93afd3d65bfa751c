//! A sphere moves towards a shape by measured distances: where the inflated shape has no closed form.

use crate::aabb::Aabb;
use crate::closest_point::NotMeasured;
use crate::kernel::projection::Projection;
use crate::kernel::range_rules::TRange;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::sweep::contact::{SurfaceNormal, sweep_candidate};
use crate::sweep_hit::SweepResult;

/// How far a sphere may move without touching the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// To the plane through the closest point: the shape is convex.
    ToPlane,
    /// By the distance.
    ByDistance,
}

/// A shape whose distances are measured.
pub(crate) struct MeasuredShape<'a, T> {
    pub(crate) project: &'a dyn Fn(Vec3<T>) -> Result<Projection<T>, NotMeasured>,
    /// Whether the solid contains the center where the range begins.
    pub(crate) contains: &'a dyn Fn(Vec3<T>) -> bool,
    pub(crate) normal: SurfaceNormal<'a, T>,
    pub(crate) advance: Advance,
    /// A sphere touches the shape within this share of the largest coordinate.
    pub(crate) tolerance: f64,
}

/// Tolerance of the kernels: see [`MeasuredShape`].
pub(crate) fn tolerance<S: Real>() -> f64 {
    match S::PRECISION {
        Precision::Single => power(-48),
        Precision::Double => power(-70),
    }
}

/// Tolerance of shapes that measure in the precision of the scene: see [`MeasuredShape`].
pub(crate) fn tolerance_of_points<S: Real>() -> f64 {
    match S::PRECISION {
        Precision::Single => power(-21),
        Precision::Double => power(-50),
    }
}

/// Most steps. Newton's method takes fewer than ten, and about one for each digit where the sphere only grazes the shape.
const MAX_ADVANCES: usize = 2000;

/// The first contact of a sphere with a shape in a box.
///
/// # Method
/// The distance of the center from a convex shape is a convex function of `t`. Newton's method from the left goes to the plane
/// through the closest point, perpendicular to the shortest way: the shape is behind that plane, so no step passes the first
/// contact. If the distance grows, there is none. A shape that may not be convex is approached by the distance itself.
///
/// # Source
/// Conservative advancement: Mirtich, *Timewarp Rigid Body Simulation*, SIGGRAPH 2000; the planes are those of van den Bergen,
/// *Ray Casting against General Convex Objects*, 2004.
///
/// # Accuracy
/// A sphere whose distance is at most the tolerance touches. A grazing sphere that misses by less may be a hit. See
/// docs/proofs.md, Lemma 36.
///
/// # Edges
/// [`NotMeasured`] if the shape has no distance, the direction overflows, or the steps do not suffice.
pub(crate) fn advance<V: Vector>(
    shape: &MeasuredShape<'_, Working<V>>,
    line: &WorkingRay<Working<V>>,
    radius: f64,
    (query, limit): (&Query<V::Scalar>, f64),
    bounds: [[f64; 3]; 2],
) -> SweepResult<V> {
    // The part of the range in which the sphere is near the box of the shape.
    let range = TRange::new(line, query);
    let [near, far] = interval_of::<V>(bounds, line, radius);
    // Beyond the box there is nothing to touch.
    let (start, end) = (range.min.to_f64(), range.max.to_f64().min(limit).min(far));
    if !(start <= end && near <= end) {
        return Ok(None);
    }
    let number = Working::<V>::from_f64;
    // A sphere that starts before the box begins at it, and cannot touch at the start.
    let is_outside = start < near;
    let mut t = if is_outside { number(near) } else { range.min };
    if !(t.to_f64().is_finite() && line.has_direction()) {
        return Err(NotMeasured);
    }
    let (r, speed) = (number(radius), line.direction.length_sq().sqrt());
    // Each step measures the distance from the shape at the centre.
    for step in 0..MAX_ADVANCES {
        let (center, _) = line.at(t);
        let found = (shape.project)(center)?;
        let (gap, offset) = (found.distance - r, center - found.point);
        // A touch: at the start by being inside, else within the tolerance.
        let at_start = step == 0 && !is_outside;
        let is_inside = at_start && (shape.contains)(center);
        let largest = center.max_abs_f64().max(found.point.max_abs_f64()).max(radius);
        let is_touching = is_inside || gap.to_f64() <= largest * shape.tolerance;
        if is_touching {
            return Ok(Some(sweep_candidate(line, radius, (t, at_start), &found, (is_inside, shape.normal))));
        }
        // How fast the distance decreases at most. A convex shape lies behind the plane of the closest point; another
        // one may be anywhere at that distance.
        let approach = match shape.advance {
            Advance::ToPlane => -(offset.plain_dot(line.direction) / found.distance),
            Advance::ByDistance => speed,
        };
        if !approach.gt(Working::<V>::ZERO) {
            return Ok(None);
        }
        // The step cannot pass the first contact. If `t` has no digits left for it, the sphere touches.
        let next = t + gap / approach;
        if !next.gt(t) {
            return Ok(Some(sweep_candidate(line, radius, (t, false), &found, (false, shape.normal))));
        }
        if next.to_f64() > end {
            return Ok(None);
        }
        t = next;
    }
    Err(NotMeasured)
}

/// Bounds of the image of a box: lowest and highest coordinates.
pub(crate) fn image_of_bounds<V: Vector>(bounds: &Aabb<V>, map: Option<&AffineMap<Working<V>>>) -> [[f64; 3]; 2] {
    let (min, max) = (bounds.min.to_f64(), bounds.max.to_f64());
    let Some(map) = map else { return [min, max] };
    let largest = min.iter().chain(&max).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    // Far more than the roundings below.
    let slack = map.largest_image(largest, V::DIM) * power(-40);
    let image = |axis: usize| {
        let (mut low, mut high) =
            (map.translation.get(axis).to_f64() - slack, map.translation.get(axis).to_f64() + slack);
        for (column, (min, max)) in map.columns.iter().zip(min.into_iter().zip(max)) {
            let factor = column.get(axis).to_f64();
            low += (factor * min).min(factor * max);
            high += (factor * min).max(factor * max);
        }
        [low, high]
    };
    let [[a, d], [b, e], [c, f]] = [image(0), image(1), image(2)];
    [[a, b, c], [d, e, f]]
}

/// The interval of `t` in which the line is in the box, inflated by the radius, and a little more.
pub(crate) fn interval_of<V: Vector>(
    [min, max]: [[f64; 3]; 2],
    line: &WorkingRay<Working<V>>,
    radius: f64,
) -> [f64; 2] {
    let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..V::DIM {
        let (o, d) = (line.origin.get(axis).to_f64(), line.direction.get(axis).to_f64());
        let slack = (o.abs() + min[axis].abs().max(max[axis].abs()) + radius) * power(-40);
        let margin = radius + slack;
        let (low, high) = (min[axis] - margin - o, max[axis] + margin - o);
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return [f64::INFINITY, f64::NEG_INFINITY];
            }
            continue;
        }
        let (a, b) = if d > 0.0 { (low / d, high / d) } else { (high / d, low / d) };
        // An infinite bound is no bound, and neither is a NaN.
        if a > near {
            near = a;
        }
        if b < far {
            far = b;
        }
    }
    [near, far]
}
