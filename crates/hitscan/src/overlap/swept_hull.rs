//! `SweptHull`: a polytope or a rounded polytope, generic over the arithmetic.

use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::certain_sign;
use smallvec::SmallVec;

/// An edge between two points: the number of the first one, and the vector to the second.
pub(crate) type HullEdge<T> = (usize, BoundedVector<T>);

/// All points within a radius of the sum of the convex hull of some points and of some segments, each from the negative of a half
/// axis to the half axis. A box is a point with three half axes, a capsule one with a half axis and a radius, a triangle three
/// points.
///
/// All numbers are relative to a reference point, and doubled: so the middle of a segment needs no division.
#[derive(Clone, Debug)]
pub(crate) struct SweptHull<T> {
    pub(crate) points: SmallVec<[Vec3<T>; 4]>,
    /// Bound of the terms of a coordinate of a point beyond the coordinate itself; zero if coordinates have small relative errors.
    pub(crate) point_magnitude: T,
    /// Edges of the hull of the points, and perhaps other segments in it.
    pub(crate) edges: SmallVec<[HullEdge<T>; 3]>,
    /// Triangles of the hull of the points, each by the edges from one of its corners; and perhaps others in it.
    pub(crate) faces: SmallVec<[[usize; 2]; 1]>,
    pub(crate) half_axes: SmallVec<[BoundedVector<T>; 4]>,
    pub(crate) radius: T,
    /// The factor of all numbers, about 1.
    weight: Option<T>,
}

/// Numbers of a shape in an arithmetic, under the map of an instance.
pub(crate) struct HullPlacement<'a, T> {
    /// The map, and the same with the absolute values of its terms.
    pub(crate) map: Option<[&'a AffineMap<T>; 2]>,
    pub(crate) reference: Vec3<f64>,
}

fn exact<T: Arithmetic>(v: Vec3<f64>) -> Vec3<T> {
    v.map_to(T::from_f64)
}

impl<T: Arithmetic> HullPlacement<'_, T> {
    /// Point relative to the reference point.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn point(&self, p: Vec3<f64>) -> Vec3<T> {
        let (p, reference) = (exact(p), exact::<T>(self.reference));
        match self.map {
            None => p - reference,
            Some([map, _]) => map.vector(p) + (map.translation - reference),
        }
    }
    fn magnitude(&self, p: Vec3<f64>) -> T {
        match self.map {
            None => T::ZERO,
            Some([_, terms]) => {
                (terms.point(exact(p).map(Arithmetic::abs)) + exact(self.reference).map(Arithmetic::abs)).l1_norm()
            }
        }
    }
    /// Vector.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn vector(&self, v: Vec3<T>) -> BoundedVector<T> {
        match self.map {
            None => BoundedVector::new(v),
            Some([map, terms]) => {
                BoundedVector { vector: map.vector(v), magnitude: terms.vector(v.map(Arithmetic::abs)) }
            }
        }
    }
    #[inline(always)]
    fn between(&self, a: Vec3<f64>, b: Vec3<f64>) -> BoundedVector<T> {
        self.vector(exact::<T>(b) - exact(a))
    }
    /// Normal of a plane under the map, of any length; `None` if it is not certain on which side it points.
    pub(crate) fn normal(&self, n: Vec3<f64>) -> Option<BoundedVector<T>> {
        let n = exact::<T>(n);
        let Some([map, terms]) = self.map else { return Some(BoundedVector::new(n)) };
        let (normal, [determinant, magnitude]) = map.cofactor_normal(terms, n);
        certain_sign(determinant, magnitude).map(|_| normal)
    }
    /// Whether the map moves points without turning them: a ball stays one.
    pub(crate) fn keeps_lengths(&self) -> bool {
        let Some([map, _]) = self.map else { return true };
        let units = UNIT_ROWS.map(exact::<T>);
        (0..3).all(|i| (map.columns[i] - units[i]).is_zero())
    }
    /// Doubled point of a plane.
    pub(crate) fn doubled_point(&self, p: Vec3<f64>) -> (Vec3<T>, T) {
        let two = T::from_f64(2.0);
        (self.point(p) * two, self.magnitude(p) * two)
    }
}

