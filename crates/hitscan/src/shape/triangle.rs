//! The triangle in space, and the crossing test that meshes share.

use super::error::{Problem, ShapeError, finite};
use super::settle::Settled;
use super::{Crossing, Kernel, Meet, outward};
use crate::explain::Recorder;
#[cfg(not(feature = "small"))]
use crate::math::Watch;
#[cfg(feature = "small")]
use crate::math::{Dynamic, Level, at_level};
use crate::math::{Exact, Frame, Line, Precision, Probe, Raw, Vector, Vector3, Wide, Wide3, with_room};
use crate::{Aabb, Hit, Query};
use glam::DVec3;

/// The flat triangle `a b c`: a surface with two sides; counter-clockwise vertices face the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle<V: Vector> {
    a: V,
    b: V,
    c: V,
}

impl<V: Vector3> Triangle<V> {
    /// The normal is that of `(b - a) x (c - a)`.
    ///
    /// # Errors
    /// A vertex that is not finite; three vertices on one line.
    pub fn new(a: V, b: V, c: V) -> Result<Self, ShapeError> {
        finite("a", a)?;
        finite("b", b)?;
        finite("c", c)?;
        if are_collinear([a, b, c].map(V::to_f64)) {
            return Err(ShapeError { field: "a, b, c", problem: Problem::Collinear });
        }
        Ok(Self { a, b, c })
    }
    /// The three vertices.
    pub fn vertices(&self) -> [V; 3] {
        [self.a, self.b, self.c]
    }
}

/// Whether three points lie on one line: plainly not, in `f64`, or as exact numbers say.
#[inline(never)]
fn are_collinear(points: [[f64; 3]; 3]) -> bool {
    let [a, b, c] = points.map(|[x, y, z]| Wide3::new(x, y, z));
    // Components are below 2, and each product is off by less than 2^-49; unless a difference overflows.
    let size = (b - a).near_one().cross((c - a).near_one()).largest();
    if size > PLAINLY && size <= 8.0 {
        return false;
    }
    with_room(1, || {
        let [a, b, c] = [a, b, c].map(Wide3::convert::<Exact>);
        (b - a).cross(c - a).is_zero()
    })
}

/// 2^-40.
const PLAINLY: f64 = f64::from_bits((1023 - 40) << 52);

/// What an edge or a vertex that the line meets exactly means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeRule {
    /// It belongs to the triangle: touching is hitting.
    Closed,
    /// It belongs to one of the triangles that share it: the line is thought moved aside by an infinitely small
    /// amount, the same for all triangles, so that around an edge or vertex of a closed mesh every crossing counts
    /// once (simulation of simplicity: Edelsbrunner, Muecke, ACM TOG 9(1), 1990).
    Once,
}

/// A crossing of a line with a triangle.
#[derive(Clone, Copy, Debug)]
pub struct TriangleHit<T> {
    /// In lengths of the line's direction.
    pub(crate) t: T,
    /// -1 where the front is met, 1 where the back is: the sign of `normal . direction`, which itself may be beyond the range
    /// of other arithmetic.
    pub(crate) facing: T,
    /// `(b - a) x (c - a)`, scaled.
    pub(crate) normal: Wide3<T>,
    /// Weights of `b` and `c`.
    pub(crate) uv: [T; 2],
}

impl<T: Wide> TriangleHit<T> {
    /// Rounded to other working arithmetic.
    #[inline(always)]
    pub(crate) fn convert<U: Wide>(&self) -> TriangleHit<U> {
        let number = |x: T| U::from_parts(x.parts());
        let Self { t, facing, normal, uv } = *self;
        let uv = uv.map(number);
        TriangleHit { t: number(t), facing: number(facing), normal: normal.convert(), uv }
    }
    /// With a normal that any arithmetic can tell: the product of two edges may be beyond its range.
    #[inline(always)]
    pub(crate) fn tellable(self) -> Self {
        if T::COARSE { self } else { Self { normal: self.normal.near_one(), ..self } }
    }
}

const WEIGHTS: [&str; 3] = ["barycentric weight of a", "barycentric weight of b", "barycentric weight of c"];

