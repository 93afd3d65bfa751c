//! The reference of scene files: `docs/scene-reference.md` is the generated text, and each of its examples loads.
//!
//! `HITSCAN_UPDATE=1 cargo test -p hitscan-io --test scene_reference` writes the page.

use hitscan_io::{Dimension, MeshFile, SceneFile, scene_reference};
use std::path::Path;
use std::sync::Arc;

#[test]
fn the_page_is_the_generated_text() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-reference.md");
    let generated = scene_reference();
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        std::fs::write(&page, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&page).unwrap();
    assert!(written == generated, "docs/scene-reference.md is old: run this test with HITSCAN_UPDATE=1");
}

/// The TOML of the page, block by block.
fn examples(page: &str) -> Vec<&str> {
    page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// A scene whose meshes are a triangle.
fn load(text: &str) -> SceneFile {
    let mesh = |name: &str| {
        let bytes = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
        MeshFile::parse(Path::new(name), bytes).map(Arc::new)
    };
    SceneFile::parse_with("example.toml", text, mesh).unwrap()
}

#[test]
fn every_example_loads_and_has_the_type_of_its_heading() {
    let page = scene_reference();
    let mut headings = Vec::new();
    let placed = page.split("\n## Geometries and objects\n").nth(1).unwrap();
    assert_eq!(load(examples(placed)[0]).len(), 2);
    let of_file = page.split("\n## The file\n").nth(1).unwrap();
    assert_eq!(load(examples(of_file)[0]).layer_names().find("trees"), Ok(3));
    for section in page.split("\n### `").skip(1) {
        headings.push(section.split('`').next().unwrap());
        let examples = examples(section);
        assert_eq!(examples.len(), 1, "{section}");
        let scene = load(examples[0]);
        assert_eq!(scene.len(), 1);
        let heading = headings[headings.len() - 1];
        let is_type = examples[0].contains(&format!("type = \"{heading}\""));
        assert!(is_type || heading == "transform", "{heading}: {}", examples[0]);
        let is_flat = scene.dimension() == Dimension::Two;
        assert_eq!(is_flat, examples[0].starts_with("dimension = 2\n"));
    }
    assert_eq!(examples(&page).len(), headings.len() + 2);
    // The types that the reader itself names.
    for (dimension, expected) in [(3, &headings[1..19]), (2, &headings[19..])] {
        let text = format!("dimension = {dimension}\n[[shape]]\ntype = '?'");
        let error = SceneFile::parse_toml("example.toml", &text).unwrap_err().to_string();
        assert!(error.ends_with(&format!("(known: {})", expected.join(", "))), "{error}\n{expected:?}");
    }
}

/// Without any one of the keys that the page calls required, the example is refused.
#[test]
fn required_keys_are_required() {
    let page = scene_reference();
    let mut refused = 0;
    for section in page.split("\n### `").skip(2) {
        let example = examples(section)[0];
        let required = section.lines().filter(|line| line.contains("| required |"));
        for key in required.filter_map(|line| line.split('`').nth(1)) {
            let shorter: Vec<&str> = example.lines().filter(|line| !line.starts_with(&format!("{key} = "))).collect();
            let error = SceneFile::parse_toml("example.toml", &shorter.join("\n")).unwrap_err().to_string();
            assert!(error.ends_with(&format!("missing '{key}'")), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 40, "{refused}");
}

/// Lengths of 0 and below are refused or accepted as the page says.
#[test]
fn ranges_are_those_of_the_page() {
    let page = scene_reference();
    let mut tested = 0;
    for section in page.split("\n### `").skip(2) {
        let example = examples(section)[0];
        let with = |key: &str, value: &str| {
            let lines: Vec<String> = example
                .lines()
                .map(
                    |line| {
                        if line.starts_with(&format!("{key} = ")) { format!("{key} = {value}") } else { line.into() }
                    },
                )
                .collect();
            SceneFile::parse_toml("example.toml", &lines.join("\n"))
        };
        for line in section.lines().filter(|line| line.starts_with("| `")) {
            let key = line.split('`').nth(1).unwrap();
            let kind = line.split('|').nth(2).unwrap().trim();
            let rest = if example.starts_with("dimension = 2") { ", 1]" } else { ", 1, 1]" };
            let value = |x: &str| if kind.starts_with("vector") { format!("[{x}{rest}") } else { x.to_owned() };
            let zero_fits = match kind {
                "number greater than 0" | "vector of numbers greater than 0" => false,
                "number, 0 or more" | "vector of numbers, 0 or more" => true,
                _ => continue,
            };
            assert_eq!(with(key, &value("0")).is_ok(), zero_fits, "{key} of {example}");
            assert!(with(key, &value("1")).is_ok() && with(key, &value("-1")).is_err(), "{key} of {example}");
            tested += 1;
        }
    }
    assert!(tested > 12, "{tested}");
}
