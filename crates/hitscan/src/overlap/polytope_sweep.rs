//! A polytope moves towards a polytope: the time of contact in closed form, by separating axes.

use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS, inverse_columns};
use crate::math::affine_map::AffineMap;
use crate::math::eft::two_prod;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use smallvec::SmallVec;

/// Two polytopes touch if their distance is at most this share of their size and of their way: 2^-48, some roundings of the heights
/// along an axis.
const TOUCH: f64 = power(-48);

/// Polytopes that reach deeper into each other than this share: 2^-40.
const DEEP: f64 = power(-40);

/// Sine of the angle of two edges that count as parallel: 2^-45. What lies between them is not wider than a touch.
const PARALLEL: f64 = power(-45);

/// Share of the speed that is as good as none: 2^-50, its roundings.
const STILL: f64 = power(-50);

/// A polytope relative to a reference point, scaled by a power of two: the hull of its points, and of segments from the negative of
/// a half axis to the half axis around each of them.
struct SweptPolytope {
    points: SmallVec<[Vec3<f64>; 4]>,
    half_axes: SmallVec<[Vec3<f64>; 3]>,
    /// Edges between the points.
    edges: SmallVec<[Vec3<f64>; 4]>,
}

impl SweptPolytope {
    /// `None` for a shape that is curved, unbounded, or has too many edges.
    fn new(
        shape: &ConvexShape,
        map: Option<&AffineMap<f64>>,
        (reference, scale): (Vec3<f64>, f64),
        dimension: usize,
    ) -> Option<Self> {
        let point = |p: Vec3<f64>| match map {
            None => (p - reference) * scale,
            Some(map) => (map.vector(p) + (map.translation - reference)) * scale,
        };
        let vector = |v: Vec3<f64>| map.map_or(v, |map| map.vector(v)) * scale;
        let mut polytope = Self { points: SmallVec::new(), half_axes: SmallVec::new(), edges: SmallVec::new() };
        match shape {
            ConvexShape::Box { center, half, rows } => {
                polytope.points.push(point(*center));
                let columns = inverse_columns(rows);
                polytope.half_axes.extend((0..3).map(|i| vector(columns[i] * half.get(i))));
            }
            ConvexShape::Bounds { min, max } => {
                let half = (*max - *min) * 0.5;
                polytope.points.push(point(*min + half));
                polytope.half_axes.extend((0..3).map(|i| vector(UNIT_ROWS[i] * half.get(i))));
            }
            ConvexShape::Quad { corner, edges: [e, f] } => {
                polytope.points.push(point(*corner + (*e + *f) * 0.5));
                polytope.half_axes.extend([*e, *f].map(|edge| vector(edge * 0.5)));
            }
            ConvexShape::Polygon(vertices) if dimension == 2 || vertices.len() <= 3 => {
                polytope.points.extend(vertices.iter().map(|vertex| point(*vertex)));
                let count = if vertices.len() == 2 { 1 } else { vertices.len() };
                let edge = |i: usize| vector(vertices[(i + 1) % vertices.len()] - vertices[i]);
                polytope.edges.extend((0..count).map(edge));
            }
            _ => return None,
        }
        polytope.half_axes.retain(|axis| axis.max_abs_f64() > 0.0);
        Some(polytope)
    }

    /// The least and the greatest height of a point along an axis.
    fn interval(&self, axis: Vec3<f64>) -> [f64; 2] {
        let width: f64 = self.half_axes.iter().map(|half| axis.plain_dot(*half).abs()).sum();
        let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
        for point in &self.points {
            let height = axis.plain_dot(*point);
            (low, high) = (low.min(height), high.max(height));
        }
        [low - width, high + width]
    }

    /// The directions of all edges.
    fn directions(&self) -> impl Iterator<Item = Vec3<f64>> + '_ {
        self.half_axes.iter().chain(&self.edges).map(|edge| edge.normalize_exponent())
    }

    /// The normals of all faces: in the plane, of all sides.
    fn each_normal(&self, dimension: usize, each: &mut dyn FnMut(Vec3<f64>)) {
        if dimension == 2 {
            return self.directions().for_each(|edge| each(Vec3::new(edge.y, -edge.x, 0.0)));
        }
        let directions: SmallVec<[Vec3<f64>; 4]> = self.directions().collect();
        match (self.half_axes.len(), self.edges.len()) {
            (2, _) => each(cross(directions[0], directions[1])),
            (3, _) => [(1, 2), (2, 0), (0, 1)].into_iter().for_each(|(i, j)| each(cross(directions[i], directions[j]))),
            (_, 3) => each(cross(directions[0], directions[1])),
            _ => {}
        }
    }

    /// Bound of the coordinates.
    fn size(&self) -> f64 {
        let points = self.points.iter().fold(0.0, |most: f64, point| most.max(point.max_abs_f64()));
        points + self.half_axes.iter().map(|axis| axis.max_abs_f64()).sum::<f64>()
    }
}

