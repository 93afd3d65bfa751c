//! Times of the other questions beside the closest hit: all hits, their count, spans, points inside, thickness, lines of sight, and lengths
//! inside the objects of a scene. One thread asks one question at a time.
//!
//! Each line `RATIO question KIND f32|f64 QUESTION VALUE` has the time of a question over the time of our closest hits of the same rays at the
//! same target. `thickness` asks behind every hit, so its time is compared with the closest hits of the rays that hit. `contains` asks about as
//! many points as there are rays. `parry-closest`, `parry-contains` and `embree-closest` are times of peers, over our closest hits as well. A question that a kind
//! has no answer to is left out: surfaces have no spans and contain nothing.
//!
//! Each target is also one of parry, and in `f32` of Embree. parry has no ellipsoids and disks, and a scene of mixed shapes has ellipsoids;
//! Embree has spheres, meshes and instances.

use crate::embree::{self, Device, NONE, ROBUST, RayHit};
use crate::meshes::devices;
use crate::question_times::{Given, PeerQuestion, Questions, Target, origins_and_ends};
use hitscan::glam::{DQuat, DVec3};
use hitscan::{Instance, Object, Scene, ShapeError, Transform, TriangleMesh};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use test_support::random::Rng;

/// Passes over the rays in one round: of single shapes, and of meshes and scenes.
const PASSES: [usize; 2] = [4, 1];
/// Objects of a scene.
const OBJECTS: usize = 1000;

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A place: a rotation, a scale, then a translation.
#[derive(Clone, Copy)]
struct Place {
    turn: DQuat,
    scale: f64,
    at: DVec3,
}

/// The place of a single shape or mesh.
fn turned(scale: f64) -> Place {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    Place { turn, scale, at: DVec3::new(0.1, 0.2, -0.1) }
}

/// An object of a scene: its place, a vector of its shape, and its size.
struct Member {
    at: DVec3,
    along: DVec3,
    size: f64,
}

impl Member {
    fn place(&self, scale: f64) -> Place {
        Place { turn: DQuat::from_axis_angle(self.along.normalize_or(DVec3::X), self.size), scale, at: self.at }
    }
}

fn members(seed: u64) -> Vec<Member> {
    let mut random = Rng::for_stream(seed, 61);
    let mut cube = |size: f64| DVec3::from_array(random.cube(3)) * size;
    (0..OBJECTS).map(|_| Member { at: cube(4.0), along: cube(1.0), size: 0.1 + 0.2 * cube(1.0).x.abs() }).collect()
}

/// Vertices and triangles of a mesh.
type Parts = (Vec<DVec3>, Vec<[u32; 3]>);

/// A bumpy sphere without holes; its triangles face outward.
fn bumpy(rows: usize, columns: usize) -> Parts {
    let mut vertices = vec![DVec3::Z];
    for row in 1..rows {
        for column in 0..columns {
            let polar = std::f64::consts::PI * row as f64 / rows as f64;
            let around = std::f64::consts::TAU * column as f64 / columns as f64;
            let r = 1.0 + 0.1 * (7.0 * around).sin() * (9.0 * polar).sin();
            vertices.push(DVec3::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()) * r);
        }
    }
    vertices.push(-DVec3::Z);
    let at = |row: usize, column: usize| (1 + (row - 1) * columns + column % columns) as u32;
    let last = vertices.len() as u32 - 1;
    let mut triangles = Vec::new();
    for j in 0..columns {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        triangles.push([last, at(rows - 1, j + 1), at(rows - 1, j)]);
        for i in 1..rows - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// A ray of Embree: origin and direction.
type EmbreeRay = [[f32; 3]; 2];

fn embree_peer(scene: embree::Scene, rays: &[EmbreeRay]) -> PeerQuestion<'_> {
    PeerQuestion::closest("embree-closest", rays, move |&[origin, direction]| {
        let mut ray = RayHit::new(origin, direction, f32::MAX);
        scene.intersect(&mut ray);
        black_box(&ray);
        ray.geometry != NONE
    })
}

