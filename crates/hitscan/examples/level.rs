//! A small level of a game, from its objects to its debug drawing: `cargo run -p hitscan --example level > level.svg`.
//!
//! ```text
//!   |                o  o                                          |
//!   |               ======            a platform from above only   |
//!   | i        /|                             o                    |
//!   |___player_ramp____________      lift     ___crate____guard____|
//! ```
//!
//! The player walks over a ramp, jumps through the platform from below, takes coins, rides a lift over a pit, jumps over a crate,
//! shoots when it sees the guard, and stops at a wall. The picture has the outlines of the level and of what the queries found.

use hitscan::glam::Vec3;
use hitscan::{Arrays, prelude::*};
use std::fmt::Write;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The layers: what bodies stand on, bodies, and things to take.
const SOLID: u32 = 0b001;
const BODY: u32 = 0b010;
const ITEM: u32 = 0b100;

/// Metres and seconds: a frame, how the player moves, and how far its bullets fly.
const FRAME: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 20.0;
const SPEED: f32 = 2.5;
const JUMP: f32 = 9.0;
const RANGE: f32 = 8.0;

/// The player keeps this distance from what it walks on, so that rounding never makes it touch.
const SKIN: f32 = 0.01;

/// The guard, and the eyes of the guard and of the player above their feet.
const GUARD: Vec3 = Vec3::new(20.5, 0.0, 0.0);
const EYES: Vec3 = Vec3::new(0.0, 1.2, 0.0);

fn main() -> Result<()> {
    print!("{}", picture()?);
    Ok(())
}

/// Plays the level, and returns its picture as an SVG.
pub(crate) fn picture() -> Result<String> {
    let mut scene = level()?;
    let lift = scene.find("lift").ok_or("there is no lift")?;
    let mut player = Player { feet: Vec3::new(1.0, 2.0, 0.0), falling: 0.0, ground: None };
    let (mut story, mut is_seen) = (vec![], false);

    // The picture begins with the coins, and with the fall of the player to the ground.
    let place = Transform::from_rotation_translation([-0.1, 0.0, 0.0, 1.0], Vec3::new(11.0, 7.6, 31.0))?;
    let camera = Camera::perspective(0.25, [960, 300])?.placed(&place)?;
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"300\" fill=\"none\">\n";
    let mut picture = Picture { camera, svg: svg.into() };
    picture.add(&scene.on_layers(ITEM), 1.0)?;
    let body = standing(player.feet)?;
    let contact = scene.cast_volume(body, Vec3::NEG_Y, ..);
    picture.add(&CastOutline::of_sweep(&Ray::new(body.a(), Vec3::NEG_Y), ..=2.0, &body, contact), 1.0)?;
    for frame in 0..700 {
        // The lift goes to and fro over the pit, and takes along who stands on it.
        let [before, after] = [frame, frame + 1].map(lift_at);
        scene.set_transform(lift, Transform::from_translation(after)?)?;
        scene.commit();
        let (x, ground) = (player.feet.x, player.ground);
        if ground == Some(lift) {
            player.feet += after - before;
        }

        // The player waits for the lift and on it, and jumps under the platform and before the crate.
        let is_at = |place: f32| (place..place + 0.1).contains(&x);
        let is_waiting = is_at(11.4) && after.x > 13.4 || ground == Some(lift) && x > after.x + 0.8 && after.x < 14.6;
        let jump = if is_at(7.4) || is_at(16.0) { JUMP } else { 0.0 };
        player.step(&scene, if is_waiting { 0.0 } else { SPEED }, jump)?;
        if player.ground != ground {
            story.extend(player.ground.and_then(|id| scene.get(id)?.name().map(String::from)));
        }

        // Coins are triggers: they stop nobody, and overlaps find them.
        for coin in scene.on_layers(ITEM).overlapping(standing(player.feet)?) {
            scene.remove(coin.object.ok_or("a coin is an object")?)?;
            story.push("coin".into());
        }

        // Whenever the guard comes into sight, the player shoots.
        let (eyes, target, was_seen) = (player.feet + EYES, GUARD + EYES, is_seen);
        is_seen = scene.on_layers(SOLID).line_of_sight(target, eyes, ..);
        if is_seen && !was_seen {
            let bullet = Ray::new(eyes, target - eyes);
            let query = Query::from(..).layers(SOLID | BODY).within_distance(RANGE);
            let hit = scene.cast_ray(&bullet, query);
            picture.add(&CastOutline::new(&bullet, query, hit), 1.5)?;
            story.push(if hit.is_some() { "hit" } else { "miss" }.into());
        }
        if frame % 60 == 0 {
            picture.add(&standing(player.feet)?, 0.5)?;
        }
    }

    // The mouse is over the guard: the object under it is drawn with a thick line.
    let (mouse, _) = picture.camera.project(GUARD + EYES * 0.5).ok_or("the guard is behind the camera")?;
    let under_mouse = scene.cast_ray(&picture.camera.ray(mouse), ..).and_then(|hit| scene.get(hit.object?));
    let picked = under_mouse.ok_or("nothing is under the mouse")?;
    picture.add(&scene, 1.0)?;
    picture.add(picked, 2.5)?;
    assert_eq!(picked.name(), Some("guard"));
    assert_eq!(story, ["miss", "ramp", "miss", "miss", "coin", "coin", "platform", "lift", "coin", "hit", "crate"]);
    Ok(picture.svg + "</svg>\n")
}

