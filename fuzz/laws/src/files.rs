//! Laws of files: any bytes give a result or a one-line error, never a panic; and the result can be written.

use crate::law::law;
use crate::scene::round_trip;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Ray, RayCast, Shape, TriangleMesh};
use hitscan_io::{
    Dimension, Endpoint, Error, Format, MeshData, Precision, RayBatch, RayReader, ReadOptions, SceneFile, SceneVector,
    mesh_parts, read_mesh, write_obj, write_ply,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Temporary file, in memory if the system has such a folder.
struct Scratch(PathBuf);

impl Scratch {
    fn new(extension: &str) -> Self {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        Self(folder.join(format!("hitscan-fuzz-{}-{serial}.{extension}", std::process::id())))
    }

    fn holding(extension: &str, bytes: &[u8]) -> Self {
        let scratch = Self::new(extension);
        std::fs::write(&scratch.0, bytes).expect("the scratch folder can be written to");
        scratch
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Law: an error is one line that begins with the name of the file.
fn check_message(error: &Error, file: &str) {
    let line = error.to_string();
    let fine = line.starts_with(file) && !line.chars().any(char::is_control) && line.len() < 4096;
    law(fine, "files: an error is one line that names the file", || format!("{line:?}"));
}

/// Scene in TOML.
pub fn scene_toml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Files of this machine are no part of the input.
    if text.contains("file") {
        return;
    }
    let file = match SceneFile::parse_toml("scene.toml", text) {
        Ok(file) => file,
        Err(error) => return check_message(&error, "scene.toml"),
    };
    let (flat, single) = (file.dimension() == Dimension::Two, file.precision() == Precision::F32);
    build::<Vec2>(&file, flat, single);
    build::<DVec2>(&file, flat, !single);
    build::<Vec3>(&file, !flat, single);
    build::<DVec3>(&file, !flat, !single);
}

fn build<V: SceneVector>(file: &SceneFile, fits: bool, own: bool) {
    match file.build::<V>() {
        Ok(scene) => {
            law(fits, "scene file: built in another dimension", || format!("{file:?}"));
            for direction in [V::splat(hitscan::Real::ONE), V::default()] {
                let ray = Ray::new(scene.finite_bounds().min, direction);
                let hit = scene.cast_ray(&ray, ..);
                law(hit.is_some() == scene.intersects_ray(&ray, ..), "scene file: intersects_ray differs", || {
                    format!("{scene:?}")
                });
            }
            round_trip(&scene);
        }
        Err(error) => {
            check_message(&error, "scene.toml");
            law(!(fits && own), "scene file: read, but not built in its own precision", || {
                format!("{error}\n{file:?}")
            });
        }
    }
}

/// Mesh in OBJ.
pub fn mesh_obj(bytes: &[u8]) {
    mesh("obj", bytes);
}

/// Mesh in STL.
pub fn mesh_stl(bytes: &[u8]) {
    mesh("stl", bytes);
}

/// Mesh in PLY.
pub fn mesh_ply(bytes: &[u8]) {
    mesh("ply", bytes);
}

/// Mesh in OFF.
pub fn mesh_off(bytes: &[u8]) {
    mesh("off", bytes);
}

/// Mesh in glTF, text or container.
pub fn mesh_gltf(bytes: &[u8]) {
    match mesh_parts(Path::new("mesh.gltf"), bytes) {
        // Files of this machine are no part of the input.
        Ok(parts) if !parts.is_empty() => {}
        Ok(_) => mesh("gltf", bytes),
        Err(error) => check_message(&error, "mesh.gltf"),
    }
}

fn mesh(extension: &str, bytes: &[u8]) {
    let file = Scratch::holding(extension, bytes);
    let mesh = match read_mesh(&file.0) {
        Ok(mesh) => mesh,
        Err(error) => return check_message(&error, &file.0.display().to_string()),
    };
    let MeshData { vertices, triangles, precision } = &mesh;
    let case = || format!("{mesh:?}");
    law(!triangles.is_empty(), "mesh file: no triangles", case);
    law(triangles.iter().flatten().all(|&i| (i as usize) < vertices.len()), "mesh file: an index out of range", case);
    law(vertices.iter().flatten().all(|x| x.is_finite()), "mesh file: not finite", case);
    let single = vertices.iter().flatten().all(|&x| f64::from(x as f32) == x);
    law(single == (*precision == Precision::F32), "mesh file: another precision", case);
    // The nodes of a glTF may place a mesh several times.
    let most = if extension == "gltf" { 16 * bytes.len() + 16 } else { bytes.len() };
    law(triangles.len() <= most, "mesh file: more triangles than bytes", || format!("{}", triangles.len()));
    for (extension, write) in [("ply", write_ply as fn(&Path, &MeshData) -> _), ("obj", write_obj)] {
        let again = Scratch::new(extension);
        let written = write(&again.0, &mesh).and_then(|()| read_mesh(&again.0));
        match written {
            Ok(read) => {
                let bits =
                    |mesh: &MeshData| -> Vec<u64> { mesh.vertices.iter().flatten().map(|x| x.to_bits()).collect() };
                let same = read == mesh && bits(&read) == bits(&mesh);
                law(same, "mesh file: another mesh is read than was written", || {
                    format!("{extension} {mesh:?}\n{read:?}")
                });
            }
            Err(error) => law(false, "mesh file: what was written is refused", || format!("{error}\n{mesh:?}")),
        }
    }
    let built = TriangleMesh::<DVec3>::new(vertices.iter().map(|&v| v.into()).collect(), triangles.clone());
    law(built.is_ok(), "mesh file: read, but no mesh", || format!("{built:?}\n{mesh:?}"));
    if let Ok(mesh) = built {
        let ray = Ray::new(mesh.aabb().min, DVec3::ONE);
        law(
            mesh.cast_ray(&ray, ..) == mesh.linear_scan().cast_ray(&ray, ..),
            "mesh: the tree changes the first hit",
            case,
        );
    }
}

/// Rays in CSV.
pub fn rays_csv(bytes: &[u8]) {
    rays(Format::Csv, "csv", bytes);
}

/// Rays in JSON lines.
pub fn rays_jsonl(bytes: &[u8]) {
    rays(Format::JsonLines, "jsonl", bytes);
}

/// Rays in Parquet or Arrow IPC: both readers try.
pub fn rays_parquet_arrow(bytes: &[u8]) {
    rays(Format::Parquet, "parquet", bytes);
    rays(Format::Arrow, "arrow", bytes);
}

fn rays(format: Format, extension: &str, bytes: &[u8]) {
    let file = Scratch::holding(extension, bytes);
    // A reader of text costs more than all that it reads here, so one dimension is enough.
    let flat = !bytes.contains(&b'z');
    let tried = [Dimension::Two, Dimension::Three].into_iter();
    for dimension in tried.filter(|d| !format.is_text() || flat == (*d == Dimension::Two)) {
        let [large, small] = [1 << 12, 3].map(|batch_rows| table(&file.0, format, dimension, batch_rows));
        // For a damaged file either may report something else.
        let agree = large.is_err() && small.is_err() || large == small;
        law(agree, "rays: the size of batches changes what is read", || format!("{large:?}\n{small:?}"));
    }
}

/// Reads all rows as bits: -0 is not 0.
fn table(path: &Path, format: Format, dimension: Dimension, batch_rows: usize) -> Result<Vec<Vec<u64>>, String> {
    let name = path.display().to_string();
    let fail = |error: Error| {
        check_message(&error, &name);
        error.to_string()
    };
    let options = ReadOptions { format: Some(format), batch_rows, ..ReadOptions::default() };
    let mut reader = RayReader::open_with(path, dimension, &options).map_err(fail)?;
    let total = reader.total_rows();
    let mut rows: Vec<Vec<u64>> = Vec::new();
    for batch in &mut reader {
        let batch = batch.map_err(fail)?;
        let case = || format!("{batch:?}");
        law(batch.first_row == rows.len() as u64, "rays: rows are lost or repeated", case);
        law(0 < batch.len() && batch.len() <= batch_rows, "rays: a batch of another size", case);
        let columns = columns(&batch);
        law(columns.iter().all(|column| column.len() == batch.len()), "rays: columns of other lengths", case);
        rows.extend((0..batch.len()).map(|row| columns.iter().map(|column| column[row].to_bits()).collect()));
    }
    law(total.is_none_or(|total| total == rows.len() as u64), "rays: not as many as announced", || {
        format!("{total:?}")
    });
    Ok(rows)
}

fn columns(batch: &RayBatch) -> Vec<&[f64]> {
    let (Endpoint::Direction(second) | Endpoint::End(second)) = &batch.endpoint;
    let axes = batch.dimension.count();
    let points = batch.origin[..axes].iter().chain(&second[..axes]);
    law(points.clone().flatten().all(|x| x.is_finite()), "rays: not finite", || format!("{batch:?}"));
    let range: Vec<_> = [&batch.t_min, &batch.t_max].into_iter().flatten().collect();
    law(!range.iter().any(|column| column.iter().any(|x| x.is_nan())), "rays: a range that is not a number", || {
        format!("{batch:?}")
    });
    points.chain(range).map(Vec::as_slice).collect()
}

/// Largest memory for a file: a few copies of its content, for tables of the unpacked content (a zstd block of 4 bytes
/// can unpack to 128 KiB).
pub fn modest(target: &str, bytes: &[u8], most: usize) {
    let per_byte = if target == "rays_parquet_arrow" { 4 << 15 } else { 2048 };
    let limit = (1 << 22) + per_byte * bytes.len();
    law(most <= limit, "files: too much memory", || format!("{most} bytes for {} (at most {limit})", bytes.len()));
}

/// Hides panics of decoders of other crates that the library catches: libFuzzer would end at them. An uncaught panic
/// still ends the target.
pub fn let_panics_be_caught() {
    drop(std::panic::take_hook());
    let show = std::env::var("HITSCAN_SHOW").is_ok();
    std::panic::set_hook(Box::new(move |info| {
        // Shows panics of this workspace and of laws; those of other crates on demand.
        if show || !info.location().is_some_and(|location| location.file().contains("/registry/")) {
            eprintln!("{info}");
        }
    }));
}
