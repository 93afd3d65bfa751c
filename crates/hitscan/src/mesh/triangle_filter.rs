//! Which triangles does a line certainly miss, or cross? Sixteen answers at a time: about one line and the triangles of a leaf, or
//! the lines of a packet and one triangle.

use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::Single;
use crate::bvh::shear::Shear;
use crate::bvh::traverse::packet::Packet;
use crate::math::rounding::SINGLE_ROUNDING as U;
use crate::mesh::triangle_blocks::{Along, Corners, Rows};
use crate::query::Faces;
use crate::simd::lanes::{Row, SimdF32};

/// 2^-124: more than what underflows in a determinant.
const TINY: f32 = f32::from_bits((127 - 124) << 23);

/// 2^-70: this part of h is more than what underflows of a corner's distance times its weight.
const LOST: f32 = f32::from_bits((127 - 70) << 23);

impl Corners {
    /// What is certain about a line and each triangle of a leaf, up to `end`.
    #[inline(always)]
    pub(crate) fn weigh<L: SimdF32, const ROUNDED: bool>(
        &self,
        leaf: Leaf,
        line: &Single,
        end: f32,
        faces: Faces,
    ) -> Weighed {
        if leaf.count() <= L::Half::COUNT {
            self.weigh_in::<L::Half, ROUNDED>(leaf, line, end, faces)
        } else {
            self.weigh_in::<L, ROUNDED>(leaf, line, end, faces)
        }
    }

    /// The same in registers that hold them all.
    #[inline(always)]
    fn weigh_in<L: SimdF32, const ROUNDED: bool>(&self, leaf: Leaf, line: &Single, end: f32, faces: Faces) -> Weighed {
        let there = (2 << (leaf.count() - 1)) - 1;
        let corners = Three::<L>::side_by_side(self.rows(leaf), leaf, line.shear.axes);
        corners.weigh::<ROUNDED>(&Across::one(&line.shear, end), there, faces)
    }

    /// What is certain about each line of a packet and one triangle.
    #[inline(always)]
    pub(crate) fn weigh_many<L: SimdF32>(&self, place: (Leaf, u32), lines: &Packet, faces: Faces) -> Weighed {
        let corners = Three::<L>::of_one(&self.numbers(place), lines.axes);
        corners.weigh::<false>(&Across::many(lines), (1 << WIDTH) - 1, faces)
    }

    /// Which triangles of a leaf are not beside all lines of a packet.
    ///
    /// # Method
    /// Seen from where the lines begin, a corner is beside a line by `x - slope z`: by what it is beside those of the least and
    /// of the largest slope, and all others in between.
    ///
    /// # Accuracy
    /// Of M + |o| (see [`Shear`]), and 2^-24 of it: the slope (4), a rounded origin (2), two differences (2), a product and a
    /// difference (4); `off` is sixteen.
    #[inline(always)]
    pub(crate) fn near<L: SimdF32>(&self, leaf: Leaf, lines: &Packet) -> u32 {
        let there = (2 << (leaf.count() - 1)) - 1;
        let Three([a, b, c]) = Three::<L>::side_by_side(self.rows(leaf), leaf, lines.axes);
        let deep = L::splat(lines.from(2));
        let deep = [a[2].minus(deep), b[2].minus(deep), c[2].minus(deep)];
        let (off, mut beside) = (L::splat(lines.off), 0);
        for axis in 0..2 {
            let (from, [least, most]) = (L::splat(lines.from(axis)), lines.slopes[axis]);
            let (least, most) = (L::splat(least), L::splat(most));
            let [a, b, c] = [a[axis].minus(from), b[axis].minus(from), c[axis].minus(from)];
            let [a, a2] = [a.minus_product(least, deep[0]), a.minus_product(most, deep[0])];
            let [b, b2] = [b.minus_product(least, deep[1]), b.minus_product(most, deep[1])];
            let [c, c2] = [c.minus_product(least, deep[2]), c.minus_product(most, deep[2])];
            beside |= off.less(a.min(a2).min(b.min(b2)).min(c.min(c2)));
            beside |= a.max(a2).max(b.max(b2)).max(c.max(c2)).less(L::splat(0.0).minus(off));
        }
        !beside & there
    }
}

/// The corners of triangles, of each the coordinates in the plane across a line and the one along it.
struct Three<L>([[L; 3]; 3]);

/// Lines as triangles see them, one in each lane or the same in all: see [`Shear`].
struct Across<L> {
    slope: [L; 2],
    shift: [L; 2],
    off: L,
    /// 4.5 times that, 4.5 times its square and [`TINY`], and the part of it that is [`LOST`].
    wide: L,
    square: L,
    lost: L,
    origin: L,
    pace: L,
    t_min: L,
    end: L,
    /// Whether they go forward along the last axis.
    forward: bool,
}

