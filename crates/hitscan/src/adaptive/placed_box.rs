//! Entry of a ray into a box under a transform in plain `f64`, with bounds: the first stage for results in `f32`.
//!
//! # Method
//! In the coordinates of the box, the rounded ray enters by the face whose plane it meets last (Kay and Kajiya 1986). Two facts
//! make that certain for the true ray: the bound of the error of that `t`, and that the other coordinates of the point there are
//! inside their slabs by more than their errors. All else, grazing rays, flat boxes and rays that start inside, is left to balls.
//!
//! # Accuracy
//! docs/proofs.md, Lemma 15. With `u` = 2^-53, the largest coordinate M of box and origin, and the errors `E_o`, `E_d`
//! of the local ray: the distance to a plane is off by `E = E_o + 4 u M`, so `t` by `(E + |t| E_d) / (|d| - E_d)` and a
//! rounding, and another coordinate of the point by `E + |t| E_d`, `|d| + E_d` times the error of `t`, and two
//! roundings. A quarter more covers the roundings of the bounds.

use crate::adaptive::evaluate::{ShapeResults, TParts, Wanted, ends_of_line, within_range};
use crate::adaptive::placed_filter::write_placed;
use crate::hit::{Hit, Side};
use crate::kernel::crossing::{Crossing, ShapeClass};
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange};
use crate::math::arithmetic::Arithmetic;
use crate::math::filter_f64::FilterF64;
use crate::math::instance_stack::{InstanceLevel, RoundedRay, max_norm};
use crate::math::observer::FilterFlag;
use crate::math::rounding::{ROUNDING, power};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::query::Query;

/// Centre and half extents of a box along the axes: see `Kernel::axis_box`.
type AxisBox = [Vec3<f64>; 2];

/// Crossing of the surface of a box: `t` with the bound of its error, the axis of the face, and the sign of its outward normal along
/// that, in the coordinates of the box.
struct BoxCrossing {
    t: f64,
    of_t: f64,
    axis: usize,
    sign: f64,
}

impl BoxCrossing {
    fn normal(&self) -> Vec3<f64> {
        axis_normal(self.axis, self.sign)
    }
}

/// The unit vector along an axis, with a sign.
fn axis_normal(axis: usize, sign: f64) -> Vec3<f64> {
    let along = |i: usize| if i == axis { sign } else { 0.0 };
    Vec3::new(along(0), along(1), along(2))
}

/// Entry or exit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoxEnd {
    Entry,
    Exit,
}

/// The entry, if it is certain, has the digits of `f32`, and is within the range of the query.
#[cfg_attr(not(debug_assertions), inline(always))]
fn entry<const DIM: usize>(level: &InstanceLevel<'_>, shape: AxisBox, query: &Query<f64>) -> Option<BoxCrossing> {
    let found = crossing::<DIM>(level, shape, BoxEnd::Entry)?;
    let BoxCrossing { t, of_t, .. } = found;
    // The entry must be within the range of the query and of the ray for certain.
    let raw = level.raw();
    let is_within = query.t_min() < t - of_t && t + of_t < query.t_max() && t.abs() < raw.largest;
    (is_within && raw.t_min < t - of_t && t + of_t < raw.t_max).then_some(found)
}

/// The entry or the exit, if it is certain and has the digits of `f32`. The exit is the entry of the reversed ray.
#[cfg_attr(not(debug_assertions), inline(always))]
fn crossing<const DIM: usize>(level: &InstanceLevel<'_>, [center, half]: AxisBox, end: BoxEnd) -> Option<BoxCrossing> {
    // The rounded ray relative to the centre of the box, and the bound of the error of a distance to a plane (Lemma
    // 15).
    let RoundedRay { origin, direction, errors: [of_origin, of_direction] } = *level.rounded();
    let array = |v: Vec3<f64>| [v.x, v.y, v.z];
    let (way, d, h) = (array(center - origin), array(direction), array(half));
    let of_way = of_origin + 4.0 * ROUNDING * (max_norm(center) + max_norm(half) + max_norm(origin));

    // The ray enters through the face whose near plane it meets last, and leaves by that whose far plane it meets first.
    let is_entry = end == BoxEnd::Entry;
    let (mut t, mut axis) = (if is_entry { f64::NEG_INFINITY } else { f64::INFINITY }, 0);
    for i in 0..DIM {
        let (from, size) = (way[i].mul_sign(d[i]), d[i].abs());
        let at = if is_entry { (from - h[i]) / size } else { (from + h[i]) / size };
        // Not for the NaN of a ray along a face.
        if if is_entry { at > t } else { at < t } {
            (t, axis) = (at, i);
        }
    }
    // The error of that `t`. If it is too large, a later stage decides.
    let speed = d[axis].abs();
    let of_t = 1.25 * ((of_way + t.abs() * of_direction) / (speed - of_direction)) + 4.0 * ROUNDING * t.abs();
    // Written so that a NaN is uncertain, here and below.
    if !(speed > 4.0 * of_direction && of_t < power(-29) * t.abs()) {
        return None;
    }
    // At that `t`, the other coordinates must be inside their slabs by more than their errors: then this face is the
    // right one.
    for i in (0..DIM).filter(|i| *i != axis) {
        let (beside, magnitude) = (way[i] - t * d[i], t.abs() * d[i].abs());
        let error = of_way + t.abs() * of_direction + (d[i].abs() + of_direction) * of_t;
        let error = 1.25 * (error + 4.0 * ROUNDING * (way[i].abs() + magnitude));
        if !(beside.abs() + error < h[i]) {
            return None;
        }
    }
    // The normal of the face is against the direction where the ray enters, and along it where it leaves.
    let along = 1.0f64.mul_sign(d[axis]);
    Some(BoxCrossing { t, of_t, axis, sign: if is_entry { -along } else { along } })
}

