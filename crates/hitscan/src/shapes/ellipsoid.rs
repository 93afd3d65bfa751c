//! Ellipsoid, in 2D the ellipse.

use crate::aabb::Aabb;
use crate::basis::Basis;
use crate::block_hits::Numbers;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
use crate::math::real::Real;
use crate::math::roots::Quadratic;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_around;
use crate::shapes::error::{ShapeError, axes, each, finite, positive};
use glam::DVec3;

/// Ellipsoid: the solid with `sum((axis_i . (p - center) / radii_i)^2) <= 1`, for the axes exactly as they are.
#[doc(alias = "ellipse")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid<V: Vector> {
    center: V,
    radii: V,
    basis: Basis<V>,
}

/// Ellipse: the ellipsoid in 2D.
pub type Ellipse<V> = Ellipsoid<V>;

impl<V: Vector> Ellipsoid<V> {
    /// Ellipsoid with its axes along the coordinate axes.
    ///
    /// # Errors
    /// `center` not finite; `radii` not finite or not greater than 0.
    pub fn new(center: V, radii: V) -> Result<Self, ShapeError> {
        Self::with_basis(center, radii, Basis::identity())
    }
    /// Ellipsoid with its axes along those of a basis.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new): `center` or `radii`.
    pub fn with_basis(center: V, radii: V, basis: Basis<V>) -> Result<Self, ShapeError> {
        finite("center", center)?;
        each(radii, |x| positive("radii", x))?;
        Ok(Self { center, radii, basis })
    }
    /// Ellipsoid from its axes as vectors.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new); `axes` that are not orthonormal.
    pub fn with_axes(center: V, radii: V, given: &[V]) -> Result<Self, ShapeError> {
        Self::with_basis(center, radii, axes(given)?)
    }
    /// The centre.
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }
    /// The half axes.
    #[must_use]
    pub fn radii(&self) -> V {
        self.radii
    }
    /// The orientation.
    #[must_use]
    pub fn basis(&self) -> &Basis<V> {
        &self.basis
    }

    /// Half axes; an ellipse gets an arbitrary third one, which has no effect in 2D.
    fn half_axes<T: Arithmetic>(&self) -> Vec3<T> {
        let r = self.radii.widen::<T>();
        if V::DIM == 2 { Vec3::new(r.x, r.y, r.x) } else { r }
    }
}

/// State of a line in the space where the ellipsoid is a ball of radius `a b c`: each coordinate times the product of
/// the other two half axes.
pub struct EllipsoidState<T> {
    frame: Frame<T>,
    d: Vec3<T>,
    m: Vec3<T>,
    root: T,
    products: Vec3<T>,
    roots: Quadratic<T>,
}

impl<T: Arithmetic> EllipsoidState<T> {
    #[inline(always)]
    fn at(&self, local: T, sign: T) -> Crossing<T> {
        Crossing { t: self.frame.t(local), local, face: 0, sign }
    }
}

fn products<T: Arithmetic>(r: Vec3<T>) -> Vec3<T> {
    Vec3::new(r.y * r.z, r.z * r.x, r.x * r.y)
}

impl<V: Vector> Kernel for Ellipsoid<V> {
    type Vector = V;
    const NAME: &'static str = if V::DIM == 2 { "ellipse" } else { "ellipsoid" };
    const SOLID: bool = true;
    const FILTERS_ROUNDED_RAYS: bool = true;
    const PACKETS: Option<Numbers> = Some(Numbers::All);
    type State<T: Arithmetic> = EllipsoidState<T>;
    type Double = Ellipsoid<V::Double>;
    type Slow = Ellipsoid<DVec3>;

    fn double(&self) -> Self::Double {
        Ellipsoid { center: self.center.double(), radii: self.radii.double(), basis: self.basis.double() }
    }

    fn slow(&self) -> Self::Slow {
        let Vec3 { x, y, z } = self.half_axes();
        Ellipsoid { center: self.center.in_space(), radii: DVec3::new(x, y, z), basis: self.basis.in_space() }
    }

