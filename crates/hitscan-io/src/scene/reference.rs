//! The reference of scene files, generated from their schema.

use super::schema::{COMMON, FILE, GEOMETRY, Key, OBJECT, ROTATION, ShapeType, TRANSFORM, ValueKind, shape_types};
use crate::dimension::Dimension;
use crate::rule_words::{FACES, INSIDE};
use std::borrow::Cow;
use std::fmt::Write;

/// The reference of scene files as Markdown: the keys of the file, of shapes, objects and transforms, then each type of shape
/// with its keys, units, defaults and an example. `docs/scene-reference.md` is this text.
#[must_use]
pub fn scene_reference() -> String {
    let mut page = String::from(HEAD);
    table(&mut page, FILE);
    page.push_str(SHAPES);
    table(&mut page, COMMON);
    page.push_str(GEOMETRIES);
    table(&mut page, GEOMETRY);
    page.push_str(OBJECTS);
    table(&mut page, OBJECT);
    page.push_str(OBJECT_EXAMPLE);
    page.push_str(TRANSFORMS);
    table(&mut page, TRANSFORM);
    page.push_str(ROTATIONS);
    table(&mut page, ROTATION);
    page.push_str(TRANSFORM_EXAMPLE);
    for dimension in [Dimension::Three, Dimension::Two] {
        let count = dimension.count();
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## Shapes in {} dimensions\n", if count == 3 { "three" } else { "two" });
        shape_types(dimension).iter().for_each(|shape| section(&mut page, shape, count));
    }
    page
}

const HEAD: &str = "\
<!-- Generated from crates/hitscan-io/src/scene/schema.rs: see crates/hitscan-io/tests/all/scene_reference.rs. -->

# Scene files

A scene file is a TOML document with one `[[shape]]` table for each shape; or `[[geometry]]` tables for shapes that stand in
many places, and an `[[object]]` table for each place. Several shapes can be one geometry: a `group`, or a `solid`, which is a
union, an intersection or a difference.
`hitscan help scene` prints this page.

- **Units.** Coordinates and lengths have one unit, which the file does not name; angles are in degrees.
- **Numbers** are finite. A whole number may be written without a point, up to 2^53. A scene whose numbers are all exactly
  `f32` is cast in `f32` at rays of `f32` columns, else in `f64`, unless `--precision` says otherwise.
- **Vectors** are lists of three numbers, in a file with `dimension = 2` of two.
- An unknown key is an error, and so is a missing one without a default.

## The file

";

const SHAPES: &str = "
The name of a layer is one line of text, which is no number and has no comma. `--layers` takes names, too.

```toml
[layers]
ground = 0
trees = 3

[[shape]]
type = \"sphere\"
center = [0, 0, 5]
radius = 1.5
layers = [\"trees\", 4]
```

## Every shape

";

const GEOMETRIES: &str = "
## Geometries and objects

A geometry is a shape that objects place; by itself it is not hit. Its objects share it: a mesh is in memory once. A
`[[geometry]]` has the keys of its type, and:

";

const OBJECTS: &str = "
An `[[object]]` has these keys. It is the exact image of its geometry under the transform: no vertex and no radius is rounded
again. Shapes and objects are numbered from 0 in the order of the file, and a tie goes to the first.

";

const OBJECT_EXAMPLE: &str = "
```toml
[[geometry]]
name = \"rock\"
type = \"mesh\"
file = \"rock.obj\"

[[object]]
geometry = \"rock\"
name = \"boulder\"
transform = { scale = 3, translation = [5, 0, 0] }

[[object]]
geometry = \"rock\"
transform = { matrix = [[1, 0.5, 0, -2], [0, 0.25, 0, 0], [0, 0, -1, 0]] }
```
";

const TRANSFORMS: &str = "
### `transform`

A table. The scale applies first, then the rotation, then the translation; all are in `f64`, and numbers are rounded once, after
the last of them. A shape takes them up in its parameters; where no shape of its type is the image (under a `matrix`, and,
unless it is a mesh, under an uneven or a negative scale), it stays as it is, and its object has the transform. Under a mirror
the front of a surface stays its front.

";

const ROTATIONS: &str = "
`rotation` is a table, too:

";

const TRANSFORM_EXAMPLE: &str = "
```toml
[[shape]]
type = \"box\"
name = \"crate\"
layers = [0, 3]
center = [0, 0, 0]
half_extents = [1, 2, 3]
transform = { scale = 2, rotation = { axis = [0, 0, 1], degrees = 30 }, translation = [1, 0, 0] }
```
";

fn table(page: &mut String, keys: &[Key]) {
    page.push_str("| key | value | default | |\n|---|---|---|---|\n");
    for key in keys {
        let default = key.default.unwrap_or("required");
        let _ = writeln!(page, "| `{}` | {} | {default} | {} |", key.name, value(key.value), key.about);
    }
}

fn section(page: &mut String, shape: &ShapeType, dimension: usize) {
    let _ = write!(page, "\n### `{}`\n\n{}\n\n", shape.name, shape.about);
    table(page, shape.keys);
    let dimension = if dimension == 2 { "dimension = 2\n\n" } else { "" };
    let head =
        if shape.example.starts_with('[') { String::new() } else { format!("[[shape]]\ntype = \"{}\"\n", shape.name) };
    let _ = write!(page, "\n```toml\n{dimension}{head}{}\n```\n", shape.example);
}

/// The values of a kind, in words.
fn value(kind: ValueKind) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        ValueKind::Faces => return Cow::Owned(words(&FACES)),
        ValueKind::Inside => return Cow::Owned(words(&INSIDE)),
        ValueKind::Dimension => "2 or 3",
        ValueKind::LayerNames => "table of whole numbers, 0 to 31",
        ValueKind::Tables => "tables",
        ValueKind::ShapeName => "string",
        ValueKind::Name => "string: one line, not blank",
        ValueKind::Expression => "string: names and operators",
        ValueKind::GeometryName => "string: the name of a geometry",
        ValueKind::Layer => "whole number, 0 to 31, or a name from `[layers]`",
        ValueKind::Layers => "list of whole numbers, 0 to 31, or names",
        ValueKind::Boolean => "`true` or `false`",
        ValueKind::Transform | ValueKind::Rotation => "table",
        ValueKind::Matrix => "three rows of four numbers, the last of them the translation; in the plane two of three",
        ValueKind::Scale => "number other than 0, or a vector of them",
        ValueKind::Angle => "number, in degrees",
        ValueKind::Path => "string: a path relative to the folder of the scene file",
        ValueKind::Length => "number greater than 0",
        ValueKind::LengthOrZero => "number, 0 or more",
        ValueKind::Lengths => "vector of numbers greater than 0",
        ValueKind::LengthsOrZero => "vector of numbers, 0 or more",
        ValueKind::Point => "vector",
        ValueKind::Points => "list of vectors",
        ValueKind::Ring => "list of vectors of two numbers",
        ValueKind::Rings => "list of such lists",
        ValueKind::Heights => "two numbers, the lower one first",
        ValueKind::Direction => "vector of any length but 0",
        ValueKind::Axes => "list of unit vectors at right angles, one for each dimension",
    })
}

/// `"solid"` or `"hollow"`.
fn words<T>(words: &[(&str, T)]) -> String {
    words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" or ")
}
