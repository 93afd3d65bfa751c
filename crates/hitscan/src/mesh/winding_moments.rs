//! Moments of the triangles below each child of a BVH: its winding number as seen from afar.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, WIDTH};
use crate::math::eft::sqrt;
use crate::math::scale::power_of_two_below;
use crate::math::vector::Vector3;
use crate::mesh::triangle_set::TriangleSet;
use crate::simd::lanes::F32Lanes;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::PI;
use core::fmt;
use once_cell::race::OnceBox;
use smallvec::{SmallVec, smallvec};

/// Moments of the sixteen children of a node in SoA layout: the expansion of their winding number about their centres, in
/// harmonic polynomials of the direction to the point.
///
/// All are divided by 4 pi. Coordinates are those of [`WindingMoments::local`].
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct NodeMoments {
    /// Centroid.
    pub(crate) center: [F32Lanes; 3],
    /// Greatest distance of a corner from the centroid, rounded up.
    pub(crate) radius: F32Lanes,
    /// Area.
    pub(crate) area: F32Lanes,
    /// Upper bound of the integral of the cubed distance from the centroid.
    pub(crate) cubed: F32Lanes,
    /// Coefficients of x, y, z.
    pub(crate) linear: [F32Lanes; 3],
    /// Coefficients of xx, yy, zz, xy, xz, yz.
    pub(crate) quadratic: [F32Lanes; 6],
    /// Coefficients of xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz.
    pub(crate) cubic: [F32Lanes; 10],
    /// Bit masks of the slots of leaves that count: of a triangle in several leaves, the first.
    pub(crate) counted: [u16; WIDTH],
}

impl NodeMoments {
    const EMPTY: Self = {
        let zero = [0.0; WIDTH];
        Self {
            center: [zero; 3],
            radius: zero,
            area: zero,
            cubed: zero,
            linear: [zero; 3],
            quadratic: [zero; 6],
            cubic: [zero; 10],
            counted: [0; WIDTH],
        }
    };
}

/// Moments of all nodes of a mesh.
#[derive(Clone)]
pub(crate) struct WindingMoments {
    /// Centre of the mesh.
    origin: [f64; 3],
    /// Power of two that scales the half extent of the mesh to 1..2.
    scale: f64,
    pub(crate) nodes: Vec<NodeMoments>,
}

/// Bound of local coordinates. The winding number beyond is less than 2^-80 of the number of turns that the mesh has.
const FARTHEST: f64 = (1u64 << 45) as f64;

impl WindingMoments {
    /// The moments of the children of a BVH, in O(n log n).
    ///
    /// # Method
    /// The winding number of a patch is the integral of `n . y / abs(y)^3` with `y = D + s`, where `D` points to the
    /// centroid of the patch, and `s` from there to its points. The Taylor series in `s` has the terms `N(u) / d^2`,
    /// `-3 Q(u) / d^3` and `15/2 O(u) / d^4`, where `u = D / d`, and `N`, `Q`, `O` are the harmonic parts of the integrals of
    /// `n . u`, `(n . u)(s . u)` and `(n . u)(s . u)^2`: the other parts do not contribute, as `1 / abs(y)` is harmonic.
    ///
    /// # Source
    /// Barill, Dickson, Schmidt, Levin, Jacobson, *Fast Winding Numbers for Soups and Clouds*, ACM Trans. Graph. 37(4),
    /// 2018, section 4: the terms of order 0 to 2, there with all 27 coefficients of the last one.
    pub(crate) fn of<V: Vector3>(mesh: TriangleSet<'_, V>, tree: &Bvh16) -> Self {
        // Local coordinates: the centre of the mesh is the origin, and the half extent is 1 to 2. So the moments fit in
        // `f32`.
        let (low, high) = (mesh.bounds.min.to_f64(), mesh.bounds.max.to_f64());
        // Halved first: the sum may be too large.
        let origin = [0, 1, 2].map(|i| 0.5 * low[i] + 0.5 * high[i]);
        let extent = [0, 1, 2].map(|i| 0.5 * high[i] - 0.5 * low[i]).into_iter().fold(0.0, f64::max);
        let scale = power_of_two_below(extent).unwrap_or(1.0);
        let mut moments = Self { origin, scale, nodes: vec![NodeMoments::EMPTY; tree.nodes.len()] };
        // A triangle in several leaves counts in one of them.
        moments.count_once(tree, mesh.triangles.len());
        // Each child of each node is a patch with a series of its own.
        for node in 0..tree.nodes.len() {
            for lane in 0..WIDTH {
                let child = (node, lane);
                let mut sums = [0.0; 4];
                let mut any = [0.0; 3];
                // The centroid by area: about it the first terms are smallest. A patch without area gets any of its
                // points.
                moments.each_triangle(mesh, tree, child, &mut |corners| {
                    let [a, b, c] = corners;
                    let area = length(area_vector(corners));
                    any = a;
                    sums[3] += area;
                    for axis in 0..3 {
                        sums[axis] += area * ((a[axis] + b[axis] + c[axis]) / 3.0);
                    }
                });
                let [x, y, z, area] = sums;
                let center = if area > 0.0 { [x / area, y / area, z / area] } else { any };
                // The polynomials are about the centre as rounded.
                let mut patch = Patch { center: center.map(|x| f64::from(x as f32)), ..Patch::default() };
                moments.each_triangle(mesh, tree, child, &mut |corners| patch.add(corners));
                patch.write(&mut moments.nodes[node], lane);
            }
        }
        moments
    }

