//! glTF 2.0: the triangles of a scene, where its nodes put them. Khronos, *glTF 2.0 Specification*, 2021.
//!
//! The reader is our own: the crate `gltf` 1.4 brings serde's code for materials, cameras, skins and animations, which is
//! more than this whole crate is in the module of the ray lab, and its errors name no accessor.

mod data;
mod dropped;
mod json;
mod nodes;
#[cfg(test)]
mod tests;

pub(crate) use nodes::GltfNode;
pub(super) use nodes::{GltfScene, parse, parse_scene, parts};
