//! Spawned rays: none hits its own surface again, or skips a neighbour at four times the error bound.
//!
//! Shapes of every kind and both precisions, of sizes 1e-6 to 1e6, up to 1e6 sizes from the coordinates' origin. In
//! `f32` no shapes exist farther out: at 1e6 sizes one ulp is 1/16 of the size. The test redraws shapes that the
//! constructors refuse (three vertices on one line, one vertex too many), and excludes nothing else from the outward
//! claims. Inward of a curved solid, and near an edge, it makes the claim only if the surface is flat enough around the
//! hit, which a query of the solid itself decides (`is_flat`); it prints how many hits remain.

use crate::support::{Rng, Sample, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Basis, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum,
    HalfSpace, Hit, Inside, OrientedBox, Plane, Quad, Query, Ray, RayCast, Rectangle, SegmentShape, Shape, Side, Space,
    Sphere, TaperedCapsule, Triangle, Triangle2, TriangleMesh,
};
use hitscan::{Real, Vector, Vector2, Vector3};

type Three = [f64; 3];

fn wide<V: Vector>(v: V) -> Three {
    v.to_xyz().map(Real::to_f64)
}
fn narrow<V: Vector>(v: Three) -> V {
    V::from_xyz(v.map(V::Scalar::from_f64))
}
fn add(a: Three, k: f64, b: Three) -> Three {
    [0, 1, 2].map(|i| a[i] + k * b[i])
}
fn dot(a: Three, b: Three) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: Three, b: Three) -> Three {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn length(a: Three) -> f64 {
    dot(a, a).sqrt()
}

/// Random unit vector.
fn direction<V: Vector>(rng: &mut Rng) -> Three {
    loop {
        let v = wide(rng.in_cube::<V>());
        if (0.01..=1.0).contains(&length(v)) {
            return v.map(|x| x / length(v));
        }
    }
}

/// Region of random shapes: a center and a size.
struct Place {
    at: Three,
    size: f64,
}

impl Place {
    fn draw<V: Vector>(rng: &mut Rng) -> Self {
        let size = 10f64.powf(rng.between(-6.0, 6.0));
        let away = [0.0, 1.0, 10f64.powf(rng.between(0.0, 6.0)), 10f64.powf(rng.between(0.0, 6.0))][rng.below(4)];
        Self { at: wide(rng.in_cube::<V>()).map(|x| x * away * size), size }
    }
    fn point<V: Vector>(&self, rng: &mut Rng) -> V {
        narrow(add(self.at, self.size, wide(rng.in_cube::<V>())))
    }
    fn length<S: Real>(&self, rng: &mut Rng) -> S {
        S::from_f64(self.size * rng.between(0.1, 1.0))
    }
    fn lengths<V: Vector>(&self, rng: &mut Rng) -> V {
        V::from_xyz([0; 3].map(|_| self.length(rng)))
    }
}

fn basis<V: Vector>(rng: &mut Rng) -> Option<Basis<V>> {
    Basis::from_direction(narrow(direction::<V>(rng))).ok()
}

trait Kinds: Space {
    const KINDS: usize;
    fn shape(kind: usize, place: &Place, rng: &mut Rng) -> Option<Self::Shape>;
    fn behaviour(shape: &Self::Shape) -> Behaviour;
    /// The same kind, with a surface parallel to its own and at least `by` outside.
    fn grown(shape: &Self::Shape, by: Self::Scalar) -> Option<Self::Shape>;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    /// Closed convex solid.
    Solid,
    /// Flat surface with two sides.
    Flat,
    /// Triangles around a convex solid.
    ConvexMesh,
    /// Triangles that may hide each other.
    Mesh,
}

fn shape2<V: Vector2>(kind: usize, place: &Place, rng: &mut Rng) -> Option<AnyShape2<V>> {
    let (a, b, c, d) = (place.point(rng), place.point(rng), place.point(rng), place.point(rng));
    let (n, r, sizes) = (narrow::<V>(direction::<V>(rng)), place.length(rng), place.lengths(rng));
    Some(match kind {
        0 => Circle::new(a, r).ok()?.into(),
        1 => HalfSpace::new(a, n).ok()?.into(),
        2 => Plane::new(a, n).ok()?.into(),
        3 => SegmentShape::new(a, b).ok()?.into(),
        4 => Rectangle::new(a, sizes).ok()?.into(),
        5 => OrientedBox::new(a, sizes, basis(rng)?).ok()?.into(),
        6 => Capsule::new(a, b, r).ok()?.into(),
        7 => Triangle2::new(a, b, c).ok()?.into(),
        8 => ConvexPolygon::new([a, b, c, d]).or_else(|_| ConvexPolygon::new([a, b, c])).ok()?.into(),
        9 => Ellipsoid::with_basis(a, sizes, basis(rng)?).ok()?.into(),
        _ => TaperedCapsule::new(a, b, r, place.length(rng)).ok()?.into(),
    })
}

fn shape3<V: Vector3>(kind: usize, place: &Place, rng: &mut Rng) -> Option<AnyShape3<V>> {
    let (a, b, c) = (place.point(rng), place.point(rng), place.point(rng));
    let (n, r, s) = (narrow::<V>(direction::<V>(rng)), place.length(rng), place.length(rng));
    let sizes = place.lengths(rng);
    Some(match kind {
        0 => Sphere::new(a, r).ok()?.into(),
        1 => HalfSpace::new(a, n).ok()?.into(),
        2 => Plane::new(a, n).ok()?.into(),
        3 => Disk::new(a, n, r).ok()?.into(),
        4 => Cuboid::new(a, sizes).ok()?.into(),
        5 => OrientedBox::new(a, sizes, basis(rng)?).ok()?.into(),
        6 => Capsule::new(a, b, r).ok()?.into(),
        7 => Cylinder::new(a, b, r).ok()?.into(),
        8 => Cone::new(a, b, r).ok()?.into(),
        9 => Frustum::new(a, b, r, s).ok()?.into(),
        10 => Ellipsoid::with_basis(a, sizes, basis(rng)?).ok()?.into(),
        11 if r > s => Triangle::new(a, b, c).ok()?.into(),
        11 => Quad::new(a, narrow(add(wide(b), -1.0, wide(a))), narrow(add(wide(c), -1.0, wide(a)))).ok()?.into(),
        12 => TaperedCapsule::new(a, b, r, s).ok()?.into(),
        13 => {
            let d = place.point(rng);
            let [x, y, z] = [b, c, d].map(|v| add(wide(v), -1.0, wide(a)));
            let (b, c) = if dot(cross(x, y), z) < 0.0 { (c, b) } else { (b, c) };
            TriangleMesh::new(vec![a, b, c, d], vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).ok()?.into()
        }
        _ => {
            let (vertices, triangles) = meshes::torus(6, 4);
            let vertices = vertices.into_iter().map(|v| narrow(add(place.at, place.size, v))).collect::<Vec<_>>();
            TriangleMesh::new(vertices, triangles).ok()?.into()
        }
    })
}

macro_rules! kinds {
    ($vector:ty, $any:ident, $kinds:literal, $draw:ident, $behaviour:expr, $ball:ident, $box:ident) => {
        impl Kinds for $vector {
            const KINDS: usize = $kinds;
            fn shape(kind: usize, place: &Place, rng: &mut Rng) -> Option<Self::Shape> {
                $draw(kind, place, rng)
            }
            fn behaviour(shape: &Self::Shape) -> Behaviour {
                $behaviour(shape)
            }
            fn grown(shape: &Self::Shape, by: Self::Scalar) -> Option<Self::Shape> {
                let up = |x| Real::next_up(x + by);
                Some(match shape {
                    $any::$ball(s) => Sphere::new(s.center(), up(s.radius())).ok()?.into(),
                    $any::Capsule(s) => Capsule::new(s.a(), s.b(), up(s.radius())).ok()?.into(),
                    $any::$box(s) => Cuboid::new(s.center(), Vector::map(s.half_extents(), up)).ok()?.into(),
                    _ => return None,
                })
            }
        }
    };
}
fn behaviour2<V: Vector>(shape: &AnyShape2<V>) -> Behaviour {
    if matches!(shape, AnyShape2::Line(_) | AnyShape2::Segment(_)) { Behaviour::Flat } else { Behaviour::Solid }
}
fn behaviour3<V: Vector3>(shape: &AnyShape3<V>) -> Behaviour {
    match shape {
        AnyShape3::Plane(_) | AnyShape3::Disk(_) | AnyShape3::Triangle(_) | AnyShape3::Quad(_) => Behaviour::Flat,
        AnyShape3::Mesh(mesh) if mesh.triangles().len() > 4 => Behaviour::Mesh,
        AnyShape3::Mesh(_) => Behaviour::ConvexMesh,
        _ => Behaviour::Solid,
    }
}
kinds!(Vec2, AnyShape2, 11, shape2, behaviour2, Circle, Rectangle);
kinds!(DVec2, AnyShape2, 11, shape2, behaviour2, Circle, Rectangle);
kinds!(Vec3, AnyShape3, 15, shape3, behaviour3, Sphere, Cuboid);
kinds!(DVec3, AnyShape3, 15, shape3, behaviour3, Sphere, Cuboid);

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    hits: u64,
    /// Hits around which the solid is flat enough for the inward claim.
    flat: u64,
    outward: u64,
    inward: u64,
    /// Directions closer to the tangent plane than the error of the normal.
    glancing: u64,
    same_kind: u64,
    /// Largest step, in error bounds.
    step: f64,
    /// Largest step, in ulps of the largest coordinate.
    ulps: f64,
    /// Sum of log2 of the step, in error bounds: ours, and that of Waechter and Binder, which is for `f32`.
    log: [f64; 2],
}

