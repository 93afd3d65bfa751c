//! Families of solids and rays, from general positions to exact contact and thin walls.

use crate::body::{Body, Kind};
use crate::line::RayOrSegment;
use crate::solids::Tree;
use test_support::random::Rng;

/// Fraction of a unit that generic numbers are multiples of: 2^-20.
const STEP: f64 = 1.0 / (1 << 20) as f64;
/// Thicknesses of walls: 2^-24 = 6.0e-8, and 2^-34 = 5.8e-11, less than the thickness of a surface in Geant4.
const WALL: f64 = 1.0 / (1 << 24) as f64;
const THIN_WALL: f64 = 1.0 / (1_u64 << 34) as f64;

/// Family of cases.
pub(super) struct SolidFamily {
    /// Name in the table.
    pub(super) name: &'static str,
    /// Whether all leaves are boxes, which a polyhedron represents exactly.
    pub(super) is_of_boxes: bool,
    /// Whether rays run in faces or touch, so that each side of them is right, too. They are parallel to an axis then.
    pub(super) has_rays_in_faces: bool,
    /// Length up to which spans and gaps are ignored.
    pub(super) ignored: f64,
    /// Leaves and expression.
    pub(super) solid: fn(&mut Rng) -> (Vec<Body>, Tree),
    /// Ray that begins outside of all leaves.
    pub(super) ray: fn(&mut Rng) -> RayOrSegment,
}

const ORDINARY: SolidFamily =
    SolidFamily { name: "", is_of_boxes: true, has_rays_in_faces: false, ignored: 0.0, solid: boxes, ray: generic_ray };

/// All families, in the order of the table.
pub(super) const FAMILIES: [SolidFamily; 12] = [
    SolidFamily { name: "general, boxes", ..ORDINARY },
    SolidFamily { name: "general, all shapes", is_of_boxes: false, solid: shapes, ..ORDINARY },
    SolidFamily { name: "faces that coincide", solid: integer_boxes, ray: ray_across_faces, ..ORDINARY },
    SolidFamily { name: "bores through a plate", is_of_boxes: false, solid: plate, ray: ray_at_plate, ..ORDINARY },
    SolidFamily {
        name: "rays in faces and edges",
        has_rays_in_faces: true,
        ignored: 1e-9,
        solid: integer_boxes,
        ray: ray_in_faces,
        ..ORDINARY
    },
    // Moved aside by 2^-32, a tangent of a ball of radius 1 is inside for 4.3e-5.
    SolidFamily {
        name: "touching",
        is_of_boxes: false,
        has_rays_in_faces: true,
        ignored: 1e-4,
        solid: touching,
        ray: touching_ray,
    },
    // The tolerance is at most 1e-5 there.
    SolidFamily { name: "far origins, boxes", ignored: 1e-5, ray: far_ray, ..ORDINARY },
    SolidFamily {
        name: "far origins, all shapes",
        is_of_boxes: false,
        ignored: 1e-5,
        solid: shapes,
        ray: far_ray,
        ..ORDINARY
    },
    SolidFamily { name: "walls of 6e-8, boxes", solid: |rng| box_shell(WALL, rng), ray: ray_at_shell, ..ORDINARY },
    SolidFamily {
        name: "walls of 6e-8, balls",
        is_of_boxes: false,
        solid: |rng| ball_shell(WALL, rng),
        ray: ray_at_shell,
        ..ORDINARY
    },
    SolidFamily {
        name: "walls of 6e-11, boxes",
        solid: |rng| box_shell(THIN_WALL, rng),
        ray: ray_at_shell,
        ..ORDINARY
    },
    SolidFamily {
        name: "walls of 6e-11, balls",
        is_of_boxes: false,
        solid: |rng| ball_shell(THIN_WALL, rng),
        ray: ray_at_shell,
        ..ORDINARY
    },
];

/// A multiple of [`STEP`].
fn on_step(x: f64) -> f64 {
    (x / STEP).round() * STEP
}

fn cuboid(center: [f64; 3], half: [f64; 3]) -> Body {
    Body { kind: Kind::Cuboid, numbers: [center, half].concat() }
}