    /// Coordinates relative to the centre of the mesh, in units in which its half extent is 1..2.
    #[inline(always)]
    pub(crate) fn local(&self, point: [f64; 3]) -> [f64; 3] {
        let ([x, y, z], [a, b, c], scale) = (point, self.origin, self.scale);
        let clamp = |x: f64| x.clamp(-FARTHEST, FARTHEST);
        [clamp((x - a) * scale), clamp((y - b) * scale), clamp((z - c) * scale)]
    }

    /// Fills the masks of slots that count.
    fn count_once(&mut self, tree: &Bvh16, triangles: usize) {
        let mut is_counted = vec![false; triangles];
        for (node, moments) in tree.nodes.iter().zip(&mut self.nodes) {
            for (&child, mask) in node.child.iter().zip(&mut moments.counted) {
                let prim_ids = Leaf::of(child).map_or(&[][..], |leaf| leaf.of_all(&tree.prim_ids));
                for (slot, &triangle) in prim_ids.iter().enumerate() {
                    let known = &mut is_counted[triangle as usize];
                    *mask |= u16::from(!*known) << slot;
                    *known = true;
                }
            }
        }
    }

    /// Calls `each` with the corners of every triangle below a child, once.
    fn each_triangle<V: Vector3>(
        &self,
        mesh: TriangleSet<'_, V>,
        tree: &Bvh16,
        child: (usize, usize),
        each: &mut dyn FnMut([[f64; 3]; 3]),
    ) {
        // Depth first below the child, without recursion.
        let mut waiting: SmallVec<[(usize, usize); 64]> = smallvec![child];
        while let Some((node, lane)) = waiting.pop() {
            let child = tree.nodes[node].child[lane];
            if let Some(leaf) = Leaf::of(child) {
                // Only the slots of the leaf that count.
                let counted = self.nodes[node].counted[lane];
                for (slot, &triangle) in leaf.of_all(&tree.prim_ids).iter().enumerate() {
                    if counted >> slot & 1 == 1 {
                        each(mesh.triangles[triangle as usize].map(|i| self.local(mesh.vertices[i as usize].to_f64())));
                    }
                }
            } else if child != INVALID {
                waiting.extend((0..WIDTH).map(|lane| (child as usize, lane)));
            }
        }
    }
}

impl fmt::Debug for WindingMoments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindingMoments").field("nodes", &self.nodes.len()).finish()
    }
}

/// Lazily computed moments of a mesh: only winding numbers need them. Threads that request them at the same time may
/// each compute them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyMoments(OnceBox<WindingMoments>);

impl LazyMoments {
    pub(crate) fn get<V: Vector3>(&self, mesh: TriangleSet<'_, V>, tree: &Bvh16) -> &WindingMoments {
        self.0.get_or_init(|| Box::new(WindingMoments::of(mesh, tree)))
    }
}

/// Sums over the triangles of a patch.
#[derive(Default)]
struct Patch {
    center: [f64; 3],
    radius: f64,
    area: f64,
    cubed: f64,
    linear: [f64; 3],
    quadratic: [f64; 6],
    cubic: [f64; 10],
}

