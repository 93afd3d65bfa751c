//! `Solid`: a union, an intersection or a difference of shapes.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::options::{Accelerator, Quality};
use crate::bvh::primitive_index::Accel;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::solid::evaluation::OutsideValues;
use crate::solid::expression::{Expression, Operand, OperandKind};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

/// A solid: a union, an intersection or a difference of shapes, the leaves of its expression (constructive solid geometry).
///
/// The operators are `|` for a union, `&` for an intersection, `-` for a difference and `!` for the complement, which is all of space
/// outside. [`union`](Self::union), [`intersection`](Self::intersection) and [`difference`](Self::difference) take any number of
/// parts. A leaf is any shape that encloses points: a convex shape, a half-space, a closed mesh, a group or a user geometry of such
/// shapes, or another solid, each with or without a transform. A solid is a shape itself, which scenes hold and transforms place; clones
/// share its memory.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, Cylinder, Object, Ray, RayCast, Scene, Side, Solid};
/// let plate = Cuboid::new(Vec3::ZERO, Vec3::new(4.0, 4.0, 0.5))?;
/// let bore = |x: f32| Cylinder::new(Vec3::new(x, 0.0, -1.0), Vec3::new(x, 0.0, 1.0), 0.5);
/// let part = Solid::from(plate) - bore(-2.0)? - bore(2.0)?;
///
/// let mut scene = Scene::new();
/// scene.insert(Object::new(part))?;
/// // Through a bore, and into its wall.
/// assert!(scene.cast_ray(&Ray::new(Vec3::new(2.25, 0.0, 5.0), -Vec3::Z), ..).is_none());
/// let hit = scene.cast_ray(&Ray::new(Vec3::new(2.0, 0.0, 0.25), Vec3::X), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.normal, hit.side), (0.5, -Vec3::X, Side::Front));
/// assert_eq!(hit.member, Some(2)); // the second bore: leaves count from 0, in the order of the expression
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Which points it has
/// Leaves are closed: their surface belongs to them. The operators are logic on points, so a difference does not have the surface of what
/// is subtracted, and each point is in exactly one of `a & b`, `a - b`, `b - a` and `!(a | b)`. [`contains`](crate::Shape::contains) is
/// that logic. A ray meets the *closure* of these points along its line: it hits the wall of a bore, two boxes that share a face are
/// one span in their union, and a film without thickness that a difference would leave does not exist. The page
/// `docs/solids.md` has the rule with examples.
///
/// # Results
/// The normal of a hit points out of the solid, and [`Hit::member`](crate::Hit::member) is the number of the leaf whose surface it is on;
/// of several leaves with a surface there, the first that decides. A span that the range of the query begins in has the number of the leaf
/// where the line entered it. Closest points of a solid are [not measured](crate::NotMeasured). Overlap queries and moving volumes take the
/// parts for whole: they find every contact, and may report one with what is cut away.
///
/// # Accuracy
/// The order of crossings is exact, also of leaves that touch or coincide: no span is lost, and none appears that is not there. A solid of
/// one leaf has the results of that leaf, bit for bit.
///
/// # Complexity
/// O(k log k) for k crossings of the whole line and the leaves. More than 16 leaves are found by a BVH.
#[derive(Clone)]
#[doc(alias("csg", "boolean", "constructive_solid_geometry"))]
pub struct Solid<V: Vector>(pub(crate) Arc<SolidData<V>>);

/// A leaf: a shape, perhaps under a transform.
#[derive(Clone)]
pub(crate) struct SolidLeaf<V: Vector> {
    pub(crate) shape: Arc<dyn Shape<V>>,
    /// The same shape, by its type.
    pub(crate) saved: Arc<dyn Any + Send + Sync>,
    /// The first leaf of the solid that is certainly the same set of points: perhaps this one.
    pub(crate) first_equal: u32,
}

pub(crate) struct SolidData<V: Vector> {
    pub(crate) leaves: Vec<SolidLeaf<V>>,
    pub(crate) expression: Expression,
    pub(crate) outside: OutsideValues,
    pub(crate) bounds: Aabb<V>,
    /// The number of groups and solids within each other: 1 for a solid of other shapes.
    pub(crate) nesting: u32,
    pub(crate) index: SolidIndex,
}

/// How the leaves that a line may cross are found.
pub(crate) enum SolidIndex {
    /// Few leaves: all of them, by number.
    All(Vec<u32>),
    Tree(LeafIndex),
}

