//! Contacts of moving volumes: placed planes, centres on a surface, parallel faces and seams.

use crate::support::meshes::{build, icosphere};
use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Approach, Basis, Capsule, Cuboid, HalfSpace, Inside, Instance, Object, OrientedBox, Plane, PointQuery, Query, Ray,
    Real, Rectangle, Scene, SegmentShape, Shape, Space, Sphere, SweepQuery, Transform, Triangle, TriangleMesh, Vector3,
    Volume,
};

/// The case of a report: the sphere touches before the end of the way, and t has all its digits.
#[test]
fn a_moved_half_space_is_met_exactly() {
    let point = DVec3::new(1000001.3668068753, 999997.3048347731, 1000001.2796377391);
    let ground = HalfSpace::new(point, DVec3::new(-1.0, 2.0, 2.0)).unwrap();
    let moved = Transform::from_translation(DVec3::new(-2.0, 2.27802818861314, -0.8956813336827905)).unwrap();
    let placed = Instance::<DVec3>::new(ground).with_transform(moved);
    let origin = DVec3::new(999999.3668068753, 1000000.5828629617, 1000004.3839564053);
    let hit = placed.cast_sphere(&Ray::new(origin, DVec3::new(1.0, -2.0, -1.0)), 1.0, ..).unwrap();
    assert_eq!(hit.t, 0.999999999989735);
}