impl std::ops::Add for Tally {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            hits: self.hits + o.hits,
            flat: self.flat + o.flat,
            outward: self.outward + o.outward,
            inward: self.inward + o.inward,
            glancing: self.glancing + o.glancing,
            same_kind: self.same_kind + o.same_kind,
            step: self.step.max(o.step),
            ulps: self.ulps.max(o.ulps),
            log: [self.log[0] + o.log[0], self.log[1] + o.log[1]],
        }
    }
}

/// Whether the solid, seen from outside along the normal, is flat enough around the hit that it contains the inner
/// origin: around `p` within `x = |u| + 4c`, the range of the exact hit and the origin.
///
/// ```text
///       o1     o0     o2      o0 above p, the others 3x aside: exact numbers of the precision
///        |      |      |
///   -----+------+------+----  the surface: concave seen from below, so between the feet it
///        |      |      |      is as deep as the deepest of them at most, in proportion
///   -----+------+------+----  where the solid ends: at least 16c below
/// ```
fn is_flat<V: Kinds>(shape: &V::Shape, hit: &Hit<V>, c: f64) -> bool {
    let (p, n) = (wide(hit.point), wide(hit.normal));
    let u = hit.point.to_xyz().map(|x| (x.next_up() - x).to_f64().max((x - x.next_down()).to_f64()));
    let x = length(u) + 4.0 * c;
    // In 2D one tangent, in 3D two, from the axis farthest from the normal.
    let axis = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).filter(|_| V::DIM == 3).unwrap_or(2);
    let a = cross(n, [0, 1, 2].map(|i| if i == axis { 1.0 } else { 0.0 }));
    let a = a.map(|y| y / length(a));
    let b = cross(n, a);
    let aside = [[0.0; 3], a, a.map(|y| -y), b, b.map(|y| -y)];
    let depth = |aside: Three| {
        let o: V = narrow(add(add(p, 8.0 * c + x, n), 3.0 * x, aside));
        let above = dot(add(wide(o), -1.0, p), n);
        let hits = shape.cast_ray_all(&Ray::new(o, -hit.normal), Query::new());
        let [enter, exit] = [hits.first()?, hits.get(1)?];
        (exit.t - enter.t > V::Scalar::from_f64(16.0 * c)).then(|| enter.t.to_f64() - above)
    };
    let feet: Option<Vec<f64>> = aside[..2 * V::DIM - 1].iter().map(|&s| depth(s)).collect();
    // Concave, with its top within x of the middle: for differences up to g the middle is at most 0.4 g below the tangent
    // plane, the feet 1.4 g, and so their hull, 2.5x wide at least, is at most g below it x aside.
    feet.is_some_and(|feet| feet.iter().all(|f| (f - feet[0]).abs() < c / 9.0))
}

