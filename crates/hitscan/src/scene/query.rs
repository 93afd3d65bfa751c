//! Queries over all shapes of a scene.

use super::{Object, Space};
use crate::accel::{Index, Method, SlabTest, Statistics};
use crate::math::{Line, Vector, W, Wide};
use crate::shape::{Candidate, Limits, Queries};
use crate::{Aabb, Explanation, Hit, Query, ShapeId, Span};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Shapes that are asked together. It answers like one shape, and each hit tells which one it belongs to.
///
/// Of two hits at the same `t` the shape that was added first wins.
#[derive(Clone, Debug)]
pub struct Scene<V: Space> {
    objects: Vec<Object<V>>,
    index: Index<V>,
    /// The objects in the index, by number: those of finite size.
    bounded: Vec<u32>,
    /// Planes and half-spaces, which no box holds: always tested.
    unbounded: Vec<u32>,
    bounds: Aabb<V>,
}

impl<V: Space> Scene<V> {
    pub(super) fn new(objects: Vec<Object<V>>, method: Method) -> Self {
        let all: Vec<Aabb<V>> = objects.iter().map(|o| o.shape.bounding_box()).collect();
        let numbers = 0..u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let (bounded, unbounded): (Vec<u32>, Vec<u32>) = numbers.partition(|&i| all[i as usize].is_bounded());
        let boxes: Vec<Aabb<V>> = bounded.iter().map(|&i| all[i as usize]).collect();
        let bounds = boxes.iter().fold(Aabb::empty(), |sum, b| sum.union(*b));
        Self { objects, index: Index::build(method, &boxes), bounded, unbounded, bounds }
    }

    /// The same scene, with every shape tested for every ray: the reference for tests. Meshes keep their own trees.
    #[must_use]
    pub fn brute(&self) -> Self {
        Self::new(self.objects.clone(), Method::Brute)
    }

    /// The objects, in the order of their ids.
    pub fn objects(&self) -> &[Object<V>] {
        &self.objects
    }
    /// One object.
    pub fn get(&self, id: ShapeId) -> Option<&Object<V>> {
        self.objects.get(id.index())
    }
    /// The object of this name.
    pub fn find(&self, name: &str) -> Option<ShapeId> {
        let i = self.objects.iter().position(|o| o.name() == Some(name))?;
        u32::try_from(i).ok().map(ShapeId)
    }
    /// A box around the shapes of finite size; empty without any.
    pub fn finite_bounds(&self) -> Aabb<V> {
        self.bounds
    }
    /// The size of the tree.
    pub fn statistics(&self) -> Statistics {
        self.index.statistics()
    }

    /// Visits the objects that the line may meet, on the layers of the query.
    fn visit(
        &self,
        line: &Line<W<V>>,
        query: &Query<V::Scalar>,
        mut part: impl FnMut(u32, &V::Shape, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let limits = Limits::new(line, query);
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let mut limit = limits.max.to_f64();
        let mut object = |i: u32, limit: &mut f64| {
            let Object { shape, layers, .. } = &self.objects[i as usize];
            if layers & query.layer_mask() == 0 { ControlFlow::Continue(()) } else { part(i, shape, limit) }
        };
        for &i in &self.unbounded {
            object(i, &mut limit)?;
        }
        self.index.visit(&SlabTest::new(line, limits.min.to_f64()), &mut limit, |i, limit| {
            object(self.bounded[i as usize], limit)
        })
    }

    /// The nearest candidate and its object; of equals the one with the lowest number.
    fn nearest(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<(u32, Candidate<W<V>>)> {
        let mut best: Option<(u32, Candidate<W<V>>)> = None;
        let _ = self.visit(line, query, |i, shape, near| {
            if let Some(new) = shape.candidate(line, query, near.min(limit)) {
                let wins = |&(j, old): &(u32, Candidate<W<V>>)| new.t < old.t || (new.t == old.t && i < j);
                if best.as_ref().is_none_or(wins) {
                    best = Some((i, new));
                    *near = near.min(new.limit());
                }
            }
            ControlFlow::Continue(())
        });
        best
    }
}

/// By rising `t`, then by shape, then as the shape gave them.
fn sort<V: Vector, T>(found: &mut [(W<V>, u32, T)]) {
    found.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(core::cmp::Ordering::Equal).then(a.1.cmp(&b.1)));
}

impl<V: Space> Queries<V> for Scene<V> {
    fn name(&self) -> &'static str {
        "scene"
    }
    fn bounding_box(&self) -> Aabb<V> {
        if self.unbounded.is_empty() { self.bounds } else { Aabb::everything() }
    }
    fn contains_point(&self, point: V) -> bool {
        self.objects.iter().any(|o| o.shape.bounding_box().contains(point) && o.shape.contains_point(point))
    }
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>> {
        let (shape, found) = self.nearest(line, query, limit)?;
        Some(Candidate { primitive: shape, ..found })
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, found: &Candidate<W<V>>) -> Option<Hit<V>> {
        let hit = self.objects.get(found.primitive as usize)?.shape.first(line, query)?;
        Some(Hit { shape: Some(ShapeId(found.primitive)), ..hit })
    }
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let (i, found) = self.nearest(line, query, f64::INFINITY)?;
        let hit = self.objects[i as usize].shape.finish(line, query, &found)?;
        Some(Hit { shape: Some(ShapeId(i)), ..hit })
    }
    fn any(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> bool {
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.visit(line, query, |_, shape, _| stop(shape.any(line, query))).is_break()
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |i, shape, _| {
            shape.every(line, query, &mut |t, hit| found.push((t, i, Hit { shape: Some(ShapeId(i)), ..hit })));
            ControlFlow::Continue(())
        });
        sort::<V, _>(&mut found);
        found.into_iter().for_each(|(t, _, hit)| out(t, hit));
    }
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize {
        let mut count = 0;
        let _ = self.visit(line, query, |_, shape, _| {
            count += shape.count(line, query);
            ControlFlow::Continue(())
        });
        count
    }
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |i, shape, _| {
            let own = |hit| Hit { shape: Some(ShapeId(i)), ..hit };
            shape.stretches(line, query, &mut |t, span| {
                found.push((t, i, Span { enter: span.enter.map(own), exit: span.exit.map(own) }));
            });
            ControlFlow::Continue(())
        });
        sort::<V, _>(&mut found);
        found.into_iter().for_each(|(t, _, span)| out(t, span));
    }
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        let Some((i, found)) = self.nearest(line, query, f64::INFINITY) else {
            explanation.verdict("miss: no shape is hit within the range of t");
            return;
        };
        explanation.number("number of the shape hit", f64::from(i));
        explanation.number("t", found.t.to_f64());
        self.objects[i as usize].shape.narrate(line, query, explanation);
    }
}
