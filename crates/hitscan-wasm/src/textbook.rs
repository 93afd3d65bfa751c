//! Closest hit of a shape by textbook formulas in plain `f32`. The lab shows it beside the library's hit.
//!
//! [`test_support::textbook`] has the formulas; this module passes the parameters of the shape to them and applies the
//! rules of a query to their results.

use crate::open::{SceneSpace, ShapeRef};
use hitscan::Vector;
use hitscan::glam::{DVec2, DVec3, Mat3, Vec3};
use hitscan::{AnyShape2, AnyShape3, Basis, Faces, Inside, Object, Query, TriangleMesh};
use hitscan_io::RayOrSegment;
use hitscan_io::fmt::coordinates;
use test_support::textbook::triangle::with_normal;
use test_support::textbook::whole_line::{self, Intersection};
use test_support::textbook::{Crossing, Line, Vec3 as TextbookVec3};

/// Ray or segment in `f32` with its own largest `t`; two-dimensional ones lie in the plane z = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayF32 {
    line: Line<f32>,
    limit: f32,
}

impl RayF32 {
    pub(crate) fn new(ray: RayOrSegment<DVec3>) -> Self {
        let (origin, direction, limit) = match ray {
            RayOrSegment::Ray(ray) => (at(ray.origin), at(ray.direction), f32::MAX),
            RayOrSegment::Segment(segment) => (at(segment.a), at(segment.b) - at(segment.a), 1.0),
        };
        Self { line: Line { origin, direction }, limit }
    }
}

/// Rounds a vector to `f32`; a two-dimensional vector gets z = 0.
fn at<V: Vector<Scalar = f64>>(v: V) -> TextbookVec3<f32> {
    TextbookVec3(coordinates(v).map(|x| x as f32))
}

/// Closest hit by the textbook's formulas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) t: f32,
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
}

/// Computes the closest hit of an object: the inverse of its transform carries the ray to the coordinates of the shape.
pub(crate) fn first_of_object<V: SceneSpace>(object: &Object<V>, ray: &RayF32, query: &Query<f32>) -> Option<Hit> {
    let shape = V::shape_ref(object.shape());
    let Some(transform) = object.transform() else { return first(&shape, ray, query) };
    let glam = |TextbookVec3(v): TextbookVec3<f32>| Vec3::from(v);
    let axis = |i: usize| transform.axes().get(i).map_or(Vec3::Z, |axis| glam(at(*axis)));
    let inverse = Mat3::from_cols(axis(0), axis(1), axis(2)).inverse();
    let origin = inverse * (glam(ray.line.origin) - glam(at(transform.translation())));
    let direction = inverse * glam(ray.line.direction);
    let line = Line { origin: TextbookVec3(origin.to_array()), direction: TextbookVec3(direction.to_array()) };
    let found = first(&shape, &RayF32 { line, ..*ray }, query)?;
    let normal = (inverse.transpose() * found.normal).normalize_or_zero();
    Some(Hit { t: found.t, point: glam(ray.line.at(found.t)), normal })
}

/// Computes the closest hit of one shape in the range of the query.
pub(crate) fn first(shape: &ShapeRef<'_>, ray: &RayF32, query: &Query<f32>) -> Option<Hit> {
    let found = match shape {
        ShapeRef::Flat(shape) => flat(shape, &ray.line),
        ShapeRef::Spatial(AnyShape3::Mesh(mesh)) => return nearest(mesh, ray, query),
        ShapeRef::Spatial(shape) => spatial(shape, &ray.line),
    }?;
    within(&found, ray, query)
}

/// Applies the rules of a query to an intersection: range of `t`, start inside a solid, faces of a surface.
fn within(found: &Intersection<f32>, ray: &RayF32, query: &Query<f32>) -> Option<Hit> {
    let (t_min, t_max) = (query.t_min(), query.t_max().min(ray.limit));
    let in_range = |&(t, _): &Crossing<f32>| t >= t_min && t <= t_max;
    let direction = ray.line.direction;
    let (t, normal) = match *found {
        Intersection::Solid(enter, exit) => {
            let inside = query.inside_mode() == Inside::Solid && enter.0 <= t_min && exit.0 >= t_min;
            if inside && t_min <= t_max { (t_min, -direction) } else { [enter, exit].into_iter().find(in_range)? }
        }
        Intersection::Surface(at) => {
            let seen = match query.faces_mode() {
                Faces::Both => true,
                Faces::Front => at.1.dot(direction) < 0.0,
                Faces::Back => at.1.dot(direction) >= 0.0,
            };
            Some(at).filter(|at| seen && in_range(at))?
        }
    };
    let glam = |TextbookVec3(v): TextbookVec3<f32>| Vec3::from(v);
    Some(Hit { t, point: glam(ray.line.at(t)), normal: glam(normal).normalize_or_zero() })
}

