//! The formulas that everybody copies, in plain `f32`: shown beside the answers of the library, to see where they differ.
//!
//! They are kept as they are found: lengths are compared after rounding, a discriminant is the difference of two large
//! numbers, a slab is divided by what may be nearly zero. Nothing else in the module computes geometry.

use crate::open::Plain;
use hitscan::glam::{DVec2, DVec3, Vec3};
use hitscan::math::Vector;
use hitscan::{AnyShape2, AnyShape3, Basis, Faces, Inside, Query, TriangleMesh};
use hitscan_io::RayOrSegment;
use hitscan_io::fmt::coordinates;

/// A ray, with the range of `t` that it has by itself; flat ones have z = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    o: Vec3,
    d: Vec3,
    limit: f32,
}

impl Course {
    pub(crate) fn new(shot: RayOrSegment<DVec3>) -> Self {
        match shot {
            RayOrSegment::Ray(ray) => Self { o: at(ray.origin), d: at(ray.direction), limit: f32::MAX },
            RayOrSegment::Segment(segment) => Self { o: at(segment.a), d: at(segment.b) - at(segment.a), limit: 1.0 },
        }
    }
    fn at(&self, t: f32) -> Vec3 {
        self.o + self.d * t
    }
}

/// A vector, rounded; flat ones get z = 0.
fn at<V: Vector<Scalar = f64>>(v: V) -> Vec3 {
    Vec3::from(coordinates(v).map(|x| x as f32))
}

/// A hit of the textbook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) t: f32,
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
}

/// Where a line crosses a boundary, and the normal there, of any length.
type Crossing = (f32, Vec3);

/// What a line meets.
enum Meeting {
    /// Of a solid: in and out.
    Solid(Crossing, Crossing),
    /// Of a surface.
    Surface(Crossing),
}

/// The first hit of one shape in the range.
pub(crate) fn first(shape: &Plain<'_>, course: &Course, query: &Query<f32>) -> Option<Hit> {
    let meeting = match shape {
        Plain::Flat(shape) => flat(shape, course),
        Plain::Spatial(AnyShape3::Mesh(mesh)) => return nearest(mesh, course, query),
        Plain::Spatial(shape) => spatial(shape, course),
    }?;
    within(&meeting, course, query)
}

fn within(meeting: &Meeting, course: &Course, query: &Query<f32>) -> Option<Hit> {
    let (t_min, t_max) = (query.t_min(), query.t_max().min(course.limit));
    let in_range = |&(t, _): &Crossing| t >= t_min && t <= t_max;
    let (t, normal) = match *meeting {
        Meeting::Solid(enter, exit) => {
            let inside = query.inside_mode() == Inside::Solid && enter.0 <= t_min && exit.0 >= t_min;
            if inside && t_min <= t_max { (t_min, -course.d) } else { [enter, exit].into_iter().find(in_range)? }
        }
        Meeting::Surface(at) => {
            let seen = match query.faces_mode() {
                Faces::Both => true,
                Faces::Front => at.1.dot(course.d) < 0.0,
                Faces::Back => at.1.dot(course.d) >= 0.0,
            };
            Some(at).filter(|at| seen && in_range(at))?
        }
    };
    Some(Hit { t, point: course.at(t), normal: normal.normalize_or_zero() })
}

fn flat(shape: &AnyShape2<DVec2>, c: &Course) -> Option<Meeting> {
    match shape {
        AnyShape2::Circle(s) => ball(c, at(s.center()), s.radius() as f32),
        AnyShape2::HalfPlane(s) => half_space(c, at(s.point()), at(s.normal())),
        AnyShape2::Line(s) => plane(c, at(s.point()), at(s.normal())).map(Meeting::Surface),
        AnyShape2::Segment(s) => wall(c, at(s.a()), at(s.b())),
        AnyShape2::Rectangle(s) => slabs(c, at(s.center()), &[Vec3::X, Vec3::Y], at(s.half_extents())),
        AnyShape2::OrientedRectangle(s) => slabs(c, at(s.center()), &axes(s.basis()), at(s.half_extents())),
        AnyShape2::Capsule(s) => capsule(c, at(s.a()), at(s.b()), s.radius() as f32),
        AnyShape2::Triangle(s) => polygon(c, &s.vertices().map(at)),
        AnyShape2::Polygon(s) => polygon(c, &s.vertices().iter().copied().map(at).collect::<Vec<_>>()),
        AnyShape2::Ellipse(s) => ellipsoid(c, at(s.center()), &axes(s.basis()), at(s.radii()).with_z(1.0)),
        _ => None,
    }
}

