//! The results of a cast: hits and spans.

use crate::math::real::Real;
use crate::math::vector::Vector;
use core::fmt;
use core::num::NonZeroU32;
use smallvec::SmallVec;

/// The side of a surface that a ray hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The ray comes from the side that the normal points to.
    Front,
    /// The ray comes from inside a solid, or from behind a surface.
    Back,
}

/// A hit: the point where a ray meets a shape, with the data of the surface there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "V: serde::Serialize, V::Scalar: serde::Serialize")))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))
)]
#[non_exhaustive]
pub struct Hit<V: Vector> {
    /// The ray parameter: `point = origin + t * direction`. Its unit is the length of the direction; along a segment it runs
    /// from 0 to 1.
    #[doc(alias("toi", "time_of_impact", "t_hit"))]
    pub t: V::Scalar,
    /// The distance from the origin of the ray to `point`: a length, negative behind the origin.
    pub distance: V::Scalar,
    /// The hit point, in the coordinates of the scene.
    pub point: V,
    /// The surface normal, of length 1. It points outward for a solid and follows the order of the vertices for a surface.
    /// For a ray that starts inside a solid it points against the ray.
    pub normal: V,
    /// The side of the surface that the ray hits.
    pub side: Side,
    /// The barycentric weights of the second and third vertex of a triangle; of a [`SegmentShape`](crate::SegmentShape), the
    /// parameter along it in `u`.
    #[doc(alias = "barycentric")]
    pub uv: Option<[V::Scalar; 2]>,
    /// The number of the triangle, for a mesh.
    pub primitive: Option<u32>,
    /// The object that was hit, for a scene.
    pub object: Option<ObjectId>,
    /// The number of the shape within the object, if that is a [`Group`](crate::Group).
    pub member: Option<u32>,
    /// Whether the object is a trigger: see [`Object::as_trigger`](crate::Object::as_trigger).
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_trigger: bool,
}

impl<V: Vector> Hit<V> {
    /// A hit from stored numbers, such as a row of [`HitColumns`](crate::HitColumns): what
    /// [`spawn_ray`](Self::spawn_ray) needs. It has no primitive and no object.
    #[must_use]
    pub fn new(t: V::Scalar, distance: V::Scalar, point: V, normal: V, side: Side) -> Self {
        let (uv, primitive, object, member) = (None, None, None, None);
        Self { t, distance, point, normal, side, uv, primitive, object, member, is_trigger: false }
    }
    /// A hit from computed numbers, without a primitive and an object. Every hit of a query is made here, so that none of its
    /// numbers is a negative zero.
    #[inline(always)]
    pub(crate) fn of_numbers(
        (t, distance): (V::Scalar, V::Scalar),
        point: V,
        normal: V,
        side: Side,
        uv: Option<[V::Scalar; 2]>,
    ) -> Self {
        Self {
            t: t.of_result(),
            distance: distance.of_result(),
            point: point.of_result(),
            normal: normal.of_result(),
            side,
            uv: uv.map(|[u, v]| [u.of_result(), v.of_result()]),
            primitive: None,
            object: None,
            member: None,
            is_trigger: false,
        }
    }
    /// The hit with each number rounded to another precision; in the plane, z is dropped.
    #[inline(always)]
    pub(crate) fn convert<U: Vector>(self) -> Hit<U> {
        let number = |x: V::Scalar| U::Scalar::from_f64(x.to_f64());
        let vector = |v: V| U::from_xyz(v.to_xyz().map(number));
        let (place, uv) = ((number(self.t), number(self.distance)), self.uv.map(|uv| uv.map(number)));
        let Self { primitive, object, member, is_trigger, .. } = self;
        let hit = Hit::of_numbers(place, vector(self.point), vector(self.normal), self.side, uv);
        Hit { primitive, object, member, is_trigger, ..hit }
    }
    /// The barycentric weights of the three vertices. Their sum is 1 up to rounding.
    #[must_use]
    pub fn barycentric(&self) -> Option<[V::Scalar; 3]> {
        self.uv.map(|[u, v]| [V::Scalar::ONE - u - v, u, v])
    }
}

/// The id of an object of a scene. In that scene it never names another object, even after the object is removed.
///
/// An id belongs to the scene that gave it, and to the snapshots that were taken after that. Other scenes may give an equal id
/// to an object of their own, and so may the scene and its snapshot once they are edited separately. The order of ids is that of
/// [`index`](Self::index).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId {
    slot: u32,
    /// One more than the generation, so that `Option<ObjectId>` has the size of the id.
    generation: NonZeroU32,
}

impl ObjectId {
    /// No object.
    pub(crate) const NONE: Self = Self { slot: u32::MAX, generation: NonZeroU32::MAX };
    #[inline]
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        Self { slot, generation: NonZeroU32::MIN.saturating_add(generation) }
    }
    #[inline]
    pub(crate) const fn slot(self) -> u32 {
        self.slot
    }
    #[inline]
    pub(crate) const fn generation(self) -> u32 {
        self.generation.get() - 1
    }
    /// The row of the object in a table: 0, 1, 2 and so on in the order of insertion. A scene gives the row of a removed
    /// object to another object later, with another id.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.slot as usize
    }
    /// The id as a number, for languages and files without this type. It is the [`index`](Self::index) as long as the scene
    /// gives that row to no second object.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, ObjectId, Scene, Sphere};
    /// let mut scene = Scene::<Vec3>::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
    /// assert_eq!((ball.to_bits(), ObjectId::from_bits(0)), (0, Some(ball)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.slot as u64 | (self.generation() as u64) << 32
    }
    /// The id that [`to_bits`](Self::to_bits) made this number of; `None` for a number of no id.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let (slot, generation) = (bits as u32, (bits >> 32) as u32);
        if slot == u32::MAX || generation == u32::MAX { None } else { Some(Self::new(slot, generation)) }
    }
}

/// As [`Display`](fmt::Display): the index and how many objects had it before.
impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.slot, self.generation())
    }
}

/// Hits in the order of `t`. Two hits, the most that a convex shape has, need no allocation.
pub type Hits<V> = SmallVec<[Hit<V>; 2]>;

/// The result of [`RayCast::cast_ray_through`](crate::RayCast::cast_ray_through).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ThroughHits<V: Vector> {
    /// The closest hit of an object that is no trigger: the result of [`RayCast::cast_ray`](crate::RayCast::cast_ray).
    pub hit: Option<Hit<V>>,
    /// The hits of triggers before it, or all of them if there is none, in the order of `t`.
    pub triggers: Hits<V>,
}

/// A span: an interval of `t` in which the line is inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "V: serde::Serialize, V::Scalar: serde::Serialize")))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))
)]
pub struct Span<V: Vector> {
    /// The hit where the line enters. If the line is inside already where the range begins, the hit is there and its normal
    /// points against the ray. `None` if the line has no first point inside that `t` can express (a half-space and a whole
    /// line, for example).
    pub enter: Option<Hit<V>>,
    /// The hit where the line leaves, with [`Side::Back`]. `None` if the range ends before that, or the line has no last point
    /// inside that `t` can express.
    pub exit: Option<Hit<V>>,
}

/// Spans in the order of `t`. One span needs no allocation.
pub type Spans<V> = SmallVec<[Span<V>; 1]>;
