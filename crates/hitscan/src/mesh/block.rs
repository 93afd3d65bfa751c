//! Eight triangles side by side: which of them a line certainly misses, eight answers at a time.

use crate::Faces;
use crate::accel::{Aim, NOTHING, WIDTH, above};
use crate::math::{SINGLE_ROUNDING as U, Vector, Wide3};
use crate::simd::Lanes;

/// The corners of the triangles of a leaf, in `f32`: those of the mesh, or near them.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    /// Corner, coordinate, triangle.
    corners: [[[f32; WIDTH]; 3]; 3],
    /// Which lanes have a triangle, as bits: its number is in the same lane of the leaf.
    there: u32,
    /// No coordinate of a corner is off by more.
    off: f32,
    /// The largest component of the edges at the first corner, rounded up to the upper half of an `f32`.
    edges: [u16; WIDTH],
}

/// 2^-100: more than what underflows, while numbers are below 2^30.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// 2^-18: what is nearer to the first corner than this part of an edge is left to `f64`.
const CLOSE: f32 = f32::from_bits((127 - 18) << 23);

impl Block {
    pub(super) fn new<V: Vector>(vertices: &[V], triangles: &[[u32; 3]], leaf: &[u32; WIDTH]) -> Self {
        let mut block = Self { corners: [[[0.0; WIDTH]; 3]; 3], there: 0, off: 0.0, edges: [0; WIDTH] };
        let mut off = 0.0f64;
        for (lane, &triangle) in leaf.iter().enumerate().filter(|(_, triangle)| **triangle != NOTHING) {
            let corners = triangles[triangle as usize].map(|i| vertices[i as usize].to_f64());
            let mut edge = 0.0f64;
            for (corner, at) in corners.iter().enumerate() {
                for axis in 0..3 {
                    let near = at[axis] as f32;
                    block.corners[corner][axis][lane] = near;
                    off = off.max((f64::from(near) - at[axis]).abs());
                    edge = edge.max((at[axis] - corners[0][axis]).abs());
                }
            }
            block.there |= 1 << lane;
            block.edges[lane] = (above(edge).to_bits().next_multiple_of(1 << 16) >> 16) as u16;
        }
        block.off = above(off);
        block
    }

    /// Whether all corners are those of the mesh.
    #[inline(always)]
    pub(super) fn is_exact(&self) -> bool {
        self.off == 0.0
    }

    #[inline(always)]
    pub(super) fn corners(&self, lane: usize) -> [Wide3<f64>; 3] {
        self.corners.map(|[x, y, z]| Wide3::new(f64::from(x[lane]), f64::from(y[lane]), f64::from(z[lane])))
    }

