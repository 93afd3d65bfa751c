//! Rays that run in a flat surface: they miss it, or hit it as a solid without thickness.

use crate::support::{Draw, Rng, Sample, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Coplanar, Cuboid, Disk, Faces, Group, Hit, Inside, Line, Object, Plane, Quad, Query, Ray, RayCast, Rectangle,
    Scene, Segment, SegmentShape, Shape, Side, Transform, Triangle, TriangleMesh, Vector,
};

fn hit<S: hitscan::Real>() -> Query<S> {
    Query::new().coplanar(Coplanar::Hit)
}

/// `t` of all hits, after the other queries of the same ray have agreed with them.
fn all<V: Vector>(shape: &(impl Shape<V> + ?Sized), ray: &Ray<V>, query: Query<V::Scalar>) -> Vec<V::Scalar> {
    let hits = shape.cast_ray_all(ray, query);
    let first = shape.cast_ray(ray, query);
    assert_eq!(first.map(|hit| hit.t), hits.first().map(|hit| hit.t), "{ray:?} {query:?}");
    assert_eq!(shape.intersects_ray(ray, query), first.is_some(), "{ray:?} {query:?}");
    assert_eq!(shape.count_hits(ray, query), hits.len());
    let rays = [*ray; 20];
    assert!(shape.cast_rays(&rays, query).iter().all(|hit| *hit == first));
    assert!(shape.intersects_rays(&rays, query).iter().all(|is_hit| *is_hit == first.is_some()));
    assert_eq!(shape.spans(ray, query), shape.spans(ray, query.coplanar(Coplanar::Miss)));
    hits.iter().map(|hit| hit.t).collect()
}

/// A wall in 2D from x = 2 to 5, hit end-on:
///
/// ```text
///   o ---->   2=======5
/// ```
#[test]
fn a_segment_is_hit_end_on() {
    let wall = SegmentShape::new(Vec2::new(2.0, 0.0), Vec2::new(5.0, 0.0)).unwrap();
    let along = |x: f32, direction: f32| Ray::new(Vec2::X * x, Vec2::X * direction);
    assert!(all(&wall, &along(0.0, 1.0), Query::new()).is_empty());
    assert_eq!(all(&wall, &along(0.0, 1.0), hit()), [2.0, 5.0]);
    assert_eq!(all(&wall, &along(9.0, -2.0), hit()), [2.0, 3.5]);
    // From within: where the range begins, under both rules for solids, since a surface has no inside.
    assert_eq!(all(&wall, &along(3.0, 1.0), hit()), [0.0, 2.0]);
    assert_eq!(all(&wall, &along(3.0, 1.0), hit().inside(Inside::Hollow)), [0.0, 2.0]);
    // The range is closed.
    assert_eq!(all(&wall, &along(0.0, 1.0), hit().range(0.0, 2.0)), [2.0]);
    assert!(all(&wall, &along(0.0, 1.0), hit().range(0.0, 1.999)).is_empty());
    assert!(all(&wall, &along(6.0, 1.0), hit()).is_empty());
    assert_eq!(all(&wall, &along(5.0, 1.0), hit()), [0.0]);
    // Neither side is seen.
    assert!(all(&wall, &along(0.0, 1.0), hit().faces(Faces::Front)).is_empty());
    // The normal is against the ray.
    let Some(Hit { normal, side, uv, .. }) = wall.cast_ray(&along(0.0, 1.0), hit()) else { panic!("a miss") };
    assert_eq!((normal, side, uv), (-Vec2::X, Side::Front, None));
    // Beside it by the smallest number, and parallel: a miss.
    assert!(all(&wall, &Ray::new(Vec2::new(0.0, f32::from_bits(1)), Vec2::X), hit()).is_empty());
    // A crossing is as before.
    assert_eq!(all(&wall, &Ray::new(Vec2::new(3.0, 1.0), -Vec2::Y), hit()), [1.0]);
}

