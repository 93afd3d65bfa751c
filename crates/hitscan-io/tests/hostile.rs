//! Damaged files: thousands of mutations of valid ones through every reader. Each gives an error or a result, never a
//! panic, a hang, or more memory than such small files should need.

#[path = "support/heap.rs"]
mod heap;
mod support;

use heap::peak;
use hitscan::TriangleMesh;
use hitscan::glam::Vec3;
use hitscan_io::{Dimension, RayReader, read_mesh};
use std::path::Path;
use support::{Folder, arrow, batch, parquet, ray_columns};
use test_support::random::Lcg;

/// Random mutations of a file, the same in every run.
trait Mutate {
    fn mutate(&mut self, bytes: &mut Vec<u8>);
}

impl Mutate for Lcg {
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(7) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.below(256) as u8),
                2 => drop(bytes.drain(at..bytes.len().min(at + 1 + self.below(16)))),
                3 => {
                    let from = self.below(bytes.len());
                    let piece = bytes[from..bytes.len().min(from + 32)].to_vec();
                    bytes.splice(at..at, piece);
                }
                4 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xFF),
                5 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = self.below(256) as u8),
            }
        }
    }
}

fn mesh_files() -> Vec<(&'static str, Vec<u8>)> {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
                element face 2\nproperty list uchar int vertex_indices\nend_header\n\
                0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n";
    let mut binary = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement edge 9000000000\nelement face 2\nproperty list uint ushort vertex_index\nend_header\n"
        .to_vec();
    binary.extend((0..12).flat_map(|i| (i as f32).to_le_bytes()));
    for _ in 0..2 {
        binary.extend(3_u32.to_le_bytes());
        binary.extend([0, 0, 1, 0, 2, 0]);
    }
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 \\\n1\nf 1/1/1 2//2 -1\nf 1 2 3 4\n";
    let stl = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";
    let off = "COFF # a square\n4 2 5\n0 0 0 255 0 0\n1 0 0 1 1 1\n\n1 1 0 0 0 0\n0 1 0 0 0 0\n4 0 1 2 3 0.5 0.5 0.5\n3 0 1 2\n";
    let mut binary_stl = vec![b's'; 80];
    binary_stl.extend(3_u32.to_le_bytes());
    binary_stl.extend((0..150).map(|i| i as u8));
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0f32]].map(Vec3::from);
    let saved = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap().to_bytes();
    let gltf = include_bytes!("../../../fuzz/seeds/mesh_gltf/text.gltf");
    let glb = include_bytes!("../../../fuzz/seeds/mesh_gltf/container.glb");
    vec![
        ("a.hitmesh", saved),
        ("a.ply", text.into()),
        ("b.ply", binary),
        ("a.obj", obj.into()),
        ("a.off", off.into()),
        ("a.stl", stl.into()),
        ("b.stl", binary_stl),
        ("a.gltf", gltf.into()),
        ("a.glb", glb.into()),
    ]
}

fn ray_files(folder: &Folder) -> Vec<(&'static str, Vec<u8>)> {
    use ::parquet::basic::{Compression, ZstdLevel};
    use arrow_ipc::CompressionType as Ipc;
    let mut columns = ray_columns(30, |row| (row % 97) as f64);
    let names: arrow_array::StringArray = (0..30).map(|row| Some(format!("ray {row}"))).collect();
    columns.push(("name", std::sync::Arc::new(names)));
    let batches = [batch(&columns)];
    let parquets = [
        ("a.parquet", Compression::UNCOMPRESSED),
        ("b.parquet", Compression::SNAPPY),
        ("c.parquet", Compression::ZSTD(ZstdLevel::default())),
    ];
    let arrows = [("a.arrow", None), ("b.arrow", Some(Ipc::LZ4_FRAME)), ("c.arrow", Some(Ipc::ZSTD))];
    parquets.iter().for_each(|(name, compression)| parquet(&folder.path(name), &batches, *compression));
    arrows.iter().for_each(|(name, compression)| arrow(&folder.path(name), &batches, *compression));
    let columnar = parquets.iter().map(|(name, _)| *name).chain(arrows.iter().map(|(name, _)| *name));
    let mut files: Vec<_> = columnar.map(|name| (name, std::fs::read(folder.path(name)).unwrap())).collect();
    let csv = "ox,oy,oz,dx,dy,dz,t_max\n0,0,0,1,0,0,inf\n\"1\",2,3,4,5,6,7\n1e3,-0,.5,1,0,0,9\n";
    files.push(("a.csv", csv.into()));
    files
}

fn read_rays(path: &Path) -> Result<(), String> {
    for batch in RayReader::open(path, Dimension::Three).map_err(|error| error.to_string())? {
        batch.map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[test]
fn damaged_files_give_errors() {
    const MIB: usize = 1 << 20;
    // A decoder's panic becomes an error; its message is not worth a screen.
    let rounds: usize = std::env::var("HITSCAN_HOSTILE_ROUNDS").map_or(400, |rounds| rounds.parse().unwrap());
    std::panic::set_hook(Box::new(|info| {
        if std::env::var("HITSCAN_SHOW").is_ok()
            || !info.location().is_some_and(|location| location.file().contains("/registry/"))
        {
            eprintln!("{info}");
        }
    }));
    let folder = Folder::new();
    let (_, valid) = ray_files(&folder).swap_remove(0);
    let huge = folder.file("huge.parquet", two_billion_row_groups(valid));
    let (result, bytes) = peak(|| read_rays(&huge));
    assert!(result.unwrap_err().ends_with("huge.parquet: damaged Parquet file: implausible footer"));
    assert!(bytes < MIB);
    let mut random = Lcg::new(1);
    for (name, original) in mesh_files().into_iter().chain(ray_files(&folder)) {
        let is_mesh = ["ply", "obj", "stl", "off", "gltf", "glb", "hitmesh"].contains(&name.split_once('.').unwrap().1);
        let (mut worst, mut good) = (0, 0);
        for round in 0..rounds {
            let mut bytes = original.clone();
            if round > 0 {
                random.mutate(&mut bytes);
            }
            let path = folder.file(name, &bytes);
            let (result, bytes) = peak(|| match is_mesh {
                true => read_mesh(&path).map(drop).map_err(|error| error.to_string()),
                false => read_rays(&path),
            });
            // Not overwritten: some file systems wait for the disk then.
            std::fs::remove_file(&path).unwrap();
            match result {
                Ok(()) => good += 1,
                Err(line) => assert!(!line.contains('\n') && line.starts_with(path.to_str().unwrap()), "{line}"),
            }
            assert!(round > 0 || good == 1, "{name} is not valid to begin with");
            worst = worst.max(bytes);
        }
        println!("{name}: {good} of {rounds} still readable, at most {} KiB", worst / 1024);
        assert!(worst < 64 * MIB, "{name}: {worst} bytes");
    }
}

/// A file that random mutations rarely make; `parquet` alone would allocate 300 GiB here.
fn two_billion_row_groups(mut bytes: Vec<u8>) -> Vec<u8> {
    let tail = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().unwrap());
    let footer = tail - length as usize;
    // A field that is a list, a list of one structure.
    let list = footer + bytes[footer..].windows(2).position(|pair| pair == [0x19, 0x1C]).unwrap();
    bytes.splice(list + 1..list + 2, [0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]);
    bytes[tail + 5..tail + 9].copy_from_slice(&(length + 5).to_le_bytes());
    bytes
}
