//! Mesh engines, each with the settings that suit single rays best.

use crate::contest::time;
use crate::embree::{self, Device, NONE, RayHit, RayHit16, Setting};
use crate::engine::{Answer, Cast, Engine, in_one_call, ray_by_ray};
use crate::mesh::Mesh;
use crate::rays::Set;
use crate::tinybvh8::Tinybvh8;
use hitscan::glam::{Vec3, Vec3A};
use hitscan::{Quality, TriangleMesh};
use parry3d::query::RayCast;
use std::hint::black_box;
use std::rc::Rc;

/// Our mesh, and its build time in seconds.
pub(crate) fn built(mesh: &Mesh, quality: Quality) -> Result<(f64, TriangleMesh<Vec3>), String> {
    let parts = (mesh.vertices.clone(), mesh.triangles.clone());
    let (seconds, built) = time(|| TriangleMesh::with_quality(parts.0, parts.1, quality));
    built.map(|built| (seconds, built)).map_err(|error| error.to_string())
}

/// One ray at a time.
pub(crate) fn ours<'a>(name: &str, mesh: &'a TriangleMesh<Vec3>, build: f64) -> Engine<'a> {
    Engine { name: name.into(), cast: ray_by_ray(mesh), build, bytes: Some(mesh.statistics().bytes) }
}

/// All rays of a set in one call.
pub(crate) fn ours_batch<'a>(name: &str, mesh: &'a TriangleMesh<Vec3>, build: f64) -> Engine<'a> {
    Engine { name: name.into(), cast: in_one_call(mesh), build, bytes: Some(mesh.statistics().bytes) }
}

/// Embree of the wheel, with one instruction set.
pub(crate) fn embree<'a>(device: &Rc<Device>, isa: &str, setting: Setting, mesh: &Mesh, packets: bool) -> Engine<'a> {
    let mut build = 0.0;
    let arrays = mesh.arrays();
    let scene = embree::Scene::new(device, setting, &arrays, &mesh.triangles, |commit| build = time(commit).0);
    let bytes = usize::try_from(scene.bytes).ok();
    let cast: Cast<'a, Vec3> = if packets {
        Box::new(move |set, out| cast16(&scene, set, out))
    } else {
        Box::new(move |set, out| cast(&scene, set, out))
    };
    let name = format!("embree {isa} {}{}", setting.name, if packets { " x16" } else { "" });
    Engine { name, cast, build, bytes }
}

pub(crate) fn cast(scene: &embree::Scene, set: &Set, out: &mut dyn FnMut(Answer)) {
    for ray in &set.rays {
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        if set.any {
            let mut ray = RayHit::new(o, d, 1.0);
            scene.occluded(&mut ray);
            out((ray.t_far < 0.0).then_some(0.0));
        } else {
            let mut ray = RayHit::new(o, d, f32::MAX);
            scene.intersect(&mut ray);
            let hit = (ray.geometry != NONE).then_some((ray.t_far, Vec3::from_array(ray.normal)));
            out(finished(o, d, hit));
        }
    }
}

/// Completes a peer's answer with the members of our hit: unit normal and point.
#[inline(always)]
fn finished(o: [f32; 3], d: [f32; 3], hit: Option<(f32, Vec3)>) -> Answer {
    let hit = hit.map(|(t, normal)| (t, normal.normalize(), Vec3::from_array(o) + Vec3::from_array(d) * t));
    black_box(&hit);
    hit.map(|(t, ..)| t)
}

pub(crate) fn cast16(scene: &embree::Scene, set: &Set, out: &mut dyn FnMut(Answer)) {
    for rays in set.rays.chunks_exact(16) {
        let end = if set.any { 1.0 } else { f32::MAX };
        let given: [_; 16] = std::array::from_fn(|i| (rays[i].origin.to_array(), rays[i].direction.to_array(), end));
        let mut packet = RayHit16::new(&given);
        if set.any {
            scene.occluded16(&mut packet);
            packet.t_far.iter().for_each(|&t| out((t < 0.0).then_some(0.0)));
        } else {
            scene.intersect16(&mut packet);
            (0..16).for_each(|i| out((packet.geometry[i] != NONE).then_some(packet.t_far[i])));
        }
    }
}

