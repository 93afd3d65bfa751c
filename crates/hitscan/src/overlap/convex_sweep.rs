//! A convex volume moves towards a convex shape.

use crate::convex::convex_shape::ConvexShape;
use crate::convex::gjk::{TOLERANCE, convex_distance};
use crate::convex::penetration::{Penetration, penetration};
use crate::convex::support::{PlacedShape, SupportMap};
use crate::math::affine_map::AffineMap;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::overlap::polytope_sweep::{PolytopeAnswer, PolytopeContact, polytope_contact};

/// A volume that moves along a direction.
#[derive(Clone, Copy)]
pub(crate) struct ConvexSweep<'a> {
    pub(crate) volume: &'a ConvexShape,
    pub(crate) direction: Vec3<f64>,
    /// The range of `t`.
    pub(crate) range: [f64; 2],
    /// Whether a contact at the start of this range is one at the start of the query.
    pub(crate) begins_query: bool,
    /// That of the space: 2 or 3.
    pub(crate) dimension: usize,
}

/// The first contact of a volume and a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VolumeContact {
    pub(crate) t: f64,
    /// The contact point on the shape.
    pub(crate) point: Vec3<f64>,
    /// From the shape to the volume, of any length; zero if there is no such direction.
    pub(crate) normal: Vec3<f64>,
    /// How far the two reach into each other, if they touch where the range begins.
    pub(crate) depth: Option<f64>,
    /// How many planes of faces meet at the contact of two polytopes; 1 for other contacts.
    pub(crate) planes: u8,
}

impl VolumeContact {
    /// A point a little above the surface, so that rounding does not choose the feature.
    pub(crate) fn above_surface(&self) -> Vec3<f64> {
        self.point + self.normal.normalize_exponent() * (self.point.max_abs_f64() * power(-20))
    }
}

/// Cores that are closer have no certain direction between them: 2^-30, the gap between the bounds of the distance of two curved
/// sets.
const CLOSE: f64 = power(-30);

/// Most advances. A few suffice; where a volume grazes a curved shape, about one for each digit.
const MAX_GJK_ADVANCES: usize = 200;