impl<T: Arithmetic> SweptHull<T> {
    /// The exact image of a shape; `None` if it is not such a hull: curved otherwise, unbounded, or a ball that is bent.
    pub(crate) fn new(shape: &ConvexShape, place: &HullPlacement<'_, T>) -> Option<Self> {
        // All numbers are doubled (see the type).
        let two = T::from_f64(2.0);
        let mut hull = Self {
            points: SmallVec::new(),
            point_magnitude: T::ZERO,
            edges: SmallVec::new(),
            faces: SmallVec::new(),
            half_axes: SmallVec::new(),
            radius: T::ZERO,
            weight: None,
        };
        // Each shape as points, half axes and a radius.
        match shape {
            ConvexShape::Ball { center, radius } if place.keeps_lengths() => {
                hull.add_point(place, *center);
                hull.radius = T::from_f64(*radius) * two;
            }
            ConvexShape::Capsule { ends, radius } if place.keeps_lengths() => {
                hull.set_segment(place, *ends);
                hull.radius = T::from_f64(*radius) * two;
            }
            ConvexShape::Box { center, half, rows } => {
                hull.add_point(place, *center);
                hull.set_box(place, *half, rows);
            }
            ConvexShape::Bounds { min, max } => {
                hull.set_middle(place, [*min, *max]);
                let across = exact::<T>(*max) - exact(*min);
                let zero = T::ZERO;
                hull.add_half_axis(place.vector(Vec3::new(across.x, zero, zero)));
                hull.add_half_axis(place.vector(Vec3::new(zero, across.y, zero)));
                hull.add_half_axis(place.vector(Vec3::new(zero, zero, across.z)));
            }
            ConvexShape::Quad { corner, edges } => {
                // The middle, doubled, and both edges as half axes.
                let axes = edges.map(|edge| place.vector(exact::<T>(edge)));
                let (point, magnitude) = place.doubled_point(*corner);
                hull.points.push(point + axes[0].vector + axes[1].vector);
                let terms = axes[0].magnitude.l1_norm() + axes[1].magnitude.l1_norm();
                hull.point_magnitude = magnitude + point.l1_norm() + terms;
                axes.into_iter().for_each(|axis| hull.add_half_axis(axis));
            }
            ConvexShape::Polygon(vertices) => match vertices[..] {
                [a, b] => hull.set_segment(place, [a, b]),
                [a, b, c] => {
                    [a, b, c].into_iter().for_each(|vertex| hull.add_point(place, vertex));
                    hull.edges.extend(
                        [(0, [a, b]), (0, [a, c]), (1, [b, c])]
                            .map(|(from, [a, b])| (from, place.between(a, b).times(two))),
                    );
                    hull.faces.push([0, 1]);
                }
                _ => {
                    vertices.iter().for_each(|vertex| hull.add_point(place, *vertex));
                    for i in 0..vertices.len() {
                        let edge = place.between(vertices[i], vertices[(i + 1) % vertices.len()]);
                        hull.edges.push((i, edge.times(two)));
                    }
                }
            },
            ConvexShape::Hexahedron(corners) => hull.set_hexahedron(place, corners),
            _ => return None,
        }
        Some(hull)
    }

    fn add_point(&mut self, place: &HullPlacement<'_, T>, p: Vec3<f64>) {
        let (point, magnitude) = place.doubled_point(p);
        self.points.push(point);
        self.point_magnitude = self.point_magnitude.max(magnitude);
    }

    fn set_segment(&mut self, place: &HullPlacement<'_, T>, [a, b]: [Vec3<f64>; 2]) {
        self.set_middle(place, [a, b]);
        self.add_half_axis(place.between(a, b));
    }

    /// The point in the middle of two.
    fn set_middle(&mut self, place: &HullPlacement<'_, T>, [a, b]: [Vec3<f64>; 2]) {
        self.points.push(place.point(a) + place.point(b));
        let magnitude = place.magnitude(a) + place.magnitude(b);
        // The sum of two relative coordinates may cancel.
        let sum = place.point(a).l1_norm() + place.point(b).l1_norm();
        self.point_magnitude = magnitude + sum;
    }

    fn add_half_axis(&mut self, axis: BoundedVector<T>) {
        if !axis.is_zero() {
            self.half_axes.push(axis);
        }
    }

