//! The examples in Rust of the pages `docs/first-rays.md`, `docs/cookbook.md` and `docs/exactness.md`. The pages include the
//! sections between the marks `--8<--`.

use hitscan::glam::Vec3;
use hitscan::{ObjectId, Ray, RayCast, Scene};
use std::error::Error;

type Checked = Result<(), Box<dyn Error>>;

/// The scene of the cookbook.
fn ball_and_wall() -> Result<(Scene<Vec3>, ObjectId, ObjectId), Box<dyn Error>> {
    // --8<-- [start:scene]
    use hitscan::{Cuboid, Object, Scene, Sphere, glam::Vec3};

    let mut scene = Scene::new();
    let ball = Sphere::new(Vec3::new(5.0, 0.0, 0.0), 1.0)?; // centre, radius
    let ball = scene.insert(Object::new(ball).named("ball"))?; // the id of the object
    let wall = Cuboid::new(Vec3::new(9.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 2.0))?; // centre, half of its size
    let wall = scene.insert(Object::new(wall).named("wall"))?;
    scene.commit(); // queries are fast; their answers are the same without it
    // --8<-- [end:scene]
    Ok((scene, ball, wall))
}

#[test]
fn first_rays() -> Checked {
    // --8<-- [start:first-rays]
    use hitscan::{Cuboid, Object, Ray, RayCast, Scene, Sphere, glam::Vec3};

    let mut scene = Scene::new();
    let ball = Sphere::new(Vec3::new(5.0, 0.0, 0.0), 1.0)?;
    let wall = Cuboid::new(Vec3::new(9.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 2.0))?;
    scene.insert(Object::new(ball).named("ball"))?;
    scene.insert(Object::new(wall).named("wall"))?;
    scene.commit();

    for direction in [Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 0.21875, 0.0), Vec3::new(0.0, 1.0, 0.0)] {
        let ray = Ray::new(Vec3::ZERO, direction);
        match scene.cast_ray(&ray, ..) {
            Some(hit) => {
                let name = hit.object.and_then(|id| scene.get(id)?.name()).unwrap_or("a shape without a name");
                println!("t = {}, {name} at {}, normal {}", hit.t, hit.point, hit.normal);
            }
            None => println!("a miss"),
        }
    }
    // --8<-- [end:first-rays]
    let hits = [(1.0, 0.0), (1.0, 0.21875), (0.0, 1.0)].map(|(x, y)| {
        let hit = scene.cast_ray(&Ray::new(Vec3::ZERO, Vec3::new(x, y, 0.0)), ..)?;
        Some((hit.t, hit.point, hit.normal))
    });
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z];
    assert_eq!(hits, [Some((4.0, x * 4.0, -x)), Some((8.0, x * 8.0 + y * 1.75 + z * 0.0, -x)), None]);
    Ok(())
}

#[test]
fn closest_and_any_hit() -> Checked {
    let (scene, ball, _) = ball_and_wall()?;
    // --8<-- [start:closest]
    use hitscan::{Ray, RayCast, Segment, Side};

    let ray = Ray::new(Vec3::ZERO, Vec3::X); // origin, direction
    let hit = scene.cast_ray(&ray, ..).ok_or("a miss")?;
    assert_eq!((hit.t, hit.point, hit.normal), (4.0, Vec3::new(4.0, 0.0, 0.0), Vec3::NEG_X));
    assert_eq!((hit.object, hit.side), (Some(ball), Side::Front));

    // Any hit: only whether there is one. It may stop at the first that it finds.
    assert!(scene.intersects_ray(&ray, ..));
    assert!(!scene.intersects_ray(&ray, ..=3.5)); // nothing up to t = 3.5

    // The t of a segment runs from 0 to 1.
    let segment = Segment::new(Vec3::ZERO, Vec3::new(8.0, 0.0, 0.0));
    assert_eq!(scene.cast_ray(&segment, ..).map(|hit| hit.t), Some(0.5));
    // --8<-- [end:closest]
    Ok(())
}

#[test]
fn all_hits_and_spans() -> Checked {
    let (scene, ..) = ball_and_wall()?;
    // --8<-- [start:all]
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    let all: Vec<f32> = scene.cast_ray_all(&ray, ..).iter().map(|hit| hit.t).collect();
    assert_eq!(all, [4.0, 6.0, 8.0, 10.0]);
    assert_eq!(scene.count_hits(&ray, ..), 4);

    // A span is a part of the ray inside of one solid. A span that begins before the range has no `enter`.
    for span in scene.spans(&ray, ..) {
        if let (Some(enter), Some(exit)) = (span.enter, span.exit) {
            println!("{:?} from t = {} to t = {}", enter.object, enter.t, exit.t);
        }
    }
    // --8<-- [end:all]
    let ends: Vec<_> =
        scene.spans(&ray, ..).iter().map(|span| [span.enter, span.exit].map(|end| end.map(|hit| hit.t))).collect();
    assert_eq!(ends, [[Some(4.0), Some(6.0)], [Some(8.0), Some(10.0)]]);
    Ok(())
}

