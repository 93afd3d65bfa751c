//! The axis-aligned box, and in the plane the rectangle.

use super::error::{ShapeError, each, finite, not_negative};
use super::newton::{Refined, Start};
use super::{Crossing, Kernel, Meet, bounds_around};
use crate::Aabb;
use crate::math::{Frame, Line, Probe, Vector, Wide, Wide3};

/// The solid box reaching `half_extents` from `center` along each axis.
#[doc(alias("box", "rectangle"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<V: Vector> {
    center: V,
    half_extents: V,
}

/// The rectangle is the box of the plane.
pub type Rectangle<V> = Cuboid<V>;

impl<V: Vector> Cuboid<V> {
    /// A half extent may be zero: the box is then flat, and can still be hit.
    ///
    /// # Errors
    /// `center` not finite; `half_extents` not finite or negative.
    pub fn new(center: V, half_extents: V) -> Result<Self, ShapeError> {
        finite("center", center)?;
        each(half_extents, |x| not_negative("half_extents", x))?;
        Ok(Self { center, half_extents })
    }
    /// The centre.
    pub fn center(&self) -> V {
        self.center
    }
    /// Half the size along each axis.
    pub fn half_extents(&self) -> V {
        self.half_extents
    }
}

/// The box `|x| <= h.x, |y| <= h.y, |z| <= h.z`, given the origin and the moment `m` of the line and the magnitudes
/// of their terms: shared with the oriented box. In the plane, of two axes, all but the moment about z are zero.
/// Face `i` is crossed along axis `i`.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn slabs<V: Vector, T: Wide, P: Probe>(
    [o, o_reach]: [Wide3<T>; 2],
    d: Wide3<T>,
    [m, m_reach]: [Wide3<T>; 2],
    h: Wide3<T>,
    frame: &Frame<T>,
    probe: &mut P,
) -> Option<(Crossing<T>, Crossing<T>)> {
    frame.vouch([], [h.x, h.y, h.z], probe);
    let e = d.map(Wide::abs);
    let gap = Wide3::new(
        h.y * e.z + h.z * e.y - m.x.abs(),
        h.z * e.x + h.x * e.z - m.y.abs(),
        h.x * e.y + h.y * e.x - m.z.abs(),
    );
    probe.number("reach - |moment| about x", || gap.x.to_f64());
    probe.number("reach - |moment| about y", || gap.y.to_f64());
    probe.number("reach - |moment| about z", || gap.z.to_f64());
    let reach = h.cross_reach(d) + m_reach;
    for axis in if V::DIM == 2 { 2..3 } else { 0..3 } {
        probe.sign(gap.get(axis), reach.get(axis));
    }
    if gap.x.rules_out() || gap.y.rules_out() || gap.z.rules_out() {
        probe.verdict("miss: the line passes the box (an axis between them separates the two)");
        return None;
    }
    let mut ends: Option<(Crossing<T>, Crossing<T>)> = None;
    for axis in 0..3 {
        let (o, o_reach, d, h) = (o.get(axis), o_reach.get(axis), d.get(axis), h.get(axis));
        if d == T::ZERO {
            continue;
        }
        let side = if d > T::ZERO { h } else { -h };
        let (to_near, to_far) = (-side - o, side - o);
        probe.value(to_near, h + o_reach);
        probe.value(to_far, h + o_reach);
        let near = Crossing::new(to_near / d, axis as u32, -d);
        let far = Crossing::new(to_far / d, axis as u32, d);
        let names = [["x: slab in", "x: slab out"], ["y: slab in", "y: slab out"], ["z: slab in", "z: slab out"]][axis];
        probe.number(names[0], || frame.t(near.t).to_f64());
        probe.number(names[1], || frame.t(far.t).to_f64());
        ends = Some(match ends {
            None => (near, far),
            Some((enter, exit)) => {
                // Which of two faces: each parameter may have lost as many digits as a value is allowed to.
                probe.value(near.t - enter.t, near.t.abs() + enter.t.abs());
                probe.value(far.t - exit.t, far.t.abs() + exit.t.abs());
                (if near.t > enter.t { near } else { enter }, if far.t < exit.t { far } else { exit })
            }
        });
    }
    ends.map(|(enter, exit)| (Crossing { t: frame.t(enter.t), ..enter }, Crossing { t: frame.t(exit.t), ..exit }))
}

/// The axis of a face, pointing out of the box: `root` is the outward direction's sign along it.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn face_normal<T: Wide>(at: &Crossing<T>) -> Wide3<T> {
    let one = |i: u32| {
        if i != at.face {
            T::ZERO
        } else if at.root < T::ZERO {
            -T::ONE
        } else {
            T::ONE
        }
    };
    Wide3::new(one(0), one(1), one(2))
}

/// `|p_i| <= h_i` for all three.
#[cfg_attr(not(feature = "small"), inline(always))]
pub(super) fn between<T: Wide, P: Probe>(p: Wide3<T>, reach: Wide3<T>, h: Wide3<T>, probe: &mut P) -> bool {
    let excess = p.map(Wide::abs) - h;
    for axis in 0..3 {
        probe.sign(excess.get(axis), reach.get(axis) + h.get(axis));
    }
    excess.x <= T::ZERO && excess.y <= T::ZERO && excess.z <= T::ZERO
}

impl<V: Vector> Kernel for Cuboid<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "rectangle" } else { "box" };
    const SOLID: bool = true;
    type State<T: Wide> = ();
    type Double = Cuboid<V::Double>;

    fn double(&self) -> Self::Double {
        Cuboid { center: self.center.double(), half_extents: self.half_extents.double() }
    }

    /// # Method
    /// Line and box are apart exactly when one of the three products of an axis with the direction separates them:
    /// `|m_i| > h_j |d_k| + h_k |d_j|`. That decides; the slabs only give the parameters, largest entry and smallest
    /// exit.
    ///
    /// # Source
    /// Separating axes: Gottschalk, Lin, Manocha, *OBBTree*, SIGGRAPH 1996; slabs: Kay, Kajiya, 1986. The slab test
    /// alone loses ties (0 times infinity), the separating test has no division.
    ///
    /// # Accuracy
    /// One subtraction and one quotient per face, in twice the digits of the inputs: `conformance.rs`.
    ///
    /// # Edges
    /// Faces, edges and corners belong to the box. A direction with zeros has no slab on those axes.
    #[inline(always)]
    fn meet<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Option<Meet<T, ()>> {
        let h = self.half_extents.widen::<T>();
        let frame = line.local(self.center.widen(), h.extent());
        let origin = [frame.o, frame.o.map(Wide::abs)];
        let (enter, exit) = slabs::<V, _, _>(
            origin,
            frame.d,
            [frame.moment(), frame.o.cross_reach(frame.d)],
            frame.vector(h),
            &frame,
            probe,
        )?;
        Some(Meet::solid(enter, exit, ()))
    }
    #[inline(always)]
    fn refine<const FUSED: bool>(&self, start: &Start<FUSED>) -> Option<Refined<FUSED>> {
        start.on_face(face_normal(&start.at), self.center.widen(), self.half_extents.widen())
    }
    #[inline(always)]
    fn normal<T: Wide>(&self, _state: &(), at: &Crossing<T>) -> Wide3<T> {
        face_normal(at)
    }
    fn holds<T: Wide, P: Probe>(&self, point: Wide3<T>, probe: &mut P) -> bool {
        let (p, h) = (point - self.center.widen(), self.half_extents.widen::<T>());
        between(p, p.map(Wide::abs), h, probe)
    }
    fn bounds(&self) -> Aabb<V> {
        bounds_around(self.center, self.half_extents.widen())
    }
}
