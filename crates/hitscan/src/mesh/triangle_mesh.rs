//! Triangle meshes.

use super::Topology;
use crate::accel::{Index, Method, SlabTest, Statistics};
use crate::explain::Recorder;
use crate::math::{Dd, Exact, Line, Precision, Probe, Raw, Real, Vector, Vector3, W, Watch, Wide, Wide3, with_room};
use crate::shape::{
    Candidate, EdgeRule, Limits, Queries, Question, TO_COMPARE, TriangleHit, answer, build_hit, climb, cross_triangle,
    surely, surely_nearer,
};
use crate::{Aabb, Cast, Explanation, Faces, Hit, Query, Ray, Side, Span};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::ops::ControlFlow;

/// A surface of triangles that share vertices.
///
/// It is watertight: no line slips between triangles at a shared edge or vertex. `cast_ray` and `intersects_ray` count
/// touching as hitting; for `cast_ray_all`, `count_hits`, `spans` and `contains` a shared edge or vertex is crossed
/// once. A closed mesh ([`Topology::is_closed`]) has an inside, which `contains` and `spans` know of; an open one has
/// none. As a surface it is hit from within too: [`Origin`](crate::Origin) does not matter.
#[derive(Clone, Debug)]
pub struct TriangleMesh<V: Vector> {
    vertices: Vec<V>,
    triangles: Vec<[u32; 3]>,
    bounds: Aabb<V>,
    topology: Topology,
    index: Index<V>,
}

/// Why a mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no triangles.
    NoTriangles,
    /// More vertices or triangles than 32 bits can number.
    TooMany,
    /// A vertex has a NaN or an infinity.
    NotFinite {
        /// Its number.
        vertex: usize,
    },
    /// A triangle names a vertex that is not there.
    OutOfRange {
        /// The number of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTriangles => write!(f, "the mesh has no triangles"),
            Self::TooMany => write!(f, "the mesh has more than 2^32 - 1 vertices or triangles"),
            Self::NotFinite { vertex } => write!(f, "vertex {vertex}: a coordinate is not finite"),
            Self::OutOfRange { triangle, index, vertices } => {
                write!(f, "triangle {triangle}: vertex index {index} out of range ({vertices} vertices)")
            }
        }
    }
}
impl core::error::Error for MeshError {}

impl<V: Vector3> TriangleMesh<V> {
    /// Checks the mesh and builds its tree: O(n log n). Triangles without area are allowed, and never hit.
    ///
    /// # Errors
    /// No triangles; a coordinate that is not finite; a vertex index out of range.
    pub fn new(vertices: Vec<V>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::with_method(vertices, triangles, Method::Bvh)
    }

