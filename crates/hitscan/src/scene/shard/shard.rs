//! Shards of a scene: their objects and triangles, and parts of them.

use crate::bvh::options::Accelerator;
use crate::hit::{Hit, ObjectId};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::mesh::topology::ParitySurface;
use crate::queries::instance_ray::InstanceRay;
use crate::query::{IntoQuery, Query};
use crate::ray_columns::{RayBuffer, RayColumns};
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::shard::error::ShardError;
use crate::scene::shard::numbers::{ObjectNumber, PrimitiveId, TriangleNumbers};
use crate::scene::split_shape::{MeshData, SplitShape};
use crate::stable_sort::stable_sort_by_key;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// A shard: a part of a scene with a BVH of its own, for one of several machines. Its hits have the object ids and triangle
/// numbers of the whole scene.
///
/// [`Scene::split`] cuts a scene into shards; [`Shard::new`] makes one of a scene with some of the objects. A shard has
/// the queries of a shape, and sees its own objects and triangles only. [`ShardedScene`](crate::ShardedScene) merges the
/// answers of all shards to those of the whole scene, bit for bit; [`ClosestMerge`](crate::ClosestMerge) and
/// [`AllMerge`](crate::AllMerge) are its steps, for shards on several machines.
///
/// ```
/// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Shard, Sphere};
/// let mut scene = Scene::new();
/// for x in 0..10 {
///     scene.insert(Object::new(Sphere::new(Vec3::X * x as f32, 0.25)?))?;
/// }
/// let shards = scene.split(2)?;
/// let ray = Ray::new(Vec3::new(7.0, 0.0, 5.0), -Vec3::Z);
/// assert!(shards[0].cast_ray(&ray, ..).is_none());
/// assert_eq!(shards[1].cast_ray(&ray, ..), scene.cast_ray(&ray, ..));
/// let loaded = Shard::<Vec3>::from_bytes(&shards[1].to_bytes()?)?;
/// assert_eq!(loaded.cast_ray(&ray, ..), scene.cast_ray(&ray, ..));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shard<V: Space> {
    /// The objects, whose ids are 0, 1, 2 and so on in the order of the whole scene.
    pub(crate) scene: Scene<V>,
    /// For each object its number in the whole scene.
    pub(crate) numbers: Arc<[ObjectNumber]>,
    /// The objects in the order of their ids in the whole scene.
    by_id: Arc<[u32]>,
    /// The objects that queries do not see, by their ids in the shard.
    excluded: Arc<[ObjectId]>,
}

