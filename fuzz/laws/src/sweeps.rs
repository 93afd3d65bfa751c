//! Laws of moving spheres: contacts are where the distance is the radius, meshes and scenes are the loops over their parts.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::recipe::{World, floats, in_space, shapes_in_scene, vector};
use hitscan::{Faces, Inside, Query, RayLike, Scene, Shape, SweepHit, SweepQuery};
use hitscan::{PointQuery, Real, Vector};
use std::fmt::Debug;

/// Up to 4 shapes; the first byte selects precision and dimension.
pub fn sweeps(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    in_space!(mode, check(&mut n));
}

fn check<V: World>(n: &mut Numbers<'_>) {
    let (shapes, scene) = shapes_in_scene::<V>(n);
    let input = CastInput::read(n, &scene.finite_bounds());
    let radius = V::Scalar::from_f64(n.number().abs());
    match input.is_segment {
        true => each(&shapes, &scene, &input.segment(), radius, &input, n),
        false => each(&shapes, &scene, &input.ray(), radius, &input, n),
    }
}

fn each<V: World>(
    shapes: &[V::Shape],
    scene: &Scene<V>,
    line: &(impl RayLike<V> + Debug + Copy),
    radius: V::Scalar,
    input: &CastInput,
    n: &Numbers<'_>,
) {
    let query = input.query::<V::Scalar>().layers(u32::MAX);
    let mut first: Option<(usize, SweepHit<V>)> = None;
    for (i, shape) in shapes.iter().enumerate() {
        let Ok(found) = shape.try_cast_sphere(line, radius, query) else { return };
        one::<V>(shape, line, radius, input, n);
        let Some(hit) = found else { continue };
        let order = |other: &SweepHit<V>| (other.t < hit.t, other.t == hit.t && other.depth >= hit.depth);
        if !first.as_ref().is_some_and(|(_, other)| matches!(order(other), (true, _) | (_, true))) {
            first = Some((i, hit));
        }
    }
    let linear = scene.linear_scan().cast_sphere(line, radius, query);
    // Far from its origin, a center says nothing of a measured shape: the BVH may pass what the loop takes for a contact.
    let is_resolved = n.tame() || !shapes.iter().any(V::is_measured);
    let found = if is_resolved { scene.cast_sphere(line, radius, query) } else { linear };
    let case = || format!("{shapes:?}\n{line:?} {radius:?}\n{query:?}\nscene {found:?}\nloop {first:?}");
    // Of two contacts at the same rounded `t` the scene has digits to tell which one is first.
    let same = found.as_ref().map(|hit| hit.t) == first.as_ref().map(|(_, hit)| hit.t);
    law(same, "sweeps: the scene is not the loop over its objects", case);
    law(linear == found, "sweeps: the BVH changes the contact", case);
    let batch = scene.cast_spheres(&[*line; 5], radius, query);
    law(!is_resolved || batch.iter().all(|hit| *hit == found), "sweeps: a batch changes the contact", case);
}

fn one<V: World>(
    shape: &V::Shape,
    line: &(impl RayLike<V> + Debug + Copy),
    radius: V::Scalar,
    input: &CastInput,
    n: &Numbers<'_>,
) {
    let query = input.query::<V::Scalar>().layers(u32::MAX);
    let found = shape.cast_sphere(line, radius, query);
    let case = || format!("{shape:?}\n{line:?} {radius:?}\n{query:?}\n{found:?}");
    let is_valid = input.is_valid::<V>() && radius > V::Scalar::ZERO && radius.is_finite();
    law(is_valid || found.is_none(), "sweeps: no ray or no sphere, but a contact", case);
    let Some(hit) = found else { return };
    law(sound(&hit, &query, input.is_segment), "sweeps: out of range, not a number, or without unit normal", case);
    // A larger sphere comes into contact no later, and touches where the range begins if the smaller one does.
    let larger = radius + radius;
    if (n.tame() || !V::is_measured(shape)) && query.inside_mode() == Inside::Solid && larger.is_finite() {
        let wide = shape.cast_sphere(line, larger, query);
        let is_earlier =
            wide.as_ref().is_some_and(|wide| wide.t <= hit.t && wide.depth.is_some() >= hit.depth.is_some());
        // A range from minus infinity may begin in contact for the larger one only.
        law(is_earlier || query.t_min() == -V::Scalar::INFINITY, "sweeps: a larger sphere is later", || {
            format!("{}\nlarger {wide:?}", case())
        });
    }
    // The sphere may overlap triangles of a mesh that `Hollow` or the faces exclude.
    let has_all = query.inside_mode() == Inside::Solid && query.faces_mode() == Faces::Both;
    let is_alone = !V::is_mesh(shape) || has_all;
    if n.tame() && hit.center.all_finite() && is_alone {
        at_radius::<V>(shape, &hit, radius, input, case);
    }
}

fn sound<V: Vector>(hit: &SweepHit<V>, query: &Query<V::Scalar>, is_segment: bool) -> bool {
    let n = floats(hit.normal);
    let excess = n.iter().map(|x| x * x).sum::<f64>() - 1.0;
    let in_range = query.t_min() <= hit.t && hit.t <= query.t_max();
    let in_segment = !is_segment || (V::Scalar::ZERO <= hit.t && hit.t <= V::Scalar::ONE);
    let numbers = [hit.center, hit.point].map(floats);
    let all = numbers.as_flattened().iter().chain([&hit.distance.to_f64()]).all(|x| !x.is_nan());
    let deep = hit.depth.is_none_or(|depth| depth >= V::Scalar::ZERO);
    in_range && in_segment && all && deep && excess.abs() <= 8.0 * V::Scalar::EPSILON.to_f64()
}

/// Law: the surface is as far from the center as the radius says, within the roundings of center and distance.
fn at_radius<V: World>(
    shape: &V::Shape,
    hit: &SweepHit<V>,
    radius: V::Scalar,
    input: &CastInput,
    case: impl Fn() -> String,
) {
    let Some(near) = shape.closest_point(hit.center) else { return };
    let size = |v: [f64; 3]| v.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let bounds = shape.aabb();
    let numbers = [floats(hit.center), floats(hit.point), floats(near.point), floats(vector::<V>(input.origin))];
    let ends = [bounds.min, bounds.max].map(floats).map(size).into_iter().filter(|x| x.is_finite());
    let largest = numbers.map(size).into_iter().chain(ends).fold(radius.to_f64(), f64::max);
    // Of the distance 4 units in the last place, of the center 1 for each coordinate, and as much for shapes of other kinds
    // than those with exact contacts.
    let slack = 16.0 * V::Scalar::EPSILON.to_f64() * largest + 16.0 * V::Scalar::ZERO.next_up().to_f64();
    let (distance, radius) = (near.distance.to_f64(), radius.to_f64());
    let report = || format!("distance {distance:e}\n{}", case());
    if hit.depth.is_none() {
        law((distance - radius).abs() <= slack, "sweeps: a contact that is not at the radius", report);
    } else {
        let is_touching = distance <= radius + slack || shape.contains(hit.center);
        law(is_touching, "sweeps: a start in contact that is not", report);
    }
}