#[test]
fn a_mesh_of_arrays() -> Checked {
    // --8<-- [start:mesh]
    use hitscan::{Ray, RayCast, TriangleMesh, glam::Vec3};

    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tetrahedron = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    assert!(tetrahedron.topology().is_closed()); // so it has an inside

    let hit = tetrahedron.cast_ray(&Ray::new(Vec3::new(0.25, 0.25, 5.0), Vec3::NEG_Z), ..).ok_or("a miss")?;
    assert_eq!((hit.t, hit.primitive), (4.5, Some(3))); // the triangle with this number
    // --8<-- [end:mesh]
    Ok(())
}

#[test]
fn objects_that_move() -> Checked {
    let (mut scene, ball, wall) = ball_and_wall()?;
    // --8<-- [start:moving]
    use hitscan::{Sphere, Transform};

    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    // A transform is the place of the object, not a step: it replaces the one before.
    scene.set_transform(ball, Transform::from_translation(Vec3::new(0.0, 7.0, 0.0))?)?;
    scene.commit(); // once a frame, after all edits
    assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(wall));

    scene.set_transform(ball, Transform::from_translation(Vec3::ZERO)?)?;
    scene.set_shape(ball, Sphere::new(Vec3::new(5.0, 0.0, 0.0), 2.0)?)?; // another shape for the same object
    scene.commit();
    assert_eq!(scene.cast_ray(&ray, ..).map(|hit| hit.t), Some(3.0));

    scene.remove(ball)?;
    assert_eq!(scene.cast_ray(&ray, ..).map(|hit| hit.t), Some(8.0));
    // --8<-- [end:moving]
    Ok(())
}

#[test]
fn batches() -> Checked {
    let (scene, ball, wall) = ball_and_wall()?;
    // --8<-- [start:batch]
    use hitscan::{Columns, HitColumns, RayColumns};

    // A slice of rays: one answer for each, in their order, on all threads with the feature `rayon`.
    let rays: Vec<Ray<Vec3>> = (0..4).map(|i| Ray::new(Vec3::Y * i as f32 * 0.75, Vec3::X)).collect();
    let hits = scene.cast_rays(&rays, ..);
    let objects: Vec<_> = hits.iter().map(|hit| hit.as_ref().and_then(|hit| hit.object)).collect();
    assert_eq!(objects, [Some(ball), Some(ball), Some(wall), None]);
    assert_eq!(scene.intersects_rays(&rays, ..), [true, true, true, false]);

    // Columns read the arrays that you have, and write only the results that you want.
    let origins: Vec<Vec3> = rays.iter().map(|ray| ray.origin).collect();
    let columns = RayColumns::from_points(&origins, &[Vec3::X; 4])?;
    let mut hits = HitColumns::new(Columns::T | Columns::OBJECT);
    scene.cast_columns_into(&columns, .., &mut hits); // `hits` keeps its memory for the next batch
    assert_eq!((hits.count_hits(), hits.t()[0]), (3, 4.0));
    // --8<-- [end:batch]
    Ok(())
}

#[test]
fn distances() -> Checked {
    let (scene, ball, wall) = ball_and_wall()?;
    // --8<-- [start:distance]
    use hitscan::PointQuery;

    let found = scene.closest_point(Vec3::new(5.0, 3.0, 0.0)).ok_or("an empty scene")?;
    assert_eq!((found.distance, found.point, found.object), (2.0, Vec3::new(5.0, 1.0, 0.0), Some(ball)));
    assert_eq!(scene.signed_distance(Vec3::new(5.0, 0.0, 0.0)), Some(-1.0)); // inside of the ball

    // The nearest two objects within a distance of 9.
    let near: Vec<_> = scene.closest_objects(Vec3::ZERO, 9.0, 2)?.iter().map(|found| found.object).collect();
    assert_eq!(near, [Some(ball), Some(wall)]);
    // --8<-- [end:distance]
    Ok(())
}

