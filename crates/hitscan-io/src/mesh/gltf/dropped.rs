//! What a glTF has and this reader does not read, or skips, for notes.

use super::data::Gltf;
use super::json::Json;
use crate::error::quoted;
use crate::mesh::text_encoding::MARK_NOTE;
use std::collections::{BTreeSet, HashSet};

/// Extensions of nodes, meshes and primitives that do not change the triangles, or that have notes of their own.
const NOT_NOTED: [&str; 21] = [
    "CESIUM_",
    "EXT_instance_features",
    "EXT_lights_",
    "EXT_mesh_features",
    "EXT_mesh_gpu_instancing",
    "EXT_mesh_manifold",
    "EXT_meshopt_compression",
    "EXT_structural_metadata",
    "EXT_texture_",
    "FB_ngon_encoding",
    "KHR_audio",
    "KHR_draco_mesh_compression",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_physics_",
    "KHR_texture_",
    "KHR_xmp",
    "VRM",
    "WEB3D_quantized_attributes",
];

/// The notes about a glTF of which the nodes `in_scene` are read, each with a count.
pub(super) fn notes(gltf: &Gltf<'_>, in_scene: &BTreeSet<usize>) -> Vec<String> {
    let json = &gltf.json;
    let mut notes: Vec<String> = gltf.has_mark.then(|| MARK_NOTE.to_owned()).into_iter().collect();
    let mut note = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => notes.push(format!("1 {one}")),
        _ => notes.push(format!("{count} {many}")),
    };
    // Nodes and meshes that the scene does not have.
    let all_nodes = json.list("nodes");
    let mesh_of = |node: &Json| node.get("mesh")?.count();
    let is_elsewhere = |(number, node): &(usize, &Json)| !in_scene.contains(number) && mesh_of(node).is_some();
    let elsewhere = "not in the scene that is read, and left out";
    let (one, many) = (format!("node with a mesh is {elsewhere}"), format!("nodes with a mesh are {elsewhere}"));
    note(all_nodes.iter().enumerate().filter(is_elsewhere).count(), &one, &many);
    let everywhere: HashSet<usize> = all_nodes.iter().filter_map(mesh_of).collect();
    let alone = (0..json.list("meshes").len()).filter(|mesh| !everywhere.contains(mesh)).count();
    note(alone, "mesh is placed by no node, and left out", "meshes are placed by no node, and left out");
    // From here on, what the scene has.
    let nodes: Vec<&Json> = in_scene.iter().filter_map(|node| all_nodes.get(*node)).collect();
    let with_mesh: Vec<&Json> = nodes.iter().copied().filter(|node| mesh_of(node).is_some()).collect();
    let meshes: BTreeSet<usize> = with_mesh.iter().copied().filter_map(mesh_of).collect();
    // Instances, of each of which the mesh has one.
    let instances: Vec<&Json> = with_mesh.iter().filter_map(|node| node.extension("EXT_mesh_gpu_instancing")).collect();
    let sum: usize = instances.iter().filter_map(|instancing| instance_count(json, instancing)).sum();
    let what = format!("EXT_mesh_gpu_instancing ({sum} in all), which are not read");
    let one = format!("node has instances by {what}: its mesh stands once");
    note(instances.len(), &one, &format!("nodes have instances by {what}: each mesh stands once"));
    // What would move vertices.
    let skins = with_mesh.iter().filter(|node| node.get("skin").is_some()).count();
    let one = "node has a skin, which is not applied: its mesh stands as it was modelled";
    note(skins, one, "nodes have a skin, which is not applied: their meshes stand as they were modelled");
    let morphed = morphed_meshes(json, &meshes, &with_mesh);
    let one = "mesh has morph weights, which are not applied";
    note(morphed, one, "meshes have morph weights, which are not applied");
    note(json.list("animations").len(), "animation is not played", "animations are not played");
    // Primitives that are no triangles, and those without data.
    let meshes: Vec<&Json> = meshes.iter().filter_map(|mesh| json.list("meshes").get(*mesh)).collect();
    let primitives: Vec<&Json> = meshes.iter().flat_map(|mesh| mesh.list("primitives")).collect();
    let is_line = |primitive: &&&Json| primitive.get("mode").and_then(Json::count).is_some_and(|mode| mode < 4);
    let lines = primitives.iter().filter(is_line).count();
    note(lines, "primitive is of points or lines, and left out", "primitives are of points or lines, and left out");
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for primitive in primitives.iter().filter(|primitive| !is_line(primitive)) {
        if let Some(reason) = missing_data(gltf, primitive) {
            add(&mut reasons, reason);
        }
    }
    for (reason, count) in reasons {
        let why = match reason {
            "" => "without data".to_owned(),
            name => format!("compressed by {}, which is not read", quoted(name.as_bytes())),
        };
        note(
            count,
            &format!("primitive is left out: it is {why}"),
            &format!("primitives are left out: they are {why}"),
        );
    }
    // Other extensions.
    for (one, many, things) in [
        ("node has", "nodes have", nodes),
        ("mesh has", "meshes have", meshes),
        ("primitive has", "primitives have", primitives),
    ] {
        let mut unknown = Vec::new();
        let names = things.into_iter().filter_map(|thing| thing.get("extensions")).flat_map(Json::keys);
        names
            .filter(|name| !NOT_NOTED.iter().any(|known| name.starts_with(known)))
            .for_each(|name| add(&mut unknown, name));
        for (name, count) in unknown {
            let what = format!("the extension {}, which is not read", quoted(name.as_bytes()));
            note(count, &format!("{one} {what}"), &format!("{many} {what}"));
        }
    }
    // Names of extensions may hold anything.
    notes.into_iter().map(|note| note.replace(char::is_control, " ")).collect()
}

