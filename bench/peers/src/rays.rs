//! Four sets of rays through a mesh, typical of renderers and simulations.

use hitscan::glam::Vec3;
use hitscan::{Ray, RayCast, Shape, TriangleMesh};
use test_support::random::Rng;

/// Set of rays; `any` selects the any-hit query before `t = 1`.
pub(crate) struct Set<V = Vec3> {
    pub(crate) name: &'static str,
    pub(crate) any: bool,
    pub(crate) rays: Vec<Ray<V>>,
}

/// `side` squared rays of each kind: camera rays in tiles of 8 x 8 pixels; from their hits into a random direction,
/// more likely along the normal; from there to a light; and between two random points of the sphere around the mesh.
pub(crate) fn sets(mesh: &TriangleMesh<Vec3>, inside: bool, side: usize, seed: u64) -> Vec<Set> {
    let bounds = mesh.aabb();
    let (center, radius) = (bounds.center(), bounds.half_extents().length());
    let mut random = Rng::for_stream(seed, 0);
    let mut unit = move || -> f32 { random.unit() as f32 };
    let size = bounds.half_extents();
    let (eye, target) = if inside {
        // Along the longer side of the floor.
        let along = if size.x > size.z { Vec3::X * size.x } else { Vec3::Z * size.z };
        (center - along * 0.7, center + along + Vec3::new(0.1, -0.2, 0.1) * size)
    } else {
        (center + Vec3::new(0.45, 0.35, 1.0).normalize() * 2.2 * radius, center)
    };
    let forward = (target - eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let open = if inside { 0.8f32 } else { 0.42 };
    let tiles = side / 8;
    let mut primary = Vec::with_capacity(side * side);
    for tile in 0..tiles * tiles {
        for pixel in 0..64 {
            let at = [tile % tiles * 8 + pixel % 8, tile / tiles * 8 + pixel / 8];
            let [x, y] = at.map(|i| ((i as f32 + 0.5) / side as f32 - 0.5) * 2.0 * open);
            primary.push(Ray::new(eye, (forward + right * x - up * y).normalize()));
        }
    }
    let seen: Vec<(Vec3, Vec3)> = primary
        .iter()
        .filter_map(|ray| {
            let hit = mesh.cast_ray(ray, ..)?;
            let normal = if hit.normal.dot(ray.direction) > 0.0 { -hit.normal } else { hit.normal };
            Some((hit.point + normal * 1e-4 * radius, normal))
        })
        .collect();
    let light =
        if inside { center + Vec3::new(0.1, 0.5, 0.15) * size } else { center + Vec3::new(0.8, 1.5, 0.6) * radius };
    let mut on_sphere = || {
        let (z, turn): (f32, f32) = (2.0 * unit() - 1.0, std::f32::consts::TAU * unit());
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * turn.cos(), r * turn.sin(), z)
    };
    let some = (0..primary.len()).filter_map(|i| seen.get(i % seen.len().max(1)));
    let bounce =
        some.clone().map(|&(point, normal)| Ray::new(point, (normal + on_sphere() * 0.999).normalize())).collect();
    let shadow = some.map(|&(point, _)| Ray::new(point, light - point)).collect();
    let chord = (0..primary.len())
        .map(|_| {
            let [from, to] = [0; 2].map(|_| center + on_sphere() * radius);
            Ray::new(from, (to - from).normalize())
        })
        .collect();
    vec![
        Set { name: "primary", any: false, rays: primary },
        Set { name: "bounce", any: false, rays: bounce },
        Set { name: "shadow", any: true, rays: shadow },
        Set { name: "chord", any: false, rays: chord },
    ]
}