fn embree_mesh(device: &Rc<Device>, (vertices, triangles): &Parts) -> embree::Scene {
    let vertices: Vec<[f32; 3]> = vertices.iter().map(|v| v.as_vec3().to_array()).collect();
    embree::Scene::new(device, ROBUST, &vertices, triangles, |commit| commit())
}

macro_rules! precision {
    ($name:ident, $label:literal, $parry:ident, $vector:ident, $s:ty) => {
        mod $name {
            use super::*;
            use hitscan::glam::$vector as V;
            use $parry::math::{Pose, Rotation, Vector};
            use $parry::partitioning::{Bvh, BvhBuildStrategy};
            use $parry::query::{PointQuery, Ray, RayCast};
            use $parry::shape::{self, SharedShape, TriMesh, TriMeshFlags};

            /// The same rays and points for all engines.
            pub(super) struct All {
                ours: Given<V>,
                rays: Vec<Ray>,
                points: Vec<Vector>,
                embree: Option<Rc<Device>>,
                embree_rays: Vec<EmbreeRay>,
            }

            fn ours(v: DVec3) -> V {
                V::from_array(v.to_array().map(|x| x as $s))
            }
            fn theirs(v: DVec3) -> Vector {
                Vector::from_array(v.to_array().map(|x| x as $s))
            }

            impl Place {
                fn $name(&self) -> Result<Transform<V>, String> {
                    let turn = self.turn.to_array().map(|x| x as $s);
                    let placed = Transform::from_rotation_translation(turn, ours(self.at)).map_err(message)?;
                    placed.with_scale(V::splat(self.scale as $s)).map_err(message)
                }
            }

            fn pose(place: &Place) -> Pose {
                let turn = Rotation::from_array(place.turn.to_array().map(|x| x as $s)).normalize();
                Pose::from_parts(theirs(place.at), turn)
            }

            impl All {
                pub(super) fn new(seed: u64, embree: Option<Rc<Device>>) -> Self {
                    let (mut rays, mut sights, mut points) = (Vec::new(), Vec::new(), Vec::new());
                    for [from, to] in origins_and_ends(seed) {
                        let [origin, end] = [from, to].map(ours);
                        rays.push(hitscan::Ray::new(origin, end - origin));
                        sights.push([origin, end]);
                        points.push(ours(from * 0.3));
                    }
                    let v = |v: V| Vector::from_array(v.to_array());
                    let f32s = |v: V| v.to_array().map(|x| x as f32);
                    Self {
                        rays: rays.iter().map(|ray| Ray::new(v(ray.origin), v(ray.direction))).collect(),
                        points: points.iter().copied().map(v).collect(),
                        embree,
                        embree_rays: rays.iter().map(|ray| [f32s(ray.origin), f32s(ray.direction)]).collect(),
                        ours: Given { rays, sights, points },
                    }
                }

                /// parry's closest hits with normals.
                fn closest<'a>(&'a self, cast: impl Fn(&Ray) -> bool + 'a) -> PeerQuestion<'a> {
                    PeerQuestion::closest("parry-closest", &self.rays, cast)
                }
                /// parry's points inside.
                fn contains<'a>(&'a self, contains: impl Fn(&Vector) -> bool + 'a) -> PeerQuestion<'a> {
                    PeerQuestion::contains("parry-contains", &self.points, contains)
                }
                /// A surface of parry, which contains no point.
                fn surface<'a>(&'a self, shape: impl RayCast + 'a) -> Vec<PeerQuestion<'a>> {
                    vec![self.closest(move |ray| {
                        hit(black_box(&shape).cast_local_ray_and_get_normal(ray, <$s>::MAX, false))
                    })]
                }
                /// A solid of parry at the origin.
                fn bare<'a>(&'a self, shape: impl RayCast + PointQuery + Clone + 'a) -> Vec<PeerQuestion<'a>> {
                    let same = shape.clone();
                    vec![
                        self.closest(move |ray| {
                            hit(black_box(&shape).cast_local_ray_and_get_normal(ray, <$s>::MAX, true))
                        }),
                        self.contains(move |point| black_box(&same).contains_local_point(*point)),
                    ]
                }
                /// A solid of parry at a place without a scale.
                fn placed<'a>(
                    &'a self,
                    shape: impl RayCast + PointQuery + Clone + 'a,
                    at: &Place,
                ) -> Vec<PeerQuestion<'a>> {
                    let (pose, same) = (pose(at), shape.clone());
                    vec![
                        self.closest(move |ray| {
                            hit(black_box(&shape).cast_ray_and_get_normal(&pose, ray, <$s>::MAX, true))
                        }),
                        self.contains(move |point| black_box(&same).contains_point(&pose, *point)),
                    ]
                }
                /// A tree of parry.
                fn tree<'a>(&'a self, parts: Vec<Part>) -> Vec<PeerQuestion<'a>> {
                    let tree = Rc::new(Tree::new(parts));
                    let same = tree.clone();
                    vec![self.closest(move |ray| tree.cast(ray)), self.contains(move |point| same.contains(*point))]
                }
                /// A peer of Embree, if it is there.
                fn embree<'a>(&'a self, scene: impl FnOnce(&Rc<Device>) -> embree::Scene) -> Option<PeerQuestion<'a>> {
                    self.embree.as_ref().map(|device| embree_peer(scene(device), &self.embree_rays))
                }
            }

            fn hit<T>(hit: Option<T>) -> bool {
                black_box(&hit).is_some()
            }

            /// A shape of parry, scaled and placed.
            pub(super) struct Part {
                pose: Pose,
                scale: $s,
                shape: SharedShape,
            }

            impl Part {
                fn new(place: &Place, shape: SharedShape) -> Self {
                    Self { pose: pose(place), scale: place.scale as $s, shape }
                }
                /// The ray in the space of the shape, with the same `t`.
                fn local(&self, ray: &Ray) -> Ray {
                    let ray = ray.inverse_transform_by(&self.pose);
                    Ray::new(ray.origin / self.scale, ray.dir / self.scale)
                }
                fn contains(&self, point: Vector) -> bool {
                    self.shape.contains_local_point(self.pose.inverse_transform_point(point) / self.scale)
                }
            }

            /// Shapes in a BVH of parry, whose compounds refuse meshes.
            struct Tree {
                tree: Bvh,
                parts: Vec<Part>,
            }

            impl Tree {
                fn new(parts: Vec<Part>) -> Self {
                    let bounds = |part: &Part| {
                        let local = part.shape.compute_local_aabb();
                        local.scaled(Vector::splat(part.scale)).transform_by(&part.pose)
                    };
                    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, parts.iter().map(bounds).enumerate());
                    Self { tree, parts }
                }
                /// The first part on the ray, then its normal.
                fn cast(&self, ray: &Ray) -> bool {
                    let part = |i: u32| &self.parts[i as usize];
                    let first = self.tree.cast_ray(ray, <$s>::MAX, |i, best| {
                        part(i).shape.cast_local_ray(&part(i).local(ray), best, true)
                    });
                    hit(first.and_then(|(i, _)| {
                        part(i).shape.cast_local_ray_and_get_normal(&part(i).local(ray), <$s>::MAX, true)
                    }))
                }
                fn contains(&self, point: Vector) -> bool {
                    let mut around = self.tree.leaves(|node| node.aabb().contains_local_point(point));
                    around.any(|i| self.parts[i as usize].contains(point))
                }
            }

            /// Single shapes as they are.
            pub(super) fn shapes(questions: &mut Questions, all: &All) -> Result<(), String> {
                macro_rules! ask {
                    ($kind:literal, $shape:expr, $peers:expr) => {{
                        let shape = &$shape.map_err(message)?;
                        let target = Target { kind: $kind, precision: $label, passes: PASSES[0], shape, lengths: None };
                        questions.ask(&target, &all.ours, &$peers);
                    }};
                }
                let v = |x: f64, y: f64, z: f64| ours(DVec3::new(x, y, z));
                let (zero, y) = (V::ZERO, V::Y);
                let corners = [[-0.9, -0.6, 0.2], [0.8, -0.5, -0.3], [0.1, 0.9, 0.4]].map(DVec3::from_array);
                let ([a, b, c], [pa, pb, pc]) = (corners.map(ours), corners.map(theirs));
                let half = DVec3::new(0.75, 0.5, 0.875);
                let (low, high) = (y * -0.75, y * 0.75);

                let mut balls = all.bare(shape::Ball::new(0.75));
                let points = [[0.0, 0.0, 0.0, 0.75]];
                balls.extend(all.embree(|device| embree::Scene::spheres(device, ROBUST, &points, |commit| commit())));
                ask!("sphere", hitscan::Sphere::new(zero, 0.75), balls);
                ask!("box", hitscan::Cuboid::new(zero, ours(half)), all.bare(shape::Cuboid::new(theirs(half))));
                ask!("capsule", hitscan::Capsule::new(a, b, 0.5), all.bare(shape::Capsule::new(pa, pb, 0.5)));
                ask!("plane", hitscan::Plane::new(zero, y), all.surface(shape::HalfSpace::new(Vector::Y)));
                ask!("cylinder", hitscan::Cylinder::new(low, high, 0.5), all.bare(shape::Cylinder::new(0.75, 0.5)));
                ask!("cone", hitscan::Cone::new(low, high, 0.75), all.bare(shape::Cone::new(0.75, 0.75)));
                ask!("ellipsoid", hitscan::Ellipsoid::new(zero, v(0.5, 0.75, 0.875)), []);
                let place = turned(1.0);
                let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| ours(place.turn * axis));
                let boxed = hitscan::OrientedBox::with_axes(ours(place.at), ours(half), &axes);
                ask!("turned-box", boxed, all.placed(shape::Cuboid::new(theirs(half)), &place));
                ask!("disk", hitscan::Disk::new(zero, v(0.0, 1.0, 0.5), 0.75), []);
                ask!("triangle", hitscan::Triangle::new(a, b, c), all.surface(shape::Triangle::new(pa, pb, pc)));
                Ok(())
            }

            /// Single shapes under a transform.
            pub(super) fn placed(questions: &mut Questions, all: &All) -> Result<(), String> {
                let place = turned(1.0);
                let mut ask = |kind,
                               shape: Result<hitscan::AnyShape3<V>, ShapeError>,
                               peers: Vec<PeerQuestion<'_>>|
                 -> Result<(), String> {
                    let shape = &instance(shape.map_err(message)?, &place)?;
                    let target = Target { kind, precision: $label, passes: PASSES[0], shape, lengths: None };
                    questions.ask(&target, &all.ours, &peers);
                    Ok(())
                };
                let half = DVec3::new(0.75, 0.5, 0.875);
                let ends = [[-0.9, -0.6, 0.2], [0.8, -0.5, -0.3]].map(DVec3::from_array);
                let ([a, b], [pa, pb]) = (ends.map(ours), ends.map(theirs));
                let ball = hitscan::Sphere::new(V::ZERO, 0.75).map(Into::into);
                ask("placed-sphere", ball, all.placed(shape::Ball::new(0.75), &place))?;
                let cuboid = hitscan::Cuboid::new(V::ZERO, ours(half)).map(Into::into);
                ask("placed-box", cuboid, all.placed(shape::Cuboid::new(theirs(half)), &place))?;
                let capsule = hitscan::Capsule::new(a, b, 0.5).map(Into::into);
                ask("placed-capsule", capsule, all.placed(shape::Capsule::new(pa, pb, 0.5), &place))
            }

            fn instance(shape: hitscan::AnyShape3<V>, place: &Place) -> Result<Instance<V>, String> {
                Ok(Instance::new(shape).with_transform(place.$name()?))
            }

            fn mesh((vertices, triangles): &Parts) -> Result<Arc<TriangleMesh<V>>, String> {
                let vertices = vertices.iter().copied().map(ours).collect();
                TriangleMesh::new(vertices, triangles.clone()).map(Arc::new).map_err(message)
            }

            /// A mesh of parry that knows its inside.
            fn parry_mesh((vertices, triangles): &Parts) -> Result<TriMesh, String> {
                let vertices = vertices.iter().copied().map(theirs).collect();
                TriMesh::with_flags(vertices, triangles.clone(), TriMeshFlags::ORIENTED).map_err(message)
            }

            /// Embree's instances of one mesh at places.
            fn embree_instances(device: &Rc<Device>, parts: &Parts, places: &[Transform<V>]) -> embree::Scene {
                let map = |place: &Transform<V>| {
                    let columns = place.axes().iter().copied().chain([place.translation()]);
                    let mut numbers = columns.flat_map(|column| column.to_array().map(|x| x as f32));
                    std::array::from_fn(|_| numbers.next().unwrap_or_default())
                };
                let maps: Vec<[f32; 12]> = places.iter().map(map).collect();
                embree::Scene::instances(&Rc::new(embree_mesh(device, parts)), ROBUST, &maps, |commit| commit())
            }

            /// A large mesh, as it is and under a transform.
            pub(super) fn meshes(questions: &mut Questions, all: &All) -> Result<(), String> {
                let parts = bumpy(200, 201);
                let (shape, peer) = (mesh(&parts)?, parry_mesh(&parts)?);
                let (precision, passes, lengths) = ($label, PASSES[1], None);
                let mut peers = all.bare(peer.clone());
                peers.extend(all.embree(|device| embree_mesh(device, &parts)));
                questions.ask(&Target { kind: "mesh", precision, passes, shape: &*shape, lengths }, &all.ours, &peers);
                let place = turned(0.9);
                let shape = &instance(shape.into(), &place)?;
                let mut peers = all.tree(vec![Part::new(&place, SharedShape::new(peer))]);
                let transform = place.$name()?;
                peers.extend(all.embree(|device| embree_instances(device, &parts, &[transform])));
                questions.ask(&Target { kind: "instance", precision, passes, shape, lengths }, &all.ours, &peers);
                Ok(())
            }

            /// One of seven kinds of shapes.
            fn mixed(i: usize, Member { at, along, size }: &Member) -> Result<hitscan::AnyShape3<V>, ShapeError> {
                let ([a, along], r) = ([*at, *along].map(ours), *size as $s);
                let b = a + along * 0.4;
                Ok(match i % 7 {
                    0 => hitscan::Sphere::new(a, r)?.into(),
                    1 => hitscan::Cuboid::new(a, V::splat(r))?.into(),
                    2 => hitscan::Capsule::new(a, b, r)?.into(),
                    3 => hitscan::Cylinder::new(a, b, r)?.into(),
                    4 => hitscan::Cone::new(a, b, r)?.into(),
                    5 => hitscan::Ellipsoid::new(a, V::new(r, r * 0.5, r * 1.5))?.into(),
                    _ => hitscan::Triangle::new(a, b, a + V::new(along.y, along.z, along.x) * 0.4)?.into(),
                })
            }

            /// One of three kinds of shapes around the origin, in both libraries. Cylinders are parallel to y.
            fn around_origin(i: usize, member: &Member) -> Result<(hitscan::AnyShape3<V>, SharedShape), ShapeError> {
                let (r, half) = (member.size as $s, (0.2 * member.along.length()) as $s);
                Ok(match i % 3 {
                    0 => (hitscan::Sphere::new(V::ZERO, r)?.into(), SharedShape::ball(r)),
                    1 => (hitscan::Cuboid::new(V::ZERO, V::splat(r))?.into(), SharedShape::cuboid(r, r, r)),
                    _ => {
                        let cylinder = hitscan::Cylinder::new(V::Y * -half, V::Y * half, r)?;
                        (cylinder.into(), SharedShape::cylinder(half, r))
                    }
                })
            }

            fn ask_scene(
                questions: &mut Questions,
                all: &All,
                kind: &'static str,
                objects: Vec<Object<V>>,
                peers: &[PeerQuestion<'_>],
            ) -> Result<(), String> {
                let mut scene = Scene::new();
                objects.into_iter().try_for_each(|object| scene.insert(object).map(drop)).map_err(message)?;
                scene.commit();
                let lengths = |ray: &hitscan::Ray<V>| scene.object_lengths(ray, ..).len();
                let target =
                    Target { kind, precision: $label, passes: PASSES[1], shape: &scene, lengths: Some(&lengths) };
                questions.ask(&target, &all.ours, peers);
                Ok(())
            }

            /// Scenes of mixed shapes, of small meshes, and of shapes under transforms.
            pub(super) fn scenes(questions: &mut Questions, all: &All, seed: u64) -> Result<(), String> {
                let (members, small) = (members(seed), bumpy(20, 21));
                let shape = |(i, member)| mixed(i, member).map(Object::new);
                let objects: Vec<_> =
                    members.iter().enumerate().map(shape).collect::<Result<_, _>>().map_err(message)?;
                ask_scene(questions, all, "scene-mixed", objects, &[])?;
                // Small meshes, which are one mesh.
                let (shape, peer) = (mesh(&small)?, SharedShape::new(parry_mesh(&small)?));
                let places: Vec<Place> = members.iter().map(|member| member.place(member.size)).collect();
                let transforms: Vec<_> = places.iter().map(Place::$name).collect::<Result<_, _>>()?;
                let placed = |place: &Transform<V>| Object::new(shape.clone()).with_transform(*place);
                let objects = transforms.iter().map(placed).collect();
                let mut peers = all.tree(places.iter().map(|place| Part::new(place, peer.clone())).collect());
                peers.extend(all.embree(|device| embree_instances(device, &small, &transforms)));
                ask_scene(questions, all, "scene-meshes", objects, &peers)?;
                // Shapes, each turned and moved.
                let (mut objects, mut parts) = (Vec::new(), Vec::new());
                for (i, member) in members.iter().enumerate() {
                    let (place, (shape, peer)) = (member.place(1.0), around_origin(i, member).map_err(message)?);
                    objects.push(Object::new(shape).with_transform(place.$name()?));
                    parts.push(Part::new(&place, peer));
                }
                ask_scene(questions, all, "scene-instances", objects, &all.tree(parts))
            }
        }
    };
}
precision!(single, "f32", parry3d, Vec3, f32);
precision!(double, "f64", parry3d_f64, DVec3, f64);

