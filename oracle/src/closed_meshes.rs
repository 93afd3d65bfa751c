//! Closed test meshes, faces outward, each with points that are certainly inside.

use std::collections::HashMap;
use std::f64::consts::TAU;

type Corner = [f64; 3];

/// Closed mesh in plain numbers.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Name in the table.
    pub name: String,
    /// Coordinates of the vertices.
    pub vertices: Vec<Corner>,
    /// Triangles: three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
    /// Points inside, far from the surface; if empty, found by counting crossings.
    pub inner: Vec<Corner>,
    /// Whether every line crosses the mesh twice or not at all.
    pub is_convex: bool,
}

impl Closed {
    /// Approximate center, and the largest distance from it along an axis.
    pub fn extent(&self) -> (Corner, f64) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for v in &self.vertices {
            for i in 0..3 {
                (low[i], high[i]) = (low[i].min(v[i]), high[i].max(v[i]));
            }
        }
        let half = |i: usize| 0.5 * (high[i] - low[i]);
        (std::array::from_fn(|i| low[i] + half(i)), half(0).max(half(1)).max(half(2)))
    }
}

/// The four generated meshes: sphere, torus, knot, slivers.
pub fn all() -> Vec<Closed> {
    vec![icosphere(4), torus(72, 24), trefoil(180, 16), slivers()]
}

/// Four triangles.
pub fn tetrahedron() -> Closed {
    let vertices = vec![[-1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]];
    small("tetrahedron", vertices, vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
}

/// Twelve triangles; the bits of a vertex index are its coordinates.
pub fn cube() -> Closed {
    let vertices = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2 & 1].map(|bit| f64::from(2 * bit - 1))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    small("cube", vertices, triangles)
}

/// Eight triangles; vertices `2 i` and `2 i + 1` are the ends of axis `i`.
pub fn octahedron() -> Closed {
    let end = |i: usize| std::array::from_fn(|k| if k == i / 2 { 1.0 - 2.0 * (i % 2) as f64 } else { 0.0 });
    let triangles = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    small("octahedron", (0..6).map(end).collect(), triangles)
}

/// Small ball.
pub fn ball() -> Closed {
    icosphere(0)
}

/// Small torus, not convex.
pub fn ring() -> Closed {
    torus(6, 4)
}

fn small(name: &str, vertices: Vec<Corner>, triangles: Vec<[u32; 3]>) -> Closed {
    Closed { name: name.into(), vertices, triangles, inner: vec![[0.0; 3], [0.125, 0.0, -0.0625]], is_convex: true }
}

/// Mesh of a file, which must be closed.
#[cfg(feature = "files")]
pub fn from_file(path: &std::path::Path) -> Result<Closed, String> {
    let data = hitscan_io::read_mesh(path).map_err(|error| error.to_string())?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Closed { name, vertices: data.vertices, triangles: data.triangles, inner: vec![], is_convex: false })
}

/// Icosahedron, its triangles cut in four `times` times, on the unit sphere.
fn icosphere(times: usize) -> Closed {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    // Three golden rectangles; neighbours are at distance 2.
    let mut vertices: Vec<Corner> = Vec::new();
    for axis in 0..3 {
        for (x, y) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
            let mut v = [0.0; 3];
            v[(axis + 1) % 3] = x;
            v[(axis + 2) % 3] = y;
            vertices.push(unit(v));
        }
    }
    let side = distance(vertices[0], vertices[1]) * 1.01;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|i| vertices[i]);
                if distance(p, q) < side && distance(q, r) < side && distance(r, p) < side {
                    let outward = dot(cross(sub(q, p), sub(r, p)), p) > 0.0;
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] }.map(|i| i as u32));
                }
            }
        }
    }
    for _ in 0..times {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for t in &triangles {
            let m: [u32; 3] = std::array::from_fn(|i| {
                let (a, b) = (t[i], t[(i + 1) % 3]);
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let (p, q) = (vertices[a as usize], vertices[b as usize]);
                    vertices.push(unit(std::array::from_fn(|k| p[k] + q[k])));
                    vertices.len() as u32 - 1
                })
            });
            finer.extend((0..3).map(|i| [t[i], m[i], m[(i + 2) % 3]]));
            finer.push(m);
        }
        triangles = finer;
    }
    let inner = vec![[0.0; 3], [0.25, -0.125, 0.3], [-0.4, 0.35, 0.1]];
    Closed { name: "icosphere".into(), vertices, triangles, inner, is_convex: true }
}

