//! Decoder of rays, segments and queries from numbers.

use crate::numbers::Numbers;
use crate::recipe::{floats, vector};
use hitscan::{Aabb, Faces, Inside, Query, Ray, Segment};
use hitscan::{Real, Vector};

/// Ray or segment, and the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CastInput {
    pub(crate) origin: [f64; 3],
    /// Direction of a ray, end of a segment.
    pub(crate) target: [f64; 3],
    pub(crate) is_segment: bool,
    range: [f64; 2],
    mode: Inside,
    faces: Faces,
    layers: u32,
}

impl CastInput {
    /// Half of the rays have any direction, the others a target in the box.
    pub(crate) fn read<V: Vector>(n: &mut Numbers<'_>, aabb: &Aabb<V>) -> Self {
        let flags = n.byte();
        let is_segment = flags & 4 != 0;
        let origin: V = vector(n.point(V::DIM));
        let (origin, target) = match flags & 3 {
            0 | 1 => (origin, vector(n.point(V::DIM))),
            // At a point of the box, or in the plane of a face.
            2 => {
                let way = point_in(aabb, n) - origin;
                (origin, if is_segment { origin + way + way } else { way })
            }
            // Along an axis, from a point of the box.
            _ => {
                let axis = usize::from(flags >> 4) % V::DIM;
                let mut along = [if flags & 8 == 0 { 0.0 } else { -0.0 }; 3];
                along[axis] = floats(origin)[axis];
                let start = point_in(aabb, n) - vector::<V>(along);
                let end = start + vector::<V>(along) + vector::<V>(along);
                (start, if is_segment { end } else { vector(along) })
            }
        };
        let (origin, target) = (floats(origin), floats(target));
        n.note_all(origin);
        n.note_all(target);
        n.note_all(std::array::from_fn::<f64, 3, _>(|i| target[i] - origin[i]).into_iter().filter(|_| is_segment));
        let largest = V::Scalar::MAX.to_f64();
        let range = match n.byte() % 16 {
            0 => [0.0, n.number()],
            1 => [n.number(), largest],
            2 => [n.number(), n.number()],
            3 => [f64::NEG_INFINITY, largest],
            4 => [0.0, 0.0],
            5 => [f64::NEG_INFINITY, f64::INFINITY],
            6 => [n.number(); 2],
            _ => [0.0, largest],
        };
        let options = n.byte();
        let mode = if options & 1 == 0 { Inside::Solid } else { Inside::Hollow };
        let faces = [Faces::Both, Faces::Both, Faces::Front, Faces::Back][usize::from(options >> 1 & 3)];
        let layers = if options & 8 == 0 { u32::MAX } else { u32::from(options >> 4) };
        Self { origin, target, is_segment, range, mode, faces, layers }
    }

    pub(crate) fn ray<V: Vector>(&self) -> Ray<V> {
        Ray::new(vector(self.origin), vector(self.target))
    }

    pub(crate) fn segment<V: Vector>(&self) -> Segment<V> {
        Segment::new(vector(self.origin), vector(self.target))
    }

    pub(crate) fn query<S: Real>(&self) -> Query<S> {
        let [t_min, t_max] = self.range.map(S::from_f64);
        Query::new().range(t_min, t_max).inside(self.mode).faces(self.faces).layers(self.layers)
    }

    /// Whether the library accepts the ray: a finite origin, a finite nonzero direction.
    pub(crate) fn is_valid<V: Vector>(&self) -> bool {
        let (origin, target) = (vector::<V>(self.origin), vector::<V>(self.target));
        let is_zero = if self.is_segment { origin == target } else { target.is_zero() };
        origin.all_finite() && target.all_finite() && !is_zero
    }
}

/// Point of a box, finite even if the box is not.
fn point_in<V: Vector>(aabb: &Aabb<V>, n: &mut Numbers<'_>) -> V {
    let clip = |x: f64| if x.is_finite() { x } else { 8.0 };
    let (min, max) = (floats(aabb.min).map(|x| -clip(-x)), floats(aabb.max).map(clip));
    let mut point = [0.0; 3];
    for i in 0..V::DIM {
        let share = match n.byte() {
            0 => 0.5,
            1 => 0.0,
            2 => 1.0,
            byte => f64::from(byte) / 255.0,
        };
        point[i] = min[i] * (1.0 - share) + max[i] * share;
    }
    vector(point)
}
