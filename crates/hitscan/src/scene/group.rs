//! Groups: a scene as a shape, to be placed in other scenes.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestPoint, ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId, Span};
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::{Vector, Working};
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{MAX_NESTING, OnSpan, OverlapGoal, Shape};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::scene::error::SceneError;
use crate::sweep_hit::{SweepCandidate, SweepHit, SweepResult};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::ops::ControlFlow;

/// A group: a scene as a shape. Objects of other scenes place it any number of times; all of them share its memory.
///
/// A hit names the outermost object in [`Hit::object`]. Its [`Hit::member`] is the number of the shape within the group,
/// and [`path`](Self::path) gives the objects down to that shape. A layer mask must match at each level.
///
/// ```
/// use hitscan::{glam::Vec3, Group, Object, Ray, RayCast, Scene, Sphere, Transform};
/// let mut pair = Scene::new();
/// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
/// let near = pair.insert(Object::new(ball))?;
/// let far = pair.insert(Object::new(ball).with_transform(Transform::from_translation(Vec3::X * 10.0)?))?;
/// let pair = Group::new(pair)?;
///
/// let mut scene = Scene::new();
/// scene.insert(Object::new(pair.clone()))?;
/// let above = scene.insert(Object::new(pair.clone()).with_transform(Transform::from_translation(Vec3::Y * 5.0)?))?;
/// let hit = scene.cast_ray(&Ray::new(Vec3::new(20.0, 5.0, 0.0), -Vec3::X), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.object), (9.0, Some(above)));
/// assert_eq!(hit.member.map(|member| pair.path(member)), Some(vec![far]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Group<V: Vector>(Arc<GroupData<V>>);

struct GroupData<V: Vector> {
    scene: Arc<dyn Shape<V>>,
    /// The same scene, by its type.
    saved: Arc<dyn Any + Send + Sync>,
    depth: u32,
    /// Number of shapes in the group.
    shapes: u32,
    /// The objects by the row of their id; vacant rows are empty.
    members: Vec<Option<Member<V>>>,
}

/// Object of a group.
struct Member<V: Vector> {
    id: ObjectId,
    /// Number of shapes in the objects before this one.
    first: u32,
    group: Option<Group<V>>,
}

impl<V: Vector> fmt::Debug for Group<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("objects", &self.members().count()).field("depth", &self.depth()).finish()
    }
}

impl<V: Vector> Group<V> {
    /// Group of a scene and its objects: the id of each, its nesting, and its shape if that is a group.
    pub(crate) fn from_parts<'a>(
        scene: Arc<impl Shape<V> + 'static>,
        objects: impl Iterator<Item = (ObjectId, u32, Option<&'a Self>)>,
    ) -> Result<Self, SceneError> {
        let (mut members, mut shapes, mut depth) = (Vec::new(), 0u32, 1);
        // Members are found by the row of their id. Each gets a range of numbers, one for each shape below it, so that
        // one number names a shape at any depth.
        for (id, nesting, group) in objects {
            let row = id.index();
            if members.len() <= row {
                members.resize_with(row + 1, || None);
            }
            members[row] = Some(Member { id, first: shapes, group: group.cloned() });
            shapes = shapes.checked_add(group.map_or(1, |group| group.0.shapes)).ok_or(SceneError::TooMany)?;
            depth = depth.max(nesting + 1);
        }
        // Each level of groups is a level of recursion in queries, and the limit keeps their stack short.
        if depth > MAX_NESTING {
            return Err(SceneError::TooDeep);
        }
        let saved = scene.clone();
        Ok(Self(Arc::new(GroupData { scene, saved, depth, shapes, members })))
    }

