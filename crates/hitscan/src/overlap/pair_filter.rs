//! `PairFilter`: whether two convex shapes overlap, in plain `f64` where that is certain.

use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::overlap::axis_filter::{box_and_box, box_and_triangle, triangle_and_triangle};
use crate::overlap::certainty::is_certainly_positive;
use crate::overlap::filter_core::{BoxCore, FilterCore, SegmentCore, TriangleCore, separates};
use crate::overlap::revolved_core::RevolvedCore;
use crate::target::COMPACT;

/// A volume prepared for tests with many shapes. What the tests leave open goes to the exact ones.
pub(crate) struct PairFilter {
    core: ShapeCore,
    reference: Vec3<f64>,
    /// The largest absolute coordinate of the volume.
    largest: f64,
    dimension: usize,
}

impl PairFilter {
    /// `None` for a volume that the tests do not cover. [`COMPACT`] builds do without them: they save time only.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(volume: &ConvexShape, dimension: usize) -> Option<Self> {
        if COMPACT {
            return None;
        }
        let reference = volume.any_point();
        let core = ShapeCore::new(volume, reference)?;
        Some(Self { core, reference, largest: volume.largest(), dimension })
    }

    /// Whether the volume and a shape overlap, if `f64` is certain.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn answer(&self, shape: &ConvexShape) -> Option<bool> {
        use ShapeCore::{Box, Revolved, Round, Triangle};
        let shape_core = ShapeCore::new(shape, self.reference)?;
        // Each pair of cores has a test: distances for round ones, separating axes for triangles and boxes.
        match (&self.core, &shape_core) {
            (Round { core: a, radius: p }, Round { core: b, radius: q }) => are_near(a, b, p + q),
            (Round { core, radius }, Triangle(other)) | (Triangle(other), Round { core, radius }) => {
                are_near(core, other, *radius)
            }
            (Round { core, radius }, Box(other)) | (Box(other), Round { core, radius }) => {
                are_near(core, other, *radius)
            }
            (Triangle(a), Triangle(b)) => triangle_and_triangle(a, b),
            (Triangle(a), Box(b)) | (Box(b), Triangle(a)) => box_and_triangle(b, a, self.dimension),
            (Box(a), Box(b)) => box_and_box(a, b, self.dimension),
            (Revolved(_), Revolved(_)) => None,
            (other, Revolved(revolved)) | (Revolved(revolved), other) => {
                // The distance is measured: it counts as zero up to a share of the largest coordinate.
                let least = power(-40) * self.largest.max(shape.largest());
                match other {
                    Round { core, radius } => revolved.reaches(core, *radius, least),
                    Triangle(core) => revolved.reaches(core, 0.0, least),
                    Box(core) => revolved.reaches(core, 0.0, least),
                    Revolved(_) => None,
                }
            }
        }
    }

    /// Whether the volume and a triangle overlap, if `f64` is certain.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of_triangle(&self, corners: [Vec3<f64>; 3]) -> Option<bool> {
        let triangle = TriangleCore::new(corners, self.reference);
        match &self.core {
            ShapeCore::Round { core, radius } => are_near(core, &triangle, *radius),
            ShapeCore::Triangle(own) => triangle_and_triangle(own, &triangle),
            ShapeCore::Box(own) => box_and_triangle(own, &triangle, self.dimension),
            ShapeCore::Revolved(own) => {
                let largest = corners.iter().fold(self.largest, |most, corner| most.max(corner.max_abs_f64()));
                own.reaches(&triangle, 0.0, power(-40) * largest)
            }
        }
    }
}

/// The core of a shape, with its radius.
enum ShapeCore {
    Round { core: SegmentCore, radius: f64 },
    Triangle(TriangleCore),
    Box(BoxCore),
    Revolved(RevolvedCore),
}

impl ShapeCore {
    /// The core relative to a reference point; `None` for a shape that the filters do not cover.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(shape: &ConvexShape, reference: Vec3<f64>) -> Option<Self> {
        // The cores that the tests are for: segments with a radius, triangles, boxes, and solids of revolution.
        let segment = |[a, b]: [Vec3<f64>; 2]| SegmentCore { start: a - reference, edge: b - a };
        Some(match shape {
            ConvexShape::Ball { center, radius } => Self::Round { core: segment([*center; 2]), radius: *radius },
            ConvexShape::Capsule { ends, radius } => Self::Round { core: segment(*ends), radius: *radius },
            ConvexShape::Revolved { ends, radii } => {
                Self::Revolved(RevolvedCore { axis: segment(*ends), radii: *radii })
            }
            ConvexShape::Box { center, half, rows } => Self::Box(BoxCore::new(*center - reference, *half, rows)?),
            ConvexShape::Bounds { min, max } => {
                let (center, half) = (((*min - reference) + (*max - reference)) * 0.5, (*max - *min) * 0.5);
                Self::Box(BoxCore::new(center, half, &UNIT_ROWS)?)
            }
            ConvexShape::Polygon(vertices) => match vertices[..] {
                [a, b] => Self::Round { core: segment([a, b]), radius: 0.0 },
                [a, b, c] => Self::Triangle(TriangleCore::new([a, b, c], reference)),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// Whether two cores are at most as far apart as the radius, if `f64` is certain.
///
/// # Method
/// Two points of the cores are a proof if they are nearer. The direction between them is an axis: if it separates the cores by
/// more than the radius, they are farther apart. So nothing depends on how near to the nearest points these two are.
///
/// # Source
/// Ours; the bounds are those of [`certified_answer`](crate::overlap::certified::certified_answer).
///
/// # Accuracy
/// Points have errors of less than 2^-48 of the size of both cores, a squared distance less than 2^-45 of the size
/// squared; certainty takes 2^-42. See docs/proofs.md, Lemma 33.
///
/// # Edges
/// A segment without length is a point. Cores that cross have a distance of about zero, which is nearer than any radius that is
/// not as small as the errors.
#[cfg_attr(not(debug_assertions), inline(always))]
fn are_near(a: &SegmentCore, b: &impl FilterCore, radius: f64) -> Option<bool> {
    // Two points of the cores, about the nearest ones: near enough is an overlap, and else the direction between them
    // may separate the cores.
    let size = a.size() + b.size();
    let [p, q] = b.nearest_to(a);
    let (direction, radius_sq) = (q - p, radius * radius);
    if is_certainly_positive(radius_sq - direction.length_sq(), size * size + radius_sq) {
        return Some(true);
    }
    separates(direction, (a.interval(direction), a.size()), b, radius).then_some(false)
}
