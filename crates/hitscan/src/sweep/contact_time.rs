//! When a moving sphere meets a part of a shape: a ray against that part, inflated by the radius.

use crate::adaptive::evaluate::TParts;
use crate::adaptive::stages::{Evaluate, evaluate_filter, evaluate_lazily, evaluate_unfused};
use crate::explain::Trace;
use crate::kernel::sweep_core::SweepCore;
use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::frame::Frame;
use crate::math::instance_stack::InstanceLevel;
use crate::math::observer::Observer;
use crate::math::real::Precision;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::shrunk;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::query::{Inside, Query};
use crate::sweep::part_sweep::PartSweep;
use crate::sweep::thick_box::sweep_box;
use crate::sweep::thick_plane::ThickPlane;
use crate::sweep::thick_triangle::sweep_triangle;
use glam::{DVec2, DVec3};

/// Contact of a moving sphere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) t: TParts,
    /// Whether the sphere touches at the start of the range.
    pub(crate) at_start: bool,
}

impl Contact {
    /// Whether the contact comes before another one.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.at_start && !other.at_start || self.t < other.t
    }
}

/// Evaluation: the first contact of a sphere of `radius` around the ray with a part, within the range of the query.
struct FirstContact<'a> {
    part: &'a SweepCore,
    /// The instance stack of a plane or half-space that is placed.
    level: Option<&'a InstanceLevel<'a>>,
    radius: f64,
    query: &'a Query<f64>,
    limit: f64,
}

impl Evaluate for FirstContact<'_> {
    type Output = Option<Contact>;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let Self { part, level, radius, query, limit } = *self;
        // The search for the earliest contact with the sets of which the inflated part consists.
        let (mut sweep, r) = (PartSweep::new(line, query, observer), T::from_f64(radius));
        // Each part is inflated by the radius in its own way.
        match *part {
            SweepCore::Segment { a, b, radius } => {
                sweep.segment([a.widen(), b.widen()], T::from_f64(radius) + r);
            }
            SweepCore::Triangle(vertices) => sweep_triangle(&mut sweep, vertices.map(Vector::widen), r, limit),
            SweepCore::Cuboid { center, half_extents } => {
                sweep_box::<DVec3, _, _>(&mut sweep, center.widen(), half_extents.widen(), r);
            }
            SweepCore::Rectangle { center, half_extents } => {
                sweep_box::<DVec2, _, _>(&mut sweep, center.widen(), half_extents.widen(), r);
            }
            SweepCore::Plane { point, normal } => {
                let plane = thick_plane(&mut sweep, (point, normal), level, r);
                if query.faces_mode().include(plane.slope)
                    && let Some([enter, exit]) = plane.cross_slab(sweep.observer)
                {
                    sweep.add(&enter, |_| exit);
                }
            }
            SweepCore::HalfSpace { point, normal } => {
                let plane = thick_plane(&mut sweep, (point, normal), level, r);
                if let Some([enter, exit]) = plane.cross_half_space(sweep.observer) {
                    sweep.add(&enter, |_| exit);
                }
            }
        }
        sweep.earliest.map(|(t, at_start)| Contact { t: t.parts(), at_start })
    }
}

/// The vector with its largest component in 1..2, where the arithmetic scales.
fn scaled<T: Arithmetic>(v: BoundedVector<T>) -> BoundedVector<T> {
    if T::NORMWISE_BOUNDS {
        return v;
    }
    let scale = power_of_two_below(v.vector.max_abs_f64()).unwrap_or(1.0);
    let by_scale = |c: T| shrunk(c, scale);
    BoundedVector { vector: v.vector.map(by_scale), magnitude: v.magnitude.map(by_scale) }
}

/// The slab around a plane, or around its exact image under the transforms of an instance.
fn thick_plane<T: Arithmetic, P: Observer>(
    sweep: &mut PartSweep<'_, T, P>,
    (point, normal): (DVec3, DVec3),
    level: Option<&InstanceLevel<'_>>,
    r: T,
) -> ThickPlane<T> {
    // Point and normal: of an image, sums of products, with bounds of their terms.
    let (point, normal) = (point.widen::<T>(), normal.widen::<T>());
    let (point, normal, terms) = match level {
        None => (point, BoundedVector::new(normal.normalize_exponent_checked()), None),
        Some(level) => {
            let (map, terms) = (level.affine_map::<T>(), level.affine_terms::<T>());
            // Products of six such numbers keep their digits; exact ones always do.
            if !(map.is_ordinary() && terms.is_ordinary() && point.is_ordinary() && normal.is_ordinary()) {
                sweep.observer.set_uncertain();
            }
            let (normal, [determinant, magnitude]) = map.cofactor_normal(&terms, normal);
            sweep.observer.sign(determinant, magnitude);
            (map.point(point), scaled(normal), Some(terms.point(point.map(Arithmetic::abs))))
        }
    };
    // The line relative to the point, and scaled, in the arithmetics that need it.
    let frame = sweep.line.local(point, r.to_f64());
    let r = frame.length(r);
    frame.check_scale([], [r], sweep.observer);
    Frame::check_direction::<f64, _>(normal.vector, sweep.observer);
    let plane = ThickPlane::new(frame, normal, r, sweep.observer);
    let Some(terms) = terms else { return plane };
    let terms = terms + sweep.line.origin.map(Arithmetic::abs);
    plane.with_offset_terms(normal.magnitude, frame.vector(terms))
}

/// The first contact, with precision raised until each decision is certain. A contact in `f64` has the digits of `Dd`. One beyond
/// `limit` need not be found; the limit changes no other result. Only planes and half-spaces may have a `level`.
pub(crate) fn first_contact(
    (part, level): (&SweepCore, Option<&InstanceLevel<'_>>),
    radius: f64,
    input: &InputRay,
    query: &Query<f64>,
    (precision, limit): (Precision, f64),
) -> Option<Contact> {
    // Whether contacts at the start count, the caller decides; here they do.
    let query = &query.inside(Inside::Solid);
    let evaluation = FirstContact { part, level, radius, query, limit };
    // The slow path, when the filter is uncertain.
    let exactly = || evaluate_lazily(&evaluation, input, &mut Trace::default());
    let found = evaluate_filter(&evaluation, || *input);
    // In `f32`, the numbers of the filter have all digits. In `f64`, a miss ends here, and double-words add the digits
    // of a contact.
    match (found, precision) {
        (None, _) => exactly(),
        (Some(found), Precision::Single) => found,
        (Some(found), Precision::Double) => {
            found?;
            // Near the ends of the range of `f64` digits are missing.
            evaluate_unfused(&evaluation, input).filter(|found| !found.t.0.is_nan()).or_else(exactly)
        }
    }
}
