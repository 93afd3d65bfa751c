//! A sphere moves towards a shape by measured distances: where the inflated shape has no closed form.

use crate::aabb::Aabb;
use crate::closest_point::NotMeasured;
use crate::kernel::projection::Projection;
use crate::kernel::range_rules::TRange;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::sweep::contact::{SurfaceNormal, sweep_candidate};
use crate::sweep_hit::SweepResult;

/// How far a sphere may move without touching the shape.
#[derive(Clone, Copy)]
pub(crate) enum Advance<'a, T> {
    /// To the plane through the closest point: the shape is convex. The function tells at which `t` the ray of the centre meets the
    /// shape, decided as for rays, within the range of the query: a sphere touches then at the latest.
    ToPlane { pierced: &'a dyn Fn() -> Option<T> },
    /// By the distance.
    ByDistance,
}

/// A shape whose distances are measured.
pub(crate) struct MeasuredShape<'a, T> {
    pub(crate) project: &'a dyn Fn(Vec3<T>) -> Result<Projection<T>, NotMeasured>,
    /// Whether the solid contains the center where the range begins.
    pub(crate) contains: &'a dyn Fn(Vec3<T>) -> bool,
    pub(crate) normal: SurfaceNormal<'a, T>,
    pub(crate) advance: Advance<'a, T>,
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

/// Error of the speed at which a sphere approaches a plane through the closest point, over the largest coordinate, where the
/// distance of that point is 1: that of the direction between two points that are near each other. A few roundings.
fn noise<S: Real>() -> f64 {
    match S::PRECISION {
        Precision::Single => power(-50),
        Precision::Double => power(-100),
    }
}

/// 2^7: a speed of approach that is this many times its error is good for a step.
const CLEAR: f64 = power(7);

/// Most steps. Newton's method takes fewer than ten, and about one for each digit where the sphere only grazes the shape.
const MAX_ADVANCES: usize = 2000;

/// Most steps of a bisection or a search for the least distance: the digits of `t`, and those of its exponent.
const MAX_BISECTIONS: usize = 400;

/// A measurement at `t`.
struct Measured<T> {
    t: T,
    found: Projection<T>,
    /// Distance between sphere and shape.
    gap: T,
    /// From the closest point to the centre.
    offset: Vec3<T>,
    /// The largest number that took part.
    largest: f64,
}

/// A sphere on its way to a shape.
struct SphereAdvance<'a, T> {
    shape: &'a MeasuredShape<'a, T>,
    line: &'a WorkingRay<T>,
    radius: f64,
    /// The end of the range.
    end: f64,
    noise: f64,
    /// Where the ray of the centre meets a shape beside which the sphere is thin: it touches before.
    pierced: Option<T>,
    /// The direction with its largest component in 1..2, and the power of two that brought it there.
    direction: Vec3<T>,
    pace: f64,
}

/// What happens at a place.
enum SafeStep<T> {
    /// The sphere does not touch before this `t`.
    To(T),
    /// It moves away from the shape.
    Away,
    /// Roundings hide the speed of the approach.
    Unclear,
}

