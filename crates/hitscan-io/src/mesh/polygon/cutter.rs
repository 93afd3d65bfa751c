//! Polygons in space: projected to the plane of two axes, and cut there.

use super::ears::{EarClipper, EarResult};
use super::orientation::{Point, Turn, area_sign, turn};
use super::overlap::{Overlap, OverlapFinder};
use super::rounding::Rounding;
use std::cmp::Ordering;

/// Cuts polygons into triangles, and keeps its memory from one polygon to the next.
#[derive(Default)]
pub(in crate::mesh) struct PolygonCutter {
    offsets: Vec<[f64; 3]>,
    points: Vec<Point>,
    clipper: EarClipper,
    finder: OverlapFinder,
}

/// What a polygon is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mesh) enum Polygon {
    /// Flat, and its boundary does not cross itself: the triangles are the polygon.
    Clean,
    /// Its corners are farther from a plane than their rounding explains.
    Bent,
    /// Its boundary crosses itself, so no triangles between its corners are the polygon.
    Crossing,
}

impl PolygonCutter {
    /// Adds the triangles of a polygon, two less than it has corners, to `triangles`. Its corners, three or more, are vertices with
    /// finite coordinates; neighbours are different vertices.
    pub(in crate::mesh) fn cut(
        &mut self,
        vertices: &[[f64; 3]],
        corners: &[u32],
        rounding: &Rounding,
        triangles: &mut Vec<[u32; 3]>,
    ) -> Polygon {
        if let [a, b, c] = *corners {
            triangles.push([a, b, c]);
            return Polygon::Clean;
        }
        let plane = Plane::of(vertices, corners, &mut self.offsets);
        self.points.clear();
        self.points.extend(corners.iter().map(|corner| plane.project(vertices[*corner as usize])));
        // Most polygons are convex: a fan around their first corner is enough.
        let is_simple = if fans_out(&self.points) {
            triangles.extend(corners[1..].windows(2).map(|edge| [corners[0], edge[0], edge[1]]));
            true
        } else {
            let is_simple = self.clip();
            let cut = self.clipper.triangles.iter();
            triangles.extend(cut.map(|triangle| triangle.map(|corner| corners[corner])));
            is_simple
        };
        match is_simple {
            false => Polygon::Crossing,
            true if plane.is_flat(rounding) => Polygon::Clean,
            true => Polygon::Bent,
        }
    }

    /// Cuts the polygon at `points` by ear clipping; whether its triangles do not overlap.
    fn clip(&mut self) -> bool {
        if area_sign(&self.points) == Ordering::Less {
            // The mirror image runs counterclockwise.
            self.points.iter_mut().for_each(|point| point[0] = -point[0]);
        }
        let covers = self.clipper.cut(&self.points) == EarResult::Covers;
        // The two triangles of four corners are on different sides of their common edge.
        covers && (self.points.len() == 4 || self.finder.find(&self.points, &self.clipper.triangles) == Overlap::Apart)
    }
}

/// Whether the fan around the first corner covers the polygon: its triangles turn to one side, and less than once around.
fn fans_out(points: &[Point]) -> bool {
    let [first, rest @ ..] = points else { return false };
    let side = turn(*first, rest[0], rest[1]);
    let turns_alike = rest[1..].windows(2).all(|edge| turn(*first, edge[0], edge[1]) == side);
    // Beyond half a turn the corners are on the other side of the first edge, and stay there.
    let is_beyond = |point: &Point| turn(*first, rest[0], *point) != side;
    let beyond = rest[1..].iter().skip_while(|point| !is_beyond(point));
    side != Turn::Straight && turns_alike && (rest.len() == 3 || beyond.into_iter().all(is_beyond))
}

/// The plane of a polygon, as far as `f64` numbers tell.
struct Plane {
    /// The axes of the projection. Seen against the normal, the first is on the right of the second.
    axes: [usize; 2],
    /// How far the corners are apart along the normal, how large its components are together, and the size of the polygon: all
    /// in lengths of `unit`.
    thickness: f64,
    normal: f64,
    size: f64,
    unit: f64,
    /// The largest coordinate.
    magnitude: f64,
}

