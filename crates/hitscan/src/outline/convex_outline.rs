//! Outlines of shapes with a kernel, of volumes and of bounds.

use crate::aabb::Aabb;
use crate::convex::convex_shape::ConvexShape;
use crate::kernel::kernel::Kernel;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::outline::outline::Outline;
use crate::outline::outline_pen::OutlinePen;
use crate::overlap::view_frustum::ViewFrustum;
use crate::overlap::volume::Volume;

impl<V: Vector, K: Kernel<Vector = V>> Outline<V> for K {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        draw_convex(&self.convex_shape(), pen);
    }
}

impl<V: Vector> Outline<V> for Volume<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        draw_convex(&self.shape, pen);
    }
}

impl<V: Vector3> Outline<V> for ViewFrustum<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        let corners = self.widened();
        pen.hexahedron(|i| corners[i]);
    }
}

impl<V: Vector> Outline<V> for Aabb<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        draw_convex(&ConvexShape::Bounds { min: self.min.widen(), max: self.max.widen() }, pen);
    }
}

/// Draws a convex shape.
fn draw_convex<V: Vector>(shape: &ConvexShape, pen: &mut OutlinePen<'_, V>) {
    // The half axes of a box or an ellipsoid with these half extents.
    let half_axes = |half: Vec3<f64>| {
        let [x, y, z] = shape.columns();
        [x * half.x, y * half.y, z * half.z]
    };
    match shape {
        ConvexShape::Ball { center, radius } => {
            let unit = |i: usize| Vec3::new(f64::from(i == 0), f64::from(i == 1), f64::from(i == 2)) * *radius;
            draw_ellipsoid(*center, [0, 1, 2].map(unit), pen);
        }
        ConvexShape::Ellipsoid { center, radii, .. } => draw_ellipsoid(*center, half_axes(*radii), pen),
        ConvexShape::Box { center, half, .. } => {
            let [x, y, z] = half_axes(*half);
            let part = |i: usize, axis: usize, v: Vec3<f64>| if i >> axis & 1 == 1 { v } else { -v };
            pen.hexahedron(|i| *center + part(i, 0, x) + part(i, 1, y) + part(i, 2, z));
        }
        ConvexShape::Bounds { min, max } => {
            let part = |i: usize, axis: usize| if i >> axis & 1 == 1 { max.get(axis) } else { min.get(axis) };
            pen.hexahedron(|i| Vec3::new(part(i, 0), part(i, 1), part(i, 2)));
        }
        ConvexShape::Hexahedron(corners) => pen.hexahedron(|i| corners[i]),
        ConvexShape::Polygon(vertices) => pen.polygon(vertices),
        ConvexShape::Quad { corner, edges: [e, f] } => {
            pen.polygon(&[*corner, *corner + *e, *corner + *e + *f, *corner + *f]);
        }
        // Every edge of a hull is between two of its points; so are other segments, inside of it.
        ConvexShape::Points(points) => {
            for (i, a) in points.iter().enumerate() {
                points[..i].iter().for_each(|b| pen.segment(*a, *b));
            }
        }
        ConvexShape::HalfSpace { point, normal } | ConvexShape::Plane { point, normal } => pen.plane(*point, *normal),
        ConvexShape::Disk { center, normal, radius } => {
            if let Some([u, v, _]) = axes_around(*normal) {
                pen.ellipse(*center, u * *radius, v * *radius);
            }
        }
        ConvexShape::Capsule { ends, radius } => draw_capsule(*ends, *radius, pen),
        ConvexShape::TaperedCapsule { ends, radii } => draw_tapered_capsule(*ends, *radii, pen),
        ConvexShape::Revolved { ends, radii } => draw_revolved(*ends, *radii, pen),
    }
}

/// The ellipses in the planes of each two half axes.
fn draw_ellipsoid<V: Vector>(center: Vec3<f64>, [x, y, z]: [Vec3<f64>; 3], pen: &mut OutlinePen<'_, V>) {
    pen.ellipse(center, x, y);
    if V::DIM == 3 {
        pen.ellipse(center, y, z);
        pen.ellipse(center, z, x);
    }
}

