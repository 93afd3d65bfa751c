//! A scene in shards, with the queries of the whole.

use crate::columns::HitColumns;
use crate::hit_lists::{HitLists, SpanLists};
use crate::queries::ray_cast::RayCast;
use crate::query::IntoQuery;
use crate::ray_columns::RayColumns;
use crate::scene::any::Space;
use crate::scene::shard::all_merge::{AllMerge, merge_spans};
use crate::scene::shard::closest_merge::ClosestMerge;
use crate::scene::shard::error::ShardError;
use crate::scene::shard::numbers::PrimitiveId;
use crate::scene::shard::shard::Shard;
use alloc::vec;
use alloc::vec::Vec;
use core::borrow::Borrow;

/// A scene in shards on one machine: every answer equals that of the whole scene, bit for bit. A function gives the shard of
/// a number; it may load the shard, and then one shard is in memory at a time.
///
/// A query takes each shard in turn. `cast_columns` and `cast_columns_all` take those shards a second time whose hits are as
/// close as hits of other shards. So cast as many rays at once as memory holds: a row of hits takes 63 bytes in `f32`.
///
/// ```
/// use hitscan::{glam::Vec3, Object, RayCast, RayColumns, Scene, Shard, ShardedScene, Sphere};
/// let mut scene = Scene::new();
/// for x in 0..100 {
///     scene.insert(Object::new(Sphere::new(Vec3::X * x as f32, 0.75)?))?;
/// }
/// let files: Vec<Vec<u8>> = scene.split(4)?.iter().map(Shard::to_bytes).collect::<Result<_, _>>()?;
///
/// let mut sharded = ShardedScene::new(files.len(), |number: usize| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(Shard::<Vec3>::from_bytes(&files[number])?)
/// });
/// let origins: Vec<_> = (0..1000).map(|i| Vec3::new(i as f32 * 0.1, 0.3, 5.0)).collect();
/// let rays = RayColumns::from_points(&origins, &[[0.0, 0.0, -1.0]; 1000])?;
/// assert_eq!(sharded.cast_columns(&rays, ..)?, scene.cast_columns(&rays, ..));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardedScene<F> {
    count: usize,
    shard: F,
}

impl<F> ShardedScene<F> {
    /// The scene of the shards that a function returns for the numbers from 0 to `count - 1`: all shards of one scene.
    #[must_use]
    pub fn new(count: usize, shard: F) -> Self {
        Self { count, shard }
    }

    /// The closest hit of each ray: [`RayCast::cast_columns`] of the whole scene.
    ///
    /// # Errors
    /// Those of the function; the same part of the scene in two shards.
    pub fn cast_columns<V: Space, S: Borrow<Shard<V>>, E: From<ShardError>>(
        &mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<HitColumns<V>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let (query, mut merge) = (query.into_query(), ClosestMerge::new(rays.len()));
        for number in 0..self.count {
            let shard = (self.shard)(number)?;
            // Beyond the closest hit so far, and what rounding may hide, a ray ends.
            let mut t_max = merge.t_max();
            merge.add(&shard.borrow().cast_columns(&rays.up_to(&mut t_max), query))?;
        }
        let contested = merge.contested();
        let parts = self.parts(|number, _| contested[number].clone(), |number| contested[number].is_empty())?;
        Ok(merge.finish(rays, query, &parts)?)
    }

    /// Whether each ray has a hit: [`RayCast::intersects_columns`] of the whole scene.
    ///
    /// # Errors
    /// Those of the function.
    pub fn intersects_columns<V: Space, S: Borrow<Shard<V>>, E>(
        &mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Vec<bool>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let (query, mut any) = (query.into_query(), vec![false; rays.len()]);
        for number in 0..self.count {
            let own = (self.shard)(number)?.borrow().intersects_columns(rays, query);
            any.iter_mut().zip(own).for_each(|(any, own)| *any |= own);
        }
        Ok(any)
    }

    /// The number of hits of each ray: [`RayCast::count_columns`] of the whole scene.
    ///
    /// # Errors
    /// Those of the function.
    pub fn count_columns<V: Space, S: Borrow<Shard<V>>, E>(
        &mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<Vec<u32>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let (query, mut counts) = (query.into_query(), vec![0u32; rays.len()]);
        for number in 0..self.count {
            let own = (self.shard)(number)?.borrow().count_columns(rays, query);
            counts.iter_mut().zip(own).for_each(|(count, own)| *count = count.saturating_add(own));
        }
        Ok(counts)
    }

    /// All hits of each ray: [`RayCast::cast_columns_all`] of the whole scene.
    ///
    /// # Errors
    /// Those of the function; the same part of the scene in two shards.
    pub fn cast_columns_all<V: Space, S: Borrow<Shard<V>>, E: From<ShardError>>(
        &mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<HitLists<V>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let (query, mut merge) = (query.into_query(), AllMerge::new(rays.len()));
        for number in 0..self.count {
            merge.add((self.shard)(number)?.borrow().cast_columns_all(rays, query))?;
        }
        let contested = merge.contested();
        let parts = self.parts(|number, _| contested[number].clone(), |number| contested[number].is_empty())?;
        Ok(merge.finish(rays, query, &parts)?)
    }

    /// The spans of each ray: [`RayCast::spans_columns`] of the whole scene. Memory besides is that of the primitives that
    /// the lines of the rays cross.
    ///
    /// # Errors
    /// Those of the function; the same part of the scene in two shards.
    pub fn spans_columns<V: Space, S: Borrow<Shard<V>>, E: From<ShardError>>(
        &mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Result<SpanLists<V>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let query = query.into_query();
        let parts = self.parts(|_, shard| shard.primitives_along(rays, query), |_| false)?;
        Ok(merge_spans(rays, query, &parts)?)
    }

    /// The parts of the shards with some primitives, without the shards that are left out.
    fn parts<V: Space, S: Borrow<Shard<V>>, E>(
        &mut self,
        primitives: impl Fn(usize, &Shard<V>) -> Vec<PrimitiveId>,
        is_left_out: impl Fn(usize) -> bool,
    ) -> Result<Vec<Shard<V>>, E>
    where
        F: FnMut(usize) -> Result<S, E>,
    {
        let mut parts = Vec::new();
        for number in (0..self.count).filter(|&number| !is_left_out(number)) {
            let shard = (self.shard)(number)?;
            parts.push(shard.borrow().part(&primitives(number, shard.borrow())));
        }
        Ok(parts)
    }
}