#[test]
fn thick_rays() -> Checked {
    let (scene, ball, _) = ball_and_wall()?;
    // --8<-- [start:thick]
    use hitscan::{Capsule, OverlapQuery, Sphere, SweepQuery};

    // A sphere of radius 0.5 that moves along a ray.
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    let contact = scene.cast_sphere(&ray, 0.5, ..).ok_or("a miss")?;
    assert_eq!((contact.t, contact.point, contact.object), (3.5, Vec3::new(4.0, 0.0, 0.0), Some(ball)));

    // Another volume moves from where it is, without turning.
    let character = Capsule::new(Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.5), 0.5)?;
    assert!(scene.cast_volume(character, Vec3::X, ..).is_some());

    // What a volume overlaps where it is. Touching is overlapping.
    assert_eq!(scene.overlapping(Sphere::new(Vec3::new(7.0, 0.0, 0.0), 1.0)?).len(), 2);
    // --8<-- [end:thick]
    Ok(())
}

#[test]
fn visibility() -> Checked {
    let (scene, ball, _) = ball_and_wall()?;
    // --8<-- [start:sight]
    // Whether nothing is between two points. The two ends themselves do not block.
    let eye = Vec3::ZERO;
    assert!(!scene.line_of_sight(eye, Vec3::new(7.0, 0.0, 0.0), ..)); // the ball is between them
    assert!(scene.line_of_sight(eye, Vec3::new(4.0, 0.0, 0.0), ..)); // a point of the ball is seen
    assert!(scene.excluding([ball]).line_of_sight(eye, Vec3::new(7.0, 0.0, 0.0), ..));

    let targets = [Vec3::new(7.0, 0.0, 0.0), Vec3::new(7.0, 5.0, 0.0)];
    assert_eq!(scene.visible_from(eye, &targets, ..), [false, true]);
    // --8<-- [end:sight]
    Ok(())
}

#[test]
fn shadows() -> Checked {
    let (scene, ..) = ball_and_wall()?;
    // --8<-- [start:shadow]
    use hitscan::Segment;

    let hit = scene.cast_ray(&Ray::new(Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0)), ..).ok_or("a miss")?;
    let lamp = Vec3::new(0.0, 9.0, 0.0);
    // `spawn_ray` starts just beyond the surface, by the error of the hit point: there is no distance to choose.
    let from = hit.spawn_ray(lamp - hit.point).origin;
    assert!(!scene.intersects_ray(&Segment::new(from, lamp), ..)); // the lamp lights this point

    let below = Vec3::new(0.0, -9.0, 0.0);
    let from = hit.spawn_ray(below - hit.point).origin;
    assert!(scene.intersects_ray(&Segment::new(from, below), ..)); // the ball is in its own way
    // --8<-- [end:shadow]
    Ok(())
}

#[test]
fn excluded_objects() -> Checked {
    let (mut scene, ball, wall) = ball_and_wall()?;
    // --8<-- [start:exclude]
    use hitscan::{Query, RayCast};

    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    let others = scene.excluding([ball]); // a view: it copies no object, and has all queries
    assert_eq!(others.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(wall));

    // By any rule on objects, and by any rule on hits.
    let walls = scene.filtered(|_id, object| object.name() == Some("wall"));
    assert_eq!(walls.count_hits(&ray, ..), 2);
    let neither = scene.excluding([ball]).filtered(|_id, object| object.name() != Some("wall")); // both, in any order
    assert_eq!(neither.count_hits(&ray, ..), 0);
    let far = scene.cast_ray_where(&ray, .., |hit| hit.t > 5.0);
    assert_eq!(far.map(|hit| hit.t), Some(6.0));

    // By layers: an object counts if it shares one of 32 bits with the query.
    scene.set_layers(ball, 0b01)?;
    scene.set_layers(wall, 0b10)?;
    assert_eq!(scene.cast_ray(&ray, Query::from(..).layers(0b10)).and_then(|hit| hit.object), Some(wall));
    // --8<-- [end:exclude]
    Ok(())
}

#[test]
fn exactness() -> Checked {
    // --8<-- [start:exact]
    use hitscan::{Ray, RayCast, Sphere, TriangleMesh, glam::DVec3};

    // A ray through the edge that two triangles share crosses once, and one that passes the rim by 1e-300 misses.
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    let square = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
    let down = |x: f64, y: f64| Ray::new(DVec3::new(x, y, 1.0), DVec3::NEG_Z);
    assert_eq!(square.count_hits(&down(0.25, 0.25), ..), 1);
    assert!(square.intersects_ray(&down(0.0, 0.5), ..));
    assert!(!square.intersects_ray(&down(-1e-300, 0.5), ..));

    // From a million million radii away: a ray that touches, and one that misses by the last bit.
    let ball = Sphere::new(DVec3::ZERO, 1.0)?;
    let along = |x: f64| Ray::new(DVec3::new(x, 0.0, -1e12), DVec3::Z);
    assert!(ball.intersects_ray(&along(1.0), ..));
    assert!(!ball.intersects_ray(&along(1.0_f64.next_up()), ..));
    // --8<-- [end:exact]
    Ok(())
}
