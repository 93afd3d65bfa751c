//! Both ends of the part of a line inside a solid, or the crossing of a surface.

use super::{Crossing, Float, Line, Vec3};

/// The intersection of a line with a shape.
#[derive(Clone, Copy, Debug)]
pub enum Intersection<S> {
    /// Entry and exit of a solid.
    Solid(Crossing<S>, Crossing<S>),
    /// The crossing of a surface.
    Surface(Crossing<S>),
}

/// The roots of `a t^2 + 2 b t + c = 0`, the smaller one first.
#[inline(always)]
pub fn quadratic<S: Float>(a: S, b: S, c: S) -> Option<[S; 2]> {
    let discriminant = b * b - a * c;
    if discriminant < S::ZERO || a == S::ZERO {
        return None;
    }
    let root = discriminant.sqrt();
    let (s, t) = ((-b - root) / a, (-b + root) / a);
    Some(if s <= t { [s, t] } else { [t, s] })
}

/// The first and the last of some crossings.
fn solid<S: Float>(crossings: impl IntoIterator<Item = Crossing<S>>) -> Option<Intersection<S>> {
    let ends = |ends: Option<(Crossing<S>, Crossing<S>)>, at: Crossing<S>| match ends {
        None => Some((at, at)),
        Some((first, last)) => Some((if at.0 < first.0 { at } else { first }, if at.0 > last.0 { at } else { last })),
    };
    let (enter, exit) = crossings.into_iter().fold(None, ends)?;
    Some(Intersection::Solid(enter, exit))
}

/// `|o + t d - center|^2 = radius^2`.
fn sphere_crossings<S: Float>(line: &Line<S>, center: Vec3<S>, radius: S) -> Option<[Crossing<S>; 2]> {
    let (m, d) = (line.origin - center, line.direction);
    let ts = quadratic(d.dot(d), m.dot(d), m.dot(m) - radius * radius)?;
    Some(ts.map(|t| (t, line.at(t) - center)))
}

/// Sphere, or circle in the plane `z = 0`.
pub fn sphere<S: Float>(line: &Line<S>, center: Vec3<S>, radius: S) -> Option<Intersection<S>> {
    solid(sphere_crossings(line, center, radius)?)
}

/// Plane, or line in the plane `z = 0`: `t` and the normal as given.
pub fn plane<S: Float>(line: &Line<S>, point: Vec3<S>, normal: Vec3<S>) -> Option<Crossing<S>> {
    let slope = line.direction.dot(normal);
    (slope != S::ZERO).then(|| ((point - line.origin).dot(normal) / slope, normal))
}

/// Half-space, or half-plane in the plane `z = 0`.
pub fn half_space<S: Float>(line: &Line<S>, point: Vec3<S>, normal: Vec3<S>) -> Option<Intersection<S>> {
    let infinite = |t: S| (t, normal);
    match plane(line, point, normal) {
        Some(at) if line.direction.dot(normal) < S::ZERO => Some(Intersection::Solid(at, infinite(S::INFINITY))),
        Some(at) => Some(Intersection::Solid(infinite(-S::INFINITY), at)),
        None if (line.origin - point).dot(normal) <= S::ZERO => {
            Some(Intersection::Solid(infinite(-S::INFINITY), infinite(S::INFINITY)))
        }
        None => None,
    }
}

/// Disk: the crossing of its plane, then the distance from the centre.
pub fn disk<S: Float>(line: &Line<S>, center: Vec3<S>, normal: Vec3<S>, radius: S) -> Option<Intersection<S>> {
    let crossing = plane(line, center, normal)?;
    let w = line.at(crossing.0) - center;
    (w.dot(w) <= radius * radius).then_some(Intersection::Surface(crossing))
}

/// Quad: the crossing of its plane, then both coordinates there from 0 to 1.
pub fn quad<S: Float>(line: &Line<S>, corner: Vec3<S>, edge_u: Vec3<S>, edge_v: Vec3<S>) -> Option<Intersection<S>> {
    let normal = edge_u.cross(edge_v);
    let crossing = plane(line, corner, normal)?;
    let w = line.at(crossing.0) - corner;
    let (u, v, area) = (w.cross(edge_v).dot(normal), edge_u.cross(w).dot(normal), normal.dot(normal));
    let is_within = u >= S::ZERO && u <= area && v >= S::ZERO && v <= area;
    is_within.then_some(Intersection::Surface(crossing))
}