fn torus(rings: usize, sides: usize) -> Closed {
    tube("torus", rings, sides, 0.375, |s| [s.cos(), s.sin(), 0.0])
}

/// Tube along a trefoil knot.
fn trefoil(rings: usize, sides: usize) -> Closed {
    tube("knot", rings, sides, 0.11, |s| {
        let ring = 0.7 + 0.3 * (3.0 * s).cos();
        [ring * (2.0 * s).cos(), ring * (2.0 * s).sin(), 0.3 * (3.0 * s).sin()]
    })
}

/// Tube around a closed curve. The curve is inside.
fn tube(name: &str, rings: usize, sides: usize, radius: f64, curve: impl Fn(f64) -> Corner) -> Closed {
    let (mut vertices, mut triangles, mut inner) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rings {
        let s = TAU * i as f64 / rings as f64;
        let center = curve(s);
        let along = unit(sub(curve(s + 1e-5), curve(s - 1e-5)));
        let u = unit(cross([0.0, 0.0, 1.0], along));
        let w = cross(along, u);
        inner.push(center);
        for j in 0..sides {
            let (sin, cos) = (TAU * j as f64 / sides as f64).sin_cos();
            vertices.push(std::array::from_fn(|k| center[k] + radius * (cos * u[k] + sin * w[k])));
        }
    }
    let number = |i: usize, j: usize| (i % rings * sides + j % sides) as u32;
    for i in 0..rings {
        for j in 0..sides {
            // Counter-clockwise around the curve as j grows, seen against it: ahead along the curve, then up.
            let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            triangles.extend([[a, d, b], [b, d, c]]);
        }
    }
    Closed { name: name.into(), vertices, triangles, inner, is_convex: false }
}

/// Cube whose faces are fans of slivers around a point very near a corner. The rim of a face is cut very near its
/// corners, at the same points on both faces of an edge.
fn slivers() -> Closed {
    let hair = 2f64.powi(-20);
    let cuts = [-1.0, -1.0 + hair, 0.25, 1.0 - 3.0 * hair];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let place = |x: f64, y: f64| {
                let mut v = [0.0; 3];
                v[axis] = side;
                v[(axis + 1) % 3] = x;
                v[(axis + 2) % 3] = y;
                v
            };
            // Once around; each edge is cut at the same coordinates in both directions.
            let back = || cuts[1..].iter().rev().copied();
            let mut rim: Vec<Corner> = cuts.iter().map(|s| place(*s, -1.0)).collect();
            rim.extend(cuts.iter().map(|s| place(1.0, *s)));
            rim.extend([1.0].into_iter().chain(back()).map(|s| place(s, 1.0)));
            rim.extend([1.0].into_iter().chain(back()).map(|s| place(-1.0, s)));
            let first = vertices.len() as u32;
            let n = rim.len() as u32;
            vertices.append(&mut rim);
            vertices.push(place(1.0 - 2.0 * hair, -1.0 + hair));
            for i in 0..n {
                let (a, b) = (first + i, first + (i + 1) % n);
                triangles.push(if side > 0.0 { [a, b, first + n] } else { [b, a, first + n] });
            }
        }
    }
    let inner = vec![[0.0; 3], [0.5, -0.75, 0.25], [-0.9, 0.9, -0.9]];
    Closed { name: "slivers".into(), vertices, triangles, inner, is_convex: true }
}

fn sub(a: Corner, b: Corner) -> Corner {
    std::array::from_fn(|i| a[i] - b[i])
}
fn dot(a: Corner, b: Corner) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: Corner, b: Corner) -> Corner {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn distance(a: Corner, b: Corner) -> f64 {
    dot(sub(a, b), sub(a, b)).sqrt()
}
fn unit(v: Corner) -> Corner {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}
