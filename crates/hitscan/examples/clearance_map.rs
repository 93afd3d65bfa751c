//! A map of the distances from a robot to everything around it, as a picture:
//! `cargo run --release --example clearance_map > clearance.ppm`.
//!
//! The map is green to white where the robot fits, brown where it does not, and black inside of walls. Lines of equal distance
//! are a metre apart.

use hitscan::glam::DVec2;
use hitscan::prelude::*;
use std::error::Error;
use std::io::{Write, stdout};

const WIDTH: usize = 480;
const HEIGHT: usize = 320;

/// Side of a pixel, in metres.
const PIXEL: f64 = 0.05;

const ROBOT_RADIUS: f64 = 0.6;

fn main() -> Result<(), Box<dyn Error>> {
    let hall = hall()?;
    let pixels = (0..WIDTH * HEIGHT).map(|i| DVec2::new((i % WIDTH) as f64, (HEIGHT - 1 - i / WIDTH) as f64));
    let points: Vec<DVec2> = pixels.map(|pixel| (pixel + 0.5) * PIXEL).collect();
    let distances = hall.signed_distances(&points);

    let mut picture = format!("P6\n{WIDTH} {HEIGHT}\n255\n").into_bytes();
    for distance in distances.iter().map(|distance| distance.unwrap_or(f64::INFINITY)) {
        picture.extend(color(distance));
    }
    stdout().write_all(&picture)?;

    let free = distances.iter().flatten().filter(|distance| **distance > ROBOT_RADIUS).count();
    let widest =
        points.iter().zip(&distances).max_by(|(_, a), (_, b)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let (point, distance) = widest.ok_or("no pixels")?;
    eprintln!("the robot fits at {:.0} % of all places", 100.0 * free as f64 / points.len() as f64);
    eprintln!("most room is at {point:.2}: {:.2} m", distance.unwrap_or(0.0));
    Ok(())
}

fn color(distance: f64) -> [u8; 3] {
    if distance <= 0.0 {
        return [20, 20, 24];
    }
    // A dark line at each metre, as thick as a pixel.
    let is_line = (distance % 1.0) < PIXEL && distance >= 1.0;
    let shade = |[r, g, b]: [f64; 3]| [r, g, b].map(|c| (c * if is_line { 0.6 } else { 1.0 }) as u8);
    if distance < ROBOT_RADIUS {
        return shade([150.0, 90.0, 60.0]);
    }
    let share = (distance / 4.0).min(1.0);
    shade([90.0 + 160.0 * share, 170.0 + 80.0 * share, 110.0 + 140.0 * share])
}

/// A hall of 24 m by 16 m with a pillar, shelves, a ramp and a bench.
fn hall() -> Result<Scene<DVec2>, Box<dyn Error>> {
    let mut hall = SceneBuilder::new();
    let (width, height) = (WIDTH as f64 * PIXEL, HEIGHT as f64 * PIXEL);
    for (point, normal) in [
        (DVec2::ZERO, DVec2::X),
        (DVec2::ZERO, DVec2::Y),
        (DVec2::new(width, 0.0), -DVec2::X),
        (DVec2::new(0.0, height), -DVec2::Y),
    ] {
        hall.add(HalfPlane::new(point, normal)?)?;
    }
    hall.add(Circle::new(DVec2::new(6.0, 11.0), 1.2)?)?;
    for y in [2.0, 5.0, 8.0] {
        hall.add(Rectangle::new(DVec2::new(14.0, y), DVec2::new(4.0, 0.4))?)?;
    }
    hall.add(ConvexPolygon::new([DVec2::new(2.0, 2.0), DVec2::new(7.0, 2.5), DVec2::new(4.0, 6.0)])?)?;
    hall.add(Capsule::new(DVec2::new(11.0, 12.0), DVec2::new(19.0, 14.0), 0.3)?)?;
    hall.add(Ellipse::new(DVec2::new(20.5, 10.0), DVec2::new(1.5, 0.8))?)?;
    Ok(hall.build())
}
