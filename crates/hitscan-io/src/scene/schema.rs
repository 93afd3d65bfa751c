//! The schema of scene files: the types of shapes and their keys. The reader checks names by these tables, and
//! [`scene_reference`](crate::scene_reference) prints them.

use crate::dimension::Dimension;

/// A type of shape.
pub(super) struct ShapeType {
    pub(super) name: &'static str,
    /// One sentence about the shape.
    pub(super) about: &'static str,
    /// The keys of its own, required ones first.
    pub(super) keys: &'static [Key],
    /// The keys of an example and their values, as TOML; or a whole example, which begins with a table.
    pub(super) example: &'static str,
}

/// A key of a table.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) value: ValueKind,
    /// The default in words; `None` for a key that must be given.
    pub(super) default: Option<&'static str>,
    pub(super) about: &'static str,
}

/// The kind of value that a key has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ValueKind {
    Dimension,
    LayerNames,
    Tables,
    ShapeName,
    Name,
    GeometryName,
    Expression,
    Layer,
    Layers,
    Boolean,
    Faces,
    Inside,
    Transform,
    Matrix,
    Rotation,
    Scale,
    Angle,
    Path,
    /// Greater than 0.
    Length,
    LengthOrZero,
    Lengths,
    LengthsOrZero,
    Point,
    Points,
    /// Points of the plane.
    Ring,
    Rings,
    /// Two numbers, the lower one first.
    Heights,
    Direction,
    Axes,
}

const fn key(name: &'static str, value: ValueKind, about: &'static str) -> Key {
    Key { name, value, default: None, about }
}

const fn optional(name: &'static str, value: ValueKind, default: &'static str, about: &'static str) -> Key {
    Key { name, value, default: Some(default), about }
}

/// The keys of the file.
pub(super) const FILE: &[Key] = &[
    optional("dimension", ValueKind::Dimension, "3", "The number of coordinates of every point and direction."),
    optional("layers", ValueKind::LayerNames, "none", "Names of layers, each with its number. A `.hitscene` has none."),
    optional("shape", ValueKind::Tables, "none", "The shapes, one `[[shape]]` table each."),
    optional("geometry", ValueKind::Tables, "none", "Shapes that objects share, one `[[geometry]]` table each."),
    optional("object", ValueKind::Tables, "none", "The objects that place geometries, one `[[object]]` table each."),
];

const TRIGGER_KEY: Key = optional(
    "trigger",
    ValueKind::Boolean,
    "`false`",
    "Whether closest and any hits pass through it; `--triggers` has other rules.",
);
const FACES_KEY: Key =
    optional("faces", ValueKind::Faces, "those of the query", "The faces that count, in place of `--faces`.");
const INSIDE_KEY: Key = optional(
    "inside",
    ValueKind::Inside,
    "that of the query",
    "The rule for rays that start inside, in place of `--origin`.",
);

/// The keys of a geometry besides those of its type.
pub(super) const GEOMETRY: &[Key] = &[
    key("type", ValueKind::ShapeName, "The type of the shape: one of the headings below."),
    key("name", ValueKind::Name, "The name by which objects place it; no two geometries have the same."),
    optional("transform", ValueKind::Transform, "none", "Changes the shape itself, so that it stays of its type."),
];

/// The keys of an object.
pub(super) const OBJECT: &[Key] = &[
    key("geometry", ValueKind::GeometryName, "The geometry that it places."),
    optional(
        "name",
        ValueKind::Name,
        "the type and the number",
        "The name in answers, unlike that of any shape or object.",
    ),
    optional("layer", ValueKind::Layer, "0", "The layer of the object: casts choose layers by a mask."),
    optional("layers", ValueKind::Layers, "`[0]`", "Several layers, instead of `layer`."),
    TRIGGER_KEY,
    FACES_KEY,
    INSIDE_KEY,
    optional("transform", ValueKind::Transform, "none", "Where it places the geometry: the object is its exact image."),
];

/// The keys of every shape.
pub(super) const COMMON: &[Key] = &[
    key("type", ValueKind::ShapeName, "The type of the shape: one of the headings below."),
    optional("name", ValueKind::Name, "the type and the number", "The name in answers; no two shapes have the same."),
    optional(
        "layer",
        ValueKind::Layer,
        "0",
        "The layer of the shape. `--layers` takes layers, in Rust `Query::layers` a mask with the bits `1 << layer`.",
    ),
    optional("layers", ValueKind::Layers, "`[0]`", "Several layers, instead of `layer`."),
    TRIGGER_KEY,
    FACES_KEY,
    INSIDE_KEY,
    optional("transform", ValueKind::Transform, "none", "Scales, then rotates, then moves the shape."),
];