/// Writes the wanted results of a box, and returns whether there are any; `None` if the two crossings are not certain, or are close to
/// an end of the range, or if the first one is no entry: then the closest hit comes from a later stage, too.
#[inline(never)]
pub(crate) fn box_results<V: Vector>(
    level: &InstanceLevel<'_>,
    shape: AxisBox,
    (query, wanted): (&Query<f64>, Wanted),
    out: &mut ShapeResults,
) -> Option<bool> {
    // Both crossings, certain and with the digits of `f32`.
    let at = |end| if V::DIM == 2 { crossing::<2>(level, shape, end) } else { crossing::<3>(level, shape, end) };
    let crossing = |BoxCrossing { t, axis, sign, .. }: BoxCrossing| {
        Crossing::new(FilterF64::from_f64(t), axis as u32, FilterF64::from_f64(sign))
    };
    let [enter, exit] = [crossing(at(BoxEnd::Entry)?), crossing(at(BoxEnd::Exit)?)];
    if wanted == Wanted::Ends {
        out.write(&ends_of_line(enter, exit), wanted, |_| None::<(TParts, Hit<V>)>)?;
        return Some(true);
    }
    // The filter of the range has more room than the errors of `t`.
    let (range, mut flag) = (TRange::new(&level.raw().line(), query), FilterFlag::default());
    let found = within_range([&enter, &exit], ShapeClass::Solid, &range, query, &mut flag);
    let is_entry = |found: &Option<BoundaryHit<FilterF64>>| matches!(found, None | Some(BoundaryHit::Enter(_)));
    let begins_outside = is_entry(&found.one) && found.span.as_ref().is_none_or(|span| is_entry(&span.enter));
    if flag.is_uncertain || !begins_outside {
        return None;
    }
    out.write(&found, wanted, |found| {
        let (normal, side) = match found {
            BoundaryHit::Inside(_) => (None, Side::Back),
            BoundaryHit::Enter(at) => (Some(at), Side::Front),
            BoundaryHit::Exit(at) => (Some(at), Side::Back),
        };
        let (normal, mut hit) =
            (normal.map(|at| (axis_normal(at.face as usize, at.sign.to_f64()), 0.0)), None::<Hit<V>>);
        write_placed(level, found.t().to_f64(), normal, side, &mut hit)?;
        Some((found.t().parts(), hit?))
    })?;
    Some(found.is_any())
}

/// Writes the hit where the ray certainly enters the box, in the coordinates of the world, and returns its `t` and that it is not the
/// start of the range.
#[inline(never)]
pub(crate) fn write_entry<V: Vector>(
    level: &InstanceLevel<'_>,
    shape: AxisBox,
    query: &Query<f64>,
    out: &mut Option<Hit<V>>,
) -> Option<(TParts, bool)> {
    let found = if V::DIM == 2 { entry::<2>(level, shape, query) } else { entry::<3>(level, shape, query) }?;
    write_placed(level, found.t, Some((found.normal(), 0.0)), Side::Front, out)?;
    Some(((found.t, 0.0), false))
}

/// Whether the shape is a box that the ray certainly enters.
#[inline(always)]
pub(crate) fn certainly_enters<K: Kernel>(shape: &K, level: &InstanceLevel<'_>, query: &Query<f64>) -> bool {
    shape.axis_box().is_some_and(|shape| is_entered::<K::Vector>(level, shape, query))
}

