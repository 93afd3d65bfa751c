//! Triangle in 3D, and the crossing test that meshes share.

use crate::aabb::Aabb;
use crate::block_hits::Numbers;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::math::working_ray::WorkingRay;
use crate::shapes::error::{ShapeError, ShapeErrorKind, are_collinear, finite};

/// Triangle: the flat surface `a b c`, with two sides; counter-clockwise vertices face the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle<V: Vector> {
    pub(crate) a: V,
    pub(crate) b: V,
    pub(crate) c: V,
}

impl<V: Vector3> Triangle<V> {
    /// Triangle with the normal of `(b - a) x (c - a)`.
    ///
    /// # Errors
    /// A vertex that is not finite; three vertices on one line.
    pub fn new(a: V, b: V, c: V) -> Result<Self, ShapeError> {
        finite("a", a)?;
        finite("b", b)?;
        finite("c", c)?;
        if are_collinear([a, b, c].map(V::to_f64)) {
            return Err(ShapeError { field: "a, b, c", problem: ShapeErrorKind::Collinear });
        }
        Ok(Self { a, b, c })
    }
    /// The three vertices.
    pub fn vertices(&self) -> [V; 3] {
        [self.a, self.b, self.c]
    }
}

/// Rule for a line that meets an edge or a vertex exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeRule {
    /// The edge belongs to the triangle: touching is hitting.
    Closed,
    /// The edge belongs to one of the triangles that share it: an infinitesimal shift of the line, the same for all
    /// triangles, decides which, so that around an edge or vertex of a closed mesh every crossing counts once
    /// (simulation of simplicity: Edelsbrunner, Muecke, ACM TOG 9(1), 1990).
    Once,
}

/// Crossing of a line with a triangle.
#[derive(Clone, Copy, Debug)]
pub struct TriangleHit<T> {
    /// Parameter in lengths of the line's direction.
    pub(crate) t: T,
    /// Sign of `normal . direction`: -1 on the front, 1 on the back. The product itself may be beyond the range of
    /// other arithmetic.
    pub(crate) facing: T,
    /// `(b - a) x (c - a)`, scaled.
    pub(crate) normal: Vec3<T>,
    /// Barycentric weights of `b` and `c`.
    pub(crate) uv: [T; 2],
}

impl<T: Arithmetic> TriangleHit<T> {
    /// The crossing, rounded to other working arithmetic.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn convert<U: Arithmetic>(&self) -> TriangleHit<U> {
        let number = |x: T| U::from_parts(x.parts());
        let Self { t, facing, normal, uv } = *self;
        let uv = uv.map(number);
        TriangleHit { t: number(t), facing: number(facing), normal: normal.convert(), uv }
    }
    /// The crossing with its normal scaled into the range of every arithmetic, which the product of two edges may
    /// exceed.
    #[inline(always)]
    pub(crate) fn tellable(self) -> Self {
        if T::NORMWISE_BOUNDS { self } else { Self { normal: self.normal.normalize_exponent(), ..self } }
    }
}

const WEIGHTS: [&str; 3] = ["barycentric weight of a", "barycentric weight of b", "barycentric weight of c"];

