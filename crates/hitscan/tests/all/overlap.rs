//! Overlaps of single shapes against distances, searches and loops, and for any bits.

use crate::support::{Draw, Rng, Sample, World, meshes};
use core::ops::ControlFlow;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, AnyShape3, Basis, Capsule, Cone, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, OrientedBox, OverlapQuery,
    PointQuery, Quality, Real, Shape, Sphere, TaperedCapsule, Topology, Triangle, TriangleMesh, Vector3, ViewFrustum,
    Volume,
};

/// A ball overlaps a shape if its centre is inside, or no farther than its radius.
fn balls<V: World>(seed: u64) {
    let (mut rng, mut counts) = (Rng::new(seed), [[0; 2]; 2]);
    for round in 0..20_000 {
        let draw = if round % 2 == 0 { Draw::Ordinary } else { Draw::Lattice };
        let (kind, center, radius) = (rng.below(V::KINDS), rng.vector::<V>(draw), draw.size(&mut rng));
        let Ok(ball) = Sphere::new(center, radius) else { continue };
        let Some(shape) = V::shape(kind, &mut rng, draw) else { continue };
        let Some(distance) = shape.distance(center) else { continue };
        let found = shape.overlaps(ball);
        let (distance, radius) = (distance.to_f64(), radius.to_f64());
        let size = V::Scalar::EPSILON.to_f64() * 64.0;
        if shape.contains(center) || distance < radius - size {
            assert!(found, "{shape:?} {ball:?} {distance}");
        } else if distance > radius + size {
            assert!(!found, "{shape:?} {ball:?} {distance}");
        }
        counts[round % 2][usize::from(found)] += 1;
    }
    assert!(counts.iter().flatten().all(|count| *count > 1_000), "{counts:?}");
}

#[test]
fn balls_overlap_what_is_near_their_centre() {
    balls::<Vec2>(1);
    balls::<DVec2>(2);
    balls::<Vec3>(3);
    balls::<DVec3>(4);
}

/// The least of a convex function of 0..=1, by golden sections.
fn least_of(of: &dyn Fn(f64) -> f64) -> f64 {
    let (mut low, mut high, ratio) = (0.0, 1.0, 0.618_033_988_749_894_9);
    let (mut p, mut q) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_p, mut at_q) = (of(p), of(q));
    for _ in 0..45 {
        if at_p < at_q {
            (high, q, at_q) = (q, p, at_p);
            p = high - ratio * (high - low);
            at_p = of(p);
        } else {
            (low, p, at_p) = (p, q, at_q);
            q = low + ratio * (high - low);
            at_q = of(q);
        }
    }
    at_p.min(at_q).min(of(0.0)).min(of(1.0))
}

/// Curved shapes and triangles: the distance to a convex solid is a convex function on the triangle.
#[test]
fn curved_shapes_overlap_what_a_search_finds() {
    let (mut rng, mut counts) = (Rng::new(5), [[0; 2]; 6]);
    for round in 0..480 {
        let mut v = || rng.in_cube::<DVec3>();
        let (a, b, corners) = (v(), v(), [v() * 2.0, v() * 2.0, v() * 2.0]);
        let shape: AnyShape3<DVec3> = match round % 6 {
            0 => Cylinder::new(a, b, 0.3).unwrap().into(),
            1 => Cone::new(a, b, 0.4).unwrap().into(),
            2 => Frustum::new(a, b, 0.2, 0.5).unwrap().into(),
            3 => Ellipsoid::with_basis(a, DVec3::new(0.7, 0.4, 0.2), Basis::from_direction(b).unwrap()).unwrap().into(),
            4 => TaperedCapsule::new(a, b, 0.2, 0.5).unwrap().into(),
            _ => Disk::new(a, b, 0.7).unwrap().into(),
        };
        let [p, q, r] = corners;
        let depth = |point: DVec3| shape.signed_distance(point).unwrap().max(0.0);
        let found = least_of(&|u| {
            let (start, end) = (p + (q - p) * u, p + (r - p) * u);
            least_of(&|w| depth(start + (end - start) * w))
        });
        let overlaps = shape.overlaps(Triangle::new(p, q, r).unwrap());
        if found > 1e-6 {
            assert!(!overlaps, "{shape:?} {corners:?} {found}");
        } else if found == 0.0 {
            assert!(overlaps, "{shape:?} {corners:?}");
        }
        counts[round % 6][usize::from(overlaps)] += 1;
    }
    assert!(counts.iter().flatten().all(|count| *count > 5), "{counts:?}");
}