    /// What is certain about the line and each triangle, up to `end`.
    ///
    /// # Method
    /// Moeller and Trumbore's determinants in `f32`, each beside a bound of its error. With u = 2^-24, and S, D, E the
    /// largest components of `o - a`, of the direction and of the edges (E rounded up): a determinant is the sum of six products of
    /// three components. Each component is off by u (a difference of given numbers, or the rounded direction), and each
    /// product by five roundings more: 8 u of six times the product of the three largest, 48 u S D E; and the sum
    /// `det - u - v` by two roundings more. Bounds are 64 u, and something for what underflows. A quotient of two bounds
    /// is off by 3 u more.
    ///
    /// Where the line or the corners are `ROUNDED`, `o - a` and the edges are off by h, twice what coordinates are off by, and S and
    /// E are to be bounds for both: they grow by h. One after the other of the factors is replaced in each product: `u` and `v` are
    /// off by 6 h D (S + E) more, the determinant by 12 h D E, `t` by 6 h E (E + 2 S). Bounds have 8, 16, and 8. Of triangles that
    /// are rounded only what is certainly missed is told.
    ///
    /// # Source
    /// Moeller, Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, JGT 2(1), 1997; the bounds are ours.
    #[inline(always)]
    pub(super) fn weigh<L: Lanes, const ROUNDED: bool>(&self, line: &Aim, end: f32, faces: Faces) -> Weighed {
        // Closures over registers would be calls: what is here is written out.
        let [a, b, c] = &self.corners;
        let (a, b, c) = (load::<L>(a), load::<L>(b), load::<L>(c));
        let (o, d) = (splat::<L>(line.origin), splat::<L>(line.direction));
        let (e1, e2, s) = (minus(b, a), minus(c, a), minus(o, a));
        let (p, q) = (cross(d, e2), cross(s, e1));
        let signed = dot(e1, p);
        let (u, v, t) = (dot(s, p).facing(signed), dot(d, q).facing(signed), dot(e2, q).facing(signed));
        let det = signed.abs();
        let (mut s, mut e) = (largest(s), L::load_upper(&self.edges));
        let [x, y, z] = line.direction;
        let fastest = x.abs().max(y.abs()).max(z.abs());
        let (share, tiny) = (L::splat(64.0 * U), L::splat(TINY));
        // With room for coordinates that underflowed.
        let h = L::splat(2.0 * (self.off + line.off) + TINY);
        if ROUNDED {
            (s, e) = (s.plus(h), e.plus(h));
        }
        let d_e = L::splat(fastest * 64.0 * U).times(e);
        let (mut uv_off, mut det_off) = (d_e.times_plus(s, tiny), d_e.times_plus(e, tiny));
        let mut t_off = share.times(s).times(e).times_plus(e, tiny);
        if ROUNDED {
            let (d_h, e_h) = (L::splat(8.0 * fastest).times(h), L::splat(8.0).times(e).times(h));
            uv_off = d_h.times_plus(s.plus(e), uv_off);
            det_off = d_h.plus(d_h).times_plus(e, det_off);
            t_off = e_h.times_plus(e.plus(s).plus(s), t_off);
        }
        let (zero, wider) = (L::splat(0.0), L::splat(1.0 + 8.0 * U));
        let (det_low, det_high) = (det.minus(det_off), det.plus(det_off));
        let (least, rest) = (u.min(v), det.minus(u).minus(v));
        let rest_off = uv_off.times_plus(L::splat(2.0), det_off);
        let (early, late) = (t.minus(t_off), t.plus(t_off));
        let lowest = least.plus(uv_off).min(rest.plus(rest_off)).min(late);
        // Seen edge on, the sign of the determinants is not known.
        let clear = zero.less(det_low);
        let maybe =
            !((lowest.less(zero) | L::splat(end).times(det_high).times(wider).less(early)) & clear) & self.there;
        let mut weighed = Weighed { maybe, inside: 0, range: [[0.0; WIDTH]; 2] };
        if maybe != 0 {
            let far_enough = e.times(L::splat(CLOSE)).less(s);
            weighed.inside = zero.less(least.minus(uv_off).min(rest.minus(rest_off))) & clear & far_enough & maybe;
            early.over(det_high.times(wider)).store(&mut weighed.range[0]);
            late.over(det_low).times(wider).store(&mut weighed.range[1]);
            // The determinant is positive where the line meets the front.
            let hidden = match faces {
                Faces::Both => 0,
                Faces::Front => signed.less(zero),
                Faces::Back => zero.less(signed),
            };
            weighed.maybe &= !(hidden & clear);
            weighed.inside &= if ROUNDED { 0 } else { weighed.maybe };
        }
        weighed
    }
}

/// What is certain about a line and the triangles of a block.
pub(super) struct Weighed {
    /// Those that it does not certainly miss, as bits.
    pub(super) maybe: u32,
    /// Those of them that its whole line certainly crosses, on a face that is asked for, and by so much that `f64` has no
    /// doubt about it either: see [`Crossing::inside`](super::crossing::Crossing::inside).
    pub(super) inside: u32,
    /// Bounds of `t` for the latter.
    pub(super) range: [[f32; WIDTH]; 2],
}