pub(crate) fn parry<'a>(mesh: &Mesh) -> Result<Engine<'a>, String> {
    let v = |v: Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
    let (build, mesh) = time(|| {
        let vertices = mesh.vertices.iter().copied().map(v).collect();
        parry3d::shape::TriMesh::new(vertices, mesh.triangles.clone())
    });
    let mesh = mesh.map_err(|error| error.to_string())?;
    let bytes = mesh.bvh().total_memory_size() + size_of_val(mesh.vertices()) + size_of_val(mesh.indices());
    let cast: Cast<'a, Vec3> = Box::new(move |set, out| {
        for ray in &set.rays {
            let cast = parry3d::query::Ray::new(v(ray.origin), v(ray.direction));
            if set.any {
                out(mesh.intersects_local_ray(&cast, 1.0).then_some(0.0));
            } else {
                let hit = mesh.cast_local_ray_and_get_normal(&cast, f32::MAX, true);
                black_box(&hit);
                out(hit.map(|hit| hit.time_of_impact));
            }
        }
    });
    Ok(Engine { name: "parry".into(), cast, build, bytes: Some(bytes) })
}

/// Eight-wide compressed BVH with the slowest build, over triangles in BVH order, as in the examples of obvhs.
pub(crate) fn obvhs<'a>(mesh: &Mesh) -> Engine<'a> {
    use obvhs::ray::{Ray, RayHit};
    use obvhs::{BvhBuildParams, cwbvh::builder::build_cwbvh_from_tris, triangle::Triangle};
    let v = |v: Vec3| Vec3A::from(v);
    let corners = mesh.corners();
    let (build, (tree, triangles)) = time(|| {
        let all: Vec<_> = corners.map(|[a, b, c]| Triangle { v0: v(a), v1: v(b), v2: v(c) }).collect();
        let tree = build_cwbvh_from_tris(&all, BvhBuildParams::very_slow_build(), &mut std::time::Duration::default());
        let triangles: Vec<_> = tree.primitive_indices.iter().map(|&i| all[i as usize]).collect();
        (tree, triangles)
    });
    let bytes = size_of_val(&tree.nodes[..]) + size_of_val(&tree.primitive_indices[..]) + size_of_val(&triangles[..]);
    let cast: Cast<'a, Vec3> = Box::new(move |set, out| {
        for given in &set.rays {
            let (o, d) = (v(given.origin), v(given.direction));
            if set.any {
                let missed = tree.ray_traverse_miss(Ray::new(o, d, 0.0, 1.0), |ray, i| triangles[i].intersect(ray));
                out((!missed).then_some(0.0));
            } else {
                let mut hit = RayHit::none();
                let found =
                    tree.ray_traverse(Ray::new(o, d, 0.0, f32::MAX), &mut hit, |ray, i| triangles[i].intersect(ray));
                let hit = found.then(|| {
                    let normal = triangles[hit.primitive_id as usize].compute_normal();
                    (hit.t, Vec3::from(normal))
                });
                out(finished(given.origin.to_array(), given.direction.to_array(), hit));
            }
        }
    });
    Engine { name: "obvhs CwBvh".into(), cast, build, bytes: Some(bytes) }
}

/// Triangle for the crate `bvh`.
struct Facet {
    corners: [Vec3; 3],
    node: usize,
}

fn point(v: Vec3) -> nalgebra::Point3<f32> {
    nalgebra::Point3::new(v.x, v.y, v.z)
}

impl bvh::aabb::Bounded<f32, 3> for Facet {
    fn aabb(&self) -> bvh::aabb::Aabb<f32, 3> {
        let [a, b, c] = self.corners;
        bvh::aabb::Aabb::with_bounds(point(a.min(b).min(c)), point(a.max(b).max(c)))
    }
}

impl bvh::bounding_hierarchy::BHShape<f32, 3> for Facet {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }
    fn bh_node_index(&self) -> usize {
        self.node
    }
}