fn spatial(shape: &AnyShape3<DVec3>, c: &Course) -> Option<Meeting> {
    match shape {
        AnyShape3::Sphere(s) => ball(c, at(s.center()), s.radius() as f32),
        AnyShape3::HalfSpace(s) => half_space(c, at(s.point()), at(s.normal())),
        AnyShape3::Plane(s) => plane(c, at(s.point()), at(s.normal())).map(Meeting::Surface),
        AnyShape3::Disk(s) => {
            let center = at(s.center());
            let crossing = plane(c, center, at(s.normal()))?;
            ((c.at(crossing.0) - center).length_squared() <= (s.radius() as f32).powi(2))
                .then_some(Meeting::Surface(crossing))
        }
        AnyShape3::Cuboid(s) => slabs(c, at(s.center()), &Vec3::AXES, at(s.half_extents())),
        AnyShape3::OrientedBox(s) => slabs(c, at(s.center()), &axes(s.basis()), at(s.half_extents())),
        AnyShape3::Capsule(s) => capsule(c, at(s.a()), at(s.b()), s.radius() as f32),
        AnyShape3::Cylinder(s) => frustum(c, at(s.a()), at(s.b()), s.radius() as f32, s.radius() as f32),
        AnyShape3::Cone(s) => frustum(c, at(s.base()), at(s.apex()), s.radius() as f32, 0.0),
        AnyShape3::Frustum(s) => frustum(c, at(s.a()), at(s.b()), s.radius_a() as f32, s.radius_b() as f32),
        AnyShape3::Ellipsoid(s) => ellipsoid(c, at(s.center()), &axes(s.basis()), at(s.radii())),
        AnyShape3::Triangle(s) => moeller_trumbore(c, s.vertices().map(at)).map(Meeting::Surface),
        _ => None,
    }
}

fn axes<V: Vector<Scalar = f64>>(basis: &Basis<V>) -> Vec<Vec3> {
    basis.axes().iter().copied().map(at).collect()
}

/// `a t^2 + 2 b t + c = 0`.
fn quadratic(a: f32, b: f32, c: f32) -> Option<[f32; 2]> {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || a == 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    let (s, t) = ((-b - root) / a, (-b + root) / a);
    Some(if s <= t { [s, t] } else { [t, s] })
}

/// The first and the last of some crossings.
fn solid(crossings: impl IntoIterator<Item = Crossing>) -> Option<Meeting> {
    let ends = |ends: Option<(Crossing, Crossing)>, at: Crossing| match ends {
        None => Some((at, at)),
        Some((first, last)) => Some((if at.0 < first.0 { at } else { first }, if at.0 > last.0 { at } else { last })),
    };
    let (enter, exit) = crossings.into_iter().fold(None, ends)?;
    Some(Meeting::Solid(enter, exit))
}

/// `|o + t d - c|^2 = r^2`.
fn on_ball(c: &Course, center: Vec3, radius: f32) -> Option<[Crossing; 2]> {
    let m = c.o - center;
    let ts = quadratic(c.d.dot(c.d), m.dot(c.d), m.dot(m) - radius * radius)?;
    Some(ts.map(|t| (t, c.at(t) - center)))
}

fn ball(c: &Course, center: Vec3, radius: f32) -> Option<Meeting> {
    solid(on_ball(c, center, radius)?)
}

fn plane(c: &Course, point: Vec3, normal: Vec3) -> Option<Crossing> {
    let slope = c.d.dot(normal);
    (slope != 0.0).then(|| ((point - c.o).dot(normal) / slope, normal))
}

