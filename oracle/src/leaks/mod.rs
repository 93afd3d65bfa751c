//! Leak test of closed meshes, bare or under transforms: rays at edges, corners and faces, from inside, near and far. No ray may leak, or count a
//! crossing twice or an odd number of times; the BVH changes nothing; exact counts confirm it.

mod exact;

use crate::affine::PlainTransform;
use crate::body::{World, vector};
use crate::closed_meshes::Closed;
use crate::generate::{self, Family, TransformFamily};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::run::spread;
use exact::Crossings;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{AnyShape3, Object, Query, Ray, RayCast, Scene, SceneBuilder, Segment, Shape, Side, Space, TriangleMesh};
use hitscan::{Real, Vector3};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use test_support::random::Rng;

/// Targets of rays.
const TARGETS: [&str; 5] = ["corner", "edge", "face", "along an edge", "along an axis"];
/// Distances of origins, in sizes; 0 is inside.
const DISTANCES: [f64; 5] = [0.0, 2.0, 1e2, 1e4, 1e6];
/// One ray in so many is also tested against every triangle, and one in so many exactly.
const BRUTE: usize = 16;
const EXACT: usize = 256;

/// Plan of a run.
#[derive(Clone, Debug)]
pub struct Leaks {
    /// Seed of the random rays.
    pub seed: u64,
    /// Count of rays for each mesh and precision.
    pub rays: usize,
    /// Count of threads.
    pub threads: usize,
    /// Closed meshes to cast at.
    pub meshes: Vec<Closed>,
    /// Family of the transforms; none for bare meshes.
    pub transform: Option<TransformFamily>,
}

/// Ray, and the transform of the mesh.
type Shot<'a> = (&'a RayOrSegment, Option<&'a PlainTransform>);

/// Row of the table: every count should be 0.
#[derive(Clone, Debug, Default)]
struct LeakRow {
    rays: u64,
    /// Rays from inside, or segments that end there, without a hit.
    leaks: u64,
    /// Whole lines with an odd number of crossings, or unequal numbers of entries and exits; rays from inside with an
    /// even number.
    odd: u64,
    /// Convex meshes crossed neither twice nor not at all; counts that differ from the list or leave their exact
    /// bounds.
    double: u64,
    /// Results of the BVH that differ from the linear scan.
    tree: u64,
    /// First hits that are not the exact ones, or differ by more than 1 ulp.
    wrong: u64,
    exact: u64,
    failures: Vec<String>,
}

impl LeakRow {
    fn bad(&self) -> u64 {
        self.leaks + self.odd + self.double + self.tree + self.wrong
    }
    fn join(&mut self, other: Self) {
        self.rays += other.rays;
        self.leaks += other.leaks;
        self.odd += other.odd;
        self.double += other.double;
        self.tree += other.tree;
        self.wrong += other.wrong;
        self.exact += other.exact;
        self.failures.extend(other.failures);
        self.failures.truncate(3);
    }
    fn fail(&mut self, what: &str, slot: fn(&mut Self) -> &mut u64, (ray, transform): Shot<'_>) {
        *slot(self) += 1;
        if self.failures.len() < 3 {
            let transform = transform.map(|transform| format!(" {transform}")).unwrap_or_default();
            self.failures.push(format!("{what}: origin={:?} direction={:?}{transform}", ray.origin, ray.target));
        }
    }
}

type Rows = BTreeMap<(usize, Precision, usize, usize), LeakRow>;

