//! `render` and `demo`: real pictures, of the right size, with something in them.

use crate::support::{BALL, Folder, check_drawing, csv_column, page_sessions};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Width, height, and the colours of the pixels of a PNG.
fn pixels(bytes: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut colors = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut colors).unwrap();
    (info.width, info.height, colors.chunks(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
}

/// Width, height, and the number of different colours of a PNG.
fn measure(folder: &Folder, name: &str) -> (u32, u32, usize) {
    let (width, height, pixels) = pixels(&folder.read(name));
    (width, height, pixels.into_iter().collect::<HashSet<_>>().len())
}

#[test]
fn a_scene_in_space_from_every_side() {
    let folder = Folder::new("render");
    folder.file("scene.toml", BALL);
    for by in ["shape", "normal", "depth"] {
        let line = format!("render scene.toml --by {by} --width 60 --height 40 --samples 1 -o {by}.png");
        assert_eq!(folder.done(&line), "");
        let (width, height, colors) = measure(&folder, &format!("{by}.png"));
        assert_eq!((width, height), (60, 40));
        assert!(colors > 50, "{by}: {colors} colours");
    }
    for side in ["front", "back", "left", "right", "top", "bottom", "iso"] {
        folder.done(&format!("render scene.toml --side {side} --up 0,0,1 --width 30 --height 30 -o side.png"));
        assert!(measure(&folder, "side.png").2 > 50, "{side}");
    }
    folder.done(
        "render scene.toml --camera -5,5,5,5,5,5 --fov 20 --width 30 --height 20 --ray 0,0,0,1,1,1 -o camera.png",
    );
    assert!(measure(&folder, "camera.png").2 > 50);
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
    let (width, height, colors) = measure(&folder, "flat.png");
    assert_eq!((width, height), (120, 80));
    assert!(colors > 20, "{colors} colours");
}

/// The scene of a page of the documentation: groups, their transforms, names of layers.
#[test]
fn the_forest_is_drawn() {
    let folder = Folder::new("forest");
    let forest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/forest.toml");
    folder.file("forest.toml", fs::read_to_string(forest).expect("the scene of the documentation"));
    folder.done("render forest.toml --camera 9,9,16,0,1.5,0 --width 200 --height 110");
    let (width, height, colors) = measure(&folder, "forest.png");
    assert!((width, height) == (200, 110) && colors > 1_000, "{width} {height} {colors}");
    // Down on the tip of the bent tree, and on the ground beside it.
    let hits = folder.done("cast forest.toml --ray -3.125,9,-5.40625,0,-1,0 --ray -3.125,9,-9,0,-1,0 --format csv");
    assert_eq!(csv_column(&hits, "shape"), ["bent", "plane-0"]);
    let ground = folder.done("cast forest.toml --ray -3.125,9,-5.40625,0,-1,0 --layers ground --format csv");
    assert_eq!(csv_column(&ground, "shape"), ["plane-0"]);
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
    assert!(measure(&folder, "hitscan-demo.png").2 > 1_000);
    let svg = String::from_utf8(folder.read("hitscan-demo-2d.svg")).unwrap();
    assert!(svg.starts_with("<svg "));
    for name in "circle ground skyline wall house card capsule triangle hexagon ellipse".split(' ') {
        assert!(svg.contains(&format!(">{name}</text>")), "{name}");
    }
    // The scene that it prints is the one that it shows.
    folder.file("scene.toml", folder.done("demo --print-scene"));
    folder.file("hitscan-demo-knot.obj", folder.done("demo --print-mesh"));
    let hits = folder.done("cast scene.toml --ray 1.5,4.5,0.5,-0.5,-1,-1.5");
    assert!(hits.contains(" knot "), "{hits}");
    assert!(folder.done("info scene.toml").contains("watertight yes"));
}

/// The mean brightness of a PNG, 0 to 255.
fn brightness(folder: &Folder, name: &str) -> f64 {
    let (_, _, pixels) = pixels(&folder.read(name));
    pixels.as_flattened().iter().map(|byte| f64::from(*byte)).sum::<f64>() / pixels.as_flattened().len() as f64
}

/// A closed room: the light outside does not reach it.
#[test]
fn the_inside_of_a_room_is_lit() {
    let folder = Folder::new("room");
    let corners: String = (0..8).map(|i| format!("v {} {} {}\n", i & 1, i >> 1 & 1, i >> 2)).collect();
    let faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    for (name, is_inward) in [("outward.obj", false), ("inward.obj", true)] {
        let face = |mut face: [u32; 4]| {
            if is_inward {
                face.reverse();
            }
            format!("f {} {} {} {}\n", face[0], face[1], face[2], face[3])
        };
        folder.file(name, corners.clone() + &faces.map(face).concat());
        folder.done(&format!(
            "render {name} --camera 0.1,0.5,0.1,0.9,0.4,0.9 --fov 80 --width 60 --height 40 -o room.png"
        ));
        let brightness = brightness(&folder, "room.png");
        assert!(brightness > 85.0, "{name}: {brightness}");
    }
}

#[test]
fn labels_name_the_shapes() {
    let folder = Folder::new("labels");
    folder.file("scene.toml", BALL);
    folder.done("render scene.toml --width 200 --height 150 -o plain.png");
    folder.done("render scene.toml --width 200 --height 150 --labels -o labels.png");
    assert!(folder.read("plain.png") != folder.read("labels.png"));
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\nname = 'a < b'\ncenter = [0, 0]\nradius = 1");
    folder.done("render flat.toml --labels");
    let svg = String::from_utf8(folder.read("flat.svg")).unwrap();
    assert!(svg.contains(">a &lt; b</text>"), "{svg}");
    folder.done("render flat.toml");
    assert!(!String::from_utf8(folder.read("flat.svg")).unwrap().contains("</text>"));
}

#[test]
fn explain_draws_its_construction() {
    let folder = Folder::new("explain-picture");
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [10, 4]\nradius = 3");
    let text = folder.done("explain flat.toml --ray 3,2,7,4 --picture why.svg");
    assert_eq!(text, folder.done("explain flat.toml --ray 3,2,7,4"));
    let svg = String::from_utf8(folder.read("why.svg")).unwrap();
    // The foot of the perpendicular is at t = (49 + 8) / 65.
    for note in
        ["origin", "centre", "closest to the centre: t = 0.8769231", "hit, enters: t = 0.5734", "leaves: t = 1.18"]
    {
        assert!(svg.contains(&format!(">{note}")), "{note} in {svg}");
    }
    assert!(svg.contains("stroke-dasharray") && svg.contains("#d62728") && svg.contains("#1f9e3f"));
    folder.done("explain flat.toml --ray 3,2,-7,4 --picture miss.svg");
    let svg = String::from_utf8(folder.read("miss.svg")).unwrap();
    assert!(svg.contains("#1f5fd0") && !svg.contains("#d62728") && svg.contains(">closest to the centre"), "{svg}");
    folder.file("ball.toml", BALL);
    folder.done("explain ball.toml --ray 0,0,0,1,1,1 --picture why.png");
    assert_eq!(measure(&folder, "why.png").0, 1000);
    for (line, code, message) in [
        ("explain ball.toml --ray 0,0,0,1,1,1 --picture why.svg", 1, "an SVG shows flat scenes only"),
        ("explain ball.toml --ray 0,0,0,1,1,1 --picture why.gif", 1, "why.gif: a picture is .png or .svg"),
        (
            "explain ball.toml --ray 0,0,0,1,1,1 --ray 1,0,0,0,0,1 --picture two.png",
            2,
            "--picture draws one ray, but 2 are given",
        ),
    ] {
        let result = folder.run(line);
        assert!(result.code == code && result.text().is_empty() && result.err.contains(message), "{line}: {result:?}");
    }
}

#[test]
fn the_page_on_sight_shows_a_line_of_sight() {
    let folder = Folder::new("sight-page");
    assert_eq!(page_sessions(&folder, include_str!("../../../../docs/sight.md")), 1);
}

/// The page on solids: what it prints, and its pictures, which its commands draw from the scenes beside it.
#[test]
fn the_page_on_solids_shows_its_scenes() {
    let folder = Folder::new("solids-page");
    let page = include_str!("../../../../docs/solids.md");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::create_dir(folder.path("docs")).unwrap();
    for name in ["bracket.toml", "lens.toml", "rooms.toml", "solids-cases.toml"] {
        folder.file(&format!("docs/{name}"), fs::read(docs.join(name)).unwrap());
    }
    assert_eq!(page_sessions(&folder, page), 4);
    let mut pictures = 0;
    for line in page.split("`hitscan ").filter_map(|rest| rest.split_once('`')).map(|(line, _)| line) {
        let Some((_, name)) = line.split_once(" -o docs/") else { continue };
        if name.ends_with(".svg") {
            folder.done(line);
            check_drawing(name, &folder.read(&format!("docs/{name}")));
        } else {
            // One ray for each pixel instead of four: pixels along edges have other colours.
            folder.done(&format!("{line} --samples 1"));
            let (width, height, made) = pixels(&folder.read(&format!("docs/{name}")));
            let (shown_width, shown_height, shown) = pixels(&fs::read(docs.join(name)).unwrap());
            assert_eq!((width, height), (shown_width, shown_height), "{name}");
            let is_other = |(a, b): &(&[u8; 3], &[u8; 3])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 16);
            let others = made.iter().zip(&shown).filter(is_other).count();
            assert!(others * 100 < made.len() * 3, "docs/{name}: {others} of {} pixels differ", made.len());
        }
        pictures += 1;
    }
    assert_eq!(pictures, page.matches("\n![").count());
}