impl Facet {
    /// Möller-Trumbore test for both faces; the crate's own test is for one.
    #[inline(always)]
    fn meet(&self, origin: Vec3, direction: Vec3) -> Option<f32> {
        let [a, b, c] = self.corners;
        let (ab, ac, ao) = (b - a, c - a, origin - a);
        let p = direction.cross(ac);
        let inverse = 1.0 / ab.dot(p);
        let u = ao.dot(p) * inverse;
        let q = ao.cross(ab);
        let (v, t) = (direction.dot(q) * inverse, ac.dot(q) * inverse);
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
    }
}

/// Binary BVH of the crate: returns boxes in the order of entry, until one begins behind the closest hit.
pub(crate) fn bvh<'a>(mesh: &Mesh) -> Engine<'a> {
    use bvh::{bvh::Bvh, ray::Ray};
    let mut facets: Vec<_> = mesh.corners().map(|corners| Facet { corners, node: 0 }).collect();
    let (build, tree) = time(|| Bvh::<f32, 3>::build(&mut facets));
    let bytes = Some(size_of_val(&tree.nodes[..]) + size_of_val(&facets[..]));
    let cast: Cast<'a, Vec3> = Box::new(move |set, out| {
        for &hitscan::Ray { origin, direction } in &set.rays {
            let d = nalgebra::Vector3::new(direction.x, direction.y, direction.z);
            // The crate normalizes directions, and measures distances in that unit.
            let (ray, length) = (Ray::new(point(origin), d), direction.length());
            if set.any {
                let mut boxes = tree.traverse_iterator(&ray, &facets);
                let hit = boxes.any(|facet| facet.meet(origin, direction).is_some_and(|t| t <= 1.0));
                out(hit.then_some(0.0));
                continue;
            }
            let mut best: Option<(f32, &Facet)> = None;
            for facet in tree.nearest_traverse_iterator(&ray, &facets) {
                let Some((end, _)) = best else {
                    best = facet.meet(origin, direction).map(|t| (t, facet));
                    continue;
                };
                let entry = ray.intersection_slice_for_aabb(&bvh::aabb::Bounded::aabb(facet));
                if entry.is_some_and(|(entry, _)| entry > end * length) {
                    break;
                }
                if let Some(t) = facet.meet(origin, direction).filter(|&t| t < end) {
                    best = Some((t, facet));
                }
            }
            let hit = best.map(|(t, facet)| {
                let [a, b, c] = facet.corners;
                (t, (b - a).cross(c - a))
            });
            out(finished(origin.to_array(), direction.to_array(), hit));
        }
    });
    Engine { name: "bvh".into(), cast, build, bytes }
}

/// tinybvh through its Rust wrapper: the eight-wide BVH. The wrapper has no any-hit query; the engine uses the first hit before the end.
pub(crate) fn tinybvh<'a>(library: &Tinybvh8, mesh: &Mesh) -> Result<Engine<'a>, String> {
    // As in tinybvh.
    const INFINITE: f32 = 1e30;
    // The BVH refers to the vertices, so they live as long as the program.
    let corners: &'static [[f32; 4]] =
        mesh.corners().flatten().map(|v| [v.x, v.y, v.z, 0.0]).collect::<Vec<_>>().leak();
    let corner = |i: usize| Vec3::from_slice(&corners[i]);
    let (build, tree) = time(|| library.tree(corners));
    let tree = tree.ok_or("tinybvh: it refuses the mesh")?;
    let cast: Cast<'a, Vec3> = Box::new(move |set, out| {
        for ray in &set.rays {
            let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
            if set.any {
                out(tree.intersect(&o, &d, 1.0).map(|_| 0.0));
                continue;
            }
            let hit = tree.intersect(&o, &d, INFINITE).map(|(t, triangle)| {
                let [a, b, c] = [0, 1, 2].map(|i| corner(3 * triangle + i));
                (t, (b - a).cross(c - a))
            });
            out(finished(o, d, hit));
        }
    });
    Ok(Engine { name: "tinybvh BVH8_CPU".into(), cast, build, bytes: None })
}