impl Plane {
    /// The plane through the first corner with Newell's normal, whose largest component chooses the projection. Source: Tampieri,
    /// *Newell's method for computing the plane equation of a polygon*, Graphics Gems III, 1992.
    fn of(vertices: &[[f64; 3]], corners: &[u32], offsets: &mut Vec<[f64; 3]>) -> Self {
        let first = vertices[corners[0] as usize];
        let (mut magnitude, mut low, mut high) = (0.0_f64, [0.0_f64; 3], [0.0_f64; 3]);
        // Offsets from the first corner, halved, for the difference of two numbers may overflow; then in a unit of their size.
        offsets.clear();
        for corner in corners {
            let point = vertices[*corner as usize];
            magnitude = magnitude.max(point[0].abs()).max(point[1].abs()).max(point[2].abs());
            let offset = [0, 1, 2].map(|axis| point[axis] * 0.5 - first[axis] * 0.5);
            low = [0, 1, 2].map(|axis| low[axis].min(offset[axis]));
            high = [0, 1, 2].map(|axis| high[axis].max(offset[axis]));
            offsets.push(offset);
        }
        let extents = [0, 1, 2].map(|axis| high[axis] * 0.5 - low[axis] * 0.5);
        let size = extents[0].max(extents[1]).max(extents[2]);
        let unit = power_of_two_below(size);
        let per_unit = 1.0 / unit;
        offsets.iter_mut().for_each(|offset| *offset = offset.map(|x| x * per_unit));
        // The sum of the normals of the triangles around the first corner.
        let mut normal = [0.0; 3];
        for pair in offsets[1..].windows(2) {
            let ([a, b, c], [x, y, z]) = (pair[0], pair[1]);
            let [u, v, w] = normal;
            normal = [u + (b * z - c * y), v + (c * x - a * z), w + (a * y - b * x)];
        }
        // Where the normal is nothing but rounding, the axis along which the corners are nearest is left out.
        let largest = |numbers: [f64; 3]| {
            if numbers[2] >= numbers[0].max(numbers[1]) { 2 } else { usize::from(numbers[1] > numbers[0]) }
        };
        let sizes = normal.map(f64::abs);
        let axis = largest(sizes);
        let axis = if sizes[axis] > NOISE { axis } else { largest(extents.map(|extent| -extent)) };
        let heights = offsets.iter().map(|[x, y, z]| normal[0] * x + normal[1] * y + normal[2] * z);
        let (lowest, highest) = heights.fold((0.0, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
        Self {
            axes: [(axis + 1) % 3, (axis + 2) % 3],
            thickness: highest - lowest,
            normal: sizes.into_iter().sum(),
            size: size * per_unit,
            unit,
            magnitude,
        }
    }

    fn project(&self, point: [f64; 3]) -> Point {
        self.axes.map(|axis| point[axis])
    }

    /// Whether a plane passes as near to all corners as the rounding of their numbers explains. The plane through the first corner,
    /// whose normal is off as well, is up to four times as far from them as the best one. The heights are computed with some
    /// roundings of their own.
    fn is_flat(&self, rounding: &Rounding) -> bool {
        if self.thickness == 0.0 {
            return true;
        }
        let explained = 2.0 * rounding.of(self.magnitude) / self.unit + 32.0 * f64::EPSILON * self.size;
        self.thickness <= self.normal * explained
    }
}

/// Components of a normal up to this, where the polygon has a size near 1, are the roundings of its sum.
const NOISE: f64 = 1.0 / (1_u64 << 40) as f64;

/// The largest power of two up to a number; 1 for zero and numbers that are not normal.
fn power_of_two_below(x: f64) -> f64 {
    if x.is_normal() { f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of the polygon at these points of the plane z = 0, and what it is.
    fn cut(points: &[Point]) -> (Vec<[u32; 3]>, Polygon) {
        cut_in(points, |[x, y]| [x, y, 0.0])
    }

    fn cut_in(points: &[Point], place: impl Fn(Point) -> [f64; 3]) -> (Vec<[u32; 3]>, Polygon) {
        let vertices: Vec<_> = points.iter().map(|point| place(*point)).collect();
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        let polygon = PolygonCutter::default().cut(&vertices, &corners, &Rounding::default(), &mut triangles);
        assert_eq!(triangles.len(), points.len() - 2);
        (triangles, polygon)
    }

    /// How often triangles cover a point that is on no edge.
    fn cover(points: &[Point], triangles: &[[u32; 3]], at: Point) -> usize {
        let is_in = |triangle: &&[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| points[corner as usize]);
            let turns = [turn(a, b, at), turn(b, c, at), turn(c, a, at)];
            turns == [Turn::Left; 3] || turns == [Turn::Right; 3]
        };
        triangles.iter().filter(is_in).count()
    }

    /// The plan of the issue: a U, whose courtyard a fan covers.
    const U: [Point; 8] =
        [[0.0, 0.0], [10.0, 0.0], [10.0, 8.0], [7.0, 8.0], [7.0, 3.0], [3.0, 3.0], [3.0, 8.0], [0.0, 8.0]];

    #[test]
    fn a_courtyard_stays_open_in_every_plane_and_direction() {
        let places: [fn(Point) -> [f64; 3]; 5] = [
            |[x, y]| [x, y, 3.0],
            |[x, y]| [y, 5.0, x],
            |[x, y]| [-7.0, x, y],
            |[x, y]| [x, y, x + y],
            |[x, y]| [x, -2.0 * x, y],
        ];
        for place in places {
            for start in 0..8 {
                let mut points = U;
                points.rotate_left(start);
                for _ in 0..2 {
                    let (triangles, polygon) = cut_in(&points, place);
                    assert_eq!(polygon, Polygon::Clean);
                    assert_eq!(cover(&points, &triangles, [5.0, 5.5]), 0, "{triangles:?}");
                    for inside in [[1.25, 7.5], [8.75, 7.25], [5.125, 1.5]] {
                        assert_eq!(cover(&points, &triangles, inside), 1, "{triangles:?}");
                    }
                    points.reverse();
                }
            }
        }
    }

    #[test]
    fn convex_polygons_stay_fans_around_their_first_corner() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(cut(&square), (vec![[0, 1, 2], [0, 2, 3]], Polygon::Clean));
        // With its reflex corner second, this one has no fan.
        let dart = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [1.0, 3.0]];
        assert_eq!(cut(&dart), (vec![[1, 2, 3], [1, 3, 0]], Polygon::Clean));
    }

