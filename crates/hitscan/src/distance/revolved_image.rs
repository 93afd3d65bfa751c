//! The closest point of images of solids of revolution under affine maps: disk, cylinder, cone, frustum, capsule and tapered
//! capsule.

use crate::closest_point::Feature;
use crate::distance::ellipsoid::{CenteredEllipsoid, on_ball_image};
use crate::distance::local_point::LocalPoint;
use crate::distance::segment::on_segment;
use crate::kernel::projection::Projection;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::scale::power_of_two_below;
use crate::math::trigonometric_roots::{UnitPoint, roots_and_extrema};
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use smallvec::SmallVec;

/// The image of a solid of revolution, relative to the image of the first end of its axis and scaled.
pub(crate) struct RevolvedImage<T> {
    local: LocalPoint<T>,
    /// Whether the image is within the range of `f64`.
    is_finite: bool,
    /// Image of the axis.
    axis: Vec3<T>,
    /// Images of two radii, perpendicular to the axis and to each other, of the greatest length; in 2D of one.
    radii: [Vec3<T>; 2],
}

fn no_offset<T: Arithmetic>() -> Vec3<T> {
    Vec3::new(T::ZERO, T::ZERO, T::ZERO)
}

/// The nearest point of a part of the surface.
struct Foot<T> {
    distance_sq: T,
    /// From the query point.
    offset: Vec3<T>,
    feature: Feature,
}

impl<T: Arithmetic> RevolvedImage<T> {
    /// `a` is the first end of the axis, `axis` its vector, `radial` two vectors of the greatest radius that are perpendicular to
    /// it and to each other.
    pub(crate) fn new(point: Vec3<T>, (a, axis, radial): (Vec3<T>, Vec3<T>, [Vec3<T>; 2]), map: &AffineMap<T>) -> Self {
        let axis = map.vector(axis);
        let radii = radial.map(|radius| map.vector(radius));
        let extent = (axis.l1_norm() + radii[0].l1_norm() + radii[1].l1_norm()).to_f64();
        let local = LocalPoint::new(point, map.point(a), extent);
        Self {
            is_finite: extent < f64::INFINITY,
            axis: local.lengths(axis),
            radii: radii.map(|radius| local.lengths(radius)),
            local,
        }
    }

    /// A point of the circle around the origin.
    fn on_circle(&self, at: UnitPoint<T>) -> Vec3<T> {
        self.radii[0] * at.cosine + self.radii[1] * at.sine
    }

    /// The points of the circle at which a line of the side may have the nearest point; `shares` are the radii at the ends, over
    /// the greatest.
    ///
    /// # Method
    /// The normal of the side at an angle is `n(t) = n1 cos t + n2 sin t + n0`: the products of the tangent of the circle and
    /// the line. The nearest point of the side is on a line where the distance from its tangent plane `(n . p - h) / |n|` is
    /// greatest or least. With `N = n . p - h` and `Q = n . n` that is `2 N' Q = N Q'`. The terms of degree three are of degree one,
    /// because they have the factor `cos^2 t + sin^2 t`.
    ///
    /// # Source
    /// Our derivation.
    fn angles(&self, shares: [T; 2]) -> SmallVec<[UnitPoint<T>; 24]> {
        // The normals of the side as a function of the angle, scaled so that their products stay in range.
        let [u, v] = self.radii;
        let normals = [u.cross(v) * (shares[0] - shares[1]), v.cross(self.axis), self.axis.cross(u)];
        let size = normals.iter().map(|n| n.max_abs_f64()).fold(0.0, f64::max);
        let scale = power_of_two_below(size).unwrap_or(1.0);
        let [n0, n1, n2] = normals.map(|n| n.map(|c| c.times_power_of_two(scale)));
        // The coefficients of `N` and `Q` (see Method), and of the trigonometric polynomial whose roots are the angles.
        let o = self.local.o;
        let (p0, p1, p2) = (n0.dot(o) - shares[0] * u.dot(n1), n1.dot(o), n2.dot(o));
        let (q0, q1, q2) = (n0.length_sq(), n0.dot(n1), n0.dot(n2));
        let (q11, q12, q22) = (n1.length_sq(), n1.dot(n2), n2.length_sq());
        let half = |x: T| x.times_power_of_two(0.5);
        let cross = p2 * q1 - p1 * q2;
        roots_and_extrema(
            cross + half(cross),
            [p2 * q0 - p0 * q2 + p2 * q11 - p1 * q12, p0 * q1 - p1 * q0 + p2 * q12 - p1 * q22],
            [half(p2 * q1 + p1 * q2) - p0 * q12, half(p2 * q2 - p1 * q1 - p0 * (q22 - q11))],
        )
    }