#[test]
fn planes_lines_disks_and_triangles() {
    let plane = Plane::new(DVec3::Z, DVec3::new(1.0, 1.0, 1.0)).unwrap();
    let within = Ray::new(DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, -1.0, 0.0));
    assert!(all(&plane, &within, Query::new()).is_empty());
    assert_eq!(all(&plane, &within, hit()), [0.0]);
    assert!(all(&plane, &within, Query::line().coplanar(Coplanar::Hit)).is_empty()); // no first point
    assert!(all(&plane, &Ray::new(DVec3::ZERO, within.direction), hit()).is_empty()); // parallel
    let line = Line::new(DVec2::ZERO, DVec2::new(-1.0, 3.0)).unwrap();
    assert_eq!(all(&line, &Ray::new(DVec2::new(3.0, 1.0), DVec2::new(6.0, 2.0)), hit()), [0.0]);

    let disk = Disk::new(Vec3::new(0.0, 0.0, 1.0), Vec3::Z, 5.0).unwrap();
    assert_eq!(all(&disk, &Ray::new(Vec3::new(-8.0, 3.0, 1.0), Vec3::X), hit()), [4.0, 12.0]);
    assert_eq!(all(&disk, &Ray::new(Vec3::new(-8.0, 5.0, 1.0), Vec3::X), hit()), [8.0]); // a tangent
    assert!(all(&disk, &Ray::new(Vec3::new(-8.0, 5.0f32.next_up(), 1.0), Vec3::X), hit()).is_empty());
    assert_eq!(all(&disk, &Ray::new(Vec3::new(0.0, 0.0, 1.0), Vec3::new(3.0, 4.0, 0.0)), hit()), [0.0, 1.0]);

    // A quad from x = 0 to 4 at its lower edge, sheared by 2 at its upper one.
    let quad = Quad::new(DVec3::ZERO, DVec3::X * 4.0, DVec3::new(2.0, 4.0, 0.0)).unwrap();
    let across = |y: f64| Ray::new(DVec3::new(-1.0, y, 0.0), DVec3::X);
    assert!(all(&quad, &across(2.0), Query::new()).is_empty());
    assert_eq!(all(&quad, &across(2.0), hit()), [2.0, 6.0]);
    assert_eq!(all(&quad, &across(0.0), hit()), [1.0, 5.0]);
    assert_eq!(all(&quad, &across(4.0), hit()), [3.0, 7.0]);
    assert!(all(&quad, &across(4.5), hit()).is_empty());
    // At a corner only.
    assert_eq!(all(&quad, &Ray::new(DVec3::new(-1.0, 1.0, 0.0), DVec3::new(1.0, -1.0, 0.0)), hit()), [1.0]);

    let triangle = Triangle::new(DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0).unwrap();
    let ray = |x: f64, y: f64, dx: f64, dy: f64| Ray::new(DVec3::new(x, y, 0.0), DVec3::new(dx, dy, 0.0));
    assert_eq!(all(&triangle, &ray(-1.0, 1.0, 1.0, 0.0), hit()), [1.0, 4.0]); // through two edges
    assert_eq!(all(&triangle, &ray(-1.0, 0.0, 1.0, 0.0), hit()), [1.0, 5.0]); // along an edge
    assert_eq!(all(&triangle, &ray(-1.0, -1.0, 1.0, 1.0), hit()), [1.0, 3.0]); // a corner, and an edge
    assert_eq!(all(&triangle, &ray(-4.0, 4.0, 1.0, 0.0), hit()), [4.0]); // a corner only
    assert_eq!(all(&triangle, &ray(1.0, 1.0, 0.0, -0.5), hit()), [0.0, 2.0]); // from within
    assert!(all(&triangle, &ray(-1.0, 5.0, 1.0, 0.0), hit()).is_empty());
    let hit_at = triangle.cast_ray(&ray(-1.0, 1.0, 1.0, 0.0), hit()).unwrap();
    assert_eq!((hit_at.normal, hit_at.point, hit_at.side), (-DVec3::X, DVec3::Y, Side::Front));
}

/// Numbers that no rounding keeps: the ray runs in the plane of the triangle exactly, or misses it by the last digit.
#[test]
fn the_decision_is_exact() {
    let (a, b, c) = (DVec3::new(0.1, 0.7, 0.3), DVec3::new(1.3, 0.2, -0.9), DVec3::new(-0.4, 1.1, 0.6));
    let triangle = Triangle::new(a, b, c).unwrap();
    // The segment from corner to corner: its direction is the exact difference.
    let edge = Segment::new(a, b);
    assert!(triangle.intersects_ray(&edge, hit()) && triangle.cast_ray(&edge, Query::new()).is_none());
    assert_eq!(triangle.cast_ray_all(&edge, hit()).iter().map(|hit| hit.t).collect::<Vec<_>>(), [0.0, 1.0]);
    let beside = Segment::new(DVec3 { z: a.z.next_up(), ..a }, DVec3 { z: b.z.next_up(), ..b });
    assert!(!triangle.intersects_ray(&beside, hit()));
    let wall = SegmentShape::new(Vec2::new(0.1, 0.7), Vec2::new(1.3, 0.2)).unwrap();
    let sight = Segment::new(Vec2::new(0.1, 0.7), Vec2::new(1.3, 0.2));
    assert!(wall.intersects_ray(&sight, hit()) && !wall.intersects_ray(&sight, Query::new()));
}