/// Planes and half-spaces under maps of whole numbers, with points on a grid of 2^-30: `i128` computes `t` exactly.
#[test]
fn placed_planes_are_met_as_their_exact_images() {
    const GRID: f64 = 1.0 / (1u64 << 30) as f64;
    let mut rng = Rng::new(7);
    let mut counts = [0; 3];
    let dot = |a: [i128; 3], b: [i128; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [i128; 3], b: [i128; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    for _ in 0..60_000 {
        let small = |rng: &mut Rng| [0; 3].map(|_| rng.below(5) as i128 - 2);
        let large = |rng: &mut Rng| [0; 3].map(|_| (rng.bits() >> 13) as i128 - (1 << 50));
        let columns = [small(&mut rng), small(&mut rng), small(&mut rng)];
        let (normal, direction) = (small(&mut rng), small(&mut rng));
        let [a, b, c] = columns;
        let cofactors = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant = dot(a, cofactors[0]);
        // The normal of the image, whose length must be a whole number for this test.
        let sign = determinant.signum();
        let image = [0, 1, 2].map(|i| sign * (0..3).map(|k| cofactors[k][i] * normal[k]).sum::<i128>());
        let length = (dot(image, image) as f64).sqrt().round() as i128;
        if determinant == 0 || length == 0 || length * length != dot(image, image) || direction == [0; 3] {
            continue;
        }
        let (point, translation) = (large(&mut rng), large(&mut rng));
        // The image of the point, in units of the grid; a ray that begins near it: some numbers are not in `f64`.
        let at = [0, 1, 2].map(|i| (0..3).map(|k| columns[k][i] * point[k]).sum::<i128>() + translation[i]);
        let origin = [0, 1, 2].map(|i| ((at[i] >> 4) << 4) + rng.below(1 << 20) as i128);
        let origin = origin.map(|x| if x.abs() < 1 << 53 { x } else { (x >> 6) << 6 });
        let real = |v: [i128; 3], unit: f64| DVec3::from_array(v.map(|x| x as f64 * unit));
        let map = Transform::new(columns.map(|column| real(column, 1.0)), real(translation, GRID)).unwrap();
        let solid = HalfSpace::new(real(point, GRID), real(normal, 1.0)).unwrap();
        let surface = Plane::new(real(point, GRID), real(normal, 1.0)).unwrap();
        let ray = Ray::new(real(origin, GRID), real(direction, 1.0));
        // Heights and slope, times the length of the normal.
        let height = dot(image, [0, 1, 2].map(|i| origin[i] - at[i]));
        // Any radius, or one that touches or nearly does.
        let radius = match rng.below(3) {
            0 => height.abs() / length + rng.below(3) as i128 - 1,
            _ => 1 + rng.below(1 << 20) as i128,
        };
        if radius < 1 {
            continue;
        }
        let (slope, limit) = (dot(image, direction), radius * length);
        // In space the slope is per unit of t, the height in units of the grid.
        let time = |gap: i128| (gap as f64 / slope.abs() as f64) * GRID;
        for is_solid in [true, false] {
            let placed: Instance<DVec3> =
                if is_solid { Instance::new(solid) } else { Instance::new(surface) }.with_transform(map);
            let found = placed.cast_sphere(&ray, radius as f64 * GRID, ..);
            let case = format!("{placed:?} {ray:?} {radius} {height} {slope} {found:?}");
            let touches = if is_solid { height <= limit } else { height.abs() <= limit };
            let approaches = if height > 0 { slope < 0 } else { slope > 0 };
            match found {
                _ if touches => {
                    counts[0] += 1;
                    assert!(found.is_some_and(|hit| hit.depth.is_some() && hit.t == 0.0), "{case}");
                }
                None => {
                    counts[1] += 1;
                    assert!(!approaches, "{case}");
                }
                Some(hit) => {
                    counts[2] += 1;
                    let exact = time(height.abs() - limit);
                    assert!(approaches && hit.depth.is_none(), "{case}");
                    assert!((hit.t - exact).abs() <= 3.0 * f64::EPSILON * exact, "{exact} {case}");
                }
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

/// The sphere of a report: its centre is on the surface, and the ray runs along it.
#[test]
fn a_centre_on_the_surface_leaves_along_the_normal() {
    let ball = Sphere::new(DVec3::ZERO, 1.0).unwrap();
    let hit = ball.cast_sphere(&Ray::new(DVec3::Z, DVec3::X), 0.5, ..).unwrap();
    assert_eq!((hit.t, hit.depth, hit.normal), (0.0, Some(0.5), DVec3::Z));
}

fn leaves<V: World>(seed: u64, rounds: usize) {
    let eps = V::Scalar::EPSILON.to_f64();
    let mut count = 0;
    for round in 0..rounds {
        let mut rng = Rng::for_stream(seed, round as u64);
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, Draw::Lattice) else { continue };
        let factor = if rng.once_in(2) { 1.0 } else { 2.0 };
        let axes: Vec<V> = (0..V::DIM)
            .map(|axis| {
                let mut column = [0.0; 3];
                column[axis] = if axis == 0 { factor } else { 1.0 };
                V::from_xyz(column.map(V::Scalar::from_f64))
            })
            .collect();
        let placed = Instance::<V>::new(shape).with_transform(Transform::new(axes, V::default()).unwrap());
        // A point of the surface, as near as the precision allows.
        let Some(found) = placed.closest_point(rng.vector(Draw::Lattice)) else { continue };
        if found.primitive.is_some() || found.point.to_xyz().iter().any(|x| !x.is_finite()) {
            continue;
        }
        let radius = V::Scalar::from_f64(0.5);
        let ray = Ray::new(found.point, rng.vector(Draw::Lattice));
        let Some(hit) = placed.cast_sphere(&ray, radius, ..) else { continue };
        let depth = hit.depth.unwrap();
        let out = found.point + hit.normal * depth;
        let distance = placed.signed_distance(out).unwrap().to_f64();
        let size = found.point.to_xyz().iter().fold(1.0, |most: f64, x| most.max(x.to_f64().abs()));
        count += 1;
        assert!(distance >= 0.5 - 32.0 * eps * size, "{distance} {placed:?} {ray:?} {hit:?}");
    }
    assert!(count > rounds / 3, "{count}");
}

/// Spheres with their centre on a face, an edge or a corner of a mesh leave the triangle that they touch.
fn leaves_mesh<V: Vector3>(seed: u64) {
    let eps = V::Scalar::EPSILON.to_f64();
    let (vertices, triangles) = icosphere(1);
    let mesh: TriangleMesh<V> = build((vertices, triangles.clone()));
    let mut rng = Rng::new(seed);
    for corners in &triangles {
        let [a, b, c] = corners.map(|i| mesh.vertices()[i as usize].to_xyz().map(Real::to_f64));
        let at = |weights: [f64; 3]| {
            V::from_xyz(
                [0, 1, 2].map(|k| V::Scalar::from_f64(a[k] * weights[0] + b[k] * weights[1] + c[k] * weights[2])),
            )
        };
        for center in [at([0.25, 0.25, 0.5]), at([0.5, 0.5, 0.0]), at([1.0, 0.0, 0.0])] {
            let radius = V::Scalar::from_f64(0.5);
            let hit = mesh.cast_sphere(&Ray::new(center, rng.in_cube()), radius, ..).unwrap();
            let out = (center + hit.normal * hit.depth.unwrap()).to_xyz().map(Real::to_f64);
            let touched = mesh.triangles()[hit.primitive.unwrap() as usize];
            let [p, q, r] = touched.map(|i| DVec3::from_array(mesh.vertices()[i as usize].to_xyz().map(Real::to_f64)));
            let distance = Triangle::new(p, q, r).unwrap().distance(DVec3::from_array(out)).unwrap();
            assert!(distance >= 0.5 - 16.0 * eps, "{distance} {center:?} {hit:?}");
        }
    }
}

#[test]
fn depth_and_normal_separate_from_the_surface() {
    leaves_mesh::<DVec3>(5);
    leaves_mesh::<Vec3>(6);
    leaves::<DVec3>(1, 6000);
    leaves::<DVec2>(2, 4000);
    leaves::<Vec3>(3, 6000);
    leaves::<Vec2>(4, 4000);
}

/// Turned boxes with parallel faces, at gaps from 1e-14 to 1: 2^-44 of the largest coordinate, as the page on sweeps promises.
#[test]
fn parallel_faces_are_met_where_they_are() {
    let mut rng = Rng::new(5);
    for round in 0..200 {
        let basis: Basis<DVec3> = Basis::from_direction(rng.in_cube()).unwrap();
        let half = DVec3::splat(0.25);
        let center = DVec3::new(1.0, 2.0, 3.0);
        let fixed = OrientedBox::new(center, half, basis).unwrap();
        let axes: Vec<DVec3> = basis.axes().to_vec();
        for exponent in 0..=14 {
            let gap = 10f64.powi(-exponent);
            // Beside the box along an axis, perhaps moved along its face.
            let aside = if round % 2 == 0 { 0.0 } else { rng.between(-0.4, 0.4) };
            let from = center + axes[0] * (0.5 + gap) + axes[1] * aside;
            let volumes: [Volume<DVec3>; 2] = [OrientedBox::new(from, half, basis).unwrap().into(), {
                // A face of the box alone.
                let at = |y: f64, z: f64| from - axes[0] * 0.25 + axes[1] * y + axes[2] * z;
                Triangle::new(at(-0.25, -0.25), at(0.25, -0.25), at(0.0, 0.25)).unwrap().into()
            }];
            for volume in &volumes {
                let hit = fixed.cast_volume(volume, -axes[0], ..).unwrap();
                let error = (hit.t - gap).abs();
                assert!(error <= 2e-14, "1e-{exponent} {error:e} {basis:?} {hit:?}");
                assert!(hit.t == 0.0 || hit.normal.dot(axes[0]) > 1.0 - 1e-9, "1e-{exponent} {basis:?} {hit:?}");
            }
        }
    }
}

/// A flat square of two triangles, whose seam is a diagonal.
fn floor() -> TriangleMesh<DVec3> {
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    TriangleMesh::new(vec![at(-4.0, -4.0), at(4.0, -4.0), at(4.0, 4.0), at(-4.0, 4.0)], vec![[0, 1, 2], [0, 2, 3]])
        .unwrap()
}

/// A box that lands with a corner on the seam, or rests with an edge on it, is carried by the face.
#[test]
fn seams_of_flat_neighbours_are_not_felt() {
    let floor = floor();
    let mut scene = Scene::new();
    let corners = [DVec3::new(-4.0, -4.0, 0.0), DVec3::new(4.0, -4.0, 0.0), DVec3::new(4.0, 4.0, 0.0)];
    let others = [corners[0], corners[2], DVec3::new(-4.0, 4.0, 0.0)];
    for [a, b, c] in [corners, others] {
        scene.insert(Object::new(Triangle::new(a, b, c).unwrap())).unwrap();
    }
    let along = DVec3::new(1.0, 1.0, 0.0).normalize();
    let basis = Basis::new([along, DVec3::new(-along.y, along.x, 0.0), DVec3::Z]).unwrap();
    let tilted = Basis::from_direction(DVec3::ONE).unwrap();
    let volumes: [(Volume<DVec3>, f64); 5] = [
        // The corner of the least coordinates is on the diagonal.
        (Cuboid::new(DVec3::new(0.5, 0.5, 1.5), DVec3::splat(0.5)).unwrap().into(), 1.0),
        (Cuboid::new(DVec3::new(1.0, 0.0, 1.5), DVec3::splat(0.5)).unwrap().into(), 1.0),
        // An edge is on the diagonal.
        (OrientedBox::new(DVec3::new(0.5, -0.5, 1.5), DVec3::splat(0.5f64.sqrt()), basis).unwrap().into(), f64::NAN),
        // A single corner.
        (OrientedBox::new(DVec3::Z * 3.0, DVec3::ONE, tilted).unwrap().into(), f64::NAN),
        (Capsule::new(DVec3::new(-1.0, -1.0, 1.5), DVec3::new(1.0, 1.0, 1.5), 0.5).unwrap().into(), 1.0),
    ];
    let targets: [(&str, &dyn Shape<DVec3>); 2] = [("mesh", &floor), ("scene", &scene)];
    for (name, target) in targets {
        for (volume, time) in &volumes {
            let hit = target.cast_volume(volume, -DVec3::Z, ..).unwrap();
            assert!((hit.normal - DVec3::Z).length() < 1e-9, "{name} {volume:?} {hit:?}");
            assert!(time.is_nan() || (hit.t - time).abs() < 1e-12, "{name} {volume:?} {hit:?}");
            // Slanted, too.
            let hit = target.cast_volume(volume, DVec3::new(0.25, 0.125, -1.0), ..).unwrap();
            assert!((hit.normal - DVec3::Z).length() < 1e-9, "{name} {volume:?} {hit:?}");
        }
        // At rest, with an edge or a corner on the seam.
        for (x, y) in [(0.5, -0.5), (0.0, 0.0), (1.0, 1.0), (0.5, 0.5)] {
            let boxed = Cuboid::new(DVec3::new(x, y, 0.5), DVec3::splat(0.5)).unwrap();
            let hit = target.cast_volume(boxed, DVec3::X, ..).unwrap();
            assert_eq!((hit.t, hit.depth), (0.0, Some(0.0)), "{name} {hit:?}");
            assert!((hit.normal - DVec3::Z).length() < 1e-9, "{name} {x} {y} {hit:?}");
        }
        let edge = OrientedBox::new(DVec3::new(0.0, 0.0, 1.0) + DVec3::new(-along.y, along.x, 0.0), DVec3::ONE, basis);
        let hit = target.cast_volume(edge.unwrap(), DVec3::X, ..).unwrap();
        assert!((hit.normal - DVec3::Z).length() < 1e-9 && hit.t == 0.0, "{name} {hit:?}");
    }
}

/// Two tiles side by side, of different depth, and a box above them whose side is in the plane between them.
///
/// ```text
///          +-----+
///          | box |  falls, or rests
///          +-----+
///    +-----+-----+
///    |  A  |     |
///    +-----+  B  |
///          +-----+
/// ```
fn carries<V: World>(seed: u64, block: fn(V, V) -> V::Shape) {
    let real = V::Scalar::from_f64;
    let vector = |x: f64, z: f64| if V::DIM == 2 { [x, z, 0.0] } else { [x, 0.0, z] };
    let at = |x: f64, z: f64| V::from_xyz(vector(x, z).map(real));
    let up = if V::DIM == 2 { 1 } else { 2 };
    for round in 0..400 {
        let mut rng = Rng::for_stream(seed, round);
        let (seam, height) = (rng.below(64) as f64 / 8.0 - 4.0, rng.below(64) as f64 / 8.0 - 4.0);
        let half = |depth: f64| V::from_xyz([0.5, if V::DIM == 2 { depth } else { 0.5 }, depth].map(real));
        let below = |side: f64, depth: f64| block(at(seam + side, height - depth), half(depth));
        let mut tiles = [below(-0.5, 0.5), below(0.5, 0.25 * (1 + rng.below(8)) as f64)];
        if round % 2 == 1 {
            tiles.reverse();
        }
        let mut scene = Scene::<V>::new();
        for tile in tiles {
            scene.insert(Object::new(tile)).unwrap();
        }
        let gap = if round % 4 < 2 { 0.0 } else { (1 + rng.below(8)) as f64 / 4.0 };
        let any = rng.between(-0.2, 0.2);
        let slant = rng.pick(&[0.0, 0.25, -0.25, any]);
        let way = at(slant, -1.0);
        // The foot of the box is on the seam where it lands: above it, moved back by the slant.
        let foot = V::from_xyz(vector(seam + 0.5, height + 0.5 + gap).map(real)) - at(slant * gap, 0.0);
        let cube = |center: V| Cuboid::new(center, half(0.5)).unwrap();
        let hit = scene.cast_volume(cube(foot), way, ..).unwrap();
        let normal = hit.normal.to_xyz()[up].to_f64();
        let case = format!("{slant} {gap} {scene:?} {foot:?} {hit:?}");
        assert!((hit.t.to_f64() - gap).abs() < 1e-5 && hit.depth.is_some() == (gap == 0.0), "{case}");
        assert!(normal > 1.0 - 1e-6, "{case}");
    }
}

#[test]
fn seams_of_tiles_are_not_felt() {
    carries::<DVec3>(1, |center, half| Cuboid::new(center, half).unwrap().into());
    carries::<Vec3>(2, |center, half| Cuboid::new(center, half).unwrap().into());
    carries::<DVec2>(3, |center, half| Rectangle::new(center, half).unwrap().into());
    carries::<Vec2>(4, |center, half| Rectangle::new(center, half).unwrap().into());
    // Oriented boxes have axes of their own.
    let turned = |center: DVec3, half: DVec3| OrientedBox::new(center, half, Basis::identity()).unwrap().into();
    carries::<DVec3>(5, turned);
}

/// A box that slides over tiles without counting what it touches at first: the side of the next tile does not stop it.
#[test]
fn the_side_of_the_next_tile_is_no_wall() {
    let mut scene = Scene::<DVec3>::new();
    for x in 0..4 {
        scene
            .insert(Object::new(Cuboid::new(DVec3::new(f64::from(x), 0.0, -0.5), DVec3::splat(0.5)).unwrap()))
            .unwrap();
    }
    let cube = Cuboid::new(DVec3::Z * 0.25, DVec3::splat(0.25)).unwrap();
    let hit = scene.cast_volume(cube, DVec3::X, Query::new().inside(Inside::Hollow)).unwrap();
    assert_eq!((hit.t, hit.normal), (0.25, DVec3::Z));
}

/// A cube whose sides are flush with the seams of a floor of cubes slides over them, up to the step at their end.
fn a_flush_cube_slides<V: Space<Shape: From<Cuboid<V>>>>() {
    let at = |[x, y, z]: [f64; 3]| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let cube = |center| Cuboid::new(at(center), at([0.5; 3])).unwrap();
    let mut scene = Scene::<V>::new();
    for (x, y) in (-4..4).flat_map(|x| (-4..4).map(move |y| (f64::from(x) + 0.5, f64::from(y) + 0.5))) {
        scene.insert(Object::new(cube([x, y, -0.5]))).unwrap();
    }
    let step = scene.insert(Object::new(cube([3.5, 0.5, 0.5]))).unwrap();
    let only = Query::new().approach(Approach::Only);
    for (x, y) in (-3..3).flat_map(|x| (-3..3).map(move |y| (f64::from(x) + 0.5, f64::from(y) + 0.5))) {
        for direction in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [-1.0, -0.5, 0.0]] {
            let hit = scene.cast_volume(cube([x, y, 0.5]), at(direction), only);
            let steps = if direction[0] == 1.0 && y == 0.5 { Some(2.5 - x) } else { None };
            let found = hit.map(|hit| (hit.t.to_f64(), hit.normal, hit.object));
            assert_eq!(found, steps.map(|t| (t, at([-1.0, 0.0, 0.0]), Some(step))), "{x} {y} {direction:?}");
            // Down, every tile below stops it.
            let floor = scene.cast_volume(cube([x, y, 0.5]), at([0.25, 0.0, -1.0]), only).unwrap();
            assert_eq!((floor.t.to_f64(), floor.normal), (0.0, at([0.0, 0.0, 1.0])), "{x} {y}");
        }
    }
}

#[test]
fn flush_cubes_slide() {
    a_flush_cube_slides::<Vec3>();
    a_flush_cube_slides::<DVec3>();
}

/// In the plane: a foot that walks along a floor of segments.
#[test]
fn a_foot_walks_over_the_ends_of_segments() {
    let mut scene = Scene::<DVec2>::new();
    for x in -4..4 {
        let (a, b) = (DVec2::X * f64::from(x), DVec2::X * f64::from(x + 1));
        scene.insert(Object::new(SegmentShape::new(a, b).unwrap())).unwrap();
    }
    for x in [-1.0, -0.5, 0.0, 0.25, 0.5, 1.0] {
        let foot = Rectangle::new(DVec2::new(x, 1.5), DVec2::splat(0.5)).unwrap();
        for direction in [-DVec2::Y, DVec2::new(0.25, -1.0), DVec2::new(-0.5, -1.0)] {
            let hit = scene.cast_volume(foot, direction, ..).unwrap();
            assert!((hit.normal - DVec2::Y).length() < 1e-9 && (hit.t - 1.0).abs() < 1e-12, "{x} {direction} {hit:?}");
        }
        let resting = Rectangle::new(DVec2::new(x, 0.5), DVec2::splat(0.5)).unwrap();
        for direction in [DVec2::X, -DVec2::X, -DVec2::Y] {
            let hit = scene.cast_volume(resting, direction, ..).unwrap();
            assert!((hit.normal - DVec2::Y).length() < 1e-9 && hit.t == 0.0, "{x} {direction} {hit:?}");
        }
    }
}

/// The normal of a triangle, whose vertices go counter-clockwise around it.
fn normal_of([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize()
}

/// A volume that touches an edge or a corner of a floor still learns the slope of the floor, on the side that it comes from.
#[test]
fn contacts_name_the_normal_of_the_face() {
    let corners = [DVec3::new(0.0, -4.0, 0.0), DVec3::new(4.0, 4.0, 1.0), DVec3::new(-4.0, 4.0, 1.0)];
    let [a, b, c] = corners;
    let slope = normal_of(corners);
    let mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let mirror = Transform::identity().with_scale(DVec3::new(-1.0, 1.0, 1.0)).unwrap();
    let triangle = Triangle::new(a, b, c).unwrap();
    let mut scene = Scene::new();
    scene.insert(Object::new(triangle)).unwrap();
    // The triangle is its own mirror image.
    let mirrored = Instance::<DVec3>::new(triangle).with_transform(mirror);
    let mirrored_mesh = Instance::<DVec3>::new(mesh.clone()).with_transform(mirror);
    let targets: [&dyn Shape<DVec3>; 5] = [&mesh, &triangle, &scene, &mirrored, &mirrored_mesh];
    for (number, shape) in targets.into_iter().enumerate() {
        let near = |found: Option<DVec3>, expected: DVec3| {
            let found = found.unwrap();
            assert!((found - expected).length() < 1e-14, "{number} {found} {expected}");
        };
        // On the face, at the corner and at an edge, from above and from below.
        for center in [DVec3::new(0.0, 0.0, 0.0), DVec3::new(0.0, -4.25, 0.0), DVec3::new(2.5, 0.0, 0.0)] {
            for side in [1.0, -1.0] {
                let (from, down) = (center + DVec3::Z * (8.0 * side), DVec3::Z * -side);
                let hit = shape.cast_sphere(&Ray::new(from, down), 0.75, ..).unwrap();
                near(hit.face_normal, slope * side);
                let boxed = Cuboid::new(from, DVec3::splat(0.75)).unwrap();
                near(shape.cast_volume(boxed, down, ..).unwrap().face_normal, slope * side);
                let capsule = Capsule::new(from, from + DVec3::Y, 0.75).unwrap();
                near(shape.cast_volume(capsule, down, ..).unwrap().face_normal, slope * side);
            }
        }
        // At the start the volume is on the side of its normal, wherever it moves.
        let above = DVec3::new(0.0, 0.0, 1.0);
        for direction in [DVec3::Z, -DVec3::Z, DVec3::X] {
            let hit = shape.cast_sphere(&Ray::new(above, direction), 0.75, ..).unwrap();
            assert!(hit.depth.is_some());
            near(hit.face_normal, slope);
            near(
                shape.cast_volume(Cuboid::new(above, DVec3::splat(0.75)).unwrap(), direction, ..).unwrap().face_normal,
                slope,
            );
        }
        // Along the plane, against the edge: from the side of the normal of the contact, and in the plane from the front.
        let along = DVec3::new(-1.0, 0.0, 0.0);
        let at = |height: f64| DVec3::new(9.0, 4.0, 1.0) + slope * height;
        near(shape.cast_sphere(&Ray::new(at(0.25), along), 0.75, ..).unwrap().face_normal, slope);
        near(shape.cast_sphere(&Ray::new(at(-0.25), along), 0.75, ..).unwrap().face_normal, -slope);
        let flat = Triangle::new(a - DVec3::Z, a + DVec3::X, a + DVec3::Y).unwrap();
        assert!(flat.cast_sphere(&Ray::new(a, along), 0.75, ..).is_some());
    }
    // In the plane of the triangle exactly.
    let flat = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y).unwrap();
    let hit = flat.cast_sphere(&Ray::new(DVec3::X * 9.0, -DVec3::X), 0.5, ..).unwrap();
    assert_eq!((hit.normal, hit.face_normal), (DVec3::X, Some(DVec3::Z)));
}

/// Which shapes have a face: flat surfaces and half-spaces.
#[test]
fn other_shapes_have_no_face() {
    let down = Ray::new(DVec3::Z * 9.0, -DVec3::Z);
    let face = |shape: &dyn Shape<DVec3>| shape.cast_sphere(&down, 0.5, ..).unwrap().face_normal;
    let moved = Transform::new([DVec3::X * 2.0, DVec3::Y, DVec3::new(1.0, 0.0, -1.0)], DVec3::ZERO).unwrap();
    let placed = |shape: hitscan::AnyShape3<DVec3>| Instance::<DVec3>::new(shape).with_transform(moved);
    let plane = Plane::new(DVec3::ZERO, DVec3::Z).unwrap();
    let ground = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    assert_eq!(face(&plane), Some(DVec3::Z));
    assert_eq!(face(&ground), Some(DVec3::Z));
    assert_eq!(face(&hitscan::Disk::new(DVec3::ZERO, -DVec3::Z, 2.0).unwrap()), Some(DVec3::Z));
    assert_eq!(face(&placed(plane.into())), Some(DVec3::Z));
    assert_eq!(face(&Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap()), None);
    assert_eq!(face(&Sphere::new(DVec3::ZERO, 1.0).unwrap()), None);
    // A triangle without an area, in a mesh.
    let line = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0], vec![[0, 1, 2]]).unwrap();
    assert_eq!(face(&line), None);
    // In the plane: a segment that is touched at its end.
    let wall = SegmentShape::new(DVec2::ZERO, DVec2::Y).unwrap();
    for side in [1.0, -1.0] {
        let hit = wall.cast_sphere(&Ray::new(DVec2::new(5.0 * side, 1.25), DVec2::X * -side), 0.5, ..).unwrap();
        assert_eq!(hit.face_normal, Some(DVec2::X * side));
        let boxed = Rectangle::new(DVec2::new(5.0 * side, 1.25), DVec2::splat(0.5)).unwrap();
        assert_eq!(wall.cast_volume(boxed, DVec2::X * -side, ..).unwrap().face_normal, Some(DVec2::X * side));
    }
}
