//! What makes solids: shapes, operators, and unions, intersections and differences of any number of parts.

use crate::math::vector::{Vector2, Vector3};
use crate::queries::shape::{MAX_NESTING, Shape};
use crate::scene::any::{AnyShape2, AnyShape3, Space};
use crate::scene::instance::Instance;
use crate::scene::transformed_shape::TransformedShape;
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::solid::expression::Expression;
use crate::solid::solid::{Solid, SolidLeaf};
use crate::stable_sort::stable_sort_by;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{BitAnd, BitOr, Not, Sub};

/// The reason why shapes do not make a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolidError {
    /// A shape that encloses no points: a surface, an open mesh, or a group with one.
    NotClosed {
        /// The kind of the shape: `disk`, for example.
        shape: &'static str,
    },
    /// A union or an intersection of no parts.
    NoParts,
    /// Groups and solids within each other have more than 8 levels.
    TooDeep,
}

impl fmt::Display for SolidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotClosed { shape: "mesh" } => {
                f.write_str("a mesh with holes encloses no points: close it, or leave it out of the solid")
            }
            Self::NotClosed { shape: "group" } => {
                f.write_str("a group with a surface or with an open mesh encloses no points: leave those objects out")
            }
            Self::NotClosed { shape } => {
                write!(f, "a {shape} encloses no points: only solid shapes are parts of a solid")
            }
            Self::TooDeep => {
                f.write_str("groups and solids are nested to more than 8 levels: use the leaves of the inner solids")
            }
            Self::NoParts => f.write_str("a union or an intersection needs at least one part"),
        }
    }
}

impl core::error::Error for SolidError {}

impl<V: Space> SolidLeaf<V> {
    fn new(instance: Instance<V>) -> Self {
        let instance = Arc::new(instance);
        Self { shape: instance.clone(), saved: instance, first_equal: 0 }
    }
    /// The leaf by its type.
    fn instance(&self) -> Option<&Instance<V>> {
        self.saved.downcast_ref()
    }
    /// Whether two leaves are certainly the same set of points.
    fn is_same(&self, other: &Self) -> bool {
        self.instance().zip(other.instance()).is_some_and(|(a, b)| a.0.is_same(&b.0))
    }
}

/// Whether an instance can be a leaf.
fn check<V: Space>(instance: &Instance<V>) -> Result<(), SolidError> {
    if !instance.encloses_points() {
        return Err(SolidError::NotClosed { shape: instance.name() });
    }
    // Each level is a level of recursion in queries, and the limit keeps their stack short.
    if instance.nesting() < MAX_NESTING { Ok(()) } else { Err(SolidError::TooDeep) }
}

/// Greatest number of leaves with equal boxes that a leaf is compared with: all half-spaces have one box.
const MAX_COMPARED: usize = 64;

/// Finds for each leaf the first one that is equal to it. Only leaves with equal boxes are compared. Leaves that are not known to be equal
/// have the same results, later.
fn find_equal<V: Space>(leaves: &mut [SolidLeaf<V>]) {
    let boxes: Vec<[f64; 6]> = leaves
        .iter()
        .map(|leaf| {
            let (aabb, mut numbers) = (leaf.shape.aabb(), [0.0; 6]);
            numbers[..3].copy_from_slice(&aabb.min.to_f64());
            numbers[3..].copy_from_slice(&aabb.max.to_f64());
            numbers
        })
        .collect();
    let order = |a: &usize, b: &usize| {
        let each = boxes[*a].iter().zip(&boxes[*b]).map(|(a, b)| a.total_cmp(b));
        each.fold(core::cmp::Ordering::Equal, core::cmp::Ordering::then)
    };
    let mut sorted: Vec<usize> = (0..leaves.len()).collect();
    // By box, then by number.
    stable_sort_by(&mut sorted, order);
    for group in sorted.chunk_by(|a, b| order(a, b).is_eq()) {
        let mut distinct: Vec<usize> = Vec::new();
        for &leaf in group {
            let mut near = distinct.iter().rev().take(MAX_COMPARED).copied();
            let equal = near.find(|&first| leaves[first].is_same(&leaves[leaf]));
            leaves[leaf].first_equal = equal.unwrap_or(leaf) as u32;
            if equal.is_none() {
                distinct.push(leaf);
            }
        }
    }
}

impl<V: Space> Solid<V> {
    /// The solid of one shape. A solid stays what it is.
    ///
    /// # Errors
    /// The shape encloses no points: a surface, an open mesh, or a group with one. Groups and solids are within each other to more
    /// than 8 levels; a solid without a transform does not count as a level.
    pub fn new(shape: impl Into<V::Shape>) -> Result<Self, SolidError> {
        Self::from_instance(Instance::new(shape))
    }

