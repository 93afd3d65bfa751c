//! Meshes in `f64`, whose coordinates no `f32` holds: the search in `f32` changes no answer, and hits have all digits.

use crate::support::meshes::{MeshArrays, hall, icosphere, slivers, torus};
use crate::support::{Rng, Sample, rounds};
use hitscan::glam::DVec3;
use hitscan::{Faces, Hit, Quality, Query, RangedRay, Ray, RayCast, Segment, Side, Triangle, TriangleMesh};

/// Name, vertices and triangles.
type NamedMesh = (&'static str, Vec<DVec3>, Vec<[u32; 3]>);

/// Meshes whose coordinates are thirds, near the origin or so far from it that `f32` merges vertices; the last one is exact in
/// `f32`.
fn meshes() -> Vec<NamedMesh> {
    let place = |(vertices, triangles): MeshArrays, scale: f64, shift: f64| {
        let vertices = vertices.into_iter().map(|v| DVec3::from(v) * scale + DVec3::new(1.0, -2.0, 0.5) * shift);
        (vertices.collect::<Vec<_>>(), triangles)
    };
    let named = |name, (vertices, triangles)| (name, vertices, triangles);
    let (exact, triangles) = torus(24, 15);
    let exact = exact.into_iter().map(|v| DVec3::from(v).as_vec3().as_dvec3()).collect();
    vec![
        named("icosphere", place(icosphere(3), 1.0 / 3.0, 0.0)),
        named("far torus", place(torus(24, 15), 1.0 / 3.0, 1e6 / 3.0)),
        named("hall", place(hall(), 1.0 / 3.0, 0.0)),
        named("slivers", place(slivers(), 1.0 / 3.0, 0.0)),
        ("exact torus", exact, triangles),
    ]
}

/// Rays of cameras, of random directions and origins, along axes, and at vertices and edges to the last digit.
fn rays(rng: &mut Rng, vertices: &[DVec3], triangles: &[[u32; 3]], count: usize) -> Vec<Ray<DVec3>> {
    let size = vertices.iter().map(|&v| (v - vertices[0]).length()).fold(0.0, f64::max);
    let mut eye = vertices[0];
    let mut rays = Vec::with_capacity(count);
    for i in 0..count {
        let [a, b, c] = triangles[rng.below(triangles.len())].map(|v| vertices[v as usize]);
        let inside = a + (b - a) * (0.6 * rng.unit()) + (c - a) * (0.4 * rng.unit());
        let target = [inside, inside, inside, a, (a + b) * 0.5, a + (b - a) * rng.unit()][rng.below(6)];
        // Sixteen neighbours from one place are a packet.
        if i % 64 == 0 || i / 64 % 2 == 1 {
            eye = target + rng.in_cube::<DVec3>() * size * [1.0, 1.0, 1e3, 1e-6][rng.below(4)];
        }
        rays.push(match rng.below(16) {
            0 => Ray::new(target - DVec3::Z * size, DVec3::Z),
            1 => Ray::new(a + a - b, b - a),
            2 if i % 50 == 2 => Ray::new(eye, DVec3::new(f64::NAN, 1.0, 0.0)),
            _ => Ray::new(eye, (target - eye) * [1.0, 1.0 / 3.0, 1e3][rng.below(3)]),
        });
    }
    rays
}

/// Single rays, batches, segments and ranges, for each quality, beside a test of all triangles without the search.
#[test]
fn trees_and_batches_answer_like_all_triangles() {
    for (name, vertices, triangles) in meshes() {
        let mut rng = Rng::new(5);
        let all = TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh").linear_scan();
        let rays = rays(&mut rng, &vertices, &triangles, rounds(600));
        let segments: Vec<_> = rays.iter().map(|ray| Segment::new(ray.origin, ray.at(1.0 + 1e-9))).collect();
        // Ranges that end or begin at a hit, or beside it by less than `f32` resolves.
        let ranged: Vec<_> = rays
            .iter()
            .map(|ray| {
                let t = all.cast_ray(ray, ..).map_or(1.0, |hit: Hit<DVec3>| hit.t);
                match rng.below(6) {
                    0 => RangedRay::new(*ray, 0.0, t),
                    1 => RangedRay::new(*ray, 0.0, t.next_down()),
                    2 => RangedRay::new(*ray, t, f64::INFINITY),
                    3 => RangedRay::new(*ray, t.next_up(), f64::INFINITY),
                    4 => RangedRay::new(*ray, 0.3 * t, 1.5 * t),
                    _ => RangedRay::new(*ray, -t, t * (1.0 + 1e-12)),
                }
            })
            .collect();
        let queries = [Query::new(), Query::from(..=0.7).faces(Faces::Front), Query::from(0.2..).faces(Faces::Back)];
        let truth = |query: Query<f64>| {
            let of_rays: Vec<_> = rays.iter().map(|ray| all.cast_ray(ray, query)).collect();
            let of_segments: Vec<_> = segments.iter().map(|segment| all.cast_ray(segment, query)).collect();
            let of_ranged: Vec<_> = ranged.iter().map(|ray| all.cast_ray(ray, query)).collect();
            [of_rays, of_segments, of_ranged]
        };
        let truths = queries.map(truth);
        for quality in [Quality::Fast, Quality::Default, Quality::High] {
            let mesh = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).expect("a mesh");
            for (query, [of_rays, of_segments, of_ranged]) in queries.into_iter().zip(&truths) {
                let case = |i: usize| format!("{name} {quality:?} {query:?} {:?} {:?}", rays[i], ranged[i]);
                let each = |i: usize| {
                    [
                        mesh.cast_ray(&rays[i], query),
                        mesh.cast_ray(&segments[i], query),
                        mesh.cast_ray(&ranged[i], query),
                    ]
                };
                let any = |i: usize| {
                    let (ray, segment, ranged) = (&rays[i], &segments[i], &ranged[i]);
                    [
                        mesh.intersects_ray(ray, query),
                        mesh.intersects_ray(segment, query),
                        mesh.intersects_ray(ranged, query),
                    ]
                };
                let batches =
                    [mesh.cast_rays(&rays, query), mesh.cast_rays(&segments, query), mesh.cast_rays(&ranged, query)];
                let any_batches = [
                    mesh.intersects_rays(&rays, query),
                    mesh.intersects_rays(&segments, query),
                    mesh.intersects_rays(&ranged, query),
                ];
                for i in 0..rays.len() {
                    let truth = [of_rays[i], of_segments[i], of_ranged[i]];
                    assert_eq!(each(i), truth, "{}", case(i));
                    assert_eq!([batches[0][i], batches[1][i], batches[2][i]], truth, "{}", case(i));
                    assert_eq!(any(i), truth.map(|hit| hit.is_some()), "{}", case(i));
                    assert_eq!([any_batches[0][i], any_batches[1][i], any_batches[2][i]], any(i), "{}", case(i));
                }
            }
            let loaded = TriangleMesh::from_bytes(&mesh.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(loaded.cast_rays(&rays, ..), mesh.cast_rays(&rays, ..), "{name} {quality:?}");
            if (name, quality) == ("hall", Quality::High) {
                let whole = TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh").statistics();
                let cut = mesh.statistics();
                assert!(cut.leaves > whole.leaves, "spatial splits: {cut:?} {whole:?}");
            }
            for ray in &rays[..120] {
                let line = Query::line();
                assert_eq!(mesh.cast_ray_all(ray, line), all.cast_ray_all(ray, line), "{name} {quality:?} {ray:?}");
                assert_eq!(mesh.count_hits(ray, line), all.count_hits(ray, line), "{name} {quality:?} {ray:?}");
            }
        }
        let hits = truths[0][0].iter().flatten().count();
        let cut =
            truths[0][0].iter().zip(&truths[0][2]).filter(|(whole, part)| whole.is_some() && part.is_none()).count();
        assert!(hits > rounds(500) && cut > rounds(50), "{name}: {hits} hits, {cut} out of range");
    }
}

/// The closest hit of a mesh beside the closest of its triangles alone, which the oracle checks: `t` within 1 ulp of another,
/// and the rest within its bound.
#[test]
fn hits_are_those_of_the_triangles() {
    for (name, vertices, triangles) in meshes() {
        let mesh = TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh");
        let alone: Vec<_> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                Triangle::new(a, b, c).ok()
            })
            .collect();
        let (mut hits, mut nearest) = (0, 0);
        for ray in rays(&mut Rng::new(6), &vertices, &triangles, 400) {
            let Some(hit) = mesh.cast_ray(&ray, ..) else {
                assert!(alone.iter().flatten().all(|triangle| !triangle.intersects_ray(&ray, ..)), "{name} {ray:?}");
                continue;
            };
            let other = hit.primitive.and_then(|i| alone[i as usize]).and_then(|triangle| triangle.cast_ray(&ray, ..));
            let other = other.unwrap_or_else(|| panic!("{name}: the triangle of the hit is hit: {ray:?}"));
            assert!((hit.t - other.t).abs() <= hit.t.next_up() - hit.t, "{name} {ray:?}: {} {}", hit.t, other.t);
            let near = 8.0 * f64::EPSILON;
            assert!((hit.distance / other.distance - 1.0).abs() <= near || hit.t == 0.0, "{name} {ray:?}");
            assert!((hit.normal - other.normal).length() <= near, "{name} {ray:?}");
            let size = ray.origin.abs().max_element() + (ray.direction * hit.t).abs().max_element();
            assert!((hit.point - other.point).length() <= near * size, "{name} {ray:?}");
            let [a, b, c] = triangles[hit.primitive.unwrap_or(0) as usize].map(|v| vertices[v as usize]);
            let [u, v] = hit.uv.unwrap_or([f64::NAN; 2]);
            let by_weights = a + (b - a) * u + (c - a) * v;
            // The weights of a sliver lose as many digits as it is thin.
            assert!((hit.point - by_weights).length() <= 8.0 * near * size || name == "slivers", "{name} {ray:?}");
            assert_eq!(
                (hit.side, hit.side == Side::Front),
                (other.side, ray.direction.dot(hit.normal) < 0.0),
                "{name} {ray:?}"
            );
            let closest = alone.iter().flatten().filter_map(|triangle| triangle.cast_ray(&ray, ..)).map(|hit| hit.t);
            let closest = closest.fold(f64::INFINITY, f64::min);
            assert!((hit.t - closest).abs() <= hit.t.next_up() - hit.t, "{name} {ray:?}: {} {closest}", hit.t);
            nearest += usize::from(hit.t == closest);
            hits += 1;
        }
        assert!(hits > 150 && nearest > hits * 9 / 10, "{name}: {hits} {nearest}");
    }
}