/// Table, and whether all its counts are 0.
pub fn run(plan: &Leaks) -> Result<(String, bool), String> {
    let mut rows = Rows::new();
    for (number, closed) in plan.meshes.iter().enumerate() {
        fire::<Vec3>(plan, number, closed, &mut rows)?;
        fire::<DVec3>(plan, number, closed, &mut rows)?;
    }
    let mut out = format!(
        "{:12} {:4} {:>9} {:14} {:>6} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7}\n",
        "mesh", "", "triangles", "aimed at", "from", "rays", "leaks", "odd", "double", "tree", "wrong", "exact"
    );
    for ((mesh, precision, aim, away), row) in &rows {
        let Closed { name, triangles, .. } = &plan.meshes[*mesh];
        let from = if *away == 0 { "inside".to_owned() } else { format!("{:.0e}", DISTANCES[*away]) };
        let LeakRow { rays, leaks, odd, double, tree, wrong, exact, .. } = row;
        let _ = writeln!(
            out,
            "{name:12} {:4} {:>9} {:14} {from:>6} {rays:>9} {leaks:>6} {odd:>6} {double:>6} {tree:>6} {wrong:>6} {exact:>7}",
            precision.name(),
            triangles.len(),
            TARGETS[*aim]
        );
    }
    let mut all = LeakRow::default();
    rows.values().for_each(|row| all.join(row.clone()));
    let LeakRow { rays, leaks, odd, double, tree, wrong, exact, .. } = &all;
    let _ = writeln!(
        out,
        "{:48} {rays:>9} {leaks:>6} {odd:>6} {double:>6} {tree:>6} {wrong:>6} {exact:>7}\n\n\
         from: sizes away; leaks: from inside, and nothing hit; odd: not as often in as out; double: counted twice, or\n\
         beyond the exact bounds; tree: not what all triangles in turn give; wrong: the first hit is not the exact one;\n\
         exact: rays that exact arithmetic was query about.",
        "all"
    );
    for ((mesh, precision, ..), row) in rows.iter().filter(|(_, row)| !row.failures.is_empty()) {
        for failure in &row.failures {
            let _ = writeln!(out, "{} {}: {failure}", plan.meshes[*mesh].name, precision.name());
        }
    }
    Ok((out, all.bad() == 0))
}

fn fire<V: World + Vector3 + Space<Shape = AnyShape3<V>>>(
    plan: &Leaks,
    number: usize,
    closed: &Closed,
    rows: &mut Rows,
) -> Result<(), String> {
    let name = &closed.name;
    let vertices = closed.vertices.iter().map(|v| vector(*v)).collect();
    let mesh =
        TriangleMesh::<V>::new(vertices, closed.triangles.clone()).map_err(|error| format!("{name}: {error}"))?;
    if !mesh.topology().is_closed() {
        return Err(format!("{name} is not closed: {:?}", mesh.topology()));
    }
    let linear = mesh.linear_scan();
    let (center, size) = closed.extent();
    let mut inner = closed.inner.clone();
    let mut rng = Rng::for_stream(plan.seed, 0);
    for _ in 0..100 {
        if inner.len() >= 3 {
            break;
        }
        // By parity along a line that crosses no edge: then the count is certain.
        let at: [f64; 3] = std::array::from_fn(|i| V::PRECISION.round(center[i] + size * rng.between(-0.9, 0.9)));
        let ray = RayOrSegment { origin: at, target: rng.direction(3), is_segment: false };
        let found = Crossings::new(&ray, triangles(&mesh), None, false);
        if found.proper == found.touched && found.proper % 2 == 1 {
            inner.push(at);
        }
    }
    let shots = Shots { mesh: &mesh, closed, inner: &inner, center, size };
    const RAYS_PER_JOB: usize = 512;
    let blocks = plan.rays.div_ceil(RAYS_PER_JOB);
    let found = Mutex::new(Rows::new());
    let what = format!("{name} in {}", V::PRECISION.name());
    spread(&what, blocks, plan.threads, |block| {
        let mut rng = Rng::for_stream(plan.seed, 1 + (number * blocks + block) as u64);
        let mut part = Rows::new();
        let transform = plan.transform.map(|family| generate::transform(family, 3, V::PRECISION, &mut rng));
        let placed = transform.and_then(|transform| Some((scene(&mesh, &transform)?, scene(&linear, &transform)?)));
        for _ in 0..RAYS_PER_JOB.min(plan.rays - block * RAYS_PER_JOB) {
            let (aim, mut away) = (rng.below(TARGETS.len()), rng.below(DISTANCES.len()));
            if inner.is_empty() || aim > 2 {
                away = away.max(1);
            }
            let row = part.entry((number, V::PRECISION, aim, away)).or_default();
            let (at, rng) = ((aim, away), &mut rng);
            match (&transform, &placed) {
                (Some(_), None) => row.wrong += 1,
                (Some(_), Some((mesh, linear))) => {
                    MeshScenario { shots: &shots, mesh, linear, transform }.shoot(at, rng, row);
                }
                (None, _) => {
                    MeshScenario { shots: &shots, mesh: &mesh, linear: &linear, transform }.shoot(at, rng, row);
                }
            }
        }
        let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
        part.into_iter().for_each(|(key, row)| all.entry(key).or_default().join(row));
    });
    rows.extend(found.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(())
}

/// Scene of one instance of a mesh; None if the library refuses the transform.
fn scene<V: World + Vector3 + Space<Shape = AnyShape3<V>>>(
    mesh: &TriangleMesh<V>,
    transform: &PlainTransform,
) -> Option<Scene<V>> {
    let mut builder = SceneBuilder::new();
    builder.insert(Object::new(mesh.clone()).with_transform(transform.build::<V>().ok()?)).ok()?;
    Some(builder.build())
}

fn triangles<V: Vector3>(mesh: &TriangleMesh<V>) -> impl Iterator<Item = [[f64; 3]; 3]> {
    mesh.triangles().iter().map(|t| t.map(|i| mesh.vertices()[i as usize].to_xyz().map(Real::to_f64)))
}

/// Mesh, and the origins of rays.
struct Shots<'a, V: World + Vector3> {
    mesh: &'a TriangleMesh<V>,
    closed: &'a Closed,
    inner: &'a [[f64; 3]],
    center: [f64; 3],
    size: f64,
}