fn ball([x, y, z]: [f64; 3], radius: f64) -> Body {
    Body { kind: Kind::Sphere, numbers: vec![x, y, z, radius] }
}

/// A cylinder along z.
fn cylinder([x, y]: [f64; 2], [from, to]: [f64; 2], radius: f64) -> Body {
    Body { kind: Kind::Cylinder, numbers: vec![x, y, from, x, y, to, radius] }
}

/// Random expression of the leaves of a range, each once and in order. The other libraries have no complement.
fn expression(from: usize, to: usize, rng: &mut Rng) -> Tree {
    if to - from == 1 {
        return Tree::Leaf(from);
    }
    let middle = from + 1 + rng.below(to - from - 1);
    let both = Box::new([expression(from, middle, rng), expression(middle, to, rng)]);
    match rng.below(3) {
        0 => Tree::Or(both),
        1 => Tree::And(both),
        _ => Tree::Minus(both),
    }
}

/// Two to four leaves in a random expression.
fn several(rng: &mut Rng, leaf: impl Fn(&mut Rng) -> Body) -> (Vec<Body>, Tree) {
    let leaves: Vec<Body> = (0..2 + rng.below(3)).map(|_| leaf(rng)).collect();
    let tree = expression(0, leaves.len(), rng);
    (leaves, tree)
}

fn generic_box(rng: &mut Rng) -> Body {
    let center = rng.cube(3).map(on_step);
    cuboid(center, [(); 3].map(|()| on_step(rng.between(0.25, 1.5))))
}

fn boxes(rng: &mut Rng) -> (Vec<Body>, Tree) {
    several(rng, generic_box)
}

fn shapes(rng: &mut Rng) -> (Vec<Body>, Tree) {
    several(rng, |rng| {
        let [x, y, z] = rng.cube(3).map(on_step);
        let radius = on_step(rng.between(0.25, 1.5));
        match rng.below(3) {
            0 => generic_box(rng),
            1 => ball([x, y, z], radius),
            _ => cylinder([x, y], [z - 0.5, z + on_step(rng.between(0.0, 1.0))], radius),
        }
    })
}

/// Boxes with whole corners from 0 to 2, so that most of them share faces.
fn integer_boxes(rng: &mut Rng) -> (Vec<Body>, Tree) {
    several(rng, |rng| {
        let sides = [(); 3].map(|()| {
            let low = rng.int(0, 1);
            [low, rng.int(low + 1, 2)].map(f64::from)
        });
        cuboid(sides.map(|[low, high]| (low + high) / 2.0), sides.map(|[low, high]| (high - low) / 2.0))
    })
}

/// A plate with one to three bores whose ends lie in its faces, and in half of the cases with a boss on it.
fn plate(rng: &mut Rng) -> (Vec<Body>, Tree) {
    let mut leaves = vec![cuboid([0.0, 0.0, 0.5], [2.0, 2.0, 0.5])];
    let mut tree = Tree::Leaf(0);
    let round = |ends, rng: &mut Rng| {
        let [x, y, _] = rng.cube(3).map(|x| on_step(1.5 * x));
        cylinder([x, y], ends, on_step(rng.between(0.2, 0.8)))
    };
    for _ in 0..1 + rng.below(3) {
        tree = Tree::Minus(Box::new([tree, Tree::Leaf(leaves.len())]));
        leaves.push(round([0.0, 1.0], rng));
    }
    if rng.once_in(2) {
        tree = Tree::Or(Box::new([tree, Tree::Leaf(leaves.len())]));
        leaves.push(round([1.0, 2.0], rng));
    }
    (leaves, tree)
}

/// Balls, boxes and cylinders around points of a lattice, half a unit wide, that touch.
fn touching(rng: &mut Rng) -> (Vec<Body>, Tree) {
    several(rng, |rng| {
        let [x, y, z] = [(); 3].map(|()| f64::from(rng.int(0, 2)));
        match rng.below(4) {
            0 => cuboid([x, y, z], [0.5; 3]),
            1 => cylinder([x, y], [z - 0.5, z + 0.5], 0.5),
            _ => ball([x, y, z], rng.pick(&[0.5, 0.5, 1.0])),
        }
    })
}

