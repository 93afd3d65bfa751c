//! Rays in a picture: red up to a hit, with the normal in green, or blue on a miss.

use super::color::{Color, HIT, MISS, NORMAL, rgb};
use crate::error::{Error, Result};
use crate::ray_arguments::{Shot, shot};
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::glam::DVec3;
use hitscan::Real;
use hitscan::{Object, RayLike, Scene, SceneBuilder, Shape};
use hitscan_io::RayBatch;

/// A straight stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
    /// `0xRRGGBB`.
    pub(crate) color: u32,
}

/// The strokes of all rays; a ray that misses is `miss_length` long, a normal a fourteenth of `size`.
pub(crate) fn strokes<V: SceneSpace>(scene: &Scene<V>, batch: &RayBatch, miss_length: f64, size: f64) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for row in 0..batch.len() {
        match shot::<V>(batch, row) {
            Shot::Ray(ray) => {
                let (from, direction) = (as_dvec3(ray.origin), as_dvec3(ray.direction));
                let end = from + direction.normalize_or_zero() * miss_length;
                add(scene, &ray, from, end, size, &mut strokes);
            }
            Shot::Segment(segment) => {
                let (from, end) = (as_dvec3(segment.a), as_dvec3(segment.b));
                add(scene, &segment, from, end, size, &mut strokes);
            }
        }
    }
    strokes
}

fn add<V: SceneSpace>(
    scene: &Scene<V>,
    ray: &impl RayLike<V>,
    from: DVec3,
    end: DVec3,
    size: f64,
    strokes: &mut Vec<Stroke>,
) {
    match scene.cast_ray(ray, ..) {
        Some(hit) => {
            let (to, normal) = (as_dvec3(hit.point), as_dvec3(hit.normal));
            strokes.push(Stroke { from, to, color: HIT });
            strokes.push(Stroke { from: to, to: to + normal * (size / 14.0), color: NORMAL });
        }
        None => strokes.push(Stroke { from, to: end, color: MISS }),
    }
}

fn as_dvec3<V: SceneSpace>(v: V) -> DVec3 {
    DVec3::from_array(coordinates(v))
}

/// A scene with a rod for each stroke.
pub(crate) struct WithRods<V: SceneSpace> {
    pub(crate) scene: Scene<V>,
    /// The colours of the rods, whose numbers follow those of the shapes.
    pub(crate) colors: Vec<Color>,
    /// The layers of the objects that cast a shadow: all but the rods.
    pub(crate) shadow_layers: u32,
}

/// Adds a rod for each stroke.
pub(crate) fn with_rods<V: SceneSpace>(scene: &Scene<V>, strokes: &[Stroke], radius: f64) -> Result<WithRods<V>> {
    let refused = |what: String| Error::input(format!("cannot draw the ray: {what}"));
    let mut builder = SceneBuilder::new();
    for object in scene.objects() {
        builder.insert(object.clone()).map_err(|error| refused(error.to_string()))?;
    }
    // A layer without shapes, if there is one.
    let taken = scene.objects().iter().fold(0, |mask, object| mask | object.layers());
    let layer = 1 << (!taken).trailing_zeros().min(31);
    let mut colors = Vec::new();
    for Stroke { from, to, color } in strokes.iter().filter(|stroke| stroke.from != stroke.to) {
        let [a, b] = [from, to].map(|end| vector::<V>(end.to_array()));
        // A stroke that is too short for a rod is invisible, too.
        if let Ok(rod) = V::rod(a, b, V::Scalar::from_f64(radius)) {
            builder.insert(Object::new(rod).on_layers(layer)).map_err(|error| refused(error.to_string()))?;
            colors.push(rgb(*color));
        }
    }
    Ok(WithRods { scene: builder.build(), colors, shadow_layers: !layer })
}