    /// The same with a chosen way to find triangles.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with_method(vertices: Vec<V>, triangles: Vec<[u32; 3]>, method: Method) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        if u32::try_from(vertices.len()).is_err() || u32::try_from(triangles.len()).is_err() {
            return Err(MeshError::TooMany);
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.all_finite()) {
            return Err(MeshError::NotFinite { vertex });
        }
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&index) = t.iter().find(|&&i| i as usize >= vertices.len()) {
                return Err(MeshError::OutOfRange { triangle, index, vertices: vertices.len() });
            }
        }
        let boxes: Vec<Aabb<V>> =
            triangles.iter().map(|t| Aabb::from_points(t.map(|i| vertices[i as usize]))).collect();
        let bounds = boxes.iter().fold(Aabb::empty(), |all, b| all.union(*b));
        let topology = Topology::of(&vertices, &triangles);
        let index = Index::build(method, &boxes);
        Ok(Self { vertices, triangles, bounds, topology, index })
    }

    /// The same mesh, with every triangle tested for every ray: the reference for tests.
    #[must_use]
    pub fn brute(&self) -> Self {
        Self { index: Index::Brute(crate::accel::Brute::new(self.triangles.len())), ..self.clone() }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[V] {
        &self.vertices
    }
    /// The triangles, each as the numbers of its vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
    /// How the triangles hang together.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
    /// The size of the tree.
    pub fn statistics(&self) -> Statistics {
        self.index.statistics()
    }

    /// The crossing with one triangle, if it is within the range of `t` and on a side that is asked for.
    #[inline(always)]
    fn cross(
        &self,
        triangle: u32,
        line: &Line<W<V>>,
        query: &Query<V::Scalar>,
        rule: EdgeRule,
    ) -> Option<TriangleHit<W<V>>> {
        let crossing = self.crossing(triangle, query, rule);
        answer::<V::Scalar, _, _>(
            &crossing,
            || line.raw,
            |raw| crossing.surely(&raw),
            |raw| crossing.weighed(&raw, V::Scalar::PRECISION, &mut Recorder::default()),
        )
        .map(|at| at.convert())
    }

    #[inline(always)]
    fn crossing(&self, triangle: u32, query: &Query<V::Scalar>, rule: EdgeRule) -> Crossing {
        let corners = self.triangles[triangle as usize].map(|v| self.vertices[v as usize].widen());
        Crossing { corners, query: query.double(), rule }
    }

    fn hit(&self, line: &Line<W<V>>, triangle: u32, at: &TriangleHit<W<V>>) -> Hit<V> {
        let side = if at.slope < W::<V>::ZERO { Side::Front } else { Side::Back };
        let hit = build_hit(line, at.t, Some(at.normal), side, Some(at.uv));
        Hit { primitive: Some(triangle), ..hit }
    }

    /// Every crossing in the range of the query, an edge or vertex counted once, by rising `t`.
    fn crossings(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Vec<(u32, TriangleHit<W<V>>)> {
        let mut found = Vec::new();
        if !line.is_valid() {
            return found;
        }
        let limits = Limits::new(line, query);
        let test = SlabTest::new(line, limits.min.to_f64());
        let _ = self.index.visit(&test, &mut limits.max.to_f64(), |i, _| {
            found.extend(self.cross(i, line, query, EdgeRule::Once).map(|at| (i, at)));
            ControlFlow::Continue(())
        });
        self.sort(line, &mut found);
        found
    }

    /// Sorts crossings by `t`, those at the same `t` by their triangles. Where rounding might decide, all are compared
    /// in exact numbers.
    fn sort(&self, line: &Line<W<V>>, found: &mut Vec<(u32, TriangleHit<W<V>>)>) {
        found.sort_by(|(i, a), (j, b)| a.t.partial_cmp(&b.t).unwrap_or(Ordering::Equal).then(i.cmp(j)));
        if found.windows(2).all(|pair| surely_nearer(pair[0].1.t, pair[1].1.t).is_some()) {
            return;
        }
        with_room(TO_COMPARE, || {
            let line = line.again::<Exact>();
            let exact = |&(i, _): &(u32, _)| self.exact_t(&line, i);
            let mut keyed: Vec<_> = found.iter().map(|at| (exact(at), *at)).collect();
            keyed.sort_by(|(s, (i, _)), (t, (j, _))| cmp_exact(*s, *t).then(i.cmp(j)));
            *found = keyed.into_iter().map(|(_, at)| at).collect();
        });
    }

    /// Where the line crosses the plane of a triangle, exactly.
    fn exact_t(&self, line: &Line<Exact>, triangle: u32) -> Option<Exact> {
        let corners = self.triangles[triangle as usize].map(|v| self.vertices[v as usize].widen());
        cross_triangle(line, corners, EdgeRule::Closed, &mut Watch::default()).map(|at| at.t)
    }

    /// Nearer, or as near with a lower number: whatever the order in which triangles are visited, the same one wins.
    fn beats(&self, line: &Line<W<V>>, new: &Candidate<W<V>>, old: &Candidate<W<V>>) -> bool {
        let order = surely_nearer(new.t, old.t).unwrap_or_else(|| {
            with_room(TO_COMPARE, || {
                let line = line.again::<Exact>();
                cmp_exact(self.exact_t(&line, new.primitive), self.exact_t(&line, old.primitive))
            })
        });
        order.then(new.primitive.cmp(&old.primitive)).is_lt()
    }
}

/// Both are hits, so that both are there.
fn cmp_exact(a: Option<Exact>, b: Option<Exact>) -> Ordering {
    a.zip(b).map_or(Ordering::Equal, |(a, b)| a.cmp_rounded(b))
}

/// One triangle and one line.
struct Crossing {
    corners: [Wide3<f64>; 3],
    query: Query<f64>,
    rule: EdgeRule,
}

impl Crossing {
    #[inline(never)]
    fn weighed(&self, raw: &Raw, precision: Precision, recorder: &mut Recorder) -> Option<TriangleHit<Dd>> {
        climb(self, raw, precision, recorder)
    }
    #[inline(never)]
    fn surely(&self, raw: &Raw) -> Option<TriangleHit<Dd>> {
        surely(self, raw)
    }
}

impl Question for Crossing {
    type Answer = Option<TriangleHit<Dd>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let corners = self.corners.map(Wide3::convert);
        let at = cross_triangle(line, corners, self.rule, probe)?;
        let found = seen(self.query.faces_mode(), &at) && Limits::new(line, &self.query).hold(at.t, probe);
        found.then(|| at.convert())
    }
}

fn seen<T: Wide>(faces: Faces, at: &TriangleHit<T>) -> bool {
    match faces {
        Faces::Both => true,
        Faces::Front => at.slope < T::ZERO,
        Faces::Back => at.slope > T::ZERO,
    }
}

