//! Point query: the leaves whose boxes contain a point.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, WIDTH};
use core::ops::ControlFlow;
use smallvec::{SmallVec, smallvec};

impl Bvh16 {
    /// Calls `part` with every slot whose box contains the point, and perhaps others. `part` may stop.
    pub(crate) fn visit_point(
        &self,
        [x, y, z]: [f64; 3],
        mut part: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Depth first, in no order: a point has no nearest box.
        let mut waiting: SmallVec<[u32; 64]> = smallvec![self.root()];
        while let Some(next) = waiting.pop().filter(|next| *next != INVALID) {
            let node = &self.nodes[next as usize];
            // The boxes are rounded outward, so a comparison in `f64` loses no box around the point.
            for lane in 0..WIDTH {
                let [a, b, c, d, e, f] = node.planes.map(|plane| f64::from(plane[lane]));
                if !(a <= x && x <= d && b <= y && y <= e && c <= z && z <= f) {
                    continue;
                }
                match Leaf::of(node.child[lane]) {
                    Some(leaf) => leaf.slots().try_for_each(&mut part)?,
                    None => waiting.push(node.child[lane]),
                }
            }
        }
        ControlFlow::Continue(())
    }
}
