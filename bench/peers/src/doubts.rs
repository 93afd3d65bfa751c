//! Rays that rounding does not decide, beside generic rays of the same shape or mesh: rays that graze a shape, that go through a vertex or
//! along an edge of a mesh, and points that are seen from vertices. All of them touch exactly, so a miss is a wrong answer.

use crate::contest::{Run, contest};
use crate::embree::ROBUST;
use crate::engine::{Cast, Engine, compare};
use crate::mesh::Mesh;
use crate::mesh_engines::{built, embree, ours, parry};
use crate::meshes::devices;
use crate::rays::Set;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Basis, Object, Quality, Ray, RayCast, Scene, Shape, TriangleMesh};
use std::hint::black_box;
use test_support::random::Rng;

const RAYS: usize = 256;
/// Passes over the rays in one round.
const PASSES: usize = 16;

/// Whole numbers, of which sums and products are exact in `f32`.
struct Whole(Rng);

impl Whole {
    /// From `-most` to `most`.
    fn up_to(&mut self, most: i32) -> f64 {
        self.0.int(-most, most).into()
    }
    fn nonzero(&mut self, most: i32) -> f64 {
        let x = self.up_to(most);
        if x == 0.0 { most.into() } else { x }
    }
}

/// Points of the circle with radius 5 with whole coordinates.
const CIRCLE: [[f64; 2]; 6] = [[3.0, 4.0], [4.0, 3.0], [-3.0, 4.0], [5.0, 0.0], [0.0, -5.0], [-4.0, -3.0]];

/// A point on a shape and a direction that touches the shape there, from a point of [`CIRCLE`].
type Touch = fn(&mut Whole, [f64; 2]) -> (DVec3, DVec3);

/// Rays that touch, from several distances.
fn touching(touch: Touch, seed: u64) -> Vec<(DVec3, DVec3)> {
    let mut whole = Whole(Rng::for_stream(seed, 0));
    let one = |i: usize| {
        let (point, direction) = touch(&mut whole, CIRCLE[i % CIRCLE.len()]);
        (point - direction * (1 + i % 7) as f64, direction)
    };
    (0..RAYS).map(one).collect()
}

/// Rays between random points around the shapes and in them.
fn generic(seed: u64) -> Vec<(DVec3, DVec3)> {
    let mut random = Rng::for_stream(seed, 1);
    let mut cube = |size: f64| DVec3::from_array([0; 3].map(|_| size * (2.0 * random.unit() - 1.0)));
    (0..RAYS).map(|_| (cube(12.0), cube(4.0))).map(|(from, to)| (from, to - from)).collect()
}

/// The tangent of the circle, times a number, and a part along the axis.
fn tangent(whole: &mut Whole, [x, z]: [f64; 2]) -> DVec3 {
    DVec3::new(z, 0.0, -x) * whole.nonzero(3) + DVec3::Y * whole.up_to(5)
}

const ON_BALL: Touch = |whole, at| (DVec3::new(at[0], 0.0, at[1]), tangent(whole, at));
const ON_SIDE: Touch = |whole, at| (DVec3::new(at[0], whole.up_to(6), at[1]), tangent(whole, at));
/// On the side of a cone from a circle at -8 to an apex at 8, at a quarter of its height.
const ON_CONE: Touch = |whole, [x, z]| {
    let line = DVec3::new(-x, 16.0, -z);
    let across = DVec3::new(z, 0.0, -x) * whole.nonzero(3);
    (DVec3::new(x, -8.0, z) + line * 0.25, across + line * whole.up_to(2))
};
const ON_EDGE: Touch = |whole, _| {
    let [a, b] = [0; 2].map(|_| 1.0 + whole.up_to(4).abs());
    (DVec3::new(5.0, whole.up_to(4), 5.0), DVec3::new(a, whole.up_to(3), -b))
};
const ON_RIM: Touch =
    |whole, at| (DVec3::new(at[0], 0.0, at[1]), DVec3::new(whole.up_to(4), whole.nonzero(4), whole.up_to(4)));
const ON_ELLIPSOID: Touch = |whole, at| {
    let axes = DVec3::new(1.0, 2.0, 4.0);
    (axes * DVec3::new(at[0], 0.0, at[1]), axes * tangent(whole, at))
};
/// On the first edge of [`CORNERS`].
const ON_TRIANGLE: Touch = |whole, _| {
    let x = whole.up_to(3);
    (DVec3::new(x, 4.0 - x, 0.0), DVec3::new(whole.up_to(4), whole.up_to(4), whole.nonzero(4)))
};
const CORNERS: [[f64; 3]; 3] = [[-9.0, 13.0, 0.0], [9.0, -5.0, 0.0], [-9.0, -9.0, 0.0]];

