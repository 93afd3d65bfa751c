//! Volumes at meshes, at mixed shapes and at single shapes, compared with parry.
//!
//! Each line `RATIO distances overlap-CASE WAY parry VALUE` has our speed relative to the faster of parry's two ways: its
//! `intersection_test` of the whole, and its BVH with a test of each part. The ways are `single` and `batch` for whether there
//! is an overlap, `count` for the number of parts. Counts are compared first; parry in `f64` decides where they differ.

use crate::contest::{Run, contest, geometric_mean};
use crate::distances::DistancesPlan;
use crate::mesh::Mesh;
use crate::mesh_engines::built;
use crate::scenes::{self, direction, message, within};
use hitscan::glam::{Quat, Vec3};
use hitscan::{
    Capsule, Cuboid, OrientedBox, OverlapQuery, Quality, Shape, ShapeError, Sphere, Triangle, TriangleMesh, Volume,
};
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::Bvh;
use parry3d::query::intersection_test;
use parry3d::shape::SharedShape;
use std::hint::black_box;
use std::ops::ControlFlow;
use test_support::random::Rng;

pub(crate) fn run(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let (mut lines, mut all) = (Vec::new(), Means::default());
    for mesh in plan.meshes()? {
        lines.extend(of_mesh(&mesh, plan, &mut all)?);
    }
    lines.extend(all.lines("meshes"));
    lines.extend(of_scene(plan)?);
    lines.extend(of_pairs(plan)?);
    Ok(lines)
}

/// A volume in numbers.
#[derive(Clone, Copy)]
enum Probe {
    Ball { center: Vec3, radius: f32 },
    Box { center: Vec3, half: Vec3 },
    TurnedBox { center: Vec3, half: Vec3, turn: Quat },
    Capsule { ends: [Vec3; 2], radius: f32 },
    Triangle([Vec3; 3]),
}

const VOLUME_KINDS: [&str; 5] = ["ball", "box", "turned-box", "capsule", "triangle"];

impl Probe {
    fn random(kind: usize, center: Vec3, size: f32, random: &mut Rng) -> Self {
        let half = Vec3::splat(0.75 * size) + within(random, false, 0.25 * size);
        let mut way = || direction(random, false);
        match kind {
            0 => Self::Ball { center, radius: size },
            1 => Self::Box { center, half },
            2 => Self::TurnedBox { center, half, turn: Quat::from_rotation_arc(Vec3::Y, way()) },
            3 => {
                let along = way() * size;
                Self::Capsule { ends: [center - along, center + along], radius: 0.3 * size }
            }
            _ => Self::Triangle([center + way() * size, center + way() * size, center + way() * size]),
        }
    }

    fn shape(&self) -> Result<OurVolume, ShapeError> {
        Ok(match *self {
            Self::Ball { center, radius } => OurVolume::Ball(Sphere::new(center, radius)?),
            Self::Box { center, half } => OurVolume::Box(Cuboid::new(center, half)?),
            Self::TurnedBox { center, half, turn } => {
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn * axis);
                OurVolume::TurnedBox(OrientedBox::with_axes(center, half, &axes)?)
            }
            Self::Capsule { ends: [a, b], radius } => OurVolume::Capsule(Capsule::new(a, b, radius)?),
            Self::Triangle([a, b, c]) => OurVolume::Triangle(Triangle::new(a, b, c)?),
        })
    }

    fn peer(&self) -> (Pose, SharedShape) {
        let at = |center| Pose::from_translation(v(center));
        match *self {
            Self::Ball { center, radius } => (at(center), SharedShape::ball(radius)),
            Self::Box { center, half } => (at(center), SharedShape::cuboid(half.x, half.y, half.z)),
            Self::TurnedBox { center, half, turn } => {
                let turn = parry3d::math::Rotation::from_array(turn.to_array());
                (Pose::from_parts(v(center), turn), SharedShape::cuboid(half.x, half.y, half.z))
            }
            Self::Capsule { ends: [a, b], radius } => (Pose::IDENTITY, SharedShape::capsule(v(a), v(b), radius)),
            Self::Triangle([a, b, c]) => (Pose::IDENTITY, SharedShape::triangle(v(a), v(b), v(c))),
        }
    }
}

