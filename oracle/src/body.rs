//! Shape as a list of numbers: printed, changed bit by bit, and passed to library and oracle alike.

use crate::number::Precision;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Basis, Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace,
    OrientedBox, Plane, Quad, SegmentShape, Space, Sphere, TaperedCapsule, Triangle, Triangle2,
};
use hitscan::{Real, Vector};

/// Meaning of the numbers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Coordinates of a point.
    Point,
    /// Lengths along each axis.
    Extents,
    /// Vector from a point to another one.
    Edge,
    /// One length, such as a radius.
    Length,
    /// Direction of any length.
    Normal,
    /// Unit vectors, as many as the space has dimensions.
    Axes,
    /// Coordinates of points, up to the end of the list.
    Points,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $dim:literal, $solid:literal, [$($field:literal $part:ident),+];)+) => {
        /// Kinds of shapes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* #[allow(missing_docs)] $kind),+
        }
        impl Kind {
            /// All kinds, in the order of tables.
            pub const ALL: &[Self] = &[$(Self::$kind),+];
            /// Name on the command line and in tables.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),+ }
            }
            /// Dimension: 2 or 3.
            pub fn dim(self) -> usize {
                match self { $(Self::$kind => $dim),+ }
            }
            /// Whether the shape encloses points.
            pub fn is_solid(self) -> bool {
                match self { $(Self::$kind => $solid),+ }
            }
            /// Names and meanings of the numbers, in the order of the constructor.
            pub fn fields(self) -> &'static [(&'static str, Part)] {
                match self { $(Self::$kind => &[$(($field, Part::$part)),+]),+ }
            }
        }
    };
}

kinds! {
    Sphere = "sphere", 3, true, ["center" Point, "radius" Length];
    Cuboid = "box", 3, true, ["center" Point, "half_extents" Extents];
    OrientedBox = "oriented_box", 3, true, ["center" Point, "half_extents" Extents, "axes" Axes];
    Capsule = "capsule", 3, true, ["a" Point, "b" Point, "radius" Length];
    TaperedCapsule = "tapered_capsule", 3, true, ["a" Point, "b" Point, "radius_a" Length, "radius_b" Length];
    Cylinder = "cylinder", 3, true, ["a" Point, "b" Point, "radius" Length];
    Cone = "cone", 3, true, ["base" Point, "apex" Point, "radius" Length];
    Frustum = "frustum", 3, true, ["a" Point, "b" Point, "radius_a" Length, "radius_b" Length];
    Ellipsoid = "ellipsoid", 3, true, ["center" Point, "radii" Extents, "axes" Axes];
    HalfSpace = "half_space", 3, true, ["point" Point, "normal" Normal];
    Plane = "plane", 3, false, ["point" Point, "normal" Normal];
    Disk = "disk", 3, false, ["center" Point, "normal" Normal, "radius" Length];
    Triangle = "triangle", 3, false, ["a" Point, "b" Point, "c" Point];
    Quad = "quad", 3, false, ["corner" Point, "edge_u" Edge, "edge_v" Edge];
    Circle = "circle", 2, true, ["center" Point, "radius" Length];
    Rectangle = "rectangle", 2, true, ["center" Point, "half_extents" Extents];
    OrientedRectangle = "oriented_rectangle", 2, true, ["center" Point, "half_extents" Extents, "axes" Axes];
    Capsule2 = "capsule2", 2, true, ["a" Point, "b" Point, "radius" Length];
    TaperedCapsule2 = "tapered_capsule2", 2, true, ["a" Point, "b" Point, "radius_a" Length, "radius_b" Length];
    Ellipse = "ellipse", 2, true, ["center" Point, "radii" Extents, "axes" Axes];
    HalfPlane = "half_plane", 2, true, ["point" Point, "normal" Normal];
    Triangle2 = "triangle2", 2, true, ["a" Point, "b" Point, "c" Point];
    Polygon = "polygon", 2, true, ["vertices" Points];
    Line = "line", 2, false, ["point" Point, "normal" Normal];
    Segment = "segment", 2, false, ["a" Point, "b" Point];
}

