//! The pen of outlines: lines, circles and planes in the coordinates of a shape become segments in those of the scene.

use crate::math::affine_map::AffineMap;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::outline::outline_options::OutlineOptions;
use crate::outline::outline_segment::{OutlineColor, OutlineSegment};
use crate::outline::unit_circle::unit_circle_point;
use crate::transform::Transform;
use alloc::vec::Vec;

/// The pen: where segments go, and what holds for those that follow.
pub struct OutlinePen<'a, V: Vector> {
    out: &'a mut dyn FnMut(OutlineSegment<V>),
    pub(crate) options: OutlineOptions<V>,
    /// Points of the unit circle, once around it: the first one is at the end again.
    circle: Vec<[f64; 2]>,
    /// The map from the shape to the scene; `None` for the identity, which rounds nothing.
    map: Option<AffineMap<f64>>,
    pub(crate) color: OutlineColor,
    /// Objects of scenes that share no layer with this mask are left out.
    pub(crate) layers: u32,
}

impl<'a, V: Vector> OutlinePen<'a, V> {
    pub(crate) fn new(options: &OutlineOptions<V>, out: &'a mut dyn FnMut(OutlineSegment<V>)) -> Self {
        let count = options.circle_segments();
        let circle = (0..=count).map(|index| unit_circle_point(index, count)).collect();
        Self { out, options: *options, circle, map: None, color: OutlineColor::Surface, layers: u32::MAX }
    }

    /// Draws under a transform.
    pub(crate) fn under(&mut self, transform: &Transform<V>, draw: impl FnOnce(&mut Self)) {
        let columns = transform.columns().map(|[x, y, z]| Vec3::new(x, y, z));
        self.under_map(AffineMap { columns, translation: transform.translation().widen() }, draw);
    }

    /// Draws what is moved by a vector.
    pub(crate) fn moved(&mut self, way: Vec3<f64>, draw: impl FnOnce(&mut Self)) {
        let unit = |i: usize| Vec3::new(f64::from(i == 0), f64::from(i == 1), f64::from(i == 2));
        self.under_map(AffineMap { columns: [0, 1, 2].map(unit), translation: way }, draw);
    }

    fn under_map(&mut self, inner: AffineMap<f64>, draw: impl FnOnce(&mut Self)) {
        let outer = self.map;
        self.map = Some(match outer {
            None => inner,
            Some(outer) => AffineMap {
                columns: inner.columns.map(|column| outer.vector(column)),
                translation: outer.point(inner.translation),
            },
        });
        draw(self);
        self.map = outer;
    }

    /// Draws in another colour.
    pub(crate) fn colored(&mut self, color: OutlineColor, draw: impl FnOnce(&mut Self)) {
        let before = core::mem::replace(&mut self.color, color);
        draw(self);
        self.color = before;
    }

    /// A segment, unless an end is beyond the numbers of the precision.
    pub(crate) fn segment(&mut self, a: Vec3<f64>, b: Vec3<f64>) {
        let [a, b] = [a, b].map(|p| self.map.map_or(p, |map| map.point(p)));
        self.placed_segment(a, b);
    }

    /// A segment in the coordinates of the scene.
    fn placed_segment(&mut self, a: Vec3<f64>, b: Vec3<f64>) {
        let [a, b] = [a, b].map(|p| V::narrow(p).of_result());
        if a.all_finite() && b.all_finite() {
            (self.out)(OutlineSegment { a, b, color: self.color });
        }
    }

    /// The closed polygon of these corners; of two, the segment between them.
    pub(crate) fn polygon(&mut self, corners: &[Vec3<f64>]) {
        let count = if corners.len() == 2 { 1 } else { corners.len() };
        for i in 0..count {
            self.segment(corners[i], corners[(i + 1) % corners.len()]);
        }
    }

    /// The edges of a box or of another hexahedron, by corners whose numbers have a bit for each axis.
    pub(crate) fn hexahedron(&mut self, corner: impl Fn(usize) -> Vec3<f64>) {
        for axis in 0..V::DIM {
            for i in (0..1 << V::DIM).filter(|i| i >> axis & 1 == 0) {
                self.segment(corner(i), corner(i | 1 << axis));
            }
        }
    }

    /// The ellipse of the points `center + u cos t + v sin t`.
    pub(crate) fn ellipse(&mut self, center: Vec3<f64>, u: Vec3<f64>, v: Vec3<f64>) {
        self.arc(center, [u, v], self.circle.len() - 1);
    }

