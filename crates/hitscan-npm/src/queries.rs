//! Queries at one mesh, whose results are written as numbers.

use crate::code::{Code, Failure, plain};
use crate::objects::{HitBuffer, RayBuffer, Space, is_front};
use hitscan::{
    ClosestPoint, Coplanar, Cuboid, Faces, Feature, Hit, OverlapQuery, PointQuery, Query, RangedRay, Ray, RayCast,
    Real, Shape, Span, Sphere, SweepHit, SweepQuery, TriangleMesh, Vector, Volume,
};
use std::ops::ControlFlow;

/// Numbers of a hit: `t`, distance, point, normal, `u`, `v`, triangle, 1 for the front.
pub const HIT_NUMBERS: usize = 12;

/// Bits of the flags of a query: 1 for front faces only, 2 for back faces only, 4 for rays that run in a triangle, 8 for each triangle
/// at a shared edge in lists.
const FRONT: u32 = 1;
const BACK: u32 = 2;
const COPLANAR: u32 = 4;
const EACH: u32 = 8;

/// Numbers of a cast: origin, direction, the smallest and the largest `t`, and the flags.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    pub(crate) origin: [f64; 3],
    pub(crate) direction: [f64; 3],
    pub(crate) range: [f64; 2],
    pub(crate) flags: u32,
}

impl Cast {
    pub(crate) fn ray<V: Space>(&self) -> Ray<V> {
        Ray::new(V::nearest(self.origin), V::nearest(self.direction))
    }

    pub(crate) fn query<S: Real>(&self) -> Query<S> {
        let [t_min, t_max] = self.range.map(S::from_f64);
        query(self.flags).range(t_min, if t_max == S::INFINITY { S::MAX } else { t_max })
    }
}

/// The query of the flags over the whole ray.
fn query<S: Real>(flags: u32) -> Query<S> {
    let faces = match flags & (FRONT | BACK) {
        FRONT => Faces::Front,
        BACK => Faces::Back,
        _ => Faces::Both,
    };
    let query = Query::new().faces(faces);
    let query = if flags & COPLANAR == 0 { query } else { query.coplanar(Coplanar::Hit) };
    if flags & EACH == 0 { query } else { query.with_shared_edges() }
}

fn write<V: Vector>(out: &mut [f64], v: V) {
    out[..3].copy_from_slice(&v.to_f64());
}

fn write_uv<S: Real>(out: &mut [f64], uv: Option<[S; 2]>) {
    let [u, v] = uv.map_or([f64::NAN; 2], |uv| uv.map(Real::to_f64));
    (out[0], out[1]) = (u, v);
}

fn write_hit<V: Vector>(out: &mut [f64], hit: &Hit<V>) {
    (out[0], out[1]) = (hit.t.to_f64(), hit.distance.to_f64());
    write(&mut out[2..], hit.point);
    write(&mut out[5..], hit.normal);
    write_uv(&mut out[8..], hit.uv);
    (out[10], out[11]) = (hit.primitive.map_or(-1.0, f64::from), f64::from(is_front(hit)));
}

/// The closest hit; returns how many there are, 0 or 1. The call is that of `cast_ray` without the part for limits by a distance.
pub(crate) fn closest<V: Space>(mesh: &TriangleMesh<V>, cast: &Cast, out: &mut [f64]) -> i32 {
    let hit = mesh.cast_closest(&cast.ray(), &cast.query());
    hit.iter().for_each(|hit| write_hit(out, hit));
    i32::from(hit.is_some())
}

pub(crate) fn any<V: Space>(mesh: &TriangleMesh<V>, cast: &Cast) -> i32 {
    i32::from(mesh.cast_any(&cast.ray(), &cast.query()))
}

/// All hits, each of [`HIT_NUMBERS`] numbers.
pub(crate) fn all<V: Space>(mesh: &TriangleMesh<V>, cast: &Cast, out: &mut Vec<f64>) -> i32 {
    let mut hits = Vec::new();
    mesh.cast_ray_all_into(&cast.ray(), cast.query(), &mut hits);
    list(&hits, out)
}

fn list<V: Vector>(hits: &[Hit<V>], out: &mut Vec<f64>) -> i32 {
    out.clear();
    out.resize(hits.len() * HIT_NUMBERS, 0.0);
    out.chunks_exact_mut(HIT_NUMBERS).zip(hits).for_each(|(out, hit)| write_hit(out, hit));
    count_of(hits.len())
}