/// Our shape, which becomes a volume in each query.
enum OurVolume {
    Ball(Sphere<Vec3>),
    Box(Cuboid<Vec3>),
    TurnedBox(OrientedBox<Vec3>),
    Capsule(Capsule<Vec3>),
    Triangle(Triangle<Vec3>),
}

impl OurVolume {
    /// Whether there is an overlap, asked as a user does: with the shape itself.
    fn overlaps(&self, other: &(impl Shape<Vec3> + ?Sized)) -> bool {
        match self {
            Self::Ball(shape) => other.overlaps(*shape),
            Self::Box(shape) => other.overlaps(*shape),
            Self::TurnedBox(shape) => other.overlaps(*shape),
            Self::Capsule(shape) => other.overlaps(*shape),
            Self::Triangle(shape) => other.overlaps(*shape),
        }
    }

    fn count_overlapping(&self, other: &impl Shape<Vec3>) -> usize {
        match self {
            Self::Ball(shape) => other.count_overlapping(*shape),
            Self::Box(shape) => other.count_overlapping(*shape),
            Self::TurnedBox(shape) => other.count_overlapping(*shape),
            Self::Capsule(shape) => other.count_overlapping(*shape),
            Self::Triangle(shape) => other.count_overlapping(*shape),
        }
    }

    fn volume(&self) -> Volume<Vec3> {
        match self {
            Self::Ball(shape) => (*shape).into(),
            Self::Box(shape) => (*shape).into(),
            Self::TurnedBox(shape) => (*shape).into(),
            Self::Capsule(shape) => (*shape).into(),
            Self::Triangle(shape) => (*shape).into(),
        }
    }

    fn boxed(self) -> Box<dyn Shape<Vec3>> {
        match self {
            Self::Ball(shape) => Box::new(shape),
            Self::Box(shape) => Box::new(shape),
            Self::TurnedBox(shape) => Box::new(shape),
            Self::Capsule(shape) => Box::new(shape),
            Self::Triangle(shape) => Box::new(shape),
        }
    }
}

fn v(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn meet(a: (&Pose, &dyn parry3d::shape::Shape), b: (&Pose, &dyn parry3d::shape::Shape)) -> bool {
    intersection_test(a.0, a.1, b.0, b.1).is_ok_and(|found| found.intersecting)
}

/// A shape of parry in `f64`.
fn widened(
    (pose, shape): (&Pose, &dyn parry3d::shape::Shape),
) -> (parry3d_f64::math::Pose, parry3d_f64::shape::SharedShape) {
    use parry3d_f64::math::{Pose, Rotation, Vector};
    use parry3d_f64::shape::SharedShape;
    let v = |v: parry3d::math::Vector| Vector::new(v.x.into(), v.y.into(), v.z.into());
    let turn = Rotation::from_array(pose.rotation.to_array().map(f64::from)).normalize();
    let place = Pose::from_parts(v(pose.translation), turn);
    let shape = if let Some(ball) = shape.as_ball() {
        SharedShape::ball(ball.radius.into())
    } else if let Some(cuboid) = shape.as_cuboid() {
        let half = v(cuboid.half_extents);
        SharedShape::cuboid(half.x, half.y, half.z)
    } else if let Some(capsule) = shape.as_capsule() {
        SharedShape::capsule(v(capsule.segment.a), v(capsule.segment.b), capsule.radius.into())
    } else if let Some(cylinder) = shape.as_cylinder() {
        SharedShape::cylinder(cylinder.half_height.into(), cylinder.radius.into())
    } else if let Some(cone) = shape.as_cone() {
        SharedShape::cone(cone.half_height.into(), cone.radius.into())
    } else {
        let [a, b, c] = shape.as_triangle().map_or_else(Default::default, |t| [t.a, t.b, t.c].map(v));
        SharedShape::triangle(a, b, c)
    };
    (place, shape)
}

/// A mesh or compound of parry: the whole, its tree, and what it does with each part.
struct Peer<'a> {
    whole: &'a dyn parry3d::shape::Shape,
    tree: &'a Bvh,
    part: &'a dyn Fn(u32, &mut dyn FnMut(&Pose, &dyn parry3d::shape::Shape) -> bool) -> bool,
}

