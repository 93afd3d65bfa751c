//! Generated meshes. All but the hall are closed, with faces outward.

use hitscan::TriangleMesh;
use hitscan::{Real, Vector3};
use std::collections::HashMap;

pub(crate) type MeshArrays = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Mesh in the precision of `V`.
pub(crate) fn build<V: Vector3>((vertices, triangles): MeshArrays) -> TriangleMesh<V> {
    let vertices = vertices.into_iter().map(|p| V::from_xyz(p.map(V::Scalar::from_f64))).collect();
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Octahedron, each triangle cut into four `times` times, on the unit sphere.
pub(crate) fn icosphere(times: usize) -> MeshArrays {
    let mut v: Vec<[f64; 3]> =
        vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    let mut t = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..times {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let [p, q] = [v[a as usize], v[b as usize]];
                let m = [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
                let length = m.iter().map(|x| x * x).sum::<f64>().sqrt();
                v.push(m.map(|x| x / length));
                v.len() as u32 - 1
            })
        };
        let mut finer = Vec::new();
        for [a, b, c] in t {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        t = finer;
    }
    (v, t)
}

/// Tube with `sides` sides around a closed curve of `rings` rings.
///
/// ```text
///    ring i   ring i+1
///   j+1 o------o          the rings run in the sense of u x v around the curve,
///       |  \   |          so a, b, c run counter-clockwise seen from outside
///     j o------o
/// ```
pub(crate) fn tube(rings: usize, sides: usize, radius: f64, curve: impl Fn(f64) -> [f64; 3]) -> MeshArrays {
    let tau = std::f64::consts::TAU;
    let (mut vertices, mut triangles) = (vec![], vec![]);
    for i in 0..rings {
        let s = i as f64 / rings as f64 * tau;
        let (p, ahead, behind) = (curve(s), curve(s + 1e-4), curve(s - 1e-4));
        let along = unit([0, 1, 2].map(|k| ahead[k] - behind[k]));
        let u = unit(cross(along, [0.0, 0.0, 1.0]));
        let w = cross(along, u);
        for j in 0..sides {
            let (sin, cos) = (j as f64 / sides as f64 * tau).sin_cos();
            vertices.push([0, 1, 2].map(|k| p[k] + radius * (cos * u[k] + sin * w[k])));
        }
    }
    let at = |i: usize, j: usize| ((i % rings) * sides + j % sides) as u32;
    for i in 0..rings {
        for j in 0..sides {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, d, b], [d, c, b]]);
        }
    }
    (vertices, triangles)
}

pub(crate) fn torus(rings: usize, sides: usize) -> MeshArrays {
    tube(rings, sides, 0.4, |s| [s.cos(), s.sin(), 0.0])
}

/// Trefoil knot.
pub(crate) fn trefoil(rings: usize, sides: usize) -> MeshArrays {
    tube(rings, sides, 0.25, |s| {
        [s.sin() + 2.0 * (2.0 * s).sin(), s.cos() - 2.0 * (2.0 * s).cos(), -(3.0 * s).sin()].map(|x| 0.5 * x)
    })
}

/// Cube from -1 to 1 whose faces are fans of slivers: the vertices of each rim, two of them very near a corner, joined
/// to a point very near another corner.
pub(crate) fn slivers() -> MeshArrays {
    let near = (-20f64).exp2();
    let (mut vertices, mut triangles) = (vec![], vec![]);
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let place = |x: f64, y: f64| {
                let mut p = [0.0; 3];
                p[axis] = sign;
                p[(axis + 1) % 3] = x;
                p[(axis + 2) % 3] = y;
                p
            };
            let steps = [-1.0, -1.0 + near, 0.0, 1.0 - near];
            let rim: Vec<[f64; 3]> =
                [[1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 1.0], [0.0, -1.0, -1.0, 0.0]]
                    .iter()
                    .flat_map(|&[x, to_y, x_fixed, y_fixed]| {
                        steps.map(|s| {
                            place(
                                if to_y == 0.0 { x * s } else { x_fixed },
                                if to_y == 0.0 { y_fixed } else { to_y * s },
                            )
                        })
                    })
                    .collect();
            let first = vertices.len() as u32;
            let n = rim.len() as u32;
            vertices.extend(rim);
            vertices.push(place(1.0 - 3.0 * near, 1.0 - 2.0 * near));
            for i in 0..n {
                let [a, b] = [first + i, first + (i + 1) % n];
                triangles.push(if sign > 0.0 { [a, b, first + n] } else { [b, a, first + n] });
            }
        }
    }
    (vertices, triangles)
}

/// Long walls, each of two triangles and present twice, once for either side, with pillars between them: a case for
/// spatial splits.
pub(crate) fn hall() -> MeshArrays {
    let (mut vertices, mut triangles) = (vec![], vec![]);
    let mut panel = |corner: [f64; 3], along: [f64; 3], up: [f64; 3]| {
        let first = vertices.len() as u32;
        let at = |s: f64, t: f64| [0, 1, 2].map(|k| corner[k] + s * along[k] + t * up[k]);
        vertices.extend([at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]);
        for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]] {
            triangles.push([first + a, first + b, first + c]);
        }
    };
    for i in 0..40 {
        let x = f64::from(i) / 20.0 - 1.0;
        panel([-1.0, -1.0, x], [2.0, 0.1 * x, 0.3], [0.02, 0.3, 0.0]);
        panel([x, -1.0, x * x], [0.03, 0.0, 0.0], [0.0, 2.0, 0.1]);
        panel([x, -1.0, -x], [0.0, 0.0, 0.03], [0.0, 2.0, 0.0]);
    }
    (vertices, triangles)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}
