//! State of the module, and the operations that it exports.

use crate::code::{Code, Details, Failure, of_load, of_mesh, plain};
use crate::objects::{HitBuffer, Kind, Object, RayBuffer, Space, column};
use crate::queries::{self, Cast};
use crate::table::Table;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Quality, Shape, TriangleMesh};

/// Result of an operation.
type Result<T> = std::result::Result<T, Failure>;

/// Room for the longest result of one query.
const RECORD: usize = 20;

/// State of the module: objects, and the results of the last call.
pub(crate) struct Module {
    objects: Table<Object>,
    /// Numbers of the last result, or of the last error.
    pub(crate) record: [f64; RECORD],
    /// The last list of hits or spans.
    pub(crate) list: Vec<f64>,
    /// The mesh that was saved last.
    pub(crate) saved: Vec<u8>,
}

/// Whether the module has meshes in `f32`, moving spheres and overlaps, which cost more than half of its size again. The code behind
/// it is always compiled and tested, but only linked where this is true.
const FULL: bool = cfg!(any(feature = "full", not(target_family = "wasm")));

/// Runs a generic expression for the mesh of a handle, in its precision.
macro_rules! with_mesh {
    ($module:expr, $handle:expr, |$mesh:ident| $body:expr) => {
        match $module.objects.get($handle) {
            Some(Object::Single(Kind::Mesh($mesh))) if FULL => $body,
            Some(Object::Double(Kind::Mesh($mesh))) => $body,
            _ => return Err(plain(Code::Handle)),
        }
    };
}

impl Module {
    pub(crate) const fn new() -> Self {
        Self { objects: Table::new(), record: [0.0; RECORD], list: Vec::new(), saved: Vec::new() }
    }

    /// The code of a failure, with its numbers in the record.
    pub(crate) fn fail(&mut self, (code, details): (Code, Details)) -> i32 {
        self.record[..3].copy_from_slice(&details);
        code as i32
    }

    fn add(&mut self, object: Object) -> Result<i32> {
        self.objects.insert(object).map(u32::cast_signed).ok_or(plain(Code::Memory))
    }

    /// Makes a buffer: 0 and 1 for vertices in `f32` and `f64`, 2 and 3 for rays, 4 and 5 for hits, 6 for triangles, 7 for bytes.
    pub(crate) fn buffer(&mut self, kind: u32, count: usize) -> Result<i32> {
        let object = match kind {
            0 if FULL => Vec3::object(Kind::Vertices(column(count, Vec3::ZERO)?)),
            1 => DVec3::object(Kind::Vertices(column(count, DVec3::ZERO)?)),
            2 if FULL => Vec3::object(Kind::Rays(Box::new(RayBuffer::new(count)?))),
            3 => DVec3::object(Kind::Rays(Box::new(RayBuffer::new(count)?))),
            4 if FULL => Vec3::object(Kind::Hits(Box::new(HitBuffer::new(count)?))),
            5 => DVec3::object(Kind::Hits(Box::new(HitBuffer::new(count)?))),
            6 => Object::Triangles(column(count, [0; 3])?),
            7 => Object::Bytes(column(count, 0)?),
            0 | 2 | 4 => return Err(plain(Code::Missing)),
            _ => return Err(plain(Code::Handle)),
        };
        self.add(object)
    }

    /// Address of a column of a buffer; 0 for one that is not there.
    pub(crate) fn address(&mut self, handle: u32, column: u32) -> usize {
        fn of_kind<V: Space>(kind: &mut Kind<V>, column: u32) -> usize {
            match kind {
                Kind::Vertices(vertices) => vertices.as_mut_ptr() as usize,
                Kind::Rays(rays) => rays.address(column),
                Kind::Hits(hits) => hits.address(column),
                Kind::Mesh(_) => 0,
            }
        }
        match self.objects.get_mut(handle) {
            Some(Object::Single(kind)) if FULL => of_kind(kind, column),
            Some(Object::Double(kind)) => of_kind(kind, column),
            Some(Object::Triangles(triangles)) => triangles.as_mut_ptr() as usize,
            Some(Object::Bytes(bytes)) => bytes.as_mut_ptr() as usize,
            _ => 0,
        }
    }

    /// Writes the vertices or the triangles of a buffer, as JavaScript does by its address.
    pub(crate) fn fill(&mut self, handle: u32, numbers: &[f64]) {
        fn of_kind<V: Space>(kind: &mut Kind<V>, threes: &[[f64; 3]]) {
            if let Kind::Vertices(vertices) = kind {
                vertices.iter_mut().zip(threes).for_each(|(to, xyz)| *to = V::nearest(*xyz));
            }
        }
        let (threes, _) = numbers.as_chunks::<3>();
        match self.objects.get_mut(handle) {
            Some(Object::Single(kind)) => of_kind(kind, threes),
            Some(Object::Double(kind)) => of_kind(kind, threes),
            Some(Object::Triangles(triangles)) => {
                triangles.iter_mut().zip(threes).for_each(|(to, abc)| *to = abc.map(|x| x as u32));
            }
            _ => {}
        }
    }