/// # Method
/// The line passes an edge `p q` on the side told by the sign of `(d x (p + q)) . (q - p)`, with the vertices relative
/// to the origin. Both triangles at an edge compute the same number with opposite sign, so no line slips between
/// them. Three equal signs are a crossing; `t` comes from the plane, whose normal is formed from the edges.
///
/// # Source
/// Pluecker's side product, in the form that is antisymmetric under rounding (Woop, Benthin, Wald, *Watertight
/// Ray/Triangle Intersection*, JCGT 2(1), 2013, for why that matters). What it was compared with, in
/// `tests/textbook.rs`: Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997, and
/// projection along the dominant axis with barycentric coordinates (Badouel, Graphics Gems, 1990).
///
/// # Accuracy
/// In twice the digits of the inputs: `conformance.rs`; meshes: `mesh.rs`, leaks.
///
/// # Edges
/// `rule` decides about edges and vertices. A line in the plane of the triangle misses it.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(crate) fn cross_triangle<T: Wide, P: Probe>(
    line: &Line<T>,
    [a, b, c]: [Wide3<T>; 3],
    rule: EdgeRule,
    probe: &mut P,
) -> Option<TriangleHit<T>> {
    let extent = (b - a).extent().max((c - a).extent());
    let frame = line.local(a, extent);
    let (ab, ac, d) = (frame.vector(b - a), frame.vector(c - a), frame.d);
    frame.vouch([ab, ac], [], probe);
    let normal = ab.cross(ac);
    let (slope, slope_reach) = (normal.dot(d), ab.cross_reach(ac).dot_reach(d));
    probe.number("slope: normal . direction (scaled)", || slope.to_f64());
    probe.sign(slope, slope_reach);
    if !(slope != T::ZERO) {
        probe.verdict("miss: the line is parallel to the triangle");
        return None;
    }
    let facing = T::ONE.towards(slope);
    // Relative to the origin, but formed from the vertices themselves: the same for both triangles of an edge.
    let ends = [a, b, c].map(|v| frame.vector(v - line.origin));
    let twice = slope + slope;
    for (i, name) in WEIGHTS.into_iter().enumerate() {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let edge = frame.vector([a, b, c][k] - [a, b, c][j]);
        let weight = d.cross(ends[j] + ends[k]).dot(edge);
        let sum_reach = ends[j].map(Wide::abs) + ends[k].map(Wide::abs);
        probe.number(name, || (weight / twice).to_f64());
        probe.sign(weight, d.cross_reach(sum_reach).dot_reach(edge));
        let outside = if rule == EdgeRule::Closed || weight != T::ZERO {
            (weight * facing).rules_out()
        } else {
            // Whose edge it is hangs on more signs; they are left to the widest arithmetic.
            probe.doubt();
            !owns(edge * facing, d)
        };
        if outside {
            probe.verdict("miss: a weight is negative, the plane is met outside an edge");
            return None;
        }
    }
    let (t, uv) = crossing_numbers(&frame, [ab, ac, normal], [slope, slope_reach], probe);
    Some(TriangleHit { t, facing, normal, uv })
}

/// Where a line that is known to cross a triangle does: nothing is decided here. See [`cross_triangle`].
#[inline(always)]
pub(crate) fn known_crossing<T: Wide, P: Probe>(
    line: &Line<T>,
    [a, b, c]: [Wide3<T>; 3],
    probe: &mut P,
) -> TriangleHit<T> {
    // Coarse arithmetic is not scaled; and of four triangles at a time, each has an extent of its own.
    let extent = if T::COARSE { 1.0 } else { (b - a).extent().max((c - a).extent()) };
    let frame = line.local(a, extent);
    let (ab, ac) = (frame.vector(b - a), frame.vector(c - a));
    let normal = ab.cross(ac);
    let (slope, slope_reach) = (normal.dot(frame.d), ab.cross_reach(ac).dot_reach(frame.d));
    let (t, uv) = crossing_numbers(&frame, [ab, ac, normal], [slope, slope_reach], probe);
    TriangleHit { t, facing: T::ONE.towards(slope), normal, uv }
}

