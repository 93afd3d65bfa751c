//! Box test of an instance: whether a ray certainly misses the bounding box of a shape, in the coordinates of the shape.
//!
//! # Method
//! The slab test (Kay and Kajiya 1986) in `f64` for the rounded local ray, with a margin around it.
//!
//! # Accuracy
//! docs/proofs.md, Lemma 14. Let M be the largest coordinate of the box, `|o|` and `|d|` the largest components of the
//! local ray, and `E_o`, `E_d` the bounds of its errors. Where the true ray is in the box, `|t|` is at most `(M + |o|) / |d|` along
//! its longest axis, so the rounded ray is within `E_o + 4 E_d (M + |o|) / |d|` of the box at the same `t`, for `E_d` below
//! `|d| / 4`. A `t` of a face is an inverse, a difference and a product: off by at most [`FACE_SLACK`] of itself.

use crate::aabb::Aabb;
use crate::math::instance_stack::{InstanceLevel, RoundedRay, max_norm};
use crate::math::real::Real;
use crate::math::rounding::ROUNDING;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::query::Query;

/// Relative room for the roundings of a `t`, and of its margin.
const FACE_SLACK: f64 = 8.0 * ROUNDING;

/// Whether the ray certainly misses a box around a shape, for `t` up to `limit`. Never for an unbounded box, or a number that is
/// not finite.
#[inline(always)]
pub(crate) fn misses_box<V: Vector>(
    bounds: &Aabb<V>,
    level: &InstanceLevel<'_>,
    query: &Query<V::Scalar>,
    limit: f64,
) -> bool {
    let t_max = query.t_max().to_f64();
    let range = [query.t_min().to_f64(), if limit < t_max { limit } else { t_max }];
    misses(level.rounded(), [bounds.min, bounds.max].map(V::widen), range)
}

