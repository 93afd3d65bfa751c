//! A window with the outlines of a scene, of what is under the mouse, and of the ray of the last click: `cargo run` in this folder.
//! The arrow keys turn the camera.

use hitscan::glam::Vec3;
use hitscan::{
    Aabb, Camera, Capsule, CastOutline, Cuboid, Cylinder, HalfSpace, Object, Outline, OutlineOptions, RayCast, Scene3,
    Sphere, Transform,
};
use macroquad::models::draw_line_3d;
use macroquad::prelude as mq;
use std::error::Error;

#[macroquad::main("hitscan: outlines")]
async fn main() -> Result<(), Box<dyn Error>> {
    let scene = scene()?;
    let options = OutlineOptions::within(Aabb { min: Vec3::splat(-6.0), max: Vec3::splat(6.0) });
    let (mut turn, mut height, mut clicked) = (0.6f32, 5.0f32, None);
    while !mq::is_key_down(mq::KeyCode::Escape) {
        // The camera goes around the scene.
        let held = |more, less| f32::from(mq::is_key_down(more)) - f32::from(mq::is_key_down(less));
        turn += 0.02 * held(mq::KeyCode::Right, mq::KeyCode::Left);
        height = (height + 0.1 * held(mq::KeyCode::Up, mq::KeyCode::Down)).clamp(0.5, 12.0);
        let position = mq::vec3(12.0 * turn.sin(), height, 12.0 * turn.cos());
        let view = mq::Camera3D { position, target: mq::Vec3::ZERO, up: mq::Vec3::Y, ..Default::default() };
        mq::clear_background(mq::WHITE);
        mq::set_camera(&view);

        // Each segment is a line of the window. macroquad has another version of glam: vectors cross over as arrays.
        let draw = |outline: &dyn Outline<Vec3>| {
            outline.outline_each(&options, &mut |line| {
                let [r, g, b] = line.color.rgb();
                let [from, to] = [line.a, line.b].map(|end| mq::Vec3::from_array(end.to_array()));
                draw_line_3d(from, to, mq::Color::from_rgba(r, g, b, 255));
            });
        };
        draw(&scene);

        // The ray under the mouse, by the matrix with which macroquad draws. From the camera it is a point; a click keeps it, so
        // that it shows from elsewhere.
        let (size, (x, y)) = ([mq::screen_width(), mq::screen_height()], mq::mouse_position());
        let matrix = mq::Camera::matrix(&view).to_cols_array_2d();
        let camera = Camera::<Vec3>::from_view_projection(matrix, size.map(|pixels| pixels.max(1.0) as u32))?;
        let ray = camera.ray([x, y]);
        let cast = CastOutline::new(&ray, .., scene.cast_ray(&ray, ..));
        if mq::is_mouse_button_pressed(mq::MouseButton::Left) {
            clicked = Some(cast);
        }
        draw(&cast);
        clicked.iter().for_each(|cast| draw(cast));
        mq::next_frame().await;
    }
    Ok(())
}

fn scene() -> Result<Scene3, Box<dyn Error>> {
    let mut scene = Scene3::new();
    scene.insert(Object::new(HalfSpace::new(Vec3::ZERO, Vec3::Y)?))?;
    scene.insert(Object::new(Sphere::new(Vec3::new(-3.0, 1.0, 0.0), 1.0)?))?;
    scene.insert(Object::new(Cylinder::new(Vec3::ZERO, Vec3::Y * 2.0, 0.8)?))?;
    scene.insert(Object::new(Capsule::new(Vec3::new(3.0, 0.5, -1.0), Vec3::new(3.0, 2.0, 1.0), 0.5)?).as_trigger())?;
    // A box that is sheared and turned.
    let placed = Transform::new(
        [Vec3::new(1.0, 0.0, 0.5), Vec3::new(0.3, 1.0, 0.0), Vec3::new(-0.5, 0.0, 1.0)],
        Vec3::new(0.0, 1.0, 3.0),
    )?;
    scene.insert(Object::new(Cuboid::new(Vec3::ZERO, Vec3::ONE)?).with_transform(placed))?;
    Ok(scene)
}