impl<L: SimdF32> Across<L> {
    #[inline(always)]
    fn one(shear: &Shear, end: f32) -> Self {
        let Shear { slope, shift, off, origin, pace, t_min, .. } = *shear;
        Self {
            slope: [L::splat(slope[0]), L::splat(slope[1])],
            shift: [L::splat(shift[0]), L::splat(shift[1])],
            off: L::splat(off),
            wide: L::splat(4.5 * off),
            square: L::splat(4.5 * off * off + TINY),
            lost: L::splat(LOST * off),
            origin: L::splat(origin),
            pace: L::splat(pace),
            t_min: L::splat(t_min),
            end: L::splat(end),
            forward: pace > 0.0,
        }
    }
    #[inline(always)]
    fn many(lines: &Packet) -> Self {
        Self {
            slope: [L::load(&lines.slope[0]), L::load(&lines.slope[1])],
            shift: [L::load(&lines.shift[0]), L::load(&lines.shift[1])],
            off: L::splat(lines.off),
            wide: L::splat(4.5 * lines.off),
            square: L::splat(4.5 * lines.off * lines.off + TINY),
            lost: L::splat(LOST * lines.off),
            origin: L::splat(lines.from(2)),
            pace: L::load(&lines.pace),
            t_min: L::load(&lines.t_min),
            end: L::load(&lines.end),
            forward: lines.pace[0] > 0.0,
        }
    }
}

impl<L: SimdF32> Three<L> {
    /// Those of a leaf.
    #[inline(always)]
    fn side_by_side(rows: &Rows, leaf: Leaf, axes: [u8; 3]) -> Self {
        // Closures over registers would be calls.
        let [x, y, z] =
            [Along::of(rows, axes[0], leaf), Along::of(rows, axes[1], leaf), Along::of(rows, axes[2], leaf)];
        Self([[x.at(0), y.at(0), z.at(0)], [x.at(1), y.at(1), z.at(1)], [x.at(2), y.at(2), z.at(2)]])
    }
    /// The same in all lanes.
    #[inline(always)]
    fn of_one(numbers: &[f32; 9], axes: [u8; 3]) -> Self {
        let [x, y, z] = axes.map(|axis| usize::from(axis % 3));
        Self([
            [L::splat(numbers[x]), L::splat(numbers[y]), L::splat(numbers[z])],
            [L::splat(numbers[3 + x]), L::splat(numbers[3 + y]), L::splat(numbers[3 + z])],
            [L::splat(numbers[6 + x]), L::splat(numbers[6 + y]), L::splat(numbers[6 + z])],
        ])
    }

