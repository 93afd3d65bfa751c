//! Queries of a block of rays at one shape, in packets: one ray per SIMD lane, in plain `f64`.
//!
//! # Method
//! The kernel runs in the arithmetic of the filter and branches on the leading lane. Rays that would take another branch have diverged:
//! they are tried again in packets of such rays, which tend to take the same few branches. Rays that are still diverged after that, and
//! those of which the filter is uncertain, are cast alone.
//!
//! # Source
//! Packets of rays: Wald, Slusallek, Benthin, Wagner, *Interactive Rendering with Coherent Ray Tracing*, Eurographics 2001; here without
//! masked branches, for a kernel that is right in any arithmetic.

use crate::adaptive::hit_packet::HitNumbers;
use crate::block_hits::{BlockHits, Numbers};
use crate::kernel::crossing::Normal;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange, first_of};
use crate::math::observer::FilterFlag;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::ray_block::RayBlock;
use crate::simd::packet::{MOST_LANES, Packet, PacketTask, dispatch_packets, lane_masks, reset_masks};
use crate::simd::rows::{BLOCK, BlockRow};

/// The most rounds of evaluation of diverged rays.
const ROUNDS: usize = 3;

/// Answers the rays of a block, as far as packets can; on a machine without packets none.
#[inline(never)]
pub(crate) fn cast_block<K: Kernel<Vector: Vector<Scalar = f64>>>(
    shape: &K,
    rays: &RayBlock,
    (query, wanted): (&Query<f64>, Numbers),
    hits: &mut BlockHits,
) {
    hits.leave_open(rays);
    // A constant, so that nothing is compiled for the other kernels.
    if const { K::PACKETS.is_none() } {
        return;
    }
    if K::PACKETS.is_some_and(|most| wanted <= most) {
        dispatch_packets(BlockCast { shape, rays, query, wanted, hits });
    }
}

struct BlockCast<'a, K> {
    shape: &'a K,
    rays: &'a RayBlock,
    query: &'a Query<f64>,
    wanted: Numbers,
    hits: &'a mut BlockHits,
}

/// The rays of a packet: their places in the block.
type Places = [usize; MOST_LANES];

impl<K: Kernel<Vector: Vector<Scalar = f64>>> PacketTask for BlockCast<'_, K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<P: Packet>(mut self) {
        let mut count = self.rays.count;
        self.all_rays::<P>();
        for _ in 0..ROUNDS {
            let open = self.hits.open.count_ones() as usize;
            // A packet of few rays takes longer than they do alone, and so does a round in which most rays diverge.
            if 2 * open < P::LANES || 4 * open > 3 * count {
                return;
            }
            self.open_rays::<P>();
            count = open;
        }
    }
}