/// `t` and the weights of `b` and `c`: with m the moment of the line about `a`, `u = -m . ac / slope` and `v = m . ab / slope`.
#[cfg_attr(not(feature = "small"), inline(always))]
fn crossing_numbers<T: Wide, P: Probe>(
    frame: &Frame<T>,
    [ab, ac, normal]: [Wide3<T>; 3],
    [slope, slope_reach]: [T; 2],
    probe: &mut P,
) -> (T, [T; 2]) {
    let (height, moment) = (normal.dot(frame.o), frame.moment());
    probe.value(slope, slope_reach);
    probe.value(height, ab.cross_reach(ac).dot_reach(frame.o));
    // What was rounded may have left the triangle.
    let weight = |w: T| w.max(T::ZERO).min(T::ONE);
    (frame.t(-height / slope), [weight(-moment.dot(ac) / slope), weight(moment.dot(ab) / slope)])
}

/// Where the line crosses the plane of a triangle, exactly, if it meets the triangle.
#[cfg(not(feature = "small"))]
pub(crate) fn exact_crossing(line: &Line<Exact>, corners: [Wide3<f64>; 3]) -> Option<Exact> {
    let corners = corners.map(Wide3::convert);
    cross_triangle(line, corners, EdgeRule::Closed, &mut Watch::default()).map(|at| at.t)
}

/// The same.
#[cfg(feature = "small")]
pub(crate) fn exact_crossing(line: &Line<Exact>, corners: [Wide3<f64>; 3]) -> Option<Exact> {
    at_level(Level::Exact, || {
        let (line, corners) = (line.map(Dynamic::from_exact), corners.map(Wide3::convert));
        let at = cross_triangle(&line, corners, EdgeRule::Closed, &mut Recorder::default())?;
        Some(at.t.to_exact())
    })
}

/// The hit of a line that is known to cross a triangle, in whatever arithmetic it takes.
#[cold]
#[inline(never)]
pub(crate) fn weighed_hit(corners: [Wide3<f64>; 3], raw: &Raw, precision: Precision) -> Option<Hit<DVec3>> {
    let [a, b, c] = corners.map(|v| DVec3::new(v.x, v.y, v.z));
    let all = Query::new().range(f64::NEG_INFINITY, f64::INFINITY);
    let full = Settled::full(&Triangle { a, b, c }, raw, &all, precision, &mut Recorder::default());
    full.hits.first().map(|(_, hit)| *hit)
}

/// Whether a directed edge that a line meets exactly belongs to the triangle on its left, seen along the line. The
/// line is moved by (s, s^2, s^3), s infinitely small: the sign of the first component of `edge x d` that is not zero
/// decides, and it is opposite for the edge turned round.
#[cfg_attr(not(feature = "small"), inline(always))]
fn owns<T: Wide>(edge: Wide3<T>, d: Wide3<T>) -> bool {
    let side = edge.cross(d);
    let first = if side.x != T::ZERO {
        side.x
    } else if side.y != T::ZERO {
        side.y
    } else {
        side.z
    };
    first > T::ZERO
}

impl<V: Vector3> Kernel for Triangle<V> {
    type Vector = V;
    const NAME: &'static str = "triangle";
    const SOLID: bool = false;
    const ABREAST: bool = true;
    type State<T: Wide> = TriangleHit<T>;
    type Double = Triangle<V::Double>;

    fn double(&self) -> Self::Double {
        Triangle { a: self.a.double(), b: self.b.double(), c: self.c.double() }
    }

    /// See [`cross_triangle`], which has the headings # Method, # Source, # Accuracy and # Edges.
    #[inline(always)]
    fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, TriangleHit<T>>> {
        let hit = cross_triangle(line, self.vertices().map(V::widen), EdgeRule::Closed, probe)?;
        Some(Meet::surface(Crossing::new(hit.t, 0, hit.facing), hit))
    }
    #[inline(always)]
    fn normal<T: Wide>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Wide3<T> {
        hit.normal
    }
    #[inline(always)]
    fn uv<T: Wide>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        Some(hit.uv)
    }
    fn bounds(&self) -> Aabb<V> {
        outward(Aabb::from_points(self.vertices()))
    }
}
