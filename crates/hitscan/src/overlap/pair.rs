//! Whether a volume and a shape have a point in common: the exact test where there is one, else the distance.

use crate::convex::convex_shape::ConvexShape;
use crate::convex::gjk::{ConvexDistance, TOLERANCE, convex_distance};
use crate::convex::support::{PlacedShape, SupportMap};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::instance_stack::InstanceLevel;
use crate::math::lazy_exact::{LazyExact, lazily};
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::overlap::certified::{aligned_answer, certified_answer, is_aligned_box};
use crate::overlap::near_features::are_near;
use crate::overlap::pair_filter::PairFilter;
use crate::overlap::plane_side::{FlatKind, reaches_plane};
use crate::overlap::separating_axis::are_disjoint;
use crate::overlap::swept_hull::{HullPlacement, SweptHull};

/// A bounded volume and a convex shape under the transforms of an instance.
#[derive(Clone, Copy)]
pub(crate) struct ConvexPair<'a> {
    pub(crate) volume: &'a ConvexShape,
    pub(crate) shape: &'a ConvexShape,
    pub(crate) level: Option<&'a InstanceLevel<'a>>,
    pub(crate) dimension: usize,
}

/// Result of the exact tests: there may be none for the two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Decision {
    Known(bool),
    Uncertain,
    /// One of the shapes is curved in a way that the tests do not cover.
    NotExact,
}

impl From<Option<bool>> for Decision {
    fn from(answer: Option<bool>) -> Self {
        answer.map_or(Self::Uncertain, Self::Known)
    }
}

