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
        let object = |placed: &'a PlacedObject<V>, found: &mut dyn FnMut(Overlap) -> ControlFlow<()>| {
            let own = Overlap { object: Some(placed.id), order: placed.order, ..Overlap::WHOLE };
            let instance = &placed.object.instance.0;
            let goal = if goal == OverlapGoal::EachShape { goal } else { OverlapGoal::Any };
            match goal {
                OverlapGoal::EachShape => instance
                    .visit_overlaps(volume, level, goal, &mut |part| found(Overlap { member: part.member, ..own })),
                _ if instance.visit_overlaps(volume, level, goal, &mut |_| ControlFlow::Break(())).is_break() => {
                    found(own)
                }
                _ => ControlFlow::Continue(()),
            }
        };
        let mut visit = |view: View<'a, V>| match view.index {
            AccelRef::Bvh(tree) => {
                let mut slot = |slot| view.look(slot, query, |placed, _| object(placed, found));
                view.unbounded.iter().try_for_each(|&unbounded| slot(unbounded))?;
                let mut fetched = ArrayVec::<u32, FETCHED>::new();
                tree.visit_overlaps(volume, level, |next| {
                    prefetch(&view.placed[next as usize]);
                    fetched.push(next);
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
                .try_for_each(|(_, placed)| object(placed, found)),
        };
        self.scene.levels.iter().try_for_each(|tree| {
            visit(tree.view(self.accept))?;
            tree.moved_view(self.accept).map_or(ControlFlow::Continue(()), &mut visit)
        })
    }
}
