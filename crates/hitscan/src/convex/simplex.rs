//! The point of a simplex that is closest to the origin, by signed volumes.

use crate::math::vec3::Vec3;
use smallvec::SmallVec;

/// A vertex of a simplex: the difference of a support point of each of two shapes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SimplexVertex {
    pub(crate) difference: Vec3<f64>,
    /// The support points.
    pub(crate) of: [Vec3<f64>; 2],
}

/// A point, segment, triangle or tetrahedron, with the barycentric weights of its point closest to the origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simplex {
    pub(crate) vertices: SmallVec<[SimplexVertex; 4]>,
    pub(crate) weights: SmallVec<[f64; 4]>,
}

/// The vertices of a face by their numbers, with their weights.
type Weighted = SmallVec<[(usize, f64); 4]>;

impl Simplex {
    /// The point with the weights.
    pub(crate) fn point(&self) -> Vec3<f64> {
        self.sum(|vertex| vertex.difference)
    }

    /// The points of both shapes with the weights.
    pub(crate) fn points(&self) -> [Vec3<f64>; 2] {
        [0, 1].map(|side| self.sum(|vertex| vertex.of[side]))
    }

    fn sum(&self, of: impl Fn(&SimplexVertex) -> Vec3<f64>) -> Vec3<f64> {
        self.vertices
            .iter()
            .zip(&self.weights)
            .fold(Vec3::default(), |sum, (vertex, weight)| sum + of(vertex) * *weight)
    }

    /// Reduces the simplex to the face that has the point closest to the origin inside of it, and sets the weights.
    ///
    /// # Method
    /// Signed volumes: the projection of the origin on the affine hull has barycentric coordinates that are ratios of volumes,
    /// measured in the coordinate plane where the hull is largest. If all have the same sign, the projection is inside;
    /// otherwise it lies beyond the faces of the vertices whose sign differs, and the closest of these faces is the answer.
    ///
    /// # Source
    /// Montanari, Petrinic, Barbieri, *Improving the GJK Algorithm for Faster and More Reliable Distance Queries Between Convex
    /// Objects*, ACM TOG 36(3), 2017.
    pub(crate) fn reduce(&mut self) {
        let points: SmallVec<[Vec3<f64>; 4]> = self.vertices.iter().map(|vertex| vertex.difference).collect();
        let best = match points.len() {
            0 => return,
            1 => SmallVec::from_slice(&[(0, 1.0)]),
            2 => on_segment(&points, [0, 1]),
            3 => on_triangle(&points, [0, 1, 2]),
            _ => on_tetrahedron(&points),
        };
        let vertices = best.iter().map(|(i, _)| self.vertices[*i]).collect();
        self.weights = best.iter().map(|(_, weight)| *weight).collect();
        self.vertices = vertices;
    }
}

fn point_of(points: &[Vec3<f64>], weighted: &Weighted) -> Vec3<f64> {
    weighted.iter().fold(Vec3::default(), |sum, (i, weight)| sum + points[*i] * *weight)
}

/// Of two faces, the one that is closer to the origin.
fn closer(points: &[Vec3<f64>], best: Option<Weighted>, other: Weighted) -> Weighted {
    match best {
        Some(best) if point_of(points, &best).length_sq() <= point_of(points, &other).length_sq() => best,
        _ => other,
    }
}

