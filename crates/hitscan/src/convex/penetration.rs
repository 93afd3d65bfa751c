//! How deep two convex shapes reach into each other, by EPA.

use crate::convex::simplex::SimplexVertex;
use crate::convex::support::SupportMap;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use alloc::vec::Vec;

/// The shortest translation that separates two convex sets, margins included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penetration {
    /// Its length. Never less than the true one, but for rounding.
    pub(crate) depth: f64,
    /// Its direction: the first set leaves the second along this unit vector.
    pub(crate) normal: Vec3<f64>,
    /// A point of the core of the second set that is deepest in the first one.
    pub(crate) point: Vec3<f64>,
}

/// A face of the polytope, counter-clockwise as seen from outside.
#[derive(Clone, Copy, Debug)]
struct PolytopeFace {
    corners: [usize; 3],
    /// Outward unit vector; zero for a face without an area.
    normal: Vec3<f64>,
    /// Signed distance of its plane from the origin; infinite for a face without an area.
    distance: f64,
}

/// The polytope is final when no support point is farther beyond a face: 2^-46, roundings of coordinates of at most 4.
const BEYOND: f64 = power(-46);

/// Half the height of the prism that takes the place of a flat set: more than any distance between coordinates of at most 4.
const PRISM: f64 = 32.0;

/// Most support points. Polytopes need about one for each of their vertices, curved sets a few dozen.
const MAX_VERTICES: usize = 128;

/// The penetration of two convex sets with coordinates of at most 4, whose cores overlap or touch.
///
/// # Method
/// A polytope inside of the Minkowski difference grows by support points in the direction of its face nearest to the origin, until
/// the difference reaches no farther than that face. Every supporting plane gives a translation that separates the sets; the
/// shortest one that was seen is the result. In the plane the difference is extended to a prism.
///
/// # Source
/// Expanding polytope algorithm: van den Bergen, *Proximity Queries and Penetration Depth Computation on 3D Game Objects*, 2001.
///
/// # Accuracy
/// A few roundings for polytopes. For curved sets the depth is too great by the height of the last face beneath the surface: at most
/// 2^-10 of the size of the sets, in the cases of `depths_separate_and_are_least`.
///
/// # Edges
/// A difference without a volume has the depth 0, along the normal of its plane.
pub(crate) fn penetration(a: &impl SupportMap, b: &impl SupportMap, dimension: usize) -> Penetration {
    let vertex = |direction: Vec3<f64>| {
        // In the plane the height of a direction says nothing about the sets, and is in no unit of length.
        let along = if dimension == 2 { Vec3 { z: 0.0, ..direction } } else { direction };
        let of = [a.support(along), b.support(-along)];
        let mut difference = of[0] - of[1];
        if dimension == 2 {
            difference.z = if direction.z < 0.0 { -PRISM } else { PRISM };
        }
        SimplexVertex { difference, of }
    };
    let margins = a.margin() + b.margin();
    let found = |height: f64, outward: Vec3<f64>, point: Vec3<f64>| Penetration {
        depth: height.max(0.0) + margins,
        normal: -outward,
        point,
    };
    let mut polytope = match Polytope::new(&vertex) {
        Ok(polytope) => polytope,
        Err(Flat { normal, vertex }) => return found(0.0, normal, vertex.of[1]),
    };
    let mut least: Option<Penetration> = None;
    while polytope.vertices.len() < MAX_VERTICES {
        let Some(face) = polytope.nearest_face() else { break };
        let next = vertex(face.normal);
        let height = face.normal.plain_dot(next.difference);
        if least.is_none_or(|least| height + margins < least.depth) {
            least = Some(found(height, face.normal, polytope.point_of(&face)));
        }
        // A NaN ends the growth, too.
        if !(height - face.distance > BEYOND) || !polytope.grow(next) {
            break;
        }
    }
    least.unwrap_or_else(|| found(0.0, Vec3::default(), polytope.vertices[0].of[1]))
}

struct Polytope {
    vertices: Vec<SimplexVertex>,
    faces: Vec<PolytopeFace>,
}

/// A set without a volume: the normal of a plane that contains it, and a point of it.
struct Flat {
    normal: Vec3<f64>,
    vertex: SimplexVertex,
}

fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let length = v.length();
    (length > BEYOND * BEYOND).then(|| v * (1.0 / length))
}

