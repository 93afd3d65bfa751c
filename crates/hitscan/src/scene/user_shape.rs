//! User geometries: shapes that other crates define.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, Feature, NotMeasured, PointGoal};
use crate::convex::convex_shape::ConvexShape;
use crate::distance::projection::{closest_point, measured};
use crate::explain::Explanation;
use crate::hit::{Hit, Side, Span};
use crate::kernel::candidate::HitCandidate;
use crate::kernel::hit_builder::build_hit;
use crate::kernel::projection::Projection;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::ball::Ball;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape};
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Faces, Inside, Query};
use crate::ray::Ray;
use crate::shapes::cuboid::Cuboid;
use crate::sweep::advance::{Advance, MeasuredShape, advance, image_of_bounds, interval_of, tolerance_of_points};
use crate::sweep::approach::counts;
use crate::sweep_hit::SweepResult;
use alloc::sync::Arc;
use core::any::Any;
use core::fmt;
use core::ops::{ControlFlow, RangeInclusive};

/// A user geometry: a shape of your own. [`UserShape`] makes a shape of it, with all queries, which scenes hold and
/// transforms place.
///
/// All queries follow from [`aabb`](Self::aabb) and [`cast`](Self::cast). The rules of queries (the range of `t`, the
/// start inside a solid, faces, layers) and the order among the objects of a scene are those of every shape. But the hits
/// are only as right as `cast` is: exactness ends here. A query takes the `t` of a hit as an exact number.
///
/// Under a transform, `cast` gets the ray in the coordinates of the geometry, rounded, with the same `t`.
///
/// Queries may run on many threads, and must give the same result for the same ray. Embree calls this a user geometry.
///
/// ```
/// use core::ops::RangeInclusive;
/// use hitscan::{glam::Vec3, Aabb, Ray, RayCast, UserGeometry, UserHit, UserShape};
///
/// /// The surface z = x y over the square from -1 to 1.
/// #[derive(Debug)]
/// struct Saddle;
///
/// impl UserGeometry<Vec3> for Saddle {
///     fn aabb(&self) -> Aabb<Vec3> {
///         Aabb::from_points([-Vec3::ONE, Vec3::ONE])
///     }
///     fn is_solid(&self) -> bool {
///         false
///     }
///     fn cast(&self, ray: &Ray<Vec3>, range: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
///         let (o, d) = (ray.origin, ray.direction);
///         // (o.x + t d.x) (o.y + t d.y) - (o.z + t d.z) = a t^2 + b t + c
///         let (a, b, c) = (d.x * d.y, o.x * d.y + o.y * d.x - d.z, o.x * o.y - o.z);
///         let root = (b * b - 4.0 * a * c).sqrt();
///         let roots = if a == 0.0 { [-c / b, -c / b] } else { [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)] };
///         let on_it = |t: &f32| range.contains(t) && ray.at(*t).x.abs() <= 1.0 && ray.at(*t).y.abs() <= 1.0;
///         let t = roots.into_iter().filter(on_it).reduce(f32::min)?;
///         let point = ray.at(t);
///         Some(UserHit::new(t, Vec3::new(-point.y, -point.x, 1.0)))
///     }
/// }
///
/// let saddle = UserShape::new(Saddle);
/// let hit = saddle.cast_ray(&Ray::new(Vec3::new(0.5, 0.5, 3.0), -Vec3::Z), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.point.z), (2.75, 0.25));
/// # Ok::<(), &str>(())
/// ```
pub trait UserGeometry<V: Vector>: fmt::Debug + Send + Sync + Any {
    /// Bounds of the geometry. They must contain every hit: a query may lose a hit outside of them.
    fn aabb(&self) -> Aabb<V>;
    /// The crossing of the ray and the surface with the smallest `t` in the range.
    ///
    /// Both ends are finite and belong to the range. A query ignores a `t` outside of the range, and a NaN. For all hits it
    /// casts again behind each one.
    fn cast(&self, ray: &Ray<V>, range: RangeInclusive<V::Scalar>) -> Option<UserHit<V>>;
    /// Whether the surface encloses a solid. Then crossings come in turns, in through the front and out through the back.
    fn is_solid(&self) -> bool {
        true
    }
    /// Whether the closed solid contains the point: by default, whether a ray from it leaves the solid first.
    fn contains(&self, point: V) -> bool {
        let [zero, one] = [V::Scalar::ZERO, V::Scalar::ONE];
        let (ray, range) = (Ray::new(point, V::from_xyz([one, zero, zero])), zero..=V::Scalar::MAX);
        let first = self.cast(&ray, range.clone()).filter(|hit| range.contains(&hit.t));
        self.is_solid() && first.is_some_and(|hit| hit.t == zero || side(&ray, &hit) == Side::Back)
    }
    /// Whether there is a crossing in the range: by default, whether [`cast`](Self::cast) finds one.
    fn intersects(&self, ray: &Ray<V>, range: RangeInclusive<V::Scalar>) -> bool {
        self.cast(ray, range.clone()).is_some_and(|hit| range.contains(&hit.t))
    }
    /// The point of the surface that is closest to a point, for [`PointQuery`](crate::PointQuery); by default `None`: the
    /// geometry does not measure. Its queries by distance then have no result, nor have those of a scene where it may be the
    /// closest; and moving spheres meet its bounds, as all other moving volumes do.
    fn closest_point(&self, _point: V) -> Option<V> {
        None
    }
}

