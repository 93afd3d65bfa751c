//! The normal of a convex shape at a point of its surface.

use crate::convex::convex_shape::ConvexShape;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::working_ray::WorkingRay;

/// A normal of any length: that of a solid points outward, that of a surface without an inside to either side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NormalSide<T> {
    Outward(Vec3<T>),
    Either(Vec3<T>),
}

impl<T: Arithmetic> NormalSide<T> {
    /// The unit vector. That of a surface points to the side of the centre that `to_center` leads to, or, if the centre is on the
    /// surface, against the motion along a line.
    pub(crate) fn unit(self, to_center: Vec3<T>, line: &WorkingRay<T>) -> Option<Vec3<f64>> {
        match self {
            Self::Outward(normal) => normal.direction(),
            Self::Either(normal) => {
                let n = normal.normalize_exponent();
                let side = n.plain_dot(to_center.normalize_exponent());
                let against = -n.plain_dot(line.direction.normalize_exponent());
                let towards = if side.equals(T::ZERO) { against } else { side };
                if towards.lt(T::ZERO) { (-n).direction() } else { n.direction() }
            }
        }
    }

    fn map(self, f: impl FnOnce(Vec3<T>) -> Vec3<T>) -> Self {
        match self {
            Self::Outward(normal) => Self::Outward(f(normal)),
            Self::Either(normal) => Self::Either(f(normal)),
        }
    }
}

fn wide<T: Arithmetic>(v: Vec3<f64>) -> Vec3<T> {
    v.map_to(T::from_f64)
}

impl ConvexShape {
    /// Normal at a point of the surface, or of its image under a map: on an edge that of a face beside it. `None` if the surface has
    /// none there.
    ///
    /// # Method
    /// The normal of that part of the surface whose distance from the point is least.
    pub(crate) fn surface_normal<T: Arithmetic>(
        &self,
        point: Vec3<T>,
        map: Option<&AffineMap<T>>,
        dimension: usize,
    ) -> Option<NormalSide<T>> {
        let Some(map) = map else { return self.own_normal(point, dimension) };
        let normal = self.own_normal(map.preimage(point), dimension)?;
        Some(normal.map(|normal| map.normal(normal.normalize_exponent())))
    }

    fn own_normal<T: Arithmetic>(&self, point: Vec3<T>, dimension: usize) -> Option<NormalSide<T>> {
        // Relative to a point of the shape, and scaled, so that no product leaves the range of numbers.
        let reference = wide::<T>(self.any_point());
        let offset = point - reference;
        let scale = power_of_two_below(offset.max_abs_f64().max(self.extent())).unwrap_or(1.0);
        let scaled = |v: Vec3<T>| v.map(|x| x.times_power_of_two(scale));
        let at = |p: Vec3<f64>| scaled(wide::<T>(p) - reference);
        let length = |x: f64| T::from_f64(x).times_power_of_two(scale);
        let o = scaled(offset);
        Some(match self {
            Self::Ball { .. } => NormalSide::Outward(o),
            Self::Capsule { ends, .. } => NormalSide::Outward(o - nearest_on(at(ends[1]), o)),
            Self::TaperedCapsule { ends, radii } => {
                NormalSide::Outward(of_tapered_capsule(o, at(ends[1]), radii.map(length)))
            }
            Self::Box { half, rows, .. } => NormalSide::Outward(of_box(o, half.map_to(length), rows, dimension)),
            Self::Ellipsoid { radii, rows, .. } => {
                // The gradient of the quadratic form, by the rows as they are.
                let mut gradient = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
                for (axis, row) in rows.iter().enumerate().take(dimension) {
                    let (row, radius) = (wide::<T>(*row), length(radii.get(axis)));
                    gradient = gradient + row * (row.dot(o) / radius / radius);
                }
                NormalSide::Outward(gradient)
            }
            Self::HalfSpace { normal, .. } => NormalSide::Outward(wide(*normal)),
            Self::Plane { normal, .. } | Self::Disk { normal, .. } => NormalSide::Either(wide(*normal)),
            Self::Revolved { ends, radii } => NormalSide::Outward(of_revolved(o, at(ends[1]), radii.map(length))?),
            Self::Quad { edges, .. } => NormalSide::Either(scaled(wide(edges[0])).cross(scaled(wide(edges[1])))),
            Self::Polygon(vertices) if dimension == 3 => {
                let [a, b, c] = *vertices.first_chunk()?;
                NormalSide::Either(at(b).cross(at(c)) - at(a).cross(at(c)) + at(a).cross(at(b)))
            }
            Self::Polygon(vertices) => {
                let corners = vertices.iter().map(|vertex| at(*vertex));
                let corners: smallvec::SmallVec<[Vec3<T>; 4]> = corners.collect();
                match corners[..] {
                    [a, b] => NormalSide::Either(turned(b - a)),
                    _ => NormalSide::Outward(of_polygon(o, &corners)?),
                }
            }
            Self::Bounds { .. } | Self::Hexahedron(_) | Self::Points(_) => return None,
        })
    }

