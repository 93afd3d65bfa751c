//! A sphere or a box, as tables and command lines give them.

use hitscan::{Cuboid, Sphere, Vector, Volume};

/// A sphere or an axis-aligned box; in the plane a circle or a rectangle.
#[derive(Clone, Copy, Debug)]
pub enum SphereOrBox<V: Vector> {
    /// A sphere.
    Sphere(Sphere<V>),
    /// A box.
    Box(Cuboid<V>),
}

impl<V: Vector> From<&SphereOrBox<V>> for Volume<V> {
    fn from(shape: &SphereOrBox<V>) -> Self {
        match shape {
            SphereOrBox::Sphere(sphere) => Self::from(*sphere),
            SphereOrBox::Box(cuboid) => Self::from(*cuboid),
        }
    }
}