impl Kind {
    /// Kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
    /// Whether `t` is a quotient of two sums that may cancel: its error may be 2 ulp.
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Plane | Self::HalfSpace | Self::HalfPlane | Self::Line)
    }
    /// Count of numbers of a field, out of `left` that remain.
    fn width(self, part: Part, left: usize) -> usize {
        match part {
            Part::Length => 1,
            Part::Axes => self.dim() * self.dim(),
            Part::Points => left,
            _ => self.dim(),
        }
    }
}

/// Shape: a kind and its numbers, each representable in the precision of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Kind of the shape.
    pub kind: Kind,
    /// Numbers, in the order of [`Kind::fields`].
    pub numbers: Vec<f64>,
}

impl Body {
    /// Fields with their numbers.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, Part, &[f64])> {
        let mut rest = self.numbers.as_slice();
        self.kind.fields().iter().map(move |&(name, part)| {
            let (head, tail) = rest.split_at(self.kind.width(part, rest.len()));
            rest = tail;
            (name, part, head)
        })
    }
    /// Numbers of field `i`.
    pub fn field(&self, i: usize) -> &[f64] {
        self.parts().nth(i).map_or(&[], |(_, _, numbers)| numbers)
    }
    /// Point or direction, with z = 0 in 2D.
    pub fn vector(&self, i: usize) -> [f64; 3] {
        spatial(self.field(i))
    }
    /// Field of one number.
    pub fn number(&self, i: usize) -> f64 {
        self.field(i)[0]
    }
    /// Field of points or axes.
    pub fn vectors(&self, i: usize) -> Vec<[f64; 3]> {
        self.field(i).chunks(self.kind.dim()).map(spatial).collect()
    }
    /// Vertices of a polygon or triangle.
    pub fn corners(&self) -> Vec<[f64; 3]> {
        self.numbers.chunks(self.kind.dim()).map(spatial).collect()
    }
    /// Numbers that are lengths or coordinates.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.parts().filter(|(_, part, _)| !matches!(part, Part::Normal | Part::Axes)).flat_map(|(_, _, x)| x).copied()
    }
    /// Rounds to a precision.
    #[must_use]
    pub fn rounded(mut self, precision: Precision) -> Self {
        self.numbers.iter_mut().for_each(|x| *x = precision.round(*x));
        self
    }
}

/// Vector with z = 0 in 2D.
pub fn spatial(numbers: &[f64]) -> [f64; 3] {
    [numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0.0)]
}

/// Vector type of the library, with the conversion of a [`Body`] to its shapes.
pub trait World: Space + Send + Sync {
    /// Precision of the coordinates.
    const PRECISION: Precision;
    /// Shape; None if the constructor refuses the numbers.
    fn build(body: &Body) -> Option<Self::Shape>;
}

/// Converts to a vector of the library.
pub fn vector<V: Vector>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}

fn basis<V: Vector>(body: &Body, i: usize) -> Option<Basis<V>> {
    Basis::new(body.vectors(i).into_iter().map(vector::<V>).collect::<Vec<_>>()).ok()
}

