//! `FlatShape`: a flat surface as plain numbers; on which side a line meets it, and where a line runs in it.

use crate::kernel::crossing::Crossing;
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use glam::DVec3;

/// Flat surface as plain numbers; in the plane z = 0 for a line or a segment.
#[derive(Clone, Copy, Debug)]
pub enum FlatShape {
    /// A plane; in 2D a line.
    Plane { point: DVec3, normal: DVec3 },
    /// A disk.
    Disk { center: DVec3, normal: DVec3, radius: f64 },
    /// A triangle in space.
    Triangle([DVec3; 3]),
    /// A parallelogram in space: a corner, and the two edges from there.
    Quad { corner: DVec3, edges: [DVec3; 2] },
    /// A segment in 2D.
    Segment([DVec3; 2]),
}

/// A shape that may be a flat surface. `adaptive/flat_shapes.rs` implements it.
pub trait ToFlat {
    /// The surface as plain numbers; `None` for a solid.
    fn flat_shape(&self) -> Option<FlatShape> {
        None
    }
}

/// A line relative to a point of a surface, and the normal of that.
struct LocalLine<T> {
    frame: Frame<T>,
    normal: Vec3<T>,
    /// The reference point, and corners besides it, in order around the surface.
    corners: [Vec3<T>; 4],
}

impl<T: Arithmetic> LocalLine<T> {
    /// The crossing at a quotient of numbers of the frame: the entry or the exit.
    fn crossing(&self, (numerator, denominator): (T, T), sign: f64) -> Crossing<T> {
        Crossing::new(self.frame.t(numerator / denominator), 0, T::from_f64(sign))
    }
}

impl FlatShape {
    /// The triangle of three corners.
    #[inline(always)]
    pub(crate) fn of_corners(corners: [Vec3<f64>; 3]) -> Self {
        Self::Triangle(corners.map(|v| DVec3::new(v.x, v.y, v.z)))
    }

    /// The line relative to the surface, in arithmetic that certifies its comparisons.
    fn local<T: Arithmetic>(&self, line: &WorkingRay<T>) -> LocalLine<T> {
        let zero = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
        match *self {
            Self::Plane { point, normal } | Self::Disk { center: point, normal, .. } => {
                let frame = line.local(point.widen(), 0.0);
                let n = normal.widen::<T>().normalize_exponent_checked();
                LocalLine { frame, normal: n, corners: [zero; 4] }
            }
            Self::Triangle([a, b, c]) => {
                let a = a.widen::<T>();
                let [e, f] = [b, c].map(|corner| corner.widen() - a);
                let frame = line.local(a, e.max_abs_f64().max(f.max_abs_f64()));
                let (e, f) = (frame.vector(e), frame.vector(f));
                LocalLine { frame, normal: e.cross(f), corners: [zero, e, f, zero] }
            }
            Self::Quad { corner, edges } => {
                let [e, f] = edges.map(Vector::widen::<T>);
                let frame = line.local(corner.widen(), e.max_abs_f64().max(f.max_abs_f64()));
                let (e, f) = (frame.vector(e), frame.vector(f));
                LocalLine { frame, normal: e.cross(f), corners: [zero, e, e + f, f] }
            }
            Self::Segment([a, b]) => {
                let edge = b.widen::<T>() - a.widen();
                let frame = line.local(a.widen(), edge.max_abs_f64());
                let edge = frame.vector(edge);
                // The edge, turned clockwise by a right angle.
                let normal = Vec3::new(edge.y, -edge.x, T::ZERO);
                LocalLine { frame, normal, corners: [zero, edge, zero, zero] }
            }
        }
    }

    /// Product of the normal and the direction of a line, which gives the side that the line comes from.
    pub(crate) fn slope<T: Arithmetic>(&self, line: &WorkingRay<T>) -> T {
        let local = self.local(line);
        local.normal.dot(local.frame.d)
    }

    /// Entry and exit of a line that lies in the surface; `None` for any other line.
    ///
    /// # Method
    /// A line lies in the plane of the surface if its direction and the vector to its origin are at right angles to the normal. The
    /// parameter of a point of that plane is its product with the direction.
    ///
    /// # Accuracy
    /// A rounded zero proves nothing, so every line in the plane is left to balls and exact numbers, which need no filter.
    ///
    /// # Edges
    /// The border belongs to the surface: a line that only touches a corner or a rim enters and leaves there.
    #[inline(always)]
    pub(crate) fn chord<T: Arithmetic>(&self, line: &WorkingRay<T>) -> Option<[Crossing<T>; 2]> {
        // The filter is uncertain of a line in the plane, and double-words cannot tell a zero.
        if T::SELF_VALIDATING { self.certain_chord(line) } else { None }
    }