    /// What is certain about the line and the triangle of each lane, up to the line's end.
    ///
    /// # Method
    /// In the plane across the line (see [`Shear`](crate::accel::Shear)) the line is a point, and a triangle is crossed where
    /// its three edges pass that point on one side: the signs of three determinants U, V, W of corners. Where they may be alike,
    /// they weigh the corners' distances, which gives `t`.
    ///
    /// # Source
    /// Woop, Benthin, Wald, *Watertight Ray/Triangle Intersection*, JCGT 2(1), 2013; the bounds are ours.
    ///
    /// # Accuracy
    /// ACCURACY.md, "Meshes and trees". With u = 2^-24, h for what a sheared coordinate may be off by, and R for the largest of
    /// them: a determinant is off by h times four coordinates, 2 h^2, and two roundings of two products of R^2; less than
    /// 4 (u R^2 + h R + h^2), of which there is an eighth more for errors of errors and its own roundings. That is B. Corners that are rounded
    /// (of `f64` meshes) are part of h, but then only what is certainly missed is told. The weights U / (U + V + W) are off by 7 B over
    /// that sum, all together; and so `t` is by that times how deep the triangle is, with h for the rounding of what cancels, and
    /// by h, over the direction.
    #[inline(always)]
    fn weigh<const ROUNDED: bool>(&self, line: &Across<L>, there: u32, faces: Faces) -> Weighed {
        let [a, b, c] = [self.corner(0, line), self.corner(1, line), self.corner(2, line)];
        let u = c[0].times_minus(b[1], c[1].times(b[0]));
        let v = a[0].times_minus(c[1], a[1].times(c[0]));
        let w = b[0].times_minus(a[1], b[1].times(a[0]));
        let largest = a[0].larger(a[1]).max(b[0].larger(b[1])).max(c[0].larger(c[1]));
        let h = line.off;
        let off = largest.times_plus(L::splat(4.5 * U), line.wide).times_plus(largest, line.square);
        let (least, most, zero) = (u.min(v).min(w), u.max(v).max(w), L::splat(0.0));
        // It is the bound that is waited for: nothing more is computed with it than has to be.
        let maybe = !(off.less(zero.minus(least)) & off.less(most)) & there;
        let mut weighed = Weighed { maybe, inside: 0, range: [[0.0; WIDTH]; 2] };
        if maybe == 0 {
            return weighed;
        }
        let Self([[.., p], [.., q], [.., r]]) = *self;
        let sum = u.plus(v).plus(w);
        let part = L::splat(1.0).over(sum);
        let at = u.times_plus(p, v.times_plus(q, w.times(r))).times_minus(part, line.origin);
        let deep = p.max(q).max(r).minus(p.min(q).min(r));
        let slack = off.times_plus(deep.plus(h), line.lost).times(L::splat(7.5));
        let slack = slack.times_plus(part.abs(), h).times(line.pace.abs());
        let (t, wider) = (at.times(line.pace), L::splat(4.0 * U));
        let slack = t.abs().times_plus(wider, slack);
        let (early, late) = (t.minus(slack), t.plus(slack));
        // Where the sum may be zero the range is without bounds, or no number.
        weighed.maybe &= !(late.less(line.t_min) | line.end.less(early));
        if weighed.maybe == 0 {
            return weighed;
        }
        early.store(&mut weighed.range[0]);
        late.store(&mut weighed.range[1]);
        let twice = off.plus(off);
        let clear = twice.less(least) | most.less(zero.minus(twice));
        // Only then: which way a line goes is nothing to bet on.
        if faces != Faces::Both {
            // Counter-clockwise seen from where the line comes.
            let front = if line.forward { zero.less(least) } else { most.less(zero) };
            let hidden = if faces == Faces::Front { !front } else { front };
            weighed.maybe &= !(hidden & clear);
        }
        weighed.inside = if ROUNDED { 0 } else { clear & weighed.maybe };
        weighed
    }

    /// A corner in the plane across the line.
    #[inline(always)]
    fn corner(&self, corner: usize, line: &Across<L>) -> [L; 2] {
        let [x, y, depth] = self.0[corner];
        [
            x.plus(line.shift[0]).minus_product(line.slope[0], depth),
            y.plus(line.shift[1]).minus_product(line.slope[1], depth),
        ]
    }
}

/// What is certain about a line and the triangles of a leaf.
pub(crate) struct Weighed {
    /// Those that it does not certainly miss, as bits.
    pub(crate) maybe: u32,
    /// Those of them that its whole line certainly crosses, on a face that is asked for, and by so much that `f64` has no
    /// doubt about it either: ACCURACY.md, "Meshes and trees".
    pub(crate) inside: u32,
    /// Bounds of `t` for the latter.
    pub(crate) range: [Row; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::ray::Aim;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::vector::Vector;
    use crate::mesh::triangle_test::Crossing;
    use crate::shapes::triangle::EdgeRule;
    use crate::simd::dispatch::dispatch;
    use crate::simd::task::Task;
    use crate::{Query, Ray, RayLike};
    use alloc::vec::Vec;
    use glam::{DVec3, Vec3};

    /// Numbers from -1 to 1, the same ones each time.
    struct Numbers(u64);
    impl Numbers {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        }
        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
        fn pick(&mut self, of: &[f32]) -> f32 {
            of[(self.next().abs() * of.len() as f32) as usize % of.len()]
        }
        /// Aimed at a corner, an edge, or into a triangle of a size of its own, from near or far, or from beside a corner.
        fn case(&mut self) -> ([Vec3; 3], Ray<Vec3>) {
            let size = self.pick(&[1e-6, 1e-3, 1.0, 1e3]);
            let a = self.vector() * self.pick(&[0.0, 1.0, 1e3]);
            let corners = [a, a + self.vector() * size, a + self.vector() * size];
            let [u, v] = [0.0, 1.0, self.next().abs()].map(|x| [x, self.pick(&[0.0, 1.0 - x, (1.0 - x) * 0.3])])
                [(self.next().abs() * 3.0) as usize % 3];
            // Now and then all of it happens beside the first corner.
            let near = self.pick(&[1.0, 1.0, 1.0, 1e-6, 1e-14]);
            let target = a + ((corners[1] - a) * u + (corners[2] - a) * v) * near;
            let mul_sign = self.vector() * self.pick(&[1e-3, 1.0, 1e3]);
            let away = self.pick(&[0.0, 1e-9, 1e-3, 1.0, 1e3]) * size * near;
            (corners, Ray::new(target - mul_sign * away, mul_sign))
        }
    }

