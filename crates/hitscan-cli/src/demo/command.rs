//! The command line of `hitscan demo`, its tables and pictures.

use super::examples::{Example, PLANE, Rule, SPACE};
use super::trefoil::trefoil;
use crate::console::Console;
use crate::error::{Error, Result};
use crate::numbers::Numbers;
use crate::outputs::file_of;
use crate::parallel::available_threads;
use crate::ray_arguments::RayArguments;
use crate::render::{Canvas, ColorBy, ViewOptions, png_of_space, svg_of_plane};
use crate::scene::{SceneSpace, coordinates, kind, names, vector};
use crate::text::{Grid, number, point};
use clap::Args;
use hitscan::Real;
use hitscan::glam::{Vec2, Vec3};
use hitscan::{Object, Ray, RayCast, Scene, Side, TriangleMesh};
use hitscan_io::{Dimension, MeshData, SceneFile, write_file};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Show every shape, a ray at each, a table of hits and a picture
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan demo                                 writes hitscan-demo.png and hitscan-demo-2d.svg
  hitscan demo --print-scene > my-scene.toml   a scene to play with, and its mesh:
  hitscan demo --print-mesh > hitscan-demo-knot.obj")]
pub(crate) struct DemoArguments {
    /// The picture of the scene in space, .png; the flat one is put beside it, with -2d.svg at the end of its name
    #[arg(short, long, value_name = "FILE", default_value = "hitscan-demo.png")]
    output: PathBuf,
    /// Only the scene in the plane, 2, or in space, 3 [default: both]
    #[arg(long, value_name = "2|3", value_parser = clap::value_parser!(u8).range(2..=3))]
    dimension: Option<u8>,
    /// Print the scene file instead (of --dimension, or in space)
    #[arg(long, conflicts_with = "print_mesh")]
    print_scene: bool,
    /// Print the mesh of the scene in space instead, as OBJ
    #[arg(long)]
    print_mesh: bool,
}

const SPACE_TOML: &str = include_str!("space.toml");
const MESH_TOML: &str = include_str!("mesh.toml");
const PLANE_TOML: &str = include_str!("plane.toml");
/// Position of the mesh, as in `mesh.toml`.
const MESH_PLACE: Vec3 = Vec3::new(0.0, 2.5, -2.5);

impl DemoArguments {
    pub(crate) fn run(&self, console: &mut Console) -> Result<()> {
        if self.print_scene {
            let parts = if self.dimension == Some(2) { [PLANE_TOML, ""] } else { [SPACE_TOML, MESH_TOML] };
            return Ok(console.out.write_all(parts.concat().as_bytes())?);
        }
        if self.print_mesh {
            return Ok(console.out.write_all(obj(&trefoil()).as_bytes())?);
        }
        if file_of(&self.output).is_none() {
            return Err(Error::usage("-o -: standard output has the tables of hits: -o needs the name of a .png"));
        }
        if self.output.extension().is_none_or(|extension| extension != "png") {
            return Err(Error::input(format!("{}: the picture is a .png", self.output.display())));
        }
        let mut written = Vec::new();
        if self.dimension != Some(2) {
            self.space(console)?;
            written.push(self.output.clone());
        }
        if self.dimension != Some(3) {
            written.push(self.plane(console)?);
        }
        let names: Vec<String> = written.iter().map(|path: &PathBuf| path.display().to_string()).collect();
        writeln!(console.out, "wrote {}", names.join(" and "))?;
        Ok(())
    }

    fn space(&self, console: &mut Console) -> Result<()> {
        let mut builder = SceneFile::parse_toml("space.toml", SPACE_TOML)?.builder::<Vec3>()?;
        let MeshData { vertices, triangles, .. } = trefoil();
        let place = |v: &[f64; 3]| vector::<Vec3>(*v) + MESH_PLACE;
        let mesh = TriangleMesh::new(vertices.iter().map(place).collect(), triangles);
        let mesh = mesh.map_err(|error| Error::input(format!("the trefoil: {error}")))?;
        builder.insert(Object::new(mesh).named("knot")).map_err(|error| Error::input(error.to_string()))?;
        let scene = builder.build();
        console.out.write_all(table(&scene, SPACE, "In space").as_bytes())?;
        let view = ViewOptions {
            by: ColorBy::Shape,
            samples: 3,
            camera: Some(Numbers(vec![4.5, 7.5, 15.5, 0.25, 0.875, 0.0])),
            side: None,
            fov: 32.0,
            up: None,
            labels: true,
        };
        let canvas = self.canvas(console, 1280, 800);
        let shown = shown(SPACE).batch(Dimension::Three)?;
        let png = png_of_space(&scene, Some(&shown), &view, &canvas)?;
        Ok(write_file(&self.output, &png)?)
    }

    fn plane(&self, console: &mut Console) -> Result<PathBuf> {
        let scene = SceneFile::parse_toml("plane.toml", PLANE_TOML)?.build::<Vec2>()?;
        console.out.write_all(table(&scene, PLANE, "In the plane").as_bytes())?;
        let svg = {
            let view = ViewOptions { labels: true, ..ViewOptions::default() };
            let rays = shown(PLANE).batch(Dimension::Two)?;
            svg_of_plane(&scene, Some(&rays), &view, &self.canvas(console, 1200, 680))
        };
        let path = beside(&self.output);
        write_file(&path, svg.as_bytes())?;
        Ok(path)
    }

    fn canvas(&self, console: &Console, width: u32, height: u32) -> Canvas {
        Canvas { width, height, threads: available_threads(), shows_progress: console.shows_progress() }
    }
}

/// `picture.png` to `picture-2d.svg`.
fn beside(path: &Path) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}-2d.svg"))
}

/// The rays of the picture.
fn shown(examples: &[Example]) -> RayArguments {
    let axes = if examples.iter().any(|example| example.ray[0][2] != 0.0) { 3 } else { 2 };
    let drawn = examples.iter().filter(|example| example.rule == Rule::First);
    let numbers = |example: &Example| Numbers(example.ray.iter().flat_map(|v| &v[..axes]).copied().collect());
    RayArguments { ray: drawn.map(numbers).collect(), ..RayArguments::default() }
}

/// A table of the rays and their hits.
fn table<V: SceneSpace>(scene: &Scene<V>, examples: &[Example], title: &str) -> String {
    let mut grid = Grid::new(&["ray", "hits", "type", "t", "distance", "point", "normal", "side"]);
    let names = names(scene);
    for example in examples {
        let [origin, direction] = example.ray.map(vector::<V>);
        let mut row = vec![example.what.to_owned()];
        match scene.cast_ray(&Ray::new(origin, direction), example.rule.query::<V::Scalar>()) {
            None => row.push("nothing".into()),
            Some(hit) => {
                let shape = hit.object.map_or(0, hitscan::ObjectId::index);
                row.extend([
                    names[shape].clone(),
                    hit.object.and_then(|id| scene.get(id)).map_or("", |object| kind::<V>(object.shape())).to_owned(),
                ]);
                row.extend([hit.t, hit.distance].map(|x| number(x.to_f64())));
                row.extend([hit.point, hit.normal].map(|v| point(coordinates(v), V::DIM)));
                row.push(if hit.side == Side::Front { "front" } else { "back" }.into());
            }
        }
        grid.push(row);
    }
    format!("{title}: {} shapes\n\n{}\n", scene.len(), grid.take())
}

fn obj(mesh: &MeshData) -> String {
    let mut text = String::from("# A trefoil knot, made by `hitscan demo --print-mesh`.\n");
    // Writing to a string does not fail.
    for [x, y, z] in &mesh.vertices {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 1)) {
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}