/// Waechter, Binder, *A Fast and Robust Method for Avoiding Self-Intersection*, Ray Tracing Gems, 2019: 256 ulps along
/// the normal, near zero a fixed length.
fn heuristic(p: f64, n: f64) -> f64 {
    let (p, n) = (p as f32, n as f32);
    let steps = (256.0 * n) as i32;
    let moved = f32::from_bits((p.to_bits() as i32 + if p < 0.0 { -steps } else { steps }) as u32);
    f64::from(if p.abs() < 1.0 / 32.0 { p + n / 65536.0 } else { moved })
}

/// Spawns rays from a hit in many directions.
fn leave<V: Kinds>(shape: &V::Shape, hit: &Hit<V>, directions: usize, rng: &mut Rng) -> Result<Tally, String> {
    let behaviour = V::behaviour(shape);
    let fail = |what: &str, ray: &Ray<V>| Err(format!("{what}\n{shape:?}\n{hit:?}\n{ray:?}"));
    let (p, n, c) = (wide(hit.point), wide(hit.normal), hit.error_bound().to_f64());
    let (out, inner) = (hit.origin_outside(), hit.origin_inside());
    let flat = behaviour == Behaviour::Solid && is_flat::<V>(shape, hit, c);
    let largest = p.iter().fold(0.0f64, |a, x| a.max(x.abs()));
    let step = length(add(wide(out), -1.0, p));
    let heights = [out, inner].map(|o| dot(add(wide(o), -1.0, p), n) / c);
    let ulps = step / (largest * V::Scalar::EPSILON.to_f64());
    let mut tally = Tally { hits: 1, flat: u64::from(flat), step: step / c, ulps, ..Tally::default() };
    let theirs = [0, 1, 2].map(|i| heuristic(p[i], n[i]));
    tally.log = [step, length(add(theirs, -1.0, p))].map(|way| (way / c).log2());
    if !(1.0..2.13).contains(&heights[0]) || !(1.0..2.13).contains(&-heights[1]) {
        return fail(&format!("heights of {heights:?} clearances"), &Ray::new(out, hit.normal));
    }
    if flat && !shape.contains(inner) {
        return fail("the origin inside is outside", &Ray::new(inner, -hit.normal));
    }
    if behaviour == Behaviour::Solid && shape.contains(out) {
        return fail("the origin outside is inside", &Ray::new(out, hit.normal));
    }
    // Neighbours: planes four clearances away on both sides, and a grown shape of the same kind.
    let plane = |k: f64| Plane::new(narrow::<V>(add(p, k * c, n)), hit.normal).unwrap();
    let planes = [plane(4.0), plane(-4.0)];
    let grown = if flat { V::grown(shape, hit.error_bound() * V::Scalar::from_f64(4.0)) } else { None };
    for k in 0..directions {
        let w: V = narrow(direction::<V>(rng));
        let ray = hit.spawn_ray(w);
        let (w, slope) = (wide(w), dot(wide(w), n));
        if slope.abs() <= 2.0 * V::Scalar::EPSILON.to_f64() * (w[0].abs() + w[1].abs() + w[2].abs()) {
            tally.glancing += 1;
            continue;
        }
        let outward = slope > 0.0;
        if ray.origin != (if outward { out } else { inner }) {
            return fail("the wrong side", &ray);
        }
        let again = match behaviour {
            Behaviour::Solid | Behaviour::ConvexMesh if outward => shape.intersects_ray(&ray, ..),
            Behaviour::Flat => shape.intersects_ray(&ray, ..),
            Behaviour::Solid | Behaviour::ConvexMesh => false,
            Behaviour::Mesh => shape.cast_ray(&ray, ..).is_some_and(|h| h.primitive == hit.primitive),
        };
        if again {
            return fail("met again", &ray);
        }
        *(if outward { &mut tally.outward } else { &mut tally.inward }) += 1;
        if !planes[usize::from(!outward)].intersects_ray(&ray, ..) {
            return fail("the plane four clearances away is skipped", &ray);
        }
        // The far side needs exact arithmetic for the near one: a few directions are enough, because the origin is
        // inside.
        if !outward && flat && k < 10 && shape.aabb().is_bounded() {
            let far = shape.cast_ray(&ray, Query::new().inside(Inside::Hollow));
            if !far.is_some_and(|far| far.side == Side::Back && far.t > V::Scalar::ZERO) {
                return fail("the far side is missed", &ray);
            }
        }
        if let (true, Some(grown)) = (outward, &grown) {
            tally.same_kind += 1;
            if !grown.cast_ray(&ray, Query::new().inside(Inside::Hollow)).is_some_and(|h| h.side == Side::Back) {
                return fail("the grown shape is skipped", &ray);
            }
        }
    }
    Ok(tally)
}