impl Peer<'_> {
    fn any(&self, (pose, shape): &(Pose, SharedShape)) -> bool {
        meet((&Pose::IDENTITY, self.whole), (pose, &**shape))
    }
    /// Each part whose bounds the volume's bounds meet.
    fn parts(&self, (pose, shape): &(Pose, SharedShape), mut of: impl FnMut(u32) -> bool) -> usize {
        let bounds = shape.compute_aabb(pose);
        self.tree.intersect_aabb(&bounds).filter(|part| of(*part)).count()
    }
    fn meets(&self, part: u32, (pose, shape): &(Pose, SharedShape)) -> bool {
        (self.part)(part, &mut |at, part| meet((at, part), (pose, &**shape)))
    }
    fn any_by_parts(&self, probe: &(Pose, SharedShape)) -> bool {
        let bounds = probe.1.compute_aabb(&probe.0);
        self.tree.intersect_aabb(&bounds).any(|part| self.meets(part, probe))
    }
    fn count(&self, probe: &(Pose, SharedShape)) -> usize {
        self.parts(probe, |part| self.meets(part, probe))
    }
    /// The count in `f64`.
    fn count_widened(&self, probe: &(Pose, SharedShape)) -> usize {
        let (place, volume) = widened((&probe.0, &*probe.1));
        self.parts(probe, |part| {
            (self.part)(part, &mut |at, shape| {
                let (at, shape) = widened((at, shape));
                parry3d_f64::query::intersection_test(&at, &*shape, &place, &*volume)
                    .is_ok_and(|found| found.intersecting)
            })
        })
    }
}

/// The number of parts by us: a volume inside of a closed mesh that touches no triangle has none.
fn count(ours: &(impl Shape<Vec3> + ?Sized), volume: &Volume<Vec3>, is_mesh: bool) -> usize {
    let mut count = 0;
    let _ = ours.for_each_overlap(volume, |found| {
        count += usize::from(!is_mesh || found.primitive.is_some());
        ControlFlow::Continue(())
    });
    count
}

/// A result that the compiler must compute.
fn seen<T>(result: T) {
    let _ = black_box(result);
}

/// Ratios of all ways.
#[derive(Default)]
struct Means([Vec<f64>; 3]);

impl Means {
    fn add(&mut self, ratios: [f64; 3]) {
        self.0.iter_mut().zip(ratios).filter(|(_, ratio)| ratio.is_finite()).for_each(|(all, ratio)| all.push(ratio));
    }
    fn values(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| geometric_mean(&self.0[i]))
    }
    fn lines(&self, case: &str) -> Vec<String> {
        let ways = ["single", "batch", "count"].into_iter().zip(self.values()).filter(|(_, value)| value.is_finite());
        ways.map(|(way, value)| format!("RATIO distances overlap-{case} {way} parry {value:.3}")).collect()
    }
}