/// Segment in the plane `z = 0`: the crossing of its line, then the place between the ends.
pub fn segment<S: Float>(line: &Line<S>, a: Vec3<S>, b: Vec3<S>) -> Option<Intersection<S>> {
    let along = b - a;
    let at = plane(line, a, Vec3([along.0[1], -along.0[0], S::ZERO]))?;
    let u = (line.at(at.0) - a).dot(along) / along.dot(along);
    (u >= S::ZERO && u <= S::ONE).then_some(Intersection::Surface(at))
}

/// Box by slabs along its axes, or rectangle with two axes (Kay, Kajiya, *Ray Tracing Complex Scenes*, SIGGRAPH 1986).
pub fn cuboid<S: Float>(
    line: &Line<S>,
    center: Vec3<S>,
    axes: &[Vec3<S>],
    half_extents: Vec3<S>,
) -> Option<Intersection<S>> {
    let mut enter = (-S::INFINITY, Vec3::ZERO);
    let mut exit = (S::INFINITY, Vec3::ZERO);
    for (axis, half) in axes.iter().zip(half_extents.0) {
        let (o, d) = ((line.origin - center).dot(*axis), line.direction.dot(*axis));
        if d == S::ZERO {
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
    (enter.0 <= exit.0).then_some(Intersection::Solid(enter, exit))
}

/// Capsule: the side between the ends, and the spheres beyond them.
pub fn capsule<S: Float>(line: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius: S) -> Option<Intersection<S>> {
    let (axis, length_sq) = (b - a, (b - a).dot(b - a));
    let along = |at: &Crossing<S>| (line.at(at.0) - a).dot(axis) / length_sq;
    let between = |at: &Crossing<S>| along(at) >= S::ZERO && along(at) <= S::ONE;
    let side = side_crossings(line, a, axis, radius, radius).into_iter().flatten().filter(between);
    let foot = sphere_crossings(line, a, radius).into_iter().flatten();
    let foot = foot.filter(|at| along(at) <= S::ZERO || axis == Vec3::ZERO);
    let head = sphere_crossings(line, b, radius).into_iter().flatten().filter(|at| along(at) >= S::ONE);
    solid(side.chain(foot).chain(head))
}

/// Tapered capsule: the cone around both spheres between its circles of contact, and the spheres beyond them.
pub fn tapered_capsule<S: Float>(
    line: &Line<S>,
    a: Vec3<S>,
    b: Vec3<S>,
    radius_a: S,
    radius_b: S,
) -> Option<Intersection<S>> {
    let (axis, growth) = (b - a, radius_b - radius_a);
    let length_sq = axis.dot(axis);
    let gap = length_sq - growth * growth;
    if gap <= S::ZERO {
        return if radius_b > radius_a { sphere(line, b, radius_b) } else { sphere(line, a, radius_a) };
    }
    // The circles of contact, as the ends of a frustum.
    let narrower = (gap / length_sq).sqrt();
    let at = |center: Vec3<S>, radius: S| center - axis * (radius * growth / length_sq);
    let (low, high) = (at(a, radius_a), at(b, radius_b));
    let along = |&(t, _): &Crossing<S>| (line.at(t) - low).dot(axis) / (high - low).dot(axis);
    let side = side_crossings(line, low, high - low, radius_a * narrower, radius_b * narrower);
    let side = side.into_iter().flatten().filter(|at| along(at) >= S::ZERO && along(at) <= S::ONE);
    let foot = sphere_crossings(line, a, radius_a).into_iter().flatten().filter(|at| along(at) <= S::ZERO);
    let head = sphere_crossings(line, b, radius_b).into_iter().flatten().filter(|at| along(at) >= S::ONE);
    solid(side.chain(foot).chain(head))
}

/// The quadratic of the infinite side of a cylinder or a cone around `axis` from `a`.
fn side_crossings<S: Float>(
    line: &Line<S>,
    a: Vec3<S>,
    axis: Vec3<S>,
    radius_a: S,
    radius_b: S,
) -> Option<[Crossing<S>; 2]> {
    let length_sq = axis.dot(axis);
    let m = line.origin - a;
    let along = |v: Vec3<S>| v.dot(axis) / length_sq;
    let across = |v: Vec3<S>| v - axis * (v.dot(axis) / length_sq);
    let growth = radius_b - radius_a;
    let (x, y, r, g) =
        (across(m), across(line.direction), radius_a + growth * along(m), growth * along(line.direction));
    let ts = quadratic(y.dot(y) - g * g, x.dot(y) - r * g, x.dot(x) - r * r)?;
    Some(ts.map(|t| {
        let out = across(line.at(t) - a);
        // The growth of the radius tilts the normal.
        (t, out - axis * (growth * out.length() / length_sq))
    }))
}

/// Cylinder, cone or frustum: the side between the caps, and the caps within their radii.
pub fn frustum<S: Float>(line: &Line<S>, a: Vec3<S>, b: Vec3<S>, radius_a: S, radius_b: S) -> Option<Intersection<S>> {
    let axis = b - a;
    let between = |&(t, _): &Crossing<S>| {
        let height = (line.at(t) - a).dot(axis) / axis.dot(axis);
        height >= S::ZERO && height <= S::ONE
    };
    let side = side_crossings(line, a, axis, radius_a, radius_b).into_iter().flatten().filter(between);
    let caps = [(a, -axis, radius_a), (b, axis, radius_b)].into_iter().filter_map(|(center, normal, radius)| {
        let at = plane(line, center, normal)?;
        let w = line.at(at.0) - center;
        (w.dot(w) <= radius * radius).then_some(at)
    });
    solid(side.chain(caps))
}

/// Ellipsoid, scaled along its axes to a sphere of radius 1; or ellipse with two axes.
pub fn ellipsoid<S: Float>(
    line: &Line<S>,
    center: Vec3<S>,
    axes: &[Vec3<S>],
    radii: Vec3<S>,
) -> Option<Intersection<S>> {
    let local = |v: Vec3<S>| {
        let mut scaled = [S::ZERO; 3];
        for ((x, axis), radius) in scaled.iter_mut().zip(axes).zip(radii.0) {
            *x = v.dot(*axis) / radius;
        }
        Vec3(scaled)
    };
    let (o, d) = (local(line.origin - center), local(line.direction));
    let ts = quadratic(d.dot(d), o.dot(d), o.dot(o) - S::ONE)?;
    let normal = |t: S| {
        let Vec3(p) = o + d * t;
        let scaled = axes.iter().zip(p).zip(radii.0).map(|((axis, x), radius)| *axis * (x / radius));
        scaled.fold(Vec3::ZERO, |sum, v| sum + v)
    };
    solid(ts.map(|t| (t, normal(t))))
}

/// Convex polygon in the plane `z = 0`: each edge clips the line (Cyrus, Beck, *Generalized Two- and Three-Dimensional
/// Clipping*, Computers & Graphics 3(1), 1978).
pub fn polygon<S: Float>(line: &Line<S>, vertices: &[Vec3<S>]) -> Option<Intersection<S>> {
    let n = vertices.len();
    let area = (0..n).map(|i| vertices[i].cross(vertices[(i + 1) % n]).0[2]).fold(S::ZERO, |sum, x| sum + x);
    let (mut enter, mut exit) = ((-S::INFINITY, Vec3::ZERO), (S::INFINITY, Vec3::ZERO));
    for i in 0..n {
        let edge = (vertices[(i + 1) % n] - vertices[i]) * area.signum();
        let normal = Vec3([edge.0[1], -edge.0[0], S::ZERO]);
        let (slope, height) = (line.direction.dot(normal), (vertices[i] - line.origin).dot(normal));
        let t = height / slope;
        if slope == S::ZERO && height < S::ZERO {
            return None;
        } else if slope < S::ZERO && t > enter.0 {
            enter = (t, normal);
        } else if slope > S::ZERO && t < exit.0 {
            exit = (t, normal);
        }
    }
    (enter.0 <= exit.0).then_some(Intersection::Solid(enter, exit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::textbook::{closest, triangle};

    fn ray(origin: [f64; 3], direction: [f64; 3]) -> Line<f64> {
        Line { origin: Vec3(origin), direction: Vec3(direction) }
    }

    fn enters(found: Option<Intersection<f64>>, t: f64, normal: [f64; 3]) {
        let Some(Intersection::Solid(enter, exit)) = found else { panic!("{found:?}") };
        let unit = enter.1.normalized();
        assert!((enter.0 - t).abs() < 1e-12 && exit.0 > t, "{found:?}");
        assert!((unit - Vec3(normal)).length() < 1e-12, "{unit:?}");
    }

    #[test]
    fn both_sets_of_formulas_agree_on_simple_rays() {
        let down = ray([0.25, 5.0, 0.0], [0.0, -1.0, 0.0]);
        let (a, b) = (Vec3([0.0, -1.0, 0.0]), Vec3([0.0, 1.0, 0.0]));
        let up = [0.0, 1.0, 0.0];
        let slanted = ray([-2.5, 4.0, 0.0], [0.6, -0.8, 0.0]);
        let (t, normal) = closest::cylinder(&slanted, a, b, 0.5).unwrap();
        assert_eq!(normal, Vec3(up));
        enters(frustum(&slanted, a, b, 0.5, 0.5), t, up);
        let flat = ray([-5.0, 0.5, 0.0], [1.0, 0.0, 0.0]);
        enters(frustum(&flat, a, b, 0.5, 0.5), 4.5, [-1.0, 0.0, 0.0]);
        assert!((closest::cylinder(&flat, a, b, 0.5).unwrap().0 - 4.5).abs() < 1e-12);
        let (t, normal) = closest::cone(&flat, a, b, 1.0).unwrap();
        enters(frustum(&flat, a, b, 1.0, 0.0), t, normal.0);
        let (t, normal) = closest::capsule(&down, a, b, 0.5).unwrap();
        enters(capsule(&down, a, b, 0.5), t, normal.0);
        let (t, normal) = closest::sphere(&down, Vec3::ZERO, 1.0).unwrap();
        enters(sphere(&down, Vec3::ZERO, 1.0), t, normal.0);
        enters(ellipsoid(&down, Vec3::ZERO, &Vec3::AXES, Vec3([1.0; 3])), t, normal.0);
        let half = Vec3([1.0, 2.0, 3.0]);
        let (t, normal) = closest::cuboid(&down, -half, half).unwrap();
        enters(cuboid(&down, Vec3::ZERO, &Vec3::AXES, half), t, normal.0);
        enters(half_space(&down, b, Vec3(up)), 4.0, up);
        let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3);
        enters(polygon(&down, &square), 4.0, up);
        let corners = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]].map(Vec3);
        assert_eq!(triangle::badouel(&down, corners), triangle::moeller_trumbore(&down, corners));
        assert!(disk(&down, Vec3::ZERO, b, 0.25).is_some() && disk(&down, Vec3::ZERO, b, 0.2).is_none());
        assert!(segment(&down, Vec3::ZERO, Vec3([1.0, 0.0, 0.0])).is_some());
        assert!(segment(&down, Vec3([1.0, 0.0, 0.0]), Vec3([2.0, 0.0, 0.0])).is_none());
    }

    #[test]
    fn f32_loses_a_far_sphere() {
        let far = Line { origin: Vec3([1.0f32, 0.0, -1e5]), direction: Vec3([0.0, 0.0, 1.0]) };
        let exact = 100_010.0 - 3f64.sqrt();
        let found = sphere(&far, Vec3([0.0, 0.0, 10.0]), 2.0);
        let is_right = matches!(found, Some(Intersection::Solid((t, _), _)) if (f64::from(t) - exact).abs() < 0.01);
        assert!(!is_right, "{found:?}");
    }
}