impl<T: Arithmetic> SphereAdvance<'_, T> {
    fn measure(&self, t: T) -> Result<Measured<T>, NotMeasured> {
        let (center, _) = self.line.at(t);
        let found = (self.shape.project)(center)?;
        let (gap, offset) = (found.distance - T::from_f64(self.radius), center - found.point);
        let largest = center.max_abs_f64().max(found.point.max_abs_f64()).max(self.radius);
        Ok(Measured { t, found, gap, offset, largest })
    }

    /// The length of the way from `t` to the end of the range.
    fn way(&self, t: T) -> f64 {
        (self.end - t.to_f64()) * (1.0 / self.pace) * self.direction.length()
    }

    fn is_touching(&self, at: &Measured<T>) -> bool {
        at.gap.to_f64() <= at.largest * self.shape.tolerance
    }

    /// How far the sphere may move from here.
    fn step(&self, at: &Measured<T>) -> SafeStep<T> {
        // How fast the distance decreases at most, along the scaled direction. A convex shape lies behind the plane of the
        // closest point; another one may be anywhere at that distance.
        let approach = match self.shape.advance {
            Advance::ByDistance => self.direction.length_sq().sqrt(),
            Advance::ToPlane { .. } => {
                // Both by one power of two, so that no product leaves the range of numbers.
                let distance = at.found.distance.to_f64();
                let scale = power_of_two_below(distance).unwrap_or(1.0);
                let offset = at.offset.map(|x| x.times_power_of_two(scale));
                let approach = -(offset.plain_dot(self.direction) / at.found.distance.times_power_of_two(scale));
                let error = self.noise * CLEAR * at.largest;
                if !(approach.to_f64().abs() * distance > error) {
                    // The distance of a convex shape decreases fastest at the beginning. Perhaps that is not enough.
                    let is_far = at.gap.to_f64() * distance > 2.0 * error * self.way(at.t);
                    return if is_far { SafeStep::Away } else { SafeStep::Unclear };
                }
                approach
            }
        };
        if approach.gt(T::ZERO) {
            SafeStep::To(at.t + (at.gap / approach).times_power_of_two(self.pace))
        } else {
            SafeStep::Away
        }
    }

    /// The first contact, with whether it is at the start. Searched for from `start`; `is_start` says that the range begins there.
    fn contact(&self, start: T, is_start: bool) -> Result<Option<(Measured<T>, bool)>, NotMeasured> {
        let mut before: Option<T> = None;
        let mut at = self.measure(start)?;
        for _ in 0..MAX_ADVANCES {
            if self.is_touching(&at) {
                // Roundings may have led a step too far: then the contact is between the two places.
                let is_convex = matches!(self.shape.advance, Advance::ToPlane { .. });
                let is_late = is_convex && -at.gap.to_f64() > at.largest * self.shape.tolerance;
                return match before {
                    Some(before) if is_late => Ok(Some((self.between(before, at)?, false))),
                    _ => Ok(Some((at, is_start && before.is_none()))),
                };
            }
            let next = match self.step(&at) {
                SafeStep::To(next) => next,
                SafeStep::Away if self.pierced.is_none() => return Ok(None),
                SafeStep::Away | SafeStep::Unclear => return self.look_closer(&at),
            };
            // If `t` has no digits left for the step, the sphere touches.
            if !next.gt(at.t) {
                return Ok(Some((at, false)));
            }
            if next.to_f64() > self.end {
                // The step may be a little too long.
                let shorter = at.t + (next - at.t) * T::from_f64(1.0 - 2.0 / CLEAR);
                let is_beyond = shorter.to_f64() > self.end && self.pierced.is_none();
                return if is_beyond { Ok(None) } else { self.look_closer(&at) };
            }
            before = Some(at.t);
            at = self.measure(next)?;
        }
        Err(NotMeasured)
    }

    /// The contact after `at`, where the sphere does not touch yet, by distances alone: from where the sphere is so thin, or moves
    /// so nearly along the surface, that the directions between them are of no use.
    #[cold]
    fn look_closer(&self, at: &Measured<T>) -> Result<Option<(Measured<T>, bool)>, NotMeasured> {
        let Advance::ToPlane { pierced } = self.shape.advance else { return Ok(None) };
        // A line that pierces the shape has a contact before. Behind that place distances are those from inside.
        let touching = match self.pierced.or_else(pierced) {
            Some(t) => Some(self.measure(t)?),
            None => self.nearest_after(at.t)?,
        };
        let Some(touching) = touching else { return Ok(None) };
        let found = self.between(at.t, touching)?;
        Ok((found.t.to_f64() <= self.end).then_some((found, false)))
    }

    /// The first contact between a place before it and one behind.
    ///
    /// # Method
    /// Bisection: the distance from a convex shape is a convex function of `t`, so it crosses the radius once.
    fn between(&self, mut before: T, mut touching: Measured<T>) -> Result<Measured<T>, NotMeasured> {
        for _ in 0..MAX_BISECTIONS {
            let middle = (before + touching.t).times_power_of_two(0.5);
            if !(middle.gt(before) && middle.lt(touching.t)) {
                break;
            }
            let at = self.measure(middle)?;
            // Within a few roundings of the distance there is nothing more to find.
            if at.gap.to_f64().abs() <= at.largest * self.shape.tolerance / CLEAR {
                return Ok(at);
            }
            if at.gap.gt(T::ZERO) {
                before = middle;
            } else {
                touching = at;
            }
        }
        Ok(touching)
    }

    /// A place after `start` where the sphere touches, if there is one: the least distance, or one that is small enough.
    ///
    /// # Method
    /// Golden section: Kiefer, *Sequential Minimax Search for a Maximum*, 1953. It ends early where the distance cannot decrease
    /// enough on the rest of the way.
    fn nearest_after(&self, start: T) -> Result<Option<Measured<T>>, NotMeasured> {
        if !self.end.is_finite() {
            return Err(NotMeasured);
        }
        let (mut low, mut high) = (start, T::from_f64(self.end));
        let last = self.measure(high)?;
        if self.is_touching(&last) {
            return Ok(Some(last));
        }
        let share = |low: T, high: T, share: f64| low + (high - low) * T::from_f64(share);
        let mut first = self.measure(share(low, high, 1.0 - GOLDEN))?;
        let mut second = self.measure(share(low, high, GOLDEN))?;
        for _ in 0..MAX_BISECTIONS {
            if self.is_touching(&first) {
                return Ok(Some(first));
            }
            if self.is_touching(&second) {
                return Ok(Some(second));
            }
            // No distance decreases faster than the sphere moves.
            let is_decided = first.gap.min(second.gap).to_f64() > self.way(low);
            if is_decided || !(first.t.gt(low) && second.t.gt(first.t) && high.gt(second.t)) {
                return Ok(None);
            }
            if first.gap.lt(second.gap) {
                high = second.t;
                second = first;
                first = self.measure(share(low, high, 1.0 - GOLDEN))?;
            } else {
                low = first.t;
                first = second;
                second = self.measure(share(low, high, GOLDEN))?;
            }
        }
        Ok(None)
    }
}