/// Times of a shape: microseconds a ray that touches, its ratio to the generic ray, and misses.
macro_rules! precision {
    ($name:ident, $label:literal, $parry:ident, $vector:ty, $s:ty) => {
        fn $name(rounds: usize, seed: u64, lines: &mut Vec<String>) -> Result<(), String> {
            use $parry::shape;
            let vector = |v: DVec3| <$vector>::from_array(v.to_array().map(|x| x as $s));
            let ours = |rays: Vec<(DVec3, DVec3)>| -> Vec<Ray<$vector>> {
                rays.iter().map(|(from, direction)| Ray::new(vector(*from), vector(*direction))).collect()
            };
            let (y, five) = (vector(DVec3::Y), 5.0 as $s);
            let (low, high) = (y * -8.0, y * 8.0);
            let generic = ours(generic(seed));
            let mut case = |name: &str,
                            touch: Touch,
                            cast: &dyn Fn(&Ray<$vector>) -> bool,
                            peer: Option<&dyn $parry::query::RayCast>| {
                let touching = ours(touching(touch, seed));
                let missed = touching.iter().filter(|ray| !cast(ray)).count();
                let theirs = |ray: &Ray<$vector>| {
                    let array = |v: $vector| $parry::math::Vector::from_array(v.to_array());
                    let ray = $parry::query::Ray::new(array(ray.origin), array(ray.direction));
                    peer.is_some_and(|peer| peer.cast_local_ray(&ray, <$s>::MAX, true).is_some())
                };
                let all = |rays: &[Ray<$vector>], cast: &dyn Fn(&Ray<$vector>) -> bool| {
                    (0..PASSES).for_each(|_| rays.iter().for_each(|ray| _ = black_box(cast(ray))));
                };
                let mut runs: Vec<Run<'_>> = vec![
                    Box::new(|| all(&generic, cast)),
                    Box::new(|| all(&touching, cast)),
                    Box::new(|| all(&touching, &theirs)),
                ];
                let times = contest(&mut runs, rounds);
                drop(runs);
                let micros = |i: usize| times[i].min() / (RAYS * PASSES) as f64 * 1e6;
                let (usual, doubtful) = (micros(0), micros(1));
                let parry = peer.map_or_else(String::new, |_| {
                    let wrong = touching.iter().filter(|ray| !theirs(ray)).count();
                    format!("  parry {:.3}, {wrong} of {RAYS} wrong", micros(2))
                });
                println!(
                    "{name:<12} {} generic {usual:.3} us, touching {doubtful:.3} us, {missed} wrong{parry}",
                    $label
                );
                lines.push(format!("RATIO doubt {name} {} {:.1}", $label, doubtful / usual));
            };
            let fail = |error: hitscan::ShapeError| error.to_string();
            macro_rules! shape {
                ($shape:expr) => {{
                    let shape = $shape.map_err(fail)?;
                    move |ray: &Ray<$vector>| shape.cast_ray(ray, ..).is_some()
                }};
            }
            let cube = <$vector>::splat(five);
            let basis = Basis::from_direction(y).map_err(|error| error.to_string())?;
            let [a, b, c] = CORNERS.map(|corner| vector(DVec3::from_array(corner)));
            let zero = <$vector>::ZERO;
            case("sphere", ON_BALL, &shape!(hitscan::Sphere::new(zero, five)), Some(&shape::Ball::new(five)));
            case(
                "capsule",
                ON_SIDE,
                &shape!(hitscan::Capsule::new(low, high, five)),
                Some(&shape::Capsule::new_y(8.0, five)),
            );
            case(
                "cylinder",
                ON_SIDE,
                &shape!(hitscan::Cylinder::new(low, high, five)),
                Some(&shape::Cylinder::new(8.0, five)),
            );
            case("cone", ON_CONE, &shape!(hitscan::Cone::new(low, high, five)), Some(&shape::Cone::new(8.0, five)));
            case("frustum", ON_CONE, &shape!(hitscan::Frustum::new(low, zero, five, five / 2.0)), None);
            case(
                "box",
                ON_EDGE,
                &shape!(hitscan::Cuboid::new(zero, cube)),
                Some(&shape::Cuboid::new($parry::math::Vector::splat(five))),
            );
            case("turned-box", ON_EDGE, &shape!(hitscan::OrientedBox::new(zero, cube, basis)), None);
            case(
                "ellipsoid",
                ON_ELLIPSOID,
                &shape!(hitscan::Ellipsoid::new(zero, vector(DVec3::new(5.0, 10.0, 20.0)))),
                None,
            );
            case("disk", ON_RIM, &shape!(hitscan::Disk::new(zero, y, five)), None);
            let theirs = [a, b, c].map(|corner| $parry::math::Vector::from_array(corner.to_array()));
            let theirs = shape::Triangle::new(theirs[0], theirs[1], theirs[2]);
            case("triangle", ON_TRIANGLE, &shape!(hitscan::Triangle::new(a, b, c)), Some(&theirs));
            // Two boxes whose tops are in one plane, two capsules with a common side, and fifty turned boxes that coincide, each beside a
            // scene of one of them; all rays are generic.
            let mut tie = |name: &str, shapes: Vec<<$vector as hitscan::Space>::Shape>| -> Result<(), String> {
                let (mut one, mut all) = (Scene::<$vector>::new(), Scene::<$vector>::new());
                for (i, shape) in shapes.into_iter().enumerate() {
                    if i == 0 {
                        one.insert(Object::new(shape.clone())).map_err(|error| error.to_string())?;
                    }
                    all.insert(Object::new(shape)).map_err(|error| error.to_string())?;
                }
                let cast = |scene: &Scene<$vector>| {
                    (0..PASSES).for_each(|_| generic.iter().for_each(|ray| _ = black_box(scene.cast_ray(ray, ..))));
                };
                let times = contest(&mut [Box::new(|| cast(&one)), Box::new(|| cast(&all))], rounds);
                let [usual, tied] = [0, 1].map(|i: usize| times[i].min() / (RAYS * PASSES) as f64 * 1e6);
                println!("{name:<12} {} one {usual:.3} us, ties {tied:.3} us", $label);
                lines.push(format!("RATIO doubt {name} {} {:.1}", $label, tied / usual));
                Ok(())
            };
            let mut tops = Vec::new();
            let mut sides = Vec::new();
            for x in [0.0, 1.0] {
                tops.push(hitscan::Cuboid::new(vector(DVec3::X * x), cube).map_err(fail)?.into());
                sides.push(hitscan::Capsule::new(low, high + y * x as $s, five).map_err(fail)?.into());
            }
            tie("tie-boxes", tops)?;
            tie("tie-capsules", sides)?;
            let basis = Basis::from_direction(vector(DVec3::new(1.0, 2.0, 3.0))).map_err(|error| error.to_string())?;
            let turned = hitscan::OrientedBox::new(zero, cube, basis).map_err(fail)?;
            tie("50-boxes", vec![turned.into(); 50])?;
            Ok(())
        }
    };
}
precision!(in_single, "f32", parry3d, Vec3, f32);
precision!(in_double, "f64", parry3d_f64, DVec3, f64);

