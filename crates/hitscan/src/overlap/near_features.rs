//! Whether a polytope comes within a radius of a point: its vertices, edges and faces one by one.

use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::{AnyOf, all_of, certain_sign, is_not_positive};
use crate::overlap::separating_axis::are_disjoint;
use crate::overlap::swept_hull::SweptHull;
use core::cmp::Ordering;
use smallvec::SmallVec;

/// The squared radius around the origin.
#[derive(Clone, Copy)]
struct Near<T> {
    radius_sq: T,
}

/// A face: its corner and two edges from there.
type Face<T> = [BoundedVector<T>; 3];

/// The sum of both edges of a face bounds a triangle, or each edge by itself bounds a parallelogram.
#[derive(Clone, Copy, PartialEq)]
enum FaceKind {
    Triangle,
    Parallelogram,
}

impl<T: Arithmetic> Near<T> {
    /// Whether `value <= radius^2 factor`, for numbers that are not negative.
    #[inline(always)]
    fn is_within(self, value: T, factor: T, magnitude: T) -> Option<bool> {
        let limit = self.radius_sq * factor;
        is_not_positive(value - limit, magnitude + limit)
    }

    #[inline(always)]
    fn vertex(self, w: BoundedVector<T>) -> Option<bool> {
        self.is_within(w.vector.length_sq(), T::ONE, w.magnitude.length_sq())
    }

    /// Whether the foot of the origin is on an edge, and within the radius.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn edge(self, w: BoundedVector<T>, e: BoundedVector<T>) -> Option<bool> {
        let ((before, before_terms), (length_sq, length_terms)) = (w.dot(e), e.dot(e));
        let is_after_start = is_not_positive(before, before_terms);
        let is_before_end = is_not_positive(-before - length_sq, before_terms + length_terms);
        if is_after_start == Some(false) || is_before_end == Some(false) {
            return Some(false);
        }
        // The squared distance is that of the moment over that of the edge.
        let moment = w.cross(e);
        let factor_terms = self.radius_sq * length_terms;
        let terms = moment.magnitude.length_sq() + factor_terms;
        let is_near = self.is_within(moment.vector.length_sq(), length_sq, terms);
        let has_length = certain_sign(length_sq, length_terms).map(Ordering::is_gt);
        all_of([is_after_start, is_before_end, is_near, has_length])
    }

    /// Whether the foot of the origin is on a face, and within the radius.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn face(self, [w, e, f]: Face<T>, kind: FaceKind) -> Option<bool> {
        // The normal, and its squared length: twice the area, squared.
        let n = e.cross(f);
        let (area_sq, area_terms) = n.dot(n);
        // The foot is w + u e + v f, with u and v times the squared length of the normal:
        let (u, u_terms) = f.cross(w).dot(n);
        let (v, v_terms) = w.cross(e).dot(n);
        let is_least = [is_not_positive(-u, u_terms), is_not_positive(-v, v_terms)];
        let is_most = match kind {
            FaceKind::Triangle => [is_not_positive(u + v - area_sq, u_terms + v_terms + area_terms), Some(true)],
            FaceKind::Parallelogram => {
                [is_not_positive(u - area_sq, u_terms + area_terms), is_not_positive(v - area_sq, v_terms + area_terms)]
            }
        };
        // Beside the face, an edge or vertex is nearer.
        let is_on = all_of([is_least[0], is_least[1], is_most[0], is_most[1]]);
        if is_on == Some(false) {
            return is_on;
        }
        // The height over the plane against the radius; both sides are multiplied by the squared area.
        let (height, height_terms) = w.dot(n);
        let terms = height_terms.sq() + self.radius_sq * area_terms;
        let is_near = self.is_within(height.sq(), area_sq, terms);
        let has_area = certain_sign(area_sq, area_terms).map(Ordering::is_gt);
        all_of([is_on, is_near, has_area])
    }
}

/// The difference of a hull and the core of a ball or capsule, whose centre is the origin.
struct Difference<'a, T> {
    hull: &'a SweptHull<T>,
    axes: SmallVec<[BoundedVector<T>; 4]>,
    points: SmallVec<[BoundedVector<T>; 4]>,
}

