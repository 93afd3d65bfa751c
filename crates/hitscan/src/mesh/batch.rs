//! Many lines through one mesh.

use crate::bvh::bvh::Tree;
use crate::bvh::traverse::stream::{FEW, Stream, TOGETHER};
use crate::math::vector::Vector;
use crate::mesh::hit_output::{Tells, Told};
use crate::mesh::hit_search::{Question, Shot};
use crate::mesh::triangle_blocks::Corners;
use crate::query::Query;
use crate::ray::RayLike;
use alloc::vec::Vec;

impl Corners {
    /// The answer about each line; about an unusual one what it has `alone`.
    pub(crate) fn each<V: Vector, Q: Question, O: Tells<Q>, C: RayLike<V>>(
        &self,
        tree: &Tree,
        (casts, query): (&[C], &Query<V::Scalar>),
        out: &mut [O],
        alone: impl Fn(&C) -> O,
    ) {
        if casts.len() < FEW {
            casts.iter().zip(out).for_each(|(cast, out)| *out = alone(cast));
            return;
        }
        let (mut shots, mut stream) = (Vec::new(), Stream::new());
        for (casts, out) in casts.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            shots.clear();
            shots.extend(casts.iter().map(|cast| Shot::new(&cast.raw(), query)));
            Q::many(self, tree, &shots, &mut stream);
            let travellers = &stream.travellers;
            if travellers.len() < casts.len() {
                let mut usual = travellers.iter().map(|traveller| traveller.number).peekable();
                for ((number, cast), out) in (0..).zip(casts).zip(out.iter_mut()) {
                    if usual.next_if_eq(&number).is_none() {
                        *out = alone(cast);
                    }
                }
            }
            O::tell(Told::<Q, O> { corners: self, triangles: tree.parts(), shots: &shots, travellers, out });
        }
    }
}
