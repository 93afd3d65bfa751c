//! Visibility between people in two rooms, in the plane: `cargo run --example visibility`.
//!
//! ```text
//!    A       |       C        a wall with a door between two rooms, and a pillar
//!            |
//!               (o)
//!            |
//!    B       |       D
//! ```

use hitscan::glam::Vec2;
use hitscan::{Circle, Object, RayCast, SceneBuilder2, Segment, SegmentShape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = SceneBuilder2::new();
    builder.insert(Object::new(SegmentShape::new(Vec2::new(0.0, 1.0), Vec2::new(0.0, 5.0))?).named("upper wall"))?;
    builder.insert(Object::new(SegmentShape::new(Vec2::new(0.0, -5.0), Vec2::new(0.0, -1.0))?).named("lower wall"))?;
    builder.insert(Object::new(Circle::new(Vec2::new(1.5, 0.0), 0.5)?).named("pillar"))?;
    let scene = builder.build();

    let people = [
        ("A", Vec2::new(-4.0, 3.0)),
        ("B", Vec2::new(-4.0, -0.5)),
        ("C", Vec2::new(4.0, 3.0)),
        ("D", Vec2::new(4.0, -2.0)),
    ];
    for (i, &(viewer, from)) in people.iter().enumerate() {
        for &(other, to) in &people[i + 1..] {
            // Both ends belong to the segment: a shape exactly at an end is hit, a shape beyond is not.
            let sight = Segment::new(from, to);
            match scene.cast_ray(&sight, ..) {
                None => println!("{viewer} sees {other}"),
                Some(hit) => {
                    let wall = hit.object.and_then(|id| scene.get(id)).and_then(Object::name).unwrap_or("something");
                    println!("{viewer} does not see {other}: {wall} at {:.2}", hit.point);
                }
            }
        }
    }
    Ok(())
}