/// Random volumes of every kind.
pub(crate) fn volume3<V: Vector3>(rng: &mut Rng, draw: Draw, size: f64) -> Option<Volume<V>> {
    let scale = V::Scalar::from_f64(size);
    let mut v = || rng.vector::<V>(draw);
    let (a, b, c) = (v(), v() * scale, v() * scale);
    let radius = V::Scalar::from_f64(draw.size::<V::Scalar>(rng).to_f64() * size);
    let half = b.map(|x| if x < V::Scalar::ZERO { -x } else { x });
    Some(match rng.below(7) {
        0 => Sphere::new(a, radius).ok()?.into(),
        1 => Cuboid::new(a, half).ok()?.into(),
        2 => OrientedBox::new(a, half, rng.basis(draw)?).ok()?.into(),
        3 => Capsule::new(a, a + b, radius).ok()?.into(),
        4 => Triangle::new(a, a + b, a + c).ok()?.into(),
        5 => Aabb { min: a, max: a + half }.into(),
        _ => {
            let corner = |i: usize| {
                let side = |bit: usize| V::Scalar::from_f64((i >> bit & 1) as f64);
                let wide = side(2) + V::Scalar::ONE;
                a + half.zip(V::from_xyz([side(0) * wide, side(1) * wide, side(2)]), |x, y| x * y) + c * side(2)
            };
            ViewFrustum::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner)).ok()?.into()
        }
    })
}