/// Compares answers, then times: the three ratios.
fn compare(
    name: &str,
    (ours, is_mesh): (&(impl Shape<Vec3> + Sync), bool),
    peer: &Peer<'_>,
    probes: &[Probe],
    plan: &DistancesPlan,
) -> Result<[f64; 3], String> {
    let shapes: Vec<_> = probes.iter().map(Probe::shape).collect::<Result<_, _>>().map_err(message)?;
    let volumes: Vec<_> = shapes.iter().map(OurVolume::volume).collect();
    let peers: Vec<_> = probes.iter().map(Probe::peer).collect();
    let (mut total, mut unlike, mut of_ours, mut of_peer) = (0, 0, 0, 0);
    for (volume, probe) in volumes.iter().zip(&peers) {
        let (found, other) = (count(ours, volume, is_mesh), peer.count(probe));
        total += found;
        if ours.overlaps(volume) != (ours.count_overlapping(volume) > 0) {
            return Err(format!("{name}: one answer to {volume:?} is wrong"));
        }
        if found != other {
            let truth = peer.count_widened(probe);
            unlike += 1;
            of_ours += usize::from(truth == found);
            of_peer += usize::from(truth == other);
        }
    }
    // The libraries take turns, so that none finds its data in the caches from a run just before.
    let mut runs: Vec<Run<'_>> = vec![
        Box::new(|| shapes.iter().map(|shape| shape.overlaps(ours)).for_each(seen)),
        Box::new(|| peers.iter().map(|probe| peer.any(probe)).for_each(seen)),
        Box::new(|| drop(black_box(ours.overlaps_each(&volumes)))),
        Box::new(|| peers.iter().map(|probe| peer.any_by_parts(probe)).for_each(seen)),
        Box::new(|| shapes.iter().map(|shape| shape.count_overlapping(ours)).for_each(seen)),
        Box::new(|| peers.iter().map(|probe| peer.count(probe)).for_each(seen)),
    ];
    let times = contest(&mut runs, plan.rounds);
    let [single, whole, batch, parts, all, others] =
        [0, 1, 2, 3, 4, 5].map(|i| times[i].median() * 1e9 / probes.len() as f64);
    let ratios = [whole.min(parts) / single, whole.min(parts) / batch, others / all];
    println!(
        "{name:34} {:8.1} parts; ns: single {single:.0}, batch {batch:.0}, parry {whole:.0} or {parts:.0}; count \
         {all:.0}, parry {others:.0}; {:.2} {:.2} {:.2}; counts differ {unlike}, of them f64 agrees with ours {of_ours}, parry \
         {of_peer}",
        total as f64 / probes.len() as f64,
        ratios[0],
        ratios[1],
        ratios[2]
    );
    Ok(ratios)
}

/// Small and large volumes around the places: the ratios by kind.
fn by_kind(
    name: &str,
    (ours, is_mesh): (&(impl Shape<Vec3> + Sync), bool),
    peer: &Peer<'_>,
    (places, size): (&[(&str, Vec<Vec3>)], f32),
    plan: &DistancesPlan,
    all: &mut Means,
) -> Result<Vec<String>, String> {
    let (mut lines, mut random) = (Vec::new(), Rng::for_stream(plan.seed, 51));
    for (kind, kind_name) in VOLUME_KINDS.into_iter().enumerate() {
        let mut means = Means::default();
        for (set, places) in places {
            for share in [0.005, 0.05] {
                let probe = |center: &Vec3| Probe::random(kind, *center, size * share, &mut random);
                let probes: Vec<_> = places.iter().map(probe).collect();
                let case = format!("{name} {kind_name} {share} {set}");
                let ratios = compare(&case, (ours, is_mesh), peer, &probes, plan)?;
                means.add(ratios);
                all.add(ratios);
            }
        }
        lines.extend(means.lines(&format!("{name}-{kind_name}")));
    }
    Ok(lines)
}

fn of_mesh(mesh: &Mesh, plan: &DistancesPlan, all: &mut Means) -> Result<Vec<String>, String> {
    let (_, ours) = built(mesh, Quality::Default)?;
    let vertices = mesh.vertices.iter().copied().map(v).collect();
    let peer = parry3d::shape::TriMesh::new(vertices, mesh.triangles.clone()).map_err(message)?;
    let bounds = ours.aabb();
    let (center, half) = (bounds.center(), bounds.half_extents());
    let mut random = Rng::for_stream(plan.seed, 50);
    let near = (0..plan.points).map(|i| {
        let corners = mesh.triangles[i * 7919 % mesh.triangles.len()].map(|v| mesh.vertices[v as usize]);
        corners.into_iter().sum::<Vec3>() / 3.0 + within(&mut random, false, half.length() * 0.02)
    });
    let near = near.collect();
    let around = (0..plan.points).map(|_| center + within(&mut random, false, 1.1) * half).collect();
    let places = [("near", near), ("around", around)];
    let part =
        |i: u32, of: &mut dyn FnMut(&Pose, &dyn parry3d::shape::Shape) -> bool| of(&Pose::IDENTITY, &peer.triangle(i));
    let peer = Peer { whole: &peer, tree: peer.bvh(), part: &part };
    println!();
    by_kind(&mesh.name, (&ours as &TriangleMesh<Vec3>, true), &peer, (&places, half.length()), plan, all)
}