/// A crossing of a ray and a [`UserGeometry`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UserHit<V: Vector> {
    /// The ray parameter.
    pub t: V::Scalar,
    /// The surface normal, of any length, in the coordinates of the geometry. It points out of a solid. The side of the hit
    /// follows from it. If it is zero or not finite, the hit gets the direction against the ray.
    pub normal: V,
    /// Surface coordinates of your own, for [`Hit::uv`].
    pub uv: Option<[V::Scalar; 2]>,
    /// A number of your own, for [`Hit::primitive`].
    pub primitive: Option<u32>,
}

impl<V: Vector> UserHit<V> {
    /// A crossing without surface coordinates and number.
    #[must_use]
    pub fn new(t: V::Scalar, normal: V) -> Self {
        Self { t, normal, uv: None, primitive: None }
    }
    /// Sets the surface coordinates.
    #[must_use]
    pub fn with_uv(self, uv: [V::Scalar; 2]) -> Self {
        Self { uv: Some(uv), ..self }
    }
    /// Sets the number.
    #[must_use]
    pub fn with_primitive(self, primitive: u32) -> Self {
        Self { primitive: Some(primitive), ..self }
    }
}

/// The shape of a [`UserGeometry`]. Clones share the geometry.
#[derive(Clone, Debug)]
pub struct UserShape<V: Vector>(Arc<dyn UserGeometry<V>>);

impl<V: Vector> UserShape<V> {
    /// The shape of a geometry.
    #[must_use]
    pub fn new(geometry: impl UserGeometry<V>) -> Self {
        Self(Arc::new(geometry))
    }
    /// The geometry. `(shape.geometry() as &dyn Any).downcast_ref()` has it in its own type.
    #[must_use]
    pub fn geometry(&self) -> &dyn UserGeometry<V> {
        &*self.0
    }

    /// A box that contains the bounds; `None` for unbounded or empty bounds. Moving volumes meet it where the geometry does not measure.
    fn bounding_box(&self) -> Option<Cuboid<V>> {
        let Aabb { min, max } = self.0.aabb();
        let (min, max) = (min.to_f64(), max.to_f64());
        let middle = [0, 1, 2].map(|axis| V::Scalar::from_f64(0.5 * min[axis] + 0.5 * max[axis]));
        let half = [0, 1, 2].map(|axis| {
            let middle = middle[axis].to_f64();
            V::Scalar::from_f64((max[axis] - middle).max(middle - min[axis])).next_up().next_up()
        });
        Cuboid::new(V::from_xyz(middle), V::from_xyz(half)).ok()
    }

    /// Whether a volume overlaps the geometry. A ball does if the geometry contains its centre or measures a distance up to its
    /// radius; for other volumes, and where the geometry does not measure, its bounds answer.
    fn overlaps_volume(&self, volume: &Volume<V>, level: Option<&InstanceLevel<'_>>) -> bool {
        let bounds = self.0.aabb();
        let is_near = match Volume::from(bounds) {
            bounds if bounds.is_valid() => volume.overlaps_convex(&bounds.shape, level),
            // Bounds without an end.
            _ => !bounds.is_empty(),
        };
        let ConvexShape::Ball { radius, .. } = volume.shape else { return is_near };
        if !is_near || self.contains_point(volume.point, level) {
            return is_near;
        }
        match self.project_point(volume.point, level, PointGoal::Within(radius)) {
            Ok(found) => found.is_some(),
            Err(NotMeasured) => true,
        }
    }

