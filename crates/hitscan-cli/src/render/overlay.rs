//! Rays in a picture: red up to a hit, with the normal in green, or blue on a miss.

use super::color::{Color, HIT, MISS, NORMAL, PALE, of_shape, rgb};
use super::translucent_solid::{Solid, TranslucentSolid};
use crate::error::{Error, Result};
use crate::numbers::Numbers;
use crate::ray_arguments::ray_or_segment;
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::Real;
use hitscan::glam::DVec3;
use hitscan::{Aabb, Object, Query, RayCast, RayLike, Scene, SceneBuilder};
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
    pub(crate) translucent: Vec<TranslucentSolid>,
    /// The numbers of the shapes that keep their colour; without them all do.
    pub(crate) emphasized: Option<Vec<usize>>,
    /// The direction that a camera in space sees from the side.
    pub(crate) axis: Option<DVec3>,
    /// Points that a picture without a camera of its own includes; without them it includes all bounded shapes.
    pub(crate) focus: Vec<DVec3>,
}

/// How many times larger than its subject a picture with all shapes may be.
const MOST_SURROUNDINGS: f64 = 3.0;

/// The number of parts of a stroke between the points that labels keep clear.
const STROKE_POINTS: u32 = 16;

impl Annotations {
    /// The colour of a shape, by its number.
    pub(crate) fn color_of(&self, number: usize) -> u32 {
        let is_plain = self.emphasized.as_ref().is_none_or(|emphasized| emphasized.contains(&number));
        if is_plain { of_shape(number) } else { PALE }
    }

    /// The corners of the points in focus.
    pub(crate) fn corners(&self) -> Option<[DVec3; 2]> {
        let first = self.focus.first()?;
        Some(self.focus.iter().fold([*first; 2], |[min, max], p| [min.min(*p), max.max(*p)]))
    }

    /// The diagonal of the points in focus.
    pub(crate) fn size(&self) -> f64 {
        self.corners().map_or(1.0, |[min, max]| (max - min).length())
    }

    /// A camera that sees the axis from the side, somewhat from above: the eye and the point it looks at.
    pub(crate) fn side_view(&self) -> Option<Numbers> {
        let ([min, max], axis) = (self.corners()?, self.axis?);
        let center = (min + max) / 2.0;
        let side = axis.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::Z);
        // Of both sides the one towards the viewer of the other pictures.
        let side = if side.dot(DVec3::new(0.5, 0.0, 1.0)) < 0.0 { -side } else { side };
        let eye = center + (side + 0.35 * DVec3::Y).normalize() * (1.9 * self.size());
        Some(Numbers([eye.to_array(), center.to_array()].concat()))
    }

    /// Adds a translucent solid, all of which is in focus.
    pub(crate) fn add_translucent(&mut self, form: Solid, name: &'static str, color: u32) {
        self.focus.extend(form.corners());
        self.translucent.push(TranslucentSolid { form, name, color });
    }

    /// Brings all shapes into focus, unless what is in focus would become much smaller.
    pub(crate) fn focus_on_surroundings<V: SceneSpace>(&mut self, scene: &Scene<V>) {
        let (size, own) = (self.size(), self.focus.len());
        self.focus_on(scene.finite_bounds());
        if self.size() > MOST_SURROUNDINGS * size {
            self.focus.truncate(own);
        }
    }

    /// Points of the strokes, which labels should not cover.
    pub(crate) fn points_of_strokes(&self) -> impl Iterator<Item = DVec3> {
        let shares = (1..STROKE_POINTS).map(|i| f64::from(i) / f64::from(STROKE_POINTS));
        // Labels that explain no construction name shapes, which a stroke may cross.
        let strokes = self.strokes.iter().filter(|_| !self.notes.is_empty());
        strokes.flat_map(move |Stroke { from, to, .. }| shares.clone().map(|share| from.lerp(*to, share)))
    }

    /// Brings a shape into focus, if it has bounds.
    pub(crate) fn focus_on<V: SceneSpace>(&mut self, aabb: Aabb<V>) {
        if aabb.is_bounded() {
            self.focus.extend([as_dvec3(aabb.min), as_dvec3(aabb.max)]);
        }
    }
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
            let to = as_dvec3(hit.point);
            vec![Stroke { from, to, color: HIT }, normal_at(to, as_dvec3(hit.normal), size)]
        }
        None => vec![Stroke { from, to: end, color: MISS }],
    }
}

/// The stroke of a normal, a fourteenth of `size`.
pub(crate) fn normal_at(from: DVec3, normal: DVec3, size: f64) -> Stroke {
    Stroke { from, to: from + normal * (size / 14.0), color: NORMAL }
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
