//! The closest point of a box, axis-aligned or oriented, in 2D of a rectangle.

use crate::basis::Basis;
use crate::closest_point::Feature;
use crate::distance::local_point::{LocalPoint, length};
use crate::distance::segment::on_segment;
use crate::distance::triangle::on_triangle;
use crate::kernel::projection::{Project, Projection};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::oriented_box::OrientedBox;

/// The planes of a box that its nearest point lies on: for each axis -1 or 1, or 0.
type Signs = [i8; 3];

/// Box with the faces `rows[i] . x = +-half[i]` around the origin, for rows nearly orthonormal.
struct LocalBox<T> {
    dimension: usize,
    rows: [Vec3<T>; 3],
    half: Vec3<T>,
}

impl<T: Arithmetic> LocalBox<T> {
    /// Nearest point of the planes with a sign to `o`.
    fn foot(&self, o: Vec3<T>, signs: Signs) -> Vec3<T> {
        // The planes that count, first in the list.
        let (mut chosen, mut count) = ([0; 3], 0);
        for (axis, _) in signs.iter().enumerate().filter(|(_, sign)| **sign != 0) {
            chosen[count] = axis;
            count += 1;
        }
        let level = |axis: usize| if signs[axis] < 0 { -self.half.get(axis) } else { self.half.get(axis) };
        // Their normals, and how far the point is from each.
        let [a, b, c] = chosen.map(|axis| self.rows[axis]);
        let [x, y, z] = chosen.map(|axis| level(axis) - self.rows[axis].dot(o));
        // The foot on no plane, on one, on the line of two, or in the corner of three. The planes need not be at right
        // angles.
        match count {
            0 => o,
            1 => o + a * (x / a.length_sq()),
            2 => {
                // Gram matrix of the two normals.
                let (aa, ab, bb) = (a.length_sq(), a.dot(b), b.length_sq());
                let determinant = aa * bb - ab * ab;
                o + a * ((x * bb - y * ab) / determinant) + b * ((y * aa - x * ab) / determinant)
            }
            _ => {
                let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
                o + (bc * x + ca * y + ab * z).map(|sum| sum / a.dot(bc))
            }
        }
    }

    /// Nearest point to `o`, and the planes that it lies on.
    ///
    /// # Method
    /// Clamping each coordinate to the box says which planes the nearest point lies on; a point within the box has the
    /// face of the least depth. The nearest point of these planes is exact for axes that are not quite orthonormal. If it
    /// lies beyond another plane for that reason, that plane counts, too.
    ///
    /// # Source
    /// Ericson, *Real-Time Collision Detection*, 2005, section 5.1.4; the correction for rounded axes is ours.
    ///
    /// # Accuracy
    /// Few roundings of the largest coordinate or half extent: `closest_point.rs`.
    ///
    /// # Edges
    /// A point of a face plane is not within: it lies on that plane. At equal depths the first axis counts, and the
    /// positive side.
    fn project(&self, o: Vec3<T>) -> (Vec3<T>, Signs) {
        // Clamping each coordinate says on which planes the nearest point lies.
        let mut signs = [0; 3];
        let side = |x: T| if x.lt(T::ZERO) { -1 } else { 1 };
        let mut deepest: Option<(T, usize, i8)> = None;
        for (axis, sign) in signs.iter_mut().enumerate().take(self.dimension) {
            let x = self.rows[axis].dot(o);
            let excess = x.abs() - self.half.get(axis);
            if excess.ge(T::ZERO) {
                *sign = side(x);
            } else if deepest.is_none_or(|(most, ..)| excess.gt(most)) {
                deepest = Some((excess, axis, side(x)));
            }
        }
        // From inside, the face of the least depth.
        if let (Some((_, axis, sign)), true) = (deepest, signs == [0; 3]) {
            signs[axis] = sign;
        }
        // Rounded axes are not quite at right angles: the foot may lie beyond another plane, which then counts, too.
        loop {
            let (at, mut is_within) = (self.foot(o, signs), true);
            for (axis, sign) in signs.iter_mut().enumerate().take(self.dimension) {
                let x = self.rows[axis].dot(at);
                if *sign == 0 && x.abs().gt(self.half.get(axis)) {
                    (*sign, is_within) = (side(x), false);
                }
            }
            if is_within {
                return (at, signs);
            }
        }
    }
}

/// Number of a face, edge or vertex: see [`Feature`].
fn feature(signs: Signs, dimension: usize) -> Feature {
    let (mut bits, mut count, mut free, mut face) = (0, 0, 0, 0);
    for (axis, &sign) in (0..).zip(&signs[..dimension]) {
        if sign == 0 {
            free = axis;
            continue;
        }
        let is_positive = u32::from(sign > 0);
        bits |= is_positive << count;
        face = 2 * axis + is_positive;
        count += 1;
    }
    match count {
        1 => Feature::Face(face),
        2 if dimension == 3 => Feature::Edge(4 * free + bits),
        _ => Feature::Vertex(bits),
    }
}

