//! Wall thickness of a part: at the centre of each triangle of a tube whose bore is not in the middle. Run it with
//! `cargo run --release --example wall_thickness`.
//!
//! ```text
//!       _______
//!     /   ___   \      across: the bore lies beside the axis of the tube, on one side at this end
//!    |   (   )   |     and on the other at the far one
//!     \_________/
//! ```

use hitscan::glam::DVec3;
use hitscan::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

const SIDES: usize = 64;
const RINGS: usize = 16;

const LENGTH: f64 = 6.0;
const OUTER_RADIUS: f64 = 2.0;
const BORE_RADIUS: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let part = tube()?;
    // The hit of each triangle at its centre, wherever other walls are.
    let mut hits = Vec::new();
    for (number, corners) in (0..).zip(part.triangles()) {
        let [a, b, c] = corners.map(|i| part.vertices()[i as usize]);
        let (center, normal) = ((a + b + c) / 3.0, (b - a).cross(c - a).normalize());
        let from_outside = Ray::new(center + normal, -normal);
        hits.extend(part.cast_ray_where(&from_outside, .., |hit| hit.primitive == Some(number)));
    }
    let walls: Vec<f64> = part.thicknesses(&hits).iter().map(|found| found.map_or(0.0, |found| found.length)).collect();

    // Triangles are in pairs, and those of the outer side come first.
    let outer = &walls[..2 * SIDES * RINGS];
    let thinnest = outer.iter().copied().fold(f64::INFINITY, f64::min);
    let thickest = outer.iter().copied().fold(0.0, f64::max);
    println!("The wall around, along the tube: from {thinnest:.3} (.) to {thickest:.3} (@)");
    for ring in outer.chunks(2 * SIDES) {
        let signs = ring.chunks(2).map(|pair| {
            let share = (pair[0] - thinnest) / (thickest - thinnest);
            char::from(b".:-=+*#%@"[(share * 8.99) as usize])
        });
        println!("{}", signs.collect::<String>());
    }
    let mean = outer.iter().sum::<f64>() / outer.len() as f64;
    let at = outer.iter().position(|length| *length == thinnest).map_or(DVec3::ZERO, |i| hits[i].point);
    println!("mean {mean:.3}; the thinnest wall is at {at:.2}");
    println!(
        "{} of {} triangles have a wall behind them",
        walls.iter().filter(|length| **length > 0.0).count(),
        walls.len()
    );
    Ok(())
}

/// The tube, closed, with faces outward.
fn tube() -> Result<TriangleMesh<DVec3>, Box<dyn Error>> {
    // The corners of a ring of the outer side, then of the bore, for each ring.
    let mut corners = Vec::new();
    for ring in 0..=RINGS {
        let along = ring as f64 / RINGS as f64;
        let middle = DVec3::new(0.7 - 1.4 * along, 0.0, 0.0);
        for (center, radius) in [(DVec3::ZERO, OUTER_RADIUS), (middle, BORE_RADIUS)] {
            corners.extend((0..SIDES).map(|side| {
                let (sin, cos) = (TAU * side as f64 / SIDES as f64).sin_cos();
                center + DVec3::new(cos * radius, sin * radius, along * LENGTH)
            }));
        }
    }
    let corner = |ring: usize, is_bore: usize, side: usize| ((2 * ring + is_bore) * SIDES + side % SIDES) as u32;
    let quad = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        let outside = |side| {
            quad([(ring, side), (ring, side + 1), (ring + 1, side + 1), (ring + 1, side)].map(|(r, s)| corner(r, 0, s)))
        };
        triangles.extend((0..SIDES).flat_map(outside));
    }
    for ring in 0..RINGS {
        let bore = |side| {
            quad([(ring, side + 1), (ring, side), (ring + 1, side), (ring + 1, side + 1)].map(|(r, s)| corner(r, 1, s)))
        };
        triangles.extend((0..SIDES).flat_map(bore));
    }
    for side in 0..SIDES {
        let end = |ring, sides: [usize; 2]| {
            quad([
                corner(ring, 0, sides[1]),
                corner(ring, 0, sides[0]),
                corner(ring, 1, sides[0]),
                corner(ring, 1, sides[1]),
            ])
        };
        triangles.extend(end(0, [side, side + 1]));
        triangles.extend(end(RINGS, [side + 1, side]));
    }
    let mesh = TriangleMesh::new(corners, triangles)?;
    if mesh.topology().is_closed() { Ok(mesh) } else { Err("the tube is open".into()) }
}