fn flat(shape: &AnyShape2<DVec2>, line: &Line<f32>) -> Option<Intersection<f32>> {
    use whole_line::{capsule, cuboid, ellipsoid, half_space, plane, polygon, segment, sphere, tapered_capsule};
    match shape {
        AnyShape2::Circle(s) => sphere(line, at(s.center()), s.radius() as f32),
        AnyShape2::HalfPlane(s) => half_space(line, at(s.point()), at(s.normal())),
        AnyShape2::Line(s) => plane(line, at(s.point()), at(s.normal())).map(Intersection::Surface),
        AnyShape2::Segment(s) => segment(line, at(s.a()), at(s.b())),
        AnyShape2::Rectangle(s) => cuboid(line, at(s.center()), &TextbookVec3::AXES[..2], at(s.half_extents())),
        AnyShape2::OrientedRectangle(s) => cuboid(line, at(s.center()), &axes(s.basis()), at(s.half_extents())),
        AnyShape2::Capsule(s) => capsule(line, at(s.a()), at(s.b()), s.radius() as f32),
        AnyShape2::TaperedCapsule(s) => {
            tapered_capsule(line, at(s.a()), at(s.b()), s.radius_a() as f32, s.radius_b() as f32)
        }
        AnyShape2::Triangle(s) => polygon(line, &s.vertices().map(at)),
        AnyShape2::Polygon(s) => polygon(line, &s.vertices().iter().copied().map(at).collect::<Vec<_>>()),
        AnyShape2::Ellipse(s) => {
            let TextbookVec3([x, y, _]) = at(s.radii());
            ellipsoid(line, at(s.center()), &axes(s.basis()), TextbookVec3([x, y, 1.0]))
        }
        _ => None,
    }
}

fn spatial(shape: &AnyShape3<DVec3>, line: &Line<f32>) -> Option<Intersection<f32>> {
    use whole_line::{capsule, cuboid, disk, ellipsoid, frustum, half_space, plane, quad, sphere, tapered_capsule};
    match shape {
        AnyShape3::Sphere(s) => sphere(line, at(s.center()), s.radius() as f32),
        AnyShape3::HalfSpace(s) => half_space(line, at(s.point()), at(s.normal())),
        AnyShape3::Plane(s) => plane(line, at(s.point()), at(s.normal())).map(Intersection::Surface),
        AnyShape3::Disk(s) => disk(line, at(s.center()), at(s.normal()), s.radius() as f32),
        AnyShape3::Cuboid(s) => cuboid(line, at(s.center()), &TextbookVec3::AXES, at(s.half_extents())),
        AnyShape3::OrientedBox(s) => cuboid(line, at(s.center()), &axes(s.basis()), at(s.half_extents())),
        AnyShape3::Capsule(s) => capsule(line, at(s.a()), at(s.b()), s.radius() as f32),
        AnyShape3::TaperedCapsule(s) => {
            tapered_capsule(line, at(s.a()), at(s.b()), s.radius_a() as f32, s.radius_b() as f32)
        }
        AnyShape3::Cylinder(s) => frustum(line, at(s.a()), at(s.b()), s.radius() as f32, s.radius() as f32),
        AnyShape3::Cone(s) => frustum(line, at(s.base()), at(s.apex()), s.radius() as f32, 0.0),
        AnyShape3::Frustum(s) => frustum(line, at(s.a()), at(s.b()), s.radius_a() as f32, s.radius_b() as f32),
        AnyShape3::Ellipsoid(s) => ellipsoid(line, at(s.center()), &axes(s.basis()), at(s.radii())),
        AnyShape3::Quad(s) => quad(line, at(s.corner()), at(s.edge_u()), at(s.edge_v())),
        AnyShape3::Triangle(s) => with_normal(line, s.vertices().map(at)).map(Intersection::Surface),
        _ => None,
    }
}

fn axes<V: Vector<Scalar = f64>>(basis: &Basis<V>) -> Vec<TextbookVec3<f32>> {
    basis.axes().iter().copied().map(at).collect()
}

/// Computes the closest hit of a mesh by a linear scan.
fn nearest(mesh: &TriangleMesh<DVec3>, ray: &RayF32, query: &Query<f32>) -> Option<Hit> {
    let corners = |t: &[u32; 3]| t.map(|v| at(mesh.vertices()[v as usize]));
    let hit = |t| within(&Intersection::Surface(with_normal(&ray.line, corners(t))?), ray, query);
    mesh.triangles().iter().filter_map(hit).reduce(|best, next| if next.t < best.t { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::{Ray, RayCast, Sphere, Transform};

    #[test]
    fn an_object_is_hit_where_its_transform_puts_it() {
        let ball = Sphere::new(DVec3::ZERO, 1.0).unwrap();
        let transform =
            Transform::new([DVec3::X * 3.0, DVec3::Y, DVec3::Z * -2.0], DVec3::new(0.0, 0.0, 10.0)).unwrap();
        let object = Object::<DVec3>::new(ball).with_transform(transform);
        let ray = RayF32::new(RayOrSegment::Ray(Ray::new(DVec3::ZERO, DVec3::Z)));
        let hit = first_of_object(&object, &ray, &Query::new()).unwrap();
        assert_eq!((hit.t, hit.point, hit.normal), (8.0, Vec3::Z * 8.0, -Vec3::Z));
    }

    #[test]
    fn an_ordinary_ray_hits_as_in_the_library_and_a_far_one_does_not() {
        let ball = Sphere::new(DVec3::new(0.0, 0.0, 10.0), 2.0).unwrap();
        let t = |z: f64| {
            let ray = Ray::new(DVec3::new(1.0, 0.0, z), DVec3::Z);
            let in_f32 = RayF32::new(RayOrSegment::Ray(ray));
            let textbook = first(&ShapeRef::Spatial(&ball.into()), &in_f32, &Query::new()).map(|hit| hit.t);
            (textbook, ball.cast_ray(&ray, ..).map(|hit| hit.t as f32))
        };
        let (textbook, ours) = t(0.0);
        assert!((textbook.unwrap() - ours.unwrap()).abs() < 1e-5, "{textbook:?} {ours:?}");
        let (textbook, ours) = t(-1e5);
        assert!(textbook != ours && ours.is_some(), "{textbook:?} {ours:?}");
    }
}