    /// The solid of one shape under a transform.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, Instance, Ray, RayCast, Solid, Sphere, Transform};
    /// let ball = Instance::new(Sphere::new(Vec3::ZERO, 1.0)?).with_transform(Transform::from_translation(Vec3::X)?);
    /// let dented = Solid::from(Cuboid::new(Vec3::ZERO, Vec3::ONE)?) - Solid::from_instance(ball)?;
    /// let hit = dented.cast_ray(&Ray::new(Vec3::X * 5.0, -Vec3::X), ..).ok_or("a miss")?;
    /// assert_eq!((hit.point, hit.normal), (Vec3::ZERO, Vec3::X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_instance(instance: Instance<V>) -> Result<Self, SolidError> {
        check(&instance)?;
        match V::as_solid(instance.shape()) {
            Some(solid) if instance.transform().is_none() => Ok(solid.clone()),
            _ => Ok(Self::of_leaf(instance)),
        }
    }

    /// The solid of an expression and as many leaves as it has.
    pub(crate) fn of_leaves(leaves: Vec<Instance<V>>, expression: Expression) -> Result<Self, SolidError> {
        leaves.iter().try_for_each(check)?;
        let mut leaves: Vec<SolidLeaf<V>> = leaves.into_iter().map(SolidLeaf::new).collect();
        find_equal(&mut leaves);
        Ok(Self::from_parts(leaves, expression))
    }

    fn of_leaf(instance: Instance<V>) -> Self {
        Self::from_parts(vec![SolidLeaf::new(instance)], Expression::of_leaf())
    }

    /// The solid of a part, perhaps complemented, and the others.
    fn combined(is_union: bool, parts: &[(Self, bool)]) -> Self {
        let mut leaves: Vec<SolidLeaf<V>> = parts.iter().flat_map(|(part, _)| part.0.leaves.iter().cloned()).collect();
        find_equal(&mut leaves);
        let parts = parts.iter().map(|(part, is_negated)| (&part.0.expression, *is_negated));
        Self::from_parts(leaves, Expression::combined(is_union, parts))
    }

    fn of_parts(is_union: bool, parts: impl IntoIterator<Item = impl Into<Self>>) -> Result<Self, SolidError> {
        let mut parts: Vec<(Self, bool)> = parts.into_iter().map(|part| (part.into(), false)).collect();
        match parts.len() {
            0 => Err(SolidError::NoParts),
            1 => Ok(parts.swap_remove(0).0),
            _ => Ok(Self::combined(is_union, &parts)),
        }
    }

    /// The union of any number of parts, in one step.
    ///
    /// # Errors
    /// There is no part.
    pub fn union(parts: impl IntoIterator<Item = impl Into<Self>>) -> Result<Self, SolidError> {
        Self::of_parts(true, parts)
    }

    /// The intersection of any number of parts, in one step.
    ///
    /// # Errors
    /// There is no part.
    pub fn intersection(parts: impl IntoIterator<Item = impl Into<Self>>) -> Result<Self, SolidError> {
        Self::of_parts(false, parts)
    }

    /// What is left of a solid without any number of parts, in one step.
    #[must_use]
    pub fn difference(from: impl Into<Self>, parts: impl IntoIterator<Item = impl Into<Self>>) -> Self {
        let mut all = vec![(from.into(), false)];
        all.extend(parts.into_iter().map(|part| (part.into(), true)));
        if all.len() == 1 { all.swap_remove(0).0 } else { Self::combined(false, &all) }
    }

    /// The leaves, in the order of their numbers: see [`Hit::member`](crate::Hit::member).
    pub fn leaves(&self) -> impl Iterator<Item = &Instance<V>> {
        self.0.leaves.iter().filter_map(SolidLeaf::instance)
    }

    /// A leaf by its number.
    pub(crate) fn leaf(&self, number: u32) -> Option<&TransformedShape<V>> {
        self.0.leaves.get(number as usize)?.instance().map(|instance| &instance.0)
    }

    /// The same expression of other leaves, which `leaf` makes of those of this solid.
    pub(crate) fn map_leaves<U: Space>(
        &self,
        leaf: impl FnMut(&Instance<V>) -> Option<Instance<U>>,
    ) -> Option<Solid<U>> {
        let leaves = self.leaves().map(leaf).collect::<Option<Vec<_>>>()?;
        Solid::of_leaves(leaves, self.0.expression.clone()).ok()
    }
}

/// Shapes of one space that always enclose points.
macro_rules! solid_shapes {
    ($($bound:ident, $any:ident: $($shape:ident)+;)+) => {$($(
        impl<V: $bound + Space<Shape = $any<V>>> From<$shape<V>> for Solid<V> {
            fn from(shape: $shape<V>) -> Self {
                Self::of_leaf(Instance::new(shape))
            }
        }
    )+)+};
}

solid_shapes! {
    Vector2, AnyShape2: Triangle2 ConvexPolygon;
    Vector3, AnyShape3: Cylinder Cone Frustum;
}

/// Shapes of the plane and of space that always enclose points.
macro_rules! solid_shapes_of_both {
    ($($shape:ident)+) => {$(
        impl<V: Space<Shape: From<$shape<V>>>> From<$shape<V>> for Solid<V> {
            fn from(shape: $shape<V>) -> Self {
                Self::of_leaf(Instance::new(shape))
            }
        }
    )+};
}

solid_shapes_of_both!(Sphere Cuboid OrientedBox Capsule TaperedCapsule Ellipsoid HalfSpace);

/// The union.
impl<V: Space, S: Into<Self>> BitOr<S> for Solid<V> {
    type Output = Self;
    fn bitor(self, other: S) -> Self {
        Self::combined(true, &[(self, false), (other.into(), false)])
    }
}

/// The intersection.
impl<V: Space, S: Into<Self>> BitAnd<S> for Solid<V> {
    type Output = Self;
    fn bitand(self, other: S) -> Self {
        Self::combined(false, &[(self, false), (other.into(), false)])
    }
}

/// The difference.
impl<V: Space, S: Into<Self>> Sub<S> for Solid<V> {
    type Output = Self;
    fn sub(self, other: S) -> Self {
        Self::combined(false, &[(self, false), (other.into(), true)])
    }
}

/// The complement: all points outside, without the surface.
impl<V: Space> Not for Solid<V> {
    type Output = Self;
    fn not(self) -> Self {
        Self::from_parts(self.0.leaves.clone(), self.0.expression.clone().complement())
    }
}
