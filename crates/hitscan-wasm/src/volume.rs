//! Volumes of overlap queries, with the points that decide whether a convex shape contains them.

use hitscan::{Capsule, Cuboid, Instance, OrientedBox, PointQuery, Shape, Space, Sphere, Vector, Volume};

/// A volume: the convex hull of points, inflated by a radius.
#[derive(Debug)]
pub(crate) struct SolidVolume<V: Vector> {
    pub(crate) volume: Volume<V>,
    /// The centre of a sphere, the ends of a capsule, the corners of a box, rounded.
    points: Vec<V>,
    radius: f64,
}

impl<V: Space<Scalar = f64>> SolidVolume<V> {
    /// Whether a convex shape contains the volume: each of its points, and a ball around it. A surface contains nothing.
    pub(crate) fn lies_in(&self, shape: &Instance<V>) -> bool {
        let is_deep = |point| self.radius == 0.0 || shape.signed_distance(point).is_some_and(|d| d <= -self.radius);
        self.points.iter().all(|point| shape.contains(*point) && is_deep(*point))
    }
}

impl<V: Vector<Scalar = f64>> From<&Sphere<V>> for SolidVolume<V> {
    fn from(sphere: &Sphere<V>) -> Self {
        Self { volume: (*sphere).into(), points: vec![sphere.center()], radius: sphere.radius() }
    }
}

impl<V: Vector<Scalar = f64>> From<&Capsule<V>> for SolidVolume<V> {
    fn from(capsule: &Capsule<V>) -> Self {
        Self { volume: (*capsule).into(), points: vec![capsule.a(), capsule.b()], radius: capsule.radius() }
    }
}

impl<V: Vector<Scalar = f64>> From<&Cuboid<V>> for SolidVolume<V> {
    fn from(cuboid: &Cuboid<V>) -> Self {
        let axes: Vec<V> = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(V::from_xyz).to_vec();
        let points = corners(cuboid.center(), &axes[..V::DIM], cuboid.half_extents());
        Self { volume: (*cuboid).into(), points, radius: 0.0 }
    }
}

impl<V: Vector<Scalar = f64>> From<&OrientedBox<V>> for SolidVolume<V> {
    fn from(oriented: &OrientedBox<V>) -> Self {
        let points = corners(oriented.center(), oriented.basis().axes(), oriented.half_extents());
        Self { volume: (*oriented).into(), points, radius: 0.0 }
    }
}

fn corners<V: Vector<Scalar = f64>>(center: V, axes: &[V], half_extents: V) -> Vec<V> {
    let both_ways = |points: Vec<V>, (axis, extent): (&V, f64)| -> Vec<V> {
        points.iter().flat_map(|point| [*point + *axis * -extent, *point + *axis * extent]).collect()
    };
    axes.iter().zip(half_extents.to_xyz()).fold(vec![center], both_ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::glam::{DVec2, DVec3};

    #[test]
    fn a_box_has_its_corners_and_lies_in_a_ball_that_holds_them() {
        let cuboid = Cuboid::new(DVec3::ONE, DVec3::splat(0.5)).unwrap();
        let volume = SolidVolume::from(&cuboid);
        assert_eq!(volume.points.len(), 8);
        assert!(volume.points.iter().all(|p| (*p - DVec3::ONE).abs() == DVec3::splat(0.5)));
        let lies_in = |radius| volume.lies_in(&Instance::new(Sphere::new(DVec3::ONE, radius).unwrap()));
        assert!(lies_in(0.875) && !lies_in(0.86));
    }

    #[test]
    fn a_ball_lies_in_a_box_that_it_touches_from_within_and_in_no_surface() {
        let ball = SolidVolume::from(&Sphere::new(DVec2::new(1.0, 0.0), 1.0).unwrap());
        let rectangle = |width| Instance::new(Cuboid::new(DVec2::ZERO, DVec2::new(width, 2.0)).unwrap());
        assert!(ball.lies_in(&rectangle(2.0)) && !ball.lies_in(&rectangle(1.75)));
        let line = hitscan::Line::new(DVec2::X, DVec2::Y).unwrap();
        assert!(!ball.lies_in(&Instance::new(line)));
    }
}