/// Unit vectors at right angles to each other, the third along an axis; `None` for an axis without direction.
fn axes_around(axis: Vec3<f64>) -> Option<[Vec3<f64>; 3]> {
    let w = axis.direction()?;
    let u = w.perpendicular(3);
    Some([u, w.cross(u), w])
}

fn draw_capsule<V: Vector>([a, b]: [Vec3<f64>; 2], radius: f64, pen: &mut OutlinePen<'_, V>) {
    // A core of length zero is a ball: it has no axis.
    let Some(axes) = axes_around(b - a) else {
        return draw_convex(&ConvexShape::Ball { center: a, radius }, pen);
    };
    let [u, v, w] = axes.map(|axis| axis * radius);
    if V::DIM == 2 {
        let side = Vec3::new(-w.y, w.x, 0.0);
        pen.segment(a + side, b + side);
        pen.segment(a - side, b - side);
        pen.half_ellipse(a, side, -w);
        pen.half_ellipse(b, side, w);
        return;
    }
    // The cylinder, and beyond each end the two halves of circles over it.
    draw_side([a, b], [u, v], [1.0; 2], pen);
    for (end, out) in [(a, -w), (b, w)] {
        pen.half_ellipse(end, u, out);
        pen.half_ellipse(end, v, out);
    }
}

fn draw_tapered_capsule<V: Vector>([a, b]: [Vec3<f64>; 2], radii: [f64; 2], pen: &mut OutlinePen<'_, V>) {
    // Sine and cosine of the angle between side and axis. If one ball contains the other, there is no side.
    let size = (b - a).length();
    let sine = (radii[1] - radii[0]) / size;
    let Some([u, v, w]) = axes_around(b - a).filter(|_| sine.abs() < 1.0) else {
        let (center, radius) = if radii[1] > radii[0] { (b, radii[1]) } else { (a, radii[0]) };
        return draw_convex(&ConvexShape::Ball { center, radius }, pen);
    };
    let cosine = Arithmetic::sqrt((1.0 - sine) * (1.0 + sine));
    // The side between the circles of contact, in the plane two lines.
    let circles = [a - w * (sine * radii[0]), b - w * (sine * radii[1])];
    let across = Vec3::new(-w.y, w.x, 0.0);
    if V::DIM == 2 {
        for side in [across * cosine, across * -cosine] {
            pen.segment(circles[0] + side * radii[0], circles[1] + side * radii[1]);
        }
    } else {
        draw_side(circles, [u, v], radii.map(|r| r * cosine), pen);
    }
    // The arcs of both balls beyond it.
    let planes = if V::DIM == 2 { &[across][..] } else { &[u, v] };
    for side in planes {
        for (center, radius, out, sine) in [(a, radii[0], -w, sine), (b, radii[1], w, -sine)] {
            if radius > 0.0 {
                pen.arc_beyond(center, [*side * radius, out * radius], [cosine, sine]);
            }
        }
    }
}

fn draw_revolved<V: Vector>([a, b]: [Vec3<f64>; 2], radii: [f64; 2], pen: &mut OutlinePen<'_, V>) {
    if let Some([u, v, _]) = axes_around(b - a) {
        draw_side([a, b], [u, v], radii, pen);
    }
}

/// The circles of radii times two vectors around two ends, and four lines between them. A radius of zero has no circle.
fn draw_side<V: Vector>([a, b]: [Vec3<f64>; 2], [u, v]: [Vec3<f64>; 2], radii: [f64; 2], pen: &mut OutlinePen<'_, V>) {
    for (end, radius) in [a, b].into_iter().zip(radii).filter(|(_, radius)| *radius > 0.0) {
        pen.ellipse(end, u * radius, v * radius);
    }
    for side in [u, v, -u, -v] {
        pen.segment(a + side * radii[0], b + side * radii[1]);
    }
}
