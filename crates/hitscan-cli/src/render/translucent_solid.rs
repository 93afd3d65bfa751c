//! Translucent solids in a picture: a volume, a distance, or the way of a moving sphere.

use crate::outline::Outline;
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::glam::DVec3;
use hitscan::{Real, Sphere};
use hitscan_io::SphereOrBox;

/// A translucent solid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TranslucentSolid {
    pub(crate) form: Solid,
    pub(crate) name: &'static str,
    /// `0xRRGGBB`.
    pub(crate) color: u32,
}

/// The form of a translucent solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solid {
    /// Center and radius.
    Ball(DVec3, f64),
    /// All points that are at most the radius away from a segment.
    Capsule(DVec3, DVec3, f64),
    /// Center and half extents.
    Box(DVec3, DVec3),
}

impl Solid {
    pub(crate) fn of_volume<V: SceneSpace>(volume: &SphereOrBox<V>) -> Self {
        let as_dvec3 = |v: V| DVec3::from_array(coordinates(v));
        match volume {
            SphereOrBox::Sphere(sphere) => Self::Ball(as_dvec3(sphere.center()), sphere.radius().to_f64()),
            SphereOrBox::Box(cuboid) => Self::Box(as_dvec3(cuboid.center()), as_dvec3(cuboid.half_extents())),
        }
    }

    /// The solid as a shape of the library; `None` if it is too thin for one.
    pub(crate) fn shape<V: SceneSpace>(&self) -> Option<V::Shape> {
        let vector = |v: DVec3| vector::<V>(v.to_array());
        match *self {
            Self::Ball(center, radius) => Sphere::new(vector(center), V::Scalar::from_f64(radius)).map(V::Shape::from),
            Self::Capsule(a, b, radius) => V::rod(vector(a), vector(b), V::Scalar::from_f64(radius)),
            Self::Box(center, half) => V::block(vector(center), vector(half)),
        }
        .ok()
    }

    /// The outline in the plane.
    pub(crate) fn outline(&self) -> Outline {
        let xy = |v: DVec3| [v.x, v.y];
        match *self {
            Self::Ball(center, radius) => Outline::Ellipse(xy(center), [radius; 2], [1.0, 0.0]),
            Self::Capsule(a, b, radius) => Outline::Capsule(xy(a), xy(b), radius),
            Self::Box(center, half) => {
                let corner = |x: f64, y: f64| xy(center + half * DVec3::new(x, y, 0.0));
                Outline::Polygon(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
            }
        }
    }

    /// Two opposite corners of the bounding box.
    pub(crate) fn corners(&self) -> [DVec3; 2] {
        match *self {
            Self::Ball(center, radius) => [center - radius, center + radius],
            Self::Capsule(a, b, radius) => [a.min(b) - radius, a.max(b) + radius],
            Self::Box(center, half) => [center - half, center + half],
        }
    }
}