    /// The query in the coordinates of the geometry; `None` if it hits nothing.
    fn search<'a>(
        &'a self,
        line: &'a InstanceRay<'a, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<UserSearch<'a, V>> {
        // The ray in the precision and coordinates of the geometry. Under a transform it is the rounded local ray: `t`
        // stays the same.
        let vector = |v: Vec3<f64>| V::from_xyz([v.x, v.y, v.z].map(V::Scalar::from_f64));
        let ray = match line.level {
            None => Ray::new(V::narrow(line.world.origin), V::narrow(line.world.direction)),
            Some(level) => {
                let value = |v: Vec3<Ball<f64>>| vector(Vec3::new(v.x.value, v.y.value, v.z.value));
                let local = level.local();
                Ray::new(value(local.origin), value(local.direction))
            }
        };
        // The range in the same precision. `cast` gets finite ends, but whether the range has a beginning decides about
        // a start inside.
        let range = TRange::new(line.world, query);
        let [min, max] = [range.min, range.max].map(|t| V::Scalar::from_f64(t.to_f64()));
        let has_start = min > -V::Scalar::INFINITY;
        let min = if has_start { min } else { -V::Scalar::MAX };
        // Nothing beyond the limit is needed; one step more keeps a hit at the limit, which may win a tie.
        let limit = V::Scalar::from_f64(limit).next_up();
        let max = if limit < max { limit } else { max };
        // A ray that the geometry cannot use (not finite, or with a direction that rounds to zero) hits nothing.
        let is_ray =
            line.is_valid() && ray.origin.all_finite() && ray.direction.all_finite() && !ray.direction.is_zero();
        // Only a range with a beginning can begin inside a solid.
        let inside = query.inside_mode() == Inside::Solid && self.0.is_solid() && has_start;
        (is_ray && min <= max).then_some(UserSearch {
            geometry: self,
            line,
            ray,
            min,
            max,
            faces: query.faces_mode(),
            inside,
        })
    }
}

/// The side on which a ray crosses the surface.
fn side<V: Vector>(ray: &Ray<V>, hit: &UserHit<V>) -> Side {
    let ([a, b, c], [x, y, z]) = (ray.direction.to_f64(), hit.normal.to_f64());
    if a * x + b * y + c * z < 0.0 { Side::Front } else { Side::Back }
}

/// Query of a user geometry, in its coordinates.
struct UserSearch<'a, V: Vector> {
    geometry: &'a UserShape<V>,
    line: &'a InstanceRay<'a, V>,
    ray: Ray<V>,
    min: V::Scalar,
    max: V::Scalar,
    faces: Faces,
    /// Whether a ray that starts inside hits there.
    inside: bool,
}

impl<V: Vector> UserSearch<'_, V> {
    /// Next crossing of a visible side at or after `from`.
    fn next(&self, mut from: V::Scalar) -> Option<UserHit<V>> {
        let solid = self.geometry.0.is_solid();
        while from <= self.max {
            let hit =
                self.geometry.0.cast(&self.ray, from..=self.max).filter(|hit| hit.t >= from && hit.t <= self.max)?;
            let is_seen = match self.faces {
                Faces::Both => true,
                Faces::Front => solid || side(&self.ray, &hit) == Side::Front,
                Faces::Back => solid || side(&self.ray, &hit) == Side::Back,
            };
            if is_seen {
                return Some(hit);
            }
            from = hit.t.next_up();
        }
        None
    }

    /// Whether the range starts inside the solid, given the first crossing.
    fn starts_inside(&self, first: Option<&UserHit<V>>) -> bool {
        match first {
            Some(hit) => hit.t == self.min || side(&self.ray, hit) == Side::Back,
            None => self.geometry.0.contains(self.ray.at(self.min)),
        }
    }

    /// Calls `out` with every hit until it is false; `None` for the start inside.
    fn each(&self, mut out: impl FnMut(V::Scalar, Option<UserHit<V>>) -> bool) {
        let mut next = self.next(self.min);
        if self.inside && self.starts_inside(next.as_ref()) {
            if !out(self.min, None) {
                return;
            }
            if next.is_some_and(|hit| hit.t == self.min) {
                next = self.next(self.min.next_up());
            }
        }
        while let Some(hit) = next {
            if !out(hit.t, Some(hit)) {
                return;
            }
            next = self.next(hit.t.next_up());
        }
    }

    fn hit(&self, t: V::Scalar, crossing: Option<&UserHit<V>>) -> Hit<V> {
        let Some(crossing) = crossing else {
            return build_hit(self.line.world, t.widen(), None, Side::Back, None);
        };
        let [x, y, z] = crossing.normal.to_f64();
        let normal = match self.line.level {
            None => [x, y, z],
            Some(level) => {
                let normal = level.in_balls().normal(Vec3::new(x, y, z).map_to(Ball::from_f64));
                [normal.x.value, normal.y.value, normal.z.value]
            }
        };
        let is_usable = normal.iter().all(|x| x.is_finite()) && normal != [0.0; 3];
        let [x, y, z] = normal.map(Working::<V>::from_f64);
        let normal = is_usable.then(|| Vec3::new(x, y, z));
        let uv = crossing.uv.map(|uv| uv.map(Real::widen));
        let hit = build_hit(self.line.world, t.widen(), normal, side(&self.ray, crossing), uv);
        Hit { primitive: crossing.primitive, ..hit }
    }
}

