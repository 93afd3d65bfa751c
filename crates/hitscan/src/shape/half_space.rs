//! The half-space, and in the plane the half-plane.

use super::error::{ShapeError, direction, finite};
use super::newton::{Refined, Start};
use super::plane::height_and_slope;
use super::{Crossing, Kernel, Meet};
use crate::Aabb;
use crate::math::{Frame, Line, Probe, Vector, Wide, Wide3};

/// Everything on or behind a plane: the points with `normal . (p - point) <= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<V: Vector> {
    point: V,
    normal: V,
}

/// The half-plane is the half-space of the plane.
pub type HalfPlane<V> = HalfSpace<V>;

impl<V: Vector> HalfSpace<V> {
    /// The solid behind `point`; `normal` points out of it and may have any length.
    ///
    /// # Errors
    /// `point` or `normal` not finite; `normal` zero.
    pub fn new(point: V, normal: V) -> Result<Self, ShapeError> {
        finite("point", point)?;
        direction("normal", normal)?;
        Ok(Self { point, normal })
    }
    /// A point of the boundary.
    pub fn point(&self) -> V {
        self.point
    }
    /// The outward normal, as given.
    pub fn normal(&self) -> V {
        self.normal
    }
}

impl<V: Vector> Kernel for HalfSpace<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "half_plane" } else { "half_space" };
    const SOLID: bool = true;
    type State<T: Wide> = Wide3<T>;
    type Double = HalfSpace<V::Double>;

    fn double(&self) -> Self::Double {
        HalfSpace { point: self.point.double(), normal: self.normal.double() }
    }

    /// # Method
    /// `height = n . o` and `slope = n . d`: a falling line enters at `-height / slope`, a rising one leaves there, and
    /// one that runs parallel is inside for ever or never.
    ///
    /// # Source
    /// Compensated products: Ogita, Rump, Oishi, *Accurate Sum and Dot Product*, SIAM J. Sci. Comput. 26(6), 2005.
    ///
    /// # Accuracy
    /// Two rounded products and a quotient in twice the digits of the inputs: `conformance.rs`, half-space within 2 ulp.
    ///
    /// # Edges
    /// A line in the boundary plane is in the closed solid for ever.
    #[inline(always)]
    fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, Wide3<T>>> {
        let (frame, n, height, slope) = height_and_slope(self.point, self.normal, line, probe);
        let forever = |sign: f64| Crossing::new(T::from_f64(sign * f64::INFINITY), 0, slope);
        let at = Crossing::new(frame.t(-height / slope), 0, slope);
        if slope < T::ZERO {
            Some(Meet::solid(at, forever(1.0), n))
        } else if slope > T::ZERO {
            Some(Meet::solid(forever(-1.0), at, n))
        } else if height <= T::ZERO {
            probe.verdict("parallel to the boundary and behind it: inside for ever");
            Some(Meet::solid(forever(-1.0), forever(1.0), n))
        } else {
            probe.verdict("miss: parallel to the boundary and in front of it");
            None
        }
    }
    #[inline(always)]
    fn refine<const FUSED: bool>(&self, start: &Start<FUSED>) -> Option<Refined<FUSED>> {
        start.on_plane(self.normal.widen(), self.point.widen())
    }
    #[inline(always)]
    fn normal<T: Wide>(&self, n: &Wide3<T>, _at: &Crossing<T>) -> Wide3<T> {
        *n
    }
    fn holds<T: Wide, P: Probe>(&self, point: Wide3<T>, probe: &mut P) -> bool {
        let (n, frame) = (self.normal.widen::<T>().near_one_or_doubt(), Frame::around(point, self.point.widen(), 0.0));
        let o = frame.o;
        frame.vouch([], [], probe);
        Frame::vouch_direction(n, probe);
        probe.sign(n.dot(o), n.dot_reach(o));
        n.dot(o) <= T::ZERO
    }
    fn bounds(&self) -> Aabb<V> {
        Aabb::everything()
    }
}