/// Hits of one random shape: from outside, and from inside.
fn hits<V: Kinds>(index: u64, rng: &mut Rng) -> Option<(V::Shape, Vec<Hit<V>>)> {
    let place = Place::draw::<V>(rng);
    let shape = V::shape(index as usize % V::KINDS, &place, rng)?;
    let from = match rng.below(3) {
        0 => place.point(rng),
        far => narrow(add(place.at, place.size * [2.0, 100.0][far - 1], direction::<V>(rng))),
    };
    let ray = Ray::new(from, place.point::<V>(rng) - from);
    let hits = shape.cast_ray_all(&ray, Query::new().inside(Inside::Hollow)).into_vec();
    Some((shape, hits))
}

/// `count` hits of a vector type, the share of one thread.
fn campaign<V: Kinds>(seed: u64, count: u64, directions: usize) -> Result<Tally, String> {
    let (mut tally, mut rng, mut index) = (Tally::default(), Rng::new(seed), 0);
    while tally.hits < count {
        index += 1;
        let Some((shape, hits)) = hits::<V>(index, &mut rng) else { continue };
        for hit in hits {
            tally = tally + leave::<V>(&shape, &hit, directions, &mut rng)?;
        }
    }
    Ok(tally)
}

/// Hits of both precisions and dimensions, on as many threads as there are cores.
fn everything(seed: u64, [single, double]: [u64; 2], directions: usize) {
    let start = std::time::Instant::now();
    type Job = fn(u64, u64, usize) -> Result<Tally, String>;
    let jobs: [(&str, Job, u64); 4] = [
        ("DVec3", campaign::<DVec3>, double / 2),
        ("DVec2", campaign::<DVec2>, double / 2),
        ("Vec3", campaign::<Vec3>, single / 2),
        ("Vec2", campaign::<Vec2>, single / 2),
    ];
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let (mut hits, mut rays) = (0, 0);
    for (k, (name, job, count)) in jobs.into_iter().enumerate() {
        let tally = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads)
                .map(|i| scope.spawn(move || job(seed + 1000 * k as u64 + i, count.div_ceil(threads), directions)))
                .collect();
            handles.into_iter().try_fold(Tally::default(), |sum, handle| Ok::<_, String>(sum + handle.join().unwrap()?))
        });
        let tally = tally.unwrap_or_else(|what| panic!("{name}: {what}"));
        (hits, rays) = (hits + tally.hits, rays + tally.outward + tally.inward);
        println!("{name}: {tally:?}");
    }
    println!("{hits} hits left along {rays} rays in {:.0} s", start.elapsed().as_secs_f64());
}

