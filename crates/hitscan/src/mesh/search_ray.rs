//! Rays of a search in a mesh: what the `f32` filter reads, and all digits for what it leaves uncertain.

use crate::bvh::ray::RayF32;
use crate::math::real::Real;
use crate::math::rounding::round_up_f32;
use crate::math::working_ray::InputRay;
use crate::query::{Coplanar, Faces, Query};
use crate::simd::xyz::Xyz;
use glam::Vec4;

/// Ray or segment of a search, with its query: small enough to copy freely.
pub(crate) trait SearchRay: Copy {
    /// Number type of the mesh.
    type Scalar: Real;
    fn new(raw: &InputRay, query: &Query<impl Real>) -> Self;
    /// The same ray with `t_max` lowered to `limit`. A NaN `t_max` stays a NaN.
    fn up_to(self, limit: f32) -> Self;
    /// The ray in `f32`, its `t_min` rounded down, and whether rounding changes it little enough.
    fn aim(&self) -> (RayF32, bool);
    /// `t_max` in `f32`, rounded up.
    fn end(&self) -> f32;
    fn faces(&self) -> Faces;
    /// The ray as given, without a range of `t`.
    fn raw(&self) -> InputRay;
    fn query(&self) -> Query<f64>;
}

/// Range of `t` of a ray and its query. A NaN stays a NaN and hits nothing.
#[inline(always)]
fn range(raw: &InputRay, query: &Query<impl Real>) -> [f64; 2] {
    let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
    [if min < raw.t_min { raw.t_min } else { min }, if max > raw.t_max { raw.t_max } else { max }]
}

/// Ray in `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchRayF32 {
    pub(crate) origin: Vec4,
    /// The direction of a ray, or the end of a segment.
    pub(crate) target: Vec4,
    /// The direction; rounded for a segment.
    direction: Vec4,
    is_segment: bool,
    faces: Faces,
    coplanar: Coplanar,
    t_min: f32,
    t_max: f32,
}

impl SearchRayF32 {
    /// Origin and direction.
    #[inline(always)]
    pub(crate) fn in_registers<const FMA: bool>(&self) -> [Xyz<FMA>; 2] {
        let [origin, target] = [Xyz::from_singles(self.origin.to_array()), Xyz::from_singles(self.target.to_array())];
        [origin, if self.is_segment { target - origin } else { target }]
    }
    /// Range of `t`.
    #[inline(always)]
    pub(crate) fn range(&self) -> [f64; 2] {
        [f64::from(self.t_min), f64::from(self.t_max)]
    }
}

impl SearchRay for SearchRayF32 {
    type Scalar = f32;
    /// Converts an `f32` input; nothing is rounded.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(raw: &InputRay, query: &Query<impl Real>) -> Self {
        let single = |[x, y, z]: [f64; 3]| Vec4::new(x as f32, y as f32, z as f32, 0.0);
        let [t_min, t_max] = range(raw, query);
        let (origin, target) = (single(raw.origin), single(raw.target));
        Self {
            origin,
            target,
            direction: if raw.is_segment { target - origin } else { target },
            is_segment: raw.is_segment,
            faces: query.faces_mode(),
            coplanar: query.coplanar_mode(),
            t_min: t_min as f32,
            t_max: t_max as f32,
        }
    }
    fn up_to(self, limit: f32) -> Self {
        Self { t_max: if limit < self.t_max { limit } else { self.t_max }, ..self }
    }
    #[inline(always)]
    fn aim(&self) -> (RayF32, bool) {
        (RayF32::new(self.origin, self.direction, self.t_min), true)
    }
    #[inline(always)]
    fn end(&self) -> f32 {
        self.t_max
    }
    #[inline(always)]
    fn faces(&self) -> Faces {
        self.faces
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw(&self) -> InputRay {
        let double = |v: Vec4| [f64::from(v.x), f64::from(v.y), f64::from(v.z)];
        InputRay {
            origin: double(self.origin),
            target: double(self.target),
            is_segment: self.is_segment,
            t_min: f64::NEG_INFINITY,
            t_max: f64::INFINITY,
            largest: f64::from(f32::MAX),
            layers: u32::MAX,
        }
    }
    #[inline(always)]
    fn query(&self) -> Query<f64> {
        Query::new().range(f64::from(self.t_min), f64::from(self.t_max)).faces(self.faces).coplanar(self.coplanar)
    }
}

/// Ray in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchRayF64 {
    origin: [f64; 3],
    /// The direction of a ray, or the end of a segment.
    target: [f64; 3],
    t_min: f64,
    t_max: f64,
    largest: f64,
    is_segment: bool,
    faces: Faces,
    coplanar: Coplanar,
    end: f32,
}

impl SearchRay for SearchRayF64 {
    type Scalar = f64;
    #[inline(always)]
    fn new(raw: &InputRay, query: &Query<impl Real>) -> Self {
        let [t_min, t_max] = range(raw, query);
        let InputRay { origin, target, is_segment, largest, .. } = *raw;
        let (faces, coplanar, end) = (query.faces_mode(), query.coplanar_mode(), round_up_f32(t_max));
        Self { origin, target, t_min, t_max, largest, is_segment, faces, coplanar, end }
    }
    fn up_to(self, limit: f32) -> Self {
        if f64::from(limit) < self.t_max { Self { t_max: f64::from(limit), end: limit, ..self } } else { self }
    }
    #[inline(always)]
    fn aim(&self) -> (RayF32, bool) {
        RayF32::rounded(&self.raw(), self.t_min)
    }
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn faces(&self) -> Faces {
        self.faces
    }
    #[inline(always)]
    fn raw(&self) -> InputRay {
        let Self { origin, target, largest, is_segment, .. } = *self;
        let (t_min, t_max) = (f64::NEG_INFINITY, f64::INFINITY);
        InputRay { origin, target, is_segment, t_min, t_max, largest, layers: u32::MAX }
    }
    #[inline(always)]
    fn query(&self) -> Query<f64> {
        Query::new().range(self.t_min, self.t_max).faces(self.faces).coplanar(self.coplanar)
    }
}