fn half_space(c: &Course, point: Vec3, normal: Vec3) -> Option<Meeting> {
    let far = |t: f32| (t, normal);
    match plane(c, point, normal) {
        Some(at) if c.d.dot(normal) < 0.0 => Some(Meeting::Solid(at, far(f32::INFINITY))),
        Some(at) => Some(Meeting::Solid(far(f32::NEG_INFINITY), at)),
        None if (c.o - point).dot(normal) <= 0.0 => Some(Meeting::Solid(far(f32::NEG_INFINITY), far(f32::INFINITY))),
        None => None,
    }
}

/// The line `a b` as a plane, then the place between the ends.
fn wall(c: &Course, a: Vec3, b: Vec3) -> Option<Meeting> {
    let along = b - a;
    let at = plane(c, a, Vec3::new(along.y, -along.x, 0.0))?;
    let u = (c.at(at.0) - a).dot(along) / along.dot(along);
    (0.0..=1.0).contains(&u).then_some(Meeting::Surface(at))
}

/// Kay and Kajiya.
fn slabs(c: &Course, center: Vec3, axes: &[Vec3], half: Vec3) -> Option<Meeting> {
    let mut enter = (f32::NEG_INFINITY, Vec3::ZERO);
    let mut exit = (f32::INFINITY, Vec3::ZERO);
    for (axis, half) in axes.iter().zip(half.to_array()) {
        let (o, d) = ((c.o - center).dot(*axis), c.d.dot(*axis));
        if d == 0.0 {
            if o.abs() > half {
                return None;
            }
            continue;
        }
        let (near, far) = ((-half * d.signum() - o) / d, (half * d.signum() - o) / d);
        if near > enter.0 {
            enter = (near, *axis * -d.signum());
        }
        if far < exit.0 {
            exit = (far, *axis * d.signum());
        }
    }
    (enter.0 <= exit.0).then_some(Meeting::Solid(enter, exit))
}

/// The side between the ends, and the balls beyond them.
fn capsule(c: &Course, a: Vec3, b: Vec3, radius: f32) -> Option<Meeting> {
    let (axis, along) = (b - a, |at: &Crossing| (c.at(at.0) - a).dot(b - a) / (b - a).dot(b - a));
    let side = round(c, a, axis, radius, radius).into_iter().flatten().filter(|at| (0.0..=1.0).contains(&along(at)));
    let foot = on_ball(c, a, radius).into_iter().flatten().filter(|at| along(at) <= 0.0 || axis == Vec3::ZERO);
    let head = on_ball(c, b, radius).into_iter().flatten().filter(|at| along(at) >= 1.0);
    solid(side.chain(foot).chain(head))
}

/// The quadratic of the infinite side of a cylinder or a cone around `axis` from `a`.
fn round(c: &Course, a: Vec3, axis: Vec3, radius_a: f32, radius_b: f32) -> Option<[Crossing; 2]> {
    let length_sq = axis.dot(axis);
    let m = c.o - a;
    let (across, along) = (|v: Vec3| v - axis * (v.dot(axis) / length_sq), |v: Vec3| v.dot(axis) / length_sq);
    let (growth, radius) = (radius_b - radius_a, |t: f32| radius_a + (radius_b - radius_a) * t);
    let (x, y, r, g) = (across(m), across(c.d), radius(along(m)), growth * along(c.d));
    let ts = quadratic(y.dot(y) - g * g, x.dot(y) - r * g, x.dot(x) - r * r)?;
    Some(ts.map(|t| {
        let p = c.at(t) - a;
        let out = across(p);
        // Tilted by the growth of the radius.
        (t, out - axis * (growth * out.length() / length_sq))
    }))
}

/// The side between the caps, and the caps within their radii.
fn frustum(c: &Course, a: Vec3, b: Vec3, radius_a: f32, radius_b: f32) -> Option<Meeting> {
    let axis = b - a;
    let height = |t: f32| (c.at(t) - a).dot(axis) / axis.dot(axis);
    let side = round(c, a, axis, radius_a, radius_b);
    let side = side.into_iter().flatten().filter(|&(t, _)| (0.0..=1.0).contains(&height(t)));
    let caps = [(a, -axis, radius_a), (b, axis, radius_b)].into_iter().filter_map(|(center, normal, radius)| {
        let at = plane(c, center, normal)?;
        ((c.at(at.0) - center).length_squared() <= radius * radius).then_some(at)
    });
    solid(side.chain(caps))
}