    /// The half of the ellipse from `u` over `v` to `-u`.
    pub(crate) fn half_ellipse(&mut self, center: Vec3<f64>, u: Vec3<f64>, v: Vec3<f64>) {
        self.arc(center, [u, v], (self.circle.len() - 1) / 2);
    }

    /// The part of the ellipse of the points `center + side cos t + out sin t` from `cos t = cosine, sin t = sine` over `out` to the
    /// mirror image of that point.
    pub(crate) fn arc_beyond(&mut self, center: Vec3<f64>, [side, out]: [Vec3<f64>; 2], [cosine, sine]: [f64; 2]) {
        let at = |[cosine, sine]: [f64; 2]| center + side * cosine + out * sine;
        let mut last = at([cosine, sine]);
        // Around from the side opposite to `out`, so that the points of the part follow each other.
        for i in 0..self.circle.len() {
            let [x, y] = self.circle[i];
            if -x > sine {
                let next = at([y, -x]);
                self.segment(last, next);
                last = next;
            }
        }
        self.segment(last, at([-cosine, sine]));
    }

    fn arc(&mut self, center: Vec3<f64>, [u, v]: [Vec3<f64>; 2], segments: usize) {
        for i in 0..segments {
            let [a, b] = [self.circle[i], self.circle[i + 1]].map(|[x, y]| center + u * x + v * y);
            self.segment(a, b);
        }
    }

    /// A plane, in the plane a line, within the box of the options.
    pub(crate) fn plane(&mut self, point: Vec3<f64>, normal: Vec3<f64>) {
        let bounds = self.options.bounds();
        let (point, normal) = match &self.map {
            None => (point, normal),
            Some(map) => (map.point(point), map.normal(normal)),
        };
        let Some(normal) = normal.direction().filter(|_| bounds.is_bounded()) else { return };
        // The heights of the corners above the plane. A corner in the plane is on the other side than the rest of the box: so a
        // plane that runs in a face of the box has the edges of that face.
        let [min, max] = [bounds.min, bounds.max].map(Vector::widen::<f64>);
        let bit = |i: usize, axis: usize| if i >> axis & 1 == 1 { max.get(axis) } else { min.get(axis) };
        let corner = |i: usize| Vec3::new(bit(i, 0), bit(i, 1), bit(i, 2));
        let heights: [f64; 8] = core::array::from_fn(|i| normal.dot(corner(i) - point));
        let has_above = heights.iter().any(|height| *height > 0.0);
        let is_above = |i: usize| heights[i] > 0.0 || (heights[i] == 0.0 && !has_above);
        // The point of the plane on an edge, between two corners on different sides: the same one from both faces at the edge.
        let crossing = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            let share = heights[i] / (heights[i] - heights[j]);
            let p = corner(i) + (corner(j) - corner(i)) * share;
            let within = |axis: usize| p.get(axis).max(min.get(axis)).min(max.get(axis));
            Vec3::new(within(0), within(1), within(2))
        };
        // Each face of the box has one segment of the plane, or none. In the plane, the box is the face.
        let axes: &[usize] = if V::DIM == 2 { &[2] } else { &[0, 1, 2] };
        for &axis in axes {
            let [b, c] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
            let sides: &[usize] = if V::DIM == 2 { &[0] } else { &[0, 1 << axis] };
            for side in sides {
                let around = [0, b, b | c, c].map(|bits| side | bits);
                let edges = (0..4).map(|i| [around[i], around[(i + 1) % 4]]);
                let mut points = edges.filter(|&[i, j]| is_above(i) != is_above(j)).map(|[i, j]| crossing(i, j));
                if let (Some(from), Some(to)) = (points.next(), points.next()) {
                    self.placed_segment(from, to);
                }
            }
        }
    }

    /// A cross at a point.
    pub(crate) fn mark(&mut self, point: Vec3<f64>) {
        let arm = self.options.normal_length().to_f64() / 8.0;
        for axis in 0..V::DIM {
            let along = |i: usize| if i == axis { arm } else { 0.0 };
            let along = Vec3::new(along(0), along(1), along(2));
            self.segment(point - along, point);
            self.segment(point, point + along);
        }
    }

    /// The point of a hit or a contact with its normal.
    pub(crate) fn hit(&mut self, point: V, normal: V) {
        let [point, normal] = [point, normal].map(Vector::widen::<f64>);
        let length = self.options.normal_length().to_f64();
        self.colored(OutlineColor::Hit, |pen| pen.mark(point));
        self.colored(OutlineColor::Normal, |pen| pen.segment(point, point + normal * length));
    }
}