macro_rules! world {
    ($v:ty, $s:ty, $precision:ident, 3) => {
        impl World for $v {
            const PRECISION: Precision = Precision::$precision;
            fn build(body: &Body) -> Option<AnyShape3<$v>> {
                let v = |i| vector::<$v>(body.vector(i));
                let n = |i| body.number(i) as $s;
                Some(match body.kind {
                    Kind::Sphere => Sphere::new(v(0), n(1)).ok()?.into(),
                    Kind::Cuboid => Cuboid::new(v(0), v(1)).ok()?.into(),
                    Kind::OrientedBox => OrientedBox::new(v(0), v(1), basis(body, 2)?).ok()?.into(),
                    Kind::Capsule => Capsule::new(v(0), v(1), n(2)).ok()?.into(),
                    Kind::TaperedCapsule => TaperedCapsule::new(v(0), v(1), n(2), n(3)).ok()?.into(),
                    Kind::Cylinder => Cylinder::new(v(0), v(1), n(2)).ok()?.into(),
                    Kind::Cone => Cone::new(v(0), v(1), n(2)).ok()?.into(),
                    Kind::Frustum => Frustum::new(v(0), v(1), n(2), n(3)).ok()?.into(),
                    Kind::Ellipsoid => Ellipsoid::with_basis(v(0), v(1), basis(body, 2)?).ok()?.into(),
                    Kind::HalfSpace => HalfSpace::new(v(0), v(1)).ok()?.into(),
                    Kind::Plane => Plane::new(v(0), v(1)).ok()?.into(),
                    Kind::Disk => Disk::new(v(0), v(1), n(2)).ok()?.into(),
                    Kind::Quad => Quad::new(v(0), v(1), v(2)).ok()?.into(),
                    Kind::Triangle => Triangle::new(v(0), v(1), v(2)).ok()?.into(),
                    _ => return None,
                })
            }
        }
    };
    ($v:ty, $s:ty, $precision:ident, 2) => {
        impl World for $v {
            const PRECISION: Precision = Precision::$precision;
            fn build(body: &Body) -> Option<AnyShape2<$v>> {
                let v = |i| vector::<$v>(body.vector(i));
                let n = |i| body.number(i) as $s;
                Some(match body.kind {
                    Kind::Circle => Sphere::new(v(0), n(1)).ok()?.into(),
                    Kind::Rectangle => Cuboid::new(v(0), v(1)).ok()?.into(),
                    Kind::OrientedRectangle => OrientedBox::new(v(0), v(1), basis(body, 2)?).ok()?.into(),
                    Kind::Capsule2 => Capsule::new(v(0), v(1), n(2)).ok()?.into(),
                    Kind::TaperedCapsule2 => TaperedCapsule::new(v(0), v(1), n(2), n(3)).ok()?.into(),
                    Kind::Ellipse => Ellipsoid::with_basis(v(0), v(1), basis(body, 2)?).ok()?.into(),
                    Kind::HalfPlane => HalfSpace::new(v(0), v(1)).ok()?.into(),
                    Kind::Line => Plane::new(v(0), v(1)).ok()?.into(),
                    Kind::Triangle2 => Triangle2::new(v(0), v(1), v(2)).ok()?.into(),
                    Kind::Polygon => {
                        let corners: Vec<$v> = body.vectors(0).into_iter().map(vector).collect();
                        ConvexPolygon::new(corners).ok()?.into()
                    }
                    Kind::Segment => SegmentShape::new(v(0), v(1)).ok()?.into(),
                    _ => return None,
                })
            }
        }
    };
}
world!(Vec2, f32, F32, 2);
world!(Vec3, f32, F32, 3);
world!(DVec2, f64, F64, 2);
world!(DVec3, f64, F64, 3);

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::Shape;

    #[test]
    fn fields_are_read_in_order() {
        let numbers = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5, 0.25];
        let body = Body { kind: Kind::Frustum, numbers };
        assert_eq!((body.vector(1), body.number(2), body.number(3)), ([4.0, 5.0, 6.0], 0.5, 0.25));
        assert!(Vec3::build(&body).is_some_and(|shape| shape.contains(Vec3::new(1.0, 2.0, 3.0))));
        let polygon = Body { kind: Kind::Polygon, numbers: vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0] };
        assert_eq!(polygon.vectors(0)[2], [0.0, 1.0, 0.0]);
        assert!(DVec2::build(&polygon).is_some() && DVec3::build(&polygon).is_none());
        assert_eq!(Kind::named("ellipse"), Some(Kind::Ellipse));
    }
}
