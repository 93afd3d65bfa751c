//! Ray in the coordinates of an instance, rounded for the boxes of a BVH.

use crate::math::affine_map::ROOM;
use crate::math::ball::larger;
use crate::math::instance_stack::{InstanceLevel, RoundedRay};
use crate::math::rounding::{power, round_up_f32};
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;

/// Ray in the coordinates of an instance as the `f32` traversal takes it, and how far the true ray may be from it. See
/// docs/proofs.md, Lemma 26.
pub(crate) struct LocalRay {
    pub(crate) origin: [f64; 3],
    pub(crate) direction: [f64; 3],
    /// Bound of the distance, along each axis, between the true and the rounded ray at any `t` at which either may be
    /// within the boxes.
    pub(crate) margin: f64,
}

/// 2^-29: a component of the direction that is smaller, relative to the largest one, becomes zero. The `f32` traversal does
/// not take smaller ones.
const PARALLEL: f64 = f64::from_bits((1023 - 29) << 52);

/// 2^-100: a smaller coordinate of the origin becomes zero, because `f32` would lose its digits.
const NEGLIGIBLE: f64 = f64::from_bits((1023 - 100) << 52);

impl LocalRay {
    /// Rounds a ray for boxes whose coordinates are at most `largest`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(rounded: &RoundedRay, largest: f32) -> Self {
        let RoundedRay { origin: o, direction: d, errors: [of_origin, of_direction] } = *rounded;
        let (size, speed) = (o.max_abs_f64(), d.max_abs_f64());
        let (extent, least) = (f64::from(largest) + size, speed * PARALLEL);
        let kept = |x: f64, least: f64| if x.abs() > least { x } else { 0.0 };
        // What becomes zero counts as error.
        let dropped = |x: f64| if x.abs() > least { 0.0 } else { x.abs() };
        let error = of_direction + larger(larger(dropped(d.x), dropped(d.y)), dropped(d.z));
        // While a point of the ray is within the boxes, `t` is at most the way there over the speed along one axis.
        let margin = of_origin + NEGLIGIBLE + 4.0 * extent * (error / speed);
        let is_usable = error < 0.25 * speed && margin < f64::INFINITY;
        Self {
            origin: [kept(o.x, NEGLIGIBLE), kept(o.y, NEGLIGIBLE), kept(o.z, NEGLIGIBLE)],
            direction: [kept(d.x, least), kept(d.y, least), kept(d.z, least)],
            margin: if is_usable { margin } else { f64::INFINITY },
        }
    }

    /// Whether the margin is so small that the bounds of the `f32` traversal cover it without being widened: they have room for
    /// more than a sixteenth of a rounding, 2^-28, of the largest coordinate.
    #[inline(always)]
    pub(crate) fn is_negligible(&self, largest: f32) -> bool {
        self.margin <= f64::from(largest) * power(-30)
    }

    /// The rounded ray in the place of a ray of the world.
    pub(crate) fn input(&self, raw: &InputRay) -> InputRay {
        InputRay { origin: self.origin, target: self.direction, is_segment: false, ..*raw }
    }
}

/// What a sphere that touches may be away from a box with coordinates up to `largest`: 2^-44 of the largest number. Shapes that are
/// measured touch within less: no box may rule them out. Boxes at the end of the range of `f32` may be those of larger shapes.
fn touching(radius: f64, largest: f32) -> f64 {
    if largest < f32::MAX { (radius + f64::from(largest)) * power(-44) } else { f64::INFINITY }
}

/// Ray of a sphere that moves among the boxes of a BVH.
pub(crate) struct SweptRay {
    pub(crate) ray: InputRay,
    /// Bound of the distance between a point of the sphere and the rounded ray.
    pub(crate) margin: f64,
}

impl SweptRay {
    /// `level` is the instance stack above the boxes, whose coordinates are at most `largest`. Under a transform the sphere is
    /// an ellipsoid in them, within a sphere whose radius is multiplied by the norm of the inverse.
    pub(crate) fn new<V: Vector>(
        line: &InputRay,
        level: Option<&InstanceLevel<'_>>,
        radius: f64,
        largest: f32,
    ) -> Self {
        let Some(level) = level else { return Self { ray: *line, margin: radius * ROOM + touching(radius, largest) } };
        let radius = radius * level.affine_map::<Working<V>>().inverse_norm::<V>() * ROOM;
        let local = LocalRay::new(level.rounded(), round_up_f32(f64::from(largest) + radius));
        // The margin along each axis is a length of less than twice as much; the rest is for roundings.
        Self { ray: local.input(line), margin: 4.0 * local.margin + radius + touching(radius, largest) }
    }
}
