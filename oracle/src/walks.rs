//! Random walks of particles through the cells of a lattice: a ball or a box around each point of a grid, which touch their neighbours, the
//! rest of a box around them, and all that is outside of that. The cells are solids written with complements, so each point is in
//! exactly one of them, and a particle that begins anew at a rounded point is never lost. Nothing is moved off a surface.

use crate::body::{World, vector};
use crate::number::Precision;
use crate::query_plan::QueryPlan;
use crate::run::spread;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Cuboid, Object, ObjectId, Query, Ray, RayCast, Real, Scene, Shape, Solid, Sphere, Vector3};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use test_support::random::Rng;

/// Nodes of the lattice along each axis.
const NODES: usize = 3;
/// Steps of a walk.
const STEPS: usize = 100;
/// Walks of a job.
const JOB: u64 = 50;

/// What went wrong, and how often.
#[derive(Clone, Debug, Default)]
struct Losses {
    steps: u64,
    /// Steps that begin on a surface.
    on_surface: u64,
    /// Points in no cell, or in several.
    lost: u64,
    /// Tracks with a part in no cell or in several, with a gap between parts, or without the cell of the point at their beginning.
    broken: u64,
    failures: Vec<String>,
}

impl Losses {
    fn join(&mut self, other: Self) {
        self.steps += other.steps;
        self.on_surface += other.on_surface;
        self.lost += other.lost;
        self.broken += other.broken;
        self.failures.extend(other.failures);
    }
}

/// The cells of the lattice. What nodes have in common belongs to the first of them.
fn lattice<V: World + Vector3>() -> Scene<V>
where
    V::Shape: From<Solid<V>> + From<Sphere<V>> + From<Cuboid<V>>,
    Solid<V>: From<Sphere<V>> + From<Cuboid<V>>,
{
    let half = V::Scalar::from_f64(0.5);
    let node = |[x, y, z]: [usize; 3]| -> Solid<V> {
        let center = vector([x, y, z].map(|i| i as f64));
        if (x + y + z).is_multiple_of(2) {
            Sphere::new(center, half).expect("a ball").into()
        } else {
            Cuboid::new(center, V::splat(half)).expect("a box").into()
        }
    };
    let places: Vec<[usize; 3]> =
        (0..NODES.pow(3)).map(|i| [i % NODES, i / NODES % NODES, i / NODES / NODES]).collect();
    // Cells share their leaves, as clones.
    let nodes: Vec<Solid<V>> = places.iter().copied().map(node).collect();
    let middle = (NODES - 1) as f64 / 2.0;
    let (center, size) = (vector([middle; 3]), V::splat(V::Scalar::from_f64(middle + 0.5)));
    let domain: Solid<V> = Cuboid::new(center, size).expect("a box").into();
    let mut scene = Scene::new();
    let mut add = |cell: Solid<V>| scene.insert(Object::new(cell)).expect("room for a cell");
    for (number, place) in places.iter().enumerate() {
        // Neighbours touch at faces, edges and corners.
        let is_near = |other: &[usize; 3]| (0..3).all(|axis| other[axis].abs_diff(place[axis]) <= 1);
        let before =
            places[..number].iter().zip(&nodes).filter(|(other, _)| is_near(other)).map(|(_, node)| node.clone());
        add(Solid::difference(nodes[number].clone(), before));
    }
    add(Solid::difference(domain.clone(), nodes));
    add(!domain);
    scene
}

/// The cells that contain a point.
fn cells_at<V: World>(scene: &Scene<V>, point: V) -> Vec<ObjectId> {
    scene.objects().filter(|(_, object)| object.instance().contains(point)).map(|(id, _)| id).collect()
}

/// A direction, often along an axis or a diagonal, on which surfaces touch.
fn direction<V: World>(rng: &mut Rng) -> V {
    loop {
        let direction = match rng.below(3) {
            0 => [(); 3].map(|()| f64::from(rng.int(-1, 1))),
            1 => [(); 3].map(|()| f64::from(rng.int(-3, 3))),
            _ => rng.direction(3),
        };
        if direction.iter().any(|x| *x != 0.0) {
            return vector(direction);
        }
    }
}

