//! A scene as JSON for the page.

use crate::error::{Error, Result};
use crate::scene::{SceneSpace, WithScene, with_scene};
use hitscan::{Accelerator, Scene};
use hitscan_io::{MeshFile, SceneFile, mesh_parts, ply_bytes, write_scene};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The total size of the files in a page.
const MAX_BYTES: u64 = 64 << 20;

/// The scene as JSON, with its meshes.
pub(super) fn read(path: &Path) -> Result<String> {
    let file = SceneFile::open(path)?;
    if let Some(problem) = file.lab_problem() {
        return Err(Error::input(format!("{}: {problem}", path.display())));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let mut meshes: BTreeMap<String, String> = BTreeMap::new();
    let mut bytes_left = MAX_BYTES;
    let mut counted = |path: &Path, bytes: Vec<u8>| {
        let too_large = || Error::input(format!("{}: the lab takes scenes of up to 64 MiB", path.display()));
        bytes_left = bytes_left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
        Ok::<_, Error>(bytes)
    };
    if let Some(precision) = file.saved_precision() {
        let (toml, files) = with_scene(&file, precision, Accelerator::Bvh, AsSceneFile { path })?;
        counted(path, toml.clone().into_bytes())?;
        for (name, bytes) in files {
            meshes.insert(name, base64(&counted(path, bytes)?));
        }
        return Ok(json_of(&name, &toml, &meshes));
    }
    let mut bytes = |path: &Path| {
        let bytes = std::fs::read(path).map_err(|error| Error::write(path, &error))?;
        counted(path, bytes)
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut add = |mesh: &str| {
        if meshes.contains_key(mesh) {
            return Ok(());
        }
        let data = bytes(&folder.join(mesh))?;
        meshes.insert(mesh.to_owned(), base64(&data));
        for part in mesh_parts(Path::new(mesh), &data)? {
            let part = Path::new(mesh).with_file_name(part);
            let data = bytes(&folder.join(&part))?;
            meshes.insert(part.to_string_lossy().into_owned(), base64(&data));
        }
        Ok::<_, Error>(())
    };
    let toml = if is_toml {
        file.mesh_files().into_iter().try_for_each(&mut add)?;
        String::from_utf8_lossy(&bytes(path)?).into_owned()
    } else {
        add(&name)?;
        // A string of JSON is one of TOML.
        format!("[[shape]]\ntype = \"mesh\"\nfile = {}\n", json!(name))
    };
    Ok(json_of(&name, &toml, &meshes))
}

fn json_of(name: &str, toml: &str, files: &BTreeMap<String, String>) -> String {
    let scene = json!({ "name": name, "toml": toml, "files": files }).to_string();
    // Without `<` no string can end the script element.
    scene.replace('<', "\\u003c")
}

/// Writes a saved scene as a scene file with its meshes.
struct AsSceneFile<'a> {
    path: &'a Path,
}

impl WithScene for AsSceneFile<'_> {
    /// The text, and the meshes by the names that it has for them.
    type Output = (String, BTreeMap<String, Vec<u8>>);

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<Self::Output> {
        let mut files = BTreeMap::new();
        let toml = write_scene(scene, |_, mesh| {
            let name = format!("mesh-{}.ply", files.len());
            files.insert(name.clone(), ply_bytes(mesh));
            Ok(name)
        })?;
        let mesh = |name: &str| MeshFile::parse(Path::new(name), &files[name]).map(Arc::new);
        let problem = SceneFile::parse_with(&self.path.display().to_string(), &toml, mesh)?.lab_problem();
        match problem {
            Some(problem) => Err(Error::input(format!("{}: {problem}", self.path.display()))),
            None => Ok((toml, files)),
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let six = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= three.len() { char::from(DIGITS[six]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{ff}", "w78=")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
