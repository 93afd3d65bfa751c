//! Objects of a scene as queries of points and volumes see them.

use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::math::instance_stack::InstanceLevel;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::shape::{OverlapGoal, Shape};
use crate::scene::any::Space;
use crate::scene::group::Group;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::transformed_shape::TransformedShape;
use crate::scene::tree_level::Accept;
use core::ops::ControlFlow;

/// The shape of an object, of which the queries of points and volumes see a part: of a group its members on some layers, perhaps
/// without triggers, of any other shape all. A ray brings its rules along in its query; points and volumes have no query.
#[derive(Clone, Copy)]
pub(crate) struct SeenObject<'a, V: Space> {
    instance: &'a TransformedShape<V>,
    accept: Accept<'a, V>,
}

impl<'a, V: Space> SceneView<'a, V> {
    /// The object as this scene sees it.
    #[inline(always)]
    pub(crate) fn seen(self, placed: &'a PlacedObject<V>) -> SeenObject<'a, V> {
        SeenObject { instance: &placed.object.instance.0, accept: self.accept }
    }
}

impl<'a, V: Space> SeenObject<'a, V> {
    /// The group and its members that are seen; `None` where the whole shape is.
    #[inline(always)]
    pub(crate) fn members(self) -> Option<(&'a Group<V>, SceneView<'a, V>)> {
        if self.accept.accepts_members() {
            return None;
        }
        let group = V::as_group(&self.instance.shape)?;
        Some((group, group.scene::<Scene<V>>()?.view().seen_by(self.accept)))
    }

    /// See [`Shape::contains_point`].
    pub(crate) fn contains_point(self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        match self.members() {
            None => self.instance.contains_point(point, level),
            Some((_, members)) => self.instance.place_point(point, level, |level| members.contains_point(point, level)),
        }
    }

    /// See [`Shape::project_point`].
    pub(crate) fn project_point(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        goal: PointGoal,
    ) -> ClosestResult<V> {
        let Some((group, members)) = self.members() else { return self.instance.project_point(point, level, goal) };
        let found = self.instance.place_point(point, level, |level| members.project_point(point, level, goal))?;
        Ok(found.map(|found| group.own_point(found)))
    }

    /// See [`Shape::project_primitives`].
    pub(crate) fn project_primitives(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        let Some((group, members)) = self.members() else {
            return self.instance.project_primitives(point, level, limit, out);
        };
        self.instance.place_point(point, level, |level| {
            members.project_primitives(
                point,
                level,
                limit,
                &mut |found| out(found.map(|found| group.own_point(found))),
            );
        });
    }

    /// See [`Shape::visit_overlaps`].
    pub(crate) fn visit_overlaps(
        self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some((group, members)) = self.members() else {
            return self.instance.visit_overlaps(volume, level, goal, found);
        };
        let mut own = |part| found(group.own_overlap(part));
        self.instance.place_point(volume.point, level, |level| {
            members.visit_overlaps(volume, level, Group::<V>::goal_within(goal), &mut own)
        })
    }
}