/// A BVH over the leaves that have bounds within the box of the solid, and those without. Leaves outside of that box are in neither.
pub(crate) struct LeafIndex {
    pub(crate) tree: Accel,
    /// The number of the leaf for each primitive of the tree, in the order of its ids.
    pub(crate) leaves: Vec<u32>,
    pub(crate) unbounded: Vec<u32>,
}

/// Up to this number of leaves, a test of each takes no longer than a search.
const MAX_SCANNED: usize = 16;

impl SolidIndex {
    /// `whole` is the box of the solid. What a leaf has outside of that changes no point of the solid, so its box is cut.
    fn new<V: Vector>(leaves: &[SolidLeaf<V>], whole: &Aabb<V>) -> Self {
        if leaves.len() <= MAX_SCANNED {
            return Self::All((0..leaves.len() as u32).collect());
        }
        let (mut prims, mut bounded, mut unbounded) = (Vec::new(), Vec::new(), Vec::new());
        for (number, leaf) in (0..).zip(leaves) {
            let bounds = leaf.shape.aabb().intersection(*whole);
            if bounds.is_empty() {
                continue;
            }
            if bounds.is_bounded() {
                prims.push(PrimRef::new(Bounds::around(&bounds), bounded.len() as u32));
                bounded.push(number);
            } else {
                unbounded.push(number);
            }
        }
        let tree = Accel::build::<V>(Accelerator::default(), prims, Quality::Default, [2, 1], None);
        let leaves = tree.prim_ids().iter().map(|&i| bounded[i as usize]).collect();
        Self::Tree(LeafIndex { tree, leaves, unbounded })
    }
}

impl<V: Vector> fmt::Debug for Solid<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solid").field("leaves", &self.len()).field("expression", &self.expression()).finish()
    }
}

impl<V: Vector> Solid<V> {
    /// The solid of an expression of leaves, whose equal ones are known.
    pub(crate) fn from_parts(leaves: Vec<SolidLeaf<V>>, expression: Expression) -> Self {
        let everything = Aabb::everything();
        let bounds = expression.fold(
            |leaf, is_complement| if is_complement { everything } else { leaves[leaf as usize].shape.aabb() },
            |is_union, a: Aabb<V>, b| if is_union { a.union(b) } else { a.intersection(b) },
        );
        let nesting = 1 + leaves.iter().map(|leaf| leaf.shape.nesting()).max().unwrap_or(0);
        let index = SolidIndex::new(&leaves, &bounds);
        let outside = OutsideValues::new(&expression);
        Self(Arc::new(SolidData { leaves, expression, outside, bounds, nesting, index }))
    }

    /// The number of leaves.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a solid has at least one leaf")]
    pub fn len(&self) -> usize {
        self.0.leaves.len()
    }

    /// The expression as text, with the number of each leaf: `0 - (1 | 2)`.
    #[must_use]
    pub fn expression(&self) -> String {
        text(&self.0.expression)
    }

    /// The address of the memory that the clones of the solid share: that of no other solid, as long as it lives.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

/// What is still to be written of the text of an expression.
enum TextPiece {
    Sign(&'static str),
    Operand(Operand),
}

/// The text of an expression: parts of several operands are in brackets. A stack of its own, because expressions may be deep.
fn text(all: &Expression) -> String {
    let (mut text, mut left) = (String::new(), vec![TextPiece::Operand(all.root)]);
    while let Some(piece) = left.pop() {
        let operand = match piece {
            TextPiece::Sign(sign) => {
                text += sign;
                continue;
            }
            TextPiece::Operand(operand) => operand,
        };
        if operand.is_negated {
            text.push('!');
        }
        let node = match operand.target {
            OperandKind::Leaf(leaf) => {
                text += &leaf.to_string();
                continue;
            }
            OperandKind::Node(node) => &all.nodes[node as usize],
        };
        // The whole has no brackets. The stack returns the pieces from the last one to the first.
        let is_bracketed = operand != all.root || operand.is_negated;
        left.extend(is_bracketed.then_some(TextPiece::Sign(")")));
        for (i, own) in node.operands.iter().enumerate().rev() {
            // An intersection with a complement is a difference.
            let is_difference = i > 0 && !node.is_union && own.is_negated;
            left.push(TextPiece::Operand(Operand { is_negated: own.is_negated && !is_difference, ..*own }));
            let sign = if node.is_union { " | " } else { " & " };
            left.extend((i > 0).then_some(TextPiece::Sign(if is_difference { " - " } else { sign })));
        }
        left.extend(is_bracketed.then_some(TextPiece::Sign("(")));
    }
    text
}