/// The keys of `transform`.
pub(super) const TRANSFORM: &[Key] = &[
    optional("matrix", ValueKind::Matrix, "none", "The rows of an affine map, instead of the other three keys."),
    optional("translation", ValueKind::Point, "0", "The translation, last of the three."),
    optional("rotation", ValueKind::Rotation, "none", "The rotation around the origin, right-handed, after the scale."),
    optional("scale", ValueKind::Scale, "1", "The factor of all lengths, or one for each axis, first of the three."),
];

/// The keys of `rotation` in three dimensions, and the last of them in two.
pub(super) const ROTATION: &[Key] = &[
    key("axis", ValueKind::Direction, "The axis of the rotation, in three dimensions only."),
    key("degrees", ValueKind::Angle, "The angle; multiples of 90 are exact."),
];

const fn shape(name: &'static str, about: &'static str, keys: &'static [Key], example: &'static str) -> ShapeType {
    ShapeType { name, about, keys, example }
}

const CENTER: Key = key("center", ValueKind::Point, "The center.");
const RADIUS: Key = key("radius", ValueKind::Length, "The radius.");
const RADIUS_A: Key = key("radius_a", ValueKind::LengthOrZero, "The radius at `a`.");
const RADIUS_B: Key = key("radius_b", ValueKind::LengthOrZero, "The radius at `b`; not 0 if the other one is.");
const HALF_EXTENTS: Key = key("half_extents", ValueKind::LengthsOrZero, "Half of the size along each axis.");
const RADII: Key = key("radii", ValueKind::Lengths, "The half axes.");
const AXES: Key = optional("axes", ValueKind::Axes, "the axes of the coordinates", "The directions of the axes.");
const POINT: Key = key("point", ValueKind::Point, "A point on the surface.");
const START: Key = key("a", ValueKind::Point, "One end of the axis.");
const END: Key = key("b", ValueKind::Point, "The other end of the axis.");
const CORNER_A: Key = key("a", ValueKind::Point, "The first corner.");
const CORNER_B: Key = key("b", ValueKind::Point, "The second corner.");
const CORNER_C: Key = key("c", ValueKind::Point, "The third corner.");

/// The type of a shape that consists of others.
pub(super) const GROUP: &str = "group";

const fn group(example: &'static str) -> ShapeType {
    let about = "Shapes and objects that are placed as one. Its objects may place other groups, in at most 8 levels; none contains \
                 itself.\nA hit has the name of the outermost object. A query must meet the layers of each level: those of that object, \
                 and\nthose of the members.";
    shape(GROUP, about, MEMBERS, example)
}

/// The type of a solid of several shapes.
pub(super) const SOLID: &str = "solid";

const fn solid(example: &'static str) -> ShapeType {
    let about = "A union, an intersection or a difference of its members (constructive solid geometry).\n\n\
        The operators of the expression are `|` for a union, `&` for an intersection, `-` for a difference and `~` (or `!`) for the\n\
        complement, which is all of space outside. `~` binds most strongly, then `-`, then `&`, then `|`, and parentheses come first.\n\
        A name of other characters than letters, digits, `_` and `.` is in quotes: `'left bore' | plate`. The expression may use a\n\
        member twice, and uses each one at least once.\n\n\
        A member is a shape or an object with a name; that of an object may be left out where it is the name of its geometry. Members\n\
        enclose points: they are convex shapes, half-spaces, closed meshes, groups of these, and other solids. They have no layers and\n\
        no rules (`trigger`, `faces`, `inside`) of their own. Groups and solids have at most 8 levels together.\n\n\
        The surface of a member belongs to it, and the operators are logic on points: `plate - bore` has no points of the surface of\n\
        the bore. A ray meets the closure of these points along its line, so it hits the wall of the bore.";
    shape(SOLID, about, PARTS, example)
}

const PARTS: &[Key] = &[
    key("expression", ValueKind::Expression, "The members by their names, with operators."),
    optional(
        "shape",
        ValueKind::Tables,
        "none",
        "Shapes as members, one `[[geometry.shape]]` table each; in a `[[shape]]`: `[[shape.shape]]`.",
    ),
    optional(
        "object",
        ValueKind::Tables,
        "none",
        "Objects as members, one `[[geometry.object]]` table each; in a `[[shape]]`: `[[shape.object]]`.",
    ),
];