/// Cross product with the digits of each component, also of vectors that are nearly parallel.
fn cross(v: Vec3<f64>, w: Vec3<f64>) -> Vec3<f64> {
    let minor = |a: f64, b: f64, c: f64, d: f64| {
        let ((p, e), (q, f)) = (two_prod(a, b), two_prod(c, d));
        (p - q) + (e - f)
    };
    Vec3::new(minor(v.y, w.z, v.z, w.y), minor(v.z, w.x, v.x, w.z), minor(v.x, w.y, v.y, w.x))
}

/// What an axis is a normal of. Of axes along which the two touch, the first kind gives the normal of the contact.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum AxisKind {
    FaceOfShape,
    FaceOfVolume,
    Edges,
}

/// A unit vector that may separate the two.
#[derive(Clone, Copy, Debug)]
struct Axis {
    unit: Vec3<f64>,
    kind: AxisKind,
    /// Where the volume must move along the axis to touch the shape, and where it leaves it.
    interval: [f64; 2],
    speed: f64,
}

impl Axis {
    /// How far the two are apart along the axis after a while; negative if they overlap along it. And the direction in which the
    /// volume leaves the shape.
    fn gap(&self, time: f64) -> (f64, Vec3<f64>) {
        let at = self.speed * time;
        let (before, behind) = (self.interval[0] - at, at - self.interval[1]);
        if before > behind { (before, -self.unit) } else { (behind, self.unit) }
    }
}

/// How far the first polytope must move along an axis to touch the second one, and to leave it.
fn interval_between(own: &SweptPolytope, other: &SweptPolytope, unit: Vec3<f64>) -> [f64; 2] {
    let ([a, b], [c, d]) = (own.interval(unit), other.interval(unit));
    [c - b, d - a]
}

/// A contact of two polytopes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolytopeContact {
    pub(crate) t: f64,
    /// The unit vector in which the volume leaves the shape.
    pub(crate) normal: Vec3<f64>,
    /// How far the two reach into each other: only by roundings.
    pub(crate) depth: f64,
    /// Whether they touch where the range begins.
    pub(crate) at_start: bool,
    /// How many planes of faces, not parallel to each other, the two touch along: 1 at a face or where two edges cross, 2 at parallel
    /// edges, 3 at corners.
    pub(crate) planes: u8,
}

/// The answer of [`polytope_contact`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum PolytopeAnswer {
    Disjoint,
    Contact(PolytopeContact),
    /// Not two polytopes, or a case that the axes do not decide: deep from the start, or flat and in one plane.
    Open,
}