impl Polytope {
    /// A tetrahedron of support points.
    fn new(vertex: &impl Fn(Vec3<f64>) -> SimplexVertex) -> Result<Self, Flat> {
        // The farther one of both ends of the set in a direction, as seen from a point.
        let farther = |direction: Vec3<f64>, from: Vec3<f64>| {
            let span = |end: &SimplexVertex| direction.plain_dot(end.difference - from).abs();
            let ends = [vertex(direction), vertex(-direction)];
            let end = if span(&ends[0]) >= span(&ends[1]) { ends[0] } else { ends[1] };
            (span(&end) > BEYOND).then_some(end)
        };
        let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
        let first = vertex(axes[0]);
        let flat = |normal: Vec3<f64>| Flat { normal, vertex: first };
        let a = first.difference;
        let second = axes.into_iter().find_map(|axis| farther(axis, a)).ok_or_else(|| flat(axes[0]))?;
        let along = unit(second.difference - a).ok_or_else(|| flat(axes[0]))?;
        let aside = along.perpendicular(3);
        let third = farther(aside, a).or_else(|| farther(along.cross(aside), a)).ok_or_else(|| flat(aside))?;
        let normal = unit(along.cross(third.difference - a)).ok_or_else(|| flat(aside))?;
        let fourth = farther(normal, a).ok_or_else(|| flat(normal))?;
        let mut polytope = Self { vertices: [first, second, third, fourth].into(), faces: Vec::new() };
        let is_below = normal.plain_dot(fourth.difference - a) < 0.0;
        let [b, c] = if is_below { [1, 2] } else { [2, 1] };
        for corners in [[0, b, c], [0, c, 3], [c, b, 3], [b, 0, 3]] {
            polytope.add(corners);
        }
        Ok(polytope)
    }

    fn add(&mut self, corners: [usize; 3]) {
        let [a, b, c] = corners.map(|i| self.vertices[i].difference);
        let face = match unit((b - a).cross(c - a)) {
            Some(normal) => PolytopeFace { corners, normal, distance: normal.plain_dot(a) },
            None => PolytopeFace { corners, normal: Vec3::default(), distance: f64::INFINITY },
        };
        self.faces.push(face);
    }

