//! Projections in the world: on the images of shapes, and rounded to the precision of the query.

use crate::closest_point::{ClosestPoint, Feature};
use crate::distance::local_point::{LocalPoint, length};
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};

/// Projection on the image of a shape under an affine map.
///
/// # Method
/// A similarity maps the closest point to the closest point. Under other maps, shapes know how to project on their image.
///
/// # Source
/// Our derivation.
///
/// # Accuracy
/// The distance is measured between the point and the image of its projection, so it is right for the matrix as it is.
///
/// # Edges
/// Those of the shape.
pub(crate) fn projection_of_image<V: Vector, T: Arithmetic>(
    shape: &impl Project,
    point: Vec3<T>,
    map: &AffineMap<T>,
) -> Projection<T> {
    if map.similarity::<V>().is_none() {
        return shape.project_image(point, map);
    }
    let found = shape.project(map.preimage(point));
    Projection { uv: found.uv, ..measured(point, map.point(found.point), found.feature) }
}

/// The projection `found` of a point, with its distance.
#[inline(never)]
pub(crate) fn measured<T: Arithmetic>(point: Vec3<T>, found: Vec3<T>, feature: Feature) -> Projection<T> {
    let local = LocalPoint::new(point, found, 0.0);
    local.projection(Vec3::new(T::ZERO, T::ZERO, T::ZERO), length(local.o), feature)
}

