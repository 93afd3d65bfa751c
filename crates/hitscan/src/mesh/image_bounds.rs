//! Bounding box of a mesh under a transform.

use crate::aabb::Aabb;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Node16, WIDTH};
use crate::math::vector::Vector3;
use crate::transform::{IMAGE_ROUNDINGS, Transform};

/// Bounding box of the image of a mesh, rounded outward: around the images of its corners, or around those of the boxes in the
/// root of its BVH, for a turned mesh fills less of the image of its whole bounding box. `None` for an empty mesh, and for
/// coordinates beyond the range of `f32`.
pub(crate) fn image_of_mesh<V: Vector3>(
    (vertices, triangles): (&[V], &[[u32; 3]]),
    tree: &Bvh16,
    transform: &Transform<V>,
) -> Option<Aabb<V>> {
    let root = tree.nodes.first().filter(|_| tree.largest < f32::MAX)?;
    let largest = [f64::from(tree.largest); 3];
    let corners = || triangles.iter().flatten().map(|&i| vertices[i as usize].to_f64());
    let product = |row: [f64; 3], p: [f64; 3]| row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
    let most = |row: [f64; 3]| match triangles.len() {
        0..=WIDTH => corners().map(|p| product(row, p)).fold(f64::NEG_INFINITY, f64::max),
        _ => greatest(root, row),
    };
    Some(transform.image_by_rows(|row| [-most(row.map(|x| -x)), most(row)], (largest, IMAGE_ROUNDINGS)))
}

/// The greatest product of a vector with a point of the boxes of a node, but for rounding.
fn greatest(node: &Node16, row: [f64; 3]) -> f64 {
    let mut products = [0.0; WIDTH];
    for (axis, by) in row.into_iter().enumerate() {
        let side = &node.planes[if by < 0.0 { axis } else { axis + 3 }];
        products.iter_mut().zip(side).for_each(|(product, x)| *product += by * f64::from(*x));
    }
    // An empty box has infinite sides the wrong way round: its product is never the greatest, and neither is a NaN.
    products.into_iter().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a })
}