impl ConvexPair<'_> {
    /// The exact test in one arithmetic, for the volume in it.
    fn decide<T: Arithmetic>(
        &self,
        volume: &SweptHull<T>,
        quick: impl FnOnce(&SweptHull<T>, &SweptHull<T>) -> Option<bool>,
    ) -> Decision {
        // The shape in the arithmetic of the volume, under the exact map.
        let maps = self.level.map(|level| [level.affine_map::<T>(), level.affine_terms::<T>()]);
        let reference = self.volume.any_point();
        let place = HullPlacement { map: maps.as_ref().map(|[map, terms]| [map, terms]), reference };
        match self.shape {
            ConvexShape::HalfSpace { point, normal } => {
                return reaches_plane(volume, FlatKind::HalfSpace, (*point, *normal), &place).into();
            }
            ConvexShape::Plane { point, normal } => {
                return reaches_plane(volume, FlatKind::Plane, (*point, *normal), &place).into();
            }
            _ => {}
        }
        let Some(shape) = SweptHull::new(self.shape, &place) else { return Decision::NotExact };
        hulls_overlap(volume, shape, self.dimension, quick).into()
    }

    /// Whether the two have a point in common.
    pub(crate) fn overlap<V: Vector>(&self) -> bool {
        self.filtered().unwrap_or_else(|| self.overlap_without_filter::<V>())
    }

    /// [`overlap`](Self::overlap) by the filters, if one is certain. Without type parameters, so that it is compiled once.
    fn filtered(&self) -> Option<bool> {
        if self.level.is_some() {
            return None;
        }
        // Balls and axis-aligned boxes by a few comparisons: they are the most frequent pairs. Then other pairs in plain `f64`.
        let by_kind = || PairFilter::new(self.volume, self.dimension)?.answer(self.shape);
        aligned_answer(self.volume, self.shape).or_else(by_kind)
    }

    /// [`overlap`](Self::overlap) of pairs that the filters leave open.
    #[inline(never)]
    fn overlap_without_filter<V: Vector>(&self) -> bool {
        if !(self.volume.is_finite() && self.shape.is_finite()) {
            return false;
        }
        // Exact tests for polytopes and rounded polytopes, with quick answers first; other shapes by their distance.
        let decided = if self.shape.is_measured() || self.volume.is_measured() {
            Decision::NotExact
        } else {
            let hull = hull_of(self.volume);
            hull.map_or(Decision::Uncertain, |hull| self.decide(&hull, |a, b| self.quick_answer(a, b)))
        };
        match decided {
            Decision::Known(answer) => answer,
            Decision::Uncertain => self.decide_lazily().unwrap_or_else(|| self.are_close::<V>()),
            Decision::NotExact => self.are_close::<V>(),
        }
    }

    /// In the plane there are few axes, and no tetrahedra.
    fn quick_answer(&self, volume: &SweptHull<f64>, shape: &SweptHull<f64>) -> Option<bool> {
        let are_few_axes = is_aligned_box(self.volume) && matches!(self.shape, ConvexShape::Polygon(_));
        if self.dimension == 3 && !are_few_axes { certified_answer(volume, shape) } else { None }
    }

    /// The decision in lazy exact arithmetic.
    #[cold]
    #[inline(never)]
    fn decide_lazily(&self) -> Option<bool> {
        let decide = || match self.decide(&hull_of::<LazyExact>(self.volume)?, |_, _| None) {
            Decision::Known(answer) => Some(answer),
            Decision::Uncertain | Decision::NotExact => None,
        };
        with_precision(1, || lazily(decide))
    }

    /// Whether the distance of the two is at most [`TOLERANCE`] of the largest coordinate. Nearer than [`UNRESOLVED`], two sets are
    /// apart only if a plane between them is found.
    fn are_close<V: Vector>(&self) -> bool {
        // A plane has no support points.
        if let ConvexShape::HalfSpace { point, normal } | ConvexShape::Plane { point, normal } = self.shape {
            return self.is_close_to_plane(*point, *normal);
        }
        let found = self.distance::<V>(TOLERANCE);
        found.distance <= TOLERANCE || found.distance <= UNRESOLVED && !(found.lower_bound > 0.0)
    }

    /// Whether the volume comes as near to a plane, or to the half-space behind it, as [`TOLERANCE`] of the largest coordinate.
    fn is_close_to_plane(&self, point: Vec3<f64>, normal: Vec3<f64>) -> bool {
        let map = self.level.map(InstanceLevel::affine_map::<f64>);
        let (point, normal) = map.map_or((point, normal), |map| (map.point(point), map.normal(normal)));
        // Both relative to one reference point, and scaled, as for a distance. The margin is that of a volume with a radius.
        let (reference, scale) =
            (self.volume.any_point(), PlacedShape::scale_of(self.volume.largest().max(point.max_abs_f64())));
        let volume = PlacedShape::new(self.volume, None, None, reference, scale);
        let Some(unit) = normal.direction() else { return false };
        let plane = unit.plain_dot((point - reference) * scale);
        let low = unit.plain_dot(volume.support(-unit)) - volume.margin();
        let high = unit.plain_dot(volume.support(unit)) + volume.margin();
        let is_solid = matches!(self.shape, ConvexShape::HalfSpace { .. });
        low - plane <= TOLERANCE && (is_solid || plane - high <= TOLERANCE)
    }

    /// The distance of the two bounded shapes, over their largest coordinate: see [`convex_distance`].
    pub(crate) fn distance<V: Vector>(&self, limit: f64) -> ConvexDistance {
        // Both sets relative to one reference point, and scaled: so the distance is a share of the largest coordinate.
        let map = self.level.map(InstanceLevel::affine_map::<f64>);
        let similarity = map.as_ref().and_then(AffineMap::similarity::<V>);
        let reference: Vec3<f64> = self.volume.any_point();
        let largest = self.volume.largest().max(PlacedShape::largest(self.shape, map.as_ref(), self.dimension));
        let scale = PlacedShape::scale_of(largest);
        let volume = PlacedShape::new(self.volume, None, None, reference, scale);
        let shape = PlacedShape::new(self.shape, map, similarity, reference, scale);
        convex_distance(&volume, &shape, limit)
    }
}

/// Points that GJK finds may be as far apart as this share of the largest coordinate though the sets overlap: beside a set of that
/// size, a rounding of 2^-53 turns the direction between them by its root.
const UNRESOLVED: f64 = power(-25);

/// A volume relative to one of its points; `None` if its numbers are out of the range in which products keep their digits.
pub(crate) fn hull_of<T: Arithmetic>(volume: &ConvexShape) -> Option<SweptHull<T>> {
    let place = HullPlacement { map: None, reference: volume.any_point() };
    SweptHull::new(volume, &place).filter(SweptHull::is_ordinary)
}