/// One walk: at each step a new direction, the track from the point, and one of its boundaries or inner points as the next point.
fn walk<V: World + Vector3>(scene: &Scene<V>, rng: &mut Rng, losses: &mut Losses) {
    let start = [(); 3].map(|()| rng.between(-1.0, NODES as f64));
    let mut point: V = if rng.once_in(2) { vector(start.map(|x| (2.0 * x).round() / 2.0)) } else { vector(start) };
    for _ in 0..STEPS {
        losses.steps += 1;
        let ray = Ray::new(point, direction(rng));
        let home = cells_at(scene, point);
        let track = scene.track(&ray, Query::new());
        let parts: Vec<_> = track.parts().collect();
        let is_whole = parts.iter().all(|part| part.objects.len() == 1)
            && parts.windows(2).all(|pair| pair[0].t[1] == pair[1].t[0])
            && parts.first().is_some_and(|first| first.t[0] == V::Scalar::ZERO)
            && parts.last().is_some_and(|last| last.t[1] == V::Scalar::INFINITY);
        // The cell of the point is there at the beginning, if only in that point, for the ray may leave it at once.
        let is_hit = |id: &ObjectId| {
            let cell = scene.get(*id).expect("a cell");
            cell.instance().cast_ray(&ray, V::Scalar::ZERO..=V::Scalar::ZERO).is_some()
        };
        let begins_at_home = home.iter().all(is_hit);
        losses.on_surface += u64::from(parts.first().is_some_and(|first| !first.begin.is_empty()));
        if home.len() != 1 || !is_whole || !begins_at_home {
            losses.lost += u64::from(home.len() != 1);
            losses.broken += u64::from(!is_whole || !begins_at_home);
            if losses.failures.len() < 3 {
                losses.failures.push(format!("{ray:?}: cells {home:?}, track {parts:?}"));
            }
            return;
        }
        // The next point is where the ray enters another cell, rounded, or between two boundaries. Far outside, the walk turns back.
        let inner: Vec<_> = parts.iter().filter(|part| part.t[1] < V::Scalar::INFINITY).collect();
        point = if inner.is_empty() {
            vector([(); 3].map(|()| f64::from(rng.int(-1, 2 * NODES as i32 + 1)) / 2.0))
        } else {
            let part = inner[rng.below(inner.len())];
            if rng.below(4) == 0 {
                ray.at((part.t[0] + part.t[1]) * V::Scalar::from_f64(0.5))
            } else {
                part.end[0].point
            }
        };
    }
}

fn walks<V: World + Vector3>(plan: &QueryPlan, precision: Precision) -> Losses
where
    V::Shape: From<Solid<V>> + From<Sphere<V>> + From<Cuboid<V>>,
    Solid<V>: From<Sphere<V>> + From<Cuboid<V>>,
{
    let (scene, losses) = (lattice::<V>(), Mutex::new(Losses::default()));
    let jobs = plan.cases.div_ceil(JOB) as usize;
    spread(&format!("walks {precision:?}"), jobs, plan.threads, |job| {
        let (mut rng, mut own) = (Rng::for_stream(plan.seed, job as u64), Losses::default());
        for _ in 0..JOB.min(plan.cases - job as u64 * JOB) {
            walk(&scene, &mut rng, &mut own);
        }
        losses.lock().unwrap_or_else(PoisonError::into_inner).join(own);
    });
    losses.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the walks, and returns a table and whether no particle was lost.
///
/// # Errors
/// A shape was chosen: walks have their own.
pub fn run(plan: &QueryPlan) -> Result<(String, bool), String> {
    if plan.shape.is_some() {
        return Err("--shape: walks go through a lattice of balls and boxes".to_owned());
    }
    let (mut text, mut is_clean) = (String::from("precision      steps  on a surface  lost  broken tracks\n"), true);
    for &precision in &plan.precisions {
        let losses = match precision {
            Precision::F32 => walks::<Vec3>(plan, precision),
            Precision::F64 => walks::<DVec3>(plan, precision),
        };
        let Losses { steps, on_surface, lost, broken, failures } = losses;
        let _ = writeln!(text, "{:9} {steps:10}  {on_surface:12}  {lost:4}  {broken:13}", format!("{precision:?}"));
        failures.iter().take(3).for_each(|failure| {
            let _ = writeln!(text, "  {failure}");
        });
        is_clean &= lost + broken == 0;
    }
    Ok((text, is_clean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_particle_is_lost() {
        let precisions = vec![Precision::F32, Precision::F64];
        let (text, is_clean) = run(&QueryPlan { seed: 3, cases: 4, shape: None, precisions, threads: 1 }).unwrap();
        assert!(is_clean, "{text}");
    }
}
