//! Hits of a packet of rays as structure of arrays.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::Normal;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::simd::packet::{F64x4, MOST_LANES, Packet};

/// Numbers of the hits of a packet of rays.
pub(crate) struct HitNumbers<P> {
    pub(crate) t: P,
    pub(crate) distance: P,
    pub(crate) point: Vec3<P>,
    /// Of length 1.
    pub(crate) normal: Vec3<P>,
    pub(crate) uv: Option<[P; 2]>,
}

impl<P: Packet> HitNumbers<P> {
    /// Hits at `t` of each ray, with normals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(line: &WorkingRay<P>, t: P, normal: &Normal<P>, uv: Option<[P; 2]>) -> Self {
        // The normal is brought to length 1, in the way that suits its form.
        let normal = match *normal {
            Normal::Unit(normal) => normal,
            Normal::Long(normal, length) => normal * (P::ONE / length),
            // As `Vec3::direction`, without its special cases: a vector that is too short or too long is uncertain.
            Normal::Direction(normal) => {
                let length_sq = normal.length_sq();
                length_sq.is_at_least(1.0, P::from_f64(f64::MIN_POSITIVE));
                P::from_f64(f64::MAX).is_at_least(1.0, length_sq);
                normal * (P::ONE / length_sq.sqrt())
            }
        };
        // Point and distance, as for one ray.
        let (point, distance) = line.at(t);
        Self { t, distance, point, normal, uv }
    }
}

/// Hits in a group.
const HITS: usize = 4;

/// Four hits, rounded.
pub(crate) struct Hit4<S> {
    t: [S; HITS],
    distance: [S; HITS],
    point: [[S; HITS]; 3],
    normal: [[S; HITS]; 3],
    /// Mask of the lanes that hit the back.
    back: u32,
    uv: Option<[[S; HITS]; 2]>,
}

/// The four lanes, rounded once.
#[inline(always)]
fn rounded<S: Real>(x: F64x4) -> [S; HITS] {
    let mut row = [0.0; MOST_LANES];
    x.store(&mut row);
    let [a, b, c, d, ..] = row;
    [S::from_f64(a), S::from_f64(b), S::from_f64(c), S::from_f64(d)]
}

impl<S: Real> Hit4<S> {
    /// The rounded hits; `back` is the mask of the lanes that hit the back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(numbers: &HitNumbers<F64x4>, back: u32) -> Self {
        let HitNumbers { t, distance, point, normal, uv } = *numbers;
        // A closure that captures vector registers may become a call.
        #[allow(clippy::manual_map)]
        let uv = match uv {
            Some([u, v]) => Some([rounded(u), rounded(v)]),
            None => None,
        };
        Self {
            t: rounded(t),
            distance: rounded(distance),
            point: [rounded(point.x), rounded(point.y), rounded(point.z)],
            normal: [rounded(normal.x), rounded(normal.y), rounded(normal.z)],
            back,
            uv,
        }
    }

    /// Hit of one lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit<V: Vector<Scalar = S>>(&self, lane: usize) -> Hit<V> {
        let Self { t, distance, point: [x, y, z], normal: [nx, ny, nz], back, uv } = self;
        let lane = lane % HITS;
        let (point, normal) = (V::from_xyz([x[lane], y[lane], z[lane]]), V::from_xyz([nx[lane], ny[lane], nz[lane]]));
        let side = if back >> lane & 1 == 0 { Side::Front } else { Side::Back };
        Hit::of_numbers((t[lane], distance[lane]), point, normal, side, uv.map(|[u, v]| [u[lane], v[lane]]))
    }
}
