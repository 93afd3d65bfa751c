//! `FlatShape`: a flat surface as plain numbers, and on which side a line meets it.

use crate::math::arithmetic::Arithmetic;
use crate::math::frame::Frame;
use crate::math::observer::Observer;
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
    /// Magnitudes of the terms of the normal.
    magnitude: Vec3<T>,
}

impl<T: Arithmetic> LocalLine<T> {
    /// Product of the normal with a vector, for its sign.
    fn product<P: Observer>(&self, v: Vec3<T>, observer: &mut P) -> T {
        let product = self.normal.dot(v);
        observer.sign(product, self.magnitude.dot_magnitude(v));
        product
    }
}

impl FlatShape {
    /// The line relative to the surface. Numbers that may underflow are uncertain.
    fn local<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> LocalLine<T> {
        match *self {
            Self::Plane { point, normal } | Self::Disk { center: point, normal, .. } => {
                let frame = line.local(point.widen(), 0.0);
                frame.check_scale([], [], observer);
                let n = normal.widen::<T>().normalize_exponent_checked();
                Frame::check_direction::<f64, _>(n, observer);
                LocalLine { frame, normal: n, magnitude: n.map(Arithmetic::abs) }
            }
            Self::Triangle([a, b, c]) => {
                let a = a.widen::<T>();
                let [e, f] = [b, c].map(|corner| corner.widen() - a);
                let frame = line.local(a, e.max_abs_f64().max(f.max_abs_f64()));
                let (e, f) = (frame.vector(e), frame.vector(f));
                frame.check_scale([e, f], [], observer);
                LocalLine { frame, normal: e.cross(f), magnitude: e.cross_magnitude(f) }
            }
            Self::Segment([a, b]) => {
                let edge = b.widen::<T>() - a.widen();
                let frame = line.local(a.widen(), edge.max_abs_f64());
                let edge = frame.vector(edge);
                frame.check_scale([edge], [], observer);
                // The edge, turned clockwise by a right angle.
                let normal = Vec3::new(edge.y, -edge.x, T::ZERO);
                LocalLine { frame, normal, magnitude: normal.map(Arithmetic::abs) }
            }
        }
    }

    /// Product of the normal and the direction of a line, which gives the side that the line comes from.
    pub(crate) fn slope<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> T {
        let local = self.local(line, observer);
        local.product(local.frame.d, observer)
    }
}
