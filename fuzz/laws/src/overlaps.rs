//! Laws of overlaps: a scene overlaps as its objects do, a mesh as its triangles, and two volumes either way round.

use crate::law::law;
use crate::mesh::parts;
use crate::numbers::Numbers;
use crate::recipe::{World, in_space, shapes_in_scene, vector};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{
    Aabb, Capsule, Cuboid, OverlapQuery, PointQuery, Quality, Real, Shape, Sphere, Triangle, TriangleMesh, Vector,
    Vector3, Volume,
};

/// Up to 4 shapes, or a mesh of up to 24 triangles; the first byte selects precision and dimension.
pub fn overlaps(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    match mode & 12 {
        8 => of_mesh::<Vec3>(&mut n, mode >> 4),
        12 => of_mesh::<DVec3>(&mut n, mode >> 4),
        _ => in_space!(mode, check(&mut n)),
    }
}

/// A ball, box or capsule: as a volume and as a shape.
fn volume<V: Vector>(n: &mut Numbers<'_>) -> Option<(Volume<V>, Box<dyn Shape<V>>)> {
    let (a, b): (V, V) = (vector(n.point(V::DIM)), vector(n.point(V::DIM)));
    let size = V::Scalar::from_f64(n.number().abs());
    let half = b.map(|x| if x < V::Scalar::ZERO { V::Scalar::ZERO - x } else { x });
    Some(match n.byte() % 4 {
        0 => Sphere::new(a, size).ok().map(|shape| (shape.into(), Box::new(shape) as Box<dyn Shape<V>>))?,
        1 => Cuboid::new(a, half).ok().map(|shape| (shape.into(), Box::new(shape) as Box<dyn Shape<V>>))?,
        2 => Capsule::new(a, b, size).ok().map(|shape| (shape.into(), Box::new(shape) as Box<dyn Shape<V>>))?,
        // A point, as bounds.
        _ => Cuboid::new(a, V::splat(V::Scalar::ZERO))
            .ok()
            .map(|shape| (Aabb { min: a, max: a }.into(), Box::new(shape) as Box<dyn Shape<V>>))?,
    })
}

fn check<V: World>(n: &mut Numbers<'_>) {
    let (shapes, scene) = shapes_in_scene::<V>(n);
    let linear = scene.linear_scan();
    let mut last: Option<(Volume<V>, Box<dyn Shape<V>>)> = None;
    for _ in 0..1 + n.byte() % 3 {
        let Some((volume, solid)) = volume::<V>(n) else { continue };
        let each: Vec<bool> = shapes.iter().map(|shape| shape.overlaps(&volume)).collect();
        let found = scene.overlapping(&volume);
        let case = || format!("{shapes:?}\n{volume:?}\nscene {found:?}\neach {each:?}");
        // A shape that is measured counts as near up to a share of the largest coordinate: bounds may rule it out before.
        let of_each = each.iter().filter(|is| **is).count();
        let is_loop = found.len() == of_each || (found.len() < of_each && !n.tame());
        law(is_loop, "overlaps: the scene is not the loop over its objects", case);
        law(found == linear.overlapping(&volume) || !n.tame(), "overlaps: the BVH changes what overlaps", case);
        law(scene.count_overlapping(&volume) == found.len(), "overlaps: another count", case);
        let batch = scene.overlaps_each(&[volume.clone(), volume.clone()]);
        law(batch == [!found.is_empty(); 2], "overlaps: a batch changes the answer", case);
        if let Some((other, shape)) = &last {
            let both = || format!("{volume:?}\n{other:?}");
            law(
                shape.overlaps(&volume) == solid.overlaps(other),
                "overlaps: two volumes overlap one way round only",
                both,
            );
        }
        if n.tame() {
            near::<V>(&shapes, n);
        }
        last = Some((volume, solid));
    }
}

/// Balls overlap what contains their center, and what is certainly nearer than their radius.
fn near<V: World>(shapes: &[V::Shape], n: &mut Numbers<'_>) {
    let (center, radius): (V, _) = (vector(n.point(V::DIM)), V::Scalar::from_f64(n.number().abs()));
    let Ok(ball) = Sphere::new(center, radius) else { return };
    for shape in shapes {
        let (found, distance) = (shape.overlaps(ball), shape.distance(center));
        let case = || format!("{shape:?}\n{ball:?}\n{found} {distance:?}");
        law(found || !shape.contains(center), "overlaps: a ball within a shape does not overlap it", case);
        let size = Volume::from(ball).aabb().union(shape.aabb());
        let Some(distance) = distance.filter(|_| n.tame() && size.is_bounded()) else { continue };
        let largest = [size.min, size.max].map(|v| v.to_f64().into_iter().fold(0.0f64, |most, x| most.max(x.abs())));
        let slack = largest[0].max(largest[1]) * V::Scalar::EPSILON.to_f64() * 64.0;
        let (distance, radius) = (distance.to_f64(), radius.to_f64());
        law(found || distance > radius - slack, "overlaps: a ball misses what is near", case);
        law(!found || distance < radius + slack || shape.contains(center), "overlaps: a ball meets what is far", case);
    }
}

fn of_mesh<V: Vector3>(n: &mut Numbers<'_>, pool: u8)
where
    Triangle<V>: Shape<V>,
{
    let (vertices, triangles) = parts(n, pool);
    let vertices: Vec<V> = vertices.into_iter().map(vector).collect();
    let Ok(mesh) = TriangleMesh::new(vertices.clone(), triangles.clone()) else { return };
    let high = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), Quality::High);
    let linear = mesh.linear_scan();
    for _ in 0..1 + n.byte() % 3 {
        let Some((volume, _)) = volume::<V>(n) else { continue };
        let found = mesh.overlapping(&volume);
        let case = || format!("{vertices:?}\n{triangles:?}\n{volume:?}\n{found:?}");
        law(linear.overlapping(&volume) == found, "overlaps: the BVH changes the triangles", case);
        let of_high = high.as_ref().map_or_else(|_| found.clone(), |high| high.overlapping(&volume));
        law(of_high == found, "overlaps: the quality changes the triangles", case);
        law(mesh.overlaps(&volume) != found.is_empty(), "overlaps: any is not all", case);
        law(mesh.count_overlapping(&volume) == found.len(), "overlaps: another count", case);
        for (i, triangle) in (0..).zip(&triangles) {
            let [a, b, c] = triangle.map(|v| vertices[v as usize]);
            let Ok(alone) = Triangle::new(a, b, c) else { continue };
            let is_found = found.iter().any(|found| found.primitive == Some(i));
            law(alone.overlaps(&volume) == is_found, "overlaps: a triangle of a mesh is not that triangle", case);
        }
    }
}
