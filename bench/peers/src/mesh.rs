//! Triangle meshes of the benchmarks: from files, or generated.

use hitscan::glam::Vec3;
use std::path::Path;

/// Triangle mesh with its name.
pub(crate) struct Mesh {
    pub(crate) name: String,
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Mesh {
    pub(crate) fn arrays(&self) -> Vec<[f32; 3]> {
        self.vertices.iter().map(|v| v.to_array()).collect()
    }
    /// Vertices of each triangle.
    pub(crate) fn corners(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.triangles.iter().map(|t| t.map(|i| self.vertices[i as usize]))
    }
}

/// Mesh of a file.
pub(crate) fn load(path: &Path) -> Result<Mesh, String> {
    let data = hitscan_io::read_mesh(path).map_err(|error| error.to_string())?;
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let vertices = data.vertices.iter().map(|v| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)).collect();
    Ok(Mesh { name, vertices, triangles: data.triangles })
}

/// Bumpy sphere of approximately this many triangles, for machines without meshes.
pub(crate) fn bumpy_sphere(triangles: usize) -> Mesh {
    let rings = ((triangles / 4) as f64).sqrt() as usize;
    let (sides, tau) = (2 * rings, std::f64::consts::TAU);
    let mut vertices = Vec::new();
    for ring in 0..=rings {
        for side in 0..sides {
            let (polar, around) = (ring as f64 / rings as f64 * 0.5 * tau, side as f64 / sides as f64 * tau);
            let r = 1.0 + 0.1 * (9.0 * polar).sin() * (7.0 * around).cos() + 0.01 * (90.0 * around).sin() * polar.sin();
            let point = [polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin()].map(|x| (r * x) as f32);
            vertices.push(Vec3::from_array(point));
        }
    }
    let at = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
    let squares = (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, d, b], [d, c, b]]
    });
    let triangles: Vec<_> = triangles.collect();
    Mesh { name: format!("ball{}k", triangles.len() / 1000), vertices, triangles }
}