/// Counts a name in the order of the first ones.
fn add<'a>(counts: &mut Vec<(&'a str, usize)>, name: &'a str) {
    match counts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += 1,
        None => counts.push((name, 1)),
    }
}

/// Why a primitive of triangles has no positions or indices, if it has none: the extension that compresses them, or `""`.
pub(super) fn missing_data<'a>(gltf: &'a Gltf<'_>, primitive: &'a Json) -> Option<&'a str> {
    let Some(position) = primitive.get("attributes").and_then(|attributes| attributes.get("POSITION")) else {
        return Some("");
    };
    let accessors = [Some(position), primitive.get("indices")];
    let reason = accessors.into_iter().flatten().find_map(|accessor| gltf.without_data(accessor))?;
    let is_draco = primitive.extension("KHR_draco_mesh_compression").is_some();
    Some(if reason.is_empty() && is_draco { "KHR_draco_mesh_compression" } else { reason })
}

/// The number of instances that an extension of a node places.
fn instance_count(json: &Json, instancing: &Json) -> Option<usize> {
    let attributes = instancing.get("attributes")?;
    let accessor = ["TRANSLATION", "ROTATION", "SCALE"].into_iter().find_map(|name| attributes.get(name))?;
    json.list("accessors").get(accessor.count()?)?.get("count")?.count()
}

/// The number of these meshes with targets that weights of their own, or of one of these nodes, move.
fn morphed_meshes(json: &Json, meshes: &BTreeSet<usize>, nodes: &[&Json]) -> usize {
    let moves = |weights: &Json| weights.list("weights").iter().any(|weight| weight.number().is_some_and(|w| w != 0.0));
    let by_nodes: HashSet<usize> =
        nodes.iter().filter(|node| moves(node)).filter_map(|node| node.get("mesh")?.count()).collect();
    let is_morphed = |number: &&usize| {
        let Some(mesh) = json.list("meshes").get(**number) else { return false };
        let has_targets = mesh.list("primitives").iter().any(|primitive| !primitive.list("targets").is_empty());
        has_targets && (by_nodes.contains(*number) || moves(mesh))
    };
    meshes.iter().filter(is_morphed).count()
}