fn on_box<V: Vector, T: Arithmetic>(point: Vec3<T>, (center, half): (V, V), rows: [Vec3<T>; 3]) -> Projection<T> {
    let half = half.widen::<T>();
    let local = LocalPoint::new(point, center.widen(), half.max_abs_f64());
    let (at, signs) = LocalBox { dimension: V::DIM, rows, half: local.lengths(half) }.project(local.o);
    let distance = length(at - local.o);
    local.projection(at, distance, feature(signs, V::DIM))
}

/// Corner of a box at these signs of its half axes.
fn corner<T: Arithmetic>(half_axes: &[Vec3<T>; 3], signs: Signs) -> Vec3<T> {
    let [a, b, c] = [0, 1, 2].map(|axis| half_axes[axis] * T::from_f64(f64::from(signs[axis])));
    a + b + c
}

/// The planes that all of some corners lie on.
fn common(corners: &[Signs]) -> Signs {
    [0, 1, 2].map(|axis| if corners.iter().all(|c| c[axis] == corners[0][axis]) { corners[0][axis] } else { 0 })
}

/// Projection on the image of a box under any affine map; `rows` are those of [`LocalBox`].
///
/// # Method
/// Each face is two triangles, in the plane one segment. The nearest of their nearest points is the answer, at equal distance
/// that of the first face. The corners of the part that it lies on have the planes of the feature in common.
///
/// # Source
/// See [`on_triangle`].
///
/// # Accuracy
/// That of [`on_triangle`].
///
/// # Edges
/// A point on the diagonal of a face is a point of the face.
fn on_box_image<V: Vector, T: Arithmetic>(
    point: Vec3<T>,
    (center, half): (V, V),
    rows: [Vec3<T>; 3],
    map: &AffineMap<T>,
) -> Projection<T> {
    // The half axes of the image: the columns of the inverse of the rows, under the map.
    let inverse = AffineMap { columns: rows, translation: map.translation }.inverse_rows();
    let half_axes = [0, 1, 2].map(|axis| map.vector(inverse[axis] * half.widen::<T>().get(axis)));
    let extent = half_axes.iter().map(|axis| axis.max_abs_f64()).sum();
    let local = LocalPoint::new(point, map.point(center.widen()), extent);
    let half_axes = half_axes.map(|axis| local.lengths(axis));
    // The nearest part so far; at equal distance the first one.
    let mut best: Option<(T, Vec3<T>, Signs)> = None;
    let mut compare = |offset: Vec3<T>, signs: Signs| {
        let distance_sq = offset.length_sq();
        if best.is_none_or(|(least, ..)| distance_sq.lt(least)) {
            best = Some((distance_sq, offset, signs));
        }
    };
    // Each face, with its corners by their signs.
    for (axis, sign) in (0..V::DIM).flat_map(|axis| [(axis, -1), (axis, 1)]) {
        let (j, k) = if V::DIM == 2 { (1 - axis, 2) } else { ((axis + 1) % 3, (axis + 2) % 3) };
        let at = |along_j: i8, along_k: i8| {
            let mut signs = [0; 3];
            (signs[axis], signs[j], signs[k]) = (sign, along_j, along_k);
            signs
        };
        if V::DIM == 2 {
            let ends = [at(-1, 0), at(1, 0)];
            let [a, b] = ends.map(|signs| corner(&half_axes, signs));
            let found = on_segment(a - local.o, b - local.o, b - a);
            let part = if found.t.equals(T::ZERO) {
                ends[0]
            } else if found.t.equals(T::ONE) {
                ends[1]
            } else {
                common(&ends)
            };
            compare(found.offset, part);
            continue;
        }
        // Two triangles for each face. The signs that the corners of a feature have in common say which feature of the
        // box it is.
        let [a, b, c, d] = [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)];
        for triangle in [[a, b, c], [a, c, d]] {
            let found = on_triangle(local.o, triangle.map(|signs| corner(&half_axes, signs)));
            let part = match found.feature {
                Feature::Vertex(i) => triangle[i as usize % 3],
                Feature::Edge(i) => common(&[triangle[i as usize % 3], triangle[(i as usize + 1) % 3]]),
                Feature::Face(_) => at(0, 0),
            };
            compare(found.offset, part);
        }
    }
    let (_, offset, signs) = best.unwrap_or((T::ZERO, -local.o, [1; 3]));
    local.projection_beside(offset, feature(signs, V::DIM))
}

macro_rules! project_on_box {
    ($shape:ident, |$s:ident| $rows:expr) => {
        impl<V: Vector> Project for $shape<V> {
            fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T> {
                let $s = self;
                on_box(point, (self.center(), self.half_extents()), $rows)
            }
            fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T> {
                let $s = self;
                on_box_image(point, (self.center(), self.half_extents()), $rows, map)
            }
        }
    };
}

project_on_box!(Cuboid, |_s| Basis::<V>::identity().rows());

project_on_box!(OrientedBox, |s| s.basis().rows());
