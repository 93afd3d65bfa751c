//! Quad: a parallelogram in space.

use crate::aabb::Aabb;
use crate::kernel::crossing::{Crossing, Intersection, Normal};
use crate::kernel::kernel::Kernel;
use crate::kernel::newton::{Refined, Start};
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::math::working_ray::WorkingRay;
use crate::shapes::bounds::bounds_beyond;
use crate::shapes::error::{ShapeError, ShapeErrorKind, are_collinear, finite};
use crate::shapes::triangle::{LocalTriangle, TriangleHit};

/// Quad: the parallelogram `corner + u edge_u + v edge_v` with `u` and `v` from 0 to 1, a flat surface with two sides: a rectangle in
/// space if the edges are at a right angle. Its front is the side that `edge_u x edge_v` points to.
///
/// ```
/// use hitscan::{Quad, RayCast, Ray, glam::Vec3};
/// let screen = Quad::new(Vec3::new(-2.0, -1.0, 5.0), Vec3::X * 4.0, Vec3::Y * 2.0)?;
/// let hit = screen.cast_ray(&Ray::new(Vec3::ZERO, Vec3::new(0.2, 0.1, 1.0)), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.uv), (5.0, Some([0.75, 0.75])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("parallelogram", "rectangle", "finite plane"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad<V: Vector> {
    corner: V,
    edge_u: V,
    edge_v: V,
}

impl<V: Vector3> Quad<V> {
    /// Quad of a corner and the two edges from there.
    ///
    /// # Errors
    /// A number that is not finite, also of the other corners; edges along one line, or without a length.
    pub fn new(corner: V, edge_u: V, edge_v: V) -> Result<Self, ShapeError> {
        finite("corner", corner)?;
        finite("edge_u", edge_u)?;
        finite("edge_v", edge_v)?;
        if are_collinear([V::default(), edge_u, edge_v].map(V::to_f64)) {
            return Err(ShapeError { field: "edge_u, edge_v", problem: ShapeErrorKind::Collinear });
        }
        let quad = Self { corner, edge_u, edge_v };
        quad.corners().into_iter().try_for_each(|corner| finite("corner + edge_u + edge_v", corner))?;
        Ok(quad)
    }
    /// The corner at `u = 0` and `v = 0`.
    #[must_use]
    pub fn corner(&self) -> V {
        self.corner
    }
    /// The edge along which `u` grows.
    #[must_use]
    pub fn edge_u(&self) -> V {
        self.edge_u
    }
    /// The edge along which `v` grows.
    #[must_use]
    pub fn edge_v(&self) -> V {
        self.edge_v
    }
    /// The four corners in order around the quad, rounded: `(u, v)` is `(0, 0)`, `(1, 0)`, `(1, 1)`, `(0, 1)`.
    #[must_use]
    pub fn corners(&self) -> [V; 4] {
        let Self { corner, edge_u, edge_v } = *self;
        [corner, corner + edge_u, corner + edge_u + edge_v, corner + edge_v]
    }
}

impl<V: Vector3> Kernel for Quad<V> {
    type Vector = V;
    const NAME: &'static str = "quad";
    const SOLID: bool = false;
    type State<T: Arithmetic> = TriangleHit<T>;
    type Double = Quad<V::Double>;
    type Slow = Self::Double;

    fn double(&self) -> Self::Double {
        Quad { corner: self.corner.double(), edge_u: self.edge_u.double(), edge_v: self.edge_v.double() }
    }

    fn slow(&self) -> Self::Slow {
        self.double()
    }

    /// # Method
    /// That of a triangle from the corner: the line meets the plane at `u` and `v`, which are `-m . f` and `m . e` over `n . d` for the
    /// edges `e` and `f`. It crosses the quad if these and their differences from 1 are not negative.
    ///
    /// # Source
    /// As [`cross_triangle`](crate::shapes::triangle::cross_triangle).
    ///
    /// # Accuracy
    /// In twice the digits of the inputs: that of a triangle.
    ///
    /// # Edges
    /// The border belongs to the quad. A line in its plane misses it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn intersect<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<Intersection<T, TriangleHit<T>>> {
        let local = LocalTriangle::of_edges(line, self.corner.widen(), [self.edge_u.widen(), self.edge_v.widen()]);
        let LocalTriangle { frame, e, f, slope, u, v, .. } = local;
        frame.check_scale_short::<V::Scalar, _, _, _>([e, f], [], observer);
        observer.number("slope: normal . direction (scaled)", || slope.to_f64());
        observer.number("u", || (u / slope).to_f64());
        observer.number("v", || (v / slope).to_f64());
        let weights = [u, slope - u, v, slope - v];
        let inside = if T::NORMWISE_BOUNDS {
            local.contains_normwise(weights, observer)
        } else {
            if slope.equals(T::ZERO) {
                observer.verdict("miss: the line is parallel to the quad");
                return None;
            }
            weights.into_iter().all(|weight| weight.mul_sign(slope).ge(T::ZERO))
        };
        if !inside {
            observer.verdict("miss: u or v is below 0 or above 1, the line crosses the plane outside an edge");
            return None;
        }
        let hit = local.hit::<V::Scalar, _>(observer);
        Some(Intersection::new(Crossing::new(hit.t, 0, hit.facing), hit))
    }
    const REFINES: bool = true;
    #[inline(always)]
    fn refine<const FMA: bool>(&self, start: &Start<FMA>) -> Option<Refined<FMA>> {
        start.on_quad(self.corner.widen(), [self.edge_u.widen(), self.edge_v.widen()])
    }
    #[inline(always)]
    fn normal<T: Arithmetic>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Normal<T> {
        Normal::Direction(hit.normal)
    }
    #[inline(always)]
    fn uv<T: Arithmetic>(&self, hit: &TriangleHit<T>, _at: &Crossing<T>) -> Option<[T; 2]> {
        Some(hit.uv)
    }
    fn bounds(&self) -> Aabb<V> {
        // Sums of three numbers, each within two roundings of their magnitudes.
        let [corner, e, f] = [self.corner, self.edge_u, self.edge_v].map(V::widen::<f64>);
        let end = |of: fn(f64, f64) -> f64| corner + e.map(|x| of(x, 0.0)) + f.map(|x| of(x, 0.0));
        let terms: Vec3<f64> = corner.map(f64::abs) + e.map(f64::abs) + f.map(f64::abs);
        let rounded = Aabb { min: V::narrow(end(f64::min)), max: V::narrow(end(f64::max)) };
        bounds_beyond(rounded, terms * power(-51))
    }
}