/// The closest point of a single shape, rounded.
pub(crate) fn closest_point<V: Vector>(found: &Projection<Working<V>>) -> ClosestPoint<V> {
    ClosestPoint {
        point: V::narrow(found.point),
        distance: V::Scalar::narrow(found.distance),
        feature: found.feature,
        uv: found.uv.map(|uv| uv.map(V::Scalar::narrow)),
        primitive: None,
        object: None,
        member: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::Basis;
    use crate::math::dd::Dd;
    use crate::shapes::capsule::Capsule;
    use crate::shapes::cone::Cone;
    use crate::shapes::cuboid::Cuboid;
    use crate::shapes::cylinder::Cylinder;
    use crate::shapes::disk::Disk;
    use crate::shapes::ellipsoid::Ellipsoid;
    use crate::shapes::frustum::Frustum;
    use crate::shapes::oriented_box::OrientedBox;
    use crate::shapes::plane::Plane;
    use crate::shapes::quad::Quad;
    use crate::shapes::sphere::Sphere;
    use crate::shapes::tapered_capsule::TaperedCapsule;
    use crate::shapes::triangle::Triangle;
    use glam::DVec3;
    use test_support::random::Rng;

    /// The error of a distance in `f64`, in units of rounding of the largest number.
    fn error(single: f64, double: Dd, largest: f64) -> f64 {
        let (high, low) = double.parts();
        ((single - high) - low).abs() / (largest * (f64::EPSILON / 2.0))
    }

    fn roundings(shape: &impl Project, point: DVec3, largest: f64) -> f64 {
        let double = shape.project::<Dd>(point.widen()).distance;
        error(shape.project::<f64>(point.widen()).distance, double, largest.max(point.abs().max_element()))
    }

    /// The error of the distance from the image of a shape of size 1.
    fn image_roundings(shape: &impl Project, point: DVec3, columns: [DVec3; 3]) -> f64 {
        let single = AffineMap { columns: columns.map(Vector::widen), translation: DVec3::ZERO.widen() };
        let double = AffineMap { columns: columns.map(Vector::widen), translation: DVec3::ZERO.widen() };
        let sizes = columns.map(|column| column.abs().max_element());
        let largest = sizes.iter().sum::<f64>().max(point.abs().max_element());
        let double = shape.project_image::<Dd>(point.widen(), &double).distance;
        error(shape.project_image::<f64>(point.widen(), &single).distance, double, largest)
    }

    /// The roundings under maps that stretch by up to 10, 1000 and 10^6 and shear.
    #[test]
    fn images_have_few_roundings() {
        let mut rng = Rng::new(2);
        let mut worst = [[0.0f64; 11]; 3];
        for round in 0..9000 {
            // A shape of each kind, and a map that stretches and shears.
            let stretch = [1.0, 3.0, 6.0][round % 3];
            let mut v = || DVec3::from(rng.cube(3));
            let (a, b, c, shear, point) = (v(), v(), v(), v(), v() * 3.0);
            let (half, basis) = (v().abs(), Basis::from_direction(b).unwrap());
            let factors = [0; 3].map(|_| rng.decades(-stretch / 2.0, stretch / 2.0));
            let columns = [DVec3::new(1.0, shear.x, 0.0), DVec3::new(0.0, 1.0, shear.y), DVec3::new(shear.z, 0.0, 1.0)];
            let columns = [0, 1, 2].map(|i| columns[i] * factors[i]);
            let [r, s] = [half.x, half.y];
            // Near the shape, and between it and its far end.
            let point = columns[0] * point.x + columns[1] * point.y + columns[2] * point.z;
            // The error of each in units of roundings of the largest number.
            let errors = [
                image_roundings(&Sphere::new(a, r).unwrap(), point, columns),
                image_roundings(&Ellipsoid::with_basis(a, half, basis).unwrap(), point, columns),
                image_roundings(&Capsule::new(a, b, r).unwrap(), point, columns),
                image_roundings(&TaperedCapsule::new(a, b, r, s).unwrap(), point, columns),
                image_roundings(&Disk::new(a, b, r).unwrap(), point, columns),
                image_roundings(&Cylinder::new(a, b, r).unwrap(), point, columns),
                image_roundings(&Cone::new(a, b, r).unwrap(), point, columns),
                image_roundings(&Frustum::new(a, b, r, s).unwrap(), point, columns),
                image_roundings(&OrientedBox::new(a, half, basis).unwrap(), point, columns),
                image_roundings(&Triangle::new(a, b, c).unwrap(), point, columns),
                image_roundings(&Quad::new(a, b, c).unwrap(), point, columns),
            ];
            for (worst, error) in worst[round % 3].iter_mut().zip(errors) {
                *worst = worst.max(error);
            }
        }
        assert!(worst.iter().flatten().all(|worst| *worst <= 10.0), "{worst:?}");
    }

    /// The roundings of the formulas. `Dd` computes the same formulas with an error of at most 15 u^2 each, so results for
    /// `f64` shapes have 40 digits of 2 more than they need.
    #[test]
    fn formulas_have_few_roundings() {
        let mut rng = Rng::new(1);
        let mut worst = [0.0f64; 12];
        for round in 0..20_000 {
            let size = if round % 2 == 0 { 1.0 } else { 100.0 };
            // A shape of each kind, and a point near it or far away.
            let mut v = || DVec3::from(rng.cube(3));
            let (a, b, c, point) = (v(), v(), v(), v() * size);
            let (half, largest) = (v().abs(), 1.0);
            let [r, s] = [half.x, half.y];
            let basis = Basis::from_direction(b).unwrap();
            // The error of each in units of roundings of the largest number.
            let errors = [
                roundings(&Sphere::new(a, r).unwrap(), point, largest),
                roundings(&Plane::new(a, b).unwrap(), point, largest),
                roundings(&Disk::new(a, b, r).unwrap(), point, largest),
                roundings(&Cuboid::new(a, half).unwrap(), point, largest),
                roundings(&OrientedBox::new(a, half, basis).unwrap(), point, largest),
                roundings(&Capsule::new(a, b, r).unwrap(), point, largest),
                roundings(&TaperedCapsule::new(a, b, r, s).unwrap(), point, largest),
                roundings(&Cylinder::new(a, b, r).unwrap(), point, largest),
                roundings(&Frustum::new(a, b, r, s).unwrap(), point, largest),
                roundings(&Ellipsoid::with_basis(a, half, basis).unwrap(), point, largest),
                roundings(&Triangle::new(a, b, c).unwrap(), point, largest),
                roundings(&Quad::new(a, b, c).unwrap(), point, largest),
            ];
            for (worst, error) in worst.iter_mut().zip(errors) {
                *worst = worst.max(error);
            }
        }
        // The worst is 8.9.
        assert!(worst.iter().all(|worst| *worst <= 12.0), "{worst:?}");
    }
}