    /// The nearest point of a line of the side through the points of both circles.
    fn on_line(&self, at: UnitPoint<T>, shares: [T; 2], [first, within, last]: [Feature; 3]) -> Foot<T> {
        let radius = self.on_circle(at);
        let from = radius * shares[0] - self.local.o;
        let edge = self.axis + radius * (shares[1] - shares[0]);
        let found = on_segment(from, from + edge, edge);
        let feature = if found.t.equals(T::ZERO) {
            first
        } else if found.t.equals(T::ONE) {
            last
        } else {
            within
        };
        Foot { distance_sq: found.offset.length_sq(), offset: found.offset, feature }
    }

    /// The nearest point of the disk around an end of the axis, its radius as a share of the greatest.
    fn on_cap(&self, center: Vec3<T>, share: T, [within, rim]: [Feature; 2]) -> Foot<T> {
        let [u, v] = self.radii.map(|radius| radius * share);
        let o = self.local.o - center;
        let (at, feature) = if share.equals(T::ZERO) {
            (no_offset(), rim)
        } else {
            let ellipse = CenteredEllipsoid::new([u, v, no_offset()], 2);
            ellipse.foot_within(o).map_or_else(|| (ellipse.nearest(o), rim), |foot| (foot, within))
        };
        let offset = at - o;
        Foot { distance_sq: offset.length_sq(), offset, feature }
    }

    /// The nearest of the nearest points of the parts, at equal distance the first.
    fn projection(&self, candidates: impl Iterator<Item = Foot<T>>) -> Projection<T> {
        // A NaN is no distance.
        let nearest =
            candidates.reduce(|best, other| if other.distance_sq.lt(best.distance_sq) { other } else { best });
        let (offset, feature) =
            nearest.map_or((-self.local.o, Feature::SIDE), |nearest| (nearest.offset, nearest.feature));
        let found = self.local.projection_beside(offset, feature);
        // A NaN is no result.
        if self.is_finite { found } else { Projection { distance: T::from_f64(f64::NAN), ..found } }
    }
}

/// Two vectors of this length that are perpendicular to `axis`, and in space to each other.
fn radial_vectors<T: Arithmetic>(axis: Vec3<T>, radius: f64, dimension: usize) -> [Vec3<T>; 2] {
    let n = axis.normalize_exponent();
    let (u, radius) = (n.perpendicular(dimension), T::from_f64(radius));
    let v = if dimension == 2 { no_offset() } else { n.cross(u).unit().unwrap_or_else(no_offset) };
    [u * radius, v * radius]
}

/// Projection on the image of a disk.
///
/// # Method
/// The image is an ellipse and its inside. The foot of the perpendicular, if it lies within, or the nearest point of the ellipse.
///
/// # Source
/// See [`CenteredEllipsoid`].
///
/// # Accuracy
/// Few roundings of the largest coordinate: `closest_point_sheared.rs`.
///
/// # Edges
/// A foot on the rim is a point of the face.
pub(crate) fn on_disk_image<V: Vector3, T: Arithmetic>(
    point: Vec3<T>,
    (center, normal, radius): (V, V, V::Scalar),
    map: &AffineMap<T>,
) -> Projection<T> {
    let radial = radial_vectors(normal.widen(), radius.to_f64(), V::DIM);
    let image = RevolvedImage::new(point, (center.widen(), no_offset(), radial), map);
    image.projection(core::iter::once(image.on_cap(no_offset(), T::ONE, [Feature::Face(0), Feature::Edge(0)])))
}