impl Patch {
    fn add(&mut self, corners: [[f64; 3]; 3]) {
        // The normal with the length of the area, and the corners relative to the centre.
        let normal = area_vector(corners);
        let area = length(normal);
        let spokes = corners.map(|corner| [0, 1, 2].map(|i| corner[i] - self.center[i]));
        let sum = [0, 1, 2].map(|i| spokes[0][i] + spokes[1][i] + spokes[2][i]);
        // The integral of a product of linear functions over a triangle follows from the corners and their sum.
        let mut mean_sq = [0.0; 6];
        for spoke in spokes.into_iter().chain([sum]) {
            add_to(&mut mean_sq, product(spoke, spoke).map(|x| x / 12.0));
        }
        // The radius of the patch and the integral of the cube bound the terms left out.
        for spoke in spokes {
            let distance = length(spoke);
            self.radius = self.radius.max(distance);
            // The cube of a distance is convex: its mean is at most that of the corners.
            self.cubed += area / 3.0 * (distance * distance * distance);
        }
        // The integrals of the series: of the normal, and of its products with the position.
        self.area += area;
        add_to(&mut self.linear, normal);
        add_to(&mut self.quadratic, product(normal, sum.map(|x| x / 3.0)));
        add_to(&mut self.cubic, product_3(normal, mean_sq));
    }

    /// Writes the harmonic parts, times the factors of the series.
    fn write(&self, node: &mut NodeMoments, lane: usize) {
        // The parts with a Laplacian contribute nothing (see `of`): without them the terms left out have a smaller
        // bound.
        let (mut quadratic, mut cubic) = (self.quadratic, self.cubic);
        // Q - (Laplacian of Q) (u . u) / 6.
        let mean = (quadratic[0] + quadratic[1] + quadratic[2]) / 3.0;
        quadratic[..3].iter_mut().for_each(|q| *q -= mean);
        // O - (Laplacian of O) (u . u) / 10. Its coefficients of x, y, z, and the terms that (u . u) makes of them:
        for terms in [[0, 5, 7], [1, 3, 8], [2, 4, 6]] {
            let laplacian = 6.0 * self.cubic[terms[0]] + 2.0 * self.cubic[terms[1]] + 2.0 * self.cubic[terms[2]];
            terms.into_iter().for_each(|term| cubic[term] -= laplacian / 10.0);
        }
        // The factors of the series go into the coefficients, and everything is rounded to `f32`.
        let share = 1.0 / (4.0 * PI);
        let set = |row: &mut F32Lanes, x: f64| row[lane] = x as f32;
        for (axis, row) in node.center.iter_mut().enumerate() {
            set(row, self.center[axis]);
        }
        // Bounds are rounded up: the factor exceeds any rounding to `f32`.
        let up = 1.0 + 1.0 / f64::from(1 << 20);
        set(&mut node.radius, self.radius * up);
        set(&mut node.area, self.area * share * up);
        set(&mut node.cubed, self.cubed * share * up);
        node.linear.iter_mut().zip(self.linear).for_each(|(row, x)| set(row, x * share));
        node.quadratic.iter_mut().zip(quadratic).for_each(|(row, x)| set(row, -3.0 * x * share));
        node.cubic.iter_mut().zip(cubic).for_each(|(row, x)| set(row, 7.5 * x * share));
    }
}

/// The product of two linear functions: xx, yy, zz, xy, xz, yz.
fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 6] {
    let mixed = |i: usize, j: usize| a[i] * b[j] + a[j] * b[i];
    [a[0] * b[0], a[1] * b[1], a[2] * b[2], mixed(0, 1), mixed(0, 2), mixed(1, 2)]
}

/// The product of a linear and a quadratic function: xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz.
fn product_3([x, y, z]: [f64; 3], [xx, yy, zz, xy, xz, yz]: [f64; 6]) -> [f64; 10] {
    [
        x * xx,
        y * yy,
        z * zz,
        x * xy + y * xx,
        x * xz + z * xx,
        x * yy + y * xy,
        y * yz + z * yy,
        x * zz + z * xz,
        y * zz + z * yz,
        x * yz + y * xz + z * xy,
    ]
}

fn add_to<const N: usize>(sums: &mut [f64; N], more: [f64; N]) {
    sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}

/// Half the cross product of two edges: the normal, as long as the area.
fn area_vector([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let [p, q] = [b, c].map(|corner| [0, 1, 2].map(|i| corner[i] - a[i]));
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]].map(|x| 0.5 * x)
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    sqrt(x * x + y * y + z * z)
}