    /// Frees an object; 1 if there was one.
    pub(crate) fn release(&mut self, handle: u32) -> i32 {
        i32::from(self.objects.remove(handle).is_some())
    }

    /// Builds a mesh of buffers of vertices and triangles, which it takes. A handle of no triangles makes each three vertices one.
    pub(crate) fn mesh(&mut self, vertices: u32, triangles: u32, quality: u32) -> Result<i32> {
        let quality = if quality == 1 { Quality::High } else { Quality::Default };
        // Both buffers are taken, whatever becomes of them: the caller has nothing to free.
        let (vertices, triangles) = (self.objects.remove(vertices), self.objects.remove(triangles));
        let triangles = match triangles {
            Some(Object::Triangles(triangles)) => Some(triangles),
            None => None,
            _ => return Err(plain(Code::Handle)),
        };
        let object = match vertices {
            Some(Object::Single(Kind::Vertices(vertices))) if FULL => build(vertices, triangles, quality)?,
            Some(Object::Double(Kind::Vertices(vertices))) => build(vertices, triangles, quality)?,
            _ => return Err(plain(Code::Handle)),
        };
        self.add(object)
    }

    /// Moves the vertices of a mesh to those of a buffer, which it takes.
    pub(crate) fn refit(&mut self, mesh: u32, vertices: u32) -> Result<i32> {
        fn of_kind<V: Space>(object: Option<&mut Object>, vertices: &[V]) -> Result<i32> {
            match object.and_then(V::kind_mut) {
                Some(Kind::Mesh(mesh)) => mesh.refit(vertices).map(|()| 0).map_err(of_mesh),
                _ => Err(plain(Code::Handle)),
            }
        }
        let vertices = self.objects.remove(vertices);
        let object = self.objects.get_mut(mesh);
        match &vertices {
            Some(Object::Single(Kind::Vertices(vertices))) if FULL => of_kind(object, vertices),
            Some(Object::Double(Kind::Vertices(vertices))) => of_kind(object, vertices),
            _ => Err(plain(Code::Handle)),
        }
    }

    /// Precision of a mesh in bytes, its counts of vertices and triangles, its box, and the bytes of its tree.
    pub(crate) fn describe(&mut self, mesh: u32) -> Result<i32> {
        fn of_mesh<V: Space>(mesh: &TriangleMesh<V>, out: &mut [f64]) {
            let aabb = mesh.aabb();
            out[0] = size_of::<V::Scalar>() as f64;
            (out[1], out[2]) = (mesh.vertices().len() as f64, mesh.triangles().len() as f64);
            out[3..6].copy_from_slice(&aabb.min.to_f64());
            out[6..9].copy_from_slice(&aabb.max.to_f64());
            out[9] = mesh.statistics().bytes as f64;
        }
        with_mesh!(self, mesh, |mesh| of_mesh(mesh, &mut self.record));
        Ok(0)
    }

    pub(crate) fn is_closed(&self, mesh: u32) -> Result<i32> {
        Ok(i32::from(with_mesh!(self, mesh, |mesh| mesh.topology().is_closed())))
    }

    /// Saves a mesh; returns 0, and the bytes are in `saved`.
    pub(crate) fn save(&mut self, mesh: u32) -> Result<i32> {
        self.saved = with_mesh!(self, mesh, |mesh| mesh.to_bytes());
        Ok(0)
    }

    /// Loads a mesh of a buffer of bytes, which it takes, with coordinates of 4 or 8 bytes.
    pub(crate) fn load(&mut self, bytes: u32, scalar: u32) -> Result<i32> {
        let Some(Object::Bytes(bytes)) = self.objects.remove(bytes) else { return Err(plain(Code::Handle)) };
        let object = if scalar == 4 {
            if !FULL {
                return Err(plain(Code::Missing));
            }
            Vec3::object(Kind::Mesh(Box::new(TriangleMesh::from_bytes(&bytes).map_err(of_load)?)))
        } else {
            DVec3::object(Kind::Mesh(Box::new(TriangleMesh::from_bytes(&bytes).map_err(of_load)?)))
        };
        self.add(object)
    }

