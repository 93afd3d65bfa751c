//! `render` and `demo`: real pictures, of the right size, with something in them.

use crate::support::{BALL, Folder};
use std::collections::HashSet;

/// Width, height, and the number of different colours of a PNG.
fn look(folder: &Folder, name: &str) -> (u32, u32, usize) {
    let bytes = folder.read(name);
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes[..])).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let colors: HashSet<[u8; 3]> = pixels.chunks(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    (info.width, info.height, colors.len())
}

#[test]
fn a_scene_in_space_from_every_side() {
    let folder = Folder::new("render");
    folder.file("scene.toml", BALL);
    for by in ["shape", "normal", "depth"] {
        let line = format!("render scene.toml --by {by} --width 60 --height 40 --samples 1 -o {by}.png");
        assert_eq!(folder.done(&line), "");
        let (width, height, colors) = look(&folder, &format!("{by}.png"));
        assert_eq!((width, height), (60, 40));
        assert!(colors > 50, "{by}: {colors} colours");
    }
    for side in ["front", "back", "left", "right", "top", "bottom", "iso"] {
        folder.done(&format!("render scene.toml --side {side} --up 0,0,1 --width 30 --height 30 -o side.png"));
        assert!(look(&folder, "side.png").2 > 50, "{side}");
    }
    folder.done(
        "render scene.toml --camera -5,5,5,5,5,5 --fov 20 --width 30 --height 20 --ray 0,0,0,1,1,1 -o camera.png",
    );
    assert!(look(&folder, "camera.png").2 > 50);
    // The picture does not depend on the number of threads, and without -o it is called like the scene.
    let one = "render scene.toml --width 50 --height 50 --threads";
    assert_eq!(folder.done(&format!("{one} 1")), "scene.png\n");
    let first = folder.read("scene.png");
    folder.done(&format!("{one} 2"));
    assert_eq!(folder.read("scene.png"), first);
}

#[test]
fn a_flat_scene_as_a_drawing_and_as_pixels() {
    let folder = Folder::new("render-flat");
    folder.file("flat.toml", folder.done("demo --dimension 2 --print-scene"));
    assert_eq!(folder.done("render flat.toml --ray 3,2,7,4 --ray 19.5,5,4,0.125"), "flat.svg\n");
    let svg = String::from_utf8(folder.read("flat.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<title>").count(), 10, "every shape");
    for (what, color) in [("ray", "#d62728"), ("normal", "#1f9e3f"), ("miss", "#1f5fd0")] {
        assert!(svg.contains(color), "{what}");
    }
    folder.done("render flat.toml --ray 3,2,7,4 --width 120 --height 80 -o flat.png");
    let (width, height, colors) = look(&folder, "flat.png");
    assert_eq!((width, height), (120, 80));
    assert!(colors > 20, "{colors} colours");
}

#[test]
fn the_demo_shows_every_shape() {
    let folder = Folder::new("demo");
    let text = folder.done("demo");
    assert_eq!(folder.names(), ["hitscan-demo-2d.svg", "hitscan-demo.png"]);
    let kinds = "sphere box capsule cylinder cone frustum ellipsoid disk triangle plane half_space mesh circle half_plane \
                 line segment rectangle polygon ellipse";
    for kind in kinds.split_whitespace() {
        assert!(text.split_whitespace().any(|word| word == kind), "{kind} is hit");
    }
    assert_eq!(text.matches("nothing").count(), 5, "{text}");
    assert!(text.ends_with("wrote hitscan-demo.png and hitscan-demo-2d.svg\n"));
    assert!(look(&folder, "hitscan-demo.png").2 > 1_000);
    assert!(folder.read("hitscan-demo-2d.svg").starts_with(b"<svg "));
    // The scene that it prints is the one that it shows.
    folder.file("scene.toml", folder.done("demo --print-scene"));
    folder.file("hitscan-demo-knot.obj", folder.done("demo --print-mesh"));
    let hits = folder.done("cast scene.toml --ray 1.5,4.5,0.5,-0.5,-1,-1.5");
    assert!(hits.contains(" knot "), "{hits}");
    assert!(folder.done("info scene.toml").contains("watertight yes"));
}