    /// # Method
    /// Each coordinate times the product of the other two half axes makes it a ball of radius `R = a b c`, without a
    /// division. Its half chord, squared, is `R^2` times `sum (d_i p_j p_k)^2 - sum (m_i p_i)^2`, where the moment `m`
    /// is computed before the scaling.
    ///
    /// # Source
    /// The moment form of the sphere under a linear map; our derivation.
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: `conformance.rs`, families thin, grazing and far.
    ///
    /// # Edges
    /// Tangent: one point. Powers of two keep the sixth powers of sizes in range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, EllipsoidState<T>>> {
        let r = self.half_axes::<T>();
        let frame = line.local(self.center.widen(), r.max_abs_f64());
        let r = frame.vector(r);
        frame.check_scale([], [r.x, r.y, r.z], observer);
        self.basis.check_scale::<T, P>(observer);
        let q = products(r);
        let volume = r.x * q.x;
        let o = self.basis.local(frame.o).scale(q);
        let d = self.basis.local(frame.d).scale(q);
        let m = self.basis.local_moment(frame.moment()).scale(r);
        let disc = d.length_sq() - m.length_sq();
        let (o_magnitude, d_magnitude) =
            (self.basis.magnitude_of(frame.o).scale(q), self.basis.magnitude_of(frame.d).scale(q));
        let m_magnitude = self.basis.magnitude_of_moment(frame.o.cross_magnitude(frame.d)).scale(r);
        observer.number("f^2: half chord^2 of the ball it is stretched to", || (disc / d.length_sq()).to_f64());
        let disc_magnitude = d.square_magnitude(d_magnitude) + m.square_magnitude(m_magnitude);
        observer.sign(disc, disc_magnitude);
        if disc.is_miss() {
            observer.verdict("miss: f^2 < 0, the line passes outside");
            return None;
        }
        let root = disc.sqrt();
        if !P::UNFILTERED {
            // The normal is d x m -+ d root, scaled by q: this checks the digits that a far origin and the scaling leave
            // it.
            let thin_sq = (q.x.min(q.y).min(q.z) / q.max_abs()).sq();
            observer.value_sq(d.length_sq() * thin_sq, m_magnitude.length_sq());
            observer.value_sq(disc * d.length_sq() * thin_sq, disc_magnitude.sq());
        }
        let magnitude = [
            d.square_magnitude(d_magnitude),
            o_magnitude.dot(d_magnitude),
            o.square_magnitude(o_magnitude) + volume.sq(),
        ];
        let (b, c) = (-o.dot(d), o.dot_plus(o, -volume.sq()));
        let roots = Quadratic { a: d.length_sq(), b, c, root: volume * root };
        roots.check_filter(magnitude, volume.sq() * disc_magnitude, observer);
        let state = EllipsoidState { frame, d, m, root, products: q, roots };
        Some(Intersection::new(state.at(roots.minus(), -T::ONE), state))
    }
    #[inline(always)]
    fn exit<T: Arithmetic, P: Observer>(
        &self,
        Intersection { state, .. }: &Intersection<T, EllipsoidState<T>>,
        _observer: &mut P,
    ) -> Crossing<T> {
        state.at(state.roots.plus(), T::ONE)
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, state: &EllipsoidState<T>, at: &Crossing<T>) -> Normal<T> {
        let EllipsoidState { d, m, root, products, .. } = *state;
        Normal::Direction(self.basis.world((d.cross(m) + d * (root * at.sign)).scale(products)))
    }
    fn contains<T: Arithmetic, P: Observer>(&self, point: Vec3<T>, observer: &mut P) -> bool {
        let r = self.half_axes::<T>();
        let frame = Frame::around(point, self.center.widen(), r.max_abs_f64());
        let r = frame.vector(r);
        frame.check_scale([], [r.x, r.y, r.z], observer);
        self.basis.check_scale::<T, P>(observer);
        let q = products(r);
        let p = self.basis.local(frame.o).scale(q);
        let (excess, limit) = (p.dot_plus(p, -(r.x * q.x).sq()), (r.x * q.x).sq());
        observer.sign(excess, p.square_magnitude(self.basis.magnitude_of(frame.o).scale(q)) + limit);
        excess.le(T::ZERO)
    }
    fn bounds(&self) -> Aabb<V> {
        // The half extent along a coordinate is the length of the half axes' components along it.
        let r = self.half_axes::<f64>();
        let mut components = [[0.0; 3]; 3];
        for (i, axis) in self.basis.axes().iter().enumerate() {
            for (j, component) in axis.to_xyz().into_iter().enumerate() {
                components[j][i] = (component.to_f64() * r.get(i)).abs().next_up();
            }
        }
        let [x, y, z] = components.map(|[a, b, c]| Vec3::new(a, b, c).length());
        bounds_around(self.center, self.basis.enclosing(Vec3::new(x, y, z), r.max_abs_f64()))
    }
}