    struct Weigh<'a, const ROUNDED: bool>(&'a Corners, Leaf, &'a Single, Faces);
    impl<const ROUNDED: bool> Task for Weigh<'_, ROUNDED> {
        type Output = Weighed;
        #[inline(always)]
        fn run<L: SimdF32>(self) -> Weighed {
            self.0.weigh::<L, ROUNDED>(self.1, self.2, f32::MAX, self.3)
        }
    }

    /// Two leaves of `count` triangles each, the second one of which is meant.
    fn leaf<V: Vector>(vertices: &[V], count: usize) -> (Corners, Leaf) {
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let parts: Vec<u32> = (0..count as u32).chain(0..count as u32).collect();
        let leaves = [0, count].map(|first| Leaf::new(first, count));
        let mut corners = Corners::default();
        corners.fill(vertices, &triangles, &leaves, &parts);
        (corners, leaves[1])
    }

    /// What is called a miss is one, what is called a crossing too, between the bounds; and the short way to its numbers
    /// is as good as the long one. In registers and in arrays.
    #[test]
    fn what_is_certain_is_true() {
        let mut numbers = Numbers(7);
        let (mut misses, mut crossings, mut left) = (0, 0, 0);
        for round in 0..20_000 {
            let faces = [Faces::Both, Faces::Front, Faces::Back][round % 3];
            let (corners, ray) = numbers.case();
            let raw = RayLike::<Vec3>::raw(&ray);
            let Some(line) = Single::of(&raw, 0.0, 2e3) else { continue };
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<Vec3> = corners.into_iter().chain(others).collect();
            let (block, leaf) = leaf(&vertices, count);
            assert!(block.are_exact);
            let weigh = || Weigh::<false>(&block, leaf, &line, faces);
            let both = [dispatch(weigh()), weigh().run::<Row>()];
            assert!(both.iter().all(|weighed| weighed.maybe >> count == 0));
            for (weighed, lane) in both.iter().flat_map(|weighed| (0..count).map(move |lane| (weighed, lane))) {
                let ask = |query: Query<f64>| Crossing {
                    corners: block.of((leaf, lane as u32)),
                    query,
                    rule: EdgeRule::Closed,
                };
                let ahead = Query::new().range(0.0, f64::from(f32::MAX)).faces(faces);
                if weighed.maybe >> lane & 1 == 0 {
                    misses += 1;
                    assert!(ask(ahead).answer::<f32>(&raw).is_none(), "{ray:?} {corners:?}");
                } else if weighed.inside >> lane & 1 == 1 {
                    crossings += 1;
                    let whole = ask(Query::line().faces(faces));
                    let exact = whole.answer::<f32>(&raw).expect("a crossing");
                    let (t, [low, high]) = (exact.t.to_f64(), weighed.range.map(|bound| f64::from(bound[lane])));
                    assert!(t <= high && (low <= t || low <= 0.0), "{low} {t} {high} {ray:?} {corners:?}");
                    if low > 0.0 {
                        let (short, long) = (ask(ahead).known_t(&raw), ask(ahead).answer::<f32>(&raw));
                        assert_eq!(Some(short), long.map(|at| at.t.to_f64()), "{ray:?} {corners:?}");
                    }
                } else {
                    left += 1;
                }
            }
        }
        assert!(misses > 100_000 && crossings > 3000 && left > 10_000, "{misses} {crossings} {left}");
    }

    struct Together<'a>(&'a Corners, Leaf, &'a [(Aim, f32); WIDTH]);
    impl Task for Together<'_> {
        type Output = (u32, Vec<Weighed>);
        #[inline(always)]
        fn run<L: SimdF32>(self) -> Self::Output {
            let Self(corners, leaf, lines) = self;
            let mut packet = Packet::new();
            packet.prepare::<L>(0, lines, 2e3);
            let weigh = |lane| corners.weigh_many::<L>((leaf, lane), &packet, Faces::Both);
            (corners.near::<L>(leaf, &packet), (0..leaf.count() as u32).map(weigh).collect())
        }
    }

    /// The same of sixteen lines from one place at a time: what is beside all of them is missed by each, what is called a miss is
    /// one, what is called a crossing too, between the bounds.
    #[test]
    fn what_is_certain_of_packets_is_true() {
        let mut numbers = Numbers(13);
        let (mut beside, mut misses, mut crossings, mut packets) = (0, 0, 0, 0);
        for round in 0..6000 {
            let (corners, ray) = numbers.case();
            // Into the triangle, or close to where the first one goes.
            let spread = numbers.pick(&[1.0, 1e-1, 1e-3, 1e-6]);
            let target = corners[0] + (corners[1] - corners[0]) * 0.3 + (corners[2] - corners[0]) * 0.3;
            let rays: [Ray<Vec3>; WIDTH] = core::array::from_fn(|lane| {
                let inside = target + (corners[lane % 3] - target) * numbers.next().abs() * 1.1;
                let beside = ray.direction * (numbers.vector() * spread + 1.0);
                Ray::new(ray.origin, if round % 2 == 0 { inside - ray.origin } else { beside })
            });
            let aims = rays.map(|ray| Aim::of(&RayLike::<Vec3>::raw(&ray), 0.0, 2e3));
            let Some(leader) = aims[0] else { continue };
            if aims.iter().any(|aim| aim.is_none_or(|aim| aim.way() != leader.way())) {
                continue;
            }
            packets += 1;
            let lines = aims.map(|aim| (aim.unwrap_or(leader), f32::MAX));
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<Vec3> = corners.into_iter().chain(others).collect();
            let (block, leaf) = leaf(&vertices, count);
            let together = || Together(&block, leaf, &lines);
            for (near, weighed) in [dispatch(together()), together().run::<Row>()] {
                for (place, ray) in (0..count).flat_map(|place| rays.iter().map(move |ray| (place, ray))) {
                    let lane = rays.iter().position(|other| core::ptr::eq(other, ray)).expect("one of them");
                    let (raw, at) = (RayLike::<Vec3>::raw(ray), &weighed[place]);
                    let corners = block.of((leaf, place as u32));
                    let ask = |query: Query<f64>| Crossing { corners, query, rule: EdgeRule::Closed };
                    let ahead = ask(Query::new().range(0.0, f64::from(f32::MAX)));
                    if near >> place & 1 == 0 || at.maybe >> lane & 1 == 0 {
                        assert!(ahead.answer::<f32>(&raw).is_none(), "{ray:?} {corners:?}");
                        beside += 1 - (near >> place & 1);
                        misses += near >> place & 1;
                    } else if at.inside >> lane & 1 == 1 {
                        crossings += 1;
                        let exact = ask(Query::line()).answer::<f32>(&raw).expect("a crossing");
                        let (t, [low, high]) = (exact.t.to_f64(), at.range.map(|bound| f64::from(bound[lane])));
                        assert!(t <= high && (low <= t || low <= 0.0), "{low} {t} {high} {ray:?} {corners:?}");
                    }
                }
            }
        }
        assert!(beside > 100_000 && misses > 10_000 && crossings > 10_000, "{beside} {misses} {crossings} {packets}");
    }

    /// The same of triangles and rays whose numbers `f32` does not have: what is called a miss is one, and most are.
    #[test]
    fn what_is_certain_of_rounded_triangles_is_true() {
        let mut numbers = Numbers(11);
        let (mut misses, mut hits) = (0, 0);
        for round in 0..20_000 {
            let faces = [Faces::Both, Faces::Front, Faces::Back][round % 3];
            // Far from the origin `f32` may not tell the corners of a triangle apart.
            let (shift, scale) = (numbers.vector().as_dvec3() * 100.0, [1.0, 1e-6][round % 2]);
            let beside = |v: Vec3| v.as_dvec3() * (1.0 / 3.0) * scale + shift;
            let (corners, ray) = numbers.case();
            let direction = ray.direction.as_dvec3() * scale * 0.7;
            let raw = RayLike::<DVec3>::raw(&Ray::new(beside(ray.origin), direction));
            let Some(line) = Single::of(&raw, 0.0, 2e3) else { continue };
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<DVec3> = corners.into_iter().chain(others).map(beside).collect();
            let (block, leaf) = leaf(&vertices, count);
            let weigh = || Weigh::<true>(&block, leaf, &line, faces);
            for weighed in [dispatch(weigh()), weigh().run::<Row>()] {
                assert_eq!(weighed.inside, 0);
                for lane in 0..count {
                    let corners = [0, 1, 2].map(|i| vertices[3 * lane + i].widen());
                    let query = Query::new().range(0.0, f64::from(f32::MAX)).faces(faces);
                    let crossing = Crossing { corners, query, rule: EdgeRule::Closed };
                    let is_hit = crossing.answer::<f64>(&raw).is_some();
                    let is_left = weighed.maybe >> lane & 1 == 1;
                    assert!(is_left || !is_hit, "{raw:?} {corners:?}");
                    hits += usize::from(is_hit);
                    misses += usize::from(!is_left);
                }
            }
        }
        assert!(hits > 4000 && misses > 50_000, "{hits} {misses}");
    }
}