#[inline(never)]
fn misses(ray: &RoundedRay, [low, high]: [Vec3<f64>; 2], [t_min, t_max]: [f64; 2]) -> bool {
    // The largest coordinate, and how fast the ray moves along its longest axis, bound the margin of the rounded ray.
    let RoundedRay { origin: o, direction: d, errors: [of_origin, of_direction] } = *ray;
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let (extent, speed) = (larger(max_norm(low), max_norm(high)) + max_norm(o), max_norm(d));
    // Twice: half of it for the roundings of the margin.
    let margin = 2.0 * (of_origin + 4.0 * extent * (of_direction / speed)) + f64::MIN_POSITIVE;
    // Written so that a NaN misses nothing. A product that overflows may have a finite bound of its rounding.
    if !(of_direction < 0.25 * speed && speed < f64::INFINITY && margin < f64::INFINITY) {
        return false;
    }
    // The range of `t` within the slabs so far.
    let (mut enter, mut exit, mut is_beside) = (t_min, t_max, false);
    // One pair of faces cuts the range, or rules the box out if the ray is parallel to them and outside.
    let mut slab = |o: f64, d: f64, low: f64, high: f64| {
        if d == 0.0 {
            is_beside |= (o + margin < low) | (o - margin > high);
            return;
        }
        let inverse = 1.0 / d;
        let (a, b) = ((low - o) * inverse, (high - o) * inverse);
        let room = margin * inverse.abs() + (larger(a.abs(), b.abs()) * FACE_SLACK + f64::MIN_POSITIVE);
        let (near, far) = if inverse < 0.0 { (b - room, a + room) } else { (a - room, b + room) };
        // Not for a NaN.
        if near > enter {
            enter = near;
        }
        if far < exit {
            exit = far;
        }
    };
    // The three axes, written out: a loop would keep the numbers in memory.
    slab(o.x, d.x, low.x, high.x);
    slab(o.y, d.y, low.y, high.y);
    slab(o.z, d.z, low.z, high.z);
    is_beside | (enter > exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::evaluate::Wanted;
    use crate::adaptive::fallback::ExactKernel;
    use crate::explain::Trace;
    use crate::kernel::kernel::Kernel;
    use crate::math::instance_stack::TestMap;
    use crate::math::real::Precision;
    use crate::{Cuboid, Ray, RayLike};
    use glam::{DMat3, DVec3};
    use test_support::random::Lcg;

    /// Boxes under maps of small integers, where rays that touch corners and edges, run along faces and end on them are exact;
    /// and under random maps, some nearly singular: a ray that is ruled out has no hit.
    #[test]
    fn what_is_ruled_out_misses() {
        let mut random = Lcg::new(7);
        let (mut hits, mut ruled_out) = (0, 0);
        for round in 0..40_000 {
            // Every other round has whole numbers, for which touching is exact.
            let is_whole = round % 2 == 0;
            let mut number = |size: f64| {
                let x = random.signed_unit() * size;
                if is_whole { x.round() } else { x }
            };
            let mut vector = |size: f64| DVec3::new(number(size), number(size), number(size));
            let thin = [1.0, 1.0, 1e-5][round / 2 % 3];
            let matrix = DMat3::from_cols(vector(3.0), vector(3.0), vector(3.0) * if is_whole { 1.0 } else { thin });
            if matrix.determinant() == 0.0 {
                continue;
            }
            // A box under the map, and a ray at one of its corners, edges or faces, or a little beside.
            let offset = vector(5.0);
            let columns = matrix.to_cols_array_2d();
            let map = TestMap::new(columns, offset.to_array());
            let shape = Cuboid::new(vector(3.0), vector(2.0).abs()).unwrap();
            let bounds = shape.bounds();
            let in_box = |v: DVec3| (bounds.min + bounds.max) * 0.5 + v * (bounds.max - bounds.min) * 0.5;
            // Corners, edges, faces, and points inside and a little outside.
            let corner = vector(2.0).to_array().map(|x| [-1.0, 0.0, 1.0, 1.0 + 1e-9][(x + 2.0) as usize % 4]);
            let target = in_box(corner.into());
            let direction = vector([1.0, 4.0, 1e3][round / 6 % 3]);
            let ray = Ray::new(matrix * target + offset - direction, direction);
            let query = Query::new().range([0.0, -1.0, 1.0][round / 18 % 3], [f64::MAX, 1.0][round / 54 % 2]);
            let raw = RayLike::<DVec3>::raw(&ray);
            if !raw.is_valid() {
                continue;
            }
            // If the test rules the ray out, lazy exact arithmetic must find no hit.
            let level = InstanceLevel::new(&map, None, &raw);
            let all =
                |query| shape.instance_results(&level, (query, Wanted::Any), Precision::Double, &mut Trace::default());
            let is_hit = all(&query).count > 0;
            if misses_box(&bounds, &level, &query, f64::INFINITY) {
                assert!(!is_hit, "{ray:?} {columns:?} {offset:?} {shape:?} {query:?}");
                ruled_out += 1;
            }
            hits += usize::from(is_hit);
        }
        assert!(hits > 8_000 && ruled_out > 12_000, "{hits} {ruled_out}");
    }

    /// The direction overflows in the coordinates of the shape, although the bound of its rounding is finite.
    #[test]
    fn a_direction_beyond_the_numbers_misses_nothing() {
        let columns = [[0.5, 0.5, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 1.0]];
        let map = TestMap::new(columns, [0.0; 3]);
        let ray = Ray::new(DVec3::new(-1e10, -1e10, 0.0), DVec3::new(1.7e308, 1.7e308, 0.0));
        let (raw, query) = (RayLike::<DVec3>::raw(&ray), Query::new().range(1e-300, f64::MAX));
        let level = InstanceLevel::new(&map, None, &raw);
        let shape = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap();
        let all = shape.instance_results(&level, (&query, Wanted::Any), Precision::Double, &mut Trace::default());
        assert!(all.count > 0 && !misses_box(&shape.bounds(), &level, &query, f64::INFINITY));
    }
}