/// The level: 22 metres along x, y is up.
fn level() -> Result<Scene3> {
    let mut scene = Scene3::new();
    // The ground of tiles with a pit, and a wall at each end.
    let tiles = (0..6).chain(8..11).map(|i| ([2.0 * i as f32 + 1.0, -0.5, 0.0], [1.0, 0.5, 1.5]));
    let walls = [-0.25, 22.25].map(|x| ([x, 1.0, 0.0], [0.25, 2.0, 1.5]));
    for block in tiles.chain(walls) {
        scene.insert(Object::new(Cuboid::<Vec3>::from_arrays(block)?).on_layers(SOLID))?;
    }
    // A ramp, a mesh: its sides, the slope, the back and the bottom.
    let corners = [[3., 0., 1.], [6., 0., 1.], [6., 1., 1.], [3., 0., -1.], [6., 0., -1.], [6., 1., -1.]];
    let triangles = [[0, 1, 2], [3, 5, 4], [0, 2, 5], [0, 5, 3], [1, 4, 5], [1, 5, 2], [0, 3, 4], [0, 4, 1]];
    scene.insert(Object::new(mesh(&corners, &triangles)?).named("ramp").on_layers(SOLID))?;
    // A platform that holds from above only: its back does not count, and neither does a body that is in it already.
    let corners = [[6.6, 1.6, 1.0], [10.2, 1.6, 1.0], [10.2, 1.6, -1.0], [6.6, 1.6, -1.0]];
    let platform = Object::new(mesh(&corners, &[[0, 1, 2], [0, 2, 3]])?).named("platform").on_layers(SOLID);
    scene.insert(platform.with_faces(Faces::Front).with_inside(Inside::Hollow))?;
    // A lift, a crate that is turned, and the guard behind it.
    let slab = Cuboid::new(Vec3::ZERO, Vec3::new(1.25, 0.25, 1.0))?;
    scene.insert(Object::new(slab).named("lift").on_layers(SOLID))?;
    let turned = Basis::from_quat([0.0, 1.0, 0.0, 3.0])?;
    let cube = OrientedBox::new(Vec3::new(17.5, 0.65, 0.0), Vec3::splat(0.65), turned)?;
    scene.insert(Object::new(cube).named("crate").on_layers(SOLID))?;
    scene.insert(Object::new(standing(GUARD)?).named("guard").on_layers(BODY))?;
    for (x, y) in [(8.5, 2.4), (9.5, 2.4), (14.0, 0.8)] {
        scene.insert(Object::new(Sphere::new(Vec3::new(x, y, 0.0), 0.2)?).as_trigger().on_layers(ITEM))?;
    }
    Ok(scene)
}