/// Squares along each side of the terrain.
const SIDE: usize = 200;

/// A terrain of 80,000 triangles over whole numbers. Heights are multiples of 1/64, so that rays from above to vertices and to middles of
/// edges are exact in `f32`.
fn terrain(seed: u64) -> Mesh {
    let mut random = Rng::for_stream(seed, 2);
    let points = (0..=SIDE).flat_map(|y| (0..=SIDE).map(move |x| (x, y)));
    let vertices = points.map(|(x, y)| Vec3::new(x as f32, y as f32, random.int(-192, 192) as f32 / 64.0)).collect();
    let at = |x: usize, y: usize| (y * (SIDE + 1) + x) as u32;
    let squares = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let halves = |(x, y)| [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]];
    Mesh { name: "terrain".into(), vertices, triangles: squares.flat_map(halves).collect() }
}

/// Rays from above towards points near a vertex, at vertices and at middles of edges; and lines of sight to points above vertices and to
/// vertices.
fn terrain_sets(mesh: &Mesh, seed: u64) -> Vec<Set> {
    let mut random = Rng::for_stream(seed, 3);
    let mut vertex = || {
        let [x, y] = [0; 2].map(|_| 5 + random.below(SIDE - 10));
        (mesh.vertices[y * (SIDE + 1) + x], mesh.vertices[y * (SIDE + 1) + x + 1])
    };
    let mut rays = |any: bool, aim: &dyn Fn((Vec3, Vec3)) -> Vec3| -> Vec<Ray<Vec3>> {
        let mut one = || {
            let (from, to) = (vertex().0, aim(vertex()));
            let from = if any { from + Vec3::Z * 2.0 } else { Vec3::new(from.x, from.y, 30.0) };
            Ray::new(from, to - from)
        };
        (0..RAYS * PASSES).map(|_| one()).collect()
    };
    let beside = Vec3::new(0.31, 0.17, 0.0);
    vec![
        Set { name: "generic", any: false, rays: rays(false, &|(a, b)| a * 0.61 + b * 0.39 + Vec3::Y * 0.31) },
        Set { name: "vertex", any: false, rays: rays(false, &|(a, _)| a) },
        Set { name: "edge", any: false, rays: rays(false, &|(a, b)| (a + b) * 0.5) },
        Set { name: "sight", any: true, rays: rays(true, &|(a, _)| a + beside + Vec3::Z * 3.0) },
        Set { name: "sight-vertex", any: true, rays: rays(true, &|(a, _)| a) },
    ]
}