fn count_of(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

pub(crate) fn count<V: Space>(mesh: &TriangleMesh<V>, cast: &Cast) -> i32 {
    count_of(mesh.count_hits(&cast.ray(), cast.query()))
}

/// The spans, each of two hits. What a span lacks has a NaN as `t`.
pub(crate) fn spans<V: Space>(mesh: &TriangleMesh<V>, cast: &Cast, out: &mut Vec<f64>) -> i32 {
    let spans = mesh.spans(&cast.ray(), cast.query());
    out.clear();
    out.resize(spans.len() * 2 * HIT_NUMBERS, f64::NAN);
    for (out, Span { enter, exit }) in out.chunks_exact_mut(2 * HIT_NUMBERS).zip(&spans) {
        let (first, second) = out.split_at_mut(HIT_NUMBERS);
        enter.iter().for_each(|hit| write_hit(first, hit));
        exit.iter().for_each(|hit| write_hit(second, hit));
    }
    count_of(spans.len())
}

pub(crate) fn contains<V: Space>(mesh: &TriangleMesh<V>, point: [f64; 3]) -> i32 {
    i32::from(mesh.contains(V::nearest(point)))
}

/// The place of a point of the surface: 0, 1 or 2 for a face, an edge or a vertex; the number of that; `u`, `v`; the triangle.
fn write_place<S: Real>(out: &mut [f64], feature: Feature, uv: Option<[S; 2]>, primitive: Option<u32>) {
    let (kind, number) = match feature {
        Feature::Face(number) => (0.0, number),
        Feature::Edge(number) => (1.0, number),
        Feature::Vertex(number) => (2.0, number),
    };
    (out[0], out[1]) = (kind, f64::from(number));
    write_uv(&mut out[2..], uv);
    out[4] = primitive.map_or(-1.0, f64::from);
}

/// The closest point up to a distance: point, distance, place.
pub(crate) fn closest_point<V: Space>(mesh: &TriangleMesh<V>, point: [f64; 3], most: f64, out: &mut [f64]) -> i32 {
    let found = mesh.closest_point_within(V::nearest(point), V::Scalar::from_f64(most));
    if let Some(ClosestPoint { point, distance, feature, uv, primitive, .. }) = found {
        write(out, point);
        out[3] = distance.to_f64();
        write_place(&mut out[4..], feature, uv, primitive);
    }
    i32::from(found.is_some())
}

/// The distance, negative inside a closed mesh.
pub(crate) fn signed_distance<V: Space>(mesh: &TriangleMesh<V>, point: [f64; 3], out: &mut [f64]) -> i32 {
    let distance = mesh.signed_distance(V::nearest(point));
    distance.iter().for_each(|distance| out[0] = distance.to_f64());
    i32::from(distance.is_some())
}

/// The first contact of a sphere: `t`, distance, center, point, normal, depth or NaN, place.
pub(crate) fn sphere_cast<V: Space>(
    mesh: &TriangleMesh<V>,
    cast: &Cast,
    radius: f64,
    out: &mut [f64],
) -> Result<i32, Failure> {
    // The cast takes a bad radius for a miss; the constructor of spheres tells it from one.
    let radius = V::Scalar::from_f64(radius);
    Sphere::new(V::nearest([0.0; 3]), radius).map_err(|_| plain(Code::Volume))?;
    let hit = mesh.cast_sphere(&cast.ray(), radius, cast.query());
    if let Some(SweepHit { t, distance, center, point, normal, depth, feature, uv, primitive, .. }) = hit {
        (out[0], out[1]) = (t.to_f64(), distance.to_f64());
        write(&mut out[2..], center);
        write(&mut out[5..], point);
        write(&mut out[8..], normal);
        out[11] = depth.map_or(f64::NAN, Real::to_f64);
        write_place(&mut out[12..], feature, uv, primitive);
    }
    Ok(i32::from(hit.is_some()))
}

/// A sphere, or a box with its half extents.
pub(crate) fn volume<V: Space>(center: [f64; 3], size: [f64; 3], is_box: bool) -> Result<Volume<V>, Failure> {
    let (center, size) = (V::nearest(center), V::nearest(size));
    if is_box {
        return Cuboid::new(center, size).map(Volume::from).map_err(|_| plain(Code::Volume));
    }
    Sphere::new(center, size.component(0)).map(Volume::from).map_err(|_| plain(Code::Volume))
}

pub(crate) fn overlaps<V: Space>(mesh: &TriangleMesh<V>, volume: &Volume<V>) -> i32 {
    i32::from(mesh.overlaps(volume))
}

/// Whether the convex hull of points touches a triangle.
pub(crate) fn touches_hull<V: Space>(mesh: &TriangleMesh<V>, points: &[V]) -> Result<i32, Failure> {
    let hull = Volume::hull(points.iter().copied()).map_err(|_| plain(Code::Volume))?;
    // A hull inside of a closed mesh overlaps it without a triangle.
    let touched = mesh.for_each_overlap(&hull, |found| match found.primitive {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    });
    Ok(i32::from(touched.is_break()))
}

/// The range of rays: that of a ray, and the query's.
fn ranged<V: Space>(rays: &RayBuffer<V>, at: usize) -> RangedRay<V> {
    RangedRay::new(Ray::new(rays.origins[at], rays.directions[at]), rays.t_min[at], rays.t_max[at])
}

/// The closest hits of the first rays of a buffer; returns how many rays hit.
///
/// Ray by ray: a batch of the library has ray lists on WebAssembly, which take longer there.
pub(crate) fn closest_each<V: Space>(
    mesh: &TriangleMesh<V>,
    rays: &RayBuffer<V>,
    count: usize,
    cast: &Cast,
    hits: &mut HitBuffer<V>,
) -> i32 {
    let query = cast.query();
    let mut found = 0;
    for at in 0..count {
        let hit = mesh.cast_closest(&ranged(rays, at), &query);
        found += i32::from(hit.is_some());
        hits.write(at, hit.as_ref());
    }
    found
}

/// Whether each of the first rays of a buffer hits, as bytes; returns how many do.
pub(crate) fn any_each<V: Space>(
    mesh: &TriangleMesh<V>,
    rays: &RayBuffer<V>,
    count: usize,
    cast: &Cast,
    out: &mut [u8],
) -> i32 {
    let query = cast.query();
    let mut found = 0;
    for (at, out) in out.iter_mut().enumerate().take(count) {
        *out = u8::from(mesh.cast_any(&ranged(rays, at), &query));
        found += i32::from(*out);
    }
    found
}