/// Whether two hulls with their radii have a point in common, by `quick` if that has an answer.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn hulls_overlap<T: Arithmetic>(
    volume: &SweptHull<T>,
    mut shape: SweptHull<T>,
    dimension: usize,
    quick: impl FnOnce(&SweptHull<T>, &SweptHull<T>) -> Option<bool>,
) -> Option<bool> {
    // A number out of the ordinary range could lose digits in a product: lazy exact arithmetic must decide.
    if !shape.is_ordinary() {
        return None;
    }
    // A turned box multiplies all its numbers by a weight, and the other hull must have it as well.
    let weighted = shape.weight().map(|_| volume.with_weight_of(&shape));
    if volume.weight().is_some() {
        shape = shape.with_weight_of(volume);
    }
    let volume = weighted.as_ref().unwrap_or(volume);
    // A quick answer with a certificate; otherwise separating axes for polytopes, distances for rounded ones.
    if let Some(answer) = quick(volume, &shape) {
        return Some(answer);
    }
    let is_zero = |radius: T| radius.equals(T::ZERO);
    if is_zero(volume.radius) && is_zero(shape.radius) {
        return are_disjoint(volume, &shape, dimension).map(|disjoint| !disjoint);
    }
    are_near(volume, &shape, dimension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::convex_shape::UNIT_ROWS;
    use crate::math::instance_stack::TestMap;
    use crate::math::rounding::power;
    use crate::math::working_ray::InputRay;
    use glam::DVec3;
    use smallvec::SmallVec;
    use test_support::random::Rng;

    fn vector(rng: &mut Rng) -> Vec3<f64> {
        let [x, y, z] = rng.cube(3);
        Vec3::new(x, y, z)
    }

    /// A point of a lattice, on which many pairs touch.
    fn lattice(rng: &mut Rng) -> Vec3<f64> {
        let mut number = || f64::from(rng.int(-3, 3));
        Vec3::new(number(), number(), number())
    }

    type Point<'a> = &'a dyn Fn(&mut Rng) -> Vec3<f64>;

    fn hull(kind: usize, rng: &mut Rng, point: Point<'_>) -> ConvexShape {
        let radius = point(rng).x.abs() + 0.25;
        match kind {
            0 => ConvexShape::Ball { center: point(rng), radius },
            1 => ConvexShape::Capsule { ends: [point(rng), point(rng)], radius: 0.25 },
            2 => ConvexShape::Box { center: point(rng), half: point(rng).map(f64::abs), rows: UNIT_ROWS },
            3 => {
                let rows = [Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), UNIT_ROWS[2]];
                ConvexShape::Box { center: point(rng), half: point(rng).map(f64::abs), rows }
            }
            4 => {
                let (a, b) = (point(rng), point(rng).map(f64::abs));
                ConvexShape::Bounds { min: a, max: a + b }
            }
            5 | 6 => ConvexShape::Polygon((0..kind - 3).map(|_| point(rng)).collect::<SmallVec<_>>()),
            _ => {
                let (base, top, shift) = (point(rng), point(rng).map(|x| x.abs() + 0.5), point(rng));
                let corner = |i: usize| {
                    let side = |bit: usize, x: f64| if i >> bit & 1 == 1 { x } else { 0.0 };
                    let wide = if i >> 2 == 1 { 2.0 } else { 1.0 };
                    base + Vec3::new(side(0, top.x) * wide, side(1, top.y) * wide, side(2, top.z))
                        + shift * side(2, 0.5)
                };
                ConvexShape::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7].map(corner))
            }
        }
    }

    /// Exact answers and distances agree, wherever the distance is not within rounding of zero.
    #[test]
    fn exact_answers_are_those_of_distances() {
        let mut rng = Rng::new(8);
        let mut counts = [[0; 2]; 8];
        // Two shapes of any kinds, in general position or on a lattice, where they often touch.
        for round in 0..20_000 {
            let [i, j] = [rng.below(8), rng.below(8)];
            let point: Point<'_> = if round % 2 == 0 { &vector } else { &lattice };
            let (volume, shape) = (hull(i, &mut rng, point), hull(j, &mut rng, point));
            // A map of small numbers, so that exact tests on the lattice stay exact. Balls and capsules are only moved.
            let mut number = || f64::from(rng.int(-4, 4)) * 0.5;
            let map = if round % 3 == 0 && j > 1 {
                let columns = [[1.0, number(), number()], [0.0, 1.0, number()], [number(), 0.0, 2.0]];
                TestMap::new(columns, [number(), number(), number()])
            } else {
                let columns = UNIT_ROWS.map(|row| [row.x, row.y, row.z]);
                TestMap::new(columns, [number(), number(), number()])
            };
            let columns = map.0;
            let origin = InputRay::point([0.0; 3]);
            let level = InstanceLevel::new(&map, None, &origin);
            if crate::math::instance_stack::is_singular(columns) {
                continue;
            }
            // The distance measured by GJK against the exact answer.
            let pair = ConvexPair { volume: &volume, shape: &shape, level: Some(&level), dimension: 3 };
            let found = pair.distance::<DVec3>(f64::INFINITY);
            let answer = pair.overlap::<DVec3>();
            // On the lattice, sets that do not touch are far apart, but for the rounded axes of an oriented box.
            if found.distance > power(-40) || round % 2 == 0 || (i != 3 && j != 3) {
                assert_eq!(answer, found.distance <= power(-40), "{volume:?} {shape:?} {columns:?} {found:?}");
            }
            counts[i][usize::from(answer)] += 1;
        }
        assert!(counts.iter().all(|[no, yes]| *no > 100 && *yes > 100), "{counts:?}");
    }

    /// What overlaps still overlaps when it grows, and lazy exact arithmetic agrees with the first stage.
    #[test]
    fn arithmetics_agree() {
        let mut rng = Rng::new(9);
        for round in 0..2_000 {
            let [i, j] = [rng.below(8), rng.below(8)];
            let point: Point<'_> = if round % 2 == 0 { &vector } else { &lattice };
            let (volume, shape) = (hull(i, &mut rng, point), hull(j, &mut rng, point));
            let pair = ConvexPair { volume: &volume, shape: &shape, level: None, dimension: 3 };
            let swapped = ConvexPair { volume: &shape, shape: &volume, ..pair };
            let exactly = with_precision(1, || {
                lazily(|| match pair.decide(&hull_of::<LazyExact>(&volume)?, |_, _| None) {
                    Decision::Known(answer) => Some(answer),
                    _ => None,
                })
            });
            assert_eq!(exactly, Some(pair.overlap::<DVec3>()), "{volume:?} {shape:?}");
            assert_eq!(exactly, Some(swapped.overlap::<DVec3>()), "{volume:?} {shape:?}");
        }
    }

    /// The shape with other points and sizes.
    fn mapped(shape: &ConvexShape, at: &dyn Fn(Vec3<f64>) -> Vec3<f64>, size: &dyn Fn(f64) -> f64) -> ConvexShape {
        let at = |p: &Vec3<f64>| at(*p);
        match shape {
            ConvexShape::Ball { center, radius } => ConvexShape::Ball { center: at(center), radius: size(*radius) },
            ConvexShape::Capsule { ends: [a, b], radius } => {
                ConvexShape::Capsule { ends: [at(a), at(b)], radius: size(*radius) }
            }
            ConvexShape::Box { center, half, rows } => {
                ConvexShape::Box { center: at(center), half: half.map(size), rows: *rows }
            }
            ConvexShape::Bounds { min, max } => ConvexShape::Bounds { min: at(min), max: at(max) },
            ConvexShape::Polygon(vertices) => ConvexShape::Polygon(vertices.iter().map(at).collect()),
            ConvexShape::Hexahedron(corners) => ConvexShape::Hexahedron(corners.map(|p| at(&p))),
            _ => shape.clone(),
        }
    }

    /// The filters answer as exact numbers do, where they answer: for shapes that touch, far from the origin, in both precisions, and
    /// of sizes from the least to the greatest.
    #[test]
    fn filters_are_exact_where_they_are_certain() {
        let mut rng = Rng::new(10);
        let (mut decided, mut counts) = ([[0; 2]; 2], [0; 2]);
        for round in 0..12_000 {
            // Two shapes, scaled to the ends of the range of numbers, some rounded to `f32`.
            let [i, j] = [rng.below(7), rng.below(7)];
            let is_on_lattice = round % 2 == 1;
            let point: Point<'_> = if is_on_lattice { &lattice } else { &vector };
            let (volume, shape) = (hull(i, &mut rng, point), hull(j, &mut rng, point));
            let exponent = [0, 0, 0, 40, -40, 250, -250, 500, -500, -1060][round / 2 % 10];
            let scale = |x: f64| {
                let half = power(exponent / 2);
                x * half * half
            };
            let is_single = round % 7 == 0;
            let number = |x: f64| if is_single { f64::from(x as f32) } else { x };
            let scaled = |x| number(scale(x));
            let [volume, shape] = [volume, shape].map(|shape| mapped(&shape, &|p| p.map(scaled), &scaled));
            if !(volume.is_finite() && shape.is_finite()) {
                continue;
            }
            // Lazy exact arithmetic is the truth.
            let pair = ConvexPair { volume: &volume, shape: &shape, level: None, dimension: 3 };
            let exactly = pair.decide_lazily();
            let found = PairFilter::new(&volume, 3).and_then(|filter| filter.answer(&shape));
            assert!(found.is_none() || found == exactly, "{volume:?} {shape:?} {found:?} {exactly:?}");
            assert_eq!(exactly, Some(pair.overlap::<DVec3>()), "{volume:?} {shape:?}");
            if exponent == 0 {
                decided[usize::from(is_on_lattice)][usize::from(found.is_some())] += 1;
            }
            counts[usize::from(exactly == Some(true))] += 1;
        }
        assert!(counts.iter().all(|count| *count > 2_000), "{counts:?}");
        // Of shapes in general position the filters leave nearly none open, but for segments, which have no inside.
        assert!(decided[0][1] > 9 * decided[0][0] && decided[1][1] > decided[1][0], "{decided:?}");
    }

    /// Cylinders, cones and frusta are measured; the filters answer what their distance says.
    #[test]
    fn filters_of_curved_shapes_agree_with_distances() {
        let (mut rng, mut counts) = (Rng::new(11), [0; 3]);
        for round in 0..20_000 {
            let point: Point<'_> = if round % 2 == 1 { &lattice } else { &vector };
            let volume = hull(rng.below(7), &mut rng, point);
            let radii = [[0.5; 2], [0.5, 0.0], [0.25, 1.0], [3.0, 3.0]][round % 4];
            let shift = Vec3::new(rng.pick(&[0.0, 1.0, 1e6]), 0.0, 0.0);
            let shape = ConvexShape::Revolved { ends: [point(&mut rng) + shift, point(&mut rng) + shift], radii };
            let volume = mapped(&volume, &|p| if shift.x > 1.0 { p + shift } else { p }, &|x| x);
            let pair = ConvexPair { volume: &volume, shape: &shape, level: None, dimension: 3 };
            let found = PairFilter::new(&volume, 3).and_then(|filter| filter.answer(&shape));
            if let Some(found) = found {
                assert_eq!(found, pair.are_close::<DVec3>(), "{volume:?} {shape:?}");
            }
            counts[found.map_or(2, usize::from)] += 1;
        }
        assert!(counts[0] > 5_000 && counts[1] > 3_000 && counts[2] < 6_000, "{counts:?}");
    }

    /// The same for shapes as thin as a disk, whose axis has a square below the range of numbers.
    #[test]
    fn filters_of_thin_shapes_agree_with_distances() {
        let (mut rng, mut counts) = (Rng::new(13), [0; 3]);
        for round in 0..20_000 {
            let volume = hull(rng.below(7), &mut rng, &vector);
            let (radii, thickness) =
                ([[0.5; 2], [0.5, 0.0], [3.0, 3.0]][round % 3], rng.pick(&[1e-6, 1e-15, 1e-150, 1e-165, 1e-200]));
            let shape = ConvexShape::Revolved { ends: [Vec3::default(), vector(&mut rng) * thickness], radii };
            let pair = ConvexPair { volume: &volume, shape: &shape, level: None, dimension: 3 };
            let found = PairFilter::new(&volume, 3).and_then(|filter| filter.answer(&shape));
            if let Some(found) = found {
                assert_eq!(found, pair.are_close::<DVec3>(), "{volume:?} {shape:?}");
            }
            counts[found.map_or(2, usize::from)] += 1;
        }
        assert!(counts[0] > 1_000 && counts[1] > 200, "{counts:?}");
    }

    /// Numbers that are not finite, and those at the ends of the range.
    #[test]
    fn filters_take_any_numbers() {
        let mut rng = Rng::new(12);
        // Every number may be at the end of the range, or none at all.
        for _ in 0..50_000 {
            let number = |rng: &mut Rng| {
                rng.pick(&[
                    0.0,
                    -0.0,
                    1.0,
                    -2.0,
                    5e-324,
                    -1e-310,
                    1e-160,
                    1e160,
                    f64::MAX,
                    -f64::MAX,
                    f64::INFINITY,
                    f64::NAN,
                ])
            };
            let any = |rng: &mut Rng| Vec3::new(number(rng), number(rng), number(rng));
            let [i, j] = [rng.below(7), rng.below(7)];
            let (volume, shape) = (hull(i, &mut rng, &any), hull(j, &mut rng, &any));
            // A set that is not finite overlaps nothing.
            let found = PairFilter::new(&volume, 3).and_then(|filter| filter.answer(&shape));
            if !(volume.is_finite() && shape.is_finite()) {
                assert_ne!(found, Some(true), "{volume:?} {shape:?}");
            }
        }
    }
}