impl ConvexSweep<'_> {
    /// The first contact with a shape under an affine map, `similarity` being its factor if it is a similarity.
    ///
    /// # Method
    /// GJK gives a plane between the two sets, and so a lower bound of the distance. The volume moves until it would touch that
    /// plane: no step passes the contact. It ends where the distance is at most [`TOLERANCE`], or where the volume moves away from
    /// the plane. Where the cores overlap from the start, EPA gives depth and normal: see [`penetration`].
    ///
    /// # Source
    /// Van den Bergen, *Ray Casting against General Convex Objects with Application to Continuous Collision Detection*, 2004;
    /// conservative advancement: Mirtich, 2000.
    ///
    /// # Accuracy
    /// A volume whose distance is at most 2^-44 of the largest coordinate touches. A curved shape is touched where GJK cannot
    /// separate the two: the distance was up to 2^-24 of that coordinate then, in the cases that were seen.
    ///
    /// # Edges
    /// Planes and half-spaces have a closed form, and two polytopes: see [`polytope_contact`]. `None`, too, if the advances do not
    /// suffice.
    pub(crate) fn first_contact(
        &self,
        shape: &ConvexShape,
        map: Option<AffineMap<f64>>,
        similarity: Option<f64>,
    ) -> Option<VolumeContact> {
        // Planes and half-spaces have a closed form.
        if let Some((point, normal, is_solid)) = plane_of(shape) {
            let (point, normal) = map.map_or((point, normal), |map| (map.point(point), map.normal(normal)));
            return self.with_plane((point, normal.normalize_exponent()), is_solid);
        }
        let [start, end] = self.range;
        // The largest coordinate gives the scale of each step, in which the tolerance is a share of it.
        let (own, reference) = (self.volume.largest(), self.volume.any_point());
        let of_shape = PlacedShape::largest(shape, map.as_ref(), self.dimension);
        let scale_at = |t: f64| PlacedShape::scale_of(own.max(of_shape).max((self.direction * t).max_abs_f64()) * 2.0);
        // Two polytopes have a closed form, too.
        let motion = (self.direction, self.range, self.begins_query);
        match polytope_contact([self.volume, shape], map.as_ref(), motion, (scale_at(start), self.dimension)) {
            PolytopeAnswer::Disjoint => return None,
            PolytopeAnswer::Contact(contact) => {
                let scale = scale_at(contact.t);
                return Some(self.with_point(contact, shape, (map, similarity), scale));
            }
            PolytopeAnswer::Open => {}
        }
        let mut t = start;
        let mut last = None;
        for step in 0..MAX_GJK_ADVANCES {
            // The volume at `t`, and the nearest points of both sets.
            let way = self.direction * t;
            let scale = scale_at(t);
            let volume = PlacedShape::new(self.volume, None, None, reference, scale);
            let target = PlacedShape::new(shape, map, similarity, reference + way, scale);
            let found = convex_distance(&volume, &target, f64::INFINITY);
            let world = |p: Vec3<f64>| p * (1.0 / scale) + reference + way;
            let between = found.points[0] - found.points[1];
            let (length, axis_length) = (found.axis.length(), between.length());
            // A curved set that nearly touches has a plane between only up to rounding.
            if found.distance <= TOLERANCE || found.lower_bound <= 0.0 {
                // Cores that touch have no direction between them: the last plane has.
                let margins = volume.margin() + target.margin();
                let is_separated = axis_length > CLOSE && found.distance <= TOLERANCE;
                let (depth, normal, point) = if is_separated {
                    (margins - axis_length, between, found.points[1])
                } else if let Some(axis) = last {
                    (margins, axis, found.points[1])
                } else {
                    let Penetration { depth, normal, point } = penetration(&volume, &target, self.dimension);
                    (depth, normal, point)
                };
                let unit = if normal.max_abs_f64() > 0.0 { normal * (1.0 / normal.length()) } else { normal };
                return Some(VolumeContact {
                    t,
                    point: world(point + unit * target.margin()),
                    normal,
                    depth: (step == 0 && self.begins_query).then_some(depth.max(0.0) / scale),
                    planes: 1,
                });
            }
            // How fast the volume approaches the plane between the sets. If it does not, there is no contact.
            let approach = -(found.axis.plain_dot(self.direction) / length);
            if !(approach > 0.0) {
                return None;
            }
            // Of sets that are closer, rounding turns the axis.
            if last.is_none() || found.distance > CLOSE {
                last = Some(found.axis);
            }
            // The volume moves until it would touch that plane, which it cannot pass before a contact.
            let next = t + found.lower_bound / (scale * approach);
            if next > end || !(next < f64::INFINITY) {
                return None;
            }
            if !(next > t) {
                // Closer than the digits of `t` tell.
                let unit = found.axis * (1.0 / length);
                let point = world(found.points[1] + unit * target.margin());
                return Some(VolumeContact { t, point, normal: last.unwrap_or(found.axis), depth: None, planes: 1 });
            }
            t = next;
        }
        None
    }

    /// The contact of two polytopes with a point of it: one that GJK finds in both, moved to the surface of the shape.
    fn with_point(
        &self,
        contact: PolytopeContact,
        shape: &ConvexShape,
        (map, similarity): (Option<AffineMap<f64>>, Option<f64>),
        scale: f64,
    ) -> VolumeContact {
        let PolytopeContact { t, normal, depth, at_start, planes } = contact;
        let reference = self.volume.any_point() + self.direction * t;
        let volume = PlacedShape::new(self.volume, None, None, self.volume.any_point(), scale);
        let target = PlacedShape::new(shape, map, similarity, reference, scale);
        let found = convex_distance(&volume, &target, f64::INFINITY).points[1];
        let point = found + normal * normal.plain_dot(target.support(normal) - found);
        let depth = (at_start && self.begins_query).then_some(depth);
        VolumeContact { t, point: point * (1.0 / scale) + reference, normal, depth, planes }
    }

    /// The first contact with a plane, or with the half-space behind it.
    fn with_plane(&self, (point, normal): (Vec3<f64>, Vec3<f64>), is_solid: bool) -> Option<VolumeContact> {
        let [start, end] = self.range;
        // The least and greatest height of the volume over the plane, and the speed of its approach.
        let length = normal.length();
        let [low, high] = self.volume.interval(normal).map(|x| (x - normal.plain_dot(point)) / length);
        let speed = normal.plain_dot(self.direction) / length;
        // The contact at `t`: the support point of the volume, and its foot on the plane.
        let at = |t: f64, side: f64, depth: Option<f64>| {
            let volume = PlacedShape::new(self.volume, None, None, Vec3::default(), 1.0);
            let support = volume.support(normal * -side) + self.direction * t;
            let height = (support - point).plain_dot(normal) / (length * length);
            Some(VolumeContact { t, point: support - normal * height, normal: normal * side, depth, planes: 1 })
        };
        // Without motion towards the plane, an infinite start changes nothing.
        let then = |height: f64| if speed == 0.0 { height } else { height + speed * start };
        // The volume at the start: it may be above, below, or across the plane.
        let (low_then, high_then) = (then(low), then(high));
        let (below, above) = (high_then < 0.0, low_then > 0.0);
        if !above && (is_solid || !below) {
            // The shorter way out; from a half-space there is one only.
            let side = if is_solid || -low_then <= high_then { 1.0 } else { -1.0 };
            return at(start, side, Some(if side > 0.0 { -low_then } else { high_then }));
        }
        // From outside, it moves until its nearest side is on the plane.
        let (gap, side) = if above { (low, 1.0) } else { (-high, -1.0) };
        let t = gap / (-speed * side);
        if speed * side < 0.0 && t >= start && t <= end { at(t, side, None) } else { None }
    }
}

/// Point and normal of a plane, and whether the space behind it is solid; `None` for other shapes.
fn plane_of(shape: &ConvexShape) -> Option<(Vec3<f64>, Vec3<f64>, bool)> {
    match *shape {
        ConvexShape::Plane { point, normal } => Some((point, normal, false)),
        ConvexShape::HalfSpace { point, normal } => Some((point, normal, true)),
        _ => None,
    }
}