/// The mesh in `f64`, for rays in `f32`.
fn in_f64<'a>(mesh: &'a TriangleMesh<DVec3>) -> Cast<'a, Vec3> {
    Box::new(move |set, out| {
        for ray in &set.rays {
            let ray = Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3());
            if set.any {
                out(mesh.intersects_ray(&ray, ..=1.0).then_some(0.0));
            } else {
                out(mesh.cast_ray(&ray, ..).map(|hit| hit.t as f32));
            }
        }
    })
}

/// Ratios, as lines.
pub(crate) fn run(rounds: usize, seed: u64) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    in_single(rounds, seed, &mut lines)?;
    in_double(rounds, seed, &mut lines)?;
    on_terrain(rounds, seed, &mut lines)?;
    inside_cube(rounds, seed, &mut lines)?;
    Ok(lines)
}

fn on_terrain(rounds: usize, seed: u64, lines: &mut Vec<String>) -> Result<(), String> {
    let mesh = terrain(seed);
    let (seconds, single) = built(&mesh, Quality::Default)?;
    let vertices = mesh.vertices.iter().map(|v| v.as_dvec3()).collect();
    let double = TriangleMesh::new(vertices, mesh.triangles.clone()).map_err(|error| error.to_string())?;
    let mut engines = vec![
        ours("hitscan f32", &single, seconds),
        Engine { name: "hitscan f64".into(), cast: in_f64(&double), build: 0.0, bytes: None },
    ];
    for (isa, device) in &devices()? {
        engines.push(embree(device, isa, ROBUST, &mesh, false));
    }
    engines.push(parry(&mesh)?);
    let mut usual = Vec::new();
    for set in &terrain_sets(&mesh, seed) {
        let speeds = compare("terrain", &engines, set, rounds);
        let micros: Vec<f64> = speeds.iter().map(|speed| speed.times.min() / speed.rays as f64 * 1e6).collect();
        // The lines of sight are compared with those that are generic.
        if ["generic", "sight"].contains(&set.name) {
            usual = micros;
            continue;
        }
        for ((engine, micros), usual) in engines.iter().zip(&micros).zip(&usual) {
            println!("  {:<28} {micros:.3} us a ray, {:.1} times the generic one", engine.name, micros / usual);
        }
        for (i, label) in ["f32", "f64"].into_iter().enumerate() {
            lines.push(format!("RATIO doubt mesh-{} {label} {:.1}", set.name, micros[i] / usual[i]));
        }
    }
    Ok(())
}

/// Points of a grid that is aligned with a cube of twelve triangles.
fn inside_cube(rounds: usize, seed: u64, lines: &mut Vec<String>) -> Result<(), String> {
    let vertices: Vec<DVec3> =
        (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) * 8.0).collect();
    let squares = [[0, 2, 1, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 6, 3, 7], [0, 4, 2, 6], [1, 3, 5, 7]];
    let triangles: Vec<[u32; 3]> = squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [b, d, c]]).collect();
    let cube = TriangleMesh::new(vertices, triangles).map_err(|error| error.to_string())?;
    let (mut whole, mut random) = (Whole(Rng::for_stream(seed, 4)), Rng::for_stream(seed, 5));
    let grid: Vec<DVec3> = (0..RAYS).map(|_| DVec3::from_array([0; 3].map(|_| 4.0 + whole.up_to(5)))).collect();
    let generic: Vec<DVec3> =
        (0..RAYS).map(|_| DVec3::from_array([0; 3].map(|_| 4.0 + 5.0 * (2.0 * random.unit() - 1.0)))).collect();
    let expected = |point: &DVec3| point.to_array().iter().all(|x| (0.0..=8.0).contains(x));
    let wrong = grid
        .iter()
        .chain(&generic)
        .filter(|point| Shape::contains_point(&cube, **point, None) != expected(point))
        .count();
    let all = |points: &[DVec3]| {
        (0..PASSES).for_each(|_| points.iter().for_each(|point| _ = black_box(cube.contains(*point))));
    };
    let times = contest(&mut [Box::new(|| all(&generic)), Box::new(|| all(&grid))], rounds);
    let micros = [&times[0], &times[1]].map(|times| times.min() / (RAYS * PASSES) as f64 * 1e6);
    println!("contains     f64 generic {:.3} us, grid {:.3} us, {wrong} wrong", micros[0], micros[1]);
    lines.push(format!("RATIO doubt contains f64 {:.1}", micros[1] / micros[0]));
    Ok(())
}