/// Whether two numbers are both positive or both negative.
fn same_sign(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

fn on_segment(points: &[Vec3<f64>], [i, j]: [usize; 2]) -> Weighted {
    let (a, b) = (points[i], points[j]);
    let edge = b - a;
    let length_sq = edge.length_sq();
    let (along_a, along_b) = (-a.plain_dot(edge), b.plain_dot(edge));
    if !(along_a > 0.0) || !(length_sq > 0.0) {
        return SmallVec::from_slice(&[(i, 1.0)]);
    }
    if !(along_b > 0.0) {
        return SmallVec::from_slice(&[(j, 1.0)]);
    }
    let t = along_a / (along_a + along_b);
    SmallVec::from_slice(&[(i, 1.0 - t), (j, t)])
}

fn on_triangle(points: &[Vec3<f64>], [i, j, k]: [usize; 3]) -> Weighted {
    let (a, b, c) = (points[i], points[j], points[k]);
    let normal = (b - a).cross(c - a);
    let normal_sq = normal.length_sq();
    let edges = |drop: [bool; 3]| {
        let mut best = None;
        for (edge, is_wanted) in [([j, k], drop[0]), ([i, k], drop[1]), ([i, j], drop[2])] {
            if is_wanted {
                best = Some(closer(points, best, on_segment(points, edge)));
            }
        }
        best.unwrap_or_default()
    };
    if !(normal_sq > 0.0) {
        return edges([true; 3]);
    }
    let foot = normal * (a.plain_dot(normal) / normal_sq);
    // The coordinate plane in which the triangle is largest.
    let [x, y, z] = [normal.x.abs(), normal.y.abs(), normal.z.abs()];
    let (u, v, area) = if x >= y && x >= z {
        (1, 2, normal.x)
    } else if y >= z {
        (2, 0, normal.y)
    } else {
        (0, 1, normal.z)
    };
    let signed = |p: Vec3<f64>, q: Vec3<f64>| {
        let (p, q) = (p - foot, q - foot);
        p.get(u) * q.get(v) - p.get(v) * q.get(u)
    };
    let volumes = [signed(b, c), signed(c, a), signed(a, b)];
    let beyond = volumes.map(|volume| !same_sign(volume, area));
    if beyond == [false; 3] {
        let sum = volumes[0] + volumes[1] + volumes[2];
        return SmallVec::from_slice(&[(i, volumes[0] / sum), (j, volumes[1] / sum), (k, volumes[2] / sum)]);
    }
    edges(beyond)
}

fn on_tetrahedron(points: &[Vec3<f64>]) -> Weighted {
    let [a, b, c, d] = [points[0], points[1], points[2], points[3]];
    let volume = |p: Vec3<f64>, q: Vec3<f64>, r: Vec3<f64>| p.plain_dot(q.cross(r));
    let volumes = [volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)];
    // From the edges, which are more accurate than the sum of the volumes if the tetrahedron is far from the origin.
    let whole = volume(b - a, c - a, d - a);
    let beyond = volumes.map(|part| !same_sign(part, whole));
    if beyond == [false; 4] {
        let sum: f64 = volumes.iter().sum();
        return (0..4).map(|i| (i, volumes[i] / sum)).collect();
    }
    let faces = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    let mut best = None;
    for (face, _) in faces.iter().zip(beyond).filter(|(_, is_beyond)| *is_beyond) {
        best = Some(closer(points, best, on_triangle(points, *face)));
    }
    best.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Rng;

    fn closest(points: &[Vec3<f64>]) -> (Vec3<f64>, usize) {
        let vertices = points.iter().map(|&difference| SimplexVertex { difference, ..Default::default() }).collect();
        let mut simplex = Simplex { vertices, weights: SmallVec::new() };
        simplex.reduce();
        (simplex.point(), simplex.vertices.len())
    }

    #[test]
    fn faces_of_a_tetrahedron_are_found() {
        let at = Vec3::new;
        let corners = [at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0), at(0.0, 0.0, 1.0), at(2.0, 2.0, 2.0)];
        let (point, count) = closest(&corners);
        assert!((point - at(1.0, 1.0, 1.0) * (1.0 / 3.0)).max_abs_f64() < 1e-15 && count == 3, "{point:?}");
        let around = [at(-1.0, -1.0, -1.0), at(3.0, 0.0, 0.0), at(0.0, 3.0, 0.0), at(0.0, 0.0, 3.0)];
        assert_eq!(closest(&around).1, 4);
        assert_eq!(closest(&[at(1.0, 1.0, 0.0), at(1.0, -1.0, 0.0)]), (at(1.0, 0.0, 0.0), 2));
        assert_eq!(closest(&[at(1.0, 1.0, 0.0); 4]).0, at(1.0, 1.0, 0.0));
    }

    /// No point of a random simplex is closer than the one that is found.
    #[test]
    fn no_point_of_a_simplex_is_closer() {
        let mut rng = Rng::new(5);
        for _ in 0..20_000 {
            let count = 2 + rng.below(3);
            let shift = rng.cube(3);
            let points: SmallVec<[Vec3<f64>; 4]> = (0..count)
                .map(|_| {
                    let [x, y, z] = rng.cube(3);
                    Vec3::new(x + shift[0], y + shift[1], z + shift[2])
                })
                .collect();
            let (found, _) = closest(&points);
            for point in &points {
                // The plane through the closest point separates the simplex from the origin.
                assert!(found.dot(*point - found) >= -1e-12 * found.length_sq().max(1.0), "{points:?}");
            }
        }
    }
}
