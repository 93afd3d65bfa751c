//! Meshes: watertight, each crossing counted once, the same with BVH and linear scan.

use crate::support::meshes::{build, icosphere, slivers, torus, trefoil};
use crate::support::{Draw, Rng, Sample};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{
    Accelerator, Faces, MeshError, Object, Query, Ray, RayCast, Scene, Shape, Side, Space, Topology, Transform,
    TriangleMesh,
};
use hitscan::{Real, Vector3};

fn meshes<V: Vector3>(size: usize) -> Vec<(&'static str, TriangleMesh<V>)> {
    vec![
        ("icosphere", build(icosphere(size))),
        ("torus", build(torus(8 * size, 5 * size))),
        ("slivers", build(slivers())),
        ("trefoil", build(trefoil(20 * size, 4 * size))),
    ]
}

/// Target: a vertex, a point of an edge to the last digit, or a point of a face; and the distance of the origin in
/// sizes.
fn target<V: Vector3>(mesh: &TriangleMesh<V>, rng: &mut Rng) -> V {
    let triangle = mesh.triangles()[rng.below(mesh.triangles().len())];
    let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
    let half = V::Scalar::from_f64(0.5);
    let quarter = V::Scalar::from_f64(0.25);
    match rng.below(5) {
        0 | 1 => a,
        2 => (a + b) * half,
        3 => a + (b - a) * V::Scalar::from_f64(rng.unit()),
        _ => (a + b) * quarter + c * half,
    }
}

/// Origins of rays: near, or a million sizes away, where a step of a coordinate is larger than a triangle.
fn ray<V: Vector3>(mesh: &TriangleMesh<V>, rng: &mut Rng) -> Ray<V> {
    let away = [2.0, 5.0, 1e3, 1e6][rng.below(4)];
    let origin = if rng.below(6) == 0 { rng.in_cube() } else { rng.in_cube::<V>() * V::Scalar::from_f64(away) };
    match rng.below(8) {
        // Along an axis, through a vertex or an edge.
        0 => {
            let (target, axis) = (target(mesh, rng), rng.below(3));
            let [mut from, mut along] = [target.to_xyz(), [V::Scalar::ZERO; 3]];
            from[axis] = V::Scalar::from_f64(-away);
            along[axis] = V::Scalar::ONE;
            Ray::new(V::from_xyz(from), V::from_xyz(along))
        }
        // Along an edge.
        1 => {
            let [a, b, _] = mesh.triangles()[rng.below(mesh.triangles().len())].map(|i| mesh.vertices()[i as usize]);
            Ray::new(a + a - b, b - a)
        }
        _ => Ray::new(origin, target(mesh, rng) - origin),
    }
}

/// On the whole line every entry has its exit, and the BVH changes nothing.
fn check_lines<V: Vector3>(name: &str, mesh: &TriangleMesh<V>, rays: usize, seed: u64) {
    assert!(mesh.topology().is_closed(), "{name}: {:?}", mesh.topology());
    let linear = mesh.linear_scan();
    let mut rng = Rng::new(seed);
    let (mut hits, mut odd, mut differ, mut unpaired) = (0, vec![], vec![], vec![]);
    for i in 0..rays {
        let ray = ray(mesh, &mut rng);
        let all = mesh.cast_ray_all(&ray, Query::line());
        hits += usize::from(!all.is_empty());
        if all.len() % 2 == 1 || mesh.count_hits(&ray, Query::line()) != all.len() {
            odd.push(ray);
        }
        // Fronts and backs alternate, or nest; each span is from a front to a back.
        let fronts = all.iter().filter(|hit| hit.side == Side::Front).count();
        let spans = mesh.spans(&ray, Query::line());
        let paired = spans.iter().all(|s| s.enter.zip(s.exit).is_some_and(|(enter, exit)| enter.t <= exit.t));
        let outer = |hit: &hitscan::Hit<V>| all.contains(hit);
        if 2 * fronts != all.len()
            || !paired
            || spans.is_empty() != all.is_empty()
            || !spans.iter().all(|s| s.enter.as_ref().is_some_and(outer))
        {
            unpaired.push(ray);
        }
        // The linear scan is slow.
        if i % 5 != 0 {
            continue;
        }
        for query in [
            Query::new(),
            Query::line(),
            rng.query(Draw::Ordinary),
            Query::new().faces(Faces::Front),
            Query::new().faces(Faces::Back),
        ] {
            let same = mesh.cast_ray(&ray, query) == linear.cast_ray(&ray, query)
                && mesh.intersects_ray(&ray, query) == linear.intersects_ray(&ray, query)
                && mesh.intersects_ray(&ray, query) == mesh.cast_ray(&ray, query).is_some()
                && mesh.cast_ray_all(&ray, query) == linear.cast_ray_all(&ray, query)
                && mesh.spans(&ray, query) == linear.spans(&ray, query);
            if !same {
                differ.push((ray, query));
            }
        }
    }
    println!(
        "{name}: {} triangles, {rays} lines, {hits} meet it; odd {}, unpaired {}, tree differs {}",
        mesh.triangles().len(),
        odd.len(),
        unpaired.len(),
        differ.len()
    );
    assert!(odd.is_empty(), "{name}: odd on {:?}", odd[0]);
    assert!(unpaired.is_empty(), "{name}: unpaired on {:?}", unpaired[0]);
    assert!(differ.is_empty(), "{name}: tree differs on {:?}", differ[0]);
    assert!(hits > rays / 3);
}

