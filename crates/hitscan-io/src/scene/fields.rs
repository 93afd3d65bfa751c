//! The parameters of one shape, transformed, in the precision of the scene.

use super::node::{Node, Table, find};
use super::schema::{COMMON, GEOMETRY, GROUP, OBJECT, SOLID, ShapeType, names, unknown_key};
use super::transform::{AffineMap, Placement, Transform, Triple, unit};
use super::values::{FieldError, boolean, layers, list, name, narrow, number, text, vector, vectors, word};
use crate::dimension::Dimension;
use crate::mesh::MeshFile;
use crate::rule_words::{FACES, INSIDE};
use hitscan::{Accelerator, Basis, Faces, Inside, MeshError, TriangleMesh};
use hitscan::{Real, Vector, Vector3};
use std::sync::Arc;

/// A `[[shape]]` or a `[[geometry]]`, with the mesh that it names.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    table: &'a Table,
    pub(super) kind: &'static str,
    dimension: Dimension,
    /// The transform that the parameters take up.
    transform: Transform,
    /// The transform that they cannot take up: the shape stays, and an object places it.
    pub(super) instance: Option<AffineMap>,
    mesh: Option<&'a MeshFile>,
    accelerator: Option<Accelerator>,
}

/// The kind of a table of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// `[[shape]]`.
    Shape,
    /// `[[geometry]]`.
    Geometry,
    /// `[[object]]`.
    Object,
}

impl Part {
    /// The key of its tables.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Geometry => "geometry",
            Self::Object => "object",
        }
    }
}

/// The name, the layers and the rules of a shape or an object.
pub(super) struct Label<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) layers: u32,
    pub(super) is_trigger: bool,
    pub(super) faces: Option<Faces>,
    pub(super) inside: Option<Inside>,
}

impl<'a> Label<'a> {
    pub(super) fn read(table: &'a Table) -> Result<Self, FieldError> {
        let trigger = find(table, "trigger").map(|node| boolean("trigger", node)).transpose()?;
        Ok(Self {
            name: find(table, "name").map(name).transpose()?,
            layers: layers(find(table, "layer"), find(table, "layers"))?,
            is_trigger: trigger.unwrap_or(false),
            faces: find(table, "faces").map(|node| word("faces", node, &FACES)).transpose()?,
            inside: find(table, "inside").map(|node| word("inside", node, &INSIDE)).transpose()?,
        })
    }
}