/// Scaled along the axes to a ball of radius 1.
fn ellipsoid(c: &Course, center: Vec3, axes: &[Vec3], radii: Vec3) -> Option<Meeting> {
    let local = |v: Vec3| {
        let mut scaled = [0.0; 3];
        for ((x, axis), radius) in scaled.iter_mut().zip(axes).zip(radii.to_array()) {
            *x = v.dot(*axis) / radius;
        }
        Vec3::from(scaled)
    };
    let (o, d) = (local(c.o - center), local(c.d));
    let ts = quadratic(d.dot(d), o.dot(d), o.dot(o) - 1.0)?;
    let normal = |t: f32| {
        let p = (o + d * t) / radii;
        axes.iter().zip(p.to_array()).map(|(axis, x)| *axis * x).sum::<Vec3>()
    };
    solid(ts.map(|t| (t, normal(t))))
}

/// Cyrus and Beck: the line is cut by one edge after the other.
fn polygon(c: &Course, vertices: &[Vec3]) -> Option<Meeting> {
    let n = vertices.len();
    let area: f32 = (0..n).map(|i| vertices[i].cross(vertices[(i + 1) % n]).z).sum();
    let (mut enter, mut exit) = ((f32::NEG_INFINITY, Vec3::ZERO), (f32::INFINITY, Vec3::ZERO));
    for i in 0..n {
        let edge = (vertices[(i + 1) % n] - vertices[i]) * area.signum();
        let normal = Vec3::new(edge.y, -edge.x, 0.0);
        let (slope, way) = (c.d.dot(normal), (vertices[i] - c.o).dot(normal));
        let t = way / slope;
        if slope == 0.0 && way < 0.0 {
            return None;
        } else if slope < 0.0 && t > enter.0 {
            enter = (t, normal);
        } else if slope > 0.0 && t < exit.0 {
            exit = (t, normal);
        }
    }
    (enter.0 <= exit.0).then_some(Meeting::Solid(enter, exit))
}

/// Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997, without culling.
fn moeller_trumbore(c: &Course, [a, b, v]: [Vec3; 3]) -> Option<Crossing> {
    let (ab, ac) = (b - a, v - a);
    let p = c.d.cross(ac);
    let det = ab.dot(p);
    if det == 0.0 {
        return None;
    }
    let s = c.o - a;
    let u = s.dot(p) / det;
    let q = s.cross(ab);
    let w = c.d.dot(q) / det;
    let inside = u >= 0.0 && w >= 0.0 && u + w <= 1.0;
    inside.then(|| (ac.dot(q) / det, ab.cross(ac)))
}

/// Every triangle in turn.
fn nearest(mesh: &TriangleMesh<DVec3>, course: &Course, query: &Query<f32>) -> Option<Hit> {
    let corners = |t: &[u32; 3]| t.map(|v| at(mesh.vertices()[v as usize]));
    let hit = |t| within(&Meeting::Surface(moeller_trumbore(course, corners(t))?), course, query);
    mesh.triangles().iter().filter_map(hit).reduce(|best, next| if next.t < best.t { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::{Ray, Shape, Sphere};

    #[test]
    fn an_ordinary_ray_hits_as_in_the_library_and_a_far_one_does_not() {
        let ball = Sphere::new(DVec3::new(0.0, 0.0, 10.0), 2.0).unwrap();
        let t = |z: f64| {
            let ray = Ray::new(DVec3::new(1.0, 0.0, z), DVec3::Z);
            let course = Course::new(RayOrSegment::Ray(ray));
            let textbook = first(&Plain::Spatial(&ball.into()), &course, &Query::new()).map(|hit| hit.t);
            (textbook, ball.cast_ray(&ray, ..).map(|hit| hit.t as f32))
        };
        let (textbook, ours) = t(0.0);
        assert!((textbook.unwrap() - ours.unwrap()).abs() < 1e-5, "{textbook:?} {ours:?}");
        let (textbook, ours) = t(-1e5);
        assert!(textbook != ours && ours.is_some(), "{textbook:?} {ours:?}");
    }
}