fn mesh(corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<TriangleMesh<Vec3>> {
    Ok(TriangleMesh::new(corners.iter().map(|corner| Vec3::from_array(*corner)).collect(), triangles.to_vec())?)
}

/// The center of the lift: it takes four seconds to and fro.
fn lift_at(frame: u32) -> Vec3 {
    let share = ((frame + 150) % 240) as f32 / 120.0;
    Vec3::new(13.25 + 1.5 * if share < 1.0 { share } else { 2.0 - share }, -0.25, 0.0)
}

/// The body that stands at a point.
fn standing(feet: Vec3) -> Result<Capsule<Vec3>> {
    Ok(Capsule::new(feet + Vec3::Y * 0.35, feet + Vec3::Y * 1.05, 0.35)?)
}

/// The player: its lowest point, its speed downward, and what it stands on.
struct Player {
    feet: Vec3,
    falling: f32,
    ground: Option<ObjectId>,
}

impl Player {
    /// One frame: the walk along the ground, then the jump or the fall.
    fn step(&mut self, scene: &Scene3, walk: f32, jump: f32) -> Result<()> {
        let falling = if jump > 0.0 && self.ground.is_some() { -jump } else { self.falling + GRAVITY * FRAME };
        self.slide(scene, Vec3::X * walk * FRAME)?;
        self.ground = self.slide(scene, Vec3::NEG_Y * falling * FRAME)?;
        self.falling = if self.ground.is_some() { 0.0 } else { falling };
        Ok(())
    }

    /// Moves by `way`, and along what is in it; returns the object that the player stands on.
    fn slide(&mut self, scene: &Scene3, mut way: Vec3) -> Result<Option<ObjectId>> {
        let mut ground = None;
        for _ in 0..4 {
            let length = way.length();
            if length == 0.0 || ground.is_some() && way.y < 0.0 {
                break; // gravity does not slide it down a slope
            }
            // The way and the skin behind it.
            let reach = way * (1.0 + SKIN / length);
            let Some(hit) = scene.cast_volume(standing(self.feet)?, reach, Query::from(..=1.0).layers(SOLID)) else {
                self.feet += way;
                break;
            };
            if hit.normal.y > 0.7 {
                ground = hit.object;
            }
            if let Some(depth) = hit.depth {
                self.feet += hit.normal * (depth + SKIN);
                continue;
            }
            // Up to the skin, then with the rest of the way along the surface.
            let free = (hit.t * (length + SKIN) - SKIN).max(0.0) / length;
            self.feet += way * free;
            let rest = way * (1.0 - free);
            way = rest - hit.normal * rest.dot(hit.normal).min(0.0);
        }
        Ok(ground)
    }
}

/// An SVG of outlines, as a camera in front of the level sees them.
struct Picture {
    camera: Camera<Vec3>,
    svg: String,
}

impl Picture {
    /// Adds an outline: a path for each row of segments of one colour.
    fn add(&mut self, outline: &dyn Outline<Vec3>, width: f32) -> Result<()> {
        let options = OutlineOptions::default().with_circle_segments(16).with_normal_length(0.5);
        for row in outline.outline(&options).chunk_by(|one, next| one.color == next.color) {
            let [r, g, b] = row[0].color.rgb();
            write!(self.svg, "<path stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{width}\" d=\"")?;
            for (command, end) in row.iter().flat_map(|segment| [('M', segment.a), ('L', segment.b)]) {
                let ([x, y], _) = self.camera.project(end).ok_or("an end is behind the camera")?;
                write!(self.svg, "{command}{x:.1} {y:.1}")?;
            }
            writeln!(self.svg, "\"/>")?;
        }
        Ok(())
    }
}