/// The golden section: the greater part of 1.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The first contact of a sphere with a shape in a box.
///
/// # Method
/// The distance of the center from a convex shape is a convex function of `t`. Newton's method from the left goes to the plane
/// through the closest point, perpendicular to the shortest way: the shape is behind that plane, so no step passes the first
/// contact. If the distance grows, there is none. A shape that may not be convex is approached by the distance itself.
///
/// The direction of the shortest way has fewer digits the shorter it is. Where they do not suffice, the distances themselves are
/// searched, and the ray of the centre, which is decided exactly, says whether the sphere gets into the shape.
///
/// # Source
/// Conservative advancement: Mirtich, *Timewarp Rigid Body Simulation*, SIGGRAPH 2000; the planes are those of van den Bergen,
/// *Ray Casting against General Convex Objects*, 2004; the search by distances is ours.
///
/// # Accuracy
/// A sphere whose distance is at most the tolerance touches. A grazing sphere that misses by less may be a hit. See
/// docs/proofs.md, Lemma 36.
///
/// # Edges
/// A sphere that is not thicker than the tolerance meets a convex shape where the ray of its centre does. [`NotMeasured`] if the
/// shape has no distance, the direction overflows, or the steps do not suffice.
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
    let t = if is_outside { number(near) } else { range.min };
    if !(t.to_f64().is_finite() && line.has_direction()) {
        return Err(NotMeasured);
    }
    let pace = power_of_two_below(line.direction.max_abs_f64()).unwrap_or(1.0);
    let direction = line.direction.map(|x| x.times_power_of_two(pace));
    let mut sphere =
        SphereAdvance { shape, line, radius, end, noise: noise::<V::Scalar>(), pierced: None, direction, pace };
    let candidate = |at: &Measured<Working<V>>, at_start: bool, is_inside: bool| {
        sweep_candidate(line, radius, (at.t, at_start), &at.found, (is_inside, shape.normal))
    };
    // At the start the centre may be inside.
    if !is_outside && (shape.contains)(line.at(t).0) {
        return Ok(Some(candidate(&sphere.measure(t)?, true, true)));
    }
    // A sphere that is thin beside the numbers must not get into a convex shape unseen: steps end where its ray meets the shape.
    let largest = bounds.iter().flatten().chain([&radius]).fold(line.origin.max_abs_f64(), |most, x| most.max(x.abs()));
    let thin = match V::Scalar::PRECISION {
        Precision::Single => power(-24),
        Precision::Double => power(-49),
    };
    if let Advance::ToPlane { pierced } = shape.advance
        && radius < largest * thin
    {
        let found = pierced();
        if radius <= largest * shape.tolerance {
            let Some(t) = found else { return Ok(None) };
            let at_start = t.le(range.min);
            return Ok(Some(candidate(&sphere.measure(t)?, at_start, false)).filter(|_| t.to_f64() <= limit));
        }
        sphere.pierced = found;
        sphere.end = found.map_or(end, |t| end.min(t.to_f64()));
    }
    let found = sphere.contact(t, !is_outside)?;
    Ok(found.map(|(at, at_start)| candidate(&at, at_start, false)))
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
