//! Laws of closest points: they are on the surface, as far away as the distance says, and no point of a ray is closer.

use crate::law::law;
use crate::numbers::Numbers;
use crate::recipe::{World, floats, in_space, shapes_in_scene, vector};
use hitscan::{ClosestPoint, Shape};
use hitscan::{PointQuery, Real};

/// Up to 4 shapes; the first byte selects precision and dimension.
pub fn distances(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    in_space!(mode, check(&mut n));
}

fn check<V: World>(n: &mut Numbers<'_>) {
    let (shapes, scene) = shapes_in_scene::<V>(n);
    for _ in 0..1 + n.byte() % 3 {
        let point: V = vector(n.point(V::DIM));
        let limit = V::Scalar::from_f64(n.number());
        let all: Option<Vec<ClosestPoint<V>>> = shapes.iter().map(|shape| one::<V>(shape, point, limit, n)).collect();
        let found = scene.closest_point(point);
        let case = || format!("{shapes:?}\n{point:?}\nscene {found:?}\neach {all:?}");
        let Some(all) = &all else { continue };
        let least = all.iter().map(|found| found.distance).reduce(|a, b| if b < a { b } else { a });
        law(found.map(|found| found.distance) == least, "distances: the scene is not the loop over its objects", case);
        let linear = scene.linear_scan().closest_point(point);
        law(linear == found, "distances: the BVH changes the closest point", case);
        let within = scene.closest_point_within(point, limit);
        let expected = found.filter(|found| found.distance <= limit);
        law(within == expected, "distances: a limit changes the closest point", case);
        let batch = scene.closest_points(&[point; 3], limit);
        law(batch.iter().all(|found| *found == within), "distances: a batch changes the closest point", case);
    }
}

/// The closest point of a shape; `None` if the shape has none.
fn one<V: World>(shape: &V::Shape, point: V, limit: V::Scalar, n: &Numbers<'_>) -> Option<ClosestPoint<V>> {
    let found = shape.closest_point(point);
    let signed = shape.signed_distance(point);
    let case = || format!("{shape:?}\n{point:?} {limit:?}\n{found:?}\nsigned {signed:?}");
    law(found.is_some() == signed.is_some(), "distances: a distance without a sign", case);
    law(point.all_finite() || found.is_none(), "distances: no point, but a distance", case);
    let (found, signed) = (found?, signed?);
    let numbers = floats(found.point);
    let all = !numbers.iter().any(|x| x.is_nan()) && found.distance >= V::Scalar::ZERO;
    law(all, "distances: not numbers", case);
    let size = if signed < V::Scalar::ZERO { V::Scalar::ZERO - signed } else { signed };
    // A distance that rounds to zero beside a surface, or at a triangle without area, has a size that shows its side.
    let is_least = found.distance == V::Scalar::ZERO && size == V::Scalar::ZERO.next_up();
    law(size == found.distance || is_least, "distances: the signed distance has another size", case);
    let is_inside = shape.contains(point);
    let agree = if is_inside { signed <= V::Scalar::ZERO } else { signed >= V::Scalar::ZERO };
    law(agree, "distances: the sign is not that of contains", case);
    if !(n.tame() && found.distance.is_finite() && found.point.all_finite()) {
        return Some(found);
    }
    let max = |v: [f64; 3]| v.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let bounds = shape.aabb();
    let ends = [bounds.min, bounds.max].map(floats).map(max).into_iter().filter(|x| x.is_finite());
    let largest = ends.fold(max(numbers).max(max(floats(point))), f64::max);
    // Twice 4 units in the last place, and the rounding of each coordinate.
    let slack = 12.0 * V::Scalar::EPSILON.to_f64() * largest + 16.0 * V::Scalar::ZERO.next_up().to_f64();
    let way = floats(point);
    let unit = largest.max(f64::MIN_POSITIVE);
    let apart = (0..3).map(|i| ((way[i] - numbers[i]) / unit).powi(2)).sum::<f64>().sqrt() * unit;
    let off = (apart - found.distance.to_f64()).abs();
    law(off <= slack, "distances: the point is elsewhere", || format!("off by {off:e}\n{}", case()));
    let on_surface = shape.distance(found.point).is_none_or(|distance| distance.to_f64() <= slack);
    law(on_surface, "distances: the closest point is not on the surface", case);
    Some(found)
}