/// # Method
/// With the edges `e = b - a` and `f = c - a`, and relative to `a`, the line meets the plane at `u e + v f`. Its moment
/// is that point times `d`, so `u`, `v` and the weight of `a` are `-m . f`, `m . e`, and the rest of `n . d`, each over
/// `n . d`. Three equal signs are a crossing; `t` comes from the plane, whose normal `n = e x f` is formed from the
/// edges.
///
/// # Source
/// Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997, with the moment.
/// `tests/all/textbook.rs` compares it with projection along the dominant axis and barycentric coordinates (Badouel,
/// Graphics Gems, 1990). Uncertain signs are those of exact numbers, so no line slips between two triangles: Woop,
/// Benthin, Wald, *Watertight Ray/Triangle Intersection*, JCGT 2(1), 2013, for why that matters.
///
/// # Accuracy
/// In twice the digits of the inputs: `conformance.rs`; meshes: `mesh.rs`, leaks. With |v| the sum of the magnitudes of
/// the components, the terms of `n` are below `|e| |f|`, those of `m` below `|o| |d|`, and `|e| |f|` below
/// `(|e| + |f|)^2 / 4`.
///
/// # Edges
/// `rule` decides about edges and vertices. A line in the plane of the triangle misses it. For inputs in `S`, if that
/// is `f32`, no product underflows (docs/proofs.md, Lemma 6).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn cross_triangle<S: Real, T: Arithmetic, P: Observer>(
    line: &WorkingRay<T>,
    corners: [Vec3<T>; 3],
    rule: EdgeRule,
    observer: &mut P,
) -> Option<TriangleHit<T>> {
    let local = LocalTriangle::new(line, corners);
    let LocalTriangle { e, f, slope, u, v, .. } = local;
    local.frame.check_scale_short::<S, _, _, _>([e, f], [], observer);
    observer.number("slope: normal . direction (scaled)", || slope.to_f64());
    let weights = [slope - u - v, u, v];
    for (name, weight) in WEIGHTS.into_iter().zip(weights) {
        observer.number(name, || (weight / slope).to_f64());
    }
    let inside = if T::NORMWISE_BOUNDS {
        local.contains_normwise(weights, observer)
    } else {
        // What comes here has a bound of its error, and certifies its comparisons.
        if slope.equals(T::ZERO) {
            observer.verdict("miss: the line is parallel to the triangle");
            return None;
        }
        local.contains(weights, rule)
    };
    if !inside {
        observer.verdict("miss: a weight is negative, the line crosses the plane outside an edge");
        return None;
    }
    Some(local.hit::<S, _>(observer))
}

/// Crossing of a line with a triangle that it is known to cross: values only, no decision. See [`cross_triangle`].
#[inline(always)]
pub(crate) fn known_crossing<T: Arithmetic, P: Observer>(
    line: &WorkingRay<T>,
    corners: [Vec3<T>; 3],
    observer: &mut P,
) -> TriangleHit<T> {
    LocalTriangle::new(line, corners).hit::<f64, _>(observer)
}

/// Line and triangle, relative to vertex `a`; or a parallelogram, relative to a corner.
pub(crate) struct LocalTriangle<T> {
    pub(crate) frame: Frame<T>,
    pub(crate) e: Vec3<T>,
    pub(crate) f: Vec3<T>,
    normal: Vec3<T>,
    pub(crate) slope: T,
    /// Weights of `b` and `c`, times `slope`.
    pub(crate) u: T,
    pub(crate) v: T,
}