impl<V: Vector3> Queries<V> for TriangleMesh<V> {
    fn name(&self) -> &'static str {
        "mesh"
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds
    }
    fn contains_point(&self, point: V) -> bool {
        if !self.topology.is_closed() || !self.bounds.contains(point) {
            return false;
        }
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let along = |axis| Ray::new(point, V::from_xyz(axis)).line();
        let axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]].map(along);
        // On the surface: no triangle is parallel to all three axes, and a line parallel to it would miss it.
        let here = Query::new().range(zero, zero);
        // Else along any direction the ray from an inner point crosses the surface an odd number of times.
        axes.iter().any(|line| self.any(line, &here)) || self.crossings(&axes[0], &Query::new()).len() % 2 == 1
    }
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>> {
        let limits = Limits::new(line, query);
        if !line.is_valid() {
            return None;
        }
        let mut best: Option<Candidate<W<V>>> = None;
        let mut limit = limits.max.to_f64().min(limit);
        let _ = self.index.visit(&SlabTest::new(line, limits.min.to_f64()), &mut limit, |i, limit| {
            if let Some(at) = self.cross(i, line, query, EdgeRule::Closed) {
                let new = Candidate { t: at.t, primitive: i, at_start: false };
                if best.is_none_or(|old| self.beats(line, &new, &old)) {
                    best = Some(new);
                    *limit = limit.min(new.limit());
                }
            }
            ControlFlow::Continue(())
        });
        best
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Hit<V>> {
        let at = self.cross(found.primitive, line, query, EdgeRule::Closed)?;
        Some(self.hit(line, found.primitive, &at))
    }
    fn any(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> bool {
        let limits = Limits::new(line, query);
        let test = SlabTest::new(line, limits.min.to_f64());
        let crossed = |i| self.cross(i, line, query, EdgeRule::Closed).is_some();
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        line.is_valid() && self.index.visit(&test, &mut limits.max.to_f64(), |i, _| stop(crossed(i))).is_break()
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        for (i, at) in self.crossings(line, query) {
            out(at.t, self.hit(line, i, &at));
        }
    }
    fn exact_first(&self, line: &Line<Exact>, _query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Exact> {
        self.exact_t(line, found.primitive)
    }
    fn exact_every(&self, line: &Line<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let found = self.crossings(&line.again(), query);
        found.into_iter().filter_map(|(i, _)| self.exact_t(line, i)).for_each(out);
    }
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize {
        self.crossings(line, query).len()
    }
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        if !self.topology.is_closed() || !line.is_valid() {
            return;
        }
        let limits = Limits::new(line, query);
        // Beyond the largest number of the precision too.
        let without_end = Query::new().range(-V::Scalar::INFINITY, V::Scalar::INFINITY);
        let mut all = self.crossings(&line.unlimited(), &without_end);
        // At the same t first in, then out: a line that only touches an edge is inside for a point.
        let comes_out = |at: &TriangleHit<W<V>>| at.slope > W::<V>::ZERO;
        all.sort_by(|(_, a), (_, b)| {
            a.t.partial_cmp(&b.t).unwrap_or(Ordering::Equal).then(comes_out(a).cmp(&comes_out(b)))
        });
        // Going in through a front adds one layer, coming out through a back takes one away.
        let (mut depth, mut open) = (0i64, None);
        for (i, at) in all {
            let before = depth;
            depth += if at.slope < W::<V>::ZERO { 1 } else { -1 };
            if before == 0 {
                open = Some((i, at));
            } else if depth == 0
                && let Some((first, enter)) = open.take()
                && enter.t <= limits.max
                && at.t >= limits.min
                && limits.min <= limits.max
            {
                let exit = (at.t <= limits.max).then(|| self.hit(line, i, &at));
                let starts_inside = enter.t <= limits.min && limits.min.to_f64() > f64::NEG_INFINITY;
                let enter = if starts_inside {
                    (limits.min, build_hit(line, limits.min, None, Side::Back, None))
                } else {
                    (enter.t, self.hit(line, first, &enter))
                };
                out(enter.0, Span { enter: Some(enter.1), exit });
            }
        }
    }
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        explanation.number("triangles", self.triangles.len() as f64);
        match self.candidate(line, query, f64::INFINITY) {
            Some(found) => {
                explanation.number("nearest triangle", f64::from(found.primitive));
                let mut recorder = Recorder::writing();
                self.crossing(found.primitive, query, EdgeRule::Closed).weighed(
                    &line.raw,
                    V::Scalar::PRECISION,
                    &mut recorder,
                );
                explanation.append(recorder);
                explanation.number("t", found.t.to_f64());
                explanation.verdict("hit: the nearest crossing within the range of t");
            }
            None if !line.is_valid() => {
                explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
            }
            None => explanation.verdict("miss: no triangle is crossed within the range of t"),
        }
    }
}
