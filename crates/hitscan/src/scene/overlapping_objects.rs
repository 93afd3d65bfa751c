//! The objects of a scene that a volume overlaps.

use crate::bvh::primitive_index::AccelRef;
use crate::hit::ObjectId;
use crate::math::instance_stack::InstanceLevel;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::shape::OverlapGoal;
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
        // Overlaps concern all objects: neither rules for faces leave objects out, nor triggers, unless the view is without them.
        let query = &Query::new().of_all_hits();
        let is_each_shape = goal == OverlapGoal::EachShape;
        // What happens at an object that the tree has found.
        let object = |placed: &'a PlacedObject<V>, is_inside, found: &mut dyn FnMut(Overlap) -> ControlFlow<()>| {
            let own = Overlap { object: Some(placed.id), order: placed.order, ..Overlap::WHOLE };
            let seen = self.seen(placed);
            // The caller wants the members of groups one by one: the shape reports each, and the object gives its id
            // and order.
            if is_each_shape {
                return seen
                    .visit_overlaps(volume, level, goal, &mut |part| found(Overlap { member: part.member, ..own }));
            }
            // Otherwise one overlap is enough. A box inside the volume proves it without a test of the shape, unless some
            // members of a group do not count.
            let mut any = |_| ControlFlow::Break(());
            let is_proved = is_inside && seen.members().is_none();
            if is_proved || seen.visit_overlaps(volume, level, OverlapGoal::Any, &mut any).is_break() {
                found(own)
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut visit = |view: View<'a, V>, is_tight: bool| match view.index {
            AccelRef::Bvh(tree) => {
                let mut slot = |(slot, is_inside)| view.look(slot, query, |placed, _| object(placed, is_inside, found));
                // Unbounded objects have no box, so nothing is known about them without a test.
                view.unbounded.iter().try_for_each(|&unbounded| slot((unbounded, false)))?;
                // A box inside the volume may end the search of whole subtrees, if every object counts, with all members
                // of groups. Boxes that wait for a refit may be larger than what is left below them, or empty: they prove
                // nothing.
                let is_whole = self.accept.accepts_members() && view.sees_all(query);
                let ends_inside = goal == OverlapGoal::Any && is_tight && is_whole;
                // The memory of a few objects is fetched before the first of them is tested: so the cache misses
                // overlap.
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
                // The rest, which has not filled the list.
                fetched.into_iter().try_for_each(slot)
            }
            AccelRef::LinearScan(_) => (0..)
                .zip(view.placed)
                .filter(|(slot, placed)| placed.id != ObjectId::NONE && view.sees(*slot, query))
                .try_for_each(|(_, placed)| object(placed, false, found)),
        };
        // The boxes of moved objects are in a BVH of their own, which is not exact enough to prove an overlap.
        self.scene.levels.iter().try_for_each(|tree| {
            visit(tree.view(self.accept), !tree.tree.needs_refit())?;
            tree.moved_view(self.accept).map_or(ControlFlow::Continue(()), |view| visit(view, false))
        })
    }
}