impl<V: World + Vector3> Shots<'_, V> {
    fn corners(&self, rng: &mut Rng) -> [[f64; 3]; 3] {
        let t = self.mesh.triangles()[rng.below(self.mesh.triangles().len())];
        t.map(|i| self.mesh.vertices()[i as usize].to_xyz().map(Real::to_f64))
    }
    fn aim(&self, aim: usize, away: usize, rng: &mut Rng) -> RayOrSegment {
        let [a, b, c] = self.corners(rng);
        let round = |v: [f64; 3]| v.map(|x| V::PRECISION.round(x));
        let mix = |u: f64, v: f64| round(std::array::from_fn(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i])));
        let target = match aim {
            0 => a,
            1 => mix(if rng.once_in(2) { 0.5 } else { rng.unit() }, 0.0),
            _ => mix(0.25 + 0.25 * rng.unit(), 0.25 + 0.25 * rng.unit()),
        };
        let origin = if away == 0 {
            rng.pick(self.inner)
        } else {
            let way = rng.direction(3);
            std::array::from_fn(|i| self.center[i] + way[i] * DISTANCES[away] * self.size)
        };
        let mut origin = round(origin);
        let mut target = round(std::array::from_fn(|i| target[i] - origin[i]));
        if aim == 3 {
            target = round(std::array::from_fn(|i| b[i] - a[i]));
            origin = round(std::array::from_fn(|i| a[i] - target[i] * DISTANCES[away].min(64.0)));
        } else if aim == 4 {
            let axis = rng.below(3);
            origin = a;
            origin[axis] = V::PRECISION.round(self.center[axis] - DISTANCES[away] * self.size);
            target = std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
        }
        RayOrSegment { origin, target, is_segment: false }
    }

    /// Outside the cube around the mesh: along a short edge of a large mesh a ray may begin within it.
    fn is_outside(&self, origin: [f64; 3]) -> bool {
        (0..3).any(|i| (origin[i] - self.center[i]).abs() > self.size)
    }
}

/// Bare mesh or its instance, with and without a BVH.
struct MeshScenario<'a, V: World + Vector3, S: Shape<V>> {
    shots: &'a Shots<'a, V>,
    mesh: &'a S,
    linear: &'a S,
    transform: Option<PlainTransform>,
}