impl<T: Arithmetic> Difference<'_, T> {
    /// The point of the hull that is at one end of each half axis, or at the middle of the axes in `fixed`, which are at their
    /// first end if `fixed` has them: bit i of `signs` is the end of axis i.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn corner(&self, point: usize, signs: usize) -> BoundedVector<T> {
        let mut at = self.points[point];
        for (i, axis) in self.axes.iter().enumerate() {
            let vector = if signs >> i & 1 == 1 { axis.vector } else { -axis.vector };
            at = BoundedVector { vector: at.vector + vector, magnitude: at.magnitude + axis.magnitude };
        }
        at
    }

    /// The signs of all axes but those of a mask, which are negative.
    fn signs_without(&self, mask: usize) -> impl Iterator<Item = usize> + use<T> {
        (0..1usize << self.axes.len()).filter(move |signs| signs & mask == 0)
    }

    /// Whether some vertex, edge or face is certainly within the radius.
    fn any_near(&self, near: Near<T>, dimension: usize, any: &mut AnyOf) -> bool {
        // The sum of the axes makes many vertices, edges and faces of a few points: each sign of each axis gives one of
        // them.
        let full = |i: usize| self.axes[i].times(T::from_f64(2.0));
        let axes = 0..self.axes.len();
        let points = 0..self.points.len();
        // The vertices, and the edges along an axis.
        for point in points.clone() {
            if self.signs_without(0).any(|signs| any.add(near.vertex(self.corner(point, signs)))) {
                return true;
            }
            for i in axes.clone() {
                let axis = full(i);
                if self.signs_without(1 << i).any(|signs| any.add(near.edge(self.corner(point, signs), axis))) {
                    return true;
                }
            }
        }
        // The edges of the points, moved to each end of the axes.
        for (from, edge) in &self.hull.edges {
            if self.signs_without(0).any(|signs| any.add(near.edge(self.corner(*from, signs), *edge))) {
                return true;
            }
        }
        // In the plane there are no faces.
        if dimension == 2 {
            return false;
        }
        // The triangles of the points, then the parallelograms of an axis with an edge or another axis.
        for face in &self.hull.faces {
            let [(from, e), (_, f)] = face.map(|i| self.hull.edges[i]);
            let mut is_near = |signs| any.add(near.face([self.corner(from, signs), e, f], FaceKind::Triangle));
            if self.signs_without(0).any(&mut is_near) {
                return true;
            }
        }
        for i in axes {
            let axis = full(i);
            let mut is_near = |point: usize, mask: usize, edge: BoundedVector<T>| {
                self.signs_without(mask)
                    .any(|signs| any.add(near.face([self.corner(point, signs), axis, edge], FaceKind::Parallelogram)))
            };
            if self.hull.edges.iter().any(|(from, edge)| is_near(*from, 1 << i, *edge))
                || points.clone().any(|point| (0..i).any(|j| is_near(point, 1 << i | 1 << j, full(j))))
            {
                return true;
            }
        }
        false
    }
}

/// Whether two hulls, with their radii, have a point in common; one of them is a ball or a capsule. `None` if that is uncertain,
/// or if neither is one.
///
/// # Method
/// The cores are not farther apart than the sum of the radii if they overlap, or if a vertex, an edge or a face of their
/// difference is so near to the origin. The foot of the origin on an edge or face is not divided out: both sides are multiplied
/// by the squared length or area.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, sections 5.1.2 to 5.1.5.
///
/// # Accuracy
/// Exact: a sign is certain or `None`.
///
/// # Edges
/// An edge without length and a face without area are left to their ends.
pub(crate) fn are_near<T: Arithmetic>(a: &SweptHull<T>, b: &SweptHull<T>, dimension: usize) -> Option<bool> {
    // The round one is a ball or capsule. Its core becomes part of the difference, as a point or a half axis.
    let is_simple = |hull: &SweptHull<T>| hull.points.len() == 1 && hull.half_axes.len() < 2;
    let is_round = |hull: &SweptHull<T>| is_simple(hull) && hull.radius.gt(T::ZERO);
    let (round, hull) = if is_round(b) && (!is_round(a) || b.half_axes.is_empty()) { (b, a) } else { (a, b) };
    if !is_simple(round) {
        return None;
    }
    let radius = round.radius + hull.radius;
    let (center, terms) = (round.points[0], round.point_magnitude + hull.point_magnitude);
    let relative = |point: &Vec3<T>| {
        let vector = *point - center;
        BoundedVector { vector, magnitude: vector.map(Arithmetic::abs) + Vec3::new(terms, terms, terms) }
    };
    // The difference of the cores: the axes of both, and the points relative to the centre.
    let axes = hull.half_axes.iter().chain(&round.half_axes).copied().collect();
    let difference = Difference { hull, axes, points: hull.points.iter().map(relative).collect() };
    // Something certainly near is an answer already.
    let mut any = AnyOf::default();
    if difference.any_near(Near { radius_sq: radius.sq() }, dimension, &mut any) {
        return Some(true);
    }
    // Only a hull with a volume, in the plane with an area, has points that are not near its surface.
    let dimensions = difference.axes.len() + (difference.points.len() - 1).min(dimension);
    if dimensions < dimension {
        return any.otherwise();
    }
    // What is left is the inside of the difference: it contains the origin if the hulls without radii overlap.
    match are_disjoint(round, hull, dimension) {
        Some(true) => any.otherwise(),
        Some(false) => Some(true),
        None => None,
    }
}
