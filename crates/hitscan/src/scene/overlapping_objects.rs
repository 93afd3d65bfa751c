//! The objects of a scene that a volume overlaps.

use crate::bvh::primitive_index::AccelRef;
use crate::hit::ObjectId;
use crate::math::instance_stack::InstanceLevel;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::shape::{OverlapGoal, Shape};
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::View;
use crate::simd::lanes::prefetch;
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// Objects whose memory is fetched before the first of them is tested.
const FETCHED: usize = 4;

impl<'a, V: Space> SceneView<'a, V> {
    /// Calls `found` with every object that the volume overlaps, or with every shape of it that it overlaps.
    pub(crate) fn visit_overlapping(
        self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let query = &Query::new().of_all_hits();
        let is_each_shape = goal == OverlapGoal::EachShape;
        let object = |placed: &'a PlacedObject<V>, is_inside, found: &mut dyn FnMut(Overlap) -> ControlFlow<()>| {
            let own = Overlap { object: Some(placed.id), order: placed.order, ..Overlap::WHOLE };
            let instance = &placed.object.instance.0;
            if is_each_shape {
                return instance
                    .visit_overlaps(volume, level, goal, &mut |part| found(Overlap { member: part.member, ..own }));
            }
            let mut any = |_| ControlFlow::Break(());
            if is_inside || instance.visit_overlaps(volume, level, OverlapGoal::Any, &mut any).is_break() {
                found(own)
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut visit = |view: View<'a, V>, is_tight: bool| match view.index {
            AccelRef::Bvh(tree) => {
                let mut slot = |(slot, is_inside)| view.look(slot, query, |placed, _| object(placed, is_inside, found));
                view.unbounded.iter().try_for_each(|&unbounded| slot((unbounded, false)))?;
                // Boxes that wait for a refit may be larger than what is left below them, or empty.
                let ends_inside = goal == OverlapGoal::Any && is_tight && view.sees_all(query);
                let mut fetched = ArrayVec::<(u32, bool), FETCHED>::new();
                tree.visit_overlaps(volume, level, ends_inside, &mut |next, is_inside| {
                    prefetch(&view.placed[next as usize]);
                    fetched.push((next, is_inside));
                    if fetched.is_full() {
                        fetched.drain(..).try_for_each(&mut slot)
                    } else {
                        ControlFlow::Continue(())
                    }
                })?;
                fetched.into_iter().try_for_each(slot)
            }
            AccelRef::LinearScan(_) => (0..)
                .zip(view.placed)
                .filter(|(slot, placed)| placed.id != ObjectId::NONE && view.sees(*slot, query))
                .try_for_each(|(_, placed)| object(placed, false, found)),
        };
        self.scene.levels.iter().try_for_each(|tree| {
            visit(tree.view(self.accept), !tree.tree.needs_refit())?;
            tree.moved_view(self.accept).map_or(ControlFlow::Continue(()), |view| visit(view, false))
        })
    }
}