fn of_scene(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let (scene, peer) = scenes::in_space_with_compound(100_000, plan.seed)?;
    let bounds = scene.finite_bounds();
    let (center, half) = (bounds.center(), bounds.half_extents());
    let mut random = Rng::for_stream(plan.seed, 52);
    let among = (0..plan.points).map(|_| center + within(&mut random, false, 1.0) * half).collect();
    let part = |i: u32, of: &mut dyn FnMut(&Pose, &dyn parry3d::shape::Shape) -> bool| {
        let (pose, shape) = &peer.shapes()[i as usize];
        of(pose, &**shape)
    };
    let peer = Peer { whole: &peer, tree: peer.bvh(), part: &part };
    println!();
    let (places, mut all) = ([("among", among)], Means::default());
    let mut lines = by_kind("scene", (&scene, false), &peer, (&places, half.length()), plan, &mut all)?;
    lines.extend(all.lines("scene"));
    Ok(lines)
}

/// Pairs of single shapes, of which about half overlap.
fn of_pairs(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let (mut lines, mut random, mut all) = (Vec::new(), Rng::for_stream(plan.seed, 53), Means::default());
    println!();
    for (i, name) in VOLUME_KINDS.into_iter().enumerate() {
        let mut means = Means::default();
        for (j, other) in VOLUME_KINDS.into_iter().enumerate() {
            let mut probe = |kind| {
                let center = within(&mut random, false, 1.0);
                Probe::random(kind, center, 0.75, &mut random)
            };
            let pairs: Vec<_> = (0..plan.points).map(|_| [probe(i), probe(j)]).collect();
            let shapes = |[a, b]: &[Probe; 2]| Ok((a.shape()?, b.shape()?.boxed()));
            let ours: Vec<_> = pairs.iter().map(shapes).collect::<Result<_, ShapeError>>().map_err(message)?;
            let peers: Vec<_> = pairs.iter().map(|pair| pair.each_ref().map(Probe::peer)).collect();
            let answer = |(a, b): &(OurVolume, Box<dyn Shape<Vec3>>)| a.overlaps(&**b);
            let of_peer = |[a, b]: &[(Pose, SharedShape); 2]| meet((&a.0, &*a.1), (&b.0, &*b.1));
            let (mut overlapping, mut unlike, mut right) = (0, 0, 0);
            for (pair, peer) in ours.iter().zip(&peers) {
                let found = answer(pair);
                overlapping += usize::from(found);
                if found != of_peer(peer) {
                    let [a, b] = peer.each_ref().map(|(pose, shape)| widened((pose, &**shape)));
                    let truth = parry3d_f64::query::intersection_test(&a.0, &*a.1, &b.0, &*b.1);
                    unlike += 1;
                    right += usize::from(truth.is_ok_and(|truth| truth.intersecting == found));
                }
            }
            let mut runs: Vec<Run<'_>> = vec![
                Box::new(|| ours.iter().map(answer).for_each(seen)),
                Box::new(|| peers.iter().map(of_peer).for_each(seen)),
            ];
            let times = contest(&mut runs, plan.rounds);
            let [own, peer] = [0, 1].map(|i| times[i].median() * 1e9 / pairs.len() as f64);
            println!(
                "{name:10} and {other:10} {:4.1} % overlap; ns: {own:.0}, parry {peer:.0}; {:.2}; answers differ {unlike}, of \
                 them f64 agrees with ours {right}",
                100.0 * overlapping as f64 / pairs.len() as f64,
                peer / own
            );
            means.add([peer / own, f64::NAN, f64::NAN]);
            all.add([peer / own, f64::NAN, f64::NAN]);
        }
        lines.extend(means.lines(&format!("pairs-{name}")));
    }
    lines.extend(all.lines("pairs"));
    Ok(lines)
}