impl<'a> Fields<'a> {
    /// Checks type and keys, and reads the transform.
    pub(super) fn read(table: &'a Table, part: Part, dimension: Dimension) -> Result<Self, FieldError> {
        let kind = find(table, "type").ok_or_else(|| FieldError::new("missing 'type'"))?;
        let name = text("type", kind)?;
        let shape = ShapeType::find(dimension, name).map_err(|error| FieldError::at(kind, error))?;
        let known = shape.all_keys(if part == Part::Geometry { GEOMETRY } else { COMMON });
        if let Some((key, value)) = table.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            let is_of_object = names(OBJECT).contains(&key.as_str());
            let text = if is_of_object { format!("'{key}' belongs to [[object]]") } else { unknown_key(key, &known) };
            return Err(FieldError::at(value, text));
        }
        if let Some(key) = shape.required().find(|key| find(table, key).is_none()) {
            return Err(FieldError::new(format!("missing '{key}'")));
        }
        let (mut transform, mut instance) = (Transform::NONE, None);
        if let Some(node) = find(table, "transform") {
            let placement = Placement::read(node, dimension)?;
            match placement.within_type(shape.name == "mesh").filter(|_| !matches!(shape.name, GROUP | SOLID)) {
                Some(baked) => transform = baked,
                None if part == Part::Geometry => {
                    return Err(FieldError::at(node, "'transform': the image is of no type (give it to [[object]])"));
                }
                None => instance = Some(placement.affine_map()),
            }
        }
        Ok(Self { table, kind: shape.name, dimension, transform, instance, mesh: None, accelerator: None })
    }

    pub(super) fn with_mesh(self, mesh: Option<&'a MeshFile>, accelerator: Option<Accelerator>) -> Self {
        Self { mesh, accelerator, ..self }
    }

    fn node(&self, key: &str) -> Result<&'a Node, FieldError> {
        find(self.table, key).ok_or_else(|| FieldError::new(format!("missing '{key}'")))
    }

    fn triple(&self, key: &str) -> Result<Triple, FieldError> {
        vector(key, self.node(key)?, self.dimension)
    }

    /// A length, scaled.
    pub(super) fn length<S: Real>(&self, key: &str) -> Result<S, FieldError> {
        let node = self.node(key)?;
        let given = number(key, node)?;
        let length = narrow(key, given * self.transform.length()).map_err(|text| FieldError::at(node, text))?;
        if length == S::ZERO && given != 0.0 {
            return Err(FieldError::at(node, format!("{key} is too small: it rounds to 0")));
        }
        Ok(length)
    }

    /// A point, moved.
    pub(super) fn point<V: Vector>(&self, key: &'static str) -> Result<V, FieldError> {
        self.narrowed(key, self.transform.point(self.triple(key)?))
    }

    /// A direction of any length, turned.
    pub(super) fn direction<V: Vector>(&self, key: &'static str) -> Result<V, FieldError> {
        self.narrowed(key, self.transform.direction(self.triple(key)?))
    }

    /// A vector between two points, scaled and turned.
    pub(super) fn edge<V: Vector>(&self, key: &'static str) -> Result<V, FieldError> {
        self.narrowed(key, self.transform.vector(self.triple(key)?))
    }

    /// A list of points, moved.
    pub(super) fn points<V: Vector>(&self, key: &'static str) -> Result<Vec<V>, FieldError> {
        let points = vectors(key, self.node(key)?, self.dimension)?;
        points.into_iter().map(|p| self.narrowed(key, self.transform.point(p))).collect()
    }

    /// Lengths along axes, scaled, and the axes unless they are those of the coordinates.
    pub(super) fn oriented<V: Vector>(&self, lengths: &'static str) -> Result<(V, Option<Vec<V>>), FieldError> {
        let given = self.triple(lengths)?;
        let scaled = given.map(|x| x * self.transform.length());
        if let Some(node) = find(self.table, "axes") {
            let axes = self.unit_axes::<V>(vectors("axes", node, self.dimension)?);
            let turned = axes.into_iter().map(|axis| self.narrowed("axes", self.transform.direction(axis)));
            return Ok((self.narrowed(lengths, scaled)?, Some(turned.collect::<Result<_, _>>()?)));
        }
        if let Some(straight) = self.transform.lengths_along_axes(given) {
            return Ok((self.narrowed(lengths, straight)?, None));
        }
        let axes = self.transform.axes().into_iter().take(self.dimension.count());
        let axes = axes.map(|axis| self.narrowed("rotation", axis)).collect::<Result<_, _>>()?;
        Ok((self.narrowed(lengths, scaled)?, Some(axes)))
    }

    /// Makes axes that are orthonormal for an `f32` orthonormal for an `f64`: a scene of `f32` can be built in `f64`.
    fn unit_axes<V: Vector>(&self, axes: Vec<Triple>) -> Vec<Triple> {
        let fine = |axes: &[Triple]| Basis::new(axes.iter().map(|a| from::<V>(*a)).collect::<Vec<V>>()).is_ok();
        if axes.len() != V::DIM || fine(&axes) || axes.as_flattened().iter().any(|x| f64::from(*x as f32) != *x) {
            return axes;
        }
        let repaired = orthonormal(&axes);
        let moved = axes.as_flattened().iter().zip(repaired.as_flattened()).map(|(a, b)| (a - b).abs());
        let slack = 16.0 * f64::from(f32::EPSILON);
        // Axes that are not orthonormal in f32 either stay as they are: the constructor refuses them.
        if moved.fold(0.0, f64::max) <= slack && fine(&repaired) { repaired } else { axes }
    }

    /// The mesh with its transform; the triangles of a mirrored one are reversed, so that normals stay outward. A mesh that
    /// was saved with a BVH keeps it if it has no transform.
    pub(super) fn mesh<V: Vector3>(&self) -> Result<Arc<TriangleMesh<V>>, FieldError> {
        let Some(loaded) = self.mesh else { return Err(FieldError::new("a mesh has to be in a file")) };
        if self.transform == Transform::NONE
            && let Some(mesh) = loaded.saved_mesh::<V>()
        {
            return Ok(if self.accelerator == Some(Accelerator::LinearScan) {
                Arc::new(mesh.linear_scan())
            } else {
                mesh
            });
        }
        let refused = |error: MeshError| FieldError { field: Some("file"), ..FieldError::caused(error) };
        let mesh = loaded.data();
        let vertices = mesh.vertices.iter().map(|v| self.narrowed("file", self.transform.point(*v)));
        let vertices = vertices.collect::<Result<Vec<V>, _>>()?;
        let Some(accelerator) = self.accelerator else {
            // Its reader has checked the rest.
            return TriangleMesh::new(vec![V::default(); 3], vec![[0, 1, 2]]).map(Arc::new).map_err(refused);
        };
        let mut triangles = mesh.into_owned().triangles;
        if self.transform.mirrors() {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        TriangleMesh::with_accelerator(vertices, triangles, accelerator).map(Arc::new).map_err(refused)
    }

    /// The convex hull of points, moved.
    pub(super) fn convex_hull<V: Vector3>(&self) -> Result<Arc<TriangleMesh<V>>, FieldError> {
        let hull = TriangleMesh::convex_hull(self.points::<V>("points")?);
        self.constructed(hull.map_err(|error| FieldError { field: Some("points"), ..FieldError::caused(error) })?)
    }

    /// The prism over a polygon with holes, moved.
    pub(super) fn prism<V: Vector3>(&self) -> Result<Arc<TriangleMesh<V>>, FieldError> {
        let ring = |key: &'static str, node: &Node| {
            let corners = vectors(key, node, Dimension::Two)?;
            let number = |x: f64| narrow(key, x).map_err(|text| FieldError::at(node, text));
            corners.into_iter().map(|[x, y, _]| Ok([number(x)?, number(y)?])).collect::<Result<Vec<_>, FieldError>>()
        };
        let outline = ring("outline", self.node("outline")?)?;
        let holes = match find(self.table, "holes") {
            None => Vec::new(),
            Some(node) => list("holes", node)?.iter().map(|hole| ring("holes", hole)).collect::<Result<_, _>>()?,
        };
        let heights = self.node("z")?;
        let [low, high, _] = vector("z", heights, Dimension::Two)?;
        let height = |x: f64| narrow("z", x).map_err(|text| FieldError::at(heights, text));
        // The error says which ring it is about, so it is that of the whole table but for the heights.
        let refused = |error: MeshError| match error {
            MeshError::Heights => FieldError { field: Some("z"), ..FieldError::caused(error) },
            _ => FieldError::caused(error),
        };
        let prism = TriangleMesh::<V>::prism(&outline, &holes, [height(low)?, height(high)?]).map_err(refused)?;
        if self.transform == Transform::NONE {
            return self.constructed(prism);
        }
        let moved = |v: &V| self.narrowed("outline", self.transform.point(v.to_xyz().map(Real::to_f64)));
        let vertices = prism.vertices().iter().map(moved).collect::<Result<Vec<V>, _>>()?;
        self.constructed(TriangleMesh::new(vertices, prism.triangles().to_vec()).map_err(FieldError::caused)?)
    }

    fn constructed<V: Vector3>(&self, mesh: TriangleMesh<V>) -> Result<Arc<TriangleMesh<V>>, FieldError> {
        let is_linear = self.accelerator == Some(Accelerator::LinearScan);
        Ok(Arc::new(if is_linear { mesh.linear_scan() } else { mesh }))
    }

    fn narrowed<V: Vector>(&self, key: &'static str, triple: Triple) -> Result<V, FieldError> {
        let too_large = |text: String| FieldError::of(key, text);
        let [x, y, z] = triple.map(|x| narrow(key, x));
        Ok(V::from_xyz([x.map_err(too_large)?, y.map_err(too_large)?, z.map_err(too_large)?]))
    }
}

fn from<V: Vector>(triple: Triple) -> V {
    V::from_xyz(triple.map(V::Scalar::from_f64))
}

/// Gram and Schmidt: each axis at right angles to those before it, of length 1.
fn orthonormal(axes: &[Triple]) -> Vec<Triple> {
    let dot = |a: &Triple, b: &Triple| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut done: Vec<Triple> = Vec::with_capacity(axes.len());
    for axis in axes {
        let mut axis = *axis;
        for before in &done {
            let along = dot(&axis, before);
            axis = [0, 1, 2].map(|i| axis[i] - along * before[i]);
        }
        done.push(unit(axis).unwrap_or(axis));
    }
    done
}