    /// A square with a square hole: the bridge from corner 0 to the hole is in the polygon twice.
    #[test]
    fn a_hole_with_a_bridge_stays_a_hole() {
        let ring = [
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 6.0],
            [0.0, 6.0],
            [0.0, 0.0],
            [2.0, 2.0],
            [2.0, 4.0],
            [4.0, 4.0],
            [4.0, 2.0],
            [2.0, 2.0],
        ];
        for start in 0..10 {
            let mut points = ring;
            points.rotate_left(start);
            let (triangles, polygon) = cut(&points);
            assert_eq!(polygon, Polygon::Clean, "{start}");
            assert_eq!(cover(&points, &triangles, [3.25, 3.0]), 0);
            for inside in [[3.0, 1.25], [5.25, 3.0], [3.0, 5.25], [0.75, 3.0], [5.5, 5.25]] {
                assert_eq!(cover(&points, &triangles, inside), 1, "{start} {inside:?}");
            }
        }
    }

    #[test]
    fn corners_on_edges_leave_no_triangle_without_area() {
        let triangle = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 3.0], [0.0, 1.0]];
        for start in 0..6 {
            let mut points = triangle;
            points.rotate_left(start);
            let (triangles, polygon) = cut(&points);
            assert_eq!(polygon, Polygon::Clean);
            for [a, b, c] in triangles.iter().map(|triangle| triangle.map(|corner| points[corner as usize])) {
                assert_eq!(turn(a, b, c), Turn::Left);
            }
        }
    }

    #[test]
    fn what_crosses_itself_or_is_bent_is_found() {
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(cut(&bow_tie).1, Polygon::Crossing);
        let star: Vec<Point> =
            [0, 2, 4, 1, 3].map(|i| [[0.0, 3.0], [-3.0, 1.0], [-2.0, -2.0], [2.0, -2.0], [3.0, 1.0]][i]).into();
        assert_eq!(cut(&star).1, Polygon::Crossing);
        let twice: Vec<Point> = [&U[..], &U[..]].concat();
        assert_eq!(cut(&twice).1, Polygon::Crossing);
        // A ribbon that turns and runs over itself: every triangle turns left, and two overlap.
        let ribbon = [
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 4.0],
            [2.0, 4.0],
            [2.0, -2.0],
            [3.0, -2.0],
            [3.0, 3.0],
            [5.0, 3.0],
            [5.0, 1.0],
            [0.0, 1.0],
        ];
        assert_eq!(cut(&ribbon).1, Polygon::Crossing);
        let bent = |height: f64| cut_in(&U, |[x, y]| [x, y, if x == 10.0 && y == 8.0 { height } else { 0.0 }]).1;
        assert_eq!(bent(1e-7), Polygon::Clean, "the rounding of an f32");
        assert_eq!(bent(1e-3), Polygon::Bent);
        assert_eq!(cut(&[[1.0, 1.0]; 5]).1, Polygon::Clean, "without an area there is nothing to cover");
        assert_eq!(cut(&[[0.0, 0.0], [3.0, 3.0], [1.0, 1.0], [2.0, 2.0]]).1, Polygon::Clean);
    }

    /// Numbers of every size: the same triangles.
    #[test]
    fn scale_changes_no_cut() {
        let (expected, _) = cut(&U);
        for scale in [f64::MIN_POSITIVE, f64::from_bits(1 << 4), 2_f64.powi(1019)] {
            let points = U.map(|point| point.map(|x| x * scale));
            assert_eq!(cut(&points), (expected.clone(), Polygon::Clean), "{scale}");
        }
    }

    /// Random polygons without crossings, stars around a point: their cover against their winding.
    #[test]
    fn random_stars_are_covered_once() {
        let mut random = test_support::random::Lcg::new(3);
        for round in 0..400 {
            let count = 4 + random.below(if round % 40 == 0 { 400 } else { 30 });
            let points: Vec<Point> = (0..count)
                .map(|i| {
                    let angle = std::f64::consts::TAU * i as f64 / count as f64;
                    let radius = 1.0 + random.below(8) as f64;
                    [radius * angle.cos(), radius * angle.sin()]
                })
                .collect();
            let (triangles, polygon) = cut(&points);
            assert_eq!(polygon, Polygon::Clean, "{points:?}");
            for _ in 0..20 {
                let at = [(); 2].map(|()| random.below(1000) as f64 / 61.0 - 8.2);
                let crossings = (0..count).filter(|&i| {
                    let (a, b) = (points[i], points[(i + 1) % count]);
                    let (low, high) = if a[1] < b[1] { (a, b) } else { (b, a) };
                    low[1] <= at[1] && at[1] < high[1] && turn(low, high, at) == Turn::Left
                });
                assert_eq!(cover(&points, &triangles, at), crossings.count() % 2, "{points:?} {at:?}");
            }
        }
    }

    /// How often a polygon winds around a point that is on no edge.
    fn winding(points: &[Point], at: Point) -> i32 {
        let edges = points.iter().zip(points.iter().cycle().skip(1));
        edges
            .map(|(a, b)| match (a[1] <= at[1], b[1] <= at[1], turn(*a, *b, at)) {
                (true, false, Turn::Left) => 1,
                (false, true, Turn::Right) => -1,
                _ => 0,
            })
            .sum()
    }

    /// Random polygons over a few points, which cross and touch themselves in every way: the triangles of those that are not counted
    /// as crossing cover what the polygon winds around, once.
    #[test]
    fn what_is_not_counted_is_right() {
        let mut random = test_support::random::Lcg::new(11);
        let (mut right, mut looked_simple) = (0, 0);
        for _ in 0..4_000 {
            let (count, side) = (4 + random.below(7), 3 + random.below(4));
            let points: Vec<Point> = (0..count).map(|_| [(); 2].map(|()| random.below(side) as f64)).collect();
            let (triangles, polygon) = cut(&points);
            let mut samples = Vec::new();
            for i in 0..side * 4 {
                for j in 0..side * 4 {
                    samples.push([i as f64 / 4.0 + 0.0437, j as f64 / 4.0 + 0.0291]);
                }
            }
            let windings: Vec<i32> = samples.iter().map(|at| winding(&points, *at)).collect();
            let side = windings.iter().copied().find(|winding| *winding != 0).unwrap_or(1);
            let is_simple = windings.iter().all(|winding| *winding == 0 || (*winding == side && side.abs() == 1));
            if polygon == Polygon::Crossing {
                // Some cross within less than the distance of the samples.
                looked_simple += usize::from(is_simple);
                continue;
            }
            right += 1;
            for (at, winding) in samples.iter().zip(&windings) {
                assert_eq!(cover(&points, &triangles, *at) as i32, winding * side, "{points:?} {at:?} {triangles:?}");
            }
            assert!(is_simple, "{points:?}");
        }
        assert!(right > 20 * looked_simple, "{right}, {looked_simple}");
    }

    /// The work of four times as many corners. Searches for ears visit a tree, which is hardly deeper; a search that compares all
    /// corners would visit four times as many for each. Where there are too many visits, cutting ends.
    #[test]
    fn large_polygons_take_no_square() {
        let visits = |points: &[Point], expected: Polygon| {
            let mut cutter = PolygonCutter::default();
            let vertices: Vec<_> = points.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
            let corners: Vec<u32> = (0..points.len() as u32).collect();
            let polygon = cutter.cut(&vertices, &corners, &Rounding::default(), &mut Vec::new());
            assert_eq!(polygon, expected);
            // One search more may begin before the limit of all.
            let most = |each: u64| 4096 + (each + 16) * points.len() as u64;
            assert!(cutter.clipper.visits < most(EarClipper::VISITS), "{}", cutter.clipper.visits);
            assert!(cutter.finder.visits < most(OverlapFinder::VISITS), "{}", cutter.finder.visits);
            cutter.clipper.visits / points.len() as u64
        };
        let comb = |count: u32| -> Vec<Point> {
            let teeth = (0..count - 2).map(|i| [f64::from(i), if i % 2 == 0 { 0.0 } else { 9.0 }]);
            teeth.chain([[f64::from(count - 3), 10.0], [0.0, 10.0]]).collect()
        };
        let slanted =
            |count: u32| -> Vec<Point> { comb(count).iter().map(|[x, y]| [x + 2000.0 * y, 2000.0 * y - x]).collect() };
        for [small, large] in [[1_000, 4_000].map(comb), [1_000, 4_000].map(slanted)] {
            let [small, large] = [small, large].map(|points| visits(&points, Polygon::Clean));
            assert!(large < 2 * small && large < EarClipper::VISITS / 2, "{small}, then {large}");
        }
        let mut random = test_support::random::Lcg::new(5);
        let tangle: Vec<Point> = (0..1_000).map(|_| [(); 2].map(|()| random.below(1 << 30) as f64)).collect();
        visits(&tangle, Polygon::Crossing);
    }
}