impl<V: Vector> Shape<V> for UserShape<V> {
    fn name(&self) -> &'static str {
        "user geometry"
    }
    fn aabb(&self) -> Aabb<V> {
        self.0.aabb()
    }
    fn encloses_points(&self) -> bool {
        self.0.is_solid()
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        let local = level.map_or(point, |level| {
            let Vec3 { x, y, z } = level.local().origin;
            V::from_xyz([x.value, y.value, z.value].map(V::Scalar::from_f64))
        });
        self.0.is_solid() && local.all_finite() && self.0.contains(local)
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        if goal == PointGoal::Depth && !self.contains_point(point, level) {
            return Ok(None);
        }
        let map = level.map(InstanceLevel::affine_map::<Working<V>>);
        if map.is_some_and(|map| map.similarity::<V>().is_none()) {
            return Err(NotMeasured);
        }
        let world = point.widen::<Working<V>>();
        let local = map.map_or(point, |map| V::narrow(map.preimage(world)));
        let is_usable = |point: &V| point.all_finite();
        let found = Some(local).filter(is_usable).and_then(|local| self.0.closest_point(local)).filter(is_usable);
        let found = found.ok_or(NotMeasured)?.widen();
        goal.result(closest_point(&measured(world, map.map_or(found, |map| map.point(found)), Feature::Face(0))))
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        // Without a measure of distances, the volume meets the box of the geometry, or, for a box without end, may meet
        // anything within it.
        let map = ray.level.map(InstanceLevel::affine_map::<Working<V>>);
        let bounds = image_of_bounds(&self.0.aabb(), map.as_ref());
        let by_bounds = || match self.bounding_box() {
            Some(bounding_box) => bounding_box.sweep(ray, swept, query, limit),
            None => {
                let [near, far] = interval_of::<V>(bounds, ray.world, swept.radius());
                let range = TRange::new(ray.world, query);
                let is_passed = near > range.max.to_f64().min(limit) || far < range.min.to_f64();
                if is_passed { Ok(None) } else { Err(NotMeasured) }
            }
        };
        // Only spheres are swept by distances; other volumes meet the bounds.
        let SweptVolume::Sphere(radius) = swept else { return by_bounds() };
        let level = ray.level;
        let narrow = |point: Vec3<Working<V>>| V::narrow(point);
        // The geometry measures in the precision of the scene. Under a transform, each step of the advance needs an
        // instance stack for its own point.
        let at = |point: V, query_at: &mut dyn FnMut(Option<&InstanceLevel<'_>>)| match level {
            None => query_at(None),
            Some(level) => level.with_ray(&InputRay::point(point.to_f64()), &mut |level| query_at(Some(level))),
        };
        // The distance at a centre of the sphere, measured in the world, where the sphere is round.
        let project = |point: Vec3<Working<V>>| {
            let mut found = Err(NotMeasured);
            at(narrow(point), &mut |level| {
                found = self.project_point(narrow(point), level, PointGoal::Within(f64::INFINITY));
            });
            let found = found?.ok_or(NotMeasured)?;
            Ok(Projection { uv: None, ..measured(point, found.point.widen(), found.feature) })
        };
        let contains = |point: Vec3<Working<V>>| {
            let mut inside = false;
            at(narrow(point), &mut |level| inside = self.contains_point(narrow(point), level));
            inside
        };
        // The sphere advances by the distance measured, with a tolerance for the precision of the points.
        let shape = MeasuredShape {
            project: &project,
            contains: &contains,
            // A geometry of the user does not tell its normals.
            normal: &|_| None,
            advance: Advance::ByDistance,
            tolerance: tolerance_of_points::<V::Scalar>(),
        };
        // A geometry that does not measure is swept by its bounds. A contact at the start counts only if the query
        // takes solids, and perhaps only if the sphere approaches.
        let Ok(found) = advance(&shape, ray.world, radius, (query, limit), bounds) else { return by_bounds() };
        Ok(found.filter(|found| counts(query, &found.hit, ray.world)))
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        _goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.overlaps_volume(volume, level) { found(Overlap::WHOLE) } else { ControlFlow::Continue(()) }
    }
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        let (search, mut found) = (self.search(line, query, limit)?, None);
        search.each(|t, crossing| {
            found = Some(HitCandidate { t: t.widen(), primitive: 0, at_start: crossing.is_none() });
            *hit = Some(search.hit(t, crossing.as_ref()));
            false
        });
        found
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        _found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        self.closest_hit(line, query)
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let mut hit = None;
        self.candidate(line, query, f64::INFINITY, &mut hit)?;
        hit
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let Some(search) = self.search(line, query, f64::INFINITY) else { return false };
        if search.faces != Faces::Both && !self.0.is_solid() {
            return search.next(search.min).is_some();
        }
        let is_crossed = self.0.intersects(&search.ray, search.min..=search.max);
        is_crossed || (search.inside && search.starts_inside(None))
    }
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        let (Some(search), mut left) = (self.search(line, query, f64::INFINITY), most) else { return };
        if left == 0 {
            return;
        }
        search.each(|t, crossing| {
            out(t.widen(), search.hit(t, crossing.as_ref()));
            left -= 1;
            left > 0
        });
    }
    fn exact_first(
        &self,
        _line: &InstanceRay<'_, V>,
        _query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        Some(Exact::from_f64(found.t.to_f64()))
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let Some(search) = self.search(line, query, f64::INFINITY) else { return };
        search.each(|t, _| {
            out(Exact::from_f64(t.to_f64()));
            true
        });
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let mut count = 0;
        self.all_hits(line, query, usize::MAX, &mut |_, _| count += 1);
        count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        // Spans need to know whether the range starts inside, whatever the rule of the query.
        let Some(search) = self.search(line, &query.inside(Inside::Solid), f64::INFINITY) else { return };
        if !self.0.is_solid() {
            return;
        }
        // A range without a first number may start inside.
        let (mut open, mut is_first) = (None, true);
        // Crossings come in turns: an entry opens a span, and the exit closes it.
        search.each(|t, crossing| {
            let hit = search.hit(t, crossing.as_ref());
            let leaves = crossing.is_some() && hit.side == Side::Back;
            match open.take() {
                Some((start, enter)) if leaves => out([start, t.widen()], Span { enter: Some(enter), exit: Some(hit) }),
                // An exit before any entry: the span began before the range.
                None if leaves && is_first => {
                    out([Working::<V>::from_f64(f64::NEG_INFINITY), t.widen()], Span { enter: None, exit: Some(hit) });
                }
                None if leaves => {}
                enter => open = enter.or(Some((t.widen(), hit))),
            }
            is_first = false;
            true
        });
        // A span that the range cuts off has no exit.
        if let Some((start, enter)) = open {
            out([start, Working::<V>::from_f64(f64::INFINITY)], Span { enter: Some(enter), exit: None });
        }
    }
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        // A geometry gives its `t` in the precision of the ray: they are exact as they are.
        self.all_spans(line, query, &mut |ends, _| out(ends.map(|t| Exact::from_f64(t.to_f64()))));
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        match self.closest_hit(line, query) {
            Some(hit) => {
                explanation.number("t", hit.t.to_f64());
                explanation.verdict("hit: the user geometry reports this t");
            }
            None => explanation.verdict("miss: the user geometry reports no hit within the range of t"),
        }
    }
}