#[inline(never)]
fn is_entered<V: Vector>(level: &InstanceLevel<'_>, shape: AxisBox, query: &Query<f64>) -> bool {
    if V::DIM == 2 { entry::<2>(level, shape, query).is_some() } else { entry::<3>(level, shape, query).is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::instance::closest_in_double_words;
    use crate::adaptive::placed_filter::tests::{assert_closest, assert_results};
    use crate::math::instance_stack::TestMap;
    use crate::{Cuboid, Ray, RayLike, Rectangle};
    use glam::{DMat3, DVec2, DVec3};
    use test_support::random::Lcg;

    /// Compares a certain entry with the later stages; counts entries, those with the digits of `f64`,
    /// and certain lists, spans and numbers of hits.
    fn check<K: Kernel<Vector: Vector<Scalar = f64>>>(
        shape: &K,
        level: &InstanceLevel<'_>,
        query: &Query<f64>,
        counts: &mut [usize; 3],
    ) {
        let (Some(axis_box), mut hit) = (shape.axis_box(), None::<Hit<K::Vector>>) else { return };
        // The later stages take long: one case of four.
        if counts[0].is_multiple_of(4) {
            counts[2] += assert_results(shape, level, query);
        }
        let Some((t, _)) = write_entry(level, axis_box, query, &mut hit) else { return };
        counts[0] += 1;
        assert_closest(shape, level, query, Some((t, hit.unwrap())), power(-28));
        if let Some((t, hit, _)) = closest_in_double_words(shape, level, query) {
            counts[1] += 1;
            assert_closest(shape, level, query, Some((t, hit)), power(-59));
        }
    }

    /// Boxes under maps of small integers and random ones, some nearly singular or mirrored; rays at faces, near edges and corners,
    /// from inside and along axes; chains of two maps.
    #[test]
    fn what_is_certain_is_true() {
        let mut random = Lcg::new(11);
        let (mut space, mut plane, mut all) = ([0; 3], [0; 3], 0);
        for round in 0..60_000 {
            // Every other round has whole numbers: there rays touch faces, edges and corners exactly.
            let is_whole = round % 2 == 0;
            let mut number = |size: f64| {
                let x = random.signed_unit() * size;
                if is_whole { x.round() } else { x }
            };
            let mut vector = |size: f64| DVec3::new(number(size), number(size), number(size));
            // A map, in one round of four one of the plane; singular ones have no inverse.
            let thin = if is_whole { 1.0 } else { [1.0, 1.0, 1e-5][round / 2 % 3] };
            let mut matrix = DMat3::from_cols(vector(3.0), vector(3.0), vector(3.0) * thin);
            let is_flat = round / 6 % 4 == 0;
            if is_flat {
                for (axis, column) in [DVec3::X, DVec3::Y].into_iter().zip([&mut matrix.x_axis, &mut matrix.y_axis]) {
                    (column.z, *column) = (0.0, if *column == DVec3::ZERO { axis } else { *column });
                }
                (matrix.x_axis.z, matrix.y_axis.z, matrix.z_axis) = (0.0, 0.0, DVec3::Z);
            }
            if matrix.determinant() == 0.0 {
                continue;
            }
            // A box, and a target in it, on its border or a little beside.
            let mut offset = vector(5.0);
            let (mut center, mut half) = (vector(3.0), vector(2.0).abs());
            let near_edge = [0.5, 0.9, 1.0 - 1e-9, 1.0 - 1e-14, 1.0, 1.0 + 1e-14][round / 24 % 6];
            let mut target = center + vector(1.0).signum() * half * near_edge;
            let mut direction = vector([1.0, 4.0, 1e3][round / 144 % 3]) + vector(1.0);
            if is_flat {
                (offset.z, center.z, half.z, target.z, direction.z) = (0.0, 0.0, 0.0, 0.0, 0.0);
            }
            // Their squares leave the range of `f64`.
            let size = [1.0, 1.0, 1e-200, 1.0, 1e180][round % 5];
            for v in [&mut offset, &mut center, &mut half, &mut target, &mut direction] {
                *v *= size;
            }
            // The ray goes to the image of the target. Some rays start beyond the box, and some ranges end before it.
            let columns = matrix.to_cols_array_2d();
            let map = TestMap::new(columns, offset.to_array());
            let ray = Ray::new(matrix * target + offset - direction * [1.0, 0.1][round / 432 % 2], direction);
            let raw = RayLike::<DVec3>::raw(&ray);
            if !raw.is_valid() {
                continue;
            }
            let query = Query::new().range([0.0, -1.0, 0.1][round / 18 % 3], [f64::MAX, 1.0][round / 54 % 2]);
            let outer = InstanceLevel::new(&map, None, &raw);
            all += 1;
            // What the early stage decides must be what later stages find, also below two maps.
            if is_flat {
                let [center, half]: [DVec2; 2] = [center, half].map(DVec3::truncate);
                check(&Rectangle::new(center, half).unwrap(), &outer, &query, &mut plane);
                continue;
            }
            let shape = Cuboid::new(center, half).unwrap();
            check(&shape, &outer, &query, &mut space);
            if round % 3 == 0 {
                check(&shape, &InstanceLevel::new(&map, Some(&outer), &raw), &query, &mut [0; 3]);
            }
        }
        // The stage must decide often, or the comparison shows nothing.
        let is_enough = space[0] > 6_000 && space[1] > 3_000 && plane[0] > 1_500 && plane[1] > 800;
        let is_enough = is_enough && space[2] > 6_000 && plane[2] > 1_500;
        assert!(is_enough, "{space:?} {plane:?} of {all}");
    }
}
