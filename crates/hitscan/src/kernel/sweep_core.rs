//! `SweepCore`: a part of a shape around which the path of a moving sphere has a closed form.

use glam::DVec3;

/// Part of a shape. A sphere touches it where the center is within the radius of it; so a moving sphere meets it where a ray
/// meets that part, inflated by the radius.
#[derive(Clone, Copy, Debug)]
pub enum SweepCore {
    /// The points within `radius` of a segment, which may be one point.
    Segment { a: DVec3, b: DVec3, radius: f64 },
    /// A triangle in space.
    Triangle([DVec3; 3]),
    /// An axis-aligned box.
    Cuboid { center: DVec3, half_extents: DVec3 },
    /// An axis-aligned rectangle in the plane z = 0.
    Rectangle { center: DVec3, half_extents: DVec3 },
    /// A plane.
    Plane { point: DVec3, normal: DVec3 },
    /// A half-space.
    HalfSpace { point: DVec3, normal: DVec3 },
}

/// A shape that a moving sphere meets. The folder `sweep/` implements it.
pub trait SweepParts {
    /// Whether the parts lack points inside of the solid.
    const PARTS_LACK_INSIDE: bool = false;
    /// Whether the shape is one flat face: a flat surface or a half-space.
    const IS_ONE_FACE: bool = false;

    /// Calls `each` with parts whose union, inflated by any radius, is the inflated shape.
    /// A shape whose parts have no closed form has none.
    fn sweep_parts(&self, _each: &mut dyn FnMut(SweepCore)) {}
}