/// Projection on the image of a cylinder, cone or frustum with these radii at `a` and `b`; `features` are those of the side,
/// the caps and the rims.
///
/// # Method
/// The nearest of the nearest points of the side and both caps. That of the side is on one of a few lines: see
/// [`angles`](RevolvedImage::angles).
///
/// # Source
/// Our derivation.
///
/// # Accuracy
/// Few roundings of the largest coordinate or radius: `closest_point_sheared.rs`. Every candidate is a point of the surface, so
/// an angle with an error of `e` makes the distance too great by the order of `e^2`.
///
/// # Edges
/// A solid without height is a point.
pub(crate) fn on_capped_cone_image<V: Vector3, T: Arithmetic>(
    point: Vec3<T>,
    ([a, b], radii): ([V; 2], [V::Scalar; 2]),
    map: &AffineMap<T>,
) -> Projection<T> {
    // The image of the axis and of two radii at right angles.
    let axis = b.widen::<T>() - a.widen();
    let [radius_a, radius_b] = radii.map(Real::to_f64);
    let greatest = radius_a.max(radius_b);
    let radial = radial_vectors(axis, greatest, V::DIM);
    let image = RevolvedImage::new(point, (a.widen(), axis, radial), map);
    let share = |radius: f64| {
        if greatest > 0.0 { T::from_f64(radius) / T::from_f64(greatest) } else { T::ZERO }
    };
    // Radii as shares of the greatest, and the features of the rims.
    let shares = [share(radius_a), share(radius_b)];
    let rims =
        [0, 1].map(|end: usize| if radii[end] == V::Scalar::ZERO { Feature::Vertex(0) } else { Feature::RIMS[end] });
    // The candidates on the side, then those on both caps; the nearest counts.
    let side = image.angles(shares);
    let side = side.iter().map(|at| image.on_line(*at, shares, [rims[0], Feature::SIDE, rims[1]]));
    let caps = [(no_offset(), 0), (image.axis, 1)];
    let caps = caps.into_iter().map(|(center, end)| image.on_cap(center, shares[end], [Feature::ENDS[end], rims[end]]));
    image.projection(side.chain(caps))
}

/// Projection on the image of a capsule.
///
/// # Method
/// The nearest of the nearest points of the side and of the two half ellipsoids at the ends. From inside, the nearest point of
/// an ellipsoid may be on the half that is inside of the image; then the other point that is nearer than all around it counts.
///
/// # Source
/// Our derivation.
///
/// # Accuracy
/// That of [`on_capped_cone_image`].
///
/// # Edges
/// If both ends are equal, the image is an ellipsoid.
pub(crate) fn on_capsule_image<V: Vector, T: Arithmetic>(
    point: Vec3<T>,
    ([a, b], radius): ([V; 2], V::Scalar),
    map: &AffineMap<T>,
) -> Projection<T> {
    // A capsule of one point is a ball.
    let axis = b.widen::<T>() - a.widen();
    let radius = radius.to_f64();
    if axis.is_zero() {
        return Projection { feature: Feature::ENDS[0], ..on_ball_image::<V, T>(point, (a.widen(), radius), map) };
    }
    let image = RevolvedImage::new(point, (a.widen(), axis, radial_vectors(axis, radius, V::DIM)), map);
    let (local, shares) = (&image.local, [T::ONE; 2]);
    // The lines of the side: in the plane two, in space those of the angles.
    let angles = if V::DIM == 2 {
        [T::ONE, -T::ONE].map(|cosine| UnitPoint { cosine, sine: T::ZERO }).into_iter().collect()
    } else {
        image.angles(shares)
    };
    let side = angles.iter().map(|at| image.on_line(*at, shares, [Feature::ENDS[0], Feature::SIDE, Feature::ENDS[1]]));
    // The half ellipsoids at the ends: a point counts if its normal points outward from the axis.
    let ball = CenteredEllipsoid::new(map.columns.map(|column| local.lengths(column * T::from_f64(radius))), V::DIM);
    let mut ends = SmallVec::<[Foot<T>; 4]>::new();
    for (center, outward, feature) in
        [(no_offset(), -image.axis, Feature::ENDS[0]), (image.axis, image.axis, Feature::ENDS[1])]
    {
        let o = local.o - center;
        for at in [Some(ball.nearest(o)), ball.opposite(o)].into_iter().flatten() {
            if ball.normal(at).dot(outward).ge(T::ZERO) {
                let offset = at - o;
                ends.push(Foot { distance_sq: offset.length_sq(), offset, feature });
            }
        }
    }
    image.projection(side.chain(ends))
}

