//! Rays in a picture: red up to a hit, with the normal in green, or blue on a miss.

use super::color::{Color, HIT, MISS, NORMAL, rgb};
use crate::error::{Error, Result};
use crate::ray_arguments::ray_or_segment;
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::Real;
use hitscan::glam::DVec3;
use hitscan::{Object, Query, RayCast, RayLike, Scene, SceneBuilder};
use hitscan_io::{RayBatch, RayOrSegment};

/// A straight stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
    /// `0xRRGGBB`.
    pub(crate) color: u32,
}

/// A point with a text beside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) point: DVec3,
    pub(crate) text: String,
    /// `0xRRGGBB`.
    pub(crate) color: u32,
}

/// Everything that a picture shows besides the shapes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Annotations {
    pub(crate) strokes: Vec<Stroke>,
    pub(crate) dashes: Vec<Stroke>,
    pub(crate) notes: Vec<Note>,
    /// Points that a picture without a camera of its own includes; without them it includes all bounded shapes.
    pub(crate) focus: Vec<DVec3>,
}

/// The strokes of all rays; a ray that misses is `miss_length` long, a normal a fourteenth of `size`.
pub(crate) fn strokes<V: SceneSpace>(scene: &Scene<V>, batch: &RayBatch, miss_length: f64, size: f64) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for row in 0..batch.len() {
        match ray_or_segment::<V>(batch, row) {
            RayOrSegment::Ray(ray) => {
                let (from, direction) = (as_dvec3(ray.origin), as_dvec3(ray.direction));
                let end = from + direction.normalize_or_zero() * miss_length;
                strokes.extend(strokes_of_ray(scene, &ray, Query::new(), [from, end], size));
            }
            RayOrSegment::Segment(segment) => {
                let ends = [as_dvec3(segment.a), as_dvec3(segment.b)];
                strokes.extend(strokes_of_ray(scene, &segment, Query::new(), ends, size));
            }
        }
    }
    strokes
}

/// The strokes of one ray, which leads from its first point to its second on a miss.
pub(crate) fn strokes_of_ray<V: SceneSpace>(
    scene: &Scene<V>,
    ray: &impl RayLike<V>,
    query: Query<V::Scalar>,
    [from, end]: [DVec3; 2],
    size: f64,
) -> Vec<Stroke> {
    match scene.cast_ray(ray, query) {
        Some(hit) => {
            let (to, normal) = (as_dvec3(hit.point), as_dvec3(hit.normal));
            let tip = to + normal * (size / 14.0);
            vec![Stroke { from, to, color: HIT }, Stroke { from: to, to: tip, color: NORMAL }]
        }
        None => vec![Stroke { from, to: end, color: MISS }],
    }
}

pub(crate) fn as_dvec3<V: SceneSpace>(v: V) -> DVec3 {
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
    for (_, object) in scene.objects() {
        builder.insert(object.clone()).map_err(|error| refused(error.to_string()))?;
    }
    // A layer without shapes, if there is one.
    let taken = scene.objects().fold(0, |mask, (_, object)| mask | object.layers());
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
