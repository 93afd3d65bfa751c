//! The conversion of scenes to `f64`.

use crate::kernel::kernel::Kernel;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::scene::any::{AnyShape2, AnyShape3, Space};
use crate::scene::group::Group;
use crate::scene::instance::Instance;
use crate::scene::object::Object;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::shard::shard::Shard;
use crate::solid::solid::Solid;
use crate::transform::Transform;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Vector type whose scenes convert to `f64`: `Vec2`, `Vec3`, `DVec2` and `DVec3`.
pub trait DoubleSpace: Space<Double: Space> {
    /// The shape in `f64`, converted exactly; `None` for a user geometry. `shared` has the meshes and groups converted before.
    #[doc(hidden)]
    fn double_shape(
        shape: &Self::Shape,
        shared: &mut SharedDoubles<Self::Double>,
    ) -> Option<<Self::Double as Space>::Shape>;
}

macro_rules! double_space {
    ($($vector:ident => $convert:ident),+) => {$(
        impl DoubleSpace for glam::$vector {
            // Compiled where it is used: all shapes in `f64` would be compiled in this crate, too.
            #[inline]
            fn double_shape(
                shape: &Self::Shape,
                shared: &mut SharedDoubles<Self::Double>,
            ) -> Option<<Self::Double as Space>::Shape> {
                $convert(shape, shared)
            }
        }
    )+};
}
double_space!(Vec2 => double_shape2, DVec2 => double_shape2, Vec3 => double_shape3, DVec3 => double_shape3);

/// Meshes and groups that were converted before, by the address of the original: their objects share them.
#[derive(Debug)]
pub struct SharedDoubles<D: Space>(BTreeMap<usize, D::Shape>);

impl<D: Space> SharedDoubles<D> {
    fn get_or_convert(
        &mut self,
        address: usize,
        convert: impl FnOnce(&mut Self) -> Option<D::Shape>,
    ) -> Option<D::Shape> {
        if let Some(shape) = self.0.get(&address) {
            return Some(shape.clone());
        }
        let shape = convert(self)?;
        self.0.insert(address, shape.clone());
        Some(shape)
    }
}

impl<V: DoubleSpace> Shard<V> {
    /// The same shard in `f64`: [`Scene::to_double`].
    #[must_use]
    pub fn to_double(&self) -> Option<Shard<V::Double>> {
        Some(Shard::from_scene(self.scene.to_double()?, self.numbers.clone()))
    }
}

impl<V: DoubleSpace> Scene<V> {
    /// The same scene in `f64`, for rays of a higher precision than the scene's: all numbers are converted exactly, and
    /// objects keep ids, names and order. `None` if a shape is a [`UserShape`](crate::UserShape).
    ///
    /// It builds the BVHs anew, in O(n log n). Objects share meshes and groups as before.
    ///
    /// ```
    /// use hitscan::{glam::{DVec3, Vec3}, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::<Vec3>::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 0.1)?))?;
    /// let double = scene.to_double().ok_or("a user shape")?;
    /// let hit = double.cast_ray(&Ray::new(DVec3::ZERO, DVec3::Z), ..).ok_or("a miss")?;
    /// assert_eq!((hit.object, hit.t), (Some(ball), 5.0 - f64::from(0.1f32)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_double(&self) -> Option<Scene<V::Double>> {
        self.double_with(&mut SharedDoubles(BTreeMap::new()))
    }

    fn double_with(&self, shared: &mut SharedDoubles<V::Double>) -> Option<Scene<V::Double>> {
        let placed = self.levels.iter().flat_map(|level| level.clone().into_objects());
        let objects: Vec<_> = placed.map(|placed| double_object(&placed, shared)).collect::<Option<_>>()?;
        let Self { table, vacant, names, len, next_order, accelerator, .. } = self.clone();
        let mut scene = Scene { levels: Vec::new(), table, vacant, names, len, next_order, bounds: None, accelerator };
        scene.rebuild_with(objects);
        Some(scene)
    }
}

fn double_object<V: DoubleSpace>(
    placed: &PlacedObject<V>,
    shared: &mut SharedDoubles<V::Double>,
) -> Option<PlacedObject<V::Double>> {
    let PlacedObject { object, id, order } = placed;
    let mut double = Object::new(V::double_shape(object.shape(), shared)?).with_user_data(object.user_data());
    if let Some(transform) = object.transform() {
        double = double.with_transform(transform.double());
    }
    double.name.clone_from(&object.name);
    (double.layers, double.is_trigger) = (object.layers, object.is_trigger);
    (double.faces, double.inside) = (object.faces, object.inside);
    Some(PlacedObject { object: double, id: *id, order: *order })
}