#[inline(always)]
fn load<L: Lanes>([x, y, z]: &[[f32; WIDTH]; 3]) -> [L; 3] {
    [L::load(x), L::load(y), L::load(z)]
}

#[inline(always)]
fn splat<L: Lanes>([x, y, z]: [f32; 3]) -> [L; 3] {
    [L::splat(x), L::splat(y), L::splat(z)]
}

#[inline(always)]
fn minus<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2])]
}

#[inline(always)]
fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [
        a[1].times_minus(b[2], a[2].times(b[1])),
        a[2].times_minus(b[0], a[0].times(b[2])),
        a[0].times_minus(b[1], a[1].times(b[0])),
    ]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].times_plus(b[0], a[1].times_plus(b[1], a[2].times(b[2])))
}

#[inline(always)]
fn largest<L: Lanes>(v: [L; 3]) -> L {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Wide;
    use crate::mesh::crossing::Crossing;
    use crate::shape::EdgeRule;
    use crate::simd::{Task, vectorized};
    use crate::{Cast, Query, Ray};
    use alloc::format;
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
            let towards = self.vector() * self.pick(&[1e-3, 1.0, 1e3]);
            let away = self.pick(&[0.0, 1e-9, 1e-3, 1.0, 1e3]) * size * near;
            (corners, Ray::new(target - towards * away, towards))
        }
    }

    struct Weigh<'a, const ROUNDED: bool>(&'a Block, &'a Aim, Faces);
    impl<const ROUNDED: bool> Task for Weigh<'_, ROUNDED> {
        type Output = Weighed;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Weighed {
            self.0.weigh::<L, ROUNDED>(self.1, f32::MAX, self.2)
        }
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
            let raw = Cast::<Vec3>::raw(&ray);
            let Some(line) = crate::accel::Single::of(&raw, 0.0, 2e3) else { continue };
            let others = (0..7).flat_map(|_| numbers.case().0);
            let vertices: alloc::vec::Vec<Vec3> = corners.into_iter().chain(others).collect();
            let triangles: alloc::vec::Vec<[u32; 3]> = (0..8).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let block = Block::new(&vertices, &triangles, &[0, 1, 2, 3, 4, 5, 6, 7]);
            let weigh = || Weigh::<false>(&block, &line.aim, faces);
            let both = [vectorized(weigh()), weigh().run::<[f32; 8]>()];
            for (weighed, lane) in both.iter().flat_map(|weighed| (0..8).map(move |lane| (weighed, lane))) {
                let ask = |query: Query<f64>| Crossing { corners: block.corners(lane), query, rule: EdgeRule::Closed };
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
                        let (short, long) = (ask(ahead).inside::<f32>(&raw), ask(ahead).answer::<f32>(&raw));
                        assert_eq!(format!("{short:?}"), format!("{long:?}"), "{ray:?} {corners:?}");
                    }
                } else {
                    left += 1;
                }
            }
        }
        assert!(misses > 100_000 && crossings > 4000 && left > 10_000, "{misses} {crossings} {left}");
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
            let raw = Cast::<DVec3>::raw(&Ray::new(beside(ray.origin), direction));
            let Some(line) = crate::accel::Single::of(&raw, 0.0, 2e3) else { continue };
            let others = (0..7).flat_map(|_| numbers.case().0);
            let vertices: alloc::vec::Vec<DVec3> = corners.into_iter().chain(others).map(beside).collect();
            let triangles: alloc::vec::Vec<[u32; 3]> = (0..8).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let block = Block::new(&vertices, &triangles, &[0, 1, 2, 3, 4, 5, 6, 7]);
            let weigh = || Weigh::<true>(&block, &line.aim, faces);
            for weighed in [vectorized(weigh()), weigh().run::<[f32; 8]>()] {
                assert_eq!(weighed.inside, 0);
                for (lane, triangle) in triangles.iter().enumerate() {
                    let corners = triangle.map(|i| vertices[i as usize].widen());
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
