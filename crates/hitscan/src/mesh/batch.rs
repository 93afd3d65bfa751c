//! Many lines through one mesh.

use crate::bvh::bvh::Bvh16;
use crate::bvh::traverse::stream::{FEW, RayStream, TOGETHER};
use crate::math::vector::Vector;
use crate::mesh::hit_output::{FromSearch, OutputBatch};
use crate::mesh::hit_search::{HitMode, RayQueryF32};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::query::Query;
use crate::ray::RayLike;
use alloc::vec::Vec;

impl TriangleBlocks {
    /// The answer about each line; about an unusual one what it has `alone`.
    pub(crate) fn each<V: Vector, Q: HitMode, O: FromSearch<Q>, C: RayLike<V>>(
        &self,
        tree: &Bvh16,
        (casts, query): (&[C], &Query<V::Scalar>),
        out: &mut [O],
        alone: impl Fn(&C) -> O,
    ) {
        if casts.len() < FEW {
            casts.iter().zip(out).for_each(|(cast, out)| *out = alone(cast));
            return;
        }
        let (mut shots, mut stream) = (Vec::new(), RayStream::new());
        for (casts, out) in casts.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            shots.clear();
            shots.extend(casts.iter().map(|cast| RayQueryF32::new(&cast.raw(), query)));
            Q::many(self, tree, &shots, &mut stream);
            let rays = &stream.rays;
            if rays.len() < casts.len() {
                let mut usual = rays.iter().map(|ray| ray.number).peekable();
                for ((number, cast), out) in (0..).zip(casts).zip(out.iter_mut()) {
                    if usual.next_if_eq(&number).is_none() {
                        *out = alone(cast);
                    }
                }
            }
            O::tell(OutputBatch::<Q, O> { corners: self, triangles: tree.prim_ids(), shots: &shots, rays, out });
        }
    }
}