/// [`DoubleSpace::double_shape`] in the plane.
fn double_shape2<V: Vector2 + DoubleSpace<Shape = AnyShape2<V>>>(
    shape: &AnyShape2<V>,
    shared: &mut SharedDoubles<glam::DVec2>,
) -> Option<AnyShape2<glam::DVec2>> {
    use AnyShape2 as Any;
    Some(match shape {
        Any::Circle(shape) => Any::Circle(shape.double()),
        Any::HalfPlane(shape) => Any::HalfPlane(shape.double()),
        Any::Line(shape) => Any::Line(shape.double()),
        Any::Segment(shape) => Any::Segment(shape.double()),
        Any::Rectangle(shape) => Any::Rectangle(shape.double()),
        Any::OrientedRectangle(shape) => Any::OrientedRectangle(shape.double()),
        Any::Capsule(shape) => Any::Capsule(shape.double()),
        Any::TaperedCapsule(shape) => Any::TaperedCapsule(shape.double()),
        Any::Triangle(shape) => Any::Triangle(shape.double()),
        Any::Polygon(shape) => Any::Polygon(shape.double()),
        Any::Ellipse(shape) => Any::Ellipse(shape.double()),
        Any::Group(group) => double_group(group, shared)?,
        Any::Solid(solid) => double_solid(solid, shared)?,
        Any::User(_) => return None,
    })
}

/// [`DoubleSpace::double_shape`] in space.
fn double_shape3<V: Vector3 + DoubleSpace<Shape = AnyShape3<V>>>(
    shape: &AnyShape3<V>,
    shared: &mut SharedDoubles<glam::DVec3>,
) -> Option<AnyShape3<glam::DVec3>> {
    use AnyShape3 as Any;
    Some(match shape {
        Any::Sphere(shape) => Any::Sphere(shape.double()),
        Any::HalfSpace(shape) => Any::HalfSpace(shape.double()),
        Any::Plane(shape) => Any::Plane(shape.double()),
        Any::Disk(shape) => Any::Disk(shape.double()),
        Any::Cuboid(shape) => Any::Cuboid(shape.double()),
        Any::OrientedBox(shape) => Any::OrientedBox(shape.double()),
        Any::Capsule(shape) => Any::Capsule(shape.double()),
        Any::TaperedCapsule(shape) => Any::TaperedCapsule(shape.double()),
        Any::Cylinder(shape) => Any::Cylinder(shape.double()),
        Any::Cone(shape) => Any::Cone(shape.double()),
        Any::Frustum(shape) => Any::Frustum(shape.double()),
        Any::Ellipsoid(shape) => Any::Ellipsoid(shape.double()),
        Any::Triangle(shape) => Any::Triangle(shape.double()),
        Any::Quad(shape) => Any::Quad(shape.double()),
        // Objects that share a mesh share the converted one, too.
        Any::Mesh(mesh) => {
            let convert = |_: &mut SharedDoubles<_>| mesh.to_double().map(Into::into);
            shared.get_or_convert(Arc::as_ptr(mesh) as usize, convert)?
        }
        Any::Group(group) => double_group(group, shared)?,
        Any::Solid(solid) => double_solid(solid, shared)?,
        Any::User(_) => return None,
    })
}

fn double_solid<V: DoubleSpace>(
    solid: &Solid<V>,
    shared: &mut SharedDoubles<V::Double>,
) -> Option<<V::Double as Space>::Shape> {
    shared.get_or_convert(solid.address(), |shared| {
        let double = solid.map_leaves(|leaf| {
            let double = Instance::new(V::double_shape(leaf.shape(), shared)?);
            Some(leaf.transform().map_or(double.clone(), |transform| double.with_transform(transform.double())))
        });
        double.map(Into::into)
    })
}

fn double_group<V: DoubleSpace>(
    group: &Group<V>,
    shared: &mut SharedDoubles<V::Double>,
) -> Option<<V::Double as Space>::Shape> {
    shared.get_or_convert(group.address(), |shared| {
        let scene = group.scene::<Scene<V>>()?.double_with(shared)?;
        Group::new(scene).ok().map(Into::into)
    })
}

impl<V: Vector3> TriangleMesh<V> {
    /// The same mesh in `f64`, converted exactly.
    fn to_double(&self) -> Option<TriangleMesh<V::Double>> {
        let vertices = self.vertices().iter().map(|vertex| vertex.double()).collect();
        TriangleMesh::new(vertices, self.triangles().to_vec()).ok()
    }
}

impl<V: Vector> Transform<V> {
    /// The same transform in `f64`, converted exactly.
    fn double(&self) -> Transform<V::Double> {
        Transform { axes: self.axes.map(Vector::double), translation: self.translation.double() }
    }
}
