//! The examples of `docs/cookbook.md` that read files. The page includes the sections between the marks `--8<--`.

use crate::support::Folder;
use std::error::Error;

#[test]
fn a_mesh_and_a_scene_from_files() -> Result<(), Box<dyn Error>> {
    let folder = Folder::new();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let mesh_path = folder.file("corner.obj", obj);
    let scene_path = folder.file("scene.toml", "[[shape]]\ntype = \"mesh\"\nfile = \"corner.obj\"\n");
    // --8<-- [start:file]
    use hitscan::{Ray, RayCast, glam::Vec3};
    use hitscan_io::{SceneFile, read_mesh};

    let ray = Ray::new(Vec3::new(0.25, 0.25, 5.0), Vec3::NEG_Z);
    let mesh = read_mesh(&mesh_path)?.to_mesh::<Vec3>()?; // .obj, .stl, .ply, .off, .gltf or .glb
    let hit = mesh.cast_ray(&ray, ..).ok_or("a miss")?;
    assert_eq!((hit.t, hit.primitive), (4.5, Some(3)));

    let scene = SceneFile::open(&scene_path)?.build::<Vec3>()?; // .toml, .hitscene, or a file of a mesh
    assert_eq!(scene.cast_ray(&ray, ..).map(|hit| hit.t), Some(4.5));
    // --8<-- [end:file]
    Ok(())
}