/// The overlapping triangles of a mesh are those that overlap as triangles.
fn meshes_are_triangles<V: World + Vector3>(seed: u64)
where
    Triangle<V>: Shape<V>,
{
    let mut rng = Rng::new(seed);
    let arrays = [meshes::icosphere(3), meshes::icosphere(1)];
    let mut counts = [0; 3];
    for (vertices, triangles) in arrays {
        let vertices = vertices.iter().map(|v| v.map(|x| 3.0 * x)).collect();
        let mesh: TriangleMesh<V> = meshes::build((vertices, triangles));
        let linear = mesh.linear_scan();
        let high =
            TriangleMesh::with_quality(mesh.vertices().to_vec(), mesh.triangles().to_vec(), Quality::High).unwrap();
        assert!(Topology::is_closed(mesh.topology()));
        for round in 0..600 {
            let draw = if round % 2 == 0 { Draw::Ordinary } else { Draw::Lattice };
            let Some(volume) = volume3::<V>(&mut rng, draw, [0.05, 0.3, 1.0][round % 3]) else { continue };
            let found = mesh.overlapping(&volume);
            let alone = |i: usize| {
                let [a, b, c] = mesh.triangles()[i].map(|v| mesh.vertices()[v as usize]);
                Triangle::new(a, b, c).unwrap().overlaps(&volume)
            };
            let expected: Vec<_> = (0..mesh.triangles().len()).filter(|i| alone(*i)).map(|i| Some(i as u32)).collect();
            let numbers: Vec<_> = found.iter().map(|found| found.primitive).collect();
            if expected.is_empty() {
                let is_inside = mesh.contains(volume.aabb().center());
                assert_eq!(numbers, if is_inside { vec![None] } else { vec![] }, "{volume:?}");
                counts[usize::from(is_inside)] += 1;
            } else {
                assert_eq!(numbers, expected, "{volume:?}");
                counts[2] += 1;
            }
            assert_eq!(mesh.overlaps(&volume), !found.is_empty());
            assert_eq!(mesh.count_overlapping(&volume), found.len());
            assert_eq!(linear.overlapping(&volume), found);
            assert_eq!((high.overlapping(&volume), high.count_overlapping(&volume)), (found.clone(), found.len()));
            let mut first = None;
            let ended = mesh.for_each_overlap(&volume, |overlap| {
                first = Some(overlap);
                ControlFlow::Break(())
            });
            assert_eq!(ended.is_break(), first.is_some_and(|first| found.contains(&first)));
            assert_eq!(ended.is_break(), !found.is_empty());
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

#[test]
fn meshes_overlap_as_their_triangles() {
    meshes_are_triangles::<Vec3>(6);
    meshes_are_triangles::<DVec3>(7);
}

/// Any bits: no query panics, and all agree.
fn any_bits<V: World>(seed: u64, volume: impl Fn(&mut Rng, Draw) -> Option<Volume<V>>) {
    let mut rng = Rng::new(seed);
    for round in 0..6_000 {
        let draw = [Draw::Bits, Draw::Scales, Draw::Lattice, Draw::Times(-120), Draw::Times(100)][round % 5];
        let Some(volume) = volume(&mut rng, draw) else { continue };
        let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, draw) else { continue };
        let found = shape.overlaps(&volume);
        assert_eq!(shape.overlapping(&volume).is_empty(), !found, "{shape:?} {volume:?}");
        assert_eq!(shape.overlaps_each(&[volume.clone(), volume]), [found; 2]);
    }
}

#[test]
fn no_bits_panic() {
    let flat = |rng: &mut Rng, draw: Draw| Sphere::new(rng.vector::<Vec2>(draw), draw.size(rng)).ok().map(Volume::from);
    any_bits::<Vec2>(8, flat);
    any_bits::<DVec2>(9, |rng, draw| Some(Aabb::from_points([rng.vector::<DVec2>(draw), rng.vector(draw)]).into()));
    any_bits::<Vec3>(10, |rng, draw| volume3(rng, draw, 1.0));
    any_bits::<DVec3>(11, |rng, draw| volume3(rng, draw, 1.0));
}

#[test]
fn volumes_without_points_overlap_nothing() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    assert!(!ball.overlaps(Aabb::<Vec3>::empty()));
    assert!(!ball.overlaps(Aabb::<Vec3>::everything()));
    assert!(ball.overlapping(Aabb { min: Vec3::ONE, max: Vec3::NAN }).is_empty());
    assert!(ball.overlaps(Aabb { min: Vec3::X, max: Vec3::X }));
}

/// Triangles and volumes on a lattice, where touching is frequent, of every size: the tests of whole leaves answer as those of single
/// triangles, which answer as whole numbers (`overlap_exact.rs`).
fn lattice_meshes_are_triangles<V: World + Vector3>(seed: u64, scales: &[f64])
where
    Triangle<V>: Shape<V>,
{
    let mut rng = Rng::new(seed);
    let mut counts = [0; 2];
    for round in 0..16 {
        let scale = V::Scalar::from_f64(scales[round % scales.len()]);
        let shift = V::Scalar::from_f64([0.0, 0.0, 1000.0][round % 3]);
        let whole = |rng: &mut Rng, most: i32| {
            let mut number = || V::Scalar::from_f64(f64::from(rng.int(-most, most)));
            V::from_xyz([number(), number(), number()])
        };
        let place = |v: V| (v + V::splat(shift)) * scale;
        let vertices: Vec<V> = (0..150)
            .map(|_| {
                let center = whole(&mut rng, 8);
                place(center)
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..80).map(|_| [0; 3].map(|_| rng.below(150) as u32)).collect();
        let Ok(mesh) = TriangleMesh::new(vertices.clone(), triangles) else { continue };
        let linear = mesh.linear_scan();
        for _ in 0..30 {
            let (center, half) = (whole(&mut rng, 10), whole(&mut rng, 6));
            let half = half.map(|x| if x < V::Scalar::ZERO { -x } else { x });
            let (at, radius) = (place(center), V::Scalar::from_f64(f64::from(rng.int(1, 9))) * scale);
            let volume: Volume<V> = match rng.below(5) {
                0 => Sphere::new(at, radius).unwrap().into(),
                1 => Cuboid::new(at, half * scale).unwrap().into(),
                2 => Aabb { min: at, max: at + half * scale }.into(),
                3 => Capsule::new(at, at + whole(&mut rng, 6) * scale, radius).unwrap().into(),
                _ => {
                    OrientedBox::new(at, half * scale, Basis::from_direction(V::from_xyz([V::Scalar::ONE; 3])).unwrap())
                        .unwrap()
                        .into()
                }
            };
            // Triangles without an area are left to the linear scan, which has no tests of leaves.
            let of_linear = linear.overlapping(&volume);
            let alone = |i: usize| {
                let [a, b, c] = mesh.triangles()[i].map(|v| mesh.vertices()[v as usize]);
                Triangle::new(a, b, c).map_or_else(
                    |_| of_linear.iter().any(|found| found.primitive == Some(i as u32)),
                    |triangle| triangle.overlaps(&volume),
                )
            };
            let expected: Vec<_> = (0..mesh.triangles().len()).filter(|i| alone(*i)).map(|i| Some(i as u32)).collect();
            let found: Vec<_> = mesh.overlapping(&volume).iter().map(|found| found.primitive).collect();
            assert_eq!(found, expected, "{volume:?}");
            assert_eq!(mesh.overlaps(&volume), !expected.is_empty());
            counts[usize::from(expected.is_empty())] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

#[test]
fn lattice_meshes_overlap_as_their_triangles() {
    lattice_meshes_are_triangles::<Vec3>(21, &[1.0, 1e-20, 1e20, 0.1]);
    lattice_meshes_are_triangles::<DVec3>(22, &[1.0, 1e-100, 1e100, 0.1]);
}