impl<K: Kernel<Vector: Vector<Scalar = f64>>> BlockCast<'_, K> {
    /// The first round: all rays in order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn all_rays<P: Packet>(&mut self) {
        let mut next = 0;
        while next < self.rays.count {
            let lanes = P::LANES.min(self.rays.count - next);
            let [hit, missed] = self.packet::<P>(&[next; MOST_LANES], lanes, true);
            self.hits.hit |= u128::from(hit) << next;
            self.hits.open &= !(u128::from(hit | missed) << next);
            next += lanes;
        }
    }

    /// A round over the rays without an answer.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn open_rays<P: Packet>(&mut self) {
        let mut waiting = self.hits.open;
        while waiting != 0 {
            // Lanes without a ray repeat the first one, and count for nothing.
            let (mut places, mut lanes) = ([waiting.trailing_zeros() as usize; MOST_LANES], 0);
            while waiting != 0 && lanes < P::LANES {
                places[lanes] = waiting.trailing_zeros() as usize;
                waiting &= waiting - 1;
                lanes += 1;
            }
            let [hit, missed] = self.packet::<P>(&places, lanes, false);
            for (lane, &place) in places.iter().enumerate().take(lanes) {
                self.hits.hit |= u128::from(hit >> lane & 1) << (place % BLOCK);
                self.hits.open &= !(u128::from((hit | missed) >> lane & 1) << (place % BLOCK));
            }
        }
    }

    /// Casts the rays of a packet, and writes the hits. Returns the lanes that hit, and those that missed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn packet<P: Packet>(&mut self, places: &Places, lanes: usize, is_in_order: bool) -> [u32; 2] {
        let Self { shape, rays, query, wanted, .. } = *self;
        let (origin, target) = (vector(&rays.origin, places, is_in_order), vector(&rays.target, places, is_in_order));
        let direction = if rays.kind.is_segment { target - origin } else { target };
        let line = WorkingRay { origin, direction, raw: rays.kind };
        let range = match &rays.ranges {
            None => TRange::new(&line, query),
            Some(_) => self.ranges::<P>(places, is_in_order),
        };
        reset_masks(lanes);
        let mut flag = FilterFlag::default();
        // The kernel as for one ray: the crossings of the line, and the first of them in the range.
        let meet = shape.intersect(&line, &mut flag);
        let found = match &meet {
            Some(meet) => first_of(shape, meet, &range, query, &mut flag),
            None => None,
        };
        let (Some(meet), Some(found)) = (meet, found) else {
            // The lanes that followed the leading one have missed with it. An uncertain filter discards all.
            let [active, missed] = lane_masks();
            return [0, if flag.is_uncertain { 0 } else { active | missed }];
        };
        if wanted != Numbers::All {
            let [active, missed] = lane_masks();
            if flag.is_uncertain {
                return [0, 0];
            }
            if wanted == Numbers::Parameter {
                put(found.t(), &mut self.hits.t, (places, active), is_in_order);
            }
            return [active, missed];
        }
        // The side: an entry into a solid is at its front, an exit at its back; a surface shows the side that it turns
        // to the ray.
        let back = match &found {
            BoundaryHit::Enter(_) if K::SOLID => 0,
            BoundaryHit::Enter(at) => !at.sign.negative(),
            _ => !0,
        };
        // A start inside has the normal against the ray.
        let (normal, uv) = match &found {
            BoundaryHit::Inside(_) => (Normal::Direction(-line.direction), None),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => {
                (shape.normal(&meet.state, at), shape.uv(&meet.state, at))
            }
        };
        let found = HitNumbers::new(&line, found.t(), &normal, uv);
        let [active, missed] = lane_masks();
        self.write(&found, back, (places, active), is_in_order);
        if flag.is_uncertain { [0, 0] } else { [active, missed] }
    }

    /// The ranges of `t` of a packet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ranges<P: Packet>(&self, places: &Places, is_in_order: bool) -> TRange<P> {
        let mut ends = [[0.0; MOST_LANES]; 3];
        for (lane, &place) in places.iter().enumerate() {
            let place = if is_in_order { place + lane } else { place };
            let of_ray = TRange::<f64>::new(&self.rays.ray(place % BLOCK).line(), self.query).ends();
            for end in 0..3 {
                ends[end][lane] = of_ray[end];
            }
        }
        TRange::with_ends([P::load(&ends[0]), P::load(&ends[1]), P::load(&ends[2])], self.rays.kind.largest)
    }

    /// Writes the numbers of hits to the rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<P: Packet>(&mut self, found: &HitNumbers<P>, back: u32, who: (&Places, u32), is_in_order: bool) {
        let BlockHits { t, distance, point: [x, y, z], normal: [nx, ny, nz], uv: [u, v], has_uv, is_front, .. } =
            &mut *self.hits;
        put(found.t, t, who, is_in_order);
        put(found.distance, distance, who, is_in_order);
        put(found.point.x, x, who, is_in_order);
        put(found.point.y, y, who, is_in_order);
        put(found.point.z, z, who, is_in_order);
        put(found.normal.x, nx, who, is_in_order);
        put(found.normal.y, ny, who, is_in_order);
        put(found.normal.z, nz, who, is_in_order);
        *has_uv = found.uv.is_some();
        if let Some([of_u, of_v]) = found.uv {
            put(of_u, u, who, is_in_order);
            put(of_v, v, who, is_in_order);
        }
        let (places, active) = who;
        for lane in 0..P::LANES {
            if active >> lane & 1 != 0 {
                let place = if is_in_order { places[0] + lane } else { places[lane] };
                is_front[place % BLOCK] = back >> lane & 1 == 0;
            }
        }
    }
}

/// The vectors at these places.
#[cfg_attr(not(debug_assertions), inline(always))]
fn vector<P: Packet>([x, y, z]: &[BlockRow; 3], places: &Places, is_in_order: bool) -> Vec3<P> {
    Vec3::new(load(x, places, is_in_order), load(y, places, is_in_order), load(z, places, is_in_order))
}

