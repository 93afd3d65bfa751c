//! Surfaces of a solid that are close to each other and do not coincide.

use crate::aabb::Aabb;
use crate::kernel::candidate::COMPARISON_PRECISION;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vector::Vector;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::ray::{Ray, RayLike};
use crate::solid::line_crossings::LineCrossings;
use crate::solid::solid::{Solid, SolidLeaf};
use crate::solid::solid_queries::whole;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Surfaces of two leaves of a [`Solid`] that are close to each other and do not coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearSurfaces<V: Vector> {
    /// The numbers of the leaves, ascending.
    pub leaves: [u32; 2],
    /// The least distance between the surfaces that was found.
    pub distance: f64,
    /// Where it was found.
    pub point: V,
}

/// The least cosine of the angle between a line and a normal. A line that grazes surfaces measures their distance badly.
const LEAST_COSINE: f64 = 0.1;
/// The least cosine of the angle between the normals of two surfaces that may have been meant to coincide: 0.06 degrees.
const PARALLEL: f64 = 1.0 - power(-21);
/// Relative bound of the error of a difference of two `t`, of each relative to itself: the filter is better by 2^6.
const OF_DIFFERENCE: f64 = power(-20);

impl<V: Vector> Solid<V> {
    /// Surfaces of different leaves that are parallel, no farther apart than `tolerance`, and do not coincide: with decimal numbers two
    /// faces that were meant to be one may differ in the last digit, and the exact order of crossings shows the gap.
    ///
    /// # Method
    /// The crossings of a number of lines through the boxes of the leaves, evenly distributed and the same in each call, with exact
    /// differences of `t`. So a pair that faces each other on a small part of the surfaces may be missed: more lines find more.
    ///
    /// ```
    /// use hitscan::{glam::DVec3, Cuboid, Solid};
    /// // Three plates of thickness 0.1, at multiples of it: 3 * 0.1 is not 0.3.
    /// let plate = |i: f64| Cuboid::new(DVec3::Z * (0.1 * i), DVec3::new(1.0, 1.0, 0.05)).map(Solid::from);
    /// let stack = Solid::union([plate(1.0)?, plate(2.0)?, plate(3.0)?])?;
    /// let near = stack.near_surfaces(1e-9, 1000);
    /// let pairs: Vec<_> = near.iter().map(|near| near.leaves).collect();
    /// assert_eq!(pairs, [[1, 2]]); // the first two plates share a face, exactly
    /// assert!(near[0].distance < 1e-16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// That of a cast for each line, and of exact numbers for each pair of close crossings.
    #[must_use]
    pub fn near_surfaces(&self, tolerance: f64, lines: u32) -> Vec<NearSurfaces<V>> {
        let mut found = BTreeMap::new();
        let Some(bounds) = bounds_of(&self.0.leaves) else { return Vec::new() };
        for number in 0..lines {
            let ray = line_through(&bounds, number);
            let world = RayLike::<V>::line(&ray);
            let line = InstanceRay::<V>::new(&world);
            if line.is_valid() {
                let (crossed, query) = (self.crossed(&line), whole(&Query::line()));
                let all = LineCrossings::new(&self.0.leaves, &crossed, &line, &query);
                add_near(&all, ray.direction.to_f64(), tolerance, &mut found);
            }
        }
        found.into_values().collect()
    }
}

/// The box around all leaves that have bounds.
fn bounds_of<V: Vector>(leaves: &[SolidLeaf<V>]) -> Option<Aabb<V>> {
    leaves.iter().map(|leaf| leaf.shape.aabb()).filter(Aabb::is_bounded).reduce(Aabb::union)
}

/// A line through two points of a box. The points of all numbers are distributed evenly: multiples of irrational numbers, modulo 1
/// (Weyl).
fn line_through<V: Vector>(bounds: &Aabb<V>, number: u32) -> Ray<V> {
    let [min, max] = [bounds.min.to_f64(), bounds.max.to_f64()];
    let point = |irrational: [f64; 3]| {
        let coordinate = |axis: usize| {
            let share = f64::from(number + 1) * irrational[axis];
            min[axis] + (max[axis] - min[axis]) * (share - (share as u64) as f64)
        };
        V::from_xyz([0, 1, 2].map(|axis| V::Scalar::from_f64(coordinate(axis))))
    };
    // Fractions of the square roots of 2, 3, 5, 7, 11 and 13.
    let a = point([0.414_213_562_373, 0.732_050_807_569, 0.236_067_977_5]);
    let b = point([0.645_751_311_065, 0.316_624_790_355, 0.605_551_275_464]);
    Ray::new(
        a,
        V::from_xyz({
            let ([ax, ay, az], [bx, by, bz]) = (a.to_xyz(), b.to_xyz());
            [bx - ax, by - ay, bz - az]
        }),
    )
}

/// Adds the pairs of crossings of different leaves that are close to each other.
fn add_near<V: Vector>(
    all: &LineCrossings<'_, V>,
    direction: [f64; 3],
    tolerance: f64,
    found: &mut BTreeMap<[u32; 2], NearSurfaces<V>>,
) {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let speed = dot(direction, direction).sqrt();
    let starts: Vec<usize> = (0..).map_while(|number| all.group(number)).map(|group| group.start).collect();
    let group_of = |crossing: usize| starts.partition_point(|start| *start <= crossing);
    for (first, a) in all.crossings.iter().enumerate() {
        for (second, b) in all.crossings.iter().enumerate().skip(first + 1) {
            let (s, t) = (a.t.to_f64(), b.t.to_f64());
            // The rounded difference is off by less than the last term.
            if (t - s) * speed * LEAST_COSINE > tolerance + OF_DIFFERENCE * speed * (s.abs() + t.abs()) {
                break;
            }
            if a.leaf == b.leaf || group_of(first) == group_of(second) {
                continue;
            }
            let (Some((_, hit)), Some((_, other))) = (all.hit(first), all.hit(second)) else { continue };
            let [normal, other] = [hit.normal, other.normal].map(Vector::to_f64);
            let cosine = dot(normal, direction).abs() / speed;
            if dot(normal, other).abs() < PARALLEL || cosine < LEAST_COSINE {
                continue;
            }
            let gap = with_precision(COMPARISON_PRECISION, || match all.exact_t([a, b].into_iter())[..] {
                [s, t] => (t - s).to_f64(),
                _ => f64::INFINITY,
            });
            let distance = gap * speed * cosine;
            if distance > tolerance {
                continue;
            }
            let leaves = [a.leaf.min(b.leaf), a.leaf.max(b.leaf)];
            let near = NearSurfaces { leaves, distance, point: hit.point };
            let known = found.entry(leaves).or_insert(near);
            if distance < known.distance {
                *known = near;
            }
        }
    }
}
