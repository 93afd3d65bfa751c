//! Case of a moving sphere: a shape or a mesh, a ray, a radius and queries; and the contacts of the library.

use crate::body::{Body, World, vector};
use crate::case::query;
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::PlainQuery;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Object, Ray, Real, Scene, Segment, SweepHit, SweepQuery, Transform, TriangleMesh, Vector};
use std::fmt;

/// What the sphere moves towards.
#[derive(Clone, Debug)]
pub enum Target {
    /// A shape.
    Shape(Body),
    /// Triangles, as a mesh.
    Mesh {
        /// Vertices.
        vertices: Vec<[f64; 3]>,
        /// Indices of the vertices of each triangle.
        triangles: Vec<[u32; 3]>,
        /// Place of an instance.
        place: Option<Place>,
    },
}

/// Transform that rounds no coordinate: a permutation of the axes with signs, a power of two, a translation.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where each axis goes.
    pub axes: [usize; 3],
    /// Factor of each axis: a power of two, or its negative.
    pub factors: [f64; 3],
    /// Translation.
    pub translation: [f64; 3],
}

impl Place {
    /// Image of a point; `None` if a rounding changes it.
    pub fn image(&self, p: [f64; 3]) -> Option<[f64; 3]> {
        let mut image = self.translation;
        for ((p, factor), &to) in p.into_iter().zip(self.factors).zip(&self.axes) {
            let x = p * factor;
            let sum = image[to] + x;
            if sum - image[to] != x || sum - x != image[to] || x / factor != p {
                return None;
            }
            image[to] = sum;
        }
        Some(image)
    }
    /// Whether the image is mirrored.
    pub fn is_mirror(&self) -> bool {
        let [a, b, c] = self.axes;
        let is_odd = (a > b) ^ (a > c) ^ (b > c);
        is_odd ^ (self.factors.iter().filter(|x| **x < 0.0).count() % 2 == 1)
    }
}

/// A target, a ray, a radius and the queries to compare.
#[derive(Clone, Debug)]
pub struct SweepCase {
    /// Precision of all numbers.
    pub precision: Precision,
    /// What the sphere moves towards.
    pub target: Target,
    /// Ray or segment of the center.
    pub given: RayOrSegment,
    /// Radius.
    pub radius: f64,
    /// Queries.
    pub queries: Vec<PlainQuery>,
}

/// Contact in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainContact {
    /// Parameter `t`.
    pub t: f64,
    /// Signed distance from the origin to the center.
    pub distance: f64,
    /// Center of the sphere.
    pub center: [f64; 3],
    /// Contact point.
    pub point: [f64; 3],
    /// Unit normal.
    pub normal: [f64; 3],
    /// Depth, if the sphere touches where the range begins.
    pub depth: Option<f64>,
    /// Triangle of a mesh.
    pub primitive: Option<u32>,
}

fn plain<V: Vector>(hit: &SweepHit<V>) -> PlainContact {
    let numbers = |v: V| v.to_xyz().map(Real::to_f64);
    PlainContact {
        t: hit.t.to_f64(),
        distance: hit.distance.to_f64(),
        center: numbers(hit.center),
        point: numbers(hit.point),
        normal: numbers(hit.normal),
        depth: hit.depth.map(Real::to_f64),
        primitive: hit.primitive,
    }
}

/// Contacts of the library with one case.
pub struct Contacts {
    /// One for each query.
    pub found: Vec<Option<PlainContact>>,
    /// What changes with the tree, or in a batch.
    pub unlike: Vec<String>,
}

impl SweepCase {
    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        match &self.target {
            Target::Shape(body) => body.kind.dim(),
            Target::Mesh { .. } => 3,
        }
    }
    /// Contacts of the library; `None` if it refuses the target.
    pub fn contacts(&self) -> Option<Contacts> {
        use hitscan::glam::{DVec2, Vec2};
        match (&self.target, self.precision) {
            (Target::Shape(body), precision) => match (body.kind.dim(), precision) {
                (2, Precision::F32) => Some(self.with_shape::<Vec2>(&[Vec2::build(body)?])),
                (2, Precision::F64) => Some(self.with_shape::<DVec2>(&[DVec2::build(body)?])),
                (_, Precision::F32) => Some(self.with_shape::<Vec3>(&[Vec3::build(body)?])),
                (_, Precision::F64) => Some(self.with_shape::<DVec3>(&[DVec3::build(body)?])),
            },
            (Target::Mesh { .. }, Precision::F32) => self.with_mesh::<Vec3>(),
            (Target::Mesh { .. }, Precision::F64) => self.with_mesh::<DVec3>(),
        }
    }

    fn with_mesh<V: World + hitscan::Vector3>(&self) -> Option<Contacts>
    where
        V::Shape: From<TriangleMesh<V>>,
    {
        let Target::Mesh { vertices, triangles, place } = &self.target else { return None };
        let mesh =
            TriangleMesh::<V>::new(vertices.iter().map(|p| vector(*p)).collect::<Vec<_>>(), triangles.clone()).ok()?;
        let Some(place) = place else { return Some(self.with_shape::<V>(&[mesh.linear_scan(), mesh])) };
        let mut axes = [[0.0; 3]; 3];
        (0..3).for_each(|i| axes[i][place.axes[i]] = place.factors[i]);
        let transform = Transform::new(axes.map(vector::<V>), vector(place.translation)).ok()?;
        let scene = |mesh: TriangleMesh<V>| {
            let mut scene = Scene::<V>::new();
            scene.insert(Object::new(mesh).with_transform(transform)).ok()?;
            Some(scene)
        };
        Some(self.with_shape::<V>(&[scene(mesh.linear_scan())?, scene(mesh)?]))
    }

    fn with_shape<V: World>(&self, shapes: &[impl SweepQuery<V>]) -> Contacts {
        let (a, b) = (vector::<V>(self.given.origin), vector::<V>(self.given.target));
        let radius = V::Scalar::from_f64(self.radius);
        let mut unlike = vec![];
        let mut found = vec![];
        for plain_query in &self.queries {
            let own = query::<V>(plain_query);
            let all: Vec<_> = shapes
                .iter()
                .flat_map(|shape| match self.given.is_segment {
                    true => shape.cast_spheres(&[Segment::new(a, b)], radius, own),
                    false => shape.cast_spheres(&[Ray::new(a, b)], radius, own),
                })
                .collect();
            let plain: Vec<Option<PlainContact>> = all.iter().map(|hit| hit.as_ref().map(plain)).collect();
            if plain.windows(2).any(|pair| pair[0] != pair[1]) {
                unlike.push(format!("tree and linear scan differ: {plain:?}"));
            }
            found.push(plain.last().copied().flatten());
        }
        Contacts { found, unlike }
    }
}

/// Prints all digits, so that the case can be replayed.
impl fmt::Display for SweepCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.precision.name())?;
        match &self.target {
            Target::Shape(body) => {
                write!(f, " {}", body.kind.name())?;
                for (name, _, numbers) in body.parts() {
                    write!(f, " {name}={numbers:?}")?;
                }
            }
            Target::Mesh { vertices, triangles, place } => {
                write!(f, " mesh vertices={vertices:?} triangles={triangles:?}")?;
                if let Some(place) = place {
                    write!(f, " {place:?}")?;
                }
            }
        }
        let RayOrSegment { origin, target, is_segment } = &self.given;
        let dim = self.dim();
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, " {from}={:?} {to}={:?} radius={:?}", &origin[..dim], &target[..dim], self.radius)
    }
}