const MEMBERS: &[Key] = &[
    optional(
        "shape",
        ValueKind::Tables,
        "none",
        "Its shapes, one `[[geometry.shape]]` table each; in a `[[shape]]`: `[[shape.shape]]`.",
    ),
    optional(
        "object",
        ValueKind::Tables,
        "none",
        "Its objects, one `[[geometry.object]]` table each; in a `[[shape]]`: `[[shape.object]]`.",
    ),
];

const THREE: &[ShapeType] = &[
    shape(
        "box",
        "A solid box, along the axes of the coordinates or along its own.",
        &[CENTER, HALF_EXTENTS, AXES],
        "center = [0, 0, 0]\nhalf_extents = [1, 2, 3]\naxes = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]",
    ),
    shape(
        "capsule",
        "A solid capsule: all points within the radius of a segment.",
        &[START, END, RADIUS],
        "a = [0, 0, 0]\nb = [0, 0, 2]\nradius = 0.5",
    ),
    shape(
        "cone",
        "A solid cone with its base disk.",
        &[
            key("base", ValueKind::Point, "The center of the base disk."),
            key("apex", ValueKind::Point, "The apex."),
            key("radius", ValueKind::Length, "The radius of the base disk."),
        ],
        "base = [0, 0, 0]\napex = [0, 0, 2]\nradius = 1",
    ),
    shape(
        "convex_hull",
        "The convex hull of points, a solid: a closed mesh.",
        &[key("points", ValueKind::Points, "The points in any order: at least 4, not all in one plane.")],
        "points = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1]]",
    ),
    shape(
        "cylinder",
        "A solid cylinder with flat ends.",
        &[START, END, RADIUS],
        "a = [0, 0, 0]\nb = [0, 0, 2]\nradius = 1",
    ),
    shape(
        "disk",
        "A flat disk, hit from both sides.",
        &[CENTER, key("normal", ValueKind::Direction, "The normal of the front."), RADIUS],
        "center = [0, 0, 1]\nnormal = [0, 0, 1]\nradius = 2",
    ),
    shape("ellipsoid", "A solid ellipsoid.", &[CENTER, RADII, AXES], "center = [0, 0, 0]\nradii = [1, 2, 3]"),
    shape(
        "frustum",
        "A solid truncated cone with flat ends.",
        &[START, END, RADIUS_A, RADIUS_B],
        "a = [0, 0, 0]\nb = [0, 0, 2]\nradius_a = 2\nradius_b = 1",
    ),
    group(
        "[[geometry]]\nname = \"wheel\"\ntype = \"cylinder\"\na = [0, -0.25, 0]\nb = [0, 0.25, 0]\nradius = 1\n\n\
         [[geometry]]\nname = \"axle\"\ntype = \"group\"\nobject = [\n  \
         { geometry = \"wheel\", transform = { translation = [0, 2, 0] } },\n  \
         { geometry = \"wheel\", transform = { translation = [0, -2, 0] } },\n]\n\n\
         [[geometry.shape]]\ntype = \"capsule\"\na = [0, -2, 0]\nb = [0, 2, 0]\nradius = 0.125\n\n\
         [[object]]\ngeometry = \"axle\"\ntransform = { translation = [5, 0, 1] }",
    ),
    shape(
        "half_space",
        "All points behind a plane: a solid without bounds.",
        &[POINT, key("normal", ValueKind::Direction, "The outward normal.")],
        "point = [0, 0, 0]\nnormal = [0, 0, 1]",
    ),
    shape(
        "mesh",
        "The triangles of a mesh file; the nodes of a glTF file are joined.",
        &[key("file", ValueKind::Path, "The mesh: .obj, .stl, .ply, .off, .gltf, .glb or .hitmesh.")],
        "file = \"rock.obj\"\ntransform = { scale = [1, 1, -2] }",
    ),
    shape(
        "plane",
        "A plane, hit from both sides.",
        &[POINT, key("normal", ValueKind::Direction, "The normal of the front.")],
        "point = [0, 0, 0]\nnormal = [0, 0, 1]",
    ),
    shape(
        "prism",
        "A polygon with holes, extruded along z, a solid: a closed mesh.",
        &[
            key("outline", ValueKind::Ring, "The corners of the polygon, once around, in either direction."),
            key("z", ValueKind::Heights, "The heights of both ends."),
            optional("holes", ValueKind::Rings, "none", "The corners of each hole. Rings neither cross nor touch."),
        ],
        "outline = [[0, 0], [4, 0], [4, 3], [2, 1], [0, 3]]\nholes = [[[1, 0.5], [2, 0.5], [1, 1]]]\nz = [0, 2]",
    ),
    shape(
        "quad",
        "A parallelogram, hit from both sides: `corner + u edge_u + v edge_v` with `u` and `v` from 0 to 1.",
        &[
            key("corner", ValueKind::Point, "A corner."),
            key("edge_u", ValueKind::Direction, "The edge from there along which `u` grows."),
            key(
                "edge_v",
                ValueKind::Direction,
                "The edge from there along which `v` grows; from the front it is on the left of the other.",
            ),
        ],
        "corner = [-2, -1, 0]\nedge_u = [4, 0, 0]\nedge_v = [0, 2, 0]",
    ),
    solid(
        "[[geometry]]\nname = \"bore\"\ntype = \"cylinder\"\na = [0, 0, -1]\nb = [0, 0, 1]\nradius = 0.5\n\n\
         [[shape]]\nname = \"bracket\"\ntype = \"solid\"\nexpression = \"plate - (bore | bore_b) & ~cut\"\nobject = [\n  \
         { geometry = \"bore\" },\n  \
         { geometry = \"bore\", name = \"bore_b\", transform = { translation = [2, 0, 0] } },\n]\n\n\
         [[shape.shape]]\nname = \"plate\"\ntype = \"box\"\ncenter = [1, 0, 0]\nhalf_extents = [3, 1, 0.25]\n\n\
         [[shape.shape]]\nname = \"cut\"\ntype = \"half_space\"\npoint = [3.5, 0, 0]\nnormal = [-1, 0, 0]",
    ),
    shape("sphere", "A solid ball.", &[CENTER, RADIUS], "center = [0, 0, 5]\nradius = 1.5"),
    shape(
        "tapered_capsule",
        "A solid tapered capsule: the convex hull of two balls.",
        &[START, END, RADIUS_A, RADIUS_B],
        "a = [0, 0, 0]\nb = [0, 0, 2]\nradius_a = 1\nradius_b = 0.5",
    ),
    shape(
        "triangle",
        "A triangle, hit from both sides; from its front the corners go around counter-clockwise.",
        &[CORNER_A, CORNER_B, CORNER_C],
        "a = [0, 0, 0]\nb = [1, 0, 0]\nc = [0, 1, 0]",
    ),
];