    /// The half axes of a box: columns of the inverse of the rows times the half extents. The inverse is the cofactors over the
    /// determinant, and the determinant becomes the weight of all numbers.
    fn set_box(&mut self, place: &HullPlacement<'_, T>, half: Vec3<f64>, rows: &[Vec3<f64>; 3]) {
        // Doubled, as all numbers are.
        let two = T::from_f64(2.0);
        // An axis-aligned box needs no inverse: its half axes are the extents.
        if *rows == UNIT_ROWS {
            for (i, unit) in UNIT_ROWS.into_iter().enumerate().filter(|(i, _)| half.get(*i) != 0.0) {
                self.add_half_axis(place.vector(exact::<T>(unit) * (T::from_f64(half.get(i)) * two)));
            }
            return;
        }
        // The columns of the inverse are the cofactors over the determinant. Instead of a division, all numbers get the
        // determinant as a weight.
        let [a, b, c] = rows.map(|row| BoundedVector::new(exact::<T>(row)));
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.vector.plain_dot(cofactors[0].vector).abs();
        for (i, cofactor) in cofactors.into_iter().enumerate().filter(|(i, _)| half.get(*i) != 0.0) {
            let factor = T::from_f64(half.get(i)) * two;
            let own = cofactor.times(factor);
            let mut placed = place.vector(own.vector);
            placed.magnitude = match place.map {
                None => own.magnitude,
                Some([_, terms]) => terms.vector(own.magnitude),
            };
            self.add_half_axis(placed);
        }
        // The centre gets the weight, too.
        let point = self.points[0];
        self.points[0] = point * determinant;
        self.weight = Some(determinant);
    }

    fn set_hexahedron(&mut self, place: &HullPlacement<'_, T>, corners: &[Vec3<f64>; 8]) {
        corners.iter().for_each(|corner| self.add_point(place, *corner));
        let two = T::from_f64(2.0);
        // An edge between two corners, doubled.
        let edge = |hull: &mut Self, i: usize, j: usize| {
            hull.edges.push((i, place.between(corners[i], corners[j]).times(two)));
            hull.edges.len() - 1
        };
        // The twelve edges of the body: between corners that differ in one bit.
        for i in 0..8 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    edge(self, i, i | bit);
                }
            }
        }
        // A face is not quite flat: the hull has one of its diagonals as an edge. Both belong to the hull.
        for (u, v, w) in [(1, 2, 4), (2, 4, 1), (4, 1, 2)] {
            for base in [0, w] {
                let [a, b, c, d] = [base, base | u, base | v, base | u | v];
                let across = edge(self, a, d);
                let other = edge(self, b, c);
                let sides = [edge(self, a, b), edge(self, a, c), edge(self, b, a), edge(self, b, d)];
                self.faces.extend([[sides[0], across], [sides[1], across], [sides[2], other], [sides[3], other]]);
            }
        }
    }

    /// The hull times the weight of another one.
    pub(crate) fn with_weight_of(&self, other: &Self) -> Self {
        let mut hull = self.clone();
        let Some(weight) = other.weight else { return hull };
        hull.points.iter_mut().for_each(|point| *point = *point * weight);
        hull.edges.iter_mut().for_each(|(_, edge)| *edge = edge.times(weight));
        hull.half_axes.iter_mut().for_each(|axis| *axis = axis.times(weight));
        (hull.radius, hull.point_magnitude) = (hull.radius * weight, hull.point_magnitude * weight);
        hull
    }

    /// The weight of all numbers.
    pub(crate) fn weight(&self) -> Option<T> {
        self.weight
    }

    /// Bound of the terms of a coordinate difference with a point of the hull.
    #[inline(always)]
    pub(crate) fn size(&self) -> T {
        let points = self.points.iter().fold(T::ZERO, |most, point| most.max(point.l1_norm()));
        self.half_axes.iter().fold(points + self.point_magnitude, |sum, axis| sum + axis.magnitude.l1_norm())
    }

    /// Whether all numbers are in the range in which products keep their digits.
    pub(crate) fn is_ordinary(&self) -> bool {
        let is_ordinary = |v: &BoundedVector<T>| v.vector.is_ordinary() && v.magnitude.is_ordinary();
        self.points.iter().all(|point| point.is_ordinary())
            && self.edges.iter().all(|(_, edge)| is_ordinary(edge))
            && self.half_axes.iter().all(is_ordinary)
            && Vec3::new(self.radius, self.point_magnitude, T::ZERO).is_ordinary()
    }

    /// The directions of all edges.
    pub(crate) fn directions(&self) -> impl Iterator<Item = BoundedVector<T>> + '_ {
        self.half_axes.iter().copied().chain(self.edges.iter().map(|(_, edge)| *edge))
    }

    /// The least and the greatest product of a direction with a point of the hull without its radius.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn extent(&self, direction: Vec3<T>) -> [T; 2] {
        let first = self.points[0].plain_dot(direction);
        let [mut least, mut most] = [first; 2];
        for point in self.points.iter().skip(1) {
            let along = point.plain_dot(direction);
            (least, most) = (least.min(along), most.max(along));
        }
        for axis in &self.half_axes {
            let along = axis.vector.plain_dot(direction).abs();
            (least, most) = (least - along, most + along);
        }
        [least, most]
    }
}
