//! Writing meshes: binary PLY and OBJ.

use super::MeshData;
use crate::dimension::Precision;
use crate::error::{Error, Result};
use crate::output::Output;
use std::io::{self, Write};
use std::path::Path;

/// Writes a binary little endian PLY, as `float` or `double` after the mesh's precision.
///
/// # Errors
///
/// When the file cannot be written; then there is no file.
pub fn write_ply(path: &Path, mesh: &MeshData) -> Result<()> {
    write(path, mesh, ply)
}

/// The bytes of the file that [`write_ply`] writes.
#[must_use]
pub fn ply_bytes(mesh: &MeshData) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = ply(&mut bytes, mesh);
    debug_assert!(written.is_ok(), "a vector takes all bytes");
    bytes
}

/// Writes an OBJ with decimals that read back as the same numbers.
///
/// # Errors
///
/// When the file cannot be written; then there is no file.
pub fn write_obj(path: &Path, mesh: &MeshData) -> Result<()> {
    write(path, mesh, obj)
}

/// The bytes of the file that [`write_obj`] writes.
#[must_use]
pub fn obj_bytes(mesh: &MeshData) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = obj(&mut bytes, mesh);
    debug_assert!(written.is_ok(), "a vector takes all bytes");
    bytes
}

fn write(path: &Path, mesh: &MeshData, body: fn(&mut Output, &MeshData) -> io::Result<()>) -> Result<()> {
    let mut output = Output::create(Some(path))?;
    body(&mut output, mesh).map_err(|error| Error::io(path, error))?;
    output.finish()
}

fn ply(output: &mut impl Write, mesh: &MeshData) -> io::Result<()> {
    let kind = match mesh.precision {
        Precision::F32 => "float",
        Precision::F64 => "double",
    };
    write!(output, "ply\nformat binary_little_endian 1.0\nelement vertex {}\n", mesh.vertices.len())?;
    write!(output, "property {kind} x\nproperty {kind} y\nproperty {kind} z\n")?;
    write!(output, "element face {}\nproperty list uchar uint vertex_indices\nend_header\n", mesh.triangles.len())?;
    for &value in mesh.vertices.as_flattened() {
        match mesh.precision {
            Precision::F32 => output.write_all(&(value as f32).to_le_bytes())?,
            Precision::F64 => output.write_all(&value.to_le_bytes())?,
        }
    }
    for triangle in &mesh.triangles {
        output.write_all(&[3])?;
        triangle.iter().try_for_each(|index| output.write_all(&index.to_le_bytes()))?;
    }
    Ok(())
}

fn obj(output: &mut impl Write, mesh: &MeshData) -> io::Result<()> {
    for [x, y, z] in &mesh.vertices {
        writeln!(output, "v {x} {y} {z}")?;
    }
    for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(|index| u64::from(index) + 1)) {
        writeln!(output, "f {a} {b} {c}")?;
    }
    Ok(())
}