const TWO: &[ShapeType] = &[
    shape(
        "capsule",
        "A solid capsule: all points within the radius of a segment.",
        &[START, END, RADIUS],
        "a = [0, 0]\nb = [2, 0]\nradius = 0.5",
    ),
    shape("circle", "A solid disk.", &[CENTER, RADIUS], "center = [10, 4]\nradius = 3"),
    shape("ellipse", "A solid ellipse.", &[CENTER, RADII, AXES], "center = [0, 0]\nradii = [2, 1]"),
    group(
        "[[geometry]]\nname = \"pair\"\ntype = \"group\"\n\n\
         [[geometry.shape]]\ntype = \"circle\"\ncenter = [0, 0]\nradius = 1\n\n\
         [[geometry.shape]]\ntype = \"circle\"\ncenter = [5, 0]\nradius = 1\n\n\
         [[object]]\ngeometry = \"pair\"\ntransform = { rotation = { degrees = 90 } }",
    ),
    shape(
        "half_plane",
        "All points behind a line: a solid without bounds.",
        &[POINT, key("normal", ValueKind::Direction, "The outward normal.")],
        "point = [0, 0]\nnormal = [0, 1]",
    ),
    shape(
        "line",
        "A line without ends, hit from both sides.",
        &[POINT, key("normal", ValueKind::Direction, "The normal of the front.")],
        "point = [0, 0]\nnormal = [0, 1]",
    ),
    shape(
        "polygon",
        "A solid convex polygon.",
        &[key("vertices", ValueKind::Points, "The corners, once around, in either direction.")],
        "vertices = [[0, 0], [2, 0], [2, 1], [0, 1]]",
    ),
    shape(
        "rectangle",
        "A solid rectangle, along the axes of the coordinates or along its own.",
        &[CENTER, HALF_EXTENTS, AXES],
        "center = [0, 0]\nhalf_extents = [2, 1]\ntransform = { rotation = { degrees = 30 } }",
    ),
    shape(
        "segment",
        "A segment, hit from both sides; its front is on the right of the way from `a` to `b`.",
        &[key("a", ValueKind::Point, "One end."), key("b", ValueKind::Point, "The other end.")],
        "a = [0, 0]\nb = [1, 0]",
    ),
    solid(
        "[[shape]]\ntype = \"solid\"\nexpression = \"disk - slot\"\nshape = [\n  \
         { name = \"disk\", type = \"circle\", center = [0, 0], radius = 2 },\n  \
         { name = \"slot\", type = \"rectangle\", center = [0, 2], half_extents = [0.5, 1] },\n]",
    ),
    shape(
        "tapered_capsule",
        "A solid tapered capsule: the convex hull of two disks.",
        &[START, END, RADIUS_A, RADIUS_B],
        "a = [0, 0]\nb = [2, 0]\nradius_a = 1\nradius_b = 0.5",
    ),
    shape("triangle", "A solid triangle.", &[CORNER_A, CORNER_B, CORNER_C], "a = [0, 0]\nb = [1, 0]\nc = [0, 1]"),
];