/// Largest rounding error of a point of the image, in sizes of the mesh: those inside are farther from the surface.
const ROUNDING: f64 = 1e-3;

impl<V: World + Vector3, S: Shape<V>> MeshScenario<'_, V, S> {
    /// Image of a point, rounded; None if that moves it as far as the surface.
    fn image(&self, p: [f64; 3]) -> Option<[f64; 3]> {
        let round = |v: [f64; 3]| v.map(|x| V::PRECISION.round(x));
        let Some(transform) = &self.transform else { return Some(round(p)) };
        let image = round(transform.point(p));
        let back = transform.preimage(image);
        (0..3).all(|i| (back[i] - p[i]).abs() < ROUNDING * self.shots.size).then_some(image)
    }

    fn shoot(&self, (aim, away): (usize, usize), rng: &mut Rng, row: &mut LeakRow) {
        let shots = self.shots;
        let local = shots.aim(aim, away, rng);
        let family = if aim < 3 { Family::Edge } else { Family::Grazing };
        let given = match &self.transform {
            None => local,
            Some(transform) => generate::mapped(&local, transform, 3, family, V::PRECISION, rng),
        };
        row.rays += 1;
        if !given.is_valid() {
            return;
        }
        let shot = (&given, self.transform.as_ref());
        let keeps_origin = self.image(local.origin) == Some(given.origin);
        let ray = Ray::<V>::new(vector(given.origin), vector(given.target));
        let mesh = self.mesh;
        let (first, count) = (mesh.cast_ray(&ray, ..), mesh.count_hits(&ray, ..));
        if away == 0 && keeps_origin {
            if first.is_none() || !mesh.intersects_ray(&ray, ..) {
                row.fail("leak", |row| &mut row.leaks, shot);
            }
            if count % 2 == 0 {
                row.fail("even from inside", |row| &mut row.odd, shot);
            }
        } else if !shots.inner.is_empty() && keeps_origin && shots.is_outside(local.origin) {
            let inside = self.image(rng.pick(shots.inner));
            if inside.is_some_and(|inside| mesh.cast_ray(&Segment::new(ray.origin, vector(inside)), ..).is_none()) {
                row.fail("leak on the way in", |row| &mut row.leaks, shot);
            }
        }
        let all = mesh.cast_ray_all(&ray, Query::line());
        let fronts = all.iter().filter(|hit| hit.side == Side::Front).count();
        if 2 * fronts != all.len() {
            row.fail("odd", |row| &mut row.odd, shot);
        }
        let lines = mesh.count_hits(&ray, Query::line());
        if lines != all.len() || (shots.closed.is_convex && !matches!(lines, 0 | 2)) {
            row.fail("double", |row| &mut row.double, shot);
        }
        if rng.once_in(BRUTE) {
            let same = self.linear.cast_ray(&ray, ..) == first
                && self.linear.count_hits(&ray, ..) == count
                && self.linear.cast_ray_all(&ray, Query::line()) == all
                && self.linear.intersects_ray(&ray, ..) == first.is_some()
                && mesh.intersects_ray(&ray, ..) == first.is_some();
            if !same {
                row.fail("tree", |row| &mut row.tree, shot);
            }
        }
        if rng.once_in(EXACT) {
            row.exact += 1;
            let exact = Crossings::new(&given, triangles(shots.mesh), self.transform.as_ref(), true);
            if !(exact.proper..=exact.touched).contains(&lines) {
                row.fail("count beyond its bounds", |row| &mut row.double, shot);
            }
            let right = match (&first, &exact.first) {
                (None, None) => true,
                (Some(hit), Some(t)) => V::PRECISION.error(hit.t.to_f64(), t).is_none_or(|error| error <= 1.0),
                _ => false,
            };
            if !right {
                row.fail("first hit", |row| &mut row.wrong, shot);
            }
        }
    }
}