/// Prints times and a table, and returns the ratios as lines. Embree is left out where it cannot be loaded.
pub(crate) fn run(rounds: usize, seed: u64, only: &str) -> Result<Vec<String>, String> {
    // The last device has the widest instructions.
    let embree = match devices() {
        Ok(devices) => devices.into_iter().next_back(),
        Err(message) => {
            println!("Embree is left out: {message}");
            None
        }
    };
    let isa = embree.as_ref().map_or("", |(isa, _)| isa);
    println!("Times over those of our closest hits, medians of {rounds} rounds in turns. Embree: ROBUST {isa}\n");
    let mut questions = Questions::new(rounds, only);
    in_single(&mut questions, embree.map(|(_, device)| device), seed)?;
    in_double(&mut questions, seed)?;
    Ok(questions.finished())
}

/// All kinds in `f32`.
fn in_single(questions: &mut Questions, embree: Option<Rc<Device>>, seed: u64) -> Result<(), String> {
    let all = single::All::new(seed, embree);
    single::shapes(questions, &all)?;
    single::placed(questions, &all)?;
    single::meshes(questions, &all)?;
    single::scenes(questions, &all, seed)
}

/// All kinds in `f64`.
fn in_double(questions: &mut Questions, seed: u64) -> Result<(), String> {
    let all = double::All::new(seed, None);
    double::shapes(questions, &all)?;
    double::placed(questions, &all)?;
    double::meshes(questions, &all)?;
    double::scenes(questions, &all, seed)
}
