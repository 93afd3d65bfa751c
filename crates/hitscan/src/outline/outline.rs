//! The trait [`Outline`].

use crate::math::vector::Vector;
use crate::outline::outline_options::OutlineOptions;
use crate::outline::outline_pen::OutlinePen;
use crate::outline::outline_segment::OutlineSegment;
use alloc::vec::Vec;

/// The outline of a shape or of a result: line segments with colours, for the debug drawing of an engine, for a viewer, or for a
/// picture.
///
/// | of | segments, with `n` segments for each circle |
/// |---|---|
/// | sphere, ellipsoid | three circles, `3 n`; in the plane `n` |
/// | capsule | the circles at both ends, two halves of circles beyond each, four lines: `4 n + 4`; in the plane `n + 2` |
/// | cylinder, frustum, cone | the circles of the caps and four lines: `2 n + 4`; with an apex `n + 4` |
/// | disk | `n` |
/// | box, view frustum, bounds | the edges: 12; in the plane 4 |
/// | triangle, polygon, segment | the edges |
/// | plane, half-space | its polygon in the box of the options: at most 6; in the plane 1 |
/// | mesh | each edge once: at most three for each triangle |
/// | [`Volume`](crate::Volume) | those of its shape |
/// | [`UserShape`](crate::UserShape) | the edges of its bounds, if these are bounded |
/// | [`Instance`](crate::Instance), [`Object`](crate::Object) | those of its shape, under the transform |
/// | [`Scene`](crate::Scene), [`Group`](crate::Group), [`FilteredScene`](crate::FilteredScene) | those of each object that queries see, in the order of insertion |
/// | [`Hit`](crate::Hit), [`SweepHit`](crate::SweepHit) | a cross at the point, and the normal |
/// | [`CastOutline`](crate::CastOutline) | a ray, a sweep or an explanation with what was found |
///
/// The segments and their order are the same on every machine. Their ends are computed in `f64` and rounded once; those of a surface
/// are on it, within the rounding of the coordinates and lengths that take part. A segment whose end is no number of the precision
/// is left out.
///
/// ```
/// use hitscan::{glam::Vec3, Aabb, Object, Outline, OutlineColor, OutlineOptions, Plane, Ray, RayCast, Scene, Sphere};
/// let mut scene = Scene::new();
/// scene.insert(Object::new(Sphere::new(Vec3::Y, 1.0)?))?;
/// scene.insert(Object::new(Plane::new(Vec3::ZERO, Vec3::Y)?))?;
/// let options = OutlineOptions::within(Aabb { min: Vec3::splat(-5.0), max: Vec3::splat(5.0) }).with_circle_segments(24);
/// assert_eq!(scene.outline(&options).len(), 3 * 24 + 4);
///
/// // Into a closure, such as one that draws.
/// let hit = scene.cast_ray(&Ray::new(Vec3::Y * 9.0, -Vec3::Y), ..).ok_or("a miss")?;
/// let mut normals = Vec::new();
/// hit.outline_each(&options, &mut |line| {
///     if line.color == OutlineColor::Normal {
///         normals.push([line.a, line.b]);
///     }
/// });
/// assert_eq!(normals, [[hit.point, hit.point + hit.normal]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Other crates cannot implement this trait.
#[doc(alias("gizmo", "debug_draw", "debug_render", "wireframe"))]
pub trait Outline<V: Vector> {
    #[doc(hidden)]
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>);

    /// Calls `out` with each segment.
    fn outline_each(&self, options: &OutlineOptions<V>, out: &mut dyn FnMut(OutlineSegment<V>)) {
        self.draw_outline(&mut OutlinePen::new(options, out));
    }

    /// The segments.
    #[must_use]
    fn outline(&self, options: &OutlineOptions<V>) -> Vec<OutlineSegment<V>> {
        let mut segments = Vec::new();
        self.outline_each(options, &mut |segment| segments.push(segment));
        segments
    }
}