impl<V: Space> Shard<V> {
    /// A shard of whole objects, for a scene that is too large to be built as one. In the whole scene the objects have the
    /// ids of [`Scene::insert`], in the order of insertion from `first` on; so the first shard begins at 0, and each other
    /// one where the one before ends. O(n log n).
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, ObjectId, Ray, RayCast, Scene, Shard, Sphere};
    /// let tile = |x: f32| -> Result<_, Box<dyn std::error::Error>> {
    ///     let mut scene = Scene::new();
    ///     scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0)?))?;
    ///     Ok(scene)
    /// };
    /// let shards = [Shard::new(tile(0.0)?, 0)?, Shard::new(tile(50.0)?, 1)?];
    /// let hit = shards[1].cast_ray(&Ray::new(Vec3::X * 100.0, -Vec3::X), ..).ok_or("a miss")?;
    /// assert_eq!((hit.t, hit.object), (49.0, ObjectId::from_bits(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Numbers beyond 2^32 - 2.
    pub fn new(scene: Scene<V>, first: u32) -> Result<Self, ShardError> {
        let count = u32::try_from(scene.len()).map_err(|_| ShardError::TooMany)?;
        let end = first.checked_add(count).filter(|end| *end < u32::MAX).ok_or(ShardError::TooMany)?;
        let number = |slot| ObjectNumber { id: ObjectId::new(slot, 0), order: u64::from(slot), triangles: None };
        let numbers: Vec<_> = (first..end).map(number).collect();
        // A scene without edits keeps its BVH.
        if scene.objects().zip(0..).all(|((id, _), slot)| id == ObjectId::new(slot, 0)) {
            return Ok(Self::from_scene(scene, numbers));
        }
        let objects = scene.objects().map(|(_, object)| object.clone());
        Ok(Self::from_objects(numbers.into_iter().zip(objects), scene.accelerator))
    }

    /// Shard of a scene whose ids are 0, 1, 2 and so on, in the order of insertion, with a number for each object.
    pub(crate) fn from_scene(scene: Scene<V>, numbers: impl Into<Arc<[ObjectNumber]>>) -> Self {
        let numbers = numbers.into();
        let mut by_id: Vec<u32> = (0..numbers.len() as u32).collect();
        stable_sort_by_key(&mut by_id, |&slot| numbers[slot as usize].id.to_bits());
        Self { scene, numbers, by_id: by_id.into(), excluded: Arc::default() }
    }

    /// The shard without the objects of these ids of the whole scene, for queries: see [`Scene::excluding`]. In constant
    /// time but for the ids; ids of other shards are ignored. [`to_bytes`](Self::to_bytes) and [`part`](Self::part) still
    /// have all objects.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let own = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
    /// scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?))?;
    /// let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    /// let hits: Vec<_> = scene.split(2)?.iter().map(|shard| shard.excluding(&[own]).cast_ray(&ray, ..)).collect();
    /// assert_eq!(hits, [None, scene.excluding(&[own]).cast_ray(&ray, ..)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn excluding(&self, ids: &[ObjectId]) -> Self {
        let local = ids.iter().filter_map(|id| self.find(*id)).map(|slot| ObjectId::new(slot as u32, 0));
        Self { excluded: self.excluded.iter().copied().chain(local).collect(), ..self.clone() }
    }

    /// What queries see.
    #[inline]
    pub(crate) fn queried(&self) -> SceneView<'_, V> {
        SceneView::excluding(&self.scene, &self.excluded)
    }

    /// Shard of objects in the order of the whole scene.
    pub(crate) fn from_objects(
        objects: impl Iterator<Item = (ObjectNumber, Object<V>)>,
        accelerator: Accelerator,
    ) -> Self {
        let mut names = Names::default();
        let (mut numbers, mut all) = (Vec::new(), Vec::new());
        for (slot, (number, object)) in (0..).zip(objects) {
            // Names are unique in the whole scene. Shards of several scenes may repeat one.
            if let Some(name) = object.name.clone().filter(|name| names.get(name).is_none()) {
                names.insert(name, ObjectId::new(slot, 0));
            }
            numbers.push(number);
            all.push(object);
        }
        Self::from_scene(Scene::of_objects(all, names, accelerator), numbers)
    }

    /// The number of objects of which the shard has a part.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }
    /// Whether the shard has no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
    /// The number of triangles of meshes that objects of the shard place, each mesh counted once.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        let meshes = self.scene.objects().filter_map(|(_, object)| object.shape().mesh_data());
        let mut counts: Vec<_> = meshes.map(|mesh| (mesh.address, mesh.triangles.len())).collect();
        stable_sort_by_key(&mut counts, |count| *count);
        counts.dedup();
        counts.iter().map(|(_, count)| count).sum()
    }
    /// The objects with their ids in the whole scene, in the order of insertion. A mesh may have lost triangles to other
    /// shards.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object<V>)> {
        self.scene.objects().zip(&self.numbers[..]).map(|((_, object), number)| (number.id, object))
    }

    /// The object with an id of the whole scene, as its number in the shard.
    pub(crate) fn find(&self, id: ObjectId) -> Option<usize> {
        let key = |slot: &u32| self.numbers[*slot as usize].id.to_bits();
        let place = self.by_id.binary_search_by_key(&id.to_bits(), key).ok()?;
        Some(self.by_id[place] as usize)
    }

    /// Whether the shard has a primitive.
    pub(crate) fn has(&self, id: &PrimitiveId) -> bool {
        self.local(id).is_some()
    }

    /// The object of a primitive, and its triangle if the object is a mesh: both by their numbers in the shard.
    fn local(&self, id: &PrimitiveId) -> Option<(usize, Option<u32>)> {
        let slot = self.find(id.object()?)?;
        match self.scene.at(slot)?.1.shape().mesh_data() {
            None => Some((slot, None)),
            Some(mesh) => {
                let triangle = self.numbers[slot].local_triangle(id.triangle()?, mesh.triangles.len())?;
                Some((slot, Some(triangle)))
            }
        }
    }

    /// The part of the shard that has only these primitives: small enough to travel to the machine that merges. Primitives
    /// of other shards are left out. A group stays whole.
    #[must_use]
    pub fn part(&self, primitives: &[PrimitiveId]) -> Self {
        // The chosen primitives, each once, in the order of objects and triangles.
        let mut chosen: Vec<_> = primitives.iter().filter_map(|id| self.local(id)).collect();
        stable_sort_by_key(&mut chosen, |id| *id);
        chosen.dedup();
        // What the part has of one object.
        let object = |chosen: &[(usize, Option<u32>)]| {
            let slot = chosen.first()?.0;
            let (_, object) = self.scene.at(slot)?;
            let number = &self.numbers[slot];
            // An object that is no mesh is taken whole.
            let Some(mesh) = object.shape().mesh_data() else { return Some((number.clone(), object.clone())) };
            let local: Vec<u32> = chosen.iter().filter_map(|(_, triangle)| *triangle).collect();
            // The topology stays that of the whole mesh, if it is known: a part of a closed mesh is open, but its hits
            // must be those of the closed one.
            let surface = match &number.triangles {
                Some(triangles) => triangles.surface.as_ref(),
                None => mesh.topology.if_known(),
            };
            // Vertices that no chosen triangle uses are left out: the part travels to another machine.
            let (vertices, triangles) = some_triangles(&mesh, &local);
            let shape = V::Shape::of_triangles(vertices, triangles, None)?;
            // Triangles keep their numbers in the whole mesh, which hits report and which decide ties.
            let numbers: Vec<u32> = local.iter().map(|&triangle| number.triangle(triangle)).collect();
            let surface = surface.map(|surface| surface.among(&numbers));
            let triangles = Some(Arc::new(TriangleNumbers { numbers, surface }));
            Some((ObjectNumber { triangles, ..number.clone() }, with_shape(object, shape)))
        };
        let objects = chosen.chunk_by(|a, b| a.0 == b.0).filter_map(object);
        Self::from_objects(objects, Accelerator::Bvh)
    }

    /// The primitives that decide the spans of some rays: the triangles of closed meshes that the whole line of a ray
    /// crosses, and the other objects that it may hit. In no order.
    #[must_use]
    pub fn primitives_along(&self, rays: &RayColumns<'_, V>, query: impl IntoQuery<V::Scalar>) -> Vec<PrimitiveId> {
        // Spans depend on crossings of the whole line, not only of the range: a ray may start inside.
        let query = query.into_query().of_all_hits().range(-V::Scalar::INFINITY, V::Scalar::INFINITY);
        // Computed once for all rays, since the topology of a mesh may take long.
        let is_closed: Vec<Option<bool>> = (0..self.len()).map(|slot| self.is_closed(slot)).collect();
        let (mut found, mut buffer) = (Vec::new(), RayBuffer::default());
        // The objects along each line, and the triangles of closed meshes that it crosses.
        for row in 0..rays.len() {
            let line = buffer.load(rays, row..row + 1).raw(0).line().unlimited();
            self.visit_along(&InstanceRay::new(&line), &query, &is_closed, &mut |id| found.push(id));
            // Rays that follow each other often cross the same triangles.
            if row % ROWS_PER_DEDUP == ROWS_PER_DEDUP - 1 {
                found.sort_unstable();
                found.dedup();
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether the whole mesh of an object is closed; `None` if the object is no mesh.
    fn is_closed(&self, slot: usize) -> Option<bool> {
        let mesh = self.scene.at(slot)?.1.shape().mesh_data()?;
        Some(match &self.numbers[slot].triangles {
            Some(triangles) => triangles.surface.as_ref().is_some_and(|surface| surface.topology.is_closed()),
            None => mesh.parity_surface().topology.is_closed(),
        })
    }

    fn visit_along(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        is_closed: &[Option<bool>],
        found: &mut dyn FnMut(PrimitiveId),
    ) {
        // Only objects that the line may hit.
        compiled_scene(&self.queried()).visit_shapes_along(line, query, &mut |id, shape| {
            let number = &self.numbers[id.index()];
            match is_closed[id.index()] {
                None => found(PrimitiveId::new(number.id, None)),
                // An open mesh has no inside, and so no spans.
                Some(false) => {}
                Some(true) => {
                    // All crossings with both triangles of a shared edge: the whole mesh decides later which one
                    // counts.
                    let every = Query::new().range(-V::Scalar::INFINITY, V::Scalar::INFINITY).with_shared_edges();
                    shape.all_hits(line, &every, usize::MAX, &mut |_, hit| {
                        let triangle = hit.primitive.map(|triangle| number.triangle(triangle));
                        found(PrimitiveId::new(number.id, triangle));
                    });
                }
            }
        });
    }

    /// One shard of the primitives of several. Each mesh has the topology of the whole mesh.
    ///
    /// # Errors
    /// Two shards with the same primitive.
    pub(crate) fn join(parts: &[Self]) -> Result<Self, ShardError> {
        let mut all: Vec<(&ObjectNumber, &Object<V>)> = Vec::new();
        for part in parts {
            all.extend(part.numbers.iter().zip(part.scene.objects().map(|(_, object)| object)));
        }
        stable_sort_by_key(&mut all, |(number, _)| number.order);
        let objects: Result<Vec<_>, ShardError> =
            all.chunk_by(|a, b| a.0.order == b.0.order).map(join_object).collect();
        Ok(Self::from_objects(objects?.into_iter(), Accelerator::Bvh))
    }

    /// The hit with the numbers of the whole scene.
    #[inline]
    pub(crate) fn whole_hit(&self, hit: Hit<V>) -> Hit<V> {
        let Some(number) = hit.object.and_then(|id| self.numbers.get(id.index())) else { return hit };
        let primitive = hit.primitive.map(|triangle| number.triangle(triangle));
        Hit { object: Some(number.id), primitive, ..hit }
    }
}

/// Rays after which the list of primitives loses its repetitions.
const ROWS_PER_DEDUP: usize = 1 << 16;

/// The object with another shape.
pub(crate) fn with_shape<V: Space>(object: &Object<V>, shape: V::Shape) -> Object<V> {
    let mut object = object.clone();
    object.instance.0.shape = shape;
    object
}

/// The vertices and triangles of these triangles of a mesh, in the same order. O(n log n).
pub(crate) fn some_triangles<V: Vector>(mesh: &MeshData<'_, V>, triangles: &[u32]) -> (Vec<V>, Vec<[u32; 3]>) {
    let corners = || triangles.iter().map(|&triangle| mesh.triangles[triangle as usize]);
    let mut used: Vec<u32> = corners().flatten().collect();
    used.sort_unstable();
    used.dedup();
    let place = |vertex: u32| used.partition_point(|&other| other < vertex) as u32;
    (used.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect(), corners().map(|t| t.map(place)).collect())
}

/// One object of its parts in several shards.
fn join_object<V: Space>(parts: &[(&ObjectNumber, &Object<V>)]) -> Result<(ObjectNumber, Object<V>), ShardError> {
    // An object that is no mesh, or a whole mesh, has one part. A second one would be the same primitive twice.
    let (first, object) = parts[0];
    let twice = ShardError::Twice { object: first.id };
    if let ([_], None) = (parts, &first.triangles) {
        return Ok((first.clone(), object.clone()));
    }
    // Triangles of all parts as (number in the whole mesh, part, number in the part), and their vertices one part after
    // the other.
    let mut order: Vec<(u32, usize, u32)> = Vec::new();
    let (mut vertices, mut offsets, mut meshes) = (Vec::new(), vec![0], Vec::new());
    let mut surface: Option<ParitySurface> = None;
    let mut repetitions = Vec::new();
    for (place, (number, object)) in parts.iter().enumerate() {
        // Two parts of an object that is not cut by triangle: the same primitive twice.
        let (Some(triangles), Some(mesh)) = (&number.triangles, object.shape().mesh_data()) else { return Err(twice) };
        order.extend(triangles.numbers.iter().zip(0..).map(|(&number, local)| (number, place, local)));
        vertices.extend_from_slice(mesh.vertices);
        // Vertex numbers of a part begin where those of the parts before end.
        offsets.push(u32::try_from(vertices.len()).map_err(|_| ShardError::TooMany)?);
        repetitions.extend(triangles.surface.iter().flat_map(|surface| &surface.repetitions).copied());
        surface = surface.or_else(|| triangles.surface.clone());
        meshes.push(mesh);
    }
    // The order of the whole mesh decides which of two equal triangles wins.
    order.sort_unstable();
    if order.windows(2).any(|pair| pair[0].0 == pair[1].0) || parts.iter().any(|(number, _)| number.id != first.id) {
        return Err(twice);
    }
    // The joined mesh, with vertices that several parts have stored more than once: exact predicates give equal points
    // equal answers.
    let triangle = |&(_, place, local): &(u32, usize, u32)| {
        meshes[place].triangles[local as usize].map(|vertex| vertex + offsets[place])
    };
    let triangles = order.iter().map(triangle).collect();
    // The triangles keep their numbers in the whole mesh. The joined mesh numbers its triangles by their places.
    repetitions.sort_unstable();
    let numbers: Vec<u32> = order.iter().map(|(number, ..)| *number).collect();
    let places = (0..numbers.len() as u32).filter(|&i| repetitions.binary_search(&numbers[i as usize]).is_ok());
    let local = surface.as_ref().map(|known| ParitySurface { repetitions: places.collect(), ..known.clone() });
    let surface = surface.map(|known| ParitySurface { repetitions: repetitions.into(), ..known });
    let shape = V::Shape::of_triangles(vertices, triangles, local).ok_or(twice)?;
    let triangles = Some(Arc::new(TriangleNumbers { numbers, surface }));
    Ok((ObjectNumber { triangles, ..first.clone() }, with_shape(object, shape)))
}