fn box_shell(wall: f64, rng: &mut Rng) -> (Vec<Body>, Tree) {
    let center = [(); 3].map(|()| f64::from(rng.int(-1, 1)) / 2.0);
    let outer = [(); 3].map(|()| f64::from(rng.int(8, 24)) / 16.0);
    shell(cuboid(center, outer), cuboid(center, outer.map(|half| half - wall)))
}

fn ball_shell(wall: f64, rng: &mut Rng) -> (Vec<Body>, Tree) {
    let center = [(); 3].map(|()| f64::from(rng.int(-1, 1)) / 2.0);
    let outer = f64::from(rng.int(8, 24)) / 16.0;
    shell(ball(center, outer), ball(center, outer - wall))
}

fn shell(outer: Body, inner: Body) -> (Vec<Body>, Tree) {
    (vec![outer, inner], Tree::Minus(Box::new([Tree::Leaf(0), Tree::Leaf(1)])))
}

/// A ray from a point at about this distance towards a target.
fn towards(target: [f64; 3], distance: f64, rng: &mut Rng) -> RayOrSegment {
    let away = rng.direction(3);
    let origin: [f64; 3] = std::array::from_fn(|i| on_step(target[i] + distance * away[i]));
    let along: [f64; 3] = std::array::from_fn(|i| target[i] - origin[i]);
    let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    RayOrSegment { origin, target: along.map(|x| x / length), is_segment: false }
}

fn generic_ray(rng: &mut Rng) -> RayOrSegment {
    let target = rng.cube(3).map(|x| 1.5 * x);
    let distance = rng.between(8.0, 12.0);
    towards(target, distance, rng)
}

/// A ray from 10^4 to 10^7 units away.
fn far_ray(rng: &mut Rng) -> RayOrSegment {
    let target = rng.cube(3).map(|x| 1.5 * x);
    let distance = rng.decades(4.0, 7.0);
    towards(target, distance, rng)
}

fn ray_at_shell(rng: &mut Rng) -> RayOrSegment {
    let target = rng.cube(3);
    let distance = rng.between(8.0, 12.0);
    towards(target, distance, rng)
}

fn ray_at_plate(rng: &mut Rng) -> RayOrSegment {
    let [x, y, z] = rng.cube(3);
    let distance = rng.between(8.0, 12.0);
    towards([2.0 * x, 2.0 * y, 1.0 + z], distance, rng)
}

/// A ray along an axis, from in front of everything, with these coordinates across it.
fn along_axis(across: [f64; 2], rng: &mut Rng) -> RayOrSegment {
    let axis = rng.below(3);
    let sign = rng.sign();
    let (mut origin, mut target) = ([0.0; 3], [0.0; 3]);
    (origin[axis], target[axis]) = (1.0 - 8.0 * sign, sign);
    origin[(axis + 1) % 3] = across[0];
    origin[(axis + 2) % 3] = across[1];
    RayOrSegment { origin, target, is_segment: false }
}

/// A ray that crosses the faces of integer boxes: in any direction, or along an axis between the whole numbers.
fn ray_across_faces(rng: &mut Rng) -> RayOrSegment {
    if rng.once_in(2) {
        let target = rng.cube(3).map(|x| 1.0 + x);
        let distance = rng.between(8.0, 12.0);
        towards(target, distance, rng)
    } else {
        let across = [(); 2].map(|()| f64::from(rng.int(0, 1)) + 0.5);
        along_axis(across, rng)
    }
}

/// A ray in a plane of faces of integer boxes, half of them along an edge.
fn ray_in_faces(rng: &mut Rng) -> RayOrSegment {
    let whole = f64::from(rng.int(0, 2));
    let other = f64::from(rng.int(0, 2)) + if rng.once_in(2) { 0.5 } else { 0.0 };
    let across = if rng.once_in(2) { [whole, other] } else { [other, whole] };
    along_axis(across, rng)
}

/// A ray through points of contact, or a tangent.
fn touching_ray(rng: &mut Rng) -> RayOrSegment {
    let across = [(); 2].map(|()| f64::from(rng.int(-2, 6)) / 2.0);
    along_axis(across, rng)
}