#[test]
fn no_self_hit_and_no_neighbour_skipped() {
    everything(71, [1500, 500], 10);
}

#[test]
#[ignore = "tens of minutes: 100,000 hits, each left in 1,000 directions"]
fn no_self_hit_and_no_neighbour_skipped_at_full_size() {
    everything(72, [90_000, 10_000], 1000);
}

/// `x - m / sqrt(sq)`, accurate if the two nearly agree: the difference of the squares over the sum.
fn off_unit(m: f64, sq: f64, x: f64) -> f64 {
    let unit = m / sq.sqrt();
    if unit + x == 0.0 {
        return x - unit;
    }
    let two_prod = |a: f64, b: f64| (a * b, a.mul_add(b, -(a * b)));
    let ((m_sq, m_low), (x_sq, x_low)) = (two_prod(m, m), two_prod(x, x));
    let (scaled, scaled_low) = two_prod(x_sq, sq);
    ((scaled - m_sq) + (scaled_low + x_low * sq - m_low)) / sq / (unit + x)
}

/// The premises of `spawn.rs`, in integers: the point of a plane is within 1 ulp of the exact one per coordinate and an
/// eighth of EPSILON of the distance, the normal within 2 ulp of 1 per component. All numbers are integers, so the
/// exact point is a quotient of integers. The plane passes through a point up to `away` from zero.
fn facts<V: Vector>(seed: u64, away: i128) {
    let mut rng = Rng::new(seed);
    let mut hits = 0;
    while hits < 20_000 {
        let axis = rng.below(2 * V::DIM);
        let mut draw = |most: i128| {
            let whole = |rng: &mut Rng| rng.below(2 * most as usize + 1) as i128 - most;
            [0, 1, 2].map(|i| if i < V::DIM { whole(&mut rng) } else { 0 })
        };
        let (o, d, a, mut m) = (draw(1 << 14), draw(1 << 12), draw(away), draw(1 << 10));
        if axis < V::DIM {
            m = [0, 1, 2].map(|i| m[i] * i128::from(i == axis));
        }
        let vector = |v: [i128; 3]| narrow::<V>(v.map(|x| x as f64));
        let product = |a: [i128; 3], b: [i128; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let Ok(plane) = Plane::new(vector(a), vector(m)) else { continue };
        let Some(hit) = plane.cast_ray(&Ray::new(vector(o), vector(d)), Query::line()) else { continue };
        hits += 1;
        let (way, slope) = (product(m, [0, 1, 2].map(|i| a[i] - o[i])), product(m, d));
        let (p, n) = (hit.point.to_xyz(), hit.normal.to_xyz());
        for i in 0..V::DIM {
            let exact = o[i] * slope + d[i] * way; // times 1 / slope
            let ulp = p[i].next_up().to_f64() - p[i].to_f64();
            // Integer multiples of 2^-77: the exact coordinate is zero or at least 2^-25, and has 53 digits below that.
            let scaled = |x: f64| (x * 77f64.exp2()) as i128;
            let off = (scaled(p[i].to_f64()) * slope - (exact << 77)).abs();
            let share = hit.distance.to_f64().abs() * V::Scalar::EPSILON.to_f64() / 8.0;
            let fine = off <= scaled(ulp + share) * slope.abs();
            assert!(fine, "{plane:?} {o:?} {d:?}: {hit:?}, coordinate {i} is {exact} / {slope}");
            let off = off_unit(m[i] as f64, product(m, m) as f64, n[i].to_f64()).abs();
            assert!(off <= 2.0 * V::Scalar::EPSILON.to_f64(), "{plane:?}: {hit:?}, component {i} is off by {off}");
        }
    }
}

fn all_facts(away: i128) {
    facts::<Vec2>(73, away);
    facts::<Vec3>(74, away);
    facts::<DVec2>(75, away);
    facts::<DVec3>(76, away);
}

#[test]
fn the_two_facts_hold_for_planes() {
    all_facts(1 << 12);
}

#[test]
fn the_two_facts_hold_for_planes_through_zero() {
    all_facts(0);
}