#[test]
fn closed_meshes_f32() {
    for (name, mesh) in meshes::<Vec3>(3) {
        check_lines(name, &mesh, 3000, 1);
    }
}

#[test]
fn closed_meshes_f64() {
    for (name, mesh) in meshes::<DVec3>(2) {
        check_lines(name, &mesh, 400, 2);
    }
}

/// Rays from a point exactly inside never leak. A far line may miss its target, but not the mesh.
///
/// ```text
///   far o - - - - - - - -_-_-> o inner        the segment ends inside: it must cross
/// ```
fn no_leak<V: Vector3>(name: &str, mesh: &TriangleMesh<V>, inner: V, rays: usize) {
    let mut rng = Rng::new(3);
    let mut leaks = vec![];
    for i in 0..rays {
        let target = target(mesh, &mut rng);
        let out = Ray::new(inner, target - inner);
        let crossings = mesh.count_hits(&out, ..);
        let far = rng.in_cube::<V>() * V::Scalar::from_f64([3.0, 1e3, 1e6][i % 3]);
        let segment = hitscan::Segment::new(far, inner);
        let outside = !mesh.aabb().contains(far);
        let enters = !outside
            || (mesh.intersects_ray(&segment, ..)
                && mesh.cast_ray(&segment, ..).is_some_and(|hit| hit.side == Side::Front));
        if crossings % 2 == 0 || mesh.cast_ray(&out, ..).is_none() || !enters {
            leaks.push((out, segment));
        }
    }
    println!("{name}: {rays} rays from inside, {} leaks", leaks.len());
    assert!(leaks.is_empty(), "{name}: {:?}", leaks[0]);
}

#[test]
fn nothing_leaks() {
    no_leak("icosphere f32", &build::<Vec3>(icosphere(3)), Vec3::new(0.1, -0.2, 0.3), 20_000);
    no_leak("slivers f32", &build::<Vec3>(slivers()), Vec3::new(0.1, -0.2, 0.3), 20_000);
    no_leak("torus f32", &build::<Vec3>(torus(24, 15)), Vec3::new(1.0, 0.0, 0.1), 20_000);
    no_leak("icosphere f64", &build::<DVec3>(icosphere(2)), DVec3::new(0.1, -0.2, 0.3), 500);
    no_leak("slivers f64", &build::<DVec3>(slivers()), DVec3::new(0.1, -0.2, 0.3), 500);
}