impl<T: Arithmetic> LocalTriangle<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(line: &WorkingRay<T>, [a, b, c]: [Vec3<T>; 3]) -> Self {
        Self::of_edges(line, a, [b - a, c - a])
    }
    /// Relative to a corner, by the two edges from there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of_edges(line: &WorkingRay<T>, corner: Vec3<T>, [e, f]: [Vec3<T>; 2]) -> Self {
        // Norm-wise bounds need no scaling; and four triangles at a time would have four extents.
        let extent = if T::NORMWISE_BOUNDS { 1.0 } else { e.max_abs_f64().max(f.max_abs_f64()) };
        let frame = line.local(corner, extent);
        let (e, f, m) = (frame.vector(e), frame.vector(f), frame.moment());
        let normal = e.cross(f);
        Self { frame, e, f, normal, slope: normal.dot(frame.d), u: -m.dot(f), v: m.dot(e) }
    }
    /// Magnitudes of the terms of `n . d` and of `n . o`, by norms.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn magnitude(&self) -> [T; 2] {
        let Self { frame: Frame { o, d, .. }, e, f, .. } = *self;
        let plane = e.l1_norm() * f.l1_norm();
        [plane * d.l1_norm(), plane * o.l1_norm()]
    }
    /// Whether the line passes inside all edges, by norm-wise bounds: every weight has the sign of `slope`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn contains_normwise<const N: usize, P: Observer>(&self, weights: [T; N], observer: &mut P) -> bool {
        let Self { frame: Frame { o, d, .. }, e, f, slope, .. } = *self;
        let mut least = weights[0].mul_sign(slope);
        for weight in &weights[1..] {
            least = least.min(weight.mul_sign(slope));
        }
        let edges = e.l1_norm() + f.l1_norm();
        observer.sign(least, edges * d.l1_norm() * (edges + o.l1_norm()));
        !least.is_miss()
    }
    /// Whether the line passes inside all edges; `rule` decides about a line through one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn contains(&self, weights: [T; 3], rule: EdgeRule) -> bool {
        let Self { e, f, slope, .. } = *self;
        let edges = [f - e, -f, e];
        (0..3).all(|i| is_inside(weights[i], edges[i], (slope, self.frame.d), rule))
    }
    /// Crossing from its quotients: `t` and the weights.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit<S: Real, P: Observer>(self, observer: &mut P) -> TriangleHit<T> {
        let Self { frame, normal, slope, u, v, .. } = self;
        let height = -normal.dot(frame.o);
        if !P::UNFILTERED {
            let [slope_magnitude, height_magnitude] = self.magnitude();
            observer.value(slope, slope_magnitude);
            observer.value(height, height_magnitude);
        }
        let [t, u, v] = if T::NORMWISE_BOUNDS && !T::VALUES_ONLY {
            let inverse = T::ONE / slope;
            [height * inverse, u * inverse, v * inverse]
        } else {
            [height / slope, u / slope, v / slope]
        };
        // Rounding may have moved the point out of the triangle.
        let weight = |w: T| w.max(T::ZERO).min(T::ONE);
        TriangleHit { t: frame.short_t::<S>(t), facing: T::ONE.mul_sign(slope), normal, uv: [weight(u), weight(v)] }
    }
}

/// Whether the line passes an edge on the inner side, where `weight` has the sign of `slope`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_inside<T: Arithmetic>(weight: T, edge: Vec3<T>, (slope, d): (T, Vec3<T>), rule: EdgeRule) -> bool {
    if rule == EdgeRule::Closed || !weight.equals(T::ZERO) {
        return weight.mul_sign(slope).ge(T::ZERO);
    }
    owns(edge * T::ONE.mul_sign(slope), d)
}

/// Whether a directed edge that a line meets exactly belongs to the triangle on its left, seen along the line. The line
/// is moved by (s, s^2, s^3), s infinitesimal: the sign of the first nonzero component of `edge x d` decides, and it is
/// opposite for the reversed edge.
#[cfg_attr(not(debug_assertions), inline(always))]
fn owns<T: Arithmetic>(edge: Vec3<T>, d: Vec3<T>) -> bool {
    let side = edge.cross(d);
    let first = if !side.x.equals(T::ZERO) {
        side.x
    } else if !side.y.equals(T::ZERO) {
        side.y
    } else {
        side.z
    };
    first.gt(T::ZERO)
}

impl<V: Vector3> Kernel for Triangle<V> {
    type Vector = V;
    const NAME: &'static str = "triangle";
    const SOLID: bool = false;
    const PACKETS: Option<Numbers> = Some(Numbers::All);
    type State<T: Arithmetic> = TriangleHit<T>;
    type Double = Triangle<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        Triangle { a: self.a.double(), b: self.b.double(), c: self.c.double() }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// See [`cross_triangle`], which has the headings # Method, # Source, # Accuracy and # Edges.
    #[inline(always)]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, TriangleHit<T>>> {
        let hit = cross_triangle::<V::Scalar, _, _>(line, self.vertices().map(V::widen), EdgeRule::Closed, observer)?;
        Some(Intersection::new(Crossing::new(hit.t, 0, hit.facing), hit))
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_triangle(self.vertices().map(V::widen))
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Normal<T> {
        Normal::Direction(hit.normal)
    }
    #[inline(always)]
    fn uv<T: Arithmetic>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        Some(hit.uv)
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::from_points(self.vertices()).outward()
    }
}