/// The numbers at these places; `is_in_order` if they follow the first one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn load<P: Packet>(row: &BlockRow, places: &Places, is_in_order: bool) -> P {
    if !is_in_order {
        return P::gather(row, places);
    }
    let rest = &row[places[0] % BLOCK..];
    match rest.first_chunk() {
        Some(numbers) => P::load(numbers),
        // The last packet of narrow ones.
        None => {
            let mut numbers = [0.0; MOST_LANES];
            numbers[..rest.len()].copy_from_slice(rest);
            P::load(&numbers)
        }
    }
}

/// Writes the numbers of the active lanes to their places, and those of other lanes where nothing is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn put<P: Packet>(packet: P, row: &mut BlockRow, (places, active): (&Places, u32), is_in_order: bool) {
    let mut numbers = [0.0; MOST_LANES];
    packet.store(&mut numbers);
    if is_in_order && let Some(row) = row[places[0] % BLOCK..].get_mut(..P::LANES) {
        return row.copy_from_slice(&numbers[..P::LANES]);
    }
    for lane in 0..P::LANES {
        if active >> lane & 1 != 0 {
            row[places[lane] % BLOCK] = numbers[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hit::Hit;
    use crate::queries::shape::Shape;
    use crate::ray::{Ray, RaySlice};
    use crate::simd::packet::run_four_lanes;
    use crate::{Cuboid, Disk, Sphere};
    use alloc::vec::Vec;
    use glam::Vec3 as Single;
    use test_support::random::Rng;

    /// Runs a block with packets of four lanes, also where the machine has wider ones.
    fn narrow<K: Kernel<Vector: Vector<Scalar = f64>>>(shape: &K, rays: &RayBlock, wanted: Numbers) -> BlockHits {
        let mut hits = BlockHits::default();
        hits.leave_open(rays);
        let query = &Query::new();
        run_four_lanes(BlockCast { shape, rays, query, wanted, hits: &mut hits });
        hits
    }

    /// Packets of both widths answer most rays of whole and of partial blocks, with the hits of single rays.
    fn check<K: Kernel<Vector = Single>>(shape: &K, wanted: Numbers) {
        let mut random = Rng::for_stream(5, 1);
        let mut cube = |size: f64| Single::from([0; 3].map(|_| (size * (2.0 * random.unit() - 1.0)) as f32));
        let all: Vec<Ray<Single>> = (0..BLOCK)
            .map(|_| {
                let from = cube(4.0);
                Ray::new(from, cube(0.75) - from)
            })
            .collect();
        for count in [BLOCK, BLOCK - 1, 125, 9, 5, 4] {
            let rays = &all[..count];
            let mut block = RayBlock::default();
            block.load(RaySlice::Rays(rays));
            let (slow, mut wide) = (shape.slow(), BlockHits::default());
            cast_block(&slow, &block, (&Query::new(), wanted), &mut wide);
            for hits in [wide, narrow(&slow, &block, wanted)] {
                assert!(count < 9 || hits.open.count_ones() < count as u32 / 4, "{} {count} {:b}", K::NAME, hits.open);
                for (i, ray) in rays.iter().enumerate().filter(|(i, _)| hits.open >> i & 1 == 0) {
                    let alone = shape.cast_closest(ray, &Query::new());
                    assert_eq!(hits.hit >> i & 1 != 0, alone.is_some(), "{} {ray:?}", K::NAME);
                    let Some(alone) = alone else { continue };
                    assert_eq!(hits.t[i] as f32, alone.t, "{} {ray:?}", K::NAME);
                    if wanted == Numbers::All {
                        let hit: Hit<Single> = hits.hit(i);
                        assert_eq!(hit, alone, "{} {ray:?}", K::NAME);
                    }
                }
            }
        }
    }

    #[test]
    fn packets_of_both_widths_have_the_hits_of_single_rays() {
        if !crate::simd::dispatch::has_avx2() {
            return std::eprintln!("SKIPPED: this machine has no AVX2, which packets need");
        }
        let (a, half) = (Single::new(0.125, -0.25, 0.0), Single::new(0.5, 0.75, 1.0));
        check(&Sphere::new(a, 0.75).unwrap(), Numbers::All);
        check(&Disk::new(a, half, 0.75).unwrap(), Numbers::All);
        check(&Sphere::new(a, 0.75).unwrap(), Numbers::Parameter);
        check(&Cuboid::new(a, half).unwrap(), Numbers::Parameter);
    }
}
