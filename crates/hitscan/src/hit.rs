//! What comes back: hits and spans.

use crate::math::real::Real;
use crate::math::vector::Vector;
use smallvec::SmallVec;

/// The side of a surface that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The ray comes from where the normal points.
    Front,
    /// The ray comes from within a solid, or from behind a surface.
    Back,
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit<V: Vector> {
    /// The ray's parameter, in lengths of its direction (0 to 1 along a segment).
    #[doc(alias("toi", "time_of_impact", "t_hit"))]
    pub t: V::Scalar,
    /// The distance travelled from the origin: a true length, negative behind the origin.
    pub distance: V::Scalar,
    /// Where, in the coordinates of the scene.
    pub point: V,
    /// Of length 1; outward for a solid, by the order of the vertices for a surface, against the ray where a ray
    /// starts inside a solid.
    pub normal: V,
    /// Which side was met.
    pub side: Side,
    /// The weights of the second and third vertex of a triangle, or the place along a segment in `u`.
    #[doc(alias = "barycentric")]
    pub uv: Option<[V::Scalar; 2]>,
    /// The triangle of a mesh.
    pub primitive: Option<u32>,
    /// The shape of a scene.
    pub shape: Option<ShapeId>,
    /// The instance of a scene.
    pub instance: Option<u32>,
}

impl<V: Vector> Hit<V> {
    /// The same hit, each number rounded to another precision; in the plane without z.
    #[inline(always)]
    pub(crate) fn convert<U: Vector>(self) -> Hit<U> {
        let number = |x: V::Scalar| U::Scalar::from_f64(x.to_f64());
        let vector = |v: V| U::from_xyz(v.to_xyz().map(number));
        Hit {
            t: number(self.t),
            distance: number(self.distance),
            point: vector(self.point),
            normal: vector(self.normal),
            side: self.side,
            uv: self.uv.map(|uv| uv.map(number)),
            primitive: self.primitive,
            shape: self.shape,
            instance: self.instance,
        }
    }
    /// The weights of the three vertices, which sum to 1 up to rounding.
    pub fn barycentric(&self) -> Option<[V::Scalar; 3]> {
        self.uv.map(|[u, v]| [V::Scalar::ONE - u - v, u, v])
    }
}

/// The number of a shape in its scene: 0, 1, 2 ... in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

impl ShapeId {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Hits in the order of `t`; two fit without allocation, which is all that a convex shape can give.
pub type Hits<V> = SmallVec<[Hit<V>; 2]>;

/// A stretch of the line inside one solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<V: Vector> {
    /// Where the line enters; where the range begins, with the normal against the ray, if that is inside already;
    /// `None` when it has been inside for ever (a half-space, seen along a whole line), or since before the first number that
    /// `t` can be.
    pub enter: Option<Hit<V>>,
    /// Where it leaves (`Side::Back`); `None` when the range, or what `t` can be, ends before that, or the solid goes on for
    /// ever.
    pub exit: Option<Hit<V>>,
}

/// Spans in the order of `t`; one fits without allocation.
pub type Spans<V> = SmallVec<[Span<V>; 1]>;