    /// [`chord`](Self::chord) in arithmetic that certifies its comparisons.
    #[inline(never)]
    fn certain_chord<T: Arithmetic>(&self, line: &WorkingRay<T>) -> Option<[Crossing<T>; 2]> {
        // Whether the line lies in the plane.
        let local = self.local(line);
        let (o, d) = (local.frame.o, local.frame.d);
        if !(local.normal.dot(d).equals(T::ZERO) && local.normal.dot(o).equals(T::ZERO)) {
            return None;
        }
        // Where it runs in the surface.
        match *self {
            Self::Plane { .. } => {
                let end = |sign: f64| Crossing::new(T::from_f64(sign * f64::INFINITY), 0, T::from_f64(sign));
                Some([end(-1.0), end(1.0)])
            }
            Self::Disk { radius, .. } => disk_chord(&local, local.frame.length(T::from_f64(radius))),
            Self::Segment(_) => {
                let at = |corner: Vec3<T>| d.dot(corner - o);
                let [a, b] = [at(local.corners[0]), at(local.corners[1])];
                let [near, far] = if b.lt(a) { [b, a] } else { [a, b] };
                let speed_sq = d.length_sq();
                Some([local.crossing((near, speed_sq), -1.0), local.crossing((far, speed_sq), 1.0)])
            }
            Self::Triangle(_) => polygon_chord(&local, 3),
            Self::Quad { .. } => polygon_chord(&local, 4),
        }
    }
}

/// Entry and exit of a line in the plane of a disk of radius `r`: the roots of `|o + s d|^2 = r^2`.
fn disk_chord<T: Arithmetic>(local: &LocalLine<T>, r: T) -> Option<[Crossing<T>; 2]> {
    let (o, d) = (local.frame.o, local.frame.d);
    let (speed_sq, middle) = (d.length_sq(), -o.dot(d));
    // The moment is the distance of the line from the centre, times the length of the direction.
    let excess = speed_sq * r * r - local.frame.moment().length_sq();
    if excess.lt(T::ZERO) {
        return None;
    }
    let half = excess.sqrt();
    Some([local.crossing((middle - half, speed_sq), -1.0), local.crossing((middle + half, speed_sq), 1.0)])
}

/// Entry and exit of a line in the plane of a convex polygon of `count` corners: at the corners on it, and on the edges between two
/// corners on its two sides.
fn polygon_chord<T: Arithmetic>(local: &LocalLine<T>, count: usize) -> Option<[Crossing<T>; 2]> {
    let (o, d) = (local.frame.o, local.frame.d);
    // Of each corner its height above the line, within the plane, and its place along the line.
    let (up, speed_sq) = (local.normal.cross(d), d.length_sq());
    let place = |corner: Vec3<T>| (up.dot(corner - o), d.dot(corner - o));
    let all = local.corners.map(place);
    let corners = &all[..count];
    // Points on the line, as quotients: at most two differ.
    let mut ends: Option<[(T, T); 2]> = None;
    let mut add = |at: (T, T)| {
        let is_less = |a: (T, T), b: (T, T)| (a.0 * b.1).lt(b.0 * a.1);
        ends = Some(match ends {
            None => [at, at],
            Some([near, far]) if is_less(at, near) => [at, far],
            Some([near, far]) if is_less(far, at) => [near, at],
            Some(both) => both,
        });
    };
    for (i, &(height, along)) in corners.iter().enumerate() {
        if height.equals(T::ZERO) {
            add((along, speed_sq));
        }
        let (next_height, next_along) = corners[(i + 1) % count];
        // The denominators are positive, so that products compare the quotients.
        if height.lt(T::ZERO) && next_height.gt(T::ZERO) {
            add((along * next_height - next_along * height, (next_height - height) * speed_sq));
        } else if height.gt(T::ZERO) && next_height.lt(T::ZERO) {
            add((next_along * height - along * next_height, (height - next_height) * speed_sq));
        }
    }
    let [near, far] = ends?;
    Some([local.crossing(near, -1.0), local.crossing(far, 1.0)])
}
