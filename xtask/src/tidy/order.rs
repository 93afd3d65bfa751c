//! The order of modules: a folder or a file of the library uses only layers below it.

use super::references::references;
use super::tree::{Finding, Tree};

/// The folders and files at the root of the library, from the bottom up. Those of one layer may use each other as far as
/// the rule `circles` allows it.
const LAYERS: &[&str] = &[
    "sealed stable_sort target",
    "math",
    "simd",
    "aabb basis batch block_hits closest_point columns compressed_rows explain hit hit_lists hit_rows into_vector \
     little_endian parallel query ray ray_block ray_columns spawn sweep_hit transform",
    "convex",
    "kernel",
    "shapes",
    "distance",
    "adaptive",
    "sweep",
    "overlap",
    "queries",
    "bvh",
    "mesh",
    "outline solid",
    "scene",
    "arrays prelude serialize",
    "lib",
];

const LIBRARY: &str = "crates/hitscan/src/";

fn rank(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.split_whitespace().any(|module| module == name))
}

/// The folder or file at the root of the library that a path belongs to.
fn top(path: &str) -> Option<&str> {
    path.strip_prefix(LIBRARY)?.split('/').next().map(|name| name.trim_end_matches(".rs"))
}

/// Each file of the library uses only files of its own layer or below. Tests may use everything.
pub(super) fn modules(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for (file, _) in tree.rust() {
        if let Some(name) = top(&file.path).filter(|name| rank(name).is_none() && !unknown.contains(name)) {
            unknown.push(name);
            findings.push(file.finding(1, format!("module `{name}` has no layer: add it to LAYERS in {}", file!())));
        }
    }
    for reference in references(tree) {
        let (from, to) = (&tree.files[reference.from], &tree.files[reference.to]);
        let (Some(above), Some(below)) = (top(&from.path), top(&to.path)) else { continue };
        if rank(above) < rank(below) && above != "lib" {
            let what = format!("`{above}` may not use `{}` of `{below}`, a layer above it", reference.name);
            findings.push(from.finding(reference.line, what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const LIB: (&str, &str) = (
        "crates/hitscan/src/lib.rs",
        "mod math; mod ray; mod shapes; mod scene;\npub use ray::Ray; pub use scene::Scene; pub use shapes::Sphere;",
    );
    const MATH: (&str, &str) = ("crates/hitscan/src/math/mod.rs", "mod real; pub(crate) use real::Xx;");
    const REAL: (&str, &str) = ("crates/hitscan/src/math/real.rs", "pub struct Xx;");
    const SHAPES: (&str, &str) = ("crates/hitscan/src/shapes/mod.rs", "mod sphere; pub use sphere::Sphere;");
    const SPHERE: &str = "crates/hitscan/src/shapes/sphere.rs";
    const SCENE: (&str, &str) = ("crates/hitscan/src/scene/mod.rs", "pub struct Scene; pub fn f() {}");
    const RAY: &str = "crates/hitscan/src/ray.rs";

    fn found_in(sphere: &str, ray: &str) -> Vec<String> {
        found(modules, &[LIB, MATH, REAL, SHAPES, (SPHERE, sphere), SCENE, (RAY, ray)])
    }

    #[test]
    fn a_module_uses_modules_below_it() {
        let sphere = "use crate::{math::Xx, Ray};\npub struct Sphere; // crate::scene\n\
                      #[cfg(test)]\nmod tests { use crate::scene::Scene; }";
        assert_eq!(found_in(sphere, "pub struct Ray; mod a { use super::Ray; }"), [""; 0]);
    }

    #[test]
    fn a_module_may_not_use_modules_above_it() {
        let sphere = "pub struct Sphere;";
        let ray = |ray: &str| found_in(sphere, ray);
        assert_eq!(ray("use crate::math::Xx;\nuse crate::shapes::Sphere;"), [format!("{RAY}:2")]);
        assert_eq!(ray("use crate::{\n math::Xx,\n scene::{Scene},\n};"), [format!("{RAY}:3")]);
        assert_eq!(ray("use super::shapes::Sphere;"), [format!("{RAY}:1")]);
        assert_eq!(ray("mod a { use super::super::shapes::Sphere; }"), [format!("{RAY}:1")]);
        assert_eq!(ray("use crate::Sphere;"), [format!("{RAY}:1")]); // a re-export hides nothing
        assert_eq!(found_in("pub struct Sphere; fn f() { super::super::scene::f() }", ""), [format!("{SPHERE}:1")]);
        assert_eq!(
            found_in("pub struct Sphere; macro_rules! m { () => { $crate::scene::f() } }", ""),
            [format!("{SPHERE}:1")]
        );
    }

    #[test]
    fn a_module_has_one_layer() {
        let mut names: Vec<&str> = LAYERS.iter().flat_map(|layer| layer.split_whitespace()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        let library = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(LIBRARY);
        for name in names {
            assert!(
                library.join(name).is_dir() || library.join(format!("{name}.rs")).is_file(),
                "{name} does not exist"
            );
        }
        assert_eq!(found(modules, &[("crates/hitscan/src/odd/mod.rs", "")]), ["crates/hitscan/src/odd/mod.rs:1"]);
        assert_eq!(found(modules, &[("crates/hitscan-io/src/odd.rs", "use crate::Odd;")]), [""; 0]);
    }
}
