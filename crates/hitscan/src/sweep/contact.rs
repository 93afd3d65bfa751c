//! The contact of a sphere whose `t` is known.

use crate::closest_point::Feature;
use crate::convex::surface_normal::NormalSide;
use crate::kernel::projection::Projection;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::{Precision, Real};
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::sweep_hit::{SweepCandidate, SweepHit};

/// The center at `t`, and its distance from the origin. A segment may be longer than `f64` reaches, its points are not beyond.
pub(crate) fn center_at<T: Arithmetic>(line: &WorkingRay<T>, t: T) -> (Vec3<T>, T) {
    if line.has_direction() {
        return line.at(t);
    }
    with_precision(3, || {
        let (center, distance) = line.again::<Exact>().at(Exact::from_parts(t.parts()));
        (center.convert(), T::from_parts(distance.parts()))
    })
}

/// The normal at a point of the surface; `None` if it is not known.
pub(crate) type SurfaceNormal<'a, T> = &'a dyn Fn(Vec3<T>) -> Option<NormalSide<T>>;

/// Shares of the largest number: a way from the surface to the centre that is shorter has too few digits for a normal, on a face
/// and on an edge. The way is off by about 2^-51 (`f32`) or 2^-102 of that number.
fn least_ways<S: Real>() -> [f64; 2] {
    match S::PRECISION {
        Precision::Single => [power(-26), power(-48)],
        Precision::Double => [power(-47), power(-98)],
    }
}

/// The contact at `t`. `found` is the projection of the center on the surface; `at_start` says that the sphere touches where the
/// range begins, `is_inside` that its center is inside of the solid. The normal of the surface is that of the contact where the
/// center is on the surface, or nearly.
pub(crate) fn sweep_candidate<V: Vector>(
    line: &WorkingRay<Working<V>>,
    radius: f64,
    (t, at_start): (Working<V>, bool),
    found: &Projection<Working<V>>,
    (is_inside, surface_normal): (bool, SurfaceNormal<'_, Working<V>>),
) -> SweepCandidate<V> {
    // The centre at the contact, and its distance along the ray.
    let (center, distance) = center_at(line, t);
    // From outside the normal points to the centre; from inside, out through the nearest point.
    let (to_center, separation) =
        if is_inside { (found.point - center, -found.distance) } else { (center - found.point, found.distance) };
    let against = || (-line.direction).direction();
    // A centre on the surface has no such direction, and one that is very near has one with few digits. On a face the normal of
    // the surface is the same; on an edge it is that of a face beside it, as good a way out.
    let largest = center.max_abs_f64().max(found.point.max_abs_f64());
    let [of_face, of_edge] = least_ways::<V::Scalar>();
    let least = largest * if matches!(found.feature, Feature::Face(_)) { of_face } else { of_edge };
    let is_near = found.distance.to_f64() <= least;
    let of_surface = if is_near { surface_normal(found.point).and_then(|n| n.unit(to_center, line)) } else { None };
    let normal = of_surface.or_else(|| to_center.direction()).or_else(against).unwrap_or_default();
    let narrow = |x: Working<V>| V::Scalar::narrow(x);
    // Of a center beyond all numbers there is no projection: the contact point is beyond them, too.
    let or_center = |x: Working<V>, center: Working<V>| if x.to_f64().is_nan() { center } else { x };
    let point = Vec3::new(
        or_center(found.point.x, center.x),
        or_center(found.point.y, center.y),
        or_center(found.point.z, center.z),
    );
    // How far the sphere reaches into the shape.
    let depth = (Working::<V>::from_f64(radius) - separation).max(Working::<V>::ZERO);
    let hit = SweepHit {
        t: narrow(t),
        distance: narrow(distance),
        center: V::narrow(center),
        point: V::narrow(point),
        normal: V::narrow::<f64>(normal),
        face_normal: None,
        depth: at_start.then(|| narrow(depth)),
        feature: found.feature,
        uv: found.uv.map(|uv| uv.map(narrow)),
        primitive: None,
        object: None,
        member: None,
        part: None,
        is_trigger: false,
    };
    SweepCandidate { t, planes: 1, hit }
}
