//! Batch queries of a mesh.

use crate::bvh::traverse::stream::{MIN_STREAM, RayStream, STREAM_SIZE};
use crate::math::vector::Vector;
use crate::mesh::hit_output::{FromSearch, OutputBatch};
use crate::mesh::hit_search::{SearchedMesh, StreamMode};
use crate::mesh::search_ray::SearchRay;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use alloc::vec::Vec;

impl SearchedMesh<'_> {
    /// Writes the result of each ray in order. `single` computes the result of a ray that the stream does not support.
    pub(crate) fn each<V: Vector, Q: StreamMode<R>, R: SearchRay, O: FromSearch<Q, R>>(
        &self,
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        out: &mut [O],
        single: impl Fn(&dyn RayLike<V>) -> O,
    ) {
        // A few rays do not pay for the preparation of a stream.
        if rays.len() < MIN_STREAM {
            rays.iter().zip(out).for_each(|(ray, out)| *out = single(ray));
            return;
        }
        let (mut queries, mut stream) = (Vec::new(), RayStream::new());
        // Chunks are so short that their rays and queries stay in cache during the traversal.
        for (rays, out) in rays.chunks(STREAM_SIZE).zip(out.chunks_mut(STREAM_SIZE)) {
            queries.clear();
            queries.extend((0..rays.len()).map(|i| R::new(&rays.raw(i), query)));
            // The stream takes the rays that the `f32` traversal supports, and leaves out the others.
            Q::many(self, &queries, &mut stream);
            let traced = &stream.rays;
            // A ray that is left out is cast by itself. The numbers of the stream are ascending, so one pass finds the
            // gaps.
            if traced.len() < rays.len() {
                let mut usual = traced.iter().map(|ray| ray.number).peekable();
                for ((number, ray), out) in (0..).zip(rays.iter()).zip(out.iter_mut()) {
                    if usual.next_if_eq(&number).is_none() {
                        *out = single(ray);
                    }
                }
            }
            // Hits are built after the search, for all rays of the stream together: four at a time where the processor
            // allows it.
            O::output_all(OutputBatch::<Q, R, O> { mesh: self, queries: &queries, rays: traced, out });
        }
    }
}