    pub(crate) fn cast(&mut self, mesh: u32, cast: &Cast) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::closest(mesh, cast, &mut self.record)))
    }

    pub(crate) fn occluded(&self, mesh: u32, cast: &Cast) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::any(mesh, cast)))
    }

    pub(crate) fn cast_all(&mut self, mesh: u32, cast: &Cast) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::all(mesh, cast, &mut self.list)))
    }

    pub(crate) fn count(&self, mesh: u32, cast: &Cast) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::count(mesh, cast)))
    }

    pub(crate) fn spans(&mut self, mesh: u32, cast: &Cast) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::spans(mesh, cast, &mut self.list)))
    }

    pub(crate) fn contains(&self, mesh: u32, point: [f64; 3]) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::contains(mesh, point)))
    }

    pub(crate) fn closest_point(&mut self, mesh: u32, point: [f64; 3], most: f64) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::closest_point(mesh, point, most, &mut self.record)))
    }

    pub(crate) fn signed_distance(&mut self, mesh: u32, point: [f64; 3]) -> Result<i32> {
        Ok(with_mesh!(self, mesh, |mesh| queries::signed_distance(mesh, point, &mut self.record)))
    }

    pub(crate) fn sphere_cast(&mut self, mesh: u32, cast: &Cast, radius: f64) -> Result<i32> {
        if !FULL {
            return Err(plain(Code::Missing));
        }
        with_mesh!(self, mesh, |mesh| queries::sphere_cast(mesh, cast, radius, &mut self.record))
    }

    pub(crate) fn overlaps(&self, mesh: u32, center: [f64; 3], size: [f64; 3], is_box: bool) -> Result<i32> {
        if !FULL {
            return Err(plain(Code::Missing));
        }
        with_mesh!(self, mesh, |mesh| Ok(queries::overlaps(mesh, &queries::volume(center, size, is_box)?)))
    }

    /// Whether the convex hull of the points of a buffer, which it takes, touches a triangle.
    pub(crate) fn touches_hull(&mut self, mesh: u32, points: u32) -> Result<i32> {
        fn of_kind<V: Space>(mesh: &TriangleMesh<V>, points: &Object) -> Result<i32> {
            match V::kind(points) {
                Some(Kind::Vertices(points)) => queries::touches_hull(mesh, points),
                _ => Err(plain(Code::Handle)),
            }
        }
        let points = self.objects.remove(points).ok_or(plain(Code::Handle))?;
        if !FULL {
            return Err(plain(Code::Missing));
        }
        with_mesh!(self, mesh, |mesh| of_kind(mesh, &points))
    }

    /// The closest hits of the first `count` rays of a buffer.
    pub(crate) fn cast_batch(&mut self, mesh: u32, rays: u32, hits: u32, count: usize, cast: &Cast) -> Result<i32> {
        // The hits are taken out while the mesh and the rays are read.
        let mut taken = self.objects.take(hits).ok_or(plain(Code::Handle))?;
        let result = self.cast_batch_into(mesh, rays, &mut taken, count, cast);
        self.objects.put_back(hits, taken);
        result
    }

    fn cast_batch_into(&self, mesh: u32, rays: u32, hits: &mut Object, count: usize, cast: &Cast) -> Result<i32> {
        fn of_kind<V: Space>(
            (mesh, rays): (&TriangleMesh<V>, Option<&Object>),
            hits: &mut Object,
            count: usize,
            cast: &Cast,
        ) -> Result<i32> {
            let (Some(Kind::Rays(rays)), Some(Kind::Hits(hits))) = (rays.and_then(V::kind), V::kind_mut(hits)) else {
                return Err(plain(Code::Handle));
            };
            has_room(count, rays.origins.len().min(hits.len()))?;
            Ok(queries::closest_each(mesh, rays, count, cast, hits))
        }
        let rays = self.objects.get(rays);
        with_mesh!(self, mesh, |mesh| of_kind((mesh, rays), hits, count, cast))
    }

    /// Whether each of the first `count` rays of a buffer hits, in a buffer of bytes.
    pub(crate) fn occluded_batch(&mut self, mesh: u32, rays: u32, out: u32, count: usize, cast: &Cast) -> Result<i32> {
        let mut taken = self.objects.take(out).ok_or(plain(Code::Handle))?;
        let result = self.occluded_batch_into(mesh, rays, &mut taken, count, cast);
        self.objects.put_back(out, taken);
        result
    }

    fn occluded_batch_into(&self, mesh: u32, rays: u32, out: &mut Object, count: usize, cast: &Cast) -> Result<i32> {
        fn of_kind<V: Space>(
            (mesh, rays): (&TriangleMesh<V>, Option<&Object>),
            out: &mut [u8],
            count: usize,
            cast: &Cast,
        ) -> Result<i32> {
            let Some(Kind::Rays(rays)) = rays.and_then(V::kind) else { return Err(plain(Code::Handle)) };
            has_room(count, rays.origins.len().min(out.len()))?;
            Ok(queries::any_each(mesh, rays, count, cast, out))
        }
        let (rays, Object::Bytes(out)) = (self.objects.get(rays), out) else { return Err(plain(Code::Handle)) };
        with_mesh!(self, mesh, |mesh| of_kind((mesh, rays), out, count, cast))
    }
}

/// Whether a batch fits the buffers.
fn has_room(count: usize, room: usize) -> Result<()> {
    if count <= room { Ok(()) } else { Err((Code::Short, [room as f64, 0.0, 0.0])) }
}

fn build<V: Space>(vertices: Vec<V>, triangles: Option<Vec<[u32; 3]>>, quality: Quality) -> Result<Object> {
    let triangles = match triangles {
        Some(triangles) => triangles,
        None => {
            let mut triangles = column(vertices.len() / 3, [0; 3])?;
            for (triangle, first) in triangles.iter_mut().zip((0..).step_by(3)) {
                *triangle = [first, first + 1, first + 2];
            }
            triangles
        }
    };
    let mesh = TriangleMesh::with_quality(vertices, triangles, quality).map_err(of_mesh)?;
    Ok(V::object(Kind::Mesh(Box::new(mesh))))
}
