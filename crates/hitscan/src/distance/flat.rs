//! The closest point of planes, half-spaces and disks.

use crate::closest_point::Feature;
use crate::distance::local_point::{LocalPoint, length};
use crate::distance::revolved_image::on_disk_image;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::shapes::disk::Disk;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::plane::Plane;

/// Height of the point above a plane through the reference point, over the length of the normal, and the foot.
#[inline(always)]
fn foot<T: Arithmetic>(o: Vec3<T>, normal: Vec3<T>) -> (T, Vec3<T>) {
    let n = normal.normalize_exponent();
    let (height, normal_sq) = (n.dot(o), n.length_sq());
    (height / normal_sq.sqrt(), o - n * (height / normal_sq))
}

/// Projection on a plane.
///
/// # Method
/// The foot of the perpendicular is `o - n (n . o) / (n . n)`.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, section 5.1.1.
///
/// # Accuracy
/// Few roundings of the largest coordinate: `closest_point.rs`.
///
/// # Edges
/// None: a point of the plane is its own foot.
fn project_on<T: Arithmetic>(point: Vec3<T>, on_plane: Vec3<T>, normal: Vec3<T>) -> Projection<T> {
    let local = LocalPoint::new(point, on_plane, 0.0);
    let (height, foot) = foot(local.o, normal);
    local.projection(foot, height.abs(), Feature::Face(0))
}

macro_rules! project_on_plane {
    ($shape:ident) => {
        impl<V: Vector> Project for $shape<V> {
            fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
                project_on(point, self.point().widen(), self.normal().widen())
            }
            fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
                project_on(point, map.point(self.point().widen()), map.normal(self.normal().widen()))
            }
        }
    };
}

project_on_plane!(Plane);

project_on_plane!(HalfSpace);

impl<V: Vector3> Project for Disk<V> {
    /// # Method
    /// The foot of the perpendicular on the plane, if it is within the rim; else the rim in its direction.
    ///
    /// # Source
    /// Eberly, *Distance to Circles in 3D*, Geometric Tools, 2015.
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate: `closest_point.rs`.
    ///
    /// # Edges
    /// A foot on the rim is a point of the face.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
        let local = LocalPoint::new(point, self.center().widen(), self.radius().to_f64());
        let (height, foot) = foot(local.o, self.normal().widen());
        let (r, across) = (local.length(T::from_f64(self.radius().to_f64())), length(foot));
        if across.le(r) {
            return local.projection(foot, height.abs(), Feature::Face(0));
        }
        let distance = (height.sq() + (across - r).sq()).sqrt();
        local.projection(foot * (r / across), distance, Feature::Edge(0))
    }
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
        on_disk_image(point, (self.center(), self.normal(), self.radius()), map)
    }
}
