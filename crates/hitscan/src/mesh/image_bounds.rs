//! Bounding box of a mesh under a transform.

use crate::aabb::Aabb;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Node16, WIDTH};
use crate::math::rounding::ROUNDING;
use crate::math::vector::{Vector, Vector3};
use crate::transform::Transform;

/// Bounding box of the image of a mesh, rounded outward: around the images of its corners, or around those of the boxes in the
/// root of its BVH, for a turned mesh fills less of the image of its whole bounding box. `None` for an empty mesh, and for
/// coordinates beyond the range of `f32`.
pub(crate) fn image_of_mesh<V: Vector3>(
    (vertices, triangles): (&[V], &[[u32; 3]]),
    tree: &Bvh16,
    transform: &Transform<V>,
) -> Option<Aabb<V>> {
    let root = tree.nodes.first().filter(|_| tree.largest < f32::MAX)?;
    let largest = f64::from(tree.largest);
    if triangles.len() <= WIDTH {
        let corners = || triangles.iter().flatten().map(|&i| vertices[i as usize].to_f64());
        return image(transform, largest, |row| {
            corners().map(|p| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]).fold(f64::NEG_INFINITY, f64::max)
        });
    }
    image(transform, largest, |row| greatest(root, row))
}

/// Bounding box of the image of points with coordinates up to `largest`, by the greatest product of a vector with one of them.
fn image<V: Vector>(transform: &Transform<V>, largest: f64, greatest: impl Fn([f64; 3]) -> f64) -> Option<Aabb<V>> {
    let (columns, origin) = (transform.columns(), transform.translation().to_f64());
    let mut image = [[0.0; 3]; 2];
    for axis in 0..3 {
        let row = columns.map(|column| column[axis]);
        // Three products and three sums, each off by at most 2^-53 of the sum of all terms.
        let size = origin[axis].abs() + row.iter().map(|x| x.abs()).sum::<f64>() * largest;
        let slack = size * (16.0 * ROUNDING) + f64::MIN_POSITIVE;
        image[0][axis] = origin[axis] - greatest(row.map(|x| -x)) - slack;
        image[1][axis] = origin[axis] + greatest(row) + slack;
    }
    image.as_flattened().iter().all(|x| x.is_finite()).then(|| Aabb::rounded_outward(image))
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