/// A vertex, aimed at from its own side with numbers that meet it exactly: always a hit, at that point.
#[test]
fn vertices_are_hit() {
    let mesh = build::<Vec3>(icosphere(3));
    let mut wrong = 0;
    for &vertex in mesh.vertices() {
        for axis in 0..3 {
            let mut direction = Vec3::ZERO;
            direction[axis] = if vertex[axis] > 0.0 { -1.0 } else { 1.0 };
            // From a point on the axis through the vertex; its coordinate is a sum without rounding.
            let ray = Ray::new(vertex - direction * 2.0, direction);
            let exact = ray.origin + direction * 2.0 == vertex;
            let hit = mesh.cast_ray(&ray, ..);
            let far_side = vertex[axis] == 0.0;
            if exact && (hit.is_none() || (!far_side && hit.is_some_and(|hit| hit.t > 2.0))) {
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0);
}

/// Inside and outside of the polyhedron between two spheres: the unit sphere, and the inner sphere that no face enters.
#[test]
fn contains_by_distance() {
    let mesh = build::<Vec3>(icosphere(3));
    let inner = mesh.triangles().iter().map(|t| {
        let [a, b, c] = t.map(|i| mesh.vertices()[i as usize].as_dvec3());
        let n = (b - a).cross(c - a).normalize();
        n.dot(a)
    });
    let inner = inner.fold(f64::INFINITY, f64::min);
    let mut rng = Rng::new(4);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..50_000 {
        let p: Vec3 = rng.in_cube::<Vec3>() * 1.1;
        let distance = p.as_dvec3().length();
        if distance < inner {
            inside += 1;
            assert!(mesh.contains(p), "{p:?}");
        } else if distance > 1.0 + f64::from(f32::EPSILON) {
            outside += 1;
            assert!(!mesh.contains(p), "{p:?}");
        }
    }
    assert!(inside > 10_000 && outside > 10_000);
    assert!(mesh.vertices().iter().all(|&v| mesh.contains(v)), "the surface belongs to the solid");
}

#[test]
fn degenerate_triangles_are_never_hit() {
    let (mut vertices, mut triangles) = icosphere(1);
    let clean = build::<Vec3>((vertices.clone(), triangles.clone()));
    let n = vertices.len() as u32;
    vertices.extend([[0.0, 0.0, 0.0], [3.0, 3.0, 3.0], [3.0, 3.0, 3.0], [4.0, 4.0, 4.0]]);
    triangles.extend([[0, 0, 1], [2, 2, 2], [n, n + 1, n + 3], [n, n + 3, n + 1], [n + 1, n + 2, n + 3], [n, n, n]]);
    let dirty = build::<Vec3>((vertices, triangles));
    assert_eq!(dirty.topology().degenerate_triangles, 4);
    let mut rng = Rng::new(6);
    for _ in 0..5000 {
        let ray = ray(&clean, &mut rng);
        assert_eq!(clean.cast_ray(&ray, Query::line()), dirty.cast_ray(&ray, Query::line()));
        assert_eq!(clean.cast_ray_all(&ray, ..), dirty.cast_ray_all(&ray, ..));
        assert_eq!(clean.contains(ray.origin), dirty.contains(ray.origin));
    }
}

/// A line that touches an edge from outside enters and leaves at one `t`: the entry comes first, whatever the triangle
/// ids.
///
/// ```text
///      /\
///  ---*-------->     the ridge * of a roof, seen along the roof
///    /    \
/// ```
#[test]
fn spans_begin_at_a_front() {
    let (vertices, mut triangles) = icosphere(1);
    let forward = build::<Vec3>((vertices.clone(), triangles.clone()));
    triangles.reverse();
    let backward = build::<Vec3>((vertices, triangles));
    let (mut rng, mut touches, mut wrong) = (Rng::new(8), 0, vec![]);
    for _ in 0..10_000 {
        let ray = ray(&forward, &mut rng);
        for mesh in [&forward, &backward] {
            for span in mesh.spans(&ray, Query::line()) {
                let (enter, exit) = (span.enter.unwrap(), span.exit.unwrap());
                touches += usize::from(enter.t == exit.t);
                if (enter.side, exit.side) != (Side::Front, Side::Back) {
                    wrong.push((ray, enter.t, exit.t));
                }
            }
        }
    }
    println!("{touches} touches, {} spans the wrong way round", wrong.len());
    assert!(wrong.is_empty() && touches > 0, "{:?}", wrong.first());
}

#[test]
fn duplicate_triangles() {
    let (vertices, mut triangles) = icosphere(1);
    let once = build::<Vec3>((vertices.clone(), triangles.clone()));
    triangles.extend(triangles.clone());
    let twice = build::<Vec3>((vertices, triangles));
    assert!(twice.topology().is_closed() && twice.topology().non_manifold_edges > 0);
    let mut rng = Rng::new(7);
    for _ in 0..2000 {
        let ray = ray(&once, &mut rng);
        assert_eq!(once.cast_ray(&ray, ..), twice.cast_ray(&ray, ..), "the lower number wins");
        assert_eq!(2 * once.count_hits(&ray, ..), twice.count_hits(&ray, ..));
        let ends = |mesh: &TriangleMesh<Vec3>| -> Vec<_> {
            mesh.spans(&ray, ..).iter().map(|s| (s.enter.unwrap().t, s.exit.map(|exit| exit.t))).collect()
        };
        assert_eq!(ends(&once), ends(&twice), "one solid, though twice: {ray:?}");
    }
}

#[test]
fn what_is_no_mesh() {
    let v = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let new = |v: &[Vec3], t: &[[u32; 3]]| TriangleMesh::new(v.to_vec(), t.to_vec()).map(|_| ()).unwrap_err();
    assert_eq!(new(&v, &[]), MeshError::NoTriangles);
    assert_eq!(new(&v, &[[0, 1, 2], [0, 3, 1]]), MeshError::OutOfRange { triangle: 1, index: 3, vertices: 3 });
    assert_eq!(new(&v, &[[u32::MAX, 1, 2]]), MeshError::OutOfRange { triangle: 0, index: u32::MAX, vertices: 3 });
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(
            new(&[Vec3::ZERO, Vec3::X, Vec3::new(0.0, bad, 0.0)], &[[0, 1, 2]]),
            MeshError::NotFinite { vertex: 2 }
        );
    }
    let open = TriangleMesh::new(v, vec![[0, 1, 2]]).unwrap();
    let Topology { boundary_edges, .. } = *open.topology();
    assert_eq!(boundary_edges, 3);
    let through = Ray::new(Vec3::new(0.25, 0.25, -1.0), Vec3::Z);
    assert!(open.spans(&through, ..).is_empty() && open.count_hits(&through, ..) == 1);
    assert!(!open.contains(Vec3::new(0.25, 0.25, 0.0)));
}

/// Two square sheets, one behind the other by less than a number of `f32` can say at their distance, from rays in front of
/// them: each point of a sheet is one, on its inside, its diagonal, its rim or a corner, whether the ray crosses it or touches it.
///
/// ```text
///   d---c
///   | / |
///   a---b
/// ```
#[test]
fn common_points_are_each_point_once() {
    fn check<V: Vector3 + Space<Shape: From<TriangleMesh<V>>>>() {
        let at = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        let vertices = [0.0, -1e-9].into_iter().flat_map(|z| corners.map(|[x, y]| at(x, y, z))).collect::<Vec<_>>();
        let triangles = vec![[4, 5, 6], [4, 6, 7], [0, 1, 2], [0, 2, 3]];
        let mesh = TriangleMesh::new(vertices.clone(), triangles.clone()).unwrap();
        let linear = TriangleMesh::with_accelerator(vertices, triangles, Accelerator::LinearScan).unwrap();
        let mut scene = Scene::<V>::new();
        scene.insert(Object::new(mesh.clone())).unwrap();
        scene
            .insert(Object::new(mesh.clone()).with_transform(Transform::from_translation(at(0.0, 0.0, -8.0)).unwrap()))
            .unwrap();
        let query = Query::new().of_common_points();
        for (x, y) in [(1.5, 0.25), (1.0, 1.0), (1.0, 0.0), (2.0, 1.0), (0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 0.5)]
        {
            let ray = Ray::new(at(x, y, 1.0), at(0.0, 0.0, -1.0));
            let hits = mesh.cast_ray_all(&ray, query);
            let triangles =
                |hits: &hitscan::Hits<V>| hits.iter().map(|hit| hit.primitive.unwrap() / 2).collect::<Vec<_>>();
            // In exact order, which `t` in `f32` cannot tell.
            assert_eq!(triangles(&hits), [1, 0], "({x}, {y})");
            assert_eq!(hits, linear.cast_ray_all(&ray, query));
            assert_eq!(mesh.count_hits(&ray, query), 2);
            assert_eq!(mesh.cast_ray_first(&ray, query, 1)[..], hits[..1]);
            assert_eq!(hits[0].primitive, mesh.cast_ray(&ray, ..).unwrap().primitive, "the first triangle");
            assert_eq!(triangles(&scene.cast_ray_all(&ray, query)), [1, 0, 1, 0]);
            assert_eq!(scene.count_hits(&ray, query), 4);
        }
        let outside = Ray::new(at(2.0 + 1e-6, 1.0, 1.0), at(0.0, 0.0, -1.0));
        assert_eq!((mesh.count_hits(&outside, query), scene.count_hits(&outside, query)), (0, 0));
    }
    check::<Vec3>();
    check::<DVec3>();
}