/// Projection on the image of a tapered capsule.
///
/// # Method
/// That of [`on_capsule_image`], with the frustum between the circles of contact as the side, and the parts of two ellipsoids
/// beyond it. A point of a ball belongs to the surface if its normal is at most as steep as the side.
///
/// # Source
/// Our derivation.
///
/// # Accuracy
/// That of [`on_capped_cone_image`].
///
/// # Edges
/// If one ball contains the other, the image is that of this ball.
pub(crate) fn on_tapered_capsule_image<V: Vector, T: Arithmetic>(
    point: Vec3<T>,
    (ends, radii): ([V; 2], [V::Scalar; 2]),
    map: &AffineMap<T>,
) -> Projection<T> {
    // The axis and both radii, scaled so that their squares stay in range.
    let (centers, radii) = (ends.map(V::widen::<T>), radii.map(Real::to_f64));
    let (whole, larger) = (centers[1] - centers[0], usize::from(radii[1] > radii[0]));
    let scale = power_of_two_below(whole.max_abs_f64().max(radii[larger])).unwrap_or(1.0);
    let scaled = |x: T| x.times_power_of_two(scale);
    let (axis, [ra, rb]) = (whole.map(scaled), radii.map(|r| scaled(T::from_f64(r))));
    let (axis_sq, growth) = (axis.length_sq(), rb - ra);
    let gap = axis_sq - growth.sq();
    let feature = |end: usize| if radii[end] == 0.0 { Feature::Vertex(0) } else { Feature::ENDS[end] };
    if !gap.gt(T::ZERO) {
        let found = on_ball_image::<V, T>(point, (centers[larger], radii[larger]), map);
        return Projection { feature: feature(larger), ..found };
    }
    // The frustum between the circles of contact, its radii as shares of the greatest.
    let (share, narrowing) = (gap / axis_sq, (gap / axis_sq).sqrt());
    let from = centers[0] - whole * (ra * growth / axis_sq);
    let radial = radial_vectors(whole, radii[larger], V::DIM).map(|radius| radius * narrowing);
    let image = RevolvedImage::new(point, (from, whole * share, radial), map);
    let shares = radii.map(|r| T::from_f64(r) / T::from_f64(radii[larger]));
    // The lines of the side: in the plane two, in space those of the angles.
    let angles = if V::DIM == 2 {
        [T::ONE, -T::ONE].map(|cosine| UnitPoint { cosine, sine: T::ZERO }).into_iter().collect()
    } else {
        image.angles(shares)
    };
    let side = angles.iter().map(|at| image.on_line(*at, shares, [feature(0), Feature::SIDE, feature(1)]));
    // The parts of the ellipsoids beyond the circles of contact.
    let local = &image.local;
    let mut found = SmallVec::<[Foot<T>; 4]>::new();
    for end in (0..2).filter(|&end| radii[end] > 0.0) {
        let axes = map.columns.map(|column| local.lengths(column * T::from_f64(radii[end])));
        let (ball, o) = (CenteredEllipsoid::new(axes, V::DIM), local.o - local.offset(map.point(centers[end])));
        for at in [Some(ball.nearest(o)), ball.opposite(o)].into_iter().flatten() {
            // The normal of the ball there, before the map.
            let n = ball.normal(at).normalize_exponent();
            let [x, y, z] = axes.map(|axis| n.dot(axis));
            let n = Vec3::new(x, y, z).normalize_exponent();
            let excess = n.dot(axis) + growth * n.length_sq().sqrt();
            if (end == 0 && excess.le(T::ZERO)) || (end == 1 && excess.ge(T::ZERO)) {
                let offset = at - o;
                found.push(Foot { distance_sq: offset.length_sq(), offset, feature: feature(end) });
            }
        }
    }
    image.projection(side.chain(found))
}