/// A wall of two triangles, in a mesh and placed: each triangle has its own entry and exit.
///
/// ```text
///   y=2 +-----+
///       | \   |      o ----> along y = 1
///   y=0 +-----+
///      x=0    4
/// ```
#[test]
fn meshes_and_instances() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0], [0.0, 2.0, 0.0]].map(DVec3::from_array);
    let wall = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 3], [1, 2, 3]]).unwrap();
    let single = TriangleMesh::new(corners.map(DVec3::as_vec3).to_vec(), vec![[0, 1, 3], [1, 2, 3]]).unwrap();
    let ray = Ray::new(DVec3::new(-1.0, 1.0, 0.0), DVec3::X);
    assert!(all(&wall, &ray, Query::new()).is_empty());
    assert_eq!(all(&wall, &ray, hit()), [1.0, 3.0, 3.0, 5.0]);
    let ray32 = Ray::new(ray.origin.as_vec3(), ray.direction.as_vec3());
    assert_eq!(all(&single, &ray32, hit()), [1.0, 3.0, 3.0, 5.0]);
    assert!(all(&single, &ray32, hit().faces(Faces::Back)).is_empty());
    let first = wall.cast_ray(&ray, hit()).unwrap();
    assert_eq!((first.primitive, first.normal), (Some(0), -DVec3::X));
    // Under a transform that is exact, alone, beside others, and in a group.
    let turned = Transform::new([DVec3::Y * 2.0, DVec3::Z * 2.0, DVec3::X * 2.0], DVec3::splat(0.5)).unwrap();
    let placed = Ray::new(DVec3::new(0.5, -1.5, 2.5), DVec3::Y * 2.0);
    for depth in 0..2 {
        let mut scene = Scene::new();
        scene.insert(Object::new(wall.clone()).with_transform(turned)).unwrap();
        scene.insert(Object::new(Cuboid::new(DVec3::Y * 100.0, DVec3::splat(0.5)).unwrap())).unwrap();
        let scene = if depth == 0 {
            scene
        } else {
            let mut outer = Scene::new();
            outer.insert(Object::new(Group::new(scene).unwrap())).unwrap();
            outer
        };
        assert!(all(&scene, &placed, Query::new()).is_empty());
        assert_eq!(all(&scene, &placed, hit()), [1.0, 3.0, 3.0, 5.0]);
    }
    // A triangle, a disk and a plane under the same transform.
    let surfaces = [
        Object::new(Triangle::new(corners[0], corners[1], corners[3]).unwrap()),
        Object::new(Disk::new(DVec3::new(2.0, 1.0, 0.0), DVec3::Z, 1.0).unwrap()),
        Object::new(Plane::new(DVec3::ZERO, DVec3::Z).unwrap()),
    ];
    for (object, expected) in surfaces.into_iter().zip([&[1.0, 3.0][..], &[2.0, 4.0], &[0.0]]) {
        assert_eq!(all(object.with_transform(turned).instance(), &placed, hit()), expected);
    }
}

/// Of a crossing and an entry at one `t`, the object inserted first wins.
#[test]
fn ties_go_to_the_first_object() {
    let wall = Object::new(SegmentShape::new(DVec2::X * 3.0, DVec2::X * 5.0).unwrap());
    let across = Object::new(Rectangle::new(DVec2::X * 4.0, DVec2::ONE).unwrap());
    for objects in [[&wall, &across], [&across, &wall]] {
        let mut scene = Scene::new();
        let ids = objects.map(|object| scene.insert(object.clone()).unwrap());
        let ray = Ray::new(DVec2::ZERO, DVec2::X);
        assert_eq!(scene.cast_ray(&ray, hit()).and_then(|hit| hit.object), Some(ids[0]));
        assert_eq!(all(&scene, &ray, hit()), [3.0, 3.0, 5.0, 5.0]);
    }
}