/// The first contact of a moving polytope with another one, under a map.
///
/// # Method
/// Along each axis the two intervals meet and part at times that are quotients. The sets touch from the last meeting on, if none of
/// the partings comes before. The axes are the normals of the faces, and the cross products of two edges. The axis that meets last
/// is the normal; of several, that of a face of the shape, then of the volume. A face that the volume moves along goes before one that
/// it approaches: so neighbours in one plane are one floor. Where the sets only touch at the start, any axis along which they do not
/// approach each other goes first, for it keeps them apart. How many faces touch tells whether that is a face, an edge or a corner:
/// between two objects that are touched at the same time, the face decides.
///
/// # Source
/// Gottschalk, Lin, Manocha, *OBBTree*, SIGGRAPH 1996, for the axes; Ericson, *Real-Time Collision Detection*, 2005, section 5.5.2,
/// for the times; the choice of the normal is ours.
///
/// # Accuracy
/// A height is a sum of a few products, within 2^-50 of the size of both and of the way: see `tests/all/contacts.rs`. Shapes with a
/// face in one plane are met at the same `t`, wherever the range of the search begins.
///
/// # Edges
/// Sets that touch where the range begins have a contact there, whatever the direction.
pub(crate) fn polytope_contact(
    [volume, shape]: [&ConvexShape; 2],
    map: Option<&AffineMap<f64>>,
    (direction, [start, end], begins_query): (Vec3<f64>, [f64; 2], bool),
    (scale, dimension): (f64, usize),
) -> PolytopeAnswer {
    // Both relative to a point of the volume where the range begins, scaled.
    let reference = volume.any_point();
    let way = direction * start;
    let own = SweptPolytope::new(volume, None, (reference, scale), dimension);
    let other = own.as_ref().and_then(|_| SweptPolytope::new(shape, map, (reference + way, scale), dimension));
    let (Some(own), Some(other)) = (own, other) else { return PolytopeAnswer::Open };
    // The direction scaled, too, and the factor of the time.
    let velocity = direction.normalize_exponent();
    let pace = velocity.max_abs_f64() / direction.max_abs_f64();
    let factor = pace / scale;
    let size = own.size() + other.size();
    let touch = size * TOUCH;
    if !(factor > 0.0 && factor < f64::INFINITY && size > 0.0 && size < f64::INFINITY) {
        return PolytopeAnswer::Open;
    }
    // All axes, as unit vectors.
    let mut axes: SmallVec<[Axis; 16]> = SmallVec::new();
    let mut add = |normal: Vec3<f64>, kind: AxisKind| {
        let length = normal.length();
        if !(length > PARALLEL) {
            return;
        }
        let unit = normal * (1.0 / length);
        let interval = interval_between(&own, &other, unit);
        axes.push(Axis { unit, kind, interval, speed: unit.plain_dot(velocity) });
    };
    other.each_normal(dimension, &mut |normal| add(normal, AxisKind::FaceOfShape));
    own.each_normal(dimension, &mut |normal| add(normal, AxisKind::FaceOfVolume));
    if dimension == 3 {
        for u in other.directions() {
            own.directions().for_each(|v| add(cross(u, v), AxisKind::Edges));
        }
    }
    // Axes that do not span the space leave the rest open: both are flat, and in one plane.
    let units: SmallVec<[Vec3<f64>; 16]> = axes.iter().map(|axis| axis.unit).collect();
    if usize::from(span(&units)) < dimension {
        return PolytopeAnswer::Open;
    }
    // The last meeting and the first parting, which touches leave open a little longer.
    let (mut meeting, mut parting) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in &axes {
        let [near, far] = axis.interval;
        if axis.speed.abs() <= STILL {
            if near > touch || far < -touch {
                return PolytopeAnswer::Disjoint;
            }
            continue;
        }
        let is_forward = axis.speed > 0.0;
        let (meets, parts) = if is_forward { (near, far + touch) } else { (far, near - touch) };
        (meeting, parting) = (meeting.max(meets / axis.speed), parting.min(parts / axis.speed));
    }
    if meeting > parting || parting < 0.0 {
        return PolytopeAnswer::Disjoint;
    }
    // A contact where the range begins: if it is more than a touch, another method finds the way out.
    let greatest_gap = axes.iter().map(|axis| axis.gap(0.0).0).fold(f64::NEG_INFINITY, f64::max);
    let at_start = begins_query && greatest_gap <= touch;
    if at_start && -greatest_gap > size * DEEP {
        return PolytopeAnswer::Open;
    }
    // The search begins elsewhere for each shape. From the beginning of the ray, shapes in one plane are met at the same `t`, so
    // that their contacts can be compared.
    let (mut time, mut t, mut touch) = (0.0, start, touch);
    if !at_start {
        let other = SweptPolytope::new(shape, map, (reference, scale), dimension).unwrap_or(other);
        touch = (own.size() + other.size()) * TOUCH;
        time = f64::NEG_INFINITY;
        for axis in &mut axes {
            axis.interval = interval_between(&own, &other, axis.unit);
            if axis.speed.abs() > STILL {
                time = time.max(axis.interval[usize::from(axis.speed < 0.0)] / axis.speed);
            }
        }
        t = start.max(time * factor);
    }
    if !(t <= end) {
        return PolytopeAnswer::Disjoint;
    }
    // The axes along which the two touch then, and do not part: the best one, and all that belong to faces.
    let mut best: Option<(Axis, f64, Vec3<f64>)> = None;
    let mut faces: SmallVec<[Vec3<f64>; 6]> = SmallVec::new();
    for axis in &axes {
        let (gap, normal) = axis.gap(time);
        let slack = if at_start { -greatest_gap + touch } else { touch };
        let approach = -normal.plain_dot(velocity);
        if gap < -slack || !at_start && approach < -STILL {
            continue;
        }
        if axis.kind != AxisKind::Edges {
            faces.push(axis.unit);
        }
        let is_better = |other: &Axis, other_gap: f64, other_normal: Vec3<f64>| {
            let other_approach = -other_normal.plain_dot(velocity);
            let (holds, other_holds) = (approach <= STILL, other_approach <= STILL);
            // The side of the next tile of a floor is no wall.
            if at_start && greatest_gap > -touch && holds != other_holds {
                return holds;
            }
            if axis.kind != other.kind {
                return axis.kind < other.kind;
            }
            // A face that the volume moves along holds it; of others, the one that it approaches faster.
            match (axis.kind, holds, other_holds) {
                (AxisKind::FaceOfShape, true, false) if !at_start => true,
                (AxisKind::FaceOfShape, false, true) if !at_start => false,
                (AxisKind::FaceOfShape, ..) if !at_start => approach > other_approach,
                _ => gap > other_gap,
            }
        };
        if best.is_none_or(|(other, gap, normal)| is_better(&other, gap, normal)) {
            best = Some((*axis, gap, normal));
        }
    }
    let Some((_, gap, normal)) = best else { return PolytopeAnswer::Open };
    let planes = span(&faces).max(1);
    PolytopeAnswer::Contact(PolytopeContact { t, normal, depth: (-gap).max(0.0) / scale, at_start, planes })
}

/// The dimension of the space that unit vectors span.
fn span(units: &[Vec3<f64>]) -> u8 {
    let Some(first) = units.first() else { return 0 };
    let Some(normal) = units.iter().map(|unit| first.cross(*unit)).find(|normal| normal.length() > PARALLEL) else {
        return 1;
    };
    let normal = normal * (1.0 / normal.length());
    if units.iter().any(|unit| normal.plain_dot(*unit).abs() > PARALLEL) { 3 } else { 2 }
}