/// The types of shapes of a dimension.
pub(super) fn shape_types(dimension: Dimension) -> &'static [ShapeType] {
    match dimension {
        Dimension::Two => TWO,
        Dimension::Three => THREE,
    }
}

/// The names of keys.
pub(super) fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

impl ShapeType {
    /// The type of this name, or the error of a name that is unknown.
    pub(super) fn find(dimension: Dimension, name: &str) -> Result<&'static Self, String> {
        let of = |dimension| shape_types(dimension).iter().find(|shape| shape.name == name);
        if let Some(shape) = of(dimension) {
            return Ok(shape);
        }
        let known: Vec<_> = shape_types(dimension).iter().map(|shape| shape.name).collect();
        let other = match dimension {
            Dimension::Two => Dimension::Three,
            Dimension::Three => Dimension::Two,
        };
        let list = known.join(", ");
        Err(match of(other) {
            Some(_) => format!("type '{name}' needs a scene with dimension = {} (known here: {list})", other.count()),
            None => format!("unknown type {} (known: {list})", crate::error::quoted(name.as_bytes())),
        })
    }

    /// The names of all keys of a table with a shape of this type.
    pub(super) fn all_keys(&self, common: &[Key]) -> Vec<&'static str> {
        [names(self.keys), names(common)].concat()
    }

    /// The keys that must be given.
    pub(super) fn required(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().filter(|key| key.default.is_none()).map(|key| key.name)
    }
}

/// `unknown key 'radious' (did you mean 'radius'?)`.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    unknown("key", key, known)
}

/// `unknown geometry 'roc' (did you mean 'rock'?)`.
pub(super) fn unknown(what: &str, given: &str, known: &[&str]) -> String {
    const LISTED: usize = 20;
    let quoted = crate::error::quoted(given.as_bytes());
    let nearest = known.iter().map(|word| (distance(given, word), word)).min();
    match nearest {
        // A slip or two, but not another word.
        Some((distance, word)) if distance <= 2 && distance < word.len() => {
            format!("unknown {what} {quoted} (did you mean '{word}'?)")
        }
        Some(_) => {
            let more = if known.len() > LISTED { ", …" } else { "" };
            format!("unknown {what} {quoted} (known: {}{more})", known[..known.len().min(LISTED)].join(", "))
        }
        None => format!("unknown {what} {quoted} (there is none)"),
    }
}

/// The number of letters to add, drop, change or swap with their neighbours (Damerau and Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    // Keys are short: a longer word is no typing error.
    const LONGEST: usize = 32;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_get_a_suggestion_and_other_words_do_not() {
        assert_eq!(unknown_key("radious", &["center", "radius"]), "unknown key 'radious' (did you mean 'radius'?)");
        assert_eq!(unknown_key("centre", &["center", "radius"]), "unknown key 'centre' (did you mean 'center'?)");
        assert_eq!(unknown_key("colour", &["center", "radius"]), "unknown key 'colour' (known: center, radius)");
        assert_eq!(unknown_key("q", &["a", "b"]), "unknown key 'q' (known: a, b)");
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "bac"), 1);
    }
}
