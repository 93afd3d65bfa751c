//! Batch queries of a mesh.

use crate::bvh::bvh::Bvh16;
use crate::bvh::traverse::stream::{MIN_STREAM, RayStream, STREAM_SIZE};
use crate::math::vector::Vector;
use crate::mesh::hit_output::{FromSearch, OutputBatch};
use crate::mesh::hit_search::{HitMode, RayQueryF32};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::query::Query;
use crate::ray::RayLike;
use alloc::vec::Vec;

impl TriangleBlocks {
    /// Writes the result of each ray in order. `single` computes the result of a ray that the stream does not support.
    pub(crate) fn each<V: Vector, Q: HitMode, O: FromSearch<Q>, C: RayLike<V>>(
        &self,
        tree: &Bvh16,
        (casts, query): (&[C], &Query<V::Scalar>),
        out: &mut [O],
        single: impl Fn(&C) -> O,
    ) {
        if casts.len() < MIN_STREAM {
            casts.iter().zip(out).for_each(|(cast, out)| *out = single(cast));
            return;
        }
        let (mut queries, mut stream) = (Vec::new(), RayStream::new());
        for (casts, out) in casts.chunks(STREAM_SIZE).zip(out.chunks_mut(STREAM_SIZE)) {
            queries.clear();
            queries.extend(casts.iter().map(|cast| RayQueryF32::new(&cast.raw(), query)));
            Q::many(self, tree, &queries, &mut stream);
            let rays = &stream.rays;
            if rays.len() < casts.len() {
                let mut usual = rays.iter().map(|ray| ray.number).peekable();
                for ((number, cast), out) in (0..).zip(casts).zip(out.iter_mut()) {
                    if usual.next_if_eq(&number).is_none() {
                        *out = single(cast);
                    }
                }
            }
            O::output_all(OutputBatch::<Q, O> {
                corners: self,
                triangles: tree.prim_ids(),
                queries: &queries,
                rays,
                out,
            });
        }
    }
}