    /// The scene, if it has this type: that of the group's own scene.
    pub(crate) fn scene<S: 'static>(&self) -> Option<&S> {
        self.0.saved.downcast_ref()
    }

    /// The address of the memory that the clones of the group share: that of no other group, as long as it lives.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The number of levels: 1 for a group without groups and solids in it.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The objects from the group down to the shape with this number: see [`Hit::member`]. Empty for a number that no
    /// shape has. O(objects of the group).
    #[must_use]
    pub fn path(&self, member: u32) -> Vec<ObjectId> {
        let mut path = Vec::new();
        // At each level, the member with the greatest first number that is not above `number` holds the shape.
        let (mut group, mut number) = (self, member);
        while number < group.0.shapes {
            let Some(member) = group.members().filter(|member| member.first <= number).max_by_key(|m| m.first) else {
                break;
            };
            path.push(member.id);
            number -= member.first;
            match &member.group {
                Some(inner) => group = inner,
                None => break,
            }
        }
        path
    }

    fn members(&self) -> impl Iterator<Item = &Member<V>> {
        self.0.members.iter().flatten()
    }

    /// The number of a shape of the inner scene, by its object and its number within that.
    fn number(&self, object: Option<ObjectId>, member: Option<u32>) -> Option<u32> {
        let object = object.and_then(|id| self.0.members.get(id.index())?.as_ref());
        object.map(|object| object.first + member.unwrap_or(0))
    }

    /// The hit of the inner scene, with the number of its shape in place of the object.
    fn own(&self, hit: Hit<V>) -> Hit<V> {
        Hit { object: None, member: self.number(hit.object, hit.member), ..hit }
    }

    /// The contact of the inner scene, with the number of its shape in place of the object.
    fn own_sweep(&self, hit: SweepHit<V>) -> SweepHit<V> {
        SweepHit { object: None, member: self.number(hit.object, hit.member), ..hit }
    }

    /// The closest point of the inner scene, with the number of its shape in place of the object.
    pub(crate) fn own_point(&self, found: ClosestPoint<V>) -> ClosestPoint<V> {
        ClosestPoint { object: None, member: self.number(found.object, found.member), ..found }
    }

    /// The overlap of the inner scene, with the number of its shape in place of the object.
    pub(crate) fn own_overlap(&self, part: Overlap) -> Overlap {
        let member = self.number(part.object, part.member);
        Overlap { object: None, member, order: u64::from(member.unwrap_or(0)), ..part }
    }

    /// The goal of an overlap query at the members: each of them is to be found, unless one overlap is enough.
    pub(crate) fn goal_within(goal: OverlapGoal) -> OverlapGoal {
        if goal == OverlapGoal::Any { goal } else { OverlapGoal::EachShape }
    }
}

impl<V: Vector> Shape<V> for Group<V> {
    fn name(&self) -> &'static str {
        "group"
    }
    fn aabb(&self) -> Aabb<V> {
        self.0.scene.aabb()
    }
    fn nesting(&self) -> u32 {
        self.0.depth
    }
    fn encloses_points(&self) -> bool {
        self.0.scene.encloses_points()
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        self.0.scene.contains_point(point, level)
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        Ok(self.0.scene.project_point(point, level, goal)?.map(|found| self.own_point(found)))
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        let found = self.0.scene.sweep(ray, swept, query, limit)?;
        Ok(found.map(|found| SweepCandidate { hit: self.own_sweep(found.hit), ..found }))
    }
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        self.0.scene.project_primitives(
            point,
            level,
            limit,
            &mut |found| out(found.map(|found| self.own_point(found))),
        );
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.0.scene.visit_overlaps(volume, level, Self::goal_within(goal), &mut |part| found(self.own_overlap(part)))
    }
    fn candidate(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        let candidate = self.0.scene.candidate(ray, query, limit, hit);
        *hit = hit.map(|hit| self.own(hit));
        candidate
    }
    fn finish(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        self.0.scene.finish(ray, query, found).map(|hit| self.own(hit))
    }
    fn closest_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.0.scene.closest_hit(ray, query).map(|hit| self.own(hit))
    }
    fn any_hit(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        self.0.scene.any_hit(ray, query)
    }
    fn all_hits(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        self.0.scene.all_hits(ray, query, most, &mut |t, hit| out(t, self.own(hit)));
    }
    fn exact_first(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        self.0.scene.exact_first(ray, query, found)
    }
    fn exact_all_t(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        self.0.scene.exact_all_t(ray, query, out);
    }
    fn count(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        self.0.scene.count(ray, query)
    }
    fn all_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        let own = |end: Option<Hit<V>>| end.map(|hit| self.own(hit));
        self.0.scene.all_spans(ray, query, &mut |t, Span { enter, exit }| {
            out(t, Span { enter: own(enter), exit: own(exit) });
        });
    }
    fn exact_spans(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        self.0.scene.exact_spans(ray, query, out);
    }
    fn explain_ray(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        self.0.scene.explain_ray(ray, query, explanation);
    }
}