    fn nearest_face(&self) -> Option<PolytopeFace> {
        let nearest = self.faces.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).copied();
        nearest.filter(|face| face.distance < f64::INFINITY)
    }

    /// Takes a point beyond a face into the polytope; false if no face is below it, or the polytope is not closed any more.
    fn grow(&mut self, vertex: SimplexVertex) -> bool {
        let number = self.vertices.len();
        let p = vertex.difference;
        let (below, kept): (Vec<PolytopeFace>, Vec<PolytopeFace>) =
            self.faces.iter().partition(|face| face.normal.plain_dot(p) - face.distance > BEYOND / 4.0);
        if below.is_empty() {
            return false;
        }
        self.vertices.push(vertex);
        self.faces = kept;
        let edges = |face: &PolytopeFace| {
            let [a, b, c] = face.corners;
            [[a, b], [b, c], [c, a]]
        };
        // The edges between a face that goes and one that stays.
        let all: Vec<[usize; 2]> = below.iter().flat_map(edges).collect();
        for &[from, to] in all.iter().filter(|[from, to]| !all.contains(&[*to, *from])) {
            self.add([from, to, number]);
        }
        // Euler's formula: a convex polytope of triangles has 2 v - 4 of them. Rounding may have torn this one.
        self.faces.len() == 2 * self.vertices.len() - 4
    }

    /// The point of the second core below the origin's foot on a face.
    fn point_of(&self, face: &PolytopeFace) -> Vec3<f64> {
        let [a, b, c] = face.corners.map(|i| &self.vertices[i]);
        let foot = face.normal * face.distance;
        let area = |p: Vec3<f64>, q: Vec3<f64>| face.normal.plain_dot((p - foot).cross(q - foot)).max(0.0);
        let [p, q, r] = [a.difference, b.difference, c.difference];
        let weights = [area(q, r), area(r, p), area(p, q)];
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0) {
            return a.of[1];
        }
        (a.of[1] * weights[0] + b.of[1] * weights[1] + c.of[1] * weights[2]) * (1.0 / sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
    use crate::convex::gjk::convex_distance;
    use crate::convex::support::PlacedShape;
    use test_support::random::Rng;

    fn place(shape: &ConvexShape) -> PlacedShape<'_> {
        PlacedShape::new(shape, None, None, Vec3::default(), 1.0)
    }

    fn vector(rng: &mut Rng) -> Vec3<f64> {
        let [x, y, z] = rng.cube(3);
        Vec3::new(x, y, z)
    }

    /// The shape, moved.
    fn moved(shape: &ConvexShape, by: Vec3<f64>) -> ConvexShape {
        match shape.clone() {
            ConvexShape::Box { center, half, rows } => ConvexShape::Box { center: center + by, half, rows },
            ConvexShape::Capsule { ends, radius } => ConvexShape::Capsule { ends: ends.map(|end| end + by), radius },
            ConvexShape::Revolved { ends, radii } => ConvexShape::Revolved { ends: ends.map(|end| end + by), radii },
            ConvexShape::Polygon(points) => ConvexShape::Polygon(points.into_iter().map(|point| point + by).collect()),
            other => other,
        }
    }

    /// Two axis-aligned boxes leave each other along the axis of the least overlap.
    #[test]
    fn boxes_leave_along_the_least_overlap() {
        let mut rng = Rng::new(3);
        for round in 0..5000 {
            let dimension = 2 + round % 2;
            let mut cuboid = || {
                let (mut center, mut half) = (vector(&mut rng), vector(&mut rng).map(|x| x.abs() + 0.5));
                if dimension == 2 {
                    (center.z, half.z) = (0.0, 0.0);
                }
                (center, half)
            };
            let ((p, r), (q, s)) = (cuboid(), cuboid());
            let overlap = r + s - (p - q).map(f64::abs);
            let least = (0..dimension).map(|axis| overlap.get(axis)).fold(f64::INFINITY, f64::min);
            if least <= 0.01 {
                continue;
            }
            let shape = |center, half| ConvexShape::Box { center, half, rows: UNIT_ROWS };
            let found = penetration(&place(&shape(p, r)), &place(&shape(q, s)), dimension);
            assert!((found.depth - least).abs() < 1e-12, "{found:?} {least} {p:?} {r:?} {q:?} {s:?}");
            assert!((found.normal.max_abs_f64() - 1.0).abs() < 1e-12, "{found:?}");
        }
    }

    /// Moved out by the depth, the sets touch; and no direction of many separates them sooner.
    #[test]
    fn depths_separate_and_are_least() {
        let (mut rng, mut deep) = (Rng::new(4), [0; 2]);
        for round in 0..3000 {
            let shape = |kind: usize, rng: &mut Rng| {
                let (p, q) = (vector(rng), vector(rng));
                let (center, half) = ((p + q) * 0.25, (p - q).map(|x| x.abs() * 0.5 + 0.1));
                match kind {
                    0 => ConvexShape::Box { center, half, rows: UNIT_ROWS },
                    1 => ConvexShape::Polygon((0..6).map(|_| vector(rng)).collect()),
                    2 => ConvexShape::Capsule { ends: [p, q], radius: 0.2 },
                    _ => ConvexShape::Revolved { ends: [p, q], radii: [0.5, 0.2] },
                }
            };
            let (a, b) = (shape(round % 4, &mut rng), shape(round / 4 % 4, &mut rng));
            // The cores must overlap, not only the margins.
            let [p, q] = convex_distance(&place(&a), &place(&b), f64::INFINITY).points;
            if (p - q).length() > BEYOND {
                continue;
            }
            let found = penetration(&place(&a), &place(&b), 3);
            let context = || std::format!("{a:?} {b:?} {found:?}");
            assert!(found.depth >= 0.0 && (found.normal.length() - 1.0).abs() < 1e-12, "{}", context());
            let apart = moved(&a, found.normal * (found.depth * (1.0 + 1e-9) + 1e-9));
            let distance = convex_distance(&place(&apart), &place(&b), f64::INFINITY).distance;
            let is_curved = round % 4 == 3 || round / 4 % 4 == 3;
            // The depth of a curved set may be too great, that of others by roundings; and it was moved a little more.
            let most = if is_curved { power(-10) } else { 1e-8 };
            assert!(distance > 0.0 && distance < most, "{distance} {}", context());
            // The height of the difference in a direction is a way out.
            let margins = place(&a).margin() + place(&b).margin();
            let height = |n: Vec3<f64>| n.plain_dot(place(&a).support(n) - place(&b).support(-n)) + margins;
            let mut least = f64::INFINITY;
            for _ in 0..200 {
                let [x, y, z] = rng.direction(3);
                least = least.min(height(Vec3::new(x, y, z)));
            }
            let mut n = -found.normal;
            for step in 0..100 {
                let closer = n + vector(&mut rng) * 0.9f64.powi(step);
                let closer = closer * (1.0 / closer.length());
                if height(closer) < least {
                    (least, n) = (height(closer), closer);
                }
            }
            let slack = if is_curved { power(-10) } else { 1e-12 };
            assert!(found.depth <= least + slack, "{least} {}", context());
            deep[usize::from(is_curved)] += 1;
        }
        assert!(deep.iter().all(|count| *count > 300), "{deep:?}");
    }

    #[test]
    fn sets_without_volume_have_no_depth() {
        let at = Vec3::new;
        let point = ConvexShape::Ball { center: at(1.0, 2.0, 3.0), radius: 0.5 };
        let segment = ConvexShape::Capsule { ends: [at(0.0, 2.0, 3.0), at(2.0, 2.0, 3.0)], radius: 0.25 };
        let flat =
            ConvexShape::Polygon([at(0.0, 0.0, 3.0), at(4.0, 0.0, 3.0), at(0.0, 4.0, 3.0)].into_iter().collect());
        for (a, b, depth) in
            [(&point, &point, 1.0), (&point, &segment, 0.75), (&flat, &flat, 0.0), (&point, &flat, 0.5)]
        {
            let found = penetration(&place(a), &place(b), 3);
            assert_eq!((found.depth, found.normal.length()), (depth, 1.0), "{a:?} {b:?}");
        }
    }
}