    /// A length of about the size of the shape.
    fn extent(&self) -> f64 {
        match self {
            Self::Ball { radius, .. } | Self::Disk { radius, .. } => *radius,
            Self::Capsule { ends, radius } => (ends[1] - ends[0]).max_abs_f64().max(*radius),
            Self::TaperedCapsule { ends, radii } | Self::Revolved { ends, radii } => {
                (ends[1] - ends[0]).max_abs_f64().max(radii[0]).max(radii[1])
            }
            Self::Box { half, .. } => half.max_abs_f64(),
            Self::Quad { edges: [e, f], .. } => e.max_abs_f64().max(f.max_abs_f64()),
            Self::Ellipsoid { radii, .. } => radii.max_abs_f64(),
            Self::Polygon(vertices) => {
                vertices.iter().fold(0.0, |most: f64, vertex| most.max((*vertex - vertices[0]).max_abs_f64()))
            }
            Self::HalfSpace { .. }
            | Self::Plane { .. }
            | Self::Bounds { .. }
            | Self::Hexahedron(_)
            | Self::Points(_) => 0.0,
        }
    }
}

/// Nearest point to `o` of the segment from the origin to `end`.
fn nearest_on<T: Arithmetic>(end: Vec3<T>, o: Vec3<T>) -> Vec3<T> {
    let (along, length_sq) = (end.dot(o), end.length_sq());
    if !along.gt(T::ZERO) {
        return Vec3::new(T::ZERO, T::ZERO, T::ZERO);
    }
    if along.lt(length_sq) { end * (along / length_sq) } else { end }
}

/// Normal of the hull of two balls around the origin and around `end`: away from the centre of the ball between these two that
/// touches the surface there.
fn of_tapered_capsule<T: Arithmetic>(o: Vec3<T>, end: Vec3<T>, [first, second]: [T; 2]) -> Vec3<T> {
    let (growth, axis_sq) = (second - first, end.length_sq());
    let gap = axis_sq - growth.sq();
    if !gap.gt(T::ZERO) {
        return if growth.gt(T::ZERO) { o - end } else { o };
    }
    // Where the normal of the side through the point meets the axis, as a share of it.
    let height = o.dot(end);
    let distance = (o.length_sq() - height.sq() / axis_sq).max(T::ZERO).sqrt();
    let share = (height + distance * growth * (axis_sq / gap).sqrt()) / axis_sq;
    let share = share.max(T::ZERO).min(T::ONE);
    // At a tip, where the ball has no radius, the normal has no digits: out along the axis.
    let radius = first + growth * share;
    if radius.exceeds(T::sign_threshold(), first.max(second)) {
        o - end * share
    } else {
        end.map(|c| -c.mul_sign(growth))
    }
}

/// Normal of the face whose plane is nearest, or farthest behind the point.
fn of_box<T: Arithmetic>(o: Vec3<T>, half: Vec3<T>, rows: &[Vec3<f64>; 3], dimension: usize) -> Vec3<T> {
    let mut best: Option<(T, Vec3<T>)> = None;
    for (axis, row) in rows.iter().enumerate().take(dimension) {
        let row = wide::<T>(*row);
        let height = row.dot(o);
        let excess = height.abs() - half.get(axis);
        if best.is_none_or(|(most, _)| excess.gt(most)) {
            best = Some((excess, if height.lt(T::ZERO) { -row } else { row }));
        }
    }
    best.map_or(o, |(_, normal)| normal)
}

/// Normal of the side or the cap that is nearest, of the hull of two disks around the origin and around `axis`.
fn of_revolved<T: Arithmetic>(o: Vec3<T>, axis: Vec3<T>, [first, second]: [T; 2]) -> Option<Vec3<T>> {
    let along = axis.unit()?;
    let (height, top) = (along.dot(o), along.dot(axis));
    let radial = o - along * height;
    let distance = radial.length_sq().sqrt();
    // The distances from both caps, and from the side, whose outline is a straight line.
    let wider = second - first;
    let slant = (top.sq() + wider.sq()).sqrt();
    let caps = [height.abs(), (top - height).abs()];
    let side = (((distance - first) * top - wider * height) / slant).abs();
    // On the axis, at the apex of a cone, the side has no direction.
    if distance.exceeds(T::sign_threshold(), T::ONE) && side.le(caps[0]) && side.le(caps[1]) {
        return Some(radial * (top / distance) - along * wider);
    }
    Some(if caps[0].le(caps[1]) { -along } else { along })
}

/// A vector of the plane, turned by a right angle.
fn turned<T: Arithmetic>(v: Vec3<T>) -> Vec3<T> {
    Vec3::new(v.y, -v.x, T::ZERO)
}

/// Outward normal of the side of a polygon of the plane that is nearest.
fn of_polygon<T: Arithmetic>(o: Vec3<T>, corners: &[Vec3<T>]) -> Option<Vec3<T>> {
    let mut best: Option<(T, Vec3<T>)> = None;
    for (i, a) in corners.iter().enumerate() {
        let edge = corners[(i + 1) % corners.len()] - *a;
        let way = o - *a - nearest_on(edge, o - *a);
        let distance_sq = way.length_sq();
        if best.is_none_or(|(least, _)| distance_sq.lt(least)) {
            // Away from the corner that is farthest from the line of the side.
            let normal = turned(edge);
            let heights = corners.iter().map(|corner| normal.dot(*corner - *a));
            let farthest = heights.fold(T::ZERO, |most, x| if x.abs().gt(most.abs()) { x } else { most });
            best = Some((distance_sq, if farthest.gt(T::ZERO) { -normal } else { normal }));
        }
    }
    best.map(|(_, normal)| normal)
}
