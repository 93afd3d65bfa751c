//! The feature `serde` for the types with an invariant: they are read through the checks of their constructors.

use crate::basis::Basis;
use crate::math::real::Real;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::query::{Approach, Coplanar, Faces, Inside, Query, Triggers};
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::quad::Quad;
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use crate::transform::Transform;
use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Serialization of types by the fields that their constructor takes: each has a method that returns it.
macro_rules! by_constructor {
    ($($type:ident: $bound:ident { $($field:ident: $of:ty),+ } => $new:expr;)+) => {$(
        const _: () = {
            #[derive(Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            #[serde(bound(serialize = "V: Serialize, V::Scalar: Serialize"))]
            #[serde(bound(deserialize = "V: Deserialize<'de>, V::Scalar: Deserialize<'de>"))]
            struct Fields<V: Vector> {
                $($field: $of),+
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
            impl<V: $bound + Serialize> Serialize for $type<V>
            where
                V::Scalar: Serialize,
            {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    Fields::<V> { $($field: self.$field().to_owned()),+ }.serialize(serializer)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
            impl<'de, V: $bound + Deserialize<'de>> Deserialize<'de> for $type<V>
            where
                V::Scalar: Deserialize<'de>,
            {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let Fields::<V> { $($field),+ } = Fields::deserialize(deserializer)?;
                    ($new)($($field),+).map_err(D::Error::custom)
                }
            }
        };
    )+};
}

by_constructor! {
    Transform: Vector { axes: Vec<V>, translation: V } => Self::new;
    Sphere: Vector { center: V, radius: V::Scalar } => Self::new;
    Plane: Vector { point: V, normal: V } => Self::new;
    HalfSpace: Vector { point: V, normal: V } => Self::new;
    Disk: Vector3 { center: V, normal: V, radius: V::Scalar } => Self::new;
    Cuboid: Vector { center: V, half_extents: V } => Self::new;
    OrientedBox: Vector { center: V, half_extents: V, basis: Basis<V> } => Self::new;
    Capsule: Vector { a: V, b: V, radius: V::Scalar } => Self::new;
    TaperedCapsule: Vector { a: V, b: V, radius_a: V::Scalar, radius_b: V::Scalar } => Self::new;
    Cylinder: Vector3 { a: V, b: V, radius: V::Scalar } => Self::new;
    Cone: Vector3 { base: V, apex: V, radius: V::Scalar } => Self::new;
    Frustum: Vector3 { a: V, b: V, radius_a: V::Scalar, radius_b: V::Scalar } => Self::new;
    Ellipsoid: Vector { center: V, radii: V, basis: Basis<V> } => Self::with_basis;
    SegmentShape: Vector2 { a: V, b: V } => Self::new;
    Triangle: Vector3 { vertices: [V; 3] } => |[a, b, c]: [V; 3]| Self::new(a, b, c);
    Quad: Vector3 { corner: V, edge_u: V, edge_v: V } => Self::new;
    Triangle2: Vector2 { vertices: [V; 3] } => |[a, b, c]: [V; 3]| Self::new(a, b, c);
    ConvexPolygon: Vector2 { vertices: Vec<V> } => |items: Vec<V>| Self::new(items);
    TriangleMesh: Vector3 { vertices: Vec<V>, triangles: Vec<[u32; 3]> } => Self::new;
    Basis: Vector { axes: Vec<V> } => |items: Vec<V>| Self::new(items);
}

/// The fields of a [`Query`]. An end of the range that is no limit is null: formats such as JSON have no infinity, and write
/// NaN as null, too. So a range that holds no finite `t` because of such an end is written as 1 to 0.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Query", deny_unknown_fields)]
struct QueryFields<S> {
    // Without a function of its own, serde takes a missing key for a null.
    #[serde(deserialize_with = "Option::deserialize", bound(deserialize = "S: Deserialize<'de>"))]
    t_min: Option<S>,
    #[serde(deserialize_with = "Option::deserialize", bound(deserialize = "S: Deserialize<'de>"))]
    t_max: Option<S>,
    inside: Inside,
    faces: Faces,
    layers: u32,
    #[serde(default)]
    triggers: Triggers,
    #[serde(default)]
    coplanar: Coplanar,
    #[serde(default)]
    approach: Approach,
    /// Null without a limit.
    #[serde(default = "Option::default", bound(deserialize = "S: Deserialize<'de>"))]
    max_distance: Option<S>,
}

#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<S: Real + Serialize> Serialize for Query<S> {
    fn serialize<O: Serializer>(&self, serializer: O) -> Result<O::Ok, O::Error> {
        // False for a NaN.
        let may_hit = self.t_min() < S::INFINITY && self.t_max() > -S::INFINITY;
        let (t_min, t_max) = if may_hit { (self.t_min(), self.t_max()) } else { (S::ONE, S::ZERO) };
        let fields = QueryFields {
            t_min: Some(t_min).filter(|t| *t != -S::INFINITY),
            t_max: Some(t_max).filter(|t| *t != S::MAX && *t != S::INFINITY),
            inside: self.inside_mode(),
            faces: self.faces_mode(),
            layers: self.layer_mask(),
            triggers: self.trigger_mode(),
            coplanar: self.coplanar_mode(),
            approach: self.approach_mode(),
            // A NaN hits nothing, as a distance below every range does.
            max_distance: if self.max_distance() == S::INFINITY {
                None
            } else {
                Some(self.max_distance()).filter(|distance| distance.is_finite()).or(Some(-S::MAX))
            },
        };
        fields.serialize(serializer)
    }
}

#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<'de, S: Real + Deserialize<'de>> Deserialize<'de> for Query<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let QueryFields { t_min, t_max, inside, faces, layers, triggers, coplanar, approach, max_distance } =
            QueryFields::<S>::deserialize(deserializer)?;
        let query = Self::new().range(t_min.unwrap_or(-S::INFINITY), t_max.unwrap_or(S::MAX));
        let query = query.inside(inside).faces(faces).layers(layers).triggers(triggers).coplanar(coplanar);
        Ok(query.approach(approach).within_distance(max_distance.unwrap_or(S::INFINITY)))
    }
}