/// On a lattice, a ray along a surface is hit if and only if the surface and the part of the line have a point in common.
#[test]
fn segments_on_a_lattice_are_hit_where_they_have_a_point_in_common() {
    let (mut rng, mut runs, mut clear) = (Rng::new(1), 0, 0);
    for _ in 0..rounds(30_000) {
        let [a, b, mut p, mut q]: [DVec2; 4] = core::array::from_fn(|_| rng.vector(Draw::Lattice));
        if rng.once_in(2) {
            // Along the wall.
            [p, q] = [a, b].map(|_| a + (b - a) * (rng.int(-4, 6) as f64 / 2.0));
        }
        let Ok(wall) = SegmentShape::new(a, b) else { continue };
        if p == q {
            continue;
        }
        // All numbers are multiples of 1/4: the products are exact.
        let side = |u: DVec2, v: DVec2, w: DVec2| (v - u).perp_dot(w - u);
        let [s, t, u, v] = [side(a, b, p), side(a, b, q), side(p, q, a), side(p, q, b)];
        let is_collinear = s == 0.0 && t == 0.0;
        // Places along the sight, where its end is at the square of its length.
        let (place, end) = (|x: DVec2| (x - p).dot(q - p), (q - p).length_squared());
        let (low, high) = (place(a).min(place(b)), place(a).max(place(b)));
        let has_common = if is_collinear { low <= end && high >= 0.0 } else { s * t <= 0.0 && u * v <= 0.0 };
        let sight = Segment::new(p, q);
        assert_eq!(wall.intersects_ray(&sight, hit()), has_common, "{wall:?} {sight:?}");
        // Without the two ends.
        let is_blocked = if is_collinear { low < end && high > 0.0 } else { has_common && s != 0.0 && t != 0.0 };
        assert_eq!(wall.line_of_sight(p, q, ..), !is_blocked, "{wall:?} {sight:?}");
        assert_eq!(wall.visible_from(p, &[q], ..), [!is_blocked]);
        runs += usize::from(is_collinear && is_blocked);
        clear += usize::from(is_collinear && !is_blocked);
    }
    assert!(runs > 1000 && clear > 1000, "{runs} {clear}");
}

/// A line of sight along a wall is blocked by it; where the wall only touches an end, it is clear.
#[test]
fn lines_of_sight_along_surfaces() {
    let wall = SegmentShape::new(Vec2::new(2.0, 0.0), Vec2::new(5.0, 0.0)).unwrap();
    let sees = |a: f32, b: f32| wall.line_of_sight(Vec2::X * a, Vec2::X * b, ..);
    assert!(!sees(0.0, 9.0) && !sees(3.0, 4.0) && !sees(0.0, 3.0) && !sees(2.0, 5.0));
    assert!(sees(0.0, 2.0) && sees(5.0, 9.0) && sees(0.0, 1.0));
    // Within a wall, whatever the rule for solids.
    assert!(!wall.line_of_sight(Vec2::X * 3.0, Vec2::X * 4.0, Query::new().inside(Inside::Hollow)));
    // One side of walls only: a sight along them sees neither.
    assert!(wall.line_of_sight(Vec2::ZERO, Vec2::X * 9.0, Query::new().faces(Faces::Front)));
    // By less than a number between the ends: the wall ends at x = 2^-140, which is a `t` of 2^-240 of the sight.
    let end = f32::from_bits(1 << 9);
    let near = SegmentShape::new(-Vec2::X, Vec2::X * end).unwrap();
    assert!(!near.line_of_sight(Vec2::ZERO, Vec2::X * 100f32.exp2(), ..));
    let touching = SegmentShape::new(-Vec2::X, Vec2::ZERO).unwrap();
    assert!(touching.line_of_sight(Vec2::ZERO, Vec2::X * 100f32.exp2(), ..));
    // Triangles of a mesh, and a disk.
    let corners = vec![Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 2.0];
    let mesh = TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let disk = Disk::new(Vec3::new(1.0, 1.0, 0.0), Vec3::Z, 0.5).unwrap();
    let shapes: [&dyn Shape<Vec3>; 2] = [&mesh, &disk];
    for shape in shapes {
        assert!(!shape.line_of_sight(Vec3::new(-1.0, 1.0, 0.0), Vec3::new(9.0, 1.0, 0.0), ..));
        assert!(shape.line_of_sight(Vec3::new(-1.0, 1.0, 1e-30), Vec3::new(9.0, 1.0, 1e-30), ..));
        let targets = [9.0; 40].map(|x| Vec3::new(x, 1.0, 0.0));
        assert_eq!(shape.visible_from(Vec3::new(-1.0, 1.0, 0.0), &targets, ..), [false; 40]);
    }
}
